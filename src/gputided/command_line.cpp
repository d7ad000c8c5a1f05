#include "command_line.hpp"

#include "check/check.hpp"
#include "common/exit_status.hpp"
#include "common/log.hpp"
#include "doctor/doctor.hpp"
#include "eval/eval.hpp"
#include "handover/handover.hpp"
#include "nodes/nodes.hpp"
#include "replay/compare/compare.hpp"
#include "replay/replay.hpp"
#include "replay/tune/tune.hpp"
#include "rightsize/rightsize.hpp"
#include "run/run.hpp"
#include "token/token.hpp"
#include "version/version.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace gputided {
namespace {

// `gputided replay compare` is a word of its own to the parser: its flags are not those of `replay`.  So is `nodes plan`.
std::vector<std::string> joined_words(int argc, char** argv) {
    std::vector<std::string> out(argv, argv + argc);
    const bool of_replay = out.size() > 2 && out[1] == "replay" && (out[2] == "compare" || out[2] == "tune");
    const bool of_nodes = out.size() > 2 && out[1] == "nodes" && (out[2] == "plan" || out[2] == "explain");
    if (of_replay || of_nodes) {
        out[1] += "-" + out[2];
        out.erase(out.begin() + 2);
    }
    return out;
}

void parse(CLI::App& app, std::vector<std::string> words) {
    std::vector<char*> views;
    views.reserve(words.size());
    for (std::string& word : words) views.push_back(word.data());
    app.parse(static_cast<int>(views.size()), views.data());
}

std::string complaint(const CLI::App& app, const CLI::ParseError& wrong, int argc, char** argv) {
    const std::vector<CLI::App*> chosen = app.get_subcommands();
    if (!chosen.empty()) {
        std::string name = chosen.front()->get_name();
        std::replace(name.begin(), name.end(), '-', ' ');                      // replay compare, as it was typed
        const std::vector<std::string> unknown = chosen.front()->remaining();  // may be why something is missing
        const bool is_named = unknown.empty() || wrong.get_exit_code() == static_cast<int>(CLI::ExitCodes::ExtrasError);
        return name + ": " + wrong.what() + (is_named ? "" : ", and " + unknown.front() + " was not expected") +
               "; gputided " + name + " --help shows what it takes";
    }
    const std::string given = argc > 1 ? std::string("there is no subcommand ") + argv[1] : "a subcommand is missing";
    return given +
           "; there are run, eval, check, doctor, replay (and replay compare, replay tune), nodes plan, nodes explain, "
           "rightsize, adopt, release, token and version, and "
           "gputided --help";
}

}  // namespace

std::optional<command> read_command_line(int argc, char** argv, int& status) {
    CLI::App app(
        "GPU autoscaling from KEDA and HPA manifests, outside Kubernetes: an example host of libgputide.\n"
        "Exit codes: 0 done, 1 a finding, 2 bad usage or manifest, 3 a source or credential failed.",
        "gputided");
    app.require_subcommand(1);
    command chosen;
    subcommands commands(app, chosen);
    add_run(commands);
    add_eval(commands);
    add_check(commands);
    add_doctor(commands);
    add_replay(commands);
    add_compare(commands);
    add_tune(commands);
    add_nodes_plan(commands);
    add_nodes_explain(commands);
    add_rightsize(commands);
    add_adopt(commands);
    add_release(commands);
    add_token(commands);
    add_version(commands);
    try {
        parse(app, joined_words(argc, argv));
        return chosen;
    } catch (const CLI::Success& help) {
        status = app.exit(help);
    } catch (const CLI::ParseError& wrong) {
        log_line(complaint(app, wrong, argc, argv));
        status = bad_input;
    }
    return std::nullopt;
}

}  // namespace gputided

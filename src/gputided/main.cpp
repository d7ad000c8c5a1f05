// gputided, a command on the C API.  Data goes to stdout, logs to stderr; scripts can use the exit status.
#include "common/log.hpp"
#include "common/options.hpp"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <optional>
#include <string>
#include <vector>

namespace gputided {
namespace {

// The parser treats `replay compare` as the subcommand replay-compare, as its options differ from those of `replay`.
std::vector<std::string> with_joined_names(int argc, char** argv) {
    std::vector<std::string> out(argv, argv + argc);
    const bool of_replay = out.size() > 2 && out[1] == "replay" && (out[2] == "compare" || out[2] == "tune");
    const bool of_nodes = out.size() > 2 && out[1] == "nodes" && (out[2] == "plan" || out[2] == "explain");
    if (of_replay || of_nodes) {
        out[1] += "-" + out[2];
        out.erase(out.begin() + 2);
    }
    return out;
}

void parse(CLI::App& app, std::vector<std::string> arguments) {
    std::vector<char*> views;
    views.reserve(arguments.size());
    for (std::string& argument : arguments) views.push_back(argument.data());
    app.parse(static_cast<int>(views.size()), views.data());
}

std::string usage_message(const CLI::App& app, const CLI::ParseError& wrong, int argc, char** argv) {
    const std::vector<CLI::App*> chosen = app.get_subcommands();
    if (!chosen.empty()) {
        std::string name = chosen.front()->get_name();
        std::replace(name.begin(), name.end(), '-', ' ');                      // replay compare, as it was typed
        const std::vector<std::string> unknown = chosen.front()->remaining();  // a possible cause of what is missing
        const bool is_named = unknown.empty() || wrong.get_exit_code() == static_cast<int>(CLI::ExitCodes::ExtrasError);
        return name + ": " + wrong.what() + (is_named ? "" : ", and " + unknown.front() + " was not expected") +
               "; gputided " + name + " --help lists the options";
    }
    const std::string given = argc > 1 ? std::string("no subcommand ") + argv[1] : "a subcommand is missing";
    return given +
           "; there are run, eval, check, doctor, replay (and replay compare, replay tune), nodes plan, nodes explain, "
           "rightsize, adopt, release, token and version, and gputided --help";
}

// Returns nothing if help or a usage error was printed; status is the exit status then.
std::optional<command> read_command_line(int argc, char** argv, int& status) {
    CLI::App app(
        "GPU autoscaling from KEDA and HPA manifests, outside Kubernetes: a host of libgputide.\n"
        "Exit codes: 0 done, 1 a finding, 2 bad usage or manifest, 3 a source or credential failed.",
        "gputided");
    app.require_subcommand(1);
    command chosen;
    subcommands commands(app, chosen);
    for (const auto add : {add_run, add_eval, add_check, add_doctor, add_replay, add_compare, add_tune, add_nodes_plan,
                           add_nodes_explain, add_rightsize, add_adopt, add_release, add_token, add_version}) {
        add(commands);
    }
    try {
        parse(app, with_joined_names(argc, argv));
        return chosen;
    } catch (const CLI::Success& help) {
        status = app.exit(help);
    } catch (const CLI::ParseError& wrong) {
        log_line(usage_message(app, wrong, argc, argv));
        status = bad_input;
    }
    return std::nullopt;
}

// A wrong manifest or setting is the caller's error; otherwise a source failed.
int exit_status_of(const gputide::failure& failure) {
    switch (failure.status()) {
        case GPUTIDE_E_INVALID:
        case GPUTIDE_E_AMBIGUOUS:
        case GPUTIDE_E_LIMIT:
        case GPUTIDE_E_STATE:
            return bad_input;
        default:
            return source_failed;
    }
}

int guarded(const command& chosen) {
    try {
        return chosen();
    } catch (const gputide::failure& failed) {
        log_line(failure_text(failed));
        return exit_status_of(failed);
    } catch (const usage_error& wrong) {
        log_line(wrong.what());
        return bad_input;
    }
}

}  // namespace
}  // namespace gputided

int main(int argc, char** argv) {
    try {
        int status = gputided::done;
        const auto chosen = gputided::read_command_line(argc, argv, status);
        return chosen ? gputided::guarded(*chosen) : status;
    } catch (const std::exception& thrown) {
        std::fprintf(stderr, "gputided: %s\n", thrown.what());
        return gputided::source_failed;
    }
}

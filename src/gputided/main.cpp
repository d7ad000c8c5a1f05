// gputided, a command built on the C API.  Data goes to stdout, logs go to stderr; the exit status is for scripts.
#include "common/options.hpp"
#include "help/help.hpp"

#include <cstdio>
#include <exception>

namespace gputided {
namespace {

// Changes the arguments `replay compare` to the subcommand's name replay-compare, which has other options than `replay`.
std::vector<std::string> with_joined_name(const CLI::App& app, std::vector<std::string> arguments) {
    if (arguments.size() < 3) return arguments;
    const std::string name = arguments[1] + "-" + arguments[2];
    if (app.get_subcommands([&](const CLI::App* known) { return known->get_name() == name; }).empty()) return arguments;
    arguments[1] = name;
    arguments.erase(arguments.begin() + 2);
    return arguments;
}

void parse(CLI::App& app, std::vector<std::string> arguments) {
    std::vector<char*> views;
    views.reserve(arguments.size());
    for (std::string& argument : arguments) views.push_back(argument.data());
    app.parse(static_cast<int>(views.size()), views.data());
}

// Reports whether --output json is given.  Does not parse the command line, because it may be wrong.
bool wants_json(const std::vector<std::string>& arguments) {
    for (std::size_t i = 1; i < arguments.size(); ++i) {
        const std::string& argument = arguments[i];
        if (argument == "--output=json" || argument == "-o=json" || argument == "-ojson") return true;
        const bool is_output = argument == "--output" || argument == "-o";
        if (is_output && i + 1 < arguments.size() && arguments[i + 1] == "json") return true;
    }
    return false;
}

void add_commands(CLI::App& app, chosen_command& chosen) {
    app.require_subcommand(1);
    app.set_help_flag("-h,--help", "print this help");
    app.set_version_flag(
        "-V,--version",
        std::string("gputided ") + gputide_version() + " (ABI " + std::to_string(gputide_abi_version()) + ")",
        "print the version; gputided version has more");
    app.formatter_fn([](const CLI::App* shown, const std::string&, CLI::AppFormatMode) {
        return help_text(*shown, output_width());
    });
    app.footer(
        "gputided help COMMAND lists the options of a command.\n"
        "Exit status: 0 done, 1 a finding, 2 bad usage or manifest, 3 a source or a credential failed.");
    subcommands commands(app, chosen);
    for (const auto add :
         {add_run, add_eval, add_check, add_doctor, add_replay, add_compare, add_tune, add_nodes_plan,
          add_nodes_explain, add_rightsize, add_adopt, add_release, add_token, add_version, add_help, add_completion}) {
        add(commands);
        add_log_level(commands.app());
    }
}

// Returns nothing after help or a usage error was printed; `status` is the exit status then.
std::optional<chosen_command> read_command_line(CLI::App& app, const std::vector<std::string>& arguments, bool as_json,
                                                int& status) {
    chosen_command chosen;
    add_commands(app, chosen);
    try {
        parse(app, with_joined_name(app, arguments));
        return chosen;
    } catch (const CLI::Success& help) {
        status = app.exit(help);
    } catch (const CLI::ParseError& wrong) {
        status = report_error(usage_error(usage_message(app, wrong, arguments)), as_json);
    }
    return std::nullopt;
}

int run_program(const std::vector<std::string>& arguments) {
    const bool as_json = wants_json(arguments);
    CLI::App app("GPU autoscaling from KEDA and HPA manifests, outside Kubernetes: a host of libgputide.", "gputided");
    try {
        int status = done;
        const std::optional<chosen_command> chosen = read_command_line(app, arguments, as_json, status);
        return chosen ? (*chosen)() : status;
    } catch (const std::exception& thrown) {
        return report_error(thrown, as_json);
    }
}

}  // namespace
}  // namespace gputided

int main(int argc, char** argv) {
    try {
        return gputided::run_program({argv, argv + argc});
    } catch (const std::exception& thrown) {
        std::fprintf(stderr, "gputided: %s\n", thrown.what());
        return gputided::source_failed;
    }
}

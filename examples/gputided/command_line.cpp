#include "command_line.hpp"

#include "log.hpp"
#include "replay_flags.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace gputided {
namespace {

constexpr std::int32_t most = std::numeric_limits<std::int32_t>::max();

// Adds a subcommand that runs `what` with options of type T, which `flags` fills.
template <class T>
void add(CLI::App& app, command& chosen, const char* name, const char* about, const char* example,
         int (*what)(const T&), void (*flags)(CLI::App&, T&)) {
    CLI::App& sub = *app.add_subcommand(name, about);
    auto with = std::make_shared<T>();
    flags(sub, *with);
    sub.footer(std::string("Example:\n  ") + example);
    sub.callback([&chosen, what, with] { chosen = [what, with] { return what(*with); }; });
}

CLI::Option* add_count(CLI::App& to, const char* name, std::int32_t& into, const char* about) {
    return to.add_option(name, into, about)->check(CLI::Range(0, most))->type_name("N");
}

void add_milliseconds(CLI::App& to, const char* name, std::int32_t& into, const char* about) {
    to.add_option(name, into, about)->check(CLI::Range(1, most))->type_name("MS")->capture_default_str();
}

void add_profile(CLI::App& to, options& from) {
    to.add_option_function<std::string>(
          "--profile", [&from](const std::string& name) { from.strict = name == "strict"; },
          "default, or strict: bug for bug as KEDA and the HPA")
        ->check(CLI::IsMember({"default", "strict"}));
}

void run_flags(CLI::App& to, run_options& with) {
    add_manifest_flags(to, with.common);
    add_profile(to, with.common);
    CLI::Option* dry = to.add_flag("--dry-run", with.dry_run, "decide and print, write nothing");
    CLI::Option* exec =
        to.add_option("--exec", with.exec,
                      "command for sh -c that writes a replica count; gets GPUTIDE_NAME, "
                      "GPUTIDE_NAMESPACE, GPUTIDE_CURRENT and GPUTIDE_DESIRED in its environment and the "
                      "decision on its stdin; exit status 0: written");
    to.add_option("--observe", with.observe,
                  "command for sh -c that prints {\"spec\":N,\"status\":N,\"ready\":N} before each "
                  "tick; without it the last written count is taken");
    add_count(to, "--current", with.current,
              "replicas at the start, where neither --observe nor --state tells; default: 1");
    to.add_option("--listen", with.listen, "HOST:PORT for /metrics, /healthz, /readyz and /; \"\": none")
        ->capture_default_str();
    to.add_option("--state", with.state, "file that keeps windows, cooldowns and the last count over a restart");
    add_milliseconds(to, "--timeout-ms", with.timeout_ms, "for the tokens and queries of one tick");
    add_milliseconds(to, "--child-timeout-ms", with.child_timeout_ms, "for one --exec or --observe");
    to.add_option("--max-children", with.most_children, "--exec and --observe commands at a time, over all scalers")
        ->check(CLI::Range(1, 256))
        ->type_name("N")
        ->capture_default_str();
    add_secrets_flag(to, with.common);
    add_trust_flags(to, with.common);
    to.parse_complete_callback([dry, exec] {
        if (dry->empty() == exec->empty()) throw CLI::ValidationError("one of --dry-run and --exec is needed");
    });
}

void eval_flags(CLI::App& to, eval_options& with) {
    add_manifest_flags(to, with.common);
    add_output_flag(to, with.common);
    add_profile(to, with.common);
    add_count(to, "--current", with.current, "the target's present spec.replicas")->required();
    add_count(to, "--ready", with.ready, "pods that are ready; default: as --current");
    to.add_option("--at", with.at, "evaluate at this time (RFC 3339 or Unix milliseconds); default: now");
    to.add_option("--state", with.state, "a state file of gputided run; read, not written");
    add_milliseconds(to, "--timeout-ms", with.timeout_ms, "for tokens and queries together");
    add_secrets_flag(to, with.common);
    add_trust_flags(to, with.common);
}

void check_flags(CLI::App& to, check_options& with) {
    add_manifest_flags(to, with.common);
    add_output_flag(to, with.common);
    add_profile(to, with.common);
    to.add_flag("--fail-on-warning", with.fail_on_warning, "exit with 1 where there is a warning");
    add_secrets_flag(to, with.common);
}

void doctor_flags(CLI::App& to, doctor_options& with) {
    add_manifest_flags(to, with.common);
    add_output_flag(to, with.common);
    add_profile(to, with.common);
    add_count(to, "--current", with.current, "the target's present spec.replicas; default: the manifest's minimum");
    add_count(to, "--ready", with.ready, "pods that are ready; default: as --current");
    add_milliseconds(to, "--timeout-ms", with.timeout_ms, "for all steps of one scaler together");
    add_secrets_flag(to, with.common);
    add_trust_flags(to, with.common);
}

void shared_replay_flags(CLI::App& to, replay_options& with) {
    add_manifest_flags(to, with.common);
    add_output_flag(to, with.common);
    add_profile(to, with.common);
    add_replay_flags(to, with);
    add_secrets_flag(to, with.common);
    add_trust_flags(to, with.common);
}

void replay_flags(CLI::App& to, replay_options& with) {
    shared_replay_flags(to, with);
    to.add_option("--html", with.html,
                  "write the report here: one file with its charts, nothing loaded from elsewhere");
}

void compare_flags(CLI::App& to, compare_options& with) {
    shared_replay_flags(to, with.run);
    add_compare_flags(to, with);
}

void tune_flags(CLI::App& to, tune_options& with) {
    shared_replay_flags(to, with.run);
    add_tune_flags(to, with);
}

// `gputided replay compare` is a word of its own to the parser: its flags are not those of `replay`.
std::vector<std::string> joined_words(int argc, char** argv) {
    std::vector<std::string> out(argv, argv + argc);
    if (out.size() > 2 && out[1] == "replay" && (out[2] == "compare" || out[2] == "tune")) {
        out[1] += "-" + out[2];
        out.erase(out.begin() + 2);
    }
    return out;
}

void token_flags(CLI::App& to, token_options& with) {
    add_output_flag(to, with.common);
    to.add_option("--scope", with.scope, "what the token is for")->capture_default_str();
    to.add_option("--credential", with.credential, "podIdentity block or TriggerAuthentication, or @FILE with one")
        ->capture_default_str();
    to.add_flag("--show-token", with.show_token, "print the token itself, too: it is a secret");
    add_milliseconds(to, "--timeout-ms", with.timeout_ms, "for all attempts together");
    add_secrets_flag(to, with.common);
    add_trust_flags(to, with.common);
}

void version_flags(CLI::App& to, options& with) {
    add_output_flag(to, with);
    to.add_flag_callback(
        "--json", [&with] { with.output = "json"; }, "as --output json");
}

std::string complaint(const CLI::App& app, const CLI::ParseError& wrong, int argc, char** argv) {
    const std::vector<CLI::App*> chosen = app.get_subcommands();
    if (!chosen.empty()) {
        std::string name = chosen.front()->get_name();
        std::replace(name.begin(), name.end(), '-', ' ');  // replay compare, as it was typed
        return name + ": " + wrong.what() + "; gputided " + name + " --help shows what it takes";
    }
    const std::string given = argc > 1 ? std::string("there is no subcommand ") + argv[1] : "a subcommand is missing";
    return given +
           "; there are run, eval, check, doctor, replay (and replay compare, replay tune), token and version, and "
           "gputided --help";
}

}  // namespace

std::optional<command> read_command_line(int argc, char** argv, int& exit_status) {
    CLI::App app(
        "GPU autoscaling from KEDA and HPA manifests, outside Kubernetes: an example host of libgputide.\n"
        "Exit codes: 0 done, 1 a finding, 2 bad usage or manifest, 3 a source or credential failed.",
        "gputided");
    app.require_subcommand(1);
    command chosen;
    add(app, chosen, "run", "Long-running: poll, decide, write; one JSON line per decision on stdout",
        "gputided run -f so.yaml --observe 'curl -fsS http://fleet/scale' \\\n"
        "      --exec 'curl -fsS -X PUT -d \"{\\\"replicas\\\": $GPUTIDE_DESIRED}\" http://fleet/scale'\n"
        "Signals: SIGTERM and SIGINT end it, SIGHUP reads the manifests again.",
        &run, &run_flags);
    add(app, chosen, "eval", "One evaluation: print the decision and its trace, write nothing",
        "gputided eval -f so.yaml --current 3", &eval, &eval_flags);
    add(app, chosen, "check", "Errors and warnings of manifests, with line and path; no network",
        "gputided check -f so.yaml --fail-on-warning", &check, &check_flags);
    add(app, chosen, "doctor", "Walk each trigger and name the first step that fails, the likely cause and the fix",
        "gputided doctor -f so.yaml", &doctor, &doctor_flags);
    add(app, chosen, "replay",
        "Recorded metrics through the same decision code: replicas, GPU-hours, time above target",
        "gputided replay -f so.yaml --from -7d --step 15s --cache week.csv --html week.html\n"
        "  gputided replay -f so.yaml --series day.csv --model closed --replicas 4 --startup 90s,150s",
        &replay, &replay_flags);
    add(app, chosen, "replay-compare", "gputided replay compare: manifests and variants side by side, on one series",
        "gputided replay compare -f so.yaml --series day.csv --variant threshold=70 --variant 'calm: "
        "down_window_s=600'",
        &compare, &compare_flags);
    add(app, chosen, "replay-tune",
        "gputided replay tune: the settings that need the fewest GPU-hours within your limits, as a diff to apply",
        "gputided replay tune -f so.yaml --series day.csv --model closed --most-above 10 --most-flaps 4", &tune,
        &tune_flags);
    add(app, chosen, "token", "Acquire a token; print expiry and claims, never the token unless asked",
        "gputided token --scope https://prometheus.monitor.azure.com/.default", &token, &token_flags);
    add(app, chosen, "version", "Versions of gputide and of what it is built with", "gputided version --json", &version,
        &version_flags);
    try {
        std::vector<std::string> words = joined_words(argc, argv);
        std::vector<char*> views;
        views.reserve(words.size());
        for (std::string& one : words) views.push_back(one.data());
        app.parse(static_cast<int>(views.size()), views.data());
        return chosen;
    } catch (const CLI::Success& help) {
        exit_status = app.exit(help);
    } catch (const CLI::ParseError& wrong) {
        log_line(complaint(app, wrong, argc, argv));
        exit_status = bad_input;
    }
    return std::nullopt;
}

}  // namespace gputided

// gputided adopt, gputided release: hand a ScaledObject over from a running KEDA to gputide, and back.
#include "common/options.hpp"
#include "common/text.hpp"

#include <iostream>

namespace gputided {
namespace {

struct handover_options {
    shared_options shared;
    std::string object;  // NAMESPACE/NAME
    std::string owner = "gputide";
    std::int32_t lease_s = 15;
    std::int32_t timeout_ms = 60'000;
    bool dry_run = false;
};

// Returns what a step does or waits for.
std::string step_text(const std::string& step, const handover_options& options) {
    const std::string owner = "gputide.io/owner: " + options.owner;
    const std::map<std::string, std::string> texts{
        {"pause", "annotate it with autoscaling.keda.sh/paused: \"true\""},
        {"keda_paused", "wait until KEDA's condition is Paused=True"},
        {"hpa_gone", "wait until KEDA's HPA is deleted"},
        {"own", "annotate it with " + owner},
        {"disown", "remove " + owner},
        {"settle", "wait until a write by gputide that was in progress has ended"},
        {"unpause", "remove autoscaling.keda.sh/paused"},
        {"hpa_there", "wait until KEDA's HPA exists"},
    };
    const auto at = texts.find(step);
    return at == texts.end() ? step : at->second;
}

std::string state_text(const json& step) {
    const std::string state = text_at(step, "state");
    if (state == "was_done") return "already done";
    if (state == "not_needed") return "not needed";
    if (state == "not_reached") return "-";
    return state == "done" ? format_members("done, {took_ms} ms", step) : state;
}

// Prints each step when its state changes, from the library's log.  At the end the outcome adds the steps that were not reached.
class step_lines {
  public:
    explicit step_lines(const handover_options& options)
        : options_(options), log_([this](const char* line, log_level level) { take(line, level); }) {}

    void print(const json& step) {
        const std::string name = text_at(step, "step");
        const std::string state = state_text(step);
        if (std::exchange(printed_[name], state) == state) return;
        const std::string message = text_at(step, "message");
        std::cout << padded(state, 14) << " " << step_text(name, options_) << (message.empty() ? "" : ": " + message)
                  << std::endl;
    }

  private:
    // Takes a line of the log.  Lines that are not JSON are details for --log-level debug.
    void take(const char* line, log_level level) {
        const json step = json::parse(line, nullptr, false);
        if (step.is_object() && step.value("handover", "") == options_.object) {
            print(step);
        } else if (is_logged(log_level::debug)) {
            log_line(line, level);
        }
    }

    const handover_options& options_;
    std::map<std::string, std::string> printed_;  // state by step
    const library_log log_;
};

int hand_over(const handover_options& options, const char* to) {
    std::optional<step_lines> lines;
    if (!options.shared.json()) lines.emplace(options);
    const scaler_name object = split_name(options.object);
    const ordered_json change{{"namespace", object.space}, {"name", object.name},        {"to", to},
                              {"owner", options.owner},    {"lease_s", options.lease_s}, {"dry", options.dry_run}};
    const std::string outcome = gputide::hand_over(change.dump(), options.timeout_ms,
                                                   library_options(options.shared, {{"NAMESPACE/NAME", ""}}));
    const json read = json::parse(outcome);
    if (lines) {
        for (const json& step : read.at("steps")) lines->print(step);
        std::cout << format_members("{result}: {namespace}/{name}: {message}\n", read);
        if (read.at("remedy") != "") std::cout << format_members("  {remedy}\n", read);
    } else {
        std::cout << outcome << "\n";
    }
    std::cout << std::flush;
    const std::string result = text_at(read, "result");
    if (result == "failed") return source_failed;
    return result == "done" || result == "planned" ? done : finding;
}

int adopt(const handover_options& options) { return hand_over(options, "gputide"); }
int release(const handover_options& options) { return hand_over(options, "keda"); }

std::string why_not_a_full_name(const std::string& text) {
    const scaler_name name = split_name(text);
    return name.space.empty() || name.name.empty() ? "expected NAMESPACE/NAME, got " + text : std::string();
}

void add_flags(CLI::App& app, handover_options& options) {
    option_list add(app);
    add("object NAMESPACE/NAME", options.object, "the ScaledObject").checked(why_not_a_full_name).required();
    add("--owner", options.owner, "value of gputide.io/owner of the gputide that scales");
    add("--lease-s S", options.lease_s, "duration of that gputide's Lease in seconds; a write may take a fifth of it")
        .range(3, 3600);
    add("--dry-run", options.dry_run, "print the steps, and write nothing");
    add_timeout(add, options.timeout_ms, "for the whole handover; then the state is printed");
    add_output_option(app, options.shared);
    add_trust_options(app, options.shared);
}

}  // namespace

void add_adopt(subcommands& commands) {
    handover_options& options = commands.add(
        "adopt", "Hand a ScaledObject of a cluster over from KEDA to gputide, so that only one of them scales it",
        "gputided adopt ml/llm --kubeconfig ~/.kube/config", &adopt);
    add_flags(commands.app(), options);
}

void add_release(subcommands& commands) {
    handover_options& options = commands.add("release", "Hand a ScaledObject of a cluster back to KEDA",
                                             "gputided release ml/llm --kubeconfig ~/.kube/config", &release);
    add_flags(commands.app(), options);
}

}  // namespace gputided

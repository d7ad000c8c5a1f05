#include "handover/handover.hpp"

#include "common/exit_status.hpp"
#include "common/text.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdint>
#include <iostream>
#include <map>
#include <optional>
#include <string>
#include <utility>

namespace gputided {
namespace {

using nlohmann::ordered_json;

// What each step does, and for its `settle` what it waits for.
std::string about(const std::string& step, const handover_options& options) {
    const std::string owner = "gputide.io/owner: " + options.owner;
    const std::map<std::string, std::string> texts{
        {"pause", "annotate it with autoscaling.keda.sh/paused: \"true\""},
        {"keda_paused", "wait until KEDA says Paused=True"},
        {"hpa_gone", "wait until KEDA's HPA is gone"},
        {"own", "annotate it with " + owner},
        {"disown", "remove " + owner},
        {"settle", "wait until a write of gputide's that was under way has ended"},
        {"unpause", "remove autoscaling.keda.sh/paused"},
        {"hpa_there", "wait until KEDA's HPA is there"},
    };
    const auto at = texts.find(step);
    return at == texts.end() ? step : at->second;
}

std::string state_text(const ordered_json& step) {
    std::string state = step.at("state");
    if (state == "was_done") return "was so";
    if (state == "not_needed") return "not needed";
    if (state == "not_reached") return "-";
    if (state != "done") return state;
    return "done, " + std::to_string(step.at("took_ms").get<std::int64_t>()) + " ms";
}

// Steps as they happen, which the library's log tells; each once as it stands.  At the end the outcome has those that nobody came to.
class step_lines {
  public:
    explicit step_lines(const handover_options& options) : options_(options) {
        gputide_log_sink sink{};
        sink.struct_size = sizeof sink;
        sink.level = GPUTIDE_LOG_INFO;
        sink.write = [](void* lines, std::int32_t, const char* line) { static_cast<step_lines*>(lines)->take(line); };
        sink.user_data = this;
        gputide::set_log(&sink);
    }
    ~step_lines() { gputide_set_log(nullptr, nullptr); }
    step_lines(const step_lines&) = delete;
    step_lines& operator=(const step_lines&) = delete;

    void print(const ordered_json& step) {
        constexpr std::size_t state_width = 14;
        std::string state = state_text(step);
        std::string& printed = printed_[step.at("step")];
        if (std::exchange(printed, state) == state) return;
        state.resize(std::max(state.size(), state_width), ' ');
        const std::string seen = step.at("message");
        std::cout << state << " " << about(step.at("step"), options_) << (seen.empty() ? "" : ": " + seen) << std::endl;
    }

  private:
    // A line of the log is no JSON where it is about something else.
    void take(const char* line) {
        const ordered_json step = ordered_json::parse(line, nullptr, false);
        if (step.is_object() && step.value("handover", "") == options_.object) print(step);
    }

    const handover_options& options_;
    std::map<std::string, std::string> printed_;  // by step
};

void print_result(const ordered_json& outcome) {
    const auto text = [&](const char* name) { return outcome.at(name).get<std::string>(); };
    std::cout << text("result") << ": " << text("namespace") << "/" << text("name") << ": " << text("message") << "\n";
    if (!text("remedy").empty()) std::cout << "  " << text("remedy") << "\n";
}

std::string carry_out(const handover_options& options, const char* to) {
    const scaler_name object = split_name(options.object);
    const ordered_json change{{"namespace", object.space}, {"name", object.name},        {"to", to},
                              {"owner", options.owner},    {"lease_s", options.lease_s}, {"dry", options.dry_run}};
    return gputide::hand_over(change.dump(), options.timeout_ms,
                              library_options(options.shared, {{"NAMESPACE/NAME", ""}}));
}

int hand_over(const handover_options& options, const char* to) {
    std::optional<step_lines> lines;
    if (!options.shared.json()) lines.emplace(options);
    const std::string outcome = carry_out(options, to);
    const ordered_json read = ordered_json::parse(outcome);
    if (lines) {
        for (const ordered_json& step : read.at("steps")) lines->print(step);
        print_result(read);
    } else {
        std::cout << outcome << "\n";
    }
    std::cout << std::flush;
    const std::string result = read.at("result");
    if (result == "failed") return source_failed;
    return result == "done" || result == "planned" ? done : finding;
}

int adopt(const handover_options& options) { return hand_over(options, "gputide"); }
int release(const handover_options& options) { return hand_over(options, "keda"); }

void add_flags(CLI::App& app, handover_options& options) {
    const auto check = [](const std::string& text) {
        const scaler_name name = split_name(text);
        return name.space.empty() || name.name.empty() ? "expected NAMESPACE/NAME, got " + text : std::string();
    };
    app.add_option("object", options.object, "the ScaledObject: NAMESPACE/NAME")
        ->required()
        ->check(CLI::Validator(check, "NAMESPACE/NAME"));
    app.add_option("--owner", options.owner, "the value of gputide.io/owner: as the gputide that acts has it")
        ->capture_default_str();
    app.add_option("--lease-s", options.lease_s,
                   "how long a Lease of that gputide holds; a fifth of it a write may take")
        ->check(CLI::Range(3, 3600))
        ->capture_default_str();
    app.add_flag("--dry-run", options.dry_run, "say what would be done, and write nothing");
    add_output_flag(app, options.shared);
    add_milliseconds(app, "--timeout-ms", options.timeout_ms, "for everything; then it says where it stands");
    add_trust_flags(app, options.shared);
}

}  // namespace

void add_adopt(subcommands& commands) {
    commands.add("adopt", "Hand a ScaledObject of a cluster over from KEDA to gputide, so that no two scale it",
                 "gputided adopt ml/llm --kubeconfig ~/.kube/config", &adopt, &add_flags);
}

void add_release(subcommands& commands) {
    commands.add("release", "Hand a ScaledObject of a cluster back to KEDA",
                 "gputided release ml/llm --kubeconfig ~/.kube/config", &release, &add_flags);
}

}  // namespace gputided

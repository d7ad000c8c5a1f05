#include "handover/handover.hpp"

#include "common/exit_status.hpp"
#include "common/text.hpp"

#include <nlohmann/json.hpp>

#include <iostream>
#include <map>

namespace gputided {
namespace {

using nlohmann::ordered_json;

// What each step does, and for its `settle` what it waits for.
std::string about(const std::string& step, const ordered_json& outcome) {
    const std::string owner = "gputide.io/owner: " + outcome.at("owner").get<std::string>();
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
    const std::string state = step.at("state");
    if (state == "was_done") return "was so";
    if (state == "not_needed") return "not needed";
    if (state == "not_reached") return "-";
    if (state != "done") return state;
    return "done, " + std::to_string(step.at("took_ms").get<std::int64_t>()) + " ms";
}

void print(const ordered_json& outcome) {
    constexpr std::size_t state_width = 14;
    const auto text = [&](const char* name) { return outcome.at(name).get<std::string>(); };
    for (const ordered_json& step : outcome.at("steps")) {
        std::string state = state_text(step);
        state.resize(std::max(state.size(), state_width), ' ');
        const std::string seen = step.at("message");
        std::cout << state << " " << about(step.at("step"), outcome) << (seen.empty() ? "" : ": " + seen) << "\n";
    }
    std::cout << text("result") << ": " << text("namespace") << "/" << text("name") << ": " << text("message") << "\n";
    if (!text("remedy").empty()) std::cout << "  " << text("remedy") << "\n";
}

int hand_over(const handover_options& options, const char* to) {
    const scaler_name object = split_name(options.object);
    const ordered_json change{{"namespace", object.space}, {"name", object.name},        {"to", to},
                              {"owner", options.owner},    {"lease_s", options.lease_s}, {"dry", options.dry_run}};
    const std::string outcome = gputide::hand_over(change.dump(), options.timeout_ms,
                                                   library_options(options.shared, {{"NAMESPACE/NAME", ""}}));
    const ordered_json read = ordered_json::parse(outcome);
    if (options.shared.json()) {
        std::cout << outcome << "\n";
    } else {
        print(read);
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

// Parts of a manifest, as the cases write them, made into a whole one; and what the library finds wrong with it.
#pragma once

#include "frame/check.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace conformance {

// These add what the case leaves out: scaleTargetRef, and of a ScaledObject one pushed trigger where there is none.
json scaled_object_of(json spec, const json& annotations = json::object());
json horizontal_pod_autoscaler_of(json spec, const json& annotations = json::object());

struct manifest_error {
    std::string code, path, message;
};

// The errors among the findings of gputide_manifest_check, in the order found.
std::vector<manifest_error> errors_of(c_api& library, const json& manifest);

// {"call":"policy.open","as":"policy",…} and, where the policy opens, {"call":"state.new","as":"state",…}.
json open_policy_call(const json& manifest, std::uint32_t flags = 0);
json new_state_call(std::int64_t created_ms = 0);

// {"call":"decide","as":name,…} on that state, with a report.
json decide_call(const json& seen, const std::string& name = "decision");

// The state of these words (docs/decision.md), whatever a host could have come to.
json load_state_call(const json& state);

// The state as JSON, and what a described one says.
json describe_state_call();
json described_state(const json& result);

// The write of that decision was applied, or failed.
json record_call(const std::string& decision, std::int64_t now_ms, bool applied = true);

// The report of a decide call; throws with the library's message where the call failed.
json report_of(const json& result);

// The first step of that name in a report's trace; null where there is none.
json step_in(const json& report, const char* name);

// A pushed trigger with a failed read.
json failed_sample();

// The result as it is, after a look whether it is an error; throws with the library's message then.
const json& worked(const json& result);

// The message of a failed call; "" where it worked.
std::string message_of(const json& result);

// "0.05" and "50m" as numbers.
double number_of(const json& quantity);

// A number or a quantity as the text of one: 0.05 → "0.05".
std::string quantity_of(const json& number);

// Thousandths as a manifest writes them: 1500 → "1500m".
std::string quantity_text(std::int64_t milli);

// A member that is there and not null.
bool has(const json& object, const char* member);

}  // namespace conformance

// A trigger as the keda-prometheus and azure-metrics cases write it, opened at the C API as a source of its own.

namespace conformance {

// {"type": …, "metadata": …} and, for `authParams` and `podIdentityProvider`, the TriggerAuthentication that it names with its
// Secret beside it.
struct written_trigger {
    json trigger;
    json files = json::array();  // for options.files
};

written_trigger trigger_of(const std::string& type, const json& metadata, const json& auth_parameters = json::object(),
                           const std::string& provider = "");

// Whether a case's trigger is one that a test can open: the environment that it reads, and a pod's identity, are the host's.
bool can_open(const json& test_case);

// {"call":"source.open","as":"source",…}; plain http is allowed, as the cases' addresses are.
json open_source_call(const written_trigger& written, std::uint32_t flags);

// Returns what gputide_source_parse makes of an answer, and what a decision makes of its sample.
struct reading {
    std::string message;  // "": there is a value
    double value = 0.0;
    bool active = false;
    json milli;  // as the HPA is told it; null where the HPA is not asked
};

reading parse_answer(c_api& library, const written_trigger& written, std::uint32_t flags, std::int32_t http_status,
                     const std::string& body);

// error, active, value, metric_milli and error_contains of a case's `expect`.
differences compare_reading(const json& expect, const reading& came);

// ok and error_contains of a case's `expect`; the message is "" where the call worked.
differences compare_opening(const json& expect, const std::string& message);

// Opens the trigger in the strict profile and compares ok, error_contains, metric_name and, of what it was parsed to, `parsed`.
differences check_opening(c_api& library, const written_trigger& written, const json& expect);

// One sample's way through a decision of the trigger's policy, in the HPA half too.
struct judged {
    bool active = false;
    json milli;
};
judged judge_sample(c_api& library, const written_trigger& written, std::uint32_t flags, const json& sample);

}  // namespace conformance

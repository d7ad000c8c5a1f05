// A trigger as the keda-prometheus and azure-metrics cases write it, opened at the door as a source of its own.
#pragma once

#include "frame/check.hpp"

#include <string>

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
bool can_open(const json& one);

// {"call":"source.open","as":"source",…}; plain http is allowed, as the cases' addresses are.
json open_source_call(const written_trigger& written, std::uint32_t flags);

// What gputide_source_parse makes of an answer, and what a decision makes of its sample.
struct reading {
    std::string message;  // "": there is a value
    double value = 0.0;
    bool active = false;
    json milli;  // as the HPA is told it; null where the HPA is not asked
};

reading parse_answer(door& library, const written_trigger& written, std::uint32_t flags, std::int32_t http_status,
                     const std::string& body);

// error, active, value, metric_milli and error_contains of a case's `expect`.
differences compare_reading(const json& expect, const reading& came);

// ok and error_contains of a case's `expect`; the message is "" where the call worked.
differences compare_opening(const json& expect, const std::string& message);

// Opens the trigger in the strict profile and compares ok, error_contains, metric_name and, of what it was parsed to, `parsed`.
differences check_opening(door& library, const written_trigger& written, const json& expect);

// One sample's way through a decision of the trigger's policy, in the HPA half too.
struct judged {
    bool active = false;
    json milli;
};
judged judge_sample(door& library, const written_trigger& written, std::uint32_t flags, const json& sample);

}  // namespace conformance

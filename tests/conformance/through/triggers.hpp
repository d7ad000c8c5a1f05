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

// What gputide_source_parse makes of an answer, as KEDA's tests look at it.
struct reading {
    bool failed = false;
    double value = 0.0;
    std::string message;
    bool active = false;  // as the policy of the same trigger judges the sample
};

reading parse_answer(door& library, const written_trigger& written, std::uint32_t flags, std::int32_t http_status,
                     const std::string& body);

// error, active, value and error_contains of a case's `expect`.
differences compare_reading(const json& expect, const reading& came);

// ok and error_contains of a case's `expect`; the message is "" where the call worked.
differences compare_opening(const json& expect, const std::string& message);

}  // namespace conformance

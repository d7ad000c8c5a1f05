// Steps `query`, `value` and `activation`: whether the endpoint responds to the trigger's query, whether the value is usable, and
// whether it activates the trigger.  Pure.
#pragma once

#include "auth/token/claims.hpp"
#include "base/error.hpp"
#include "base/sample.hpp"
#include "doctor/step.hpp"
#include "source/description.hpp"
#include "source/source.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gputide::doctor {

struct value {
    std::string metric;  // the metric in the query; "": unknown
    gputide::sample sample;
    std::string said;                    // the source's message, if there is no value
    std::vector<source::series> past;    // last minutes of the metric; empty: unknown
    std::vector<source::series> beside;  // other series of the same GPUs over the same time
};

step judge_value(const value& seen);

struct activation {
    double value = 0.0;
    double above = 0.0;                        // activationThreshold
    double target = 0.0;                       // threshold
    bool per_pod = true;                       // AverageValue
    bool can_be_zero = false;                  // the manifest allows 0 or idle replicas
    bool is_hpa = false;                       // an HPA has no activation
    bool is_variable = false;                  // of a formula; only its result is compared
    activity_word word = activity_word::none;  // activity reported by the source instead of a threshold
};

step judge_activation(const activation& seen);

struct query {
    source::traits traits;  // of the trigger's type
    std::string text;       // query or metric
    std::string host;       // host that was queried
    bool with_credential = false;
    bool of_azure = false;  // the credential is an Entra identity
    std::string client;     // client of the token; "": unknown
    std::optional<auth::claims> claims;
    error why{status::ok};  // status ok: the host responded, possibly without a usable value
    std::int64_t took_ms = 0;
    std::vector<std::string> warnings;  // from the server
    bool is_partial = false;            // some series failed, see `warnings`
    gputide::sample sample;             // tells how the value was read
};

step judge_query(const query& seen);

}  // namespace gputide::doctor

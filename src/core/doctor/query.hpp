// Steps `query`, `value` and `activation`: whether the endpoint answers the trigger's query, whether the number is usable,
// and whether it activates the trigger.  Pure.
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
    std::string query;
    std::string metric;  // what the query looks at; "": unknown
    gputide::sample sample;
    std::string said;                    // the source's words where there is no value
    std::vector<source::series> past;    // of the metric: some minutes; empty: unknown
    std::vector<source::series> beside;  // other series of the same GPUs, over the same time
    std::string no_data;                 // gputide.io/no-data in words, where it is set
};

step judge_value(const value& seen);

struct activation {
    double value = 0.0;
    double above = 0.0;                        // activationThreshold
    double target = 0.0;                       // threshold
    bool per_pod = true;                       // AverageValue
    bool can_be_zero = false;                  // the manifest may go to 0 or idle
    bool is_hpa = false;                       // an HPA's metric knows no activation
    activity_word word = activity_word::none;  // the source's own activity, without a threshold
};

step judge_activation(const activation& seen);

struct query {
    source::traits traits;  // of the trigger's type
    std::string text;       // the query, the metric
    std::string host;       // asked
    bool with_credential = false;
    bool of_azure = false;  // the credential is an identity of Entra
    std::string client;     // the client that the token was issued to; "": unknown
    std::optional<auth::claims> claims;
    error why{status::ok};  // status ok: it answered, whether or not one number comes of it
    std::int64_t took_ms = 0;
    std::string result_type;
    std::size_t series = 0;
    std::vector<std::string> warnings;  // the peer's own
    bool is_partial = false;            // some of its series failed, as the warnings say
    gputide::sample sample;             // how its number was read
};

step judge_query(const query& seen);

}  // namespace gputide::doctor

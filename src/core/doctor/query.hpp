// Step `query`: does the endpoint answer the trigger's own question?  Pure.
#pragma once

#include "auth/token/claims.hpp"
#include "base/error.hpp"
#include "base/sample.hpp"
#include "doctor/step.hpp"
#include "source/description.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace gputide::doctor {

struct query {
    source::traits traits;  // of the trigger's type
    std::string text;       // the query, the metric
    std::string host;       // asked
    bool with_credential = false;
    bool of_azure = false;  // the credential is an identity of Entra
    std::string client;     // whose token it was; "": unknown
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

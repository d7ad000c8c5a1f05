// What went wrong, as a value: which thing, where, what was expected, what came, what to do.
// Comes in from every room; goes out through capi/ as gputide_error.  Never holds a secret (see redact.hpp).
#pragma once

#include "base/status.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace gputide {

struct error {
    gputide::status status = gputide::status::bug;
    std::string message;     // one or more sentences for a person; no newline at the end
    std::string where;       // "so.yaml:17 spec.triggers[0].metadata.threshold", "trigger 0 (prometheus)"; may be empty
    bool retryable = false;  // the same call, unchanged, may work later
    std::int32_t http_status = 0;  // 0: no HTTP answer
    std::int64_t retry_at_ms = 0;  // Unix milliseconds; 0: not said
    std::string service_code;      // the peer's own code: AADSTS700024, bad_data, InsufficientAccessError, ...
    std::string error_class;       // finer word than the status: propagation, stale_assertion, not_json, shape, ...
    std::vector<std::pair<std::string, std::string>> fields;  // what else the peer said: suberror, claims, trace_id
};

// The common case: a status and a sentence.
inline error fail(status code, std::string message) {
    error out;
    out.status = code;
    out.message = std::move(message);
    return out;
}

// The same with a place: fail_at(status::invalid, "trigger 0 (prometheus)", "threshold: expected a number, got \"abc\"").
inline error fail_at(status code, std::string where, std::string message) {
    error out = fail(code, std::move(message));
    out.where = std::move(where);
    return out;
}

// {"class":"...","suberror":"..."}: class and fields as JSON, as gputide_error.detail holds it; "" if there are none.
std::string detail_json(const error& from);

}  // namespace gputide

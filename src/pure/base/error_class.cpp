#include "base/error_class.hpp"

#include <array>
#include <cstddef>

namespace gputide {
namespace {

struct class_row {
    error_class kind;
    std::string_view word;
    class_meaning means;
};

// In the order of the enumerators: a class is its own index.
constexpr std::array class_rows{
    class_row{error_class::none, "", {status::bug, false}},
    class_row{error_class::config, "config", {status::invalid, false}},
    class_row{error_class::authority, "config", {status::invalid, false}},
    class_row{error_class::permanent, "permanent", {status::auth, false}},
    class_row{error_class::propagation, "propagation", {status::unavailable, true}},
    class_row{error_class::stale_assertion, "stale_assertion", {status::auth, true}},
    class_row{error_class::auth, "auth", {status::auth, false}},
    class_row{error_class::forbidden, "forbidden", {status::forbidden, false}},
    class_row{error_class::signed_out, "permanent", {status::auth, false}},
    class_row{error_class::unavailable, "unavailable", {status::not_here, false}},
    class_row{error_class::security, "security", {status::security, false}},
    class_row{error_class::rejected, "permanent", {status::rejected, false}},
    class_row{error_class::transient, "transient", {status::unavailable, true}},
    class_row{error_class::throttled, "throttled", {status::throttled, true}},
    class_row{error_class::request_loop, "throttled", {status::throttled, true}},
    class_row{error_class::timeout, "timeout", {status::timeout, true}},
    class_row{error_class::cancelled, "cancelled", {status::cancelled, false}},
    class_row{error_class::http, "http", {status::protocol, false}},
    class_row{error_class::unencrypted, "http", {status::rejected, false}},
    class_row{error_class::api, "api", {status::rejected, false}},
    class_row{error_class::server_status, "status", {status::rejected, false}},
    class_row{error_class::redirect, "redirect", {status::protocol, false}},
    class_row{error_class::encoding, "encoding", {status::protocol, false}},
    class_row{error_class::not_json, "not_json", {status::protocol, false}},
    class_row{error_class::shape, "shape", {status::protocol, false}},
    class_row{error_class::range, "range", {status::protocol, false}},
    class_row{error_class::bad_type, "bad_type", {status::protocol, false}},
    class_row{error_class::bad_value, "bad_value", {status::protocol, false}},
    class_row{error_class::unprintable, "bad_value", {status::protocol, false}},
    class_row{error_class::protocol, "protocol", {status::protocol, false}},
    class_row{error_class::peer, "peer", {status::protocol, true}},
    class_row{error_class::limit, "limit", {status::limit, false}},
    class_row{error_class::no_memory, "no_memory", {status::no_memory, true}},
    class_row{error_class::no_data, "no_data", {status::no_data, false}},
    class_row{error_class::stale, "stale", {status::no_data, false}},
    class_row{error_class::ambiguous, "ambiguous", {status::ambiguous, false}},
    class_row{error_class::partial, "partial", {status::partial, false}},
    class_row{error_class::selector, "selector", {status::rejected, false}},
};

constexpr bool classes_in_order() {
    for (std::size_t i = 0; i < class_rows.size(); ++i) {
        if (static_cast<std::size_t>(class_rows[i].kind) != i) return false;
    }
    return class_rows.size() == static_cast<std::size_t>(error_class::selector) + 1;
}
static_assert(classes_in_order());

const class_row& row_of(error_class kind) noexcept { return class_rows[static_cast<std::size_t>(kind)]; }

}  // namespace

std::string_view class_word(error_class kind) noexcept { return row_of(kind).word; }

class_meaning meaning_of(error_class kind) noexcept { return row_of(kind).means; }

}  // namespace gputide

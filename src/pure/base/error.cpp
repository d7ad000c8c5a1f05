#include "base/error.hpp"

#include "base/json_writer.hpp"
#include "base/status.hpp"
#include "base/text.hpp"

#include <array>
#include <cstddef>

namespace gputide {

error::error() = default;
error::error(gputide::status code) : status(code) {}
error::error(const error& other) = default;
error::error(error&& other) noexcept = default;
error& error::operator=(const error& other) = default;
error& error::operator=(error&& other) noexcept = default;
error::~error() = default;

error_ptr::error_ptr(error why) : error_(new error(std::move(why))) {}
error_ptr::error_ptr(const error_ptr& other) : error_(other.empty() ? nullptr : new error(*other)) {}

void error_ptr::free(error* given) noexcept { delete given; }

error_ptr&& error_ptr::at(place where) && {
    error_->where = std::move(where);
    return std::move(*this);
}

error_ptr&& error_ptr::at(text_value thing) && { return std::move(*this).at(named(thing.text())); }

error failure_kind::without_message() const {
    error out;
    if (code_ >= 0) {
        out.status = static_cast<status>(code_);
        out.retryable = usually_passes(out.status);
        return out;
    }
    out.error_class = static_cast<gputide::error_class>(-1 - code_);
    const class_meaning means = meaning_of(out.error_class);
    out.status = means.status;
    out.retryable = means.retryable;
    return out;
}

error_ptr fail(failure_kind kind, text_value message) {
    error out = kind.without_message();
    out.message = plain_line(message.text());
    return error_ptr(std::move(out));
}

error_ptr fail(failure_kind kind, text_pattern<1> pattern, text_value a) { return fail(kind, format_text(pattern, a)); }

error_ptr fail(failure_kind kind, text_pattern<2> pattern, text_value a, text_value b) {
    return fail(kind, format_text(pattern, a, b));
}

error_ptr fail(failure_kind kind, text_pattern<3> pattern, text_value a, text_value b, text_value c) {
    return fail(kind, format_text(pattern, a, b, c));
}

error_ptr fail(failure_kind kind, text_pattern<4> pattern, text_value a, text_value b, text_value c, text_value d) {
    return fail(kind, format_text(pattern, a, b, c, d));
}

error_ptr fail(failure_kind kind, text_pattern<5> pattern, text_value a, text_value b, text_value c, text_value d,
               text_value e) {
    return fail(kind, format_text(pattern, a, b, c, d, e));
}

error_ptr fail_at(failure_kind kind, place where, text_value message) {
    return fail(kind, message).at(std::move(where));
}

error_ptr fail_at(failure_kind kind, text_value thing, text_value message) { return fail(kind, message).at(thing); }

error_ptr fail_for_now(text_value message) {
    error_ptr out = fail(error_class::config, message);
    out->retryable = true;
    return out;
}

action action_of(const error& why) noexcept {
    const action usual = status_action(why.status);
    if (!why.retryable) return final_action(why.status);
    if (usual != action::none) return usual;
    return why.retry_at_ms != 0 ? action::wait : action::retry;
}

std::string detail_json(const error& why) {
    const std::string_view word = class_word(why.error_class);
    const bool is_in_text = why.where.line > 0 || !why.where.file.empty();
    if (word.empty() && why.fields.empty() && !why.past_deadline && why.retry_after_ms == 0 && !is_in_text) return {};
    json_writer out;
    out.begin_object();
    if (!word.empty()) out.member("class", word);
    if (is_in_text) {
        out.member("file", why.where.file).member("line", why.where.line);
        out.member("column", why.where.column).member("path", why.where.path);
    }
    for (const auto& [name, value] : why.fields) out.member(name, value);
    if (why.past_deadline) out.member("deadline", std::string_view("passed"));
    if (why.retry_after_ms != 0) out.member("retry_after_ms", why.retry_after_ms);
    out.end_object();
    return out.take();
}

namespace {

struct class_row {
    error_class kind;
    std::string_view word;
    class_meaning means;
};

// In the order of the enumerators: the class is the index of its row.
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

namespace {

struct row {
    status code;
    const char* name;
    action next;
    action final;  // if the same call cannot succeed later
    bool passes;
};

// In the order of the numbers: the status is the index of its row.
constexpr std::array rows{
    row{status::ok, "OK", action::none, action::none, false},
    row{status::invalid, "E_INVALID", action::fix_configuration, action::fix_configuration, false},
    row{status::auth, "E_AUTH", action::fix_credentials, action::fix_credentials, false},
    row{status::forbidden, "E_FORBIDDEN", action::grant_role, action::grant_role, false},
    row{status::throttled, "E_THROTTLED", action::wait, action::fix_configuration, true},
    row{status::unavailable, "E_UNAVAILABLE", action::retry, action::fix_configuration, true},
    row{status::not_here, "E_UNSUPPORTED", action::none, action::none, false},
    row{status::timeout, "E_TIMEOUT", action::retry, action::fix_query, true},
    row{status::cancelled, "E_CANCELLED", action::none, action::none, false},
    row{status::rejected, "E_REJECTED", action::fix_query, action::fix_query, false},
    row{status::protocol, "E_PROTOCOL", action::retry, action::fix_configuration, false},
    row{status::security, "E_SECURITY", action::allow_by_name, action::allow_by_name, false},
    row{status::no_data, "E_NO_DATA", action::none, action::none, false},
    row{status::ambiguous, "E_AMBIGUOUS", action::fix_query, action::fix_query, false},
    row{status::partial, "E_PARTIAL", action::allow_by_name, action::allow_by_name, false},
    row{status::limit, "E_LIMIT", action::fix_configuration, action::fix_configuration, false},
    row{status::state, "E_STATE", action::fix_configuration, action::fix_configuration, false},
    row{status::too_new, "E_TOO_NEW", action::upgrade, action::upgrade, false},
    row{status::no_memory, "E_NO_MEMORY", action::retry, action::none, true},
    row{status::bug, "E_BUG", action::report_bug, action::report_bug, false},
    row{status::not_found, "E_NOT_FOUND", action::fix_configuration, action::fix_configuration, false},
};

constexpr bool in_order() {
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (static_cast<std::size_t>(rows[i].code) != i) return false;
    }
    return true;
}
static_assert(in_order());

// In the order of the numbers.
constexpr std::array action_names{"none",       "retry",     "wait",          "fix_configuration", "fix_credentials",
                                  "grant_role", "fix_query", "allow_by_name", "upgrade",           "report_bug"};
static_assert(action_names.size() == static_cast<std::size_t>(action::report_bug) + 1);

const row* find(status code) {
    const auto index = static_cast<std::size_t>(code);
    return index < rows.size() ? &rows[index] : nullptr;
}

}  // namespace

const char* status_name(status code) noexcept {
    const row* found = find(code);
    return found != nullptr ? found->name : "E_UNKNOWN";
}

action status_action(status code) noexcept {
    const row* found = find(code);
    return found != nullptr ? found->next : action::report_bug;
}

action final_action(status code) noexcept {
    const row* found = find(code);
    return found != nullptr ? found->final : action::report_bug;
}

bool usually_passes(status code) noexcept {
    const row* found = find(code);
    return found != nullptr && found->passes;
}

const char* action_name(action next) noexcept {
    const auto index = static_cast<std::size_t>(next);
    return index < action_names.size() ? action_names[index] : "unknown";
}

std::string place::text() const {
    std::string out = file;
    if (line > 0) {
        if (!out.empty()) out += ':';
        out += std::to_string(line);
    }
    if (!path.empty()) {
        if (!out.empty()) out += ' ';
        out += path;
    }
    return out;
}

}  // namespace gputide

#include "base/error.hpp"

#include "base/json_writer.hpp"
#include "base/plain_text.hpp"

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
    if (word.empty() && why.fields.empty() && !why.past_deadline && why.retry_after_ms == 0) return {};
    json_writer out;
    out.begin_object();
    if (!word.empty()) out.member("class", word);
    for (const auto& [name, value] : why.fields) out.member(name, value);
    if (why.past_deadline) out.member("deadline", std::string_view("passed"));
    if (why.retry_after_ms != 0) out.member("retry_after_ms", why.retry_after_ms);
    out.end_object();
    return out.take();
}

}  // namespace gputide

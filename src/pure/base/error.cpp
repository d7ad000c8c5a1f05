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

error fail(status code, std::string message) {
    error out;
    out.status = code;
    out.message = plain_line(std::move(message));
    out.retryable = usually_passes(code);
    return out;
}

error fail(error_class kind, std::string message) {
    const class_meaning means = meaning_of(kind);
    error out = fail(means.status, std::move(message));
    out.error_class = kind;
    out.retryable = means.retryable;
    return out;
}

error fail_at(status code, place where, std::string message) {
    error out = fail(code, std::move(message));
    out.where = std::move(where);
    return out;
}

error fail_at(status code, std::string thing, std::string message) {
    return fail_at(code, named(std::move(thing)), std::move(message));
}

error fail_at(error_class kind, place where, std::string message) {
    error out = fail(kind, std::move(message));
    out.where = std::move(where);
    return out;
}

error fail_at(error_class kind, std::string thing, std::string message) {
    return fail_at(kind, named(std::move(thing)), std::move(message));
}

error fail_for_now(std::string message) {
    error out = fail(error_class::config, std::move(message));
    out.retryable = true;
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

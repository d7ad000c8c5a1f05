#include "base/error.hpp"

#include "base/json_writer.hpp"

namespace gputide {

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

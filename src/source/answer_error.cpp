// From a transport fault or an HTTP status to an error that says what to do.
#include "source/answer_error.hpp"

#include "base/redact.hpp"
#include "base/text.hpp"
#include "http/failure.hpp"
#include "http/retry.hpp"

namespace gputide::source {
namespace {

constexpr std::size_t excerpt_bytes = 200;
constexpr std::int64_t longest_wait_ms = 86'400'000;  // a day; more is a mistake of the peer's clock

}  // namespace

error fault_error(const http::answer& got) {
    error out = http::to_error(got, {});
    constexpr std::string_view before_text = ": ";  // behind the address, which fetch puts in front of every error
    if (starts_with_ignoring_case(out.message, before_text)) out.message.erase(0, before_text.size());
    if (got.fault == http::fault::encoding) out.retryable = true;  // the next answer may come whole
    return out;
}

error refused(const http::response& from, std::string text) {
    const bool redirected = http::is_redirect(from.status);
    if (redirected) text += ", a redirect, which is not followed; give the final address";
    if (const std::string said = excerpt(from.body); !said.empty()) text += ": " + said;
    error out = http::fail_http(redirected ? error_class::redirect : error_class::http, from.status, std::move(text));
    note_retry_after(out, from);
    return out;
}

std::string excerpt(std::string_view body) {
    const std::string_view start = cut_utf8(trim(body), excerpt_bytes);
    if (!valid_utf8(start)) return {};
    for (const char c : start) {
        if (static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t' && c != '\r') return {};
    }
    return redact(start);
}

void note_retry_after(error& into, const http::response& from) {
    const auto delay = http::asked_delay_ms(from, 0);
    if (delay && *delay <= longest_wait_ms) into.retry_after_ms = *delay;
}

}  // namespace gputide::source

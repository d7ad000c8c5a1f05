// Failures of the C API, and the checks with long messages.
#include "capi/entry.hpp"

#include "base/text.hpp"
#include "capi/handles.hpp"
#include "capi/structs.hpp"

#include <cstddef>
#include <cstring>

namespace gputide::capi {

result<void> argument::check() const {
    if (given_ == nullptr) return fail(status::invalid, "{}: NULL", name_);
    return is_handle_ ? optional(static_cast<const handle*>(given_), name_) : result<void>();
}

result<void> required(arguments needed) {
    for (const argument& each : needed) {
        if (result<void> ok = each.check(); !ok) return ok;
    }
    return {};
}

result<void> optional(const handle* given, const char* name) {
    if (given == nullptr || given->is_of_this_process()) return {};
    return fail(status::state, "{}: the handle belongs to the parent process; a child process must open its own handle",
                name);
}

result<std::string_view> input_text(const char* text, std::int64_t size_bytes, const char* name) {
    if (text == nullptr) {
        if (size_bytes == 0) return std::string_view{};
        return fail(status::invalid, "{}: NULL", name);
    }
    if (size_bytes == GPUTIDE_TEXT) return std::string_view(text);
    if (size_bytes < 0) {
        return fail(status::invalid, "{}: a size of {}; expected bytes, or GPUTIDE_TEXT for NUL-terminated text", name,
                    size_bytes);
    }
    return std::string_view(text, static_cast<std::size_t>(size_bytes));
}

result<std::string_view> optional_text(const char* text, std::int64_t size_bytes, const char* name) {
    return input_text(text, text != nullptr ? size_bytes : 0, name);
}

error is_no_time(std::int64_t unix_ms, const char* name) {
    if (is_in_seconds(unix_ms)) {
        return fail(status::invalid, "{} is in 1970: {} is in milliseconds; write {} if it is a time in seconds",
                    unix_ms, name, unix_ms * 1'000);
    }
    return fail(status::invalid, "{} is {}; expected Unix milliseconds in the years 1970 to 9999, and not 0", name,
                unix_ms);
}

result<std::size_t> read_metric(std::int32_t metric) {
    if (metric >= 0) return static_cast<std::size_t>(metric);
    return fail(status::invalid, "metric is {}; expected an index of 0 or more", metric);
}

error has_unknown_flag(const char* name) {
    return fail(status::too_new, "{}: a flag is set that this library does not know", name);
}

result<void> check_timeout(std::int32_t timeout_ms, waiting allowed) {
    const bool polls = timeout_ms == 0 && allowed != waiting::bounded;
    const bool lasts = timeout_ms == GPUTIDE_FOREVER && allowed == waiting::may_poll_or_last;
    if (timeout_ms > 0 || polls || lasts) return {};
    std::string expected = "more than 0";
    if (allowed != waiting::bounded) expected += ", 0 (do not wait)";
    if (allowed == waiting::may_poll_or_last) expected += " or GPUTIDE_FOREVER";
    return fail(status::invalid, "timeout_ms is {}; expected {}", timeout_ms, expected);
}

result<time_limit> read_time_limit(const http::client& client, std::int32_t timeout_ms, const gputide_cancel* cancel) {
    if (result<void> ok = check_timeout(timeout_ms); !ok) return ok.take_failure();
    if (result<void> ok = optional(cancel, "cancel"); !ok) return ok.take_failure();
    return time_limit{client.steady_ms() + timeout_ms, cancel != nullptr ? &cancel->flag : nullptr};
}

namespace {

template <std::size_t Size>
void copy_text(char (&to)[Size], std::string_view text) noexcept {
    const std::string_view fits = cut_utf8(text, Size - 1);
    if (!fits.empty()) std::memcpy(to, fits.data(), fits.size());
    to[fits.size()] = '\0';
}

}  // namespace

gputide_status report_plain(status code, const char* message, gputide_error* err) noexcept {
    if (err != nullptr && err->struct_size >= first_release_bytes<gputide_error>) {
        gputide_error out{};
        out.status = static_cast<gputide_status>(code);
        out.action = static_cast<gputide_action>(status_action(code));
        out.retryable = usually_passes(code) ? 1 : 0;
        copy_text(out.message, message);
        write_struct(err, out);
    }
    return static_cast<gputide_status>(code);
}

gputide_status report(const error& failure, gputide_error* err) noexcept {
    if (err == nullptr || err->struct_size < first_release_bytes<gputide_error>)
        return static_cast<gputide_status>(failure.status);
    try {
        gputide_error out{};
        out.status = static_cast<gputide_status>(failure.status);
        out.action = static_cast<gputide_action>(action_of(failure));
        out.retryable = failure.retryable ? 1 : 0;
        out.http_status = failure.http_status;
        out.retry_at_ms = failure.retry_at_ms;
        copy_text(out.service_code, failure.service_code);
        copy_text(out.where, failure.where.text());
        copy_text(out.message, failure.message);
        const std::string detail = detail_json(failure);
        if (detail.size() < sizeof out.detail) copy_text(out.detail, detail);  // a truncated JSON text is not valid
        write_struct(err, out);
    } catch (...) {
        return report_plain(failure.status, "out of memory while an error was written", err);
    }
    return static_cast<gputide_status>(failure.status);
}

gputide_status guarded(gputide_error* err, arguments needed, function_ref<result<void>()> body) noexcept {
    return guarded(err, [&]() -> result<void> {
        if (result<void> ok = required(needed); !ok) return ok;
        return body();
    });
}

}  // namespace gputide::capi

#include "capi/guard.hpp"

#include "base/text.hpp"
#include "capi/structs.hpp"

#include <cstddef>
#include <cstring>

namespace gputide::capi {
namespace {

template <std::size_t Size>
void copy_text(char (&to)[Size], std::string_view from) noexcept {
    const std::string_view fits = cut_utf8(from, Size - 1);
    if (!fits.empty()) std::memcpy(to, fits.data(), fits.size());
    to[fits.size()] = '\0';
}

}  // namespace

gputide_status report_plain(status code, const char* message, gputide_error* to) noexcept {
    if (to != nullptr && to->struct_size >= least_struct_bytes) {
        gputide_error out{};
        out.status = static_cast<gputide_status>(code);
        out.action = static_cast<gputide_action>(status_action(code));
        out.retryable = usually_passes(code) ? 1 : 0;
        copy_text(out.message, message);
        write_struct(to, out);
    }
    return static_cast<gputide_status>(code);
}

gputide_status report(const error& from, gputide_error* to) noexcept {
    if (to == nullptr || to->struct_size < least_struct_bytes) return static_cast<gputide_status>(from.status);
    try {
        gputide_error out{};
        out.status = static_cast<gputide_status>(from.status);
        out.action = static_cast<gputide_action>(action_of(from));
        out.retryable = from.retryable ? 1 : 0;
        out.http_status = from.http_status;
        out.retry_at_ms = from.retry_at_ms;
        copy_text(out.service_code, from.service_code);
        copy_text(out.where, from.where.text());
        copy_text(out.message, from.message);
        const std::string detail = detail_json(from);
        if (detail.size() < sizeof out.detail) copy_text(out.detail, detail);  // half a JSON text is none
        write_struct(to, out);
    } catch (...) {
        return report_plain(from.status, "out of memory while an error was written", to);
    }
    return static_cast<gputide_status>(from.status);
}

result<std::string_view> input_text(const char* text, std::int64_t size_bytes, const char* name) {
    if (text == nullptr) {
        if (size_bytes == 0) return std::string_view{};
        return fail(status::invalid, std::string(name) + ": NULL");
    }
    if (size_bytes == GPUTIDE_TEXT) return std::string_view(text);
    if (size_bytes < 0) {
        return fail(status::invalid, std::string(name) + ": a size of " + std::to_string(size_bytes) +
                                         "; expected bytes, or GPUTIDE_TEXT for NUL-terminated text");
    }
    return std::string_view(text, static_cast<std::size_t>(size_bytes));
}

result<void> required(const void* argument, const char* name) {
    if (argument == nullptr) return fail(status::invalid, std::string(name) + ": NULL");
    return {};
}

}  // namespace gputide::capi

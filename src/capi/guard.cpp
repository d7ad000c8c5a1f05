#include "capi/guard.hpp"

#include "base/text.hpp"
#include "capi/structs.hpp"

#include <cstddef>
#include <cstring>

namespace gputide::capi {
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
        if (detail.size() < sizeof out.detail) copy_text(out.detail, detail);  // half a JSON text is none
        write_struct(err, out);
    } catch (...) {
        return report_plain(failure.status, "out of memory while an error was written", err);
    }
    return static_cast<gputide_status>(failure.status);
}

}  // namespace gputide::capi

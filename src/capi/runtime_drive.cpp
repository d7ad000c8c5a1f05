// Section 9 of gputide.h, second half: who drives a runtime, and its events.
#include "base/text.hpp"
#include "capi/convert.hpp"
#include "capi/guard.hpp"
#include "capi/handles.hpp"
#include "capi/structs.hpp"
#include "runtime/drive.hpp"

#include <cstring>
#include <limits>

using namespace gputide;        // NOLINT: the entries below are the C side of these names
using namespace gputide::capi;  // NOLINT: as above

namespace {

gputide_event event_to_c(const runtime::fleet_event& from) {
    gputide_event out{};
    out.kind = from.is_due ? GPUTIDE_EVENT_DUE : GPUTIDE_EVENT_DECISION;
    out.id = from.id;
    out.sequence = from.sequence;
    out.observed_ms = from.observed_ms;
    out.replaced = from.replaced;
    const std::string_view name = cut_utf8(from.name, sizeof out.name - 1);
    std::memcpy(out.name, name.data(), name.size());
    return out;
}

// Calls body(drive).
template <class Body>
gputide_status with_drive(gputide_runtime* runtime, gputide_error* err, Body body) {
    return guarded(err, [&]() -> result<void> {
        if (result<void> ok = required(runtime, "runtime"); !ok) return ok;
        return body(*runtime->drive);
    });
}

}  // namespace

gputide_status gputide_runtime_next_event(gputide_runtime* runtime, int32_t timeout_ms, const gputide_cancel* cancel,
                                          gputide_event* event, gputide_decision* decision, gputide_text* report,
                                          gputide_error* err) {
    return with_drive(runtime, err, [&](runtime::drive& by) -> result<void> {
        if (result<void> ok = check_out(event, "event"); !ok) return ok;
        if (decision != nullptr) {
            if (result<void> ok = check_out(decision, "decision"); !ok) return ok;
        }
        auto next = by.next_event(timeout_ms, cancel != nullptr ? &cancel->flag : nullptr);
        if (!next) return std::move(next).failure();
        if (!next->has_value()) return fail(status::no_data, "no event came in time");
        runtime::fleet_event& got = **next;
        if (report != nullptr) {
            if (result<void> ok = give_text(got.report, report); !ok) {
                by.scalers().put_back(std::move(got));
                return ok;
            }
        }
        write_struct(event, event_to_c(got));
        if (decision != nullptr) capi::write_decision(got.made, decision);
        return {};
    });
}

gputide_status gputide_runtime_start(gputide_runtime* runtime, gputide_error* err) {
    return with_drive(runtime, err, [](runtime::drive& by) { return by.start(); });
}

gputide_status gputide_runtime_stop(gputide_runtime* runtime, int32_t timeout_ms, gputide_error* err) {
    return with_drive(runtime, err, [&](runtime::drive& by) { return by.stop(timeout_ms); });
}

gputide_status gputide_runtime_step(gputide_runtime* runtime, int64_t now_ms, int64_t* next_ms, gputide_error* err) {
    return with_drive(runtime, err, [&](runtime::drive& by) -> result<void> {
        result<std::optional<std::int64_t>> next = by.step(now_ms);
        if (!next) return std::move(next).failure();
        if (next_ms != nullptr) *next_ms = next->value_or(std::numeric_limits<std::int64_t>::max());
        return {};
    });
}

gputide_status gputide_runtime_wake_fd(gputide_runtime* runtime, int32_t* fd, gputide_error* err) {
    return with_drive(runtime, err, [&](runtime::drive& by) -> result<void> {
        if (result<void> ok = required(fd, "fd"); !ok) return ok;
        result<int> opened = by.descriptor();
        if (!opened) return std::move(opened).failure();
        *fd = *opened;
        return {};
    });
}

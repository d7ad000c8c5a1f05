// Section 9 of gputide.h, second half: who drives a runtime, its events, and its end.
#include "base/text.hpp"
#include "capi/decision.hpp"
#include "capi/runtime_call.hpp"
#include "capi/sample.hpp"
#include "capi/structs.hpp"

#include <cstring>
#include <limits>

using namespace gputide;        // NOLINT: the entries below are the C side of these names
using namespace gputide::capi;  // NOLINT: as above

namespace {

static_assert(GPUTIDE_FOREVER == runtime::forever_ms);

gputide_event event_to_c(const runtime::fleet_event& event) {
    gputide_event out{};
    out.kind = event.is_due ? GPUTIDE_EVENT_DUE : event.is_note ? GPUTIDE_EVENT_CLUSTER : GPUTIDE_EVENT_DECISION;
    out.id = event.id;
    out.tag = event.tag;
    out.sequence = event.sequence;
    out.observed_ms = event.observed_ms;
    out.replaced = event.replaced;
    const std::string_view name = cut_utf8(event.name, sizeof out.name - 1);
    std::memcpy(out.name, name.data(), name.size());
    return out;
}

}  // namespace

const char* gputide_event_kind_name(int32_t kind) {
    if (kind == GPUTIDE_EVENT_DECISION) return "decision";
    if (kind == GPUTIDE_EVENT_CLUSTER) return "cluster";
    return kind == GPUTIDE_EVENT_DUE ? "due" : "unknown";
}

gputide_status gputide_runtime_next_event(gputide_runtime* runtime, int32_t timeout_ms, const gputide_cancel* cancel,
                                          gputide_event* event, gputide_decision* decision, gputide_text* report,
                                          gputide_error* err) {
    return inside_runtime(runtime, err, [&](runtime::driver& driver) -> result<void> {
        if (result<void> ok = check_timeout(timeout_ms, waiting::may_poll_or_last); !ok) return ok;
        if (result<void> ok = check_out(event, "event"); !ok) return ok;
        if (result<void> ok = optional(cancel, "cancel"); !ok) return ok;
        if (decision != nullptr) {
            if (result<void> ok = check_out(decision, "decision"); !ok) return ok;
        }
        auto next = driver.next_event(timeout_ms, cancel != nullptr ? &cancel->flag : nullptr);
        if (!next) return std::move(next).failure();
        if (!next->has_value()) return fail(status::no_data, "no event came in time");
        runtime::fleet_event& taken = **next;
        if (report != nullptr) {
            if (result<void> ok = give_text(taken.report, report); !ok) {
                driver.scalers().put_back(std::move(taken));
                return ok;
            }
        }
        write_struct(event, event_to_c(taken));
        if (decision != nullptr) write_decision(taken.decision, decision);
        return {};
    });
}

gputide_status gputide_runtime_start(gputide_runtime* runtime, gputide_error* err) {
    return inside_runtime(runtime, err, [](runtime::driver& driver) { return driver.start(); });
}

gputide_status gputide_runtime_stop(gputide_runtime* runtime, int32_t timeout_ms, gputide_error* err) {
    return inside_runtime(runtime, err, [&](runtime::driver& driver) -> result<void> {
        if (result<void> ok = check_timeout(timeout_ms, waiting::may_poll_or_last); !ok) return ok;
        return driver.stop(timeout_ms);
    });
}

gputide_status gputide_runtime_close(gputide_runtime* runtime, int32_t timeout_ms, gputide_error* err) {
    return guarded(err, [&]() -> result<void> {
        if (result<void> ok = required(runtime, "runtime"); !ok) return ok;
        if (result<void> ok = check_timeout(timeout_ms, waiting::may_poll_or_last); !ok) return ok;
        return runtime->driver->close(timeout_ms);
    });
}

gputide_status gputide_runtime_step(gputide_runtime* runtime, int64_t now_ms, int64_t* next_ms, gputide_error* err) {
    return inside_runtime(runtime, err, [&](runtime::driver& driver) -> result<void> {
        if (result<void> ok = check_time(now_ms, "now_ms"); !ok) return ok;
        result<std::optional<std::int64_t>> next = driver.step(now_ms);
        if (!next) return std::move(next).failure();
        if (next_ms != nullptr) *next_ms = next->value_or(std::numeric_limits<std::int64_t>::max());
        return {};
    });
}

gputide_status gputide_runtime_wake_fd(gputide_runtime* runtime, int32_t* fd, gputide_error* err) {
    return inside_runtime(runtime, err, [&](runtime::driver& driver) -> result<void> {
        if (result<void> ok = required(fd, "fd"); !ok) return ok;
        result<int> opened = driver.descriptor();
        if (!opened) return std::move(opened).failure();
        *fd = *opened;
        return {};
    });
}

// gputide_cancel of section 3 of gputide.h.
#include "capi/guard.hpp"
#include "capi/handles.hpp"

using namespace gputide;        // NOLINT: the entries below are the C side of these names
using namespace gputide::capi;  // NOLINT: as above

gputide_status gputide_cancel_new(gputide_cancel** out, gputide_error* err) {
    return guarded(err, [&]() -> result<void> {
        if (result<void> ok = required(out, "out"); !ok) return ok;
        *out = make_handle<gputide_cancel>();
        return {};
    });
}

void gputide_cancel_fire(const gputide_cancel* cancel) {
    if (cancel == nullptr || !cancel->is_here()) return;
    guarded(nullptr, [&]() -> result<void> {
        cancel->flag.fire();
        return {};
    });
}

void gputide_cancel_reset(gputide_cancel* cancel) {
    if (cancel == nullptr || !cancel->is_here()) return;
    guarded(nullptr, [&]() -> result<void> {
        cancel->flag.reset();
        return {};
    });
}

void gputide_cancel_free(gputide_cancel* cancel) { end(cancel); }

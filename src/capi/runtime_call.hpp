// The way into a runtime that the entries of section 9 share: none but _close goes on once the runtime is closed.
#pragma once

#include "capi/guard.hpp"
#include "capi/handles.hpp"

namespace gputide::capi {

// Calls body(driver) and counts as a call inside meanwhile.
template <class Body>
gputide_status inside_runtime(gputide_runtime* runtime, gputide_error* err, Body body) {
    return guarded(err, [&]() -> result<void> {
        if (result<void> ok = required(runtime, "runtime"); !ok) return ok;
        const runtime::call_count::call inside(runtime->driver->calls());
        if (!inside) return fail(status::state, "runtime: it was closed");
        return body(*runtime->driver);
    });
}

}  // namespace gputide::capi

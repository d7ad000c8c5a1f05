// The opaque handles of the headers.
#pragma once

#include "auth/credential.hpp"
#include "capi/entry.hpp"
#include "decide/policy.hpp"
#include "decide/state/state.hpp"
#include "decide/trace/report.hpp"
#include "decide/trace/trace.hpp"
#include "forecast/memory.hpp"
#include "gputide/kubernetes.h"
#include "http/client.hpp"
#include "pipeline/host.hpp"
#include "replay/run.hpp"
#include "rightsize/settings.hpp"
#include "runtime/driver/driver.hpp"
#include "runtime/log.hpp"
#include "runtime/scaler.hpp"
#include "source/source.hpp"

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

struct gputide_cancel : gputide::capi::handle {
    mutable gputide::http::cancel_flag flag;  // firing is safe from any thread
};

struct gputide_log_reader : gputide::capi::handle {
    std::unique_ptr<gputide::runtime::log_reader> reader;
};

struct gputide_credential : gputide::capi::handle {
    std::shared_ptr<gputide::pipeline::engine> engine;
    std::shared_ptr<gputide::auth::credential> credential;
    gputide::auth::host_permissions permissions;  // of the caller that opened it
};

struct gputide_source : gputide::capi::handle {
    std::shared_ptr<gputide::pipeline::engine> engine;
    std::shared_ptr<gputide::source::metric_source> source;
    std::string description;  // JSON
};

struct gputide_policy : gputide::capi::handle {
    gputide::decide::policy policy;
};

struct gputide_state : gputide::capi::handle {
    // Memory for decisions with a report; allocated with the first and reused by later ones.
    struct report_memory {
        gputide::decide::state before;
        gputide::decide::trace trace;
        gputide::decide::report_buffer buffer;
    };

    gputide::decide::state state;
    std::unique_ptr<report_memory> reports = {};
};

struct gputide_runtime : gputide::capi::handle {
    std::unique_ptr<gputide::runtime::driver> driver;
};

struct gputide_scaler : gputide::capi::handle {
    std::shared_ptr<gputide::pipeline::engine> engine;
    std::unique_ptr<gputide::runtime::scaler> scaler;
};

struct gputide_series : gputide::capi::handle {
    gputide::replay::recording recorded;
};

struct gputide_forecast : gputide::capi::handle {
    gputide::forecast::settings settings;
    gputide::forecast::memory memory = {};
};

struct gputide_replay : gputide::capi::handle {
    gputide::replay::replayer replayer;
    std::vector<gputide::sample> samples;  // of one moment
};

struct gputide_rightsize : gputide::capi::handle {
    struct named_usage {
        std::string name;
        gputide::rightsize::usage usage;
    };

    gputide::rightsize::settings settings;
    gputide::text::report findings;
    std::deque<named_usage> containers;  // by their numbers; 0 is the one without a name
    std::map<std::string, std::uint32_t, std::less<>> numbers;
};

namespace gputide::capi {

// Calls body(driver), counted as a call in progress.  Fails if the runtime was closed.
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

// The opaque handles of every flavor of the library.
#pragma once

#include "capi/entry.hpp"
#include "decide/policy.hpp"
#include "decide/state/state.hpp"
#include "decide/trace/report.hpp"
#include "decide/trace/trace.hpp"
#include "forecast/memory.hpp"
#include "gputide/plan.h"
#include "http/client.hpp"
#include "replay/run.hpp"
#include "rightsize/settings.hpp"

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

struct gputide_cancel : gputide::capi::handle {
    mutable gputide::http::cancel_flag flag;  // firing is safe from any thread
};

struct gputide_policy : gputide::capi::handle {
    gputide::decide::policy policy;
};

struct gputide_state : gputide::capi::handle {
    // Memory for decisions with a report; allocated by the first one and reused.
    struct report_memory {
        gputide::decide::state before;
        gputide::decide::trace trace;
        gputide::decide::report_buffer buffer;
    };

    gputide::decide::state state;
    std::unique_ptr<report_memory> reports = {};
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
    std::vector<gputide::sample> samples;  // of one point in time
};

struct gputide_rightsize : gputide::capi::handle {
    struct named_usage {
        std::string name;
        gputide::rightsize::usage usage;
    };

    gputide::rightsize::settings settings;
    gputide::text::report findings;
    std::deque<named_usage> containers;  // by container number; 0 is the container without a name
    std::map<std::string, std::uint32_t, std::less<>> numbers;
};

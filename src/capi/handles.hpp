// What the opaque handles of gputide.h are.
#pragma once

#include "auth/credential.hpp"
#include "decide/policy.hpp"
#include "decide/state.hpp"
#include "gputide/gputide.h"
#include "http/client.hpp"
#include "replay/run.hpp"
#include "runtime/drive.hpp"
#include "runtime/engine.hpp"
#include "runtime/scaler.hpp"
#include "source/source.hpp"

#include <memory>
#include <string>
#include <vector>

struct gputide_cancel {
    mutable gputide::http::cancel_flag flag;  // firing is safe from any thread
};

struct gputide_credential {
    std::shared_ptr<gputide::runtime::engine> engine;
    std::shared_ptr<gputide::auth::credential> credential;
};

struct gputide_source {
    std::shared_ptr<gputide::runtime::engine> engine;
    std::shared_ptr<gputide::source::metric_source> source;
};

struct gputide_samples {
    struct one {
        gputide_sample sample;
        std::string labels;  // JSON
    };
    std::vector<one> all;
};

struct gputide_policy {
    gputide::decide::policy policy;
};

struct gputide_state {
    gputide::decide::state state;
};

struct gputide_runtime {
    std::unique_ptr<gputide::runtime::drive> drive;
};

struct gputide_scaler {
    std::shared_ptr<gputide::runtime::engine> engine;
    std::unique_ptr<gputide::runtime::scaler> scaler;
};

struct gputide_series {
    gputide::replay::recording recorded;
};

struct gputide_replay {
    gputide::replay::replayer replayer;
    std::vector<gputide::sample> samples;  // of one moment
};

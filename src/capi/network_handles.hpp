// The opaque handles of functions that libgputide-pure lacks.
#pragma once

#include "auth/credential.hpp"
#include "capi/entry.hpp"
#include "gputide/kubernetes.h"
#include "pipeline/host.hpp"
#include "runtime/driver/driver.hpp"
#include "runtime/log.hpp"
#include "runtime/scaler.hpp"
#include "source/source.hpp"

#include <memory>
#include <string>

struct gputide_log_reader : gputide::capi::handle {
    std::unique_ptr<gputide::runtime::log_reader> reader;
};

struct gputide_credential : gputide::capi::handle {
    std::shared_ptr<gputide::pipeline::engine> engine;
    std::shared_ptr<gputide::auth::credential> credential;
    gputide::auth::host_permissions permissions;  // of the caller that opened the handle
};

struct gputide_source : gputide::capi::handle {
    std::shared_ptr<gputide::pipeline::engine> engine;
    std::shared_ptr<gputide::source::metric_source> source;
    std::string description;  // JSON
};

struct gputide_runtime : gputide::capi::handle {
    std::unique_ptr<gputide::runtime::driver> driver;
};

struct gputide_scaler : gputide::capi::handle {
    std::shared_ptr<gputide::pipeline::engine> engine;
    std::unique_ptr<gputide::runtime::scaler> scaler;
};

namespace gputide::capi {

// Calls body(driver), counted as a call in progress.  Fails if the runtime was closed, or without an argument that is needed.
gputide_status inside_runtime(gputide_runtime* runtime, arguments needed, gputide_error* err,
                              function_ref<result<void>(runtime::driver&)> body) noexcept;

}  // namespace gputide::capi

// Section 16 of gputide.h: a cluster that a runtime works on by itself.
#include "capi/options.hpp"
#include "capi/runtime_call.hpp"
#include "capi/structs.hpp"

using namespace gputide;        // NOLINT: the entries below are the C side of these names
using namespace gputide::capi;  // NOLINT: as above

gputide_status gputide_runtime_attach_cluster(gputide_runtime* runtime, const char* settings, int64_t size_bytes,
                                              const gputide_options* options, gputide_error* err) {
    return inside_runtime(runtime, err, [&](runtime::driver& driver) -> result<void> {
        result<cluster_input> input = read_cluster(settings, size_bytes, options);
        if (!input) return std::move(input).failure();
        return driver.attach(std::move(input->settings), input->host);
    });
}

gputide_status gputide_runtime_detach_cluster(gputide_runtime* runtime, int32_t timeout_ms, gputide_error* err) {
    return inside_runtime(runtime, err, [&](runtime::driver& driver) -> result<void> {
        if (result<void> ok = check_timeout(timeout_ms, waiting::may_poll_or_last); !ok) return ok;
        return driver.detach(timeout_ms);
    });
}

gputide_status gputide_runtime_describe_cluster(gputide_runtime* runtime, gputide_text* json, gputide_error* err) {
    return inside_runtime(runtime, err, [&](runtime::driver& driver) -> result<void> {
        if (result<void> ok = required(json, "json"); !ok) return ok;
        result<std::string> text = driver.describe_cluster();
        if (!text) return std::move(text).failure();
        return give_text(*text, json);
    });
}

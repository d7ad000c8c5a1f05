// Sections 16 and 19 of gputide.h: a cluster that a runtime works on by itself, and its lists.
#include "capi/handles.hpp"
#include "capi/options.hpp"
#include "capi/runtime_call.hpp"
#include "capi/structs.hpp"
#include "cluster/listing.hpp"
#include "http/wait.hpp"

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

gputide_status gputide_cluster_list(const char* path, const gputide_options* options, int32_t timeout_ms,
                                    const gputide_cancel* cancel, gputide_text* json, gputide_error* err) {
    return guarded(err, [&]() -> result<void> {
        if (result<void> ok = required(json, "json"); !ok) return ok;
        result<std::string_view> given = input_text(path, GPUTIDE_TEXT, "path");
        if (!given) return std::move(given).failure();
        result<cluster::endpoint> collection = cluster::collection_at(*given);
        if (!collection) return std::move(collection).failure();
        result<host_input> input = read_input("", 0, options);
        if (!input) return std::move(input).failure();
        result<std::shared_ptr<runtime::engine>> engine = runtime::shared_engine();
        if (!engine) return std::move(engine).failure();
        http::client& client = *(*engine)->client;
        result<patience> limits = read_patience(client, timeout_ms, cancel);
        if (!limits) return std::move(limits).failure();
        result<source::kubernetes::access> at =
            source::kubernetes::open_access(runtime::services_of(input->host, **engine));
        if (!at) return std::move(at).failure();
        const result<std::string> lists = http::flat(http::wait<result<std::string>>(
            client,
            [&](std::function<void(result<std::string>)> done) {
                return cluster::list_collection({(*engine)->client, *std::move(at)}, *std::move(collection),
                                                limits->deadline_ms, std::move(done));
            },
            limits->deadline_ms, limits->cancel));
        if (!lists) return lists.failure();
        return give_text(*lists, json);
    });
}

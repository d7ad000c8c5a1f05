// Sections 16, 19 and 20 of gputide.h: a cluster that a runtime works on by itself, its lists, and a ScaledObject handed over.
#include "capi/handles.hpp"
#include "capi/options.hpp"
#include "capi/runtime_call.hpp"
#include "capi/structs.hpp"
#include "http/wait.hpp"
#include "kubernetes/controller/controller.hpp"
#include "kubernetes/handover/handover.hpp"
#include "kubernetes/watch/listing.hpp"
#include "runtime/log.hpp"
#include "source/access/api_server.hpp"

using namespace gputide;        // NOLINT: the entries below are the C side of these names
using namespace gputide::capi;  // NOLINT: as above

namespace {

// A cluster without a runtime, for one call.
struct reach {
    std::shared_ptr<pipeline::engine> engine;
    patience limits;
    kube::access access;

    kubernetes::api api() const { return {engine->client, access}; }
};

result<reach> reach_cluster(const pipeline::host_options& host, std::int32_t timeout_ms, const gputide_cancel* cancel) {
    result<std::shared_ptr<pipeline::engine>> engine = pipeline::shared_engine();
    if (!engine) return std::move(engine).failure();
    result<patience> limits = read_patience(*(*engine)->client, timeout_ms, cancel);
    if (!limits) return std::move(limits).failure();
    result<kube::access> access = source::access::open_api_server(pipeline::services_of(host, **engine));
    if (!access) return std::move(access).failure();
    return reach{*std::move(engine), *limits, *std::move(access)};
}

using text_taker = std::function<void(result<std::string>)>;

result<std::string> text_of(const reach& at, http::starter<result<std::string>> start) {
    return http::flat(
        http::wait<result<std::string>>(*at.engine->client, std::move(start), at.limits.deadline_ms, at.limits.cancel));
}

}  // namespace

gputide_status gputide_runtime_attach_cluster(gputide_runtime* runtime, const char* settings, int64_t size_bytes,
                                              const gputide_options* options, gputide_error* err) {
    return inside_runtime(runtime, err, [&](runtime::driver& driver) -> result<void> {
        result<cluster_input> input = read_cluster(settings, size_bytes, options);
        if (!input) return std::move(input).failure();
        return driver.attached().attach([&](const runtime::controller_services& services) {
            return kubernetes::open_controller(services, std::move(input->settings), input->host);
        });
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
        result<std::string> text = driver.attached().describe();
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
        result<kubernetes::endpoint> collection = kubernetes::collection_at(*given);
        if (!collection) return std::move(collection).failure();
        result<host_input> input = read_input("", 0, options);
        if (!input) return std::move(input).failure();
        result<reach> at = reach_cluster(input->host, timeout_ms, cancel);
        if (!at) return std::move(at).failure();
        const result<std::string> lists = text_of(*at, [&](text_taker done) {
            return kubernetes::list_collection(at->api(), *std::move(collection), at->limits.deadline_ms,
                                               std::move(done));
        });
        if (!lists) return lists.failure();
        return give_text(*lists, json);
    });
}

gputide_status gputide_cluster_handover(const char* change, int64_t size_bytes, const gputide_options* options,
                                        int32_t timeout_ms, const gputide_cancel* cancel, gputide_text* json,
                                        gputide_error* err) {
    return guarded(err, [&]() -> result<void> {
        if (result<void> ok = required(json, "json"); !ok) return ok;
        result<host_input> input = read_input(change, size_bytes, options);
        if (!input) return std::move(input).failure();
        const result<kubernetes::handover_change> wanted =
            kubernetes::read_handover_change(input->files.front().content);
        if (!wanted) return wanted.failure();
        result<reach> at = reach_cluster(input->host, timeout_ms, cancel);
        if (!at) return std::move(at).failure();
        const result<std::string> outcome = text_of(*at, [&](text_taker done) {
            return kubernetes::hand_over(
                at->api(), *wanted, at->limits.deadline_ms,
                [done = std::move(done), wanted = *wanted](const kubernetes::handover_outcome& got) {
                    done(kubernetes::outcome_json(wanted, got));
                },
                [wanted = *wanted](std::size_t step, const kubernetes::handover_outcome::step& as_it_stands) {
                    if (!runtime::log_wants(runtime::log_level::info)) return;
                    runtime::log(runtime::log_level::info, kubernetes::step_json(wanted, step, as_it_stands));
                });
        });
        if (!outcome) return outcome.failure();
        return give_text(*outcome, json);
    });
}

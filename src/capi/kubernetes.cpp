// Implements kubernetes.h: a runtime that scales a cluster, its diagnosis, lists, the handover of a ScaledObject, node pools.
#include "gputide/kubernetes.h"

#include "auth/credential.hpp"
#include "capi/entry.hpp"
#include "capi/handles.hpp"
#include "capi/network_handles.hpp"
#include "capi/options.hpp"
#include "capi/structs.hpp"
#include "http/client.hpp"
#include "kubernetes/aks/pool.hpp"
#include "kubernetes/api/settings.hpp"
#include "kubernetes/controller/controller.hpp"
#include "kubernetes/handover/handover.hpp"
#include "kubernetes/preflight/preflight.hpp"
#include "kubernetes/watch/list.hpp"
#include "runtime/log.hpp"
#include "source/access/access.hpp"

using namespace gputide;        // NOLINT: the entries below are the C side of these names
using namespace gputide::capi;  // NOLINT: as above

namespace {

// Access to a cluster for one call, without a runtime.
struct reach {
    std::shared_ptr<pipeline::engine> engine;
    time_limit limits;
    kube::access access;

    std::shared_ptr<kubernetes::api> api() const { return std::make_shared<kubernetes::api>(engine->client, access); }
};

result<reach> reach_cluster(const pipeline::host_options& host, std::int32_t timeout_ms, const gputide_cancel* cancel) {
    result<std::shared_ptr<pipeline::engine>> engine = pipeline::shared_engine();
    if (!engine) return engine.take_failure();
    result<time_limit> limits = read_time_limit(*(*engine)->client, timeout_ms, cancel);
    if (!limits) return limits.take_failure();
    result<kube::access> access = source::access::open_api_server(pipeline::services_of(host, **engine));
    if (!access) return access.take_failure();
    return reach{*std::move(engine), *limits, *std::move(access)};
}

struct cluster_input {
    pipeline::host_options host;
    kubernetes::settings settings;
};

// Reads the settings of a cluster; NULL means the defaults.
result<cluster_input> read_cluster(const char* settings, std::int64_t size_bytes, const gputide_options* options) {
    result<host_input> input = read_input(settings, settings != nullptr ? size_bytes : 0, options);
    if (!input) return input.take_failure();
    result<kubernetes::settings> chosen = kubernetes::read_settings(input->files.front().content);
    if (!chosen) return chosen.take_failure();
    return cluster_input{std::move(input->host), *std::move(chosen)};
}

using text_taker = callback<void(result<std::string>)>;

result<std::string> text_of(const reach& at, http::starter<result<std::string>> start) {
    return http::flat(
        http::wait<result<std::string>>(*at.engine->client, std::move(start), at.limits.deadline_ms, at.limits.cancel));
}

}  // namespace

gputide_status gputide_cluster_attach(gputide_runtime* runtime, const char* settings, int64_t size_bytes,
                                      const gputide_options* options, gputide_error* err) {
    return inside_runtime(runtime, {}, err, [&](runtime::driver& driver) -> result<void> {
        result<cluster_input> input = read_cluster(settings, size_bytes, options);
        if (!input) return input.take_failure();
        return driver.attached().attach([&](const runtime::controller_services& services) {
            return kubernetes::open_controller(services, std::move(input->settings), input->host);
        });
    });
}

gputide_status gputide_cluster_detach(gputide_runtime* runtime, int32_t timeout_ms, gputide_error* err) {
    return inside_runtime(runtime, {}, err, [&](runtime::driver& driver) -> result<void> {
        if (result<void> ok = check_timeout(timeout_ms, waiting::may_poll_or_last); !ok) return ok;
        return driver.detach(timeout_ms);
    });
}

gputide_status gputide_cluster_describe(gputide_runtime* runtime, gputide_text* json, gputide_error* err) {
    return inside_runtime(runtime, {{json, "json"}}, err,
                          [&](runtime::driver& driver) { return give_text_of(driver.attached().describe(), json); });
}

gputide_status gputide_cluster_doctor(const char* settings, int64_t size_bytes, const gputide_options* options,
                                      int32_t timeout_ms, const gputide_cancel* cancel, gputide_text* report,
                                      gputide_text* lines, gputide_error* err) {
    return guarded(err, {{report, "report"}}, [&]() -> result<void> {
        result<cluster_input> input = read_cluster(settings, size_bytes, options);
        if (!input) return input.take_failure();
        result<std::shared_ptr<pipeline::engine>> engine = pipeline::shared_engine();
        if (!engine) return engine.take_failure();
        result<time_limit> limits = read_time_limit(*(*engine)->client, timeout_ms, cancel);
        if (!limits) return limits.take_failure();
        doctor::circumstances under;
        under.deadline_ms = limits->deadline_ms;
        under.cancel = limits->cancel;
        result<doctor::cluster_report> found = doctor::examine_cluster(input->settings, input->host, *engine, under);
        if (!found) return found.take_failure();
        return give_report(doctor::report_json(*found), doctor::report_lines(*found), report, lines);
    });
}

gputide_status gputide_cluster_list(const char* path, const gputide_options* options, int32_t timeout_ms,
                                    const gputide_cancel* cancel, gputide_text* json, gputide_error* err) {
    return guarded(err, {{json, "json"}}, [&]() -> result<void> {
        result<std::string_view> given = input_text(path, GPUTIDE_TEXT, "path");
        if (!given) return given.take_failure();
        result<kubernetes::endpoint> collection = kubernetes::collection_at(*given);
        if (!collection) return collection.take_failure();
        result<host_input> input = read_input("", 0, options);
        if (!input) return input.take_failure();
        result<reach> at = reach_cluster(input->host, timeout_ms, cancel);
        if (!at) return at.take_failure();
        const auto start = [&](text_taker done) {
            return kubernetes::list_collection(at->api(), *std::move(collection), at->limits.deadline_ms,
                                               std::move(done));
        };
        return give_text_of(text_of(*at, start), json);
    });
}

gputide_status gputide_cluster_handover(const char* change, int64_t size_bytes, const gputide_options* options,
                                        int32_t timeout_ms, const gputide_cancel* cancel, gputide_text* json,
                                        gputide_error* err) {
    return guarded(err, {{json, "json"}}, [&]() -> result<void> {
        result<host_input> input = read_input(change, size_bytes, options);
        if (!input) return input.take_failure();
        const result<kubernetes::handover_change> wanted =
            kubernetes::read_handover_change(input->files.front().content);
        if (!wanted) return wanted.failure();
        result<reach> at = reach_cluster(input->host, timeout_ms, cancel);
        if (!at) return at.take_failure();
        const auto start = [&](text_taker done) {
            return kubernetes::hand_over(
                at->api(), *wanted, at->limits.deadline_ms,
                [done = std::move(done), wanted = *wanted](const kubernetes::handover_outcome& got) {
                    done(kubernetes::outcome_json(wanted, got));
                },
                [wanted = *wanted](std::size_t step, const kubernetes::handover_outcome::step& as_it_stands) {
                    if (!runtime::log_wants(runtime::log_level::info)) return;
                    runtime::log(runtime::log_level::info, kubernetes::step_json(wanted, step, as_it_stands));
                });
        };
        return give_text_of(text_of(*at, start), json);
    });
}

namespace {

auth::authenticator authenticator_of(const gputide_credential& credential, const aks::change& wanted) {
    auth::access how;
    how.audience = wanted.audience;
    how.of_host = true;
    how.tls = auth::shared_settings(auth::connection_of(credential.permissions));
    how.credential = credential.credential;
    return auth::authenticator(std::move(how), credential.permissions, credential.engine->tokens);
}

}  // namespace

gputide_status gputide_agent_pool_write(const gputide_credential* credential, const char* change, int64_t size_bytes,
                                        int32_t timeout_ms, const gputide_cancel* cancel, gputide_text* json,
                                        gputide_error* err) {
    return guarded(err, {{credential, "credential"}, {json, "json"}}, [&]() -> result<void> {
        result<std::string_view> text = input_text(change, size_bytes, "change");
        if (!text) return text.take_failure();
        const result<aks::change> wanted = aks::read_change(*text);
        if (!wanted) return wanted.failure();
        http::client& client = *credential->engine->client;
        result<time_limit> limits = read_time_limit(client, timeout_ms, cancel);
        if (!limits) return limits.take_failure();
        const std::shared_ptr<http::loop> loop = credential->engine->client;
        result<aks::write_outcome> outcome = http::flat(http::wait<result<aks::write_outcome>>(
            client,
            [&](callback<void(result<aks::write_outcome>)> done) {
                return aks::write_pool(loop, authenticator_of(*credential, *wanted), *wanted, limits->deadline_ms,
                                       std::move(done));
            },
            limits->deadline_ms, limits->cancel));
        if (!outcome) return outcome.take_failure();
        return give_text(aks::outcome_json(*wanted, *outcome), json);
    });
}

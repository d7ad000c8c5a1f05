// The runtime, from its making to its end, driven by hand and by its own thread.
#include "scenario.hpp"

namespace exhaustion {
namespace {

constexpr char manifest[] = R"({"apiVersion":"keda.sh/v1alpha1","kind":"ScaledObject","metadata":{"name":"demo"},
    "spec":{"scaleTargetRef":{"name":"demo"},"minReplicaCount":1,"maxReplicaCount":20,
    "triggers":[{"type":"values","metadata":{"threshold":"5","activationThreshold":"2"}}]}})";

gputide_status driven() {
    auto options = sized<gputide_runtime_options>();
    options.flags = GPUTIDE_RUNTIME_REPORTS | GPUTIDE_RUNTIME_EVERY_DECISION;
    options.start_spread_ms = 1;
    gputide_runtime* runtime = nullptr;
    std::uint64_t id = 0, found = 0;
    std::int64_t next_ms = 0;
    auto value = sized<gputide_sample>();
    value.state = GPUTIDE_SAMPLE_OK;
    value.value = 42.5;
    auto seen = sized<gputide_observation>();
    seen.now_ms = start_ms;
    seen.current_replicas = 3;
    auto event = sized<gputide_event>();
    auto next = sized<gputide_decision>();
    std::int32_t descriptor = -1;
    text report, stats, json, saved;
    steps all;
    all.then([&] { return GPUTIDE(runtime_new, &options, &runtime, nullptr); })
        .then([&] { return GPUTIDE(runtime_wake_fd, runtime, &descriptor, nullptr); })
        .then([&] { return GPUTIDE(runtime_add, runtime, manifest, GPUTIDE_TEXT, nullptr, 7, &id, nullptr); })
        .then([&] { return GPUTIDE(runtime_find, runtime, "default/demo", &found, nullptr); })
        .then([&] { return GPUTIDE(runtime_next_scaler, runtime, 0, &found, nullptr); })
        .then([&] { return GPUTIDE(runtime_observe, runtime, id, &seen, nullptr); })
        .then([&] {
            return GPUTIDE(runtime_push, runtime, id, &value, static_cast<std::uint32_t>(sizeof value), 1, nullptr);
        })
        .then([&] { return GPUTIDE(runtime_step, runtime, start_ms, &next_ms, nullptr); })
        .then([&] { return GPUTIDE(runtime_next_event, runtime, 0, nullptr, &event, &next, &report.value, nullptr); })
        .then([&] { return GPUTIDE(runtime_record, runtime, id, &next, 1, start_ms, nullptr); })
        .then([&] { return GPUTIDE(runtime_save, runtime, id, &saved.value, nullptr); })
        .then([&] { return GPUTIDE(runtime_load, runtime, id, saved.value.data, GPUTIDE_TEXT, nullptr); })
        .then([&] { return GPUTIDE(runtime_describe, runtime, id, &json.value, nullptr); })
        .then([&] { return GPUTIDE(runtime_stats, runtime, &stats.value, nullptr); })
        .then([&] { return GPUTIDE(runtime_replace, runtime, id, manifest, GPUTIDE_TEXT, nullptr, nullptr, nullptr); })
        .then([&] { return GPUTIDE(runtime_remove, runtime, id, nullptr); })
        .then([&] { return GPUTIDE(runtime_close, runtime, 1000, nullptr); });
    GPUTIDE(runtime_free, runtime);
    return all.status();
}

gputide_status threaded() {
    gputide_runtime* runtime = nullptr;
    std::uint64_t id = 0;
    steps all;
    all.then([&] { return GPUTIDE(runtime_new, nullptr, &runtime, nullptr); })
        .then([&] { return GPUTIDE(runtime_add, runtime, manifest, GPUTIDE_TEXT, nullptr, 0, &id, nullptr); })
        .then([&] { return GPUTIDE(runtime_start, runtime, nullptr); })
        .then([&] { return GPUTIDE(runtime_stop, runtime, 5000, nullptr); });
    GPUTIDE(runtime_free, runtime);
    return all.status();
}

// The peer is not an API server, which shows in the description alone.
gputide_status on_a_cluster() {
    auto options = sized<gputide_options>();
    options.kubeconfig = kubeconfig();
    gputide_runtime* runtime = nullptr;
    text json;
    steps all;
    all.then([&] { return GPUTIDE(runtime_new, nullptr, &runtime, nullptr); })
        .then([&] {
            return GPUTIDE(cluster_attach, runtime, R"({"namespaces":["ml"]})", GPUTIDE_TEXT, &options, nullptr);
        })
        .then([&] { return GPUTIDE(cluster_describe, runtime, &json.value, nullptr); })
        .then([&] { return GPUTIDE(cluster_detach, runtime, 1000, nullptr); });
    GPUTIDE(runtime_free, runtime);
    return all.status();
}

// As above, and a diagnosis says it in its report.
gputide_status doctor_of_a_cluster() {
    auto options = sized<gputide_options>();
    options.kubeconfig = kubeconfig();
    text report, lines;
    return GPUTIDE(cluster_doctor, R"({"namespaces":["ml"]})", GPUTIDE_TEXT, &options, 5000, nullptr, &report.value,
                   &lines.value, nullptr);
}

gputide_status list_of_a_cluster() {
    auto options = sized<gputide_options>();
    options.kubeconfig = kubeconfig();
    text json;
    return GPUTIDE(cluster_list, "/api/v1/nodes", &options, 5000, nullptr, &json.value, nullptr);
}

gputide_status handover_on_a_cluster() {
    auto options = sized<gputide_options>();
    options.kubeconfig = kubeconfig();
    text json;
    return GPUTIDE(cluster_handover, R"({"namespace":"ml","name":"llm","to":"gputide"})", GPUTIDE_TEXT, &options, 5000,
                   nullptr, &json.value, nullptr);
}

}  // namespace

void add_runtime(std::vector<scenario>& all) {
    all.insert(all.end(), {{"runtime driven", driven},
                           {"runtime threaded", threaded},
                           {"runtime on a cluster", on_a_cluster},
                           {"doctor of a cluster", doctor_of_a_cluster},
                           {"list of a cluster", list_of_a_cluster},
                           {"handover on a cluster", handover_on_a_cluster}});
}

}  // namespace exhaustion

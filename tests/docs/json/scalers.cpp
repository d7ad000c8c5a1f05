// Sources, what they answer and how they fail; scalers at work, alone and in a runtime.
#include "texts.hpp"

#include <ctime>
#include <stdexcept>

namespace {

gputide::source open(const std::string& trigger) { return gputide::source::open(trigger); }

void show_errors(const surroundings& around) {
    show_error([] { open(R"({"type":"prometheus","metadata":{}})"); });
    show_error([] { gputide::policy::open("kind: ScaledObject"); });
    show_error([] { gputide::series().read(0, "time,value\n1,x\n"); });
    for (const char* query : {"refused", "throttled", "rejected"}) {
        show_error([&] { open(prometheus_trigger(around, query)).fetch(start_ms, timeout_ms); });
    }
    show_error([&] { open(prometheus_trigger(around, "slow")).fetch(start_ms, 200); });
}

void show_answers(const surroundings& around) {
    const gputide::source source =
        open(prometheus_trigger(around, "up", R"(,"queryParameters":"a=b","customHeaders":"X-A=b",
        "ignoreNullValues":"false","gputide.io/reduce":"max")"));
    show("source_describe", source.describe());
    show("source_request", source.request(start_ms));
    const auto parse = [&](const std::string& data, const std::string& more = "") {
        show("source_parse_all",
             source.parse_all(200, "", R"({"status":"success",)" + more + R"("data":)" + data + "}"));
    };
    parse(
        R"({"resultType":"vector","result":[{"metric":{"gpu":"0"},"value":[1,"1"]},{"metric":{},"value":[1,"NaN"]}]})",
        R"("warnings":["a warning"],"infos":["an info"],)");
    parse(
        R"({"resultType":"vector","result":[{"metric":{"gpu":"0"},"histogram":[1,{"count":"2","sum":"3","buckets":[]}]}]})");
    parse(R"({"resultType":"string","result":[1,"text"]})");
    show("source_describe",
         open(R"({"type":"cpu","metricType":"Utilization","metadata":{"value":"50","containerName":"main"}})")
             .describe());
}

void show_checks(const surroundings& around) {
    show("manifest_check", gputide::check(scaled_object("good", prometheus_trigger(around, "up"))).report);
    show("manifest_check", gputide::check("kind: ScaledObject").report);
    const std::string twice = scaled_object("twice", prometheus_trigger(around, "up"));
    show("manifest_check", gputide::check(twice, gputide::options().file("again.yaml", twice)).report);
    const std::string job =
        R"({"apiVersion":"keda.sh/v1alpha1","kind":"ScaledJob","metadata":{"name":"train"},"spec":{"jobTargetRef":)"
        R"({"template":{"spec":{"restartPolicy":"Never","containers":[{"name":"a","image":"b"}]}}},"triggers":[)" +
        prometheus_trigger(around, "up") + "]}}";
    show("manifest_check", gputide::check(job).report);
    for (const char* query : {"up", "empty", "refused", "many"}) {
        show("doctor",
             gputide::doctor(scaled_object("sick", prometheus_trigger(around, query)), {}, nullptr, 20'000).report);
    }
    show("doctor", gputide::doctor(scaled_object("broken", prometheus_trigger({"http://127.0.0.1:1", ""}, "up")), {},
                                   nullptr, timeout_ms)
                       .report);
}

}  // namespace

void show_sources(const surroundings& around) {
    show_errors(around);
    show_answers(around);
    show_checks(around);
}

// Working scalers, alone and in a runtime.

namespace {

void show_one(const std::string& manifest) {
    gputide::scaler scaler = gputide::scaler::open(manifest);
    std::string report;
    scaler.tick(gputide::observation{}.at(start_ms).current(2), timeout_ms, &report);
    show("decision", report);
    show("scaler_describe", scaler.describe());
}

void show_runtime(const surroundings& around) {
    gputide::runtime runtime(gputide::runtime_options{}
                                 .flags(GPUTIDE_RUNTIME_EVERY_DECISION | GPUTIDE_RUNTIME_REPORTS)
                                 .start_spread_ms(1)
                                 .poll_timeout_ms(timeout_ms));
    const std::uint64_t good = runtime.add(scaled_object("good", prometheus_trigger(around, "up")));
    const std::uint64_t bad = runtime.add(scaled_object("bad", prometheus_trigger(around, "refused")));
    const std::int64_t now_ms = 1'000 * static_cast<std::int64_t>(std::time(nullptr));
    for (const std::uint64_t id : {good, bad}) {
        show("runtime_describe", runtime.describe(id));
        runtime.observe(id, gputide::observation{}.at(now_ms).current(1));
    }
    for (int events = 0; events < 2; ++events) {
        const auto event = runtime.next_event(20'000);
        if (!event) throw std::runtime_error("no event came");
        show("decision", event->report);
        show("runtime_describe", runtime.describe(event->id()));
    }
    show("runtime_stats", runtime.stats());
}

// Shows a load above the target that a write carries: each stage of its rise.
void show_rise(const surroundings& around) {
    gputide::runtime runtime(
        gputide::runtime_options{}.flags(GPUTIDE_RUNTIME_EVERY_DECISION).start_spread_ms(1).poll_timeout_ms(20'000));
    const std::string often = R"("gputide.io/sync-period":"1s")";
    const std::uint64_t id =
        runtime.add(scaled_object("rising", prometheus_trigger(around, "up"), R"("pollingInterval":1,)", often));
    const std::int64_t now_ms = 1'000 * static_cast<std::int64_t>(std::time(nullptr));
    runtime.observe(id, gputide::observation{}.at(now_ms).current(1));
    for (int events = 0; events < 2; ++events) {
        auto event = runtime.next_event(20'000);
        if (!event) throw std::runtime_error("no event came");
        if (!event->decision.wants_write()) break;
        const std::int32_t wanted = event->decision.desired();
        runtime.record(id, event->decision, true, now_ms + 1'000);
        runtime.observe(id, gputide::observation{}.at(now_ms + 1'000).current(wanted).ready(wanted));
    }
    show("runtime_describe", runtime.describe(id));
}

}  // namespace

void show_scalers(const surroundings& around) {
    show_one(scaled_object("up", prometheus_trigger(around, "up")));
    show_one(scaled_object("empty", prometheus_trigger(around, "empty")));
    show_one(scaled_object("refused", prometheus_trigger(around, "refused")));
    const std::string ahead = R"("gputide.io/forecast":"observe","gputide.io/forecast-history":"2h")";
    show_one(scaled_object("ahead", prometheus_trigger(around, "up"), "", ahead));
    show_one(scaled_object("ahead", prometheus_trigger(around, "refused"), "", ahead));
    show_one(scaled_object("gpu", R"({"type":"nvml","metadata":{"metric":"gpu_utilization","threshold":"30"}})"));
    show_runtime(around);
    show_rise(around);
}

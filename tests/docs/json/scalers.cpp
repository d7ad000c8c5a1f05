// Working scalers, alone and in a runtime.
#include "texts.hpp"

#include <ctime>
#include <stdexcept>

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

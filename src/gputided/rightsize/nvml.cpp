#include "common/clock.hpp"
#include "rightsize/past.hpp"

#include <nlohmann/json.hpp>

#include <chrono>
#include <thread>

namespace gputided {
namespace {

using nlohmann::json;

constexpr std::int32_t reading_timeout_ms = 10'000;  // the first one of a GPU without persistence mode takes seconds

gputide::source nvml_source(const char* metric) {
    const json trigger = {{"type", "nvml"}, {"metadata", {{"metric", metric}, {"threshold", "1"}}}};
    return gputide::source::open(trigger.dump());
}

void take(gputide::source& source, const usage_meaning& meaning, samples_by_container& samples) {
    const std::int64_t now_ms = unix_now_ms();
    const gputide::samples all = source.fetch_all(now_ms, reading_timeout_ms);
    for (std::uint32_t i = 0; i < all.count(); ++i) {
        const json labels = json::parse(all.labels(i));
        const gputide_sample one = all.get(i);
        if (one.state == GPUTIDE_SAMPLE_OK)
            add_usage(samples, "", labels.value("UUID", "") + "/" + labels.value("GPU_I_ID", ""), now_ms, meaning,
                      one.value);
    }
}

// Instances of GPUs without GPM have no utilization: the memory alone is known then.
void take_busy(gputide::source& source, samples_by_container& samples) {
    try {
        take(source, {usage::busy, 1.0}, samples);
    } catch (const gputide::failure& failed) {
        if (failed.status() != GPUTIDE_E_NO_DATA) throw;
    }
}

}  // namespace

void sample_nvml(std::int64_t for_ms, std::int64_t step_ms, samples_by_container& samples) {
    gputide::source busy = nvml_source("gpu_utilization");
    gputide::source memory = nvml_source("memory_used_bytes");
    const std::int64_t end_ms = steady_now_ms() + for_ms;
    for (std::int64_t next_ms = steady_now_ms();; next_ms += step_ms) {
        std::this_thread::sleep_for(std::chrono::milliseconds(next_ms - steady_now_ms()));
        take_busy(busy, samples);
        take(memory, {usage::memory, 1.0}, samples);
        if (next_ms + step_ms > end_ms) return;
    }
}

}  // namespace gputided

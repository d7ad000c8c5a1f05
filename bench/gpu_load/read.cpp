// Shows what each way of reading says of GPU 0, polled every 1, 5 and 15 s side by side: `read SECONDS` prints lines
// "end_ns,way,poll_ms,metric,value,interval_ms" with times of CLOCK_MONOTONIC.  bench/gpu_load/run.sh compares them with the true load.
#include "source/gpu/driver.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

namespace {

namespace nvml = gputide::source::nvml;

std::int64_t now_ns() {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

// One trigger: a metric, read in one way, polled so often.
struct poller {
    std::string way;
    std::string metric;
    std::int64_t poll_ms = 0;
    nvml::driver* driver = nullptr;
    std::shared_ptr<nvml::past_readings> past = std::make_shared<nvml::past_readings>();
    std::int64_t next_ns = 0;

    void poll() {
        const std::vector<nvml::wanted_gpu> first = {*nvml::parse_wanted("0")};
        const auto got = driver->read({nvml::quantity_named(metric), first, now_ns() / 1'000'000, {}, past});
        const std::int64_t end_ns = now_ns();
        if (!got || got->values.empty()) {
            const std::string why = !got                    ? got.failure().message
                                    : got->failures.empty() ? ""
                                                            : got->failures[0].why.message;
            std::printf("# %s %s: %s\n", way.c_str(), metric.c_str(), why.c_str());
            return;
        }
        const nvml::measured& value = got->values.front();
        std::printf("%lld,%s,%lld,%s,%.3f,%lld\n", static_cast<long long>(end_ns), way.c_str(),
                    static_cast<long long>(poll_ms), metric.c_str(), value.value,
                    static_cast<long long>(value.interval_ms));
    }
};

gputide::result<nvml::library> without(bool gpm, bool samples) {
    auto out = nvml::load_library();
    if (!out) return out;
    if (!gpm) out->calls.gpm_supported = nullptr;
    if (!samples) out->calls.samples = nullptr;
    return out;
}

}  // namespace

int main(int count, char** arguments) {
    const std::int64_t end_ns = now_ns() + std::int64_t{1'000'000'000} * (count > 1 ? std::atoi(arguments[1]) : 60);
    nvml::driver by_gpm([] { return without(true, true); });
    nvml::driver by_samples([] { return without(false, true); });
    nvml::driver by_single([] { return without(false, false); });
    std::vector<poller> all;
    for (const std::int64_t poll_ms : {1'000, 5'000, 15'000}) {
        all.push_back({"gpm", "gpu_utilization", poll_ms, &by_gpm});
        all.push_back({"driver_samples", "gpu_utilization", poll_ms, &by_samples});
        all.push_back({"single_sample", "gpu_utilization", poll_ms, &by_single});
    }
    for (const char* metric : {"sm_active", "sm_occupancy", "tensor_active", "dram_active", "power_watts",
                               "power_average_watts", "power_ratio", "process_utilization", "throttled", "unhealthy",
                               "pcie_receive_bytes_per_second", "nvlink_receive_bytes_per_second"})
        all.push_back({"gpm", metric, 5'000, &by_gpm});
    for (poller& poller : all) poller.next_ns = now_ns();
    while (now_ns() < end_ns) {
        const auto next = std::min_element(all.begin(), all.end(),
                                           [](const poller& a, const poller& b) { return a.next_ns < b.next_ns; });
        if (const std::int64_t wait_ns = next->next_ns - now_ns(); wait_ns > 0)
            std::this_thread::sleep_for(std::chrono::nanoseconds(wait_ns));
        next->poll();
        next->next_ns += next->poll_ms * 1'000'000;
    }
    return 0;
}

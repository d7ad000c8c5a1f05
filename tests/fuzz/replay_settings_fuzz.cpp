// Arbitrary bytes as the settings of a replay, and a short replay by those that are accepted.  Built for libFuzzer.
#include "replay/report.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace replay = gputide::replay;

// The name is libFuzzer's.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    auto how = replay::read_settings({reinterpret_cast<const char*>(bytes), size});
    if (!how) return 0;
    gputide::decide::policy by;
    by.metrics.resize(1);
    by.metrics[0].name = "s0-prometheus";
    by.metrics[0].target_milli = 5000;
    how->recorded_replicas = how->recorded_replicas < 0 ? 2 : how->recorded_replicas;
    auto made = replay::replayer::make(by, *how, {replay::source_rules{}});
    if (!made) return 0;
    replay::recording over;
    for (int i = 0; i < 50; ++i) (void)replay::add_point(over, 0, 1'000'000 + i * 15'000, i % 7 * 20.0);
    (void)replay::tidy(over);
    if (replay::run(*made, over)) (void)replay::report_json(*made);
    return 0;
}

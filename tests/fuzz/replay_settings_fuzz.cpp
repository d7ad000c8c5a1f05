// Arbitrary bytes as the settings of a replay, and of one size in eight a short replay by those that are accepted, which takes a
// thousand times as long.  Built for libFuzzer.
#include "replay/run.hpp"
#include "require.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace replay = gputide::replay;

namespace {

void run_short_replay(replay::settings settings) {
    gputide::decide::policy policy;
    policy.metrics.resize(1);
    policy.metrics[0].name = "s0-prometheus";
    policy.metrics[0].target_milli = 5000;
    settings.recorded_replicas = settings.recorded_replicas < 0 ? 2 : settings.recorded_replicas;
    auto replayer = replay::replayer::make(policy, settings, {replay::source_rules{}});
    if (!replayer) return;
    replay::recording recording;
    for (int i = 0; i < 50; ++i) (void)replay::add_point(recording, 0, 1'000'000 + i * 15'000, i % 7 * 20.0);
    (void)replay::tidy(recording);
    if (replay::run(*replayer, recording)) (void)replay::report_json(*replayer);
}

}  // namespace

// The name is libFuzzer's.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    auto settings = replay::read_settings({reinterpret_cast<const char*>(bytes), size});
    gputide::fuzz::require_reason(settings);
    if (!settings) return 0;
    if (gputide::fuzz::one_of({true, false, false, false, false, false, false, false}, size))
        run_short_replay(*std::move(settings));
    return 0;
}

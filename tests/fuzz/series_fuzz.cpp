// Arbitrary bytes as a CSV and as a run log: nothing may crash, hang or grow, and what was read reads back the same.
// Built for libFuzzer.
#include "replay/recording.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

namespace replay = gputide::replay;

namespace {

void require(bool holds) {
    if (!holds) std::abort();
}

bool is_tidy(replay::recording& of) {
    if (!replay::tidy(of)) return false;
    for (const replay::metric_track& track : of.metrics)
        for (std::size_t i = 1; i < track.points.size(); ++i)
            require(track.points[i - 1].time_ms < track.points[i].time_ms);
    return true;
}

}  // namespace

// The name is libFuzzer's.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(bytes), size);
    replay::recording csv;
    if (replay::read_csv(text, csv) && is_tidy(csv)) {
        const std::string written = replay::write_csv(csv);
        replay::recording again;
        require(replay::read_csv(written, again).ok());
        require(is_tidy(again));
        require(replay::write_csv(again) == written);
    }
    replay::recording log;
    if (replay::read_log(text, "", log)) is_tidy(log);
    return 0;
}

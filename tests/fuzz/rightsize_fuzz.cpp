// Arbitrary bytes as a checkpoint and as settings: nothing may crash, hang or grow, and what was read is written and read again
// as the same.  Built for libFuzzer.
#include "require.hpp"
#include "rightsize/recommend.hpp"
#include "rightsize/usage.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace rightsize = gputide::rightsize;
namespace config = gputide::config;
using gputide::fuzz::require;

namespace {

constexpr std::int64_t now_ms = 1'763'683'200'000;

void read_checkpoint(std::string_view text, const rightsize::usage_rules& by) {
    const auto read = rightsize::load_usage(text, by);
    if (!read) return;
    const std::string written = rightsize::save_usage(*read, by, now_ms);
    const auto again = rightsize::load_usage(written, by);
    require(again.ok());
    require(again->units.size() == read->units.size());
    require(again->seen.samples == read->seen.samples);
}

void read_settings(std::string_view text) {
    config::report findings;
    const config::text_file file{"s", text};
    const auto read = rightsize::read_settings({&file, 1}, findings);
    if (!read) return;
    rightsize::usage empty(read->usage);
    const rightsize::recommendation made = rightsize::recommend(empty, *read, now_ms);
    require(!rightsize::report_json(made, empty, *read, {"", now_ms}).empty());
    require(!rightsize::options_json({10'000'000'000, 50.0}, *read).empty());
}

}  // namespace

// The name is libFuzzer's.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(bytes), size);
    read_checkpoint(text, {});
    rightsize::usage_rules vpa;
    vpa.busy_buckets = &rightsize::cpu_layout;
    read_checkpoint(text, vpa);
    read_settings(text);
    return 0;
}

// Arbitrary bytes as a state in both of its forms, the saved one (as they are and under a checksum of their own) and the JSON that
// people write: what is read can be decided with, and is written and read again as the same.
#include "base/checksum.hpp"
#include "decide/decide.hpp"
#include "decide/state/text.hpp"
#include "require.hpp"

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>

namespace decide = gputide::decide;
using gputide::fuzz::require;
using gputide::fuzz::require_reason;

namespace {

decide::policy two_metrics(bool forecasts) {
    decide::policy out;
    out.scaling.name = "demo";
    out.scaling.name_space = "default";
    out.metrics.resize(2);
    out.metrics[0].name = "s0-prometheus";
    out.metrics[1].name = "s1-values";
    for (decide::metric_policy& one : out.metrics) one.target_milli = 5000;
    if (forecasts) out.forecast.emplace();
    return out;
}

void go_on(const decide::policy& policy, decide::state state) {
    gputide::sample samples[2];
    for (gputide::sample& one : samples) one.state = gputide::sample_state::ok;
    samples[0].value = 42.5;
    std::int64_t now_ms = 1'795'255'200'000;
    for (std::int32_t replicas = 1; replicas < 40; replicas += 13) {
        decide::observation seen;
        seen.now_ms = now_ms += 15'000;
        seen.spec_replicas = replicas;
        seen.samples = samples;
        decide::decision next = decide::decide(policy, state, seen);
        require(next.desired_replicas >= 0);
        if (decide::check_record(state, next)) decide::record_applied(policy, state, next, now_ms);
    }
    require(decide::load_state(policy, decide::save_state(policy, state)).ok());
}

void read(const decide::policy& policy, std::string_view text) {
    auto state = decide::load_state(policy, text);
    require_reason(state);
    if (!state) return;
    const std::string written = decide::save_state(policy, *state);
    const auto again = decide::load_state(policy, written);
    require(again.ok());
    require(decide::save_state(policy, *again) == written);
    go_on(policy, *std::move(state));
}

void read_written(const decide::policy& policy, std::string_view json) {
    auto state = decide::read_state(policy, json);
    require_reason(state);
    if (!state) return;
    const std::string written = decide::describe_state(policy, *state);
    const auto again = decide::read_state(policy, written);
    require(again.ok());
    require(decide::describe_state(policy, *again) == written);
    go_on(policy, *std::move(state));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    static const decide::policy policies[] = {two_metrics(false), two_metrics(true)};
    const std::string text(reinterpret_cast<const char*>(bytes), size);
    // Few inputs have the checksum that they need: the text up to its own is given a right one, too.
    const std::string body = text.substr(0, text.rfind(",\"crc32c\":"));
    const decide::policy& policy = policies[size % std::size(policies)];
    read(policy, text);
    read(policy, gputide::sealed(body));
    read_written(policy, text);
    return 0;
}

// Arbitrary bytes as a cluster's text, as a saved state and as a priority's pattern; what is read is planned and reported.
// Built for libFuzzer.
#include "base/pattern/pattern.hpp"
#include "nodes/read/snapshot.hpp"
#include "nodes/read/state_text.hpp"
#include "nodes/report/json.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace nodes = gputide::nodes;

namespace {

// A plan's size follows from numbers in the text: those of an attack would only make each run long.
bool is_small(const nodes::cluster& of) {
    std::int64_t sum = 0;
    for (const nodes::pool& one : of.pools) sum += one.max + one.size;
    for (const nodes::pod_group& one : of.pending) sum += one.count;
    return sum < 10'000;
}

}  // namespace

// The name is libFuzzer's.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(bytes), size);
    gputide::match_budget budget;
    if (const auto compiled = gputide::pattern::compile(text, gputide::pattern::dot::not_newline)) {
        (void)compiled->found_in("pool-h100-a", budget);
    }
    if (const auto loaded = nodes::load_state(text)) {
        const auto again = nodes::load_state(nodes::save_state(*loaded));
        if (!again || nodes::save_state(*again) != nodes::save_state(*loaded)) __builtin_trap();
    }
    nodes::snapshot all;
    gputide::config::report findings;
    all.read("fuzz", text, findings);
    const nodes::cluster of = all.finish(findings);
    nodes::state before;
    if (is_small(of))
        (void)nodes::plan_json(of, nodes::make_plan(of, all.how, 1'800'000'000'000, before), findings,
                               1'800'000'000'000);
    return 0;
}

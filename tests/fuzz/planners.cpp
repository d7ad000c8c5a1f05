// Forecast, jobs, nodes, right-sizing and node pools.
#include "base/checksum.hpp"
#include "base/pattern/pattern.hpp"
#include "forecast/forecast.hpp"
#include "forecast/text.hpp"
#include "fuzz.hpp"
#include "kubernetes/aks/pool.hpp"
#include "nodes/read/snapshot.hpp"
#include "nodes/report/json.hpp"
#include "pipeline/pipeline.hpp"
#include "rightsize/recommend.hpp"
#include "rightsize/usage.hpp"
#include "text/document.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

// A saved forecast: any text is taken whole or refused; what is taken writes the same text again and can go on from there.  The same
// bytes as the settings of one.
namespace fuzz_forecast {

using namespace gputide::fuzz;

namespace {

namespace forecast = gputide::forecast;

// Loads the text, and where that works goes on for two leads.
void try_text(std::string_view text, const forecast::settings& settings) {
    const gputide::result<forecast::memory> read = forecast::load(text, settings);
    if (!read) return;
    const std::string again = forecast::save(*read, settings);
    const gputide::result<forecast::memory> twice = forecast::load(again, settings);
    require(twice.ok());
    require(forecast::save(*twice, settings) == again);
    forecast::memory memory = *read;
    const std::int64_t start_ms = memory.open.number * settings.slot_ms;
    for (std::int64_t i = 0; i < 2 * forecast::slots_ahead(settings); ++i) {
        forecast::read(memory, settings, start_ms + i * settings.slot_ms, 50.0 + static_cast<double>(i));
        const forecast::floor_result floor =
            forecast::floor_of({memory.floor_load, forecast::state_of(memory, settings), 5.0, 10, 10, 40}, settings);
        require(floor.replicas >= 10 && floor.replicas <= 30);
        forecast::book(memory, floor.replicas, 10);
    }
}

}  // namespace

int run(const std::uint8_t* data, std::size_t size) {
    const std::string text(reinterpret_cast<const char*>(data), size);
    require_reason(forecast::read_settings(text));
    const forecast::settings usual;
    forecast::settings other;
    other.slot_ms = 300'000;
    other.lead_ms = 900'000;
    const forecast::settings& settings = size % 2 == 0 ? usual : other;
    try_text(text, settings);
    try_text(gputide::sealed(text), settings);  // a fuzzer finds no checksum by itself
    return 0;
}

const registration target{"forecast", &run};

}  // namespace fuzz_forecast

// Arbitrary bytes as what a host sees of a ScaledJob: nothing may crash or hang; what is decided is one JSON object, what is
// refused has its reason.  The last byte chooses the strategy and the profile.
namespace fuzz_jobs {

using namespace gputide::fuzz;

namespace {

std::string manifest(const std::string& strategy) {
    return R"({"apiVersion":"keda.sh/v1alpha1","kind":"ScaledJob","metadata":{"name":"a"},"spec":{)"
           R"("minReplicaCount":1,"maxReplicaCount":20,"failedJobsHistoryLimit":1,"scalingStrategy":{"strategy":")" +
           strategy +
           R"(","customScalingQueueLengthDeduction":1,"customScalingRunningJobPercentage":"0.5"},)"
           R"("jobTargetRef":{"template":{"spec":{"restartPolicy":"Never","containers":[{"name":"a","image":"a"}]}}},)"
           R"("triggers":[{"type":"metrics-api","metadata":{"url":"http://h/","valueLocation":"n","targetValue":"3"}},)"
           R"({"type":"metrics-api","metadata":{"url":"http://h/","valueLocation":"m","targetValue":"0.5"}}]}})";
}

}  // namespace

int run(const std::uint8_t* bytes, std::size_t size) {
    static const std::string manifests[] = {manifest("default"), manifest("custom"), manifest("accurate"),
                                            manifest("eager")};
    if (size == 0) return 0;
    const std::string_view seen(reinterpret_cast<const char*>(bytes), size - 1);
    gputide::pipeline::host_options host;
    host.strict = (bytes[size - 1] & 4) != 0;
    const auto made = gputide::pipeline::decide_scaled_job({{"a", manifests[bytes[size - 1] % 4]}}, host, seen);
    require_reason(made);
    if (!made) {
        // The manifest is good, and only what the input itself calls so is named in a refusal.
        require(made.failure().message.find("valueLocation") == std::string::npos ||
                seen.find("valueLocation") != std::string_view::npos);
        return 0;
    }
    const auto read = gputide::text::read_json(*made);
    require(!read.failure && read.roots.size() == 1);
    return 0;
}

const registration target{"jobs", &run};

}  // namespace fuzz_jobs

// Arbitrary bytes as a cluster's text, as a saved state and as a priority's pattern; what is read is planned and reported.
namespace fuzz_nodes {

using namespace gputide::fuzz;

namespace nodes = gputide::nodes;

namespace {

// A plan's size follows from numbers in the text: those of an attack would only make each run long.
bool is_small(const nodes::cluster& of) {
    std::int64_t sum = 0;
    for (const nodes::pool& pool : of.pools) sum += pool.max + pool.size;
    for (const nodes::pod_group& group : of.pending) sum += group.count;
    return sum < 10'000;
}

}  // namespace

int run(const std::uint8_t* bytes, std::size_t size) {
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
    gputide::text::report findings;
    all.read("fuzz", text, findings);
    const nodes::cluster of = all.finish(findings);
    nodes::state before;
    if (is_small(of))
        (void)nodes::plan_json(of, nodes::make_plan(of, all.how, 1'800'000'000'000, before), findings,
                               1'800'000'000'000);
    return 0;
}

const registration target{"nodes", &run};

}  // namespace fuzz_nodes

// Arbitrary bytes as a checkpoint and as settings: nothing may crash, hang or grow, and what was read is written and read again
// as the same.
namespace fuzz_rightsize {

using namespace gputide::fuzz;

namespace rightsize = gputide::rightsize;
namespace manifest = gputide::manifest;
namespace text = gputide::text;

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
    text::report findings;
    const manifest::text_file file{"s", text};
    const auto read = rightsize::read_settings({&file, 1}, findings);
    if (!read) return;
    rightsize::usage empty(read->usage);
    const rightsize::recommendation made = rightsize::recommend(empty, *read, now_ms);
    require(!rightsize::report_json(made, empty, *read, {"", now_ms}).empty());
    require(!rightsize::options_json({10'000'000'000, 50.0}, *read).empty());
}

}  // namespace

int run(const std::uint8_t* bytes, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(bytes), size);
    read_checkpoint(text, {});
    rightsize::usage_rules vpa;
    vpa.busy_buckets = &rightsize::cpu_layout;
    read_checkpoint(text, vpa);
    read_settings(text);
    return 0;
}

const registration target{"rightsize", &run};

}  // namespace fuzz_rightsize

// Arbitrary bytes as a change of a node pool and as what Azure Resource Manager tells of one; what is read is written again, and
// reads as the same.
namespace fuzz_aks {

using namespace gputide::fuzz;

namespace aks = gputide::aks;

int run(const std::uint8_t* bytes, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(bytes), size);
    const auto wanted = aks::read_change(text);
    const auto pool = aks::read_pool(text);
    if (!pool) return 0;
    if (wanted) (void)aks::changed(pool->size, *wanted);
    const auto again = aks::read_pool(aks::body_with(*pool, pool->size));
    if (!again || again->size.autoscaling != pool->size.autoscaling || again->size.count != pool->size.count)
        __builtin_trap();
    return 0;
}

const registration target{"aks", &run};

}  // namespace fuzz_aks

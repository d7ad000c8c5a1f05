// Measures what a forecast costs: a slot that ends, a pass amortised (four a minute), its memory and its text; and that neither allocates.
// Prints a JSON array of results.
#include "allocations.hpp"
#include "forecast/forecast.hpp"
#include "forecast/series.hpp"
#include "forecast/text.hpp"
#include "measure.hpp"

#include <cstdio>

namespace gputide::bench {
namespace {

constexpr std::int64_t minute_ms = 60'000;
constexpr std::int64_t passes = 400'000;

// A week of an office's load, again and again: as the branches of real data go.
double load_at(const std::vector<double>& loads, std::int64_t minute) {
    return loads[static_cast<std::size_t>(minute) % loads.size()];
}

double per_pass(const std::vector<double>& loads, std::int64_t pass_ms, forecast::memory& memory) {
    const forecast::settings settings;
    return nanoseconds_per_call(passes, [&](std::int64_t i) {
        const std::int64_t at_ms = i * pass_ms;
        forecast::read(memory, settings, forecast_series::start_ms + at_ms, load_at(loads, at_ms / minute_ms));
        forecast::book(memory, 10, 10);
    });
}

std::vector<line> results() {
    const std::vector<double> loads = forecast_series::office(7);
    forecast::memory memory;
    const std::int64_t before = so_far().count;
    const double slot_ns = per_pass(loads, minute_ms, memory);
    forecast::memory quarters;
    const double pass_ns = per_pass(loads, 15'000, quarters);
    const std::int64_t allocated = so_far().count - before;
    const std::string text = forecast::save(memory, {});
    return {{"forecast_step", slot_ns, "ns", "", 0, "a slot that ends: score, learn, say"},
            {"forecast_pass", pass_ns, "ns", "", 0, "a pass of 15 s, the ends of slots shared among them"},
            {"forecast_allocations", static_cast<double>(allocated), "allocations", "", 0, "in all these passes"},
            {"forecast_memory", static_cast<double>(sizeof(forecast::memory)), "bytes", "", 0, "of one forecast"},
            {"forecast_text", static_cast<double>(text.size()), "bytes", "", 0, "saved, lead 5 min"}};
}

}  // namespace
}  // namespace gputide::bench

int main() {
    std::fputs(gputide::bench::as_json(gputide::bench::results()).c_str(), stdout);
    return 0;
}

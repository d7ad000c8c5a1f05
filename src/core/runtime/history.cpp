#include "runtime/history.hpp"

#include "pipeline/past.hpp"

#include <algorithm>
#include <utility>

namespace gputide::runtime {
namespace {

constexpr std::int64_t points_per_query = 10'000;  // Prometheus rejects more than 11,000

using piece = result<std::vector<sample>>;

piece samples_of(const source::metric& metric, result<source::reading> read, const source::time_range& range) {
    if (!read) return read.take_failure();
    return pipeline::past_samples(metric, *read, range);
}

}  // namespace

std::vector<source::time_range> pieces_of(const decide::history_span& over) {
    std::vector<source::time_range> out;
    const std::int64_t each_ms = over.step_ms * points_per_query;
    for (std::int64_t from_ms = over.from_ms; from_ms <= over.to_ms; from_ms += each_ms)
        out.push_back({from_ms, std::min(from_ms + each_ms - over.step_ms, over.to_ms), over.step_ms});
    return out;
}

past_read past_of(const source::metric& metric, const decide::history_span& over, std::span<source::polled> outcomes) {
    past_read out{over, {}, nullptr};
    const std::vector<source::time_range> pieces = pieces_of(over);
    for (std::size_t i = 0; i < outcomes.size(); ++i) {
        piece read = samples_of(metric, source::reading_of(std::move(outcomes[i].outcome)), pieces[i]);
        if (read) {
            out.samples.insert(out.samples.end(), read->begin(), read->end());
        } else if (out.why == nullptr) {
            out.why = std::make_shared<const error>(read.take_failure());
        }
    }
    return out;
}

}  // namespace gputide::runtime

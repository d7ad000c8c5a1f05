#include "runtime/history.hpp"

#include "pipeline/past.hpp"

#include <algorithm>
#include <utility>

namespace gputide::runtime {
namespace {

constexpr std::int64_t points_per_query = 10'000;  // Prometheus refuses more than 11,000

using piece = result<std::vector<sample>>;

piece samples_of(const source::metric_source& metric_source, result<source::reading> read,
                 const source::time_range& range) {
    if (!read) return std::move(read).failure();
    return pipeline::past_samples(metric_source.metric(), *read, range);
}

std::vector<source::time_range> pieces_of(const decide::history_span& over) {
    std::vector<source::time_range> out;
    const std::int64_t each_ms = over.step_ms * points_per_query;
    for (std::int64_t from_ms = over.from_ms; from_ms <= over.to_ms; from_ms += each_ms)
        out.push_back({from_ms, std::min(from_ms + each_ms - over.step_ms, over.to_ms), over.step_ms});
    return out;
}

past_read joined(const decide::history_span& over, std::vector<piece> pieces) {
    past_read out{over, {}, nullptr};
    for (piece& one : pieces) {
        if (one) {
            out.samples.insert(out.samples.end(), one->begin(), one->end());
        } else if (out.why == nullptr) {
            out.why = std::make_shared<const error>(std::move(one).failure());
        }
    }
    return out;
}

}  // namespace

std::shared_ptr<http::exchange> read_past(http::loop& loop, const std::shared_ptr<source::metric_source>& source,
                                          const decide::history_span& over, std::int64_t deadline_ms,
                                          std::function<void(past_read)> done) {
    std::vector<http::starter<piece>> parts;
    for (const source::time_range& range : pieces_of(over)) {
        parts.emplace_back([source, range, deadline_ms](std::function<void(piece)> came) {
            return source->fetch_range(range, deadline_ms,
                                       [source, range, came = std::move(came)](result<source::reading> read) {
                                           came(samples_of(*source, std::move(read), range));
                                       });
        });
    }
    return http::all<piece>(loop, parts, [over, done = std::move(done)](std::vector<piece> pieces) {
        done(joined(over, std::move(pieces)));
    });
}

}  // namespace gputide::runtime

#include "runtime/reads.hpp"

#include "pipeline/pipeline.hpp"
#include "source/source.hpp"

#include <algorithm>
#include <utility>

namespace gputide::runtime {

namespace {

constexpr std::int64_t points_per_query = 10'000;  // Prometheus rejects more than 11,000

// Returns the ranges to query in parallel.
std::vector<source::time_range> pieces_of(const decide::history_span& over) {
    std::vector<source::time_range> out;
    const std::int64_t each_ms = over.step_ms * points_per_query;
    for (std::int64_t from_ms = over.from_ms; from_ms <= over.to_ms; from_ms += each_ms)
        out.push_back({from_ms, std::min(from_ms + each_ms - over.step_ms, over.to_ms), over.step_ms});
    return out;
}

// Joins the results of those queries, one per piece.
past_read past_of(const source::metric& metric, const decide::history_span& over, std::span<source::polled> outcomes) {
    past_read out{over, {}, nullptr};
    const std::vector<source::time_range> pieces = pieces_of(over);
    for (std::size_t i = 0; i < outcomes.size(); ++i) {
        result<source::reading> response = source::reading_of(std::move(outcomes[i].outcome));
        result<std::vector<sample>> read = response ? pipeline::past_samples(metric, *response, pieces[i])
                                                    : result<std::vector<sample>>(response.take_failure());
        if (read) {
            out.samples.insert(out.samples.end(), read->begin(), read->end());
        } else if (out.why == nullptr) {
            out.why = std::make_shared<const error>(read.take_failure());
        }
    }
    return out;
}

std::shared_ptr<const error> reason_of(error why) {
    return why.status == status::ok ? nullptr : std::make_shared<const error>(std::move(why));
}

bool is_given(const read_plan& plan, std::size_t metric) {
    return metric < plan.given.size() && plan.given[metric].state != sample_state::not_given;
}

// The polls of a scaler in the order of their results: first the metrics, then the pieces of the past.
struct poll_list {
    std::vector<source::source_poll> all;
    std::vector<std::size_t> metrics;  // the metrics of the first results
    all_reads reads;                   // results that need no poll
};

poll_list polls_of(const std::vector<std::shared_ptr<source::metric_source>>& sources, const read_plan& plan) {
    poll_list out;
    out.reads.metrics.resize(sources.size());
    for (std::size_t i = 0; i < sources.size(); ++i) {
        if (is_given(plan, i)) {
            const status given = plan.given[i].status;
            out.reads.metrics[i] = {plan.given[i], given == status::ok ? nullptr : reason_of(fail(given, {})),
                                    plan.now_ms, 0, nullptr};
        } else if (sources[i] != nullptr) {
            out.all.push_back({sources[i], {.now_ms = plan.now_ms}});
            out.metrics.push_back(i);
        }
    }
    if (!plan.past) return out;
    for (const source::time_range& range : pieces_of(*plan.past))
        out.all.push_back({sources[plan.past->metric], {.wanted = source::detail::everything, .range = range}});
    return out;
}

}  // namespace

std::shared_ptr<http::exchange> read_metrics(http::loop& loop,
                                             const std::vector<std::shared_ptr<source::metric_source>>& sources,
                                             const read_plan& plan, callback<void(all_reads)> done) {
    poll_list asked = polls_of(sources, plan);
    const source::metric* past = plan.past ? &sources[plan.past->metric]->metric() : nullptr;
    return source::send_polls(
        loop, std::move(asked.all), plan.deadline_ms,
        [now_ms = plan.now_ms, span = plan.past, past, metrics = std::move(asked.metrics),
         reads = std::move(asked.reads), done = std::move(done)](std::vector<source::polled>&& outcomes) mutable {
            for (std::size_t i = 0; i < metrics.size(); ++i) {
                source::fetched& read = outcomes[i].outcome;
                reads.metrics[metrics[i]] = {read.sample, reason_of(std::move(read.why)), now_ms, outcomes[i].took_ms,
                                             std::move(read.pods)};
            }
            if (past != nullptr) reads.past = past_of(*past, *span, std::span(outcomes).subspan(metrics.size()));
            done(std::move(reads));
        });
}

}  // namespace gputide::runtime

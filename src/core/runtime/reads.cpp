#include "runtime/reads.hpp"

#include <utility>

namespace gputide::runtime {
namespace {

std::shared_ptr<const error> reason_of(error why) {
    return why.status == status::ok ? nullptr : std::make_shared<const error>(std::move(why));
}

bool is_given(const read_plan& plan, std::size_t metric) {
    return metric < plan.given.size() && plan.given[metric].state != sample_state::not_given;
}

// One source asked, as a read that knows how long it took.
std::shared_ptr<http::exchange> read_one(http::loop& loop, const std::shared_ptr<source::metric_source>& source,
                                         const read_plan& plan, std::function<void(last_read)> done) {
    return source->fetch(plan.now_ms, plan.deadline_ms,
                         [&loop, source, now_ms = plan.now_ms, started_ms = loop.steady_ms(),
                          done = std::move(done)](source::fetched fetched) {
                             const std::int64_t took_ms = loop.steady_ms() - started_ms;
                             done({fetched.sample, reason_of(std::move(fetched.why)), now_ms, took_ms, fetched.pods});
                         });
}

// What one of the parts brings: a metric's value, or the past.
struct part_read {
    std::size_t metric = 0;
    last_read value;
    std::optional<past_read> past;
};

http::starter<part_read> past_part(http::loop& loop, const std::shared_ptr<source::metric_source>& source,
                                   const read_plan& plan) {
    return [&loop, source, &plan](std::function<void(part_read)> read) {
        return read_past(loop, source, *plan.past, plan.deadline_ms, [read = std::move(read)](past_read past_read) {
            read({0, {}, std::move(past_read)});
        });
    };
}

}  // namespace

std::shared_ptr<http::exchange> read_metrics(http::loop& loop,
                                             const std::vector<std::shared_ptr<source::metric_source>>& sources,
                                             const read_plan& plan, std::function<void(all_reads)> done) {
    all_reads reads;
    reads.metrics.resize(sources.size());
    std::vector<http::starter<part_read>> parts;
    for (std::size_t i = 0; i < sources.size(); ++i) {
        if (is_given(plan, i)) {
            reads.metrics[i] = {plan.given[i], reason_of(fail(plan.given[i].status, {})), plan.now_ms, 0, nullptr};
        } else if (sources[i] != nullptr) {
            parts.emplace_back([&loop, &source = sources[i], &plan, i](std::function<void(part_read)> read) {
                return read_one(loop, source, plan, [i, read = std::move(read)](last_read last_read) {
                    read({i, std::move(last_read), {}});
                });
            });
        }
    }
    if (plan.past) parts.push_back(past_part(loop, sources[plan.past->metric], plan));
    return http::all<part_read>(
        loop, parts, [reads = std::move(reads), done = std::move(done)](std::vector<part_read> outcomes) mutable {
            for (part_read& one : outcomes) {
                if (one.past) {
                    reads.past = std::move(one.past);
                } else {
                    reads.metrics[one.metric] = std::move(one.value);
                }
            }
            done(std::move(reads));
        });
}

}  // namespace gputide::runtime

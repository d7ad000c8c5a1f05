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
                          done = std::move(done)](source::fetched got) {
                             const std::int64_t took_ms = loop.steady_ms() - started_ms;
                             done({got.sample, reason_of(std::move(got.why)), now_ms, took_ms, got.pods});
                         });
}

}  // namespace

std::shared_ptr<http::exchange> read_metrics(http::loop& loop,
                                             const std::vector<std::shared_ptr<source::metric_source>>& sources,
                                             const read_plan& plan, std::function<void(std::vector<last_read>)> done) {
    std::vector<last_read> reads(sources.size());
    std::vector<std::size_t> asked;
    std::vector<http::starter<last_read>> parts;
    for (std::size_t i = 0; i < sources.size(); ++i) {
        if (is_given(plan, i)) {
            reads[i] = {plan.given[i], reason_of(fail(plan.given[i].status, {})), plan.now_ms, 0, nullptr};
        } else if (sources[i] != nullptr) {
            asked.push_back(i);
            parts.emplace_back([&loop, &source = sources[i], &plan](std::function<void(last_read)> read) {
                return read_one(loop, source, plan, std::move(read));
            });
        }
    }
    return http::all<last_read>(loop, parts,
                                [reads = std::move(reads), asked = std::move(asked),
                                 done = std::move(done)](std::vector<last_read> outcomes) mutable {
                                    for (std::size_t i = 0; i < asked.size(); ++i) {
                                        reads[asked[i]] = std::move(outcomes[i]);
                                    }
                                    done(std::move(reads));
                                });
}

}  // namespace gputide::runtime

// One manifest at work: its sources, its policy, its state.  Fetching is asynchronous over a loop; deciding is pure.
// Blocking calls (capi/) and the many-scaler runtime both stand on this.
#pragma once

#include "decide/decide.hpp"
#include "decide/state/state.hpp"
#include "http/loop.hpp"
#include "http/retry.hpp"
#include "manifest/versions.hpp"
#include "pipeline/pipeline.hpp"
#include "runtime/log.hpp"
#include "runtime/reads.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gputide::runtime {

class scaler {
  public:
    scaler(pipeline::opened pipeline, std::shared_ptr<http::loop> loop, std::int64_t created_ms);

    const decide::policy& policy() const { return pipeline_.policy; }
    const decide::state& state() const { return state_; }
    // Null where the host brings the value.
    source::metric_source* source(std::size_t metric) const { return pipeline_.sources[metric].get(); }
    // The metric is asked for; else the host brings its value, also where its trigger says so (type values).
    bool asks(std::size_t metric) const {
        return source(metric) != nullptr && !source(metric)->metric().traits->is_pushed;
    }
    // The same, and a number of the host's is refused.
    bool asks_alone(std::size_t metric) const { return asks(metric) && !source(metric)->metric().traits->takes_pushed; }
    void set_state(decide::state next);
    void inherit(const decide::inherited_state& inherited_state, std::int64_t now_ms) {
        decide::inherit(policy(), state_, inherited_state, now_ms);
        forget_other_states();
    }

    // The same manifest by the rules of another release, on a state of its own: what would be decided then.  For a scaler whose decisions
    // are compared and not written, so that both states see the same.
    struct other_release {
        manifest::original which = manifest::original::kubernetes;  // the one that differs
        decide::policy policy;
        std::optional<decide::state> state;  // nothing: the scaler's own, from its next decision on
        std::int32_t desired = 0;            // by the last decision

        std::string name() const;  // "KEDA 2.20"
    };
    void compare_with(const std::vector<manifest::other_version>& others);
    const std::vector<other_release>& other_releases() const { return others_; }

    // Whether a half is due at now_ms; a fetch before that would serve nobody.
    bool due(std::int64_t now_ms) const { return now_ms >= next_due_ms_; }
    std::int64_t next_due_ms() const { return next_due_ms_; }  // 0: at once

    // Reads every metric that has a source and is not given (given: empty, or one sample a metric; state not_given means
    // that it is not).  `done` gets one sample per metric and runs on the loop, never inside this call.  Each read ends by
    // deadline_ms (steady clock) with a value or a reason.  The scaler must outlive the exchange or cancel it.
    std::shared_ptr<http::exchange> fetch(std::int64_t now_ms, std::int64_t deadline_ms, std::span<const sample> given,
                                          std::function<void(std::vector<sample>)> done);

    // The same in steps, for one who asks in another way: what to ask, and what came of it.
    const std::vector<std::shared_ptr<source::metric_source>>& sources() const { return pipeline_.sources; }
    // The past that a forecast which starts wants to be told (gputide.io/forecast-history); nothing once it was read, where it cannot
    // be, and for a minute after it was asked for.
    std::optional<decide::history_span> due_history(std::int64_t now_ms);
    std::vector<sample> keep(all_reads reads);

    // decide::decide and its records on this scaler's state.
    decide::decision decide(const decide::observation& seen, decide::trace* why);
    // made: one of this scaler's decisions; its flat form (capi/) is filled up where it is the last one.
    // why: of a write that failed.  Fails as decide::check_record().
    result<void> record(decide::decision& decision, bool applied, std::int64_t now_ms, std::string_view why = {});

    // Why a metric that the host brings has no value, in the host's words; until it is read or given again.
    void explain(std::size_t metric, std::string_view message);

    // What decide() changes, to take it back where its outcome could not be handed over.
    struct memory {
        decide::state state;
        decide::decision last;
        std::int64_t next_due_ms = 0;
    };
    memory remember() const { return {state_, last_, next_due_ms_}; }
    void restore(memory before) noexcept;

    const std::vector<last_read>& reads() const { return reads_; }
    const decide::decision& last_decision() const { return last_; }
    // Of the last decision: the pod and the container that its failed metric lacks a request of.
    const std::string& failed_pod() const { return failed_pod_; }
    const std::string& failed_container() const { return failed_container_; }

  private:
    pipeline::read_pods pods() const;
    std::vector<sample> with_words(std::span<const sample> samples) const;
    std::int64_t time_of_write(std::int64_t now_ms) const;
    void keep_past(const past_read& past_read);
    void decide_by_others(const decide::observation& seen);
    void forget_other_states() noexcept;
    void log_history(log_level level, const std::string& what) const;

    pipeline::opened pipeline_;
    std::shared_ptr<http::loop> loop_;
    decide::state state_;
    std::vector<last_read> reads_;
    decide::decision last_;
    std::string failed_pod_, failed_container_;
    std::int64_t next_due_ms_ = 0;
    std::int64_t next_history_ms_ = 0;  // the past is not asked for before
    std::vector<other_release> others_;
};

}  // namespace gputide::runtime

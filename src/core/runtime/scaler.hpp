// A running manifest: its sources, policy and state.  Fetching is asynchronous over a loop; deciding is pure.  Used by the
// blocking calls (capi/) and by the runtime with many scalers.
#pragma once

#include "decide/decide.hpp"
#include "decide/state/state.hpp"
#include "decide/trace/texts.hpp"
#include "http/exchange.hpp"
#include "http/loop.hpp"
#include "manifest/versions.hpp"
#include "pipeline/pipeline.hpp"
#include "runtime/log.hpp"
#include "runtime/reads.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gputide::runtime {

class scaler {
  public:
    scaler(pipeline::opened pipeline, std::int64_t created_ms);

    const decide::policy& policy() const { return pipeline_.policy; }
    const decide::state& state() const { return state_; }
    // Null if the host provides the value.
    source::metric_source* source(std::size_t metric) const { return pipeline_.sources[metric].get(); }
    // Tells whether the metric is fetched; otherwise the host provides its value, also for a trigger of type values.
    bool asks(std::size_t metric) const {
        return source(metric) != nullptr && !source(metric)->metric().traits->is_pushed;
    }
    // Tells whether the metric is fetched and a value of the host is rejected.
    bool asks_alone(std::size_t metric) const { return asks(metric) && !source(metric)->metric().traits->takes_pushed; }
    void set_state(decide::state next);
    void inherit(const decide::inherited_state& inherited_state, std::int64_t now_ms) {
        decide::inherit(policy(), state_, inherited_state, now_ms);
        forget_other_states();
    }

    // Takes over the failures of the scaler that this one replaces, by metric, so that their ends are logged.
    void take_failures(const scaler& before);

    // The same manifest with the rules of another release and its own state: what that release would decide.  For a scaler that
    // compares decisions and does not write them, so that both states get the same observations.
    struct other_release {
        manifest::original which = manifest::original::kubernetes;  // the component with another release
        decide::policy policy;
        std::optional<decide::state> state;  // nullopt: copied from the scaler at its next decision
        std::int32_t desired = 0;            // by the last decision

        std::string name() const;  // "KEDA 2.20"
    };
    void compare_with(const std::vector<manifest::other_version>& others);
    const std::vector<other_release>& other_releases() const { return others_; }

    // Tells whether a half is due at now_ms; an earlier fetch would have no use.
    bool due(std::int64_t now_ms) const { return now_ms >= next_due_ms_; }
    std::int64_t next_due_ms() const { return next_due_ms_; }  // 0: immediately

    // Reads every metric that has a source and is not given (given: empty, or one sample per metric; state not_given means that
    // it is not given).  `done` gets one sample per metric and runs on `loop`, never inside this call.  Each read ends by
    // deadline_ms (steady clock) with a value or a reason.  The scaler must outlive the exchange or cancel it.
    std::shared_ptr<http::exchange> fetch(http::loop& loop, std::int64_t now_ms, std::int64_t deadline_ms,
                                          std::span<const sample> given, callback<void(std::vector<sample>)> done);

    // The parts of fetch(), for a caller that sends the queries itself: the sources, and keep() for the results.
    const std::vector<std::shared_ptr<source::metric_source>>& sources() const { return pipeline_.sources; }
    // Returns the past that a starting forecast needs (gputide.io/forecast-history).  Returns nullopt once it was read, if it
    // cannot be read, and for a minute after each request.
    std::optional<decide::history_span> due_history(std::int64_t now_ms);
    std::vector<sample> keep(all_reads&& reads);

    // Calls decide::decide with this scaler's state.
    decide::decision decide(const decide::observation& seen, decide::trace* why);
    // Records a write's result. made: one of this scaler's decisions; its flat form (capi/) is completed if it is the last one.
    // why: error of a failed write.  Fails like decide::check_record().
    result<void> record(decide::decision& decision, bool applied, std::int64_t now_ms, std::string_view why = {});

    // Sets the host's reason for a metric without a value, until the metric is read or given again.
    void explain(std::size_t metric, std::string_view message);

    // State that decide() changes, to restore it if the decision could not be delivered.
    struct memory {
        decide::state state;
        decide::decision last;
        std::int64_t next_due_ms = 0;
    };
    memory remember() const { return {state_, last_, next_due_ms_}; }
    void restore(memory before) noexcept;

    const std::vector<last_read>& reads() const { return reads_; }
    const decide::decision& last_decision() const { return last_; }
    // A pod and its container without a request.
    struct missing_request {
        std::string pod, container;
    };
    // Returns the one that made a metric of the last decision fail; null: none.
    const missing_request* last_missing_request() const { return missing_request_.get(); }

  private:
    pipeline::read_pods pods() const;
    std::vector<sample> with_words(std::span<const sample> samples) const;
    std::int64_t time_of_write(std::int64_t now_ms) const;
    void keep_past(const past_read& past_read);
    void decide_by_others(const decide::observation& seen);
    void forget_other_states() noexcept;
    void log_history(log_level level, const std::string& what) const;

    pipeline::opened pipeline_;
    decide::state state_;
    std::vector<last_read> reads_;
    decide::decision last_;
    std::unique_ptr<const missing_request> missing_request_;
    std::int64_t next_due_ms_ = 0;
    std::int64_t next_history_ms_ = 0;  // no request for the past before
    std::vector<other_release> others_;
};

// Opens a manifest's sources, which send over services.loop.
result<scaler> open_scaler(const manifest::spec& spec, const source::services& services);

// Describes what a scaler has read, as JSON and as text, for hosts that display it.

// Returns one object per metric: the last value with its age at now_ms, its state, the duration of the read, and the error of a
// failed read.
std::string reads_json(const scaler& scaler, std::int64_t now_ms);

// Returns the source's message about the failed metric, for the texts of conditions.  Valid until the next fetch.
decide::text_details details_of(const scaler& scaler, const decide::decision& decision);

}  // namespace gputide::runtime

// Many scalers on one loop: when each is polled, what it read, what it decided, and which events the host gets.  Input: scalers,
// observations and pushed samples from any thread, and the time from the driving thread (step).  Output: at most one event per
// scaler, with its newest decision.  Starts no thread, opens no descriptor and reads only the loop's clock; driver/ does these.
// membership.cpp adds, replaces and removes scalers, polls.cpp runs polls, streams.cpp handles servers that report by themselves,
// events.cpp the events.
#pragma once

#include "base/function_ref.hpp"
#include "base/result.hpp"
#include "http/loop.hpp"
#include "http/middle/traffic.hpp"
#include "manifest/spec.hpp"
#include "pipeline/host.hpp"
#include "runtime/controller.hpp"
#include "runtime/fleet/hosted_scaler.hpp"
#include "runtime/fleet/schedule.hpp"
#include "runtime/fleet/stats.hpp"
#include "source/source.hpp"

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace gputide::runtime {

// The host's settings for a fleet, with all defaults filled in.

// A decision this close to its planned time counts as on time; polls are never gathered earlier.
inline constexpr std::int64_t on_time_ms = 1'000;

struct fleet_options {
    bool every_decision = false;  // also for decisions that change nothing
    bool reports = false;         // events contain the decision's JSON
    bool observe_first = false;   // each poll first requests an observation by an event
    bool share = true;            // send equal queries once
    std::uint64_t seed = 0;       // for the start offsets
    std::int64_t poll_timeout_ms = 10'000;
    std::int64_t start_spread_ms = 0;  // 0: the scaler's shorter period
    std::int64_t gather_ms = 100;      // polls due within this time begin together; at most on_time_ms
    std::int64_t share_window_ms = 5'000;
    std::int32_t max_in_flight = 1'024;
    std::int32_t max_per_endpoint = 64;
    std::size_t max_streams = 1'024;  // open at once; in plain text each needs its own connection
    std::int32_t breaker_failures = 5;
    std::int64_t breaker_base_ms = 1'000;
    std::int64_t breaker_cap_ms = 60'000;
};

// A decision for the host, or a poll that waits for the host's observation.
struct fleet_event {
    bool is_due = false;   // a poll is due; only id, tag, name and sequence are set
    bool is_note = false;  // from the attached controller; only id, name, sequence and report are set
    scaler_id id = 0;
    std::uint64_t tag = 0;       // the host's own number for the scaler
    std::string name;            // "namespace/name"
    std::uint64_t sequence = 0;  // 1, 2, 3, ... in the order of take_event()
    // Number of earlier decisions of this scaler that were not taken and that this event replaces
    std::uint32_t replaced = 0;
    std::int64_t observed_ms = 0;  // time of the observation that the decision is based on
    decide::decision decision;
    std::string report;  // set if options.reports
};

class fleet final : public scaler_host {
  public:
    // Both are called on any thread and must not call the fleet.
    struct signals {
        std::function<void()> stirred;             // step() should be called earlier than it returned
        std::function<void(bool)> events_waiting;  // true: the first event waits; false: none waits
    };
    fleet(const fleet_options& options, std::shared_ptr<http::loop> loop, source::services services, signals host);
    ~fleet() override;  // must not be driven any more; stops polls in progress

    // ---- thread-safe; not_found for an unknown id or name
    // Adds a scaler; the host carries out its decisions, which it gets as events.
    result<scaler_id> add(const manifest::spec& spec, const pipeline::host_options& host, std::uint64_t tag = 0) {
        return add(spec, host, tag, nullptr);
    }
    result<scaler_id> add(const manifest::spec& spec, const pipeline::host_options& host,
                          std::shared_ptr<actor> acts) override {
        return add(spec, host, 0, std::move(acts));
    }
    result<void> replace(scaler_id id, const manifest::spec& spec, const pipeline::host_options& host,
                         std::optional<std::uint64_t> tag = std::nullopt) override;
    result<void> remove(scaler_id id) override;
    result<void> poll_soon(scaler_id id) override;
    result<scaler_id> find(const std::string& name) const;  // "namespace/name"
    // Returns the scaler after `id` in a fixed order; 0: the first.  A scaler present during the whole iteration is returned
    // exactly once.
    result<scaler_id> next_scaler(scaler_id id) const;

    result<void> observe(scaler_id id, const decide::observation& observation,
                         std::span<const std::string_view> messages = {}) override;
    result<void> push(scaler_id id, std::span<const sample> samples, std::span<const std::string_view> messages = {});
    result<void> record(scaler_id id, decide::decision& decision, bool applied, std::int64_t now_ms,
                        std::string_view why = {}) override;
    result<std::string> save(scaler_id id) const;
    result<void> load(scaler_id id, std::string_view text);
    result<void> inherit(scaler_id id, const decide::inherited_state& inherited_state) override;
    result<std::string> describe(scaler_id id) const;  // JSON, see docs/runtime.md
    fleet_stats stats() const;

    source::services services_for(const pipeline::host_options& host) const override;

    // Queues a note; drops the oldest above max_notes.
    void queue_note(scaler_id id, std::string name, std::string json) override;
    static constexpr std::size_t max_notes = 1'024;

    std::optional<fleet_event> take_event();
    void put_back(fleet_event event);  // after a failure to pass it on
    bool has_event() const;
    // Waits until there is an event or give_up() returns true (called again after each rouse()). false: timeout.
    bool wait_event(std::int64_t limit_ms, function_ref<bool()> give_up) const;
    void rouse() const;

    // ---- the driving thread only
    // Begins the polls that are due.  wall_ms: Unix time; clock_ms: any clock (poll_clock).  Returns the milliseconds until the
    // next call; -1: not before something changes.
    std::int64_t step(std::int64_t wall_ms, std::int64_t clock_ms);
    std::int64_t next_delay_ms() const;  // as step() returned, or less because of later changes
    // Stops the polls in progress, which are repeated at the next step, and closes all streams, which reopen with each scaler's
    // next poll.
    void interrupt();

  private:
    // Storage for a scaler, reused after its removal.
    struct slot {
        std::unique_ptr<hosted_scaler> hosted;
        std::uint32_t generation = 0;  // number of earlier uses; part of the id
        std::uint32_t stamp = 0;       // of the only valid schedule entry or poll
    };
    // The two halves of an id.
    struct slot_use {
        std::uint32_t index = 0, generation = 0;
    };
    struct poll_time {
        std::int64_t wall_ms = 0, clock_ms = 0, elapsed_ms = 0;
    };
    struct running_poll {
        std::uint32_t index = 0, stamp = 0;
        std::int64_t until_ms = 0;  // steady
    };
    struct queued_event {
        slot_use use;
        std::uint32_t stamp = 0;  // the scaler's event_stamp; if it differs, this entry is obsolete
    };

    // The lower half of an id is the slot's index plus 1, the upper half the number of earlier uses.
    static slot_use use_of(scaler_id id) {
        return {static_cast<std::uint32_t>(id) - 1, static_cast<std::uint32_t>(id >> 32U)};
    }
    static scaler_id id_of(const slot_use& use) {
        return std::uint64_t{use.generation} << 32U | (std::uint64_t{use.index} + 1);
    }
    static error unknown_scaler(scaler_id id);

    using names = std::unordered_multimap<std::size_t, std::uint32_t>;  // hash of the name → slot

    // Require the lock.
    hosted_scaler* at(scaler_id id) const;
    hosted_scaler* at(const slot_use& use) const;
    names::const_iterator named(const std::string& name) const;
    result<std::unique_ptr<hosted_scaler>> open(const manifest::spec& spec, const pipeline::host_options& host) const;
    result<scaler_id> add(const manifest::spec& spec, const pipeline::host_options& host, std::uint64_t tag,
                          std::shared_ptr<actor> acts);
    void join_queries(hosted_scaler& hosted);
    void leave_queries(hosted_scaler& hosted);
    poll_time now() const;
    void plan(std::uint32_t index, std::int64_t delay_ms);
    void plan_from(const poll_time& start, std::uint32_t index, std::int64_t delay_ms);
    void plan_first(std::uint32_t index);
    void place_newcomers();
    void forget_ended();
    void recover_lost();
    void begin(const schedule::item& due);
    void await_host(std::uint32_t index, hosted_scaler& hosted);
    void poll_sources(std::uint32_t index, hosted_scaler& hosted, std::int64_t at_ms);
    void finish(std::uint32_t index, std::uint32_t stamp, all_reads&& reads);
    std::vector<held_stream> open_streams(const slot_use& use, const hosted_scaler& hosted,
                                          std::span<const sample> given, std::uint64_t held);
    void hold_streams(const slot_use& use, hosted_scaler& hosted);
    void drop_streams(hosted_scaler& hosted);
    void take_word(const slot_use& use, std::uint64_t serial, source::stream_report report);
    static void keep_known(hosted_scaler& fresh, const hosted_scaler& before);
    static void note_activity(hosted_scaler& hosted, const all_reads& reads);
    void decide(std::uint32_t index, hosted_scaler& hosted, const std::vector<sample>& samples);
    void note_decision(hosted_scaler& hosted);
    void announce(std::uint32_t index, hosted_scaler& hosted, const decide::decision& before);
    void hand_over(std::uint32_t index, hosted_scaler& hosted) const;
    std::uint32_t drop_event(hosted_scaler& hosted);  // returns the number of waiting decisions
    void line_up(const slot_use& use, hosted_scaler& hosted);
    fleet_event take_note();
    hosted_scaler* waiting_at(const queued_event& entry) const;
    std::int64_t reach_ms() const;
    std::int64_t delay_to_next() const;
    bool counts(const schedule::item& entry) const {
        return slots_[entry.key].hosted && slots_[entry.key].stamp == entry.stamp;
    }

    const fleet_options options_;
    const std::shared_ptr<http::loop> loop_;
    const source::services services_;
    const std::shared_ptr<http::traffic> traffic_;
    const signals signals_;

    mutable std::mutex lock_;  // never held during a callback of the host or the loop
    mutable std::condition_variable event_came_;
    std::vector<slot> slots_;
    std::vector<std::uint32_t> free_;
    names by_name_;
    query_table queries_;
    std::vector<slot_use> newcomers_;   // to be polled, not yet in the schedule
    std::deque<running_poll> running_;  // the earliest deadline first
    std::deque<queued_event> events_;
    std::deque<fleet_event> notes_;
    std::uint64_t sequence_ = 0;
    std::uint64_t last_stream_ = 0;
    bool lacks_streams_ = false;  // and the log says so

    poll_clock clock_;
    schedule schedule_;
    // Removed from the schedule because they begin now; from next_ on still to begin
    std::vector<schedule::item> due_;
    std::size_t next_ = 0;
    std::int64_t step_wall_ms_ = 0, step_steady_ms_ = 0;
    fleet_stats stats_;
};

}  // namespace gputide::runtime

// Many scalers on one loop: when each is polled, what it saw, what it decided, and what the host should know of that.
// In: scalers, observations and pushed samples from any thread, the time from whoever drives (step).  Out: events, one a
// scaler at most, the newest decision in it.  It starts no thread, opens no descriptor and reads no clock but the loop's;
// driver/ does.  membership.cpp has who belongs to it, polls.cpp when they are asked, streams.cpp
// who says by himself that he should be, events.cpp what the host is told.
#pragma once

#include "base/result.hpp"
#include "http/loop.hpp"
#include "http/middle/sharing.hpp"
#include "http/middle/traffic.hpp"
#include "manifest/spec.hpp"
#include "pipeline/host.hpp"
#include "runtime/controller.hpp"
#include "runtime/fleet/hosted_scaler.hpp"
#include "runtime/fleet/options.hpp"
#include "runtime/fleet/schedule.hpp"
#include "runtime/fleet/stats.hpp"
#include "source/source.hpp"

#include <condition_variable>
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

// A decision that the host should know of, or a poll that waits for its observation.
struct fleet_event {
    bool is_due = false;   // the poll; nothing of what follows but id, tag, name and sequence is set
    bool is_note = false;  // from the attached controller: of what follows only id, name, sequence and report are set
    scaler_id id = 0;
    std::uint64_t tag = 0;         // the host's own number of the scaler
    std::string name;              // "namespace/name"
    std::uint64_t sequence = 0;    // 1, 2, 3, ... in the order of taking
    std::uint32_t replaced = 0;    // decisions of the same scaler that nobody took in time, and that this one replaces
    std::int64_t observed_ms = 0;  // of the observation that it stands on
    decide::decision decision;
    std::string report;  // where options.reports
};

class fleet final : public scaler_host {
  public:
    // Both are called on any thread and must not come back into the fleet.
    struct signals {
        std::function<void()> stirred;             // step should be called earlier than it said
        std::function<void(bool)> events_waiting;  // the first event waits, the last one is gone
    };
    fleet(const fleet_options& options, std::shared_ptr<http::loop> loop, source::services services, signals host);
    ~fleet() override;  // must not be driven any more; stops what is under way

    // ---- any thread; not_found for an id or name that is not there
    // The host carries out its decisions, by events.
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
    // The one behind `id` in an order of the fleet's own, 0: the first.  Each that is there all the while comes once.
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

    // Drops the oldest of more than max_notes.
    void queue_note(scaler_id id, std::string name, std::string json) override;
    static constexpr std::size_t max_notes = 1'024;

    std::optional<fleet_event> take_event();
    void put_back(fleet_event event);  // it could not be handed on
    bool has_event() const;
    // Until there is an event or give_up() holds (asked again after each rouse()); false: the time has passed.
    bool wait_event(std::int64_t limit_ms, const std::function<bool()>& give_up) const;
    void rouse() const;

    // ---- one thread at a time, the one that drives the loop
    // Begins the polls that are due.  wall_ms: Unix time; clock_ms: any clock (poll_clock).  Returns the milliseconds
    // until it wants to be called again; -1: not before something stirs.
    std::int64_t step(std::int64_t wall_ms, std::int64_t clock_ms);
    std::int64_t next_delay_ms() const;  // as step returned it, or sooner by what happened since
    // Stops the polls under way, whose scalers are polled again at the next step, and closes all streams, which come back with
    // each scaler's next poll.
    void interrupt();

  private:
    // A place for a scaler, taken again after it was removed.
    struct slot {
        std::unique_ptr<hosted_scaler> hosted;
        std::uint32_t generation = 0;  // how often it was taken before; part of the id
        std::uint32_t stamp = 0;       // of the one schedule entry or poll that counts
    };
    // An id in its two halves.
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
        std::uint32_t stamp = 0;  // the scaler's event_stamp; another one: this entry was given up
    };

    // The lower half is the slot's number from 1, the upper one how often the slot was used before.
    static slot_use use_of(scaler_id id) {
        return {static_cast<std::uint32_t>(id) - 1, static_cast<std::uint32_t>(id >> 32U)};
    }
    static scaler_id id_of(const slot_use& use) {
        return std::uint64_t{use.generation} << 32U | (std::uint64_t{use.index} + 1);
    }
    static error unknown_scaler(scaler_id id);

    using names = std::unordered_multimap<std::size_t, std::uint32_t>;  // the name's hash to its slot

    // Under the lock, all of these.
    hosted_scaler* at(scaler_id id) const;
    hosted_scaler* at(const slot_use& use) const;
    names::const_iterator named(const std::string& name) const;
    result<std::unique_ptr<hosted_scaler>> open(const manifest::spec& spec, const pipeline::host_options& host) const;
    result<scaler_id> add(const manifest::spec& spec, const pipeline::host_options& host, std::uint64_t tag,
                          std::shared_ptr<actor> acts);
    void join_queries(hosted_scaler& hosted);
    void leave_queries(hosted_scaler& hosted);
    void inherit(hosted_scaler& fresh, hosted_scaler& before) const;
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
    void finish(std::uint32_t index, std::uint32_t stamp, all_reads reads);
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
    std::uint32_t drop_event(hosted_scaler& hosted);  // how many decisions waited
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
    const std::shared_ptr<http::sharing> sharing_;
    const signals signals_;

    mutable std::mutex lock_;  // never held while a callback of the host or of the loop runs
    mutable std::condition_variable event_came_;
    std::vector<slot> slots_;
    std::vector<std::uint32_t> free_;
    names by_name_;
    query_table queries_;
    std::vector<slot_use> newcomers_;   // to be polled, and not yet in the schedule
    std::deque<running_poll> running_;  // the earliest deadline first
    std::deque<queued_event> events_;
    std::deque<fleet_event> notes_;
    std::uint64_t sequence_ = 0;
    std::uint64_t last_stream_ = 0;
    bool lacks_streams_ = false;  // and the log has it

    poll_clock clock_;
    schedule schedule_;
    std::vector<schedule::item> due_;  // not in the schedule, as they begin now: from next_ on still to do
    std::size_t next_ = 0;
    std::int64_t step_wall_ms_ = 0, step_steady_ms_ = 0;
    fleet_stats stats_;
};

}  // namespace gputide::runtime

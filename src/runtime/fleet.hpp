// Many scalers on one loop: when each is polled, what it saw, what it decided, and who is to be told.
// In: scalers and observations from any thread, the time from whoever drives (step).  Out: events, one a scaler at most, the
// newest decision in it.  It starts no thread, opens no descriptor and reads no clock but the loop's; drive.hpp does.
#pragma once

#include "auth/credential.hpp"
#include "base/result.hpp"
#include "config/spec.hpp"
#include "http/loop.hpp"
#include "http/middle/sharing.hpp"
#include "http/middle/traffic.hpp"
#include "runtime/fleet_options.hpp"
#include "runtime/fleet_stats.hpp"
#include "runtime/member.hpp"
#include "runtime/pace.hpp"
#include "runtime/questions.hpp"
#include "runtime/schedule.hpp"
#include "source/source.hpp"

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace gputide::runtime {

using scaler_id = std::uint64_t;  // never 0, never used again

// A decision that the host should know of, or a poll that waits for its observation.
struct fleet_event {
    bool is_due = false;  // the poll; nothing of what follows but id, name and sequence is set
    scaler_id id = 0;
    std::string name;              // "namespace/name"
    std::uint64_t sequence = 0;    // 1, 2, 3, ... in the order of taking
    std::uint32_t replaced = 0;    // decisions of the same scaler that nobody took in time, and that this one replaces
    std::int64_t observed_ms = 0;  // of the observation that it stands on
    decide::decision made;
    std::string report;  // where options.reports
};

class fleet {
  public:
    // Both are called on any thread and must not come back into the fleet.
    struct signals {
        std::function<void()> stirred;             // step should be called earlier than it said
        std::function<void(bool)> events_waiting;  // the first event waits, the last one is gone
    };
    fleet(const fleet_options& with, std::shared_ptr<http::loop> on, source::services services, signals to);
    ~fleet();  // nobody may be driving; what is under way is stopped
    fleet(const fleet&) = delete;
    fleet& operator=(const fleet&) = delete;

    // ---- any thread
    result<scaler_id> add(const config::spec& from, const auth::host_permissions& permissions);
    // The same name; state, observation and time of the next poll stay.  A state that does not fit the new manifest begins
    // afresh.
    result<void> replace(scaler_id which, const config::spec& from, const auth::host_permissions& permissions);
    result<void> remove(scaler_id which);
    result<scaler_id> find(const std::string& name) const;  // "namespace/name"
    result<void> observe(scaler_id which, const decide::observation& from);
    // How the write of made.desired_replicas went; applied: the size is from now on taken to be that.
    result<void> record(scaler_id which, decide::decision& made, bool applied, std::int64_t now_ms);
    result<std::string> save(scaler_id which) const;
    result<void> load(scaler_id which, std::string_view text);
    result<std::string> describe(scaler_id which) const;  // JSON, see docs/runtime.md
    fleet_stats stats() const;

    std::optional<fleet_event> take_event();
    void put_back(fleet_event event);  // it could not be handed on
    bool has_event() const;
    // Until there is an event or give_up() holds (asked again after each rouse()); false: until_passed.
    bool wait_event(std::int64_t most_ms, const std::function<bool()>& give_up) const;
    void rouse() const;

    // ---- one thread at a time, the one that drives the loop
    // Begins the polls that are due.  wall_ms: Unix time; clock_ms: any clock (pace.hpp).  Returns the milliseconds until it
    // wants to be called again; -1: not before something stirs.
    std::int64_t step(std::int64_t wall_ms, std::int64_t clock_ms);
    std::int64_t next_delay_ms() const;  // as step returned it, or sooner by what happened since
    // Stops the polls under way; their scalers are polled again at the next step.
    void interrupt();

  private:
    struct slot {
        std::unique_ptr<member> is;
        std::uint32_t generation = 0;  // of the id
        std::uint32_t stamp = 0;       // of the one schedule entry or poll that counts
    };
    struct moment {
        std::int64_t wall_ms = 0, pace_ms = 0, elapsed_ms = 0;
    };
    struct watch {
        std::uint32_t index = 0, stamp = 0;
        std::int64_t until_ms = 0;  // steady
    };
    struct reference {
        std::uint32_t index = 0, generation = 0;
    };

    struct event_place {
        reference of;
        std::uint32_t stamp = 0;  // the member's; another one: this place was given up
    };

    using names = std::unordered_multimap<std::size_t, std::uint32_t>;  // the name's hash to its slot

    // Under the lock, all of these.
    member* at(scaler_id which) const;
    member* at(const reference& which) const;
    names::const_iterator named(const std::string& name) const;
    static reference reference_of(scaler_id which);
    static scaler_id id_of(const reference& which);
    static error unknown(scaler_id which);
    result<std::unique_ptr<member>> make(const config::spec& from, const auth::host_permissions& permissions) const;
    void join(member& one);
    void leave(member& one);
    moment now() const;
    void plan(std::uint32_t index, std::int64_t delay_ms);
    void plan_from(const moment& at, std::uint32_t index, std::int64_t delay_ms);
    void plan_first(std::uint32_t index);
    void place_newcomers();
    void forget_ended();
    void recover_lost();
    void begin(const schedule::item& due);
    void call_host(std::uint32_t index, member& one);
    void ask(std::uint32_t index, member& one, std::int64_t at_ms);
    void finish(std::uint32_t index, std::uint32_t stamp, std::vector<last_read> reads);
    void settle(std::uint32_t index, member& one, const std::vector<sample>& samples);
    void tell(std::uint32_t index, member& one, const decide::decision& before);
    std::uint32_t untell(member& one);  // nothing of it waits any more; how many decisions did
    void line_up(const reference& which, member& one);
    member* waiting_at(const event_place& place) const;
    std::int64_t reach_ms() const;
    std::int64_t delay_to_next() const;
    bool counts(const schedule::item& one) const { return slots_[one.key].is && slots_[one.key].stamp == one.stamp; }

    const fleet_options with_;
    const std::shared_ptr<http::loop> on_;
    const source::services services_;
    const std::shared_ptr<http::traffic> traffic_;
    const std::shared_ptr<http::sharing> sharing_;
    const signals to_;

    mutable std::mutex lock_;  // never held while a callback of the host or of the loop runs
    mutable std::condition_variable told_;
    std::vector<slot> slots_;
    std::vector<std::uint32_t> free_;
    names by_name_;
    questions questions_;
    std::vector<reference> newcomers_;  // to be polled, and not yet in the schedule
    std::deque<watch> watched_;         // polls under way, the earliest deadline first
    std::deque<event_place> events_;
    std::uint64_t sequence_ = 0;

    pace pace_;
    schedule schedule_;
    std::vector<schedule::item> due_;  // not in the schedule, as they begin now: from next_ on still to do
    std::size_t next_ = 0;
    std::int64_t step_wall_ms_ = 0, step_steady_ms_ = 0;
    fleet_stats stats_;
};

}  // namespace gputide::runtime

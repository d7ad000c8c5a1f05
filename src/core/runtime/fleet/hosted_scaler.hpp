// One scaler of a fleet: the running manifest (scaler.hpp) with the state that the fleet keeps for it: the observation, writes
// without a recorded result, and the queries that it shares with other scalers.
#pragma once

#include "base/format_text.hpp"
#include "decide/decision.hpp"
#include "decide/observation.hpp"
#include "http/exchange.hpp"
#include "http/loop.hpp"
#include "runtime/controller.hpp"
#include "runtime/fleet/stats.hpp"
#include "runtime/scaler.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace gputide::runtime {

class kept_observation {
  public:
    kept_observation() = default;
    // messages: as for push().
    explicit kept_observation(const decide::observation& observation, std::span<const std::string_view> messages = {});

    bool is_given() const { return is_given_; }        // the host has reported the target's size
    std::int64_t time_ms() const { return time_ms_; }  // time of the host's observation
    std::int32_t replicas() const { return spec_replicas_; }
    std::int32_t ready() const { return ready_replicas_; }  // negative: unknown
    // One per metric, or empty; state not_given: nothing was pushed for that metric yet.
    std::span<const sample> pushed() const;

    // Returns the host's reason for a missing value, or "".
    std::string_view pushed_message(std::size_t metric) const;

    // Takes the given samples and keeps the others. messages: one per sample, or empty: the reasons for missing values.
    void push(std::span<const sample> samples, std::span<const std::string_view> messages = {});

    // Takes missing samples from the previous observation.
    void keep_pushed(const kept_observation& before);

    // Records that the host has changed the target's size.
    void resize(std::int32_t replicas, std::int64_t now_ms);

    // Returns the observation.  Valid while this object and the samples live.
    decide::observation at(std::int64_t now_ms, std::span<const sample> samples) const;

  private:
    // Rarely used members.
    struct extras {
        std::vector<sample> pushed;
        std::vector<std::string> messages;  // for the pushed samples, if any has one
        std::vector<std::string> pod_names;
        std::vector<decide::pod> pods;                // names point into pod_names
        std::vector<decide::pod_sample> pod_samples;  // containers point into `containers`
        std::deque<std::string> containers;
        std::string scale_error;
        std::int32_t startable_replicas = -1;
        bool asks_back = false;
        std::string no_capacity;
    };

    extras& more();
    void keep_pods(const decide::observation& observation);

    std::int64_t time_ms_ = 0;
    std::int32_t spec_replicas_ = 0, status_replicas_ = -1, ready_replicas_ = -1;
    bool scale_readable_ = true;
    bool lists_pods_ = false;
    bool is_given_ = false;
    std::unique_ptr<extras> extras_;
};

// The writes that events have requested and that have no recorded result, by the ids of their decisions.  Each can be recorded
// once.  The size is limited, also for a host that never records.

class unrecorded_writes {
  public:
    void reserve();  // allocates what add() needs; throws std::bad_alloc
    // Ignores a decision without a write.  Drops the oldest write above `capacity`.
    void add(const decide::decision& decision) noexcept;
    bool has(const decide::decision& decision) const noexcept;
    void settle(const decide::decision& decision) noexcept;    // and all earlier ones
    void withdraw(const decide::decision& decision) noexcept;  // removes the newest: the host did not get it
    void clear() noexcept { writes_.reset(); }

  private:
    // A host with several threads runs a few writes at a time: a write takes seconds, a period 15 s.
    static constexpr std::size_t capacity = 4;

    struct list {
        std::array<std::uint64_t, capacity> ids{};  // the oldest first
        std::size_t count = 0;
    };
    std::unique_ptr<list> writes_;  // null: none, the usual case
};

// Equal queries of a fleet's scalers, and the loop over which a scaler's sources send: it shares the responses to equal queries
// and sends all others directly.

// A query (source::metric_source::query_key) and the number of metrics with this query.
struct shared_query {
    std::array<unsigned char, 16> key{};  // first bytes of the key's SHA-256, because the key may contain headers
    std::atomic<std::uint32_t> askers{0};
};

// Not thread-safe: guarded by the fleet's lock.
class query_table {
  public:
    std::shared_ptr<shared_query> join(const std::string& query_key);
    void leave(const std::shared_ptr<shared_query>& query);
    std::size_t size() const { return all_.size(); }

  private:
    struct hash {
        std::size_t operator()(const std::array<unsigned char, 16>& key) const {
            std::size_t out = 0;
            std::memcpy(&out, key.data(), sizeof out);
            return out;
        }
    };
    std::unordered_map<std::array<unsigned char, 16>, std::shared_ptr<shared_query>, hash> all_;
};

// The loop of one scaler's sources.
class query_route final : public http::relay {
  public:
    explicit query_route(const std::shared_ptr<http::traffic>& traffic) : relay(traffic), traffic_(*traffic) {}

    void set_queries(std::vector<std::shared_ptr<shared_query>> queries) {  // before the first send
        queries_ = std::move(queries);
    }
    const std::vector<std::shared_ptr<shared_query>>& queries() const { return queries_; }
    // Tells whether another scaler, or another metric of this one, has one of the same queries.
    bool has_company() const;

    http::ticket send(http::outgoing request, std::int64_t deadline_ms, callback<void(http::answer)> done) override {
        return has_company() ? traffic_.send_shared(std::move(request), deadline_ms, std::move(done))
                             : traffic_.send(std::move(request), deadline_ms, std::move(done));
    }

  private:
    http::traffic& traffic_;  // owned as behind_
    std::vector<std::shared_ptr<shared_query>> queries_;
};

// An open stream (listener.hpp), which ends with this object.
struct held_stream {
    held_stream(std::uint64_t its_serial, std::size_t of_metric, std::shared_ptr<http::posted> listening,
                std::weak_ptr<const bool> its_baton)
        : serial(its_serial), metric(of_metric), listener(std::move(listening)), baton(std::move(its_baton)) {}
    held_stream(held_stream&&) noexcept = default;
    held_stream& operator=(held_stream&& other) noexcept {  // this object's stream ends with `other`
        std::swap(serial, other.serial);
        std::swap(metric, other.metric);
        std::swap(known, other.known);
        std::swap(awaits_poll, other.awaits_poll);
        std::swap(listener, other.listener);
        std::swap(baton, other.baton);
        return *this;
    }
    ~held_stream() {
        if (listener) listener->cancel();
    }

    bool take(source::stream_report report);

    std::uint64_t serial = 0;  // unique in the fleet
    std::size_t metric = 0;
    activity_word known = activity_word::none;  // last known activity
    bool awaits_poll = false;  // `known` is the first report, which the poll in progress will confirm or not
    std::shared_ptr<http::posted> listener;
    // The listener's; expired: the listener ended for lack of memory and will not reopen the stream
    std::weak_ptr<const bool> baton;
};

struct hosted_scaler {
    hosted_scaler(runtime::scaler manifest_at_work, std::shared_ptr<query_route> its_route)
        : scaler(std::move(manifest_at_work)), route(std::move(its_route)) {}

    runtime::scaler scaler;
    std::shared_ptr<query_route> route;  // used by its sources
    std::shared_ptr<actor> acts;         // carries out its decisions; null: the host, by events
    kept_observation observation;
    unrecorded_writes unrecorded;
    std::shared_ptr<http::posted> poll;      // in progress; null: none
    std::vector<held_stream> streams;        // from its first poll on
    std::unique_ptr<std::string> report;     // of the newest decision, while its event waits; null: none
    std::uint64_t tag = 0;                   // the host's own
    std::int64_t planned_ms = 0;             // planned time of its next poll, on the poll clock's elapsed time
    std::int64_t polled_ms = 0;              // Unix time of the poll in progress, or of the last one
    std::int64_t began_ms = 0;               // steady clock, start of its last poll
    std::int64_t wanted_ms = not_requested;  // steady clock: a stream wants the next poll to begin by then
    std::uint64_t polls = 0;
    scaler_lateness lateness;
    std::uint32_t waiting_decisions = 0;  // in its one event; 0: no decision waits
    std::uint32_t event_stamp = 0;        // of its entry in the queue of events
    std::uint32_t loaded_decisions = 0;   // number of decisions of a loaded state, which had no event in this process
    bool polls_soon = false;              // is placed in the schedule immediately
    bool polling = false;
    bool answers_stream = false;      // a stream requested the poll in progress or the next one
    bool awaits_observation = false;  // its next poll is due (options.observe_first)
    bool due_event_taken = false;     // the host has taken the event
    bool observation_came = false;    // the poll may begin

    static constexpr std::int64_t not_requested = std::numeric_limits<std::int64_t>::max();

    bool has_event() const { return waiting_decisions > 0 || (awaits_observation && !due_event_taken); }

    // Returns the shorter of the scaler's two periods; the HPA half's period if a poll uses that half's reads.
    std::int64_t period_ms() const;
    std::int64_t longest_period_ms() const;
    std::string name() const {
        return format_text("{}/{}", scaler.policy().scaling.name_space, scaler.policy().scaling.name);
    }
    bool has_source() const;  // some metric has a source; otherwise the host pushes them all
    bool wants_streams() const;
    bool has_stream(std::size_t metric) const;
    // Tells whether an event had the decision, or a loaded state did: its write may have been cut off by a crash.
    bool may_record(const decide::decision& decision) const;
};

// Tells whether the host gets an event: a write is due, or something differs from the previous decision.
bool is_news(const decide::decision& before, const decide::decision& decision);

}  // namespace gputide::runtime

// One scaler of a fleet: the running manifest (scaler.hpp) with the state that the fleet keeps for it: the observation, writes
// without a recorded result, the queries that it shares with other scalers, and its open streams.
#pragma once

#include "base/format_text.hpp"
#include "decide/decision.hpp"
#include "decide/observation.hpp"
#include "http/exchange.hpp"
#include "http/loop.hpp"
#include "runtime/controller.hpp"
#include "runtime/fleet/stats.hpp"
#include "runtime/scaler.hpp"
#include "source/source.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <functional>
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

// Keeps a source's stream open, on which the server reports by itself (source::traits::pushes), and reopens it after its end with
// a delay.  Calls on_report for each report, on the loop's thread.  Never gives up, unless it runs out of memory.

// The delay before a stream is reopened.  Pure.  KEDA's delays (kedacore/keda pkg/scalers/external_scaler.go): 2 s, doubled up to
// one minute, and 2 s again after a regular end.  Two differences protect the server.  An end before any report is not a regular
// end.  Each delay is longer by up to a half, because a server that restarts breaks all its streams at once.  One difference
// helps the workload: after a few broken streams KEDA keeps the delay of one minute; here a stream that lasted a minute resets
// it.
class reopening {
  public:
    struct life {
        std::int64_t lasted_ms = 0;
        bool had_word = false;
    };
    // uniform: [0, 1).
    std::int64_t wait_ms(const source::stream_end& end, const life& before, double uniform);

  private:
    static constexpr std::int64_t shortest_ms = 2'000;
    static constexpr std::int64_t longest_ms = 60'000;

    std::int64_t next_ms_ = shortest_ms;
};

class listener final : public http::exchange, public std::enable_shared_from_this<listener> {
  public:
    // name: of scaler and metric, for the log.
    listener(std::shared_ptr<http::loop> loop, std::shared_ptr<source::metric_source> source, std::string name,
             std::function<void(source::stream_report)> on_report);

    // Passed from each pending callback to the next one: it expires if a callback is lost for lack of memory.  Its value is not
    // used.
    using baton = std::shared_ptr<const bool>;

    void open(baton held);
    void cancel() override;

  private:
    void take(source::stream_report report);
    void end(const source::stream_end& end, const baton& held);

    const std::shared_ptr<http::loop> loop_;
    const std::shared_ptr<source::metric_source> source_;
    const std::string name_;
    const std::function<void(source::stream_report)> on_report_;
    reopening plan_;
    std::shared_ptr<http::exchange> stream_;
    http::ticket wait_ = 0;
    std::int64_t opened_ms_ = 0;
    bool had_word_ = false;    // on the open stream
    bool is_failing_ = false;  // and the log says so
    bool is_cancelled_ = false;
};

// An open stream, which ends with this object.
struct held_stream {
    bool take(source::stream_report report);

    std::uint64_t serial = 0;  // unique in the fleet
    std::size_t metric = 0;
    activity_word known = activity_word::none;  // last known activity
    bool awaits_poll = false;  // `known` is the first report, which the poll in progress will confirm or not
    std::shared_ptr<http::posted> listener;  // canceled by its last owner
    // The listener's; expired: the listener ended for lack of memory and will not reopen the stream
    std::weak_ptr<const bool> baton;
};

// The part of a scaler's state that a replacement takes over.
struct hosted_state {
    static constexpr std::int64_t not_requested = std::numeric_limits<std::int64_t>::max();

    std::shared_ptr<actor> acts;  // carries out its decisions; null: the host, by events
    kept_observation observation;
    unrecorded_writes unrecorded;
    std::uint64_t tag = 0;                   // the host's own
    std::int64_t planned_ms = 0;             // planned time of its next poll, on the poll clock's elapsed time
    std::int64_t began_ms = 0;               // steady clock, start of its last poll
    std::int64_t wanted_ms = not_requested;  // steady clock: a stream wants the next poll to begin by then
    std::uint64_t polls = 0;
    std::uint32_t event_stamp = 0;       // of its entry in the queue of events
    std::uint32_t loaded_decisions = 0;  // number of decisions of a loaded state, which had no event in this process
    bool answers_stream = false;         // a stream requested the poll in progress or the next one
    bool observation_came = false;       // the poll may begin
};

struct hosted_scaler : hosted_state {
    hosted_scaler(runtime::scaler manifest_at_work, std::shared_ptr<query_route> its_route)
        : scaler(std::move(manifest_at_work)), route(std::move(its_route)) {}

    bool polls_soon = false;  // is placed in the schedule immediately
    bool polling = false;
    bool awaits_observation = false;      // its next poll is due (options.observe_first)
    bool due_event_taken = false;         // the host has taken the event
    std::uint32_t waiting_decisions = 0;  // in its one event; 0: no decision waits
    runtime::scaler scaler;
    std::shared_ptr<query_route> route;   // used by its sources
    std::shared_ptr<http::posted> poll;   // in progress; null: none
    std::vector<held_stream> streams;     // from its first poll on
    std::unique_ptr<std::string> report;  // of the newest decision, while its event waits; null: none
    std::int64_t polled_ms = 0;           // Unix time of the poll in progress, or of the last one
    scaler_lateness lateness;

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

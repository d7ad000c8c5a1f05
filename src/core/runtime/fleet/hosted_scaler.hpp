// One scaler of a fleet: the manifest at work (scaler.hpp) with what the fleet remembers beside it: the observation, writes that wait
// for their record, and which queries it shares with other scalers.
#pragma once

#include "base/format_text.hpp"
#include "decide/decision.hpp"
#include "decide/observation.hpp"
#include "http/middle/relay.hpp"
#include "http/retry.hpp"
#include "runtime/controller.hpp"
#include "runtime/fleet/lateness.hpp"
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

    bool is_given() const { return is_given_; }        // the host has said how large the target is
    std::int64_t time_ms() const { return time_ms_; }  // when the host saw it
    std::int32_t replicas() const { return spec_replicas_; }
    std::int32_t ready() const { return ready_replicas_; }  // negative: unknown
    // One a metric, or none; state not_given: nothing was pushed for that metric yet.
    std::span<const sample> pushed() const;

    // Why there is no number, in the host's words; "" where it said nothing.
    std::string_view pushed_message(std::size_t metric) const;

    // Takes the samples that are given; the others stay as they were.
    // messages: one per sample, or none: why there is no number.
    void push(std::span<const sample> samples, std::span<const std::string_view> messages = {});

    // Samples that this one lacks come from the observation before it.
    void keep_pushed(const kept_observation& before);

    // The target's size was changed to this by the host itself.
    void resize(std::int32_t replicas, std::int64_t now_ms);

    // Valid while this object and the samples live.
    decide::observation at(std::int64_t now_ms, std::span<const sample> samples) const;

  private:
    // Rarely there.
    struct extras {
        std::vector<sample> pushed;
        std::vector<std::string> messages;  // of the pushed samples, as far as any has one
        std::vector<std::string> pod_names;
        std::vector<decide::pod> pods;                // their names lie in pod_names
        std::vector<decide::pod_sample> pod_samples;  // their containers lie in `containers`
        std::deque<std::string> containers;
        std::string scale_error;
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

// The writes that events have asked for and of which the host has not said yet how they went, by their decisions' ids.  A record
// is taken for one of these, and once; a host that never records costs nothing that grows.

class unrecorded_writes {
  public:
    void make_room();  // what add() needs; throws std::bad_alloc
    // Ignores a decision that wants no write.  Drops the oldest write beyond `capacity`.
    void add(const decide::decision& decision) noexcept;
    bool has(const decide::decision& decision) const noexcept;
    void settle(const decide::decision& decision) noexcept;    // and those handed out before it
    void withdraw(const decide::decision& decision) noexcept;  // the newest: the host has not seen it after all
    void clear() noexcept { writes_.reset(); }

  private:
    // A host with several threads writes a few at a time: a write takes seconds, a period fifteen.
    static constexpr std::size_t capacity = 4;

    struct list {
        std::array<std::uint64_t, capacity> ids{};  // the oldest first
        std::size_t count = 0;
    };
    std::unique_ptr<list> writes_;  // null: none, which is nearly always so
};

// Equal queries of a fleet's scalers, and the loop over which a scaler's sources send: it shares the responses to equal queries,
// and sends all others directly.

// One query (source::metric_source::query_key) and how many metrics ask it.
struct shared_query {
    std::array<unsigned char, 16> key{};  // the beginning of the key's SHA-256: it may hold headers as written
    std::atomic<std::uint32_t> askers{0};
};

// Not thread-safe: the fleet's lock guards it.
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
    query_route(std::shared_ptr<http::loop> shared, std::shared_ptr<http::loop> alone)
        : relay(std::move(alone)), shared_(std::move(shared)) {}

    void set_queries(std::vector<std::shared_ptr<shared_query>> queries) {  // before the first send
        queries_ = std::move(queries);
    }
    const std::vector<std::shared_ptr<shared_query>>& queries() const { return queries_; }
    // Another scaler, or another metric of this one, asks one of the same queries.
    bool has_company() const;

    http::ticket send(http::outgoing request, std::int64_t deadline_ms, callback<void(http::answer)> done) override {
        return (has_company() ? shared_ : behind_)->send(std::move(request), deadline_ms, std::move(done));
    }
    void cancel(http::ticket id) override { shared_->cancel(id); }  // which hands on what is not its own

  private:
    const std::shared_ptr<http::loop> shared_;
    std::vector<std::shared_ptr<shared_query>> queries_;
};

// One scaler of a fleet: the manifest at work (scaler.hpp) with what the fleet remembers beside it.

// A stream that is kept open (listener.hpp), until this goes.
struct held_stream {
    held_stream(std::uint64_t its_serial, std::size_t of_metric, std::shared_ptr<http::posted> listening,
                std::weak_ptr<const bool> its_baton)
        : serial(its_serial), metric(of_metric), listener(std::move(listening)), baton(std::move(its_baton)) {}
    held_stream(held_stream&&) noexcept = default;
    held_stream& operator=(held_stream&& other) noexcept {  // what this one kept open ends with the other
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

    std::uint64_t serial = 0;  // which the fleet gives once
    std::size_t metric = 0;
    activity_word known = activity_word::none;  // what was said or found last
    bool awaits_poll = false;                   // that is its first word, which the poll under way will bear out or not
    std::shared_ptr<http::posted> listener;
    std::weak_ptr<const bool> baton;  // the listener's; expired: it was cut off, and will not open the stream again
};

struct hosted_scaler {
    hosted_scaler(runtime::scaler manifest_at_work, std::shared_ptr<query_route> its_route)
        : scaler(std::move(manifest_at_work)), route(std::move(its_route)) {}

    runtime::scaler scaler;
    std::shared_ptr<query_route> route;  // that its sources send over
    std::shared_ptr<actor> acts;         // carries out its decisions; null: the host, by events
    kept_observation observation;
    unrecorded_writes unrecorded;
    std::shared_ptr<http::posted> poll;     // under way; null: none
    std::vector<held_stream> streams;       // from its first poll on
    std::unique_ptr<std::string> report;    // of the newest decision, while its event waits; null: none
    std::uint64_t tag = 0;                  // the host's own
    std::int64_t planned_ms = 0;            // when its next poll was to be, on the poll clock's elapsed time
    std::int64_t polled_ms = 0;             // Unix: the time of the poll under way, or of the last one
    std::int64_t began_ms = 0;              // steady: when its last poll began
    std::int64_t wanted_ms = nobody_wants;  // steady: by when a stream wants the next one to begin
    std::uint64_t polls = 0;
    rise last_rise;
    std::uint32_t waiting_decisions = 0;  // that the one event stands for; 0: no decision waits to be taken
    std::uint32_t event_stamp = 0;        // of its entry in the line of events
    std::uint32_t loaded_decisions = 0;   // that a loaded state had made: no event of this process carried them
    bool polls_soon = false;              // it is to be placed in the schedule at once
    bool polling = false;
    bool answers_stream = false;      // the poll under way, or the next one, was wanted by a stream
    bool awaits_observation = false;  // its next poll is due (options.observe_first)
    bool due_event_taken = false;     // and the host knows
    bool observation_came = false;    // the poll may begin

    static constexpr std::int64_t nobody_wants = std::numeric_limits<std::int64_t>::max();

    bool has_event() const { return waiting_decisions > 0 || (awaits_observation && !due_event_taken); }

    // Returns the shorter of the scaler's two periods; the HPA half's if the poll takes that half's reads.
    std::int64_t period_ms() const;
    std::int64_t longest_period_ms() const;
    std::string name() const {
        return format_text("{}/{}", scaler.policy().scaling.name_space, scaler.policy().scaling.name);
    }
    bool has_source() const;  // some metric is asked for; else the host pushes them all
    bool wants_streams() const;
    bool has_stream(std::size_t metric) const;
    // An event carried the decision, or the last process made it and its state was loaded: of a write that a crash cut off.
    bool may_record(const decide::decision& decision) const;
};

// Whether the host wants to know: a write is due, or something differs from the decision before.
bool is_news(const decide::decision& before, const decide::decision& decision);

}  // namespace gputide::runtime

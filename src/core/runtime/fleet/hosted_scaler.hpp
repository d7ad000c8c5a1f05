// One scaler of a fleet: the manifest at work (scaler.hpp) with what the fleet remembers beside it.
#pragma once

#include "base/format_text.hpp"
#include "http/retry.hpp"
#include "runtime/controller.hpp"
#include "runtime/fleet/kept_observation.hpp"
#include "runtime/fleet/queries.hpp"
#include "runtime/fleet/unrecorded_writes.hpp"
#include "runtime/scaler.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace gputide::runtime {

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

    // How often something of it is due: the shorter of its two periods, and the HPA half's where the poll takes that half's reads.
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

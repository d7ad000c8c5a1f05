// One read of all metrics of a scaler, and of a metric's past if its forecast starts: queries the sources in parallel over a loop
// and collects the results. scaler.hpp uses the results; fleet.hpp decides when to read.
#pragma once

#include "decide/forecast/history.hpp"
#include "http/exchange.hpp"
#include "http/loop.hpp"
#include "source/source.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace gputide::runtime {

// Reads the past of one metric by range queries, in pieces of a size that servers accept. decide/forecast/history.hpp decides
// which past a forecast needs, and evaluates it.

struct past_read {
    decide::history_span over;
    std::vector<sample> samples;       // one per step, for the pieces that arrived
    std::shared_ptr<const error> why;  // of the first piece that failed; null: all arrived
};

// The last read of one metric.
struct last_read {
    sample value;
    std::shared_ptr<const error> why;  // null if value.state is ok, or if it was never read
    std::int64_t read_ms = 0;          // Unix; 0: never
    std::int64_t took_ms = 0;
    std::shared_ptr<const pod_reading> pods;  // for Pods and Resource metrics that a source reads
};

struct read_plan {
    std::int64_t now_ms = 0;                   // evaluation time of the queries
    std::int64_t deadline_ms = 0;              // steady clock; each read ends by then with a value or a reason
    std::span<const sample> given;             // empty, or one per metric; state not_given: the source is queried
    std::optional<decide::history_span> past;  // requires a source with range queries
};

struct all_reads {
    std::vector<last_read> metrics;  // one per metric; read_ms 0: not read
    std::optional<past_read> past;   // set if the plan requests it
};

// `done` never runs inside this call.  The sources are kept alive until `done` runs.  Must be called on the loop's thread.
std::shared_ptr<http::exchange> read_metrics(http::loop& loop,
                                             const std::vector<std::shared_ptr<source::metric_source>>& sources,
                                             const read_plan& plan, callback<void(all_reads)> done);

}  // namespace gputide::runtime

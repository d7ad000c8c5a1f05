// One read of all the metrics of a scaler, and of one's past where its forecast starts: the sources are asked side by side over a
// loop, and the answers come together.
// What a scaler does with them (scaler.hpp) and when it asks (fleet.hpp) is decided elsewhere.
#pragma once

#include "http/exchange.hpp"
#include "http/loop.hpp"
#include "runtime/history.hpp"
#include "source/source.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace gputide::runtime {

// The last read of one metric.
struct last_read {
    sample value;
    std::shared_ptr<const error> why;  // null where value.state is ok or nobody asked yet
    std::int64_t read_ms = 0;          // Unix; 0: never
    std::int64_t took_ms = 0;
    std::shared_ptr<const pod_reading> pods;  // of Pods and Resource metrics that a source reads
};

struct read_plan {
    std::int64_t now_ms = 0;        // the time that the queries are evaluated at
    std::int64_t deadline_ms = 0;   // steady clock; each read ends by then with a value or a reason
    std::span<const sample> given;  // empty, or one a metric: state not_given means that the source is to be asked
    std::optional<decide::history_span> past;  // of a metric whose source keeps its past
};

struct all_reads {
    std::vector<last_read> metrics;  // one a metric; read_ms 0: nobody could be asked
    std::optional<past_read> past;   // where the plan asks for it
};

// `done` never runs inside this call.  The sources are kept alive until then.  On the loop's thread.
std::shared_ptr<http::exchange> read_metrics(http::loop& loop,
                                             const std::vector<std::shared_ptr<source::metric_source>>& sources,
                                             const read_plan& plan, std::function<void(all_reads)> done);

}  // namespace gputide::runtime

// Writes a change of a node pool: reads the pool, compares, writes with If-Match: ETag, and follows the operation to its end.  No
// other code of this library writes to Azure.
#pragma once

#include "auth/authenticator.hpp"
#include "http/exchange.hpp"
#include "kubernetes/aks/pool.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace gputide::aks {

enum class write_state : std::int32_t {
    dry = 0,        // the change would be written
    unchanged = 1,  // the pool already has this size
    succeeded = 2,
    running = 3,  // accepted, but not finished before the deadline
};

struct write_outcome {
    write_state state = write_state::dry;
    pool_size before;
    pool_size after;
};

// Starts a change.  Reads the pool again if another client changed it meanwhile (412), at most three times.  Ends with
// status::unavailable and a retry delay if another operation is in progress on the cluster (409; nothing was written), and with
// status::rejected and the service's message if the operation failed or was canceled.  Runs on the loop's thread; `done` never
// runs inside this call.
std::shared_ptr<http::exchange> write_pool(const std::shared_ptr<http::loop>& loop,
                                           const auth::authenticator& authenticator, change wanted,
                                           std::int64_t deadline_ms, std::function<void(result<write_outcome>)> done);

// Returns {"pool":…,"state":…,"autoscaling":…,"before":{…},"after":{…}}.
std::string outcome_json(const change& wanted, const write_outcome& outcome);

}  // namespace gputide::aks

// A change of a node pool, carried out: read, compare, write under the pool's ETag, and follow the operation to its end.
// The one place in this library that writes to Azure.
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
    dry = 0,        // it would be written
    unchanged = 1,  // it is so already
    succeeded = 2,
    running = 3,  // accepted, and not ended before the deadline
};

struct write_outcome {
    write_state state = write_state::dry;
    pool_size before;
    pool_size after;
};

// A pool that another client changed in between (412) is read again, three times at most.  Another operation under way on the
// cluster (409) is status::unavailable with the time to wait; nothing was written then.  An operation that the service ended as
// failed or canceled is status::rejected with its words.  On the loop's thread; `done` never runs inside this call.
std::shared_ptr<http::exchange> write_pool(const std::shared_ptr<http::loop>& loop,
                                           const auth::authenticator& authenticator, change wanted,
                                           std::int64_t deadline_ms, std::function<void(result<write_outcome>)> done);

// {"pool":…,"state":…,"autoscaling":…,"before":{…},"after":{…}}
std::string outcome_json(const change& wanted, const write_outcome& outcome);

}  // namespace gputide::aks

// Carries out one write (write_plan.hpp) over the network.
#pragma once

#include "kubernetes/api/api.hpp"
#include "kubernetes/api/api_operation.hpp"
#include "kubernetes/api/objects.hpp"
#include "kubernetes/api/resources.hpp"
#include "kubernetes/scale/write_plan.hpp"

#include <functional>
#include <memory>

namespace gputide::kubernetes {

struct written {
    write_result result = write_result::failed;
    bool saw_size = false;
    std::int32_t size = 0;
    std::string resource_version;
    error why;  // status ok where there is nothing to say
    std::int32_t gets = 0, puts = 0, conflicts = 0;
};

struct write_guard {
    std::function<bool()> may_write;  // the lead is ours; asked before each step, and once the size is written
    std::function<bool()> is_wanted;  // still; asked right before the size is written; empty: always
    std::int64_t write_ms = 3'000;    // a PUT has ended by then
};

// `done` runs once, later, unless it is cancelled.
std::shared_ptr<api_operation<written>> write_scale(const std::shared_ptr<const api>& api, const resource& resource,
                                                    const object_key& target, wanted_size wanted, write_guard guard,
                                                    std::function<void(written)> done);

}  // namespace gputide::kubernetes

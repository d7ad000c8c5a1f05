// Writes one replica count to a workload: reads the scale, compares it with the size that the decision saw, writes with that
// resourceVersion, and classifies the result.  docs/kubernetes.md has the state table.
#pragma once

#include "base/callback.hpp"
#include "kube/answer.hpp"
#include "kubernetes/api/api.hpp"
#include "kubernetes/api/objects.hpp"
#include "kubernetes/api/resources.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace gputide::kubernetes {

// The size that a decision wants.
struct wanted_size {
    // spec.replicas that the decision saw.  Empty: any size; nothing is written if the size already is `to`.
    std::optional<std::int32_t> from;
    std::int32_t to = 0;
    std::string uid;  // of the workload that the decision saw; "": unknown
};

enum class write_result {
    applied,    // a 200, or the size is correct after a PUT with an unknown result
    changed,    // the size or the workload changed, or the scaler may not write it now: decide again
    conflict,   // too many consecutive 409s
    held,       // the workload does not exist any more
    refused,    // 422, or rejected by a webhook
    denied,     // a right is missing
    throttled,  // the server asks for a delay
    failed,
    no_lead,  // this process was not leader before the PUT
    late,     // written, but leadership was lost before the response
};
inline constexpr int write_results = 10;
const char* write_result_name(write_result write_result) noexcept;  // "applied", ...

// The result of one write over the network.

struct written {
    write_result result = write_result::failed;
    bool saw_size = false;  // the next members are valid: the server's last values
    std::int32_t size = 0;
    std::string resource_version;
    error why;  // status ok: nothing to report
    std::int32_t gets = 0, puts = 0, conflicts = 0;
};

struct write_guard {
    std::function<bool()> may_write;  // this process is leader; checked before each step and after the PUT
    std::function<bool()> is_wanted;  // the decision is still valid; checked directly before the PUT; empty: always
    std::int64_t write_ms = 3'000;    // timeout of the PUT
};

// Starts a write.  `done` runs once, later, unless the operation is canceled.
std::shared_ptr<api_operation<written>> write_scale(const std::shared_ptr<api>& api, const resource& resource,
                                                    const object_key& target, wanted_size wanted, write_guard guard,
                                                    callback<void(written)> done);

}  // namespace gputide::kubernetes

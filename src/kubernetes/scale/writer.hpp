// One replica count on its way to a workload: read the scale, compare it with what the decision saw, write it with that
// version, judge what came of it.  Pure; docs/kubernetes.md has the table that it follows.
#pragma once

#include "kube/objects.hpp"
#include "kubernetes/api/api.hpp"
#include "kubernetes/api/objects.hpp"
#include "kubernetes/api/resources.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace gputide::kubernetes {

// The size that a decision wants.
struct wanted_size {
    std::int32_t from = 0;  // spec.replicas as the decision saw it
    std::int32_t to = 0;
    std::string uid;  // of the workload that it saw; "": unknown
};

enum class write_result {
    applied,   // a 200, or the size is there after an answer that left it open
    changed,   // another controller wrote meanwhile, it is another workload, or no longer ours to scale so: decide anew
    conflict,  // too many 409s in a row
    held,      // the workload is gone
    refused,   // 422 or a webhook
    denied,    // a right is missing
    throttled,  // the server asks for a delay
    failed,
    no_lead,  // the lead was not ours when it came to writing
    late,     // written, and the lead was gone when the answer came
};
inline constexpr int write_results = 10;
const char* write_result_name(write_result write_result) noexcept;  // "applied", ...

enum class write_step { read, put, done };

struct next_write {
    write_step step = write_step::done;
    std::int64_t after_ms = 0;
    std::string body;  // of a put
    write_result result = write_result::failed;
    bool saw_size = false;  // `size` and what follows are what the server said last
    std::int32_t size = 0;
    std::string resource_version;
};

class write_plan {
  public:
    // identity: namespace and name of the workload, for the body.
    write_plan(wanted_size wanted, std::string name_space, std::string name);

    next_write begin(bool leads);
    next_write read_came(const reply& reply, const result<kube::scale>& scale, bool leads);
    next_write put_came(const reply& reply, const result<kube::scale>& scale, bool leads);

  private:
    next_write end(write_result write_result) const;
    next_write again();
    static write_result failure_of(const reply& reply);

    const wanted_size wanted_;
    const std::string name_space_, name_;
    std::int32_t puts_ = 0;
    bool is_open_ = false;  // an earlier put may have happened
    next_write seen_;
};

// Carries out one write, as planned above, over the network.

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

// `done` runs once, later, unless it is canceled.
std::shared_ptr<api_operation<written>> write_scale(const std::shared_ptr<const api>& api, const resource& resource,
                                                    const object_key& target, wanted_size wanted, write_guard guard,
                                                    std::function<void(written)> done);

}  // namespace gputide::kubernetes

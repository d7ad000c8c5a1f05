// What each process does on a GPU, so that replicas that share one can be told apart.
#pragma once

#include "source/gpu/gpus.hpp"
#include "source/gpu/past.hpp"
#include "source/gpu/process_id.hpp"

#include <functional>
#include <string>
#include <vector>

namespace gputide::source::nvml {

// Which processes count; all empty: every process.
struct process_filter {
    std::vector<unsigned> pids;
    std::vector<std::string> containers;  // ids, or their beginnings

    bool takes(unsigned pid, const process_identity& identity) const;
};

using identity_reader = std::function<process_identity(unsigned pid)>;

// Reads /proc/PID/cgroup below `proc`.  A process of another PID namespace has no entry there.
process_identity read_identity(const std::string& proc, unsigned pid);

// `process_utilization` or `process_memory_bytes` of each compute process of a GPU or instance, with labels pid, container_id and
// pod_uid.  A process that did not run a kernel since the last poll has 0.  One value with a code where nothing could be read.
std::vector<measured_value> process_values(const calls& calls, const quantity& quantity, const gpu& gpu,
                                           const process_filter& filter, const identity_reader& identity,
                                           past_reading& past);

}  // namespace gputide::source::nvml

// The GPU usage of each process, and the container and pod of a process.
#pragma once

#include "source/gpu/gpus.hpp"
#include "source/gpu/meter.hpp"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace gputide::source::nvml {

struct process_identity {
    std::string container_id;  // 64 hexadecimal digits; "": not in a container, or in this process's own
    std::string pod_uid;       // "8a3c…" with '-'; "": not in a pod
};

// Parses "0::/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod8a3c1d0e_….slice/cri-containerd-4f2a….scope" or
// "/docker/4f2a…".
process_identity identity_of(std::string_view cgroup_text);

// The GPU usage of each process, to distinguish replicas that share a GPU.

// Selects processes; empty: every process.
struct process_filter {
    std::vector<unsigned> pids;
    std::vector<std::string> containers;  // IDs or their prefixes

    bool takes(unsigned pid, const process_identity& identity) const;
};

using identity_reader = std::function<process_identity(unsigned pid)>;

// Reads PID/cgroup in the folder `proc`.  A process of another PID namespace has no entry there.
process_identity read_identity(const std::string& proc, unsigned pid);

// Returns `process_utilization` or `process_memory_bytes` of each compute process of a GPU or instance, with the labels pid,
// container_id and pod_uid.  A process that has not run a kernel since the last poll has 0.  If nothing can be read, returns one
// value with an error code.
std::vector<measured_value> process_values(const calls& calls, const quantity& quantity, const gpu& gpu,
                                           const process_filter& filter, const identity_reader& identity,
                                           past_reading& past);

}  // namespace gputide::source::nvml

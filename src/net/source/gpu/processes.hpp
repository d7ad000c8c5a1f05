// Which container and pod a process belongs to, by the text of /proc/PID/cgroup.  Pure.
#pragma once

#include "source/gpu/gpus.hpp"
#include "source/gpu/meter.hpp"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace gputide::source::nvml {

struct process_identity {
    std::string container_id;  // 64 hexadecimal digits; "": of no container, or of this one
    std::string pod_uid;       // "8a3c…" with '-'; "": of no pod
};

// "0::/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod8a3c1d0e_….slice/cri-containerd-4f2a….scope", "/docker/4f2a…".
process_identity identity_of(std::string_view cgroup_text);

// The use of a GPU by each process, so that replicas that share a GPU can be told apart.

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

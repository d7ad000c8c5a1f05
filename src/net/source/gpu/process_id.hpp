// Which container and pod a process belongs to, by the text of /proc/PID/cgroup.  Pure.
#pragma once

#include <string>
#include <string_view>

namespace gputide::source::nvml {

struct process_identity {
    std::string container_id;  // 64 hexadecimal digits; "": of no container, or of this one
    std::string pod_uid;       // "8a3c…" with '-'; "": of no pod
};

// "0::/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod8a3c1d0e_….slice/cri-containerd-4f2a….scope", "/docker/4f2a…".
process_identity identity_of(std::string_view cgroup_text);

}  // namespace gputide::source::nvml

// The GPU usage of each process, and the container and pod of a process.
#pragma once

#include "base/function_ref.hpp"
#include "base/result.hpp"
#include "http/message.hpp"
#include "source/gpu/gpus.hpp"
#include "source/gpu/meter.hpp"

#include <map>
#include <optional>
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

using identity_reader = function_ref<process_identity(unsigned pid)>;

// Reads PID/cgroup in the folder `proc`.  A process of another PID namespace has no entry there.
process_identity read_identity(const std::string& proc, unsigned pid);

// Returns `process_utilization` or `process_memory_bytes` of each compute process of a GPU or instance, with the labels pid,
// container_id and pod_uid.  A process that has not run a kernel since the last poll has 0.  If nothing can be read, returns one
// value with an error code.
std::vector<measured_value> process_values(const calls& calls, const quantity& quantity, const gpu& gpu,
                                           const process_filter& filter, identity_reader identity, past_reading& past);

// The GPUs that each pod of this node holds, from the kubelet's pod-resources socket: the request, its response, and the choice
// of GPUs by pods.  Pure. (kubernetes/kubernetes staging/src/k8s.io/kubelet/pkg/apis/podresources/v1/api.proto @v1.29: service
// v1.PodResourcesLister, method List.)

// The kubelet's socket with the default --root-dir.
inline constexpr std::string_view usual_kubelet_socket = "/var/lib/kubelet/pod-resources/kubelet.sock";
inline constexpr const char* kubelet_socket_variable = "GPUTIDE_KUBELET_SOCKET";  // environment variable of the host

// Pods as a manifest names them: "llm-0", "ml/llm-0", "ml/llm-*".
struct wanted_pod {
    std::string name_space;  // "": any
    std::string name;        // or its prefix
    bool is_beginning = false;
    std::string text;  // as written
};
std::optional<wanted_pod> parse_pod(std::string_view text);

struct gpu_holder {
    std::string name_space;
    std::string pod;
    std::string container;
};

// Key: UUID of a GPU or MIG instance.  Several holders share it by time-slicing or MPS.
using held_gpus = std::map<std::string, std::vector<gpu_holder>, std::less<>>;

http::request held_gpus_request(const std::string& socket);
// Parses the response.  Each error has a remedy: no socket, no permission, no kubelet behind the socket, a response that is not a
// ListPodResourcesResponse.
result<held_gpus> read_held_gpus(const http::answer& answer, const std::string& socket);

// Returns the GPUs that the wanted pods hold.  Errors (no_data): the pods hold no GPU; a GPU is shared with another pod, because
// the kubelet does not say which process on it belongs to which pod.
result<std::vector<wanted_gpu>> gpus_of_pods(const held_gpus& held, const std::vector<wanted_pod>& pods);

// Returns pod, namespace and container under dcgm-exporter's label names.  No labels if several pods share the GPU; no container
// if several containers of one pod share it.
extra_labels holder_labels(const held_gpus& held, std::string_view uuid);

}  // namespace gputide::source::nvml

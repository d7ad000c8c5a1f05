// Which pods hold which GPUs of this node, as the kubelet says through its pod-resources socket: the request, its answer, and the
// choice of GPUs by pods.  Pure.  (kubernetes/kubernetes staging/src/k8s.io/kubelet/pkg/apis/podresources/v1/api.proto @v1.29:
// service v1.PodResourcesLister, method List.)
#pragma once

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

// The kubelet's socket with its usual --root-dir.
inline constexpr std::string_view usual_kubelet_socket = "/var/lib/kubelet/pod-resources/kubelet.sock";
inline constexpr const char* kubelet_socket_variable = "GPUTIDE_KUBELET_SOCKET";  // of the host's environment

// "llm-0", "ml/llm-0", "ml/llm-*".
struct wanted_pod {
    std::string name_space;  // "": any
    std::string name;        // or its beginning
    bool is_beginning = false;
    std::string text;  // as written
};
std::optional<wanted_pod> parse_pod(std::string_view text);

struct gpu_holder {
    std::string name_space;
    std::string pod;
    std::string container;
};

// By the UUID of a GPU or a MIG instance.  Several holders share it by time-slicing or MPS.
using held_gpus = std::map<std::string, std::vector<gpu_holder>, std::less<>>;

http::request held_gpus_request(const std::string& socket);
// Errors: no socket, no permission to open it, no kubelet behind it, an answer that is not a ListPodResourcesResponse; each with
// what to do.
result<held_gpus> read_held_gpus(const http::answer& answer, const std::string& socket);

// The GPUs that the wanted pods hold.  Errors (no_data): these pods hold none; a GPU is shared with a pod that is not wanted, since
// the kubelet does not say which process on it belongs to which pod.
result<std::vector<wanted_gpu>> gpus_of_pods(const held_gpus& held, const std::vector<wanted_pod>& pods);

// pod, namespace and container as dcgm-exporter names them; none where several pods share the GPU, and no container where several
// of one pod do.
extra_labels holder_labels(const held_gpus& held, std::string_view uuid);

}  // namespace gputide::source::nvml

// The GPUs that each pod of this node holds, from the kubelet's pod-resources socket: the request, its response, and the choice
// of GPUs by pods.  Pure. (kubernetes/kubernetes staging/src/k8s.io/kubelet/pkg/apis/podresources/v1/api.proto @v1.29: service
// v1.PodResourcesLister, method List.)
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

// The pods of a workload out of the core API: phase, readiness, requests.  Pure.
#pragma once

#include "base/pod.hpp"
#include "base/result.hpp"
#include "http/message.hpp"
#include "kube/endpoint.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gputide::source::kubernetes {

using amounts = std::vector<std::pair<std::string, std::int64_t>>;  // thousandths by resource

struct listed_pod {
    pod_state state;
    std::vector<std::pair<std::string, amounts>> containers;  // that run beside each other: sidecar inits too
    amounts own_requests;                                     // of the pod as a whole, where it says so

    // What the pod, or one container of it, asks for; nothing where a container does not say, as the HPA's error has it.
    // kubernetes/kubernetes pkg/controller/podautoscaler/replica_calculator.go (calculatePodRequests).
    std::optional<std::int64_t> request_of(std::string_view resource, std::string_view container) const;
};

// `from`: where the last page ended; "": from the start.
kube::endpoint pod_page(const std::string& name_space, const std::string& selector, const std::string& from);

// Appends a page; gives where it ended, "" where it is the last one.  Class limit beyond limits::series pods.
result<std::string> read_pods(const http::answer& answer, const kube::endpoint& endpoint,
                              std::vector<listed_pod>& pods);

}  // namespace gputide::source::kubernetes

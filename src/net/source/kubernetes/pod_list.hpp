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
    // sidecar: an init container that goes on running.
    enum class role : std::int32_t { init = 0, sidecar = 1, main = 2 };
    struct container {
        std::string name;
        listed_pod::role role = role::main;
        amounts requests;
    };

    pod_state state;
    std::vector<container> containers;  // init containers and sidecars first, in the order in which they start
    amounts pod_requests;               // spec.resources.requests, of the pod as a whole
    amounts overhead;

    // Returns the request of the pod, or of one container of it where a name is given.  Nothing where a request is missing,
    // which is an error to the HPA.
    // kubernetes/kubernetes pkg/controller/podautoscaler/replica_calculator.go (calculateRequests).
    std::optional<std::int64_t> request_of(std::string_view resource, std::string_view container_name) const;

    // Returns the container that request_of() lacked a request of; "" where it was the pod's own.
    std::string lacking_container(std::string_view resource, std::string_view container_name) const;

  private:
    bool has_own_requests() const;
};

// `from`: where the last page ended; "": from the start.
kube::endpoint pod_page(const std::string& name_space, const std::string& selector, const std::string& from);

// Appends a page; gives where it ended, "" where it is the last one.  Class limit beyond limits::series pods.
result<std::string> read_pods(const http::answer& answer, const kube::endpoint& endpoint,
                              std::vector<listed_pod>& pods);

}  // namespace gputide::source::kubernetes

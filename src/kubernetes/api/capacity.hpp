// Pods without a node, and what the cluster's autoscaler says of them: whether a size that is wanted can have nodes.  Pure.
// Facts: kubernetes/autoscaler cluster-autoscaler processors/status/eventing_scale_up_processor.go (events) and
// clusterstate/api/types.go (the status, YAML since 1.30); kubernetes-sigs/karpenter pkg/controllers/provisioning/scheduling/events.go.
#pragma once

#include "kubernetes/api/objects.hpp"

#include <simdjson.h>

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gputide::kubernetes {

// Lists the pods without a node.
inline constexpr std::string_view unplaced_pods_query = "?fieldSelector=spec.nodeName%3D%2Cstatus.phase%3DPending";

// Events about pods are listed of these components: `source` of an event.
inline constexpr std::array<std::string_view, 2> autoscaler_components{"cluster-autoscaler", "karpenter"};
std::string pod_events_query(std::string_view autoscaler);

// The owner of pods as a scaleTargetRef names it: the Deployment of a ReplicaSet, else the pod's controller.
struct pod_owner {
    std::string name_space;
    std::string kind;
    std::string name;

    friend auto operator<=>(const pod_owner&, const pod_owner&) = default;
};

// A pod that the scheduler found no node for.
struct unplaced_pod {
    std::string uid;
    pod_owner owner;
    std::string pool;           // that its nodeSelector names; "": any
    std::int64_t since_ms = 0;  // Unix: since when no node fits
};
// Returns nullopt if the pod is being deleted or is not marked Unschedulable.
std::optional<unplaced_pod> read_unplaced_pod(simdjson::dom::object object);

// Newest event of an autoscaler about a pod.
struct autoscaler_verdict {
    std::int64_t time_ms = 0;  // Unix
    bool is_refused = false;   // no node is added for it; else one is on its way
    std::string message;
};
using autoscaler_verdicts = std::map<std::string, autoscaler_verdict>;  // by the pod's uid

// Keeps the newest event of a pod; ignores events that say nothing about nodes for it.
void take_event(simdjson::dom::object object, autoscaler_verdicts& verdicts);

// A pool that gets no further node at present.
struct full_pool {
    std::string name;            // as cluster-autoscaler names it: "aks-gpunp-12345678-vmss"
    std::int64_t max = 0;        // nodes
    bool is_backed_off = false;  // the last scale-up failed
    std::string why;             // error code of the failure; "": none
    std::int64_t since_ms = 0;   // Unix: of the failure; 0: unknown
};
// Reads the ConfigMap; nothing of one in another form.
std::vector<full_pool> read_full_pools(const std::string& config_map);

// Pods of one target that get no node.
struct shortage {
    std::int32_t pods = 0;
    std::int32_t late = 0;  // of these: waiting for longer than a node takes to start
    std::string why;        // the full pools, and the words of the autoscaler
};

// Returns the shortages of one pass.  start_ms: a pod that waits this long is late, and counts even without an event that refuses
// it a node.
std::map<pod_owner, shortage> judge_pods(const std::vector<unplaced_pod>& pods, const autoscaler_verdicts& verdicts,
                                         const std::vector<full_pool>& pools, std::int64_t now_ms,
                                         std::int64_t start_ms);

// Keeps what is known of the nodes for one target, over several passes.
class target_capacity {
  public:
    struct rules {
        bool asks_back = false;     // replicas that are late
        std::int64_t start_ms = 0;  // and for as long they are not requested again
    };

    // Takes the result of a pass.  Only what two passes in a row found counts.  replicas: the pods that the target has.
    // Returns true if the observation changed.
    bool take(const shortage& found, std::int32_t replicas, std::int64_t now_ms, const rules& by);
    // Ends the reduction when it is due.  Returns true if it ended.
    bool end_due(std::int64_t now_ms);

    std::int32_t startable() const { return startable_; }  // replicas; -1: all of them
    bool is_asked_back() const { return until_ms_ != 0; }
    // Unix: when the other replicas are requested again; 0: they are requested now.
    std::int64_t until_ms() const { return until_ms_; }
    const std::string& why() const { return why_; }  // "": nothing is short

  private:
    shortage before_;
    std::int32_t startable_ = -1;
    std::int64_t until_ms_ = 0;  // Unix
    std::string why_;
};

}  // namespace gputide::kubernetes

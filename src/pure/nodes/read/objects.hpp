// Reads the objects of a cluster: those of gputide, Kubernetes, Karpenter and AKS, those that make a gang of pods, and options.
#pragma once

#include "nodes/estimate.hpp"
#include "nodes/node.hpp"
#include "nodes/options.hpp"
#include "nodes/plan.hpp"
#include "nodes/read/values.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gputide::text {
template <class Settings>
struct setting;
}

namespace gputide::nodes {

// Reads the members of an object; after an error finding the object must not be used.
pod read_pod(const value_reader& reader);
pod_group read_group(const value_reader& reader);

// Returns the controller of an object.
std::optional<controller> owner_of(const value_reader& metadata);

// Tells whether an object of Kubernetes has a condition of one of these types with status True.
bool has_condition(const value_reader& object, std::initializer_list<std::string_view> types);

// Removes the place of a group with more pods than a plan can count.
void limit_count(pod_group& group);
node read_node(const value_reader& reader);
pool read_pool(const value_reader& reader);

// Parts that Kubernetes objects and gputide's format have in common.
std::vector<toleration> read_tolerations(const value_reader& list);
std::vector<taint> read_taints(const value_reader& list);
std::vector<requirement> read_requirements(const value_reader& list);
// Returns nothing if the list is absent.
std::optional<std::vector<affinity_term>> read_affinity(const value_reader& list, std::string_view expressions,
                                                        std::string_view fields);
std::int32_t read_priority(const value_reader& owner);  // limited to 32 bits

// Reads Kubernetes objects as printed by kubectl: Node, Pod, PodDisruptionBudget, and controllers of pods (Job,
// Deployment, ...).

// Reads a node; its pool is in the provider's label (AKS, GKE, EKS, Karpenter).
node read_kubernetes_node(const value_reader& object);

// Returns a pod's placement rules. status: of an existing pod, else absent; self: the pod's namespace and labels.
placement read_kubernetes_placement(const value_reader& spec, const value_reader& status, const pod& self);

// Reads matchLabels and matchExpressions; an empty selector selects everything.
std::vector<requirement> read_selector(const value_reader& selector);

struct placed_pod {
    nodes::pod pod;
    std::string node;       // "": not scheduled yet
    std::string nominated;  // the node that preemption frees for it
    std::string gates;      // names of its scheduling gates: it requests no node
    place where;            // in its text
};
placed_pod read_kubernetes_pod(const value_reader& object);

// Returns the pods of a PodTemplateSpec, without their count.
pod_group read_pod_template(const value_reader& pod_template, const std::string& name, const std::string& name_space,
                            std::string kind);

// The pods that a Job, Deployment, ReplicaSet, StatefulSet or DaemonSet would create, without the running ones; none if it is
// suspended or has ended.
struct workload {
    pod_group group;
    std::string owner_uid;              // of the object that created it
    std::vector<requirement> selector;  // of its pods
};
workload read_workload(const value_reader& object);

// Returns where a PersistentVolume can be used: its node affinity, and the zone and region of its labels.
std::vector<std::vector<affinity_term>> read_volume(const value_reader& object);

struct disruption_budget {
    std::string name;
    std::string name_space;
    std::vector<requirement> selector;  // empty: every pod in its namespace
    std::int64_t allowed = 0;
};
disruption_budget read_budget(const value_reader& object);
bool covers(const disruption_budget& budget, const pod& pod);

// Reads Karpenter's NodePools as pools: one pool for each size that the requirements of a NodePool allow, all under its
// limits.
// Rules: kubernetes-sigs/karpenter pkg/apis/v1/nodepool.go; labels of sizes: Azure/karpenter-provider-azure
// pkg/apis/v1beta1/labels.go.

struct node_pool {
    std::string name;
    node_shape shape;                     // labels and taints of each of its nodes
    std::vector<pool> pools;              // "name/Standard_NC40ads_H100_v5", one per known size
    std::vector<resource_bounds> bounds;  // limits of all its nodes together
    std::int64_t weight = 0;
};

// Parses karpenter.sh, v1 or v1beta1.
node_pool read_node_pool(const value_reader& object);

// Adds pools, bounds and weight to those of the plan: a weight becomes a number of the `priority` expander.  Nodes of a
// NodePool are counted by size; if a size is known only from a node, that node is its template.
void join_node_pools(std::vector<node_pool>& all, std::vector<pool>& pools, std::vector<node>& nodes, options& how);

// Reads AKS formats: agent pools and the autoscaler's profile, as printed by `az aks show`, `az aks nodepool list` and
// ARM.
// Facts: Azure/azure-rest-api-specs Microsoft.ContainerService/aks; MicrosoftDocs/azure-aks-docs articles/aks.

// Tells whether the object is an agent pool (it has vmSize, at the top level or in properties), or a managed cluster (it has
// agentPoolProfiles).
bool is_agent_pool(const value_reader& object);
bool is_managed_cluster(const value_reader& object);

// Reads an agent pool. enableAutoScaling: size between minCount and maxCount; without it the pool keeps its count, with a
// finding.
pool read_agent_pool(const value_reader& object);

// Reads which pods form a gang, and the objects that represent such pods before they exist.
// Facts: kubernetes/kubernetes staging/src/k8s.io/api/scheduling (PodGroup, Workload), kubernetes-sigs/lws, kubernetes-sigs/jobset,
// kubernetes-sigs/kueue, kubernetes-sigs/scheduler-plugins (coscheduling), volcano-sh/volcano, kubernetes/autoscaler
// apis/provisioningrequest and apis/capacitybuffer.

// Returns the name of a pod's gang; "": none.  labels and annotations are those of the pod or of its template.
std::string gang_of(const text_map& labels, const text_map& annotations, const value_reader& spec,
                    const std::string& name_space);

// Returns the node label that must have one value for all pods of the gang; "": none.
std::string required_topology(const text_map& annotations);

// Returns the text for the list of rules that are not modeled.
std::string one_domain_text(std::string_view topology_key);

// On what a plan's output creates: placeholder pods, CapacityBuffers.
inline constexpr std::string_view placeholder_label = "gputide.io/placeholder";

class gang_objects {
  public:
    // Reads a PodGroup, Workload, LeaderWorkerSet, JobSet, ProvisioningRequest, CapacityBuffer or PodTemplate; returns false for
    // another kind.
    bool take(const value_reader& object, std::string_view kind);

    // Records a listed pod: the objects of its gang then represent no further pods.
    void note(const pod& pod, bool is_placed);

    // Returns the pods that the objects would create; without an object's pods if its owner stands for them: a Workload of a
    // JobSet, a ProvisioningRequest of a Workload.
    // expected: owners that other code expects pods of, by object_key().
    std::vector<pod_group> groups(const std::set<std::string>& expected, text::report& findings);
    // Returns the pods for which CapacityBuffers of an earlier plan keep nodes ready; they are not load.
    std::vector<pod_group> own_buffers() const;
    static std::string object_key(std::string_view kind, const std::string& name_space, std::string_view name);

    // Returns the gangs of the pending pods; adds to the pods what is not modeled.
    std::map<std::string, pod_gang> gangs(std::vector<pod_group>& pending) const;

  private:
    struct template_use {
        std::string key;     // of the PodTemplate: "namespace/name"
        std::string object;  // that uses it: its key
        std::string gang;
        std::int64_t count = 0;
    };

    void take_pod_group(const value_reader& object);
    void take_workload(const value_reader& object);
    void take_leader_worker_set(const value_reader& object);
    void take_job_set(const value_reader& object);
    void take_provisioning_request(const value_reader& object);
    void take_capacity_buffer(const value_reader& object);
    void take_pod_template(const value_reader& object);
    void expect(pod_group group, const std::string& gang);
    bool has_expected_owner(const std::string& object, const std::set<std::string>& expected) const;

    struct expected_group {
        std::string object;  // its key
        pod_group group;
    };

    std::string name_;  // of the object that is being read
    std::string name_space_;
    std::string topology_;
    std::string object_;                         // its key, which is also the name of its gang
    std::map<std::string, std::string> owners_;  // keys, by the key of the owned object
    std::map<std::string, pod_gang> known_;
    std::map<std::string, std::string> topologies_;  // by gang: the label that its nodes must share
    std::map<std::string, pod_group> templates_;
    std::vector<template_use> uses_;
    std::vector<template_use> own_buffers_;
    std::vector<expected_group> expected_;
    std::map<std::string, std::int64_t> listed_;  // by gang: pods on nodes
};

// Reads the options of a plan: cluster-autoscaler's flags under their own names, in a mapping, in a list of flags or in the
// Deployment that runs it; AKS' profile with the same names; and options of gputide.

using option_row = text::setting<options>;
std::span<const option_row> option_rows();

// Tells whether a flag of cluster-autoscaler or AKS has no effect on a plan.
bool is_without_meaning(std::string_view name);

// Reads options.  Values may be quoted, as in flags and ARM: "10m", "true", "0.5".  An unknown option is a warning; an
// invalid value is an error, and the option keeps its value.
void read_options(const value_reader& reader, options& options);

// Parses --nodes=1:10:pool.
struct node_bounds {
    std::string pool;
    std::int64_t min = 0;
    std::int64_t max = 0;
    place where;
};

// Parses "--expander=least-waste", "--expander", "least-waste", "--scale-down-enabled"; words before the first flag are the
// program.
void read_flags(const std::vector<value_reader>& words, options& options, std::vector<node_bounds>& bounds);

// Applies the bounds to the pools with that name, or with that scale set of AKS ("aks-gpunp-12345678-vmss"); adds a pool that
// only its nodes mention.
void join_bounds(const std::vector<node_bounds>& bounds, std::vector<pool>& pools, const std::vector<node>& nodes,
                 text::report& findings);

// Returns command and arguments of the container that runs cluster-autoscaler; nothing: the workload has no such container.
std::optional<std::vector<value_reader>> autoscaler_command(const value_reader& workload);

// Reads the ConfigMap cluster-autoscaler-priority-expander; its data.priorities is a YAML text.
bool is_priority_map(const value_reader& object);
void read_priority_map(const value_reader& object, options& options);

}  // namespace gputide::nodes

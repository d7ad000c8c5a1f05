// Reads which pods form a gang, and the objects that represent such pods before they exist.
// Facts: kubernetes/kubernetes staging/src/k8s.io/api/scheduling (PodGroup, Workload), kubernetes-sigs/lws, kubernetes-sigs/jobset,
// kubernetes-sigs/kueue, kubernetes-sigs/scheduler-plugins (coscheduling), volcano-sh/volcano, kubernetes/autoscaler
// apis/provisioningrequest and apis/capacitybuffer.
#pragma once

#include "nodes/estimate.hpp"
#include "nodes/plan.hpp"
#include "nodes/read/values.hpp"

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace gputide::nodes {

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
    // Tells whether it reads objects of that kind: PodGroup, Workload, LeaderWorkerSet, JobSet, ProvisioningRequest,
    // CapacityBuffer, PodTemplate.
    static bool reads(std::string_view kind);
    void take(const value_reader& object, std::string_view kind);

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

    void take_pod_group(const value_reader& spec, const std::string& gang);
    void take_workload(const value_reader& object, const std::string& name, const std::string& name_space);
    void take_leader_worker_set(const value_reader& spec, const std::string& name, const std::string& name_space);
    void take_job_set(const value_reader& spec, const std::string& name, const std::string& name_space);
    void take_provisioning_request(const value_reader& object, const std::string& name_space);
    void expect(pod_group group, const std::string& gang);
    bool has_expected_owner(const std::string& object, const std::set<std::string>& expected) const;

    struct expected_group {
        std::string object;  // its key
        pod_group group;
    };

    std::string topology_;                       // of the object that is being read
    std::string object_;                         // its key
    std::map<std::string, std::string> owners_;  // keys, by the key of the owned object
    std::map<std::string, pod_gang> known_;
    std::map<std::string, std::string> topologies_;  // by gang: the label that its nodes must share
    std::map<std::string, pod_group> templates_;
    std::vector<template_use> uses_;
    std::vector<template_use> own_buffers_;
    std::vector<expected_group> expected_;
    std::map<std::string, std::int64_t> listed_;  // by gang: pods on nodes
};

}  // namespace gputide::nodes

#include "base/format_text.hpp"
#include "base/saturate.hpp"
#include "nodes/read/objects.hpp"

#include <algorithm>
#include <array>

namespace gputide::nodes {
namespace {

constexpr std::int64_t max_groups_of_set = 10'000;

std::string gang_name(std::string_view kind, const std::string& name_space, std::string_view name) {
    return format_text("{} {}/{}", kind, name_space, name);
}

}  // namespace

std::string gang_of(const text_map& labels, const text_map& annotations, const value_reader& spec,
                    const std::string& name_space) {
    if (const value_reader group = spec.member("schedulingGroup", "podGroupName"))
        return gang_name("PodGroup", name_space, group.own_text().value_or(""));
    if (const value_reader workload = spec.member("workloadRef"))  // Kubernetes 1.35
        return gang_name("Workload", name_space, workload.text("name") + "/" + workload.text("podGroup")) +
               workload.text("podGroupReplicaKey");
    struct member_text {
        const text_map& of;
        std::string_view name;
        std::string_view kind;
    };
    const std::array<member_text, 5> texts{
        {{labels, "scheduling.x-k8s.io/pod-group", "PodGroup"},
         {annotations, "scheduling.k8s.io/group-name", "PodGroup"},
         {annotations, "autoscaling.x-k8s.io/consume-provisioning-request", "ProvisioningRequest"},
         {labels, "kueue.x-k8s.io/pod-group-name", "pod group"},
         {labels, "jobset.sigs.k8s.io/jobset-name", "JobSet"}}};
    for (const member_text& text : texts) {
        if (const std::string name = text_of(text.of, text.name); !name.empty())
            return gang_name(text.kind, name_space, name);
    }
    const std::string set = text_of(labels, "leaderworkerset.sigs.k8s.io/name");
    const std::string index = text_of(labels, "leaderworkerset.sigs.k8s.io/group-index");
    return set.empty() || index.empty() ? std::string() : gang_name("LeaderWorkerSet", name_space, set + "-" + index);
}

std::string required_topology(const text_map& annotations) {
    static constexpr std::array<std::string_view, 4> names{
        "kueue.x-k8s.io/podset-required-topology", "leaderworkerset.sigs.k8s.io/exclusive-topology",
        "leaderworkerset.sigs.k8s.io/subgroup-exclusive-topology", "alpha.jobset.sigs.k8s.io/exclusive-topology"};
    for (const std::string_view name : names) {
        if (std::string key = text_of(annotations, name); !key.empty()) return key;
    }
    return {};
}

std::string one_domain_text(std::string_view topology_key) {
    return format_text("its gang needs nodes with one value of {}, which this plan does not look at", topology_key);
}

bool gang_objects::take(const value_reader& object, std::string_view kind) {
    struct row {
        std::string_view kind;
        void (gang_objects::*take)(const value_reader& object);
    };
    static constexpr std::array<row, 7> rows{{{"PodGroup", &gang_objects::take_pod_group},
                                              {"Workload", &gang_objects::take_workload},
                                              {"LeaderWorkerSet", &gang_objects::take_leader_worker_set},
                                              {"JobSet", &gang_objects::take_job_set},
                                              {"ProvisioningRequest", &gang_objects::take_provisioning_request},
                                              {"CapacityBuffer", &gang_objects::take_capacity_buffer},
                                              {"PodTemplate", &gang_objects::take_pod_template}}};
    const auto* const at = std::ranges::find(rows, kind, &row::kind);
    if (at == rows.end()) return false;
    const value_reader metadata = object.member("metadata");
    name_ = metadata.text("name");
    name_space_ = metadata.text("namespace", "default");
    topology_ = required_topology(metadata.texts("annotations"));
    object_ = object_key(kind, name_space_, name_);
    if (const auto owner = owner_of(metadata)) owners_[object_] = object_key(owner->kind, name_space_, owner->name);
    if (name_.empty() || (!object.has("spec") && kind != "PodTemplate")) {
        object.error("missing", format_text("expected metadata.name and spec of a {}", kind));
    } else {
        (this->*at->take)(object);
    }
    return true;
}

void gang_objects::take_capacity_buffer(const value_reader& object) {
    const bool is_own = find_text(object.member("metadata").texts("labels"), placeholder_label) != nullptr;
    const value_reader spec = object.member("spec");
    if (const value_reader reference = spec.member("podTemplateRef"))
        (is_own ? own_buffers_ : uses_)
            .push_back({name_space_ + "/" + reference.text("name"), object_, {}, spec.integer("replicas", 1)});
}

void gang_objects::take_pod_template(const value_reader& object) {
    if (const value_reader inner = object.member("template"))
        templates_.emplace(name_space_ + "/" + name_, read_pod_template(inner, name_, name_space_, "PodTemplate"));
}

// minCount of the scheduler's own PodGroup; minMember of coscheduling's and Volcano's.
void gang_objects::take_pod_group(const value_reader& object) {
    const value_reader spec = object.member("spec");
    pod_gang& out = known_[object_];
    out.min_pods = spec.integer("minMember");
    if (const value_reader policy = spec.member("schedulingPolicy"))
        out.min_pods = policy.member("gang").integer("minCount", 1);
    for (const value_reader item : spec.member("schedulingConstraints", "topologyConstraints").items())
        topologies_[object_] = item.text("topologyKey");
}

// Kueue's Workload stands for pods until it is admitted; the scheduler's (Kubernetes 1.35) has minimums.
void gang_objects::take_workload(const value_reader& object) {
    const value_reader spec = object.member("spec");
    for (const value_reader item : spec.member("podGroups").items()) {
        if (const value_reader of_gang = item.member("policy", "gang"))
            known_[object_ + "/" + item.text("name")].min_pods = of_gang.integer("minCount", 1);
    }
    const bool is_expected = spec.flag("active", true) && !has_condition(object, {"Admitted", "Finished"});
    if (!is_expected) return;
    for (const value_reader item : spec.member("podSets").items()) {
        const value_reader inner = item.member("template");
        if (!inner) continue;
        pod_group group = read_pod_template(inner, name_ + "-" + item.text("name", "main"), name_space_, "Workload");
        group.count = item.integer("count", 1);
        if (const value_reader topology = item.member("topologyRequest", "required"))
            topologies_[object_] = topology.own_text().value_or("");
        expect(std::move(group), object_);
    }
}

void gang_objects::take_leader_worker_set(const value_reader& object) {
    const value_reader spec = object.member("spec");
    const value_reader inner = spec.member("leaderWorkerTemplate");
    const value_reader worker = inner.member("workerTemplate");
    if (!worker) return spec.error("missing", "leaderWorkerTemplate.workerTemplate: expected the pods of a group");
    const value_reader leader = inner.member("leaderTemplate");
    const std::int64_t size = inner.integer("size", 1);
    const std::int64_t replicas = spec.integer("replicas", 1);
    if (replicas > max_groups_of_set)
        return spec.error("too-many", format_text("replicas: at most {}, got {}", max_groups_of_set, replicas));
    for (std::int64_t i = 0; i < replicas; ++i) {
        const std::string group_name = format_text("{}-{}", name_, i);
        const std::string gang = gang_name("LeaderWorkerSet", name_space_, group_name);
        if (leader) {
            pod_group group = read_pod_template(leader, group_name, name_space_, "LeaderWorkerSet");
            group.count = 1;
            expect(std::move(group), gang);
        }
        pod_group group = read_pod_template(worker, group_name + "-workers", name_space_, "LeaderWorkerSet");
        group.count = size - (leader ? 1 : 0);
        expect(std::move(group), gang);
    }
}

void gang_objects::take_job_set(const value_reader& object) {
    const value_reader spec = object.member("spec");
    const value_reader jobs = spec.member("replicatedJobs");
    if (!jobs || spec.flag("suspend") || has_condition(object, {"Completed", "Failed"})) return;
    for (const value_reader item : jobs.items()) {
        const value_reader job = item.member("template", "spec");
        const value_reader inner = job.member("template");
        if (!inner) continue;
        pod_group group = read_pod_template(inner, name_ + "-" + item.text("name"), name_space_, "JobSet");
        const std::int64_t parallelism = job.integer("parallelism", 1);
        group.count = multiply_saturating(item.integer("replicas", 1),
                                          std::min(parallelism, job.integer("completions", parallelism)));
        expect(std::move(group), object_);
    }
}

// Its pods are not created before the capacity is there.
void gang_objects::take_provisioning_request(const value_reader& object) {
    const value_reader sets = object.member("spec", "podSets");
    if (!sets || has_condition(object, {"Provisioned", "Failed", "BookingExpired", "CapacityRevoked"})) return;
    for (const value_reader item : sets.items())
        uses_.push_back({name_space_ + "/" + item.member("podTemplateRef").text("name"), object_, object_,
                         item.integer("count", 1)});
}

void gang_objects::expect(pod_group group, const std::string& gang) {
    group.pod.gang = gang;
    if (!topology_.empty()) topologies_[gang] = topology_;
    if (group.count <= 0) return;
    limit_count(group);
    expected_.push_back({object_, std::move(group)});
}

void gang_objects::note(const pod& pod, bool is_placed) {
    if (!pod.gang.empty()) listed_[pod.gang] += is_placed && !pod.finished() ? 1 : 0;
}

std::string gang_objects::object_key(std::string_view kind, const std::string& name_space, std::string_view name) {
    return gang_name(kind, name_space, name);
}

std::vector<pod_group> gang_objects::own_buffers() const {
    std::vector<pod_group> out;
    for (const template_use& buffer : own_buffers_) {
        const auto at = templates_.find(buffer.key);
        if (at == templates_.end()) continue;
        out.push_back(at->second);
        out.back().count = buffer.count;
    }
    return out;
}

bool gang_objects::has_expected_owner(const std::string& object, const std::set<std::string>& expected) const {
    constexpr int max_owners = 8;  // owners may go in a circle
    auto owner = owners_.find(object);
    for (int i = 0; i < max_owners && owner != owners_.end(); ++i) {
        if (expected.contains(owner->second)) return true;
        owner = owners_.find(owner->second);
    }
    return false;
}

std::vector<pod_group> gang_objects::groups(const std::set<std::string>& expected, text::report& findings) {
    topology_.clear();
    for (const template_use& use : uses_) {
        const auto at = templates_.find(use.key);
        if (at == templates_.end()) {
            findings.add(
                text::severity::error, "missing", {},
                format_text("{} refers to the PodTemplate {}, which is not listed; its pods are not in the plan",
                            use.object, use.key),
                "list podtemplates too");
            continue;
        }
        pod_group group = at->second;
        group.name = use.object;
        group.count = use.count;
        object_ = use.object;
        expect(std::move(group), use.gang);
    }
    std::erase_if(expected_, [&](const expected_group& each) { return listed_.contains(each.group.pod.gang); });
    std::set<std::string> all = expected;
    for (const expected_group& each : expected_) all.insert(each.object);
    std::vector<pod_group> out;
    for (expected_group& each : expected_) {
        if (!has_expected_owner(each.object, all)) out.push_back(std::move(each.group));
    }
    return out;
}

std::map<std::string, pod_gang> gang_objects::gangs(std::vector<pod_group>& pending) const {
    std::map<std::string, pod_gang> out;
    for (pod_group& group : pending) {
        if (group.pod.gang.empty()) continue;
        const auto [at, is_new] = out.try_emplace(group.pod.gang);
        const auto known = known_.find(at->first);
        if (is_new && known != known_.end()) at->second = known->second;
        if (const auto listed = listed_.find(at->first); listed != listed_.end()) at->second.running = listed->second;
        const auto topology = topologies_.find(at->first);
        if (topology == topologies_.end()) continue;
        std::vector<std::string>& unmodeled = group.pod.placement.unmodeled;
        const std::string text = one_domain_text(topology->second);
        if (std::ranges::find(unmodeled, text) == unmodeled.end()) unmodeled.push_back(text);
    }
    return out;
}

}  // namespace gputide::nodes

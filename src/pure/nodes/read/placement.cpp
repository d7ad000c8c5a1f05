// Reads what a Kubernetes pod asks of its node: amounts, ports, volumes, labels, and rules about other pods.
#include "base/format_text.hpp"
#include "nodes/read/objects.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

namespace gputide::nodes {
namespace {

// A missing request equals the limit, as the API server sets it.
resource_list requests_of(const value_reader& holder) {
    const value_reader resources = holder.member("resources");
    resource_list out = resources.amounts("limits");
    for (const resource& resource : resources.amounts("requests")) out.set(resource.name, resource.amount);
    return out;
}

// While a pod is resized in place, the largest of three sums counts: what its containers ask for, what the node has set aside
// for them, and what they have.  Infeasible: what they ask for does not count.
enum class pod_sizes : std::uint8_t { asked, allocated, actual };

class container_sizes {
  public:
    explicit container_sizes(const value_reader& status) {
        for (const std::string_view list : {"containerStatuses", "initContainerStatuses"}) {
            for (const value_reader item : status.member(list).items()) {
                const value_reader resources = item.member("resources");
                const bool has_actual = resources.has("requests");
                if (!item.has("allocatedResources") && !has_actual) continue;
                resource_list allocated = item.amounts("allocatedResources");
                resource_list in_use = has_actual ? resources.amounts("requests") : allocated;
                known_.emplace(item.text("name"),
                               known_size{item.has("allocatedResources"), std::move(allocated), std::move(in_use)});
            }
        }
        for (const value_reader item : status.member("conditions").items())
            infeasible_ =
                infeasible_ || (item.text("type") == "PodResizePending" && item.text("reason") == "Infeasible");
    }

    bool is_empty() const { return known_.empty() && !infeasible_; }
    bool infeasible() const { return infeasible_; }

    resource_list of(const value_reader& container, pod_sizes which) const {
        if (which == pod_sizes::asked) return requests_of(container);
        const auto known = known_.find(container.text("name"));
        if (known != known_.end() && which == pod_sizes::actual) return known->second.in_use;
        if (known != known_.end() && known->second.has_allocated) return known->second.allocated;
        return infeasible_ ? resource_list() : requests_of(container);
    }

  private:
    struct known_size {
        bool has_allocated = false;
        resource_list allocated;
        resource_list in_use;
    };

    std::map<std::string, known_size> known_;
    bool infeasible_ = false;
};

bool is_sidecar(const value_reader& init_container) { return init_container.text("restartPolicy") == "Always"; }

bool is_pod_level(std::string_view name) {
    return name == cpu_name || name == memory_name || name.starts_with("hugepages-");
}

// Returns max( containers + sidecars, over init containers: its own + the sidecars declared before it ).
// A sidecar is an init container with restartPolicy Always.
resource_list sum_of(const value_reader& spec, const container_sizes& containers, pod_sizes which) {
    resource_list sum;
    for (const value_reader item : spec.member("containers").items()) sum.add(containers.of(item, which));
    resource_list sidecars;
    resource_list largest;
    for (const value_reader item : spec.member("initContainers").items()) {
        resource_list own = containers.of(item, which);
        if (is_sidecar(item)) {
            sidecars.add(own);
        } else {
            own.add(sidecars);
            largest.raise_to(own);
        }
    }
    sum.add(sidecars);
    sum.raise_to(largest);
    return sum;
}

// Returns what the pod as a whole asks for or, during a resize, has.
resource_list of_whole_pod(const value_reader& spec, const value_reader& status, const container_sizes& containers) {
    resource_list out = requests_of(spec);
    const value_reader actual = status.member("resources");
    if (out.empty() || !actual) return out;
    if (containers.infeasible()) out = {};
    out.raise_to(actual.amounts("requests"));
    out.raise_to(status.amounts("allocatedResources"));
    return out;
}

// Returns the sum over the containers, then what the pod as a whole asks for instead, plus the overhead.
// kubernetes/kubernetes component-helpers/resource/helpers.go.
resource_list effective_requests(const value_reader& spec, const value_reader& status) {
    const container_sizes containers(status);
    resource_list sum;
    if (!containers.infeasible()) sum = sum_of(spec, containers, pod_sizes::asked);
    const value_reader actual = status.member("resources");
    if (actual.has("requests") && status.has("allocatedResources")) {
        sum.raise_to(status.amounts("allocatedResources"));
        sum.raise_to(actual.amounts("requests"));
    } else if (!containers.is_empty()) {
        sum.raise_to(sum_of(spec, containers, pod_sizes::allocated));
        sum.raise_to(sum_of(spec, containers, pod_sizes::actual));
    }
    for (const resource& resource : of_whole_pod(spec, status, containers)) {
        if (is_pod_level(resource.name)) sum.set(resource.name, resource.amount);
    }
    sum.add(spec.amounts("overhead"));
    return sum;
}

// A generic ephemeral volume and a StatefulSet's template make claims of their own, bound where the pod runs.
std::vector<std::string> volume_claims(const value_reader& spec) {
    std::vector<std::string> out;
    for (const value_reader item : spec.member("volumes").items()) {
        if (const value_reader claim = item.member("persistentVolumeClaim")) out.push_back(claim.text("claimName"));
    }
    return out;
}

void add_host_ports(const value_reader& container, std::vector<host_port>& out) {
    for (const value_reader item : container.member("ports").items()) {
        const std::int64_t port = item.integer("hostPort");
        if (port > 0 && port <= 65535)
            out.push_back({static_cast<std::int32_t>(port), item.text("protocol", "TCP"), item.text("hostIP")});
    }
}

// An init container that ends before the others start holds no port.
std::vector<host_port> host_ports(const value_reader& spec) {
    std::vector<host_port> out;
    for (const value_reader item : spec.member("initContainers").items()) {
        if (is_sidecar(item)) add_host_ports(item, out);
    }
    for (const value_reader item : spec.member("containers").items()) add_host_ports(item, out);
    return out;
}

// Reads which pods an affinity term or a spread constraint selects, with the labels of the pod itself that it names.
pod_term read_term(const value_reader& reader, const pod& self) {
    pod_term out;
    out.key = reader.text("topologyKey");
    out.selector = read_selector(reader.member("labelSelector"));
    out.selects_nothing = !reader.has("labelSelector");
    for (const auto& [member, op] : {std::pair{"matchLabelKeys", "In"}, std::pair{"mismatchLabelKeys", "NotIn"}}) {
        for (const std::string& key : reader.words(member)) {
            const auto label = self.labels.find(key);
            if (label != self.labels.end()) out.selector.push_back({key, op, {label->second}});
        }
    }
    return out;
}

std::vector<pod_term> read_pod_terms(const value_reader& spec, std::string_view kind, const pod& self,
                                     std::vector<std::string>& unmodeled) {
    std::vector<pod_term> out;
    for (const value_reader item :
         spec.member("affinity", kind, "requiredDuringSchedulingIgnoredDuringExecution").items()) {
        pod_term term = read_term(item, self);
        term.namespaces = item.words("namespaces");
        const value_reader by_label = item.member("namespaceSelector");
        if (!read_selector(by_label).empty()) {
            unmodeled.push_back(format_text("its {} selects namespaces by their labels, which are not listed", kind));
        } else if (by_label) {
            term.namespaces.clear();  // an empty selector: every namespace
        } else if (term.namespaces.empty()) {
            term.namespaces.push_back(self.name_space);
        }
        out.push_back(std::move(term));
    }
    return out;
}

std::vector<spread_rule> read_spreads(const value_reader& spec, const pod& self) {
    std::vector<spread_rule> out;
    for (const value_reader item : spec.member("topologySpreadConstraints").items()) {
        if (item.text("whenUnsatisfiable", "DoNotSchedule") != "DoNotSchedule") continue;
        spread_rule rule;
        rule.pods = read_term(item, self);
        rule.pods.namespaces.push_back(self.name_space);
        rule.max_skew = item.integer("maxSkew", 1);
        rule.min_domains = item.integer("minDomains", 1);
        rule.honor_node_affinity = item.text("nodeAffinityPolicy", "Honor") == "Honor";
        rule.honor_taints = item.text("nodeTaintsPolicy", "Ignore") == "Honor";
        out.push_back(std::move(rule));
    }
    return out;
}

// Disks of a cloud that a pod names itself; a PersistentVolume would tell their zone.
constexpr std::array<std::string_view, 5> zonal_disks{"gcePersistentDisk", "awsElasticBlockStore", "azureDisk",
                                                      "cinder", "vsphereVolume"};

void note_zonal_disks(const value_reader& spec, std::vector<std::string>& unmodeled) {
    for (const value_reader item : spec.member("volumes").items()) {
        for (const std::string_view disk : zonal_disks) {
            if (item.has(disk)) unmodeled.push_back(format_text("it names an {}, so that the zone is unknown", disk));
        }
    }
}

}  // namespace

std::vector<requirement> read_selector(const value_reader& selector) {
    std::vector<requirement> out;
    for (const auto& [key, value] : selector.texts("matchLabels")) out.push_back({key, "In", {value}});
    for (requirement& each : read_requirements(selector.member("matchExpressions"))) out.push_back(std::move(each));
    return out;
}

placement read_kubernetes_placement(const value_reader& spec, const value_reader& status, const pod& self) {
    placement out;
    out.requests = effective_requests(spec, status);
    out.node_selector = spec.texts("nodeSelector");
    out.node_affinity = read_affinity(
        spec.member("affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution", "nodeSelectorTerms"),
        "matchExpressions", "matchFields");
    out.tolerations = read_tolerations(spec.member("tolerations"));
    out.ports = host_ports(spec);
    out.volume_claims = volume_claims(spec);
    out.pod_affinity = read_pod_terms(spec, "podAffinity", self, out.unmodeled);
    out.pod_anti_affinity = read_pod_terms(spec, "podAntiAffinity", self, out.unmodeled);
    out.spreads = read_spreads(spec, self);
    note_zonal_disks(spec, out.unmodeled);
    return out;
}

}  // namespace gputide::nodes

#include "nodes/fit.hpp"

#include "base/saturate.hpp"
#include "base/text.hpp"
#include "nodes/dra/device.hpp"
#include "nodes/hardware.hpp"

#include <algorithm>
#include <array>

namespace gputide::nodes {

std::string code_of(const reason& reason) {
    static constexpr std::array<std::string_view, 13> codes{
        "node_selector_mismatch", "untolerated_taint:",    "gpu_model_mismatch",     "gpu_memory_too_small",
        "insufficient:",          "host_port_conflict",    "pod_affinity",           "pod_anti_affinity",
        "topology_spread",        "insufficient_devices:", "device_selector_error:", "claim_allocated_elsewhere",
        "devices_undecided:"};
    static_assert(codes.size() == static_cast<std::size_t>(misfit::devices_undecided) + 1);
    return std::string(codes[static_cast<std::size_t>(reason.code)]) + reason.name;
}

// Rules: kubernetes/component-helpers scheduling/corev1 (nodeaffinity, toleration), kubernetes/kubernetes
// pkg/scheduler/framework (host ports).  GPU model and memory are this project's.

namespace {

bool is_among(const std::vector<std::string>& values, const std::string& value) {
    return std::ranges::find(values, value) != values.end();
}

bool compares(const requirement& requirement, const std::string* value) {
    if (value == nullptr || requirement.values.size() != 1) return false;
    const std::optional<std::int64_t> left = parse_int64(*value);
    const std::optional<std::int64_t> right = parse_int64(requirement.values.front());
    if (!left || !right) return false;
    return requirement.op == "Gt" ? *left > *right : *left < *right;
}

bool term_matches(const affinity_term& term, const text_map& labels, std::string_view node_name) {
    if (term.labels.empty() && term.fields.empty()) return false;
    const std::string name(node_name);
    const auto label_holds = [&](const requirement& requirement) {
        return requirement_holds(requirement, find_text(labels, requirement.key));
    };
    const auto field_holds = [&](const requirement& requirement) {
        return requirement.key == "metadata.name" && requirement_holds(requirement, &name);
    };
    return std::ranges::all_of(term.labels, label_holds) && std::ranges::all_of(term.fields, field_holds);
}

bool any_term_matches(const std::vector<affinity_term>& terms, const text_map& labels, std::string_view node_name) {
    return std::ranges::any_of(terms, [&](const affinity_term& term) { return term_matches(term, labels, node_name); });
}

bool volumes_match(const placement& asks, const node_shape& shape, std::string_view node_name) {
    return std::ranges::all_of(asks.volume_terms, [&](const std::vector<affinity_term>& terms) {
        return any_term_matches(terms, shape.labels, node_name);
    });
}

// Follows Kubernetes: an empty effect, and an empty key (with Exists only), match all; Equal, the default operator, requires
// equal values.
bool tolerates(const toleration& toleration, const taint& against) {
    if (!toleration.effect.empty() && toleration.effect != against.effect) return false;
    if (toleration.key.empty() ? toleration.op != "Exists" : toleration.key != against.key) return false;
    if (toleration.op == "Exists") return true;
    return (toleration.op.empty() || toleration.op == "Equal") && toleration.value == against.value;
}

bool gpu_model_matches(const placement& asks, const node_shape& shape) {
    if (asks.gpu_models.empty()) return true;
    return shape.gpu && std::ranges::any_of(asks.gpu_models, [&](const std::string& model) {
               return equal_ignoring_case(model, shape.gpu->model);
           });
}

bool gpu_memory_suffices(const placement& asks, const node_shape& shape) {
    if (asks.gpu_memory_min_bytes <= 0) return true;
    if (!shape.gpu) return false;
    bool asked = false;
    for (const resource& request : asks.requests) {
        if (!is_gpu(request.name) || request.amount <= 0) continue;
        asked = true;
        if (unit_memory_bytes(*shape.gpu, request.name) < asks.gpu_memory_min_bytes) return false;
    }
    return asked || unit_memory_bytes(*shape.gpu, shape.gpu->resource) >= asks.gpu_memory_min_bytes;
}

bool any_address(const std::string& address) { return address.empty() || address == "0.0.0.0"; }

// Tells whether number and protocol are equal, and the addresses are not two different ones.
bool ports_collide(const host_port& a, const host_port& b) {
    if (a.port != b.port || a.protocol != b.protocol) return false;
    return any_address(a.address) || any_address(b.address) || a.address == b.address;
}

}  // namespace

bool requirement_holds(const requirement& requirement, const std::string* value) {
    if (requirement.op == "In") return value != nullptr && is_among(requirement.values, *value);
    if (requirement.op == "NotIn") return value == nullptr || !is_among(requirement.values, *value);
    if (requirement.op == "Exists") return value != nullptr;
    if (requirement.op == "DoesNotExist") return value == nullptr;
    if (requirement.op == "Gt" || requirement.op == "Lt") return compares(requirement, value);
    return false;
}

bool labels_match(const std::vector<requirement>& selector, const text_map& labels) {
    return std::ranges::all_of(
        selector, [&](const requirement& each) { return requirement_holds(each, find_text(labels, each.key)); });
}

bool selector_matches(const placement& asks, const node_shape& shape, std::string_view node_name) {
    for (const auto& [key, wanted] : asks.node_selector) {
        const std::string* const value = find_text(shape.labels, key);
        if (value == nullptr || *value != wanted) return false;
    }
    return !asks.node_affinity || any_term_matches(*asks.node_affinity, shape.labels, node_name);
}

const taint* first_untolerated(const std::vector<toleration>& tolerations, const std::vector<taint>& taints) {
    for (const taint& taint : taints) {
        if (taint.effect != "NoSchedule" && taint.effect != "NoExecute") continue;
        const bool tolerated =
            std::ranges::any_of(tolerations, [&](const toleration& given) { return tolerates(given, taint); });
        if (!tolerated) return &taint;
    }
    return nullptr;
}

bool node_rules_hold(const placement& asks, const node_shape& shape, std::string_view node_name) {
    return selector_matches(asks, shape, node_name) && volumes_match(asks, shape, node_name) &&
           first_untolerated(asks.tolerations, shape.taints) == nullptr && gpu_model_matches(asks, shape) &&
           gpu_memory_suffices(asks, shape);
}

bool port_is_taken(const placement& asks, const std::vector<host_port>& taken) {
    return std::ranges::any_of(asks.ports, [&](const host_port& wanted) {
        return std::ranges::any_of(taken, [&](const host_port& other) { return ports_collide(wanted, other); });
    });
}

namespace {

void check_amounts(const placement& asks, const node_shape& shape, const resource_list& used,
                   std::vector<reason>& out) {
    const auto check = [&](std::string_view name, std::int64_t amount) {
        if (add_saturating(used.of(name), amount) > shape.allocatable.of(name))
            out.push_back({misfit::insufficient, std::string(name)});
    };
    bool counts_pods = shape.allocatable.lists(pods_name);  // in its place among the names
    for (const resource& request : asks.requests) {
        if (counts_pods && request.name >= pods_name) {
            check(pods_name, 1);
            counts_pods = false;
        }
        if (request.amount > 0 && request.name != pods_name && !is_mapped_on(asks, shape, request.name))
            check(request.name, request.amount);
    }
    if (counts_pods) check(pods_name, 1);
}

void check_devices(const pod_claims& claims, const node_shape& shape, std::string_view node_name,
                   std::vector<reason>& out) {
    if (!claims.node.empty() && claims.node != node_name) return out.push_back({misfit::claim_elsewhere, {}});
    device_use use = use_of_devices(shape);
    device_matches matches;
    const allocation_result made = allocate(claims_on(claims, shape), use, matches);
    switch (made.outcome) {
        case allocation::done:
            return;
        case allocation::no_devices:
        case allocation::claim_error:
            return out.push_back({misfit::devices, made.device_class});
        case allocation::selector_error:
            return out.push_back({misfit::device_selector, made.device_class});
        case allocation::undecided:
            return out.push_back({misfit::devices_undecided, made.device_class});
    }
}

}  // namespace

std::vector<reason> why_not(const placement& asks, const node_shape& shape, const occupied& taken,
                            std::string_view node_name) {
    std::vector<reason> out;
    if (!selector_matches(asks, shape, node_name) || !volumes_match(asks, shape, node_name))
        out.push_back({misfit::node_selector, {}});
    if (const taint* const taint = first_untolerated(asks.tolerations, shape.taints))
        out.push_back({misfit::untolerated_taint, taint->key});
    if (!gpu_model_matches(asks, shape)) out.push_back({misfit::gpu_model, {}});
    if (!gpu_memory_suffices(asks, shape)) out.push_back({misfit::gpu_memory, {}});
    check_amounts(asks, shape, taken.used, out);
    if (port_is_taken(asks, taken.ports)) out.push_back({misfit::host_port, {}});
    if (asks.claims != nullptr) check_devices(*asks.claims, shape, node_name, out);
    return out;
}

std::vector<reason> why_not_on_template(const placement& asks, const node_shape& shape) {
    occupied daemons;
    daemons.used = shape.daemon_requests;
    return why_not(asks, shape, daemons);
}

occupied taken_by(std::span<const pod> pods) {
    occupied out;
    for (const pod& pod : pods) {
        if (pod.finished()) continue;  // finished pods do not count, as in the scheduler
        out.used.add(pod.placement.requests);
        out.used.add(pods_name, 1);
        for (const host_port& port : pod.placement.ports) out.ports.push_back(port);
    }
    return out;
}

namespace {

// Everything that restricts a pod's placement, except amounts and ports; equal texts have equal results on every node.
class rules_text {
  public:
    explicit rules_text(const placement& asks) {
        for (const auto& [key, value] : asks.node_selector) part('s', key, value);
        if (asks.node_affinity) any_of('a', *asks.node_affinity);
        for (const std::vector<affinity_term>& terms : asks.volume_terms) any_of('d', terms);
        for (const toleration& toleration : asks.tolerations)
            part('o', toleration.key, toleration.op, toleration.value, toleration.effect);
        for (const std::string& model : asks.gpu_models) part('m', model);
        if (asks.gpu_memory_min_bytes <= 0) return;
        part('g', std::to_string(asks.gpu_memory_min_bytes));
        for (const resource& request : asks.requests) {
            if (is_gpu(request.name)) part('r', request.name, request.amount > 0 ? "1" : "0");
        }
    }
    std::string take() { return std::move(out_); }

  private:
    template <class... Texts>
    void part(char what, const Texts&... texts) {
        out_ += what;
        (append_part(out_, texts), ...);
    }
    void any_of(char what, const std::vector<affinity_term>& terms) {
        part(what);
        for (const affinity_term& term : terms) {
            part('t');
            for (const requirement& label : term.labels) expression('l', label);
            for (const requirement& field : term.fields) expression('f', field);
        }
    }
    void expression(char what, const requirement& requirement) {
        part(what, requirement.key, requirement.op);
        for (const std::string& value : requirement.values) part('v', value);
    }

    std::string out_;
};

}  // namespace

void append_part(std::string& out, std::string_view text) {
    out += std::to_string(text.size());
    out += ':';
    out += text;
}

std::string node_rules_of(const placement& asks) { return rules_text(asks).take(); }

}  // namespace gputide::nodes

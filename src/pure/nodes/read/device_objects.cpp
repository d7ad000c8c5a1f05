#include "base/format_text.hpp"
#include "base/text.hpp"
#include "nodes/read/devices.hpp"

#include <algorithm>
#include <array>

namespace gputide::nodes {
namespace {

constexpr std::size_t max_claims_of_pod = 64;
constexpr std::string_view class_prefix = "deviceclass.resource.kubernetes.io/";

std::string device_id(std::string_view driver, std::string_view pool, std::string_view device) {
    return format_text("{}/{}/{}", driver, pool, device);
}

std::string key_of(const value_reader& object, const std::string& name) {
    return object.member("metadata").text("namespace", "default") + "/" + name;
}

// Writes a tree as text, so that equal specs are found.
void append_tree(const text::node& node, std::string& out) {
    out += node.key;
    out += '\x1f';
    out += node.text;
    out += node.kind == text::node_kind::scalar ? '\x1e' : '\x1d';
    for (const text::node& child : node.children) append_tree(child, out);
    out += '\x1c';
}

// Returns the node that an allocation's selector names; "": none or several.
std::string node_of_allocation(const value_reader& allocation) {
    for (const value_reader term : allocation.member("nodeSelector", "nodeSelectorTerms").items()) {
        for (const value_reader field : term.member("matchFields").items()) {
            const std::vector<std::string> values = field.words("values");
            if (field.text("key") == "metadata.name" && values.size() == 1) return values.front();
        }
    }
    return {};
}

}  // namespace

std::string_view device_objects::kind_of(const value_reader& spec) {
    if (!spec.is_mapping()) return {};
    if (spec.has("driver") && spec.has("pool")) return "ResourceSlice";
    if (spec.member("spec").has("devices")) return "ResourceClaimTemplate";
    if (spec.member("devices").has("requests")) return "ResourceClaim";
    if (spec.member("taint").has("effect")) return "DeviceTaintRule";
    return unknown_member(spec, {"selectors", "config", "extendedResourceName"}).empty() ? "DeviceClass" : "";
}

bool device_objects::take(const value_reader& object, std::string_view kind) {
    struct row {
        std::string_view kind;
        void (device_objects::*take)(const value_reader& object, const std::string& name);
    };
    static constexpr std::array<row, 5> rows{{{"ResourceSlice", &device_objects::take_slice},
                                              {"ResourceClaim", &device_objects::take_claim},
                                              {"ResourceClaimTemplate", &device_objects::take_template},
                                              {"DeviceTaintRule", &device_objects::take_taint_rule},
                                              {"DeviceClass", &device_objects::take_class}}};
    const auto* const at = std::ranges::find(rows, kind, &row::kind);
    if (at == rows.end()) return false;
    const std::string name = object.member("metadata").text("name");
    if (name.empty()) {
        object.error("missing", format_text("metadata.name: expected the name of a {}", kind));
    } else {
        (this->*at->take)(object, name);
    }
    return true;
}

void device_objects::take_slice(const value_reader& object, const std::string& name) {
    const value_reader spec = object.member("spec");
    if (!spec) return object.error("missing", "spec: expected what the slice offers");
    slices_.push_back(read_slice(spec, name));
    has_slices_ = true;
}

void device_objects::take_template(const value_reader& object, const std::string& name) {
    const value_reader inner = object.member("spec", "spec");
    if (!inner) return object.error("missing", "spec.spec: expected what its claims ask for");
    templates_[key_of(object, name)] = spec_of(inner);
}

std::uint32_t device_objects::spec_of(const value_reader& spec) {
    std::string text;
    append_tree(spec.tree(), text);
    const auto [at, is_new] = spec_numbers_.try_emplace(std::move(text), static_cast<std::uint32_t>(specs_.size()));
    if (is_new) specs_.push_back(std::make_shared<device_claim>(read_claim(spec)));
    return at->second;
}

void device_objects::take_claim(const value_reader& object, const std::string& name) {
    const value_reader spec = object.member("spec");
    if (!spec) return object.error("missing", "spec: expected what the claim asks for");
    claim_object out;
    out.spec = spec_of(spec);
    if (const value_reader allocation = object.member("status", "allocation")) {
        out.allocated = true;
        out.node = node_of_allocation(allocation);
        for (const value_reader item : allocation.member("devices", "results").items()) {
            if (item.flag("adminAccess")) continue;
            if (item.has("consumedCapacity")) out.unmodeled = "it shares a device by consumed capacity";
            out.devices.push_back(device_id(item.text("driver"), item.text("pool"), item.text("device")));
        }
    }
    claims_.insert_or_assign(key_of(object, name), std::move(out));
}

void device_objects::take_class(const value_reader& object, const std::string& name) {
    class_object out;
    out.created_ms = object.member("metadata").time_ms("creationTimestamp").value_or(0);
    const value_reader spec = object.member("spec");
    out.selectors = read_selectors(spec, out.unmodeled);
    out.extended_resource = spec.text("extendedResourceName");
    const std::string other = unknown_member(spec, {"selectors", "config", "extendedResourceName"});
    if (out.unmodeled.empty() && !other.empty()) out.unmodeled = format_text("it has {}", other);
    classes_.insert_or_assign(name, std::move(out));
}

// A rule without a selector taints nothing; an empty selector taints every device (KEP 5055).
void device_objects::take_taint_rule(const value_reader& object, const std::string&) {
    const value_reader selector = object.member("spec", "deviceSelector");
    const value_reader taint = object.member("spec", "taint");
    if (!selector || !taint) return;
    if (const std::string other = unknown_member(selector, {"driver", "pool", "device"}); !other.empty())
        object.error("not-modeled", format_text("a plan does not model {} of a DeviceTaintRule: it taints more devices "
                                                "in the plan than in the cluster",
                                                other));
    taint_rules_.push_back({selector.text("driver"),
                            selector.text("pool"),
                            selector.text("device"),
                            {taint.text("key"), taint.text("value"), taint.text("effect")}});
}

void device_objects::add_taints(resource_slice& slice) const {
    for (const taint_rule& rule : taint_rules_) {
        if (!rule.driver.empty() && rule.driver != slice.driver) continue;
        if (!rule.pool.empty() && rule.pool != slice.pool) continue;
        for (written_device& written : slice.devices) {
            if (rule.device.empty() || rule.device == written.device.name) written.device.taints.push_back(rule.taint);
        }
    }
}

void device_objects::give_devices(std::vector<node>& nodes) {
    std::unordered_map<std::string, std::vector<resource_slice>> by_node;
    for (resource_slice& slice : slices_) {
        add_taints(slice);
        by_node[slice.node].push_back(std::move(slice));
    }
    slices_.clear();
    std::unordered_map<std::string, device_position> positions;
    const auto note = [&](const device_set& set, node* on) {
        for (std::uint32_t i = 0; i < set.devices.size(); ++i) {
            const device& device = set.devices[i];
            const device_pool& pool = set.pools[device.pool];
            std::string id = device_id(pool.driver, pool.name, device.name);
            if (on == nullptr || !device.unmodeled.empty()) unmodeled_devices_.emplace_back(id, device);
            if (on != nullptr) positions.emplace(std::move(id), device_position{on, i});
        }
    };
    for (node& node : nodes) {
        if (const auto at = by_node.find(node.name); at != by_node.end())
            node.shape.devices = devices_of(std::move(at->second));
        if (node.shape.devices == nullptr) continue;
        node.shape.devices_held.assign(node.shape.devices->devices.size(), false);
        note(*node.shape.devices, &node);
    }
    // A driver may share devices among nodes; which pods reach them is not modeled.
    if (const auto shared = by_node.find(""); shared != by_node.end())
        note(*devices_of(std::move(shared->second)), nullptr);
    hold_claimed(positions);
    map_resources();
    finish_specs();
}

void device_objects::hold_claimed(const std::unordered_map<std::string, device_position>& positions) {
    for (auto& [key, claim] : claims_) {
        for (const std::string& id : claim.devices) {
            const auto at = positions.find(id);
            if (at == positions.end()) {
                claim.unmodeled =
                    format_text("no ResourceSlice of a listed node has its device {} (kubectl get resourceslices)", id);
                continue;
            }
            at->second.on->shape.devices_held[at->second.device] = true;
            claim.positions.push_back(at->second.device);
            if (claim.node.empty()) claim.node = at->second.on->name;
        }
    }
}

// If several classes name one resource, the newest serves it, and of equally old classes the first by name.  Every class serves
// its implicit name.  kubernetes/dynamic-resource-allocation deviceclass/extendedresourcecache.
void device_objects::map_resources() {
    for (const auto& [name, made] : classes_) {
        class_of_resource_[std::string(class_prefix) + name] = name;
        if (made.extended_resource.empty()) continue;
        std::string& serving = class_of_resource_[made.extended_resource];
        if (serving.empty() || classes_.at(serving).created_ms < made.created_ms) serving = name;
    }
}

void device_objects::finish_specs() {
    for (const std::shared_ptr<device_claim>& claim : specs_) {
        for (device_request& request : claim->requests) {
            for (exact_request& exact : request.alternatives) finish_request(exact, claim->unmodeled);
        }
    }
}

void device_objects::finish_request(exact_request& request, std::string& unmodeled) const {
    const auto at = classes_.find(request.device_class);
    std::string why;
    if (at == classes_.end()) {
        why = format_text("the DeviceClass {} is not listed (kubectl get deviceclasses)", request.device_class);
    } else {
        request.selectors.insert(request.selectors.begin(), at->second.selectors.begin(), at->second.selectors.end());
        if (!at->second.unmodeled.empty())
            why = format_text("DeviceClass {}: {}", request.device_class, at->second.unmodeled);
    }
    if (why.empty()) why = unmodeled_device_for(request);
    if (unmodeled.empty()) unmodeled = std::move(why);
}

std::string device_objects::unmodeled_device_for(const exact_request& request) const {
    for (const auto& [id, device] : unmodeled_devices_) {
        const bool is_out = std::ranges::any_of(request.selectors, [&device = device](const auto& selector) {
            return selector->matches(device.properties) == match::no;
        });
        if (is_out) continue;
        return format_text("it may get the device {}, which {}", id,
                           device.unmodeled.empty() ? std::string("several nodes share") : "has " + device.unmodeled);
    }
    return {};
}

void device_objects::count_uses(const pod& pod, std::int64_t pods) {
    for (const claim_reference& reference : pod.claims) {
        if (!reference.from_template.empty()) continue;
        const auto at = claims_.find(pod.name_space + "/" + reference.claim);
        if (at != claims_.end()) at->second.uses += pods;
    }
}

// Returns why the claim is not modeled; "": it is.
std::string device_objects::add_claim(const claim_reference& reference, const pod& pod, const std::string& node,
                                      pod_claims& out, std::vector<std::uint32_t>& devices) {
    const bool is_placed = !node.empty();
    const auto claim = claims_.find(pod.name_space + "/" + reference.claim);
    if (claim != claims_.end()) {
        const claim_object& object = claim->second;
        if (!object.unmodeled.empty()) return object.unmodeled;
        if (object.node == node) devices.insert(devices.end(), object.positions.begin(), object.positions.end());
        if (object.allocated && !is_placed) {
            if (object.node.empty()) return "it is allocated for several nodes";
            if (!out.node.empty() && out.node != object.node) return "its claims are allocated on different nodes";
            out.node = object.node;
            return {};
        }
        if (object.uses > 1) return "several pods share it";
        out.claims.push_back(specs_[object.spec]);
        return specs_[object.spec]->unmodeled;
    }
    // Only the claim itself says which devices a pod on a node holds.
    const auto from = templates_.find(pod.name_space + "/" + reference.from_template);
    if (!is_placed && from != templates_.end()) {
        out.claims.push_back(specs_[from->second]);
        return specs_[from->second]->unmodeled;
    }
    if (is_placed || reference.from_template.empty()) return "it is not listed (kubectl get resourceclaims -A)";
    return format_text("the ResourceClaimTemplate {} is not listed (kubectl get resourceclaimtemplates -A)",
                       reference.from_template);
}

const std::shared_ptr<const device_claim>& device_objects::claim_for_resource(const std::string& resource_name,
                                                                              std::int64_t count) {
    const auto [at, is_new] = mapped_.try_emplace(format_text("{}*{}", resource_name, count));
    if (!is_new) return at->second;
    exact_request exact;
    exact.device_class = class_of_resource_.at(resource_name);
    exact.count = count;
    device_claim made;
    finish_request(exact, made.unmodeled);
    made.requests.push_back({resource_name, {std::move(exact)}});
    return at->second = std::make_shared<device_claim>(std::move(made));
}

// Adds the extended resources that a DeviceClass serves (KEP 5004): one request of the class for each.
void device_objects::add_mapped(const pod& pod, pod_claims& out) {
    if (class_of_resource_.empty()) return;
    for (const resource& request : pod.placement.requests) {
        if (request.amount <= 0 || !class_of_resource_.contains(request.name)) continue;
        if (const auto& claim = claim_for_resource(request.name, request.amount); claim != nullptr)
            out.mapped.push_back({request.name, claim});
    }
}

void device_objects::resolve(pod& pod, const std::string& node) {
    pod_claims made;
    if (pod.claims.size() > max_claims_of_pod) {
        pod.placement.unmodeled.push_back(format_text("it has more than {} claims", max_claims_of_pod));
        return;
    }
    for (const claim_reference& reference : pod.claims) {
        const std::string why = add_claim(reference, pod, node, made, pod.devices);
        if (!why.empty())
            pod.placement.unmodeled.push_back(format_text("its claim {}: {}", in_quotes(reference.name), why));
    }
    add_mapped(pod, made);
    if (made.claims.empty() && made.mapped.empty() && made.node.empty()) return;
    pod.placement.claims = interned(std::move(made));
}

std::shared_ptr<const pod_claims> device_objects::interned(pod_claims made) {
    std::string key = made.node + "\n";
    const auto append = [&](const device_claim* claim) {
        key.append(reinterpret_cast<const char*>(&claim), sizeof claim);
    };
    for (const auto& claim : made.claims) append(claim.get());
    for (const mapped_resource& resource : made.mapped) append(resource.claim.get());
    std::shared_ptr<const pod_claims>& known = interned_[key];
    if (known == nullptr) known = std::make_shared<pod_claims>(std::move(made));
    return known;
}

}  // namespace gputide::nodes

// Reads the parts of resource.k8s.io that a plan needs: ResourceSlice, ResourceClaim, ResourceClaimTemplate, DeviceClass,
// DeviceTaintRule.
// An object with unknown members is not modeled; the member is reported by name.
#pragma once

#include "nodes/dra/device.hpp"
#include "nodes/estimate.hpp"
#include "nodes/read/values.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace gputide::nodes {

// A counter by name, with what it has in total or what a device uses of it.
struct written_counter {
    std::string set;
    std::string name;
    std::int64_t amount = 0;  // thousandths
};

struct written_device {
    nodes::device device;
    std::vector<written_counter> uses;
};

struct resource_slice {
    std::string name;
    std::string driver;
    std::string pool;
    std::string node;  // "": for several nodes
    std::int64_t generation = 0;
    std::int64_t slices = 0;  // of the pool; 0: unknown
    std::vector<written_device> devices;
    std::vector<written_counter> counters;
};

// Reads the spec of a ResourceSlice.
resource_slice read_slice(const value_reader& spec, std::string name);

// Reads the list resource_slices of a pool or node in gputide's format: specs of ResourceSlices.
std::shared_ptr<const device_set> read_own_slices(const value_reader& list);

// Builds the devices of one node; ignores slices of older generations.
std::shared_ptr<const device_set> devices_of(std::vector<resource_slice> slices);

// Reads the spec of a claim, without the selectors of its classes.
device_claim read_claim(const value_reader& spec);

// Returns the first member of a mapping that is not in `known`; "": none.
std::string unknown_member(const value_reader& reader, std::initializer_list<std::string_view> known);

// Reads a list of selectors; `unmodeled` gets the first reason why a selector is not modeled.
std::vector<std::shared_ptr<const device_selector>> read_selectors(const value_reader& owner, std::string& unmodeled);

// A device of a listed node.
struct device_position {
    node* on = nullptr;
    std::uint32_t device = 0;
};

// Collects the objects; sets the devices of nodes and the claims of pods.
class device_objects {
  public:
    // Returns the kind of an item without `kind` in a list of the API server; "": another kind.
    static std::string_view kind_of(const value_reader& spec);
    // Returns false for another kind.
    bool take(const value_reader& object, std::string_view kind);
    bool has_slices() const { return has_slices_; }

    // Sets the devices of nodes, and marks the devices held by allocated claims.  Must be called before resolve().
    void give_devices(std::vector<node>& nodes);

    // Counts the uses of named claims: a claim that several pods share is not modeled.
    void count_uses(const pod& pod, std::int64_t pods);

    // Sets the pod's claims. node: the pod's node; "": the pod is pending.
    void resolve(pod& pod, const std::string& node);

  private:
    struct claim_object {
        std::uint32_t spec = 0;
        bool allocated = false;
        std::string node;                      // of its devices; "": unknown
        std::vector<std::string> devices;      // "driver/pool/device", without admin access
        std::vector<std::uint32_t> positions;  // of those on their node
        std::string unmodeled;
        std::int64_t uses = 0;
    };
    struct taint_rule {
        std::string driver;  // "": any
        std::string pool;
        std::string device;
        nodes::taint taint;
    };
    struct class_object {
        std::vector<std::shared_ptr<const device_selector>> selectors;
        std::string extended_resource;
        std::int64_t created_ms = 0;
        std::string unmodeled;
    };

    std::uint32_t spec_of(const value_reader& spec);
    void take_slice(const value_reader& object, const std::string& name);
    void take_template(const value_reader& object, const std::string& name);
    void take_claim(const value_reader& object, const std::string& name);
    void take_class(const value_reader& object, const std::string& name);
    void take_taint_rule(const value_reader& object, const std::string& name);
    void add_taints(resource_slice& slice) const;
    void map_resources();
    void hold_claimed(const std::unordered_map<std::string, device_position>& positions);
    void finish_specs();
    void finish_request(exact_request& request, std::string& unmodeled) const;
    std::string unmodeled_device_for(const exact_request& request) const;
    std::string add_claim(const claim_reference& reference, const pod& pod, const std::string& node, pod_claims& out,
                          std::vector<std::uint32_t>& devices);
    void add_mapped(const pod& pod, pod_claims& out);
    const std::shared_ptr<const device_claim>& claim_for_resource(const std::string& resource_name, std::int64_t count);
    std::shared_ptr<const pod_claims> interned(pod_claims made);

    std::vector<resource_slice> slices_;
    std::vector<taint_rule> taint_rules_;
    bool has_slices_ = false;
    std::vector<std::pair<std::string, device>> unmodeled_devices_;  // "driver/pool/device"
    std::unordered_map<std::string, claim_object> claims_;           // by "namespace/name"
    std::unordered_map<std::string, std::uint32_t> templates_;       // likewise
    std::map<std::string, class_object> classes_;
    std::map<std::string, std::string> class_of_resource_;         // extended resources
    std::unordered_map<std::string, std::uint32_t> spec_numbers_;  // by text
    std::vector<std::shared_ptr<device_claim>> specs_;
    std::map<std::string, std::shared_ptr<const device_claim>> mapped_;  // by "class*count"
    std::map<std::string, std::shared_ptr<const pod_claims>> interned_;
};

}  // namespace gputide::nodes

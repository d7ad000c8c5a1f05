// Reads a GPU and its sharing in this library's own format.
#include "base/format_text.hpp"
#include "base/text.hpp"
#include "nodes/hardware.hpp"
#include "nodes/read/objects.hpp"

#include <algorithm>
#include <array>

namespace gputide::nodes {
namespace {

sharing_strategy read_strategy(const value_reader& reader) {
    static constexpr std::array<std::string_view, 5> names{"none", "time-slicing", "mps", "mig-single", "mig-mixed"};
    const std::string text = reader.text("strategy", "none");
    const auto at = std::find(names.begin(), names.end(), text);
    if (at != names.end()) return static_cast<sharing_strategy>(at - names.begin());
    reader.error("sharing", format_text("strategy: expected none, time-slicing, mps, mig-single or mig-mixed, got {}",
                                        in_quotes(text)));
    return sharing_strategy::none;
}

void check_profiles(const value_reader& reader, const gpu_info& gpu) {
    for (const mig_count& profile : gpu.sharing.profiles) {
        if (profile.profile.empty()) return;  // a number of instances without details
        if (!parse_mig_profile(profile.profile))
            reader.error("mig-profile",
                         format_text("expected a MIG profile such as 1g.10gb, got {}", in_quotes(profile.profile)));
    }
    if (!can_be_cut(gpu.sharing.profiles, gpu.memory_bytes))
        reader.warning("mig-profile", "these profiles need more than the 7 compute or 8 memory slices of one GPU");
}

// Reads "profiles": {"1g.10gb": 7}, or "profile": "1g.10gb" with the maximum of instances, or "instances" of them.
gpu_sharing read_sharing(const value_reader& reader, const gpu_info& gpu) {
    reader.only({"strategy", "replicas", "rename", "profiles", "profile", "instances", "mig_gpus"});
    gpu_sharing out;
    out.strategy = read_strategy(reader);
    out.replicas = std::max<std::int64_t>(1, reader.integer("replicas", 1));
    out.rename = reader.flag("rename");
    if (const auto profiles = reader.member("profiles")) {
        for (const text::node& node : profiles->here().at->children)
            out.profiles.push_back({node.key, profiles->integer(node.key)});
    }
    if (const std::string profile = reader.text("profile"); !profile.empty()) {
        const std::optional<mig_profile> known = parse_mig_profile(profile);
        out.profiles.push_back(
            {profile, reader.integer("instances", known ? max_instances(*known, gpu.memory_bytes) : 0)});
    }
    if (out.profiles.empty() && reader.has("instances")) out.profiles.push_back({{}, reader.integer("instances")});
    if (reader.has("mig_gpus")) out.mig_gpus = reader.integer("mig_gpus");
    return out;
}

}  // namespace

gpu_info read_gpu(const value_reader& reader) {
    reader.only({"model", "memory_bytes", "count", "resource", "sharing"});
    gpu_info out;
    out.model = reader.text("model");
    out.memory_bytes = reader.integer("memory_bytes");
    out.count = reader.integer("count");
    out.resource = reader.text("resource", nvidia_gpu_name);
    if (const auto sharing = reader.member("sharing")) {
        out.sharing = read_sharing(*sharing, out);
        check_profiles(*sharing, out);
    }
    return out;
}

void add_advertised(node_shape& shape) {
    if (!shape.gpu || gpu_count(shape.allocatable) > 0) return;
    for (const resource& resource : advertised(*shape.gpu)) {
        shape.allocatable.set(resource.name, resource.amount);
        if (!shape.capacity.empty()) shape.capacity.set(resource.name, resource.amount);
    }
}

}  // namespace gputide::nodes

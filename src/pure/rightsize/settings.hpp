// The settings of right-sizing: measured resources, percentiles and margins, the present and the possible hardware.
// Parsed from text (docs/rightsizing.md has every member), optionally with a VerticalPodAutoscaler.
#pragma once

#include "manifest/load.hpp"
#include "rightsize/estimate.hpp"
#include "rightsize/usage.hpp"
#include "text/mapping.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gputide::text {
template <class Settings>
struct setting;
}

namespace gputide::rightsize {

// gpu: utilization and memory of GPUs. vpa: cpu and memory, with exactly the VPA's defaults.
enum class profile : std::uint8_t { gpu, vpa };
std::string_view profile_name(profile profile) noexcept;

struct percentiles {
    double target = 0.9;
    double lower = 0.5;
    double upper = 0.95;
};

// The allowed ways for several replicas to share a GPU.
struct sharing_rules {
    bool mig = true;            // MIG profiles may be recommended, if the model has any
    bool time_slicing = false;  // replicas on one GPU without isolation
    bool mps = false;           // replicas on one GPU, each with a fixed share of the memory
};

// The slices of a GPU.
// Facts: NVIDIA/mig-parted v0.15.0 (profiles by GPU); 4g.47gb of the H100 NVL is inferred by analogy.
struct mig_profile {
    std::string name;          // "1g.10gb"
    amount memory_bytes = 0;   // of one instance
    std::int32_t slices = 0;   // the g of its name: sevenths of the GPU's compute
    std::int32_t per_gpu = 0;  // instances per GPU
};

inline constexpr std::int32_t slices_per_gpu = 7;

// A machine type with GPUs.
struct sku {
    std::string name;             // "Standard_NC24ads_A100_v4"
    std::string gpu_model;        // "A100"; may be empty
    amount gpu_memory_bytes = 0;  // of one GPU
    double gpus = 1.0;  // of one node; below 1: a fraction of a GPU, which cannot be combined with other fractions
    std::optional<double> price_per_hour;  // of one node
    std::optional<double> speed;           // of one GPU relative to the present GPU; nothing: equal
};

struct workload {
    std::int32_t gpus = 1;  // present number
    double goal_util_percent = 80.0;
    bool replicated = true;   // each GPU serves independently
    bool splittable = false;  // the model may be spread over more GPUs
    std::int32_t min_gpus = 0;
    std::int32_t max_gpus = 0;  // 0: no limit
};

struct settings {
    rightsize::profile profile = rightsize::profile::gpu;
    usage_rules usage;
    percentiles at;
    double busy_margin = 0.15;
    double memory_margin = 0.05;  // a bucket's end is already up to 5 % high
    std::int64_t confidence_interval_ms = 86'400'000;
    double hold_below = 0.25;         // with less confidence nothing is changed, except after an out-of-memory
    std::int32_t containers = 1;      // number of containers that share the pod's minimum
    amount min_pod_busy = 0;          // of a pod: millicores, or percent
    amount min_pod_memory_bytes = 0;  // of a pod
    amount busy_step = 1;             // targets are rounded up to a multiple of it
    amount memory_step_bytes = 1;
    caps busy_caps;
    caps memory_caps;
    update_mode mode = update_mode::off;
    std::string name;       // "namespace/name" of the VPA, or as given; may be empty
    std::string container;  // the container that selects the policy in a VPA

    // ---- the hardware
    workload now;
    std::string sku;              // present machine, a name in `machines`; may be empty
    std::string gpu_model;        // of the present GPU; may be empty
    amount gpu_memory_bytes = 0;  // of the present GPU; 0: unknown
    sharing_rules sharing;
    std::vector<rightsize::sku> machines;
    std::vector<mig_profile> mig_profiles;     // replaces the built-in profiles for the present GPU
    std::int32_t mig_slices = slices_per_gpu;  // of the whole GPU
};

inline constexpr std::int32_t gpu_count_limit = 65'536;
inline constexpr std::size_t max_machines = 1'000;

// One row per setting of this library, except the lists of machines and MIG profiles: the table of docs/rightsizing.md.
using setting_row = text::setting<settings>;
std::span<const setting_row> setting_rows();

// Parses YAML or JSON: settings of this library (a document without a kind), a GpuCatalogue, a VerticalPodAutoscaler, in any
// order, each at most once; "" means all defaults.  From a VPA the policy of the settings' `container` is used; without a
// `container` the first policy with a container name, else that of "*".  Warnings are added to `findings`.
result<settings> read_settings(std::span<const manifest::text_file> texts, text::report& findings);

// Returns the present machine; nullptr: not given, or not in the list.
const sku* present_machine(const settings& settings);

// Reads a VerticalPodAutoscaler (autoscaling.k8s.io/v1) into bounds, mode and controlled resources of the settings.
// Changes the settings in place and adds findings; status is ignored.
// Rules: kubernetes/autoscaler vertical-pod-autoscaler/pkg/apis/autoscaling.k8s.io/v1/types.go, pkg/utils/vpa/api.go.

// Uses the policy of the settings' container; sets the container's name if it is empty.
void take_vpa(const text::cursor& cursor, settings& settings, text::report& findings);

}  // namespace gputide::rightsize

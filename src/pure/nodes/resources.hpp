// Amounts by resource name: cpu in millicores, memory in bytes, everything else as a count (`nvidia.com/gpu`, `pods`).  Sums
// saturate at the limits of int64.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gputide::nodes {

inline constexpr std::string_view cpu_name = "cpu";
inline constexpr std::string_view memory_name = "memory";
inline constexpr std::string_view pods_name = "pods";
inline constexpr std::string_view nvidia_gpu_name = "nvidia.com/gpu";
inline constexpr std::string_view nvidia_prefix = "nvidia.com/";

struct resource {
    std::string name;
    std::int64_t amount = 0;

    friend bool operator==(const resource&, const resource&) = default;
};

// Sorted by name, each name once.
class resource_list {
  public:
    std::int64_t of(std::string_view name) const;  // 0 if it is not listed
    bool lists(std::string_view name) const { return find(name) != nullptr; }
    void set(std::string_view name, std::int64_t amount);
    void add(std::string_view name, std::int64_t amount);
    void add(const resource_list& more);
    void subtract(const resource_list& less);   // an unlisted resource counts as 0 and is added
    void raise_to(const resource_list& least);  // the larger of both for each name

    bool empty() const { return sorted_.empty(); }
    std::size_t size() const { return sorted_.size(); }
    auto begin() const { return sorted_.begin(); }
    auto end() const { return sorted_.end(); }
    friend bool operator==(const resource_list&, const resource_list&) = default;

  private:
    const resource* find(std::string_view name) const;

    std::vector<resource> sorted_;
};

// Tells whether a resource is a GPU or a part of one: any resource of nvidia.com/, and cluster-autoscaler's known devices.
bool is_gpu(std::string_view name);

// Tells whether a resource is one of cluster-autoscaler's known devices (utils/gpu/gpu.go); MIG slices are not.
bool is_known_gpu(std::string_view name);

// Returns the sum of all GPU resources.
std::int64_t gpu_count(const resource_list& amounts);

// Returns an amount with its unit: "4 cores", "250m cpu", "320 GiB memory", "8 nvidia.com/gpu".
std::string amount_text(std::string_view name, std::int64_t amount);

}  // namespace gputide::nodes

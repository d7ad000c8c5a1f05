// Whether a GPU's clocks are held down, and whether it had errors.
#pragma once

#include "source/gpu/gpus.hpp"
#include "source/gpu/past.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace gputide::source::nvml {

class health {
  public:
    health(const calls& calls, std::shared_ptr<void> loaded) : calls_(calls), loaded_(std::move(loaded)) {}
    health(const health&) = delete;
    health& operator=(const health&) = delete;
    ~health();  // before nvmlShutdown

    // 1: the driver holds the clocks down; the label `reasons` says why.
    measured_value throttled(const gpu& gpu) const;

    // 1: lost, in need of a reset, with uncorrected ECC errors since the driver was loaded, or with an XID error of its own since
    // this object heard of it first.
    measured_value unhealthy(const gpu& gpu);

  private:
    void listen(const gpu& gpu);
    void hear();

    const calls calls_;
    const std::shared_ptr<void> loaded_;
    event_set events_ = nullptr;
    std::set<device> heard_;
    std::map<device, std::set<std::uint64_t>> xids_;
};

}  // namespace gputide::source::nvml

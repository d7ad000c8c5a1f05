// GPM: counters of the driver (Hopper and newer), read at both ends of an interval.  The samples of a GPU are taken once for all
// triggers that poll together.
#pragma once

#include "source/gpu/gpus.hpp"
#include "source/gpu/past.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

namespace gputide::source::nvml {

// NVML refreshes what a sample is made of about ten times a second (nvml.h, nvmlGpmSampleGet): two samples that are closer together
// give no exact number, and one that is younger is as good as a new one.
inline constexpr std::int64_t gpm_refresh_ms = 100;
inline constexpr std::int64_t min_gpm_interval_ms = 200;

class gpm {
  public:
    // `loaded` keeps the library in memory as long as a sample lives.
    gpm(const calls& calls, std::shared_ptr<void> loaded) : calls_(calls), loaded_(std::move(loaded)) {}

    // Looks anew whether GPUs support it, and forgets those that are gone.
    void relisted(const std::vector<gpu>& list);

    // ok, not_supported, no_permission, or why a sample could not be taken.
    code take(const gpu& gpu, std::int64_t steady_ms, std::shared_ptr<const gpm_sample>& into);

    // The sample before the latest, whichever trigger took it; null: there is none.
    std::shared_ptr<const gpm_sample> earlier(const gpu& gpu) const;

    // The value between two samples of that GPU.
    code value(const gpu& gpu, const gpm_sample& first, const gpm_sample& second, unsigned metric, double& into);

  private:
    struct gpu_state {
        code support = ok;
        bool is_asked = false;
        std::shared_ptr<const gpm_sample> latest, earlier;
        // What was computed last, for the triggers that poll together.
        gpm_request computed;
        std::shared_ptr<gpm_sample_type> first, second;
    };

    code supports(const gpu& gpu, gpu_state& state) const;
    std::shared_ptr<gpm_sample_type> new_sample(code& said) const;
    code compute(gpu_state& state, const gpm_sample& first, const gpm_sample& second, unsigned metric) const;

    const calls calls_;
    const std::shared_ptr<void> loaded_;
    std::map<std::string, gpu_state> known_;  // by UUID
};

}  // namespace gputide::source::nvml

// The readings of one trigger's last poll, so that the next value stands for the time in between.
#pragma once

#include "base/sample.hpp"
#include "source/gpu/calls.hpp"
#include "source/gpu/gpus.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace gputide::source::nvml {

// One state of a GPU's counters; triggers that poll together share it.
struct gpm_sample {
    std::shared_ptr<gpm_sample_type> handle;  // freed with the last holder; keeps the library loaded
    std::int64_t steady_ms = 0;
};

struct energy_state {
    std::uint64_t millijoules = 0;
    std::int64_t steady_ms = 0;
};

struct past_reading {
    std::shared_ptr<const gpm_sample> before;  // the poll before the last: for a poll too soon after the last one
    std::shared_ptr<const gpm_sample> last;
    std::uint64_t sample_us = 0;  // the newest of the driver's samples that was counted; 0: none
    std::optional<energy_state> energy;
    std::uint64_t process_us = 0;
};

// The readings of one trigger, by UUID.
using past_readings = std::map<std::string, past_reading>;

using extra_labels = std::vector<std::pair<std::string, std::string>>;

// One number of one GPU, instance or process.
struct measured_value {
    code said = ok;
    double value = 0.0;
    gputide::read_by read_by = gputide::read_by::unsaid;
    std::int64_t interval_ms = 0;
    std::string note;  // what a reader of the number must know
    extra_labels labels;
};

// Whether a GPU's clocks are held down, and whether it had errors.

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

// GPM: counters of the driver (Hopper and newer), read at both ends of an interval.  The samples of a GPU are taken once for all
// triggers that poll together.

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
        // The last result, for the triggers that poll together.
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

// Power as the energy that was used between two polls, and its share of the limit.

// `power_average_watts` or `power_ratio` of one whole GPU.  The first value, and that of a GPU without an energy counter (before
// Volta), is the driver's own power reading.
measured_value average_power(const calls& calls, const quantity& quantity, const gpu& gpu, std::int64_t steady_ms,
                             past_reading& past);

// Values of GPUs over the time between two polls of a trigger: by GPM where the GPU has it, else the mean of the driver's own
// samples, else the driver's last sample alone, which says so.

struct nvml_clock {
    std::function<std::int64_t()> steady_ms;
    std::function<void(std::int64_t)> pause_ms;
};

// One value for each of `gpus`, in their order.  The first one of a trigger stands for the samples that the driver keeps, or for
// an interval of its own of at least 200 ms, which this call waits for once.
std::vector<measured_value> averaged_values(const calls& calls, gpm& gpm, const nvml_clock& clock,
                                            const quantity& quantity, const std::vector<const gpu*>& gpus,
                                            past_readings& past);

}  // namespace gputide::source::nvml

// What the host last said about one scaler's target, kept until it says more: an observation that owns its memory.
#pragma once

#include "decide/observation.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace gputide::runtime {

class seen {
  public:
    seen() = default;
    explicit seen(const decide::observation& from);

    bool any() const { return any_; }
    std::int64_t time_ms() const { return time_ms_; }  // when the host saw it
    std::int32_t replicas() const { return spec_replicas_; }
    std::span<const sample> given() const;  // values of triggers that the host pushes

    // The target's size was changed to this by the host itself.
    void resized(std::int32_t replicas, std::int64_t now_ms);

    // Valid while this object and the samples live.
    decide::observation at(std::int64_t now_ms, std::span<const sample> samples) const;

  private:
    // Rarely there.
    struct more {
        std::vector<sample> given;
        std::vector<std::string> names;
        std::vector<decide::pod> pods;  // their names lie in `names`
        std::vector<decide::pod_sample> pod_samples;
    };

    std::int64_t time_ms_ = 0;
    std::int32_t spec_replicas_ = 0, status_replicas_ = -1, ready_replicas_ = -1;
    bool scale_readable_ = true;
    bool any_ = false;
    std::unique_ptr<more> more_;
};

}  // namespace gputide::runtime

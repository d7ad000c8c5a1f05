// What the host last said about one scaler's target, kept until it says more: an observation that owns its memory, and the
// samples that the host pushes for metrics without a source.
#pragma once

#include "decide/observation.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gputide::runtime {

class kept_observation {
  public:
    kept_observation() = default;
    // messages: as for push().
    explicit kept_observation(const decide::observation& observation, std::span<const std::string_view> messages = {});

    bool is_given() const { return is_given_; }        // the host has said how large the target is
    std::int64_t time_ms() const { return time_ms_; }  // when the host saw it
    std::int32_t replicas() const { return spec_replicas_; }
    // One a metric, or none; state not_given: nothing was pushed for that metric yet.
    std::span<const sample> pushed() const;

    // Why there is no number, in the host's words; "" where it said nothing.
    std::string_view pushed_message(std::size_t metric) const;

    // Takes the samples whose state is not not_given; the others stay as they were.
    // messages: one a sample, or none: why there is no number.
    void push(std::span<const sample> samples, std::span<const std::string_view> messages = {});

    // Samples that this one lacks come from the observation before it.
    void keep_pushed(const kept_observation& before);

    // The target's size was changed to this by the host itself.
    void resize(std::int32_t replicas, std::int64_t now_ms);

    // Valid while this object and the samples live.
    decide::observation at(std::int64_t now_ms, std::span<const sample> samples) const;

  private:
    // Rarely there.
    struct extras {
        std::vector<sample> pushed;
        std::vector<std::string> messages;  // of the pushed samples, as far as any has one
        std::vector<std::string> pod_names;
        std::vector<decide::pod> pods;                // their names lie in pod_names
        std::vector<decide::pod_sample> pod_samples;  // their containers lie in `containers`
        std::deque<std::string> containers;
        std::string scale_error;
    };

    extras& more();
    void keep_pods(const decide::observation& observation);

    std::int64_t time_ms_ = 0;
    std::int32_t spec_replicas_ = 0, status_replicas_ = -1, ready_replicas_ = -1;
    bool scale_readable_ = true;
    bool lists_pods_ = false;
    bool is_given_ = false;
    std::unique_ptr<extras> extras_;
};

}  // namespace gputide::runtime

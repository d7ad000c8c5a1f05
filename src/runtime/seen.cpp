#include "runtime/seen.hpp"

namespace gputide::runtime {

seen::seen(const decide::observation& from)
    : time_ms_(from.now_ms),
      spec_replicas_(from.spec_replicas),
      status_replicas_(from.status_replicas),
      ready_replicas_(from.ready_replicas),
      scale_readable_(from.scale_readable),
      any_(true) {
    if (from.samples.empty() && from.pods.empty() && from.pod_samples.empty()) return;
    more_ = std::make_unique<more>();
    more_->given.assign(from.samples.begin(), from.samples.end());
    more_->pods.assign(from.pods.begin(), from.pods.end());
    more_->pod_samples.assign(from.pod_samples.begin(), from.pod_samples.end());
    more_->names.reserve(from.pods.size());  // a name that moved would leave its pod behind
    for (decide::pod& one : more_->pods) one.name = more_->names.emplace_back(one.name);
}

std::span<const sample> seen::given() const {
    return more_ ? std::span<const sample>(more_->given) : std::span<const sample>();
}

void seen::resized(std::int32_t replicas, std::int64_t now_ms) {
    spec_replicas_ = replicas;
    if (now_ms > time_ms_) time_ms_ = now_ms;
}

decide::observation seen::at(std::int64_t now_ms, std::span<const sample> samples) const {
    decide::observation out;
    out.now_ms = now_ms;
    out.spec_replicas = spec_replicas_;
    out.status_replicas = status_replicas_;
    out.ready_replicas = ready_replicas_;
    out.scale_readable = scale_readable_;
    out.samples = samples;
    if (more_) {
        out.pods = more_->pods;
        out.pod_samples = more_->pod_samples;
    }
    return out;
}

}  // namespace gputide::runtime

#include "runtime/fleet/kept_observation.hpp"

namespace gputide::runtime {

kept_observation::kept_observation(const decide::observation& observation, std::span<const std::string_view> messages)
    : time_ms_(observation.now_ms),
      spec_replicas_(observation.spec_replicas),
      status_replicas_(observation.status_replicas),
      ready_replicas_(observation.ready_replicas),
      scale_readable_(observation.scale_readable),
      lists_pods_(observation.lists_pods),
      is_given_(true) {
    push(observation.samples, messages);
    keep_pods(observation);
    if (!observation.scale_error.empty()) more().scale_error = observation.scale_error;
}

void kept_observation::keep_pods(const decide::observation& observation) {
    if (observation.pods.empty() && observation.pod_samples.empty()) return;
    more();
    extras_->pods.assign(observation.pods.begin(), observation.pods.end());
    extras_->pod_samples.assign(observation.pod_samples.begin(), observation.pod_samples.end());
    extras_->pod_names.reserve(observation.pods.size());  // a name that moved would leave its pod behind
    for (decide::pod& pod : extras_->pods) pod.name = extras_->pod_names.emplace_back(pod.name);
    std::deque<std::string>& containers = extras_->containers;
    for (decide::pod_sample& one : extras_->pod_samples) {
        if (one.container.empty()) continue;
        if (containers.empty() || containers.back() != one.container) containers.emplace_back(one.container);
        one.container = containers.back();
    }
}

kept_observation::extras& kept_observation::more() {
    if (!extras_) extras_ = std::make_unique<extras>();
    return *extras_;
}

std::span<const sample> kept_observation::pushed() const {
    return extras_ ? std::span<const sample>(extras_->pushed) : std::span<const sample>();
}

std::string_view kept_observation::pushed_message(std::size_t metric) const {
    return extras_ && metric < extras_->messages.size() ? extras_->messages[metric] : std::string_view();
}

void kept_observation::push(std::span<const sample> samples, std::span<const std::string_view> messages) {
    if (samples.empty()) return;
    std::vector<sample>& kept = more().pushed;
    std::vector<std::string>& texts = extras_->messages;
    if (kept.size() < samples.size()) kept.resize(samples.size());
    for (std::size_t metric = 0; metric < samples.size(); ++metric) {
        if (samples[metric].state == sample_state::not_given) continue;
        const std::string_view message = metric < messages.size() ? messages[metric] : std::string_view();
        if (!message.empty() && texts.size() <= metric) texts.resize(metric + 1);
        if (metric < texts.size()) texts[metric] = message;
        kept[metric] = samples[metric];
    }
}

void kept_observation::keep_pushed(const kept_observation& before) {
    const std::span<const sample> old = before.pushed();
    if (old.empty()) return;
    std::vector<sample> lacking(old.begin(), old.end());
    std::vector<std::string_view> messages(old.size());
    for (std::size_t metric = 0; metric < old.size(); ++metric) {
        const bool is_given = metric < pushed().size() && pushed()[metric].state != sample_state::not_given;
        if (is_given) lacking[metric] = {};
        messages[metric] = before.pushed_message(metric);
    }
    push(lacking, messages);
}

void kept_observation::resize(std::int32_t replicas, std::int64_t now_ms) {
    spec_replicas_ = replicas;
    if (now_ms > time_ms_) time_ms_ = now_ms;
}

decide::observation kept_observation::at(std::int64_t now_ms, std::span<const sample> samples) const {
    decide::observation out;
    out.now_ms = now_ms;
    out.spec_replicas = spec_replicas_;
    out.status_replicas = status_replicas_;
    out.ready_replicas = ready_replicas_;
    out.scale_readable = scale_readable_;
    out.lists_pods = lists_pods_;
    out.samples = samples;
    if (extras_) {
        out.pods = extras_->pods;
        out.pod_samples = extras_->pod_samples;
        out.scale_error = extras_->scale_error;
    }
    return out;
}

}  // namespace gputide::runtime

#include "runtime/fleet/hosted_scaler.hpp"

#include "auth/crypto/digest.hpp"

#include <algorithm>

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
    if (observation.startable_replicas >= 0) {
        more().startable_replicas = observation.startable_replicas;
        extras_->asks_back = observation.asks_back;
        extras_->no_capacity = observation.no_capacity;
    }
}

void kept_observation::keep_pods(const decide::observation& observation) {
    if (observation.pods.empty() && observation.pod_samples.empty()) return;
    more();
    extras_->pods.assign(observation.pods.begin(), observation.pods.end());
    extras_->pod_samples.assign(observation.pod_samples.begin(), observation.pod_samples.end());
    extras_->pod_names.reserve(observation.pods.size());  // reallocation would invalidate the pods' names
    for (decide::pod& pod : extras_->pods) pod.name = extras_->pod_names.emplace_back(pod.name);
    std::deque<std::string>& containers = extras_->containers;
    for (decide::pod_sample& pod_sample : extras_->pod_samples) {
        if (pod_sample.container.empty()) continue;
        if (containers.empty() || containers.back() != pod_sample.container)
            containers.emplace_back(pod_sample.container);
        pod_sample.container = containers.back();
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
        out.startable_replicas = extras_->startable_replicas;
        out.asks_back = extras_->asks_back;
        out.no_capacity = extras_->no_capacity;
    }
    return out;
}

void unrecorded_writes::reserve() {
    if (!writes_) writes_ = std::make_unique<list>();
}

void unrecorded_writes::add(const decide::decision& decision) noexcept {
    if (!writes_) return;
    if (decision.desired_replicas != decision.current_replicas) {
        if (writes_->count == capacity) {
            std::move(writes_->ids.begin() + 1, writes_->ids.end(), writes_->ids.begin());
            --writes_->count;
        }
        writes_->ids[writes_->count++] = decision.id;
    }
    if (writes_->count == 0) clear();
}

bool unrecorded_writes::has(const decide::decision& decision) const noexcept {
    if (!writes_) return false;
    const std::uint64_t* const first = writes_->ids.data();
    const std::uint64_t* const end = first + writes_->count;
    return std::find(first, end, decision.id) != end;
}

void unrecorded_writes::settle(const decide::decision& decision) noexcept {
    if (!writes_) return;
    std::uint64_t* const first = writes_->ids.data();
    std::uint64_t* const end = first + writes_->count;
    std::uint64_t* const found = std::find(first, end, decision.id);
    if (found == end) return;
    writes_->count = static_cast<std::size_t>(std::move(found + 1, end, first) - first);
    if (writes_->count == 0) clear();
}

void unrecorded_writes::withdraw(const decide::decision& decision) noexcept {
    if (!writes_) return;
    if (writes_->count > 0 && writes_->ids[writes_->count - 1] == decision.id) --writes_->count;
    if (writes_->count == 0) clear();
}

std::shared_ptr<shared_query> query_table::join(const std::string& query_key) {
    auto fresh = std::make_shared<shared_query>();
    const std::string digest = auth::sha256(query_key);
    std::copy_n(digest.begin(), std::min(digest.size(), fresh->key.size()), fresh->key.begin());
    const std::shared_ptr<shared_query>& query = all_.try_emplace(fresh->key, fresh).first->second;
    ++query->askers;
    return query;
}

void query_table::leave(const std::shared_ptr<shared_query>& query) {
    if (--query->askers == 0) all_.erase(query->key);
}

bool query_route::has_company() const {
    return std::ranges::any_of(queries_,
                               [](const auto& query) { return query->askers.load(std::memory_order_relaxed) > 1; });
}

namespace {

struct periods {
    std::int64_t hpa_ms = 0, executor_ms = 0;
};

periods periods_of(const decide::policy& policy) {
    const manifest::scaling& scaling = policy.scaling;
    const std::int64_t hpa_ms = scaling.extra.sync_period_ms;
    const bool is_hpa = scaling.kind == manifest::manifest_kind::horizontal_pod_autoscaler;
    return {hpa_ms, is_hpa ? hpa_ms : std::int64_t{scaling.polling_interval_s} * 1'000};
}

}  // namespace

std::int64_t hosted_scaler::period_ms() const {
    const periods both = periods_of(scaler.policy());
    return scaler.policy().takes_hpa_reads ? both.hpa_ms : std::min(both.hpa_ms, both.executor_ms);
}

std::int64_t hosted_scaler::longest_period_ms() const {
    const periods both = periods_of(scaler.policy());
    return std::max(both.hpa_ms, both.executor_ms);
}

bool hosted_scaler::has_source() const {
    for (std::size_t metric = 0; metric < scaler.sources().size(); ++metric) {
        if (scaler.asks(metric)) return true;
    }
    return false;
}

// Compares the lower half of the decision's id, which is its number in its state (decide/state/state.hpp).
bool hosted_scaler::may_record(const decide::decision& decision) const {
    return unrecorded.has(decision) || static_cast<std::uint32_t>(decision.id) <= loaded_decisions;
}

// Reports a wanted write until it is done; otherwise only differences to the previous decision.
bool is_news(const decide::decision& before, const decide::decision& decision) {
    if (decision.desired_replicas != decision.current_replicas || decision.event != decide::event::none) return true;
    if (before.now_ms == 0) return true;
    const bool same = before.desired_replicas == decision.desired_replicas && before.active == decision.active &&
                      before.error == decision.error && before.limited_by == decision.limited_by;
    const auto alike = [](const decide::condition& a, const decide::condition& b) {
        return a.truth == b.truth && a.reason == b.reason;
    };
    return !same || !std::equal(before.conditions.begin(), before.conditions.end(), decision.conditions.begin(), alike);
}

}  // namespace gputide::runtime

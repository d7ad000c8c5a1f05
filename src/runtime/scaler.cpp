#include "runtime/scaler.hpp"

#include "base/format_text.hpp"
#include "decide/state/decision_id.hpp"
#include "runtime/log.hpp"
#include "runtime/pods.hpp"
#include "runtime/salt.hpp"

#include <utility>

namespace gputide::runtime {
namespace {

// The same failure again, whatever its text says of times, ports and durations.
bool is_same(const error& before, const error& now) {
    return before.status == now.status && before.http_status == now.http_status &&
           before.service_code == now.service_code && before.error_class == now.error_class;
}

// A failure is told when it comes, when it changes and when it goes, not at every poll.
void log_change(const decide::policy& policy, std::size_t metric, const error* before, const error* now) {
    const log_level level = now != nullptr ? log_level::warning : log_level::info;
    if (before == now || !log_wants(level)) return;
    if (before != nullptr && now != nullptr && is_same(*before, *now)) return;
    log(level, format_text("{}/{}: {}: {}", policy.scaling.name_space, policy.scaling.name, policy.metrics[metric].name,
                           now != nullptr ? status_name(now->status) + (": " + now->message) : "reads again"));
}

}  // namespace

scaler::scaler(pipeline of, std::shared_ptr<http::loop> on, std::int64_t created_ms)
    : pipeline_(std::move(of)),
      loop_(std::move(on)),
      state_(decide::make_state(pipeline_.policy, created_ms)),
      reads_(pipeline_.policy.metrics.size()) {
    decide::salt_decisions(state_, fresh_salt());
}

void scaler::set_state(decide::state next) {
    state_ = std::move(next);
    decide::salt_decisions(state_, fresh_salt());  // another scaler may have read the same text
    next_due_ms_ = 0;                              // the state knows when its halves ran; the next call asks it
}

std::shared_ptr<http::exchange> scaler::fetch(std::int64_t now_ms, std::int64_t deadline_ms,
                                              std::span<const sample> given,
                                              std::function<void(std::vector<sample>)> done) {
    return read_metrics(*loop_, pipeline_.sources, {now_ms, deadline_ms, given},
                        [this, done = std::move(done)](std::vector<last_read> reads) { done(keep(std::move(reads))); });
}

std::vector<sample> scaler::keep(std::vector<last_read> reads) {
    std::vector<sample> out(reads.size());
    for (std::size_t i = 0; i < reads.size(); ++i) {
        out[i] = reads[i].value;
        if (reads[i].value.state == sample_state::not_given) continue;  // nobody to ask: the last read stands
        if (pipeline_.sources[i] != nullptr) {
            log_change(pipeline_.policy, i, reads_[i].why.get(), reads[i].why.get());
        }
        reads_[i] = std::move(reads[i]);
    }
    return out;
}

decide::decision scaler::decide(const decide::observation& seen, decide::trace* why) {
    decide::observation all = seen;
    read_pods own;
    if (seen.pods.empty() && seen.pod_samples.empty()) {  // what the host says of its pods goes before what was read
        own = pods_of(reads_);
        all.pods = own.pods;
        all.pod_samples = own.samples;
    }
    last_ = decide::decide(pipeline_.policy, state_, all, why);
    next_due_ms_ = last_.next_due_ms;
    return last_;
}

void scaler::restore(memory before) noexcept {
    state_ = std::move(before.state);
    last_ = before.last;
    next_due_ms_ = before.next_due_ms;
}

void scaler::explain(std::size_t metric, std::string_view message) {
    if (message.empty() || metric >= reads_.size() || reads_[metric].value.state == sample_state::ok) return;
    reads_[metric].why = std::make_shared<const error>(fail(reads_[metric].value.status, std::string(message)));
}

result<void> scaler::record(decide::decision& made, bool applied, std::int64_t now_ms) {
    if (result<void> ok = decide::check_record(state_, made); !ok) return ok;
    const bool newest = last_.id == made.id;
    if (newest) made = last_;
    if (applied) {
        decide::record_applied(pipeline_.policy, state_, made, now_ms);
    } else {
        decide::record_failed(pipeline_.policy, state_, made, now_ms);
    }
    if (newest) last_ = made;
    return {};
}

}  // namespace gputide::runtime

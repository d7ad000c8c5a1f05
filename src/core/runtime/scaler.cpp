#include "runtime/scaler.hpp"

#include "base/format_text.hpp"
#include "base/json_writer.hpp"
#include "base/text.hpp"
#include "base/time.hpp"
#include "decide/state/state.hpp"
#include "decide/trace/texts.hpp"
#include "manifest/spec.hpp"
#include "pipeline/pipeline.hpp"
#include "runtime/log.hpp"
#include "wire/errors.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <utility>

namespace gputide::runtime {
namespace {

constexpr std::int64_t never_ms = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t history_pause_ms = 60'000;  // between attempts to read the past

// Tells whether two failures are the same, ignoring times, ports and durations in their texts.
bool is_same(const error& before, const error& now) {
    return before.status == now.status && before.http_status == now.http_status &&
           before.service_code == now.service_code && before.error_class == now.error_class;
}

std::string logged_failure(const error& failure) {
    std::string out = status_name(failure.status) + (": " + failure.message);
    if (const std::string_view body = http::noted_body(failure); !body.empty())
        out += format_text("; the response begins {}", in_quotes(body, body.size()));
    return out;
}

// Logs when a failure begins, changes and ends, not at every poll.  The end has the same level as the begin.
void log_change(const decide::policy& policy, std::size_t metric, const error* before, const error* now) {
    constexpr log_level level = log_level::warning;
    if (before == now || !log_wants(level)) return;
    if (before != nullptr && now != nullptr && is_same(*before, *now)) return;
    log(level, format_text("{}/{}: {}: {}", policy.scaling.name_space, policy.scaling.name,
                           policy.metrics[metric].label(), now != nullptr ? logged_failure(*now) : "reads again"));
}

error unfed(const decide::metric_policy& metric) {
    return fail(status::no_data, "{}: {}", manifest::unfed_text(metric.kind, metric.name),
                manifest::unfed_remedy(metric.kind, metric.name));
}

// Records a failed read for each metric that neither a source reads nor the host provides.
void note_unfed(const scaler& of, const decide::observation& seen, std::vector<last_read>& reads) {
    for (std::size_t i = 0; i < reads.size(); ++i) {
        if (of.asks(i) || reads[i].value.state != sample_state::not_given) continue;
        const bool is_sampled = i < seen.samples.size() && seen.samples[i].state != sample_state::not_given;
        const auto is_of_it = [i](const decide::pod_sample& sample) {
            return sample.metric == static_cast<std::int32_t>(i);
        };
        const bool is_fed = is_sampled || std::ranges::any_of(seen.pod_samples, is_of_it);
        if (is_fed == (reads[i].why == nullptr)) continue;
        const auto why = is_fed ? nullptr : std::make_shared<const error>(unfed(of.policy().metrics[i]));
        log_change(of.policy(), i, reads[i].why.get(), why.get());
        reads[i].why = why;
    }
}

constexpr std::size_t longest_query = 200;  // of a debug line

// Logs "ml/llm: s0-prometheus: avg(x): 42.5, 12 ms".
void log_read(const decide::policy& policy, std::size_t metric, const source::metric& asked, const last_read& read) {
    if (!log_wants(log_level::debug)) return;
    const std::string came = read.value.state == sample_state::ok ? shortest(read.value.value)
                                                                  : std::string(sample_state_name(read.value.state));
    log(log_level::debug,
        format_text("{}/{}: {}: {}: {}, {} ms", policy.scaling.name_space, policy.scaling.name,
                    policy.metrics[metric].label(), cut_utf8(asked.asks, longest_query), came, read.took_ms));
}

// Logs "ml/llm: 3 -> 5 replicas, proposed 7, limited by scale_up_limit".
void log_decision(const decide::policy& policy, const decide::decision& made) {
    if (!log_wants(log_level::debug)) return;
    log(log_level::debug, format_text("{}/{}: {} -> {} replicas, proposed {}, limited by {}", policy.scaling.name_space,
                                      policy.scaling.name, made.current_replicas, made.desired_replicas,
                                      made.proposed_replicas, decide::limit_name(made.limited_by)));
}

}  // namespace

scaler::scaler(pipeline::opened pipeline, std::int64_t created_ms)
    : pipeline_(std::move(pipeline)),
      state_(decide::make_state(pipeline_.policy, created_ms)),
      reads_(pipeline_.policy.metrics.size()) {
    decide::reseed_ids(state_, pipeline::fresh_seed());
}

result<scaler> open_scaler(const manifest::spec& spec, const source::services& services) {
    result<pipeline::described> described = pipeline::describe(spec, nullptr);
    if (!described) return described.take_failure();
    result<pipeline::opened> opened = pipeline::open(*std::move(described), services);
    if (!opened) return opened.take_failure();
    return scaler(*std::move(opened), spec.scaling.created_ms.value_or(decide::absent));
}

void scaler::set_state(decide::state next) {
    state_ = std::move(next);
    decide::reseed_ids(state_, pipeline::fresh_seed());  // another scaler may have read the same text
    next_due_ms_ = 0;  // the state has the times of its halves; the next call computes it
    next_history_ms_ = 0;
    forget_other_states();
}

void scaler::take_failures(const scaler& before) {
    const auto& metrics = policy().metrics;
    const auto& known = before.policy().metrics;
    for (std::size_t i = 0; i < metrics.size(); ++i) {
        for (std::size_t k = 0; k < known.size(); ++k) {
            if (known[k].name == metrics[i].name) reads_[i].why = before.reads_[k].why;
        }
    }
}

std::string scaler::other_release::name() const {
    return format_text("{} {}", manifest::original_name(which),
                       manifest::version_text(which, manifest::version_of(policy.scaling.controller.versions, which)));
}

// Omits a release that rejects the policy.
void scaler::compare_with(const std::vector<manifest::other_version>& others) {
    for (const manifest::other_version& other : others) {
        manifest::scaling scaling = policy().scaling;
        scaling.controller.versions = other.versions;
        if (auto made = decide::make_policy(std::move(scaling), policy().metrics))
            others_.push_back({other.which, *std::move(made), std::nullopt, 0});
    }
}

void scaler::decide_by_others(const decide::observation& seen) {
    for (other_release& other : others_) {
        if (!other.state) other.state = state_;
        other.desired = decide::decide(other.policy, *other.state, seen, nullptr).desired_replicas;
    }
}

void scaler::forget_other_states() noexcept {
    for (other_release& other : others_) other.state.reset();
}

std::shared_ptr<http::exchange> scaler::fetch(http::loop& loop, std::int64_t now_ms, std::int64_t deadline_ms,
                                              std::span<const sample> given, callback<void(std::vector<sample>)> done) {
    return read_metrics(loop, pipeline_.sources, {now_ms, deadline_ms, given, due_history(now_ms)},
                        [this, done = std::move(done)](all_reads&& reads) { done(keep(std::move(reads))); });
}

std::optional<decide::history_span> scaler::due_history(std::int64_t now_ms) {
    if (now_ms < next_history_ms_ || !pipeline_.policy.forecast) return std::nullopt;
    next_history_ms_ = now_ms + history_pause_ms;
    const std::optional<decide::history_span> wanted = decide::wanted_history(pipeline_.policy, state_, now_ms);
    if (!wanted) {
        next_history_ms_ = never_ms;
        if (!state_.forecast.empty() && state_.forecast.front().history.outcome == decide::history_outcome::no_total) {
            log_history(log_level::warning,
                        "not read: the metric is not a total, and the past contains no replica counts");
        }
        return std::nullopt;
    }
    const auto& source = pipeline_.sources[wanted->metric];
    if (source != nullptr && source->metric().traits->keeps_past) return wanted;
    next_history_ms_ = never_ms;
    decide::miss_history(state_, *wanted, decide::history_outcome::no_past, status::ok);
    log_history(log_level::warning, "not read: the metric's source has no history");
    return std::nullopt;
}

void scaler::log_history(log_level level, const std::string& what) const {
    log(level, format_text("{}/{}: forecast-history: {}", pipeline_.policy.scaling.name_space,
                           pipeline_.policy.scaling.name, what));
}

void scaler::keep_past(const past_read& past_read) {
    const bool came = !past_read.samples.empty();
    if (came) {
        decide::learn_history(pipeline_.policy, state_, past_read.over, past_read.samples);
        const decide::history_note& note = state_.forecast.front().history;
        log_history(log_level::info, format_text("{} values since {}, {} missing", note.slots,
                                                 format_rfc3339_ms(note.from_ms), note.missing));
    } else {
        decide::miss_history(state_, past_read.over, decide::history_outcome::failed, past_read.why->status);
    }
    if (came || !past_read.why->retryable) next_history_ms_ = never_ms;
    if (past_read.why != nullptr) {
        log_history(log_level::warning, (came ? "a part could not be read: " : "not read: ") + past_read.why->message);
    }
}

std::vector<sample> scaler::keep(all_reads&& reads) {
    if (reads.past) keep_past(*reads.past);
    std::vector<sample> out(reads.metrics.size());
    for (std::size_t i = 0; i < reads.metrics.size(); ++i) {
        last_read& read = reads.metrics[i];
        out[i] = read.value;
        if (read.value.state == sample_state::not_given) continue;  // not read: the last read is kept
        if (pipeline_.sources[i] != nullptr) {
            log_change(pipeline_.policy, i, reads_[i].why.get(), read.why.get());
            log_read(pipeline_.policy, i, pipeline_.sources[i]->metric(), read);
        }
        reads_[i] = std::move(read);
    }
    return out;
}

// Restores activity and target of samples that the host returns as a number only.
std::vector<sample> scaler::with_words(std::span<const sample> samples) const {
    std::vector<sample> out;
    for (std::size_t i = 0; i < samples.size() && i < reads_.size(); ++i) {
        const sample& own = reads_[i].value;
        const sample& sample = samples[i];
        if (!own.has_activity_or_target() || sample.has_activity_or_target() || sample.state != own.state ||
            sample.value != own.value)
            continue;
        if (out.empty()) out.assign(samples.begin(), samples.end());
        out[i] = own;
    }
    return out;
}

pipeline::read_pods scaler::pods() const {
    std::vector<const pod_reading*> read;
    read.reserve(reads_.size());
    for (const last_read& item : reads_) read.push_back(item.pods.get());
    return pipeline::pods_of(read);
}

decide::decision scaler::decide(const decide::observation& seen, decide::trace* why) {
    decide::observation all = seen;
    const std::vector<sample> whole = with_words(seen.samples);
    if (!whole.empty()) all.samples = whole;
    pipeline::read_pods own;
    // Pods from the host take precedence over those read
    if (seen.pods.empty() && seen.pod_samples.empty() && !seen.lists_pods) {
        own = pods();
        all.pods = own.pods;
        all.pod_samples = own.samples;
        all.lists_pods = own.is_listed;
    }
    note_unfed(*this, all, reads_);
    decide_by_others(all);
    last_ = decide::decide(pipeline_.policy, state_, all, why);
    next_due_ms_ = last_.next_due_ms;
    missing_request_.reset();
    if (const auto [pod, container] = decide::failed_pod_of(all, last_); !pod.empty() || !container.empty())
        missing_request_ =
            std::make_unique<const missing_request>(missing_request{std::string(pod), std::string(container)});
    log_decision(pipeline_.policy, last_);
    return last_;
}

void scaler::restore(memory before) noexcept {
    state_ = std::move(before.state);
    last_ = before.last;
    next_due_ms_ = before.next_due_ms;
    missing_request_.reset();  // of the decision that is undone
    forget_other_states();
}

void scaler::explain(std::size_t metric, std::string_view message) {
    if (message.empty() || metric >= reads_.size() || reads_[metric].value.state == sample_state::ok) return;
    reads_[metric].why = std::make_shared<const error>(fail(reads_[metric].value.status, std::string(message)));
}

// Returns the time from which a write counts.  The HPA's next pass begins one period after the end of the pass that wrote
// (processNextWorkItem in kubernetes/kubernetes pkg/controller/podautoscaler/horizontal.go adds the key again when done); ours
// begins one period after the beginning.  Counted from its end, a write would still be within the usual policies' period at every
// next pass, because that period equals the pass's.  So a prompt write counts from the beginning of its pass.
// Example: 4 pods per 15 s, pass at 0 s, written at 0.1 s: the pass at 15 s may add 4 again, like the HPA's at 15.1 s.
std::int64_t scaler::time_of_write(std::int64_t now_ms) const {
    const std::int64_t taken_ms = now_ms - last_.now_ms;
    const std::int64_t prompt_ms = policy().scaling.extra.sync_period_ms / 3;
    return taken_ms >= 0 && taken_ms < prompt_ms ? last_.now_ms : now_ms;
}

result<void> scaler::record(decide::decision& decision, bool applied, std::int64_t now_ms, std::string_view why) {
    if (result<void> ok = decide::check_record(state_, decision); !ok) return ok;
    const bool newest = last_.id == decision.id;
    if (newest) decision = last_;
    if (newest) now_ms = time_of_write(now_ms);
    if (applied) {
        decide::record_applied(pipeline_.policy, state_, decision, now_ms);
    } else {
        decide::record_failed(pipeline_.policy, state_, decision, now_ms, why);
    }
    if (newest) last_ = decision;
    return {};
}

std::string reads_json(const scaler& scaler, std::int64_t now_ms) {
    json_writer json;
    json.begin_array();
    for (std::size_t i = 0; i < scaler.reads().size(); ++i) {
        const last_read& read = scaler.reads()[i];
        json.begin_object().member("metric", scaler.policy().metrics[i].label());
        json.member("state", sample_state_name(read.value.state));
        json.key("value");
        if (read.value.state == sample_state::ok) {
            json.number(read.value.value);
        } else {
            json.null();
        }
        if (read.value.null_as_zero) json.member("null_as_zero", true);
        if (const std::string_view way = read_by_name(read.value.read_by); !way.empty()) {
            json.member("read_by", way);
            if (read.value.interval_ms > 0) json.member("interval_ms", read.value.interval_ms);
        }
        if (read.value.time_ms != 0) {  // a server's clock may be slightly ahead
            json.member("age_ms", std::max<std::int64_t>(0, now_ms - read.value.time_ms));
        }
        json.member("latency_ms", read.took_ms);
        if (scaler.source(i) != nullptr && !scaler.source(i)->metric().asks.empty())
            json.member("asks", scaler.source(i)->metric().asks);
        if (read.why != nullptr) {
            json.key("error").begin_object().member("status", std::string_view(status_name(read.why->status)));
            json.member("where", read.why->where.text()).member("message", read.why->message);
            json.member("retryable", read.why->retryable).member("http_status", read.why->http_status);
            if (const std::string_view body = http::noted_body(*read.why); !body.empty()) json.member("body", body);
            json.end_object();
        }
        json.end_object();
    }
    return json.end_array().take();
}

decide::text_details details_of(const scaler& scaler, const decide::decision& decision) {
    decide::text_details out;
    if (decision.failed_metric >= 0 && static_cast<std::size_t>(decision.failed_metric) < scaler.reads().size()) {
        const last_read& read = scaler.reads()[static_cast<std::size_t>(decision.failed_metric)];
        if (read.why != nullptr) out.read_error = read.why->message;
    }
    out.scale_error = scaler.state().scale_error;
    if (decision.id != scaler.last_decision().id) return out;
    if (const auto* lacking = scaler.last_missing_request()) {
        out.pod_name = lacking->pod;
        out.container = lacking->container;
    }
    return out;
}

}  // namespace gputide::runtime

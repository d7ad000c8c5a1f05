#include "pipeline/pipeline.hpp"

#include "base/checksum.hpp"
#include "base/process.hpp"
#include "formats/query_api/parse.hpp"

#include <atomic>
#include <cstddef>
#include <limits>
#include <map>
#include <string_view>
#include <utility>
#ifndef GPUTIDE_PURE_ONLY
#include <sys/random.h>
#endif

namespace gputide::pipeline {
namespace {

decide::metric_policy metric_of_trigger(const manifest::trigger& trigger, const source::target& target) {
    decide::metric_policy out;
    out.name = target.metric_name;
    out.user_name = trigger.name;
    out.use_cached = trigger.use_cached_metrics;
    out.rules = trigger.rules;
    out.type = target.type;
    out.target_milli = target.target_milli;
    out.activation_threshold = target.activation_threshold;
    if (target.resource.empty()) return out;
    out.kind = decide::metric_kind::resource;
    if (!target.container.empty()) {
        out.kind = decide::metric_kind::container_resource;
        out.subject =
            std::make_shared<const manifest::metric_subject>(manifest::metric_subject{.container = target.container});
    }
    out.utilization_pct = target.utilization_pct;
    out.decides_activity = false;
    return out;
}

decide::metric_policy metric_of_hpa(const manifest::hpa_metric& hpa_metric) {
    decide::metric_policy out;
    out.name = hpa_metric.name;
    out.kind = hpa_metric.kind;
    out.type = hpa_metric.type;
    out.target_milli = hpa_metric.target_milli;
    out.utilization_pct = hpa_metric.utilization_pct;
    out.subject = std::make_shared<const manifest::metric_subject>(hpa_metric);
    out.rules = hpa_metric.rules;
    return out;
}

result<void> add_triggers(const manifest::spec& spec, text::report* findings,
                          std::vector<decide::metric_policy>& metrics, described& out) {
    for (std::size_t i = 0; i < spec.triggers.size(); ++i) {
        const manifest::trigger& trigger = spec.triggers[i];
        auto described = source::describe(trigger, trigger.rules, spec.scaling.extra.profile, findings);
        if (!described) return described.take_failure();
        metrics.push_back(metric_of_trigger(trigger, described->target));
        metrics.back().query_sum = crc32c(described->question);
        if (described->target.resource.empty()) {
            out.metrics.emplace_back(*std::move(described));
        } else if (spec.metrics_from_cluster) {
            out.metrics.emplace_back(source::describe_cluster_resource(spec.scaling, described->target));
        } else {
            out.metrics.emplace_back();  // the host supplies the pods' usage
        }
    }
    return {};
}

result<void> add_hpa_metrics(const manifest::spec& spec, text::report* findings,
                             std::vector<decide::metric_policy>& metrics, described& out) {
    for (std::size_t i = 0; i < spec.metrics.size(); ++i) {
        const manifest::hpa_metric& metric = spec.metrics[i];
        metrics.push_back(metric_of_hpa(metric));
        out.metrics.emplace_back();
        if (!metric.source && !spec.metrics_from_cluster) continue;
        auto described = metric.source
                             ? source::describe(*metric.source, metric.rules, spec.scaling.extra.profile, findings)
                             : source::describe_cluster_metric(spec, i, metric.rules, findings);
        if (!described) return described.take_failure();
        metrics.back().query_sum = crc32c(described->question);
        out.metrics.back() = *std::move(described);
    }
    return {};
}

result<described> describe_all(const manifest::spec& spec, text::report* findings) {
    described out;
    std::vector<decide::metric_policy> metrics;
    result<void> added = spec.scaling.kind == manifest::manifest_kind::scaled_object
                             ? add_triggers(spec, findings, metrics, out)
                             : add_hpa_metrics(spec, findings, metrics, out);
    if (!added) return added.take_failure();
    result<decide::policy> policy = decide::make_policy(spec.scaling, std::move(metrics));
    if (!policy) return policy.take_failure();
    out.policy = std::move(*policy);
    return out;
}

}  // namespace

error described::lacking() const {
    for (const auto& entry : metrics) {
        if (entry && entry->lacking.status != status::ok) return entry->lacking;
    }
    return error(status::ok);
}

result<described> describe(const manifest::spec& spec, text::report* findings) {
    result<described> out = describe_all(spec, findings);
    if (out || spec.values.empty()) return out;
    error why = out.take_failure();
    why.message = text::without_values(why.message, spec.values);
    return why;
}

result<described> describe_targets(const std::vector<manifest::text_file>& files, const host_options& host) {
    result<manifest::spec> spec = load_spec(files, host, nullptr, true);
    if (!spec) return spec.take_failure();
    return describe(*spec, nullptr);
}

result<opened> open(described described, const source::services& services) {
    opened out;
    for (const auto& entry : described.metrics) {
        out.sources.emplace_back();
        if (!entry) continue;
        auto source = source::open(*entry, services);
        if (!source) return source.take_failure();
        out.sources.back() = std::move(*source);
    }
    out.policy = std::move(described.policy);
    return out;
}

namespace {

using places = std::map<std::string_view, std::int32_t>;

decide::pod to_decide(const pod_state& pod_state) {
    decide::pod out;
    out.name = pod_state.name;
    out.phase = pod_state.phase;
    out.deleting = pod_state.deleting;
    out.readiness = pod_state.readiness;
    out.start_time_ms = pod_state.start_time_ms.value_or(decide::absent);
    out.ready_change_time_ms = pod_state.ready_change_time_ms.value_or(decide::absent);
    return out;
}

decide::pod_sample to_decide(const pod_value& pod_value, std::int32_t metric, const places& listed) {
    decide::pod_sample out;
    out.metric = metric;
    if (const auto at = listed.find(pod_value.pod); at != listed.end()) out.pod = at->second;
    out.value_milli = pod_value.value_milli.value_or(decide::absent);
    out.request_milli = pod_value.request_milli.value_or(decide::absent);
    out.time_ms = pod_value.time_ms.value_or(decide::absent);
    out.window_s = pod_value.window_s;
    out.container = pod_value.container;
    return out;
}

}  // namespace

read_pods pods_of(std::span<const pod_reading* const> reads) {
    read_pods out;
    places listed;
    for (std::size_t i = 0; i < reads.size(); ++i) {
        if (reads[i] == nullptr) continue;
        out.is_listed = true;
        if (out.pods.empty()) {
            for (const pod_state& pod : reads[i]->pods) {
                listed.emplace(pod.name, static_cast<std::int32_t>(out.pods.size()));
                out.pods.push_back(to_decide(pod));
            }
        }
        for (const pod_value& value : reads[i]->values) {
            out.samples.push_back(to_decide(value, static_cast<std::int32_t>(i), listed));
        }
    }
    return out;
}

namespace {

// Returns a random number.  If the kernel's generator is not ready yet, returns bits of a stack address (ASLR).
std::uint32_t drawn() noexcept {
#ifdef GPUTIDE_SALT  // set by a test that compares platforms
    return GPUTIDE_SALT;
#else
    std::uint32_t out = 0;
#ifndef GPUTIDE_PURE_ONLY
    if (::getrandom(&out, sizeof out, GRND_NONBLOCK) == sizeof out) return out;
#endif
    return static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(&out) >> 4U);
#endif
}

std::atomic<std::uint32_t> next_seed{drawn()};

// Knuth's multiplicative constant.  After fork() parent and child share the seed; the process ID times this constant separates
// them.
constexpr std::uint32_t apart = 2'654'435'761U;

}  // namespace

std::uint32_t fresh_seed() noexcept {
    return next_seed.fetch_add(1, std::memory_order_relaxed) + static_cast<std::uint32_t>(current_process()) * apart;
}

namespace {

source::reading vector_of(const std::vector<double>& values, std::int64_t time_ms) {
    source::reading out;
    out.result_type = "vector";
    for (const double value : values) {
        out.series.emplace_back();
        out.series.back().points.push_back({time_ms, value});
    }
    return out;
}

// Returns the values of the points in the step's interval [time_ms, time_ms + step_ms).
std::vector<double> values_at(const source::reading& reading, std::vector<std::size_t>& at, std::int64_t time_ms,
                              std::int64_t step_ms) {
    std::vector<double> out;
    for (std::size_t i = 0; i < reading.series.size(); ++i) {
        const std::vector<source::point>& points = reading.series[i].points;
        while (at[i] < points.size() && points[at[i]].time_ms < time_ms) ++at[i];
        if (at[i] < points.size() && points[at[i]].time_ms < time_ms + step_ms) out.push_back(points[at[i]].value);
    }
    return out;
}

}  // namespace

result<std::vector<sample>> past_samples(const source::metric& metric, const source::reading& reading,
                                         const source::time_range& over) {
    for (const source::series& series : reading.series)
        if (series.points.empty() && !series.histograms.empty())
            return fail(status::rejected,
                        "the query returns native histograms; convert them to numbers with a function such as "
                        "histogram_quantile");
    std::vector<sample> out;
    std::vector<std::size_t> at(reading.series.size(), 0);
    for (std::int64_t time_ms = over.from_ms; time_ms <= over.to_ms; time_ms += over.step_ms) {
        std::vector<double> values = values_at(reading, at, time_ms, over.step_ms);
        sample step;
        step.state = sample_state::empty;
        if (!values.empty()) {
            source::fetched judged = metric.judge(vector_of(values, time_ms));
            step = judged.sample;
            if (step.null_as_zero) step.state = sample_state::not_a_number;
            const bool is_point = step.state == sample_state::ok || step.state == sample_state::not_a_number;
            if (!is_point) return std::move(judged.why);
        }
        step.time_ms = time_ms;
        out.push_back(step);
    }
    return out;
}

result<std::vector<source::point>> saved_range(std::string_view answer) {
    http::answer read_back;
    read_back.response.status = 200;
    read_back.response.body = std::string(answer);
    result<source::reading> read = formats::query_api::parse(read_back);
    if (!read) {
        error why = read.take_failure();
        why.http_status = 0;
        why.where = named("series");
        return why;
    }
    if (read->series.size() > 1) {
        return fail(status::ambiguous,
                    "series: the saved response contains {} series; aggregate in the query (sum, avg, max), so that it "
                    "returns one",
                    read->series.size());
    }
    if (read->series.empty() || read->series.front().points.empty())
        return fail(status::no_data, "series: the saved response contains no point");
    return std::move(read->series.front().points);
}

null_samples null_samples_of(const source::metric* metric) {
    null_samples out;
    out.empty.state = sample_state::empty;
    out.not_a_number.state = sample_state::not_a_number;
    out.empty.status = out.not_a_number.status = status::no_data;
    if (metric == nullptr) return out;
    out.empty = metric->judge(vector_of({}, 0)).sample;
    out.not_a_number = metric->judge(vector_of({std::numeric_limits<double>::quiet_NaN()}, 0)).sample;
    return out;
}

}  // namespace gputide::pipeline

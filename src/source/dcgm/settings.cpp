// Reads and checks the settings of a dcgm trigger.
#include "source/dcgm/settings.hpp"

#include "base/text.hpp"
#include "config/parameters.hpp"
#include "http/message.hpp"
#include "source/access/plain_http.hpp"
#include "source/dcgm/keys.hpp"
#include "source/gpu_metrics.hpp"
#include "source/target.hpp"

#include <algorithm>
#include <set>

namespace gputide::source::dcgm {
namespace {

using config::parameters;

constexpr std::size_t most_urls = 256;
constexpr std::string_view memory_pressure = "memory_pressure";  // FB_USED / (FB_USED + FB_FREE)

void read_urls(parameters& from, settings& into) {
    into.urls = from.list(keys["urls"]);
    if (into.urls.size() > most_urls) {
        from.add_error("urls: expected at most 256 exporters, got " + std::to_string(into.urls.size()) +
                           "; ask a Prometheus that scrapes them instead (trigger type prometheus)",
                       "urls");
    }
    for (std::string& one : into.urls) {
        const auto parts = http::parse_url(one);
        if (!parts || parts->has_fragment) {
            from.add_error("url: expected an http or https URL such as http://dcgm-exporter:9400/metrics", "url");
        } else if (parts->path.empty() && !parts->has_query) {
            one += "/metrics";
        }
    }
    const std::set<std::string_view> different(into.urls.begin(), into.urls.end());
    if (different.size() != into.urls.size()) {
        from.add_error("urls: an exporter is named twice, and its GPUs would count twice", "urls");
    }
}

void add_names(std::vector<std::string>& to, std::string_view metric) {
    for (std::string& one : metric_names(metric)) {
        if (std::find(to.begin(), to.end(), one) == to.end()) to.push_back(std::move(one));
    }
}

void read_metric(parameters& from, settings& into) {
    const preset* named = read_preset(from);
    if (named != nullptr && !from.is_written(keys["metric"])) into.filled_by = named;
    into.metric =
        from.text(keys["metric"], into.filled_by == nullptr ? "" : *into.filled_by->metrics.begin()).value_or("");
    std::vector<std::string> terms = from.list(keys["denominator"]);
    std::string_view numerator = into.metric;
    if (into.metric == memory_pressure) {
        if (!terms.empty()) from.add_error("denominator: memory_pressure has its own; remove this one", "denominator");
        numerator = "DCGM_FI_DEV_FB_USED";
        terms = {"DCGM_FI_DEV_FB_USED", "DCGM_FI_DEV_FB_FREE"};
    }
    add_names(into.numerator, numerator);
    if (into.filled_by != nullptr) {
        for (const std::string_view one : into.filled_by->metrics) {
            if (one != memory_pressure) add_names(into.numerator, one);
        }
        if (terms.empty()) terms.assign(into.filled_by->denominators.begin(), into.filled_by->denominators.end());
        if (!into.filled_by->reduce.empty()) into.reduce = into.filled_by->reduce;
    }
    for (const std::string& one : terms) add_names(into.denominator, one);
    into.selector.metrics = into.numerator;
    for (const std::string& one : into.denominator) add_names(into.selector.metrics, one);
    into.leaves_instances_out = is_device_utilisation(numerator);
    into.rate =
        from.flag(keys["rate"]).value_or((into.filled_by != nullptr && into.filled_by->rate) || is_counter(numerator));
}

void read_selector(parameters& from, settings& into) {
    const auto text = from.text(keys["selector"]);
    if (!text) return;
    auto matchers = formats::exposition::parse_matchers(*text, &names_of_label);
    if (!matchers) return from.add_error("selector: " + matchers.failure().message, "selector");
    into.selector.matchers = *std::move(matchers);
}

// "pod" is a pod of a namespace; every other word is a label.
void read_groups(parameters& from, settings& into) {
    for (const std::string& label : from.list(keys["by"])) {
        if (names_of_label(label) == names_of_label("pod")) into.by.push_back(names_of_label("namespace"));
        into.by.push_back(names_of_label(label));
    }
}

void read_numbers(parameters& from, const config::trigger_rules& rules, settings& into) {
    if (!rules.reduce.empty()) into.reduce = rules.reduce;
    read_reducer(from, keys["reduce"], into.reduce);
    read_reducer(from, keys["groupReduce"], into.group_reduce);
    into.scale = from.number(keys["scale"]).value_or(1.0);
    into.accept_partial = rules.accept_partial;
    into.max_age_ms = rules.max_age_ms;
}

void read_transport(parameters& from, const config::trigger& trigger, settings& into) {
    into.timeout_ms = from.duration_ms(keys["timeout"]).value_or(0);
    into.access = access::read_settings(from, trigger, config::profile::standard);
    into.access.unsafe_ssl = from.flag(keys["unsafeSsl"]).value_or(false);
    access::check_headers(from, into.access);
    if (into.access.is_cloud()) {
        from.add_error("podIdentity " + trigger.auth.provider +
                           " has no meaning for an exporter; use authModes, bearer-file, bearer-exec, or no "
                           "authentication",
                       "authModes");
    }
}

void warn_about(const config::trigger& from, const parameters& read, const settings& got, config::report* findings) {
    if (findings == nullptr) return;
    for (const std::string& url : got.urls) access::warn_plain_http(from, read, "urls", url, got.access, findings);
    const auto say = [&](std::string_view key, std::string code, std::string_view text, std::string remedy) {
        findings->add(config::severity::warning, std::move(code), read.place_of(key),
                      from.label() + ": " + std::string(text), std::move(remedy));
    };
    if (got.access.unsafe_ssl) {
        say("unsafeSsl", "tls-not-verified", "unsafeSsl is true: anybody on the way can answer for the exporter",
            "give its CA as `ca` in the TriggerAuthentication instead");
    }
    if (got.filled_by != nullptr) note_preset(from, read, *got.filled_by, got.metric, findings);
    const bool is_ratio = got.is_ratio() || got.metric.find("_PROF_") != std::string::npos;
    if (is_ratio && got.scale == 1.0 && got.target.threshold > 1.0 && !got.rate &&
        got.metric.find("_BYTES") == std::string::npos) {
        warn_percent(from, read, got.metric, findings);
    }
}

}  // namespace

result<settings> read_settings(const config::trigger& from, const config::trigger_rules& rules,
                               config::report* findings, error* lacking) {
    parameters read(from, keys.all());
    settings out;
    read_urls(read, out);
    read_metric(read, out);
    read_selector(read, out);
    read_groups(read, out);
    read_numbers(read, rules, out);
    read_transport(read, from, out);
    const double threshold = read.number(keys["threshold"]).value_or(0.0);
    const double activation = read.number(keys["activationThreshold"]).value_or(0.0);
    out.target.threshold = threshold;
    warn_about(from, read, out, findings);
    if (auto finished = finish(read, "error parsing dcgm metadata", from, lacking); !finished)
        return std::move(finished).failure();
    auto target = external_target(from, "dcgm", threshold, activation);
    if (!target) return std::move(target).failure();
    out.target = *std::move(target);
    return out;
}

}  // namespace gputide::source::dcgm

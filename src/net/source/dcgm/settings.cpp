// Reads and checks the settings of a dcgm trigger.
#include "base/format_text.hpp"
#include "base/text.hpp"
#include "http/message.hpp"
#include "source/access/access.hpp"
#include "source/dcgm/dcgm.hpp"
#include "source/known_metrics.hpp"
#include "source/target.hpp"

#include <algorithm>
#include <set>

namespace gputide::source::dcgm {
namespace {

constexpr std::size_t max_urls = 256;
constexpr std::string_view memory_pressure = "memory_pressure";  // FB_USED / (FB_USED + FB_FREE)

void read_urls(trigger_reader& read, settings& settings) {
    settings.urls = read.list(keys["urls"]);
    if (settings.urls.size() > max_urls) {
        read.add_error(format_text("urls: expected at most 256 exporters, got {}; query a Prometheus that scrapes "
                                   "them instead (trigger type prometheus)",
                                   settings.urls.size()),
                       "urls");
    }
    for (std::string& text : settings.urls) {
        const auto parts = http::parse_url(text);
        if (!parts || parts->has_fragment) {
            read.add_error("url: expected an http or https URL such as http://dcgm-exporter:9400/metrics", "url");
        } else if (parts->path.empty() && !parts->has_query) {
            text += "/metrics";
        }
    }
    const std::set<std::string_view> different(settings.urls.begin(), settings.urls.end());
    if (different.size() != settings.urls.size()) {
        read.add_error("urls: an exporter is listed twice, so its GPUs would count twice", "urls");
    }
}

void add_names(std::vector<std::string>& to, std::string_view metric) {
    for (std::string& text : metric_names(metric)) {
        if (std::ranges::find(to, text) == to.end()) to.push_back(std::move(text));
    }
}

void read_metric(trigger_reader& read, settings& settings) {
    const preset* named = read_preset(read);
    if (named != nullptr && named->metrics.empty()) {
        read.add_error(format_text("gputide.io/preset: {} is a query; write it in a prometheus trigger", named->name),
                       "gputide.io/preset");
        named = nullptr;
    }
    if (named != nullptr && !read.is_written(keys["metric"])) settings.filled_by = named;
    settings.metric =
        read.text(keys["metric"], settings.filled_by == nullptr ? "" : *settings.filled_by->metrics.begin())
            .value_or("");
    std::vector<std::string> terms = read.list(keys["denominator"]);
    std::string_view numerator = settings.metric;
    if (settings.metric == memory_pressure) {
        if (!terms.empty())
            read.add_error("denominator: memory_pressure already has one; remove this key", "denominator");
        numerator = "DCGM_FI_DEV_FB_USED";
        terms = {"DCGM_FI_DEV_FB_USED", "DCGM_FI_DEV_FB_FREE"};
    }
    add_names(settings.numerator, numerator);
    if (settings.filled_by != nullptr) {
        for (const std::string_view text : settings.filled_by->metrics) {
            if (text != memory_pressure) add_names(settings.numerator, text);
        }
        if (terms.empty())
            for (const std::string_view term : settings.filled_by->denominators) terms.emplace_back(term);
        if (!settings.filled_by->reduce.empty()) settings.reduce = settings.filled_by->reduce;
    }
    for (const std::string& entry : terms) add_names(settings.denominator, entry);
    settings.selector.metrics = settings.numerator;
    for (const std::string& item : settings.denominator) add_names(settings.selector.metrics, item);
    settings.leaves_instances_out = is_device_utilization(numerator);
    if (const known_metric* known = find_known_metric(numerator)) settings.possible.max_value = known->max;
    settings.rate = read.flag(keys["rate"])
                        .value_or((settings.filled_by != nullptr && settings.filled_by->rate) || is_counter(numerator));
}

void read_selector(trigger_reader& read, settings& settings) {
    const auto text = read.text(keys["selector"]);
    if (!text) return;
    auto matchers = formats::exposition::parse_matchers(*text, &names_of_label);
    if (!matchers) return read.add_error("selector: " + matchers.failure().message, "selector");
    settings.selector.matchers = *std::move(matchers);
}

// Reads `by`: "pod" means namespace and pod; every other word is a label.
void read_groups(trigger_reader& read, settings& settings) {
    for (const std::string& label : read.list(keys["by"])) {
        if (names_of_label(label) == names_of_label("pod"))
            settings.group_labels.push_back(names_of_label("namespace"));
        settings.group_labels.push_back(names_of_label(label));
    }
}

bool speaks_of_pods(const settings& settings) {
    const formats::exposition::label_names pod = names_of_label("pod");
    const auto& matchers = settings.selector.matchers;
    return std::ranges::find(settings.group_labels, pod) != settings.group_labels.end() ||
           std::ranges::any_of(matchers,
                               [&pod](const formats::exposition::matcher& matcher) { return matcher.names == pod; });
}

void read_numbers(trigger_reader& read, const manifest::trigger_rules& rules, settings& settings) {
    if (!rules.reduce.empty()) settings.reduce = rules.reduce;
    read.read_reducer(keys["reduce"], settings.reduce);
    read.read_reducer(keys["groupReduce"], settings.group_reduce);
    settings.scale = read.number(keys["scale"]).value_or(1.0);
    settings.accept_partial = rules.accept_partial;
    settings.max_age_ms = rules.max_age_ms;
}

void read_transport(trigger_reader& read, settings& settings) {
    settings.timeout_ms = read.duration_ms(keys["timeout"]).value_or(0);
    settings.access = access::read_settings(read, manifest::profile::standard);
    settings.access.unsafe_ssl = read.flag(keys["unsafeSsl"]).value_or(false);
    access::check_headers(read, settings.access);
    if (settings.access.is_cloud()) {
        read.add_error(
            format_text("podIdentity {} is not supported for an exporter; use authModes, bearer-file, bearer-exec, or "
                        "no authentication",
                        read.trigger().auth.provider),
            "authModes");
    }
}

void warn_about(const trigger_reader& read, const settings& settings) {
    for (const std::string& url : settings.urls) access::warn_plain_http(read, "urls", url, settings.access);
    access::warn_unverified(read, settings.access, "the exporter");
    if (settings.filled_by != nullptr) note_preset(read, *settings.filled_by, settings.metric);
}

}  // namespace

result<settings> read_settings(const manifest::trigger& trigger, const manifest::trigger_rules& rules,
                               text::report* findings, error* lacking) {
    trigger_reader read(trigger, keys.all(), findings);
    settings out;
    read_urls(read, out);
    read_metric(read, out);
    read_selector(read, out);
    read_groups(read, out);
    out.takes_whole_devices = is_split_by_pods(out.numerator.front()) && !speaks_of_pods(out);
    read_numbers(read, rules, out);
    read_transport(read, out);
    const double threshold = read.number(keys["threshold"]).value_or(0.0);
    const double activation = read.number(keys["activationThreshold"]).value_or(0.0);
    warn_about(read, out);
    return read.end_with("error parsing dcgm metadata", {"dcgm", threshold, activation}, lacking, std::move(out));
}

}  // namespace gputide::source::dcgm

// Look-ups for triggers that ask a Prometheus; lookup_page.cpp has those that ask an exporter.
#include "doctor/lookup.hpp"

#include "base/text.hpp"
#include "doctor/aliasing.hpp"
#include "doctor/lookup_page.hpp"
#include "formats/promql/selectors.hpp"
#include "formats/query_api/parse.hpp"

#include <algorithm>
#include <cmath>
#include <set>

namespace gputide::doctor {
namespace {

constexpr std::size_t most_selectors = 4;
constexpr std::size_t most_matchers = 8;  // one question each
constexpr std::size_t most_past = 200;    // series whose past is asked for: 200 × 5 min at 15 s are 4,000 points
constexpr const char* window = "[5m]";
constexpr std::int64_t most_age_ms = 86'400'000;

// A copy of the trigger with another query; no answer counts as an empty one.
std::vector<source::series> ask(const asker& asker, const patient& whose, const std::string& query) {
    config::trigger other = whose.trigger;
    other.metadata["query"] = query;
    other.metadata["ignoreNullValues"] = "false";
    auto described = source::describe(other, config::trigger_rules(), config::profile::standard, nullptr);
    if (!described) return {};
    auto opened = source::open(*described, whose.services);
    if (!opened) return {};
    return asker.fetch(**opened, whose.now_ms).reading.series;
}

std::vector<source::labels> labels_of(const std::vector<source::series>& series) {
    std::vector<source::labels> out;
    out.reserve(series.size());
    for (const source::series& one : series) out.push_back(one.labels);
    return out;
}

// A pattern of the names that begin with the same word, in any capitals and with either separator: "(?i)vllm[_:].*" of
// vllm_num_requests_waiting, "(?i)DCGM[_:].*" of DCGM_FI_DEV_GPU_UTIL.
std::string family_of(const std::string& metric) {
    const std::size_t end = metric.find_first_of("_:");
    return "(?i)" + metric.substr(0, end) + (end == std::string::npos ? ".*" : "[_:].*");
}

std::vector<std::string> names_like(const asker& asker, const patient& whose, const std::string& metric) {
    std::set<std::string> out;
    for (const source::series& one :
         ask(asker, whose, "group by (__name__) ({__name__=~\"" + family_of(metric) + "\"})")) {
        out.emplace(label_value(one.labels, "__name__"));
    }
    return {out.begin(), out.end()};
}

std::vector<std::string> targets_down(const asker& asker, const patient& whose) {
    std::vector<std::string> out;
    for (const source::series& one : ask(asker, whose, "up == 0")) {
        out.push_back(std::string(label_value(one.labels, "job")) + " at " +
                      std::string(label_value(one.labels, "instance")));
    }
    return out;
}

// What is there where the selector finds nothing: the same without one of its matchers, else the bare metric, else others.
void look_around(const asker& asker, const patient& whose, selection& selection) {
    for (std::size_t i = 0; i < selection.matchers.size() && i < most_matchers && selection.nearby.empty(); ++i) {
        selection.nearby = labels_of(ask(asker, whose, selection.text_without(i)));
    }
    if (selection.nearby.empty() && selection.matchers.size() > 1)
        selection.nearby = labels_of(ask(asker, whose, selection.metric));
    if (!selection.nearby.empty()) return;
    selection.metrics_alike = names_like(asker, whose, selection.metric);
    selection.targets_down = targets_down(asker, whose);
}

void note_ages(const std::vector<source::series>& times, const patient& whose, background& out) {
    for (const source::series& one : times) {
        const auto time_ms =
            one.points.empty() ? std::nullopt : formats::query_api::milliseconds(one.points.back().value);
        // No Prometheus looks back further; another API may answer the question with something else.
        const bool is_time = time_ms && whose.now_ms - *time_ms < most_age_ms;
        if (is_time && (!out.oldest_ms || *time_ms < *out.oldest_ms)) out.oldest_ms = time_ms;
    }
}

// Utilization may stand still; energy does not, and power hardly.
std::string pulse_of(const selection& selection) {
    auto other = selection;
    other.metric.clear();
    pattern none;
    other.matchers.push_back(
        {"__name__", "=~", std::string(signals_beside_utilization) + "|" + selection.metric, none});
    return other.text() + window;
}

void look_back(const asker& asker, const patient& whose, const selection& selection, background& out) {
    if (selection.found.size() > most_past) return;
    out.past = ask(asker, whose, selection.text() + window);
    if (selection.metric.compare(0, 5, "DCGM_") == 0) out.beside = ask(asker, whose, pulse_of(selection));
    const std::vector<source::series>& pulse = out.beside.empty() ? out.past : out.beside;
    if (!pulse.empty()) out.tempo = measure(pulse);
}

background behind_query(const asker& asker, const patient& whose, const std::string& query) {
    background out;
    for (const std::string& text : formats::promql::selectors_of(query)) {
        auto one = read_selector(text);
        if (!one || one->metric.empty()) continue;
        const std::vector<source::series> times = ask(asker, whose, "timestamp(" + text + ")");
        one->found = labels_of(times);
        one->looked = true;
        note_ages(times, whose, out);
        if (one->found.empty()) {
            look_around(asker, whose, *one);
        } else if (out.metric.empty()) {
            out.metric = one->metric;
            look_back(asker, whose, *one, out);
        }
        out.selections.push_back(*std::move(one));
        if (out.selections.size() == most_selectors) break;
    }
    return out;
}

}  // namespace

std::string patient::metadata(const char* key) const {
    const auto found = trigger.metadata.find(key);
    return found == trigger.metadata.end() ? std::string() : found->second;
}

question question_of(const patient& whose) {
    question out;
    if (auto described = source::describe(whose.trigger, whose.rules, whose.profile, nullptr)) {
        out = {std::move(described->asks), std::move(described->series_names), described->is_rate,
               described->traits->inquiry};
    }
    // Settings that cannot be read, and types that ask nothing in particular: as it is written.
    for (const char* key : {"query", "metric", "metricName", "valueLocation"}) {
        if (out.text.empty()) out.text = whose.metadata(key);
    }
    return out;
}

result<std::shared_ptr<source::metric_source>> open(const config::trigger& trigger, const config::trigger_rules& rules,
                                                    const patient& whose) {
    auto described = source::describe(trigger, rules, whose.profile, nullptr);
    if (!described) return described.take_failure();
    return source::open(*described, whose.services);
}

background look_behind(const asker& asker, const patient& whose, const question& question) {
    switch (question.inquiry) {
        case source::inquiry::query:
            return behind_query(asker, whose, question.text);
        case source::inquiry::page:
            return behind_page(asker, whose, question);
        case source::inquiry::opaque:
            break;
    }
    return {};
}

}  // namespace gputide::doctor

// Reads the page twice: what it holds, and whether it moves.
#include "doctor/lookup_page.hpp"

#include "base/text.hpp"
#include "formats/exposition/all.hpp"
#include "formats/exposition/format.hpp"
#include "source/gpu_metrics.hpp"

#include <algorithm>
#include <set>

namespace gputide::doctor {
namespace {

constexpr std::int64_t watch_ms = 2'500;  // in all
constexpr std::int64_t glance_ms = 500;
constexpr std::int64_t spare_ms = 2'000;  // left for the steps behind this one

// A selector as a trigger on pages writes it: the metric in one key, the matchers in another.
std::optional<selection> selection_of(const patient& whose, const question& question) {
    if (question.names.empty()) return std::nullopt;
    const std::string inside = whose.metadata("selector");
    const bool braced = !inside.empty() && trim(inside).front() == '{';
    return read_selector(question.names.front() + (inside.empty() || braced ? inside : "{" + inside + "}"));
}

std::optional<source::reading> read_page(const http::answer& answer) {
    if (!answer.arrived() || answer.response.status != 200) return std::nullopt;
    const auto as = formats::exposition::format_of(answer.response.header("Content-Type").value_or(""));
    if (!as) return std::nullopt;
    auto out = formats::exposition::read_all(answer.response.body, *as);
    if (!out) return std::nullopt;
    return *std::move(out);
}

constexpr std::string_view draw = "DCGM_FI_DEV_POWER_USAGE";
constexpr std::string_view energy = "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION";

// Lines whose numbers are new after each collection, in one order.
std::vector<std::string_view> pulse_of(std::string_view page) {
    std::vector<std::string_view> out;
    for (const std::string_view line : split(page, '\n')) {
        if (line.starts_with(draw) || line.starts_with(energy)) out.push_back(trim(line));
    }
    std::sort(out.begin(), out.end());
    return out;
}

// A GPU's counter of energy that runs; a virtual GPU's stays at 0.
bool counts_energy(std::string_view line) {
    return line.starts_with(energy) && line.substr(line.rfind(' ') + 1) != "0";
}

tempo watch(const asker& asker, const http::request& request, const http::answer& first) {
    tempo out;
    if (pulse_of(first.response.body).empty()) return out;  // nothing on it moves of itself
    while (out.pace != pace::quick && out.watched_ms < watch_ms) {
        asker.pause(glance_ms);
        out.watched_ms += glance_ms;
        const http::answer again = asker.send(request);
        if (!again.arrived()) return {};
        out.pace = pace_between(first.response.body, again.response.body);
    }
    return out;
}

bool is_named(const source::labels& one, const std::vector<std::string>& names) {
    return std::find(names.begin(), names.end(), label_value(one, "__name__")) != names.end();
}

// The labels with those that a matcher asks for under the matcher's own name.
source::labels as_asked(source::labels labels, const std::vector<matcher>& matchers) {
    for (const matcher& each : matchers) {
        if (!label_value(labels, each.label).empty()) continue;
        for (const std::string& other : source::names_of_label(each.label)) {
            const std::string value(label_value(labels, other));
            if (value.empty()) continue;
            labels.emplace_back(each.label, value);
            break;
        }
    }
    return labels;
}

}  // namespace

selection look_over(selection selection, const std::vector<std::string>& names, const source::reading& page) {
    std::set<std::string> alike;
    match_budget budget;
    for (const source::series& one : page.series) {
        const std::string name(label_value(one.labels, "__name__"));
        if (!is_named(one.labels, names)) {
            if (name.compare(0, 5, selection.metric, 0, 5) == 0) alike.insert(name);
            continue;
        }
        source::labels labels = as_asked(one.labels, selection.matchers);
        const bool taken = std::all_of(selection.matchers.begin(), selection.matchers.end(),
                                       [&](const matcher& each) { return each.takes(labels, budget); });
        (taken ? selection.found : selection.nearby).push_back(std::move(labels));
    }
    selection.looked = true;
    if (!selection.found.empty()) selection.nearby.clear();
    if (selection.found.empty() && selection.nearby.empty()) selection.metrics_alike.assign(alike.begin(), alike.end());
    return selection;
}

pace pace_between(std::string_view earlier, std::string_view later) {
    const std::vector<std::string_view> before = pulse_of(earlier);
    if (pulse_of(later) != before) return pace::quick;
    return std::any_of(before.begin(), before.end(), counts_energy) ? pace::slow : pace::unclear;
}

background behind_page(const asker& asker, const patient& whose, const question& question) {
    background out;
    auto one = selection_of(whose, question);
    auto opened = open(whose.trigger, whose.rules, whose);
    if (!one || !opened) return out;
    const std::vector<result<http::request>> requests = (*opened)->requests(whose.now_ms);
    if (requests.empty() || !requests.front()) return out;
    const http::answer first = asker.send(*requests.front());
    const auto page = read_page(first);
    if (!page) return out;
    out.metric = one->metric;
    out.selections.push_back(look_over(*std::move(one), question.names, *page));
    if (asker.left_ms() >= watch_ms + spare_ms) out.tempo = watch(asker, *requests.front(), first);
    return out;
}

}  // namespace gputide::doctor

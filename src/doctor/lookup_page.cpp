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

std::string metadata(const patient& whose, const char* key) {
    const auto found = whose.trigger.metadata.find(key);
    return found == whose.trigger.metadata.end() ? std::string() : found->second;
}

// A selector as a trigger on pages writes it: the metric in one key, the matchers in another.
std::optional<selection> selection_of(const patient& whose, const question& asked) {
    if (asked.names.empty()) return std::nullopt;
    const std::string inside = metadata(whose, "selector");
    const bool braced = !inside.empty() && trim(inside).front() == '{';
    return read_selector(asked.names.front() + (inside.empty() || braced ? inside : "{" + inside + "}"));
}

std::optional<source::reading> read_page(const http::answer& got) {
    if (!got.arrived() || got.response.status != 200) return std::nullopt;
    const auto as = formats::exposition::format_of(got.response.header("Content-Type").value_or(""));
    if (!as) return std::nullopt;
    auto out = formats::exposition::read_all(got.response.body, *as);
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

tempo watch(const asker& by, const http::request& what, const http::answer& first) {
    tempo out;
    if (pulse_of(first.response.body).empty()) return out;  // nothing on it moves of itself
    while (out.pace != pace::quick && out.watched_ms < watch_ms) {
        by.pause(glance_ms);
        out.watched_ms += glance_ms;
        const http::answer again = by.send(what);
        if (!again.arrived()) return {};
        out.pace = pace_between(first.response.body, again.response.body);
    }
    return out;
}

bool is_named(const source::labels& one, const std::vector<std::string>& names) {
    return std::find(names.begin(), names.end(), label_value(one, "__name__")) != names.end();
}

// The labels with those that a matcher asks for under the matcher's own name.
source::labels as_asked(source::labels from, const std::vector<matcher>& matchers) {
    for (const matcher& each : matchers) {
        if (!label_value(from, each.label).empty()) continue;
        for (const std::string& other : source::names_of_label(each.label)) {
            const std::string value(label_value(from, other));
            if (value.empty()) continue;
            from.emplace_back(each.label, value);
            break;
        }
    }
    return from;
}

}  // namespace

selection look_over(selection of, const std::vector<std::string>& names, const source::reading& page) {
    std::set<std::string> alike;
    formats::exposition::match_budget budget;
    for (const source::series& one : page.series) {
        const std::string name(label_value(one.labels, "__name__"));
        if (!is_named(one.labels, names)) {
            if (name.compare(0, 5, of.metric, 0, 5) == 0) alike.insert(name);
            continue;
        }
        source::labels labels = as_asked(one.labels, of.matchers);
        const bool taken = std::all_of(of.matchers.begin(), of.matchers.end(),
                                       [&](const matcher& each) { return each.takes(labels, budget); });
        (taken ? of.found : of.nearby).push_back(std::move(labels));
    }
    of.looked = true;
    if (!of.found.empty()) of.nearby.clear();
    if (of.found.empty() && of.nearby.empty()) of.metrics_alike.assign(alike.begin(), alike.end());
    return of;
}

pace pace_between(std::string_view earlier, std::string_view later) {
    const std::vector<std::string_view> before = pulse_of(earlier);
    if (pulse_of(later) != before) return pace::quick;
    return std::any_of(before.begin(), before.end(), counts_energy) ? pace::slow : pace::unclear;
}

background behind_page(const asker& by, const patient& whose, const question& asked) {
    background out;
    auto one = selection_of(whose, asked);
    auto opened = open(whose.trigger, whose.rules, whose);
    if (!one || !opened) return out;
    const std::vector<result<http::request>> requests = (*opened)->requests(whose.now_ms);
    if (requests.empty() || !requests.front()) return out;
    const http::answer first = by.send(*requests.front());
    const auto page = read_page(first);
    if (!page) return out;
    out.metric = one->metric;
    out.selections.push_back(look_over(*std::move(one), asked.names, *page));
    if (by.left_ms() >= watch_ms + spare_ms) out.tempo = watch(by, *requests.front(), first);
    return out;
}

}  // namespace gputide::doctor

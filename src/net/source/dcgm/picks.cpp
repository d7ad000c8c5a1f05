// Selects, groups and divides samples.
#include "base/never_destroyed.hpp"
#include "formats/reduce.hpp"
#include "source/dcgm/dcgm.hpp"
#include "source/known_metrics.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

namespace gputide::source::dcgm {
namespace {

const never_destroyed<formats::exposition::label_names> instance{formats::exposition::label_names{"GPU_I_ID"}};

const never_destroyed<formats::exposition::label_names> device_names{names_of_label("UUID")};
const never_destroyed<formats::exposition::label_names> pod_names{names_of_label("pod")};
const never_destroyed<formats::exposition::label_names> exported_pod{formats::exposition::label_names{"exported_pod"}};

bool is_named(const formats::exposition::raw_text& name, const std::string& wanted) {
    return name.escaped ? formats::exposition::unescaped(name) == wanted : name.text == wanted;
}

bool is_one_of(const std::vector<std::string>& names, const formats::exposition::raw_text& name) {
    return std::ranges::any_of(names, [&name](const std::string& text) { return is_named(name, text); });
}

struct sums {
    double numerator = 0.0;
    double denominator = 0.0;
    std::size_t numerators = 0;
    std::int64_t time_ms = 0;
};

std::vector<point> ratios(const picks& picks) {
    std::vector<sums> groups(picks.groups.size());
    for (const pick& pick : picks.all) {
        sums& into = groups[pick.group];
        if (pick.in_numerator) into.numerator += pick.value;
        if (pick.in_numerator) ++into.numerators;
        if (pick.in_denominator) into.denominator += pick.value;
        if (pick.time_ms != 0) into.time_ms = into.time_ms == 0 ? pick.time_ms : std::min(into.time_ms, pick.time_ms);
    }
    std::vector<point> out;
    for (const sums& sums : groups) {
        if (sums.numerators > 0 && sums.denominator != 0.0) {
            out.push_back({sums.time_ms, sums.numerator / sums.denominator});
        }
    }
    return out;
}

}  // namespace

// Finds the sample's group by the labels' values; returns false if the sample has none of the labels.
bool picker::group_of(const formats::exposition::line& line, std::uint32_t& group) {
    key_.clear();
    bool any = by_.group_labels.empty();
    for (const formats::exposition::label_names& names : by_.group_labels) {
        const std::string_view value = formats::exposition::label_of(line, names, scratch_);
        any = any || !value.empty();
        key_.append(value).push_back('\0');
    }
    if (!any) return false;
    auto found = out_.groups.find(key_);
    if (found == out_.groups.end()) {
        found = out_.groups.emplace(key_, static_cast<std::uint32_t>(out_.groups.size())).first;
    }
    group = found->second;
    return true;
}

// Counts a sample that cannot be part of the value, and returns whether it is one.
bool picker::leave_out(const formats::exposition::line& line) {
    std::size_t* reason = nullptr;
    if (is_blank_value(line.value) || !by_.reduction.is_plausible(line.value)) reason = &out_.blank;
    if (!std::isfinite(line.value)) reason = &out_.not_finite;
    if (by_.leaves_instances_out && !formats::exposition::label_of(line, *instance, scratch_).empty())
        reason = &out_.instances;
    if (reason != nullptr) ++*reason;
    return reason != nullptr;
}

void picker::note_device(const formats::exposition::line& line, pick& pick) {
    key_.assign(formats::exposition::label_of(line, *device_names, scratch_));
    if (key_.empty()) {
        key_ = line.series;  // the exporter sends no UUIDs: each series counts as a device
    } else {
        key_.push_back('\0');
        key_.append(formats::exposition::label_of(line, *instance, scratch_));
    }
    pick.device = devices_.emplace(key_, static_cast<std::uint32_t>(devices_.size())).first->second;
    pick.has_pod = !formats::exposition::label_of(line, *pod_names, scratch_).empty();
    pick.has_exported_pod = !formats::exposition::label_of(line, *exported_pod, scratch_).empty();
    const std::vector<std::string>& names = by_.selector.metrics;
    while (pick.metric + 1 < names.size() && !is_named(line.name, names[pick.metric])) ++pick.metric;
}

// Keeps one series per metric of a shared GPU: the GPU's own series if there is one.  A pod's part would count the GPU again, and
// the other metrics are repeated for each pod.
picks picker::finish() {
    // With federation `pod` is the exporter's own pod, also in the device's series.
    const bool is_federated = std::ranges::any_of(out_.all, [](const pick& of) { return of.has_exported_pod; });
    for (pick& of : out_.all) of.has_pod = is_federated ? of.has_exported_pod : of.has_pod;
    std::vector<bool> has_own(devices_.size());
    std::vector<bool> has_pods(devices_.size());
    for (const pick& pick : out_.all) {
        if (by_.takes_whole_devices) (pick.has_pod ? has_pods : has_own)[pick.device] = true;
    }
    std::set<std::pair<std::uint32_t, std::uint32_t>> taken;  // device and metric
    const auto is_superfluous = [&](const pick& pick, bool is_own_turn) {
        if (!has_own[pick.device] || !has_pods[pick.device] || pick.has_pod == is_own_turn) return false;
        return !taken.emplace(pick.device, pick.metric).second;
    };
    if (!by_.takes_whole_devices || std::ranges::find(has_pods, true) == has_pods.end()) return std::move(out_);
    for (const bool is_own_turn : {true, false}) {
        const auto drop = [&](const pick& pick) { return is_superfluous(pick, is_own_turn); };
        out_.all.erase(std::remove_if(out_.all.begin(), out_.all.end(), drop), out_.all.end());
    }
    return std::move(out_);
}

void picker::add(const formats::exposition::line& line) {
    if (leave_out(line)) return;
    pick pick;
    if (!group_of(line, pick.group)) {
        ++out_.ungrouped;
        return;
    }
    pick.in_numerator = is_one_of(by_.numerator, line.name);
    pick.in_denominator = by_.is_ratio() && is_one_of(by_.denominator, line.name);
    pick.value = line.value;
    pick.time_ms = line.time_ms.value_or(0);
    const auto [place, is_new] = seen_.emplace(line.series, out_.all.size());
    if (!is_new) {
        ++out_.repeated;
        out_.all[place->second].value = pick.value;
        out_.all[place->second].time_ms = pick.time_ms;
        return;
    }
    if (by_.takes_whole_devices) note_device(line, pick);
    if (by_.rate) pick.series = std::to_string(page_) + " " + std::string(line.series);
    out_.all.push_back(std::move(pick));
}

void merge(picks& into, const picks& part) {
    std::vector<std::uint32_t> renumbered(part.groups.size());
    for (const auto& [key, number] : part.groups) {
        const auto next = static_cast<std::uint32_t>(into.groups.size());
        renumbered[number] = into.groups.emplace(key, next).first->second;
    }
    for (pick pick : part.all) {
        pick.group = renumbered[pick.group];
        into.all.push_back(std::move(pick));
    }
    into.blank += part.blank;
    into.not_finite += part.not_finite;
    into.ungrouped += part.ungrouped;
    into.instances += part.instances;
    into.repeated += part.repeated;
    if (into.hint.empty()) into.hint = part.hint;
}

std::vector<point> values_of(const picks& picks, const settings& settings) {
    if (settings.is_ratio()) return ratios(picks);
    std::vector<std::vector<point>> groups(settings.group_labels.empty() ? 1 : picks.groups.size());
    for (const pick& pick : picks.all)
        groups[settings.group_labels.empty() ? 0 : pick.group].push_back({pick.time_ms, pick.value});
    if (settings.group_labels.empty()) return std::move(groups[0]);
    std::vector<point> out;
    for (const std::vector<point>& list : groups) {
        const formats::reduced value = formats::reduce(list, settings.group_reduce);
        if (value.used > 0) out.push_back({value.time_ms, value.value});
    }
    return out;
}

picks counter_history::advance(picks now, std::int64_t now_ms) {
    const std::lock_guard hold(guard_);
    std::vector<pick> rates;
    for (pick& pick : now.all) {
        const counted seen{pick.value, pick.time_ms != 0 ? pick.time_ms : now_ms};
        const auto [place, is_new] = before_.emplace(pick.series, seen);
        counted& earlier = place->second;
        const std::int64_t passed_ms = seen.time_ms - earlier.time_ms;
        if (passed_ms < 0) earlier = seen;  // the clock was set back
        if (is_new || passed_ms <= 0) continue;
        const double counted_since = seen.value >= earlier.value ? seen.value - earlier.value : seen.value;
        earlier = seen;
        if (passed_ms > longest_gap_ms) continue;
        pick.value = counted_since * 1000.0 / static_cast<double>(passed_ms);
        rates.push_back(std::move(pick));
    }
    now.all = std::move(rates);
    for (auto entry = before_.begin(); entry != before_.end();) {
        entry = now_ms - entry->second.time_ms > longest_gap_ms ? before_.erase(entry) : std::next(entry);
    }
    return now;
}

}  // namespace gputide::source::dcgm

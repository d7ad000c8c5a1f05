// Picking, grouping and dividing.
#include "source/dcgm/picks.hpp"

#include "base/never_destroyed.hpp"
#include "formats/reduce.hpp"
#include "source/gpu_metrics.hpp"

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
    return std::any_of(names.begin(), names.end(), [&name](const std::string& one) { return is_named(name, one); });
}

struct sums {
    double numerator = 0.0;
    double denominator = 0.0;
    std::size_t numerators = 0;
    std::int64_t time_ms = 0;
};

std::vector<point> ratios(const picks& picks) {
    std::vector<sums> groups(picks.groups.size());
    for (const pick& one : picks.all) {
        sums& into = groups[one.group];
        if (one.in_numerator) into.numerator += one.value;
        if (one.in_numerator) ++into.numerators;
        if (one.in_denominator) into.denominator += one.value;
        if (one.time_ms != 0) into.time_ms = into.time_ms == 0 ? one.time_ms : std::min(into.time_ms, one.time_ms);
    }
    std::vector<point> out;
    for (const sums& one : groups) {
        if (one.numerators > 0 && one.denominator != 0.0) {
            out.push_back({one.time_ms, one.numerator / one.denominator});
        }
    }
    return out;
}

}  // namespace

// The values of the labels to group by; false where the sample has none of them.
bool picker::group_of(const formats::exposition::line& one, std::uint32_t& group) {
    key_.clear();
    bool any = by_.group_labels.empty();
    for (const formats::exposition::label_names& names : by_.group_labels) {
        const std::string_view value = formats::exposition::label_of(one, names, scratch_);
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

// Counts what cannot be part of a number.
bool picker::leave_out(const formats::exposition::line& one) {
    std::size_t* reason = nullptr;
    if (is_blank_value(one.value) || !by_.possible.can_be(one.value)) reason = &out_.blank;
    if (!std::isfinite(one.value)) reason = &out_.not_finite;
    if (by_.leaves_instances_out && !formats::exposition::label_of(one, *instance, scratch_).empty())
        reason = &out_.instances;
    if (reason != nullptr) ++*reason;
    return reason != nullptr;
}

void picker::note_device(const formats::exposition::line& one, pick& pick) {
    key_.assign(formats::exposition::label_of(one, *device_names, scratch_));
    if (key_.empty()) {
        key_ = one.series;  // an exporter without UUIDs: each series stands alone
    } else {
        key_.push_back('\0');
        key_.append(formats::exposition::label_of(one, *instance, scratch_));
    }
    pick.device = devices_.emplace(key_, static_cast<std::uint32_t>(devices_.size())).first->second;
    pick.has_pod = !formats::exposition::label_of(one, *pod_names, scratch_).empty();
    pick.has_exported_pod = !formats::exposition::label_of(one, *exported_pod, scratch_).empty();
    const std::vector<std::string>& names = by_.selector.metrics;
    while (pick.metric + 1 < names.size() && !is_named(one.name, names[pick.metric])) ++pick.metric;
}

// A shared GPU that comes with its own series counts by that one: of each of its metrics one series stays, its own if there is one.
// What a pod's process has of the GPU would count the GPU again, and the other metrics are repeated for each pod.
picks picker::finish() {
    // Then `pod` is the exporter's own, on the device's series as well.
    const bool is_federated =
        std::any_of(out_.all.begin(), out_.all.end(), [](const pick& of) { return of.has_exported_pod; });
    for (pick& of : out_.all) of.has_pod = is_federated ? of.has_exported_pod : of.has_pod;
    std::vector<bool> has_own(devices_.size());
    std::vector<bool> has_pods(devices_.size());
    for (const pick& one : out_.all) {
        if (by_.takes_whole_devices) (one.has_pod ? has_pods : has_own)[one.device] = true;
    }
    std::set<std::pair<std::uint32_t, std::uint32_t>> taken;  // device and metric
    const auto is_superfluous = [&](const pick& one, bool is_own_turn) {
        if (!has_own[one.device] || !has_pods[one.device] || one.has_pod == is_own_turn) return false;
        return !taken.emplace(one.device, one.metric).second;
    };
    if (!by_.takes_whole_devices || std::find(has_pods.begin(), has_pods.end(), true) == has_pods.end())
        return std::move(out_);
    for (const bool is_own_turn : {true, false}) {
        const auto drop = [&](const pick& one) { return is_superfluous(one, is_own_turn); };
        out_.all.erase(std::remove_if(out_.all.begin(), out_.all.end(), drop), out_.all.end());
    }
    return std::move(out_);
}

void picker::add(const formats::exposition::line& one) {
    if (leave_out(one)) return;
    pick pick;
    if (!group_of(one, pick.group)) {
        ++out_.ungrouped;
        return;
    }
    pick.in_numerator = is_one_of(by_.numerator, one.name);
    pick.in_denominator = by_.is_ratio() && is_one_of(by_.denominator, one.name);
    pick.value = one.value;
    pick.time_ms = one.time_ms.value_or(0);
    const auto [place, is_new] = seen_.emplace(one.series, out_.all.size());
    if (!is_new) {
        ++out_.repeated;
        out_.all[place->second].value = pick.value;
        out_.all[place->second].time_ms = pick.time_ms;
        return;
    }
    if (by_.takes_whole_devices) note_device(one, pick);
    if (by_.rate) pick.series = std::to_string(page_) + " " + std::string(one.series);
    out_.all.push_back(std::move(pick));
}

void merge(picks& into, const picks& part) {
    std::vector<std::uint32_t> renumbered(part.groups.size());
    for (const auto& [key, number] : part.groups) {
        const auto next = static_cast<std::uint32_t>(into.groups.size());
        renumbered[number] = into.groups.emplace(key, next).first->second;
    }
    for (pick one : part.all) {
        one.group = renumbered[one.group];
        into.all.push_back(std::move(one));
    }
    into.blank += part.blank;
    into.not_finite += part.not_finite;
    into.ungrouped += part.ungrouped;
    into.instances += part.instances;
    into.repeated += part.repeated;
}

std::vector<point> values_of(const picks& picks, const settings& settings) {
    if (settings.is_ratio()) return ratios(picks);
    std::vector<std::vector<point>> groups(settings.group_labels.empty() ? 1 : picks.groups.size());
    for (const pick& one : picks.all)
        groups[settings.group_labels.empty() ? 0 : one.group].push_back({one.time_ms, one.value});
    if (settings.group_labels.empty()) return std::move(groups[0]);
    std::vector<point> out;
    for (const std::vector<point>& one : groups) {
        const formats::reduced value = formats::reduce(one, settings.group_reduce);
        if (value.used > 0) out.push_back({value.time_ms, value.value});
    }
    return out;
}

}  // namespace gputide::source::dcgm

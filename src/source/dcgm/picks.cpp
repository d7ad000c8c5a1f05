// Picking, grouping and dividing.
#include "source/dcgm/picks.hpp"

#include "base/never_destroyed.hpp"
#include "formats/reduce.hpp"
#include "source/gpu_metrics.hpp"

#include <algorithm>
#include <cmath>

namespace gputide::source::dcgm {
namespace {

const never_destroyed<formats::exposition::label_names> instance{formats::exposition::label_names{"GPU_I_ID"}};

bool is_one_of(const std::vector<std::string>& names, const formats::exposition::raw_text& name) {
    const auto same = [&name](const std::string& one) {
        return name.escaped ? formats::exposition::unescaped(name) == one : name.text == one;
    };
    return std::any_of(names.begin(), names.end(), same);
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

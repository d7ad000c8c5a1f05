// Explains the number of series.
#include "base/format_text.hpp"
#include "base/text.hpp"
#include "doctor/judge.hpp"
#include "source/known_metrics.hpp"
#include "source/query_shape.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <string_view>

namespace gputide::doctor {

namespace {

// Returns the number of series of the response; a text counts as one.
std::size_t series_of(const evidence& seen) {
    const source::reading& reading = seen.fetched.reading;
    return reading.series.size() + (reading.result_type == "string" ? 1 : 0);
}

// Tells whether each series has several points, as of a range selector.
bool is_range(const evidence& seen) { return seen.fetched.reading.result_type == "matrix"; }

// Returns an empty selection; prefers one with an existing metric, which tells more: `new_name{a="b"} or old_name{a="b"}`.
const selection* empty_one(const evidence& seen) {
    const selection* out = nullptr;
    for (const selection& selection : seen.behind.selections) {
        if (!selection.looked || !selection.found.empty()) continue;
        if (out == nullptr || (out->nearby.empty() && !selection.nearby.empty())) out = &selection;
    }
    return out;
}

// Returns the labels that differ, with some of their values: "Hostname, UUID, gpu (0, 1)".
std::vector<std::string> differing(const std::vector<source::labels>& labels) {
    std::vector<std::string> out;
    for (const std::string& label : label_names(labels)) {
        const std::vector<std::string> values = label_values(labels, label);
        if (values.size() > 1) out.push_back(format_text("{} ({})", label, listed(values, 3)));
    }
    return out;
}

step several(const evidence& seen) {
    const std::vector<std::string> labels = differing(labels_of(seen.fetched.reading.series));
    std::string text = format_text("{} where one number is needed", counted(series_of(seen), "series", "series"));
    if (is_range(seen)) text += "; the query returns a range of points";
    if (!labels.empty()) text += format_text("; they differ in {}", listed(labels, 6));
    step out =
        broken(step_name::series, std::move(text),
               is_range(seen) ? "A range selector such as [5m] returns all points of that time, for each series."
                              : "The query returns a value per GPU or pod, and nothing defines how to combine them.",
               {});
    const bool is_level = source::shape_of_query(seen.described.asks).quantity == source::quantity::level;
    const bool is_divided = seen.described.target.type == manifest::target_type::average_value;
    const std::string_view reducer = is_level || !is_divided ? "avg" : "sum";
    out.fix = format_text("Aggregate in the query, or set a reducer (gputide.io/reduce: avg, max, min, sum, p95). {}",
                          is_level && is_divided
                              ? "AverageValue would divide an average by the replicas, so use metricType: Value."
                          : is_divided ? "AverageValue divides by the replicas, so sum is the usual reducer."
                                       : "With metricType: Value, avg is the usual reducer.");
    if (!seen.is_query()) return out;
    if (is_level && is_divided) out.paste = "metricType: Value\n";
    // Aggregations take instant vectors only, so a range needs one value of each series first.
    const std::string query =
        is_range(seen) ? format_text("avg_over_time({})", seen.described.asks) : seen.described.asks;
    out.paste += format_text("query: {}({})\n", reducer, query);
    return out;
}

// Adds that ignoreNullValues makes an empty result 0: correct for a workload at zero without series, dangerous otherwise.
step counted_as_zero(step out) {
    out.seen += "; ignoreNullValues turns it into 0";
    out.add_detail("empty_as_zero", "true");
    out.cause +=
        " This 0 scales the workload down regardless of its load; with ignoreNullValues: \"false\" it is an error that "
        "holds the size.";
    return out;
}

// Returns how many of the series show the same card, because MIG instances and vGPUs repeat its value; 0: none.
std::size_t repeats_of_one_gpu(const selection& of) {
    const source::known_metric* known = source::find_known_metric(of.metric);
    if (known == nullptr || !known->is_whole_gpu) return 0;
    std::map<std::string_view, std::size_t> cards;
    std::size_t max_count = 0;
    for (const source::labels& labels : of.found) {
        const std::string_view card = label_value(labels, "UUID");
        if (card.empty() || label_value(labels, "GPU_I_ID").empty()) continue;
        max_count = std::max(max_count, ++cards[card]);
    }
    return max_count > 1 ? max_count : 0;
}

step repeated(const selection& of, std::size_t times, const std::string& text) {
    return doubtful(
        step_name::series, format_text("{}; one GPU is listed {} times, once for each of its instances", text, times),
        format_text("{} is the value of the whole GPU, and the exporter repeats it for each instance: a sum counts the "
                    "same GPU more than once.",
                    of.metric),
        "Select one series per GPU before adding: sum(max by (UUID) (...)), or by: UUID with groupReduce: max.");
}

step mixed(const selection& of, const std::string& text) {
    return doubtful(step_name::series,
                    format_text("{}; a shared GPU has a series for the whole GPU and another for each pod", text),
                    format_text("For a shared GPU, {} has the device's own series and one per pod with the usage of "
                                "its processes, which is 0 for an idle pod: an average or a sum mixes both kinds.",
                                of.metric),
                    format_text("Select one kind: {}=\"\" for devices, {}!=\"\" for pods.", pod_label_of(of.found),
                                pod_label_of(of.found)));
}

bool value_is_missing(const selection& selection) {
    for (const matcher& matcher : selection.matchers) {
        if (matcher.sign[0] == '=' && label_values(selection.nearby, matcher.label).empty()) return false;
    }
    return !selection.nearby.empty();
}

step nothing(const evidence& seen) {
    const selection* missing = empty_one(seen);
    if (missing == nullptr) {
        step out =
            broken(step_name::series, "the query returns no series, although its selectors match series",
                   "The rest of the expression removes all of them: a comparison, an `and`, labels that do not "
                   "match in a division, or a range shorter than two scrapes.",
                   format_text("Test the parts of the expression, the innermost first: `{}`.", seen.described.asks));
        if (seen.behind.selections.empty()) {
            out.cause = seen.fetched.why.message;
            out.fix = "Correct the problem named above.";
            out.seen = "there is no series";
        }
        return seen.fetched.sample.null_as_zero ? counted_as_zero(std::move(out)) : out;
    }
    step out = why_missing(*missing, seen.traits().inquiry);
    if (!seen.fetched.sample.null_as_zero) return out;
    // Zero replicas look like this: no series for this workload, while others have some.
    if (value_is_missing(*missing)) out.verdict = verdict::warning;
    return counted_as_zero(std::move(out));
}

std::string described(const evidence& seen) {
    std::string out = counted(series_of(seen), "series", "series");
    for (const selection& selection : seen.behind.selections) {
        if (selection.found.empty()) continue;
        const std::vector<std::string> names = label_names(selection.found);
        out += format_text("; the trigger selects {} of {}{}", counted(selection.found.size(), "series", "series"),
                           selection.metric, names.empty() ? "" : " with labels " + listed(names, 16));
        break;
    }
    return out;
}

}  // namespace

step judge_series(const evidence& seen) {
    step out;
    const selection* missing = empty_one(seen);
    if (series_of(seen) == 0) {
        out = nothing(seen);
    } else if (seen.fetched.sample.state == sample_state::ambiguous) {
        out = several(seen);
    } else if (missing != nullptr && seen.behind.selections.size() == 1) {
        out = why_missing(*missing, seen.traits().inquiry);
        out.verdict = verdict::warning;
        out.seen += "; the query still returns a value, which is a constant in the query";
        out.fix += " Also remove the constant from the query (such as `or vector(0)`): it hides the missing series.";
    } else {
        out = passed(step_name::series, described(seen));
        for (const selection& selection : seen.behind.selections) {
            if (const std::size_t times = repeats_of_one_gpu(selection); times > 0)
                out = repeated(selection, times, out.seen);
            if (seen.is_query() && mixes_devices_and_pods(selection.metric, selection.found))
                out = mixed(selection, out.seen);
        }
    }
    out.add_detail("series", series_of(seen));
    for (std::size_t i = 0; i < seen.behind.selections.size(); ++i) {
        const selection& selection = seen.behind.selections[i];
        const std::string number = i == 0 ? "" : std::to_string(i + 1);
        out.add_detail("selector" + number, selection.text());
        out.add_detail("selected" + number, selection.found.size());
        const std::vector<std::string> labels =
            label_names(selection.found.empty() ? selection.nearby : selection.found);
        if (!labels.empty()) out.add_detail("labels" + number, listed(labels, 64));
    }
    return out;
}

namespace {

// Percentage points.  For a steady load both values differ by a few points at most.
constexpr double max_difference = 15.0;
// Data center GPUs draw 70 to 140 W when idle: 200 W means work on any card.
constexpr double max_idle_percent = 5.0;
constexpr double min_busy_watts = 200.0;
constexpr std::size_t min_points = 8;

struct mean_of {
    double sum = 0.0;
    std::size_t points = 0;

    bool is_known() const { return points >= min_points; }
    double value() const { return sum / static_cast<double>(points); }
};

mean_of mean(const std::vector<source::series>& all, std::string_view name) {
    mean_of out;
    for (const source::series& series : all) {
        if (!name.empty() && label_value(series.labels, "__name__") != name) continue;
        for (const source::point& point : series.points) {
            if (!std::isfinite(point.value)) continue;
            out.sum += point.value;
            ++out.points;
        }
    }
    return out;
}

std::string whole(double number) { return std::to_string(std::llround(number)); }

step missed(const std::string& value, std::string seen) {
    return doubtful(step_name::value, value + "; " + std::move(seen),
                    "DCGM_FI_DEV_GPU_UTIL is only the driver's last sample of 1/6 to 1 s, taken at each scrape: with a "
                    "load in bursts it is 0 or 100 at random.",
                    "Scale on 100 * DCGM_FI_PROF_GR_ENGINE_ACTIVE, which covers the whole time between two "
                    "collections; the threshold stays the same. dcgm-exporter serves it if its counters file contains "
                    "it (etc/default-counters.csv does).");
}

}  // namespace

std::optional<step> judge_aliasing(const std::string& metric, const std::vector<source::series>& past,
                                   const std::vector<source::series>& beside, const std::string& value) {
    if (metric != "DCGM_FI_DEV_GPU_UTIL") return std::nullopt;
    // The mean over a shared GPU's own series and its pods' series is not the GPU's utilization.
    if (mixes_devices_and_pods(metric, labels_of(past))) return std::nullopt;
    const mean_of sampled = mean(past, {});
    if (!sampled.is_known()) return std::nullopt;
    const mean_of active = mean(beside, "DCGM_FI_PROF_GR_ENGINE_ACTIVE");
    if (active.is_known()) {
        const double percent = 100.0 * active.value();
        if (std::abs(percent - sampled.value()) <= max_difference) return std::nullopt;
        return missed(value,
                      format_text("its mean over the last minutes is {} %, and the engine was active {} % of that "
                                  "time (DCGM_FI_PROF_GR_ENGINE_ACTIVE)",
                                  whole(sampled.value()), whole(percent)));
    }
    const mean_of power = mean(beside, "DCGM_FI_DEV_POWER_USAGE");
    if (!power.is_known() || power.value() < min_busy_watts || sampled.value() > max_idle_percent) return std::nullopt;
    return missed(value, format_text("its mean over the last minutes is {} %, at {} W: no idle GPU draws that",
                                     whole(sampled.value()), whole(power.value())));
}

}  // namespace gputide::doctor

// Parses the exporter's pages, selects the series that match the trigger's settings, and reduces them to one sample.
#include "base/format_text.hpp"
#include "base/text.hpp"
#include "formats/exposition/page.hpp"
#include "source/dcgm/dcgm.hpp"
#include "source/description.hpp"
#include "wire/errors.hpp"

#include <algorithm>
#include <set>

namespace gputide::source::dcgm {
namespace {

bool is_blank(std::string_view body) { return body.find_first_not_of(" \t\r\n") == std::string_view::npos; }

// Returns the format of the body, or an error if the body is not readable.
result<formats::exposition::format> readable(const http::answer& answer) {
    if (!answer.arrived()) return http::fault_error(answer);
    if (answer.response.status != 200) {
        error out =
            http::status_error(answer.response, format_text("the exporter answered HTTP {}", answer.response.status));
        http::note_body(out, answer.response);
        return out;
    }
    auto as = formats::exposition::format_of(answer.response.header("Content-Type").value_or(""));
    if (as && is_blank(answer.response.body)) {
        error out = fail(error_class::no_data,
                         "the page is empty: the exporter is starting or reloading; this is not a load of zero");
        out.retryable = true;
        return out;
    }
    return as;
}

// Adds a remedy.  A field that the exporter could not print makes its whole page unreadable.
error with_remedy(error why) {
    if (why.error_class == error_class::unprintable) {
        why.message +=
            "; the exporter could not print this field, which makes the whole page unreadable: remove the field from "
            "its counters file (-f, or its ConfigMap), or upgrade the exporter";
    } else if (why.error_class == error_class::shape) {
        why.message += "; check that the address is an exporter's /metrics page";
    }
    return why;
}

// Calls `take` for the lines of the trigger's metrics with its labels.
template <class Take>
result<void> select(const http::answer& answer, const settings& settings, Take take) {
    const auto as = readable(answer);
    if (!as) return as.failure();
    auto read = formats::exposition::each_selected(answer.response.body, *as, settings.selector, take);
    if (!read) return with_remedy(read.take_failure());
    return {};
}

std::string what_was_left_out(const picks& picks) {
    std::string out;
    const auto add = [&out](std::size_t count, std::string_view what) {
        if (count > 0) append_item(out, format_text("{} {}", count, what));
    };
    add(picks.blank,
        "have a value outside the metric's range, such as DCGM's marks for \"no value\" (the field is not supported on "
        "these GPUs, or the exporter has a fault)");
    add(picks.not_finite, "are NaN or infinite");
    add(picks.ungrouped, "have none of the labels of `by`");
    add(picks.instances, "are MIG instances");
    return out;
}

std::string describe_nothing(const picks& picks, const settings& settings) {
    const std::string left_out = what_was_left_out(picks);
    std::string out = "no value of " + settings.metric;
    if (!left_out.empty()) out += "; of the series found, " + left_out;
    if (!picks.hint.empty() && (left_out.empty() || picks.instances > 0)) out += "; " + picks.hint;
    return out;
}

struct overview {
    std::size_t of_metric = 0;  // samples of the metric, with any labels
    bool has_instances = false;
    std::set<std::string, std::less<>> names;
};

constexpr std::size_t max_names = 1'000;

overview look_over(std::string_view body, formats::exposition::format as, const settings& settings) {
    overview out;
    formats::exposition::page page(body, as);
    formats::exposition::line line;
    while (page.next(line)) {
        const std::string_view name = line.name.text;
        if (std::ranges::find(settings.numerator, name) != settings.numerator.end()) ++out.of_metric;
        if (out.names.size() < max_names && out.names.find(name) == out.names.end()) out.names.emplace(name);
        const auto is_instance = [](const formats::exposition::raw_label& label) {
            return label.name.text == "GPU_I_ID";
        };
        out.has_instances = out.has_instances || std::ranges::any_of(line.labels, is_instance);
    }
    return out;
}

std::string about_instances(const settings& settings) {
    return settings.metric +
           " is not valid for the MIG instances on this page: use DCGM_FI_PROF_GR_ENGINE_ACTIVE (0 to 1; with scale: "
           "\"100\" in percent)";
}

std::string not_served(const overview& page, const settings& settings) {
    std::string out = "the page has no series " + settings.numerator.front();
    const std::vector<std::string_view> names(page.names.begin(), page.names.end());
    const std::string_view near = nearest(settings.metric, names);
    if (!near.empty()) return format_text("{}; did you mean {}?", out, near);
    out += "; add the field to the exporter's counters file (-f, or its ConfigMap)";
    if (settings.metric.find("_PROF_") != std::string::npos) {
        out += ", and give the exporter the SYS_ADMIN capability: profiling fields need it, and a Volta or newer GPU";
    }
    return out;
}

// Explains why a page that was parsed without error has no matching sample.
std::string why_nothing(const http::answer& answer, const settings& settings) {
    const overview page = look_over(answer.response.body, *readable(answer), settings);
    if (settings.leaves_instances_out && page.has_instances) return about_instances(settings);
    if (page.of_metric == 0) return not_served(page, settings);
    return format_text(
        "none of the {} series {} on the page is usable; check the selector and `by` against the page's labels (pod "
        "labels need the exporter's --kubernetes, and exist only for GPUs that are assigned to a pod)",
        page.of_metric, settings.metric);
}

formats::exposition::line line_of(const series& series) {
    formats::exposition::line out;
    for (const auto& [name, value] : series.labels) {
        if (name == "__name__") {
            out.name.text = value;
        } else {
            out.labels.push_back({{name, false}, {value, false}});
        }
    }
    out.value = series.points.back().value;
    if (series.points.back().time_ms != 0) out.time_ms = series.points.back().time_ms;
    return out;
}

// Returns a text that is equal for equal series.
std::string identity_of(const series& series) {
    std::string out;
    for (const auto& [name, value] : series.labels) out.append(name).append(1, '\0').append(value).append(1, '\0');
    return out;
}

}  // namespace

result<picks> read_page(const http::answer& answer, const settings& settings, std::size_t page) {
    picker picker(settings, page);
    if (auto read = select(answer, settings, [&](const auto& line) { picker.add(line); }); !read)
        return read.take_failure();
    picks out = picker.finish();
    if (out.all.empty()) out.hint = why_nothing(answer, settings);
    return out;
}

result<reading> read_series(const http::answer& answer, const settings& settings) {
    reading out;
    out.result_type = "exposition";
    auto read =
        select(answer, settings, [&](const auto& line) { out.series.push_back(formats::exposition::series_of(line)); });
    if (!read) return read.take_failure();
    return out;
}

result<picks> picks_of(const reading& reading, const settings& settings) {
    match_budget budget;
    std::vector<std::string> identities;
    identities.reserve(reading.series.size());
    picker picker(settings, 0);
    for (const series& series : reading.series) {
        if (series.points.empty()) continue;
        formats::exposition::line line = line_of(series);
        line.series = identities.emplace_back(identity_of(series));
        if (settings.selector.takes(line, budget)) picker.add(line);
        if (budget.spent()) return formats::exposition::too_much_matching();
    }
    return picker.finish();
}

fetched judge_picks(const picks& picks, const settings& settings) {
    if (picks.all.empty()) return judge_failure(fail(error_class::no_data, describe_nothing(picks, settings)));
    numbers values;
    values.newest = values_of(picks, settings);
    values.series = values.newest.size();
    for (point& point : values.newest) point.value *= settings.scale;
    if (settings.is_ratio() && values.series == 0) {
        return judge_failure(
            fail(error_class::no_data,
                 "no ratio: {} or its denominator is missing or 0 in every group; both must be on the page",
                 settings.metric));
    }
    judge_texts say;
    say.empty = "no value of " + settings.metric;
    say.not_finite = settings.metric + " gives";
    reduction rule = settings.reduction;
    rule.max_value = reduction().max_value;  // of one series; the values may be ratios, and are scaled
    return judge_numbers(values, rule, say);
}

}  // namespace gputide::source::dcgm

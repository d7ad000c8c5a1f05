// Reads pages by the trigger's settings and judges what was picked.
#include "source/dcgm/judge.hpp"

#include "base/format_text.hpp"
#include "base/text.hpp"
#include "formats/exposition/all.hpp"
#include "source/dcgm/explain.hpp"
#include "source/judge.hpp"
#include "wire/errors.hpp"

#include <algorithm>
#include <cmath>

namespace gputide::source::dcgm {
namespace {

bool is_blank(std::string_view body) { return body.find_first_not_of(" \t\r\n") == std::string_view::npos; }

// The body's grammar, where there is a body to read.
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
                         "the page is empty: the exporter is starting or reloading; this is no load of zero");
        out.retryable = true;
        return out;
    }
    return as;
}

// A field that the exporter could not print spoils its whole page.
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

std::string what_was_left_out(const picks& picks) {
    std::string out;
    const auto add = [&out](std::size_t count, std::string_view what) {
        if (count > 0) out += format_text("{}{} {}", out.empty() ? "" : ", ", count, what);
    };
    add(picks.blank,
        "hold a number that the metric cannot have, such as DCGM's marks for \"no value\" (the field is not supported "
        "on "
        "these GPUs, or the exporter is at fault)");
    add(picks.not_finite, "are NaN or infinite");
    add(picks.ungrouped, "have none of the labels of `by`");
    add(picks.instances, "are MIG instances");
    return out;
}

std::string describe_nothing(const picks& picks, const settings& settings, const std::string& hint) {
    const std::string left_out = what_was_left_out(picks);
    std::string out = "no value of " + settings.metric;
    if (!left_out.empty()) out += "; of the series found, " + left_out;
    if (!hint.empty() && (left_out.empty() || picks.instances > 0)) out += "; " + hint;
    return out;
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

// What a line's own text is elsewhere: equal for equal series.
std::string identity_of(const series& series) {
    std::string out;
    for (const auto& [name, value] : series.labels) out.append(name).append(1, '\0').append(value).append(1, '\0');
    return out;
}

}  // namespace

result<page_picks> read_page(const http::answer& answer, const settings& settings, std::size_t page) {
    const auto as = readable(answer);
    if (!as) return as.failure();
    picker picker(settings, page);
    const std::string_view body = answer.response.body;
    if (auto read =
            formats::exposition::each_selected(body, *as, settings.selector, [&](const auto& one) { picker.add(one); });
        !read) {
        return with_remedy(std::move(read).failure());
    }
    page_picks out{picker.finish(), {}};
    if (out.picks.all.empty()) out.hint = why_nothing(body, *as, settings);
    return out;
}

result<reading> read_series(const http::answer& answer, const settings& settings) {
    const auto as = readable(answer);
    if (!as) return as.failure();
    reading out;
    out.result_type = "exposition";
    auto read = formats::exposition::each_selected(answer.response.body, *as, settings.selector, [&](const auto& one) {
        out.series.push_back(formats::exposition::series_of(one));
    });
    if (!read) return with_remedy(std::move(read).failure());
    return out;
}

result<picks> picks_of(const reading& reading, const settings& settings) {
    match_budget budget;
    std::vector<std::string> identities;
    identities.reserve(reading.series.size());
    picker picker(settings, 0);
    for (const series& one : reading.series) {
        if (one.points.empty()) continue;
        formats::exposition::line line = line_of(one);
        line.series = identities.emplace_back(identity_of(one));
        if (settings.selector.takes(line, budget)) picker.add(line);
        if (budget.spent()) return formats::exposition::too_much_matching();
    }
    return picker.finish();
}

fetched judge_picks(const picks& picks, const settings& settings, const std::string& hint) {
    if (picks.all.empty()) return judge_failure(fail(error_class::no_data, describe_nothing(picks, settings, hint)));
    numbers values;
    values.newest = values_of(picks, settings);
    values.series = values.newest.size();
    for (point& one : values.newest) one.value *= settings.scale;
    if (settings.is_ratio() && values.series == 0) {
        return judge_failure(
            fail(error_class::no_data,
                 format_text("no ratio: {} or its denominator is missing or 0 in every group; both must be on the page",
                             settings.metric)));
    }
    judge_texts say;
    say.empty = "no value of " + settings.metric;
    say.not_finite = settings.metric + " gives";
    reduction rule;
    rule.reduce = settings.reduce;
    rule.ignore_null = false;
    return judge_numbers(values, rule, say);
}

}  // namespace gputide::source::dcgm

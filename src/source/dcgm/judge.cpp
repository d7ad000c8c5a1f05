// Reads pages by the trigger's settings and judges what was picked.
#include "source/dcgm/judge.hpp"

#include "base/format_text.hpp"
#include "base/text.hpp"
#include "formats/exposition/all.hpp"
#include "http/answer_error.hpp"
#include "source/dcgm/explain.hpp"
#include "source/judge.hpp"

#include <algorithm>
#include <cmath>

namespace gputide::source::dcgm {
namespace {

bool is_blank(std::string_view body) { return body.find_first_not_of(" \t\r\n") == std::string_view::npos; }

// The body's grammar, where there is a body to read.
result<formats::exposition::format> readable(const http::answer& got) {
    if (!got.arrived()) return http::fault_error(got);
    if (got.response.status != 200) {
        return http::status_error(got.response, format_text("the exporter answered HTTP {}", got.response.status));
    }
    auto as = formats::exposition::format_of(got.response.header("Content-Type").value_or(""));
    if (as && is_blank(got.response.body)) {
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

std::string what_was_left_out(const picks& from) {
    std::string out;
    const auto add = [&out](std::size_t count, std::string_view what) {
        if (count > 0) out += format_text("{}{} {}", out.empty() ? "" : ", ", count, what);
    };
    add(from.blank, "hold DCGM's mark for \"no value\" (the field is not supported on these GPUs)");
    add(from.not_finite, "are NaN or infinite");
    add(from.ungrouped, "have none of the labels of `by`");
    add(from.instances, "are MIG instances");
    return out;
}

std::string describe_nothing(const picks& from, const settings& by, const std::string& hint) {
    const std::string left_out = what_was_left_out(from);
    std::string out = "no value of " + by.metric;
    if (!left_out.empty()) out += "; of the series found, " + left_out;
    if (!hint.empty() && (left_out.empty() || from.instances > 0)) out += "; " + hint;
    return out;
}

formats::exposition::line line_of(const series& from) {
    formats::exposition::line out;
    for (const auto& [name, value] : from.labels) {
        if (name == "__name__") {
            out.name.text = value;
        } else {
            out.labels.push_back({{name, false}, {value, false}});
        }
    }
    out.value = from.points.back().value;
    if (from.points.back().time_ms != 0) out.time_ms = from.points.back().time_ms;
    return out;
}

// What a line's own text is elsewhere: equal for equal series.
std::string identity_of(const series& from) {
    std::string out;
    for (const auto& [name, value] : from.labels) out.append(name).append(1, '\0').append(value).append(1, '\0');
    return out;
}

}  // namespace

result<page_picks> read_page(const http::answer& got, const settings& by, std::size_t page) {
    const auto as = readable(got);
    if (!as) return as.failure();
    picker into(by, page);
    const std::string_view body = got.response.body;
    if (auto read = formats::exposition::each_selected(body, *as, by.selector, [&](const auto& one) { into.add(one); });
        !read) {
        return with_remedy(std::move(read).failure());
    }
    page_picks out{into.finish(), {}};
    if (out.picks.all.empty()) out.hint = why_nothing(body, *as, by);
    return out;
}

result<reading> read_series(const http::answer& got, const settings& by) {
    const auto as = readable(got);
    if (!as) return as.failure();
    reading out;
    out.result_type = "exposition";
    auto read = formats::exposition::each_selected(got.response.body, *as, by.selector, [&](const auto& one) {
        out.series.push_back(formats::exposition::series_of(one));
    });
    if (!read) return with_remedy(std::move(read).failure());
    return out;
}

result<picks> picks_of(const reading& from, const settings& by) {
    formats::exposition::match_budget budget;
    std::vector<std::string> identities;
    identities.reserve(from.series.size());
    picker into(by, 0);
    for (const series& one : from.series) {
        if (one.points.empty()) continue;
        formats::exposition::line line = line_of(one);
        line.series = identities.emplace_back(identity_of(one));
        if (by.selector.takes(line, budget)) into.add(line);
        if (budget.spent()) return formats::exposition::too_much_matching();
    }
    return into.finish();
}

fetched judge_picks(const picks& from, const settings& by, const std::string& hint) {
    if (from.all.empty()) return judge_failure(fail(error_class::no_data, describe_nothing(from, by, hint)));
    numbers values;
    values.newest = values_of(from, by);
    values.series = values.newest.size();
    for (point& one : values.newest) one.value *= by.scale;
    if (by.is_ratio() && values.series == 0) {
        return judge_failure(
            fail(error_class::no_data,
                 format_text("no ratio: {} or its denominator is missing or 0 in every group; both must be on the page",
                             by.metric)));
    }
    judge_texts say;
    say.empty = "no value of " + by.metric;
    say.not_finite = by.metric + " gives";
    reduction rule;
    rule.reduce = by.reduce;
    rule.ignore_null = false;
    return judge_numbers(values, rule, say);
}

}  // namespace gputide::source::dcgm

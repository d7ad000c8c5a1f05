// Reduces numbers to a sample, explains a missing value, and writes descriptions as JSON.
#include "source/description.hpp"

#include "base/format_text.hpp"
#include "base/json_writer.hpp"
#include "base/redact.hpp"
#include "base/text.hpp"
#include "base/time.hpp"
#include "formats/reduce.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace gputide::source {
namespace {

fetched no_value(sample_state state, error_class kind, std::string text) {
    fetched out;
    out.why = fail(kind, std::move(text));
    out.sample.state = state;
    out.sample.status = out.why.status;
    return out;
}

fetched value_of(double value, std::int64_t time_ms) {
    fetched out;
    out.why.status = status::ok;
    out.sample.state = sample_state::ok;
    out.sample.value = value;
    out.sample.time_ms = time_ms;
    return out;
}

// Applies KEDA's ignoreNullValues: a missing or non-finite value becomes 0, and the sample records that.
fetched null_or(const reduction& rule, sample_state state, std::int64_t time_ms, std::string text) {
    if (rule.ignore_null) {
        fetched out = value_of(0.0, time_ms);
        out.sample.null_as_zero = true;
        return out;
    }
    return no_value(state, error_class::no_data, std::move(text));
}

bool has_impossible(const numbers& numbers, const reduction& rule) {
    return std::ranges::any_of(numbers.newest, [&rule](const point& point) { return !rule.is_plausible(point.value); });
}

// Reports a value above the maximum.  Never 0, even with ignoreNullValues: the server is at fault and its load is unknown.
fetched judge_possible(numbers numbers, const reduction& rule, const judge_texts& say) {
    const double worst =
        std::max_element(numbers.newest.begin(), numbers.newest.end(), [](const point& a, const point& b) {
            return a.value < b.value;
        })->value;
    std::erase_if(numbers.newest, [&rule](const point& point) { return !rule.is_plausible(point.value); });
    if (!numbers.newest.empty()) return judge_numbers(numbers, rule, say);
    return no_value(sample_state::not_a_number, error_class::no_data,
                    format_text("{} is not a valid value: the metric's range is 0 to {} (DCGM marks a field without a "
                                "value with such a number)",
                                shortest(worst), shortest(rule.max_value)));
}

}  // namespace

bool is_plain_value(const numbers& numbers, const reduction& rule) {
    return numbers.series == 1 && numbers.newest.size() == 1 && !numbers.partial && rule.reduce.empty() &&
           std::isfinite(numbers.newest.front().value) && rule.is_plausible(numbers.newest.front().value);
}

fetched judge_numbers(const numbers& numbers, const reduction& rule, const judge_texts& say) {
    if (numbers.partial && !rule.accept_partial) {
        return no_value(sample_state::partial, error_class::partial,
                        "the server marked its response as partial; accept partial results (gputide.io/accept-partial: "
                        "\"true\"), or repair the missing store");
    }
    if (numbers.series == 0) return null_or(rule, sample_state::empty, 0, say.empty);
    if (numbers.series > 1 && rule.reduce.empty()) {
        return no_value(sample_state::ambiguous, error_class::ambiguous,
                        format_text("{} ({} series, one is needed); aggregate in the query, e.g. avg(...), or name a "
                                    "reducer (gputide.io/reduce: avg, max, min, sum, count or pNN)",
                                    say.several, numbers.series));
    }
    if (numbers.newest.empty()) return null_or(rule, sample_state::empty, 0, say.no_float);
    if (has_impossible(numbers, rule)) return judge_possible(numbers, rule, say);
    if (rule.reduce.empty()) {
        const point& only = numbers.newest.front();
        if (std::isfinite(only.value)) return value_of(only.value, only.time_ms);
        return null_or(rule, sample_state::not_a_number, only.time_ms,
                       format_text("{} {}", say.not_finite, shortest(only.value)));
    }
    const formats::reduced reduced = formats::reduce(numbers.newest, rule.reduce);
    if (reduced.used > 0 && std::isfinite(reduced.value)) return value_of(reduced.value, reduced.time_ms);
    return null_or(rule, sample_state::not_a_number, reduced.time_ms,
                   format_text("{} no finite value: of {} series {} are NaN or infinite{}", say.not_finite,
                               numbers.newest.size(), reduced.dropped,
                               reduced.used > 0 ? format_text(", and the {} of the others overflows", rule.reduce)
                                                : std::string()));
}

fetched metric::judge(result<source::reading> reading) const {
    fetched out = reading ? to_sample(*reading) : judge_failure(reading.failure());
    if (reading) out.reading = *std::move(reading);
    if (out.why.status != status::ok && out.why.where.empty()) out.why.where = named(label);
    return out;
}

fetched judge_failure(error why) {
    fetched out;
    out.sample.status = why.status;
    switch (why.status) {
        case status::auth:
        case status::forbidden:
            out.sample.state = sample_state::auth;
            break;
        case status::timeout:
            out.sample.state = sample_state::timeout;
            break;
        case status::no_data:
            out.sample.state = sample_state::empty;
            break;
        case status::ambiguous:
            out.sample.state = sample_state::ambiguous;
            break;
        case status::partial:
            out.sample.state = sample_state::partial;
            break;
        default:
            out.sample.state = sample_state::failed;
            break;
    }
    out.why = std::move(why);
    return out;
}

fetched stale(fetched value, std::string text) {
    value.why = fail(error_class::stale, std::move(text));
    const std::int64_t time_ms = value.sample.time_ms;
    value.sample = gputide::sample();
    value.sample.state = sample_state::stale;
    value.sample.status = status::no_data;
    value.sample.time_ms = time_ms;
    return value;
}

fetched stale(fetched value, std::int64_t age_ms, std::int64_t max_age_ms, std::string_view what,
              std::string_view remedy) {
    return stale(std::move(value),
                 format_text("{} is {} old; at most {} is allowed (gputide.io/max-sample-age); {}", what,
                             format_duration_ms(age_ms), format_duration_ms(max_age_ms), remedy));
}

fetched within_age(fetched value, std::int64_t now_ms, std::int64_t max_age_ms, std::string_view remedy) {
    const gputide::sample& sample = value.sample;
    const bool has_age = sample.state == sample_state::ok && !sample.null_as_zero && sample.time_ms != 0;
    const std::int64_t age_ms = now_ms - sample.time_ms;
    if (!has_age || max_age_ms <= 0 || age_ms <= max_age_ms) return value;
    return stale(std::move(value), age_ms, max_age_ms, "the value", remedy);
}

error partial_error(error why, std::size_t failed, std::size_t all, std::string_view parts) {
    why.message =
        format_text("{} of {} {} ({}); repair them, or accept partial results (gputide.io/accept-partial: \"true\")",
                    failed, all, parts, why.message);
    why.status = status::partial;
    why.error_class = error_class::partial;
    why.retryable = true;
    return why;
}

// Writes a description as JSON.

namespace {

using manifest::parameter_value;
using text::value_type;

// Returns the text without secrets: a URL may contain a password, a header a token.
std::string shown(std::string_view text) {
    return text.find("://") == std::string_view::npos ? redact(text) : redact_url(text);
}

void write_pairs(json_writer& out, std::string_view text) {
    out.begin_object();
    for (const std::string_view piece : split(text, ',')) {
        const std::size_t equals = piece.find('=');
        if (equals == std::string_view::npos) continue;  // reported when it was read
        out.member(trim(piece.substr(0, equals)), redact(trim(piece.substr(equals + 1))));
    }
    out.end_object();
}

void write_list(json_writer& out, std::string_view text) {
    out.begin_array();
    for (const std::string_view piece : split(text, ',')) out.string(shown(trim(piece)));
    out.end_array();
}

// Writes a hidden value, or one of another type than its field, as text.
void write_value(json_writer& out, const parameter_value& value) {
    const std::string_view text = value.text;
    switch (value.field->type) {
        case value_type::number:
            if (const auto number = parse_json_number(text)) return void(out.number(*number));
            break;
        case value_type::flag:
            if (const auto flag = parse_go_bool(text)) return void(out.boolean(*flag));
            break;
        case value_type::duration:
            if (const auto ms = parse_go_duration_ms(text)) return void(out.integer(*ms));
            if (const auto ms = parse_int64(text)) return void(out.integer(*ms));
            break;
        case value_type::pairs:
            return write_pairs(out, text);
        case value_type::list:
            return write_list(out, text);
        case value_type::text:
        case value_type::secret:
            break;
    }
    out.string(shown(text));
}

void write_target(json_writer& out, const target& target) {
    out.begin_object()
        .member("type", target_type_names[static_cast<std::size_t>(target.type)])
        .member("value_milli", target.target_milli);
    out.member("threshold", target.threshold).member("activation_threshold", target.activation_threshold);
    if (!target.resource.empty()) out.member("resource", target.resource);
    if (!target.container.empty()) out.member("container", target.container);
    if (target.type == manifest::target_type::utilization) out.member("utilization_pct", target.utilization_pct);
    out.end_object();
}

}  // namespace

std::string describe_json(const description& described, const text::report& findings) {
    json_writer out;
    out.begin_object().member("type", described.type).member("metric_name", described.target.metric_name);
    write_target(out.key("target"), described.target);
    if (!described.asks.empty()) out.member("asks", described.asks);
    out.member("pushed", described.traits->is_pushed).member("keeps_past", described.traits->keeps_past);
    out.key("settings").begin_object();
    for (const parameter_value& value : described.settings) write_value(out.key(*value.field->names.begin()), value);
    out.end_object();
    text::write_json(out.key("report"), findings);
    return out.end_object().take();
}

}  // namespace gputide::source

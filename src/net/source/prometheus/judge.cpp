// Words and order of judgement for prometheus triggers.
#include "source/prometheus/judge.hpp"

#include "base/format_text.hpp"
#include "base/time.hpp"
#include "formats/query_api/parse.hpp"
#include "formats/reduce.hpp"
#include "source/judge.hpp"

#include <optional>
#include <utility>

namespace gputide::source::prometheus {
namespace {

judge_texts texts_for(const query_settings& settings) {
    return {.empty = "prometheus metrics 'prometheus' target may be lost, the result is empty",
            .no_float = "prometheus metrics 'prometheus' target may be lost, the value list is empty",
            .several = format_text("prometheus query {} returned multiple elements", settings.query),
            .not_finite = "prometheus query returns"};
}

// The answer is what the API documents; the query is of another kind.
error not_a_number_at_all(std::string text) {
    error out = fail(error_class::bad_type, std::move(text));
    out.status = status::rejected;
    return out;
}

// Status ok: the numbers may be judged.
error usable(const numbers& numbers, const query_settings& settings) {
    if (numbers.result_type == "string") {
        return not_a_number_at_all("the query gives a string and no number; write one that gives a number");
    }
    if (numbers.series > 0 && numbers.newest.empty()) {
        return not_a_number_at_all(
            "the query gives native histograms, which are no number; use histogram_quantile(), histogram_avg() or "
            "histogram_count() in it");
    }
    if (numbers.result_type == "matrix" && numbers.series > 0 && settings.reduction.reduce.empty()) {
        return fail(
            error_class::ambiguous,
            "the query gives a range of points (a matrix); use avg_over_time() or last_over_time() in it, or name "
            "a reducer (gputide.io/reduce) to take the last point of each series");
    }
    return fail(status::ok, {});
}

// The oldest time that an age query gave, in milliseconds.
std::optional<std::int64_t> oldest_ms(const numbers& numbers) {
    const formats::reduced oldest = formats::reduce(numbers.newest, "min");
    return oldest.used > 0 ? formats::query_api::milliseconds(oldest.value) : std::nullopt;
}

}  // namespace

fetched judge(const result<numbers>& numbers, const query_settings& settings) {
    if (!numbers) return judge_failure(numbers.failure());
    if (!settings.strict) {
        if (error why = usable(*numbers, settings); why.status != status::ok) return judge_failure(std::move(why));
    }
    // Nearly every answer needs no words, and they cost as much as reading it.
    return judge_numbers(*numbers, settings.reduction,
                         is_plain_value(*numbers, settings.reduction) ? judge_texts() : texts_for(settings));
}

fetched aged(fetched value, const result<numbers>& age, std::int64_t now_ms, std::int64_t max_age_ms) {
    if (value.sample.state != sample_state::ok || value.sample.null_as_zero) return value;
    if (!age) {
        error why = age.failure();
        why.message = "the value came, but how old it is could not be read: " + why.message;
        fetched out = judge_failure(std::move(why));
        out.reading = std::move(value.reading);
        return out;
    }
    const auto sampled_ms = oldest_ms(*age);
    value.sample.time_ms = sampled_ms.value_or(0);
    if (!sampled_ms) return stale(std::move(value), "the age query gave no time, so the value counts as too old");
    if (now_ms - *sampled_ms > max_age_ms) {
        return stale(std::move(value),
                     format_text("the oldest sample behind the value is {} old, {} are allowed "
                                 "(gputide.io/max-sample-age); check the exporter and its scrape",
                                 format_duration_ms(now_ms - *sampled_ms), format_duration_ms(max_age_ms)));
    }
    return value;
}

}  // namespace gputide::source::prometheus

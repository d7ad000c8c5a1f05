#include "formats/query_api/parse.hpp"
#include "pipeline/pipeline.hpp"

#include <limits>
#include <utility>

namespace gputide::pipeline {
namespace {

source::reading vector_of(const std::vector<double>& values, std::int64_t time_ms) {
    source::reading out;
    out.result_type = "vector";
    for (const double value : values) {
        out.series.emplace_back();
        out.series.back().points.push_back({time_ms, value});
    }
    return out;
}

// Returns the values of the points in the step's interval [time_ms, time_ms + step_ms).
std::vector<double> values_at(const source::reading& reading, std::vector<std::size_t>& at, std::int64_t time_ms,
                              std::int64_t step_ms) {
    std::vector<double> out;
    for (std::size_t i = 0; i < reading.series.size(); ++i) {
        const std::vector<source::point>& points = reading.series[i].points;
        while (at[i] < points.size() && points[at[i]].time_ms < time_ms) ++at[i];
        if (at[i] < points.size() && points[at[i]].time_ms < time_ms + step_ms) out.push_back(points[at[i]].value);
    }
    return out;
}

}  // namespace

result<std::vector<sample>> past_samples(const source::metric& metric, const source::reading& reading,
                                         const source::time_range& over) {
    for (const source::series& series : reading.series)
        if (series.points.empty() && !series.histograms.empty())
            return fail(status::rejected,
                        "the query returns native histograms; convert them to numbers with a function such as "
                        "histogram_quantile");
    std::vector<sample> out;
    std::vector<std::size_t> at(reading.series.size(), 0);
    for (std::int64_t time_ms = over.from_ms; time_ms <= over.to_ms; time_ms += over.step_ms) {
        std::vector<double> values = values_at(reading, at, time_ms, over.step_ms);
        sample step;
        step.state = sample_state::empty;
        if (!values.empty()) {
            source::fetched judged = metric.judge(vector_of(values, time_ms));
            step = judged.sample;
            if (step.null_as_zero) step.state = sample_state::not_a_number;
            const bool is_point = step.state == sample_state::ok || step.state == sample_state::not_a_number;
            if (!is_point) return std::move(judged.why);
        }
        step.time_ms = time_ms;
        out.push_back(step);
    }
    return out;
}

result<std::vector<source::point>> saved_range(std::string_view answer) {
    http::answer read_back;
    read_back.response.status = 200;
    read_back.response.body = std::string(answer);
    result<source::reading> read = formats::query_api::parse(read_back);
    if (!read) {
        error why = read.take_failure();
        why.http_status = 0;
        why.where = named("series");
        return why;
    }
    if (read->series.size() > 1) {
        return fail(status::ambiguous,
                    "series: the saved response contains {} series; aggregate in the query (sum, avg, max), so that it "
                    "returns one",
                    read->series.size());
    }
    if (read->series.empty() || read->series.front().points.empty())
        return fail(status::no_data, "series: the saved response contains no point");
    return std::move(read->series.front().points);
}

null_samples null_samples_of(const source::metric* metric) {
    null_samples out;
    out.empty.state = sample_state::empty;
    out.not_a_number.state = sample_state::not_a_number;
    out.empty.status = out.not_a_number.status = status::no_data;
    if (metric == nullptr) return out;
    out.empty = metric->judge(vector_of({}, 0)).sample;
    out.not_a_number = metric->judge(vector_of({std::numeric_limits<double>::quiet_NaN()}, 0)).sample;
    return out;
}

}  // namespace gputide::pipeline

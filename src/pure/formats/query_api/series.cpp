// Parses one series, member by member.
#include "formats/query_api/series.hpp"

#include "base/format_text.hpp"
#include "base/limits.hpp"
#include "base/text.hpp"
#include "formats/query_api/envelope.hpp"
#include "formats/query_api/parse.hpp"

#include <string>
#include <unordered_set>

namespace gputide::formats::query_api {
namespace {

namespace dom = simdjson::dom;
using simdjson::SUCCESS;

// Parses "42.5", "NaN", "+Inf" as Go does; also a JSON number, which some compatible stores send.
std::optional<double> sample_value(dom::element element) {
    std::string_view text;
    if (element.get(text) == SUCCESS) return parse_go_float(text, true);
    double number = 0.0;
    if (element.is_number() && element.get(number) == SUCCESS) return number;
    return std::nullopt;
}

std::optional<std::int64_t> sample_time(dom::element element) {
    double seconds = 0.0;
    if (!element.is_number() || element.get(seconds) != SUCCESS) return std::nullopt;
    return milliseconds(seconds);
}

bool read_histogram(dom::element element, std::vector<histogram>& histograms) {
    const auto pair = timed_pair(element);
    dom::object content;
    if (!pair || pair->content.get(content) != SUCCESS) return false;
    dom::element count;
    dom::element sum;
    if (content["count"].get(count) != SUCCESS || content["sum"].get(sum) != SUCCESS) return false;
    const auto counted = sample_value(count);
    const auto summed = sample_value(sum);
    if (!counted || !summed) return false;
    histogram out{pair->time_ms, *counted, *summed, 0};
    dom::element buckets;
    const bool has_buckets = content["buckets"].get(buckets) == SUCCESS && !buckets.is_null();
    const auto count_bucket = [&out](dom::element bucket) {
        ++out.buckets;
        return bucket.is_array();
    };
    if (has_buckets && !read_each(buckets, count_bucket)) return false;
    histograms.push_back(out);
    return true;
}

// Requires every value to be a string.  Of a repeated label the first value counts.  Servers sort labels; only an
// unsorted object is searched for repetitions.
result<labels> read_labels(dom::element element) {
    dom::object content;
    if (element.get(content) != SUCCESS) return wrong_shape("a series' metric is not an object");
    labels out;
    out.reserve(content.size());
    bool sorted = true;
    for (const auto& [key, value] : content) {
        std::string_view text;
        if (value.get(text) != SUCCESS) return wrong_shape(format_text("label {} is not a string", in_quotes(key)));
        if (key.size() > limits::label_value_bytes || text.size() > limits::label_value_bytes) {
            return over_limit(format_text("a label has more than {} bytes", limits::label_value_bytes));
        }
        if (!out.empty() && out.back().first >= key) sorted = false;
        out.emplace_back(key, text);
    }
    if (sorted) return out;
    std::unordered_set<std::string> seen;
    std::erase_if(out, [&seen](const auto& label) { return !seen.insert(label.first).second; });
    return out;
}

}  // namespace

std::optional<timed_content> timed_pair(dom::element element) {
    dom::array pair;
    if (element.get(pair) != SUCCESS || pair.size() != 2) return std::nullopt;
    const auto time = sample_time(pair.at(0).value_unsafe());
    if (!time) return std::nullopt;
    return timed_content{*time, pair.at(1).value_unsafe()};
}

bool read_point(dom::element element, std::vector<point>& points) {
    const auto pair = timed_pair(element);
    if (!pair) return false;
    const auto value = sample_value(pair->content);
    if (!value) return false;
    points.push_back({pair->time_ms, *value});
    return true;
}

result<series> series_of(dom::element element, bool is_matrix) {
    dom::object content;
    if (element.get(content) != SUCCESS) return wrong_shape("a series is not an object");
    std::optional<dom::element> metric;
    std::optional<dom::element> floats;
    std::optional<dom::element> histograms;
    const known_members known(content);
    if (!known.take("metric", metric) || !known.take(is_matrix ? "values" : "value", floats) ||
        !known.take(is_matrix ? "histograms" : "histogram", histograms)) {
        return wrong_shape("a series has a member twice");
    }
    series out;
    if (metric) {
        auto named = read_labels(*metric);
        if (!named) return named.take_failure();
        out.labels = *std::move(named);
    }
    if (!floats && !histograms) return wrong_shape("a series has neither values nor a histogram");
    const auto add_point = [&out](dom::element entry) { return read_point(entry, out.points); };
    const auto add_histogram = [&out](dom::element entry) { return read_histogram(entry, out.histograms); };
    if (floats && !(is_matrix ? read_each(*floats, add_point) : add_point(*floats))) {
        return wrong_shape("a sample is not [time, \"value\"] with a number of seconds and a float text");
    }
    if (histograms && !(is_matrix ? read_each(*histograms, add_histogram) : add_histogram(*histograms))) {
        return wrong_shape("a native histogram is not [time, {count, sum, buckets}]");
    }
    return out;
}

}  // namespace gputide::formats::query_api

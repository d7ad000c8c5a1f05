// gputide_samples of section 5 of gputide.h: whole answers.
#include "capi/samples.hpp"

#include "base/format_text.hpp"
#include "base/json_writer.hpp"
#include "capi/guard.hpp"
#include "capi/sample.hpp"
#include "capi/structs.hpp"

#include <cmath>
#include <span>
#include <string_view>
#include <utility>

namespace gputide::capi {
namespace {

void write_labels(json_writer& json, const source::labels& labels) {
    json.begin_object();
    for (const auto& [name, value] : labels) json.member(name, value);
    json.end_object();
}

std::string labels_json(const source::labels& labels) {
    json_writer json;
    write_labels(json, labels);
    return json.take();
}

// What JSON has no number for stands in words beside the null.
void write_number(json_writer& json, std::string_view name, double value) {
    json.member(name, value);
    if (std::isnan(value)) json.member("text", std::string_view("NaN"));
    if (std::isinf(value)) json.member("text", std::string_view(value > 0 ? "+Inf" : "-Inf"));
}

void write_texts(json_writer& json, std::string_view name, std::span<const std::string> texts) {
    json.key(name).begin_array();
    for (const std::string& one : texts) json.string(one);
    json.end_array();
}

void write_series(json_writer& json, const source::series& series) {
    json.begin_object().key("labels");
    write_labels(json, series.labels);
    json.key("points").begin_array();
    for (const source::point& one : series.points) {
        json.begin_object().member("time_ms", one.time_ms);
        write_number(json, "value", one.value);
        json.end_object();
    }
    json.end_array().key("histograms").begin_array();
    for (const source::histogram& one : series.histograms) {
        json.begin_object().member("time_ms", one.time_ms).member("count", one.count).member("sum", one.sum);
        json.member("buckets", one.buckets).end_object();
    }
    json.end_array().end_object();
}

}  // namespace

gputide_samples* make_samples(source::reading reading) {
    std::vector<std::string> labels;
    labels.reserve(reading.series.size());
    for (const source::series& one : reading.series) labels.push_back(labels_json(one.labels));
    return make_handle<gputide_samples>(std::move(reading), std::move(labels));
}

sample newest_of(const source::series& series) {
    sample out;
    out.state = sample_state::empty;
    out.status = status::no_data;
    if (series.points.empty()) return out;
    const source::point& last = series.points.back();
    out.time_ms = last.time_ms;
    out.state = sample_state::not_a_number;
    if (!std::isfinite(last.value)) return out;
    out.state = sample_state::ok;
    out.status = status::ok;
    out.value = last.value;
    return out;
}

std::string reading_json(const source::reading& reading) {
    json_writer json;
    json.begin_object().member("result_type", reading.result_type).key("series").begin_array();
    for (const source::series& one : reading.series) write_series(json, one);
    json.end_array();
    if (reading.result_type == "string") {
        json.member("string_value", reading.string_value).member("string_time_ms", reading.string_time_ms);
    }
    write_texts(json, "warnings", reading.warnings);
    write_texts(json, "infos", reading.infos);
    return json.member("partial", reading.partial).end_object().take();
}

}  // namespace gputide::capi

using namespace gputide;        // NOLINT: the entries below are the C side of these names
using namespace gputide::capi;  // NOLINT: as above

uint32_t gputide_samples_count(const gputide_samples* samples) {
    return samples != nullptr ? static_cast<uint32_t>(samples->reading.series.size()) : 0;
}

gputide_status gputide_samples_get(const gputide_samples* samples, uint32_t index, gputide_sample* out,
                                   gputide_error* err) {
    return guarded(err, [&]() -> result<void> {
        if (result<void> ok = required(samples, "samples"); !ok) return ok;
        if (result<void> ok = check_out(out, "out"); !ok) return ok;
        if (index >= samples->reading.series.size()) {
            return fail(status::not_found,
                        format_text("index is {}, and there are {} series", index, samples->reading.series.size()));
        }
        write_struct(out, to_c(newest_of(samples->reading.series[index])));
        return {};
    });
}

const char* gputide_samples_labels(const gputide_samples* samples, uint32_t index) {
    if (samples == nullptr || index >= samples->labels.size()) return nullptr;
    return samples->labels[index].c_str();
}

gputide_status gputide_samples_describe(const gputide_samples* samples, gputide_text* json, gputide_error* err) {
    return guarded(err, [&]() -> result<void> {
        if (result<void> ok = required(samples, "samples"); !ok) return ok;
        if (result<void> ok = required(json, "json"); !ok) return ok;
        return give_text(reading_json(samples->reading), json);
    });
}

void gputide_samples_free(gputide_samples* samples) { end(samples); }

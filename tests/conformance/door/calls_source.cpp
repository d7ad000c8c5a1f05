// Section 9 of source.h: one metric.
#include "door/call.hpp"

#include <cstdint>

namespace conformance {
namespace {

void open_source(call& one) {
    const std::string text = one.text("text");
    one.opens(gputide_source_free, gputide_source_open, text.data(), static_cast<std::int64_t>(text.size()),
              one.options());
}

// A failed read gives its sample beside the error.
void put_sample(call& one, const gputide_sample& sample) {
    if (sample.state != 0 || !one.result.contains("error")) one.result["sample"] = sample_json(sample);
}

void fetch(call& one) {
    auto sample = sized<gputide_sample>();
    one.works(gputide_source_fetch, one.handle<gputide_source>("source"), one.integer("now_ms"),
              one.int32("timeout_ms"), static_cast<const gputide_cancel*>(nullptr), &sample);
    put_sample(one, sample);
}

void fetch_all(call& one) {
    one.gives_text("json", gputide_source_fetch_all, one.handle<gputide_source>("source"), one.integer("now_ms"),
                   one.int32("timeout_ms"), static_cast<const gputide_cancel*>(nullptr));
}

void write_request(call& one) {
    one.gives_text("json", gputide_source_request, one.handle<const gputide_source>("source"), one.integer("now_ms"));
}

void parse_all(call& one) {
    const std::string headers = one.text("headers");
    const std::string body = one.text("body");
    one.gives_text("json", gputide_source_parse_all, one.handle<const gputide_source>("source"),
                   one.int32("http_status"), headers.data(), static_cast<std::int64_t>(headers.size()), body.data(),
                   static_cast<std::int64_t>(body.size()));
}

void describe_source(call& one) {
    one.gives_text("json", gputide_source_describe, one.handle<const gputide_source>("source"));
}

void parse(call& one) {
    const std::string body = one.text("body");
    auto sample = sized<gputide_sample>();
    one.works(gputide_source_parse, one.handle<const gputide_source>("source"), one.int32("http_status"), body.data(),
              static_cast<std::int64_t>(body.size()), &sample);
    put_sample(one, sample);
}

}  // namespace

std::vector<call_entry> source_calls() {
    return {{"source.open", {}, &open_source},
            {"source.fetch", {"source"}, &fetch},
            {"source.fetch_all", {"source"}, &fetch_all},
            {"source.request", {"source"}, &write_request},
            {"source.parse", {"source"}, &parse},
            {"source.parse_all", {"source"}, &parse_all},
            {"source.describe", {"source"}, &describe_source}};
}

}  // namespace conformance

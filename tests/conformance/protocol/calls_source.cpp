// Section 9 of source.h: one metric.
#include "protocol/call.hpp"

#include <cstdint>

namespace conformance {
namespace {

void open_source(call& request) {
    const std::string text = request.text("text");
    request.opens(gputide_source_free, gputide_source_open, text.data(), static_cast<std::int64_t>(text.size()),
                  request.options());
}

// A failed read gives its sample beside the error.
void put_sample(call& request, const gputide_sample& sample) {
    if (sample.state != 0 || !request.result.contains("error")) request.result["sample"] = sample_json(sample);
}

void fetch(call& request) {
    auto sample = sized<gputide_sample>();
    request.works(gputide_source_fetch, request.handle<gputide_source>("source"), request.integer("now_ms"),
                  request.int32("timeout_ms"), static_cast<const gputide_cancel*>(nullptr), &sample);
    put_sample(request, sample);
}

void fetch_all(call& request) {
    request.gives_text("json", gputide_source_fetch_all, request.handle<gputide_source>("source"),
                       request.integer("now_ms"), request.int32("timeout_ms"),
                       static_cast<const gputide_cancel*>(nullptr));
}

void write_request(call& request) {
    request.gives_text("json", gputide_source_request, request.handle<const gputide_source>("source"),
                       request.integer("now_ms"));
}

void parse_all(call& request) {
    const std::string headers = request.text("headers");
    const std::string body = request.text("body");
    request.gives_text("json", gputide_source_parse_all, request.handle<const gputide_source>("source"),
                       request.int32("http_status"), headers.data(), static_cast<std::int64_t>(headers.size()),
                       body.data(), static_cast<std::int64_t>(body.size()));
}

void describe_source(call& request) {
    request.gives_text("json", gputide_source_describe, request.handle<const gputide_source>("source"));
}

void parse(call& request) {
    const std::string body = request.text("body");
    auto sample = sized<gputide_sample>();
    request.works(gputide_source_parse, request.handle<const gputide_source>("source"), request.int32("http_status"),
                  body.data(), static_cast<std::int64_t>(body.size()), &sample);
    put_sample(request, sample);
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

// Section 9 of source.h: one metric.
#include "door/call.hpp"

#include <cstdint>

namespace conformance {
namespace {

void open_source(call& call) {
    const std::string text = call.text("text");
    call.opens(gputide_source_free, gputide_source_open, text.data(), static_cast<std::int64_t>(text.size()),
               call.options());
}

// A failed read gives its sample beside the error.
void put_sample(call& call, const gputide_sample& sample) {
    if (sample.state != 0 || !call.result.contains("error")) call.result["sample"] = sample_json(sample);
}

void fetch(call& call) {
    auto sample = sized<gputide_sample>();
    call.works(gputide_source_fetch, call.handle<gputide_source>("source"), call.integer("now_ms"),
               call.int32("timeout_ms"), static_cast<const gputide_cancel*>(nullptr), &sample);
    put_sample(call, sample);
}

void fetch_all(call& call) {
    call.gives_text("json", gputide_source_fetch_all, call.handle<gputide_source>("source"), call.integer("now_ms"),
                    call.int32("timeout_ms"), static_cast<const gputide_cancel*>(nullptr));
}

void write_request(call& call) {
    call.gives_text("json", gputide_source_request, call.handle<const gputide_source>("source"),
                    call.integer("now_ms"));
}

void parse_all(call& call) {
    const std::string headers = call.text("headers");
    const std::string body = call.text("body");
    call.gives_text("json", gputide_source_parse_all, call.handle<const gputide_source>("source"),
                    call.int32("http_status"), headers.data(), static_cast<std::int64_t>(headers.size()), body.data(),
                    static_cast<std::int64_t>(body.size()));
}

void describe_source(call& call) {
    call.gives_text("json", gputide_source_describe, call.handle<const gputide_source>("source"));
}

void quantity(call& call) {
    const std::string text = call.text("text");
    std::int64_t milli = 0;
    if (call.works(gputide_quantity, text.data(), static_cast<std::int64_t>(text.size()), &milli))
        call.result["milli"] = json_integer(milli);
}

void parse(call& call) {
    const std::string body = call.text("body");
    auto sample = sized<gputide_sample>();
    call.works(gputide_source_parse, call.handle<const gputide_source>("source"), call.int32("http_status"),
               body.data(), static_cast<std::int64_t>(body.size()), &sample);
    put_sample(call, sample);
}

}  // namespace

std::vector<call_entry> source_calls() {
    return {{"source.open", {}, &open_source},
            {"source.fetch", {"source"}, &fetch},
            {"source.fetch_all", {"source"}, &fetch_all},
            {"source.request", {"source"}, &write_request},
            {"source.parse", {"source"}, &parse},
            {"source.parse_all", {"source"}, &parse_all},
            {"source.describe", {"source"}, &describe_source},
            {"quantity", {}, &quantity}};
}

}  // namespace conformance

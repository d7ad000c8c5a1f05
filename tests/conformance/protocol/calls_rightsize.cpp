// Section 14 of gputide.h: samples of GPUs, and what a workload needs.
#include "protocol/call.hpp"

namespace conformance {
namespace {

gputide_rightsize* handle_of(const call& request) { return request.handle<gputide_rightsize>("rightsize"); }

void open_rightsize(call& request) {
    const std::string text = request.text("settings");
    request.opens(gputide_rightsize_free, gputide_rightsize_open, text.data(), static_cast<std::int64_t>(text.size()),
                  request.options());
}

void describe_rightsize(call& request) { request.gives_text("json", gputide_rightsize_describe, handle_of(request)); }

void number_of(call& request) {
    const std::string name = request.text("name");
    std::uint32_t number = 0;
    if (request.works(gputide_rightsize_container, handle_of(request), name.c_str(), &number))
        request.result["number"] = number;
}

void add_samples(call& request) {
    const std::vector<gputide_usage_sample> samples = usage_samples_in(request.object("samples"));
    std::uint32_t counted = 0;
    if (request.works(gputide_rightsize_add, handle_of(request), samples.data(),
                      static_cast<std::uint32_t>(sizeof(gputide_usage_sample)),
                      static_cast<std::uint32_t>(samples.size()), &counted))
        request.result["counted"] = counted;
}

void recommend(call& request) {
    request.gives_text("json", gputide_rightsize_recommend, handle_of(request), request.uint32("container"),
                       request.integer("now_ms"));
}

void fit(call& request) {
    request.gives_text("json", gputide_rightsize_fit, handle_of(request), request.integer("memory_bytes"),
                       real_in(request.object("util_percent")));
}

void save_usage(call& request) {
    request.gives_text("text", gputide_rightsize_save, handle_of(request), request.uint32("container"),
                       request.integer("now_ms"));
}

void load_usage(call& request) {
    const std::string text = request.text("text");
    request.works(gputide_rightsize_load, handle_of(request), request.uint32("container"), text.data(),
                  static_cast<std::int64_t>(text.size()));
}

}  // namespace

std::vector<call_entry> rightsize_calls() {
    return {{"rightsize.open", {}, &open_rightsize},
            {"rightsize.describe", {"rightsize"}, &describe_rightsize},
            {"rightsize.container", {"rightsize"}, &number_of},
            {"rightsize.add", {"rightsize"}, &add_samples},
            {"rightsize.recommend", {"rightsize"}, &recommend},
            {"rightsize.fit", {"rightsize"}, &fit},
            {"rightsize.save", {"rightsize"}, &save_usage},
            {"rightsize.load", {"rightsize"}, &load_usage}};
}

}  // namespace conformance

// Section 14 of gputide.h: samples of GPUs, and what a workload needs.
#include "door/call.hpp"

namespace conformance {
namespace {

gputide_rightsize* handle_of(const call& call) { return call.handle<gputide_rightsize>("rightsize"); }

void open_rightsize(call& call) {
    const std::string text = call.text("settings");
    call.opens(gputide_rightsize_free, gputide_rightsize_open, text.data(), static_cast<std::int64_t>(text.size()),
               call.options());
}

void describe_rightsize(call& call) { call.gives_text("json", gputide_rightsize_describe, handle_of(call)); }

void number_of(call& call) {
    const std::string name = call.text("name");
    std::uint32_t number = 0;
    if (call.works(gputide_rightsize_container, handle_of(call), name.c_str(), &number)) call.result["number"] = number;
}

void add_samples(call& call) {
    const std::vector<gputide_usage_sample> samples = usage_samples_in(call.object("samples"));
    std::uint32_t counted = 0;
    if (call.works(gputide_rightsize_add, handle_of(call), samples.data(),
                   static_cast<std::uint32_t>(sizeof(gputide_usage_sample)), static_cast<std::uint32_t>(samples.size()),
                   &counted))
        call.result["counted"] = counted;
}

void recommend(call& call) {
    call.gives_text("json", gputide_rightsize_recommend, handle_of(call), call.uint32("container"),
                    call.integer("now_ms"));
}

void fit(call& call) {
    call.gives_text("json", gputide_rightsize_fit, handle_of(call), call.integer("memory_bytes"),
                    real_in(call.object("util_percent")));
}

void save(call& call) {
    call.gives_text("text", gputide_rightsize_save, handle_of(call), call.uint32("container"), call.integer("now_ms"));
}

void load(call& call) {
    const std::string text = call.text("text");
    call.works(gputide_rightsize_load, handle_of(call), call.uint32("container"), text.data(),
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
            {"rightsize.save", {"rightsize"}, &save},
            {"rightsize.load", {"rightsize"}, &load}};
}

}  // namespace conformance

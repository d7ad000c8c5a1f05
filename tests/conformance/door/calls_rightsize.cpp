// Section 14 of gputide.h: samples of GPUs, and what a workload needs.
#include "door/call.hpp"

namespace conformance {
namespace {

gputide_rightsize* handle_of(const call& one) { return one.handle<gputide_rightsize>("rightsize"); }

void open_rightsize(call& one) {
    const std::string text = one.text("settings");
    one.opens(gputide_rightsize_free, gputide_rightsize_open, text.data(), static_cast<std::int64_t>(text.size()),
              one.options());
}

void describe_rightsize(call& one) { one.gives_text("json", gputide_rightsize_describe, handle_of(one)); }

void number_of(call& one) {
    const std::string name = one.text("name");
    std::uint32_t number = 0;
    if (one.works(gputide_rightsize_container, handle_of(one), name.c_str(), &number)) one.result["number"] = number;
}

void add_samples(call& one) {
    const std::vector<gputide_usage_sample> samples = usage_samples_in(one.object("samples"));
    std::uint32_t counted = 0;
    if (one.works(gputide_rightsize_add, handle_of(one), samples.data(),
                  static_cast<std::uint32_t>(sizeof(gputide_usage_sample)), static_cast<std::uint32_t>(samples.size()),
                  &counted))
        one.result["counted"] = counted;
}

void recommend(call& one) {
    one.gives_text("json", gputide_rightsize_recommend, handle_of(one), one.uint32("container"), one.integer("now_ms"));
}

void fit(call& one) {
    one.gives_text("json", gputide_rightsize_fit, handle_of(one), one.integer("memory_bytes"),
                   real_in(one.object("util_percent")));
}

void save_usage(call& one) {
    one.gives_text("text", gputide_rightsize_save, handle_of(one), one.uint32("container"), one.integer("now_ms"));
}

void load_usage(call& one) {
    const std::string text = one.text("text");
    one.works(gputide_rightsize_load, handle_of(one), one.uint32("container"), text.data(),
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

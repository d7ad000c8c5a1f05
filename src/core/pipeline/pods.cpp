#include "pipeline/pods.hpp"

#include <cstddef>
#include <map>
#include <string_view>

namespace gputide::pipeline {
namespace {

using places = std::map<std::string_view, std::int32_t>;

decide::pod to_decide(const pod_state& pod_state) {
    decide::pod out;
    out.name = pod_state.name;
    out.phase = pod_state.phase;
    out.deleting = pod_state.deleting;
    out.readiness = pod_state.readiness;
    out.start_time_ms = pod_state.start_time_ms.value_or(decide::absent);
    out.ready_change_time_ms = pod_state.ready_change_time_ms.value_or(decide::absent);
    return out;
}

decide::pod_sample to_decide(const pod_value& pod_value, std::int32_t metric, const places& listed) {
    decide::pod_sample out;
    out.metric = metric;
    if (const auto at = listed.find(pod_value.pod); at != listed.end()) out.pod = at->second;
    out.value_milli = pod_value.value_milli.value_or(decide::absent);
    out.request_milli = pod_value.request_milli.value_or(decide::absent);
    out.time_ms = pod_value.time_ms.value_or(decide::absent);
    out.window_s = pod_value.window_s;
    out.container = pod_value.container;
    return out;
}

}  // namespace

read_pods pods_of(std::span<const pod_reading* const> reads) {
    read_pods out;
    places listed;
    for (std::size_t i = 0; i < reads.size(); ++i) {
        if (reads[i] == nullptr) continue;
        out.is_listed = true;
        if (out.pods.empty()) {
            for (const pod_state& one : reads[i]->pods) {
                listed.emplace(one.name, static_cast<std::int32_t>(out.pods.size()));
                out.pods.push_back(to_decide(one));
            }
        }
        for (const pod_value& one : reads[i]->values) {
            out.samples.push_back(to_decide(one, static_cast<std::int32_t>(i), listed));
        }
    }
    return out;
}

}  // namespace gputide::pipeline

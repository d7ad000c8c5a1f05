// Values pod by pod, their requests beside them.
#include "source/kubernetes/pod_values.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

namespace gputide::source::kubernetes {
namespace {

constexpr std::int64_t ms_per_s = 1'000;
constexpr std::int64_t most_window_s = std::numeric_limits<std::int32_t>::max();

// A window that nobody told, or one beyond all reason, leaves the usual one.
void set_window(pod_value& value, const std::optional<std::int64_t>& window, std::int64_t units_per_s) {
    if (!window || *window / units_per_s > most_window_s) return;
    value.window_s = static_cast<std::int32_t>(*window / units_per_s);
}

pod_value value_of(const metric_item& item) {
    pod_value out;
    out.pod = item.name;
    if (item.milli != nan_in_disguise_milli) out.value_milli = item.milli;
    out.time_ms = item.time_ms;
    set_window(out, item.window_s, 1);
    return out;
}

pod_value value_of(const pod_use& use, const std::optional<std::int64_t>& milli) {
    pod_value out;
    out.pod = use.name;
    out.value_milli = milli;
    out.time_ms = use.time_ms;
    set_window(out, use.window_ms, ms_per_s);
    return out;
}

}  // namespace

result<std::vector<pod_value>> values_of(const result<std::vector<pod_use>>& uses, const pods_question& question) {
    if (!uses) return uses.failure();
    std::vector<pod_value> out;
    for (const pod_use& use : *uses) out.push_back(value_of(use, use_of(use, question.metric, question.container)));
    return out;
}

result<std::vector<pod_value>> values_of(const result<std::vector<metric_item>>& items) {
    if (!items) return items.failure();
    std::vector<pod_value> out;
    for (const metric_item& one : *items) out.push_back(value_of(one));
    return out;
}

void add_requests(const std::vector<listed_pod>& pods, const pods_question& question, std::vector<pod_value>& values) {
    std::map<std::string_view, std::size_t> at;
    for (std::size_t i = 0; i < values.size(); ++i) at.emplace(values[i].pod, i);
    std::vector<pod_value> bare;
    for (const listed_pod& one : pods) {
        const auto wanted = one.request_of(question.metric, question.container);
        const auto found = at.find(one.state.name);
        pod_value& of = found != at.end() ? values[found->second] : bare.emplace_back();
        of.pod = one.state.name;
        of.request_milli = wanted;
        if (!wanted) of.container = one.lacking_container(question.metric, question.container);
    }
    for (pod_value& one : bare) values.push_back(std::move(one));
}

fetched outcome_of(std::vector<listed_pod> pods, std::vector<pod_value> values) {
    auto all = std::make_shared<pod_reading>();
    fetched out;
    out.why.status = status::ok;
    out.sample.state = sample_state::ok;
    out.reading.result_type = "pods";
    for (listed_pod& one : pods) all->pods.push_back(std::move(one.state));
    for (const pod_value& one : values) {
        if (!one.value_milli) continue;
        const double value = static_cast<double>(*one.value_milli) / thousandths;
        out.sample.value += value;
        out.reading.series.push_back({{{"pod", one.pod}}, {{one.time_ms.value_or(0), value}}, {}});
    }
    all->values = std::move(values);
    out.pods = std::move(all);
    return out;
}

}  // namespace gputide::source::kubernetes

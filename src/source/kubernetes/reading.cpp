// Questions and answers of kubernetes triggers.
#include "source/kubernetes/reading.hpp"

#include "base/format_text.hpp"
#include "base/text.hpp"
#include "formats/reduce.hpp"
#include "source/judge.hpp"
#include "source/kubernetes/metrics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace gputide::source::kubernetes {
namespace {

series series_of(labels named, std::int64_t milli, std::optional<std::int64_t> time_ms, reading& into) {
    point one{time_ms.value_or(0), static_cast<double>(milli) / thousandths};
    if (milli == nan_in_disguise_milli) {
        one.value = std::numeric_limits<double>::quiet_NaN();
        into.warnings.emplace_back(
            "a value of -9223372036854775808m is taken for NaN, which the adapter has converted without a look");
    }
    return {std::move(named), {one}, {}};
}

result<reading> items_as_reading(result<std::vector<metric_item>> got) {
    if (!got) return std::move(got).failure();
    reading out;
    out.result_type = "metrics";
    for (metric_item& one : *got) {
        if (!one.name.empty()) one.labels.emplace_back(one.kind.empty() ? "name" : lower(one.kind), one.name);
        out.series.push_back(series_of(std::move(one.labels), one.milli, one.time_ms, out));
    }
    return out;
}

// A pod without this resource is left out, as the HPA leaves it out; without the named container it is an error.
result<reading> pods_as_reading(const result<std::vector<pod_use>>& got, const settings& by) {
    if (!got) return got.failure();
    reading out;
    out.result_type = "metrics";
    for (const pod_use& one : *got) {
        const auto milli = use_of(one, by.metric, by.container);
        if (!milli) return milli.failure();
        if (*milli) out.series.push_back(series_of({{"pod", one.name}}, **milli, one.time_ms, out));
    }
    return out;
}

std::string api_name(api of) {
    switch (of) {
        case api::external:
            return "external";
        case api::resource:
            return "resource";
        default:
            return "custom";
    }
}

std::string asked_for(const settings& by) {
    std::string out = format_text("{} in namespace {}", by.metric, by.name_space);
    if (by.object.name != "*") out = format_text("{} of {}/{}", by.metric, by.object.resource, by.object.name);
    return by.selector.empty() ? out : format_text("{} with selector {}", out, by.selector);
}

}  // namespace

endpoint endpoint_of(const settings& from, const std::string& custom_version) {
    switch (from.api) {
        case api::external:
            return external_metric(from.name_space, from.metric, from.selector);
        case api::resource:
            return pod_metrics(from.name_space, from.selector);
        default:
            return custom_metric(
                {custom_version, from.name_space, from.object, from.metric, from.selector, from.metric_selector});
    }
}

result<reading> read_answer(const http::answer& got, const settings& by, const endpoint& asked) {
    switch (by.api) {
        case api::external:
            return items_as_reading(read_external(got, asked));
        case api::resource:
            return pods_as_reading(read_pod_metrics(got, asked), by);
        default:
            return items_as_reading(read_custom(got, asked));
    }
}

fetched judge(const reading& got, const settings& by) {
    judge_texts say;
    say.empty = format_text(
        "no metrics returned from {} metrics API: nothing has {}; check metric, namespace and selector, and whether "
        "the workload exports it at present",
        api_name(by.api), asked_for(by));
    say.no_float = say.empty;
    say.several = format_text("the {} metrics API gave several values of {}", api_name(by.api), asked_for(by));
    say.not_finite = format_text("the {} metrics API gave {} as", api_name(by.api), asked_for(by));
    numbers from = formats::numbers_of(got);
    const auto no_number = std::find_if(from.newest.begin(), from.newest.end(),
                                        [](const point& one) { return !std::isfinite(one.value); });
    if (by.is_usual_reducer && no_number != from.newest.end()) {
        from.newest = {point(*no_number)};
        from.series = 1;
    }
    fetched out = judge_numbers(from, by.reduction, say);
    if (out.why.status == status::no_data) out.why.retryable = true;
    return out;
}

}  // namespace gputide::source::kubernetes

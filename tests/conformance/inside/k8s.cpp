// k8s-quantity: a quantity's text → accepted or not, milli and value rounded away from zero, saturation at int64.

#include "base/quantity.hpp"
#include "base/saturate.hpp"
#include "base/text.hpp"
#include "frame/check.hpp"
#include "kube/answer.hpp"
#include "source/kubernetes/kubernetes.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>

namespace conformance::k8s_quantity {
namespace {

// Returns what the file calls milli_overflow: the sign of the bound that the value is held at.
std::string overflow_sign(const gputide::quantity& got) {
    if (!got.milli_overflow) return "none";
    if (got.milli == std::numeric_limits<std::int64_t>::max()) return "+";
    if (got.milli == std::numeric_limits<std::int64_t>::min()) return "-";
    return "overflow with the value " + std::to_string(got.milli);
}

differences check(const json& test_case, const json&) {
    const gputide::result<gputide::quantity> got = gputide::parse_quantity(input_text(test_case, "in"));
    return check_outcomes(test_case, [&](const json& expect) {
        differences out;
        expect_equal(out, "ok", expect.at("ok"), got.ok());
        if (!out.empty() || !got) return out;
        if (expect.contains("milli")) expect_equal(out, "milli", expect.at("milli"), std::to_string(got->milli));
        if (expect.contains("value_up")) {
            expect_equal(out, "value_up", expect.at("value_up"), std::to_string(got->value_up));
        }
        expect_equal(out, "milli_overflow", expect.value("milli_overflow", "none"), overflow_sign(*got));
        return out;
    });
}

const registration whole_format{"k8s-quantity", {}, &check};

}  // namespace
}  // namespace conformance::k8s_quantity

// k8s-metrics-api: answers of the custom, external, apps and coordination APIs → items, objects, or an error with its class.

namespace conformance::k8s_metrics_api {
namespace {

namespace http = gputide::http;
namespace k8s = gputide::source::kubernetes;
namespace kube = gputide::kube;

http::answer answer_of(const json& object) {
    http::answer out;
    out.response.status = object.at("http_status").get<std::int32_t>();
    const json headers = object.value("headers", json::object());  // items() borrows it
    for (const auto& [name, value] : headers.items()) {
        out.response.headers.push_back({name, value.get<std::string>()});
    }
    out.response.body = input_text(object, "body");
    return out;
}

// The request of the case: "POST /apis/coordination.k8s.io/v1/namespaces/ml/leases" → group, version, the rest.
kube::endpoint asked_of(const json& object) {
    std::string path = object.at("request").get<std::string>();
    path.erase(0, path.find('/'));
    const auto parts = gputide::split(std::string_view(path).substr(1), '/');
    const bool has_group = parts.at(0) == "apis";
    kube::endpoint out;
    if (has_group) out.group = parts.at(1);
    out.version = parts.at(has_group ? 2 : 1);
    return out;
}

json error_json(const gputide::error& from) {
    json out = {{"ok", false},
                {"error_class", std::string(gputide::class_word(from.error_class))},
                {"retryable", from.retryable}};
    if (from.http_status != 0) out["code"] = from.http_status;
    if (!from.service_code.empty()) out["reason"] = from.service_code;
    out["reload_token"] = from.status == gputide::status::auth;
    out["refetch"] = from.http_status == 409;
    if (from.retry_after_ms != 0) out["retry_after_s"] = from.retry_after_ms / 1'000;
    for (const auto& [name, value] : from.fields) {
        if (name == "error") out["message"] = value;
    }
    return out;
}

json item_json(const k8s::metric_item& from, bool external) {
    json out = {{"milli", std::to_string(*from.milli)}};
    if (from.time_ms) out["ts_ms"] = *from.time_ms;
    if (from.window_s) out["window_s"] = *from.window_s;
    if (!external) {
        out["object"] = from.name;
        return out;
    }
    out["labels"] = json::object();
    for (const auto& [name, value] : from.labels) out["labels"][name] = value;
    return out;
}

// Returns what the HPA makes of an external metric's items; saturated at the bounds of int64.
std::int64_t sum_milli(const std::vector<k8s::metric_item>& items) {
    std::int64_t out = 0;
    for (const k8s::metric_item& item : items) out = gputide::add_saturating(out, *item.milli);
    return out;
}

json metrics_json(const http::answer& got, const kube::endpoint& asked) {
    const bool external = asked.group == kube::external_group;
    const auto read = external ? k8s::read_external(got, asked) : k8s::read_custom(got, asked);
    if (!read) return error_json(read.failure());
    json out = {{"ok", true}, {"items", json::array()}};
    for (const k8s::metric_item& item : *read) out["items"].push_back(item_json(item, external));
    if (external) out["sum_milli"] = std::to_string(sum_milli(*read));
    const bool suspect = std::any_of(read->begin(), read->end(), [](const k8s::metric_item& item) {
        return item.milli == k8s::nan_in_disguise_milli;
    });
    if (suspect) out["suspect"] = true;
    return out;
}

json scale_json(const http::answer& got, const kube::endpoint& asked) {
    const auto read = kube::read_scale(got, asked);
    if (!read) return error_json(read.failure());
    return {{"ok", true},
            {"spec_replicas", read->spec_replicas},
            {"status_replicas", read->status_replicas},
            {"selector", read->selector},
            {"resource_version", read->resource_version}};
}

json lease_json(const http::answer& got, const kube::endpoint& asked) {
    const auto read = kube::read_lease(got, asked);
    if (!read) return error_json(read.failure());
    return {{"ok", true},
            {"holder", read->holder},
            {"lease_duration_s", read->duration_s},
            {"acquire_time_us", read->acquire_time_us},
            {"renew_time_us", read->renew_time_us},
            {"transitions", read->transitions},
            {"resource_version", read->resource_version}};
}

json outcome_of(const json& object) {
    const std::string api = object.at("api").get<std::string>();
    const http::answer got = answer_of(object);
    const kube::endpoint asked = asked_of(object);
    if (api.rfind("custom/", 0) == 0 || api.rfind("external/", 0) == 0) return metrics_json(got, asked);
    if (api == "apps/v1") return scale_json(got, asked);
    if (api == "coordination/v1") return lease_json(got, asked);
    throw std::invalid_argument("no reader for the API " + api);
}

// `suspect` is a sentence in the case: there must be such a mark, whatever its words.
differences compare(const json& expect, const json& got) {
    differences out;
    for (const auto& [name, value] : expect.items()) {
        const json came = got.contains(name) ? got.at(name) : json();
        expect_equal(out, name, name == "suspect" ? json(true) : value, came);
    }
    if (got.contains("suspect") && !expect.contains("suspect")) out.push_back("suspect: expected no mark, got one");
    return out;
}

differences check(const json& test_case, const json&) {
    const json got = outcome_of(test_case);
    return check_outcomes(test_case, [&got](const json& expect) { return compare(expect, got); });
}

const registration whole_format{"k8s-metrics-api", {}, &check};

}  // namespace
}  // namespace conformance::k8s_metrics_api

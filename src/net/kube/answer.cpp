// Error responses and documents of the Kubernetes API.
#include "kube/answer.hpp"

#include "base/format_text.hpp"
#include "base/limits.hpp"
#include "base/quantity.hpp"
#include "base/redact.hpp"
#include "base/text.hpp"
#include "base/time.hpp"
#include "formats/json/members.hpp"
#include "formats/json/scratch.hpp"
#include "wire/errors.hpp"

#include <algorithm>
#include <array>

namespace gputide::kube {
namespace {

namespace dom = simdjson::dom;
using formats::integer_of;
using formats::object_of;
using formats::text_of;
using simdjson::SUCCESS;

constexpr std::size_t max_reason_bytes = 1'000;  // of the server's own text
constexpr std::int64_t longest_wait_s = 86'400;  // a day; a longer wait is limited to this
constexpr std::int32_t min_code = 100, max_code = 599;

// The usual server of an API group; other groups' APIServices are part of Kubernetes itself.
struct provider {
    std::string_view group;
    std::string_view name;
};
constexpr std::array<provider, 3> providers = {{
    {custom_group, "Prometheus Adapter"},
    {external_group, "KEDA or Prometheus Adapter"},
    {resource_group, "metrics-server"},
}};

std::string_view provider_of(const endpoint& endpoint) {
    for (const provider& provider : providers) {
        if (provider.group == endpoint.group) return provider.name;
    }
    return {};
}

// Returns the APIService, "v1beta1.custom.metrics.k8s.io".
std::string api_service(const endpoint& endpoint) {
    return format_text("{}.{}", endpoint.version.empty() ? "v1beta1" : endpoint.version, endpoint.group);
}

std::string rule_for(const endpoint& endpoint) {
    return format_text("{apiGroups: [\"{}\"], resources: [\"{}\"], verbs: [\"{}\"]}", endpoint.group, endpoint.resource,
                       endpoint.verb);
}

std::string not_found_advice(const endpoint& asked, bool is_status) {
    const std::string_view by = provider_of(asked);
    if (by.empty()) {
        return is_status ? "; check namespace and name"
                         : "; this server does not serve the API group or kind; check "
                           "apiVersion and kind";
    }
    if (!is_status) {
        return format_text(
            "; no server provides this API group: the APIService {} is missing, install {} (kubectl get apiservices)",
            api_service(asked), by);
    }
    const endpoint all{asked.group, asked.version, {}, {}, {}, {}, {}};
    return format_text(
        "; {} does not know this metric of the object, or has no sample of it now: kubectl get --raw {} lists what it "
        "serves",
        by, all.url());
}

// Only RBAC forbids reading; writing is also forbidden by quotas and admission, with the same code and reason.
std::string forbidden_advice(const endpoint& asked) {
    const bool is_reading = asked.verb == "get" || asked.verb == "list" || asked.verb == "watch";
    return format_text("; {}grant it by RBAC: a Role with the rule {}, bound to this user",
                       is_reading ? "" : "if a quota or an admission rule is named, change it; otherwise ",
                       rule_for(asked));
}

std::string advice(std::int32_t code, const endpoint& endpoint, bool is_status) {
    switch (code) {
        case 401:
            return "; the server does not know this user: check that the token or certificate is meant for this "
                   "cluster and has not expired";
        case 403:
            return forbidden_advice(endpoint);
        case 404:
            return not_found_advice(endpoint, is_status);
        case 503:
            if (provider_of(endpoint).empty()) return {};
            return format_text(
                "; the APIService {} is registered, but the server behind it does not respond: kubectl describe "
                "apiservice {}",
                api_service(endpoint), api_service(endpoint));
        default:
            return {};
    }
}

void note_wait(error& error, dom::object status, const http::response& response) {
    http::note_retry_after(error, response);
    if (error.retry_after_ms != 0) return;
    const auto details = object_of(status, "details");
    const std::int64_t seconds = details ? integer_of(*details, "retryAfterSeconds").value_or(0) : 0;
    if (seconds > 0) error.retry_after_ms = std::min(seconds, longest_wait_s) * 1'000;
}

error status_error(dom::object status, const http::response& response, const endpoint& endpoint) {
    const auto written = integer_of(status, "code");
    const bool plausible = written && *written >= min_code && *written <= max_code;
    const std::int32_t code = plausible ? static_cast<std::int32_t>(*written) : response.status;
    const std::string reason = redact(cut_utf8(text_of(status, "reason").value_or(""), max_reason_bytes));
    const std::string message = redact(cut_utf8(text_of(status, "message").value_or(""), max_reason_bytes));
    error out = http::fail_http(error_class::server_status, code, format_text("answered {}", code));
    if (!reason.empty()) out.message += " " + reason;
    if (!message.empty()) out.message += ": " + message;
    out.message += advice(code, endpoint, true);
    out.service_code = reason;
    out.fields.emplace_back("error", message);
    note_wait(out, status, response);
    return out;
}

bool is_failure(dom::object root) {
    return text_of(root, "kind") == "Status" && text_of(root, "status").value_or("Failure") != "Success";
}

// Returns the error of a Status object that was sent instead of the expected response.
std::optional<error> failure_in(const http::response& response, const endpoint& endpoint) {
    formats::scratch_use own(response.body);
    dom::object root;
    if (own->parse(response.body, root) != SUCCESS || !is_failure(root)) return std::nullopt;
    return status_error(root, response, endpoint);
}

error http_error(const http::response& response, const endpoint& endpoint) {
    error out = http::fail_http(error_class::http, response.status, format_text("answered HTTP {}", response.status));
    if (http::is_redirect(response.status)) {
        out.status = status::security;
        out.message += ", a redirect, which is not followed: give the server's final address";
    }
    http::note_body(out, response);
    out.message += advice(response.status, endpoint, false);
    http::note_retry_after(out, response);
    return out;
}

error too_large() {
    return fail(error_class::limit, "the body has more than {} bytes; narrow the selector", limits::response_bytes);
}

error not_json(const http::response& response) {
    const formats::text_outline seen = formats::outline_of(response.body);
    error out = fail(error_class::not_json, {});
    if (seen.blank) {
        out.message = format_text("answered HTTP {} with an empty body; JSON was expected", response.status);
    } else if (seen.looks_cut) {
        out.message = format_text("the response ends in the middle of its JSON ({} bytes)", response.body.size());
    } else {
        http::note_body(out, response);
        out.message = "the response is not JSON; check that the address is a Kubernetes API server's";
    }
    out.retryable = seen.looks_cut && response.status != 204;
    out.http_status = response.status;
    return out;
}

// Returns the API group of a kind; subresources and discovery have their own groups.
std::string_view group_of_kind(std::string_view kind, const endpoint& endpoint) {
    if (kind == "Scale") return "autoscaling";
    return kind == "APIGroup" || kind == "APIResourceList" ? std::string_view() : std::string_view(endpoint.group);
}

// Checks kind and apiVersion of the requested object.  Another version of the same group is accepted.
std::optional<error> foreign(dom::object root, const endpoint& endpoint, std::string_view kind) {
    const auto got_kind = text_of(root, "kind").value_or("");
    if (got_kind != kind) {
        return wrong_shape(format_text("expected kind {}, got {}", kind, gputide::in_quotes(got_kind)));
    }
    const auto got_version = text_of(root, "apiVersion").value_or("");
    const std::string_view group = group_of_kind(kind, endpoint);
    if (got_version.empty() || group_of(got_version) == group) return std::nullopt;
    return wrong_shape(format_text("expected apiVersion of group {}, got {}", gputide::in_quotes(group),
                                   gputide::in_quotes(got_version)));
}

}  // namespace

std::optional<error> refusal(const http::answer& answer, const endpoint& endpoint) {
    if (!answer.arrived()) return http::fault_error(answer);
    const http::response& response = answer.response;
    if (response.body.size() > limits::response_bytes) return too_large();
    if (response.is_success()) return std::nullopt;
    if (auto out = failure_in(response, endpoint)) return out;
    return http_error(response, endpoint);
}

result<void> read_object(const http::answer& answer, const endpoint& endpoint, std::string_view kind,
                         function_ref<result<void>(dom::object)> how) {
    if (auto no = refusal(answer, endpoint)) return *std::move(no);
    formats::scratch_use own(answer.response.body);
    dom::element root;
    if (own->parse(answer.response.body, root) != SUCCESS) return not_json(answer.response);
    dom::object content;
    if (root.get(content) != SUCCESS) return wrong_shape("expected an object");
    if (is_failure(content)) return status_error(content, answer.response, endpoint);
    if (auto no = foreign(content, endpoint, kind)) return *std::move(no);
    return how(content);
}

error wrong_shape(std::string_view what) {
    return fail(error_class::shape, "the response is JSON, but does not match the Kubernetes API: {}", what);
}

namespace {

namespace dom = simdjson::dom;
using simdjson::SUCCESS;

// Returns nullopt if the member is missing or null.
std::optional<dom::element> written(dom::object object, std::string_view name) {
    dom::element out;
    if (object.at_key(name).get(out) != SUCCESS || out.is_null()) return std::nullopt;
    return out;
}

std::string joined(const std::string& place, std::string_view name) {
    return (place.empty() ? "" : place + ".") + std::string(name);
}

// Returns a quantity's text.  The digits of a bare number are kept unchanged, as in apimachinery.
std::string quantity_text(dom::element element) {
    std::string_view text;
    if (element.get(text) == SUCCESS) return std::string(trim(text));
    return element.is_number() ? simdjson::minify(element) : std::string();
}

}  // namespace

result<std::int64_t> quantity_field(dom::object object, std::string_view name, const std::string& place) {
    const auto value = written(object, name);
    if (!value) return wrong_shape(joined(place, name) + ": expected a quantity, got nothing");
    auto read = parse_quantity(quantity_text(*value));
    if (!read) return wrong_shape(format_text("{}: {}", joined(place, name), read.failure().message));
    if (!read->milli_overflow) return read->milli;
    return fail(error_class::range, "{}: the quantity {} does not fit into 64 bits as thousandths", joined(place, name),
                gputide::in_quotes(quantity_text(*value)));
}

result<std::optional<std::int64_t>> time_field(dom::object object, std::string_view name, const std::string& place) {
    const auto value = written(object, name);
    if (!value) return std::optional<std::int64_t>();
    std::string_view text;
    if (value->get(text) != SUCCESS) return wrong_shape(joined(place, name) + ": expected an RFC 3339 time");
    if (text.empty()) return std::optional<std::int64_t>();
    const auto time_ms = parse_rfc3339(text);
    if (!time_ms)
        return wrong_shape(
            format_text("{}: expected an RFC 3339 time, got {}", joined(place, name), gputide::in_quotes(text)));
    return time_ms;
}

result<void> each_object(dom::object object, std::string_view name, const std::string& place,
                         function_ref<result<void>(dom::object, const std::string&)> how) {
    const auto value = written(object, name);
    if (!value) return {};
    dom::array list;
    if (value->get(list) != SUCCESS) return wrong_shape(joined(place, name) + ": expected a list");
    std::size_t index = 0;
    for (const dom::element element : list) {
        const std::string here = format_text("{}[{}]", joined(place, name), index);
        if (++index > limits::series) {
            return fail(error_class::limit, "{} has more than {} elements; narrow the selector", joined(place, name),
                        limits::series);
        }
        dom::object content;
        if (element.get(content) != SUCCESS) return wrong_shape(here + ": expected an object");
        if (auto read = how(content, here); !read) return read;
    }
    return {};
}

}  // namespace gputide::kube

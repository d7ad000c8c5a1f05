// Refusals and documents of the Kubernetes API.
#include "source/api_server/answer.hpp"

#include "base/format_text.hpp"
#include "base/limits.hpp"
#include "base/redact.hpp"
#include "base/text.hpp"
#include "formats/json/scratch.hpp"
#include "http/answer_error.hpp"
#include "http/failure.hpp"
#include "source/json.hpp"

#include <array>

namespace gputide::source::kubernetes {
namespace {

namespace dom = simdjson::dom;
using simdjson::SUCCESS;

constexpr std::size_t most_reason_bytes = 1'000;  // of the server's own words
constexpr std::int64_t longest_wait_s = 86'400;   // a day; more is a mistake
constexpr std::int32_t least_code = 100, most_code = 599;

// Who usually serves a group; APIServices of other groups come with Kubernetes itself.
struct provider {
    std::string_view group;
    std::string_view name;
};
constexpr std::array<provider, 3> providers = {{
    {custom_group, "Prometheus Adapter"},
    {external_group, "KEDA or Prometheus Adapter"},
    {resource_group, "metrics-server"},
}};

std::string_view provider_of(const endpoint& asked) {
    for (const provider& one : providers) {
        if (one.group == asked.group) return one.name;
    }
    return {};
}

// "v1beta1.custom.metrics.k8s.io"; a question for the versions themselves has none.
std::string api_service(const endpoint& asked) {
    return format_text("{}.{}", asked.version.empty() ? "v1beta1" : asked.version, asked.group);
}

std::string rule_for(const endpoint& asked) {
    return format_text("{apiGroups: [\"{}\"], resources: [\"{}\"], verbs: [\"{}\"]}", asked.group, asked.resource,
                       asked.verb);
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
            "; nothing serves this API group here: the APIService {} is missing, install {} (kubectl get apiservices)",
            api_service(asked), by);
    }
    const endpoint all{asked.group, asked.version, {}, {}, {}, {}, {}};
    return format_text(
        "; {} knows no such metric of this object, or has no sample of it at present: kubectl get --raw {} lists what "
        "it serves",
        by, all.url());
}

std::string advice(std::int32_t code, const endpoint& asked, bool is_status) {
    switch (code) {
        case 401:
            return "; the server knows no such user: check that the token or certificate is meant for this cluster and "
                   "has not expired";
        case 403:
            return format_text("; grant it by RBAC: a Role with the rule {}, bound to this user", rule_for(asked));
        case 404:
            return not_found_advice(asked, is_status);
        case 503:
            if (provider_of(asked).empty()) return {};
            return format_text(
                "; the APIService {} is registered and the server behind it does not answer: kubectl describe "
                "apiservice {}",
                api_service(asked), api_service(asked));
        default:
            return {};
    }
}

void note_wait(error& into, dom::object status, const http::response& from) {
    http::note_retry_after(into, from);
    if (into.retry_after_ms != 0) return;
    const auto details = object_of(status, "details");
    const std::int64_t seconds = details ? integer_of(*details, "retryAfterSeconds").value_or(0) : 0;
    if (seconds > 0 && seconds <= longest_wait_s) into.retry_after_ms = seconds * 1'000;
}

error status_error(dom::object status, const http::response& from, const endpoint& asked) {
    const auto written = integer_of(status, "code");
    const bool plausible = written && *written >= least_code && *written <= most_code;
    const std::int32_t code = plausible ? static_cast<std::int32_t>(*written) : from.status;
    const std::string reason = redact(cut_utf8(text_of(status, "reason").value_or(""), most_reason_bytes));
    const std::string message = redact(cut_utf8(text_of(status, "message").value_or(""), most_reason_bytes));
    error out = http::fail_http(error_class::server_status, code, format_text("answered {}", code));
    if (!reason.empty()) out.message += " " + reason;
    if (!message.empty()) out.message += ": " + message;
    out.message += advice(code, asked, true);
    out.service_code = reason;
    out.fields.emplace_back("error", message);
    note_wait(out, status, from);
    return out;
}

bool is_failure(dom::object root) {
    return text_of(root, "kind") == "Status" && text_of(root, "status").value_or("Failure") != "Success";
}

// A Status object that stands in the place of an answer.
std::optional<error> failure_in(const http::response& from, const endpoint& asked) {
    formats::scratch_use own(from.body);
    dom::object root;
    if (own->parse(from.body, root) != SUCCESS || !is_failure(root)) return std::nullopt;
    return status_error(root, from, asked);
}

error http_error(const http::response& from, const endpoint& asked) {
    error out = http::fail_http(error_class::http, from.status, format_text("answered HTTP {}", from.status));
    if (http::is_redirect(from.status)) {
        out.status = status::security;
        out.message += ", a redirect, which is not followed: give the server's final address";
    }
    const std::string words = http::excerpt(from.body);
    if (!words.empty()) out.message += ": " + words;
    out.message += advice(from.status, asked, false);
    http::note_retry_after(out, from);
    return out;
}

error too_large() {
    return fail(error_class::limit,
                format_text("the body has more than {} bytes; narrow the selector", limits::response_bytes));
}

error not_json(const http::response& from) {
    const formats::text_outline seen = formats::outline_of(from.body);
    error out = fail(error_class::not_json, {});
    if (seen.blank) {
        out.message = format_text("answered HTTP {} with an empty body; JSON was expected", from.status);
    } else if (seen.looks_cut) {
        out.message = format_text("the answer ends in the middle of its JSON ({} bytes)", from.body.size());
    } else {
        const std::string words = http::excerpt(from.body);
        out.message = format_text("the answer is not JSON{}; check that the address is a Kubernetes API server's",
                                  words.empty() ? std::string() : ", it begins " + gputide::in_quotes(words));
    }
    out.retryable = seen.looks_cut && from.status != 204;
    out.http_status = from.status;
    return out;
}

// Subresources and discovery have an API group of their own, wherever they lie.
std::string_view group_of_kind(std::string_view kind, const endpoint& asked) {
    if (kind == "Scale") return "autoscaling";
    return kind == "APIGroup" || kind == "APIResourceList" ? std::string_view() : std::string_view(asked.group);
}

// {"kind":..., "apiVersion":...} of what was asked for.  The version may be another one of the same group.
std::optional<error> foreign(dom::object root, const endpoint& asked, std::string_view kind) {
    const auto got_kind = text_of(root, "kind").value_or("");
    if (got_kind != kind) {
        return wrong_shape(format_text("expected kind {}, got {}", kind, gputide::in_quotes(got_kind)));
    }
    const auto got_version = text_of(root, "apiVersion").value_or("");
    const std::string_view group = group_of_kind(kind, asked);
    if (got_version.empty() || group_of(got_version) == group) return std::nullopt;
    return wrong_shape(format_text("expected apiVersion of group {}, got {}", gputide::in_quotes(group),
                                   gputide::in_quotes(got_version)));
}

}  // namespace

std::optional<error> refusal(const http::answer& got, const endpoint& asked) {
    if (!got.arrived()) return http::fault_error(got);
    const http::response& from = got.response;
    if (from.body.size() > limits::response_bytes) return too_large();
    const bool good = from.status >= 200 && from.status <= 299;
    if (good) return std::nullopt;
    if (auto out = failure_in(from, asked)) return out;
    return http_error(from, asked);
}

result<void> read_object(const http::answer& got, const endpoint& asked, std::string_view kind,
                         const std::function<result<void>(dom::object)>& how) {
    if (auto no = refusal(got, asked)) return *std::move(no);
    formats::scratch_use own(got.response.body);
    dom::element root;
    if (own->parse(got.response.body, root) != SUCCESS) return not_json(got.response);
    dom::object content;
    if (root.get(content) != SUCCESS) return wrong_shape("expected an object");
    if (is_failure(content)) return status_error(content, got.response, asked);
    if (auto no = foreign(content, asked, kind)) return *std::move(no);
    return how(content);
}

error wrong_shape(std::string_view what) {
    return fail(error_class::shape,
                "the answer is JSON but not what the Kubernetes API documents: " + std::string(what));
}

}  // namespace gputide::source::kubernetes

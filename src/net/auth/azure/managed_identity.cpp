// Tokens of a managed identity.  Errors of identity services on the machine are classified only by status, because their error
// codes are not Entra's.

#include "auth/azure/credentials.hpp"
#include "auth/azure/services.hpp"
#include "auth/json_text.hpp"
#include "auth/token/exchange.hpp"
#include "base/format_text.hpp"
#include "base/redact.hpp"
#include "base/text.hpp"
#include "http/exchange.hpp"
#include "wire/errors.hpp"

#include <utility>

namespace gputide::auth {
namespace {

constexpr std::int64_t probe_ms = 1'000;     // in a chain, where the address may be unreachable
constexpr std::int64_t attempt_ms = 60'000;  // outside a chain
// 2, 6, 14, 25, 25, 25 s: longer than the 70 s for which a service may return 410
constexpr std::int32_t metadata_retries = 6;

bool metadata_status_again(std::int32_t status) {
    return status == 404 || status == 410 || status == 429 || (status >= 500 && status <= 508) || status == 510 ||
           status == 511;
}

// Returns the service's own message, or "".
std::string words_of(const http::response& response) {
    const json_text parsed(response.body);
    const auto object = parsed.object();
    if (!object)
        return std::string(valid_utf8(response.body) ? cut_utf8(trim(response.body), 200) : std::string_view());
    return std::string(cut_utf8(first_text(*object, {"error_description", "message", "Message", "error"}), 400));
}

bool is_json_object(const http::response& response) { return json_text(response.body).object().has_value(); }

class managed_identity : public std::enable_shared_from_this<managed_identity> {
  public:
    managed_identity(identity_host at, identity_selector selector, bool in_chain,
                     std::shared_ptr<const surroundings> host)
        : at_(std::move(at)), which_(std::move(selector)), in_chain_(in_chain), host_(std::move(host)) {}

    void begin(const std::shared_ptr<acquisition>& under_way, const std::string& scope) const {
        const auto checked = scope_of_resource(scope);
        auto request = checked ? identity_request(at_, which_, resource_of_scope(*checked)) : checked.failure();
        if (!request) return under_way->finish_soon(request.take_failure());
        request->connect_timeout_ms = in_chain_ ? probe_ms : request->connect_timeout_ms;
        request->attempt_timeout_ms = in_chain_ ? probe_ms : attempt_ms;
        send(under_way, *std::move(request), at_.service == identity_service::arc);
    }

  private:
    http::retry_rule rule() const {
        http::retry_rule out;
        const bool metadata = at_.service == identity_service::metadata;
        if (metadata) {
            out.max_retries = metadata_retries;
            out.base_ms = 2'000;
            out.cap_ms = 25'000;
        }
        out.again = [metadata, in_chain = in_chain_](const http::answer& answer) {
            if (!answer.arrived()) return !in_chain && http::again_by_status(answer);
            return metadata ? metadata_status_again(answer.response.status) : http::again_by_status(answer);
        };
        return out;
    }

    void send(const std::shared_ptr<acquisition>& under_way, http::request request, bool may_be_challenged) const {
        http::request again = may_be_challenged ? request : http::request();
        send_step(under_way, std::move(request), rule(),
                  [self = shared_from_this(), under_way, again = std::move(again), may_be_challenged](
                      http::retried& retried, const moment& sent) {
                      if (may_be_challenged && retried.last.arrived() && retried.last.response.status == 401) {
                          return self->meet_challenge(under_way, again, retried.last.response);
                      }
                      under_way->finish(self->judge(retried, sent, under_way->loop().wall_ms()));
                  });
    }

    void meet_challenge(const std::shared_ptr<acquisition>& under_way, http::request request,
                        const http::response& challenge) const {
        auto header = answer_arc_challenge(challenge, *host_);
        if (!header) return under_way->finish(header.take_failure());
        request.headers.push_back(*std::move(header));
        send(under_way, std::move(request), false);
    }

    result<token> judge(const http::retried& retried, const moment& sent, std::int64_t wall_ms) const {
        const http::response& response = retried.last.response;
        if (!retried.last.is_success()) {
            error why = retried.last.arrived() ? refusal(response) : unreached(retried.last);
            if (why.status != status::not_here) add_peer_wait(why, retried, wall_ms);
            redact_error(why, {at_.secret});
            return why;
        }
        auto out = read_token_answer(response, sent, at_.endpoint);
        const bool foreign = !out && out.failure().status == status::protocol && !is_json_object(response);
        if (foreign && in_chain_) return not_here(out.failure().message);
        if (!out) redact_error(out.failure(), {at_.secret});
        return out;
    }

    static error not_here(const std::string& why) {
        return fail(error_class::unavailable, "no managed identity is available: {}", why);
    }

    error unreached(const http::answer& answer) const {
        error why = transport_failure(answer, at_.endpoint);
        return in_chain_ && why.status == status::unavailable ? not_here(why.message) : why;
    }

    error refusal(const http::response& response) const {
        const std::string words = redact(words_of(response));
        std::string text = format_text("{} answered with HTTP {}", at_.endpoint, response.status);
        if (!words.empty()) text += ": " + words;
        error out = fail(class_of(response, words), text + advice(response.status));
        if (out.status == status::not_here) out = not_here(text);
        out.http_status = response.status;
        return out;
    }

    error_class class_of(const http::response& response, const std::string& words) const {
        const std::int32_t status = response.status;
        if (http::is_redirect(status)) return error_class::protocol;
        if (status == 429) return error_class::throttled;
        if (at_.service == identity_service::metadata ? metadata_status_again(status)
                                                      : http::meaning_of_status(status).retryable) {
            return error_class::transient;
        }
        // The proxy of a desktop container runtime returns 403 for an unreachable address.
        const bool unreachable = status == 403 && lower(words).find("unreachable") != std::string::npos;
        const bool has_no_identity = status == 400 && which_.empty();
        return in_chain_ && (unreachable || has_no_identity) ? error_class::unavailable : error_class::permanent;
    }

    std::string advice(std::int32_t status) const {
        if (http::is_redirect(status)) return "; redirects are not followed for token requests";
        if (status != 400) return {};
        return which_.empty() ? ". Does this machine have a system-assigned managed identity?"
                              : ". Is the selected identity assigned to this machine?";
    }

    const identity_host at_;
    const identity_selector which_;
    const bool in_chain_;
    const std::shared_ptr<const surroundings> host_;
};

}  // namespace

result<std::shared_ptr<credential>> open_managed_identity(const managed_identity_settings& settings,
                                                          std::shared_ptr<const surroundings> host) {
    const int selectors =
        int{!settings.client_id.empty()} + int{!settings.object_id.empty()} + int{!settings.resource_id.empty()};
    if (selectors > 1) {
        return fail(error_class::config,
                    "managed identity: {} of clientId, objectId and resourceId are set; set at most one", selectors);
    }
    auto at = find_identity_host(*host);
    if (!at) return at.take_failure();
    std::string key = format_text("managed_identity\n{}\n{}\n{}\n{}", at->endpoint, lower(settings.client_id),
                                  lower(settings.object_id), lower(settings.resource_id));
    introduction about{.kind = "managed identity", .client_id = settings.client_id};
    const auto state =
        std::make_shared<const managed_identity>(*std::move(at), settings, settings.in_chain, std::move(host));
    return make_credential(std::move(key), std::move(about), [state](const auto& under_way, const std::string& scope) {
        state->begin(under_way, scope);
    });
}

}  // namespace gputide::auth

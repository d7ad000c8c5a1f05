// Sends requests and interprets responses for exchange.hpp.
#include "auth/aws/exchange.hpp"

#include "auth/aws/keys.hpp"
#include "auth/json_text.hpp"
#include "auth/token/exchange.hpp"
#include "base/format_text.hpp"
#include "base/limits.hpp"
#include "base/redact.hpp"
#include "base/text.hpp"
#include "wire/errors.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

namespace gputide::auth {
namespace {

constexpr std::size_t most_words_bytes = 600;

struct aws_words {
    std::string code;
    std::string message;
};

aws_words read_words(const http::response& response) {
    aws_words out;
    if (response.body.size() > limits::token_response_bytes) return out;
    const json_text parsed(response.body);
    const auto root = parsed.object();
    if (!root) return out;
    const auto inner = object_member(*root, "Error");
    const json_element element = inner ? *inner : *root;
    for (const char* name : {"Code", "code"}) {
        if (out.code.empty()) out.code = text_member(element, name).value_or("");
    }
    for (const char* name : {"Message", "message"}) {
        if (out.message.empty()) out.message = cut_utf8(text_member(element, name).value_or(""), most_words_bytes);
    }
    return out;
}

struct code_row {
    std::string_view code;
    error_class what;
    std::string_view fix;
};

// AWS STS API Reference, errors of AssumeRole and AssumeRoleWithWebIdentity, and the common errors.
constexpr std::array codes = {
    code_row{"ExpiredTokenException", error_class::stale_assertion,
             "the web identity token has expired: has the kubelet stopped to rotate it, or is the clock wrong?"},
    code_row{"ExpiredToken", error_class::stale_assertion, "the session that signs the request has expired"},
    code_row{"InvalidIdentityToken", error_class::permanent,
             "is the cluster's OIDC issuer an identity provider of the account, with the audience sts.amazonaws.com?"},
    code_row{
        "AccessDenied", error_class::permanent,
        "does the role's trust policy name this service account (system:serviceaccount:<namespace>:<name>), or the "
        "role that asks?"},
    code_row{"IDPCommunicationError", error_class::transient, ""},
    code_row{"Throttling", error_class::throttled, ""},
    code_row{"ThrottlingException", error_class::throttled, ""},
    code_row{"RequestLimitExceeded", error_class::throttled, ""},
    code_row{"SignatureDoesNotMatch", error_class::permanent,
             "is the secret access key the one of this access key id?"},
    code_row{"InvalidClientTokenId", error_class::permanent, "the access key id is not known"},
    code_row{"RegionDisabledException", error_class::permanent, "STS is switched off in this region for the account"},
};

const code_row* find_code(std::string_view code) {
    const auto at = std::find_if(codes.begin(), codes.end(), [code](const code_row& row) { return row.code == code; });
    return at == codes.end() ? nullptr : &*at;
}

error_class class_of_status(const http::answer& answer) {
    const std::int32_t status = answer.response.status;
    if (http::is_redirect(status)) return error_class::protocol;
    if (status == 429) return error_class::throttled;
    return http::again_by_status(answer) ? error_class::transient : error_class::permanent;
}

bool keys_again(const http::answer& answer) {
    if (!answer.arrived() || http::again_by_status(answer)) return http::again_by_status(answer);
    const code_row* known = find_code(read_words(answer.response).code);
    return known != nullptr && (known->what == error_class::transient || known->what == error_class::throttled);
}

}  // namespace

error judge_aws_failure(const http::retried& retried, const token_context& about, std::int64_t wall_ms) {
    error out;
    if (!retried.last.arrived()) {
        out = transport_failure(retried.last, about.endpoint);
    } else {
        const http::response& response = retried.last.response;
        const aws_words says = read_words(response);
        const code_row* known = find_code(says.code);
        std::string text = format_text("{} answered with HTTP {}", about.endpoint, response.status);
        if (!says.code.empty()) text += format_text(" ({})", says.code);
        if (!says.message.empty()) text += ": " + says.message;
        if (known != nullptr && !known->fix.empty()) text.append("; ").append(known->fix);
        out = fail(known != nullptr ? known->what : class_of_status(retried.last), std::move(text));
        out.http_status = response.status;
        out.service_code = says.code;
    }
    add_patience(out, retried, wall_ms);
    if (!about.asked_for.empty()) out.message += format_text(" [{}]", about.asked_for);
    redact_error(out, about.secrets);
    return out;
}

std::shared_ptr<http::exchange> send_for_keys(http::loop& loop, http::request request, http::retry_rule rule,
                                              std::int64_t deadline_ms, token_context about, token_done done) {
    if (!rule.again) rule.again = keys_again;
    const auto sent = note_sending(loop, rule);
    return http::send_with_retry(
        loop, std::move(request), std::move(rule), deadline_ms,
        [sent, &loop, about = std::move(about), done = std::move(done)](http::retried retried) {
            http::response& response = retried.last.response;
            const bool good = retried.last.arrived() && response.status >= 200 && response.status <= 299;
            if (!good) return done(judge_aws_failure(retried, about, loop.wall_ms()));
            auto read = read_aws_answer(response, *sent, about.endpoint);
            wipe(response.body);
            done(std::move(read));
        });
}

}  // namespace gputide::auth

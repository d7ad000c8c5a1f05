// Implements exchange.hpp.
#include "auth/token/exchange.hpp"

#include "auth/connection.hpp"
#include "auth/crypto/digest.hpp"
#include "base/encode.hpp"
#include "base/limits.hpp"

namespace gputide::auth {
namespace {

moment now_of(const http::loop& loop) { return {loop.wall_ms(), loop.steady_ms()}; }

result<token> judge(http::retried& retried, const moment& sent, const token_context& about, std::int64_t wall_ms,
                    token_reader read) {
    const bool good =
        retried.last.arrived() && retried.last.response.status >= 200 && retried.last.response.status <= 299;
    if (!good) return judge_token_failure(retried, about, wall_ms);
    auto out = read(retried.last.response, sent, about.endpoint);
    wipe(retried.last.response.body);
    if (out) return out;
    error why = out.take_failure();
    why.http_status = retried.last.response.status;
    redact_error(why, about.secrets);
    return why;
}

}  // namespace

secret_text form_body(const form_fields& fields) {
    std::size_t most = 0;
    for (const auto& [name, value] : fields) most += name.size() + 3 * value.size() + 2;
    std::string out;
    out.reserve(most);  // grows without leaving copies behind
    for (const auto& [name, value] : fields) {
        if (!out.empty()) out += '&';
        out.append(name) += '=';
        std::string escaped = percent_encode(value);
        out += escaped;
        wipe(escaped);
    }
    return secret_text(std::move(out));
}

std::shared_ptr<const http::tls_settings> endpoint_tls(const host_permissions& permissions) {
    http::tls_settings out = connection_of(permissions);
    return is_usual(out) ? nullptr : std::make_shared<const http::tls_settings>(std::move(out));
}

http::request token_request(const std::string& url, const form_fields& fields,
                            std::shared_ptr<const http::tls_settings> tls) {
    http::request out;
    out.method = "POST";
    out.url = url;
    out.set("Content-Type", "application/x-www-form-urlencoded");
    out.set("Accept", "application/json");
    out.set("client-request-id", new_uuid());
    out.body = form_body(fields);
    out.tls = std::move(tls);
    out.carries_credential = true;
    out.max_bytes = limits::token_response_bytes;
    return out;
}

http::retry_rule token_retry_rule() {
    http::retry_rule out;
    out.again = token_again;
    return out;
}

std::shared_ptr<const moment> note_sending(const http::loop& loop, http::retry_rule& rule) {
    auto sent = std::make_shared<moment>(now_of(loop));
    rule.again = [sent, &loop, asks = std::move(rule.again)](const http::answer& answer) {
        const bool repeat = asks(answer);
        if (repeat) *sent = now_of(loop);
        return repeat;
    };
    return sent;
}

std::shared_ptr<http::exchange> send_token_request(http::loop& loop, http::request request, http::retry_rule rule,
                                                   std::int64_t deadline_ms, token_context about,
                                                   std::function<void(result<token>)> done, token_reader read) {
    const auto sent = note_sending(loop, rule);
    return http::send_with_retry(
        loop, std::move(request), std::move(rule), deadline_ms,
        [sent, &loop, about = std::move(about), done = std::move(done), read](http::retried retried) {
            done(judge(retried, *sent, about, loop.wall_ms(), read));
        });
}

}  // namespace gputide::auth

// Sends requests and waits.
#include "base/format_text.hpp"
#include "base/time.hpp"
#include "doctor/examine.hpp"
#include "http/exchange.hpp"
#include "http/wait.hpp"
#include "source/description.hpp"

#include <algorithm>

namespace gputide::doctor {
namespace {

constexpr std::int64_t look_ms = 5'000;  // per attempt: a host that drops packets must not use up the whole time

http::request head_of(const http::url_parts& url, std::shared_ptr<const http::tls_settings> tls) {
    http::request out;
    out.method = "HEAD";
    std::string authority = http::host_and_port(url.host, url.port);
    if (url.port == (url.scheme == "https" ? 443 : 80)) authority.erase(authority.rfind(':'));
    out.url = format_text("{}://{}/", url.scheme, authority);
    out.tls = std::move(tls);
    out.wants_certificates = url.scheme == "https";
    out.connect_timeout_ms = look_ms;
    out.attempt_timeout_ms = look_ms;
    return out;
}

std::shared_ptr<const http::tls_settings> unverified(const std::shared_ptr<const http::tls_settings>& tls_settings) {
    http::tls_settings out;
    if (tls_settings) {
        out.server_name = tls_settings->server_name;
        out.connect_to = tls_settings->connect_to;
        out.proxy = tls_settings->proxy;
    }
    out.verify = false;
    return std::make_shared<const http::tls_settings>(std::move(out));
}

}  // namespace

http::answer asker::send(http::request request) const {
    auto retried = http::wait<http::retried>(
        *on_,
        [&](callback<void(http::retried)> done) {
            return http::send_with_retry(*on_, std::move(request), http::no_repeat(), deadline_ms_, std::move(done));
        },
        deadline_ms_, cancel_);
    if (retried) return std::move(retried->last);
    return {retried.failure().status == status::cancelled ? http::fault::cancelled : http::fault::deadline,
            retried.failure().message};
}

result<auth::token> asker::token(auth::token_cache& token_cache, const std::shared_ptr<auth::credential>& who,
                                 const std::string& scope) const {
    return http::flat(http::wait<result<auth::token>>(
        *on_, [&](auth::token_done done) { return token_cache.get(who, scope, deadline_ms_, std::move(done)); },
        deadline_ms_, cancel_));
}

source::fetched asker::fetch(source::metric_source& metric_source, std::int64_t now_ms) const {
    auto fetched = http::wait<source::fetched>(
        *on_,
        [&](callback<void(source::fetched)> done) {
            return metric_source.fetch(now_ms, deadline_ms_, std::move(done), source::detail::everything);
        },
        deadline_ms_, cancel_);
    return fetched ? *std::move(fetched) : source::judge_failure(fetched.take_failure());
}

reach asker::look_at(const std::string& url, const std::shared_ptr<const http::tls_settings>& tls,
                     bool is_http2) const {
    reach out;
    const auto parts = http::parse_url(url);
    if (!parts) return out;
    http::request what = head_of(*parts, tls);
    what.is_http2 = is_http2;
    out.url = what.url.substr(0, what.url.size() - 1);
    out.host = parts->host;
    out.verified = tls == nullptr || tls->verify;
    out.answer = send(what);
    out.now_ms = wall_ms();
    std::vector<std::string> pem = out.answer.certificates;
    if (out.answer.fault == http::fault::tls_verify) {
        out.roots = out.answer.roots;
        what.tls = unverified(tls);
        pem = send(std::move(what)).certificates;
    }
    out.chain = read_chain(pem, parts->host);
    if (const auto date = out.answer.response.header("date")) out.peer_ms = parse_http_date(*date);
    return out;
}

void asker::pause(std::int64_t ms) const {
    const std::int64_t until_ms = steady_ms() + std::min(ms, std::max<std::int64_t>(0, left_ms()));
    (void)http::drive_until(
        *on_, [this, until_ms] { return steady_ms() >= until_ms; }, until_ms - http::last_words_ms, cancel_);
}

}  // namespace gputide::doctor

// Implements authenticator.hpp.
#include "auth/authenticator.hpp"

#include "auth/azure/services.hpp"
#include "auth/crypto/digest.hpp"
#include "base/encode.hpp"
#include "base/format_text.hpp"
#include "base/redact.hpp"
#include "base/stable_order.hpp"
#include "base/text.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace gputide::auth {
namespace {

constexpr std::string_view header_name = "Authorization";
constexpr std::string_view bearer = "Bearer";

// Tells whether a host equals the suffix or is below it: "a.example" is below "example", "aexample" is not.
bool at_or_below(std::string_view host, std::string_view suffix) {
    if (suffix.empty() || host.size() < suffix.size()) return false;
    if (!equal_ignoring_case(host.substr(host.size() - suffix.size()), suffix)) return false;
    return host.size() == suffix.size() || host[host.size() - suffix.size() - 1] == '.';
}

bool host_is_allowed(const std::string& host, const audience& audience, const host_permissions& permissions) {
    const auto below = [&host](const std::string& suffix) { return at_or_below(host, suffix); };
    const auto same = [&host](const std::string& entry) { return equal_ignoring_case(host, entry); };
    const auto& extra = permissions.allowed_token_hosts;
    return std::ranges::any_of(audience.hosts, below) || std::ranges::any_of(extra, same);
}

std::string listed(const std::vector<std::string>& hosts) {
    std::string out;
    for (const std::string& host : hosts) append_item(out, host);
    return out.empty() ? "no host by default" : "these hosts and below: " + out;
}

void set_header(http::request& request, const http::header& header) {
    const auto same = [&header](const http::header& entry) { return equal_ignoring_case(entry.name, header.name); };
    request.headers.erase(std::remove_if(request.headers.begin(), request.headers.end(), same), request.headers.end());
    request.headers.push_back(header);
}

http::header authorization_header(std::string_view scheme, std::string_view value) {
    std::string text;
    text.reserve(scheme.size() + value.size() + 1);
    text.append(scheme).append(" ").append(value);
    return {std::string(header_name), secret_text(std::move(text))};
}

// Returns the token in a sent request, or "".
std::string_view token_in(const http::request& sent) {
    const http::header* found = sent.find(header_name);
    if (found == nullptr) return {};
    const std::string_view value = found->value.reveal();
    const std::size_t blank = value.find(' ');
    return blank == std::string_view::npos ? std::string_view() : value.substr(blank + 1);
}

}  // namespace

result<void> check_host(std::string_view url, const audience& audience, const host_permissions& permissions) {
    const auto parts = http::parse_url(url);
    if (!parts) return fail(error_class::config, "expected an http(s) URL to send a token to");
    const bool is_loopback = http::is_loopback(parts->host);
    const bool is_allowed = host_is_allowed(parts->host, audience, permissions);
    if (is_loopback && !is_allowed)
        return permissions.tenant.check(capability::loopback_tokens, "a token for " + audience.scope);
    if (!is_allowed) {
        return fail(error_class::config,
                    "a token for {} is not sent to host {}: it may be sent to {}. If the host is your own, allow it in "
                    "the host program (allowed_token_hosts)",
                    audience.scope, parts->host, listed(audience.hosts));
    }
    if (parts->scheme != "https" && !is_loopback && !permissions.allow_plain_http) {
        return fail(error_class::config, "a token is not sent to host {} over {}; use https", parts->host,
                    parts->scheme);
    }
    return {};
}

http::header bearer_header(const secret_text& token) { return authorization_header(bearer, token.reveal()); }

http::header basic_header(std::string_view user, const secret_text& password) {
    std::string pair(user);
    pair.append(":").append(password.reveal());
    std::string encoded = base64(pair);
    http::header out = authorization_header("Basic", encoded);
    wipe(pair);
    wipe(encoded);
    return out;
}

authenticator::authenticator(access how, host_permissions permissions, std::shared_ptr<token_cache> tokens)
    : parts_(*no_authentication) {
    const bool presents = how.header || how.tls || how.credential || how.is_cluster_wide || !how.audience.scope.empty();
    if (!presents && !permissions.allow_plain_http) return;  // the other permissions concern credentials
    if (how.of_host && how.audience.of_manifest) how.audience.hosts.clear();
    parts_ = std::make_shared<const parts>(parts{std::move(how), std::move(permissions), std::move(tokens)});
}

const never_destroyed<std::shared_ptr<const authenticator::parts>> authenticator::no_authentication{
    std::make_shared<const parts>()};

result<void> authenticator::prepare(http::request& request) const {
    if (parts_->how.tls) request.tls = parts_->how.tls;
    if (parts_->how.header) set_header(request, *parts_->how.header);
    const bool in_header = request.find(header_name) != nullptr || request.find("Cookie") != nullptr;
    request.carries_credential =
        request.carries_credential || parts_->how.header || parts_->how.credential || in_header;
    request.allow_plain_http = parts_->permissions.allow_plain_http;
    request.only_verified =
        parts_->permissions.verified_peers || (parts_->how.of_host && !parts_->permissions.unverified_peers);
    if (parts_->how.is_cluster_wide) {
        const auto url = http::parse_url(request.url);
        auto given = parts_->permissions.tenant.check_cluster_secret(url ? url->host : request.url);
        if (!given) return given;
    }
    return parts_->how.credential ? check_host(request.url, parts_->how.audience, parts_->permissions) : result<void>();
}

std::string authenticator::key() const {
    const access& how = parts_->how;
    key_text all;
    if (how.credential) {
        all.add(how.credential->cache_key());
        all.add(how.audience.scope);
    }
    if (how.signing) {
        all.add(how.signing->region);
        all.add(how.signing->service);
    }
    if (how.header) {
        all.add(lower(how.header->name));
        all.add(how.header->value.reveal());
    }
    if (how.tls) all.add(*how.tls);
    return all.empty() ? std::string() : all.digest();
}

// The steps of an authenticated exchange, and the final redaction of its error.

namespace {

constexpr std::int64_t repeat_after_ms = 100;
constexpr std::int64_t longest_pause_ms = 5'000;  // a longer wait is left to the next poll

// Tells whether the server canceled a query as too expensive: a repetition would cost the same.
bool too_heavy(const http::response& response) {
    return response.status == 503 && response.body.find("\"timeout\"") != std::string::npos;
}

bool worth_repeating(const http::answer& answer) {
    if (answer.fault == http::fault::timeout || answer.fault == http::fault::deadline) return false;
    return http::again_by_status(answer) && !too_heavy(answer.response);
}

}  // namespace

// Gets a token, sends the request, and repeats it once with another token if the first was rejected.
class authenticated_exchange final : public http::operation<result<exchanged>> {
  public:
    authenticated_exchange(const std::shared_ptr<http::loop>& loop, const authenticator& by, http::retry_rule again,
                           std::int64_t deadline_ms, callback<void(result<exchanged>)> done)
        : operation(*loop, deadline_ms, std::move(done)), by_(by.parts_), again_(std::move(again)) {}

    void start(result<http::request>&& request) {
        if (!request) return finish_soon(request.take_failure());
        prepared_ = *std::move(request);
        get_token();
    }

  private:
    std::shared_ptr<authenticated_exchange> self() {
        return std::static_pointer_cast<authenticated_exchange>(shared_from_this());
    }

    void get_token() {
        if (!by_->how.credential) return send(prepared_);
        carry(by_->tokens->get(by_->how.credential, by_->how.audience.scope, deadline_ms(),
                               [self = self()](result<token>&& outcome) {
                                   if (!outcome) return self->finish(outcome.take_failure());
                                   self->send_with(*outcome);
                               }));
    }

    // Adds the token, or signs the request with the AWS keys in it.
    void send_with(const token& token) {
        http::request ready = *prepared_;
        if (by_->how.signing) {
            const auto keys = read_credential_process(token.value.reveal());
            if (!keys) return finish(keys.failure());
            sign_request(ready, *keys, *by_->how.signing);
        } else if (!token.value.empty()) {
            const std::string_view scheme = token.type.empty() ? bearer : token.type;
            set_header(ready, authorization_header(scheme, token.value.reveal()));
        }
        if (token.tls) ready.tls = token.tls;
        send(std::move(ready));
    }

    void send(http::outgoing ready) {
        sent_ = std::move(ready);
        carry(http::send_with_retry(loop(), sent_, again_, deadline_ms(),
                                    [self = self()](http::retried&& retried) { self->take(std::move(retried)); }));
    }

    void take(http::retried&& retried) {
        if (!renewed_ && retried.last.arrived() && is_refused(retried.last)) {
            renewed_ = true;
            return get_token();
        }
        finish(exchanged{std::move(sent_), std::move(retried.last), retried.retry_at_ms});
    }

    // Tells whether the server rejected the token (401, or 403 with code InvalidAuthenticationToken) and a repetition with
    // another token may succeed.  If so, removes the token from the cache.  Signing keys are not part of the signed request; they
    // are renewed when they expire.
    bool is_refused(const http::answer& answer) const {
        const std::int32_t status = answer.response.status;
        if (!by_->how.credential || by_->how.signing || (status != 401 && status != 403)) return false;
        const auto why = service_refusal(answer, sent_->url);
        if (!why || why->error_class != error_class::auth) return false;
        return by_->tokens->report_refused(*by_->how.credential, by_->how.audience.scope, token_in(sent_));
    }

    const std::shared_ptr<const authenticator::parts> by_;
    const http::retry_rule again_;
    http::outgoing prepared_;
    http::outgoing sent_;
    bool renewed_ = false;
};

namespace {

// Returns scheme, host, port and path.
std::string shown_address(std::string_view url) { return redact_url(url.substr(0, url.find_first_of("?#"))); }

// Returns the values that a server could echo: header values, and the second word of "Bearer x" and "Basic x".
std::vector<std::string_view> secrets_of(const http::request& sent) {
    std::vector<std::string_view> out;
    for (const http::header& header : sent.headers) {
        if (equal_ignoring_case(header.name, "content-type") || equal_ignoring_case(header.name, "accept")) continue;
        const std::string_view value = header.value.reveal();
        out.push_back(value);
        const std::size_t blank = value.find(' ');
        if (blank != std::string_view::npos) out.push_back(value.substr(blank + 1));
    }
    // Longest first: replacing a shorter secret inside a longer one would leave the rest.
    sort_stably(out, [](std::string_view a, std::string_view b) { return a.size() > b.size(); });
    return out;
}

// Returns the password inside "Basic <base64 of user:password>".
secret_text basic_password(const http::request& sent) {
    const http::header* header = sent.find("Authorization");
    if (header == nullptr || !starts_with_ignoring_case(header->value.reveal(), "Basic ")) return {};
    auto pair = decode_base64(header->value.reveal().substr(6));
    if (!pair) return {};
    const std::size_t colon = pair->find(':');
    secret_text out(colon == std::string::npos ? std::string_view() : std::string_view(*pair).substr(colon + 1));
    wipe(*pair);
    return out;
}

std::int64_t asked_retry_at(const error& error, std::int64_t wall_ms) {
    return error.retry_after_ms != 0 ? wall_ms + error.retry_after_ms : error.retry_at_ms;
}

}  // namespace

http::retry_rule one_safe_repeat() {
    http::retry_rule out;
    out.max_retries = 1;
    out.base_ms = repeat_after_ms;
    out.cap_ms = longest_pause_ms;
    out.again = &worth_repeating;
    return out;
}

std::shared_ptr<http::exchange> send_authenticated(const std::shared_ptr<http::loop>& loop,
                                                   const auth::authenticator& authenticator,
                                                   result<http::request> request, std::int64_t deadline_ms,
                                                   callback<void(result<exchanged>)> done, http::retry_rule again) {
    auto out =
        std::make_shared<authenticated_exchange>(loop, authenticator, std::move(again), deadline_ms, std::move(done));
    out->start(std::move(request));
    return out;
}

error outward_error(error error, std::string_view asker, const http::request& sent, std::int64_t wall_ms,
                    std::int64_t retry_at_ms) {
    const secret_text password = basic_password(sent);
    std::vector<std::string_view> secrets = secrets_of(sent);
    if (!password.empty()) secrets.push_back(password.reveal());
    error.retry_at_ms = retry_at_ms != 0 ? retry_at_ms : asked_retry_at(error, wall_ms);
    if (error.where.empty()) error.where = named(std::string(asker));
    if (!sent.url.empty()) error.message = format_text("{}: {}", shown_address(sent.url), error.message);
    redact_error(error, secrets);
    return error;
}

}  // namespace gputide::auth

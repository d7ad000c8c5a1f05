// Implements authenticator.hpp.
#include "auth/authenticator.hpp"

#include "auth/azure/service_error.hpp"
#include "auth/crypto/digest.hpp"
#include "base/encode.hpp"
#include "base/format_text.hpp"
#include "base/text.hpp"

#include <algorithm>
#include <utility>

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

std::shared_ptr<http::exchange> authenticator::authorize(http::request request, std::int64_t deadline_ms,
                                                         callback<void(result<http::request>)> done) const {
    auto waiting = std::make_shared<http::request>(std::move(request));
    return parts_->tokens->get(parts_->how.credential, parts_->how.audience.scope, deadline_ms,
                               [waiting, signing = parts_->how.signing, done = std::move(done)](result<token> outcome) {
                                   if (!outcome) return done(outcome.take_failure());
                                   if (signing) {
                                       const auto keys = read_credential_process(outcome->value.reveal());
                                       if (!keys) return done(keys.failure());
                                       sign_request(*waiting, *keys, *signing);
                                   } else if (!outcome->value.empty()) {
                                       const std::string_view scheme = outcome->type.empty() ? bearer : outcome->type;
                                       set_header(*waiting, authorization_header(scheme, outcome->value.reveal()));
                                   }
                                   if (outcome->tls) waiting->tls = outcome->tls;
                                   done(std::move(*waiting));
                               });
}

bool authenticator::refused(const http::request& sent, const http::response& response) const {
    // Signing keys are not part of the signed request; they are renewed when they expire.
    if (!parts_->how.credential || parts_->how.signing || (response.status != 401 && response.status != 403))
        return false;
    http::answer answer;
    answer.response = response;
    const auto judged = judge_service_answer(answer, {sent.url, 0, {}});
    if (!judged || !judged->drop_token) return false;
    return parts_->tokens->report_refused(*parts_->how.credential, parts_->how.audience.scope, token_in(sent));
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

}  // namespace gputide::auth

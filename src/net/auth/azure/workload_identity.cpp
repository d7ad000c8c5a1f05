// Reads the token file and posts it.  If Entra reports an expired assertion (AADSTS700024) and
// the file has changed meanwhile, posts the new content once.
#include "auth/azure/credentials.hpp"
#include "auth/azure/services.hpp"
#include "auth/machine/surroundings.hpp"
#include "auth/token/exchange.hpp"
#include "base/format_text.hpp"
#include "base/limits.hpp"
#include "base/text.hpp"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

namespace gputide::auth {

namespace {

bool is_base64url(std::string_view part) {
    return !part.empty() &&
           std::ranges::all_of(part, [](char c) { return is_letter(c) || is_digit(c) || c == '-' || c == '_'; });
}

bool is_token(std::string_view text) {
    const std::vector<std::string_view> parts = split(text, '.');
    return parts.size() == 3 && std::ranges::all_of(parts, is_base64url);
}

error_ptr too_large(const std::string& path, const token_file_words& words) {
    return fail(error_class::config,
                "token file {} is too large: more than {} bytes; {} must name a projected service-account token", path,
                limits::token_file_bytes, words.variable);
}

}  // namespace

result<secret_text> read_token_file(const surroundings& host, const std::string& path, const token_file_words& words) {
    auto read = host.read_file(path, limits::token_file_bytes);
    if (!read) {
        if (read.failure().status == status::limit) return too_large(path, words);
        return fail_for_now(
            format_text("token file {} cannot be read: {}. {}", path, read.failure().message, words.mount_advice));
    }
    if (read->reveal().size() > limits::token_file_bytes) return too_large(path, words);
    const std::string_view text = trim(read->reveal());
    if (text.empty()) {
        return fail_for_now(format_text("token file {} is empty; the kubelet may be replacing it", path));
    }
    if (!is_token(text)) {
        return fail(error_class::config,
                    "token file {} does not contain a service-account token: expected three base64url parts joined by "
                    "dots. Check {}",
                    path, words.variable);
    }
    return secret_text(text);
}

namespace {

struct setting {
    std::string value;
    std::string named;  // name of the variable or key that set it
};

// Returns the override, or the variable.  An empty override is an error, as in KEDA's admission webhook.
result<setting> pick(const std::optional<std::string>& over, const char* key, const surroundings& host,
                     const char* variable) {
    if (over) {
        if (!over->empty()) return setting{*over, key};
        return fail(error_class::config, "{} of podIdentity must not be empty; remove it to use {}", key, variable);
    }
    const std::string value = host.variable(variable);
    if (!value.empty()) return setting{value, variable};
    return fail(error_class::config,
                "{} is not set. Label the pod azure.workload.identity/use: \"true\" "
                "so that the workload-identity webhook sets it, or give {}",
                variable, key);
}

result<std::string> pick_token_file(const surroundings& host) {
    const std::string path = host.variable("AZURE_FEDERATED_TOKEN_FILE");
    if (!path.empty()) return path;
    return fail(error_class::config,
                "AZURE_FEDERATED_TOKEN_FILE is not set, and there is no default path. Label the pod "
                "azure.workload.identity/use: \"true\" so that the workload-identity webhook sets it");
}

using tls_pointer = std::shared_ptr<const http::tls_settings>;

class token_exchange : public std::enable_shared_from_this<token_exchange> {
  public:
    token_exchange(workload_identity who, std::shared_ptr<const surroundings> host)
        : who_(std::move(who)), host_(std::move(host)) {}

    void begin(const std::shared_ptr<acquisition>& under_way, const std::string& scope) const {
        auto checked = scope_for(scope, who_.tenant);
        if (!checked) return under_way->finish_soon(checked.take_failure());
        auto assertion = read_token_file(*host_, who_.token_file);
        if (!assertion) return under_way->finish_soon(assertion.take_failure());
        auto tls = endpoint_tls();
        if (!tls) return under_way->finish_soon(tls.take_failure());
        post(under_way, *checked, *std::move(assertion), *std::move(tls), true);
    }

  private:
    result<tls_pointer> endpoint_tls() const {
        return who_.proxy ? tls_of(*who_.proxy, *host_) : result<tls_pointer>(who_.tls);
    }

    void post(const std::shared_ptr<acquisition>& under_way, const std::string& scope, secret_text assertion,
              tls_pointer tls, bool may_read_again) const {
        http::request what = workload_identity_request(who_, scope, assertion, std::move(tls));
        token_context about{what.url, format_text("client {}, scope {}", who_.client_id, scope), {assertion}};
        send_token_request(under_way, std::move(what), std::move(about),
                           [self = shared_from_this(), under_way, scope, assertion = std::move(assertion),
                            may_read_again](result<token>&& outcome) {
                               const bool stale =
                                   !outcome && outcome.failure().error_class == error_class::stale_assertion;
                               if (stale && may_read_again && self->post_newer(under_way, scope, assertion)) return;
                               under_way->finish(std::move(outcome));
                           });
    }

    // Posts the file's content if it differs from the rejected assertion, and returns whether it did.
    bool post_newer(const std::shared_ptr<acquisition>& under_way, const std::string& scope,
                    const secret_text& refused) const {
        auto newer = read_token_file(*host_, who_.token_file);
        auto tls = endpoint_tls();
        if (!newer || !tls || same_secret(newer->reveal(), refused.reveal())) return false;
        post(under_way, scope, *std::move(newer), *std::move(tls), false);
        return true;
    }

    const workload_identity who_;
    const std::shared_ptr<const surroundings> host_;
};

}  // namespace

result<workload_identity> read_workload_identity(const workload_identity_settings& settings,
                                                 const host_permissions& permissions, const surroundings& host) {
    const bool own_authority = settings.identity_authority_host && !settings.identity_authority_host->empty();
    if (own_authority && settings.identity_tenant_id.value_or("").empty()) {
        return fail(error_class::config,
                    "identityAuthorityHost of podIdentity is set without identityTenantId: the tenant in "
                    "AZURE_TENANT_ID may not "
                    "exist in that cloud; add identityTenantId");
    }
    auto client = pick(settings.identity_id, "identityId", host, "AZURE_CLIENT_ID");
    if (!client) return client.take_failure();
    const auto tenant = pick(settings.identity_tenant_id, "identityTenantId", host, "AZURE_TENANT_ID");
    if (!tenant) return tenant.failure();
    auto checked_name = checked_tenant(tenant->value, tenant->named);
    if (!checked_name) return checked_name.take_failure();
    auto checked_host = read_authority(settings.identity_authority_host, "identityAuthorityHost", permissions, host);
    if (!checked_host) return checked_host.take_failure();
    auto token_file = pick_token_file(host);
    if (!token_file) return token_file.take_failure();

    workload_identity out{{*std::move(checked_host), *std::move(checked_name), client->value,
                           shared_settings(connection_of(permissions))},
                          *std::move(token_file),
                          {}};
    if (permissions.enable_azure_proxy) {
        auto proxy = read_token_proxy(host);
        if (!proxy) return proxy.take_failure();
        out.proxy = *std::move(proxy);
    }
    return out;
}

http::request workload_identity_request(const workload_identity& who, const std::string& scope,
                                        const secret_text& assertion, std::shared_ptr<const http::tls_settings> tls) {
    const std::string& base = who.proxy ? who.proxy->url : who.authority;
    return assertion_request(token_url(base, who.tenant), who.client_id, scope, assertion, std::move(tls));
}

result<std::shared_ptr<credential>> open_workload_identity(const workload_identity_settings& settings,
                                                           const host_permissions& permissions,
                                                           std::shared_ptr<const surroundings> host) {
    auto who = read_workload_identity(settings, permissions, *host);
    if (!who) return who.take_failure();
    introduction about = about_application("workload identity", *who);
    if (who->proxy) about.authority = who->proxy->url;
    about.token_file = who->token_file;
    std::string key = format_text("workload_identity\n{}\n{}\n{}", application_key(*who), who->token_file,
                                  who->proxy ? who->proxy->url : std::string());
    const auto state = std::make_shared<const token_exchange>(*std::move(who), std::move(host));
    return make_credential(std::move(key), std::move(about), [state](const auto& under_way, const std::string& scope) {
        state->begin(under_way, scope);
    });
}

std::vector<manifest::violation> check_workload_identity(const manifest::authentication& identity) {
    std::vector<manifest::violation> out;
    const auto refuse = [&out](const char* key, const char* message, const char* remedy) {
        out.push_back({key, message, remedy, "invalid-identity"});
    };
    const bool has_host = identity.identity_authority_host && !identity.identity_authority_host->empty();
    const bool has_tenant = identity.identity_tenant_id && !identity.identity_tenant_id->empty();
    if (identity.identity_id && identity.identity_id->empty()) {
        refuse("identityId", "identityId of PodIdentity should not be empty. If it is set, it names a client id",
               "write the client id, or remove the key");
    }
    if (has_host && !has_tenant) {
        refuse(
            "identityAuthorityHost",
            "identityTenantID of PodIdentity should not be nil or empty when identityAuthorityHost of PodIdentity is "
            "set",
            "add identityTenantId");
    } else if (identity.identity_tenant_id && !has_tenant) {
        refuse("identityTenantId",
               "identityTenantId of PodIdentity should not be empty. If it is set, it names a tenant",
               "write the tenant id, or remove the key");
    }
    return out;
}

// Settings of the token proxy.

namespace {

constexpr const char* url_variable = "AZURE_KUBERNETES_TOKEN_PROXY";
constexpr const char* sni_variable = "AZURE_KUBERNETES_SNI_NAME";
constexpr const char* ca_file_variable = "AZURE_KUBERNETES_CA_FILE";
constexpr const char* ca_data_variable = "AZURE_KUBERNETES_CA_DATA";

error_ptr unusable_proxy(const std::string& why) { return fail(error_class::config, "{}: {}", url_variable, why); }

result<std::string> checked_url(std::string_view text) {
    const auto url = http::parse_url(text);
    if (!url) return unusable_proxy("expected an https URL such as https://10.0.0.1:6443");
    if (url->scheme != "https")
        return unusable_proxy(format_text("must use https, got {} (host {})", url->scheme, url->host));
    if (const std::string extra = extra_part(*url); !extra.empty()) return unusable_proxy(extra);
    while (!text.empty() && text.back() == '/') text.remove_suffix(1);
    return std::string(text);
}

}  // namespace

result<std::optional<token_proxy>> read_token_proxy(const surroundings& host) {
    const std::string url = host.variable(url_variable);
    token_proxy out{"", host.variable(sni_variable), host.variable(ca_data_variable), host.variable(ca_file_variable)};
    const bool companions = !out.server_name.empty() || !out.ca_pem.empty() || !out.ca_file.empty();
    if (url.empty()) {
        if (!companions) return std::optional<token_proxy>();
        return fail(error_class::config, "{}, {} and {} need {}, which is not set", sni_variable, ca_file_variable,
                    ca_data_variable, url_variable);
    }
    if (!out.ca_pem.empty() && !out.ca_file.empty()) {
        return fail(error_class::config, "{} and {} are both set; keep one of them", ca_file_variable,
                    ca_data_variable);
    }
    auto base = checked_url(url);
    if (!base) return base.take_failure();
    out.url = *std::move(base);
    return std::optional<token_proxy>(std::move(out));
}

result<std::shared_ptr<const http::tls_settings>> tls_of(const token_proxy& proxy, const surroundings& host) {
    auto out = std::make_shared<http::tls_settings>();
    out->server_name = proxy.server_name;
    out->ca_pem = proxy.ca_pem;
    if (!proxy.ca_file.empty()) {
        const auto read = host.read_file(proxy.ca_file, limits::secret_file_bytes);
        if (!read)
            return unread_file(format_text("{} {} cannot be read", ca_file_variable, proxy.ca_file), read.failure());
        if (trim(read->reveal()).empty()) {
            return fail_for_now(
                format_text("{} {} is empty; a rotation may be in progress", ca_file_variable, proxy.ca_file));
        }
        out->ca_pem = read->reveal();
    }
    return std::shared_ptr<const http::tls_settings>(std::move(out));
}

}  // namespace gputide::auth

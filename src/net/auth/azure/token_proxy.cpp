// Rules of token_proxy.hpp.
#include "auth/azure/token_proxy.hpp"

#include "base/format_text.hpp"
#include "base/limits.hpp"
#include "base/text.hpp"

#include <utility>

namespace gputide::auth {
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
    if (url->has_user_info) return unusable_proxy("must not hold user information before the host " + url->host);
    if (url->has_query) return unusable_proxy(format_text("must not hold a query (host {})", url->host));
    if (url->has_fragment) return unusable_proxy(format_text("must not hold a fragment (host {})", url->host));
    while (!text.empty() && text.back() == '/') text.remove_suffix(1);
    return std::string(text);
}

}  // namespace

result<std::optional<token_proxy>> read_token_proxy(const surroundings& host) {
    const auto read = [&host](const char* name) { return host.environment(name).value_or(""); };
    const std::string url = read(url_variable);
    token_proxy out{"", read(sni_variable), read(ca_data_variable), read(ca_file_variable)};
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
        if (!read) {
            error why = fail(error_class::config, "{} {} cannot be read: {}", ca_file_variable, proxy.ca_file,
                             read.failure().message);
            why.retryable = read.failure().retryable;
            return why;
        }
        if (trim(read->reveal()).empty()) {
            return fail_for_now(
                format_text("{} {} is empty; a rotation may be under way", ca_file_variable, proxy.ca_file));
        }
        out->ca_pem = read->reveal();
    }
    return std::shared_ptr<const http::tls_settings>(std::move(out));
}

}  // namespace gputide::auth

#include "base/text.hpp"
#include "http/message.hpp"
#include "source/external/external.hpp"
#include "source/target.hpp"

#include <array>

namespace gputide::source::external {
namespace {

constexpr std::string_view from_environment = "FromEnv";
constexpr std::int32_t usual_port = 443;  // default of gRPC's DNS resolver

// Prefixes of gRPC's DNS resolver and of addresses without a resolver.
constexpr std::array<std::string_view, 4> resolvers{"dns:///", "passthrough:///", "dns:", "passthrough:"};

// Reads a number, or 0: only pushed values need a target, and an external scaler may use any text under the same key.
double number_or_zero(trigger_reader& read, text::text_key key) {
    // Also ".5", as external scalers accept it
    return parse_go_float(read.text_of(key)).value_or(0.0);
}

// Returns the metadata as KEDA sends it: <key>FromEnv keeps its name and has the variable's value; omitted if that is empty.
void take_metadata(const manifest::trigger& trigger, settings& out) {
    for (const auto& [key, value] : trigger.metadata) {
        if (!std::string_view(key).ends_with(from_environment)) {
            out.owner.metadata[key] = value;
            continue;
        }
        const auto found = trigger.resolved_env.find(std::string(trim(value)));
        if (found == trigger.resolved_env.end() || found->second.empty()) continue;
        out.owner.metadata[key] = found->second.reveal();
        out.secrets.push_back(found->second);
    }
}

bool read_tls(trigger_reader& read, access::settings& access) {
    const bool is_enabled = read.flag(keys["enableTLS"]).value_or(false);
    access.unsafe_ssl = read.flag(keys["unsafeSsl"]).value_or(false);
    access.ca = read.secret_of(keys["caCert"]);
    access.certificate = read.secret_of(keys["tlsClientCert"]);
    access.key = read.secret_of(keys["tlsClientKey"]);
    if (access.certificate.empty() != access.key.empty()) {
        read.add_error("tlsClientCert and tlsClientKey must be set together; one of them is missing", "tlsClientCert");
    }
    if (!access.certificate.empty()) {
        access.modes = {"tls"};
#ifndef GPUTIDE_PURE_ONLY
        http::tls_settings pair;
        pair.client_certificate_pem = access.certificate;
        pair.client_key_pem = access.key;
        const result<void> fits =
            &http::check_client_certificate == nullptr ? result<void>() : http::check_client_certificate(pair);
        if (!fits) read.add_error("tlsClientCert, tlsClientKey: " + fits.failure().message, "tlsClientCert");
#endif
    }
    return is_enabled || !access.ca.empty() || !access.certificate.empty();
}

void warn_about(const trigger_reader& read, const access::settings& access, bool is_tls) {
    if (access.unsafe_ssl && is_tls) {
        read.warn("unsafeSsl", "tls-not-verified",
                  "unsafeSsl is true: any host on the way can impersonate the external scaler",
                  "give its CA as caCert in the TriggerAuthentication instead");
    } else if (access.unsafe_ssl) {
        read.warn("unsafeSsl", "no-effect",
                  "unsafeSsl does not enable TLS: requests to the external scaler are sent in plain text",
                  "add enableTLS: \"true\"");
    }
    if (read.trigger().metadata.contains("tlsCertFile")) {
        read.warn("tlsCertFile", "no-effect", "tlsCertFile does not enable TLS, as in KEDA since 2.17",
                  "give the CA as caCert in a TriggerAuthentication");
    }
}

}  // namespace

result<std::string> base_url(std::string_view address, bool is_tls) {
    std::string_view target = address;
    for (const std::string_view resolver : resolvers) {
        if (!target.starts_with(resolver)) continue;
        target.remove_prefix(resolver.size());
        break;
    }
    const auto refused = [address] {
        return fail(error_class::config,
                    "scalerAddress: expected host:port or dns:///host:port, got {}; write no scheme such as http://, "
                    "and enable TLS with enableTLS",
                    in_quotes(address));
    };
    if (target.empty() || target.find_first_of("/?#@\\ \t\r\n") != std::string_view::npos) return refused();
    const bool has_port = target.rfind(':') != std::string_view::npos && target.back() != ']';
    std::string out = is_tls ? "https://" : "http://";
    out.append(target);
    if (!has_port) out.append(":").append(std::to_string(usual_port));
    const auto parts = http::parse_url(out);
    if (!parts || parts->host.empty() || !parts->path.empty()) return refused();
    return out;
}

result<settings> read_settings(trigger_reader& read) {
    const manifest::trigger& trigger = read.trigger();
    auto out = read.begin<settings>();
    out.index = trigger.index;
    out.reads_target_stream = holds(manifest::version_rule::reads_target_stream, trigger.rules.versions);
    out.address = read.text_of(keys["scalerAddress"]);
    const bool is_tls = read_tls(read, out.access);
    out.access.has_cluster_secret = access::has_cluster_secret(trigger);
    if (!out.address.empty()) {
        if (auto url = base_url(out.address, is_tls)) {
            out.service = *std::move(url) + "/externalscaler.ExternalScaler/";
        } else {
            read.add_error(url.failure().message, "scalerAddress");
        }
    }
    read.set_threshold(number_or_zero(read, keys["threshold"]), number_or_zero(read, keys["activationThreshold"]));
    warn_about(read, out.access, is_tls);
    out.owner.name = trigger.owner;
    out.owner.name_space = trigger.name_space;
    take_metadata(trigger, out);
    return read.end("error parsing external scaler metadata", trigger.type, std::move(out));
}

}  // namespace gputide::source::external

// Explains reachability, TLS and clocks.
#include "base/format_text.hpp"
#include "base/freed.hpp"
#include "base/time.hpp"
#include "doctor/judge.hpp"
#include "http/message.hpp"

#include <openssl/bio.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <ctime>
#include <memory>
#include <string_view>

namespace gputide::doctor {

namespace {

constexpr std::int64_t day_ms = 86'400'000;
constexpr std::int64_t renew_ahead_ms = 7 * day_ms;

std::string until(const certificate& certificate) { return format_rfc3339_s(certificate.not_after_ms); }

// Returns "its certificate is CN localhost's, issued by quickstart CA".
std::string named_with_issuer(const certificate& certificate) {
    return format_text("its certificate is {}'s{}", certificate.subject,
                       certificate.self_signed ? ", self-signed" : ", issued by " + certificate.issuer);
}

void describe(step& step, const reach& seen) {
    if (!seen.roots.empty()) step.add_detail("roots", seen.roots);
    for (std::size_t i = 0; i < seen.chain.size(); ++i) {
        const certificate& certificate = seen.chain[i];
        const std::string name = i == 0 ? "certificate" : format_text("chain{}", i);
        step.add_detail(name, certificate.subject);
        step.add_detail(name + "_issuer", certificate.issuer);
        step.add_detail(name + "_expires", until(certificate));
    }
}

const certificate* out_of_time(const reach& seen) {
    for (const certificate& certificate : seen.chain) {
        if (certificate.not_after_ms != 0 && certificate.not_after_ms <= seen.now_ms) return &certificate;
    }
    return nullptr;
}

step not_trusted(std::string_view name, const reach& seen) {
    const std::string why = seen.answer.fault_text;
    if (seen.chain.empty()) {
        return broken(name, why, "The server's certificate is not accepted, and could not be examined.",
                      "Check the CA file and the address.");
    }
    const certificate& own = seen.chain.front();
    if (const certificate* expired = out_of_time(seen)) {
        return broken(name,
                      format_text("the certificate of {} expired on {}, {} ago", expired->subject, until(*expired),
                                  about_duration(seen.now_ms - expired->not_after_ms)),
                      "It was not renewed, or the server was not reloaded after the renewal. (If the certificate has "
                      "not expired yet, the clock of this machine is wrong.)",
                      format_text("Renew the certificate of {} and reload the server; this machine's clock says {}.",
                                  seen.host, format_rfc3339_s(seen.now_ms)));
    }
    if (own.not_before_ms > seen.now_ms) {
        return broken(name,
                      format_text("the certificate of {} is valid from {}, and this machine's clock says {}",
                                  own.subject, format_rfc3339_s(own.not_before_ms), format_rfc3339_s(seen.now_ms)),
                      "The clock of this machine is behind, or the certificate was issued with a clock that was ahead.",
                      "Set the clock (`date -u`, chrony or systemd-timesyncd).");
    }
    if (!own.is_for_host) {
        return broken(
            name,
            format_text("the certificate is for {}, not for {}",
                        listed(own.names.empty() ? std::vector{own.subject} : own.names, 4), seen.host),
            "The host in the address differs from the server's certificate: the address is an alias or an IP address, "
            "or a proxy answers instead of the server.",
            format_text("Use one of the certificate's names in the address, or get a certificate that includes {}.",
                        seen.host));
    }
    const certificate& last = seen.chain.back();
    const std::string signer = last.self_signed ? last.subject : last.issuer;
    step out = broken(
        name, format_text("{}: {}, which is not trusted by {}", seen.url, named_with_issuer(own), seen.roots),
        own.self_signed ? "The server has a self-signed certificate."
                        : format_text("The CA {} is not among the trusted roots: it is your own CA, a proxy intercepts "
                                      "TLS, or the server does not send its intermediate certificate.",
                                      signer),
        format_text(
            "Get the PEM of {} from the operators of that server (do not take it from this connection) and configure "
            "it: --ca-file FILE (ca_file in the host's options), SSL_CERT_FILE, or `ca` in the TriggerAuthentication.",
            signer));
    return out;
}

step no_answer(std::string_view name, const reach& seen) {
    const std::string& why = seen.answer.fault_text;
    switch (seen.answer.fault) {
        case http::fault::resolve:
            return broken(name, format_text("the name {} does not resolve", seen.host),
                          "The name is misspelled, or the DNS of this machine does not know it: a cluster-internal "
                          "name (*.svc) resolves only inside the cluster, a private endpoint only inside its network.",
                          format_text("`getent hosts {}` must print an address here. Correct the address, or run this "
                                      "where the name is known.",
                                      seen.host));
        case http::fault::connect:
            return broken(
                name, why,
                "No server listens on this port: it is stopped or restarting, the port is wrong, or a firewall rejects "
                "the connection.",
                format_text("Start the server or correct host and port: `curl -v {}/` must connect.", seen.url));
        case http::fault::timeout:
        case http::fault::deadline:
            return broken(
                name, why,
                format_text(
                    "Packets to {} are dropped (network policy, firewall, private endpoint), or the server hangs.",
                    seen.host),
                format_text("Allow this machine to connect to {}, or find out why the server does not respond.",
                            seen.url));
        case http::fault::tls_verify:
            return not_trusted(name, seen);
        case http::fault::tls_handshake:
            return broken(name, why,
                          "The port does not use TLS (the address should then begin with http://), supports only TLS "
                          "below 1.2, or requires a client certificate.",
                          "`openssl s_client -connect` with this host and port shows the reason. For a client "
                          "certificate use authModes: tls with cert and key.");
        default:
            return broken(name, why, "Something between this machine and the server breaks the connection.",
                          format_text("`curl -v {}/` shows how far it gets.", seen.url));
    }
}

std::string skew_in_words(std::int64_t skew_ms) {
    return format_text("this machine's clock is {}{}", about_duration(skew_ms), skew_ms < 0 ? " behind" : " ahead of");
}

// Compares our clock with the server's.  An empty name: they agree, or the difference is unknown.
step judge_clock(std::string_view name, const reach& seen) {
    const std::int64_t skew_ms = seen.peer_ms ? seen.now_ms - *seen.peer_ms : 0;
    const std::int64_t size_ms = skew_ms < 0 ? -skew_ms : skew_ms;
    if (size_ms < worrying_skew_ms) return {};
    const std::string said = format_text("{} that of {}", skew_in_words(skew_ms), seen.host);
    const std::string cause =
        "One of the two clocks is wrong. Tokens are rejected outside their validity period, and a query is evaluated "
        "at this machine's time: with an error of five minutes, Prometheus finds no samples.";
    const std::string fix = format_text(
        "`date -u` on this machine says {}, the server says {}: correct the wrong clock (chrony, systemd-timesyncd).",
        format_rfc3339_s(seen.now_ms), format_rfc3339_s(*seen.peer_ms));
    return size_ms >= fatal_skew_ms ? broken(name, said, cause, fix) : doubtful(name, said, cause, fix);
}

std::string answered(const reach& seen) {
    std::string out = seen.url + " answers";
    if (seen.chain.empty()) return std::string_view(seen.url).starts_with("https:") ? out : out + ", without TLS";
    const certificate& own = seen.chain.front();
    return format_text("{}; {}, valid for {}", out, named_with_issuer(own),
                       about_duration(own.not_after_ms - seen.now_ms));
}

}  // namespace

std::optional<step> judge_proxy(const reach& seen) {
    const http::answer& answer = seen.answer;
    const std::string_view proxy = http::proxy_of(answer);
    if (proxy.empty()) return std::nullopt;
    if (answer.fault != http::fault::connect)
        return passed(step_name::proxy, format_text("requests to {} go through the proxy {}", seen.url, proxy));
    return broken(
        step_name::proxy, answer.fault_text,
        "The proxy configured in this machine's environment or by the host program does not allow the request.",
        format_text("Start or correct the proxy, or add {} to no_proxy to connect to it directly.", seen.host));
}

step judge_reach(std::string_view name, const reach& seen) {
    step out;
    const bool may_speak_tls =
        seen.answer.fault == http::fault::reset && std::string_view(seen.url).starts_with("http:");
    if (may_speak_tls) {
        out = broken(
            name, seen.answer.fault_text,
            "The port closes connections without TLS: it may require TLS, or it does not belong to an HTTP server.",
            format_text("If it requires TLS, write https in the address: check it with `curl -v https{}/`.",
                        seen.url.substr(4)));
    } else if (!seen.answer.arrived() && seen.answer.fault != http::fault::reset) {
        out = no_answer(name, seen);
    } else if (out = judge_clock(name, seen); out.name.empty()) {
        out = passed(name, answered(seen));
        const bool ends_soon = !seen.chain.empty() && seen.chain.front().not_after_ms - seen.now_ms < renew_ahead_ms &&
                               seen.chain.front().not_after_ms - seen.chain.front().not_before_ms > 4 * renew_ahead_ms;
        if (!seen.verified && !seen.chain.empty()) {
            out = doubtful(name, answered(seen) + "; it was not verified", "The trigger sets unsafeSsl: \"true\".",
                           "Configure the server's CA and remove unsafeSsl: a host between the two can read the "
                           "credential and change the values.");
        } else if (ends_soon) {
            out = doubtful(name, answered(seen), "The server's certificate expires within a week.",
                           format_text("Renew the certificate of {}.", seen.host));
        }
    }
    describe(out, seen);
    return out;
}

error_ptr failure_of(const reach& seen) { return fail(status::unavailable, seen.answer.fault_text); }

// Reads certificates with OpenSSL.

namespace {

using x509_pointer = std::unique_ptr<X509, freed<X509_free>>;
using bio_pointer = std::unique_ptr<BIO, freed<BIO_free_all>>;
using names_pointer = std::unique_ptr<GENERAL_NAMES, freed<GENERAL_NAMES_free>>;

std::string text_of(const ASN1_STRING* from) {
    unsigned char* bytes = nullptr;
    const int size = from != nullptr ? ASN1_STRING_to_UTF8(&bytes, from) : -1;
    if (size < 0) return {};
    std::string out(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(size));
    OPENSSL_free(bytes);
    return out;
}

std::string name_of(const X509_NAME* from) {
    const int at = X509_NAME_get_index_by_NID(from, NID_commonName, -1);
    if (at >= 0) return text_of(X509_NAME_ENTRY_get_data(X509_NAME_get_entry(from, at)));
    const bio_pointer whole(BIO_new(BIO_s_mem()));
    if (!whole || X509_NAME_print_ex(whole.get(), from, 0, XN_FLAG_ONELINE) < 0) return {};
    char* bytes = nullptr;
    const long size = BIO_get_mem_data(whole.get(), &bytes);
    return size > 0 ? std::string(bytes, static_cast<std::size_t>(size)) : std::string();
}

std::int64_t unix_ms(const ASN1_TIME* from) {
    std::tm parts{};
    if (from == nullptr || ASN1_TIME_to_tm(from, &parts) != 1) return 0;
    return static_cast<std::int64_t>(timegm(&parts)) * 1'000;
}

std::string address_of(const ASN1_OCTET_STRING* from) {
    if (from->length != 4) return "an IPv6 address";
    std::string out;
    for (int i = 0; i < 4; ++i) out += (i == 0 ? "" : ".") + std::to_string(from->data[i]);
    return out;
}

std::vector<std::string> names_of(const X509* from) {
    std::vector<std::string> out;
    const names_pointer all(
        static_cast<GENERAL_NAMES*>(X509_get_ext_d2i(from, NID_subject_alt_name, nullptr, nullptr)));
    for (int i = 0; all && i < sk_GENERAL_NAME_num(all.get()); ++i) {
        const GENERAL_NAME* name = sk_GENERAL_NAME_value(all.get(), i);
        if (name->type == GEN_DNS) out.push_back(text_of(name->d.dNSName));
        if (name->type == GEN_IPADD) out.push_back(address_of(name->d.iPAddress));
    }
    return out;
}

bool is_for(X509* leaf, const std::string& host) {
    return X509_check_ip_asc(leaf, host.c_str(), 0) == 1 || X509_check_host(leaf, host.c_str(), 0, 0, nullptr) == 1;
}

}  // namespace

std::vector<certificate> read_chain(const std::vector<std::string>& pem, const std::string& host) {
    std::vector<certificate> out;
    for (const std::string& text : pem) {
        const bio_pointer bytes(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
        char no_password[] = "";  // without it OpenSSL would prompt on /dev/tty
        const x509_pointer read(bytes ? PEM_read_bio_X509(bytes.get(), nullptr, nullptr, no_password) : nullptr);
        if (!read) continue;
        certificate certificate;
        certificate.subject = name_of(X509_get_subject_name(read.get()));
        certificate.issuer = name_of(X509_get_issuer_name(read.get()));
        certificate.names = names_of(read.get());
        certificate.not_before_ms = unix_ms(X509_get0_notBefore(read.get()));
        certificate.not_after_ms = unix_ms(X509_get0_notAfter(read.get()));
        certificate.self_signed =
            X509_NAME_cmp(X509_get_subject_name(read.get()), X509_get_issuer_name(read.get())) == 0;
        certificate.is_for_host = is_for(read.get(), host);
        out.push_back(std::move(certificate));
    }
    return out;
}

}  // namespace gputide::doctor

// Implements cluster.hpp: the order in which configurations are tried.
#include "auth/kubernetes/cluster.hpp"

#include "base/format_text.hpp"
#include "base/limits.hpp"
#include "base/text.hpp"
#include "http/message.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

namespace gputide::auth {

namespace {

constexpr const char* host_variable = "KUBERNETES_SERVICE_HOST";
constexpr const char* port_variable = "KUBERNETES_SERVICE_PORT";

bool is_in_cluster(const surroundings& host) {
    return !host.variable(host_variable).empty() && !host.variable(port_variable).empty();
}

// Splits KUBECONFIG, several files joined by colons; empty pieces are ignored.
std::vector<std::string> listed_files(const std::string& text) {
    std::vector<std::string> out;
    for (const std::string_view name : split(text, ':')) {
        if (!name.empty()) out.emplace_back(name);
    }
    return out;
}

std::string home_file(const surroundings& host) {
    const std::string home = host.variable("HOME");
    return home.empty() ? std::string() : home + "/.kube/config";
}

error_ptr nothing_found(const cluster_choice& choice) {
    std::string text =
        "no Kubernetes cluster is known: this process does not run in a pod (KUBERNETES_SERVICE_HOST and "
        "KUBERNETES_SERVICE_PORT are not set)";
    text += choice.read_environment ? ", KUBECONFIG is not set and there is no ~/.kube/config" : "";
    return fail(error_class::unavailable, "{}; set a kubeconfig in the host program", text);
}

}  // namespace

audience audience_of(const std::string& server) {
    audience out;
    out.scope = server;
    if (const auto url = http::parse_url(server)) out.hosts = {url->host};
    return out;
}

result<cluster> open_cluster(const cluster_choice& choice, const std::shared_ptr<const surroundings>& host) {
    if (!choice.kubeconfig.empty()) return open_kubeconfig({choice.kubeconfig}, choice, host);
    if (choice.read_environment) {
        const std::vector<std::string> files = listed_files(host->variable("KUBECONFIG"));
        if (!files.empty()) return open_kubeconfig(files, choice, host);
    }
    if (is_in_cluster(*host)) return open_in_cluster(choice.service_account_dir, choice.connection, host);
    const std::string at_home = choice.read_environment ? home_file(*host) : std::string();
    if (at_home.empty() || !host->read_file(at_home, limits::manifest_bytes)) return nothing_found(choice);
    return open_kubeconfig({at_home}, choice, host);
}

// The pod's service account.

namespace {

constexpr std::int64_t max_port = 65'535;

result<std::string> server_of(const surroundings& host) {
    const std::string name = host.variable(host_variable);
    const std::string text = host.variable(port_variable);
    const auto port = parse_int64(text);
    if (!port || *port < 1 || *port > max_port) {
        return fail(error_class::config, "{}: expected a port number, got {}", port_variable, in_quotes(text));
    }
    std::string server = "https://" + http::host_and_port(name, static_cast<std::int32_t>(*port));
    const auto url = http::parse_url(server);
    if (url && url->path.empty() && url->is_base()) return server;
    return fail(error_class::config, "{}: expected a host name or address, got {}", host_variable, in_quotes(name));
}

result<std::shared_ptr<const http::tls_settings>> tls_of(const std::string& ca_file, http::tls_settings connection,
                                                         const surroundings& host) {
    auto read = host.read_file(ca_file, limits::secret_file_bytes);
    if (!read) {
        error why = read.take_failure();
        why.message = format_text(
            "the cluster's CA cannot be read: {}; is automountServiceAccountToken off, or the volume mounted "
            "elsewhere?",
            why.message);
        return why;
    }
    if (trim(read->reveal()).empty()) return fail_for_now("the cluster's CA file " + ca_file + " is empty");
    connection.ca_pem = read->reveal();
    connection.ca_file.clear();
    return std::make_shared<const http::tls_settings>(std::move(connection));
}

}  // namespace

result<cluster> open_in_cluster(const std::string& dir, const http::tls_settings& connection,
                                const std::shared_ptr<const surroundings>& host) {
    const std::string folder = dir.empty() ? service_account_dir : dir;
    cluster out;
    out.named = "the pod's service account";
    auto server = server_of(*host);
    if (!server) return server.take_failure();
    out.server = *std::move(server);
    auto tls = tls_of(folder + "/ca.crt", connection, *host);
    if (!tls) return tls.take_failure();
    out.access.tls = *std::move(tls);
    out.access.audience = audience_of(out.server);
    out.access.credential = open_mounted_token(folder + "/token", host);
    if (auto name_space = host->read_file(folder + "/namespace", limits::token_file_bytes)) {
        out.name_space = trim(name_space->reveal());
    }
    return out;
}

// Tokens in a mounted file.

namespace {

constexpr std::int64_t read_again_ms = 1'000;  // a refused token is replaced as soon as its file changes
// Use of the last token if the file is unreadable: a projected token's usual lifetime
constexpr std::int64_t kept_ms = 3'600'000;

result<token> mounted_token_now(const surroundings& host, const std::string& path, const moment& now) {
    auto value = read_mounted_token(host, path);
    if (!value) return value.take_failure();
    token out;
    out.value = *std::move(value);
    out.issued_at_ms = now.wall_ms;
    out.issued_at_steady_ms = now.steady_ms;
    out.refresh_at_ms = out.issued_at_ms + read_again_ms;
    out.usable_until_ms = out.expires_at_ms = out.issued_at_ms + kept_ms;
    return out;
}

}  // namespace

bool is_token_text(std::string_view text) {
    return !text.empty() && std::ranges::all_of(text, [](char c) { return c > 0x20 && c < 0x7f; });
}

result<secret_text> read_mounted_token(const surroundings& host, const std::string& path) {
    auto read = host.read_file(path, limits::token_file_bytes);
    if (!read) {
        error why = read.take_failure();
        why.message = "the token cannot be read: " + why.message;
        return why;
    }
    const std::string_view text = trim(read->reveal());
    if (text.empty())
        return fail_for_now(format_text("token file {} is empty; another process may be replacing it", path));
    if (is_token_text(text)) return secret_text(text);
    return fail(error_class::config, "token file {} contains no token: expected one word of printable characters",
                path);
}

std::shared_ptr<credential> open_mounted_token(std::string path, std::shared_ptr<const surroundings> host) {
    return make_credential("mounted_token\n" + path, {"token of file " + path},
                           [path, host = std::move(host)](const auto& under_way, const std::string&) {
                               under_way->finish_soon(mounted_token_now(*host, path, now_of(under_way->loop())));
                           });
}

}  // namespace gputide::auth

// Rules of in_cluster.hpp.
#include "auth/kubernetes/in_cluster.hpp"

#include "auth/kubernetes/mounted_token.hpp"
#include "base/format_text.hpp"
#include "base/limits.hpp"
#include "base/text.hpp"

#include <utility>

namespace gputide::auth {
namespace {

constexpr const char* host_variable = "KUBERNETES_SERVICE_HOST";
constexpr const char* port_variable = "KUBERNETES_SERVICE_PORT";
constexpr std::int64_t most_port = 65'535;

result<std::string> server_of(const surroundings& host) {
    const std::string name = host.environment(host_variable).value_or("");
    const std::string text = host.environment(port_variable).value_or("");
    const auto port = parse_int64(text);
    if (!port || *port < 1 || *port > most_port) {
        return fail(error_class::config, "{}: expected a port number, got {}", port_variable, in_quotes(text));
    }
    std::string server = "https://" + http::host_and_port(name, static_cast<std::int32_t>(*port));
    const auto url = http::parse_url(server);
    if (url && url->path.empty() && !url->has_user_info && !url->has_query && !url->has_fragment) return server;
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

bool is_in_cluster(const surroundings& host) {
    return !host.environment(host_variable).value_or("").empty() &&
           !host.environment(port_variable).value_or("").empty();
}

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

}  // namespace gputide::auth

#include "run/pages/pages.hpp"

#include "common/log.hpp"
#include "common/page.hpp"
#include "common/text.hpp"
#include "run/run.hpp"
#include "status_html.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <deque>
#include <strings.h>
#include <unistd.h>

namespace gputided {

namespace {

bool same(const std::string& a, const std::string& b) { return ::strcasecmp(a.c_str(), b.c_str()) == 0; }

bool is_address(const std::string& text) {
    in6_addr parsed{};
    return ::inet_pton(AF_INET, text.c_str(), &parsed) == 1 || ::inet_pton(AF_INET6, text.c_str(), &parsed) == 1;
}

std::string machine_name() {
    std::array<char, 256> out{};
    return ::gethostname(out.data(), out.size() - 1) == 0 ? out.data() : "";
}

// Tells whether the Host header is acceptable.  Protects against DNS rebinding, in which a foreign page points its own host name
// to this server and reads the pages in the visitor's browser.  Accepts an IP address, "localhost", this machine's name, names in
// `allowed`, and a missing host.
bool is_own_name(const std::string& host, const std::vector<std::string>& allowed) {
    if (host.empty() || same(host, "localhost") || is_address(host) || same(host, machine_name())) return true;
    return std::ranges::any_of(allowed, [&](const std::string& name) { return same(host, name); });
}

constexpr std::size_t min_token_bytes = 16;
constexpr std::size_t max_token_bytes = std::size_t{64} << 10;

// Compares in constant time, independent of the position of the first difference.
bool same_in_constant_time(const std::string& a, const std::string& b) {
    volatile unsigned char different = a.size() == b.size() ? 0 : 1;
    for (std::size_t i = 0; i < a.size(); ++i) {
        const char other = b.empty() ? '\0' : b[i % b.size()];
        different = different | static_cast<unsigned char>(a[i] ^ other);
    }
    return different == 0;
}

bool is_health_page(const web_request& request) { return request.path == "/healthz" || request.path == "/readyz"; }

// Decides which requests may read pages with names, queries and errors of workloads, with the token of --listen-token-file.
class page_access {
  public:
    // token_file "": no token.  Throws usage_error if the file is unreadable or its token is too short.
    explicit page_access(std::string token_file) : token_file_(std::move(token_file)) {
        if (has_token() && read_token(token_file_).size() < min_token_bytes) {
            throw usage_error("--listen-token-file " + token_file_ + ": its token has fewer than " +
                              std::to_string(min_token_bytes) + " bytes; create one with openssl rand -hex 32");
        }
    }

    bool has_token() const { return !token_file_.empty(); }

    // Reports whether the request came through the Unix socket or has the token.  Reads the file each time, because a mounted
    // Secret may change.
    bool has_login(const web_request& request) const {
        if (request.from == origin::unix_socket) return true;
        if (!has_token() || request.token.empty()) return false;
        try {
            const std::string wanted = read_token(token_file_);
            return wanted.size() >= min_token_bytes && same_in_constant_time(request.token, wanted);
        } catch (const usage_error&) {
            return false;
        }
    }

    // Reports whether the request may read every page: with has_login(), or from loopback if no token is configured.
    bool may_read(const web_request& request) const {
        return has_login(request) || (!has_token() && request.from == origin::loopback);
    }

  private:
    std::string token_file_;
};

// Reports whether every address serves the page: /healthz, /readyz and /metrics.
bool is_open_page(const web_request& request) { return is_health_page(request) || request.path == "/metrics"; }

// Returns the response for a page that the request may not read: 401 if a token would help, otherwise 403 with the remedy.
web_answer login_page(const page_access& access) {
    if (access.has_token()) {
        return {401,
                plain_text,
                "a token is needed: send it as Authorization: Bearer TOKEN, or as a password\n",
                "",
                {{"WWW-Authenticate", "Basic realm=\"gputided\", charset=\"UTF-8\""}}};
    }
    return {403, plain_text,
            "this address serves only /metrics, /healthz and /readyz; the other pages are on a loopback address or a "
            "Unix socket (another --listen), or here with --listen-token-file FILE\n"};
}

void log_listener(const web_server& server, const std::string& address, const page_access& access) {
    log_line("listening on " + server.place());
    if (server.from() != origin::network || access.has_token()) return;
    log_line("--listen " + address +
             ": other machines reach this address, so it serves only /metrics, /healthz and /readyz; use "
             "--listen-token-file FILE to serve the other pages to requests with its token, or another --listen "
             "127.0.0.1:PORT or unix:/PATH to serve them to this machine");
}

web_answer json_answer(std::string text) { return {200, "application/json; charset=utf-8", std::move(text)}; }

// Returns the page, which runs only its own script and style and connects only to this server.
web_answer status_page() {
    const std::string nonce = new_nonce();
    const std::string policy = content_policy(nonce) + "; connect-src 'self'; frame-ancestors 'none'";
    return {200, "text/html; charset=utf-8", filled(status_html, {{"NONCE", nonce}}), policy};
}

}  // namespace

std::string read_token(const std::string& path) {
    std::string out = read_text(path, max_token_bytes);
    const std::size_t last = out.find_last_not_of(" \t\r\n");
    out.erase(last == std::string::npos ? 0 : last + 1);
    return out;
}

paged_daemon::paged_daemon(const run_options& options, const char* mode, run_output& output)
    : options_(options), output_(output), board_(output), alive_until_ms_(steady_now_ms() + slack_ms), mode_(mode) {}

void paged_daemon::run_with_pages() {
    const page_access access(options_.listen_token_file);
    const auto answer_if_allowed = [&](web_request request) {
        request.has_login = access.has_login(request);
        return is_open_page(request) || access.may_read(request) ? answer(request) : login_page(access);
    };
    std::deque<web_server> servers;
    for (const std::string& address : options_.listen) {
        if (address.empty()) continue;
        servers.emplace_back(address, answer_if_allowed);
        log_listener(servers.back(), address, access);
    }
    std::optional<web_server> health_server;
    if (!options_.health_listen.empty()) {
        health_server.emplace(options_.health_listen, [&](const web_request& request) { return health(request); });
        log_line("listening for /healthz and /readyz on " + health_server->place());
    }
    run();
}

web_answer paged_daemon::health(const web_request& request) const {
    if (request.path == "/healthz") {
        if (steady_now_ms() < alive_until_ms_) return {200, plain_text, "ok\n"};
        return {503, plain_text, "the loop is stuck\n"};
    }
    if (request.path == "/readyz") {
        web_answer out = readiness();
        // The reason contains names of workloads and messages of the API server.
        if (request.from == origin::network && !request.has_login) {
            out.body = out.status == 200 ? "ready\n" : "not ready; the log and /readyz on loopback say why\n";
        }
        return out;
    }
    return {404, plain_text, "not found; the pages are /healthz and /readyz\n"};
}

web_answer paged_daemon::answer(const web_request& request) const {
    if (is_health_page(request)) return health(request);
    if (!is_own_name(request.host, options_.hosts)) {
        return {421, plain_text,
                printable(request.host) + " is not a name of this gputided; allow it with --allow-host\n"};
    }
    const problem_list& problems = board_.problems();
    if (request.path == "/") return status_page();
    if (request.path == "/status.json") {
        return json_answer(board_.read(
            [&](const numbers& all) { return status_json(all, problems, runtime_stats(), mode_, request.has_login); }));
    }
    if (request.path == "/problems.json") return json_answer(problems.json_text());
    if (request.path == "/history.json") {
        std::string body = board_.read([&](const numbers& all) { return history_json(all, request.scaler); });
        return body.empty() ? web_answer{404, plain_text, "no running scaler has this name\n"}
                            : json_answer(std::move(body));
    }
    const bool is_metrics = request.path == "/metrics";
    const auto cluster = is_metrics || request.path == "/cluster.json" ? this->cluster() : std::nullopt;
    if (is_metrics) {
        const std::string own = board_.read([&](const numbers& all) {
            return metrics_page(all, runtime_stats(), children(), output_.dropped_lines());
        });
        return {200, "text/plain; version=0.0.4; charset=utf-8",
                own + (cluster ? cluster_metrics(*cluster) : "") + problems.metrics()};
    }
    if (cluster) return json_answer(*cluster);
    return {
        404, plain_text,
        "not found; the pages are /metrics, /healthz, /readyz, /problems.json, / and, on a cluster, /cluster.json\n"};
}

}  // namespace gputided

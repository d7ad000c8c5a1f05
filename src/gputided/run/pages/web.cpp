#include "common/log.hpp"
#include "common/text.hpp"
#include "run/pages/pages.hpp"

#include <microhttpd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>

namespace gputided {

namespace {

// The open connections with the start of their current requests.  Used on the server's thread.  Shuts down slow connections, and
// the slowest if there are too many; the server closes these.
class connections {
  public:
    static constexpr unsigned max_count = 128;

    void opened(const void* connection, int socket, std::int64_t now_ms) {
        for (auto& [other, known] : all_) {
            if (now_ms - known.since_ms > request_timeout_ms) shut(known);
        }
        if (all_.size() >= max_count - spare) {
            const auto longer = [](const auto& a, const auto& b) {
                if (a.second.is_shut != b.second.is_shut) return b.second.is_shut;
                return a.second.since_ms < b.second.since_ms;
            };
            shut(std::min_element(all_.begin(), all_.end(), longer)->second);
        }
        all_[connection] = {socket, now_ms, false};
    }
    void answered(const void* connection, std::int64_t now_ms) {  // the connection's next request begins
        const auto at = all_.find(connection);
        if (at != all_.end()) at->second.since_ms = now_ms;
    }
    void closed(const void* connection) { all_.erase(connection); }

  private:
    static constexpr unsigned spare = 16;  // for new connections, until shut ones are closed
    static constexpr std::int64_t request_timeout_ms = 10'000;

    struct known_connection {
        int socket = -1;
        std::int64_t since_ms = 0;
        bool is_shut = false;
    };
    static void shut(known_connection& known) {
        if (!std::exchange(known.is_shut, true)) ::shutdown(known.socket, SHUT_RDWR);
    }

    std::map<const void*, known_connection> all_;
};

constexpr char bearer[] = "Bearer ";

// The policy of all responses without a script.
constexpr char no_content[] = "default-src 'none'; frame-ancestors 'none'";

// Returns "gputided.example" for "gputided.example:9105", and "::1" for "[::1]:9105".
std::string host_name(const char* header) {
    std::string out = header != nullptr ? header : "";
    if (!out.empty() && out.front() == '[') return out.substr(1, out.find(']') - 1);
    return out.substr(0, out.find(':'));
}

// Returns the token of "Bearer TOKEN", or the password of Basic, which browsers use.
std::string token_in(MHD_Connection* connection) {
    const char* header = ::MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Authorization");
    if (header == nullptr) return "";
    if (::strncasecmp(header, bearer, std::strlen(bearer)) == 0) return header + std::strlen(bearer);
    char* password = nullptr;
    char* user = ::MHD_basic_auth_get_username_password(connection, &password);
    std::string out = password != nullptr ? password : "";
    ::MHD_free(user);
    ::MHD_free(password);
    return out;
}

}  // namespace

struct web_server::state {
    std::function<web_answer(const web_request&)> answer;
    connections open;
    origin from = origin::network;
    std::string unix_path;  // "": a TCP port
    MHD_Daemon* daemon = nullptr;

    // where, what: MHD_OPTION_SOCK_ADDR with an address, or MHD_OPTION_LISTEN_SOCKET with a socket.
    template <class Where>
    void start(unsigned flags, MHD_OPTION where, Where what) {
        daemon = ::MHD_start_daemon(flags, 0, nullptr, nullptr, &state::handle, this, where, what,
                                    MHD_OPTION_CONNECTION_TIMEOUT, 10U, MHD_OPTION_CONNECTION_LIMIT,
                                    connections::max_count, MHD_OPTION_NOTIFY_CONNECTION, &state::on_connection, this,
                                    MHD_OPTION_NOTIFY_COMPLETED, &state::on_completed, this, MHD_OPTION_END);
    }

    static void on_connection(void* self, MHD_Connection* connection, void**, MHD_ConnectionNotificationCode what) {
        connections& open = static_cast<state*>(self)->open;
        const MHD_ConnectionInfo* info = ::MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
        if (what == MHD_CONNECTION_NOTIFY_STARTED && info != nullptr) {
            open.opened(connection, info->connect_fd, steady_now_ms());
        } else {
            open.closed(connection);
        }
    }

    static void on_completed(void* self, MHD_Connection* connection, void**, MHD_RequestTerminationCode) {
        static_cast<state*>(self)->open.answered(connection, steady_now_ms());
    }

    static MHD_Result handle(void* self, MHD_Connection* connection, const char* url, const char* method, const char*,
                             const char*, size_t*, void**) {
        web_answer out;
        const bool readable = std::strcmp(method, "GET") == 0 || std::strcmp(method, "HEAD") == 0;
        try {
            const char* scaler = ::MHD_lookup_connection_value(connection, MHD_GET_ARGUMENT_KIND, "scaler");
            const char* host = ::MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Host");
            const web_request request{url, host_name(host), scaler != nullptr ? scaler : "", token_in(connection),
                                      static_cast<state*>(self)->from};
            out = readable ? static_cast<state*>(self)->answer(request) : web_answer{405, plain_text, "only GET\n"};
        } catch (const std::exception& thrown) {
            out = {500, plain_text, std::string(thrown.what()) + "\n"};
        }
        MHD_Response* response =
            ::MHD_create_response_from_buffer(out.body.size(), out.body.data(), MHD_RESPMEM_MUST_COPY);
        if (response == nullptr) return MHD_NO;
        ::MHD_add_response_header(response, "Content-Type", out.type.c_str());
        ::MHD_add_response_header(response, "X-Content-Type-Options", "nosniff");
        ::MHD_add_response_header(response, "Referrer-Policy", "no-referrer");
        ::MHD_add_response_header(response, "Cache-Control", "no-store");
        const std::string& policy = out.content_policy;
        ::MHD_add_response_header(response, "Content-Security-Policy", policy.empty() ? no_content : policy.c_str());
        for (const auto& [name, value] : out.headers) {
            ::MHD_add_response_header(response, name.c_str(), value.c_str());
        }
        const MHD_Result queued = ::MHD_queue_response(connection, out.status, response);
        ::MHD_destroy_response(response);
        return queued;
    }
};

web_server::web_server(const std::string& address, std::function<web_answer(const web_request&)> answer)
    : state_(std::make_unique<state>()) {
    state_->answer = std::move(answer);
    state_->unix_path = socket_path(address);
    unsigned flags = MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_AUTO;
    if (!state_->unix_path.empty()) {
        const int socket = listen_unix(state_->unix_path).release();  // the server closes it
        state_->from = origin::unix_socket;
        state_->start(flags, MHD_OPTION_LISTEN_SOCKET, socket);
    } else {
        const found_addresses found = resolve_listen(address);
        if (found->ai_family == AF_INET6) flags |= MHD_USE_IPv6;
        state_->from = origin_of(*found);
        state_->start(flags, MHD_OPTION_SOCK_ADDR, found->ai_addr);
    }
    if (state_->daemon == nullptr) {
        throw usage_error("--listen " + address + ": " + std::strerror(errno) +
                          "; port 0 selects a free port, \"\" disables the pages");
    }
}

web_server::~web_server() {
    ::MHD_stop_daemon(state_->daemon);  // closes the socket
    if (!state_->unix_path.empty()) ::unlink(state_->unix_path.c_str());
}

std::string web_server::place() const {
    if (!state_->unix_path.empty()) return "unix:" + state_->unix_path;
    const MHD_DaemonInfo* info = ::MHD_get_daemon_info(state_->daemon, MHD_DAEMON_INFO_BIND_PORT);
    return "port " + std::to_string(info != nullptr ? info->port : 0);
}

origin web_server::from() const { return state_->from; }

}  // namespace gputided

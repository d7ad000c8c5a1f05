// The HTTP server of the pages with the sockets of --listen, and the client that reads a page of a running gputided for doctor
// --running.
#include "common/log.hpp"
#include "common/text.hpp"
#include "run/pages/pages.hpp"

#include <microhttpd.h>

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <cerrno>
#include <cstring>
#include <netdb.h>
#include <netinet/in.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

namespace gputided {

namespace {

constexpr unsigned long last_port = 65'535;
constexpr char unix_prefix[] = "unix:";
constexpr int backlog = 128;

struct address_text {
    std::string host;
    std::string port;
};

// Tells whether the text is a valid port; getaddrinfo would accept any number and keep its last 16 bits.
bool is_port(const std::string& text) {
    const bool digits = !text.empty() && text.size() <= 5 && text.find_first_not_of("0123456789") == std::string::npos;
    return digits && std::stoul(text) <= last_port;
}

address_text split_address(const std::string& address, const std::string& flag) {
    const std::size_t colon = address.rfind(':');
    if (colon == std::string::npos || !is_port(address.substr(colon + 1)))
        throw usage_error(flag + " " + address +
                          ": expected HOST:PORT with a port up to 65535, such as 127.0.0.1:9105, or unix:/PATH");
    address_text out{address.substr(0, colon), address.substr(colon + 1)};
    if (out.host.size() > 1 && out.host.front() == '[' && out.host.back() == ']') {
        out.host = out.host.substr(1, out.host.size() - 2);
    }
    return out;
}

// An address in the form of the sockets interface.
class socket_address {
  public:
    // Resolves "HOST:PORT", "[::1]:9105" or "unix:/run/gputided.sock".  Throws usage_error that names the flag.
    socket_address(const std::string& address, const std::string& flag) {
        if (address.rfind(unix_prefix, 0) == 0) {
            path_ = address.substr(std::strlen(unix_prefix));
            take_path(flag + " " + address);
            return;
        }
        const address_text parts = split_address(address, flag);
        addrinfo hints{};
        hints.ai_socktype = SOCK_STREAM;
        hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
        addrinfo* found = nullptr;
        const int failed =
            ::getaddrinfo(parts.host.empty() ? nullptr : parts.host.c_str(), parts.port.c_str(), &hints, &found);
        if (failed != 0) throw usage_error(flag + " " + address + ": " + ::gai_strerror(failed));
        size_bytes_ = found->ai_addrlen;
        std::memcpy(&bytes_, found->ai_addr, size_bytes_);
        ::freeaddrinfo(found);
    }

    int family() const { return bytes_.ss_family; }
    const std::string& path() const { return path_; }  // "": not a Unix socket
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): as the sockets interface has it
    const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&bytes_); }
    socklen_t size_bytes() const { return size_bytes_; }

    origin from() const {
        bool is_loopback = false;
        if (family() == AF_INET) {
            sockaddr_in at{};
            std::memcpy(&at, &bytes_, sizeof at);
            is_loopback = (ntohl(at.sin_addr.s_addr) >> 24U) == IN_LOOPBACKNET;
        } else if (family() == AF_INET6) {
            sockaddr_in6 at{};
            std::memcpy(&at, &bytes_, sizeof at);
            is_loopback = IN6_IS_ADDR_LOOPBACK(&at.sin6_addr);
        }
        return !path_.empty() ? origin::unix_socket : is_loopback ? origin::loopback : origin::network;
    }

  private:
    void take_path(const std::string& place) {
        sockaddr_un at{};
        at.sun_family = AF_UNIX;
        if (path_.size() >= sizeof at.sun_path)
            throw usage_error(place + ": the path has more than " + std::to_string(sizeof at.sun_path - 1) + " bytes");
        path_.copy(at.sun_path, sizeof at.sun_path - 1);
        size_bytes_ = sizeof at;
        std::memcpy(&bytes_, &at, sizeof at);
    }

    sockaddr_storage bytes_{};
    socklen_t size_bytes_ = 0;
    std::string path_;
};

bool binds(int socket, const socket_address& address) {
    return ::bind(socket, address.get(), address.size_bytes()) == 0;
}

// Tells whether the socket's file was left by a killed process.
bool has_no_listener(const socket_address& address) {
    struct stat about {};
    if (::lstat(address.path().c_str(), &about) != 0 || !S_ISSOCK(about.st_mode)) return false;
    const unique_descriptor probe(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    return ::connect(probe.get(), address.get(), address.size_bytes()) != 0 && errno == ECONNREFUSED;
}

// Listens on a Unix socket with mode 0600.  Replaces a socket without a listening process.  Throws usage_error.
unique_descriptor listen_unix(const socket_address& address) {
    unique_descriptor out(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    // Sets the mode before bind(), so that the file never has another mode.
    bool is_bound = out.is_open() && ::fchmod(out.get(), 0600) == 0 && binds(out.get(), address);
    const int error = errno;
    if (!is_bound && error == EADDRINUSE && has_no_listener(address)) {
        is_bound = ::unlink(address.path().c_str()) == 0 && binds(out.get(), address);
    }
    if (is_bound && ::listen(out.get(), backlog) == 0) return out;
    throw usage_error(std::string("--listen ") + unix_prefix + address.path() + ": " + std::strerror(error) +
                      "; name a file that does not exist yet, in a folder that can be written");
}

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
    const socket_address at(address, "--listen");
    state_->answer = std::move(answer);
    state_->unix_path = at.path();
    state_->from = at.from();
    unsigned flags = MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_AUTO;
    if (at.family() == AF_INET6) flags |= MHD_USE_IPv6;
    if (at.path().empty()) {
        state_->start(flags, MHD_OPTION_SOCK_ADDR, at.get());
    } else {
        state_->start(flags, MHD_OPTION_LISTEN_SOCKET, listen_unix(at).release());  // the server closes it
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

namespace {

constexpr char running_flag[] = "--running";
constexpr std::size_t max_page_bytes = std::size_t{64} << 20;

// A connection for one exchange, with one deadline for all of it.
class client_socket {
  public:
    client_socket(int family, std::int32_t timeout_ms)
        : socket_(::socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0)), deadline_ms_(steady_now_ms() + timeout_ms) {}

    bool connect(const socket_address& address) const {
        return limit_wait() && ::connect(socket_.get(), address.get(), address.size_bytes()) == 0;
    }

    bool send(std::string_view text) const {
        return limit_wait() &&
               ::send(socket_.get(), text.data(), text.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(text.size());
    }

    // Reads until the server closes the connection.
    bool receive(std::string& out) const {
        std::array<char, 1 << 14> piece{};
        while (limit_wait()) {
            const ssize_t size_bytes = ::recv(socket_.get(), piece.data(), piece.size(), 0);
            if (size_bytes == 0) return true;
            if (size_bytes < 0 && errno == EINTR) continue;
            if (size_bytes < 0) return false;
            out.append(piece.data(), static_cast<std::size_t>(size_bytes));
            if (out.size() <= max_page_bytes) continue;
            errno = EMSGSIZE;
            return false;
        }
        return false;
    }

  private:
    // Limits the next call to the time left, whatever the peer has sent meanwhile.
    bool limit_wait() const {
        const std::int64_t left_ms = deadline_ms_ - steady_now_ms();
        errno = ETIMEDOUT;
        if (left_ms <= 0) return false;
        const timeval left{left_ms / 1'000, left_ms % 1'000 * 1'000};
        ::setsockopt(socket_.get(), SOL_SOCKET, SO_SNDTIMEO, &left, sizeof left);  // also for connect()
        ::setsockopt(socket_.get(), SOL_SOCKET, SO_RCVTIMEO, &left, sizeof left);
        return true;
    }

    unique_descriptor socket_;
    std::int64_t deadline_ms_;  // on the steady clock
};

// Returns the text of errno; a call that reached its time limit sets EAGAIN or EINPROGRESS.
const char* failure_of_call() { return std::strerror(errno == EAGAIN || errno == EINPROGRESS ? ETIMEDOUT : errno); }

}  // namespace

page_read read_page(const std::string& address, const std::string& path, const std::string& token,
                    std::int32_t timeout_ms) {
    const std::string where = std::string(running_flag) + " " + address + ": ";
    std::string request = "GET " + path + " HTTP/1.0\r\n";
    if (!token.empty()) request += "Authorization: Bearer " + token + "\r\n";
    const socket_address at(address, running_flag);
    const client_socket socket(at.family(), timeout_ms);
    page_read out;
    if (!socket.connect(at) || !socket.send(request + "\r\n") || !socket.receive(out.body)) {
        const char* const why = failure_of_call();
        return {"", where + "no response: " + why};
    }
    const std::string_view response = out.body;
    const std::size_t end = response.find("\r\n\r\n"), blank = response.find(' ');
    if (response.rfind("HTTP/", 0) != 0 || end == std::string_view::npos || blank > end)
        return {"", where + "its response is not HTTP; give the --listen address of a gputided"};
    const std::string status(response.substr(blank + 1, 3));
    out.body.erase(0, end + 4);
    if (status != "200") return {"", where + "response " + status + ": " + out.body};
    return out;
}

}  // namespace gputided

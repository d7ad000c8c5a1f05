// Sockets, threads and an optional TLS layer; the mischief is in the scripts.
#include "support/fault_server.hpp"

#include <openssl/ssl.h>

#include <algorithm>
#include <arpa/inet.h>
#include <csignal>
#include <netinet/in.h>
#include <poll.h>
#include <stdexcept>
#include <sys/socket.h>
#include <unistd.h>

namespace gputide::testing {

namespace {

void must(bool holds, const char* what) {
    if (!holds) throw std::runtime_error(std::string("fault_server: ") + what);
}

ssl_ctx_st* make_tls(const tls_files& files) {
    SSL_CTX* out = SSL_CTX_new(TLS_server_method());
    must(SSL_CTX_use_certificate_chain_file(out, files.certificate.c_str()) == 1, "certificate");
    must(SSL_CTX_use_PrivateKey_file(out, files.key.c_str(), SSL_FILETYPE_PEM) == 1, "key");
    if (!files.client_ca.empty()) {
        must(SSL_CTX_load_verify_locations(out, files.client_ca.c_str(), nullptr) == 1, "client CA");
        SSL_CTX_set_verify(out, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
    }
    return out;
}

std::size_t content_length(std::string_view head) {
    static constexpr std::string_view name = "content-length:";
    std::string low(head);
    std::transform(low.begin(), low.end(), low.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    const std::size_t at = low.find(name);
    return at == std::string::npos ? 0 : std::stoul(low.substr(at + name.size()));
}

}  // namespace

connection::connection(fault_server& of, int socket, ssl_st* tls) : server_(of), socket_(socket), tls_(tls) {}

connection::~connection() {
    if (tls_ != nullptr) {
        SSL_shutdown(tls_);
        SSL_free(tls_);
    }
}

std::optional<std::string> connection::read_request() {
    std::size_t wanted = std::string::npos;
    for (;;) {
        const std::size_t head = unread_.find("\r\n\r\n");
        if (head != std::string::npos)
            wanted = head + 4 + content_length(std::string_view(unread_).substr(0, head + 2));
        if (unread_.size() >= wanted && wanted != std::string::npos) {
            std::string out = unread_.substr(0, wanted);
            unread_.erase(0, wanted);
            server_.request_seen(out);
            return out;
        }
        char bytes[16'384];
        const auto got = tls_ != nullptr ? SSL_read(tls_, bytes, sizeof bytes)
                                         : static_cast<int>(::recv(socket_, bytes, sizeof bytes, 0));
        if (got <= 0) return std::nullopt;
        unread_.append(bytes, static_cast<std::size_t>(got));
    }
}

bool connection::send(std::string_view bytes) {
    server_.answer_sent();
    while (!bytes.empty()) {
        const auto sent = tls_ != nullptr ? SSL_write(tls_, bytes.data(), static_cast<int>(bytes.size()))
                                          : static_cast<int>(::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL));
        if (sent <= 0) return false;
        bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
}

bool connection::pause(std::int64_t ms) {
    std::unique_lock lock(server_.mutex_);
    return !server_.stop_.wait_for(lock, std::chrono::milliseconds(ms), [this] { return server_.stopping_.load(); });
}

void connection::reset() {
    const linger at_once{1, 0};
    setsockopt(socket_, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
}

std::string connection::server_name() const {
    const char* name = tls_ == nullptr ? nullptr : SSL_get_servername(tls_, TLSEXT_NAMETYPE_host_name);
    return name == nullptr ? "" : name;
}

std::string plain_answer(std::string_view body, std::string_view status, std::string_view more_headers) {
    std::string out = "HTTP/1.1 ";
    out.append(status).append("\r\nContent-Length: ").append(std::to_string(body.size())).append("\r\n");
    return out.append(more_headers).append("\r\n").append(body);
}

fault_server::script answering(std::function<std::string(const std::string& request)> answer) {
    return [answer = std::move(answer)](connection& peer) {
        while (const auto request = peer.read_request()) {
            if (!peer.send(answer(*request))) return;
        }
    };
}

fault_server::fault_server(script run, const std::optional<tls_files>& tls) : run_(std::move(run)) {
    if (tls) tls_ = make_tls(*tls);
    listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in here{};
    here.sin_family = AF_INET;
    here.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    auto* address = reinterpret_cast<sockaddr*>(&here);
    socklen_t size = sizeof here;
    must(::bind(listener_, address, size) == 0 && ::listen(listener_, 1'024) == 0, "listen");
    must(::getsockname(listener_, address, &size) == 0, "port");
    port_ = ntohs(here.sin_port);
    acceptor_ = std::thread([this] { accept_all(); });
}

fault_server::~fault_server() {
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
        for (const int open_socket : open_sockets_) ::shutdown(open_socket, SHUT_RDWR);
    }
    stop_.notify_all();
    ::shutdown(listener_, SHUT_RDWR);
    acceptor_.join();
    for (std::thread& thread : threads_) thread.join();
    ::close(listener_);
    SSL_CTX_free(tls_);
}

std::string fault_server::url(std::string_view path, std::string_view host) const {
    return std::string(tls_ != nullptr ? "https://" : "http://").append(host) + ":" + std::to_string(port_) +
           std::string(path);
}

std::string fault_server::last_request() const {
    const std::lock_guard lock(mutex_);
    return last_request_;
}

void fault_server::accept_all() {
    for (;;) {
        const int socket = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
        if (socket < 0) return;
        const std::lock_guard lock(mutex_);
        if (stopping_) {
            ::close(socket);
            return;
        }
        open_sockets_.push_back(socket);
        threads_.emplace_back([this, socket, number = connections_++] { serve(socket, number); });
    }
}

void fault_server::serve(int socket, int number) {
    sigset_t
        broken_pipe;  // OpenSSL's own socket writes raise it; blocked here alone, the client has to live without that
    sigemptyset(&broken_pipe);
    sigaddset(&broken_pipe, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &broken_pipe, nullptr);
    ssl_st* tls = nullptr;
    if (tls_ != nullptr) {
        tls = SSL_new(tls_);
        SSL_set_fd(tls, socket);
    }
    if (tls == nullptr || SSL_accept(tls) == 1) {
        connection connection(*this, socket, tls);
        connection.number_ = number;
        run_(connection);
    } else {
        SSL_free(tls);
        // Closing with bytes unread would send an RST that overtakes the alert.
        ::shutdown(socket, SHUT_WR);
        char unread[4'096];
        while (::recv(socket, unread, sizeof unread, 0) > 0) {
        }
    }
    const std::lock_guard lock(mutex_);
    open_sockets_.remove(socket);
    ::close(socket);
}

void fault_server::request_seen(const std::string& text) {
    ++requests_;
    const int now = ++at_once_;
    int most = max_at_once_;
    while (most < now && !max_at_once_.compare_exchange_weak(most, now)) {
    }
    const std::lock_guard lock(mutex_);
    last_request_ = text;
}

void fault_server::answer_sent() {
    int now = at_once_;
    while (now > 0 && !at_once_.compare_exchange_weak(now, now - 1)) {
    }
}

}  // namespace gputide::testing

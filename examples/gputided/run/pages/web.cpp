#include "run/pages/web.hpp"

#include "common/clock.hpp"
#include "common/exit_status.hpp"
#include "run/pages/connections.hpp"

#include <microhttpd.h>

#include <cerrno>
#include <cstring>
#include <netdb.h>
#include <sys/socket.h>

namespace gputided {
namespace {

constexpr unsigned long last_port = 65'535;

// "gputided.example:9105" → "gputided.example", "[::1]:9105" → "::1".
std::string host_name(const char* header) {
    std::string out = header != nullptr ? header : "";
    if (!out.empty() && out.front() == '[') return out.substr(1, out.find(']') - 1);
    return out.substr(0, out.find(':'));
}

struct address_text {
    std::string host;
    std::string port;
};

// getaddrinfo takes any number and keeps its last 16 bits.
bool is_port(const std::string& text) {
    const bool digits = !text.empty() && text.size() <= 5 && text.find_first_not_of("0123456789") == std::string::npos;
    return digits && std::stoul(text) <= last_port;
}

address_text split_address(const std::string& address) {
    const std::size_t colon = address.rfind(':');
    if (colon == std::string::npos || !is_port(address.substr(colon + 1)))
        throw usage_error("--listen " + address + ": expected HOST:PORT, as 127.0.0.1:9105, and a port up to 65535");
    address_text out{address.substr(0, colon), address.substr(colon + 1)};
    if (out.host.size() > 1 && out.host.front() == '[' && out.host.back() == ']') {
        out.host = out.host.substr(1, out.host.size() - 2);
    }
    return out;
}

using found_addresses = std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)>;

found_addresses resolve(const std::string& address) {
    const address_text parts = split_address(address);
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
    addrinfo* found = nullptr;
    const int failed =
        ::getaddrinfo(parts.host.empty() ? nullptr : parts.host.c_str(), parts.port.c_str(), &hints, &found);
    if (failed != 0) throw usage_error("--listen " + address + ": " + ::gai_strerror(failed));
    return {found, &::freeaddrinfo};
}

}  // namespace

struct web_server::state {
    std::function<web_answer(const web_request&)> answer;
    connections who;
    MHD_Daemon* daemon = nullptr;

    static void on_connection(void* self, MHD_Connection* connection, void**, MHD_ConnectionNotificationCode what) {
        connections& who = static_cast<state*>(self)->who;
        const MHD_ConnectionInfo* info = ::MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
        if (what == MHD_CONNECTION_NOTIFY_STARTED && info != nullptr) {
            who.opened(connection, info->connect_fd, steady_now_ms());
        } else {
            who.closed(connection);
        }
    }

    static void on_completed(void* self, MHD_Connection* connection, void**, MHD_RequestTerminationCode) {
        static_cast<state*>(self)->who.answered(connection, steady_now_ms());
    }

    static MHD_Result handle(void* self, MHD_Connection* connection, const char* url, const char* method, const char*,
                             const char*, size_t*, void**) {
        web_answer out;
        const bool readable = std::strcmp(method, "GET") == 0 || std::strcmp(method, "HEAD") == 0;
        try {
            const char* scaler = ::MHD_lookup_connection_value(connection, MHD_GET_ARGUMENT_KIND, "scaler");
            const char* host = ::MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Host");
            const web_request request{url, host_name(host), scaler != nullptr ? scaler : ""};
            out = readable ? static_cast<state*>(self)->answer(request) : web_answer{405, plain_text, "only GET\n"};
        } catch (const std::exception& thrown) {
            out = {500, plain_text, std::string(thrown.what()) + "\n"};
        }
        MHD_Response* response =
            ::MHD_create_response_from_buffer(out.body.size(), out.body.data(), MHD_RESPMEM_MUST_COPY);
        if (response == nullptr) return MHD_NO;
        ::MHD_add_response_header(response, "Content-Type", out.type.c_str());
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
    const found_addresses found = resolve(address);
    const unsigned flags =
        MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_AUTO | (found->ai_family == AF_INET6 ? MHD_USE_IPv6 : MHD_NO_FLAG);
    state_->daemon =
        ::MHD_start_daemon(flags, 0, nullptr, nullptr, &state::handle, state_.get(), MHD_OPTION_SOCK_ADDR,
                           found->ai_addr, MHD_OPTION_CONNECTION_TIMEOUT, 10U, MHD_OPTION_CONNECTION_LIMIT,
                           connections::most, MHD_OPTION_NOTIFY_CONNECTION, &state::on_connection, state_.get(),
                           MHD_OPTION_NOTIFY_COMPLETED, &state::on_completed, state_.get(), MHD_OPTION_END);
    if (state_->daemon == nullptr) {
        throw usage_error("--listen " + address + ": " + std::strerror(errno) + "; port 0 takes a free one, \"\" none");
    }
}

web_server::~web_server() { ::MHD_stop_daemon(state_->daemon); }

int web_server::port() const {
    const MHD_DaemonInfo* info = ::MHD_get_daemon_info(state_->daemon, MHD_DAEMON_INFO_BIND_PORT);
    return info != nullptr ? info->port : 0;
}

}  // namespace gputided

// A Prometheus in a process of its own, which answers each query with one number.  A client that takes it for an API server reads an empty
// list, or a ScaledObject that is KEDA's.
#include "peer.hpp"

#include <arpa/inet.h>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <netinet/in.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

namespace exhaustion {
namespace {

#define ANSWER_OF_KIND(kind)                                                                                   \
    R"({"status":"success","data":{"resultType":"vector","result":[{"metric":{},"value":[1795255200,"7"]}]},)" \
    R"("metadata":{"name":"llm","finalizers":["finalizer.keda.sh"]},"items":[],"kind":")" kind R"("})"

constexpr char answer[] = ANSWER_OF_KIND("ScaledObject");
constexpr char answer_of_hpas[] = ANSWER_OF_KIND("HorizontalPodAutoscalerList");

// Requests are small and come whole; the connection stays, as a Prometheus keeps it.
void serve(int connection) {
    char request[16384];  // NOLINT
    for (;;) {
        std::size_t have = 0;
        do {
            const ssize_t got = ::read(connection, request + have, sizeof request - 1 - have);
            if (got <= 0) return;
            have += static_cast<std::size_t>(got);
            request[have] = '\0';
        } while (std::strstr(request, "\r\n\r\n") == nullptr && have < sizeof request - 1);
        char reply[1024];  // NOLINT
        const char* content = std::strstr(request, "/horizontalpodautoscalers ") != nullptr ? answer_of_hpas : answer;
        const int size = std::snprintf(
            reply, sizeof reply, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %zu\r\n\r\n%s",
            std::strlen(content), content);
        if (::write(connection, reply, static_cast<std::size_t>(size)) < 0) return;
    }
}

}  // namespace

int start_peer() {
    const int listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in here{};
    here.sin_family = AF_INET;
    here.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof here;
    auto* address = reinterpret_cast<sockaddr*>(&here);
    if (::bind(listener, address, size) != 0 || ::listen(listener, 64) != 0 ||
        ::getsockname(listener, address, &size) != 0) {
        std::perror("exhaustion: a port to listen on");
        std::exit(2);
    }
    if (::fork() == 0) {
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        std::signal(SIGCHLD, SIG_IGN);
        std::signal(SIGPIPE, SIG_IGN);
        for (;;) {
            const int connection = ::accept(listener, nullptr, nullptr);
            if (connection < 0) continue;
            if (::fork() == 0) {
                ::prctl(PR_SET_PDEATHSIG, SIGKILL);
                serve(connection);
                ::_exit(0);
            }
            ::close(connection);
        }
    }
    ::close(listener);
    return ntohs(here.sin_port);
}

}  // namespace exhaustion

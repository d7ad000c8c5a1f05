// Polls per second of processor time with 64 in flight over loopback: our client against a bare libcurl multi loop that
// sends the same requests to the same server.  Rounds alternate, the best of each counts.
//   gputide_bench_fetch          plain HTTP, a server of its own: fetch_loopback_64
//   gputide_bench_fetch URL      the server that is there, over TLS: fetch_tls_64; CA: SSL_CERT_FILE
#include "http/client.hpp"

#include <curl/curl.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

// A keep-alive HTTP server in a child process that gives every request the same Prometheus vector: the other end of
// fetch_loopback.  One thread, epoll, no parsing beyond the end of the head.

namespace gputide::bench {

class vector_server {
  public:
    vector_server();  // forks; the child serves until the parent ends it
    ~vector_server();
    vector_server(const vector_server&) = delete;
    vector_server& operator=(const vector_server&) = delete;

    std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }

  private:
    pid_t child_ = -1;
    int port_ = 0;
};

// Accepts, reads up to an empty line, writes the answer, again.

namespace {

std::string fixed_answer() {
    const std::string body =
        R"({"status":"success","data":{"resultType":"vector","result":[{"metric":{"__name__":"DCGM_FI_DEV_GPU_UTIL",)"
        R"("gpu":"0","UUID":"GPU-604ac76c-d9cf-fef3-62e9-d92044ab6e52","Hostname":"aks-gpu-0","pod":"worker-0",)"
        R"("namespace":"default"},"value":[1760000000.123,"84.5"]}]}})";
    return "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: " + std::to_string(body.size()) +
           "\r\n\r\n" + body;
}

int listen_on_loopback(int& port) {
    const int out = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in here{};
    here.sin_family = AF_INET;
    here.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    auto* address = reinterpret_cast<sockaddr*>(&here);
    socklen_t size = sizeof here;
    const bool bound = ::bind(out, address, size) == 0 && ::listen(out, 1'024) == 0;
    if (!bound || ::getsockname(out, address, &size) != 0) throw std::runtime_error("no port to listen on");
    port = ntohs(here.sin_port);
    return out;
}

void watch(int epoll, int socket) {
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.fd = socket;
    ::epoll_ctl(epoll, EPOLL_CTL_ADD, socket, &event);
}

// False: the peer is gone.
bool serve(int socket, std::string& unread, std::string_view answer) {
    std::array<char, 16'384> bytes{};
    const auto got = ::recv(socket, bytes.data(), bytes.size(), 0);
    if (got <= 0) return false;
    unread.append(bytes.data(), static_cast<std::size_t>(got));
    for (auto end = unread.find("\r\n\r\n"); end != std::string::npos; end = unread.find("\r\n\r\n")) {
        unread.erase(0, end + 4);
        if (::send(socket, answer.data(), answer.size(), MSG_NOSIGNAL) < 0) return false;
    }
    return true;
}

[[noreturn]] void serve_for_ever(int listener) {
    const std::string answer = fixed_answer();
    std::map<int, std::string> unread;
    const int epoll = ::epoll_create1(0);
    watch(epoll, listener);
    std::array<epoll_event, 256> events{};
    for (;;) {
        const int count = ::epoll_wait(epoll, events.data(), static_cast<int>(events.size()), -1);
        for (int i = 0; i < count; ++i) {
            const int socket = events[static_cast<std::size_t>(i)].data.fd;
            if (socket == listener) {
                const int fresh = ::accept(listener, nullptr, nullptr);
                const int at_once = 1;
                ::setsockopt(fresh, IPPROTO_TCP, TCP_NODELAY, &at_once, sizeof at_once);
                watch(epoll, fresh);
            } else if (!serve(socket, unread[socket], answer)) {
                unread.erase(socket);
                ::close(socket);
            }
        }
    }
}

}  // namespace

vector_server::vector_server() {
    const int listener = listen_on_loopback(port_);
    child_ = ::fork();
    if (child_ < 0) throw std::runtime_error("cannot fork");
    if (child_ == 0) {
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        serve_for_ever(listener);
    }
    ::close(listener);
}

vector_server::~vector_server() {
    ::kill(child_, SIGKILL);
    ::waitpid(child_, nullptr, 0);
}

}  // namespace gputide::bench

namespace {

using gputide::http::answer;
using gputide::http::client;
using gputide::http::request;

constexpr int in_flight = 64;
constexpr int polls = 20'000;
constexpr int rounds = 5;
constexpr const char* token = "Bearer abcdefghijklmnopqrstuvwxyz0123456789";

double processor_seconds() {
    rusage used{};
    getrusage(RUSAGE_SELF, &used);
    const auto seconds = [](const timeval& t) {
        return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
    };
    return seconds(used.ru_utime) + seconds(used.ru_stime);
}

std::string query(const std::string& base, int number) {
    return base + "/api/v1/query?query=avg%28DCGM_FI_DEV_GPU_UTIL%29&time=" + std::to_string(1'760'000'000 + number);
}

[[noreturn]] void give_up(const char* why) {
    std::fprintf(stderr, "fetch_loopback: %s\n", why);
    std::exit(1);
}

double polls_per_second_ours(client& on, const std::string& base) {
    int sent = 0, answered = 0, bytes = 0;
    std::function<void()> next = [&] {
        request what;
        what.url = query(base, sent++);
        what.carries_credential = true;
        what.set("Authorization", token);
        on.send(std::move(what), on.steady_ms() + 30'000, [&](const answer& got) {
            if (got.response.status != 200) give_up("a poll of ours failed");
            bytes += static_cast<int>(got.response.body.size());
            ++answered;
            if (sent < polls) next();
        });
    };
    const double before = processor_seconds();
    for (int i = 0; i < in_flight; ++i) next();
    if (!on.drive([&] { return answered == polls; }, on.steady_ms() + 120'000)) give_up("our polls took too long");
    return polls / (processor_seconds() - before);
}

std::size_t keep_body(char* bytes, std::size_t size, std::size_t count, void* body) {
    static_cast<std::string*>(body)->append(bytes, size * count);
    return size * count;
}

// As little as a program can do that polls with libcurl: handles made once, one new URL per poll.
class bare_loop {
  public:
    explicit bare_loop(std::string base) : base_(std::move(base)), multi_(curl_multi_init()), bodies_(in_flight) {
        headers_ = curl_slist_append(nullptr, (std::string("Authorization: ") + token).c_str());
        for (std::string& body : bodies_) {
            CURL* handle = curl_easy_init();
            curl_easy_setopt(handle, CURLOPT_NOSIGNAL, 1L);
            curl_easy_setopt(handle, CURLOPT_HTTPHEADER, headers_);
            curl_easy_setopt(handle, CURLOPT_ACCEPT_ENCODING, "gzip");
            curl_easy_setopt(handle, CURLOPT_USERAGENT, "gputide/0.2.0");
            curl_easy_setopt(handle, CURLOPT_TIMEOUT_MS, 30'000L);
            if (const char* roots = std::getenv("SSL_CERT_FILE")) curl_easy_setopt(handle, CURLOPT_CAINFO, roots);
            curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, &keep_body);
            curl_easy_setopt(handle, CURLOPT_WRITEDATA, &body);
            curl_easy_setopt(handle, CURLOPT_PRIVATE, &body);
            handles_.push_back(handle);
        }
    }
    ~bare_loop() {
        for (CURL* handle : handles_) curl_easy_cleanup(handle);
        curl_multi_cleanup(multi_);
        curl_slist_free_all(headers_);
    }
    bare_loop(const bare_loop&) = delete;
    bare_loop& operator=(const bare_loop&) = delete;

    double polls_per_second() {
        int sent = 0, answered = 0, running = 0, left = 0;
        const double before = processor_seconds();
        for (CURL* handle : handles_) start(handle, sent++);
        while (answered < polls) {
            curl_multi_perform(multi_, &running);
            while (const CURLMsg* said = curl_multi_info_read(multi_, &left)) {
                CURL* handle = said->easy_handle;
                if (said->data.result != CURLE_OK) give_up("a poll of the bare loop failed");
                curl_multi_remove_handle(multi_, handle);
                ++answered;
                if (sent < polls) start(handle, sent++);
            }
            if (answered < polls) curl_multi_poll(multi_, nullptr, 0, 1'000, nullptr);
        }
        return polls / (processor_seconds() - before);
    }

  private:
    void start(CURL* handle, int number) {
        std::string* body = nullptr;
        curl_easy_getinfo(handle, CURLINFO_PRIVATE, &body);
        body->clear();
        curl_easy_setopt(handle, CURLOPT_URL, query(base_, number).c_str());
        curl_multi_add_handle(multi_, handle);
    }

    std::string base_;
    CURLM* multi_;
    curl_slist* headers_ = nullptr;
    std::vector<std::string> bodies_;
    std::vector<CURL*> handles_;
};

}  // namespace

int main(int argc, char** argv) {
    std::optional<gputide::bench::vector_server> own;
    const bool tls = argc == 2;
    if (!tls) own.emplace();
    const std::string url = tls ? argv[1] : own->url();
    const auto ours = client::open();
    if (!ours) give_up(ours.failure().message.c_str());
    bare_loop bare(url);
    double best_ours = 0, best_bare = 0;
    for (int round = 0; round < rounds; ++round) {
        best_bare = std::max(best_bare, bare.polls_per_second());
        best_ours = std::max(best_ours, polls_per_second_ours(**ours, url));
    }
    std::printf(
        "[{\"name\":\"%s\",\"value\":%.0f,\"unit\":\"polls/cpu-s\",\"baseline\":\"bare libcurl multi\","
        "\"baseline_value\":%.0f,\"ratio\":%.3f,\"note\":\"best of %d rounds of %d polls each\"}]\n",
        tls ? "fetch_tls_64" : "fetch_loopback_64", best_ours, best_bare, best_ours / best_bare, rounds, polls);
    return 0;
}

// HTTP/2 over TLS against nginx: many requests share one connection, until it brings nothing any more.
#include "fetching.hpp"
#include "support/silent_peer.hpp"

#include <array>
#include <atomic>
#include <csignal>
#include <poll.h>
#include <set>
#include <spawn.h>
#include <sstream>
#include <sys/wait.h>
#include <thread>

namespace gputide::http {
namespace {

// Hands bytes on between its callers and a port; those who came before a call of stop_forwarding() are acknowledged and no more.
class hole {
  public:
    explicit hole(int port) : port_(port), accepting_([this] { accept_all(); }) {}
    ~hole() {
        is_ending_ = true;
        ::close(connect_to(peer_.port()));  // so that accept() returns
        accepting_.join();
        for (std::thread& thread : forwarding_) thread.join();
    }
    hole(const hole&) = delete;
    hole& operator=(const hole&) = delete;

    std::string url() const { return "https://localhost:" + std::to_string(peer_.port()) + "/"; }
    int connections() const { return connections_; }
    void stop_forwarding() { swallowed_ = connections_.load(); }

  private:
    static int connect_to(int port) {
        const int out = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        const sockaddr_in there = testing::loopback(port);
        ::connect(out, reinterpret_cast<const sockaddr*>(&there), sizeof there);
        return out;
    }
    void accept_all() {
        while (!is_ending_) {
            const int caller = peer_.accept();
            const int number = ++connections_;
            forwarding_.emplace_back([this, caller, number] { forward(caller, connect_to(port_), number); });
        }
    }
    void forward(int caller, int server, int number) const {
        std::array<char, 16'384> bytes{};
        std::array<pollfd, 2> ends{pollfd{caller, POLLIN, 0}, pollfd{server, POLLIN, 0}};
        for (bool is_open = true; is_open && !is_ending_;) {
            ::poll(ends.data(), ends.size(), 20);
            for (std::size_t i = 0; i < ends.size(); ++i) {
                if (ends[i].revents == 0) continue;
                const ssize_t count = ::read(ends[i].fd, bytes.data(), bytes.size());
                is_open = is_open && count > 0;
                const bool is_handed_on = count > 0 && number > swallowed_;
                if (is_handed_on) (void)!::write(ends[1 - i].fd, bytes.data(), static_cast<std::size_t>(count));
            }
        }
        ::close(caller);
        ::close(server);
    }

    const testing::silent_peer peer_;
    const int port_;
    std::atomic<bool> is_ending_{false};
    std::atomic<int> connections_{0}, swallowed_{0};
    std::vector<std::thread> forwarding_;  // the accepting thread's, until that has ended
    std::thread accepting_;
};

class nginx {
  public:
    explicit nginx(const testing::certificate_folder& in)
        : log_(in.path("access.log")), port_(testing::silent_peer().port()) {
        std::ofstream(in.path("nginx.conf"))
            << "daemon off; master_process off; pid " << in.path("nginx.pid") << "; error_log " << in.path("error.log")
            << ";\n"
            << "events { worker_connections 256; }\n"
            << "http { log_format one '$connection $server_protocol'; access_log " << log_ << " one;\n"
            << "client_body_temp_path " << in.path("body") << "; proxy_temp_path " << in.path("proxy") << ";\n"
            << "fastcgi_temp_path " << in.path("fcgi") << "; uwsgi_temp_path " << in.path("uwsgi")
            << "; scgi_temp_path " << in.path("scgi") << ";\n"
            << "server { listen 127.0.0.1:" << port_ << " ssl http2; ssl_certificate " << in.path("good.pem")
            << "; ssl_certificate_key " << in.path("good.key") << ";\n"
            << "location /never { proxy_pass http://127.0.0.1:" << silent_.port() << "; }\n"
            << "location / { return 200 '$server_protocol'; } } }\n";
        std::string program = GPUTIDE_NGINX, config = in.path("nginx.conf"), flag = "-c";
        char* arguments[] = {program.data(), flag.data(), config.data(), nullptr};
        if (posix_spawn(&child_, program.c_str(), nullptr, nullptr, arguments, environ) != 0)
            throw std::runtime_error("nginx");
    }
    ~nginx() {
        ::kill(child_, SIGTERM);
        ::waitpid(child_, nullptr, 0);
    }
    nginx(const nginx&) = delete;
    nginx& operator=(const nginx&) = delete;

    std::string url() const { return "https://localhost:" + std::to_string(port_) + "/"; }
    int port() const { return port_; }
    std::set<std::string> connections() const {
        std::ifstream in(log_);
        std::set<std::string> out;
        for (std::string line; std::getline(in, line);) out.insert(line);
        return out;
    }

  private:
    const testing::silent_peer silent_;
    std::string log_;
    int port_;
    pid_t child_ = -1;
};

TEST(Http2, ManyRequestsShareAConnection) {
    const testing::certificate_folder folder;
    const nginx server(folder);
    const auto client = open_client();
    auto tls = std::make_shared<tls_settings>();
    tls->ca_pem = folder.text("ours.pem");
    request what = get(server.url());
    what.tls = tls;
    answer first = fetch(*client, what);
    for (int i = 0; i < 100 && first.fault == fault::connect; ++i) {  // until it listens
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        first = fetch(*client, what);
    }
    ASSERT_EQ(first.response.body, "HTTP/2.0") << first.fault_text;
    const std::int64_t deadline = client->steady_ms() + 20'000;
    std::atomic<int> good{0};
    for (int i = 0; i < 64; ++i) {
        client->send(what, deadline, [&](const answer& got) { good += got.response.body == "HTTP/2.0" ? 1 : 0; });
    }
    EXPECT_TRUE(client->drive([&] { return good == 64; }, deadline)) << good;
    EXPECT_EQ(server.connections().size(), 1U);
}

// The first requests meet a server with a protocol that is not known yet: they wait for the first connection instead of opening 64.
TEST(Http2, ABurstWaitsForTheFirstConnection) {
    const testing::certificate_folder folder;
    const nginx server(folder);
    {
        const auto probe = open_client();
        for (int i = 0; i < 100 && fetch(*probe, get(server.url())).fault == fault::connect; ++i) {
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
        }
    }
    const auto client = open_client();
    auto tls = std::make_shared<tls_settings>();
    tls->ca_pem = folder.text("ours.pem");
    request what = get(server.url());
    what.tls = tls;
    const std::int64_t deadline = client->steady_ms() + 20'000;
    std::atomic<int> good{0};
    for (int i = 0; i < 64; ++i) {
        client->send(what, deadline, [&](const answer& got) { good += got.response.status == 200 ? 1 : 0; });
    }
    EXPECT_TRUE(client->drive([&] { return good == 64; }, deadline)) << good;
    EXPECT_LE(server.connections().size(), 2U);
}

struct Http2Silence : ::testing::Test {
    const testing::certificate_folder folder;
    const nginx server{folder};
    const std::shared_ptr<client> asking = open_client();

    request question(std::string url, std::int64_t timeout_ms) const {
        auto tls = std::make_shared<tls_settings>();
        tls->ca_pem = folder.text("ours.pem");
        request out = get(std::move(url));
        out.tls = tls;
        out.attempt_timeout_ms = timeout_ms;
        return out;
    }
    void SetUp() override {
        for (int i = 0; i < 100 && fetch(*asking, question(server.url(), 5'000)).fault == fault::connect; ++i)
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
};

// As if a NAT has forgotten it, or a server hangs while its system still answers.
TEST_F(Http2Silence, AConnectionThatBringsNothingIsNotAskedASecondTime) {
    hole between(server.port());
    for (int i = 0; i < 2; ++i) ASSERT_EQ(fetch(*asking, question(between.url(), 5'000)).response.status, 200);
    ASSERT_EQ(between.connections(), 1);
    between.stop_forwarding();
    EXPECT_EQ(fetch(*asking, question(between.url(), 1'500)).fault, fault::timeout);
    EXPECT_EQ(fetch(*asking, question(between.url(), 5'000)).response.status, 200);
    EXPECT_EQ(between.connections(), 2);
}

// A request that shares it ends with it, soon and not each by its own limit.
TEST_F(Http2Silence, WhatSharesTheConnectionEndsWithIt) {
    hole between(server.port());
    ASSERT_EQ(fetch(*asking, question(between.url(), 5'000)).response.status, 200);
    between.stop_forwarding();
    std::atomic<bool> is_over{false};
    fault how{};
    asking->send(question(between.url(), 60'000), asking->steady_ms() + 60'000, [&](const answer& given) {
        how = given.fault;
        is_over = true;
    });
    EXPECT_EQ(fetch(*asking, question(between.url(), 1'500)).fault, fault::timeout);
    EXPECT_TRUE(asking->drive([&] { return is_over.load(); }, asking->steady_ms() + 10'000));
    EXPECT_EQ(how, fault::reset);
}

TEST_F(Http2Silence, AConnectionThatBringsOthersTheirAnswersStays) {
    std::atomic<bool> is_over{false};
    fault how{};
    asking->send(question(server.url() + "never", 3'000), asking->steady_ms() + 10'000, [&](const answer& given) {
        how = given.fault;
        is_over = true;
    });
    while (!is_over) {
        EXPECT_EQ(fetch(*asking, question(server.url(), 5'000)).response.status, 200);
        asking->drive([&] { return is_over.load(); }, asking->steady_ms() + 100);
    }
    EXPECT_EQ(how, fault::timeout);
    EXPECT_EQ(fetch(*asking, question(server.url(), 5'000)).response.status, 200);
    EXPECT_EQ(server.connections().size(), 1U);
}

}  // namespace
}  // namespace gputide::http

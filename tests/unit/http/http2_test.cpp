// HTTP/2 over TLS against nginx: many requests share one connection.
#include "certificates.hpp"
#include "fetching.hpp"

#include <arpa/inet.h>
#include <csignal>
#include <set>
#include <spawn.h>
#include <sstream>
#include <sys/socket.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace gputide::http {
namespace {

int free_port() {
    const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in here{};
    here.sin_family = AF_INET;
    here.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof here;
    ::bind(socket, reinterpret_cast<sockaddr*>(&here), size);
    ::getsockname(socket, reinterpret_cast<sockaddr*>(&here), &size);
    ::close(socket);
    return ntohs(here.sin_port);
}

class nginx {
  public:
    explicit nginx(const testing::certificate_folder& in) : log_(in.path("access.log")), port_(free_port()) {
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
    std::set<std::string> connections() const {
        std::ifstream in(log_);
        std::set<std::string> out;
        for (std::string line; std::getline(in, line);) out.insert(line);
        return out;
    }

  private:
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

// The first requests meet a server whose protocol is not known yet: they wait for the first connection instead of opening 64.
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

}  // namespace
}  // namespace gputide::http

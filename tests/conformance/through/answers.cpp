#include "through/answers.hpp"

#include "protocol/structs.hpp"
#include "through/manifests.hpp"

#include <arpa/inet.h>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <netinet/in.h>
#include <stdexcept>
#include <string_view>
#include <sys/socket.h>
#include <system_error>
#include <unistd.h>

namespace conformance {
namespace {

constexpr std::int64_t asked_ms = 1'800'000'000'000;
constexpr std::int32_t fetch_timeout_ms = 20'000;

std::string header_lines(const json& headers) {
    std::string out;
    for (const auto& [name, value] : headers.items()) out += name + ": " + value.get<std::string>() + "\r\n";
    return out;
}

json outcome(c_api& library, const json& open_source, const json& read) {
    const json results = library.results({open_source, read});
    worked(results[0]);
    if (results[1].contains("error")) {
        const json& error = results[1].at("error");
        const json detail = json::parse(error.at("detail").get<std::string>(), nullptr, false);
        return {{"ok", false}, {"error", error}, {"detail", detail.is_object() ? detail : json::object()}};
    }
    json out = json::parse(worked(results[1]).at("json").get<std::string>());
    out["ok"] = true;
    return out;
}

}  // namespace

json parse_all(c_api& library, const json& open_source, const http_answer& answer) {
    return outcome(library, open_source,
                   {{"call", "source.parse_all"},
                    {"source", "source"},
                    {"http_status", answer.status},
                    {"headers", json_text(header_lines(answer.headers))},
                    {"body", json_text(answer.body)}});
}

json fetch_all(c_api& library, const json& open_source) {
    return outcome(
        library, open_source,
        {{"call", "source.fetch_all"}, {"source", "source"}, {"now_ms", asked_ms}, {"timeout_ms", fetch_timeout_ms}});
}

std::optional<std::int64_t> detail_number(const json& detail, const char* member) {
    if (!detail.contains(member)) return std::nullopt;
    return integer_in(detail.at(member));
}

json number_or_word(const std::string& text) {
    if (text == "NaN" || text == "+Inf" || text == "-Inf") return text;
    char* end = nullptr;
    const double value = std::strtod(text.c_str(), &end);
    if (text.empty() || *end != '\0') throw std::invalid_argument("not a number: " + text);
    return json_real(value);
}

json value_of(const json& point) { return point.contains("text") ? point.at("text") : point.at("value"); }

namespace {

std::string wire_form(const http_answer& answer) {
    std::string out = "HTTP/1.1 " + std::to_string(answer.status) +
                      " -\r\nConnection: close\r\nContent-Length: " + std::to_string(answer.body.size()) + "\r\n";
    for (const auto& [name, value] : answer.headers.items()) out += name + ": " + value.get<std::string>() + "\r\n";
    return out.append("\r\n").append(answer.body);
}

void answer_one(int peer, std::string_view rest) {
    std::string request;
    std::array<char, 4096> buffer{};
    while (request.find("\r\n\r\n") == std::string::npos) {
        const ssize_t size = ::recv(peer, buffer.data(), buffer.size(), 0);
        if (size <= 0) return;
        request.append(buffer.data(), static_cast<std::size_t>(size));
    }
    while (!rest.empty()) {
        const ssize_t sent = ::send(peer, rest.data(), rest.size(), MSG_NOSIGNAL);
        if (sent <= 0) return;
        rest.remove_prefix(static_cast<std::size_t>(sent));
    }
}

}  // namespace

loopback_server::loopback_server(const http_answer& answer) : answer_(wire_form(answer)) {
    listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* const plain = reinterpret_cast<sockaddr*>(&address);  // NOLINT: the sockets interface
    if (listener_ < 0 || ::bind(listener_, plain, size) != 0 || ::listen(listener_, 4) != 0 ||
        ::getsockname(listener_, plain, &size) != 0) {
        throw std::system_error(errno, std::generic_category(), "loopback socket");
    }
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { serve(); });
}

loopback_server::~loopback_server() {
    ::shutdown(listener_, SHUT_RDWR);  // ends accept()
    thread_.join();
    ::close(listener_);
}

void loopback_server::serve() const {
    for (;;) {
        const int peer = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
        if (peer < 0 && errno == EINTR) continue;
        if (peer < 0) return;
        answer_one(peer, answer_);
        ::close(peer);
    }
}

}  // namespace conformance

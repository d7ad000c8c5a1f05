#include "run/pages/page_access.hpp"

#include "common/exit_status.hpp"
#include "common/files.hpp"
#include "run/pages/shared_pages.hpp"

#include <cstddef>
#include <utility>

namespace gputided {
namespace {

constexpr std::size_t min_token_bytes = 16;
constexpr std::size_t max_token_bytes = std::size_t{64} << 10;

std::string read_token(const std::string& path) {
    std::string out = read_text(path, max_token_bytes);
    const std::size_t last = out.find_last_not_of(" \t\r\n");
    out.erase(last == std::string::npos ? 0 : last + 1);
    return out;
}

// Takes as long for a token that is wrong in its first byte as for one that is wrong in its last.
bool same_in_constant_time(const std::string& a, const std::string& b) {
    volatile unsigned char different = a.size() == b.size() ? 0 : 1;
    for (std::size_t i = 0; i < a.size(); ++i) {
        const char other = b.empty() ? '\0' : b[i % b.size()];
        different = different | static_cast<unsigned char>(a[i] ^ other);
    }
    return different == 0;
}

}  // namespace

page_access::page_access(std::string token_file) : token_file_(std::move(token_file)) {
    if (has_token() && read_token(token_file_).size() < min_token_bytes) {
        throw usage_error("--listen-token-file " + token_file_ + ": its token has fewer than " +
                          std::to_string(min_token_bytes) + " bytes; write one by openssl rand -hex 32");
    }
}

bool page_access::has_login(const web_request& request) const {
    if (request.from == origin::unix_socket) return true;
    if (!has_token() || request.token.empty()) return false;
    try {
        const std::string wanted = read_token(token_file_);
        return wanted.size() >= min_token_bytes && same_in_constant_time(request.token, wanted);
    } catch (const usage_error&) {
        return false;
    }
}

bool page_access::may_read(const web_request& request) const {
    return has_login(request) || (!has_token() && request.from == origin::loopback);
}

bool is_open_page(const web_request& request) { return is_health_page(request) || request.path == "/metrics"; }

web_answer login_page(const page_access& access) {
    if (access.has_token()) {
        return {401,
                plain_text,
                "a token is needed: send it as Authorization: Bearer TOKEN, or as a password\n",
                "",
                {{"WWW-Authenticate", "Basic realm=\"gputided\", charset=\"UTF-8\""}}};
    }
    return {
        403, plain_text,
        "this address serves /metrics, /healthz and /readyz alone; the other pages are on a loopback address or a Unix "
        "socket (a further --listen), or here with --listen-token-file FILE\n"};
}

}  // namespace gputided

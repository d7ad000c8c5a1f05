// Rules of mounted_token.hpp.
#include "auth/kubernetes/mounted_token.hpp"

#include "base/format_text.hpp"
#include "base/limits.hpp"
#include "base/text.hpp"

#include <algorithm>
#include <utility>

namespace gputide::auth {
namespace {

constexpr std::int64_t read_again_ms = 1'000;  // a refused token is replaced as soon as its file changes
constexpr std::int64_t kept_ms = 3'600'000;    // if the file becomes unreadable: a projected token's usual lifetime

class mounted_token_credential final : public credential {
  public:
    mounted_token_credential(std::string path, std::shared_ptr<const surroundings> host)
        : path_(std::move(path)), host_(std::move(host)) {}

    std::string cache_key() const override { return "mounted_token\n" + path_; }

    introduction about() const override { return {"token of file " + path_, {}, {}, {}, {}, nullptr}; }

    std::shared_ptr<http::exchange> acquire(http::loop& loop, const std::string&, std::int64_t deadline_ms,
                                            token_done done) override {
        auto under_way = std::make_shared<acquisition>(loop, deadline_ms, std::move(done));
        under_way->finish_soon(token_now(loop));
        return under_way;
    }

  private:
    result<token> token_now(const http::loop& loop) const {
        auto value = read_mounted_token(*host_, path_);
        if (!value) return value.take_failure();
        token out;
        out.value = *std::move(value);
        out.issued_at_ms = loop.wall_ms();
        out.issued_at_steady_ms = loop.steady_ms();
        out.refresh_at_ms = out.issued_at_ms + read_again_ms;
        out.usable_until_ms = out.expires_at_ms = out.issued_at_ms + kept_ms;
        return out;
    }

    const std::string path_;
    const std::shared_ptr<const surroundings> host_;
};

}  // namespace

bool is_token_text(std::string_view text) {
    return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c > 0x20 && c < 0x7f; });
}

result<secret_text> read_mounted_token(const surroundings& host, const std::string& path) {
    auto read = host.read_file(path, limits::token_file_bytes);
    if (!read) {
        error why = read.take_failure();
        why.message = "the token cannot be read: " + why.message;
        return why;
    }
    const std::string_view text = trim(read->reveal());
    if (text.empty())
        return fail_for_now(format_text("token file {} is empty; it may be replaced at this moment", path));
    if (is_token_text(text)) return secret_text(text);
    return fail(error_class::config, "token file {} holds no token: expected one word of printable characters", path);
}

std::shared_ptr<credential> open_mounted_token(std::string path, std::shared_ptr<const surroundings> host) {
    return std::make_shared<mounted_token_credential>(std::move(path), std::move(host));
}

}  // namespace gputide::auth

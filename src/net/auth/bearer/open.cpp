// Tokens from files.
#include "auth/bearer/open.hpp"

#include "auth/machine/program.hpp"
#include "auth/token/claims.hpp"
#include "base/limits.hpp"
#include "base/text.hpp"

#include <algorithm>
#include <utility>

namespace gputide::auth {

namespace {

constexpr std::int64_t between_reads_s = 60;

class bearer_file final : public credential {
  public:
    // folder: the file must be inside it after resolving links; "": anywhere.
    bearer_file(std::string path, std::string folder, std::shared_ptr<const surroundings> host)
        : path_(std::move(path)), folder_(std::move(folder)), host_(std::move(host)) {}

    std::string cache_key() const override { return "bearer_file\n" + path_ + "\n" + folder_; }

    introduction about() const override { return {"token of file " + path_, {}, {}, {}, {}, nullptr}; }

    std::shared_ptr<http::exchange> acquire(http::loop& loop, const std::string&, std::int64_t deadline_ms,
                                            token_done done) override {
        auto under_way = std::make_shared<acquisition>(loop, deadline_ms, std::move(done));
        under_way->finish_soon(read({loop.wall_ms(), loop.steady_ms()}));
        return under_way;
    }

  private:
    result<token> read(const moment& now) const {
        const auto content = folder_.empty() ? host_->read_file(path_, limits::token_file_bytes)
                                             : host_->read_file_inside(folder_, path_, limits::token_file_bytes);
        if (!content) {
            error why = fail(error_class::config, "the token file cannot be read: {}", content.failure().message);
            why.retryable = content.failure().retryable;
            return why;
        }
        return read_held_token(*content, now, {"the token file " + path_, between_reads_s, between_reads_s});
    }

    const std::string path_;
    const std::string folder_;
    const std::shared_ptr<const surroundings> host_;
};

bool climbs(const std::string& path) {
    const auto parts = split(path, '/');
    return std::find(parts.begin(), parts.end(), "..") != parts.end() || path.find('\0') != std::string::npos;
}

}  // namespace

result<std::shared_ptr<credential>> open_bearer_file(const std::string& path, const host_permissions& permissions,
                                                     std::shared_ptr<const surroundings> host) {
    if (path.empty())
        return fail(error_class::config,
                    "tokenFile is missing: a parameter (secretTargetRef, configMapTargetRef or env) with the path of "
                    "the token's file");
    std::string folder = permissions.secrets_dir;
    if (folder.empty()) {
        return fail(error_class::config,
                    "tokenFile {} is not read: the host program has no folder for secrets. Set one (secrets_dir, "
                    "gputided --secrets-dir)",
                    in_quotes(path));
    }
    if (folder.back() != '/') folder += '/';
    const bool absolute = path.front() == '/';
    if (climbs(path) || (absolute && path.compare(0, folder.size(), folder) != 0)) {
        return fail(
            error_class::config,
            "tokenFile {} is outside the host program's folder {} for secrets (secrets_dir, gputided --secrets-dir)",
            in_quotes(path), folder);
    }
    const std::string inside = permissions.tenant.is_limited() ? permissions.secrets_dir : std::string();
    return std::shared_ptr<credential>(
        std::make_shared<bearer_file>(absolute ? path : folder + path, inside, std::move(host)));
}

// Tokens from programs.

namespace {

constexpr std::int64_t limit_ms = 30'000;
constexpr std::int64_t unsaid_life_s = 300;

class bearer_exec final : public credential {
  public:
    bearer_exec(std::vector<std::string> command, std::shared_ptr<const surroundings> host)
        : command_(std::move(command)), host_(std::move(host)) {}

    std::string cache_key() const override {
        std::string out = "bearer_exec";
        for (const std::string& word : command_) out += "\n" + word;
        return out;
    }

    introduction about() const override { return {"token of program " + command_.front(), {}, {}, {}, {}, nullptr}; }

    std::shared_ptr<http::exchange> acquire(http::loop& on, const std::string& scope, std::int64_t deadline_ms,
                                            token_done done) override {
        auto under_way = std::make_shared<acquisition>(on, deadline_ms, std::move(done));
        std::vector<std::string> arguments = command_;
        for (std::string& word : arguments) {
            if (word == "{scope}") word = scope;
        }
        const std::string from = "the output of " + command_.front();
        under_way->carry(run_program(
            on, host_, {std::move(arguments), limit_ms}, deadline_ms, [under_way, from](result<secret_text> printed) {
                http::loop& loop = under_way->loop();
                if (!printed) return under_way->finish(printed.take_failure());
                under_way->finish(read_held_token(*printed, {loop.wall_ms(), loop.steady_ms()}, {from, unsaid_life_s}));
            }));
        return under_way;
    }

  private:
    const std::vector<std::string> command_;
    const std::shared_ptr<const surroundings> host_;
};

}  // namespace

result<std::shared_ptr<credential>> open_bearer_exec(std::vector<std::string> command,
                                                     const host_permissions& permissions,
                                                     std::shared_ptr<const surroundings> host) {
    if (command.empty() || command.front().empty()) {
        return fail(error_class::config,
                    "command is missing: a parameter (secretTargetRef, configMapTargetRef or env) with the program "
                    "that prints the token");
    }
    if (const auto allowed = check_program(command.front(), permissions.allowed_programs); !allowed)
        return allowed.failure();
    return std::shared_ptr<credential>(std::make_shared<bearer_exec>(std::move(command), std::move(host)));
}

}  // namespace gputide::auth

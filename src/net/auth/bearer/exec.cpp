// The program of open.hpp.
#include "auth/bearer/open.hpp"
#include "auth/machine/program.hpp"
#include "auth/token/held.hpp"

#include <utility>

namespace gputide::auth {
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
                    "command is missing: a parameter (secretTargetRef, configMapTargetRef or env) that names the "
                    "program which prints "
                    "the token");
    }
    if (const auto allowed = check_program(command.front(), permissions.allowed_programs); !allowed)
        return allowed.failure();
    return std::shared_ptr<credential>(std::make_shared<bearer_exec>(std::move(command), std::move(host)));
}

}  // namespace gputide::auth

// Bearer tokens from files and from programs.
#include "auth/machine/program.hpp"
#include "auth/open.hpp"
#include "auth/token/claims.hpp"
#include "base/format_text.hpp"
#include "base/limits.hpp"
#include "base/text.hpp"

#include <algorithm>
#include <utility>

namespace gputide::auth {

namespace {

constexpr std::int64_t between_reads_s = 60;

// folder: the file must be inside it after resolving links; "": anywhere.
result<token> read_bearer_file(const std::string& path, const std::string& folder, const surroundings& host,
                               const moment& now) {
    const auto content = folder.empty() ? host.read_file(path, limits::token_file_bytes)
                                        : host.read_file_inside(folder, path, limits::token_file_bytes);
    if (!content) return unread_file("the token file cannot be read", content.failure());
    return read_held_token(*content, now, {"the token file " + path, between_reads_s, between_reads_s});
}

bool climbs(const std::string& path) {
    const auto parts = split(path, '/');
    return std::ranges::find(parts, "..") != parts.end() || path.find('\0') != std::string::npos;
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
    const std::string file = absolute ? path : folder + path;
    return make_credential(format_text("bearer_file\n{}\n{}", file, inside), {"token of file " + file},
                           [file, inside, host = std::move(host)](const auto& under_way, const std::string&) {
                               under_way->finish_soon(read_bearer_file(file, inside, *host, now_of(under_way->loop())));
                           });
}

// Tokens from programs.

namespace {

constexpr std::int64_t limit_ms = 30'000;
constexpr std::int64_t unsaid_life_s = 300;

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
    std::string key = "bearer_exec";
    for (const std::string& word : command) key += "\n" + word;
    return make_credential(std::move(key), {"token of program " + command.front()},
                           [command, host = std::move(host)](const auto& under_way, const std::string& scope) {
                               std::vector<std::string> arguments = command;
                               for (std::string& word : arguments) {
                                   if (word == "{scope}") word = scope;
                               }
                               run_for_token(under_way, host, {std::move(arguments), limit_ms},
                                             [from = "the output of " + command.front()](
                                                 result<secret_text> printed, const moment& now) -> result<token> {
                                                 if (!printed) return printed.take_failure();
                                                 return read_held_token(*printed, now, {from, unsaid_life_s});
                                             });
                           });
}

}  // namespace gputide::auth

// gputided token: acquires a token as a trigger does, and prints its lifetime and claims.  Prints the token itself, a secret,
// only on request.
// gputided version: prints the versions of the library and of its dependencies.
#include "common/options.hpp"
#include "common/text.hpp"

#include <iostream>

namespace gputided {
namespace {

struct token_options {
    shared_options shared;
    std::string scope = "https://prometheus.monitor.azure.com/.default";
    std::string credential = "provider: azure-default";  // "@FILE": from this file
    bool show_token = false;
    std::int32_t timeout_ms = 30'000;
};

struct version_options {
    shared_options shared;
    bool json = false;
};

// Returns null if the token is not a JWT.
ordered_json claims_of(const std::string& token) {
    gputide::detail::text claims;
    const auto size_bytes = static_cast<std::int64_t>(token.size());
    if (gputide_token_claims(token.data(), size_bytes, claims.out(), nullptr) != GPUTIDE_OK) return nullptr;
    return ordered_json::parse(claims.str());
}

void print_members(const ordered_json& report) {
    for (const auto& [name, value] : report.items()) {
        if (name != "claims") {
            std::cout << name << ": " << shown(value) << "\n";
        } else if (value.is_object()) {
            std::cout << "claims:\n";
            for (const auto& [claim, content] : value.items()) std::cout << "  " << claim << ": " << content << "\n";
        }
    }
}

int token(const token_options& options) {
    const gputide::credential credential = open_credential(options.credential, options.shared);
    auto info = gputide::detail::sized<gputide_token_info>();
    std::string token;
    try {
        token = credential.token(options.scope, options.timeout_ms, &info);
    } catch (const gputide::failure& failed) {
        return report_failure(source_failed, failure_text(failed), failure_json(failed), options.shared.json());
    }
    ordered_json report{{"scope", options.scope},
                        {"expires_in_s", (info.expires_at_ms - unix_now_ms()) / 1000},
                        {"expires_at_ms", info.expires_at_ms},
                        {"refresh_at_ms", info.refresh_at_ms},
                        {"claims", claims_of(token)}};
    if (options.show_token) report["token"] = token;
    if (options.shared.json()) {
        std::cout << report.dump() << "\n";
    } else {
        print_members(report);
    }
    return done;
}

int version(const version_options& options) {
    if (options.json || options.shared.json()) {
        std::cout << gputide_build_info() << "\n";
        return done;
    }
    std::cout << "gputide " << gputide_version() << " (ABI " << gputide_abi_version() << ")\n";
    ordered_json built = ordered_json::parse(gputide_build_info());
    built.erase("version");
    built.erase("abi");
    print_members(built);
    return done;
}

}  // namespace

void add_token(subcommands& commands) {
    token_options& options =
        commands.add("token", "Acquire a token; print its expiry and claims, and the token only with --show-token",
                     "gputided token --scope https://prometheus.monitor.azure.com/.default", &token);
    CLI::App& app = commands.app();
    add_output_option(app, options.shared);
    option_list add(app);
    add("--scope", options.scope, "OAuth scope of the token");
    add_credential(add, options.credential);
    add("--show-token", options.show_token, "also print the token, which is a secret");
    add_timeout(add, options.timeout_ms, "for all attempts together");
    add_trust_options(app, options.shared);
}

void add_version(subcommands& commands) {
    version_options& options =
        commands.add("version", "Versions of gputide and its dependencies", "gputided version --json", &version);
    CLI::App& app = commands.app();
    add_output_option(app, options.shared);
    option_list add(app);
    add("--json", options.json, "as --output json");
}

}  // namespace gputided

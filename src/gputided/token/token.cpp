#include "token/token.hpp"

#include "common/clock.hpp"
#include "common/exit_status.hpp"
#include "common/log.hpp"

#include <nlohmann/json.hpp>

#include <iostream>
#include <optional>

namespace gputided {
namespace {

using nlohmann::ordered_json;

ordered_json claims_of(const std::string& token) {
    gputide::detail::text claims;
    const auto size_bytes = static_cast<std::int64_t>(token.size());
    // Not every service gives a JWT; then there are no claims to show.
    if (gputide_token_claims(token.data(), size_bytes, claims.out(), nullptr) != GPUTIDE_OK) return nullptr;
    return ordered_json::parse(claims.str());
}

std::optional<std::string> acquire(const token_options& options, gputide_token_info& info) {
    const std::vector<manifest_file> files{text_or_file("--credential", options.credential)};
    const auto credential = gputide::credential::open(files.front().text, library_options(options.shared, files));
    try {
        return credential.token(options.scope, options.timeout_ms, &info);
    } catch (const gputide::failure& failed) {
        log_line(failure_text(failed));
        return std::nullopt;
    }
}

void print(const ordered_json& report) {
    for (const auto& [name, value] : report.items()) {
        if (name != "claims") {
            std::cout << name << ": " << (value.is_string() ? value.get<std::string>() : value.dump()) << "\n";
        } else if (value.is_object()) {
            std::cout << "claims:\n";
            for (const auto& [claim, content] : value.items()) std::cout << "  " << claim << ": " << content << "\n";
        }
    }
}

int token(const token_options& options) {
    auto info = gputide::detail::sized<gputide_token_info>();
    const std::optional<std::string> token = acquire(options, info);
    if (!token) return source_failed;
    ordered_json report;
    report["scope"] = options.scope;
    report["expires_in_s"] = (info.expires_at_ms - unix_now_ms()) / 1000;
    report["expires_at_ms"] = info.expires_at_ms;
    report["refresh_at_ms"] = info.refresh_at_ms;
    report["claims"] = claims_of(*token);
    if (options.show_token) report["token"] = *token;
    if (options.shared.json()) {
        std::cout << report.dump() << "\n";
    } else {
        print(report);
    }
    return done;
}

void add_flags(CLI::App& app, token_options& options) {
    add_output_flag(app, options.shared);
    app.add_option("--scope", options.scope, "what the token is for")->capture_default_str();
    app.add_option("--credential", options.credential, "podIdentity block or TriggerAuthentication, or @FILE with one")
        ->capture_default_str();
    app.add_flag("--show-token", options.show_token, "print the token itself, too: it is a secret");
    add_milliseconds(app, "--timeout-ms", options.timeout_ms, "for all attempts together");
    add_trust_flags(app, options.shared);
}

}  // namespace

void add_token(subcommands& commands) {
    commands.add("token", "Acquire a token; print expiry and claims, never the token unless asked",
                 "gputided token --scope https://prometheus.monitor.azure.com/.default", &token, &add_flags);
}

}  // namespace gputided

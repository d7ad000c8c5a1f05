// gputided token: acquires a token as a trigger would, and tells its life and its claims.  The token itself is a secret and
// is printed on --show-token alone.
#include "commands.hpp"
#include "files.hpp"
#include "log.hpp"

#include <nlohmann/json.hpp>

#include <iostream>
#include <optional>

namespace gputided {
namespace {

// "@FILE" reads the text from there.
manifest_file credential_text(const std::string& given) {
    if (given.rfind('@', 0) != 0) return {"--credential", given};
    return {given.substr(1), read_text(given.substr(1))};
}

nlohmann::ordered_json claims_of(const std::string& token) {
    gputide::detail::text out;
    const auto size = static_cast<std::int64_t>(token.size());
    // Not every service gives a JWT; then there are no claims to show.
    if (gputide_token_claims(token.data(), size, out.out(), nullptr) != GPUTIDE_OK) return nullptr;
    return nlohmann::ordered_json::parse(out.str());
}

std::optional<std::string> acquire(const token_options& from, gputide_token_info& info) {
    const std::vector<manifest_file> files{credential_text(from.credential)};
    const auto credential = gputide::credential::open(files.front().text, library_options(from.common, files));
    try {
        return credential.token(from.scope, from.timeout_ms, &info);
    } catch (const gputide::failure& failed) {
        log_line(said(failed));
        return std::nullopt;
    }
}

void print(const nlohmann::ordered_json& out) {
    for (const auto& [name, value] : out.items()) {
        if (name != "claims") {
            std::cout << name << ": " << (value.is_string() ? value.get<std::string>() : value.dump()) << "\n";
        } else if (value.is_object()) {
            std::cout << "claims:\n";
            for (const auto& [claim, content] : value.items()) std::cout << "  " << claim << ": " << content << "\n";
        }
    }
}

}  // namespace

int token(const token_options& from) {
    auto info = gputide::detail::sized<gputide_token_info>();
    const std::optional<std::string> token = acquire(from, info);
    if (!token) return source_failed;
    nlohmann::ordered_json out;
    out["scope"] = from.scope;
    out["expires_in_s"] = (info.expires_at_ms - unix_now_ms()) / 1000;
    out["expires_at_ms"] = info.expires_at_ms;
    out["refresh_at_ms"] = info.refresh_at_ms;
    out["claims"] = claims_of(*token);
    if (from.show_token) out["token"] = *token;
    if (from.common.json()) {
        std::cout << out.dump() << "\n";
    } else {
        print(out);
    }
    return done;
}

}  // namespace gputided

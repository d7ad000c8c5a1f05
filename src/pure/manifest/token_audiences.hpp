// The audiences that KEDA 2.21 lets tokens of service accounts have, as its operator lists them (kedacore/keda
// pkg/scaling/resolver/service_account_token.go, cmd/operator/main.go @v2.21.0).  Pure.
// This library asks for no such token.  With the list it says what KEDA does with a boundServiceAccountToken, and which audience the
// token file needs that takes its place.
#pragma once

#include "base/result.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gputide::manifest {

// The variable of KEDA's operator that holds the list.
inline constexpr const char* token_audiences_variable = "KEDA_SERVICE_ACCOUNT_TOKEN_AUDIENCES";

struct token_audience {
    std::string audience;
    std::string name_space;  // "": the audience is permitted for token files, and no token is asked for with it
    std::string account;     // likewise
};

enum class token_mode : std::int32_t { enforce_audience = 0, legacy = 1 };

struct token_policy {
    token_mode mode = token_mode::enforce_audience;
    std::vector<token_audience> audiences;

    // The audience that a token of the account is asked for with; "": none is listed.
    std::string_view audience_of(std::string_view name_space, std::string_view account) const;
};

// mode: --service-account-token-mode, "" is its default.  audiences: one YAML or JSON list, or "".  Fails where the operator does
// not start.
result<token_policy> read_token_policy(std::string_view mode, std::string_view audiences);

}  // namespace gputide::manifest

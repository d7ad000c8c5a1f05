// The audiences that KEDA 2.21 allows for tokens of service accounts, as its operator lists them (kedacore/keda
// pkg/scaling/resolver/service_account_token.go, cmd/operator/main.go @v2.21.0).  Pure.
// A boundServiceAccountToken of a manifest gets its audience from this list, so that no manifest gets a token for the Kubernetes API.
#pragma once

#include "base/result.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gputide::manifest {

// The variable of KEDA's operator with the list.
inline constexpr const char* token_audiences_variable = "KEDA_SERVICE_ACCOUNT_TOKEN_AUDIENCES";

struct token_audience {
    std::string audience;
    std::string name_space;  // "": the audience is allowed only in token files; KEDA requests no token with it
    std::string account;     // as name_space
};

enum class token_mode : std::int32_t { enforce_audience = 0, legacy = 1 };

struct token_policy {
    token_mode mode = token_mode::enforce_audience;
    std::vector<token_audience> audiences;

    // Returns the audiences to request a token of the account with; none in mode legacy, which leaves them to the API server.  Fails if
    // the list has no entry of the account.
    result<std::vector<std::string>> audiences_for(std::string_view name_space, std::string_view account) const;
};

// Parses the policy. mode: --service-account-token-mode; "" is its default. audiences: a YAML or JSON list, or "".  Fails if
// KEDA's operator would not start with these values.
result<token_policy> read_token_policy(std::string_view mode, std::string_view audiences);

}  // namespace gputide::manifest

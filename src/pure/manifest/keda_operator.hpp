// Reads what KEDA's operator 2.21 gets from its environment and its flags: which objects it scales, and which audiences it allows for
// tokens of service accounts.  Pure.
#pragma once

#include "base/result.hpp"
#include "manifest/names.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace gputide::manifest {

// The variable that limits the objects.
inline constexpr const char* watch_selector_variable = "WATCH_LABEL_SELECTOR";

// Parses that variable (kedacore/keda cmd/operator/main.go @v2.21.0; apimachinery pkg/apis/meta/v1/helpers.go
// ParseToLabelSelector).  Fails if KEDA's operator would not start: it does not support `!=`, `>` and `<`.
result<std::vector<label_requirement>> read_watch_selector(std::string_view text);

// Tells whether the selector matches these labels.  Only for selectors of read_watch_selector().
bool has_labels(const std::vector<label_requirement>& selector, const std::map<std::string, std::string>& labels);

// The audiences as the operator lists them (kedacore/keda pkg/scaling/resolver/service_account_token.go, cmd/operator/main.go
// @v2.21.0).  A boundServiceAccountToken of a manifest gets its audience from this list, so that no manifest gets a token for the
// Kubernetes API.

// The variable with the list.
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

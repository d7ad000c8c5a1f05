// A token of a service account, as KEDA requests it for a boundServiceAccountToken (kedacore/keda
// pkg/scaling/resolver/service_account_token.go, k8s_validator.go @v2.21.0).  Pure.
// In: the account and its audiences (manifest/token_audiences.hpp).  Out: a TokenRequest; from its response the token as a manifest, or
// why it is not used.  No message holds a token.
#pragma once

#include "base/result.hpp"
#include "base/secret.hpp"
#include "kubernetes/api/api.hpp"
#include "kubernetes/api/objects.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace gputide::kubernetes {

// audiences: none leaves them to the API server, which takes its own.
api_request token_request(const object_key& account, const std::vector<std::string>& audiences);

struct account_token {
    secret_text manifest;     // a TokenRequest, which names the account
    std::int64_t life_s = 0;  // from now on
};

// Validates the token if audiences are given: it must be a service account's, not expired, and for no other audience.
result<account_token> read_account_token(const std::string& body, const object_key& account,
                                         const std::vector<std::string>& audiences, std::int64_t now_s);

}  // namespace gputide::kubernetes

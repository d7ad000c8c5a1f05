// The identity of a trigger: steps `environment`, `token_file`, `authority` and `token`, up to the first that fails.  Returns the
// steps and the input of step `query`.  Sends requests only to the authority, never to the trigger's endpoint.
#pragma once

#include "auth/authenticator.hpp"
#include "auth/credential.hpp"
#include "auth/token/claims.hpp"
#include "base/error.hpp"
#include "doctor/asker.hpp"
#include "doctor/lookup.hpp"
#include "doctor/step.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gputide::doctor {

// Steps `token_file` and `token`: the projected service-account token that workload identity exchanges, and the access token or
// the reason why there is none.  Pure.

struct token_file {
    std::string path;
    error why{status::ok};  // status ok if the file was read and is a JWT
    auth::claims claims;    // of the assertion: iss, sub, aud, nbf, exp
    std::int64_t now_ms = 0;
};

step judge_token_file(const token_file& seen);

struct token {
    auth::introduction who;
    std::string scope;
    error why{status::ok};  // status ok: a token was issued
    std::int64_t expires_at_ms = 0;
    std::optional<auth::claims> claims;     // of the access token; nullopt: it is opaque
    std::optional<auth::claims> assertion;  // of the exchanged service-account token
    std::int64_t now_ms = 0;
};

step judge_token(const token& seen);

// A setting of the credential, for step `environment`.
struct setting {
    std::string meaning;   // "client"; "": a later step shows it
    std::string variable;  // "AZURE_CLIENT_ID"
    std::string key;       // key of the TriggerAuthentication that can set it; "": none
    std::string value;     // "": not set
    bool from_key = false;
    bool needed = true;
};

struct environment {
    std::string provider;  // "azure-workload"; "": the trigger's own authModes
    std::string how;       // as text, if there are no settings to show: "authModes bearer"
    std::vector<setting> settings;
    error why{status::ok};  // error of opening the credential; status ok if it opened
};

step judge_environment(const environment& seen);

// Tells whether the authority itself is wrong (another host, http), for step `authority`.
bool blames_authority(const error& why);
step judge_authority_setting(const error& why);

struct identity {
    std::vector<step> steps;
    std::optional<error> failure;        // of the failed step; nullopt: settings are missing, or no step failed
    auth::introduction who;              // empty if the trigger needs no token
    std::optional<auth::claims> claims;  // of the access token; nullopt: no token, or an opaque one

    bool holds() const { return steps.empty() || steps.back().verdict != verdict::failed; }
};

identity prove_identity(const asker& asker, const examined_trigger& examined, const auth::access& access);

// Returns the steps for a source that did not open because of its credential.
identity refused_identity(const examined_trigger& examined, const error& why);

}  // namespace gputide::doctor

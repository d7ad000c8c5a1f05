// Who a trigger asks as: steps `environment`, `token_file`, `authority` and `token`, up to the first that fails.  In: the trigger
// and its credential; out: the steps and what the query needs of them.  Gathers what they judge; asks the authority through the
// asker, never the trigger's endpoint.
#pragma once

#include "auth/authenticator.hpp"
#include "auth/credential.hpp"
#include "auth/token/claims.hpp"
#include "base/error.hpp"
#include "doctor/asker.hpp"
#include "doctor/lookup.hpp"
#include "doctor/step.hpp"

#include <optional>
#include <string>
#include <vector>

namespace gputide::doctor {

// Step `environment`: what the credential is set up from.  Pure.

struct setting {
    std::string meaning;   // "client"; "": a later step shows it
    std::string variable;  // "AZURE_CLIENT_ID"
    std::string key;       // of the TriggerAuthentication, where that may say it instead; may be empty
    std::string value;     // "": neither is there
    bool from_key = false;
    bool needed = true;
};

struct environment {
    std::string provider;  // "azure-workload"; "": the trigger's own authModes
    std::string how;       // in words, where there are no settings to show: "authModes bearer"
    std::vector<setting> settings;
    error why{status::ok};  // what opening the credential said; status ok where it opened
};

step judge_environment(const environment& seen);

// The authority itself is what is wrong (another host, http): step `authority`.
bool blames_authority(const error& why);
step judge_authority_setting(const error& why);

struct identity {
    std::vector<step> steps;
    std::optional<error> failure;        // behind the step that failed; nothing: settings are missing, or none failed
    auth::introduction who;              // empty where the trigger needs no token
    std::optional<auth::claims> claims;  // of the access token; nothing: there is none, or it is opaque

    bool holds() const { return steps.empty() || steps.back().verdict != verdict::failed; }
};

identity prove_identity(const asker& asker, const patient& patient, const auth::access& access);

// The source did not open, for that reason, and was not asked yet: it is the credential that does not.
identity refused_identity(const patient& patient, const error& why);

}  // namespace gputide::doctor

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
#include <vector>

namespace gputide::doctor {

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

// Step `environment`: what the credential is set up from.  Pure.
#pragma once

#include "base/error.hpp"
#include "doctor/step.hpp"

#include <string>
#include <vector>

namespace gputide::doctor {

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

}  // namespace gputide::doctor

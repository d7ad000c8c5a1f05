// Judges the settings of a credential.
#include "doctor/environment.hpp"

#include "base/format_text.hpp"

#include <algorithm>

namespace gputide::doctor {
namespace {

constexpr const char* label_lines =
    "# on the pod template of the Deployment that runs this process\n"
    "metadata:\n"
    "  labels:\n"
    "    azure.workload.identity/use: \"true\"\n"
    "# on its service account\n"
    "metadata:\n"
    "  annotations:\n"
    "    azure.workload.identity/client-id: <client id of the managed identity>\n";

std::string given(const setting& one) {
    return format_text("{} {} ({})", one.meaning, one.value, one.from_key ? one.key : one.variable);
}

step not_set(const environment& seen, const std::vector<std::string>& missing) {
    const bool several = missing.size() > 1;
    step out = broken(
        step_name::environment, listed(missing, 8) + (several ? " are not set" : " is not set"),
        "The workload-identity webhook sets these variables in pods that carry the label azure.workload.identity/use. "
        "This process runs in no such pod, or its pod started before the label or the webhook was there.",
        "Label the pod template, annotate its service account, and start the pod anew. Outside Kubernetes, export the "
        "variables.");
    out.paste = label_lines;
    for (const setting& one : seen.settings) {
        if (one.value.empty() && one.needed && !one.key.empty()) {
            out.fix += format_text(" ({} of podIdentity can stand for {}.)", one.key, one.variable);
        }
    }
    return out;
}

}  // namespace

step judge_environment(const environment& seen) {
    std::vector<std::string> missing;
    std::vector<std::string> there;
    for (const setting& one : seen.settings) {
        if (!one.value.empty()) {
            if (!one.meaning.empty()) there.push_back(given(one));
        } else if (one.needed) {
            missing.push_back(one.variable);
        }
    }
    step out;
    if (!missing.empty()) {
        out = not_set(seen, missing);
    } else if (seen.why.status != status::ok && !blames_authority(seen.why)) {
        out = broken(step_name::environment, seen.why.message,
                     "The credential cannot be set up from what this process was given.",
                     "Correct the setting that this text names.");
    } else {
        out = passed(step_name::environment,
                     there.empty() ? seen.how : format_text("{}: {}", seen.provider, listed(there, 8)));
    }
    for (const setting& one : seen.settings) {
        if (!one.value.empty()) out.detail.emplace_back(one.from_key ? one.key : one.variable, one.value);
    }
    return out;
}

bool blames_authority(const error& why) { return why.error_class == error_class::authority; }

step judge_authority_setting(const error& why) {
    return broken(step_name::authority, why.message,
                  "A live token would be sent there, so only the login endpoints of the Azure clouds are accepted "
                  "without the host program's word.",
                  "Unset AZURE_AUTHORITY_HOST for the public cloud, set it to your cloud's login endpoint, or, if the "
                  "endpoint is yours, allow it: --allow-custom-authority.");
}

}  // namespace gputide::doctor

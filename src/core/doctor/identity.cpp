// The four steps of an identity; token.cpp judges the two about tokens.
#include "auth/azure/credentials.hpp"
#include "auth/open.hpp"
#include "base/format_text.hpp"
#include "doctor/examine.hpp"
#include "doctor/judge.hpp"

#include <string>
#include <utility>

namespace gputide::doctor {

namespace {

// Returns "bearer" for `authModes: bearer`, under either of the names in KEDA's triggers.
std::string auth_modes(const examined_trigger& examined) {
    const std::string modes = examined.metadata("authModes");
    return modes.empty() ? examined.metadata("authMode") : modes;
}

// Returns the settings that the credential's provider reads from the TriggerAuthentication or from this process.
std::vector<setting> settings_of(const examined_trigger& examined) {
    const manifest::authentication& written = examined.trigger.auth;
    std::vector<setting> out;
    for (const manifest::injected_setting& setting : auth::injected_settings(written.provider)) {
        const auto value = setting.written_as != nullptr ? written.*setting.written_as : std::nullopt;
        const bool from_key = value && !value->empty();
        const std::string variable(setting.variable);
        out.push_back(
            {&setting, from_key ? *value : examined.services.host->environment(variable).value_or(""), from_key});
    }
    return out;
}

environment environment_of(const examined_trigger& examined, const std::string& how) {
    environment out;
    out.how = how;
    out.provider = examined.trigger.auth.provider;
    if (auth_modes(examined).empty()) out.settings = settings_of(examined);
    return out;
}

// Returns "workload identity: client 1f2e, tenant 9c0d".
std::string introduced(const auth::introduction& who) {
    std::string out = who.kind.empty() ? "a cloud credential" : who.kind;
    if (!who.client_id.empty()) out += ": client " + who.client_id;
    if (!who.tenant.empty()) out += ", tenant " + who.tenant;
    return out;
}

// Adds step `token_file` and keeps the claims of the file.
bool see_token_file(const examined_trigger& examined, const std::string& path, std::optional<auth::claims>& assertion,
                    trigger_diagnosis& out) {
    token_file seen;
    seen.path = path;
    seen.now_ms = examined.by.wall_ms();
    const auto read = auth::read_token_file(*examined.services.host, path);
    auto claims = read ? auth::read_claims(read->reveal()) : result<auth::claims>(read.failure());
    if (claims) {
        seen.claims = *claims;
        assertion = *std::move(claims);
    } else {
        seen.why = claims.take_failure();
    }
    return out.add(judge_token_file(seen), seen.why);
}

}  // namespace

bool prove_identity(const examined_trigger& examined, const auth::access& access, trigger_diagnosis& out) {
    if (!access.credential) {  // shows the trigger's own header, if it has one
        const std::string modes = auth_modes(examined);
        if (modes.empty()) return true;
        return out.add(
            judge_environment(environment_of(examined, "authModes " + modes + ", from the TriggerAuthentication")));
    }
    token seen;
    seen.who = access.credential->about();
    seen.scope = access.audience.scope;
    out.seen.client = seen.who.client_id;
    if (!out.add(judge_environment(environment_of(examined, introduced(seen.who))))) return false;
    if (!seen.who.token_file.empty() && !see_token_file(examined, seen.who.token_file, seen.assertion, out))
        return false;
    if (!seen.who.authority.empty()) {
        const reach found = examined.by.look_at(seen.who.authority, seen.who.tls);
        if (!out.add(judge_reach(step_name::authority, found), failure_of(found))) return false;
    }
    auto token = examined.by.token(*examined.services.tokens, access.credential, seen.scope);
    seen.now_ms = examined.by.wall_ms();
    if (token) {
        seen.expires_at_ms = token->expires_at_ms;
        if (auto claims = auth::read_claims(token->value.reveal())) seen.claims = out.seen.claims = *std::move(claims);
    } else {
        seen.why = token.take_failure();
    }
    return out.add(judge_token(seen), seen.why);
}

void refuse_identity(const examined_trigger& examined, const error& why, trigger_diagnosis& out) {
    environment seen = environment_of(examined, {});
    seen.why = why;
    if (out.add(judge_environment(seen), why)) out.add(judge_authority_setting(why), why);
}

// Checks the settings of a credential.

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

std::string given(const setting& setting) {
    return format_text("{} {} ({})", setting.row->shown_as, setting.value, setting.name());
}

step not_set(const environment& seen, const std::vector<std::string>& missing) {
    const bool several = missing.size() > 1;
    step out = broken(
        step_name::environment, listed(missing, 8) + (several ? " are not set" : " is not set"),
        "The workload-identity webhook sets these variables in pods that carry the label azure.workload.identity/use. "
        "This process does not run in such a pod, or its pod started before the label or the webhook existed.",
        "Label the pod template, annotate its service account, and restart the pod. Outside Kubernetes, export the "
        "variables.");
    out.paste = label_lines;
    for (const setting& setting : seen.settings) {
        if (setting.value.empty() && setting.row->is_needed && !setting.row->key.empty()) {
            out.fix +=
                format_text(" ({} of podIdentity can be set instead of {}.)", setting.row->key, setting.row->variable);
        }
    }
    return out;
}

}  // namespace

step judge_environment(const environment& seen) {
    std::vector<std::string> missing;
    std::vector<std::string> there;
    for (const setting& setting : seen.settings) {
        if (!setting.value.empty()) {
            if (!setting.row->shown_as.empty()) there.push_back(given(setting));
        } else if (setting.row->is_needed) {
            missing.emplace_back(setting.row->variable);
        }
    }
    step out;
    if (!missing.empty()) {
        out = not_set(seen, missing);
    } else if (seen.why.status != status::ok && !blames_authority(seen.why)) {
        out = broken(step_name::environment, seen.why.message,
                     "The settings of this credential are incomplete or invalid.", "Correct the setting named above.");
    } else {
        out = passed(step_name::environment,
                     there.empty() ? seen.how : format_text("{}: {}", seen.provider, listed(there, 8)));
    }
    for (const setting& setting : seen.settings) {
        if (!setting.value.empty()) out.add_detail(setting.name(), setting.value);
    }
    return out;
}

bool blames_authority(const error& why) { return why.error_class == error_class::authority; }

step judge_authority_setting(const error& why) {
    return broken(step_name::authority, why.message,
                  "A valid token would be sent there, so only the login endpoints of the Azure clouds are accepted "
                  "unless the host program allows another one.",
                  "Unset AZURE_AUTHORITY_HOST for the public cloud, set it to your cloud's login endpoint, or, if the "
                  "endpoint is your own, allow it: --allow-custom-authority.");
}

}  // namespace gputide::doctor

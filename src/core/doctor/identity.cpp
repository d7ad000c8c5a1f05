// The four steps of an identity.
#include "auth/azure/credentials.hpp"
#include "auth/azure/services.hpp"
#include "auth/open.hpp"
#include "base/format_text.hpp"
#include "base/text.hpp"
#include "base/time.hpp"
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

// Explains a token, or its refusal by the identity service: the AADSTS number for this identity.

namespace {

std::string or_what(const std::string& value, const char* otherwise) { return value.empty() ? otherwise : value; }

// Returns the Azure CLI command that creates the matching federated credential.
std::string federated_credential(const auth::claims& claims) {
    return format_text(
        "az identity federated-credential create --name gputide \\\n  --identity-name <managed identity> "
        "--resource-group <its resource group> \\\n  --issuer {} \\\n  --subject {} \\\n  --audiences "
        "api://AzureADTokenExchange\n",
        claims.issuer.empty() ? "<issuer URL of the cluster>" : shell_word(claims.issuer),
        claims.subject.empty() ? "system:serviceaccount:<namespace>:<name>" : shell_word(claims.subject));
}

step no_federation(const token& seen, std::int64_t number) {
    const auth::claims shown = seen.assertion.value_or(auth::claims());
    const char* part = number == 700211   ? "issuer"
                       : number == 700212 ? "audience"
                       : number == 700213 ? "subject"
                                          : "issuer, subject and audience";
    const std::string& value = number == 700211 ? shown.issuer : number == 700212 ? shown.audience : shown.subject;
    step out = broken(
        step_name::token,
        format_text("{}: Entra knows no federated credential with this token's {}, {}", seen.why.service_code, part,
                    or_what(value, "which is unreadable")),
        format_text("The identity {} does not trust the service account of this process. Its federated credential must "
                    "contain exactly the subject {}, the issuer {} (with its trailing slash) and the audience "
                    "api://AzureADTokenExchange.",
                    seen.who.client_id, or_what(shown.subject, "system:serviceaccount:<namespace>:<name>"),
                    or_what(shown.issuer, "of the cluster")),
        "Compare with `az identity federated-credential list --identity-name <managed identity> --resource-group <its "
        "resource group>`, and add the missing credential. A new one takes some minutes to become effective. If the "
        "subject is not the intended one, the process runs with another service account: set serviceAccountName.");
    out.paste = federated_credential(shown);
    return out;
}

step stale_assertion(const token& seen) {
    const std::int64_t expires_s = seen.assertion ? seen.assertion->expires_at_s.value_or(0) : 0;
    const std::string life = expires_s > 0
                                 ? "; according to its claims it is valid until " + format_rfc3339_s(expires_s * 1'000)
                                 : std::string();
    return broken(step_name::token, "AADSTS700024: Entra says that the service-account token is not valid now" + life,
                  "The clock of this machine is wrong, or the file is an old copy that is not rotated.",
                  format_text("This machine's clock says {}: compare it with `date -u` on another machine. If the "
                              "clock is correct, restart the pod and find out why the kubelet does not replace {}.",
                              format_rfc3339_s(seen.now_ms), seen.who.token_file));
}

std::string identity_in_words(const token& seen) {
    return format_text("client {}, tenant {}, scope {}", or_what(seen.who.client_id, "(unknown)"),
                       or_what(seen.who.tenant, "(unknown)"), seen.scope);
}

std::string sentence(std::string_view text) {
    std::string out(text);
    if (!out.empty() && out[0] >= 'a' && out[0] <= 'z') out[0] = static_cast<char>(out[0] - 0x20);
    if (!out.empty() && out.back() != '.') out += '.';
    return out;
}

step refused(const token& seen) {
    const std::int64_t number = seen.why.service_number;
    if (number == 70021 || (number >= 700211 && number <= 700213)) return no_federation(seen, number);
    if (number == 700024) return stale_assertion(seen);
    if (seen.why.status == status::not_here) {
        return broken(
            step_name::token, seen.why.message, "None of the credentials that were tried is available on this machine.",
            "Configure the intended one: the reasons above are in the order in which the credentials are tried.");
    }
    const auth::aadsts_code* known = auth::find_aadsts(number);
    if (known == nullptr) {
        const std::string where = or_what(seen.who.authority, "the identity service");
        return broken(step_name::token, seen.why.message,
                      format_text("No token came from {} for {}.", where, identity_in_words(seen)),
                      seen.why.retryable ? "Try again in a minute; the text above has the reason."
                                         : "Correct the problem named above.");
    }
    std::string fix = known->fix.empty() ? "Wait and try again in some minutes." : sentence(known->fix);
    if (number == 700016 || number == 90002) {
        fix +=
            " `az identity show` and `az account show` show the correct values; the client id is the managed "
            "identity's clientId, not its principalId.";
    }
    return broken(step_name::token, format_text("{}: {}", seen.why.service_code, known->meaning),
                  format_text("The request was for {}.", identity_in_words(seen)), fix);
}

// Compares audiences, ignoring a trailing slash: "https://prometheus.monitor.azure.com/".
bool same_audience(std::string_view a, std::string_view b) {
    while (!a.empty() && a.back() == '/') a.remove_suffix(1);
    while (!b.empty() && b.back() == '/') b.remove_suffix(1);
    return equal_ignoring_case(a, b);
}

bool is_url(std::string_view text) { return text.find("://") != std::string_view::npos; }

step judge_claims(const token& seen) {
    const std::string life = "valid for " + about_duration(seen.expires_at_ms - seen.now_ms);
    if (!seen.claims)
        return passed(step_name::token,
                      format_text("for {}, {}; it is opaque, so nothing else is known", seen.scope, life));
    const auth::claims& says = *seen.claims;
    const std::string text = format_text("aud {}, tid {}, appid {}, {}", or_what(says.audience, "(none)"),
                                         or_what(says.tenant, "(none)"), or_what(says.client, "(none)"), life);
    const std::string wanted = auth::resource_of_scope(seen.scope);
    // v2 tokens name the resource by its application ID instead of its URL; OAuth clients request no resource.
    if (is_url(says.audience) && is_url(wanted) && !same_audience(says.audience, wanted)) {
        return doubtful(step_name::token, text,
                        format_text("The token is for {}, but {} was requested.", says.audience, wanted),
                        "Check `cloud` in the trigger's metadata: scopes differ by cloud.");
    }
    const bool other_tenant = !says.tenant.empty() && seen.who.tenant.find('.') == std::string::npos &&
                              !seen.who.tenant.empty() && !equal_ignoring_case(says.tenant, seen.who.tenant);
    if (other_tenant) {
        return doubtful(
            step_name::token, text,
            format_text("The token comes from tenant {}, but was requested from {}.", says.tenant, seen.who.tenant),
            "Check AZURE_TENANT_ID: the workspace must be in the token's tenant.");
    }
    return passed(step_name::token, text);
}

// Explains the service-account token from its claims.

constexpr const char* exchange_audience = "api://AzureADTokenExchange";
constexpr std::int64_t ahead_s = 60;  // a start further in the future means that a clock is wrong

step expired(const token_file& seen, std::int64_t expires_ms) {
    return broken(step_name::token_file,
                  format_text("{} expired on {}, {} ago", seen.path, format_rfc3339_s(expires_ms),
                              about_duration(seen.now_ms - expires_ms)),
                  "The kubelet replaces the file at 80 % of its life, so it is a copy of the mounted file, or the "
                  "kubelet no longer rotates it, or the clock of this machine is ahead.",
                  format_text("Read the file in the projected volume, never a copy. If it is that file: check the "
                              "kubelet's log on this node, and restart the pod. This machine's clock says {}.",
                              format_rfc3339_s(seen.now_ms)));
}

step not_yet(const token_file& seen, std::int64_t starts_ms) {
    return broken(step_name::token_file,
                  format_text("{} is valid from {}, and this machine's clock says {}", seen.path,
                              format_rfc3339_s(starts_ms), format_rfc3339_s(seen.now_ms)),
                  "The clock of this machine is behind the cluster's clock.",
                  "Set the clock (`date -u`, chrony or systemd-timesyncd).");
}

step for_another(const token_file& seen) {
    step out = broken(step_name::token_file,
                      format_text("{} is for the audience {}, not for Entra", seen.path, seen.claims.audience),
                      "This is the pod's token for the Kubernetes API, or a projected volume with another audience.",
                      "Point AZURE_FEDERATED_TOKEN_FILE to the file that the workload-identity webhook mounts, or "
                      "project a token with the right audience:");
    out.paste =
        "volumes:\n- name: azure-identity-token\n  projected:\n    sources:\n    - serviceAccountToken:\n"
        "        audience: api://AzureADTokenExchange\n        path: azure-identity-token\n";
    return out;
}

}  // namespace

step judge_token(const token& seen) {
    step out = seen.why.status == status::ok ? judge_claims(seen) : refused(seen);
    const auto add = [&out](const char* what, const std::string& value) {
        if (!value.empty()) out.add_detail(what, value);
    };
    add("scope", seen.scope);
    add("client", seen.who.client_id);
    add("tenant", seen.who.tenant);
    add("code", seen.why.service_code);
    if (seen.why.status != status::ok) add("said", seen.why.message);
    for (const auto& [field, value] : seen.why.fields) add(field.c_str(), value);
    if (seen.why.status != status::ok && seen.assertion) {
        add("presented_subject", seen.assertion->subject);
        add("presented_issuer", seen.assertion->issuer);
        add("presented_audience", seen.assertion->audience);
    }
    if (seen.claims) {
        for (auto& claim : auth::list_claims(*seen.claims)) out.detail.push_back(std::move(claim));
    }
    return out;
}

step judge_token_file(const token_file& seen) {
    if (seen.why.status != status::ok) {
        return broken(
            step_name::token_file, seen.why.message,
            seen.why.retryable ? "The volume is not mounted (yet), or the path is from another version of the webhook."
                               : "The path does not lead to a projected service-account token.",
            format_text("Run `ls -l {}` in this container. The webhook mounts the volume in pods with the label "
                        "azure.workload.identity/use: \"true\" and sets AZURE_FEDERATED_TOKEN_FILE to match it.",
                        seen.path));
    }
    const auth::claims& says = seen.claims;
    const std::int64_t expires_ms = says.expires_at_s.value_or(0) * 1'000;
    const std::int64_t starts_ms = says.starts_at_s.value_or(0) * 1'000;
    step out;
    if (expires_ms != 0 && expires_ms <= seen.now_ms) {
        out = expired(seen, expires_ms);
    } else if (starts_ms > seen.now_ms + ahead_s * 1'000) {
        out = not_yet(seen, starts_ms);
    } else if (!says.audience.empty() && says.audience.find(exchange_audience) == std::string::npos) {
        out = for_another(seen);
    } else {
        std::string text = format_text("{}: {}", seen.path, says.subject.empty() ? "no subject" : says.subject);
        if (expires_ms != 0) text += ", valid for " + about_duration(expires_ms - seen.now_ms);
        out = passed(step_name::token_file, std::move(text));
    }
    out.add_detail("path", seen.path);
    for (auto& claim : auth::list_claims(says)) out.detail.push_back(std::move(claim));
    return out;
}

}  // namespace gputide::doctor

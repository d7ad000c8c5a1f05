// Explains a token, or its refusal by the identity service: the AADSTS number for this identity.
#include "auth/azure/services.hpp"
#include "base/format_text.hpp"
#include "base/text.hpp"
#include "base/time.hpp"
#include "doctor/examine.hpp"

namespace gputide::doctor {

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

// Explains the service-account token from its claims.

namespace {

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

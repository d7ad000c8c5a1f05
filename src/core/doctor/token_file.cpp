// Judges the service-account token by what it says of itself.
#include "doctor/token_file.hpp"

#include "base/format_text.hpp"
#include "base/time.hpp"

namespace gputide::doctor {
namespace {

constexpr const char* exchange_audience = "api://AzureADTokenExchange";
constexpr std::int64_t ahead_s = 60;  // a start in the future by more than this is a matter of clocks

step expired(const token_file& seen, std::int64_t expires_ms) {
    return broken(step_name::token_file,
                  format_text("{} expired on {}, {} ago", seen.path, format_rfc3339_s(expires_ms),
                              about_duration(seen.now_ms - expires_ms)),
                  "The kubelet replaces the file at 80 % of its life, so either it is not the mounted file but a copy "
                  "that somebody made, or the kubelet has stopped rotating it, or the clock of this machine is ahead.",
                  format_text("Read the projected volume itself, never a copy of it. Where it is the volume: see the "
                              "kubelet's log on that node, and start the pod anew. This machine's clock says {}.",
                              format_rfc3339_s(seen.now_ms)));
}

step not_yet(const token_file& seen, std::int64_t starts_ms) {
    return broken(step_name::token_file,
                  format_text("{} is valid from {}, and here it is {}", seen.path, format_rfc3339_s(starts_ms),
                              format_rfc3339_s(seen.now_ms)),
                  "The clock of this machine is behind that of the cluster.",
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
            seen.why.retryable
                ? "The volume is not mounted (yet), or the path belongs to another cluster's webhook version."
                : "The path names another file than a projected service-account token.",
            format_text("`ls -l {}` in this container. The webhook mounts the volume in pods with the label "
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
    out.detail.emplace_back("path", seen.path);
    for (auto& claim : auth::list_claims(says)) out.detail.push_back(std::move(claim));
    return out;
}

}  // namespace gputide::doctor

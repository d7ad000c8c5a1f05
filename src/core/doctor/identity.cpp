// Four steps; each has its own file with the rules.
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

class proof {
  public:
    proof(const asker& asker, const examined_trigger& examined, const auth::access& access)
        : asker_(asker), examined_(examined), access_(access) {}

    identity run() {
        if (!access_.credential) {
            see_auth_modes();
            return std::move(out_);
        }
        out_.who = access_.credential->about();
        if (see_environment() && see_token_file() && reach_authority()) get_token();
        return std::move(out_);
    }

  private:
    // Adds a step.  Returns false if the diagnosis ends here.
    bool add(step step) {
        out_.steps.push_back(std::move(step));
        return out_.holds();
    }
    bool add(step step, const error& why) {
        if (add(std::move(step))) return true;
        out_.failure = why;
        return false;
    }

    // Shows the trigger's own header, if it has one.
    void see_auth_modes() {
        const std::string modes = auth_modes(examined_);
        if (modes.empty()) return;
        const std::string how = "authModes " + modes + ", from the TriggerAuthentication";
        add(judge_environment(environment_of(examined_, how)));
    }

    bool see_environment() { return add(judge_environment(environment_of(examined_, introduced(out_.who)))); }

    bool see_token_file() {
        if (out_.who.token_file.empty()) return true;
        token_file seen;
        seen.path = out_.who.token_file;
        seen.now_ms = asker_.wall_ms();
        const auto read = auth::read_token_file(*examined_.services.host, seen.path);
        auto claims = read ? auth::read_claims(read->reveal()) : result<auth::claims>(read.failure());
        if (claims) {
            seen.claims = *claims;
            assertion_ = *std::move(claims);
        } else {
            seen.why = claims.take_failure();
        }
        return add(judge_token_file(seen), seen.why);
    }

    bool reach_authority() {
        if (out_.who.authority.empty()) return true;
        const reach seen = asker_.look_at(out_.who.authority, out_.who.tls);
        return add(judge_reach(step_name::authority, seen), failure_of(seen));
    }

    void get_token() {
        token seen;
        seen.who = out_.who;
        seen.scope = access_.audience.scope;
        seen.assertion = assertion_;
        auto token = asker_.token(*examined_.services.tokens, access_.credential, access_.audience.scope);
        seen.now_ms = asker_.wall_ms();
        if (token) {
            seen.expires_at_ms = token->expires_at_ms;
            if (auto claims = auth::read_claims(token->value.reveal())) seen.claims = out_.claims = *std::move(claims);
        } else {
            seen.why = token.take_failure();
        }
        add(judge_token(seen), seen.why);
    }

    const asker& asker_;
    const examined_trigger& examined_;
    const auth::access& access_;
    identity out_;
    std::optional<auth::claims> assertion_;
};

}  // namespace

identity prove_identity(const asker& asker, const examined_trigger& examined, const auth::access& access) {
    return proof(asker, examined, access).run();
}

identity refused_identity(const examined_trigger& examined, const error& why) {
    environment seen = environment_of(examined, {});
    seen.why = why;
    identity out;
    out.failure = why;
    out.steps.push_back(judge_environment(seen));
    if (out.holds()) out.steps.push_back(judge_authority_setting(why));
    return out;
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

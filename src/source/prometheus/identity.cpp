// KEDA's rules behind identity.hpp.
#include "source/prometheus/identity.hpp"

#include "base/text.hpp"
#include "source/prometheus/keys.hpp"

#include <string>
#include <utility>

namespace gputide::source::prometheus {
namespace {

struct cloud_values {
    std::string owner;
    std::map<std::string, secret_text> aws;     // by parameter
    std::map<std::string, secret_text> google;  // the same

    bool wants_aws() const { return owner == "operator" || aws.count("awsRoleArn") + aws.count("awsAccessKeyID") > 0; }
};

// All keys are read, whatever comes of them: a reader notes which ones it knows.
cloud_values read_values(config::parameters& from) {
    cloud_values out;
    out.owner = from.text(cloud_keys["identityOwner"]).value_or("");
    const auto keep = [](std::map<std::string, secret_text>& to, const char* name, secret_text value) {
        if (!value.empty()) to[name] = std::move(value);
    };
    const auto text = [&from](config::text_key key) { return secret_text(from.text(key).value_or("")); };
    const auto secret = [&from](config::secret_key key) { return from.secret(key).value_or(secret_text()); };
    keep(out.aws, "awsRegion", text(cloud_keys["awsRegion"]));
    keep(out.aws, "awsRoleArn", text(cloud_keys["awsRoleArn"]));
    keep(out.aws, "awsExternalId", text(cloud_keys["awsExternalId"]));
    keep(out.aws, "awsAccessKeyID", text(cloud_keys["awsAccessKeyID"]));
    keep(out.aws, "awsSecretAccessKey", secret(cloud_keys["awsSecretAccessKey"]));
    keep(out.aws, "awsSessionToken", secret(cloud_keys["awsSessionToken"]));
    keep(out.google, "GoogleApplicationCredentials", secret(cloud_keys["GoogleApplicationCredentials"]));
    secret_text in_variable = secret(cloud_keys["credentials"]);
    if (out.google.empty()) keep(out.google, "GoogleApplicationCredentials", std::move(in_variable));
    (void)from.text(cloud_keys["credentialsFromEnvFile"]);
    return out;
}

}  // namespace

config::authentication read_identity(config::parameters& from, const config::trigger& trigger, bool has_modes) {
    config::authentication out = trigger.auth;
    cloud_values values = read_values(from);
    if (has_modes) return out;
    if (out.provider.empty() || out.provider == "none") {
        const bool google = !values.google.empty() || !google_key_path(trigger).empty();
        if (google) out.provider = "gcp";
        if (!google && values.wants_aws()) out.provider = "aws";
    }
    auto& own = out.provider == "gcp" ? values.google : values.aws;
    for (auto& [name, value] : own) out.parameters[name] = std::move(value);
    return out;
}

std::string google_key_path(const config::trigger& trigger) {
    const auto named = trigger.metadata.find("credentialsFromEnvFile");
    if (named == trigger.metadata.end()) return {};
    const auto found = trigger.resolved_env.find(std::string(trim(named->second)));
    return found == trigger.resolved_env.end() ? std::string() : std::string(trim(found->second.reveal()));
}

}  // namespace gputide::source::prometheus

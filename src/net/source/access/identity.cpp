// KEDA's rules behind identity.hpp.
#include "source/access/identity.hpp"

#include "auth/aws/open.hpp"
#include "auth/google/open.hpp"
#include "base/text.hpp"
#include "source/access/keys.hpp"

#include <string>
#include <utility>

namespace gputide::source::access {
namespace {

struct cloud_values {
    std::string owner;
    std::map<std::string, secret_text> aws;     // by parameter
    std::map<std::string, secret_text> google;  // the same

    bool wants_aws() const { return owner == "operator" || aws.count("awsRoleArn") + aws.count("awsAccessKeyID") > 0; }
};

// All keys are read, whatever comes of them: a reader notes which ones it knows.
cloud_values read_values(config::parameters& parameters) {
    cloud_values out;
    out.owner = parameters.text(cloud_keys["identityOwner"]).value_or("");
    const auto keep = [](std::map<std::string, secret_text>& to, const char* name, secret_text value) {
        if (!value.empty()) to[name] = std::move(value);
    };
    const auto text = [&parameters](config::text_key key) { return secret_text(parameters.text(key).value_or("")); };
    const auto secret = [&parameters](config::secret_key key) {
        return parameters.secret(key).value_or(secret_text());
    };
    keep(out.aws, "awsRegion", text(cloud_keys["awsRegion"]));
    keep(out.aws, "awsRoleArn", text(cloud_keys["awsRoleArn"]));
    keep(out.aws, "awsExternalId", text(cloud_keys["awsExternalId"]));
    keep(out.aws, "awsAccessKeyID", text(cloud_keys["awsAccessKeyID"]));
    keep(out.aws, "awsSecretAccessKey", secret(cloud_keys["awsSecretAccessKey"]));
    keep(out.aws, "awsSessionToken", secret(cloud_keys["awsSessionToken"]));
    keep(out.google, "GoogleApplicationCredentials", secret(cloud_keys["GoogleApplicationCredentials"]));
    secret_text in_variable = secret(cloud_keys["credentials"]);
    if (out.google.empty()) keep(out.google, "GoogleApplicationCredentials", std::move(in_variable));
    (void)parameters.text(cloud_keys["credentialsFromEnvFile"]);
    return out;
}

// The variable that credentialsFromEnvFile names holds the path of a service account's key; "": there is none.
std::string google_key_path(const config::trigger& trigger) {
    const auto named = trigger.metadata.find("credentialsFromEnvFile");
    if (named == trigger.metadata.end()) return {};
    const auto found = trigger.resolved_env.find(std::string(trim(named->second)));
    return found == trigger.resolved_env.end() ? std::string() : std::string(trim(found->second.reveal()));
}

}  // namespace

void read_cloud_identity(config::parameters& parameters, const config::trigger& trigger, settings& settings) {
    cloud_values values = read_values(parameters);
    settings.google_key_path = google_key_path(trigger);
    if (!settings.modes.empty()) return;
    config::authentication& identity = settings.identity;
    if (identity.provider.empty() || identity.provider == "none") {
        const bool google = !values.google.empty() || !settings.google_key_path.empty();
        if (google) identity.provider = auth::google_provider;
        if (!google && values.wants_aws()) identity.provider = auth::aws_provider;
    }
    auto& own = auth::family_of(identity.provider) == config::identity_family::google ? values.google : values.aws;
    for (auto& [name, value] : own) identity.parameters[name] = std::move(value);
}

}  // namespace gputide::source::access

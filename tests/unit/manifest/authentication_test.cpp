// authenticationRef: where the values come from, and every way in which one can be missing.
#include "texts.hpp"

#include <gtest/gtest.h>

namespace config_test {
namespace {

const char* const secret = R"(---
apiVersion: v1
kind: Secret
metadata: {name: creds}
data: {token: aHVudGVyMg==, user: YWxpY2U=}
stringData: {user: bob}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
data: {tenant: t-1}
binaryData: {raw: AAEC}
)";

std::string authentication(std::string_view spec, std::string_view kind = "TriggerAuthentication") {
    return "---\napiVersion: keda.sh/v1alpha1\nkind: " + std::string(kind) + "\nmetadata: {name: auth}\nspec:\n" +
           std::string(spec);
}

std::string scaler(std::string_view ref = "{name: auth}", std::string_view annotations = {}) {
    return scaled_object("  triggers:\n  - type: prometheus\n    metadata: {query: up}\n    authenticationRef: " +
                             std::string(ref) + "\n",
                         annotations);
}

const std::string token_ref = "  secretTargetRef:\n  - {parameter: bearerToken, name: creds, key: token}\n";

std::string parameter(const manifest::loaded& from, const std::string& name) {
    if (from.specs.size() != 1) return found(from);
    const auto& all = from.specs[0].triggers[0].auth.parameters;
    const auto at = all.find(name);
    return at == all.end() ? "(absent)" : std::string(at->second.reveal());
}

TEST(Authentication, TakesValuesFromDocuments) {
    const std::string refs = token_ref +
                             "  - {parameter: user, name: creds, key: user}\n"
                             "  configMapTargetRef:\n  - {parameter: tenant, name: settings, key: tenant}\n"
                             "  - {parameter: raw, name: settings, key: raw}\n";
    const manifest::loaded got = load(scaler() + authentication(refs) + secret);
    EXPECT_EQ(parameter(got, "bearerToken"), "hunter2");
    EXPECT_EQ(parameter(got, "user"), "bob");  // stringData goes before data
    EXPECT_EQ(parameter(got, "tenant"), "t-1");
    EXPECT_EQ(parameter(got, "raw"), std::string("\0\1\2", 3));
    EXPECT_TRUE(got.report.findings.empty()) << found(got);
}

TEST(Authentication, TakesValuesFromOtherFiles) {
    const std::string so = scaler();
    const std::string rest = authentication(token_ref) + secret;
    const manifest::loaded got = manifest::load({{"so.yaml", so}, {"auth.yaml", rest}}, usual_host());
    EXPECT_EQ(parameter(got, "bearerToken"), "hunter2");
}

// A value of another program may hold ${NAME} for its own use.
TEST(Authentication, TakesStoredTextsLiterally) {
    const std::string so =
        scaler() + authentication("  configMapTargetRef:\n  - {parameter: tenant, name: settings, key: tenant}\n");
    const std::string stored =
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\n"
        "data: {tenant: 'a${B}', script: 'echo ${HOME} ${open'}\n";
    EXPECT_EQ(parameter(manifest::load({{"so.yaml", so}, {"ConfigMap", stored, true}}, usual_host()), "tenant"),
              "a${B}");
    EXPECT_NE(
        parameter(manifest::load({{"so.yaml", so}, {"ConfigMap", stored}}, usual_host()), "tenant").find("${HOME}"),
        std::string::npos);
}

std::string secret_in(std::string_view name_space, std::string_view token) {
    return "---\napiVersion: v1\nkind: Secret\nmetadata: {name: creds, namespace: " + std::string(name_space) +
           "}\nstringData: {token: " + std::string(token) + "}\n";
}

TEST(Authentication, ClusterWideOnesHaveTheirStoresInOneNamespace) {
    const std::string all = scaler("{name: auth, kind: ClusterTriggerAuthentication}") +
                            authentication(token_ref, "ClusterTriggerAuthentication") +
                            secret_in("default", "of-a-tenant") + secret_in("keda", "of-the-cluster");
    manifest::surroundings host = usual_host();
    host.cluster_secrets_namespace = "keda";
    EXPECT_EQ(parameter(load(all, host), "bearerToken"), "of-the-cluster");
}

TEST(Authentication, OneIdentityIsOneObject) {
    const std::string so = scaler() + authentication(token_ref);
    EXPECT_EQ(parameter(load(so + secret_in("default", "a") + secret_in("prod", "b")), "bearerToken"), "a");
    const std::string config_map = "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: creds}\ndata: {a: b}\n";
    EXPECT_EQ(parameter(load(so + secret_in("default", "a") + config_map), "bearerToken"), "a");
    const std::string first = so + secret_in("default", "a"), second = secret_in("default", "b");
    const auto twice = manifest::load({{"so.yaml", first}, {"more.yaml", second}}, usual_host());
    EXPECT_NE(found(twice).find("more.yaml:4"), std::string::npos) << found(twice);
    EXPECT_NE(found(twice).find("the Secret default/creds is given twice, first at so.yaml:"), std::string::npos)
        << found(twice);
}

TEST(Authentication, AsksTheHostForWhatNoDocumentHas) {
    manifest::surroundings host = host_with({{"TOKEN", "from the environment"}});
    host.secret = [](const manifest::object_identity& store,
                     const std::string& key) -> gputide::result<gputide::secret_text> {
        const std::string& name = store.name;
        if (store.text() == "Secret default/creds" && key == "token")
            return gputide::secret_text(std::string("from a file"));
        return gputide::fail(gputide::status::invalid, name + "/" + key + " cannot be read");
    };
    EXPECT_EQ(parameter(load(scaler() + authentication(token_ref), host), "bearerToken"), "from a file");
    EXPECT_EQ(parameter(load(scaler() + authentication(token_ref) + secret, host), "bearerToken"), "hunter2");
    EXPECT_EQ(parameter(load(scaler() + authentication("  env:\n  - {parameter: bearerToken, name: TOKEN}\n"), host),
                        "bearerToken"),
              "from the environment");
    EXPECT_NE(
        parameter(
            load(scaler() + authentication("  secretTargetRef:\n  - {parameter: p, name: other, key: k}\n"), host), "p")
            .find("other/k cannot be read"),
        std::string::npos);
}

TEST(Authentication, LetsTheLastBlockWin) {
    const std::string refs = token_ref + "  env:\n  - {parameter: bearerToken, name: TOKEN}\n";
    EXPECT_EQ(parameter(load(scaler() + authentication(refs) + secret, host_with({{"TOKEN", "x"}})), "bearerToken"),
              "hunter2");
}

TEST(Authentication, ReadsTheIdentity) {
    const manifest::loaded got =
        load(scaler("{name: auth, kind: ClusterTriggerAuthentication}") +
             authentication("  podIdentity: {provider: azure-workload, identityId: id, identityTenantId: t, "
                            "identityAuthorityHost: 'https://login.example/'}\n",
                            "ClusterTriggerAuthentication"));
    ASSERT_EQ(got.specs.size(), 1U) << found(got);
    const manifest::authentication& auth = got.specs[0].triggers[0].auth;
    EXPECT_EQ(auth.provider, "azure-workload");
    EXPECT_EQ(auth.identity_id, "id");
    EXPECT_EQ(auth.identity_tenant_id, "t");
    EXPECT_EQ(auth.identity_authority_host, "https://login.example/");
}

TEST(Authentication, NamesWhatIsMissing) {
    const struct {
        const char* name;
        std::string text;
        const char* part;
    } rows[] = {
        {"no document", scaler(),
         "so.yaml:11:5: error: the TriggerAuthentication \"auth\" is not given (spec.triggers[0].authenticationRef)"},
        {"the other kind", scaler() + authentication(token_ref, "ClusterTriggerAuthentication") + secret,
         "is not given, only a ClusterTriggerAuthentication of that name"},
        {"another namespace",
         scaler() + "---\napiVersion: keda.sh/v1alpha1\nkind: TriggerAuthentication\nmetadata: {name: auth, namespace: "
                    "x}\nspec: {}\n",
         "is not given in namespace \"default\", only in \"x\""},
        {"an unknown kind", scaler("{name: auth, kind: Secret}"),
         "expected TriggerAuthentication or ClusterTriggerAuthentication"},
        {"no Secret", scaler() + authentication(token_ref),
         "so.yaml:18:5: error: parameter \"bearerToken\": the Secret \"creds\" is not given (spec.secretTargetRef[0])"},
        {"no key",
         scaler() + authentication("  secretTargetRef:\n  - {parameter: p, name: creds, key: nokey}\n") + secret,
         "the Secret \"creds\" has no key \"nokey\""},
        {"no ConfigMap", scaler() + authentication("  configMapTargetRef:\n  - {parameter: p, name: cm, key: k}\n"),
         "the ConfigMap \"cm\" is not given"},
        {"not base64",
         scaler() + authentication("  secretTargetRef:\n  - {parameter: p, name: s, key: k}\n") +
             "---\napiVersion: v1\nkind: Secret\nmetadata: {name: s}\ndata: {k: 'not base64!'}\n",
         "data.k of the Secret \"s\" is not base64"},
        {"environment not allowed", scaler() + authentication("  env:\n  - {parameter: p, name: TOKEN}\n"),
         "this program does not allow it"},
        {"no parameter", scaler() + authentication("  secretTargetRef:\n  - {name: creds, key: token}\n") + secret,
         "parameter is required"},
        {"unsupported", scaler() + authentication("  hashiCorpVault: {address: x}\n"),
         "hashiCorpVault is not supported here"},
        {"a token of no service account", scaler() + authentication("  boundServiceAccountToken: [{parameter: p}]\n"),
         "serviceAccountName is required"},
        {"a token of a service account",
         scaler() + authentication("  boundServiceAccountToken: [{parameter: p, serviceAccountName: m}]\n"),
         "podIdentity.provider: bearer-file with the parameter tokenFile"},
        {"oauth2 of another type",
         scaler() + authentication("  oauth2: {type: password, clientId: c, tokenUrl: 'https://l'}\n"),
         "oauth2.type must be 'clientCredentials', got 'password'"},
        {"oauth2 without a URL", scaler() + authentication("  oauth2: {type: clientCredentials, clientId: c}\n"),
         "oauth2.tokenUrl is required"},
        {"oauth2 without a host",
         scaler() + authentication("  oauth2: {type: clientCredentials, clientId: c, tokenUrl: 'https:///x'}\n"),
         "oauth2.tokenUrl must be a valid http or https URL"},
        {"oauth2 beside an identity that is validated",
         scaler() + authentication("  podIdentity: {provider: aws}\n  oauth2: {type: clientCredentials}\n"),
         "oauth2.clientId is required"},
        {"a secret of oauth2 that is not there",
         scaler() +
             authentication("  oauth2: {type: clientCredentials, clientId: c, tokenUrl: 'https://l',\n"
                            "    clientSecret: {valueFrom: {secretKeyRef: {name: creds, key: nokey}}}}\n") +
             secret,
         "parameter \"clientSecret\": the Secret \"creds\" has no key \"nokey\""},
        {"a secret of oauth2 without its name",
         scaler() + authentication("  oauth2: {type: clientCredentials, clientId: c, tokenUrl: 'https://l',\n"
                                   "    clientSecret: {value: x}}\n"),
         "clientSecret.valueFrom is required"},
        {"a principal without proof",
         scaler() + authentication("  azureServicePrincipal: {tenantId: t, clientId: c}\n"),
         "azureServicePrincipal requires either clientSecret or clientCertificate"},
        {"a principal of a cloud of one's own",
         scaler() +
             authentication("  azureServicePrincipal: {tenantId: t, clientId: c, cloud: PRIVATE,\n"
                            "    clientSecret: {valueFrom: {secretKeyRef: {name: creds, key: token}}}}\n") +
             secret,
         "azureServicePrincipal.activeDirectoryEndpoint is required when cloud is Private"},
        {"a file", scaler() + authentication("  filePath: a.json\n"), "filePath is not supported here"},
        {"a provider", scaler() + authentication("  podIdentity: {provider: azure}\n"),
         "the provider \"azure\" is not known"},
        {"a role of the workload",
         scaler() + authentication("  podIdentity: {provider: aws, roleArn: r, identityOwner: workload}\n"),
         "roleArn of PodIdentity can't be set if KEDA isn't identityOwner"},
        {"an empty tenant",
         scaler() + authentication("  podIdentity: {provider: azure-workload, identityTenantId: ''}\n"),
         "identityTenantId of PodIdentity should not be empty"},
    };
    for (const auto& row : rows) {
        const manifest::loaded got = load(row.text);
        EXPECT_TRUE(got.specs.empty()) << row.name;
        EXPECT_NE(found(got).find(row.part), std::string::npos) << row.name << "\n" << found(got);
        EXPECT_EQ(found(got).find("hunter2"), std::string::npos) << row.name;
        EXPECT_EQ(found(got).find("not base64!"), std::string::npos) << row.name;
    }
    const manifest::loaded unset =
        load(scaler() + authentication("  env:\n  - {parameter: p, name: TOKEN}\n"), host_with({}));
    EXPECT_NE(found(unset).find("the environment variable TOKEN is not set"), std::string::npos);
}

const std::string oauth2_block =
    "  oauth2:\n    type: clientCredentials\n    clientId: c-1\n    tokenUrl: https://login.test/token\n"
    "    scopes: [read, write]\n    tokenUrlParams: {resource: r, audience: a b}\n"
    "    clientSecret: {valueFrom: {secretKeyRef: {name: creds, key: token}}}\n";

TEST(Authentication, OAuth2BecomesParameters) {
    const manifest::loaded got = load(scaler() + authentication(oauth2_block) + secret);
    EXPECT_EQ(parameter(got, "oauthTokenURI"), "https://login.test/token");
    EXPECT_EQ(parameter(got, "clientID"), "c-1");
    EXPECT_EQ(parameter(got, "clientSecret"), "hunter2");
    EXPECT_EQ(parameter(got, "scopes"), "read,write");
    EXPECT_EQ(parameter(got, "endpointParams"), "audience=a+b&resource=r");
    EXPECT_TRUE(got.report.findings.empty()) << found(got);
}

// KEDA's webhook does not look at the block then, and a trigger would be refused later.
TEST(Authentication, OAuth2BesideAnotherIdentityIsWarnedOf) {
    const manifest::loaded got =
        load(scaler() + authentication("  podIdentity: {provider: none}\n  oauth2: {type: password}\n"));
    EXPECT_EQ(got.report.count(text::severity::error), 0U) << found(got);
    EXPECT_EQ(got.report.count(text::severity::warning), 3U) << found(got);
    EXPECT_NE(found(got).find("KEDA does not check oauth2 with this podIdentity"), std::string::npos);
}

TEST(Authentication, AServicePrincipalIsAnApplication) {
    const std::string head = "  azureServicePrincipal:\n    tenantId: t-1\n    clientId: c-1\n";
    const std::string with_secret = head +
                                    "    cloud: AzureUSGovernmentCloud\n"
                                    "    clientSecret: {valueFrom: {secretKeyRef: {name: creds, key: token}}}\n";
    const manifest::loaded got = load(scaler() + authentication(with_secret) + secret);
    ASSERT_EQ(got.specs.size(), 1U) << found(got);
    const manifest::authentication& first = got.specs[0].triggers[0].auth;
    EXPECT_EQ(first.provider, "azure-client-secret");
    EXPECT_EQ(first.identity_cloud, "AzureUSGovernmentCloud");
    EXPECT_EQ(parameter(got, "tenantId"), "t-1");
    EXPECT_EQ(parameter(got, "clientId"), "c-1");
    EXPECT_EQ(parameter(got, "clientSecret"), "hunter2");
    EXPECT_NE(found(got).find("azureServicePrincipal is used as podIdentity azure-client-secret"), std::string::npos);

    const std::string with_certificate =
        head +
        "    cloud: private\n    activeDirectoryEndpoint: https://login.corp/\n"
        "    clientCertificate: {valueFrom: {secretKeyRef: {name: creds, key: token}}}\n"
        "    clientCertificatePassword: {valueFrom: {secretKeyRef: {name: creds, key: user}}}\n";
    const manifest::loaded other = load(scaler() + authentication(with_certificate) + secret);
    ASSERT_EQ(other.specs.size(), 1U) << found(other);
    const manifest::authentication& second = other.specs[0].triggers[0].auth;
    EXPECT_EQ(second.provider, "azure-client-certificate");
    EXPECT_EQ(second.identity_authority_host, "https://login.corp/");
    EXPECT_FALSE(second.identity_cloud);
    EXPECT_EQ(parameter(other, "clientCertificatePassword"), "bob");

    const manifest::loaded strict =
        load(scaler("{name: auth}", "    gputide.io/profile: strict\n") + authentication(with_secret) + secret);
    ASSERT_EQ(strict.specs.size(), 1U) << found(strict);
    EXPECT_EQ(strict.specs[0].triggers[0].auth.provider, "");
    EXPECT_TRUE(strict.specs[0].triggers[0].auth.parameters.empty());
    const manifest::loaded beside =
        load(scaler() + authentication("  podIdentity: {provider: gcp}\n" + with_secret) + secret);
    ASSERT_EQ(beside.specs.size(), 1U) << found(beside);
    EXPECT_EQ(beside.specs[0].triggers[0].auth.provider, "gcp");
    EXPECT_NE(found(beside).find("no effect together with podIdentity gcp"), std::string::npos);
}

// A token is requested by the controller of a cluster, which gives it as a TokenRequest.
TEST(Authentication, ABoundTokenIsThatOfATokenRequest) {
    const std::string bound = authentication(
        "  boundServiceAccountToken:\n"
        "  - {parameter: bearerToken, serviceAccountName: metrics}\n");
    const std::string request =
        "---\napiVersion: authentication.k8s.io/v1\nkind: TokenRequest\nmetadata: {name: metrics, namespace: "
        "default}\n";
    EXPECT_EQ(parameter(load(scaler() + bound + request + "status: {token: a.b.c}\n"), "bearerToken"), "a.b.c");
    const std::string none = found(load(scaler() + bound + request));
    EXPECT_NE(none.find("the TokenRequest \"metrics\" has no status.token"), std::string::npos) << none;
    const std::string strict = found(load(scaler("{name: auth}", "    gputide.io/profile: strict\n") + bound));
    EXPECT_NE(strict.find("error: parameter \"bearerToken\": the token of service account \"metrics\" is not given"),
              std::string::npos)
        << strict;
}

// With the list of KEDA's operator the message says what KEDA does, and so which audience a token file needs.
TEST(Authentication, AMissingTokenIsToldWithItsAudience) {
    const std::string text = scaler() + authentication(
                                            "  boundServiceAccountToken:\n"
                                            "  - {parameter: bearerToken, serviceAccountName: metrics}\n"
                                            "  - {parameter: other, serviceAccountName: second}\n");
    const auto said = [&text](const std::string& list) {
        return found(load(text, host_with({{"KEDA_SERVICE_ACCOUNT_TOKEN_AUDIENCES", list}})));
    };
    const std::string both = said("- {audience: prom.corp, namespace: default, serviceAccountName: metrics}");
    EXPECT_NE(both.find("KEDA 2.21 requests it with the audience \"prom.corp\""), std::string::npos) << both;
    EXPECT_NE(both.find("no configured token audience for service account default/second"), std::string::npos) << both;
    EXPECT_NE(said("null").find("KEDA 2.21 does not start: KEDA_SERVICE_ACCOUNT_TOKEN_AUDIENCES must be a list"),
              std::string::npos);
    EXPECT_EQ(found(load(text)).find("KEDA 2.21"), std::string::npos);
}

TEST(Authentication, TriggersKnowTheReleaseOfTheirManifest) {
    const manifest::loaded newest = load(scaler() + authentication(token_ref) + secret);
    const manifest::loaded older =
        load(scaler("{name: auth}", "    gputide.io/keda-version: \"2.20\"\n") + authentication(token_ref) + secret);
    ASSERT_EQ(newest.specs.size() + older.specs.size(), 2U);
    EXPECT_EQ(newest.specs[0].triggers[0].rules.versions.keda, manifest::original_versions::newest_keda);
    EXPECT_EQ(older.specs[0].triggers[0].rules.versions.keda, 20);
}

TEST(Authentication, GoesOnWithEmptyTextsInTheStrictProfile) {
    const char* const strict = "    gputide.io/profile: strict\n";
    const manifest::loaded no_document = load(scaler("{name: auth}", strict));
    EXPECT_EQ(no_document.specs.size(), 1U) << found(no_document);
    EXPECT_EQ(no_document.report.count(text::severity::warning), 1U);
    const manifest::loaded no_secret = load(scaler("{name: auth}", strict) + authentication(token_ref));
    EXPECT_EQ(parameter(no_secret, "bearerToken"), "");
    EXPECT_EQ(no_secret.report.count(text::severity::warning), 1U);
    // Reading the environment is the host's to allow, in every profile.
    EXPECT_TRUE(
        load(scaler("{name: auth}", strict) + authentication("  env:\n  - {parameter: p, name: T}\n")).specs.empty());
}

TEST(Authentication, ResolvesFromEnvKeys) {
    const std::string text = scaled_object("  triggers:\n  - type: x\n    metadata: {keyFromEnv: TOKEN}\n");
    const manifest::loaded got = load(text, host_with({{"TOKEN", "v"}}));
    ASSERT_EQ(got.specs.size(), 1U) << found(got);
    EXPECT_EQ(got.specs[0].triggers[0].resolved_env.at("TOKEN").reveal(), "v");
    EXPECT_NE(found(load(text, host_with({}))).find("keyFromEnv: the environment variable TOKEN is not set"),
              std::string::npos);
    EXPECT_NE(found(load(text)).find("this program does not allow it"), std::string::npos);
}

TEST(Authentication, ReportsASharedGapOnce) {
    const std::string text = scaled_object(
        "  triggers:\n  - {type: x, metadata: {}, authenticationRef: {name: auth}}\n"
        "  - {type: y, metadata: {}, authenticationRef: {name: auth}}\n");
    EXPECT_EQ(load(text + authentication(token_ref)).report.count(text::severity::error), 1U);
}

}  // namespace
}  // namespace config_test

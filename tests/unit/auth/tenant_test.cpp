// Tests what a tenant's manifest may do: row by row of the table, and at the two places where a credential leaves.
#include "auth/authenticator.hpp"
#include "auth/open.hpp"
#include "unit/auth/fake_surroundings.hpp"

#include <gtest/gtest.h>

namespace gputide::auth {
namespace {

tenant limited(const tenant_grants& grants = {}) { return {std::make_shared<const tenant_grants>(grants), "ml"}; }

tenant_grants given(capability which, const std::string& name_space) {
    tenant_grants out;
    out.namespaces[static_cast<std::size_t>(which)] = {name_space};
    return out;
}

TEST(Tenant, EachCapabilityIsGivenByItsNameAndNamespace) {
    for (std::size_t i = 0; i < capability_count; ++i) {
        const auto which = static_cast<capability>(i);
        const std::string name(capabilities()[i].name);
        EXPECT_TRUE(tenant().check(which, "x"));  // the host program's own manifest
        const auto refused = limited().check(which, "the subject");
        ASSERT_FALSE(refused) << name;
        EXPECT_EQ(refused.failure().message.find("the subject is not "), 0U) << refused.failure().message;
        EXPECT_NE(refused.failure().message.find("--allow-tenant " + name + "=ml (setting tenants." + name + ")"),
                  std::string::npos)
            << refused.failure().message;
        EXPECT_FALSE(limited(given(which, "other")).check(which, "x")) << name;
        EXPECT_TRUE(limited(given(which, "ml")).check(which, "x")) << name;
        EXPECT_TRUE(limited(given(which, "*")).check(which, "x")) << name;
        EXPECT_FALSE(limited(given(which, "*")).check(static_cast<capability>((i + 1) % capability_count), "x"));
    }
}

TEST(Tenant, TokensGoToLoopbackWhereThatIsGivenOrNamed) {
    const audience azure{"https://prometheus.monitor.azure.com/.default", {"prometheus.monitor.azure.com"}};
    for (const char* url :
         {"http://127.0.0.1:9090/api", "https://localhost/", "http://[::1]:1/", "http://127.9.9.9/"}) {
        host_permissions permissions;
        EXPECT_TRUE(check_host(url, azure, permissions)) << url;
        permissions.tenant = limited();
        const auto refused = check_host(url, azure, permissions);
        ASSERT_FALSE(refused) << url;
        EXPECT_NE(refused.failure().message.find("--allow-tenant loopback_tokens=ml"), std::string::npos);
        permissions.tenant = limited(given(capability::loopback_tokens, "ml"));
        EXPECT_TRUE(check_host(url, azure, permissions)) << url;
    }
    host_permissions permissions;
    permissions.tenant = limited();
    EXPECT_TRUE(check_host("https://prometheus.monitor.azure.com/", azure, permissions));
    EXPECT_TRUE(check_host("https://127.0.0.1:6443/", {"", {"127.0.0.1"}}, permissions));  // the API server's own token
    permissions.allowed_token_hosts = {"127.0.0.1"};
    EXPECT_TRUE(check_host("http://127.0.0.1:9090/", azure, permissions));
}

TEST(Tenant, SecretsOfTheClusterGoToTheHostsThatAreNamed) {
    access how;
    how.is_cluster_wide = true;  // no header: the secret may stand in the query
    const auto prepared = [&](const tenant_grants& grants, const char* url) {
        host_permissions permissions;
        permissions.tenant = limited(grants);
        http::request request;
        request.url = url;
        return authenticator(how, permissions, nullptr).prepare(request);
    };
    tenant_grants grants;
    EXPECT_TRUE(prepared(grants, "https://tenants.example/"));  // as KEDA
    grants.limits_cluster_secrets = true;
    EXPECT_FALSE(prepared(grants, "https://prom.example/"));
    grants.cluster_secret_hosts = {"prom.example"};
    EXPECT_TRUE(prepared(grants, "https://PROM.example:9090/api"));
    for (const char* url : {"https://prom.example.evil/", "https://evilprom.example/", "https://prom.example@evil/",
                            "https://evil/prom.example", "http://127.0.0.1/"}) {
        const auto refused = prepared(grants, url);
        ASSERT_FALSE(refused) << url;
        EXPECT_NE(refused.failure().message.find("--cluster-secret-host"), std::string::npos) << url;
    }
    how.is_cluster_wide = false;
    EXPECT_TRUE(prepared(grants, "https://tenants.example/"));  // the tenant's own secret
}

TEST(Tenant, AzureSecretsOfTheClusterGoToLoginHostsAndThoseThatAreNamed) {
    const auto host = std::make_shared<test::fake_surroundings>();
    tenant_grants grants = given(capability::loopback_tokens, "ml");
    grants.limits_cluster_secrets = true;
    host_permissions permissions;
    permissions.allow_custom_authority = true;
    const auto message = [&](const std::string& provider, const std::string& authority, bool is_cluster_wide) {
        permissions.tenant = limited(grants);
        manifest::authentication identity;
        identity.provider = provider;
        identity.is_cluster_wide = is_cluster_wide;
        for (const char* name : {"tenantId", "clientId", "clientSecret", "clientCertificate"})
            identity.parameters.emplace(name, secret_text(std::string("x")));
        identity.parameters.emplace("authorityHost", secret_text(authority));
        const auto opened = open_identity(identity, permissions, host);
        return opened ? std::string() : opened.failure().message;
    };
    const auto is_refused = [&](const std::string& provider, const std::string& authority, bool is_cluster_wide) {
        return message(provider, authority, is_cluster_wide).find("--cluster-secret-host") != std::string::npos;
    };
    for (const char* provider : {"azure-client-secret", "azure-client-certificate"}) {
        SCOPED_TRACE(provider);
        grants.cluster_secret_hosts = {};
        for (const char* known : {"", "https://login.microsoftonline.com/", "https://login.microsoftonline.us"})
            EXPECT_FALSE(is_refused(provider, known, true)) << known;
        for (const char* custom : {"https://login.evil.example", "https://login.microsoftonline.com:444",
                                   "https://login.microsoftonline.com/evil", "https://127.0.0.1"}) {
            EXPECT_TRUE(is_refused(provider, custom, true)) << custom;
            EXPECT_FALSE(is_refused(provider, custom, false)) << custom;
        }
        grants.cluster_secret_hosts = {"login.own.example"};
        EXPECT_FALSE(is_refused(provider, "https://LOGIN.own.example/tenant", true));
        EXPECT_TRUE(is_refused(provider, "https://login.evil.example", true));
        grants.limits_cluster_secrets = false;
        EXPECT_FALSE(is_refused(provider, "https://login.evil.example", true)) << "as in KEDA";
        grants.limits_cluster_secrets = true;
    }
}

// Whatever the host program allows its own manifests.
TEST(Tenant, ProvidersThatRunProgramsOrReadFilesAreOff) {
    const auto host = std::make_shared<test::fake_surroundings>();
    host_permissions permissions;
    permissions.allowed_programs = {"az", "print-token"};
    permissions.secrets_dir = "/secrets";
    manifest::authentication identity;
    identity.parameters = {{"command", secret_text(std::string("print-token"))},
                           {"tokenFile", secret_text(std::string("gateway/token"))}};
    const std::vector<std::pair<std::string, capability>> providers{{"bearer-exec", capability::programs},
                                                                    {"azure-cli", capability::programs},
                                                                    {"bearer-file", capability::secrets_dir}};
    for (const auto& [provider, which] : providers) {
        identity.provider = provider;
        permissions.tenant = {};
        EXPECT_TRUE(open_identity(identity, permissions, host)) << provider;
        permissions.tenant = limited();
        EXPECT_FALSE(open_identity(identity, permissions, host)) << provider;
        permissions.tenant = limited(given(which, "ml"));
        EXPECT_TRUE(open_identity(identity, permissions, host)) << provider;
    }
}

}  // namespace
}  // namespace gputide::auth

// Everything that is checked before the first byte is sent: authority, tenant, scope, overrides, token proxy, token file.
#include "auth/azure/credentials.hpp"
#include "auth/azure/services.hpp"
#include "base/limits.hpp"
#include "fake_surroundings.hpp"

#include <gtest/gtest.h>

namespace gputide::auth {
namespace {

using test::webhook_pod;

host_permissions custom_allowed() {
    host_permissions out;
    out.allow_custom_authority = true;
    return out;
}

result<std::string> authority(std::string_view text, const host_permissions& permissions = {}) {
    return read_authority(std::string(text), "authorityHost", permissions, test::fake_surroundings());
}

void expect_config(const error& why, std::string_view part, bool retryable = false) {
    EXPECT_EQ(class_word(why.error_class), "config");
    EXPECT_EQ(why.status, status::invalid);
    EXPECT_EQ(why.retryable, retryable);
    EXPECT_NE(why.message.find(part), std::string::npos) << why.message;
}

TEST(Authority, KnownHostsInOneSpelling) {
    for (const char* text : {"", "https://login.microsoftonline.com", "https://LOGIN.microsoftonline.com/",
                             "https://login.microsoftonline.com:443/"}) {
        const auto got = authority(text);
        ASSERT_TRUE(got) << text;
        EXPECT_EQ(*got, "https://login.microsoftonline.com");
    }
    EXPECT_TRUE(authority("https://login.partner.microsoftonline.cn/"));
    EXPECT_TRUE(authority("https://login.sovcloud-identity.fr/"));
}

TEST(Authority, LoopbackIsForTestsAndStillHttps) {
    EXPECT_EQ(*authority("https://127.0.0.1:8443/"), "https://127.0.0.1:8443");
    EXPECT_EQ(*authority("https://[::1]:8443/"), "https://[::1]:8443");
    expect_config(authority("http://127.0.0.1:8443/").failure(), "https");
}

// A tenant's manifest may not send an assertion to loopback; the variable is set by the host program and may.
TEST(Authority, LoopbackOfATenantNeedsTheGrantUnlessTheEnvironmentNamesIt) {
    const char* const url = "https://127.0.0.1:8443";
    host_permissions permissions;
    permissions.tenant = tenant(std::make_shared<const tenant_grants>(), "ml");
    expect_config(authority(url, permissions).failure(), "allow_custom_authority");
    test::fake_surroundings host;
    host.variables["AZURE_AUTHORITY_HOST"] = url;
    EXPECT_EQ(*read_authority({}, "authorityHost", permissions, host), url);
    EXPECT_EQ(*read_authority("", "authorityHost", permissions, host), url);
    EXPECT_FALSE(read_authority(url, "authorityHost", permissions, host));
    tenant_grants grants;
    grants.namespaces[static_cast<std::size_t>(capability::loopback_tokens)] = {"ml"};
    permissions.tenant = tenant(std::make_shared<const tenant_grants>(grants), "ml");
    EXPECT_EQ(*authority(url, permissions), url);
}

TEST(Authority, OthersNeedTheHostsWord) {
    for (const char* text : {"https://login.evil.example/", "https://login.microsoftonline.com:8443/",
                             "https://login.microsoftonline.com/path", "https://evillogin.microsoftonline.com/"}) {
        expect_config(authority(text).failure(), "allow_custom_authority");
        EXPECT_TRUE(authority(text, custom_allowed())) << text;
    }
    EXPECT_EQ(*authority("https://adfs.example/base/", custom_allowed()), "https://adfs.example/base");
}

TEST(Authority, WhatIsAlwaysRefused) {
    expect_config(authority("http://login.microsoftonline.com/", custom_allowed()).failure(), "https");
    expect_config(authority("foo", custom_allowed()).failure(), "authority");
    expect_config(authority("https://u:hunter2@login.microsoftonline.com/", custom_allowed()).failure(),
                  "user information");
    expect_config(authority("https://login.microsoftonline.com/?x=", custom_allowed()).failure(), "query");
    expect_config(authority("https://login.microsoftonline.com/#", custom_allowed()).failure(), "fragment");
    EXPECT_EQ(authority("https://u:hunter2@login.microsoftonline.com/").failure().message.find("hunter2"),
              std::string::npos);
}

TEST(Authority, Tenants) {
    EXPECT_TRUE(checked_tenant("contoso.onmicrosoft.com", "AZURE_TENANT_ID"));
    for (const char* text : {"", ".", "..", "a/b", "a b", "a%2e", "tenant\n"}) {
        expect_config(checked_tenant(text, "AZURE_TENANT_ID").failure(), "tenant");
    }
}

TEST(Authority, OneSlashBetweenTheParts) {
    EXPECT_EQ(token_url("https://h", "t"), "https://h/t/oauth2/v2.0/token");
    EXPECT_EQ(token_url("https://h/a//", "t"), "https://h/a/t/oauth2/v2.0/token");
    EXPECT_EQ(token_url("https://h", "ADFS"), "https://h/adfs/oauth2/token");
    EXPECT_EQ(*scope_for("https://r/.default", "adfs"), "https://r");
    EXPECT_EQ(*scope_for("https://r", "t"), "https://r/.default");
}

TEST(Scopes, FromResources) {
    EXPECT_EQ(*scope_of_resource("https://prometheus.monitor.azure.com/"),
              "https://prometheus.monitor.azure.com/.default");
    EXPECT_EQ(*scope_of_resource("https://r//"), "https://r//.default");
    EXPECT_EQ(*scope_of_resource("https://management.core.windows.net//.default"),
              "https://management.core.windows.net//.default");
    EXPECT_EQ(*scope_of_resource("guid"), "guid/.default");
    expect_config(scope_of_resource("a/.default b/.default").failure(), "scope");
    expect_config(scope_of_resource("").failure(), "scope");
    EXPECT_EQ(resource_of_scope("https://r//.default"), "https://r/");
    EXPECT_EQ(resource_of_scope("https://r"), "https://r");
}

TEST(Scopes, CloudsOfManagedPrometheus) {
    const auto scope = [](std::string_view cloud) { return managed_prometheus_audience(cloud, "", false)->scope; };
    EXPECT_EQ(scope(""), "https://prometheus.monitor.azure.com/.default");
    EXPECT_EQ(scope("azurecloud"), "https://prometheus.monitor.azure.com/.default");
    EXPECT_EQ(scope("AzureUSGovernmentCloud"), "https://prometheus.monitor.azure.us/.default");
    EXPECT_EQ(scope("AZURECHINACLOUD"), "https://prometheus.monitor.azure.cn/.default");
    expect_config(managed_prometheus_audience("AzureGermanCloud", "", false).failure(), "AzureGermanCloud");
    expect_config(managed_prometheus_audience("mars", "", false).failure(), "invalid cloud environment \"mars\"");
}

TEST(Scopes, PrivateCloud) {
    expect_config(managed_prometheus_audience("Private", "", true).failure(), "azureManagedPrometheusResourceURL");
    EXPECT_EQ(managed_prometheus_audience("private", "https://amp.corp.example/", true)->scope,
              "https://amp.corp.example/");
    const auto got = managed_prometheus_audience("Private", "https://amp.corp.example/", false);
    EXPECT_EQ(got->scope, "https://amp.corp.example/.default");
    EXPECT_EQ(got->hosts, std::vector<std::string>{"amp.corp.example"});
    EXPECT_TRUE(got->of_manifest) << "the host's own tokens need allowed_token_hosts";
    EXPECT_FALSE(managed_prometheus_audience("AzureChinaCloud", "", false)->of_manifest);
    expect_config(managed_prometheus_audience("Private", "two parts", false).failure(),
                  "azureManagedPrometheusResourceURL");
}

TEST(Scopes, TheTableOfApis) {
    EXPECT_EQ(azure_audience(azure_api::resource_manager, azure_cloud::china).scope,
              "https://management.chinacloudapi.cn//.default");
    EXPECT_EQ(azure_audience(azure_api::metrics_batch, azure_cloud::us_government).hosts.front(),
              "metrics.monitor.azure.us");
    EXPECT_EQ(azure_audience(azure_api::log_analytics, azure_cloud::public_cloud).hosts.size(), 2u);
}

TEST(WorkloadIdentitySettings, VariablesAndOverrides) {
    const auto pod = webhook_pod();
    const auto plain = read_workload_identity({}, {}, *pod);
    ASSERT_TRUE(plain);
    EXPECT_EQ(plain->client_id, "aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee");
    EXPECT_FALSE(plain->proxy);

    const auto over = read_workload_identity({"id", "contoso.com", "https://login.microsoftonline.us"}, {}, *pod);
    ASSERT_TRUE(over);
    EXPECT_EQ(over->client_id, "id");
    EXPECT_EQ(over->tenant, "contoso.com");
    EXPECT_EQ(over->authority, "https://login.microsoftonline.us");
}

TEST(WorkloadIdentitySettings, WhatIsMissingIsNamed) {
    for (const char* name : {"AZURE_CLIENT_ID", "AZURE_TENANT_ID", "AZURE_FEDERATED_TOKEN_FILE"}) {
        const auto pod = webhook_pod();
        pod->variables[name] = "";
        expect_config(read_workload_identity({}, {}, *pod).failure(), name);
        pod->variables.erase(name);
        expect_config(read_workload_identity({}, {}, *pod).failure(), name);
    }
    const auto pod = webhook_pod();
    expect_config(read_workload_identity({"", {}, {}}, {}, *pod).failure(), "identityId");
    expect_config(read_workload_identity({{}, "", {}}, {}, *pod).failure(), "identityTenantId");
    expect_config(read_workload_identity({{}, {}, "https://login.microsoftonline.us"}, {}, *pod).failure(),
                  "identityTenantId");
    EXPECT_EQ(pod->reads, 0) << "the token file is for requests";
}

TEST(TokenProxy, OnlyWhereTheHostEnablesIt) {
    const auto pod = webhook_pod();
    pod->variables["AZURE_KUBERNETES_TOKEN_PROXY"] = "http://not.even.read";
    EXPECT_TRUE(read_workload_identity({}, {}, *pod));
    host_permissions enabled;
    enabled.enable_azure_proxy = true;
    expect_config(read_workload_identity({}, enabled, *pod).failure(), "https");
    pod->variables.erase("AZURE_KUBERNETES_TOKEN_PROXY");
    pod->variables["AZURE_KUBERNETES_SNI_NAME"] = "x";
    expect_config(read_workload_identity({}, enabled, *pod).failure(), "AZURE_KUBERNETES_TOKEN_PROXY");
}

TEST(TokenProxy, TakesThePlaceOfTheAuthority) {
    const auto pod = webhook_pod();
    pod->variables["AZURE_KUBERNETES_TOKEN_PROXY"] = "https://10.0.0.1:6443/a/b/";
    pod->variables["AZURE_KUBERNETES_CA_FILE"] = "/ca.crt";
    host_permissions enabled;
    enabled.enable_azure_proxy = true;
    const auto who = read_workload_identity({}, enabled, *pod);
    ASSERT_TRUE(who);
    const auto request = workload_identity_request(*who, "s/.default", secret_text(std::string("a.b.c")));
    EXPECT_EQ(request.url, "https://10.0.0.1:6443/a/b/11111111-2222-3333-4444-555555555555/oauth2/v2.0/token");

    expect_config(tls_of(*who->proxy, *pod).failure(), "/ca.crt", true);
    pod->files["/ca.crt"] = " \n";
    expect_config(tls_of(*who->proxy, *pod).failure(), "empty", true);
    pod->files["/ca.crt"] = "PEM";
    EXPECT_EQ((*tls_of(*who->proxy, *pod))->ca_pem, "PEM");
}

TEST(TokenFile, ContentRules) {
    const auto pod = webhook_pod();
    const auto read = [&pod](const std::string& content) {
        pod->files[test::token_path] = content;
        return read_token_file(*pod, test::token_path);
    };
    EXPECT_EQ(read(" \t\r\na.b-_9.c\r\n")->reveal(), "a.b-_9.c");
    expect_config(read("").failure(), "empty", true);
    expect_config(read("\n").failure(), "empty", true);
    for (const char* bad : {"a.b", "a..c", "a.b.c.d", "a.b.c=", "a.b. c", "{\"a\":1}"}) {
        expect_config(read(bad).failure(), test::token_path);
    }
    const std::string longest = "a.b." + std::string(limits::token_file_bytes - 4, 'c');
    EXPECT_TRUE(read(longest));
    expect_config(read(longest + "c").failure(), "large");
    pod->files.clear();
    expect_config(read_token_file(*pod, test::token_path).failure(), test::token_path, true);
}

TEST(Request, EveryOctetIsEscaped) {
    const auto who = read_workload_identity({}, {}, *webhook_pod());
    const auto request =
        workload_identity_request(*who, "https://r/a+b &=%/.default", secret_text(std::string("h.p.s")));
    EXPECT_EQ(request.method, "POST");
    EXPECT_EQ(request.find("content-type")->value.reveal(), "application/x-www-form-urlencoded");
    EXPECT_EQ(request.find("accept")->value.reveal(), "application/json");
    EXPECT_EQ(request.find("client-request-id")->value.reveal().size(), 36u);
    EXPECT_TRUE(request.carries_credential);
    EXPECT_EQ(request.max_bytes, limits::token_response_bytes);
    EXPECT_NE(request.body.reveal().find("&scope=https%3A%2F%2Fr%2Fa%2Bb%20%26%3D%25%2F.default&"),
              std::string_view::npos);
    EXPECT_NE(request.body.reveal().find("&client_assertion=h.p.s"), std::string_view::npos);
}

}  // namespace
}  // namespace gputide::auth

// Kubernetes clusters: a pod's own, and what kubeconfig files say.
#include "auth/kubernetes/cluster.hpp"

#include "base/encode.hpp"
#include "fake_surroundings.hpp"
#include "support/scripted_loop.hpp"

#include <gtest/gtest.h>

namespace gputide::auth {
namespace {

using test::fake_surroundings;

constexpr const char* mounted = "/var/run/secrets/kubernetes.io/serviceaccount/";

std::shared_ptr<fake_surroundings> a_pod() {
    auto out = std::make_shared<fake_surroundings>();
    out->variables = {{"KUBERNETES_SERVICE_HOST", "10.0.0.1"}, {"KUBERNETES_SERVICE_PORT", "443"}};
    out->files = {{std::string(mounted) + "token", "first\n"},
                  {std::string(mounted) + "ca.crt", "THE CA"},
                  {std::string(mounted) + "namespace", "ml\n"}};
    return out;
}

// One cluster, one user, one context of each name; `user` and `cluster` are lines of their bodies.
std::string config_text(const std::string& user, const std::string& cluster = {}) {
    return "apiVersion: v1\nkind: Config\ncurrent-context: prod\n"
           "clusters:\n- name: c\n  cluster:\n    server: https://k8s.example:6443/\n" +
           (cluster.empty() ? "" : "    " + cluster + "\n") + "users:\n- name: u\n  user:\n    " +
           (user.empty() ? "{}" : user) +
           "\ncontexts:\n- name: prod\n  context: {cluster: c, user: u, namespace: ml}\n"
           "- name: bare\n  context: {cluster: c}\n- name: lost\n  context: {cluster: gone, user: u}\n";
}

http::tls_settings of_the_host() {
    http::tls_settings out;
    out.ca_file = "/host/ca.pem";
    out.proxy = "http://proxy:3128";
    out.user_agent = "host/1";
    return out;
}

result<cluster> opened(const std::string& text, const std::string& context = {},
                       std::shared_ptr<fake_surroundings> host = std::make_shared<fake_surroundings>()) {
    host->files["/etc/kube/config"] = text;
    return open_kubeconfig({"/etc/kube/config"}, {.context = context, .connection = of_the_host()}, host);
}

void refuses(const result<cluster>& got, std::initializer_list<const char*> texts) {
    ASSERT_FALSE(got);
    EXPECT_EQ(got.failure().status, status::invalid) << got.failure().message;
    for (const char* text : texts) {
        const std::string all = got.failure().where.text() + " " + got.failure().message;
        EXPECT_NE(all.find(text), std::string::npos) << all;
    }
}

TEST(InCluster, AddressCaNamespaceAndToken) {
    const auto got = open_in_cluster("", {}, a_pod());
    ASSERT_TRUE(got) << got.failure().message;
    EXPECT_EQ(got->server, "https://10.0.0.1:443");
    EXPECT_EQ(got->name_space, "ml");
    EXPECT_EQ(got->access.tls->ca_pem, "THE CA");
    EXPECT_TRUE(got->is_verified());
    EXPECT_EQ(got->access.audience.hosts, std::vector<std::string>{"10.0.0.1"});
    EXPECT_NE(got->access.credential, nullptr);
}

TEST(InCluster, AnIpv6AddressIsBracketed) {
    auto pod = a_pod();
    pod->variables["KUBERNETES_SERVICE_HOST"] = "fd00::1";
    EXPECT_EQ(open_in_cluster("", {}, pod)->server, "https://[fd00::1]:443");
}

TEST(InCluster, RefusesWhatIsNoAddressAndNamesMissingFiles) {
    auto pod = a_pod();
    pod->variables["KUBERNETES_SERVICE_PORT"] = "443/evil";
    refuses(open_in_cluster("", {}, pod), {"KUBERNETES_SERVICE_PORT", "port number"});
    pod = a_pod();
    pod->variables["KUBERNETES_SERVICE_HOST"] = "me@evil.example/x?";
    refuses(open_in_cluster("", {}, pod), {"KUBERNETES_SERVICE_HOST"});
    pod = a_pod();
    pod->files.erase(std::string(mounted) + "ca.crt");
    const auto got = open_in_cluster("", {}, pod);
    refuses(got, {"ca.crt", "automountServiceAccountToken"});
    EXPECT_TRUE(got.failure().retryable);
}

TEST(MountedToken, IsReadAgainAfterASecondAndAfterARefusal) {
    const auto pod = a_pod();
    const auto loop = std::make_shared<testing::scripted_loop>();
    token_cache cache(loop);
    const auto credential = open_mounted_token(std::string(mounted) + "token", pod);
    const auto now = [&] {
        std::string out;
        cache.get(credential, "s", loop->steady_ms() + 10'000, [&out](const result<token>& got) {
            out = got ? std::string(got->value.reveal()) : "error: " + got.failure().message;
        });
        loop->run_until_idle();
        return out;
    };
    EXPECT_EQ(now(), "first");
    pod->files[std::string(mounted) + "token"] = "second";
    EXPECT_EQ(now(), "first");
    loop->set_steady_ms(loop->steady_ms() + 1'001);
    EXPECT_EQ(now(), "second");
    pod->files[std::string(mounted) + "token"] = "third";
    EXPECT_TRUE(cache.report_refused(*credential, "s", "second"));
    EXPECT_EQ(now(), "third");
    pod->files[std::string(mounted) + "token"] = "fourth";
    EXPECT_FALSE(cache.report_refused(*credential, "s", "third")) << "once in a while";
    loop->set_steady_ms(loop->steady_ms() + 1'001);
    EXPECT_EQ(now(), "fourth") << "and yet it is not waited for";
    pod->files.clear();
    loop->set_steady_ms(loop->steady_ms() + 51'000);
    EXPECT_EQ(now(), "fourth") << "a file that cannot be read keeps the last token";
    loop->set_steady_ms(loop->steady_ms() + 3'600'000);
    EXPECT_NE(now().find("No such file"), std::string::npos);
}

TEST(MountedToken, FilesThatHoldNone) {
    fake_surroundings host;
    host.files = {{"/empty", " \n"}, {"/two", "one two"}, {"/binary", std::string("a\0b", 3)}};
    EXPECT_TRUE(read_mounted_token(host, "/empty").failure().retryable);
    for (const char* path : {"/two", "/binary"}) EXPECT_FALSE(read_mounted_token(host, path).failure().retryable);
}

TEST(Kubeconfig, ATokenOfTheCurrentContext) {
    const auto got = opened(config_text("token: s3cr3t", "tls-server-name: api.internal"));
    ASSERT_TRUE(got) << got.failure().message;
    EXPECT_EQ(got->server, "https://k8s.example:6443");
    EXPECT_EQ(got->name_space, "ml");
    EXPECT_EQ(got->named, "kubeconfig /etc/kube/config, context prod");
    EXPECT_EQ(got->access.header->value.reveal(), "Bearer s3cr3t");
    EXPECT_EQ(got->access.tls->server_name, "api.internal");
    EXPECT_EQ(got->access.tls->ca_file, "/host/ca.pem");
}

TEST(Kubeconfig, OtherUsers) {
    auto host = std::make_shared<fake_surroundings>();
    host->files = {{"/etc/kube/pki/me.crt", "CERT"}, {"/etc/kube/pki/me.key", "KEY"}};
    const auto pair = opened(config_text("{client-certificate: pki/me.crt, client-key: pki/me.key}"), "", host);
    ASSERT_TRUE(pair) << pair.failure().message;
    EXPECT_EQ(pair->access.tls->client_key_pem.reveal(), "KEY");
    const auto data = opened(config_text("{client-certificate-data: " + base64("C2") +
                                         ", client-key-data: " + base64("K2") + ", client-key: /wrong}"));
    EXPECT_EQ(data->access.tls->client_key_pem.reveal(), "K2");
    const auto basic = opened(config_text("{username: me, password: pw}"));
    EXPECT_EQ(basic->access.header->value.reveal(), "Basic " + base64("me:pw"));
    const auto file = opened(config_text("{tokenFile: token, token: old}"));
    EXPECT_NE(file->access.credential->cache_key().find("/etc/kube/token"), std::string::npos);
    EXPECT_FALSE(file->access.header);
    const auto nobody = opened(config_text("token: t"), "bare");
    EXPECT_FALSE(nobody->access.header);
    EXPECT_EQ(nobody->name_space, "");
}

TEST(Kubeconfig, Certificates) {
    EXPECT_EQ(opened(config_text("token: t", "certificate-authority-data: " + base64("PEM")))->access.tls->ca_pem,
              "PEM");
    EXPECT_FALSE(opened(config_text("token: t", "insecure-skip-tls-verify: true"))->is_verified());
    refuses(opened(config_text("token: t", "certificate-authority-data: '%%'")),
            {"config:8", "certificate-authority-data is not base64"});
    refuses(opened(config_text("token: t", "certificate-authority: ca.crt")), {"/etc/kube/ca.crt"});
    refuses(opened(config_text("token: t", "{}\n    insecure-skip-tls-verify: true")), {"/etc/kube/config"});
    refuses(opened(config_text("client-certificate-data: " + base64("C"))), {"client-certificate requires client-key"});
}

TEST(Kubeconfig, RefusesWhatWouldMakeAnotherCallerOfUs) {
    refuses(opened(config_text("auth-provider: {name: gcp}")),
            {"config:11", "auth-provider is no longer supported", "tokenFile"});
    refuses(opened(config_text("{token: t, as: root}")), {"as is not supported (impersonation)"});
    refuses(opened(config_text("{token: t, username: me}")), {"keep one of the two"});
    refuses(opened(config_text("token: 'a b'")), {"token has blanks"});
    refuses(opened(config_text("token: t", "proxy-url: http://p")),
            {"proxy-url is not supported", "gputide_options.proxy"});
}

TEST(Kubeconfig, NamesThatAreNotThere) {
    refuses(opened(config_text("token: t"), "prd"), {"no context \"prd\"", "prod, bare, lost"});
    refuses(opened(config_text("token: t"), "lost"), {"no cluster \"gone\""});
    refuses(opened("kind: Config\n"), {"no current-context", "contexts are empty"});
    refuses(opened("[]"), {"expected one kubeconfig"});
    refuses(opened("a: [\n"), {"/etc/kube/config"});
    refuses(open_kubeconfig({"/nowhere"}, {}, std::make_shared<fake_surroundings>()), {"/nowhere"});
}

TEST(Kubeconfig, NoSecretIsInAnError) {
    for (const char* user :
         {"{token: 'plant ed'}", "{token: planted, username: x}", "{client-key-data: planted}", "token: [planted]"}) {
        const auto got = opened(config_text(user));
        if (got) continue;
        EXPECT_EQ(got.failure().message.find("plant"), std::string::npos) << got.failure().message;
    }
}

TEST(Kubeconfig, SeveralFilesWhereTheFirstToNameAThingWins) {
    auto host = std::make_shared<fake_surroundings>();
    host->files = {{"/a", "current-context: prod\nusers: [{name: u, user: {token: from-a}}]\n"},
                   {"/b", config_text("token: from-b")}};
    const auto got = open_kubeconfig({"/gone", "/a", "/b"}, {}, host);
    ASSERT_TRUE(got) << got.failure().message;
    EXPECT_EQ(got->access.header->value.reveal(), "Bearer from-a");
    refuses(open_kubeconfig({"/gone"}, {}, host), {"/gone"});
}

TEST(Clusters, AreAskedAsTheHostWantsItsConnections) {
    auto host = a_pod();
    host->files["/k"] = config_text("token: t", "certificate-authority-data: " + base64("PEM"));
    for (const std::string& kubeconfig : {std::string("/k"), std::string()}) {
        const auto got = open_cluster({.kubeconfig = kubeconfig, .connection = of_the_host()}, host);
        ASSERT_TRUE(got) << got.failure().message;
        EXPECT_EQ(got->access.tls->proxy, "http://proxy:3128") << got->named;
        EXPECT_EQ(got->access.tls->user_agent, "host/1") << got->named;
        EXPECT_EQ(got->access.tls->ca_pem, kubeconfig.empty() ? "THE CA" : "PEM");
        EXPECT_EQ(got->access.tls->ca_file, "") << "the cluster's own roots, and no others";
    }
}

TEST(Clusters, AreLookedForInOrder) {
    auto host = a_pod();
    host->files["/k"] = config_text("token: t");
    host->files["/home/me/.kube/config"] = config_text("token: t");
    const auto named = [&](const cluster_choice& by) {
        const auto got = open_cluster(by, host);
        return got ? got->named : std::string(class_word(got.failure().error_class)) + ": " + got.failure().message;
    };
    host->variables["HOME"] = "/home/me";
    host->variables["KUBECONFIG"] = "/k";
    EXPECT_EQ(named({.kubeconfig = "/k"}), "kubeconfig /k, context prod");
    EXPECT_EQ(named({.read_environment = true}), "kubeconfig /k, context prod");
    EXPECT_EQ(named({}), "the pod's service account") << "KUBECONFIG counts only where the host allows the environment";
    host->variables.erase("KUBERNETES_SERVICE_HOST");
    EXPECT_EQ(named({}).find("unavailable: no Kubernetes cluster is known"), 0U);
    host->variables.erase("KUBECONFIG");
    EXPECT_EQ(named({.read_environment = true}), "kubeconfig /home/me/.kube/config, context prod");
    host->variables["HOME"] = "/root";
    EXPECT_NE(named({.read_environment = true}).find("there is no ~/.kube/config"), std::string::npos);
}

}  // namespace
}  // namespace gputide::auth

// Exec plugins of a kubeconfig: what the file may say, and real programs that sign on well, slowly, wrongly and not at all.

#include "acquiring.hpp"
#include "auth/authenticator.hpp"
#include "auth/credential.hpp"
#include "auth/kubernetes/cluster.hpp"
#include "http/client.hpp"
#include "http/loop.hpp"

#include <filesystem>
#include <fstream>
#include <sys/wait.h>
#include <unistd.h>

namespace gputide::auth {
namespace {

using test::expect_text;
using test::fake_surroundings;

constexpr const char* v1 = "client.authentication.k8s.io/v1";

// `exec` is the body of the user's exec, in flow style.
result<cluster> opened_exec(const std::string& exec, const std::vector<std::string>& allowed,
                            const std::shared_ptr<const surroundings>& real = nullptr, const std::string& beside = {},
                            const std::string& of_cluster = {}) {
    const std::string text = "current-context: aks\nclusters: [{name: c, cluster: {server: 'https://aks.example:443'" +
                             of_cluster + "}}]\nusers:\n- name: u\n  user:\n    exec: " + exec + "\n" + beside +
                             "contexts: [{name: aks, context: {cluster: c, user: u}}]\n";
    cluster_choice choice;
    choice.allowed_programs = allowed;
    if (real) {
        const std::string path = ::testing::TempDir() + "exec_plugin_test." + std::to_string(::getpid());
        std::ofstream(path) << text;
        auto out = open_kubeconfig({path}, choice, real);
        std::filesystem::remove(path);
        return out;
    }
    auto host = std::make_shared<fake_surroundings>();
    host->files["/etc/kube/config"] = text;
    return open_kubeconfig({"/etc/kube/config"}, choice, host);
}

std::string exec_body(const std::string& more) {
    return std::string("{apiVersion: ") + v1 + ", interactiveMode: Never, " + more + "}";
}

void expect_refusal(const result<cluster>& got, std::initializer_list<const char*> texts) {
    ASSERT_FALSE(got);
    EXPECT_EQ(got.failure().status, status::invalid);
    expect_text(got.failure().where.text() + " " + got.failure().message, texts);
}

TEST(ExecPlugin, RunsOnlyWhatTheHostNames) {
    const std::string kubelogin = exec_body("command: kubelogin");
    expect_refusal(opened_exec(kubelogin, {}),
                   {"/etc/kube/config:6", "\"kubelogin\"", "kubeconfig:kubelogin", "--allow-kubeconfig-program"});
    expect_refusal(opened_exec(kubelogin, {"/usr/bin/kubelogin", "kubelogin2"}), {"\"kubelogin\" is not run"});
    EXPECT_TRUE(opened_exec(kubelogin, {"az", "kubelogin"}));
    expect_refusal(opened_exec(exec_body("command: bin/sign"), {"sign", "bin/sign"}), {"\"/etc/kube/bin/sign\""});
    EXPECT_TRUE(opened_exec(exec_body("command: bin/sign"), {"/etc/kube/bin/sign"}))
        << "relative to the kubeconfig's folder";
}

TEST(ExecPlugin, WhatAKubeconfigMaySay) {
    const auto refused = [](const std::string& exec) { return opened_exec(exec, {"x"}); };
    expect_refusal(refused("{command: x}"), {"apiVersion is missing", v1});
    expect_refusal(refused("{apiVersion: client.authentication.k8s.io/v1alpha1, command: x}"), {"v1alpha1", v1});
    expect_refusal(refused("{apiVersion: client.authentication.k8s.io/v1, command: x}"),
                   {"interactiveMode must be Never"});
    EXPECT_TRUE(refused("{apiVersion: client.authentication.k8s.io/v1beta1, command: x}"));
    expect_refusal(refused("{apiVersion: client.authentication.k8s.io/v1, interactiveMode: Always, command: x}"),
                   {"requires a terminal", "workloadidentity"});
    expect_refusal(refused(exec_body("args: []")), {"command is missing"});
    expect_refusal(refused(exec_body("command: x, args: a")), {"args is not a list"});
    expect_refusal(refused(exec_body("command: x, env: [{value: planted}]")),
                   {"env has an entry without a usable name"});
    expect_refusal(opened_exec(exec_body("command: x"), {"x"}, nullptr, "    token: planted\n"),
                   {"is set together with token"});
}

// Acquires through the real loop.
class RealPlugin : public ::testing::Test {
  protected:
    void SetUp() override {
        auto opened_client = http::client::open();
        ASSERT_TRUE(opened_client);
        client = *std::move(opened_client);
        folder = ::testing::TempDir() + "exec_plugin." + std::to_string(::getpid());
        std::filesystem::create_directory(folder);
    }
    void TearDown() override {
        std::filesystem::remove_all(folder);
        EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1) << "no child of ours is left to reap";
    }

    // The lines of a shell script, which counts its runs in $N.
    cluster plugin(const std::string& script, const std::string& more = {}) {
        const std::string path = folder + "/plugin";
        std::ofstream(path) << "#!/bin/sh\necho run >> " << folder << "/runs\nN=$(wc -l < " << folder << "/runs)\n"
                            << script << "\n";
        std::filesystem::permissions(path, std::filesystem::perms::owner_all);
        auto out =
            opened_exec(exec_body("command: " + path + more), {path}, process_surroundings(), "",
                        ", tls-server-name: api.internal, extensions: [{name: client.authentication.k8s.io/exec, "
                        "extension: {audience: aks, depth: 3, deep: ['3', true, null]}}]");
        EXPECT_TRUE(out) << test::message_of(out);
        return *std::move(out);
    }

    result<token> acquire(const cluster& at, std::int64_t limit_ms = 20'000) {
        const std::int64_t deadline_ms = client->steady_ms() + limit_ms;
        return http::flat(http::wait<result<token>>(
            *client,
            [&](token_done done) { return at.access.credential->acquire(*client, "s", deadline_ms, std::move(done)); },
            deadline_ms + 5'000, nullptr));
    }

    result<token> from_cache(token_cache& cache, const cluster& at, std::int64_t passed_ms = 0) {
        const std::int64_t deadline_ms = client->steady_ms() + 20'000;
        return http::flat(http::wait<result<token>>(
            *client,
            [&](token_done done) {
                return cache.get(at.access.credential, "s", deadline_ms + passed_ms, std::move(done));
            },
            deadline_ms, nullptr));
    }

    std::size_t runs() const {
        std::ifstream in(folder + "/runs");
        std::size_t out = 0;
        for (std::string line; std::getline(in, line);) ++out;
        return out;
    }

    static std::string credential_with(const std::string& status, const char* version = v1) {
        return std::string("printf '%s' '{\"kind\":\"ExecCredential\",\"apiVersion\":\"") + version +
               "\",\"status\":" + status + "}'";
    }

    void fails(const std::string& script, error_class expected, std::initializer_list<const char*> texts) {
        const auto got = acquire(plugin(script));
        ASSERT_FALSE(got) << script;
        EXPECT_EQ(got.failure().error_class, expected) << got.failure().message;
        expect_text(got.failure().message, texts);
        EXPECT_EQ(got.failure().message.find("planted"), std::string::npos) << got.failure().message;
    }

    std::shared_ptr<http::client> client;
    std::string folder;
};

TEST_F(RealPlugin, GetsArgumentsVariablesAndTheCluster) {
    ASSERT_EQ(::setenv("GPUTIDE_TEST_TENANT", "the host's", 1), 0);
    const cluster at =
        plugin("echo \"$KUBERNETES_EXEC_INFO\" > " + folder + "/info; echo \"$1|$2|$GPUTIDE_TEST_TENANT|$HOME\" > " +
                   folder + "/seen; cat >> " + folder + "/seen\n" +
                   credential_with(R"({"token":"T1","expirationTimestamp":"2999-01-01T00:00:00Z"})"),
               ", args: [get-token, 'a b; $HOME'], provideClusterInfo: true, "
               "env: [{name: GPUTIDE_TEST_TENANT, value: t1}, {name: HOME, value: /h}]");
    const auto got = acquire(at);
    ::unsetenv("GPUTIDE_TEST_TENANT");
    ASSERT_TRUE(got) << test::message_of(got);
    EXPECT_EQ(got->value.reveal(), "T1");
    std::string line;
    std::ifstream info(folder + "/info");
    std::getline(info, line);
    EXPECT_EQ(line, R"({"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","spec":{"cluster":{)"
                    R"("server":"https://aks.example:443","tls-server-name":"api.internal",)"
                    R"("config":{"audience":"aks","depth":3,"deep":["3",true,null]}},"interactive":false}})");
    std::ifstream seen(folder + "/seen");
    std::getline(seen, line);
    EXPECT_EQ(line, "get-token|a b; $HOME|t1|/h") << "no shell, and over the host's variable";
    EXPECT_FALSE(std::getline(seen, line)) << "stdin is empty";
}

// Rejects every request with 401; the programs run on the real loop.
class rejecting_loop final : public http::relay {
  public:
    using relay::relay;
    http::ticket send(http::outgoing what, std::int64_t, callback<void(http::answer)> done) override {
        requests.push_back(std::move(what));
        return after(0, [done = std::move(done)] {
            http::answer refusal;
            refusal.response.status = 401;
            done(std::move(refusal));
        });
    }

    std::vector<http::outgoing> requests;
};

TEST_F(RealPlugin, AClientCertificateGoesOnTheRequest) {
    cluster at = plugin(credential_with(R"({"clientCertificateData":"CERT","clientKeyData":"KEY"})"));
    const auto loop = std::make_shared<rejecting_loop>(client);
    const auto tokens = std::make_shared<token_cache>(loop);
    const authenticator asks(at.access, {}, tokens);
    http::request request;
    request.url = at.server + "/version";
    ASSERT_TRUE(asks.prepare(request));
    const std::int64_t deadline_ms = client->steady_ms() + 20'000;
    const auto got = http::flat(http::wait<result<exchanged>>(
        *client, [&](auto done) { return send_authenticated(loop, asks, request, deadline_ms, std::move(done)); },
        deadline_ms, nullptr));
    ASSERT_TRUE(got) << test::message_of(got);
    ASSERT_EQ(loop->requests.size(), 2U) << "taken anew once";
    EXPECT_EQ(got->sent->tls->client_certificate_pem.reveal(), "CERT");
    EXPECT_EQ(got->sent->tls->server_name, "api.internal") << "and the cluster's own settings";
    EXPECT_EQ(got->sent->find("Authorization"), nullptr);
    EXPECT_EQ(runs(), 2U);
}

TEST_F(RealPlugin, WrongAnswers) {
    const auto protocol = error_class::protocol;
    fails("echo planted", protocol, {"/plugin", "user \"u\" of", "not a JSON object"});
    fails(credential_with(R"({"token":"planted"})", "client.authentication.k8s.io/v1beta1"), protocol,
          {"another apiVersion", v1});
    fails("echo '{\"kind\":\"Secret\"}'", protocol, {"a kind other than ExecCredential"});
    fails(credential_with("null"), protocol, {"no status"});
    fails(credential_with("{}"), protocol, {"neither status.token"});
    fails(credential_with(R"({"clientKeyData":"planted"})"), protocol, {"only one of"});
    fails(credential_with(R"({"token":"planted","expirationTimestamp":"soon"})"), protocol, {"expirationTimestamp"});
    fails(credential_with(R"({"token":"plan ted"})"), error_class::security, {"was not used"});
    fails(credential_with(R"({"token":"planted","expirationTimestamp":"2020-01-01T00:00:00Z"})"), error_class::config,
          {"expired", "ago"});
}

TEST_F(RealPlugin, WrongEnds) {
    fails("echo 'AADSTS700016: no such application' >&2; exit 1", error_class::permanent,
          {"the exec plugin of user \"u\"", "exit status 1", "AADSTS700016"});
    fails("kill -9 $$", error_class::permanent, {"signal 9"});
    fails("yes planted", error_class::permanent, {"more output than a token may have"});
    fails("yes >&2 & yes planted", error_class::permanent, {"more output than a token may have"});
    const auto slow = acquire(plugin("sleep 300"), 200);
    ASSERT_FALSE(slow);
    expect_text(slow.failure().message, {"was killed: it timed out after "});  // 199ms where one has passed
    auto gone = plugin("true", ", installHint: 'az aks install-cli'");
    std::filesystem::remove(folder + "/plugin");
    const auto missing = acquire(gone);
    ASSERT_FALSE(missing);
    expect_text(missing.failure().message, {"cannot be started", "az aks install-cli"});
}

TEST_F(RealPlugin, OneRunForAllWhoWait) {
    const cluster at = plugin("sleep 0.3\n" + credential_with(R"({"token":"T'$N'"})"));
    token_cache cache(client);
    constexpr int watchers = 40;
    int served = 0;
    const std::int64_t deadline_ms = client->steady_ms() + 20'000;
    std::vector<std::shared_ptr<http::exchange>> held;
    for (int i = 1; i < watchers; ++i) {
        // Another opening of the same file each, as triggers and watchers have it.
        held.push_back(cache.get(at.access.credential, "s", deadline_ms, [&served](const result<token>& got) {
            served += got && got->value.reveal() == "T1" ? 1 : 0;
        }));
    }
    const auto last = from_cache(cache, at);
    ASSERT_TRUE(last);
    EXPECT_EQ(served + 1, watchers);
    EXPECT_EQ(runs(), 1U);
    EXPECT_EQ(from_cache(cache, at)->value.reveal(), "T1") << "no end was written: it serves on";
    EXPECT_TRUE(cache.report_refused(*at.access.credential, "s", "T1"));
    EXPECT_EQ(from_cache(cache, at)->value.reveal(), "T2") << "and once more after a 401";
    EXPECT_FALSE(cache.report_refused(*at.access.credential, "s", "T2"));
    EXPECT_EQ(runs(), 2U);
}

TEST_F(RealPlugin, AFailureSpeaksForTheNextFiveSeconds) {
    const cluster at = plugin("echo no >&2; exit 1");
    token_cache cache(client);
    for (int i = 0; i < 20; ++i) EXPECT_FALSE(from_cache(cache, at));
    EXPECT_EQ(runs(), 1U);
}

// The real loop at a later time.
class later_loop final : public http::relay {
  public:
    using relay::relay;
    http::ticket send(http::outgoing, std::int64_t, callback<void(http::answer)>) override { return reserve(); }
    std::int64_t steady_ms() const override { return relay::steady_ms() + passed_ms; }
    std::int64_t wall_ms() const override { return relay::wall_ms() + passed_ms; }

    std::int64_t passed_ms = 0;
};

TEST_F(RealPlugin, IsRunAgainBeforeTheEnd) {
    const cluster at = plugin(
        credential_with(R"({"token":"T'$N'","expirationTimestamp":"'$(date -u -d '+1 hour' +%Y-%m-%dT%H:%M:%SZ)'"})"));
    const auto loop = std::make_shared<later_loop>(client);
    token_cache cache(loop);
    EXPECT_EQ(from_cache(cache, at)->value.reveal(), "T1");
    EXPECT_EQ(from_cache(cache, at)->value.reveal(), "T1");
    loop->passed_ms = 3'420'000;  // three minutes before the end
    EXPECT_EQ(from_cache(cache, at, loop->passed_ms)->value.reveal(), "T2")
        << "while the first would still have served";
    EXPECT_EQ(runs(), 2U);
}

}  // namespace
}  // namespace gputide::auth

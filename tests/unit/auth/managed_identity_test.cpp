// Tests which machine this is, what is asked of it, and what its refusals come to, beyond the recorded cases.

#include "auth/azure/credentials.hpp"
#include "fake_surroundings.hpp"
#include "support/scripted_loop.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace gputide::auth {
namespace {

using gputide::testing::scripted;
using gputide::testing::scripted_fault;

constexpr const char* imds_answer = R"({"access_token":"T","expires_in":"86399","client_id":"node"})";

// Files that are not links, as the process's own are told apart.
class machine final : public surroundings {
  public:
    test::fake_surroundings inside;
    std::optional<std::string> environment(const std::string& name) const override { return inside.environment(name); }
    result<secret_text> read_file(const std::string& path, std::size_t most) const override {
        return inside.read_file(path, most);
    }
    result<secret_text> read_unlinked_file(const std::string& path, std::size_t most) const override {
        return inside.read_file(path, most);
    }
};

identity_service service_of(std::map<std::string, std::string> variables) {
    test::fake_surroundings host;
    host.variables = std::move(variables);
    const auto got = find_identity_host(host);
    EXPECT_TRUE(got) << got.failure().message;
    return got->service;
}

TEST(IdentityHost, IsToldByTheEnvironment) {
    EXPECT_EQ(service_of({}), identity_service::metadata);
    EXPECT_EQ(service_of({{"IDENTITY_ENDPOINT", "http://127.0.0.1/x"}}), identity_service::metadata);
    EXPECT_EQ(service_of({{"IDENTITY_ENDPOINT", "http://169.254.130.2:8081/msi/token"}, {"IDENTITY_HEADER", "h"}}),
              identity_service::app_service);
    EXPECT_EQ(
        service_of({{"IDENTITY_ENDPOINT", "http://localhost:40342/x"}, {"IMDS_ENDPOINT", "http://localhost:40342"}}),
        identity_service::arc);
    EXPECT_EQ(service_of({{"MSI_ENDPOINT", "http://localhost:50342/oauth2/token"}}), identity_service::cloud_shell);
    EXPECT_EQ(service_of({{"MSI_ENDPOINT", "http://127.0.0.1/x"}, {"MSI_SECRET", "s"}}),
              identity_service::app_service_2017);

    test::fake_surroundings arc;
    arc.files["/opt/azcmagent/bin/himds"] = "ELF";
    EXPECT_EQ(find_identity_host(arc)->endpoint, "http://localhost:40342/metadata/identity/oauth2/token");
}

TEST(IdentityHost, HttpStaysOnTheMachine) {
    test::fake_surroundings host;
    host.variables = {{"IDENTITY_ENDPOINT", "http://evil.example/x"}, {"IDENTITY_HEADER", "h"}};
    EXPECT_EQ(find_identity_host(host).failure().error_class, error_class::config);
    host.variables["IDENTITY_ENDPOINT"] = "https://u:secret@h/";
    EXPECT_EQ(find_identity_host(host).failure().message.find("secret"), std::string::npos);
    host.variables["IDENTITY_ENDPOINT"] = "https://h/";
    EXPECT_TRUE(find_identity_host(host));
    host.variables["IDENTITY_SERVER_THUMBPRINT"] = "AB";
    EXPECT_NE(find_identity_host(host).failure().message.find("Service Fabric"), std::string::npos);
}

TEST(IdentityHost, EachServiceHasItsSpelling) {
    const auto url = [](identity_service service, const identity_selector& which) {
        return identity_request({service, "http://127.0.0.1/t", secret_text(std::string("h"))}, which, "https://r")
            ->url;
    };
    EXPECT_EQ(url(identity_service::metadata, {"", "", "/a b"}),
              "http://127.0.0.1/t?api-version=2018-02-01&resource=https%3A%2F%2Fr&msi_res_id=%2Fa%20b");
    EXPECT_EQ(url(identity_service::app_service, {"", "", "/a"}),
              "http://127.0.0.1/t?api-version=2019-08-01&resource=https%3A%2F%2Fr&mi_res_id=%2Fa");
    EXPECT_EQ(url(identity_service::app_service_2017, {"c", "", ""}),
              "http://127.0.0.1/t?api-version=2017-09-01&resource=https%3A%2F%2Fr&clientid=c");
    EXPECT_FALSE(identity_request({identity_service::cloud_shell, "http://127.0.0.1/t", {}}, {"c", "", ""}, "r"));
    const auto shell = identity_request({identity_service::cloud_shell, "http://127.0.0.1/t", {}}, {}, "https://r");
    EXPECT_EQ(shell->method, "POST");
    EXPECT_EQ(shell->body.reveal(), "resource=https%3A%2F%2Fr");
    EXPECT_FALSE(shell->use_proxy);
}

TEST(ArcChallenge, OnlyAKeyOfTheAgentIsRead) {
    machine host;
    const std::string good_path = "/var/opt/azcmagent/tokens/a.key";
    host.inside.files[good_path] = "c2VjcmV0\n";
    const auto answer = [&host](const std::string& header) {
        http::response got;
        got.status = 401;
        if (!header.empty()) got.headers.push_back({"www-authenticate", header});
        return answer_arc_challenge(got, host);
    };
    EXPECT_EQ(answer("Basic realm=" + good_path)->value.reveal(), "Basic c2VjcmV0");
    EXPECT_TRUE(answer("Basic realm=\"" + good_path + "\""));
    const int reads = host.inside.reads;
    for (const char* bad : {"", "Bearer realm=/var/opt/azcmagent/tokens/a.key", "Basic realm=", "Basic realm=a.key",
                            "Basic realm=/var/opt/azcmagent/tokens/.key", "Basic realm=/var/opt/azcmagent/tokens/a.txt",
                            "Basic realm=/var/opt/azcmagent/tokens/b/a.key",
                            "Basic realm=/var/opt/azcmagent/tokens/../x.key", "Basic realm=/etc/a.key"}) {
        const auto got = answer(bad);
        ASSERT_FALSE(got) << bad;
        EXPECT_EQ(got.failure().status, status::security) << bad;
        EXPECT_NE(got.failure().message.find("WWW-Authenticate"), std::string::npos);
    }
    EXPECT_EQ(host.inside.reads, reads) << "nothing was opened";
    host.inside.files[good_path] = std::string(4097, 'a');
    EXPECT_EQ(answer("Basic realm=" + good_path).failure().status, status::security);
    host.inside.files[good_path] = "a\r\nX-Evil: 1";
    EXPECT_EQ(answer("Basic realm=" + good_path).failure().status, status::security);
    host.inside.files.clear();
    EXPECT_TRUE(answer("Basic realm=" + good_path).failure().retryable);
}

class Machine : public ::testing::Test {
  protected:
    std::shared_ptr<gputide::testing::scripted_loop> loop = std::make_shared<gputide::testing::scripted_loop>();
    std::shared_ptr<machine> host = std::make_shared<machine>();
    std::optional<result<token>> got;

    const error& acquire(const managed_identity_settings& settings = {}) {
        static const error none;
        got.reset();
        const auto from = open_managed_identity(settings, host);
        EXPECT_TRUE(from);
        (*from)->acquire(*loop, "https://r/.default", std::numeric_limits<std::int64_t>::max(),
                         [this](result<token> what) { got = std::move(what); });
        loop->run_until_idle();
        return *got ? none : got->failure();
    }
};

TEST_F(Machine, ArcGoesThroughItsChallenge) {
    host->inside.variables = {{"IDENTITY_ENDPOINT", "http://127.0.0.1:40342/t"},
                              {"IMDS_ENDPOINT", "http://127.0.0.1:40342"}};
    host->inside.files["/var/opt/azcmagent/tokens/a.key"] = "a2V5";
    loop->answer_next(scripted(401, "", {{"WWW-Authenticate", "Basic realm=/var/opt/azcmagent/tokens/a.key"}}));
    loop->answer_next(scripted(200, imds_answer));
    acquire();
    ASSERT_TRUE(*got);
    EXPECT_EQ((*got)->client_id, "node");
    const auto sent = loop->requests();
    ASSERT_EQ(sent.size(), 2u);
    EXPECT_EQ(sent[0].what.find("Authorization"), nullptr);
    EXPECT_EQ(sent[1].what.find("Authorization")->value.reveal(), "Basic a2V5");
    EXPECT_EQ(sent[1].what.find("Metadata")->value.reveal(), "true");

    loop->answer_next(scripted(401, "", {{"WWW-Authenticate", "Basic realm=/var/opt/azcmagent/tokens/a.key"}}));
    loop->answer_next(scripted(401));
    EXPECT_EQ(acquire().error_class, error_class::permanent) << "one challenge at most";
}

TEST_F(Machine, RefusalsAloneAndInAChain) {
    managed_identity_settings chained;
    chained.in_chain = true;
    const auto alone_then_chained = [&](const gputide::testing::scripted_answer& answer) {
        loop->answer_next(answer);
        const std::string alone(class_word(acquire().error_class));
        loop->answer_next(answer);
        return alone + " " + std::string(class_word(acquire(chained).error_class));
    };
    EXPECT_EQ(alone_then_chained(scripted(400, R"({"error":"invalid_request"})")), "permanent unavailable");
    EXPECT_EQ(alone_then_chained(scripted(403, "dial: an Unreachable network")), "permanent unavailable");
    EXPECT_EQ(alone_then_chained(scripted(403, "no")), "permanent permanent");
    EXPECT_EQ(alone_then_chained(scripted(200, "<html>")), "protocol unavailable");
    EXPECT_EQ(alone_then_chained(scripted(302)), "protocol protocol");
    EXPECT_EQ(loop->requests().size(), 10u) << "none of them is sent again";
}

TEST_F(Machine, AnUpdateOfTheServiceIsWaitedFor) {
    for (int i = 0; i < 6; ++i) loop->answer_next(scripted(410));
    loop->answer_next(scripted(200, imds_answer));
    const std::int64_t start = loop->steady_ms();
    acquire();
    ASSERT_TRUE(*got);
    EXPECT_GE(loop->steady_ms() - start, 70'000);
    EXPECT_EQ(loop->requests().size(), 7u);
}

TEST_F(Machine, NoAnswerAtAll) {
    for (int i = 0; i < 7; ++i) loop->answer_next(scripted_fault(http::fault::connect));
    const error why = acquire();
    EXPECT_EQ(why.error_class, error_class::transient);
    EXPECT_EQ(loop->requests().size(), 7u);
    EXPECT_NE(why.message.find("169.254.169.254"), std::string::npos);
    EXPECT_EQ(loop->requests().front().what.attempt_timeout_ms, 60'000);
}

TEST(ClientSecret, IsEncodedAndNeverSeen) {
    const auto loop = std::make_shared<gputide::testing::scripted_loop>();
    test::fake_surroundings host;
    client_secret_settings settings{{"t", "c"}, secret_text(std::string("p+a/s s%&=~"))};
    const auto from = open_client_secret(settings, {}, host);
    ASSERT_TRUE(from);
    loop->answer_next(scripted(
        401,
        R"({"error_codes":[7000215],"error_description":"AADSTS7000215: p+a/s s%&=~ or p%2Ba%2Fs%20s%25%26%3D~"})"));
    std::optional<result<token>> got;
    (*from)->acquire(*loop, "https://r", std::numeric_limits<std::int64_t>::max(),
                     [&got](result<token> what) { got = std::move(what); });
    loop->run_until_idle();
    EXPECT_NE(loop->requests().at(0).what.body.reveal().find("client_secret=p%2Ba%2Fs%20s%25%26%3D~&"),
              std::string_view::npos);
    EXPECT_EQ(got->failure().message.find("p+a/s"), std::string::npos) << got->failure().message;
    EXPECT_EQ(got->failure().message.find("p%2Ba"), std::string::npos) << got->failure().message;

    settings.client_secret = secret_text(std::string("another"));
    const auto other = open_client_secret(settings, {}, host);
    EXPECT_NE((*from)->cache_key(), (*other)->cache_key())
        << "a caller without the secret gets no token of one that has it";

    settings.client_secret = secret_text();
    EXPECT_NE(open_client_secret(settings, {}, host).failure().message.find("secret"), std::string::npos);
    host.variables["AZURE_CLIENT_SECRET"] = "from the environment";
    EXPECT_TRUE(open_client_secret(settings, {}, host));
    settings.client_id.clear();
    EXPECT_NE(open_client_secret(settings, {}, host).failure().message.find("AZURE_CLIENT_ID"), std::string::npos);
}

}  // namespace
}  // namespace gputide::auth

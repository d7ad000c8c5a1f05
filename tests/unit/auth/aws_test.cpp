// Keys of AWS: where they come from, in which order, and how a request is made ready to be signed with them.
#include "auth/aws/aws.hpp"

#include "acquiring.hpp"
#include "base/time.hpp"

namespace gputide::auth {
namespace {

using gputide::testing::scripted;
using gputide::testing::scripted_answer;
using gputide::testing::scripted_fault;
using test::expect_text;

constexpr const char* assertion_path = "/var/run/secrets/eks.amazonaws.com/serviceaccount/token";
constexpr const char* role = "arn:aws:iam::123456789012:role/gpu";

class Aws : public test::Acquiring {
  protected:
    std::string in_an_hour() const { return format_rfc3339_s(loop->wall_ms() + 3'600'000); }
    std::string keys(const std::string& id = "AKIA1") const {
        return R"({"Code":"Success","AccessKeyId":")" + id +
               R"(","SecretAccessKey":"s-1","Token":"t-1","Expiration":")" + in_an_hour() + "\"}";
    }
    std::string sts_answer(const std::string& action, const std::string& id) const {
        return "{\"" + action + "Response\":{\"" + action + R"(Result":{"Credentials":{"AccessKeyId":")" + id +
               R"(","SecretAccessKey":"s-2","SessionToken":"t-2","Expiration":1.7600036E9}}}})";
    }
    void become_pod_of_eks() {
        host->variables = {
            {"AWS_ROLE_ARN", role}, {"AWS_WEB_IDENTITY_TOKEN_FILE", assertion_path}, {"AWS_REGION", "eu-west-1"}};
        host->files[assertion_path] = test::first_assertion;
    }
    std::shared_ptr<credential> open(const aws_settings& settings = {}) {
        auto opened = open_aws(settings, permissions, host);
        EXPECT_TRUE(opened) << test::message_of(opened);
        return opened ? *opened : nullptr;
    }
    aws_keys got(const aws_settings& settings = {}) {
        const auto from = open(settings);
        const auto token = acquire(*from, "");
        EXPECT_TRUE(token) << test::message_of(token);
        auto out = token ? read_credential_process(token->value.reveal()) : result<aws_keys>(aws_keys{});
        return out ? *std::move(out) : aws_keys{};
    }
    std::string body(std::size_t request) const { return std::string(loop->requests().at(request).what.body.reveal()); }
    std::string header(std::size_t request, const char* name) const {
        const auto all = loop->requests();
        const http::header* found = all.at(request).what.find(name);
        return found == nullptr ? "" : std::string(found->value.reveal());
    }
};

TEST_F(Aws, GivenKeysAndTheirText) {
    const auto from =
        open({"eu-west-1", "", "", "AKIA", secret_text(std::string("s3cr3t")), secret_text(std::string("sess"))});
    const auto token = acquire(*from, "");
    EXPECT_EQ(value_of(token),
              R"({"Version":1,"AccessKeyId":"AKIA","SecretAccessKey":"s3cr3t","SessionToken":"sess"})");
    EXPECT_EQ(token->expires_at_ms - token->issued_at_ms, 3'600'000);
    EXPECT_TRUE(loop->requests().empty());
    const auto other = open({"eu-west-1", "", "", "AKIA", secret_text(std::string("another")), {}});
    EXPECT_NE(from->cache_key(), other->cache_key()) << "a caller that knows only the id gets no keys";
    EXPECT_EQ(from->cache_key().find("s3cr3t"), std::string::npos);
    expect_text(test::message_of(open_aws({"", "", "", "AKIA", {}, {}}, permissions, host)),
                {"secret access key is missing"});
    expect_text(test::message_of(open_aws({"evil.example/", "", "", "", {}, {}}, permissions, host)), {"region"});
}

TEST_F(Aws, TheEnvironmentComesFirst) {
    become_pod_of_eks();
    host->variables["AWS_ACCESS_KEY_ID"] = "AKIAENV";
    host->variables["AWS_SECRET_ACCESS_KEY"] = "s";
    EXPECT_EQ(got().access_key_id, "AKIAENV");
    EXPECT_TRUE(loop->requests().empty());
}

TEST_F(Aws, ThenTheServiceAccountOfEks) {
    become_pod_of_eks();
    loop->answer_next(scripted(200, sts_answer("AssumeRoleWithWebIdentity", "ASIA2")));
    const aws_keys read = got();
    EXPECT_EQ(read.access_key_id, "ASIA2");
    EXPECT_EQ(read.session_token.reveal(), "t-2");
    const http::request sent = loop->requests().at(0).what;
    EXPECT_EQ(sent.url, "https://sts.eu-west-1.amazonaws.com/");
    EXPECT_EQ(sent.signing, nullptr) << "the web identity token is the proof";
    expect_text(body(0), {"Action=AssumeRoleWithWebIdentity", "WebIdentityToken=eyJ", "Version=2011-06-15",
                          "RoleArn=arn%3Aaws%3Aiam%3A%3A123456789012%3Arole%2Fgpu", "RoleSessionName=KEDA"});
}

TEST_F(Aws, ThenTheContainerWithItsToken) {
    host->variables = {{"AWS_CONTAINER_CREDENTIALS_FULL_URI", "http://169.254.170.23/v1/credentials"},
                       {"AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE", "/token"}};
    host->files["/token"] = "pod-identity-token\n";
    loop->answer_next(scripted(200, keys()));
    EXPECT_EQ(got().session_token.reveal(), "t-1");
    EXPECT_EQ(header(0, "Authorization"), "pod-identity-token");
    EXPECT_FALSE(loop->requests().at(0).what.use_proxy);
    host->variables["AWS_CONTAINER_CREDENTIALS_FULL_URI"] = "http://evil.example/v1";
    expect_text(test::message_of(open_aws({}, permissions, host)), {"aws: container: ", "evil.example", "https"});
}

TEST_F(Aws, ThenTheInstanceBySessionRoleAndKeys) {
    loop->answer_next(scripted(200, "session-token"));
    loop->answer_next(scripted(200, "gpu-node\n"));
    loop->answer_next(scripted(200, keys("ASIA3")));
    EXPECT_EQ(got().access_key_id, "ASIA3");
    const auto sent = loop->requests();
    ASSERT_EQ(sent.size(), 3u);
    EXPECT_EQ(sent[0].what.method + " " + sent[0].what.url, "PUT http://169.254.169.254/latest/api/token");
    EXPECT_EQ(header(0, "X-aws-ec2-metadata-token-ttl-seconds"), "21600");
    EXPECT_EQ(sent[2].what.url, "http://169.254.169.254/latest/meta-data/iam/security-credentials/gpu-node");
    EXPECT_EQ(header(1, "X-aws-ec2-metadata-token"), "session-token");
    EXPECT_EQ(header(2, "X-aws-ec2-metadata-token"), "session-token");
}

TEST_F(Aws, NobodyIsHereAndEachSaysWhy) {
    loop->answer_next(scripted_fault(http::fault::timeout, "1 s"));
    const auto none = acquire(*open(), "");
    ASSERT_FALSE(none);
    EXPECT_EQ(none.failure().status, status::not_here);
    expect_text(none.failure().message,
                {"aws: no credential is available: environment: AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY are not set",
                 "web identity: AWS_ROLE_ARN, AWS_WEB_IDENTITY_TOKEN_FILE are not set",
                 "container: neither AWS_CONTAINER_CREDENTIALS_FULL_URI", "instance metadata: "});
    loop->answer_next(scripted(200, "session"));
    loop->answer_next(scripted(404, "<html>"));
    expect_text(acquire(*open(), "").failure().message, {"this instance has no role"});
    loop->answer_next(scripted(405, "Azure"));
    expect_text(acquire(*open(), "").failure().message, {"returned no session (HTTP 405)"});
    host->variables["AWS_EC2_METADATA_DISABLED"] = "true";
    expect_text(test::message_of(open_aws({}, permissions, host)), {"AWS_EC2_METADATA_DISABLED is true"});
}

TEST_F(Aws, ARoleByWebIdentityAndWhereThatIsRefusedByTheKeysAtHand) {
    become_pod_of_eks();
    aws_settings wanted;
    wanted.role_arn = "arn:aws:iam::2:role/other";
    loop->answer_with([this](const http::request& what) -> scripted_answer {
        const std::string form(what.body.reveal());
        const bool other = form.find("other") != std::string::npos;
        if (form.find("Action=AssumeRole&") != std::string::npos)
            return scripted(200, sts_answer("AssumeRole", "ASIA9"));
        if (other)
            return scripted(403, R"({"Error":{"Code":"AccessDenied","Message":"Not authorized","Type":"Sender"}})");
        return scripted(200, sts_answer("AssumeRoleWithWebIdentity", "ASIA2"));
    });
    EXPECT_EQ(got(wanted).access_key_id, "ASIA9");
    ASSERT_EQ(loop->requests().size(), 3u);
    const auto signing = loop->requests().at(2).what.signing;
    ASSERT_NE(signing, nullptr);
    EXPECT_EQ(signing->access_key_id + " " + signing->region + " " + signing->service, "ASIA2 eu-west-1 sts");
    EXPECT_EQ(header(2, "X-Amz-Security-Token"), "t-2");
    wanted.external_id = "ext";
    EXPECT_EQ(got(wanted).access_key_id, "ASIA9");
    EXPECT_EQ(loop->requests().size(), 5u) << "an external id goes with AssumeRole alone";
    expect_text(body(4), {"ExternalId=ext"});
}

TEST_F(Aws, RefusalsSayWhatToDoAndHoldNoSecret) {
    become_pod_of_eks();
    const auto why = [this](std::int32_t status, const std::string& code) {
        for (int i = 0; i < 4; ++i) {
            loop->answer_next(scripted(
                status, R"({"Error":{"Code":")" + code + R"(","Message":"you sent )" + test::first_assertion + "\"}}"));
        }
        auto out = acquire(*open(), "").failure();
        while (loop->unused_answers() > 0)
            loop->send(http::request{.url = "http://127.0.0.1/"}, test::no_deadline, [](http::answer) {});
        loop->run_until_idle();
        return out;
    };
    EXPECT_EQ(why(400, "InvalidIdentityToken").error_class, error_class::permanent);
    EXPECT_EQ(why(400, "ExpiredTokenException").error_class, error_class::stale_assertion);
    EXPECT_EQ(why(400, "IDPCommunicationError").error_class, error_class::transient);
    EXPECT_EQ(why(400, "Throttling").error_class, error_class::throttled);
    EXPECT_EQ(why(503, "").error_class, error_class::transient);
    const error denied = why(403, "AccessDenied");
    EXPECT_EQ(denied.service_code, "AccessDenied");
    expect_text(denied.message, {"HTTP 403 (AccessDenied): you sent ***", "trust policy", role});
    host->files.clear();
    const error missing = acquire(*open(), "").failure();
    EXPECT_TRUE(missing.retryable);
    expect_text(missing.message, {assertion_path, "eks.amazonaws.com/role-arn"});
}

TEST_F(Aws, AnswersThatAreNoKeys) {
    host->variables = {{"AWS_CONTAINER_CREDENTIALS_FULL_URI", "http://127.0.0.1:1/"}};
    const auto said = [this](const std::string& answer) {
        loop->answer_next(scripted(200, answer));
        return acquire(*open(), "").failure();
    };
    expect_text(said("<html>").message, {"not a JSON object"});
    expect_text(said("{}").message, {"no AccessKeyId"});
    expect_text(said(R"({"AccessKeyId":"a","SecretAccessKey":"planted"})").message, {"Expiration"});
    expect_text(said(R"({"AccessKeyId":"a","SecretAccessKey":"planted","Expiration":"1999-01-01T00:00:00Z"})").message,
                {"expired already"});
    EXPECT_EQ(said(R"({"AccessKeyId":"a","SecretAccessKey":"planted\n","Expiration":"2999-01-01T00:00:00Z"})").status,
              status::security);
    EXPECT_EQ(said(R"({"AccessKeyId":"a","SecretAccessKey":"planted","Expiration":1e300})").message.find("planted"),
              std::string::npos);
}

TEST(AwsSign, TheQueryIsEncodedAndSorted) {
    EXPECT_EQ(canonical_query("query=avg%28up%29+by+%28a%29&time=2026-11-21T10:00:00Z&namespace=b"),
              "namespace=b&query=avg%28up%29%20by%20%28a%29&time=2026-11-21T10%3A00%3A00Z");
    EXPECT_EQ(canonical_query("b&a=%zz&&a=1"), "a=%25zz&a=1&b=");
    EXPECT_EQ(canonical_query(""), "");
    http::request what;
    what.url = "https://h/p?b=1&a=2";
    sign_request(what, {"id", secret_text(std::string("s")), secret_text(std::string("t"))}, {"eu-west-1", "aps"});
    EXPECT_EQ(what.url, "https://h/p?a=2&b=1");
    EXPECT_EQ(what.find("X-Amz-Security-Token")->value.reveal(), "t");
    EXPECT_TRUE(what.carries_credential);
}

TEST(AwsSign, RegionsOfHosts) {
    EXPECT_EQ(region_of_host("aps-workspaces.eu-west-1.amazonaws.com"), "eu-west-1");
    EXPECT_EQ(region_of_host("vpce-1.aps-workspaces.us-east-1.vpce.amazonaws.com"), "us-east-1");
    EXPECT_EQ(region_of_host("prometheus.example"), "");
    EXPECT_FALSE(is_aws_region("eu-west-1.evil.example/"));
}

}  // namespace
}  // namespace gputide::auth

// What is refused before the first byte, and that the refusal keeps the secret to itself.
#include "http/message.hpp"

#include <gtest/gtest.h>

namespace gputide::http {
namespace {

request with_credential(std::string url) {
    request out;
    out.url = std::move(url);
    out.carries_credential = true;
    out.set("Authorization", "Bearer s3cret-token");
    return out;
}

TEST(Gate, LetsACredentialGoOverHttpsAndLoopback) {
    for (const char* url :
         {"https://prom.example/", "http://127.0.0.1:9090/", "http://localhost:1/", "http://[::1]:1/"}) {
        EXPECT_FALSE(refused_unsent(with_credential(url))) << url;
    }
}

TEST(Gate, KeepsACredentialOffPlainHttp) {
    const auto refused = refused_unsent(with_credential("http://prom.example/"));
    ASSERT_TRUE(refused);
    EXPECT_EQ(refused->fault, fault::not_allowed);
    EXPECT_NE(refused->fault_text.find("https"), std::string::npos);
    EXPECT_NE(refused->fault_text.find("prom.example"), std::string::npos);
}

TEST(Gate, TheHostProgramMayAllowPlainHttp) {
    request what = with_credential("http://prom.example/");
    what.allow_plain_http = true;
    EXPECT_FALSE(refused_unsent(what));
}

TEST(Gate, UserInformationInTheUrlIsACredential) {
    request what;
    what.url = "http://me:pa55word@prom.example/";
    const auto refused = refused_unsent(what);
    ASSERT_TRUE(refused);
    EXPECT_EQ(refused->fault, fault::not_allowed);
    EXPECT_EQ(refused->fault_text.find("pa55word"), std::string::npos);
    what.url = "http://prom.example/";
    EXPECT_FALSE(refused_unsent(what));
}

// "localhost" in the URL says nothing if the bytes go elsewhere.
TEST(Gate, JudgesLoopbackByWhereItConnects) {
    request what = with_credential("http://localhost/");
    auto tls = std::make_shared<tls_settings>();
    tls->connect_to = "10.1.2.3:80";
    what.tls = tls;
    ASSERT_TRUE(refused_unsent(what));
    EXPECT_EQ(refused_unsent(what)->fault, fault::not_allowed);
    tls->connect_to = "not a host";
    EXPECT_EQ(refused_unsent(what)->fault, fault::url);
}

TEST(Gate, RefusesAHeaderThatWouldBecomeTwo) {
    request what;
    what.url = "https://h/";
    what.set("X-A", "s3cret\r\nX-B: c");
    const auto refused = refused_unsent(what);
    ASSERT_TRUE(refused);
    EXPECT_EQ(refused->fault, fault::url);
    EXPECT_EQ(refused->fault_text.find("s3cret"), std::string::npos);

    request name;
    name.url = "https://h/";
    name.set("X A", "b");
    EXPECT_TRUE(refused_unsent(name));
    request method;
    method.url = "https://h/";
    method.method = "GET / HTTP/1.1\r\nX:";
    EXPECT_TRUE(refused_unsent(method));
}

TEST(Gate, AnUnreadableUrlIsNotQuoted) {
    request what;
    what.url = "htps://user:pa55word@h/";
    const auto refused = refused_unsent(what);
    ASSERT_TRUE(refused);
    EXPECT_EQ(refused->fault, fault::url);
    EXPECT_EQ(refused->fault_text.find("pa55word"), std::string::npos);
}

}  // namespace
}  // namespace gputide::http

// Tests what is sent, byte by byte, in both profiles.
#include "support.hpp"
#include "support/open_source.hpp"

#include <gtest/gtest.h>

namespace gputide {
namespace {

using testing::prometheus_trigger;
using testing::with_auth;

constexpr std::int64_t asked_ms = 1'772'600'767'999;  // 2026-03-04T05:06:07.999Z

http::request requested(const manifest::trigger& from, manifest::profile as = manifest::profile::standard) {
    const auto opened = testing::open_source(from, {}, as, {});
    EXPECT_TRUE(opened) << (opened ? "" : opened.failure().message);
    if (!opened) return {};
    const auto out = (*opened)->request(asked_ms);
    EXPECT_TRUE(out);
    return out ? *out : http::request();
}

std::string url_of(const testing::metadata& more, manifest::profile as = manifest::profile::standard) {
    return requested(prometheus_trigger(more), as).url;
}

std::string header_of(const http::request& from, std::string_view name) {
    const http::header* found = from.find(name);
    return found == nullptr ? "(none)" : std::string(found->value.reveal());
}

TEST(Request, AsksInTheTriggerSWords) {
    EXPECT_EQ(url_of({}), "http://prometheus:9090/api/v1/query?query=up&time=2026-03-04T05:06:07Z");
}

TEST(Request, JoinsWithOneSlashAndKeepsPrefixAndQuery) {
    const std::string rest = "query=up&time=2026-03-04T05:06:07Z";
    EXPECT_EQ(url_of({{"serverAddress", "http://p:9090/"}}), "http://p:9090/api/v1/query?" + rest);
    EXPECT_EQ(url_of({{"serverAddress", "http://p/prom//"}}), "http://p/prom/api/v1/query?" + rest);
    EXPECT_EQ(url_of({{"serverAddress", "http://p/prom/?tenant=a"}}), "http://p/prom/api/v1/query?tenant=a&" + rest);
    EXPECT_EQ(url_of({{"serverAddress", "http://p:9090/"}}, manifest::profile::strict),
              "http://p:9090//api/v1/query?" + rest);
}

TEST(Request, EscapesTheNamespaceOutsideStrict) {
    EXPECT_NE(url_of({{"namespace", "a&b"}}).find("&namespace=a%26b"), std::string::npos);
    EXPECT_NE(url_of({{"namespace", "a&b"}}, manifest::profile::strict).find("&namespace=a&b"), std::string::npos);
}

TEST(Request, SortsFurtherParameters) {
    EXPECT_NE(url_of({{"queryParameters", "z=1,a=x y"}}).find("Z&a=x+y&z=1"), std::string::npos);
}

TEST(Request, PostsAFormWhereTheUrlWouldBeLong) {
    const std::string query = "up" + std::string(5'000, ' ') + "+ 1";
    const http::request got = requested(prometheus_trigger({{"query", query}, {"serverAddress", "http://p/x/?t=1"}}));
    EXPECT_EQ(got.method, "POST");
    EXPECT_EQ(got.url, "http://p/x/api/v1/query?t=1");
    EXPECT_EQ(header_of(got, "content-type"), "application/x-www-form-urlencoded");
    const std::string body(got.body.reveal());
    EXPECT_NE(body.find("%2B+1&time=2026-03-04T05%3A06%3A07Z"), std::string::npos);
    EXPECT_EQ(requested(prometheus_trigger({{"query", query}}), manifest::profile::strict).method, "GET");
}

TEST(Request, CarriesHeadersAndLetsAuthenticationWin) {
    const auto with_headers = prometheus_trigger(
        {{"customHeaders", "X-Scope-OrgID=a,Authorization=Token x,Host=other"}, {"authModes", "bearer"}});
    const http::request got = requested(with_auth(with_headers, {{"bearerToken", "t0ken"}}));
    EXPECT_EQ(header_of(got, "X-Scope-OrgID"), "a");
    EXPECT_EQ(header_of(got, "Authorization"), "Bearer t0ken");
    EXPECT_EQ(header_of(got, "Host"), "(none)");
    EXPECT_TRUE(got.carries_credential);
    EXPECT_FALSE(requested(prometheus_trigger()).carries_credential);
}

TEST(Request, KnowsEveryKindOfCredential) {
    EXPECT_TRUE(requested(prometheus_trigger({{"serverAddress", "http://u:p@h:1"}})).carries_credential);
    EXPECT_TRUE(requested(prometheus_trigger({{"customHeaders", "Cookie=a"}})).carries_credential);
    const auto basic = with_auth(prometheus_trigger({{"authModes", "basic"}}), {{"username", "u"}});
    EXPECT_EQ(header_of(requested(basic), "Authorization"), "Basic dTo=");
    const auto custom = with_auth(prometheus_trigger({{"authModes", "custom"}}),
                                  {{"customAuthHeader", "X-Key\n"}, {"customAuthValue", "v\n"}});
    EXPECT_EQ(header_of(requested(custom), "x-key"), "v");
    EXPECT_TRUE(requested(custom).carries_credential);
}

TEST(Request, HonorsCaWithEveryModeOutsideStrict) {
    const auto with_ca = with_auth(prometheus_trigger(), {{"ca", "PEM"}});
    ASSERT_TRUE(requested(with_ca).tls);
    EXPECT_EQ(requested(with_ca).tls->ca_pem, "PEM");
    EXPECT_FALSE(requested(with_ca, manifest::profile::strict).tls);
    const auto basic = with_auth(prometheus_trigger({{"authModes", "basic"}}), {{"ca", "PEM"}, {"username", "u"}});
    EXPECT_EQ(requested(basic, manifest::profile::strict).tls->ca_pem, "PEM");
}

TEST(Request, VerifiesUnlessToldOtherwise) {
    EXPECT_FALSE(requested(prometheus_trigger()).tls);
    EXPECT_FALSE(requested(prometheus_trigger({{"unsafeSsl", "true"}})).tls->verify);
    const auto tls =
        with_auth(prometheus_trigger({{"unsafeSsl", "true"}, {"authModes", "tls"}}), {{"cert", "C"}, {"key", "K"}});
    EXPECT_FALSE(requested(tls).tls->verify);
    EXPECT_TRUE(requested(tls, manifest::profile::strict).tls->verify);  // KEDA's TLS transport drops unsafeSsl
}

TEST(Request, TakesTimeoutFromMetadata) {
    EXPECT_EQ(requested(prometheus_trigger()).attempt_timeout_ms, 3'000);
    EXPECT_EQ(requested(prometheus_trigger({{"timeout", "1500"}})).attempt_timeout_ms, 1'500);
}

TEST(Request, HasOneKeyForOneQuestion) {
    const auto key = [](const manifest::trigger& from) {
        return (*testing::open_source(from, {}, manifest::profile::standard, {}))->query_key();
    };
    EXPECT_EQ(key(prometheus_trigger()), key(prometheus_trigger({{"threshold", "9"}})));
    EXPECT_NE(key(prometheus_trigger()), key(prometheus_trigger({{"query", "down"}})));
    EXPECT_NE(key(prometheus_trigger()), key(prometheus_trigger({{"customHeaders", "a=b"}})));
    const auto entry = with_auth(prometheus_trigger({{"authModes", "bearer"}}), {{"bearerToken", "one"}});
    const auto two = with_auth(prometheus_trigger({{"authModes", "bearer"}}), {{"bearerToken", "two"}});
    EXPECT_NE(key(entry), key(two));
    EXPECT_EQ(key(entry).find("one"), std::string::npos);
}

}  // namespace
}  // namespace gputide

// URLs as the transport reads them, header look-up, loopback, and the proxy of a request.
#include "http/message.hpp"

#include "base/text.hpp"
#include "wire/errors.hpp"

#include <curl/curl.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <string>

namespace gputide::http {

namespace {

TEST(ParseUrl, GivesEachPart) {
    const auto url = parse_url("HTTPS://Prom.Example:9090/api/v1/query?query=up&time=1#x");
    ASSERT_TRUE(url);
    EXPECT_EQ(url->scheme, "https");
    EXPECT_EQ(url->host, "prom.example");
    EXPECT_EQ(url->port, 9090);
    EXPECT_EQ(url->path, "/api/v1/query");
    EXPECT_EQ(url->query, "query=up&time=1");
    EXPECT_TRUE(url->has_fragment);
    EXPECT_FALSE(url->has_user_info);
}

TEST(ParseUrl, FillsInTheSchemesPort) {
    EXPECT_EQ(parse_url("http://h")->port, 80);
    EXPECT_EQ(parse_url("https://h")->port, 443);
    EXPECT_EQ(parse_url("http://h")->path, "");
}

TEST(ParseUrl, TellsAnEmptyPartFromNone) {
    const auto url = parse_url("https://h/?#");
    ASSERT_TRUE(url);
    EXPECT_TRUE(url->has_query && url->has_fragment);
    EXPECT_EQ(url->query, "");
    EXPECT_FALSE(parse_url("https://h/")->has_query);
}

TEST(ParseUrl, SeesUserInformation) {
    const auto url = parse_url("http://me:pass@h:1/x@y");
    ASSERT_TRUE(url);
    EXPECT_TRUE(url->has_user_info);
    EXPECT_EQ(url->user_info, "me:pass");
    EXPECT_EQ(url->host, "h");
    EXPECT_FALSE(parse_url("http://h/x@y")->has_user_info);
}

TEST(ParseUrl, KeepsThePathAsWritten) { EXPECT_EQ(parse_url("http://h//a/../b/./c")->path, "//a/../b/./c"); }

TEST(ParseUrl, ReadsAnIpv6HostWithoutBrackets) {
    const auto url = parse_url("http://[::1]:8080/");
    ASSERT_TRUE(url);
    EXPECT_EQ(url->host, "::1");
    EXPECT_EQ(url->port, 8080);
}

// The short way for plain URLs and libcurl's own give the same.
TEST(ParseUrl, AgreesWithLibcurlOnPlainUrls) {
    for (const char* text :
         {"http://prom.example:9090/api?x=1", "HTTPS://Host/", "http://10.0.0.1:1", "https://a-b.c.d.example?x",
          "http://h:65535/#f", "http://h:080/", "http://127.0.0.1/%7Euser/", "http://h./", "http://h:00001/"}) {
        CURLU* handle = curl_url();
        ASSERT_EQ(curl_url_set(handle, CURLUPART_URL, text, CURLU_PATH_AS_IS), CURLUE_OK) << text;
        char* host = nullptr;
        char* port = nullptr;
        ASSERT_EQ(curl_url_get(handle, CURLUPART_HOST, &host, 0), CURLUE_OK);
        ASSERT_EQ(curl_url_get(handle, CURLUPART_PORT, &port, CURLU_DEFAULT_PORT), CURLUE_OK);
        const auto url = parse_url(text);
        ASSERT_TRUE(url) << text;
        EXPECT_EQ(url->host, lower(host)) << text;
        EXPECT_EQ(url->port, std::stoi(port)) << text;
        curl_free(host);
        curl_free(port);
        curl_url_cleanup(handle);
    }
}

TEST(ParseUrl, AnAddressWithLeadingZerosIsWhatTheTransportMakesOfIt) {
    EXPECT_EQ(parse_url("http://0177.0.0.1/")->host, "127.0.0.1");
    EXPECT_EQ(parse_url("http://2130706433/")->host, "127.0.0.1");
    EXPECT_EQ(parse_url("http://127.1/")->host, "127.0.0.1");
}

// Hosts that are written oddly are what the transport would connect to.
TEST(ParseUrl, NormalisesIpv4) { EXPECT_EQ(parse_url("http://0x7f.1/")->host, "127.0.0.1"); }

TEST(ParseUrl, RefusesWhatIsNoHttpUrl) {
    for (const char* text : {"", "h:9090", "ftp://h/", "file:///etc/passwd", "http:h", "http:///h", "http://",
                             "https://h:0/", "https://h:65536/", "https://h:x/", "https://a b/", "https://h/\n", "//h/",
                             "http://a@b@c/", "http://h\\evil/", "javascript:alert(1)"}) {
        EXPECT_FALSE(parse_url(text)) << text;
    }
    EXPECT_FALSE(parse_url(std::string_view("http://h/\0x", 11)));
}

TEST(IsLoopback, KnowsThisMachine) {
    for (const char* host : {"localhost", "LOCALHOST", "127.0.0.1", "127.255.0.9", "::1", "0:0:0:0:0:0:0:1", "::0001",
                             "0::1", "::0.0.0.1"})
        EXPECT_TRUE(is_loopback(host)) << host;
    for (const char* host : {"", "localhost.evil.example", "128.0.0.1", "10.0.0.1", "::2", "127.0.0.1.evil.example",
                             "[::1]", "127.0.0.01", "127.1", "::", ":0:1", "1::", "::1:0", "0:0:0:0:0:0:0:0:1",
                             "0:0:0:0:0:0:1", "::00001", "::1%lo", "0::0::1"}) {
        EXPECT_FALSE(is_loopback(host)) << host;
    }
}

TEST(Headers, AreFoundWithoutCaseFirstOne) {
    request asked;
    asked.set("X-Scope", "a");
    ASSERT_NE(asked.find("x-scope"), nullptr);
    EXPECT_EQ(asked.find("x-scope")->value.reveal(), "a");
    EXPECT_EQ(asked.find("X-Scop"), nullptr);

    response got;
    got.headers = {{"Date", "1"}, {"DATE", "2"}};
    EXPECT_EQ(got.header("date"), "1");
    EXPECT_FALSE(got.header("age"));
}

TEST(FaultName, NamesEveryFault) {
    EXPECT_STREQ(fault_name(fault::none), "none");
    EXPECT_STREQ(fault_name(fault::deadline), "deadline");
    EXPECT_STREQ(fault_name(fault::tls_verify), "tls_verify");
    EXPECT_STREQ(fault_name(fault::other), "other");
    EXPECT_STREQ(fault_name(static_cast<fault>(99)), "unknown");
}

}  // namespace

// Tests what is refused before the first byte, and that the refusal keeps the secret to itself.

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

// Faults as errors: status, class, remedy, and no secret in the text.

namespace {

answer with(fault what, std::string text = {}) { return {what, std::move(text)}; }

TEST(FaultError, GivesEachFaultItsStatus) {
    const std::pair<fault, status> rows[] = {
        {fault::url, status::invalid},         {fault::not_allowed, status::security},
        {fault::resolve, status::unavailable}, {fault::connect, status::unavailable},
        {fault::timeout, status::timeout},     {fault::deadline, status::timeout},
        {fault::cancelled, status::cancelled}, {fault::reset, status::unavailable},
        {fault::tls_verify, status::security}, {fault::tls_handshake, status::unavailable},
        {fault::too_large, status::limit},     {fault::encoding, status::protocol},
        {fault::no_memory, status::no_memory}, {fault::other, status::protocol},
        {fault::crowded, status::limit},
    };
    for (const auto& [what, expected] : rows) EXPECT_EQ(fault_error(with(what)).status, expected) << fault_name(what);
}

TEST(FaultError, WhatMayPassIsRetryable) {
    for (const fault entry : {fault::resolve, fault::connect, fault::timeout, fault::deadline, fault::reset,
                              fault::tls_handshake, fault::crowded, fault::encoding}) {
        EXPECT_TRUE(fault_error(with(entry)).retryable) << fault_name(entry);
    }
    for (const fault entry : {fault::url, fault::not_allowed, fault::tls_verify, fault::cancelled, fault::too_large}) {
        EXPECT_FALSE(fault_error(with(entry)).retryable) << fault_name(entry);
    }
}

TEST(FaultError, SaysWhatWentWrongAndTheRemedy) {
    const error why = fault_error(with(fault::connect, "cannot connect to h:9090: Connection refused"));
    EXPECT_EQ(why.message,
              "cannot connect to h:9090: Connection refused. Is something listening there, and does a firewall or "
              "network policy let it through?");
    EXPECT_EQ(why.error_class, error_class::transient);
}

TEST(FaultError, KeepsSecretsOut) {
    const error why = fault_error(with(fault::reset, "echo eyJhbGciOiJ.eyJzdWIi.c2ln"));
    EXPECT_EQ(why.message.find("eyJ"), std::string::npos) << why.message;
}

TEST(Proxy, IsExceptedAsLibcurlDoes) {
    EXPECT_TRUE(http::is_excepted("*", "prom.corp.example"));
    EXPECT_TRUE(http::is_excepted("a.example, corp.example", "prom.corp.example"));
    EXPECT_TRUE(http::is_excepted(".corp.example", "corp.example"));
    EXPECT_TRUE(http::is_excepted("CORP.example.", "prom.corp.example"));
    EXPECT_FALSE(http::is_excepted("rp.example", "prom.corp.example"));
    EXPECT_FALSE(http::is_excepted("", "prom.corp.example"));
    EXPECT_TRUE(http::is_excepted("10.0.0.0/8", "10.1.2.3"));
    EXPECT_FALSE(http::is_excepted("10.0.0.0/8", "11.1.2.3"));
    EXPECT_TRUE(http::is_excepted("11.1.2.3 10.1.2.3", "10.1.2.3"));
    EXPECT_TRUE(http::is_excepted("fd00::/8", "fd12::1"));
    EXPECT_FALSE(http::is_excepted("10.0.0.0/33", "10.1.2.3"));
}

TEST(Proxy, NamesTheVariable) {
    http::request request;
    http::tls_settings settings;
    settings.proxy = http::environment_proxy;
    request.tls = std::make_shared<const http::tls_settings>(settings);
    const http::url_parts url = *http::parse_url("http://prom.corp.example:9090/");
    for (const char* name :
         {"http_proxy", "https_proxy", "all_proxy", "no_proxy", "NO_PROXY", "HTTPS_PROXY", "ALL_PROXY"})
        ::unsetenv(name);
    EXPECT_FALSE(http::proxy_of(request, url));
    ::setenv("http_proxy", "http://user:secret@10.0.0.1:3128", 1);
    ASSERT_TRUE(http::proxy_of(request, url));
    EXPECT_EQ(http::proxy_text(*http::proxy_of(request, url)), "10.0.0.1:3128 (http_proxy)");
    EXPECT_FALSE(http::proxy_of(request, *http::parse_url("https://prom.corp.example/"))) << "another variable";
    EXPECT_FALSE(http::proxy_of(request, *http::parse_url("http://localhost:9090/"))) << "loopback";
    ::setenv("no_proxy", "corp.example", 1);
    EXPECT_FALSE(http::proxy_of(request, url));
    ::unsetenv("no_proxy");
    ::unsetenv("http_proxy");
    settings.proxy = "http://10.0.0.2";
    request.tls = std::make_shared<const http::tls_settings>(settings);
    EXPECT_EQ(http::proxy_text(*http::proxy_of(request, url)), "10.0.0.2:1080 (the host program's options)");
}

}  // namespace

}  // namespace gputide::http

// Which hosts a list such as NO_PROXY excepts, and which proxy a request has.
#include "http/message.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <string>

using namespace gputide;  // NOLINT: a test

namespace {

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

// Secrets stay out of texts that leave the library, however a peer writes them back.
#include "base/redact.hpp"

#include "base/secret.hpp"

#include <gtest/gtest.h>

#include <sstream>

namespace gputide {
namespace {

TEST(Redact, ReplacesEachSecretEverywhere) {
    EXPECT_EQ(redact("a hunter2 b hunter2", {"hunter2"}), "a *** b ***");
    EXPECT_EQ(redact("hunter2", {"hunter2"}), "***");
    EXPECT_EQ(redact("nothing to hide", {"hunter2"}), "nothing to hide");
    EXPECT_EQ(redact("", {"hunter2"}), "");
    EXPECT_EQ(redact("hunter", {"hunter2"}), "hunter") << "a part is not the secret";
    EXPECT_EQ(redact("hunter2hunter2", {"hunter2"}), "***");
}

TEST(Redact, LeavesVeryShortSecretsAlone) {
    EXPECT_EQ(redact("a cat", {"cat", ""}), "a cat");
    EXPECT_EQ(redact("a lion", {"lion"}), "a ***");
}

TEST(Redact, FindsThePercentEncodedForms) {
    const std::vector<std::string_view> secrets{"p/w +ä="};
    EXPECT_EQ(redact("x=p%2Fw%20%2B%C3%A4%3D&y", secrets), "x=***&y");
    EXPECT_EQ(redact("x=p%2fw+%2b%c3%a4%3d&y", secrets), "x=***&y");
    EXPECT_EQ(redact("x=p/w%20%2B%C3%a4=&y", secrets), "x=***&y") << "a peer may escape less";
    EXPECT_EQ(redact("100%", {"100%"}), "***");
    EXPECT_EQ(redact("100%25 100%", {"100%"}), "*** ***");
    EXPECT_EQ(redact("%31%32%33%34", {"1234"}), "***");
}

TEST(Redact, FindsTheJsonForms) {
    EXPECT_EQ(redact(R"({"e":"a\/b\u002bc\u003D"})", {"a/b+c="}), R"({"e":"***"})");
    EXPECT_EQ(redact(R"(bad "pa\"ss\\word\n")", {"pa\"ss\\word\n"}), R"(bad "***")");
    EXPECT_EQ(redact(R"(cut \u00)", {"cut ab"}), R"(cut \u00)");
    EXPECT_EQ(redact("cut \\", {"cut ab"}), "cut \\");
}

TEST(Redact, HidesOverlappingSecretsWhole) {
    EXPECT_EQ(redact("abcdef", {"abcd", "cdef"}), "***");
    EXPECT_EQ(redact("abcdefgh", {"cdef", "abcdefgh"}), "***");
}

TEST(Redact, HidesWhatLooksLikeAToken) {
    EXPECT_EQ(redact("Bearer eyJhbGciOi.J9-x_y.sig, next"), "Bearer ***, next");
    EXPECT_EQ(redact("xeyJab"), "x***");
    EXPECT_EQ(redact("eyJ"), "***");
    EXPECT_EQ(redact("eyJa eyJb\neyJc"), "*** ***\n***");
    EXPECT_EQ(redact("eyja"), "eyja");
}

TEST(Redact, HidesPrivateKeys) {
    // The armour is put together here so that no scanner takes this file for a leak.
    const std::string dashes(5, '-');
    const std::string begin = dashes + "BEGIN RSA PRIVATE KEY" + dashes;
    const std::string end = dashes + "END RSA PRIVATE KEY" + dashes;
    EXPECT_EQ(redact("key " + begin + "\nMIIE\n" + end + " rest"), "key *** rest");
    EXPECT_EQ(redact("key " + begin + "\nMIIE cut"), "key ***");
    const std::string certificate =
        dashes + "BEGIN CERTIFICATE" + dashes + "\nMIIE\n" + dashes + "END CERTIFICATE" + dashes;
    EXPECT_EQ(redact(certificate), certificate) << "a certificate is public";
    EXPECT_EQ(redact(certificate + begin + "MIIE" + end), certificate + "***");
}

TEST(Redact, TurnsControlCharactersIntoBlanks) {
    EXPECT_EQ(redact("a\r\n\tb\x1b[31m\x7f"), "a \n\tb [31m ");
    EXPECT_EQ(redact(std::string_view("a\0b", 3)), "a b");
    EXPECT_EQ(redact("x\x01yz1", {"\x01yz1"}), "x***") << "the secret is found before its bytes change";
    EXPECT_EQ(redact("ä€"), "ä€");
}

TEST(RedactUrl, HidesUserInformation) {
    EXPECT_EQ(redact_url("https://user:pw@host:9090/p"), "https://***@host:9090/p");
    EXPECT_EQ(redact_url("http://a@b@host/"), "http://***@host/");
    EXPECT_EQ(redact_url("user:pw@proxy:8080"), "***@proxy:8080");
    EXPECT_EQ(redact_url("http://host/a@b"), "http://host/a@b") << "an @ in the path is none";
    EXPECT_EQ(redact_url("/path/a@b?x=y@z"), "/path/a@b?x=y@z");
}

TEST(RedactUrl, HidesQueryValuesThatLookSecret) {
    EXPECT_EQ(redact_url("http://h/p?query=up&token=abc&time=5"), "http://h/p?query=up&token=***&time=5");
    EXPECT_EQ(redact_url("http://h?API_KEY=a&client_secret=b&sig=c&Subscription-Key=d"),
              "http://h?API_KEY=***&client_secret=***&sig=***&Subscription-Key=***");
    EXPECT_EQ(redact_url("http://h?X-Amz-Signature=a&X-Amz-Credential=b"),
              "http://h?X-Amz-Signature=***&X-Amz-Credential=***");
    EXPECT_EQ(redact_url("http://h?pass%77ord=a#access_token=b"), "http://h?pass%77ord=***#access_token=***");
    EXPECT_EQ(redact_url("http://h?design=1&monkey=2&token"), "http://h?design=1&monkey=2&token");
    EXPECT_EQ(redact_url("http://h?x=eyJabc.def"), "http://h?x=***");
    EXPECT_EQ(redact_url("http://h?&&token=a&"), "http://h?&&token=***&");
    EXPECT_EQ(redact_url(""), "");
}

// Text that must not be seen: wiped when it goes, prints as ***.

TEST(Secret, PrintsAsStars) {
    std::ostringstream out;
    out << secret_text(std::string("hunter2"));
    EXPECT_EQ(out.str(), "***");
}

TEST(Secret, WipesTheWholeCapacity) {
    std::string text(100, 's');
    text.resize(80);  // 20 bytes of the longer content stay behind the end
    const std::size_t capacity = text.capacity();
    wipe(text);
    EXPECT_TRUE(text.empty());
    ASSERT_EQ(text.capacity(), capacity) << "the same memory";
    const volatile char* memory = text.data();
    for (std::size_t at = 0; at < capacity; ++at) ASSERT_EQ(memory[at], '\0') << at;
}

TEST(Secret, WipesBytes) {
    char bytes[4] = {'a', 'b', 'c', 'd'};
    wipe(bytes, 3);
    EXPECT_EQ(std::string(bytes, 4), std::string("\0\0\0d", 4));
}

TEST(Secret, MovesLeaveNothingBehind) {
    for (const std::string& content : {std::string("short"), std::string(100, 'x')}) {
        secret_text from(content);
        secret_text to(std::move(from));
        EXPECT_EQ(to.reveal(), content);
        EXPECT_TRUE(from.empty());  // NOLINT(bugprone-use-after-move): that is the promise
        secret_text third;
        third = std::move(to);
        EXPECT_EQ(third.reveal(), content);
        EXPECT_TRUE(to.empty());  // NOLINT(bugprone-use-after-move): as above
        secret_text copy;
        copy = third;
        EXPECT_EQ(copy.reveal(), third.reveal());
        const secret_text& same = copy;
        copy = same;
        EXPECT_EQ(copy.reveal(), content) << "assigned to itself";
    }
}

TEST(Secret, ComparesByContent) {
    EXPECT_TRUE(same_secret("abc", "abc"));
    EXPECT_FALSE(same_secret("abc", "abd"));
    EXPECT_FALSE(same_secret("abc", "abcd"));
    EXPECT_TRUE(same_secret("", ""));
}

}  // namespace

}  // namespace gputide

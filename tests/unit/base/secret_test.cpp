// Text that must not be seen: wiped when it goes, prints as ***.
#include "base/secret.hpp"

#include <gtest/gtest.h>

#include <sstream>

namespace gputide {
namespace {

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

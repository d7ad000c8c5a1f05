// Marked objects are looked at once a turn; a lack of memory leaves the rest for another one.
#include "runtime/cluster/marked.hpp"

#include <gtest/gtest.h>

#include <new>
#include <string>
#include <vector>

namespace gputide::runtime {
namespace {

TEST(marked, each_is_taken_once_and_what_is_marked_meanwhile_waits) {
    std::set<std::string> marked{"a", "b"};
    std::vector<std::string> taken;
    take_each(marked, [&](const std::string& name) {
        taken.push_back(name);
        marked.insert("a");
    });
    EXPECT_EQ(taken, (std::vector<std::string>{"a", "b"}));
    EXPECT_EQ(marked, std::set<std::string>{"a"});
}

TEST(marked, the_one_that_found_no_memory_and_those_after_it_stay) {
    std::set<std::string> marked{"a", "b", "c"};
    const auto fails_at_b = [](const std::string& name) {
        if (name == "b") throw std::bad_alloc();
    };
    EXPECT_THROW(take_each(marked, fails_at_b), std::bad_alloc);
    EXPECT_EQ(marked, (std::set<std::string>{"b", "c"}));
}

}  // namespace
}  // namespace gputide::runtime

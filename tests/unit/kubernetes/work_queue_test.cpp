// Marked objects are looked at once a turn; a lack of memory leaves the rest for another one.
#include "kubernetes/controller/work_queue.hpp"

#include "support/scripted_loop.hpp"

#include <gtest/gtest.h>

#include <new>
#include <string>
#include <vector>

namespace gputide::kubernetes {
namespace {

TEST(work_queue, each_is_taken_once_and_what_is_marked_meanwhile_waits) {
    std::set<std::string> marked{"a", "b"};
    std::vector<std::string> taken;
    take_each(marked, [&](const std::string& name) {
        taken.push_back(name);
        marked.insert("a");
    });
    EXPECT_EQ(taken, (std::vector<std::string>{"a", "b"}));
    EXPECT_EQ(marked, std::set<std::string>{"a"});
}

TEST(work_queue, the_one_that_found_no_memory_and_those_after_it_stay) {
    std::set<std::string> marked{"a", "b", "c"};
    const auto fails_at_b = [](const std::string& name) {
        if (name == "b") throw std::bad_alloc();
    };
    EXPECT_THROW(take_each(marked, fails_at_b), std::bad_alloc);
    EXPECT_EQ(marked, (std::set<std::string>{"b", "c"}));
}

struct queued_objects : ::testing::Test {
    using key = kubernetes::object_key;
    const key a{"ml", "a"}, b{"ml", "b"};

    std::shared_ptr<testing::scripted_loop> loop = std::make_shared<testing::scripted_loop>();
    std::vector<key> taken;
    bool lacks_memory = false;
    std::shared_ptr<work_queue> queue = std::make_shared<work_queue>(
        loop,
        [this](std::set<key>& names) {
            names = {a, b};
        },
        [this](const key& name) {
            if (std::exchange(lacks_memory, false)) throw std::bad_alloc();
            taken.push_back(name);
        });
};

TEST_F(queued_objects, is_looked_at_a_turn_later) {
    for (const key& name : {b, a, b}) queue->add(name);
    EXPECT_TRUE(taken.empty());
    loop->advance(0);
    EXPECT_EQ(taken, (std::vector<key>{a, b}));
    queue->resume();
    EXPECT_EQ(loop->pending(), 0U);
}

TEST_F(queued_objects, is_looked_at_again_where_memory_was_missing) {
    lacks_memory = true;
    queue->add_all();
    EXPECT_THROW(loop->advance(0), std::bad_alloc);
    EXPECT_TRUE(taken.empty());
    queue->resume();
    loop->advance(0);
    EXPECT_EQ(taken, (std::vector<key>{a, b}));
}

TEST_F(queued_objects, is_left_alone_once_it_is_stopped) {
    queue->add(a);
    queue->stop();
    queue->add_all();
    loop->advance(0);
    EXPECT_TRUE(taken.empty());
}

}  // namespace
}  // namespace gputide::kubernetes

// Tests what the watch of one kind keeps.
#include "kubernetes/controller/store.hpp"

#include "runtime/log.hpp"
#include "support/scripted_loop.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

namespace gputide::kubernetes {
namespace {

struct stored_objects : ::testing::Test {
    bool lacks_memory = false;  // the next reading
    int reads = 0;
    std::vector<std::string> changed;
    watched_objects kept{"deployments",
                         [this](simdjson::dom::object) {
                             if (std::exchange(lacks_memory, false)) throw std::bad_alloc();
                             return std::make_shared<const int>(++reads);
                         },
                         [this](const kubernetes::object_key& name) { changed.push_back(name.name); }};

    // Returns the number of the reading; 0: the object is unknown.
    int reading_of(const std::string& name) const {
        const auto* found = static_cast<const int*>(kept.find({"ml", name}));
        return found != nullptr ? *found : 0;
    }

    void see(const std::string& name, const std::string& version) {
        simdjson::dom::parser parser;
        const simdjson::padded_string text(R"({"metadata":{"namespace":"ml","name":")" + name +
                                           R"(","resourceVersion":")" + version + R"("}})");
        kept.seen(parser.parse(text).get_object());
    }
};

TEST_F(stored_objects, reads_a_version_once) {
    see("a", "1");
    see("a", "1");
    EXPECT_EQ(reads, 1);
    see("a", "2");
    EXPECT_EQ(reading_of("a"), 2);
    EXPECT_EQ(changed, (std::vector<std::string>{"a", "a"}));
}

TEST_F(stored_objects, takes_what_found_no_memory_when_it_comes_again) {
    see("a", "1");
    for (const std::string name : {"a", "b"}) {
        lacks_memory = true;
        EXPECT_THROW(see(name, "2"), std::bad_alloc);
    }
    EXPECT_EQ(reading_of("a"), 1);
    EXPECT_EQ(kept.find({"ml", "b"}), nullptr) << "nothing is known of it";
    for (const std::string name : {"a", "b"}) see(name, "2");
    EXPECT_EQ(reading_of("a"), 2);
    EXPECT_EQ(reading_of("b"), 3);
    EXPECT_EQ(changed, (std::vector<std::string>{"a", "a", "b"}));
}

TEST_F(stored_objects, forgets_what_a_whole_list_has_no_more) {
    see("a", "1");
    see("b", "1");
    kept.listing();
    see("b", "1");
    kept.listed();
    EXPECT_EQ(kept.find({"ml", "a"}), nullptr);
    EXPECT_EQ(kept.size(), 1U);
}

TEST_F(stored_objects, keeps_the_last_state_of_what_can_no_longer_be_read) {
    see("a", "1");
    kept.unreadable({{"ml", "a"}, "2", "why"});
    kept.listing();
    kept.unreadable({{"ml", "a"}, "2", "why"});
    kept.listed();
    ASSERT_NE(kept.find({"ml", "a"}), nullptr);
    EXPECT_EQ(kept.unreadable_reason({"ml", "a"}), "why");
    EXPECT_EQ(kept.first_unknown_in("ml"), "");
    see("a", "3");
    EXPECT_EQ(reading_of("a"), 2);
    EXPECT_EQ(kept.unreadable_count(), 0U);
}

TEST_F(stored_objects, names_what_was_never_read_until_it_is_gone) {
    kept.unreadable({{"ml", "b"}, "2", "why"});
    kept.unreadable({{"ml", "b"}, "3", "why"});
    EXPECT_EQ(kept.find({"ml", "b"}), nullptr);
    EXPECT_EQ(kept.unreadable_count(), 1U);
    EXPECT_EQ(kept.first_unknown_in("ml"), "deployments ml/b cannot be read: why");
    EXPECT_EQ(kept.first_unknown_in("m"), "") << "another namespace goes on";
    kept.gone({"ml", "b"});
    EXPECT_EQ(kept.unreadable_count(), 0U);
    EXPECT_EQ(changed, (std::vector<std::string>{"b", "b"}));
    kept.unreadable({{"ml", "b"}, "4", "why"});
    kept.listing();
    kept.listed();
    EXPECT_EQ(kept.unreadable_count(), 0U);
    EXPECT_EQ(changed, (std::vector<std::string>{"b", "b", "b", "b"})) << "its end is told, too";
}

TEST_F(stored_objects, forgets_nothing_while_an_object_has_no_readable_name) {
    see("a", "1");
    kept.listing();
    kept.unreadable({{}, "", "why"});
    kept.listed();
    EXPECT_NE(kept.find({"ml", "a"}), nullptr) << "it may be that one";
    kept.listing();
    kept.listed();
    EXPECT_EQ(kept.find({"ml", "a"}), nullptr);
}

TEST_F(stored_objects, says_in_the_log_when_an_object_is_left_out_and_when_no_longer) {
    runtime::log_reader log(runtime::log_level::info);
    for (int i = 0; i < 3; ++i) kept.unreadable({{"ml", "b"}, "2", "it is nested more than 1024 levels deep"});
    see("b", "3");
    see("b", "4");
    EXPECT_EQ(log.next(0, nullptr)->text, "deployments ml/b is left out: it is nested more than 1024 levels deep");
    EXPECT_EQ(log.next(0, nullptr)->text, "deployments ml/b is no longer left out");
    EXPECT_FALSE(log.next(0, nullptr));
}

// Marked objects are looked at once a turn; a lack of memory leaves the rest for another one.

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

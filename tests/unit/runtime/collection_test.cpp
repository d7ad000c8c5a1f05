// What the watch of one kind keeps.
#include "runtime/cluster/collection.hpp"

#include <gtest/gtest.h>

#include <new>
#include <string>
#include <utility>
#include <vector>

namespace gputide::runtime {
namespace {

struct store : ::testing::Test {
    bool lacks_memory = false;  // the next reading
    int reads = 0;
    std::vector<std::string> changed;
    object_store<int> kept{[this](simdjson::dom::object) {
                               if (std::exchange(lacks_memory, false)) throw std::bad_alloc();
                               return ++reads;
                           },
                           [this](const cluster::object_key& name) { changed.push_back(name.name); }};

    void see(const std::string& name, const std::string& version) {
        simdjson::dom::parser parser;
        const simdjson::padded_string text(R"({"metadata":{"namespace":"ml","name":")" + name +
                                           R"(","resourceVersion":")" + version + R"("}})");
        kept.seen(parser.parse(text).get_object());
    }
};

TEST_F(store, reads_a_version_once) {
    see("a", "1");
    see("a", "1");
    EXPECT_EQ(reads, 1);
    see("a", "2");
    EXPECT_EQ(*kept.find({"ml", "a"}), 2);
    EXPECT_EQ(changed, (std::vector<std::string>{"a", "a"}));
}

TEST_F(store, takes_what_found_no_memory_when_it_comes_again) {
    see("a", "1");
    for (const std::string name : {"a", "b"}) {
        lacks_memory = true;
        EXPECT_THROW(see(name, "2"), std::bad_alloc);
    }
    EXPECT_EQ(*kept.find({"ml", "a"}), 1);
    EXPECT_EQ(kept.find({"ml", "b"}), nullptr) << "nothing is known of it";
    for (const std::string name : {"a", "b"}) see(name, "2");
    EXPECT_EQ(*kept.find({"ml", "a"}), 2);
    EXPECT_EQ(*kept.find({"ml", "b"}), 3);
    EXPECT_EQ(changed, (std::vector<std::string>{"a", "a", "b"}));
}

TEST_F(store, forgets_what_a_whole_list_has_no_more) {
    see("a", "1");
    see("b", "1");
    kept.listing();
    see("b", "1");
    kept.listed();
    EXPECT_EQ(kept.find({"ml", "a"}), nullptr);
    EXPECT_EQ(kept.size(), 1U);
}

}  // namespace
}  // namespace gputide::runtime

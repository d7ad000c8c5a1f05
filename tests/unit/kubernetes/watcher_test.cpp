// A watcher over a scripted server: what it asks, what it tells its sink, and how it survives the server's ways.
#include "kubernetes/watch/watcher.hpp"

#include "kubernetes/api/objects.hpp"
#include "support.hpp"

#include <set>
#include <string>
#include <vector>

namespace gputide::kubernetes {
namespace {

using testing::scripted;
using testing::scripted_answer;
using testing::status_body;

std::string object(const std::string& name, const std::string& version) {
    return R"({"metadata":{"namespace":"ml","name":")" + name + R"(","resourceVersion":")" + version + R"("}})";
}
std::string list_of(const std::string& items, const std::string& version, const std::string& token = "") {
    return R"({"kind":"DeploymentList","metadata":{"resourceVersion":")" + version + R"(","continue":")" + token +
           R"("},"items":[)" + items + "]}";
}
std::string deep_object(const std::string& name, const std::string& version) {
    std::string out = object(name, version);
    out.pop_back();
    return out + R"(,"spec":)" + std::string(2'000, '[') + std::string(2'000, ']') + "}";
}
std::string line(const std::string& type, const std::string& object) {
    return R"({"type":")" + type + R"(","object":)" + object + "}\n";
}
scripted_answer watched(const std::string& lines, std::int64_t lasts_ms = 400'000) {
    scripted_answer out = scripted(200, lines);
    out.delay_ms = lasts_ms;
    return out;
}

// Keeps names as a store would: a whole list replaces what was there.
class name_sink final : public watch_sink {
  public:
    std::set<std::string> names;
    std::vector<std::string> left_out;
    int lists = 0;
    bool lacks_memory = false;  // for the next object

    void listing() override { fresh_.clear(); }
    void seen(simdjson::dom::object entry) override {
        if (std::exchange(lacks_memory, false)) throw std::bad_alloc();
        const std::string name = read_facts(entry).key.name;
        names.insert(name);
        fresh_.insert(name);
    }
    void unreadable(const unreadable_object& unreadable_object) override {
        left_out.push_back(unreadable_object.key.name);
    }
    void gone(const object_key& key) override { names.erase(key.name); }
    void listed() override {
        names = fresh_;
        ++lists;
    }

  private:
    std::set<std::string> fresh_;
};

class Watcher : public ::testing::Test, protected testing::api_world {
  protected:
    name_sink sink;
    std::shared_ptr<watcher> watching;

    void start() {
        endpoint collection;
        collection.group = "apps";
        collection.version = "v1";
        collection.path = "/namespaces/ml/deployments";
        collection.resource = "deployments";
        watching = std::make_shared<watcher>(api, collection, sink);
        watching->start();
        loop->advance(10);
    }
    void TearDown() override {
        if (watching) watching->stop();
    }
};

TEST_F(Watcher, ListsByPagesThenWatches) {
    loop->answer_next(scripted(200, list_of(object("a", "3"), "7", "next/one")));
    loop->answer_next(scripted(200, list_of(object("b", "5"), "7")));
    loop->answer_next(watched(line("ADDED", object("c", "8")) + line("DELETED", object("a", "9")) +
                                  line("BOOKMARK", R"({"metadata":{"resourceVersion":"30"}})"),
                              100'000));
    start();
    EXPECT_EQ(sink.names, (std::set<std::string>{"b", "c"}));
    EXPECT_TRUE(watching->health().is_known);
    const std::string base = "GET /apis/apps/v1/namespaces/ml/deployments?";
    ASSERT_EQ(asked().size(), 3U);
    EXPECT_EQ(asked()[0], base + "limit=250");
    EXPECT_EQ(asked()[1], base + "limit=250&continue=next%2Fone");
    EXPECT_EQ(asked()[2], base + "watch=1&allowWatchBookmarks=true&resourceVersion=7&timeoutSeconds=450");
    loop->answer_next(watched(""));
    loop->advance(100'000);
    ASSERT_EQ(asked().size(), 4U);
    EXPECT_NE(asked()[3].find("resourceVersion=30&"), std::string::npos);  // of the bookmark
    EXPECT_EQ(sink.lists, 1);
}

TEST_F(Watcher, ATooOldVersionReplacesEverything) {
    loop->answer_next(scripted(200, list_of(object("a", "3") + "," + object("b", "4"), "7")));
    loop->answer_next(watched(line("ERROR", status_body(410, "Expired")), 50));
    loop->answer_next(scripted(200, list_of(object("b", "90"), "95")));
    loop->answer_next(watched(""));
    start();
    loop->advance(100);
    EXPECT_EQ(sink.names, std::set<std::string>{"b"});
    EXPECT_EQ(sink.lists, 2);
    EXPECT_NE(asked().back().find("resourceVersion=95&"), std::string::npos);
}

TEST_F(Watcher, AnObjectCutInTheMiddleComesAgain) {
    loop->answer_next(scripted(200, list_of("", "7")));
    loop->answer_next(watched(line("ADDED", object("a", "8")) + R"({"type":"ADDED","object":{"meta)", 5'000));
    loop->answer_next(watched(line("ADDED", object("b", "9"))));
    start();
    loop->advance(5'000);
    EXPECT_EQ(sink.names, (std::set<std::string>{"a", "b"}));
    EXPECT_NE(asked().back().find("resourceVersion=8&"), std::string::npos);
    EXPECT_EQ(sink.lists, 1);
}

TEST_F(Watcher, WhatNobodyCanReadIsListedAgain) {
    loop->answer_next(scripted(200, list_of("", "7")));
    loop->answer_next(watched("<html>\n"));
    loop->answer_next(scripted(200, list_of(object("a", "8"), "8")));
    loop->answer_next(watched(""));
    start();
    EXPECT_EQ(sink.lists, 2);
    EXPECT_EQ(sink.names, std::set<std::string>{"a"});
}

TEST_F(Watcher, OneItemThatCannotBeReadIsOneItem) {
    const std::string items = object("a", "3") + "," + deep_object("b", "4") +
                              R"(,{"metadata":{"name":"c"},"spec":NaN},7,)" + object("d", "5") +
                              R"(,{"metadata":{"name":"e"},"x":18446744073709551616})";
    loop->answer_next(scripted(200, list_of(items, "7")));
    loop->answer_next(watched(line("ADDED", object("f", "8")) + line("MODIFIED", deep_object("a", "9")) +
                                  line("DELETED", deep_object("d", "10")) + line("ADDED", object("g", "11")),
                              5'000));
    loop->answer_next(watched(""));
    start();
    EXPECT_TRUE(watching->health().is_known);
    EXPECT_EQ(sink.names, (std::set<std::string>{"a", "e", "f", "g"}));
    EXPECT_EQ(sink.left_out, (std::vector<std::string>{"b", "c", "", "a"}));
    loop->advance(5'100);
    EXPECT_EQ(sink.lists, 1);
    EXPECT_NE(asked().back().find("resourceVersion=11&"), std::string::npos) << "the watch goes on";
}

// 250 do not fit, and so on: each page of one object brings it, and of one that does not fit alone the metadata.
TEST_F(Watcher, APageThatDoesNotFitIsAskedForInHalves) {
    std::vector<std::string> pages;
    loop->answer_with([&](const http::request& request) {
        const std::string query = request.url.substr(request.url.find('?') + 1);
        if (query.starts_with("watch=")) return watched("");
        const bool is_metadata = request.find("Accept")->value.reveal() != "application/json";
        pages.push_back(query + (is_metadata ? " metadata" : ""));
        const std::size_t at =
            query.find("continue=") == std::string::npos ? 0 : std::stoul(query.substr(query.find("continue=") + 9));
        const std::size_t limit = std::stoul(query.substr(6));
        const std::vector<std::string> names{"a", "huge", "c", "d"};
        std::string items;
        std::size_t end = at;
        for (; end < std::min(at + limit, names.size()); ++end) {
            if (names[end] == "huge" && !is_metadata) return testing::scripted_fault(http::fault::too_large);
            items += (items.empty() ? "" : ",") + object(names[end], "3");
        }
        return scripted(200, list_of(items, "7", end < names.size() ? std::to_string(end) : ""));
    });
    start();
    EXPECT_EQ(sink.names, (std::set<std::string>{"a", "c", "d"}));
    EXPECT_EQ(sink.left_out, std::vector<std::string>{"huge"});
    EXPECT_TRUE(watching->health().is_known);
    EXPECT_EQ(pages, (std::vector<std::string>{"limit=250", "limit=125", "limit=62", "limit=31", "limit=15", "limit=7",
                                               "limit=3", "limit=1", "limit=2&continue=1", "limit=1&continue=1",
                                               "limit=1&continue=1 metadata", "limit=2&continue=2"}));
}

TEST_F(Watcher, AListThatIsCutIsAskedForAgain) {
    loop->answer_next(scripted(200, list_of(object("a", "3"), "7").substr(0, 90)));
    loop->answer_next(scripted(200, list_of(object("a", "3"), "7") + "{}"));
    loop->answer_next(scripted(200, object("a", "3")));
    loop->answer_next(scripted(200, list_of(object("a", "3"), "7")));
    loop->answer_next(watched(""));
    start();
    EXPECT_TRUE(sink.names.empty());
    loop->advance(60'000);
    EXPECT_EQ(sink.names, (std::set<std::string>{"a"}));
}

// Seven watches in a minute, each behind a list.
TEST_F(Watcher, AServerThatEndsEachWatchIsNotAskedWithoutAPause) {
    const std::vector<scripted_answer> ends{
        scripted(410, status_body(410, "Expired")), watched(line("ERROR", status_body(410, "Expired")), 1),
        watched(line("BOOKMARK", R"({"metadata":{"resourceVersion":"3"}})"), 1), watched("<html>\n", 1)};
    for (const scripted_answer& end : ends) {
        const std::size_t before = asked().size();
        loop->answer_with([&](const http::request& request) {
            return request.url.find("watch=") == std::string::npos ? scripted(200, list_of(object("a", "6"), "7"))
                                                                   : end;
        });
        start();
        loop->advance(60'000);
        EXPECT_EQ(asked().size() - before, 14U);
        EXPECT_EQ(sink.names, std::set<std::string>{"a"});
        watching->stop();
    }
}

TEST_F(Watcher, ASilentOneIsDeadAfterThreeMinutes) {
    loop->answer_next(scripted(200, list_of(object("a", "3"), "7")));
    loop->answer_next(watched("", 3'000'000'000));
    loop->answer_next(scripted(200, list_of(object("a", "3") + "," + object("b", "8"), "8")));
    loop->answer_next(watched(""));
    start();
    loop->advance(170'000);
    EXPECT_EQ(asked().size(), 2U);
    loop->advance(30'000);
    EXPECT_EQ(asked().size(), 4U);
    EXPECT_EQ(watching->health().deaths, 1U);
    EXPECT_EQ(sink.names, (std::set<std::string>{"a", "b"}));
    EXPECT_EQ(sink.lists, 2) << "what it did not tell of";
}

TEST_F(Watcher, AListThatFoundNoMemoryIsAskedForAgain) {
    for (int i = 0; i < 2; ++i) loop->answer_next(scripted(200, list_of(object("a", "3"), "7")));
    loop->answer_next(watched(""));
    sink.lacks_memory = true;
    EXPECT_THROW(start(), std::bad_alloc);
    loop->advance(100'000);
    EXPECT_EQ(sink.names, (std::set<std::string>{"a"}));
    EXPECT_TRUE(watching->health().is_known);
    EXPECT_EQ(asked().size(), 3U);
}

// It keeps its place before what came later, however long the requests before it take.
TEST_F(Watcher, AListThatWaitsForItsTurnIsNotLost) {
    loop->answer_with([](const http::request& request) {
        if (request.url.find("/slow") == std::string::npos)
            return request.url.find("watch=") != std::string::npos ? watched("", 3'000'000)
                                                                   : scripted(200, list_of("", "7"));
        scripted_answer out = scripted(200, "{}");
        out.delay_ms = 200'000;
        return out;
    });
    const auto list = [this](const std::string& plural) {
        api_request request;
        request.target.path = "/namespaces/ml/" + plural;
        request.target.resource = plural;
        request.target.version = "v1";
        request.target.verb = "list";
        request.timeout_ms = 1'000'000;
        api->send(request.target, always(request), [](const reply&) {});
    };
    for (std::size_t i = 0; i < max_of_tenant(lane::list, true); ++i) list("slow");
    start();
    list("later");
    loop->advance(190'000);
    EXPECT_EQ(asked().size(), max_of_tenant(lane::list, true)) << "its turn has not come";
    loop->advance(15'000);
    const std::string base = "GET /apis/apps/v1/namespaces/ml/deployments?";
    ASSERT_GE(asked().size(), max_of_tenant(lane::list, true) + 2);
    EXPECT_EQ(asked()[max_of_tenant(lane::list, true)], base + "limit=250");
    EXPECT_TRUE(watching->health().is_known);
}

TEST_F(Watcher, AttemptsAreNothingHeard) {
    loop->answer_next(scripted(200, list_of(object("a", "3"), "7")));
    for (int i = 0; i < 40; ++i) loop->answer_next(scripted(503, "busy"));
    start();
    const std::int64_t heard_ms = watching->health().heard_ms;
    loop->advance(100'000);
    EXPECT_GT(asked().size(), 5U);
    EXPECT_EQ(watching->health().heard_ms, heard_ms);
}

// Nothing is known of a kind without its definition; that is not the same as none being there.
TEST_F(Watcher, AKindThatGoesAwayIsUnknown) {
    loop->answer_with([this](const http::request&) {
        const std::size_t before = asked().size();  // this one is in it
        if (before == 1) return scripted(200, list_of(object("a", "3"), "7"));
        return before == 2 ? watched("", 2'000) : scripted(404, status_body(404, "NotFound"));
    });
    start();
    EXPECT_TRUE(watching->health().is_known);
    loop->advance(5'000);
    EXPECT_FALSE(watching->health().is_known);
    EXPECT_EQ(sink.names, std::set<std::string>{"a"});
    loop->advance(300'000);
    const std::size_t before = asked().size();
    loop->advance(61'000);
    EXPECT_EQ(asked().size(), before + 1);  // once a minute in the end
    EXPECT_TRUE(watching->health().is_missing);
}

TEST_F(Watcher, AMissingRightNamesTheRule) {
    loop->answer_next(scripted(403, status_body(403, "Forbidden", "deployments.apps is forbidden")));
    start();
    EXPECT_FALSE(watching->health().is_known);
    EXPECT_NE(
        watching->health().why.message.find(R"({apiGroups: ["apps"], resources: ["deployments"], verbs: ["list"]})"),
        std::string::npos)
        << watching->health().why.message;
}

}  // namespace
}  // namespace gputide::kubernetes

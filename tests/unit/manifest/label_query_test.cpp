// Label selectors as text: what the API server takes, and which objects KEDA's operator watches.
#include "manifest/keda_operator.hpp"
#include "texts.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>

namespace config_test {
namespace {

using manifest::has_labels;
using manifest::read_label_query;
using manifest::read_watch_selector;
using manifest::watch_selector_variable;

using label_map = std::map<std::string, std::string>;

TEST(LabelQuery, TakesWhatTheApiServerTakes) {
    for (const char* text :
         {"",          " ",         "a",           "!a",      "a=",  "a==b",  "a!=b",
          "a in (b)",  "a in(b,c)", "a in (,)",    "a in ()", "in",  "!in",   "notin in (a)",
          "a in (b,)", "a in (in)", "a notin (b)", "a>4",     "a<4", "a=b,c", "example.org/a = b , !c",
          "a=in",      "a=,b"})
        EXPECT_TRUE(read_label_query(text)) << text;
}

TEST(LabelQuery, RefusesWhatTheApiServerRefuses) {
    for (const char* text : {",",         "a,",         "a b",   "a in",       "a in (b",   "a in b", "a=b=c", "!a=b",
                             "notin (a)", "=a",         "a>",    "a>x",        "a=-b",      "a/b/c",  "-a",    "A B",
                             "a<-4",      "a in (b c)", "a===b", "a in (b,,)", "a in (,,)", "!!a",    "a;b"})
        EXPECT_FALSE(read_label_query(text)) << text;
    EXPECT_FALSE(read_label_query(std::string(64, 'a')));
    EXPECT_TRUE(read_label_query(std::string(63, 'a')));
}

bool watches(const char* selector, const label_map& labels) {
    const auto read = read_watch_selector(selector);
    EXPECT_TRUE(read) << selector;
    return read && has_labels(*read, labels);
}

TEST(LabelQuery, ChoosesByLabels) {
    EXPECT_TRUE(watches("team in (ml,web),!canary", {{"team", "ml"}}));
    EXPECT_FALSE(watches("team in (ml,web),!canary", {{"team", "ml"}, {"canary", ""}}));
    EXPECT_TRUE(watches("team notin (web)", {}));
    EXPECT_FALSE(watches("team notin (web)", {{"team", "web"}}));
    EXPECT_TRUE(watches("team in ()", {{"team", ""}}));
    EXPECT_TRUE(watches("team=", {{"team", ""}}));
    EXPECT_FALSE(watches("team=", {}));
    // ParseToLabelSelector keeps a map of `=`.
    EXPECT_TRUE(watches("team=ml,team=web", {{"team", "web"}}));
    EXPECT_FALSE(watches("team=ml,team=web", {{"team", "ml"}}));
}

TEST(LabelQuery, CheckWarnsOfWhatKedaDoesNotWatch) {
    const std::string text = scaled_object();
    const auto found_with = [&](const char* selector) {
        return found(load(text, host_with({{watch_selector_variable, selector}})));
    };
    EXPECT_NE(found_with("team=ml").find("KEDA does not scale"), std::string::npos) << found_with("team=ml");
    EXPECT_EQ(found_with("!team").find("KEDA does not scale"), std::string::npos);
    EXPECT_EQ(found_with("").find("KEDA does not scale"), std::string::npos);
    EXPECT_NE(found_with("team!=ml").find("KEDA 2.21 does not start"), std::string::npos);
    EXPECT_EQ(found(load(text)).find("KEDA does not scale"), std::string::npos);
}

}  // namespace
}  // namespace config_test

// A report as lines, as JSON and as one error.
#include "text/report.hpp"

#include "base/json_writer.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace gputide::text {
namespace {

report two_findings() {
    report out;
    out.add(severity::warning, "unknown-key", {"so.yaml", 17, 9, "spec.foo"}, "unknown key \"foo\", ignored",
            "remove it");
    out.add(severity::error, "wrong-type", {"so.yaml", 3, 1, "spec.bar"}, "expected a number");
    return out;
}

TEST(Report, RendersErrorsFirst) {
    EXPECT_EQ(render(two_findings()),
              "so.yaml:3:1: error: expected a number (spec.bar)\n"
              "so.yaml:17:9: warning: unknown key \"foo\", ignored (spec.foo): remove it\n");
    EXPECT_EQ(render(report{}), "");
}

TEST(Report, WritesJson) {
    json_writer out;
    write_json(out, two_findings());
    const nlohmann::json got = nlohmann::json::parse(out.text());
    EXPECT_EQ(got.at("errors"), 1);
    EXPECT_EQ(got.at("warnings"), 1);
    EXPECT_EQ(got.at("findings").at(0).at("code"), "unknown-key");
    EXPECT_EQ(got.at("findings").at(0).at("line"), 17);
    EXPECT_EQ(got.at("findings").at(0).at("remedy"), "remove it");
    EXPECT_EQ(got.at("findings").at(1).at("severity"), "error");
}

TEST(Report, BecomesOneError) {
    report all = two_findings();
    all.add(severity::error, "empty", {"b.yaml", 1, 1, ""}, "no document", "give one");
    const error error = all.as_error();
    EXPECT_EQ(error.status, status::invalid);
    EXPECT_EQ(error.where.text(), "so.yaml:3 spec.bar");
    EXPECT_EQ(error.message, "expected a number; b.yaml:1: no document: give one");
    EXPECT_EQ(detail_json(error), R"({"class":"config","file":"so.yaml","line":3,"column":1,"path":"spec.bar",)"
                                  R"("code":"wrong-type","message":"expected a number","remedy":""})");
    EXPECT_EQ(report{}.as_error().status, status::ok);
}

TEST(Report, SaysAThingOnceAndStaysSmall) {
    report all;
    for (int i = 0; i < 2; ++i) all.add(severity::error, "x", {"a", 1, 1, "p"}, "same");
    EXPECT_EQ(all.findings.size(), 1U);
    for (int i = 0; i < 5'000; ++i) all.add(severity::warning, "x", {"a", i, 1, "p"}, "more");
    EXPECT_EQ(all.findings.size(), report::max_findings);
    all.add(severity::error, "x", {"a", 2, 1, "p"}, "an error still counts");
    EXPECT_EQ(all.count(severity::error), 2U);
}

TEST(Report, GroupsWhatIsTheSameButForItsPlace) {
    report all;
    for (int i = 0; i < 6; ++i)
        all.add(severity::warning, "x", {"f" + std::to_string(i), i + 1, 2, "p"}, "the same", "mend it");
    all.add(severity::warning, "x", {"g", 1, 1, "p"}, "another");
    EXPECT_EQ(render(all),
              "f0:1:2: warning: the same (p): mend it [and 5 more: f1:2:2, f2:3:2, f3:4:2, ...]\n"
              "g:1:1: warning: another (p)\n");
    EXPECT_EQ(all.count(severity::warning), 7U);
}

}  // namespace
}  // namespace gputide::text

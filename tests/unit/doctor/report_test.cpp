// Reports: what comes first, what is left out, how wide a line is.
#include "doctor/step.hpp"

#include <gtest/gtest.h>

namespace gputide::doctor {
namespace {

report with(std::vector<step> first, std::vector<step> second) {
    report out;
    out.name = "gpu";
    out.name_space = "ml";
    out.triggers = {{"trigger 0 (prometheus)", 0, "prometheus", "s0-prometheus", "up", std::move(first)},
                    {"trigger 1 (dcgm)", 1, "dcgm", "s1-x", "", std::move(second)}};
    out.outcome = {passed("decision", "1 -> 2 replicas")};
    return out;
}

TEST(Report, TheConclusionIsTheFirstFailureElseTheFirstWarning) {
    const step well = passed("query", "fine");
    const step odd = doubtful("age", "old", "c", "f");
    const step bad = broken("token_file", "gone", "c", "f");
    EXPECT_EQ(conclusion(with({well}, {well})), "ml/gpu: all is well: 1 -> 2 replicas");
    EXPECT_EQ(conclusion(with({well}, {odd})), "ml/gpu: trigger 1 (dcgm) works, but step age warns: old");
    EXPECT_EQ(conclusion(with({odd}, {bad})), "ml/gpu: trigger 1 (dcgm) fails at step token file: gone");
    EXPECT_EQ(conclusion(with({bad}, {bad})),
              "ml/gpu: 2 of 2 triggers fail; trigger 0 (prometheus) fails at step token file: gone");
    EXPECT_EQ(worst_of(with({odd}, {bad})), verdict::failed);
}

TEST(Report, JsonLeavesOutWhatIsEmpty) {
    step bad = broken("token", "s", "c", "f");
    bad.detail = {{"code", "AADSTS1"}};
    EXPECT_EQ(report_json(with({bad}, {})),
              R"({"name":"gpu","namespace":"ml","verdict":"failed",)"
              R"("conclusion":"ml/gpu: trigger 0 (prometheus) fails at step token: s","triggers":[)"
              R"({"index":0,"type":"prometheus","metric":"s0-prometheus","asks":"up","failed_step":"token","steps":[)"
              R"({"step":"token","verdict":"failed","seen":"s","cause":"c","fix":"f","detail":{"code":"AADSTS1"}}]},)"
              R"({"index":1,"type":"dcgm","metric":"s1-x","failed_step":null,"steps":[]}],)"
              R"("outcome":[{"step":"decision","verdict":"ok","seen":"1 -> 2 replicas"}]})");
}

TEST(Report, LinesAreWrappedAndPasteIsNot) {
    step bad = broken("series", "none", std::string(40, 'a') + " " + std::string(80, 'b'), "f");
    bad.paste = std::string(200, 'p') + "\n  q\n";
    const std::string text = report_lines(with({bad}, {}));
    EXPECT_NE(text.find("Cause  " + std::string(40, 'a') + "\n" + std::string(11, ' ') + std::string(80, 'b') + "\n"),
              std::string::npos)
        << text;
    EXPECT_NE(text.find(std::string(13, ' ') + std::string(200, 'p') + "\n" + std::string(13, ' ') + "  q\n"),
              std::string::npos);
}

TEST(Report, WhatAPeerWroteSteersNoTerminal) {
    step bad = broken("series", "a\x1b[2Jb\n  ok      token", "c", "f");
    bad.paste = "x\x07y\n";
    const std::string text = report_lines(with({bad}, {}));
    EXPECT_EQ(text.find('\x1b'), std::string::npos);
    EXPECT_EQ(text.find('\x07'), std::string::npos);
    EXPECT_EQ(text.find("\n  ok      token"), std::string::npos);
}

TEST(Step, WordsForAShellStayWords) {
    EXPECT_EQ(shell_word("system:serviceaccount:ml:a-b"), "system:serviceaccount:ml:a-b");
    EXPECT_EQ(shell_word("a; $(x)"), "'a; $(x)'");
    EXPECT_EQ(shell_word("it's"), "'it'\\''s'");
    EXPECT_EQ(shell_word(""), "''");
}

TEST(Step, ListsAreShort) {
    EXPECT_EQ(listed({"a", "b", "c"}, 2), "a, b and 1 more");
    EXPECT_EQ(listed({std::string(101, 'x')}, 2), std::string(100, 'x') + "…");
    EXPECT_EQ(about_duration(119'999), "119 s");
    EXPECT_EQ(about_duration(-120'000), "2 min");
    EXPECT_EQ(about_duration(7'200'000), "2 h");
    EXPECT_EQ(about_duration(172'800'000), "2 days");
}

}  // namespace
}  // namespace gputide::doctor

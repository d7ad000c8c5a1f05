// Reports: what comes first, what is left out, how wide a line is.
#include "doctor/report.hpp"

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

}  // namespace
}  // namespace gputide::doctor

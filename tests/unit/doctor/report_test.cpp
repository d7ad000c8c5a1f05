// Reports: what comes first, what is left out, how wide a line is.
#include "doctor/doctor.hpp"
#include "doctor/examine.hpp"
#include "doctor/judge.hpp"
#include "support/texts.hpp"

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
    EXPECT_EQ(conclusion(with({well}, {well})), "ml/gpu: no problem found: 1 -> 2 replicas");
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

// The subjects of public bug reports, at the steps that should have told it.

namespace {

using gputide::testing::holds;

constexpr source::traits of_query{.inquiry = source::inquiry::query};

evidence several_of(const std::string& query, manifest::target_type type) {
    evidence out;
    out.described.traits = &of_query;
    out.described.asks = query;
    for (const char* pod : {"a", "b"}) out.fetched.reading.series.push_back({{{"pod", pod}}, {}, {}});
    out.fetched.sample.state = sample_state::ambiguous;
    out.described.target.type = type;
    return out;
}

// The query to paste must not be divided once more.
TEST(Reports, ThePastedQueryFitsTheMetricType) {
    const auto paste = [](const char* query, manifest::target_type type) {
        return judge_series(several_of(query, type)).paste;
    };
    EXPECT_EQ(paste("vllm:num_requests_waiting", manifest::target_type::average_value),
              "query: sum(vllm:num_requests_waiting)\n");
    EXPECT_EQ(paste("vllm:num_requests_waiting", manifest::target_type::value),
              "query: avg(vllm:num_requests_waiting)\n");
    EXPECT_EQ(paste("DCGM_FI_DEV_GPU_UTIL", manifest::target_type::average_value),
              "metricType: Value\nquery: avg(DCGM_FI_DEV_GPU_UTIL)\n");
}

// Prometheus: "expected type instant vector in aggregation expression, got range vector".
TEST(Reports, ARangeIsReducedOverTimeFirst) {
    evidence seen = several_of("DCGM_FI_DEV_GPU_UTIL[5m]", manifest::target_type::average_value);
    seen.fetched.reading.result_type = "matrix";
    EXPECT_EQ(judge_series(seen).paste, "metricType: Value\nquery: avg(avg_over_time(DCGM_FI_DEV_GPU_UTIL[5m]))\n");
    EXPECT_EQ(judge_series(seen).seen,
              "2 series where one number is needed; the query returns a range of points; they differ in pod (a, b)");
    seen.fetched.reading.series.pop_back();
    EXPECT_EQ(judge_series(seen).seen, "1 series where one number is needed; the query returns a range of points");
    EXPECT_TRUE(holds(judge_series(seen).cause, "A range selector such as [5m]"));
}

TEST(Reports, AVariableOfAFormulaIsNotComparedItself) {
    evidence seen;
    seen.fetched.sample.value = 90;
    seen.described.target.threshold = 70;
    seen.is_variable = true;
    EXPECT_EQ(judge_activation(seen).seen, "90 is a variable of the formula; only the formula's result is compared");
}

TEST(Reports, OneGpuRepeatedForEachSliceIsTold) {
    evidence seen;
    seen.fetched.reading.series.resize(1);
    selection of = *read_selector("DCGM_FI_DEV_POWER_USAGE");
    of.looked = true;
    for (const char* instance : {"7", "8"}) of.found.push_back({{"UUID", "GPU-1"}, {"GPU_I_ID", instance}});
    seen.behind.selections = {of};
    EXPECT_EQ(judge_series(seen).verdict, verdict::warning);
    EXPECT_TRUE(holds(judge_series(seen).seen, "one GPU is listed 2 times"));
    seen.behind.selections[0].found[1][0].second = "GPU-2";
    EXPECT_EQ(judge_series(seen).verdict, verdict::ok);
    seen.behind.selections = {of};
    seen.behind.selections[0].metric = "DCGM_FI_PROF_SM_ACTIVE";  // each slice has its own
    EXPECT_EQ(judge_series(seen).verdict, verdict::ok);
}

TEST(Reports, AnAdaptersUnknownMetricIsTheAdaptersMatter) {
    evidence seen;
    seen.fetched.why = fail(status::rejected, "the server could not find the metric U for pods");
    seen.fetched.why.http_status = 404;
    EXPECT_TRUE(holds(judge_query(seen).fix, "serverAddress"));
    static constexpr source::traits of_cluster{.is_granted_by_cluster = true};
    seen.described.traits = &of_cluster;
    EXPECT_TRUE(holds(judge_query(seen).fix, "adapter"));
    EXPECT_FALSE(holds(judge_query(seen).fix, "serverAddress"));
}

// dcgm-exporter 4.5.3-4.8.2 under --kubernetes-virtual-gpus.
TEST(Reports, ADeviceBesideItsPodsIsTold) {
    evidence seen;
    seen.described.traits = &of_query;
    seen.fetched.reading.series.resize(1);
    selection of = *read_selector("DCGM_FI_DEV_GPU_UTIL");
    of.looked = true;
    of.found = {{{"UUID", "GPU-1"}}, {{"UUID", "GPU-1"}, {"pod", "a"}}};
    seen.behind.selections = {of};
    EXPECT_TRUE(holds(judge_series(seen).seen, "the whole GPU and another for each pod"));
    EXPECT_TRUE(holds(judge_series(seen).fix, "pod=\"\" for devices"));
    seen.behind.selections[0].found = {{{"UUID", "GPU-1"}, {"pod", "dcgm-exporter-x"}},
                                       {{"UUID", "GPU-1"}, {"pod", "dcgm-exporter-x"}, {"exported_pod", "a"}}};
    EXPECT_TRUE(holds(judge_series(seen).fix, "exported_pod=\"\" for devices"));
    seen.behind.selections[0].found[0][0].second = "GPU-2";  // held by no pod
    EXPECT_EQ(judge_series(seen).verdict, verdict::ok);
}

TEST(Reports, AValueTargetWithoutAReadyReplicaIsTold) {
    decide::policy policy;
    policy.metrics.emplace_back().type = manifest::target_type::value;
    outcome seen{policy, {}, {}, false, true};
    EXPECT_TRUE(holds(judge_decision(seen).cause, "while none is ready, every load results in 0 replicas"));
    seen.is_none_ready = false;
    EXPECT_EQ(judge_decision(seen).verdict, verdict::ok);
    policy.metrics[0].type = manifest::target_type::average_value;
    seen.is_none_ready = true;
    EXPECT_EQ(judge_decision(seen).verdict, verdict::ok);
}

// Metrics that a manifest names and nothing reads.

decide::metric_policy pods_metric() {
    decide::metric_policy out;
    out.name = "gpu";
    out.kind = decide::metric_kind::pods;
    return out;
}

TEST(Unfed, FailsWithTheAdviceForItsKind) {
    const trigger_diagnosis diagnosis = diagnose_unread({pods_metric(), std::nullopt}, 1);
    EXPECT_EQ(diagnosis.report.label, "metric 1 (Pods gpu)");
    ASSERT_EQ(diagnosis.report.steps.size(), 1U);
    const step& value = diagnosis.report.steps.front();
    EXPECT_EQ(value.verdict, verdict::failed);
    EXPECT_NE(value.cause.find("nothing scales down"), std::string::npos) << value.cause;
    EXPECT_EQ(value.fix.find("add the annotation gputide.io/metrics-from: kubernetes"), 0U) << value.fix;
    decide::metric_policy external = pods_metric();
    external.kind = decide::metric_kind::external;
    const trigger_diagnosis other = diagnose_unread({external, std::nullopt}, 0);
    EXPECT_NE(other.report.steps.front().fix.find("gputide.io/source.gpu"), std::string::npos);
}

TEST(Unfed, IsWellWhereTheHostBringsIt) {
    gputide::sample pushed;
    pushed.state = sample_state::ok;
    pushed.value = 3;
    const trigger_diagnosis diagnosis = diagnose_unread({pods_metric(), pushed}, 0);
    EXPECT_EQ(diagnosis.report.steps.front().verdict, verdict::ok);
    EXPECT_EQ(diagnosis.seen.fetched.sample.value, 3);
    EXPECT_EQ(diagnose_unread({pods_metric(), std::nullopt, true}, 0).report.steps.front().verdict, verdict::ok);
}

}  // namespace

}  // namespace gputide::doctor

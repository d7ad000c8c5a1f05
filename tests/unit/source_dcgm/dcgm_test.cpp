// Whole fetches of exporter pages over a scripted loop: groups, ratios, blanks, MIG, rates, several exporters.
#include "source/source.hpp"
#include "support/open_source.hpp"
#include "support/scripted_loop.hpp"

#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <string>

namespace gputide {
namespace {

using testing::scripted;
using testing::scripted_fault;
using metadata = std::map<std::string, std::string>;

constexpr std::int64_t noon_ms = 1'760'000'000'000;
constexpr std::string_view secret = "s3cr3t-value-that-nobody-sees";

std::string gpu(int number, const std::string& value, const std::string& more = {},
                const std::string& metric = "DCGM_FI_DEV_GPU_UTIL") {
    const std::string id = std::to_string(number);
    return metric + "{gpu=\"" + id + "\",UUID=\"GPU-" + id + "\",Hostname=\"n0\"" + more + "} " + value + "\n";
}

std::string pod(const std::string& name) { return R"(,container="s",namespace="ml",pod=")" + name + "\""; }

class dcgm : public ::testing::Test {
  protected:
    std::shared_ptr<testing::scripted_loop> loop = std::make_shared<testing::scripted_loop>();
    source::services services{
        .loop = loop, .tokens = std::make_shared<auth::token_cache>(loop), .host = nullptr, .permissions = {}};
    manifest::trigger_rules rules;
    manifest::authentication identity;
    source::detail wanted = source::detail::value;
    std::shared_ptr<source::metric_source> opened;

    void open(const metadata& more) {
        manifest::trigger from;
        from.type = "dcgm";
        from.metadata = {{"url", "http://n0:9400"}, {"metric", "DCGM_FI_DEV_GPU_UTIL"}, {"threshold", "80"}};
        for (const auto& [key, value] : more) from.metadata[key] = value;
        from.auth = identity;
        auto made = testing::open_source(from, rules, manifest::profile::standard, services);
        ASSERT_TRUE(made) << made.failure().message;
        opened = *std::move(made);
    }

    source::fetched fetch(std::int64_t now_ms = noon_ms) {
        std::optional<source::fetched> out;
        const auto under_way = opened->fetch(
            now_ms, loop->steady_ms() + 10'000, [&](source::fetched got) { out = std::move(got); }, wanted);
        EXPECT_FALSE(out) << "done ran inside the call";
        loop->run_until_idle();
        EXPECT_TRUE(out);
        return out.value_or(source::fetched());
    }

    source::fetched fetch_page(const metadata& more, const std::string& body) {
        open(more);
        loop->answer_next(scripted(200, body));
        return fetch();
    }

    double value_of(const metadata& more, const std::string& body) {
        const auto got = fetch_page(more, body);
        EXPECT_EQ(got.sample.state, sample_state::ok) << got.why.message;
        return got.sample.value;
    }
};

void expect_says(const source::fetched& got, std::string_view part) {
    EXPECT_NE(got.why.message.find(part), std::string::npos) << got.why.message;
}

const std::string node = gpu(0, "97", pod("a")) + gpu(1, "79", pod("a")) + gpu(2, "50", pod("b")) + gpu(3, "3");

TEST_F(dcgm, averages_all_gpus_of_the_page) {
    const auto got = fetch_page({}, node);
    EXPECT_EQ(got.sample.state, sample_state::ok);
    EXPECT_EQ(got.sample.value, 57.25);
    EXPECT_EQ(got.sample.time_ms, noon_ms);
    EXPECT_TRUE(got.reading.series.empty());  // they were not asked for
    ASSERT_EQ(loop->requests().size(), 1U);
    EXPECT_EQ(loop->requests()[0].what.url, "http://n0:9400/metrics");
    EXPECT_NE(loop->requests()[0].what.find("Accept"), nullptr);
}

TEST_F(dcgm, groups_by_pod_leave_idle_gpus_out) {
    EXPECT_EQ(value_of({{"by", "pod"}}, node), 73.5);  // (97 + 50) / 2
    EXPECT_EQ(value_of({{"by", "pod"}, {"groupReduce", "avg"}, {"reduce", "max"}}, node), 88.0);
    EXPECT_EQ(value_of({{"selector", "namespace=\"ml\",pod=~\"a|c\""}}, node), 88.0);
    EXPECT_EQ(value_of({{"by", "gpu"}, {"reduce", "count"}}, node), 4.0);
}

TEST_F(dcgm, reads_old_names) {
    EXPECT_EQ(value_of({{"selector", "pod=\"p-0\""}},
                       "dcgm_gpu_utilization{gpu=\"0\",uuid=\"GPU-1\",pod_namespace=\"ml\",pod_name=\"p-0\"} 42\n"),
              42.0);
    EXPECT_EQ(value_of({{"metric", "dcgm_gpu_utilization"}}, gpu(0, "43")), 43.0);
}

// dcgm-exporter 4.5.3-4.8.2 with --kubernetes-virtual-gpus: GPU 0 is shared by a and b, GPU 1 is not held.
const std::string shared = gpu(0, "90") + gpu(0, "30", pod("a")) + gpu(0, "0", pod("b")) + gpu(1, "10");

TEST_F(dcgm, a_shared_gpu_counts_once) {
    EXPECT_EQ(value_of({}, shared), 50.0);  // (90 + 10) / 2
    EXPECT_EQ(value_of({{"reduce", "count"}}, shared), 2.0);
    EXPECT_EQ(value_of({{"by", "pod"}}, shared), 15.0);
    EXPECT_EQ(value_of({{"selector", "pod=\"a\""}}, shared), 30.0);
    EXPECT_EQ(value_of({{"selector", "pod!=\"\""}}, shared), 15.0);
    EXPECT_EQ(value_of({{"selector", "pod=\"\""}}, shared), 50.0);
}

// As a Prometheus hands them on: `pod` is the exporter's.
TEST_F(dcgm, a_shared_gpu_counts_once_on_a_federated_page) {
    const auto of = [](const char* name) {
        return ",pod=\"dcgm-exporter-x\"" + (*name == '\0' ? "" : std::string(",exported_pod=\"") + name + "\"");
    };
    EXPECT_EQ(value_of({}, gpu(0, "90", of("")) + gpu(0, "30", of("a")) + gpu(0, "0", of("b")) + gpu(1, "10", of(""))),
              50.0);
}

TEST_F(dcgm, repeats_of_older_exporters_stay_as_they_are) {
    EXPECT_EQ(value_of({}, gpu(0, "90", pod("a")) + gpu(0, "90", pod("b")) + gpu(1, "30", pod("c"))), 70.0);
    EXPECT_EQ(value_of({}, gpu(0, "90", pod("a")) + gpu(1, "30")), 60.0);
}

// FB_USED comes as the device's own and for each pod, FB_FREE is repeated for each pod.
TEST_F(dcgm, memory_pressure_of_a_shared_gpu) {
    const auto memory = [](const char* metric, const char* value, const std::string& labels) {
        return gpu(0, value, labels, metric);
    };
    const std::string page =
        memory("DCGM_FI_DEV_FB_USED", "60000", "") + memory("DCGM_FI_DEV_FB_USED", "50000", pod("a")) +
        memory("DCGM_FI_DEV_FB_USED", "10000", pod("b")) + memory("DCGM_FI_DEV_FB_FREE", "20000", pod("a")) +
        memory("DCGM_FI_DEV_FB_FREE", "20000", pod("b"));
    EXPECT_EQ(value_of({{"metric", "memory_pressure"}}, page), 0.75);
}

TEST_F(dcgm, memory_pressure_divides_sums) {
    const std::string memory = gpu(0, "60000", "", "DCGM_FI_DEV_FB_USED") + gpu(0, "20000", "", "DCGM_FI_DEV_FB_FREE") +
                               gpu(1, "0", "", "DCGM_FI_DEV_FB_USED") + gpu(1, "40000", "", "DCGM_FI_DEV_FB_FREE");
    EXPECT_EQ(value_of({{"metric", "memory_pressure"}}, memory), 0.5);
    EXPECT_EQ(value_of({{"metric", "memory_pressure"}, {"scale", "100"}, {"by", "gpu"}, {"reduce", "max"}}, memory),
              75.0);
    const auto none = fetch_page({{"metric", "memory_pressure"}}, gpu(0, "0", "", "DCGM_FI_DEV_FB_USED"));
    EXPECT_EQ(none.why.status, status::no_data);
    expect_says(none, "denominator");
}

TEST_F(dcgm, drops_marks_for_no_value) {
    const std::string page = gpu(0, "55") + gpu(1, "9223372036854775794") + gpu(2, "2147483632") + gpu(3, "NaN") +
                             gpu(4, "140737488355328.000000");
    EXPECT_EQ(value_of({}, page), 55.0);
    const auto none = fetch_page({}, gpu(0, "2147483634"));
    EXPECT_EQ(none.sample.state, sample_state::empty);
    expect_says(none, "marks for \"no value\"");
}

TEST_F(dcgm, drops_numbers_that_the_metric_cannot_have) {
    EXPECT_EQ(value_of({}, gpu(0, "218322032") + gpu(1, "20") + gpu(2, "100")), 60.0);
    EXPECT_EQ(fetch_page({}, gpu(0, "250")).sample.state, sample_state::empty);
}

TEST_F(dcgm, a_series_that_comes_twice_counts_once) {
    EXPECT_EQ(value_of({{"reduce", "sum"}}, gpu(0, "10") + gpu(0, "30")), 30.0);
}

TEST_F(dcgm, mig_has_no_device_utilization) {
    const std::string instance = R"(,GPU_I_PROFILE="1g.10gb",GPU_I_ID="7")";
    const std::string active = gpu(0, "0.5", instance, "DCGM_FI_PROF_GR_ENGINE_ACTIVE");
    for (const std::string& page : {active, active + gpu(0, "0", instance)}) {
        const auto got = fetch_page({}, page);
        EXPECT_EQ(got.why.status, status::no_data);
        expect_says(got, "DCGM_FI_PROF_GR_ENGINE_ACTIVE");
    }
    EXPECT_EQ(value_of({}, active + gpu(0, "0", instance) + gpu(1, "90")), 90.0);
    EXPECT_EQ(value_of({{"metric", "DCGM_FI_PROF_GR_ENGINE_ACTIVE"}, {"scale", "100"}}, active), 50.0);
}

TEST_F(dcgm, says_why_there_is_nothing) {
    expect_says(fetch_page({{"metric", "DCGM_FI_DEV_GPU_UTL"}}, node), "did you mean DCGM_FI_DEV_GPU_UTIL?");
    expect_says(fetch_page({{"metric", "DCGM_FI_PROF_SM_ACTIVE"}}, node), "SYS_ADMIN");
    expect_says(fetch_page({{"selector", "pod=\"zzz\""}}, node), "none of the 4 series");
    expect_says(fetch_page({{"by", "pod"}}, gpu(0, "5")), "labels of `by`");
}

TEST_F(dcgm, an_empty_page_is_no_load_of_zero) {
    for (const char* body : {"", "\n\n"}) {
        const auto got = fetch_page({}, body);
        EXPECT_EQ(got.sample.state, sample_state::empty);
        EXPECT_FALSE(got.sample.null_as_zero);
        EXPECT_TRUE(got.why.retryable);
        expect_says(got, "reloading");
    }
}

TEST_F(dcgm, a_field_that_cannot_be_printed) {
    const auto got = fetch_page({}, node + gpu(0, "ERROR - FAILED TO CONVERT TO STRING", "", "DCGM_FI_DEV_SM_CLOCK"));
    EXPECT_EQ(got.why.status, status::protocol);
    expect_says(got, "http://n0:9400/metrics: line 5, DCGM_FI_DEV_SM_CLOCK");
    expect_says(got, "remove the field from its counters file");
}

TEST_F(dcgm, http_refusals) {
    open({});
    loop->answer_with([](const http::request&) { return scripted(500, "internal server error"); });
    auto got = fetch();
    EXPECT_EQ(got.why.status, status::unavailable);
    EXPECT_EQ(got.why.http_status, 500);
    loop->answer_with([](const http::request&) { return scripted(302, "", {{"Location", "/login"}}); });
    got = fetch();
    EXPECT_EQ(got.why.status, status::protocol);
    expect_says(got, "redirect");
    loop->answer_with([](const http::request&) { return scripted(200, "<html>sign in</html>"); });
    expect_says(fetch(), "check that the address");
}

TEST_F(dcgm, openmetrics_by_content_type) {
    open({});
    const std::vector<http::response_header> type = {{"Content-Type", "application/openmetrics-text; version=1.0.0"}};
    loop->answer_next(scripted(200, gpu(0, "7"), type));
    EXPECT_EQ(fetch().why.status, status::protocol);  // no # EOF: cut
    loop->answer_next(scripted(200, gpu(0, "7") + "# EOF\n", type));
    EXPECT_EQ(fetch().sample.value, 7.0);
}

TEST_F(dcgm, counters_become_rates_from_the_second_fetch_on) {
    open({{"metric", "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION"}, {"reduce", "sum"}, {"scale", "0.001"}});
    const auto energy = [](const std::string& a, const std::string& b) {
        return gpu(0, a, "", "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION") +
               gpu(1, b, "", "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION");
    };
    loop->answer_next(scripted(200, energy("1000000", "0")));
    const auto first = fetch();
    EXPECT_EQ(first.sample.state, sample_state::empty);
    EXPECT_EQ(first.why.status, status::no_data);
    expect_says(first, "not a rate of 0");
    loop->answer_next(scripted(200, energy("4000000", "6000000")));
    EXPECT_EQ(fetch(noon_ms + 30'000).sample.value, 300.0);  // 100 W and 200 W
    loop->answer_next(scripted(200, energy("4000000", "300000")));
    EXPECT_EQ(fetch(noon_ms + 60'000).sample.value, 10.0);  // the driver of GPU 1 was loaded anew
}

TEST_F(dcgm, several_exporters_count_together) {
    open({{"urls", "http://n0:9400,http://n1:9400"}});
    loop->answer_with([](const http::request& asked) {
        return asked.url.find("n0") != std::string::npos ? scripted(200, gpu(0, "10") + gpu(1, "20"))
                                                         : scripted(200, gpu(0, "90"));
    });
    EXPECT_EQ(fetch().sample.value, 40.0);
    EXPECT_FALSE(opened->request(noon_ms));
}

TEST_F(dcgm, a_missing_exporter_is_told_and_may_be_accepted) {
    const auto half = [](const http::request& asked) {
        return asked.url.find("n0") != std::string::npos ? scripted(200, gpu(0, "10"))
                                                         : scripted_fault(http::fault::connect, "refused");
    };
    loop->answer_with(half);
    open({{"urls", "http://n0:9400,http://n1:9400"}});
    auto got = fetch();
    EXPECT_EQ(got.sample.state, sample_state::partial);
    EXPECT_EQ(got.why.status, status::partial);
    expect_says(got, "1 of 2 exporters");
    expect_says(got, "http://n1:9400/metrics");
    EXPECT_EQ(got.why.where.text(), "trigger 0 (dcgm)");
    rules.accept_partial = true;
    open({{"urls", "http://n0:9400,http://n1:9400"}});
    got = fetch();
    EXPECT_EQ(got.sample.value, 10.0);
    EXPECT_TRUE(got.reading.partial);
    EXPECT_EQ(got.reading.warnings.size(), 1U);
    loop->answer_with([](const http::request&) { return scripted_fault(http::fault::connect, "refused"); });
    EXPECT_EQ(fetch().why.status, status::unavailable);
}

TEST_F(dcgm, everything_and_the_pure_halves) {
    wanted = source::detail::everything;
    const auto got = fetch_page({{"by", "pod"}}, node);
    EXPECT_EQ(got.reading.series.size(), 4U);
    EXPECT_EQ(got.sample.value, 73.5);
    http::answer answer;
    answer.response.status = 200;
    answer.response.body = node;
    const auto judged = opened->judge(opened->read(answer));
    EXPECT_EQ(judged.sample.value, 73.5);
    EXPECT_EQ(judged.reading.series.size(), 4U);
}

TEST_F(dcgm, old_samples_are_stale) {
    rules.max_age_ms = 60'000;
    open({});
    loop->answer_next(scripted(200, gpu(0, "7 " + std::to_string(noon_ms - 61'000))));
    auto got = fetch();
    EXPECT_EQ(got.sample.state, sample_state::stale);
    expect_says(got, "gputide.io/max-sample-age");
    loop->answer_next(scripted(200, gpu(0, "7 " + std::to_string(noon_ms - 59'000))));
    got = fetch();
    EXPECT_EQ(got.sample.value, 7.0);
    EXPECT_EQ(got.sample.time_ms, noon_ms - 59'000);
}

TEST_F(dcgm, credentials_are_sent_and_never_shown) {
    identity.parameters.emplace("bearerToken", secret_text(secret));
    open({{"url", "https://n0:9400/metrics"}, {"authModes", "bearer"}});
    loop->answer_with([](const http::request&) { return scripted(401, "no: " + std::string(secret)); });
    const auto got = fetch();
    EXPECT_EQ(got.why.status, status::auth);
    EXPECT_EQ(got.why.message.find(secret), std::string::npos) << got.why.message;
    ASSERT_FALSE(loop->requests().empty());
    EXPECT_NE(loop->requests()[0].what.find("Authorization"), nullptr);
    EXPECT_EQ(opened->query_key().find(secret), std::string::npos);
}

TEST_F(dcgm, cancelled_means_silence) {
    open({{"urls", "http://n0:9400,http://n1:9400"}});
    loop->answer_with([](const http::request&) { return scripted(200, gpu(0, "1")); });
    const auto under_way = opened->fetch(
        noon_ms, 10'000, [](source::fetched) { ADD_FAILURE() << "done ran after cancel"; }, wanted);
    under_way->cancel();
    loop->run_until_idle();
}

}  // namespace
}  // namespace gputide

// Whole fetches over a scripted loop: discovery, tokens that change, ages, secrets.
#include "source/source.hpp"
#include "support.hpp"
#include "support/open_source.hpp"
#include "support/scripted_loop.hpp"

#include <gtest/gtest.h>

namespace gputide {
namespace {

using testing::external_list;
using testing::kubernetes_trigger;
using testing::scripted;
using testing::scripted_answer;
using testing::service_account;
using testing::status_object;

constexpr std::int64_t noon_ms = 1'772'359'260'000;  // 2026-03-01T10:01:00Z

constexpr const char* one_item =
    R"({"metricName":"queue","metricLabels":null,"timestamp":"2026-03-01T10:00:00Z","value":"42"})";

std::string custom_list(const std::string& items, const std::string& version = "v1beta2") {
    return R"({"kind":"MetricValueList","apiVersion":"custom.metrics.k8s.io/)" + version + R"(","items":[)" + items +
           "]}";
}

constexpr const char* discovery =
    R"({"kind":"APIGroup","apiVersion":"v1","name":"custom.metrics.k8s.io","versions":[{"version":"v1beta1"},{"version":"v1beta2"}]})";

class kubernetes_fetching : public ::testing::Test {
  protected:
    std::shared_ptr<testing::scripted_loop> loop = std::make_shared<testing::scripted_loop>();
    std::shared_ptr<test::fake_surroundings> pod = testing::cluster_pod();
    manifest::trigger_rules rules;
    std::shared_ptr<source::metric_source> opened;

    void SetUp() override { loop->set_wall_ms(noon_ms); }

    void open(const manifest::trigger& from) {
        source::services with;
        with.loop = loop;
        with.tokens = std::make_shared<auth::token_cache>(loop);
        with.host = pod;
        auto made = testing::open_source(from, rules, manifest::profile::standard, with);
        ASSERT_TRUE(made) << made.failure().message;
        opened = *made;
    }

    source::fetched fetch() {
        source::fetched out;
        opened->fetch(
            noon_ms, loop->steady_ms() + 60'000, [&out](source::fetched got) { out = std::move(got); },
            source::detail::everything);
        loop->run_until_idle();
        return out;
    }

    source::fetched fetch(const manifest::trigger& from) {
        open(from);
        return fetch();
    }

    std::vector<std::string> urls() const {
        std::vector<std::string> out;
        for (const auto& request : loop->requests()) out.push_back(request.what.url);
        return out;
    }

    std::string authorization(std::size_t index) const {
        const auto all = loop->requests();
        const http::header* found = all.at(index).what.find("Authorization");
        return found == nullptr ? "" : std::string(found->value.reveal());
    }
};

TEST_F(kubernetes_fetching, as_the_pod) {
    loop->answer_next(scripted(200, external_list(one_item)));
    const auto got = fetch(kubernetes_trigger());
    EXPECT_EQ(got.sample.value, 42.0) << got.why.message;
    EXPECT_EQ(got.sample.time_ms, noon_ms - 60'000);
    EXPECT_EQ(urls(), std::vector<std::string>{
                          "https://10.0.0.1:443/apis/external.metrics.k8s.io/v1beta1/namespaces/ml/queue"});
    EXPECT_EQ(authorization(0), "Bearer first-token");
    EXPECT_EQ(loop->requests()[0].what.tls->ca_pem, pod->files[service_account + "ca.crt"]);
}

TEST_F(kubernetes_fetching, the_callers_namespace_where_none_is_written) {
    loop->answer_next(scripted(200, external_list(one_item)));
    auto alone = kubernetes_trigger();
    alone.name_space = "";
    fetch(alone);
    EXPECT_NE(urls().front().find("/namespaces/own/"), std::string::npos);
}

TEST_F(kubernetes_fetching, a_refused_token_is_read_again_and_the_question_repeated_once) {
    loop->answer_with([this](const http::request& sent) {
        if (sent.find("Authorization")->value.reveal() == "Bearer second-token")
            return scripted(200, external_list(one_item));
        pod->files[service_account + "token"] = "second-token";
        return scripted(401, status_object(401, "Unauthorized", "Unauthorized"));
    });
    EXPECT_EQ(fetch(kubernetes_trigger()).sample.value, 42.0);
    EXPECT_EQ(loop->requests().size(), 2U);
}

TEST_F(kubernetes_fetching, the_version_is_asked_for_once) {
    loop->answer_next(scripted(200, discovery));
    loop->answer_next(
        scripted(200, custom_list(R"({"describedObject":{"kind":"Pod","name":"a"},"value":"7","windowSeconds":30})")));
    loop->answer_next(scripted(200, custom_list("")));
    open(kubernetes_trigger({{"api", "custom"}, {"selector", "app=llm"}}));
    const auto got = fetch();
    EXPECT_EQ(got.sample.value, 7.0) << got.why.message;
    ASSERT_EQ(got.reading.series.size(), 1U);
    EXPECT_EQ(got.reading.series[0].labels, (source::labels{{"pod", "a"}}));
    const auto empty = fetch();
    EXPECT_EQ(empty.why.status, status::no_data);
    EXPECT_NE(empty.why.message.find("no metrics returned from custom metrics API"), std::string::npos)
        << empty.why.message;
    EXPECT_NE(empty.why.message.find("app=llm"), std::string::npos);
    EXPECT_EQ(urls().size(), 3U);
    EXPECT_NE(urls()[1].find("/v1beta2/"), std::string::npos);
}

TEST_F(kubernetes_fetching, a_group_that_is_not_there_ends_it) {
    loop->answer_next(scripted(404, "404 page not found\n"));
    const auto got = fetch(kubernetes_trigger({{"api", "custom"}}));
    EXPECT_EQ(got.why.status, status::rejected);
    EXPECT_EQ(got.why.where.text(), kubernetes_trigger().label());
    EXPECT_EQ(urls().size(), 1U);
}

TEST_F(kubernetes_fetching, cancelled_between_its_two_questions) {
    loop->answer_with([](const http::request& sent) {
        return scripted(200, sent.url.find("/v1beta") == std::string::npos ? discovery : custom_list(""));
    });
    open(kubernetes_trigger({{"api", "custom"}}));
    bool told = false;
    const auto under_way = opened->fetch(
        noon_ms, loop->steady_ms() + 60'000, [&told](const source::fetched&) { told = true; }, source::detail::value);
    loop->run_until([this] { return loop->requests().size() == 2; });
    under_way->cancel();
    loop->run_until_idle();
    EXPECT_FALSE(told);
}

TEST_F(kubernetes_fetching, old_samples_are_stale) {
    rules.max_age_ms = 30'000;
    loop->answer_next(scripted(200, external_list(one_item)));
    EXPECT_EQ(fetch(kubernetes_trigger()).sample.state, sample_state::stale);
}

TEST_F(kubernetes_fetching, a_nan_in_disguise_is_no_number) {
    loop->answer_next(scripted(200, external_list(R"({"value":"-9223372036854775808m"},{"value":"5"})")));
    rules.reduce = "max";
    const auto some = fetch(kubernetes_trigger());
    EXPECT_EQ(some.sample.value, 5.0) << some.why.message;  // a reducer drops it, as any NaN
    EXPECT_EQ(some.reading.warnings.size(), 1U);
    loop->answer_next(scripted(200, external_list(R"({"value":"-9223372036854775808m"},{"value":"5"})")));
    rules.reduce = "";
    const auto none = fetch(kubernetes_trigger());
    EXPECT_EQ(none.sample.state, sample_state::not_a_number);
    EXPECT_EQ(none.sample.value, 0.0);
}

TEST_F(kubernetes_fetching, what_a_peer_echoes_stays_secret) {
    loop->answer_next(scripted(400, status_object(400, "BadRequest", "you sent Bearer first-token")));
    const auto got = fetch(kubernetes_trigger());
    EXPECT_EQ(got.why.status, status::rejected);
    EXPECT_EQ(got.why.message.find("first-token"), std::string::npos) << got.why.message;
}

TEST_F(kubernetes_fetching, equal_questions_share_an_answer) {
    const auto key = [this](const testing::metadata& more) {
        open(kubernetes_trigger(more));
        return opened->query_key();
    };
    EXPECT_EQ(key({}), key({{"threshold", "7"}}));
    EXPECT_NE(key({}), key({{"selector", "a=b"}}));
    EXPECT_NE(key({}), key({{"namespace", "other"}}));
    EXPECT_NE(key({{"api", "resource"}, {"metric", "cpu"}}), key({{"api", "resource"}, {"metric", "memory"}}));
    EXPECT_NE(key({{"api", "resource"}, {"metric", "cpu"}}),
              key({{"api", "resource"}, {"metric", "cpu"}, {"container", "main"}}));
    const std::string here = key({});
    pod->variables["KUBERNETES_SERVICE_HOST"] = "10.0.0.2";
    EXPECT_NE(key({}), here);
}

}  // namespace
}  // namespace gputide

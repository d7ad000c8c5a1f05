// Settings and VerticalPodAutoscalers as they are written, and what a usage comes to by them.
#include "rightsize/recommend.hpp"

#include "times.hpp"

#include <gtest/gtest.h>

using namespace gputide::rightsize;
namespace manifest = gputide::manifest;
namespace text = gputide::text;

namespace {

constexpr amount gb = 1'000'000'000;

constexpr const char* machines = R"(
skus:
- {name: T4, gpu_model: T4, gpu_memory_bytes: 16G, gpus: 1, speed: 0.2, price_per_hour: 0.526}
- {name: A100, gpu_model: A100, gpu_memory_bytes: 80G, gpus: 1, price_per_hour: 3.673}
- {name: H100, gpu_model: H100 NVL, gpu_memory_bytes: 94G, gpus: 1, speed: 2, price_per_hour: 6.98}
)";

gputide::result<settings> read_text(const std::string& text, text::report& findings) {
    const manifest::text_file file{"s.yaml", text};
    return read_settings({&file, 1}, findings);
}

settings settings_of(const std::string& text, text::report* findings = nullptr) {
    text::report own;
    text::report& to = findings != nullptr ? *findings : own;
    gputide::result<settings> read = read_text(text, to);
    EXPECT_TRUE(read) << text::render(to);
    return read ? *read : settings{};
}

usage days_of(const settings& by, double busy, amount bytes, int minutes = 1'441) {
    usage out(by.usage);
    for (int i = 0; i < minutes; ++i) add(out, by.usage, {0, start_ms + i * minute_ms, busy, bytes});
    return out;
}

recommendation after(const settings& by, double busy, amount bytes, int minutes = 1'441) {
    return recommend(days_of(by, busy, bytes, minutes), by, start_ms + minutes * minute_ms);
}

TEST(recommend, holds_until_it_knows_enough) {
    const settings by = settings_of(std::string("sku: A100\n") + machines);
    EXPECT_EQ(after(by, 8.0, 10 * gb, 300).verdict, verdict::hold);
    EXPECT_EQ(after(by, 8.0, 10 * gb).verdict, verdict::change);
}

TEST(recommend, does_not_wait_after_an_oom) {
    const settings by = settings_of(std::string("sku: A100\n") + machines);
    usage seen = days_of(by, 8.0, 10 * gb, 10);
    ASSERT_TRUE(add_oom(seen, by.usage, 0, start_ms + 11 * minute_ms, 0));
    const recommendation made = recommend(seen, by, start_ms + 12 * minute_ms);
    EXPECT_TRUE(made.after_oom);
    EXPECT_NE(made.verdict, verdict::hold);
}

// 8 % of an A100 and 10 GB of it: a quarter of its memory is the smallest slice that holds both.
TEST(recommend, names_the_smallest_slice) {
    const settings by = settings_of(std::string("sku: A100\n") + machines);
    const recommendation made = after(by, 8.0, 10 * gb);
    const auto mig = std::find_if(made.options.begin(), made.options.end(),
                                  [](const option& option) { return option.kind == option_kind::mig; });
    ASSERT_NE(mig, made.options.end());
    EXPECT_EQ(mig->mig_profile, "1g.20gb");
    EXPECT_NEAR(*mig->price_per_hour, 3.673 / 4, 1e-9);
}

TEST(recommend, does_not_shrink_on_memory_that_is_preallocated) {
    const settings by = settings_of(std::string("sku: A100\n") + machines);
    const recommendation made = after(by, 8.0, 74 * gb);
    EXPECT_EQ(made.signal, memory_signal::preallocated);
    EXPECT_EQ(made.need.memory_bytes, usable_bytes(80 * gb));
    ASSERT_FALSE(made.options.empty());
    EXPECT_EQ(made.options.front().kind, option_kind::keep);
}

// 19 % and 5 GB of 24: three replicas fill a GPU to the goal of 80 %, four would not.
TEST(recommend, shares_a_gpu_where_that_is_allowed) {
    const std::string card = "gpu_model: L4\ngpu_memory_bytes: 24G\ngpus: 4\n";
    const recommendation made = after(settings_of(card + "mps: true\n"), 19.0, 5 * gb);
    ASSERT_EQ(made.verdict, verdict::change);
    const option& best = made.options.front();
    EXPECT_EQ(best.kind, option_kind::share);
    EXPECT_EQ(option_text(best), "share: 3 replicas per GPU");
    EXPECT_EQ(best.bound, bound_by::compute);
    EXPECT_EQ(after(settings_of(card), 19.0, 5 * gb).options.front().kind, option_kind::gpus);
}

TEST(recommend, grows_when_it_is_full) {
    const settings by = settings_of(std::string("sku: A100\ngpus: 2\n") + machines);
    const recommendation made = after(by, 99.0, 70 * gb);
    ASSERT_FALSE(made.options.empty());
    EXPECT_GT(made.options.front().gpus * (made.options.front().sku == "H100" ? 2 : 1), 2);
}

TEST(recommend, more_memory_never_costs_less) {
    const settings by = settings_of(std::string("sku: A100\nmig: false\n") + machines);
    double before = 0.0;
    for (amount bytes = 2 * gb; bytes < 84 * gb; bytes += 4 * gb) {
        const std::vector<option> found = options_for({bytes, 30.0}, by);
        ASSERT_FALSE(found.empty()) << bytes;
        EXPECT_GE(*found.front().price_per_hour, before);
        before = *found.front().price_per_hour;
    }
}

// A machine with another GPU is left out until another process says how fast that is.
TEST(recommend, does_not_guess_how_fast_another_gpu_is) {
    const std::string two =
        "sku: A\nmig: false\nskus:\n- {name: A, gpu_model: A100, gpu_memory_bytes: 80G, price_per_hour: 3}\n"
        "- {name: T, gpu_model: T4, gpu_memory_bytes: 16G, price_per_hour: 1}\n";
    const gpu_need need{5 * gb, 10.0};
    EXPECT_EQ(options_for(need, settings_of(two)).size(), 1U);
    const std::vector<option> told = options_for(need, settings_of(two + "speeds: {T4: 0.2}\n"));
    ASSERT_EQ(told.size(), 2U);
    EXPECT_EQ(told.front().sku, "T");
}

TEST(recommend, equal_input_gives_equal_text) {
    const settings by = settings_of(std::string("sku: A100\n") + machines);
    const usage seen = days_of(by, 40.0, 30 * gb);
    EXPECT_EQ(report_json(recommend(seen, by, start_ms), seen, by, {"", start_ms}),
              report_json(recommend(seen, by, start_ms), seen, by, {"", start_ms}));
}

TEST(recommend, of_the_vpa_has_its_minimum) {
    const settings by = settings_of("profile: vpa\ncontainers: 2\n");
    const recommendation made = after(by, 0.001, 1'000'000);
    EXPECT_EQ(made.verdict, verdict::report);
    EXPECT_EQ(made.busy.final.target, 12);
    EXPECT_EQ(made.memory.final.target, 131'072'000);
}

TEST(settings, unknown_members_are_errors) {
    text::report findings;
    EXPECT_FALSE(read_text("goal_util: 80\n", findings));
    EXPECT_NE(text::render(findings).find("goal_util"), std::string::npos);
}

TEST(settings, refuse_what_makes_no_sense) {
    for (const char* text : {"gpus: 0", "gpus: 1.5", "goal_util_percent: 0", "half_life_ms: 1e30", "sku: none",
                             "skus: [{name: a}]", "profile: cpu", "target_percentile: 2", "update_mode: on",
                             "skus: [{name: a, gpu_memory_bytes: 1G}, {name: a, gpu_memory_bytes: 1G}]",
                             "gpu_memory_bytes: -1", "prices: {a: 1}", "kind: Deployment\napiVersion: apps/v1"}) {
        text::report findings;
        EXPECT_FALSE(read_text(text, findings)) << text;
    }
}

constexpr const char* manifest = R"(
apiVersion: autoscaling.k8s.io/v1
kind: VerticalPodAutoscaler
metadata: {name: inference, namespace: ai}
spec:
  targetRef: {apiVersion: apps/v1, kind: Deployment, name: inference}
  updatePolicy: {updateMode: Initial}
  resourcePolicy:
    containerPolicies:
    - containerName: server
      minAllowed: {nvidia.com/gpu: 1, memory: 1Gi, gputide.io/gpu-memory: 10Gi}
      maxAllowed: {nvidia.com/gpu: 4}
      controlledResources: [cpu, memory, nvidia.com/gpu]
    - containerName: sidecar
      mode: "Off"
)";

TEST(vpa, is_read_as_it_is) {
    text::report findings;
    const settings by = settings_of(manifest, &findings);
    EXPECT_EQ(by.name, "ai/inference");
    EXPECT_EQ(by.container, "server");
    EXPECT_EQ(by.mode, update_mode::initial);
    EXPECT_EQ(by.now.min_gpus, 1);
    EXPECT_EQ(by.now.max_gpus, 4);
    EXPECT_EQ(by.memory_caps.min, 10'737'418'240);
    EXPECT_TRUE(findings.findings.empty()) << text::render(findings);
}

TEST(vpa, off_for_a_container_is_off) {
    EXPECT_EQ(settings_of(std::string("container: sidecar\n---") + manifest).mode, update_mode::off);
}

TEST(vpa, bounds_cpu_and_memory_of_its_own_profile) {
    const settings by = settings_of(std::string("profile: vpa\ncontainer: server\n---") + manifest);
    EXPECT_EQ(by.memory_caps.min, 1'073'741'824);
}

TEST(vpa, says_what_guides_misspell) {
    std::string text = manifest;
    text.replace(text.find("maxAllowed"), 10, "maxResources");
    text::report findings;
    const settings by = settings_of(text, &findings);
    EXPECT_EQ(by.now.max_gpus, 4);
    ASSERT_EQ(findings.findings.size(), 1U) << text::render(findings);
    EXPECT_EQ(findings.findings[0].code, "vpa-min-max-resources");
    EXPECT_NE(findings.findings[0].remedy.find("maxAllowed"), std::string::npos);
}

TEST(vpa, gpus_that_it_does_not_control_are_only_reported) {
    std::string text = manifest;
    text.replace(text.find(", nvidia.com/gpu]"), 17, "]");
    text::report findings;
    EXPECT_EQ(settings_of(text, &findings).mode, update_mode::off);
    ASSERT_FALSE(findings.findings.empty());
    EXPECT_EQ(findings.findings[0].code, "gpu-not-controlled");
}

TEST(vpa, refuses_half_gpus) {
    std::string text = manifest;
    text.replace(text.find("nvidia.com/gpu: 4"), 17, "nvidia.com/gpu: 500m");
    text::report findings;
    EXPECT_FALSE(read_text(text, findings));
    EXPECT_NE(text::render(findings).find("maxAllowed[\"nvidia.com/gpu\"]"), std::string::npos)
        << text::render(findings);
}

}  // namespace

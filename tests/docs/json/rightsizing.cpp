// The needs of a workload: a GPU's, with machines, slices and sharing; one that the VPA would size.
#include "texts.hpp"

#include <string>
#include <vector>

namespace {

constexpr char gpu_settings[] = R"({
  "sku": "A100", "name": "chat", "mps": true,
  "skus": [{"name": "A100", "gpu_model": "A100", "gpu_memory_bytes": "80G", "price_per_hour": 3.67},
           {"name": "T4", "gpu_model": "T4", "gpu_memory_bytes": "16G", "speed": 0.2}]})";

constexpr char priceless_settings[] = R"({
  "sku": "A100", "mps": true, "skus": [{"name": "A100", "gpu_model": "A100", "gpu_memory_bytes": "80G"}]})";

// Its findings come out.
constexpr char misspelt[] =
    R"({"apiVersion": "autoscaling.k8s.io/v1", "kind": "VerticalPodAutoscaler", "metadata": {"name": "chat"},
  "spec": {"resourcePolicy": {"containerPolicies": [{"containerName": "app", "maxResources": {"nvidia.com/gpu": 2}}]}}})";

gputide_usage_sample sample(int minute, double busy, std::int64_t bytes) {
    gputide_usage_sample out{};
    out.time_ms = start_ms + minute * 60'000;
    out.flags = GPUTIDE_USAGE_BUSY | GPUTIDE_USAGE_MEMORY;
    out.busy = busy;
    out.memory_bytes = bytes;
    return out;
}

void fill(gputide::rightsize& rightsize, double busy, std::int64_t bytes) {
    std::vector<gputide_usage_sample> samples;
    for (int minute = 0; minute <= 1440; ++minute) samples.push_back(sample(minute, busy, bytes));
    rightsize.add(samples);
}

}  // namespace

void show_rightsizing() {
    constexpr std::int64_t now_ms = start_ms + 86'400'000;
    gputide::rightsize gpu(gpu_settings);
    show("rightsize_describe", gpu.describe());
    show("rightsize_recommend", gpu.recommend(now_ms));  // nothing is known yet
    fill(gpu, 20.0, 5'000'000'000);
    show("rightsize_recommend", gpu.recommend(now_ms));
    show("rightsize_fit", gpu.fit(5'000'000'000, 20.0));
    show("rightsize_fit", gpu.fit(500'000'000'000, 20.0));  // nothing holds it
    gputide::rightsize unknown("{}");
    fill(unknown, 20.0, 5'000'000'000);
    show("rightsize_describe", unknown.describe());
    show("rightsize_recommend", unknown.recommend(now_ms));
    show("rightsize_fit", unknown.fit(5'000'000'000, 20.0));
    gputide::rightsize priceless(priceless_settings);
    fill(priceless, 20.0, 5'000'000'000);
    show("rightsize_recommend", priceless.recommend(now_ms));
    show("rightsize_fit", priceless.fit(5'000'000'000, 20.0));
    gputide::rightsize sliced(R"({"gpu_model": "A100", "gpu_memory_bytes": "80G"})");
    fill(sliced, 20.0, 5'000'000'000);
    show("rightsize_recommend", sliced.recommend(now_ms));
    show("rightsize_describe", gputide::rightsize(misspelt).describe());
    gputide::rightsize vpa(R"({"profile": "vpa", "container": "app"})");
    fill(vpa, 0.5, 1'000'000'000);
    show("rightsize_recommend", vpa.recommend(now_ms));
}

// What a plan for GPU nodes costs a host: text in, plan out, through libgputide.so alone.  Beside it a textbook first fit
// decreasing, pod by pod over maps of amounts, which reads no text.  Prints a JSON array of results.
#include "measure.hpp"

#include <cstdio>
#include <cstdlib>
#include <gputide/plan.h>
#include <map>
#include <string>
#include <vector>

namespace gputide::bench {
namespace {

using amounts = std::map<std::string, std::int64_t>;

struct textbook_pod {
    amounts asks;
    double score = 0.0;
};

bool fits(const amounts& asks, const amounts& free) {
    for (const auto& [name, amount] : asks) {
        const auto found = free.find(name);
        if (found == free.end() || found->second < amount) return false;
    }
    return true;
}

// Places each pod on the first node with room, or on a new one while there may be more; how many are placed.
std::int64_t first_fit(std::vector<textbook_pod> pods, std::vector<amounts> nodes, const amounts& fresh,
                       std::size_t most) {
    for (textbook_pod& pod : pods)
        pod.score = static_cast<double>(pod.asks["cpu"]) + static_cast<double>(pod.asks["memory"]);
    std::stable_sort(pods.begin(), pods.end(), [](const auto& a, const auto& b) { return a.score > b.score; });
    std::int64_t placed = 0;
    for (const textbook_pod& pod : pods) {
        auto at = std::find_if(nodes.begin(), nodes.end(), [&](const amounts& free) { return fits(pod.asks, free); });
        if (at == nodes.end()) {
            if (nodes.size() >= most || !fits(pod.asks, fresh)) continue;
            nodes.push_back(fresh);
            at = nodes.end() - 1;
        }
        for (const auto& [name, amount] : pod.asks) (*at)[name] -= amount;
        ++placed;
    }
    return placed;
}

gputide_nodes_summary planned(const std::string& text) {
    gputide_error error{};
    error.struct_size = sizeof error;
    gputide_nodes_summary out{};
    out.struct_size = sizeof out;
    gputide_text plan{nullptr, 0};
    const gputide_status status = gputide_nodes_plan(text.data(), static_cast<std::int64_t>(text.size()), nullptr, 0,
                                                     1'800'000'000'000, &out, &plan, nullptr, &error);
    if (status != GPUTIDE_OK || out.errors != 0) {
        std::fprintf(stderr, "nodes: %s %s\n", error.message, plan.data != nullptr ? plan.data : "");
        std::exit(1);
    }
    gputide_text_free(&plan);
    return out;
}

template <class Work>
double best_ms(int rounds, Work work) {
    double best = std::numeric_limits<double>::max();
    for (int i = 0; i < rounds; ++i) {
        const auto begin = std::chrono::steady_clock::now();
        work();
        best =
            std::min(best, std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count());
    }
    return best;
}

void demand(bool holds, const char* what) {
    if (holds) return;
    std::fprintf(stderr, "nodes: %s\n", what);
    std::exit(1);
}

// cluster-autoscaler's own check value: 50,000 pods of 50 m and 1,000 of 95 m on nodes of 1000 m need 2,595 nodes.
line of_51k() {
    const std::string text =
        R"({"pools":[{"id":"p","max":3000,"allocatable":{"cpu":1000,"memory":5242880000,"pods":100}}],
        "groups":[{"name":"small","count":50000,"pod":{"requests":{"cpu":50,"memory":100}}},
                  {"name":"big","count":1000,"pod":{"requests":{"cpu":95,"memory":190}}}],
        "options":{"order":"ca","max-nodes-per-scaleup":0}})";
    const gputide_nodes_summary came = planned(text);
    demand(came.nodes_to_add == 2595 && came.pods_on_new == 51'000, "51,000 pods did not come to 2,595 nodes");
    const double ours = best_ms(20, [&] { keep(planned(text)); });
    std::vector<textbook_pod> pods(50'000, {{{"cpu", 50}, {"memory", 100}, {"pods", 1}}, 0.0});
    pods.insert(pods.end(), 1'000, {{{"cpu", 95}, {"memory", 190}, {"pods", 1}}, 0.0});
    const amounts fresh{{"cpu", 1000}, {"memory", 5'242'880'000}, {"pods", 100}};
    std::int64_t placed = 0;
    const double textbook = best_ms(1, [&] { placed = first_fit(pods, {}, fresh, 3'000); });
    demand(placed == 51'000, "the textbook placed another number of pods");
    return {"nodes_51k", ours,
            "ms",        "textbook first fit, no text read",
            textbook,    "51,000 pods in 2 groups onto 2,595 nodes, text to plan; goal 20 ms"};
}

// Every pod asks for something else; nodes are of six kinds, some of them with other pods on them.
line of_mixed() {
    constexpr int node_count = 1'500;
    constexpr int pod_count = 10'000;
    struct kind {
        std::int64_t cpu, memory_gib, gpus;
    };
    static constexpr kind kinds[] = {{4'000, 28, 1},   {24'000, 220, 1}, {40'000, 320, 1},
                                     {64'000, 440, 4}, {96'000, 900, 8}, {96'000, 1900, 8}};
    std::string text = R"({"options":{"scale-down-enabled":"false","order":"ca"},"nodes":[)";
    std::vector<amounts> nodes;
    for (int i = 0; i < node_count; ++i) {
        const kind& one = kinds[i % 6];
        const std::int64_t memory = one.memory_gib << 30;
        text += (i > 0 ? ",{\"name\":\"n" : "{\"name\":\"n") + std::to_string(i) + R"(","allocatable":{"cpu":)" +
                std::to_string(one.cpu) + R"(,"memory":)" + std::to_string(memory) +
                R"(,"pods":110,"nvidia.com/gpu":)" + std::to_string(one.gpus) + "}}";
        nodes.push_back({{"cpu", one.cpu}, {"memory", memory}, {"pods", 110}, {"nvidia.com/gpu", one.gpus}});
    }
    text += R"(],"pods":[)";
    std::vector<textbook_pod> pods;
    for (int i = 0; i < pod_count; ++i) {
        const std::int64_t cpu = 500 + i % 997 * 7;
        const std::int64_t memory = (std::int64_t{1 + i % 37} << 30) + i;
        const std::int64_t gpus = i % 3 == 0 ? 1 + i % 2 : 0;
        text += (i > 0 ? ",{\"name\":\"p" : "{\"name\":\"p") + std::to_string(i) + R"(","requests":{"cpu":)" +
                std::to_string(cpu) + R"(,"memory":)" + std::to_string(memory);
        if (gpus > 0) text += R"(,"nvidia.com/gpu":)" + std::to_string(gpus);
        text += "}}";
        pods.push_back({{{"cpu", cpu}, {"memory", memory}, {"pods", 1}}, 0.0});
        if (gpus > 0) pods.back().asks["nvidia.com/gpu"] = gpus;
    }
    text += "]}";
    std::int64_t placed = 0;
    const double ours = best_ms(5, [&] { placed = planned(text).pods_on_existing; });
    std::int64_t textbook_placed = 0;
    const double textbook = best_ms(2, [&] { textbook_placed = first_fit(pods, nodes, {}, nodes.size()); });
    demand(placed > 0 && textbook_placed > 0, "no pod was placed");
    return {"nodes_mixed",
            ours,
            "ms",
            "textbook first fit, no text read",
            textbook,
            "10,000 distinct pods onto 1,500 GPU nodes of six kinds, text to plan, " + std::to_string(placed) +
                " placed; goal 250 ms"};
}

}  // namespace
}  // namespace gputide::bench

int main() {
    using namespace gputide::bench;
    std::fputs(as_json({of_51k(), of_mixed()}).c_str(), stdout);
    return 0;
}

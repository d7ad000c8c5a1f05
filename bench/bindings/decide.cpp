// The nanoseconds of one state::decide_values, the best of 200 rounds: what decide.c measures, through gputide.hpp.
#include "gputide/gputide.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>

int main() {
    constexpr int rounds = 200;
    constexpr int calls = 1000;
    constexpr const char* manifest =
        R"({"apiVersion":"keda.sh/v1alpha1","kind":"ScaledObject","metadata":{"name":"demo"},)"
        R"("spec":{"scaleTargetRef":{"name":"demo"},"minReplicaCount":1,"maxReplicaCount":20,)"
        R"("triggers":[{"type":"values","metadata":{"threshold":"5","activationThreshold":"2"}}]}})";
    const auto policy = gputide::policy::open(manifest);
    gputide::state state(policy);
    std::int64_t now_ms = 1795255200000;
    double best = 1e9;
    for (int round = 0; round < rounds; ++round) {
        const auto start = std::chrono::steady_clock::now();
        for (int i = 0; i < calls; ++i, now_ms += 15000) state.decide(policy, now_ms, 3, {10.0 + i % 7});
        const std::chrono::duration<double, std::nano> taken = std::chrono::steady_clock::now() - start;
        best = std::min(best, taken.count() / calls);
    }
    std::printf("%.0f\n", best);
}

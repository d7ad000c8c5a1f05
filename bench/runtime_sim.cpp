// A million scalers for a minute of simulated time, and the memory of idle ones.  Every scaler asks its own question of its
// own; the transport is a function, so what is measured is the runtime: schedule, request, reading, decision, event.
#include "auth/credential.hpp"
#include "auth/machine/surroundings.hpp"
#include "measure.hpp"
#include "pipeline/host.hpp"
#include "runtime/fleet/fleet.hpp"
#include "support/simulated_loop.hpp"

#include <cstdio>
#include <cstdlib>
#include <malloc.h>
#include <string>
#include <time.h>
#include <unordered_map>

using namespace gputide;  // NOLINT: one program

namespace {

constexpr std::int64_t wall_ms = 1'795'255'200'000;
constexpr std::int64_t answer_after_ms = 20;
constexpr double bytes_goal = 4'096;
constexpr double cpu_goal_s = 10.0;

double cpu_s() {
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

double heap_bytes() {
    const struct mallinfo2 now = mallinfo2();
    return static_cast<double>(now.uordblks + now.hblkhd);
}

[[noreturn]] void give_up(const std::string& why) {
    std::fprintf(stderr, "runtime_sim: %s\n", why.c_str());
    std::exit(1);
}

// The HPA half every 15 s, as Kubernetes has it by default, or with the executor's 30 s.
enum class halves { at_15_s, at_30_s };

std::string manifest(int number, halves when) {
    const std::string name = "model-" + std::to_string(number);
    const std::string period = when == halves::at_30_s ? R"(,"annotations":{"gputide.io/sync-period":"30s"})" : "";
    return R"({"apiVersion":"keda.sh/v1alpha1","kind":"ScaledObject","metadata":{"name":")" + name + "\"" + period +
           R"(},"spec":{"scaleTargetRef":{"name":")" + name + R"("},"minReplicaCount":1,"maxReplicaCount":20,)" +
           R"("triggers":[{"type":"prometheus","metadata":{"serverAddress":"http://127.0.0.1:9090","threshold":"60",)" +
           R"("query":"avg(DCGM_FI_DEV_GPU_UTIL{model=')" + name + R"x('})"}}]}})x";
}

testing::simulated_answer answer(const http::request&) {
    testing::simulated_answer out;
    out.delay_ms = answer_after_ms;
    out.what.response.status = 200;
    out.what.response.body =
        R"({"status":"success","data":{"resultType":"vector","result":[{"metric":{},"value":[1795255200,"61.5"]}]}})";
    return out;
}

class fleet_run {
  public:
    explicit fleet_run(halves when) : when_(when) {
        runtime::fleet_options with;
        with.max_in_flight = 1'000'000;
        with.max_per_endpoint = 1'000'000;
        source::services services;
        services.loop = loop_;
        services.tokens = std::make_shared<auth::token_cache>(loop_);
        services.host = auth::process_surroundings();
        fleet_ = std::make_unique<runtime::fleet>(with, loop_, services, runtime::fleet::signals{[] {}, [](bool) {}});
    }

    void add(int from, int to) {
        for (int i = from; i < to; ++i) {
            const std::string text = manifest(i, when_);
            auto spec = pipeline::load_spec({{"bench", text}}, {}, nullptr);
            if (!spec) give_up(spec.failure().message);
            auto id = fleet_->add(*spec, {});
            if (!id) give_up(id.failure().message);
            decide::observation seen;
            seen.now_ms = wall_ms;
            seen.spec_replicas = 1;
            if (auto done = fleet_->observe(*id, seen); !done) give_up(done.failure().message);
        }
    }

    // Simulated time; the host takes every event.
    void run(std::int64_t ms) {
        const std::int64_t end_ms = loop_->steady_ms() + ms;
        while (loop_->steady_ms() < end_ms) {
            const std::int64_t now_ms = loop_->steady_ms();
            const std::int64_t wait_ms = fleet_->step(loop_->wall_ms(), now_ms);
            while (fleet_->take_event()) ++events_;
            std::int64_t next_ms = std::min(end_ms, loop_->next_ms());
            if (wait_ms >= 0) next_ms = std::min(next_ms, now_ms + std::max<std::int64_t>(1, wait_ms));
            loop_->advance_to(next_ms);
        }
    }

    runtime::fleet_stats stats() const { return fleet_->stats(); }
    std::uint64_t events() const { return events_; }

  private:
    const halves when_;
    std::shared_ptr<testing::simulated_loop> loop_ = std::make_shared<testing::simulated_loop>(&answer, wall_ms);
    std::unique_ptr<runtime::fleet> fleet_;
    std::uint64_t events_ = 0;
};

bench::line idle_bytes(int scalers) {
    fleet_run fleet(halves::at_15_s);
    fleet.add(0, 1'000);
    fleet.run(20'000);
    malloc_trim(0);
    const double before = heap_bytes();
    fleet.add(1'000, 1'000 + scalers);
    fleet.run(60'000);
    const double each = (heap_bytes() - before) / scalers;
    return {"runtime_idle_scaler_bytes",
            each,
            "bytes",
            "goal",
            bytes_goal,
            std::to_string(scalers) + " scalers, each its own query, polled four times",
            false};
}

bench::line minute(int scalers, halves when) {
    fleet_run fleet(when);
    fleet.add(0, scalers);
    fleet.run(30'000);  // all have begun
    const auto before = fleet.stats();
    const double begin = cpu_s();
    fleet.run(60'000);
    const double took = cpu_s() - begin;
    const auto after = fleet.stats();
    if (after.polls_lost != 0 || !after.errors.empty()) give_up("polls failed");
    const auto polls = after.polls - before.polls;
    const bool relaxed = when == halves::at_30_s;
    return {relaxed ? "runtime_1m_sim" : "runtime_1m_sim_15s",
            took * 1e6 / scalers,
            "s",
            relaxed ? "goal" : "",
            relaxed ? cpu_goal_s : 0.0,
            std::to_string(polls) + " polls of " + std::to_string(scalers) +
                " scalers in one simulated minute, p99 lag " + std::to_string(after.lag.quantile_ms(0.99)) +
                " ms; CPU of one core, per million",
            false};
}

}  // namespace

// gputide_bench_runtime_sim [SCALERS]: of the minute, 1,000,000 by default.
int main(int argc, char** argv) {
    const char* quick = std::getenv("GPUTIDE_BENCH_QUICK");
    const bool is_quick = quick != nullptr && *quick == '1';
    const int scalers = argc > 1 ? std::atoi(argv[1]) : is_quick ? 20'000 : 1'000'000;
    const std::vector<bench::line> lines = {idle_bytes(is_quick ? 10'000 : 100'000), minute(scalers, halves::at_30_s),
                                            minute(scalers, halves::at_15_s)};
    std::fputs(bench::as_json(lines).c_str(), stdout);
    return 0;
}

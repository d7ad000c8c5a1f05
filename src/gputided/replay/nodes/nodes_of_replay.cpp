// Drives the simulation through a replay's sizes, and prints what came of it.
#include "replay/nodes/nodes_of_replay.hpp"

#include "common/exit_status.hpp"
#include "common/times.hpp"
#include "replay/figures.hpp"
#include "replay/nodes/simulation.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace gputided {
namespace {

using nlohmann::json;

constexpr std::int64_t node_step_ms = 60'000;

// A size that holds from this time on.
struct replica_step {
    std::int64_t time_ms = 0;
    std::int64_t replicas = 0;
};

// The sizes that a replay's report went through, from its beginning to its end.
std::vector<replica_step> replica_steps(const json& report) {
    if (report.at("events_left_out") != 0)
        throw usage_error(
            "--pools: the replay has more changes than its report lists; replay a shorter time with --from and --to");
    const json& events = report.at("events");
    const std::int64_t from_ms = parse_time_ms(report.at("summary").at("from"));
    std::vector<replica_step> out{{from_ms, events.empty()
                                                ? report.at("summary").at("most_replicas").get<std::int64_t>()
                                                : events.front().at("current_replicas").get<std::int64_t>()}};
    for (const json& one : events) out.push_back({one.at("time_ms"), one.at("desired_replicas")});
    return out;
}

}  // namespace

json nodes_of_replay(const json& report, json cluster) {
    node_simulation simulation(std::move(cluster), node_step_ms);
    const std::vector<replica_step> steps = replica_steps(report);
    const std::int64_t to_ms = parse_time_ms(report.at("summary").at("to"));
    std::size_t at = 0;
    for (std::int64_t now_ms = steps.front().time_ms; now_ms <= to_ms; now_ms += node_step_ms) {
        const std::size_t before = at;
        while (at + 1 < steps.size() && steps[at + 1].time_ms <= now_ms) ++at;
        if (at != before || now_ms >= simulation.next_ms()) simulation.step(now_ms, steps[at].replicas);
    }
    simulation.finish(to_ms);
    return simulation.report();
}

std::string nodes_of_replay_text(const json& nodes) {
    const auto number = [&](const char* name) { return nodes.at(name).get<double>(); };
    std::string out = "Nodes: " + figure(number("node_hours")) + " node-hours, " + figure(number("gpu_hours")) +
                      " GPU-hours, cost " + figure(number("cost"), 2) + "; replicas waited " +
                      figure(number("waiting_pod_minutes")) + " min in all, " + figure(number("longest_wait_minutes")) +
                      " min at most\n";
    for (const json& one : nodes.at("pools"))
        out += "  " + one.at("id").get<std::string>() + ": at most " + one.at("most").dump() + " nodes, " +
               figure(one.at("node_hours").get<double>()) + " h, cost " + figure(one.at("cost").get<double>(), 2) +
               "\n";
    for (const json& one : nodes.at("warnings")) out += "  warning: --pools: " + one.get<std::string>() + "\n";
    constexpr std::size_t most_lines = 20;
    const json& changes = nodes.at("changes");
    for (std::size_t i = 0; i < std::min(changes.size(), most_lines); ++i)
        out += "  " + time_text(changes[i].at("time_ms").get<std::int64_t>()) + "  " +
               changes[i].at("text").get<std::string>() + "\n";
    if (changes.size() > most_lines)
        out += "  ... and " + std::to_string(changes.size() - most_lines) + " more; --output json has them\n";
    return out;
}

}  // namespace gputided

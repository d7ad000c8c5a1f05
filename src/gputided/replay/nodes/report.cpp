#include "common/log.hpp"
#include "common/text.hpp"
#include "common/times.hpp"
#include "replay/nodes/simulation.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace gputided {

namespace {

constexpr std::int64_t node_step_ms = 60'000;

// A replica count from this time on.
struct replica_step {
    std::int64_t time_ms = 0;
    std::int64_t replicas = 0;
};

// Returns the replica counts in a replay's report, from its start to its end.
std::vector<replica_step> replica_steps(const json& report) {
    if (report.at("events_left_out") != 0)
        throw usage_error(
            "--pools: the replay has more changes than its report lists; replay a shorter time with --from and --to");
    const json& events = report.at("events");
    const std::int64_t from_ms = parse_time_ms(report.at("summary").at("from"));
    std::vector<replica_step> out{{from_ms, events.empty() ? integer_at(report.at("summary"), "most_replicas")
                                                           : integer_at(events.front(), "current_replicas")}};
    for (const json& event : events) out.push_back({event.at("time_ms"), event.at("desired_replicas")});
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

std::string nodes_text(const json& nodes) {
    const auto number = [&](const char* name, int digits = 1) { return figure(number_at(nodes, name), digits); };
    std::string out = "Nodes: " + number("node_hours") + " node-hours, " + number("gpu_hours") + " GPU-hours, cost " +
                      number("cost", 2) + "; replicas waited " + number("waiting_pod_minutes") + " min in all, " +
                      number("longest_wait_minutes") + " min at most\n";
    for (const json& pool : nodes.at("pools"))
        out += "  " + text_at(pool, "id") + ": at most " + pool.at("most").dump() + " nodes, " +
               figure(number_at(pool, "node_hours")) + " h, cost " + figure(number_at(pool, "cost"), 2) + "\n";
    for (const json& warning : nodes.at("warnings")) out += "  warning: --pools: " + warning.get<std::string>() + "\n";
    constexpr std::size_t max_lines = 20;
    const json& changes = nodes.at("changes");
    for (std::size_t i = 0; i < std::min(changes.size(), max_lines); ++i)
        out += "  " + time_text(integer_at(changes[i], "time_ms")) + "  " + text_at(changes[i], "text") + "\n";
    if (changes.size() > max_lines)
        out += "  ... and " + std::to_string(changes.size() - max_lines) + " more; --output json has them\n";
    return out;
}

}  // namespace gputided

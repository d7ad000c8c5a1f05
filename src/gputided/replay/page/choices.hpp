// What compare and tune found as one HTML file: recorded beside candidates, a chart of GPU-hours against minutes above target, and
// what to apply.
#pragma once

#include <nlohmann/json.hpp>

#include <optional>
#include <string>
#include <vector>

namespace gputided {

struct choice {
    std::string name;
    const char* kind = "kept";  // recorded, now, best, kept, broken
    std::optional<double> gpu_hours, minutes_above, flaps, most_replicas;
    std::string broke;  // the limit; "": none
};

struct choices {  // NOLINT(bugprone-exception-escape): moving nlohmann's json throws nothing
    std::string title;
    std::string subtitle;
    std::string conclusion;
    bool per_day = false;  // the figures
    std::vector<choice> rows;
    std::string diff;              // "": nothing to apply
    nlohmann::ordered_json patch;  // null: there is none
    std::vector<std::string> notes;
};

std::string choices_page(const choices& choices);

// The workload as it was recorded, of a replay's report; `days`: by which the figures are divided.  Nothing where no size was
// recorded.
std::optional<choice> recorded_choice(const nlohmann::json& report, double days);

}  // namespace gputided

// A diagnosis as a value, as JSON for a program and as lines for a person.  Pure.
#pragma once

#include "doctor/step.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace gputide::doctor {

struct trigger_report {
    std::string label;  // "trigger 0 (prometheus)"
    std::int32_t index = 0;
    std::string type;
    std::string metric;  // "s0-prometheus"
    std::string asks;    // its query or metric
    std::vector<step> steps;
};

struct report {
    std::string name;
    std::string name_space;
    std::vector<trigger_report> triggers;
    std::vector<step> outcome;  // decision, limits
};

// The worst step of all; outcome included.
verdict worst_of(const report& report);

// One sentence: the first step that failed, else the first warning, else what would be done.
std::string conclusion(const report& report);

// {"name","namespace","verdict":"failed","conclusion":"...","triggers":[{"index","type","metric","asks","failed_step":
// "token"|null,"steps":[{"step","verdict","seen","cause","fix","paste","detail":{}}]}],"outcome":[steps]}; what is empty is
// left out of a step.
std::string report_json(const report& report);

// The conclusion first, then the steps of each trigger, then cause and fix of every step that is not well.
std::string report_lines(const report& report);

}  // namespace gputide::doctor

// A rightsize report as lines for a person, and as a patch of a workload.
#pragma once

#include <nlohmann/json.hpp>

#include <string>

namespace gputided {

std::string rightsize_text(const nlohmann::json& report);

// Reports whether an estimate's upper bound says only that the samples cover too short a time: it grows with 1/confidence (VPA),
// beyond what a GPU has.
bool is_upper_unknown(const nlohmann::json& report, const nlohmann::json& estimate);

// All reports (an array) in a sentence.
std::string rightsize_conclusion(const nlohmann::json& reports);

// What kubectl patch takes for a Deployment's container, with the reason above it; "" where nothing is to be changed.
std::string rightsize_patch(const nlohmann::json& report);

}  // namespace gputided

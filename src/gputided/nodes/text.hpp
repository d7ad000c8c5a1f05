// A plan for a person.
#pragma once

#include <nlohmann/json.hpp>

#include <string>

namespace gputided {

// What to add and to remove, a line a pool, and what is left.
std::string plan_text(const nlohmann::json& plan);

// The plan in two sentences.
std::string plan_conclusion(const nlohmann::json& plan);

// Every group with why it fits no pool and what would help, every node with why it stays; "": all of them.
std::string explain_text(const nlohmann::json& plan, const std::string& only);

}  // namespace gputided

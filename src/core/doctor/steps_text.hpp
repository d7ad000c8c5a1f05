// Steps as JSON for a program and as lines for a person: what every report of this room is made of.  Pure.
#pragma once

#include "base/json_writer.hpp"
#include "doctor/step.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace gputide::doctor {

// The first of that verdict; null: none.
const step* first_step(const std::vector<step>& steps, verdict verdict);

std::string title(std::string name);  // "token_file" → "token file"

// Words on lines of a person's width; every line but the first is indented.  column: where the first one begins.
std::string wrapped(std::string_view text, std::size_t column, std::size_t indent);

void add_steps(std::string& out, const std::vector<step>& steps);     // a line each
void add_remedies(std::string& out, const std::vector<step>& steps);  // cause and fix of what is not well

void write_steps(json_writer& json, const std::vector<step>& steps);  // an array

}  // namespace gputide::doctor

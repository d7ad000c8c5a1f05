// The runner's command line.
#pragma once

#include <nlohmann/json.hpp>

#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace conformance {

inline constexpr const char* usage =
    "usage: gputide_conformance [--only FIELD=VALUE[,VALUE]] [--except FIELD=VALUE[,VALUE]] [--compare DIR]\n"
    "                           [--through COMMAND] FILE...\n"
    "  --only, --except  choose cases by a top-level field; may be repeated: a case must pass every one\n"
    "  --compare         note on stderr where DIR holds another version of a file; changes nothing else\n"
    "  --through         ask a program that speaks protocol 1 (docs/conformance.md), not this process's own library\n";

// What cannot be used: a file, an option.  The text says which and why.
struct unusable : std::runtime_error {
    using std::runtime_error::runtime_error;
};

struct filter {
    bool keep = true;  // false: --except
    std::string field;
    std::vector<std::string> values;
};

struct options {
    std::vector<filter> filters;
    std::optional<std::filesystem::path> compare;
    std::optional<std::string> through;
    std::vector<std::filesystem::path> files;
};

options parse_options(const std::vector<std::string>& words);  // throws unusable

// Whether the case passes every filter.
bool is_selected(const nlohmann::json& one, const std::vector<filter>& filters);

}  // namespace conformance

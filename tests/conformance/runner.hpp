// The conformance runner's frame: a case in, the differences out.  Works on any file in these formats, also on ones it
// has never seen.  A checker is one file beside this one, and its own registration is all that makes it known:
//
//   namespace conformance { namespace {
//   differences check(const json& one, const json& file) { ... }
//   const registration whole_format{"exposition", {}, &check};                       // every case of exposition.*.json
//   const registration my_kinds{"keda-executor", {"bounds", "hpa_bounds"}, &check};  // only cases of these kinds
//   const registration vectors{"azure-token", {}, &check, "jwt_assertions.vectors"}; // cases outside the member "cases"
//   } }
//
// CMake takes every *.cpp of this folder.  A case without a checker fails ("not supported yet"); it is never skipped.
#pragma once

#include <nlohmann/json.hpp>

#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace conformance {

using json = nlohmann::json;

// What differs, as "replicas: expected 5, got 4"; empty: the case passes.
using differences = std::vector<std::string>;

// Checks one case.  `file` is the whole document, for members that stand beside the cases.  An exception fails the case.
using checker = differences (*)(const json& one, const json& file);

// Makes a checker known for a format (a file's name up to its first dot) and some kinds; no kinds: the whole format.
struct registration {
    registration(std::string_view format, std::initializer_list<std::string_view> kinds, checker check,
                 std::string_view member = "cases");
};

// The checker of a case in that member ("cases", "jwt_assertions.vectors") with that `kind` ("" where it has none);
// one that names the kind goes before one for the whole format; nullptr: nobody checks it yet.
checker find_checker(std::string_view format, std::string_view member, std::string_view kind);

// Where a known format keeps its cases; empty: not a format of ours.
std::vector<std::string_view> case_members(std::string_view format);

// How expect_equal compares.
struct comparison {
    double tolerance = 0.0;  // relative, for numbers
    bool subset = false;     // of objects at any depth, only the members that `expected` names count
};

// "field: expected X, got Y" for each place where they differ (numbers by value, objects by members); nothing where they
// agree.
void expect_equal(differences& out, std::string_view field, const json& expected, const json& got,
                  const comparison& how = {});

// "field: expected a text with X, got Y" unless `text` holds `part`.
void expect_contains(differences& out, std::string_view field, std::string_view part, std::string_view text);

// Compares against the case's `expect`, or where it lists `expect_any` (level "may") against each: one that fits is enough.
differences check_outcomes(const json& one, const std::function<differences(const json& expect)>& compare);

// The text in `field`, else decoded from `field_b64`, else built from `field_gen` = {prefix, unit, count, suffix}.
// Throws where the case has none of them.
std::string input_text(const json& one, const std::string& field);

}  // namespace conformance

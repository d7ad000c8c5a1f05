// The conformance runner's frame: a case in, the differences out.  Works on any file in these formats, also on ones it has never
// seen.  A checker is one file in through/ (it asks at the C API, and sees no module of the library) or in inside/ (it looks behind
// the C API, where no C function reaches); its own registration is all that makes it known:
//
//   namespace conformance { namespace {
//   differences check(const json& test_case, const json& file, c_api& library) { ... }
//   const registration whole_format{"exposition", {}, &check};                       // every case of exposition.*.json
//   const registration my_kinds{"keda-executor", {"bounds", "hpa_bounds"}, &check};  // only cases of these kinds
//   const registration some{"hpa-replicas", {"external_value"}, &check, &reached};   // those of them that the C API reaches
//   } }
//
// A case without a checker fails ("not supported yet"); it is never skipped.
#pragma once

#include "frame/c_api.hpp"

#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace conformance {

// The differences, as "replicas: expected 5, got 4"; empty: the case passes.
using differences = std::vector<std::string>;

// Checks one case.  `file` is the whole document, for members that stand beside the cases.  An exception fails the case.
using inside_checker = differences (*)(const json& test_case, const json& file);
using c_api_checker = differences (*)(const json& test_case, const json& file, c_api& library);

// The part of a case that can be asked at the C API; of `part` the rest is looked at inside, of `none` all.
enum class reach { none, part, whole };
using reach_of_case = reach (*)(const json& test_case);

// Makes a checker known for a format (a file's name up to its first dot) and some kinds; no kinds: the whole format.
struct registration {
    using kind_list = std::initializer_list<std::string_view>;
    registration(std::string_view format, kind_list kinds, inside_checker check, std::string_view member = "cases");
    registration(std::string_view format, kind_list kinds, c_api_checker check, reach_of_case reached = nullptr);
};

// The checker of a case; a checker that names its kind goes before one for the whole format.
struct checkers {
    c_api_checker at_c_api = nullptr;
    reach_of_case reached = nullptr;  // nullptr: the C API reaches all of them
    inside_checker inside = nullptr;
};

// For the cases in that member ("cases", "jwt_assertions.vectors") with that `kind` ("" where they have none).
checkers find_checkers(std::string_view format, std::string_view member, std::string_view kind);

// The member in which a known format keeps its cases; empty: not a format of ours.
std::vector<std::string_view> case_members(std::string_view format);

// Why this build leaves a format's cases out; "": it does not.
std::string_view reason_left_out(std::string_view format);

// The comparison of expect_equal.
struct comparison {
    double tolerance = 0.0;  // relative, for numbers
    double least = 0.0;      // a number below this is taken to be as large when the tolerance is
    bool subset = false;     // of objects at any depth, only the members that `expected` names count
};

// "field: expected X, got Y" for each place where they differ (numbers by value, objects by members); nothing where they
// agree.
void expect_equal(differences& out, std::string_view field, const json& expected, const json& actual,
                  const comparison& how = {});

// "field: expected a text with X, got Y" unless `text` holds `part`.
void expect_contains(differences& out, std::string_view field, std::string_view part, std::string_view text);

// The case's `expect`.  A quoted value of `authParams` in its error_contains is a secret here, which no message shows: the text in
// front of it counts.
json expected_of(const json& test_case);

// Each member that `expected` names, compared by itself; one that `actual` lacks counts as null.
void expect_members(differences& out, const json& expected, const json& actual);

// Compares against the case's `expect`, or where it lists `expect_any` (level "may") against each: one that fits is enough.
differences check_outcomes(const json& test_case, const std::function<differences(const json& expect)>& compare);

// The text in `field`, else decoded from `field_b64`, else built from `field_gen` = {prefix, unit, count, suffix}.
// Throws where the case has none of them.
std::string input_text(const json& test_case, const std::string& field);

}  // namespace conformance

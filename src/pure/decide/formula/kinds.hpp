// What is known of a formula's values before there are any, as expr-lang/expr v1.17 checker/checker.go knows it.
#pragma once

#include "decide/formula/functions.hpp"
#include "decide/formula/program.hpp"

#include <string_view>
#include <vector>

namespace gputide::decide {

// A trigger is a float, a literal without a point an int; an array's elements can be anything.
enum class kind : std::int32_t { any, nil, boolean, integer, floating, array };

const char* kind_name(kind type);  // "float64", as expr-lang says it
bool may_be(kind type, kind wanted);
bool may_be_number(kind type);
kind either_kind(kind left, kind right);  // of two values one of which is the result

struct binary_rule {
    std::string_view text;
    operation code;
    bool (*takes)(kind left, kind right);
    kind (*gives)(kind left, kind right);
};

const binary_rule* find_rule(std::string_view text);  // of all operators but && || ??

bool accepts(function called, kind type);  // an argument of a function without a predicate
kind call_kind(function called, const std::vector<kind>& kinds);
kind predicate_call_kind(function called);

}  // namespace gputide::decide

// Compiles a formula's tree into a program, with one method per kind of node.  Types follow expr-lang/expr v1.17
// checker/checker.go: a certain error is reported here, any other at evaluation.  After the first error no more code is
// emitted.
#pragma once

#include "decide/formula/compile/parser.hpp"
#include "decide/formula/program.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gputide::decide {

// Static types.  A trigger is a float, a literal without a point an int; an array's elements can have any type.
enum class kind : std::int32_t { any, nil, boolean, integer, floating, array };

const char* kind_name(kind type);  // expr-lang's name, such as "float64"
bool may_be(kind type, kind wanted);
bool may_be_number(kind type);
kind either_kind(kind left, kind right);  // of two values, one of which is the result

struct binary_rule {
    std::string_view text;
    operation code;
    bool (*takes)(kind left, kind right);
    kind (*gives)(kind left, kind right);
};

const binary_rule* find_rule(std::string_view text);  // all operators except && || ??

bool accepts(function called, kind type);  // as the argument of a function without a predicate
kind call_kind(function called, const std::vector<kind>& kinds);
kind predicate_call_kind(function called);

class formula_compiler {
  public:
    formula_compiler(const formula_tree& tree, std::span<const std::string_view> variables,
                     std::span<const std::string_view> unusable)
        : tree_(tree), variables_(variables), unusable_(unusable) {}

    result<formula::program> run();
    kind result_kind() const { return result_kind_; }

  private:
    struct local {
        std::string_view name;
        kind type;
    };

    // Each emit function generates code that leaves one value on the stack, and returns the value's type.
    kind emit(std::int32_t index);
    kind emit_name(const node& node);
    kind emit_unary(const node& node);
    kind emit_binary(const node& node);
    kind emit_logic(const node& node);
    kind emit_coalesce(const node& node);
    kind emit_conditional(const node& node);
    kind emit_array(const node& node);
    kind emit_index(const node& node);
    kind emit_let(const node& node);
    kind emit_call(const node& node);
    kind emit_pointer(const node& node);
    kind emit_sum_of_list(const node& sum, const node& list);
    bool is_constant(const node& node) const;

    // Generates a loop over an array: start(), emit_each() for every element, finish().
    kind emit_predicate_call(const node& node);
    // Generates the code before the first element.
    void start(const node& node);
    void emit_element(const node& node);
    // Generates a jump that leaves the loop early with its result on the stack.
    std::optional<std::int32_t> emit_each(const node& node);
    std::int32_t leave(const node& node, operation when);
    // Generates the code after the last element, which puts the result onto the stack.
    void finish(const node& node);

    kind fail(const node& where, const std::string& expected);
    std::int32_t put(operation code, const node& node, std::int32_t argument = 0);
    void put_constant(const node& node, machine_value constant);
    std::optional<std::int32_t> find_variable(std::string_view name) const;
    std::string suggestion(std::string_view name) const;
    kind mismatch(const node& node, kind other);
    kind mismatch(const node& node, kind left, kind right);

    const node& at(std::int32_t index) const { return tree_.nodes[static_cast<std::size_t>(index)]; }
    std::int32_t here() const { return static_cast<std::int32_t>(out_.code.size()); }
    void put_integer(const node& node, std::int64_t integer) {
        put_constant(node, {.kind = value_kind::integer, .integer = integer});
    }
    void put_truth(const node& node, bool truth) { put_constant(node, {.kind = value_kind::boolean, .truth = truth}); }
    // Sets the target of the jump at `jump` to the next instruction.
    void land(std::int32_t jump) { out_.code[static_cast<std::size_t>(jump)].argument = here(); }

    const formula_tree& tree_;
    std::span<const std::string_view> variables_;
    std::span<const std::string_view> unusable_;  // names of cpu and memory triggers
    std::vector<local> locals_;                   // variables of let, innermost last
    std::vector<function> scopes_;                // enclosing predicate calls, innermost last
    formula::program out_;
    kind result_kind_ = kind::any;
    std::optional<error> failure_;
};

}  // namespace gputide::decide

// Names, operators, conditions, let and plain calls; loops stand in loops.cpp.
#include "decide/formula/compiler.hpp"

#include "base/text.hpp"

#include <algorithm>
#include <utility>

namespace gputide::decide {

result<formula::program> formula_compiler::run() {
    result_kind_ = emit(tree_.root);
    if (failure_) return *failure_;
    out_.variables = variables_.size();
    return std::move(out_);
}

kind formula_compiler::fail(const node& where, const std::string& what) {
    if (!failure_) failure_ = formula_error_at(where.column, what);
    return kind::any;
}

std::int32_t formula_compiler::put(operation what, const node& by, std::int32_t argument) {
    if (out_.code.size() >= formula_instructions) {
        fail(by, "the formula is too large; use let for what is used twice");
        return 0;
    }
    out_.code.push_back({what, static_cast<std::uint16_t>(by.column), argument});
    return here() - 1;
}

void formula_compiler::put_constant(const node& by, machine_value constant) {
    out_.constants.push_back(constant);
    put(operation::push, by, static_cast<std::int32_t>(out_.constants.size()) - 1);
}

kind formula_compiler::emit(std::int32_t index) {
    if (failure_) return kind::any;
    const node& by = at(index);
    switch (by.kind) {
        case node_kind::integer:
            put_integer(by, by.integer);
            return kind::integer;
        case node_kind::floating:
            put_constant(by, {.kind = value_kind::floating, .number = by.number});
            return kind::floating;
        case node_kind::boolean:
            put_truth(by, by.integer != 0);
            return kind::boolean;
        case node_kind::nil:
            put_constant(by, {.kind = value_kind::nil, .integer = 0});
            return kind::nil;
        case node_kind::name:
            return emit_name(by);
        case node_kind::unary:
            return emit_unary(by);
        case node_kind::binary:
            return emit_binary(by);
        case node_kind::conditional:
            return emit_conditional(by);
        case node_kind::array:
            return emit_array(by);
        case node_kind::index:
            return emit_index(by);
        case node_kind::call:
            return info_of(by.function).predicate ? emit_predicate_call(by) : emit_call(by);
        case node_kind::pointer:
            return emit_pointer(by);
        case node_kind::let:
            return emit_let(by);
    }
    return kind::any;
}

kind formula_compiler::emit_name(const node& by) {
    const auto known =
        std::find_if(locals_.rbegin(), locals_.rend(), [&](const local& one) { return one.name == by.text; });
    if (known != locals_.rend()) {
        put(operation::local, by, static_cast<std::int32_t>(std::distance(known, locals_.rend())) - 1);
        return known->of;
    }
    const auto trigger = find_variable(by.text);
    if (!trigger) return fail(by, "unknown name " + std::string(by.text) + suggestion(by.text));
    put(operation::variable, by, *trigger);
    return kind::floating;
}

std::optional<std::int32_t> formula_compiler::find_variable(std::string_view name) const {
    const auto found = std::find(variables_.begin(), variables_.end(), name);
    if (found == variables_.end() || name.empty()) return std::nullopt;
    return static_cast<std::int32_t>(found - variables_.begin());
}

std::string formula_compiler::suggestion(std::string_view name) const {
    std::vector<std::string_view> names;
    for (const std::string_view one : variables_)
        if (!one.empty()) names.push_back(one);
    for (const std::string_view one : names)
        if (one.size() > name.size() && one.starts_with(name) && one[name.size()] == '-')
            return "; the trigger " + quoted(one) +
                   " cannot be named in a formula, where - subtracts: rename it with _";
    const std::string_view near = nearest(name, names);
    if (!near.empty()) return "; did you mean " + std::string(near) + "?";
    if (find_function(name) != nullptr) return "; the function is called as " + std::string(name) + "(...)";
    if (names.empty()) return "; no trigger has a name: give triggers[].name to those that the formula uses";
    std::string out = "; triggers with a name are";
    for (const std::string_view one : names) out += " " + std::string(one);
    return out;
}

kind formula_compiler::mismatch(const node& by, kind one) {
    return fail(by, "invalid operation: " + std::string(by.text) + " (mismatched type " + kind_name(one) + ")");
}

kind formula_compiler::mismatch(const node& by, kind left, kind right) {
    return fail(by, "invalid operation: " + std::string(by.text) + " (mismatched types " + kind_name(left) + " and " +
                        kind_name(right) + ")");
}

kind formula_compiler::emit_unary(const node& by) {
    const kind of = emit(by.children[0]);
    if (by.text == "!") {
        if (!may_be(of, kind::boolean)) return mismatch(by, of);
        put(operation::invert, by);
        return kind::boolean;
    }
    if (!may_be_number(of)) return mismatch(by, of);
    put(by.text == "-" ? operation::negate : operation::plus, by);
    return of;
}

kind formula_compiler::emit_binary(const node& by) {
    if (by.text == "&&" || by.text == "||") return emit_logic(by);
    if (by.text == "??") return emit_coalesce(by);
    const kind left = emit(by.children[0]);
    const kind right = emit(by.children[1]);
    const binary_rule* rule = find_rule(by.text);
    if (rule == nullptr) return fail(by, "unknown operator " + quoted(by.text));
    if (!rule->takes(left, right)) return mismatch(by, left, right);
    put(rule->what, by);
    return rule->gives(left, right);
}

kind formula_compiler::emit_logic(const node& by) {
    const kind left = emit(by.children[0]);
    const std::int32_t jump = put(by.text == "&&" ? operation::jump_if_false : operation::jump_if_true, by);
    put(operation::pop, by);
    const kind right = emit(by.children[1]);
    if (failure_) return kind::any;
    if (!may_be(left, kind::boolean) || !may_be(right, kind::boolean)) return mismatch(by, left, right);
    land(jump);
    return kind::boolean;
}

kind formula_compiler::emit_coalesce(const node& by) {
    const kind left = emit(by.children[0]);
    const std::int32_t jump = put(operation::jump_if_not_nil, by);
    put(operation::pop, by);
    const kind right = emit(by.children[1]);
    if (failure_) return kind::any;
    land(jump);
    return either_kind(left, right);
}

kind formula_compiler::emit_conditional(const node& by) {
    const kind condition = emit(by.children[0]);
    if (!failure_ && !may_be(condition, kind::boolean))
        return fail(at(by.children[0]),
                    std::string("non-bool expression (type ") + kind_name(condition) + ") used as condition");
    const std::int32_t to_else = put(operation::jump_if_false, by);
    put(operation::pop, by);
    const kind then = emit(by.children[1]);
    const std::int32_t to_end = put(operation::jump, by);
    if (failure_) return kind::any;
    land(to_else);
    put(operation::pop, by);
    const kind otherwise = emit(by.children[2]);
    if (failure_) return kind::any;
    land(to_end);
    return either_kind(then, otherwise);
}

kind formula_compiler::emit_array(const node& by) {
    for (const std::int32_t child : by.children) emit(child);
    put(operation::array, by, static_cast<std::int32_t>(by.children.size()));
    return kind::array;
}

kind formula_compiler::emit_index(const node& by) {
    const kind of = emit(by.children[0]);
    const kind position = emit(by.children[1]);
    if (!may_be(of, kind::array)) return fail(by, std::string("only an array has elements, got ") + kind_name(of));
    if (!may_be(position, kind::integer))
        return fail(
            by, std::string("array elements can only be selected using an integer (got ") + kind_name(position) + ")");
    put(operation::index, by);
    return kind::any;
}

kind formula_compiler::emit_let(const node& by) {
    const bool known =
        std::any_of(locals_.begin(), locals_.end(), [&](const local& one) { return one.name == by.text; });
    if (known || find_variable(by.text) || find_function(by.text) != nullptr)
        return fail(by, "cannot redeclare " + std::string(by.text) + "; choose another name");
    const kind of = emit(by.children[0]);
    if (locals_.size() >= formula_locals) return fail(by, "more than " + std::to_string(formula_locals) + " let");
    put(operation::set_local, by, static_cast<std::int32_t>(locals_.size()));
    locals_.push_back({by.text, of});
    const kind body = emit(by.children[1]);
    locals_.pop_back();
    return body;
}

kind formula_compiler::emit_call(const node& by) {
    std::vector<kind> kinds;
    for (const std::int32_t child : by.children) kinds.push_back(emit(child));
    if (failure_) return kind::any;
    for (const kind of : kinds)
        if (!accepts(by.function, of))
            return fail(by, "invalid argument for " + std::string(by.text) + " (type " + kind_name(of) + ")");
    const auto count = static_cast<std::int32_t>(kinds.size());
    put(operation::call, by, static_cast<std::int32_t>(by.function) | count << 8);
    return call_kind(by.function, kinds);
}

kind formula_compiler::emit_pointer(const node& by) {
    if (scopes_.empty()) return fail(by, "# needs a predicate around it");
    if (by.text.empty()) {
        put(operation::element, by);
        return kind::any;
    }
    if (by.text == "index") {
        put(operation::position, by);
        return kind::integer;
    }
    if (by.text != "acc" || scopes_.back() != function::reduce)
        return fail(by, "unknown pointer #" + std::string(by.text) + "; there are # and #index, and #acc in reduce");
    put(operation::accumulator, by);
    return kind::any;
}

result<formula::program> compile_formula(const formula_tree& tree, std::span<const std::string_view> variables,
                                         formula_mode mode) {
    formula_compiler work(tree, variables);
    result<formula::program> out = work.run();
    if (!out) return out;
    const kind of = work.result_kind();
    if (mode == formula_mode::standard && (of == kind::boolean || of == kind::array))
        return formula_error_at(
            1, std::string("the formula must give a number, it gives ") +
                   (of == kind::boolean ? "a truth value; write condition ? 1 : 0" : "an array; use sum, max or mean"));
    out->mode = mode;
    return out;
}

}  // namespace gputide::decide

// Compiles names, operators, conditions, let and plain calls; loops.cpp compiles loops.
#include "decide/formula/compile/compiler.hpp"

#include "base/format_text.hpp"
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

kind formula_compiler::fail(const node& where, const std::string& expected) {
    if (!failure_) failure_ = formula_error_at(where.column, expected);
    return kind::any;
}

std::int32_t formula_compiler::put(operation code, const node& node, std::int32_t argument) {
    if (out_.code.size() >= formula_instructions) {
        fail(node, "the formula is too large; use let for repeated parts");
        return 0;
    }
    out_.code.push_back({code, static_cast<std::uint16_t>(node.column), argument});
    return here() - 1;
}

void formula_compiler::put_constant(const node& node, machine_value constant) {
    out_.constants.push_back(constant);
    put(operation::push, node, static_cast<std::int32_t>(out_.constants.size()) - 1);
}

kind formula_compiler::emit(std::int32_t index) {
    if (failure_) return kind::any;
    const node& node = at(index);
    switch (node.kind) {
        case node_kind::integer:
            put_integer(node, node.integer);
            return kind::integer;
        case node_kind::floating:
            put_constant(node, {.kind = value_kind::floating, .number = node.number});
            return kind::floating;
        case node_kind::boolean:
            put_truth(node, node.integer != 0);
            return kind::boolean;
        case node_kind::nil:
            put_constant(node, {.kind = value_kind::nil, .integer = 0});
            return kind::nil;
        case node_kind::name:
            return emit_name(node);
        case node_kind::unary:
            return emit_unary(node);
        case node_kind::binary:
            return emit_binary(node);
        case node_kind::conditional:
            return emit_conditional(node);
        case node_kind::array:
            return emit_array(node);
        case node_kind::index:
            return emit_index(node);
        case node_kind::call:
            return info_of(node.function).predicate ? emit_predicate_call(node) : emit_call(node);
        case node_kind::pointer:
            return emit_pointer(node);
        case node_kind::let:
            return emit_let(node);
    }
    return kind::any;
}

kind formula_compiler::emit_name(const node& node) {
    const auto known =
        std::find_if(locals_.rbegin(), locals_.rend(), [&](const local& entry) { return entry.name == node.text; });
    if (known != locals_.rend()) {
        put(operation::local, node, static_cast<std::int32_t>(std::distance(known, locals_.rend())) - 1);
        return known->type;
    }
    const auto trigger = find_variable(node.text);
    if (!trigger) return fail(node, format_text("unknown name {}{}", node.text, suggestion(node.text)));
    put(operation::variable, node, *trigger);
    return kind::floating;
}

std::optional<std::int32_t> formula_compiler::find_variable(std::string_view name) const {
    const auto found = std::ranges::find(variables_, name);
    if (found == variables_.end() || name.empty()) return std::nullopt;
    return static_cast<std::int32_t>(found - variables_.begin());
}

std::string formula_compiler::suggestion(std::string_view name) const {
    // kedacore/keda pkg/scaling/modifiers: cpu and memory triggers are passed to the HPA unchanged.
    if (std::ranges::find(unusable_, name) != unusable_.end()) {
        return format_text(
            "; {} is a cpu or memory trigger, which the HPA reads itself: it cannot be used in the formula", name);
    }
    std::vector<std::string_view> names;
    for (const std::string_view text : variables_)
        if (!text.empty()) names.push_back(text);
    for (const std::string_view text : names)
        if (text.size() > name.size() && text.starts_with(name) && text[name.size()] == '-')
            return format_text("; the - in the name of the trigger {} would subtract: use _ in the name",
                               in_quotes(text));
    const std::string_view near = nearest(name, names);
    if (!near.empty()) return format_text("; did you mean {}?", near);
    if (find_function(name) != nullptr) return format_text("; call the function as {}(...)", name);
    if (names.empty()) return "; no trigger has a name: give triggers[].name to those that the formula uses";
    std::string out = "; triggers with a name are";
    for (const std::string_view text : names) out += " " + std::string(text);
    return out;
}

kind formula_compiler::mismatch(const node& node, kind type) {
    return fail(node, format_text("invalid operation: {} (mismatched type {})", node.text, kind_name(type)));
}

kind formula_compiler::mismatch(const node& node, kind left, kind right) {
    return fail(node, format_text("invalid operation: {} (mismatched types {} and {})", node.text, kind_name(left),
                                  kind_name(right)));
}

kind formula_compiler::emit_unary(const node& node) {
    const kind type = emit(node.children[0]);
    if (node.text == "!") {
        if (!may_be(type, kind::boolean)) return mismatch(node, type);
        put(operation::invert, node);
        return kind::boolean;
    }
    if (!may_be_number(type)) return mismatch(node, type);
    put(node.text == "-" ? operation::negate : operation::plus, node);
    return type;
}

kind formula_compiler::emit_binary(const node& node) {
    if (node.text == "&&" || node.text == "||") return emit_logic(node);
    if (node.text == "??") return emit_coalesce(node);
    const kind left = emit(node.children[0]);
    const kind right = emit(node.children[1]);
    const binary_rule* rule = find_rule(node.text);
    if (rule == nullptr) return fail(node, "unknown operator " + in_quotes(node.text));
    if (!rule->takes(left, right)) return mismatch(node, left, right);
    put(rule->code, node);
    return rule->gives(left, right);
}

kind formula_compiler::emit_logic(const node& node) {
    const kind left = emit(node.children[0]);
    const std::int32_t jump = put(node.text == "&&" ? operation::jump_if_false : operation::jump_if_true, node);
    put(operation::pop, node);
    const kind right = emit(node.children[1]);
    if (failure_) return kind::any;
    if (!may_be(left, kind::boolean) || !may_be(right, kind::boolean)) return mismatch(node, left, right);
    land(jump);
    return kind::boolean;
}

kind formula_compiler::emit_coalesce(const node& node) {
    const kind left = emit(node.children[0]);
    const std::int32_t jump = put(operation::jump_if_not_nil, node);
    put(operation::pop, node);
    const kind right = emit(node.children[1]);
    if (failure_) return kind::any;
    land(jump);
    return either_kind(left, right);
}

kind formula_compiler::emit_conditional(const node& node) {
    const kind condition = emit(node.children[0]);
    if (!failure_ && !may_be(condition, kind::boolean))
        return fail(at(node.children[0]),
                    format_text("non-bool expression (type {}) used as condition", kind_name(condition)));
    const std::int32_t to_else = put(operation::jump_if_false, node);
    put(operation::pop, node);
    const kind then = emit(node.children[1]);
    const std::int32_t to_end = put(operation::jump, node);
    if (failure_) return kind::any;
    land(to_else);
    put(operation::pop, node);
    const kind otherwise = emit(node.children[2]);
    if (failure_) return kind::any;
    land(to_end);
    return either_kind(then, otherwise);
}

kind formula_compiler::emit_array(const node& node) {
    for (const std::int32_t child : node.children) emit(child);
    put(operation::array, node, static_cast<std::int32_t>(node.children.size()));
    return kind::array;
}

kind formula_compiler::emit_index(const node& node) {
    const kind type = emit(node.children[0]);
    const kind position = emit(node.children[1]);
    if (!may_be(type, kind::array))
        return fail(node, std::string("only an array has elements, got ") + kind_name(type));
    if (!may_be(position, kind::integer))
        return fail(node,
                    format_text("array elements can only be selected using an integer (got {})", kind_name(position)));
    put(operation::index, node);
    return kind::any;
}

kind formula_compiler::emit_let(const node& node) {
    const bool known = std::ranges::any_of(locals_, [&](const local& entry) { return entry.name == node.text; });
    if (known || find_variable(node.text) || find_function(node.text) != nullptr)
        return fail(node, format_text("cannot redeclare {}; choose another name", node.text));
    const kind type = emit(node.children[0]);
    if (locals_.size() >= formula_locals) return fail(node, format_text("more than {} let", formula_locals));
    put(operation::set_local, node, static_cast<std::int32_t>(locals_.size()));
    locals_.push_back({node.text, type});
    const kind body = emit(node.children[1]);
    locals_.pop_back();
    return body;
}

kind formula_compiler::emit_call(const node& node) {
    std::vector<kind> kinds;
    for (const std::int32_t child : node.children) kinds.push_back(emit(child));
    if (failure_) return kind::any;
    for (const kind type : kinds)
        if (!accepts(node.function, type))
            return fail(node, format_text("invalid argument for {} (type {})", node.text, kind_name(type)));
    const auto count = static_cast<std::int32_t>(kinds.size());
    put(operation::call, node, static_cast<std::int32_t>(node.function) | count << 8);
    return call_kind(node.function, kinds);
}

kind formula_compiler::emit_pointer(const node& node) {
    if (scopes_.empty()) return fail(node, "# needs a predicate around it");
    if (node.text.empty()) {
        put(operation::element, node);
        return kind::any;
    }
    if (node.text == "index") {
        put(operation::position, node);
        return kind::integer;
    }
    if (node.text != "acc" || scopes_.back() != function::reduce)
        return fail(node, format_text("unknown pointer #{}; use # or #index, or #acc in reduce", node.text));
    put(operation::accumulator, node);
    return kind::any;
}

result<formula::program> compile_formula(const formula_tree& tree, std::span<const std::string_view> variables,
                                         formula_mode mode, std::span<const std::string_view> unusable) {
    formula_compiler work(tree, variables, unusable);
    result<formula::program> out = work.run();
    if (!out) return out;
    const kind type = work.result_kind();
    if (mode == formula_mode::standard && (type == kind::boolean || type == kind::array))
        return formula_error_at(
            1, std::string("the formula must return a number, but it returns ") +
                   (type == kind::boolean ? "a boolean; write condition ? 1 : 0" : "an array; use sum, max or mean"));
    out->mode = mode;
    return out;
}

}  // namespace gputide::decide

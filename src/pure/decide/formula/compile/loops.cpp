// Compiles calls with a predicate, such as count([a, b], {# > 1}), into loops over an array.
// Meaning: expr-lang/expr v1.17 docs/language-definition.md; for empty arrays all and none are true, any is false.
#include "base/format_text.hpp"
#include "decide/formula/compile/compiler.hpp"

#include <algorithm>

namespace gputide::decide {

bool formula_compiler::is_constant(const node& node) const {
    if (node.kind == node_kind::integer || node.kind == node_kind::floating || node.kind == node_kind::boolean)
        return true;
    if (node.kind != node_kind::unary && node.kind != node_kind::binary) return false;
    return std::ranges::all_of(node.children, [&](std::int32_t child) { return is_constant(at(child)); });
}

// Computes sum([a, b, c]) as a + (b + c), which can differ from (a + b) + c in the last bit; a list of constants stays a
// list. expr-lang/expr optimizer/sum_array.go, optimizer/fold.go @v1.17.8.
kind formula_compiler::emit_sum_of_list(const node& sum, const node& list) {
    for (const std::int32_t child : list.children) emit(child);
    for (std::size_t i = 1; i < list.children.size(); ++i) put(operation::add, sum);
    return kind::any;
}

kind formula_compiler::emit_predicate_call(const node& node) {
    const decide::node& list = at(node.children[0]);
    const bool adds_list = node.function == function::sum && node.children.size() == 1 &&
                           list.kind == node_kind::array && list.children.size() > 1;
    if (adds_list && !std::ranges::all_of(list.children, [&](std::int32_t child) { return is_constant(at(child)); }))
        return emit_sum_of_list(node, list);
    if (node.function == function::reduce && node.children.size() == 3) emit(node.children[2]);
    const kind type = emit(node.children[0]);
    if (failure_) return kind::any;
    if (!may_be(type, kind::array))
        return fail(at(node.children[0]),
                    format_text("builtin {} takes only array (got {})", node.text, kind_name(type)));
    if (scopes_.size() >= formula_scopes)
        return fail(node, format_text("predicates nest more than {} deep", formula_scopes));
    put(operation::begin, node);
    scopes_.push_back(node.function);
    start(node);
    const std::int32_t top = here();
    const std::int32_t done = put(operation::jump_if_done, node);
    const std::optional<std::int32_t> leave = emit_each(node);
    put(operation::next, node, top);
    if (failure_) return kind::any;
    land(done);
    finish(node);
    if (leave) land(*leave);
    put(operation::end, node);
    scopes_.pop_back();
    return predicate_call_kind(node.function);
}

void formula_compiler::start(const node& node) {
    if (node.function == function::sum) {
        put_integer(node, 0);
        put(operation::set_accumulator, node);
    }
    if (node.function != function::reduce) return;
    if (node.children.size() == 2) {
        put(operation::element, node);
        put(operation::next, node, here() + 1);
    }
    put(operation::set_accumulator, node);
}

void formula_compiler::emit_element(const node& call) {
    if (call.children.size() == 1) {
        put(operation::element, call);
        return;
    }
    const node& predicate = at(call.children[1]);
    const kind type = emit(call.children[1]);
    const bool wants_truth =
        call.function != function::map && call.function != function::sum && call.function != function::reduce;
    if (wants_truth && !may_be(type, kind::boolean))
        fail(predicate, format_text("predicate should return boolean (got {})", kind_name(type)));
    if (type == kind::nil) fail(predicate, "a predicate cannot be nil");
}

std::optional<std::int32_t> formula_compiler::emit_each(const node& node) {
    emit_element(node);
    switch (node.function) {
        case function::all:
            return leave(node, operation::jump_if_false);
        case function::any:
            return leave(node, operation::jump_if_true);
        case function::none:
            put(operation::invert, node);
            return leave(node, operation::jump_if_false);
        case function::one:
        case function::count:
            put(operation::count_if, node);
            break;
        case function::filter:
            put(operation::keep_if, node);
            break;
        case function::sum:
            put(operation::accumulator, node);
            put(operation::add, node);
            put(operation::set_accumulator, node);
            break;
        case function::reduce:
            put(operation::set_accumulator, node);
            break;
        default:
            break;
    }
    return std::nullopt;
}

std::int32_t formula_compiler::leave(const node& node, operation when) {
    const std::int32_t jump = put(when, node);
    put(operation::pop, node);
    return jump;
}

void formula_compiler::finish(const node& node) {
    switch (node.function) {
        case function::all:
        case function::none:
            put_truth(node, true);
            break;
        case function::any:
            put_truth(node, false);
            break;
        case function::one:
            put(operation::counted, node);
            put_integer(node, 1);
            put(operation::equal, node);
            break;
        case function::count:
            put(operation::counted, node);
            break;
        case function::filter:
        case function::map:
            put(operation::gather, node);
            break;
        default:
            put(operation::accumulator, node);
            break;
    }
}

}  // namespace gputide::decide

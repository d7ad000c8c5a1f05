// Calls with a predicate as loops over an array: count([a, b], {# > 1}) and its like.
// Source of their meaning: expr-lang/expr v1.17 docs/language-definition.md; empty arrays: all and none hold, any does not.
#include "decide/formula/compiler.hpp"

namespace gputide::decide {

kind formula_compiler::emit_predicate_call(const node& by) {
    if (by.function == function::reduce && by.children.size() == 3) emit(by.children[2]);
    const kind of = emit(by.children[0]);
    if (failure_) return kind::any;
    if (!may_be(of, kind::array))
        return fail(at(by.children[0]),
                    "builtin " + std::string(by.text) + " takes only array (got " + kind_name(of) + ")");
    if (scopes_.size() >= formula_scopes)
        return fail(by, "predicates nest more than " + std::to_string(formula_scopes) + " deep");
    put(operation::begin, by);
    scopes_.push_back(by.function);
    start(by);
    const std::int32_t top = here();
    const std::int32_t done = put(operation::jump_if_done, by);
    const std::optional<std::int32_t> leave = emit_each(by);
    put(operation::next, by, top);
    if (failure_) return kind::any;
    land(done);
    finish(by);
    if (leave) land(*leave);
    put(operation::end, by);
    scopes_.pop_back();
    return predicate_call_kind(by.function);
}

void formula_compiler::start(const node& by) {
    if (by.function == function::sum) {
        put_integer(by, 0);
        put(operation::set_accumulator, by);
    }
    if (by.function != function::reduce) return;
    if (by.children.size() == 2) {
        put(operation::element, by);
        put(operation::next, by, here() + 1);
    }
    put(operation::set_accumulator, by);
}

void formula_compiler::emit_element(const node& by) {
    if (by.children.size() == 1) {
        put(operation::element, by);
        return;
    }
    const node& predicate = at(by.children[1]);
    const kind of = emit(by.children[1]);
    const bool wants_truth =
        by.function != function::map && by.function != function::sum && by.function != function::reduce;
    if (wants_truth && !may_be(of, kind::boolean))
        fail(predicate, std::string("predicate should return boolean (got ") + kind_name(of) + ")");
    if (of == kind::nil) fail(predicate, "a predicate cannot be nil");
}

std::optional<std::int32_t> formula_compiler::emit_each(const node& by) {
    emit_element(by);
    switch (by.function) {
        case function::all:
            return leave(by, operation::jump_if_false);
        case function::any:
            return leave(by, operation::jump_if_true);
        case function::none:
            put(operation::invert, by);
            return leave(by, operation::jump_if_false);
        case function::one:
        case function::count:
            put(operation::count_if, by);
            break;
        case function::filter:
            put(operation::keep_if, by);
            break;
        case function::sum:
            put(operation::accumulator, by);
            put(operation::add, by);
            put(operation::set_accumulator, by);
            break;
        case function::reduce:
            put(operation::set_accumulator, by);
            break;
        default:
            break;
    }
    return std::nullopt;
}

std::int32_t formula_compiler::leave(const node& by, operation when) {
    const std::int32_t jump = put(when, by);
    put(operation::pop, by);
    return jump;
}

void formula_compiler::finish(const node& by) {
    switch (by.function) {
        case function::all:
        case function::none:
            put_truth(by, true);
            break;
        case function::any:
            put_truth(by, false);
            break;
        case function::one:
            put(operation::counted, by);
            put_integer(by, 1);
            put(operation::equal, by);
            break;
        case function::count:
            put(operation::counted, by);
            break;
        case function::filter:
        case function::map:
            put(operation::gather, by);
            break;
        default:
            put(operation::accumulator, by);
            break;
    }
}

}  // namespace gputide::decide

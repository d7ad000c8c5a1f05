// Compiles a formula's text: tokens, KEDA's wrapping, tree, code, trial run.
// Source: kedacore/keda apis/keda/v1alpha1/scaledobject_webhook.go (ValidateAndCompileScalingModifiers).
#include "decide/formula/formula.hpp"

#include "base/format_text.hpp"
#include "base/text.hpp"
#include "decide/formula/compile/parser.hpp"
#include "decide/formula/program.hpp"

#include <initializer_list>
#include <iterator>
#include <utility>

namespace gputide::decide {

namespace {

// Adds tokens around the user's tokens; their column 0 keeps them out of messages.
void add_all(std::vector<token>& out, std::initializer_list<std::string_view> texts) {
    for (const std::string_view text : texts) {
        const bool word = text != "let" && text.find_first_of("(){}=;?:") == std::string_view::npos;
        out.push_back({.kind = word ? token_kind::name : token_kind::symbol, .text = text});
    }
}

// Returns float(<formula>), or with ?? let r = (<formula>); r == nil ? nil : float(r).  In KEDA a trigger named r breaks the
// second form ("cannot redeclare r"); outside the strict profile a name is used that no trigger can have.
std::vector<token> wrapped(std::string_view text, std::vector<token> user, formula_mode mode) {
    const bool coalesces = text.find("??") != std::string_view::npos;
    if (!coalesces && text.starts_with("float(")) return user;
    const std::string_view r = mode == formula_mode::strict ? "r" : " result";
    std::vector<token> out;
    if (coalesces) {
        add_all(out, {"let", r, "=", "("});
    } else {
        add_all(out, {"float", "("});
    }
    const token end = user.back();
    user.pop_back();
    out.insert(out.end(), user.begin(), user.end());
    add_all(out, {")"});
    if (coalesces) add_all(out, {";", r, "==", "nil", "?", "nil", ":", "float", "(", r, ")"});
    out.push_back(end);
    return out;
}

// Tells whether a comment at the end of the text hides the ")" that KEDA appends on the same line.
bool hides_bracket(std::string_view text) {
    if (text.starts_with("float(") && text.find("??") == std::string_view::npos) return false;
    return ends_in_line_comment(text);
}

// A result of a wrong type is reported only at run time, as in KEDA.
bool fails(const formula_failure& failure, formula_mode mode) {
    const bool of_kind =
        failure.error == formula_error::int_result || failure.error == formula_error::not_a_number_result;
    return failure.error != formula_error::none && !(of_kind && mode == formula_mode::strict);
}

result<void> try_out(const formula::program& code) {
    const std::vector<formula_variable> dummies(code.variables, {-1.0, false});
    const formula_result trial = run_formula(code, dummies);
    if (!fails(trial.failure, code.mode)) return {};
    return fail(status::invalid, "a trial run with every trigger at -1 failed: {}", formula_failure_text(trial.failure))
        .at("scalingModifiers.formula");
}

// The texts by formula_error; int_result, the last, has a text with its value.
constexpr const char* error_texts[] = {
    "the formula works",
    "an operand is nil; give it a value with ??",
    "an operand has the wrong type; expected a number here, or a boolean in a condition",
    "integer divide by zero",
    "reduce of an empty array needs a third argument, its first value",
    "the array has no such element",
    "int() of a number outside the range of int64",
    "the arrays have more elements than an evaluation may use",
    "the evaluation takes too many steps",
    "the formula must return a number, but it returned a boolean or an array",
};
static_assert(std::size(error_texts) == static_cast<std::size_t>(formula_error::int_result));

}  // namespace

result<formula> formula::compile(std::string_view text, std::span<const std::string_view> variables, formula_mode mode,
                                 std::span<const std::string_view> unusable) {
    if (text.size() > formula_bytes)
        return formula_error_at(1, format_text("at most {} bytes, got {}", formula_bytes, text.size()));
    if (!valid_utf8(text)) return formula_error_at(1, "expected UTF-8");
    if (mode == formula_mode::strict && hides_bracket(text)) {
        return formula_error_at(
            1, "a // comment at the end hides the bracket that KEDA closes the formula with; write /* comment */");
    }
    result<std::vector<token>> user = formula_tokens(text);
    if (!user) return user.take_failure();
    const std::vector<token> tokens = wrapped(text, *std::move(user), mode);
    const result<formula_tree> tree = parse_formula(tokens);
    if (!tree) return tree.failure();
    result<program> code = compile_formula(*tree, variables, mode, unusable);
    if (!code) return code.take_failure();
    if (const result<void> trial = try_out(*code); !trial) return trial.failure();
    return formula(std::make_shared<const program>(*std::move(code)));
}

formula_result formula::evaluate(std::span<const formula_variable> values) const noexcept {
    return run_formula(*code_, values);
}

std::string formula_failure_text(const formula_failure& failure) {
    if (failure.error == formula_error::int_result)
        return format_text("formula returned non-float result int ({})", failure.integer);
    const std::string where = failure.column > 0 ? format_text("formula column {}: ", failure.column) : "formula: ";
    return where + error_texts[static_cast<std::size_t>(failure.error)];
}

}  // namespace gputide::decide

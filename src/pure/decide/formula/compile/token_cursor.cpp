// Steps over tokens, and the sentences about those that do not fit.
#include "decide/formula/compile/token_cursor.hpp"

#include "base/format_text.hpp"
#include "base/text.hpp"
#include "decide/formula/operators.hpp"

namespace gputide::decide {

void token_cursor::next() {
    if (at_ + 1 < tokens_.size()) ++at_;
}

void token_cursor::take(std::string_view symbol) {
    if (!is(symbol)) return unexpected(in_quotes(symbol));
    next();
}

void token_cursor::close(const token& opening) {
    const bool around = opening.column == 0 && now().kind != token_kind::end;
    if (around && !is(")")) return unexpected("an operator or the end of the formula");
    take(")");
}

void token_cursor::fail(const token& where, const std::string& expected) {
    if (!failure_) failure_ = formula_error_at(where.column, expected);
}

void token_cursor::unexpected(const std::string& wanted) {
    const token& at = now();
    if (is_foreign(at))
        return fail(at, format_text("{} is not part of a scaling formula; expected {}", in_quotes(at.text), wanted));
    const bool end = at.kind == token_kind::end || at.column == 0;
    fail(at, format_text("expected {}, got {}", wanted, end ? std::string("the end") : in_quotes(at.text)));
}

}  // namespace gputide::decide

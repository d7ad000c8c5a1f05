// Where the reading of a formula's tokens stands, and the first thing that was wrong.  From then on it stands at the end, so that
// whoever reads comes to an end as well.
#pragma once

#include "decide/formula/compile/token.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gputide::decide {

class token_cursor {
  public:
    explicit token_cursor(const std::vector<token>& tokens) : tokens_(tokens) {}

    const token& now() const { return failure_ ? tokens_.back() : tokens_[at_]; }
    bool is(std::string_view symbol) const { return now().kind == token_kind::symbol && now().text == symbol; }

    void next();
    // The symbol, or what is there instead is unexpected.
    void take(std::string_view symbol);
    // The bracket opened at `opening`.  One that stands around the user's text closes where the text ends.
    void close(const token& opening);

    void fail(const token& where, const std::string& expected);
    void unexpected(const std::string& wanted);  // the token that it stands at
    const std::optional<error>& failure() const { return failure_; }

  private:
    const std::vector<token>& tokens_;
    std::size_t at_ = 0;
    std::optional<error> failure_;
};

}  // namespace gputide::decide

// Selects samples of a page: metric names and label matchers in PromQL syntax, applied to one line at a time.  Pure.
#pragma once

#include "base/function_ref.hpp"
#include "base/pattern/pattern.hpp"
#include "base/result.hpp"
#include "formats/exposition/page.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gputide::formats::exposition {

// Alternative names of one label, tried in order: {"exported_pod", "pod", "pod_name"}.
using label_names = std::vector<std::string>;

// Returns the value of the first of `names` that the line has; "" if it has none, as in PromQL. `scratch` holds an unescaped
// value; the view is valid as long as `line` and `scratch` are.
std::string_view label_of(const line& line, const label_names& names, std::string& scratch);

struct matcher {
    label_names names;
    bool wanted = true;  // false: != and !~
    std::string value;
    std::optional<gputide::pattern> pattern;  // =~ and !~
};

struct selector {
    std::vector<std::string> metrics;  // the sample has one of these names
    std::vector<matcher> matchers;     // the sample matches all of these

    bool takes(const line& line, match_budget& budget) const;  // the result has no meaning after the budget is spent
};

// Parses `namespace="ml",pod=~"llm-.*"`, with or without braces; values in double or single quotes or backticks.
// `names_of` returns the alternative names of a label on a page.
result<std::vector<matcher>> parse_matchers(std::string_view text,
                                            function_ref<label_names(std::string_view)> names_of);

error_ptr too_much_matching();  // the error for a spent budget

// Calls `take` for every selected sample of a body, in order.  The whole body is checked, including lines that are not
// selected.
template <class Use>
result<void> each_selected(std::string_view body, format as, const selector& selector, Use use) {
    page page(body, as);
    line line;
    match_budget budget;
    while (!budget.spent() && page.next(line)) {
        if (selector.takes(line, budget)) use(line);
    }
    if (budget.spent()) return too_much_matching();
    if (page.failed()) return page.failure();
    return {};
}

}  // namespace gputide::formats::exposition

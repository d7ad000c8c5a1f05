// Which samples of a page count: metric names and label matchers as PromQL writes them, applied to lines as they pass.  Pure.
#pragma once

#include "base/pattern/pattern.hpp"
#include "base/result.hpp"
#include "formats/exposition/page.hpp"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gputide::formats::exposition {

// Names of one label, tried in order: {"exported_pod", "pod", "pod_name"}.
using label_names = std::vector<std::string>;

// The value of the first of `names` that the line has; "" where it has none, as in PromQL.  `scratch` holds the value where
// it had escapes; the view lives as long as both.
std::string_view label_of(const line& line, const label_names& names, std::string& scratch);

struct matcher {
    label_names names;
    bool wanted = true;  // false: != and !~
    std::string value;
    std::optional<gputide::pattern> pattern;  // =~ and !~
};

struct selector {
    std::vector<std::string> metrics;  // any of these names
    std::vector<matcher> matchers;     // all of these

    bool takes(const line& one, match_budget& budget) const;  // where that is spent, no answer counts
};

// `namespace="ml",pod=~"llm-.*"`, in braces or without; values in double or single quotes or backticks.  `names_of` says
// what a label may be called on a page.
result<std::vector<matcher>> parse_matchers(std::string_view text,
                                            const std::function<label_names(std::string_view)>& names_of);

error too_much_matching();  // the budget is spent

// Every sample of a body that the selector takes, in order.  The whole body is checked, also the lines that do not count.
template <class Use>
result<void> each_selected(std::string_view body, format as, const selector& selector, Use use) {
    page page(body, as);
    line one;
    match_budget budget;
    while (!budget.spent() && page.next(one)) {
        if (selector.takes(one, budget)) use(one);
    }
    if (budget.spent()) return too_much_matching();
    if (page.failed()) return page.failure();
    return {};
}

}  // namespace gputide::formats::exposition

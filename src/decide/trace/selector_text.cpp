#include "decide/trace/selector_text.hpp"

#include "base/format_text.hpp"

#include <algorithm>

namespace gputide::decide {

namespace {

// Takes the first requirement off; a comma within brackets separates values.
std::string_view take_requirement(std::string_view& rest) {
    std::size_t end = 0;
    for (bool inside = false; end < rest.size() && (inside || rest[end] != ','); ++end) {
        if (rest[end] == '(') inside = true;
        if (rest[end] == ')') inside = false;
    }
    const std::string_view out = rest.substr(0, end);
    rest.remove_prefix(std::min(rest.size(), end + 1));
    return out;
}

std::string requirement_text(std::string_view key, std::string_view name, std::string_view values) {
    std::string list(values);
    std::replace(list.begin(), list.end(), ',', ' ');
    return format_text("LabelSelectorRequirement{Key:{},Operator:{},Values:[{}],", key, name, list) + "},";
}

// "key in (a,b)"; false where the requirement is another one.
bool add_set(std::string_view requirement, std::string_view word, std::string_view name, std::string& to) {
    const std::size_t at = requirement.find(word);
    if (at == std::string_view::npos || !requirement.ends_with(')')) return false;
    const std::size_t first = at + word.size();
    to += requirement_text(requirement.substr(0, at), name, requirement.substr(first, requirement.size() - first - 1));
    return true;
}

void add_requirement(std::string_view requirement, std::string& labels, std::string& expressions) {
    if (add_set(requirement, " in (", "In", expressions) || add_set(requirement, " notin (", "NotIn", expressions))
        return;
    if (requirement.starts_with('!')) {
        expressions += requirement_text(requirement.substr(1), "DoesNotExist", {});
        return;
    }
    const std::size_t equal = requirement.find('=');
    if (equal == std::string_view::npos) {
        expressions += requirement_text(requirement, "Exists", {});
    } else {
        labels += format_text("{}: {},", requirement.substr(0, equal), requirement.substr(equal + 1));
    }
}

}  // namespace

std::string selector_text(std::string_view selector) {
    if (selector.empty()) return "nil";
    std::string labels, expressions;
    while (!selector.empty()) add_requirement(take_requirement(selector), labels, expressions);
    return "&LabelSelector{MatchLabels:map[string]string{" + labels + "},MatchExpressions:[]LabelSelectorRequirement{" +
           expressions + "},}";
}

}  // namespace gputide::decide

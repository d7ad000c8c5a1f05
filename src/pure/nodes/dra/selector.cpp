#include "nodes/dra/selector.hpp"

#include "base/text.hpp"

#include <algorithm>
#include <optional>

namespace gputide::nodes {
namespace {

using value_type = selector_value::type;

const selector_value* find_property(const std::vector<device_property>& all, std::string_view domain,
                                    std::string_view name) {
    const auto at = std::ranges::find_if(
        all, [&](const device_property& property) { return property.name == name && property.domain == domain; });
    return at != all.end() ? &at->value : nullptr;
}

selector_value boolean(bool value) { return {value_type::boolean, value ? 1 : 0, {}}; }

int sign_of(std::int64_t a, std::int64_t b) { return a < b ? -1 : (a > b ? 1 : 0); }

int sign_of(std::string_view a, std::string_view b) { return a < b ? -1 : (a > b ? 1 : 0); }

// Compares identifiers of a version: numbers by value, before texts.
int compare_identifiers(std::string_view a, std::string_view b) {
    const std::optional<std::int64_t> left = parse_int64(a);
    const std::optional<std::int64_t> right = parse_int64(b);
    if (left && right) return sign_of(*left, *right);
    if (left.has_value() != right.has_value()) return left ? -1 : 1;
    return sign_of(a, b);
}

int compare_parts(std::string_view a, std::string_view b) {
    const std::vector<std::string_view> left = split(a, '.');
    const std::vector<std::string_view> right = split(b, '.');
    for (std::size_t i = 0; i < std::min(left.size(), right.size()); ++i) {
        if (const int sign = compare_identifiers(left[i], right[i]); sign != 0) return sign;
    }
    return sign_of(static_cast<std::int64_t>(left.size()), static_cast<std::int64_t>(right.size()));
}

// Compares as semver.org 2.0.0: 1.2.0-rc.1 < 1.2.0; what follows '+' does not count.
int compare_versions(std::string_view a, std::string_view b) {
    a = a.substr(0, a.find('+'));
    b = b.substr(0, b.find('+'));
    const std::size_t a_end = std::min(a.find('-'), a.size());
    const std::size_t b_end = std::min(b.find('-'), b.size());
    if (const int sign = compare_parts(a.substr(0, a_end), b.substr(0, b_end)); sign != 0) return sign;
    if (a_end == a.size() || b_end == b.size()) return sign_of(std::int64_t{a_end == a.size()}, b_end == b.size());
    return compare_parts(a.substr(a_end + 1), b.substr(b_end + 1));
}

// Orders two values of one type; nothing: CEL has no order for them.
std::optional<int> order_of(const selector_value& a, const selector_value& b) {
    if (a.kind != b.kind || a.kind == value_type::error) return std::nullopt;
    if (a.kind == value_type::text) return sign_of(a.text, b.text);
    if (a.kind == value_type::version) return compare_versions(a.text, b.text);
    return sign_of(a.number, b.number);
}

bool has_methods_of_order(const selector_value& value) {
    return value.kind == value_type::quantity || value.kind == value_type::version;
}

}  // namespace

const selector_value* find_attribute(const device_properties& device, std::string_view full_name) {
    const std::size_t slash = full_name.find('/');
    if (slash == std::string_view::npos) return nullptr;
    return find_property(device.attributes, full_name.substr(0, slash), full_name.substr(slash + 1));
}

// Evaluates one expression for one device.
class selector_evaluation {
  public:
    selector_evaluation(const device_selector& selector, const device_properties& device)
        : of_(selector), device_(device) {}

    selector_value at(std::uint32_t number) {
        const node& here = of_.nodes_[number];
        switch (here.what) {
            case op::literal:
                return here.value;
            case op::driver:
                return {value_type::text, 0, device_.driver};
            case op::property: {
                const selector_value* const found = find_property(properties(here), here.domain, here.name);
                return found != nullptr ? *found : selector_value{};
            }
            case op::has_property:
                return boolean(find_property(properties(here), here.domain, here.name) != nullptr);
            case op::negation:
                return negation(at(here.left));
            case op::both:
            case op::either:
                return junction(here);
            case op::in_list:
                return contained(at(here.left), of_.nodes_[here.right]);
            case op::lower:
                return lowered(at(here.left));
            case op::regex:
                return matched(at(here.left), here.right);
            case op::starts:
            case op::ends:
            case op::contains:
                return searched(here.what, at(here.left), at(here.right));
            case op::compare:
            case op::is_greater:
            case op::is_less:
                return ordered_by_method(here.what, at(here.left), at(here.right));
            default:
                return related(here.what, at(here.left), at(here.right));
        }
    }

  private:
    using op = device_selector::op;
    using node = device_selector::node;

    const std::vector<device_property>& properties(const node& here) const {
        return here.of_capacity ? device_.capacities : device_.attributes;
    }

    static selector_value negation(const selector_value& value) {
        return value.kind == value_type::boolean ? boolean(value.number == 0) : selector_value{};
    }

    // The side that decides absorbs an error of the other: error && false is false.
    selector_value junction(const node& here) {
        const std::int64_t deciding = here.what == op::either ? 1 : 0;
        const selector_value left = at(here.left);
        if (left.kind == value_type::boolean && left.number == deciding) return left;
        const selector_value right = at(here.right);
        if (right.kind == value_type::boolean && (right.number == deciding || left.kind == value_type::boolean))
            return right;
        return {};
    }

    selector_value contained(const selector_value& value, const node& in) {
        if (value.kind == value_type::error) return {};
        if (in.what == op::list) {
            return boolean(
                std::ranges::any_of(in.elements, [&](std::uint32_t element) { return at(element) == value; }));
        }
        return boolean(std::ranges::any_of(properties(in), [&](const device_property& property) {
            return value.kind == value_type::text &&
                   (in.domain.empty() ? property.domain == value.text
                                      : property.domain == in.domain && property.name == value.text);
        }));
    }

    static selector_value lowered(selector_value value) {
        if (value.kind != value_type::text) return {};
        value.text = lower(value.text);
        return value;
    }

    selector_value matched(const selector_value& value, std::uint32_t number) {
        if (value.kind != value_type::text) return {};
        match_budget budget;
        const bool found = of_.patterns_[number].found_in(value.text, budget);
        return budget.spent() ? selector_value{} : boolean(found);
    }

    static selector_value searched(op what, const selector_value& value, const selector_value& part) {
        if (value.kind != value_type::text || part.kind != value_type::text) return {};
        const std::string_view text = value.text;
        if (what == op::starts) return boolean(text.starts_with(part.text));
        if (what == op::ends) return boolean(text.ends_with(part.text));
        return boolean(text.find(part.text) != std::string_view::npos);
    }

    static selector_value ordered_by_method(op what, const selector_value& a, const selector_value& b) {
        const std::optional<int> order = has_methods_of_order(a) ? order_of(a, b) : std::nullopt;
        if (!order) return {};
        if (what == op::compare) return {value_type::integer, *order, {}};
        return boolean(what == op::is_greater ? *order > 0 : *order < 0);
    }

    // Values of different types are unequal, and have no order.
    static selector_value related(op what, const selector_value& a, const selector_value& b) {
        if (a.kind == value_type::error || b.kind == value_type::error) return {};
        if (what == op::equal) return boolean(a == b);
        if (what == op::unequal) return boolean(!(a == b));
        const std::optional<int> order = has_methods_of_order(a) ? std::nullopt : order_of(a, b);
        if (!order) return {};
        const bool holds = (what == op::less && *order < 0) || (what == op::at_most && *order <= 0) ||
                           (what == op::greater && *order > 0) || (what == op::at_least && *order >= 0);
        return boolean(holds);
    }

    const device_selector& of_;
    const device_properties& device_;
};

match device_selector::matches(const device_properties& device) const {
    const selector_value value = selector_evaluation(*this, device).at(static_cast<std::uint32_t>(nodes_.size() - 1));
    if (value.kind != selector_value::type::boolean) return match::error;
    return value.number != 0 ? match::yes : match::no;
}

}  // namespace gputide::nodes

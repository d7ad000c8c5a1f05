#include "manifest/behavior.hpp"

#include "base/format_text.hpp"
#include "base/quantity.hpp"
#include "base/text.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace gputide::manifest {

std::string unsupported_value(std::string_view value, std::span<const std::string_view> supported) {
    std::string out = "Unsupported value: " + in_quotes(value);
    const char* separator = ": supported values: ";
    for (const std::string_view name : supported) {
        out += separator + in_quotes(name);
        separator = ", ";
    }
    return out;
}

// Reading, defaults and validation of a scaling behavior.

namespace {

constexpr std::int32_t longest_window_s = 3600;
constexpr std::int32_t longest_period_s = 1800;
constexpr std::array<std::string_view, 2> policy_types{"Percent", "Pods"};
constexpr std::array<std::string_view, 3> selections{"Disabled", "Max", "Min"};

rules_as_written read_rules(const cursor& block, report& findings) {
    mapping rules(block, findings);
    rules_as_written out;
    out.window_s = rules.integer("stabilizationWindowSeconds");
    out.select = rules.text("selectPolicy");
    out.tolerance = rules.quantity("tolerance");
    if (const auto items = rules.list("policies")) {
        out.policies.emplace();
        for (const cursor& item : *items) {
            mapping policy(item, findings);
            policy_as_written entry;
            entry.type = policy.text_or_empty("type");
            entry.value = policy.integer("value").value_or(0);
            entry.period_s = policy.integer("periodSeconds").value_or(0);
            policy.finish();
            out.policies->push_back(std::move(entry));
        }
    }
    rules.finish();
    return out;
}

rules_as_written filled(const std::optional<rules_as_written>& written, std::int32_t window_s,
                        std::vector<policy_as_written> policies) {
    rules_as_written out = written.value_or(rules_as_written{});
    if (!out.window_s) out.window_s = window_s;
    if (!out.select) out.select = "Max";
    if (!out.policies) out.policies = std::move(policies);
    return out;
}

void check_word(const std::string& word, std::span<const std::string_view> words, const std::string& path,
                const char* remedy, violations& out) {
    if (std::ranges::find(words, word) != words.end()) return;
    add_violation(out, path, unsupported_value(word, words), remedy);
}

void validate_policy(const policy_as_written& policy, const std::string& path, violations& out) {
    check_word(policy.type, policy_types, path + ".type", "write Pods or Percent", out);
    if (policy.value <= 0) add_violation(out, {path, ".value"}, "must be greater than zero", "write 1 or more");
    if (policy.period_s <= 0)
        add_violation(out, {path, ".periodSeconds"}, "must be greater than zero", "write 1 to 1800");
    if (policy.period_s > longest_period_s) {
        add_violation(out, {path, ".periodSeconds"}, "must be less than or equal to 1800", "write 1 to 1800");
    }
}

// A tolerance is a quantity; "-0.1" is a valid quantity, but below zero.
void validate_tolerance(const std::string& tolerance, const std::string& path, violations& out) {
    const result<quantity> read = parse_quantity(tolerance);
    if (!read) {
        add_violation(out, path, format_text("must be a quantity: {}", read.failure().message),
                      "write a number such as \"0.05\"");
    } else if (read->milli < 0) {
        add_violation(out, path, "must be greater than or equal to 0", "write a number such as \"0.05\"");
    }
}

void validate_rules(const rules_as_written& rules, const std::string& path, violations& out) {
    const std::string window = path + ".stabilizationWindowSeconds";
    const std::int32_t window_s = rules.window_s.value_or(0);
    if (window_s < 0) add_violation(out, window, "must be greater than or equal to zero", "write 0 to 3600");
    if (window_s > longest_window_s)
        add_violation(out, window, "must be less than or equal to 3600", "write 0 to 3600");
    if (rules.select) check_word(*rules.select, selections, path + ".selectPolicy", "write Max, Min or Disabled", out);
    if (!rules.policies || rules.policies->empty()) {
        add_violation(out, {path, ".policies"}, "must specify at least one Policy",
                      "add a policy, or remove the empty list");
    } else {
        for (std::size_t i = 0; i < rules.policies->size(); ++i) {
            validate_policy((*rules.policies)[i], format_text("{}.policies[{}]", path, i), out);
        }
    }
    if (rules.tolerance) validate_tolerance(*rules.tolerance, path + ".tolerance", out);
}

// Releases before 1.35 ignore the field.
double tolerance_of(const rules_as_written& rules, const controller_flags& controller) {
    if (!rules.tolerance || !holds(version_rule::tolerance_of_behavior, controller.versions))
        return controller.tolerance;
    const result<double> read = approximate_quantity(*rules.tolerance);
    return read ? *read : controller.tolerance;
}

scaling_rules to_rules(const rules_as_written& rules, const controller_flags& controller) {
    scaling_rules out;
    out.window_s = rules.window_s.value_or(0);
    const std::string select = rules.select.value_or("Max");
    out.select = select == "Min"        ? select_policy::min
                 : select == "Disabled" ? select_policy::disabled
                                        : select_policy::max;
    for (const policy_as_written& policy : rules.policies.value_or(std::vector<policy_as_written>{})) {
        out.policies.push_back(
            {policy.type == "Percent" ? policy_type::percent : policy_type::pods, policy.value, policy.period_s});
    }
    out.tolerance = tolerance_of(rules, controller);
    return out;
}

}  // namespace

void add_violations(report& findings, const cursor& root, violations found) {
    for (violation& refused : found) {
        findings.add(severity::error, refused.code, root.place_of(refused.path), refused.message, refused.remedy);
    }
}

behavior_as_written read_behavior(const cursor& block, report& findings) {
    mapping both(block, findings);
    behavior_as_written out;
    if (const auto up = both.object("scaleUp")) out.up = read_rules(*up, findings);
    if (const auto down = both.object("scaleDown")) out.down = read_rules(*down, findings);
    both.finish();
    return out;
}

behavior_as_written with_defaults(const behavior_as_written& written, std::int32_t downscale_window_s) {
    behavior_as_written out;
    out.up = filled(written.up, 0, {{"Pods", 4, 15}, {"Percent", 100, 15}});
    out.down = filled(written.down, downscale_window_s, {{"Percent", 100, 15}});
    return out;
}

violations validate_behavior(const behavior_as_written& complete, const std::string& path) {
    violations out;
    if (complete.up) validate_rules(*complete.up, path + ".scaleUp", out);
    if (complete.down) validate_rules(*complete.down, path + ".scaleDown", out);
    return out;
}

behavior to_behavior(const behavior_as_written& complete, const controller_flags& controller) {
    return {to_rules(complete.up.value_or(rules_as_written{}), controller),
            to_rules(complete.down.value_or(rules_as_written{}), controller)};
}

std::optional<behavior> load_behavior(const cursor& block, const cursor& root, const controller_flags& controller,
                                      report& findings) {
    const std::size_t errors_before = findings.count(severity::error);
    const behavior_as_written complete = with_defaults(read_behavior(block, findings), controller.downscale_window_s);
    const std::string path = block.path.substr(root.path.empty() ? 0 : root.path.size() + 1);
    add_violations(findings, root, validate_behavior(complete, path));
    if (findings.count(severity::error) > errors_before) return std::nullopt;
    return to_behavior(complete, controller);
}

}  // namespace gputide::manifest

// Reads the scaling behavior of autoscaling/v2.
#include "base/format_text.hpp"
#include "base/quantity.hpp"
#include "base/text.hpp"
#include "manifest/scalers.hpp"

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

namespace {

constexpr std::int32_t longest_window_s = 3600;
constexpr std::int32_t longest_period_s = 1800;
constexpr std::array<std::string_view, 2> policy_types{"Percent", "Pods"};
constexpr std::array<std::string_view, 3> selections{"Disabled", "Max", "Min"};

class behavior_reader {
  public:
    behavior_reader(const controller_flags& controller, violations& refused, report& findings)
        : controller_(controller), refused_(refused), findings_(findings) {}

    // Replaces the defaults in `rules` by the members of the block, if there is one.
    void read(const std::optional<cursor>& block, const std::string& path, scaling_rules& rules) {
        if (!block) return check_window(rules.window_s, path);  // the controller's flag may be longer than an hour
        mapping fields(*block, findings_);
        rules.window_s = fields.integer("stabilizationWindowSeconds").value_or(rules.window_s);
        check_window(rules.window_s, path);
        if (const auto select = fields.text("selectPolicy")) {
            check_name(*select, selections, path + ".selectPolicy", "write Max, Min or Disabled");
            if (*select == "Min") rules.select = select_policy::min;
            if (*select == "Disabled") rules.select = select_policy::disabled;
        }
        const auto tolerance = fields.quantity("tolerance");
        if (const auto items = fields.list("policies")) read_policies(*items, path + ".policies", rules);
        if (tolerance) read_tolerance(*tolerance, path + ".tolerance", rules);
        fields.finish();
    }

  private:
    void refuse(const violation_path& path, std::string_view message, std::string_view remedy) {
        add_violation(refused_, path, message, remedy);
    }

    void check_name(const std::string& name, std::span<const std::string_view> names, const std::string& path,
                    const char* remedy) {
        if (std::ranges::find(names, name) == names.end()) refuse(path, unsupported_value(name, names), remedy);
    }

    void check_window(std::int32_t window_s, const std::string& path) {
        const violation_path at(path, ".stabilizationWindowSeconds");
        if (window_s < 0) refuse(at, "must be greater than or equal to zero", "write 0 to 3600");
        if (window_s > longest_window_s) refuse(at, "must be less than or equal to 3600", "write 0 to 3600");
    }

    void read_policies(const std::vector<cursor>& items, const std::string& path, scaling_rules& rules) {
        rules.policies.clear();
        if (items.empty()) refuse(path, "must specify at least one Policy", "add a policy, or remove the empty list");
        for (const cursor& item : items) {
            const std::string here = format_text("{}[{}]", path, rules.policies.size());
            mapping fields(item, findings_);
            scaling_policy& policy = rules.policies.emplace_back();
            const std::string type = fields.text_or_empty("type");
            if (type == "Percent") policy.type = policy_type::percent;
            policy.value = fields.integer("value").value_or(0);
            policy.period_s = fields.integer("periodSeconds").value_or(0);
            fields.finish();
            check_name(type, policy_types, here + ".type", "write Pods or Percent");
            if (policy.value <= 0) refuse({here, ".value"}, "must be greater than zero", "write 1 or more");
            if (policy.period_s <= 0) refuse({here, ".periodSeconds"}, "must be greater than zero", "write 1 to 1800");
            if (policy.period_s > longest_period_s)
                refuse({here, ".periodSeconds"}, "must be less than or equal to 1800", "write 1 to 1800");
        }
    }

    // A tolerance is a quantity; "-0.1" is a valid quantity, but below zero.  Releases before 1.35 ignore the field.
    void read_tolerance(const std::string& tolerance, const std::string& path, scaling_rules& rules) {
        const result<quantity> read = parse_quantity(tolerance);
        if (!read) {
            refuse(path, format_text("must be a quantity: {}", read.failure().message),
                   "write a number such as \"0.05\"");
        } else if (read->milli < 0) {
            refuse(path, "must be greater than or equal to 0", "write a number such as \"0.05\"");
        }
        if (!holds(version_rule::tolerance_of_behavior, controller_.versions)) return;
        if (const result<double> value = approximate_quantity(tolerance)) rules.tolerance = *value;
    }

    const controller_flags& controller_;
    violations& refused_;
    report& findings_;
};

}  // namespace

behavior read_behavior(const cursor& block, const std::string& path, const controller_flags& controller,
                       violations& refused, report& findings) {
    behavior out = default_behavior(controller);
    behavior_reader reader(controller, refused, findings);
    mapping both(block, findings);
    reader.read(both.object("scaleUp"), path + ".scaleUp", out.up);
    reader.read(both.object("scaleDown"), path + ".scaleDown", out.down);
    both.finish();
    return out;
}

}  // namespace gputide::manifest

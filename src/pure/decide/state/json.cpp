// Describes and reads a state as JSON; visit.hpp names its members, text.hpp describes the format.
#include "base/format_text.hpp"
#include "base/text.hpp"
#include "decide/decide.hpp"
#include "decide/forecast/history.hpp"
#include "decide/state/state.hpp"
#include "decide/state/text.hpp"
#include "decide/state/visit.hpp"
#include "text/document.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

namespace gputide::decide {

namespace {

// Returns the name of a metric, as used in "health".
std::string_view metric_label(const policy& policy, std::int32_t metric) {
    return metric == composite_metric ? composite_name : policy.metrics[static_cast<std::size_t>(metric)].label();
}

std::optional<std::int32_t> find_metric(const policy& policy, std::string_view label) noexcept {
    if (label == composite_name && policy.formula != nullptr) return composite_metric;
    for (std::size_t i = 0; i < policy.metrics.size(); ++i) {
        if (policy.metrics[i].label() == label) return static_cast<std::int32_t>(i);
    }
    return std::nullopt;
}

class json_output {
  public:
    static constexpr bool loads = false;
    static constexpr bool is_text = false;

    explicit json_output(const policy& policy) : policy_(policy) { out_.begin_object(); }
    std::string take() && { return out_.end_object().take(); }

    static constexpr bool shows(bool says_something) { return says_something; }

    void string(member_name name, std::string_view value) { out_.member(name.json, value); }
    void boolean(member_name name, bool value) { out_.member(name.json, value); }
    void number(member_name name, double value, double, double) { out_.member(name.json, value); }
    void time(member_name name, std::int64_t value) { out_.member(name.json, value); }
    void time_or_null(member_name name, std::int64_t value, std::int64_t absent) {
        optional(name, value != absent, [&] { out_.integer(value); });
    }
    template <class Integer>
    void integer(member_name name, Integer value, std::int64_t = 0, std::int64_t = 0) {
        out_.member(name.json, static_cast<std::int64_t>(value));
    }
    template <class Code, class Name>
    void code(member_name name, Code value, Code, Name name_of) {
        out_.member(name.json, std::string_view(name_of(value)));
    }
    void metric(member_name name, std::int32_t metric) { out_.member(name.json, metric_label(policy_, metric)); }

    template <class Value>
    void optional(member_name name, bool present, Value visit_value) {
        out_.key(name.json);
        if (present) {
            visit_value();
        } else {
            out_.null();
        }
    }
    template <class Members>
    void record(member_name name, Members members) {
        if (!name.is_empty()) out_.key(name.json);
        out_.begin_object();
        members();
        out_.end_object();
    }
    template <class Members>
    void nested(member_name name, bool present, Members members) {
        if (present) record(name, members);
    }
    template <class Members>
    void optional_record(member_name name, bool present, Members members) {
        if (present) record(name, members);
    }
    template <class List>
    void list(member_name name, const List& items, std::size_t) {
        out_.key(name.json).begin_array();
        for (const auto& item : items) record(unnamed, [&] { visit(*this, item); });
        out_.end_array();
    }
    void integers(member_name name, const std::vector<std::int32_t>& items, std::int64_t, std::int64_t) {
        out_.key(name.json).begin_array();
        for (const std::int32_t item : items) out_.integer(item);
        out_.end_array();
    }
    void metrics(member_name name, const std::vector<metric_health>& health) {
        record(name, [&] {
            for (std::size_t i = 0; i < health.size() && i < policy_.metrics.size(); ++i) {
                out_.key(policy_.metrics[i].label());
                record(unnamed, [&] { visit(*this, health[i]); });
            }
        });
    }
    void conditions(member_name name, const condition_list& conditions) {
        out_.key(name.json).begin_array();
        for (std::size_t i = 0; i < conditions.size(); ++i) {
            if (conditions[i].truth == truth::absent) continue;
            record(unnamed, [&] {
                string("type", condition_name(static_cast<condition_type>(i)));
                visit(*this, conditions[i]);
            });
        }
        out_.end_array();
    }
    void forecast(member_name name, const std::vector<load_forecast>& forecasts) {
        for (const load_forecast& forecast : forecasts) record(name, [&] { write_forecast(out_, forecast); });
    }

  private:
    const policy& policy_;
    json_writer out_;
};

// Reads members by name; a missing or null member keeps its value.  After the first error nothing more is read.
class json_input {
  public:
    static constexpr bool loads = true;
    static constexpr bool is_text = false;

    json_input(const policy& policy, const text::node& root) : policy_(policy), object_(&root) {}
    std::optional<error> failure() && { return std::move(failure_); }

    static constexpr bool shows(bool) { return true; }

    void refuse(const std::string& path, const std::string& expected) {
        if (!failure_) failure_ = fail(status::state, "expected {}", expected).at(path);
    }
    bool has(member_name name) { return find(name) != nullptr; }
    void expect(member_name name, std::string_view text) {
        const text::node* found = find(name);
        if (found != nullptr && found->text != text) refuse(path_of(name), in_quotes(text));
    }
    // Rejects a root that is not an object, and unknown members.
    void finish() {
        if (failure_) return;
        if (object_->kind != text::node_kind::mapping) return refuse(path_, "an object");
        for (const text::node& member : object_->children) {
            if (std::ranges::find(known_, member.key) == known_.end())
                refuse(path_of(member.key.c_str()), "no member of this name");
        }
    }

    void boolean(member_name name, bool& value) {
        const text::node* found = find(name);
        if (found == nullptr) return;
        const bool is_boolean = !found->quoted && text::type_of(*found) == text::scalar_type::boolean;
        if (!is_boolean) refuse(path_of(name), "true or false");
        value = is_boolean && found->text == "true";
    }
    void number(member_name name, double& value, double min, double max) {
        const text::node* found = find(name);
        if (found == nullptr) return;
        std::optional<double> read;
        if (!found->quoted) read = parse_json_number(found->text);
        if (read && *read >= min && *read <= max) {
            value = *read;
        } else {
            refuse(path_of(name), "a finite number");
        }
    }
    template <class Integer>
    void integer(member_name name, Integer& value, std::int64_t min = smallest<Integer>,
                 std::int64_t max = largest<Integer>) {
        const auto otherwise = std::max(static_cast<std::int64_t>(value), min);
        value = static_cast<Integer>(whole(find(name), path_of(name), otherwise, min, max));
    }
    // Reads the time of an entry; an entry without one gets 0 (1970).
    void time(member_name name, std::int64_t& value) {
        value = whole(find(name), path_of(name), value == absent ? 0 : value, -latest_ms, latest_ms);
    }
    void time_or_null(member_name name, std::int64_t& value, std::int64_t) {
        value = whole(find(name), path_of(name), value, -latest_ms, latest_ms);
    }
    // Reads a code by its name; codes without a name cannot be set.
    template <class Code, class Name>
    void code(member_name name, Code& value, Code last, Name name_of) {
        const text::node* found = find(name);
        if (found == nullptr) return;
        for (std::int32_t number = 0; number <= static_cast<std::int32_t>(last); ++number) {
            const std::string_view code_name = name_of(static_cast<Code>(number));
            if (code_name.empty() || found->text != code_name) continue;
            value = static_cast<Code>(number);
            return;
        }
        refuse(path_of(name), "another name than " + in_quotes(found->text));
    }
    void metric(member_name name, std::int32_t& metric) {
        const text::node* found = find(name);
        if (found == nullptr) return;
        const std::optional<std::int32_t> known = find_metric(policy_, found->text);
        if (!known) refuse(path_of(name), "a metric of the policy");
        metric = known.value_or(-1);
    }

    template <class Value>
    void optional(member_name name, bool& present, Value visit_value) {
        value_ = find(name);
        value_path_ = path_of(name);
        present = value_ != nullptr;
        if (present) visit_value();
    }
    template <class Members>
    void record(member_name, Members members) {
        inside(*value_, value_path_, members);
    }
    template <class Members>
    void nested(member_name name, bool, Members members) {
        if (const text::node* found = find(name)) inside(*found, path_of(name), members);
    }
    template <class Members>
    void optional_record(member_name name, bool present, Members members) {
        nested(name, present, members);
    }
    template <class List>
    void list(member_name name, List& items, std::size_t max) {
        items_of(name, max, [&](const text::node& node, const std::string& path) {
            typename List::value_type item{};
            inside(node, path, [&] { visit(*this, item); });
            items.push_back(item);
        });
    }
    void integers(member_name name, std::vector<std::int32_t>& items, std::int64_t min, std::int64_t max) {
        const auto count = static_cast<std::size_t>(std::max(0, policy_.scaling.extra.confirm_n));
        items_of(name, count, [&](const text::node& node, const std::string& path) {
            items.push_back(static_cast<std::int32_t>(whole(&node, path, 0, min, max)));
        });
    }
    void metrics(member_name name, std::vector<metric_health>& health) {
        nested(name, true, [&] {
            for (const text::node& node : object_->children) {
                known_.emplace_back(node.key);
                const std::string path = path_of(node.key.c_str());
                const std::int32_t metric = find_metric(policy_, node.key).value_or(-1);
                if (metric < 0) return refuse(path, "a metric of the policy");
                metric_health& target = health[static_cast<std::size_t>(metric)];
                inside(node, path, [&] {
                    if (has("last")) target.last.state = sample_state::ok;  // unless "last" has a state
                    visit(*this, target);
                });
            }
        });
    }
    void conditions(member_name name, condition_list& conditions) {
        items_of(name, conditions.size(), [&](const text::node& node, const std::string& path) {
            inside(node, path, [&] {
                auto type = condition_type::able_to_scale;
                code("type", type, condition_type::paused, condition_name);
                condition& target = conditions[static_cast<std::size_t>(type)] = {};
                visit(*this, target);
            });
        });
    }
    void forecast(member_name name, const std::vector<load_forecast>&) { find(name); }

  private:
    std::string path_of(member_name name) const {
        return path_.empty() ? std::string(name.json) : format_text("{}.{}", path_, name.json);
    }
    const text::node* find(member_name name) {
        known_.emplace_back(name.json);
        const text::node* found = object_->find(name.json);
        return failure_ || found == nullptr || text::is_null(*found) ? nullptr : found;
    }
    std::int64_t whole(const text::node* found, const std::string& path, std::int64_t otherwise, std::int64_t min,
                       std::int64_t max) {
        if (found == nullptr) return otherwise;
        const std::optional<std::int64_t> read = found->quoted ? std::nullopt : parse_int64(found->text);
        if (read && *read >= min && *read <= max) return *read;
        refuse(path, format_text("a whole number from {} to {}", min, max));
        return otherwise;
    }
    template <class Members>
    void inside(const text::node& object, const std::string& path, Members members) {
        const text::node* const outer = std::exchange(object_, &object);
        std::string outer_path = std::exchange(path_, path);
        std::vector<std::string_view> outer_known = std::exchange(known_, {});
        members();
        finish();
        object_ = outer;
        path_ = std::move(outer_path);
        known_ = std::move(outer_known);
    }
    template <class Item>
    void items_of(member_name name, std::size_t max, Item read_item) {
        const text::node* found = find(name);
        if (found == nullptr) return;
        const std::string path = path_of(name);
        if (found->kind != text::node_kind::sequence) return refuse(path, "a list");
        if (found->children.size() > max) return refuse(path, format_text("at most {} items", max));
        for (std::size_t i = 0; i < found->children.size(); ++i) {
            read_item(found->children[i], format_text("{}[{}]", path, i));
        }
    }

    const policy& policy_;
    const text::node* object_;
    std::string path_;
    std::vector<std::string_view> known_;
    const text::node* value_ = nullptr;
    std::string value_path_;
    std::optional<error> failure_;
};

}  // namespace

std::string describe_state(const policy& policy, const state& state) {
    json_output out(policy);
    out.string("kind", kind_name(policy));
    out.string("namespace", policy.scaling.name_space);
    out.string("name", policy.scaling.name);
    visit(out, state);
    return std::move(out).take();
}

result<state> read_state(const policy& policy, std::string_view json) {
    if (json.size() > limits::state_bytes) {
        return fail(status::state, "a state of {} bytes; at most {} are read", json.size(), limits::state_bytes);
    }
    const text::read_text text = text::read_json(json);
    if (text.failure) {
        return fail(status::state, "not valid JSON: {}", text.failure->message)
            .at(format_text("line {}", text.failure->line));
    }
    if (text.roots.size() != 1) return fail(status::state, "expected one JSON object");
    json_input in(policy, text.roots.front());
    state out = make_state(policy);
    in.expect("kind", kind_name(policy));
    in.expect("namespace", policy.scaling.name_space);
    in.expect("name", policy.scaling.name);
    out.seen = in.has("history");
    visit(in, out);
    in.finish();
    if (std::optional<error> failure = std::move(in).failure()) return std::move(*failure);
    out.newest_ms = newest_time_of(out);
    return out;
}

}  // namespace gputide::decide

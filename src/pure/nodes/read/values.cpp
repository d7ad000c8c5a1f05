#include "nodes/read/values.hpp"

#include "base/format_text.hpp"
#include "base/quantity.hpp"
#include "base/text.hpp"
#include "base/time.hpp"
#include "text/setting.hpp"

#include <algorithm>
#include <cmath>

namespace gputide::nodes {
namespace {

using text::severity;

constexpr std::string_view whole_only =
    "write a whole number; a GPU is shared by time slicing, MPS or MIG, which show as a larger count or another "
    "resource";

// 1e3 is an integer, 0.5 is not.
std::optional<std::int64_t> whole(std::string_view text) {
    if (const std::optional<std::int64_t> exact = parse_int64(text)) return exact;
    const std::optional<double> value = parse_json_number(text);
    if (!value || *value != std::floor(*value) || std::abs(*value) > 9.0e15) return std::nullopt;
    return static_cast<std::int64_t>(*value);
}

bool is_scalar(const text::node& node) { return node.kind == text::node_kind::scalar; }

std::string shown(const text::node& node) {
    return is_scalar(node) ? in_quotes(node.text) : std::string(text::kind_name(node));
}

// Collects the nodes from `wanted` upwards to the child of `from`; returns false if it is not in that tree.
bool find_way(const text::node& from, const text::node* wanted, std::vector<const text::node*>& way) {
    if (&from == wanted) return true;
    for (const text::node& child : from.children) {
        if (!find_way(child, wanted, way)) continue;
        way.push_back(&child);
        return true;
    }
    return false;
}

}  // namespace

place value_reader::where() const {
    text::cursor at = source_->root;
    std::vector<const text::node*> way;
    if (!source_->has_enough_findings) find_way(*at.at, at_, way);
    for (auto step = way.rbegin(); step != way.rend(); ++step) {
        const bool is_item = at.at->kind == text::node_kind::sequence;
        at = is_item ? at.item(static_cast<std::size_t>(*step - at.at->children.data())) : at.child(**step);
    }
    return at.where();
}

value_reader value_reader::member(std::string_view name) const {
    const text::node* const found = at_ != nullptr ? at_->find(name) : nullptr;
    return found != nullptr && !text::is_null(*found) ? value_reader(*found, *source_) : value_reader();
}

value_list value_reader::items() const {
    if (is_list()) return {at_->children, *source_};
    if (at_ != nullptr) wrong_kind("a list");
    return {};
}

value_list value_reader::members() const { return is_mapping() ? value_list(at_->children, *source_) : value_list(); }

void value_reader::only(std::initializer_list<std::string_view> names) const {
    if (!is_mapping()) return wrong_kind("a mapping");
    for (const value_reader member : members()) {
        if (is_one_of(member.name(), {names.begin(), names.size()})) continue;
        const std::string_view near = nearest(member.name(), names);
        member.warning("unknown-key", format_text("{} is not a known key here", in_quotes(member.name())),
                       near.empty() ? std::string() : format_text("did you mean {}?", near));
    }
}

void value_reader::add(severity level, std::string_view code, std::string_view message, std::string_view remedy) const {
    if (!source_->findings.full(level)) source_->findings.add(level, code, where(), message, remedy);
}

void value_reader::error(std::string_view code, std::string_view message, std::string_view remedy) const {
    add(severity::error, code, message, remedy);
}

void value_reader::warning(std::string_view code, std::string_view message, std::string_view remedy) const {
    add(severity::warning, code, message, remedy);
}

void value_reader::note(std::string_view code, std::string_view message, std::string_view remedy) const {
    add(severity::note, code, message, remedy);
}

void value_reader::wrong_kind(std::string_view expected) const {
    error("wrong-type", format_text("expected {}, got {}", expected, text::kind_name(*at_)));
}

std::optional<std::string> value_reader::own_text() const {
    if (at_ == nullptr) return std::nullopt;
    if (is_scalar(*at_)) return at_->text;
    wrong_kind("text");
    return std::nullopt;
}

std::string value_reader::text(std::string_view name, std::string_view fallback) const {
    std::optional<std::string> text = member(name).own_text();
    return text ? *std::move(text) : std::string(fallback);
}

std::optional<std::int64_t> value_reader::signed_integer() const {
    if (at_ == nullptr) return std::nullopt;
    const std::optional<std::int64_t> value = is_scalar(*at_) ? whole(at_->text) : std::nullopt;
    if (!value) error("wrong-type", format_text("expected a whole number, got {}", shown(*at_)));
    return value;
}

std::int64_t value_reader::own_integer(std::int64_t fallback) const {
    if (is_absent()) return fallback;
    const std::optional<std::int64_t> value = signed_integer();
    if (!value) return fallback;
    if (*value >= 0) return *value;
    error("negative", format_text("expected 0 or more, got {}", *value));
    return fallback;
}

std::int64_t value_reader::integer(std::string_view name, std::int64_t fallback) const {
    return member(name).own_integer(fallback);
}

std::optional<double> value_reader::own_number() const {
    if (is_absent()) return std::nullopt;
    const std::optional<double> value = is_scalar(*at_) ? parse_json_number(at_->text) : std::nullopt;
    if (value && *value >= 0.0) return value;
    error("wrong-type", format_text("expected a number of 0 or more, got {}", shown(*at_)));
    return std::nullopt;
}

std::optional<double> value_reader::number(std::string_view name) const { return member(name).own_number(); }

bool value_reader::flag(std::string_view name, bool fallback) const {
    const value_reader found = member(name);
    if (!found) return fallback;
    const std::optional<bool> value = is_scalar(*found.at_) ? parse_go_bool(found.at_->text) : std::nullopt;
    if (!value) found.error("wrong-type", format_text("expected true or false, got {}", in_quotes(found.at_->text)));
    return value.value_or(fallback);
}

std::optional<std::int64_t> value_reader::time_ms(std::string_view name) const {
    const value_reader found = member(name);
    if (!found) return std::nullopt;
    const std::string& text = found.at_->text;  // "" if it is not a scalar
    if (is_scalar(*found.at_) && !found.at_->quoted) {
        if (const std::optional<std::int64_t> ms = parse_int64(text)) return ms;
    }
    const std::optional<std::int64_t> time = parse_rfc3339(text);
    if (!time)
        found.error("wrong-type", format_text("expected a time such as 2026-11-21T10:00:00Z, got {}", in_quotes(text)));
    return time;
}

text_map value_reader::texts(std::string_view name) const {
    text_map out;
    const value_reader found = member(name);
    if (found && !found.is_mapping()) found.wrong_kind("a mapping");
    for (const value_reader member : found.members()) out[member.at_->key] = member.at_->text;
    return out;
}

std::vector<std::string> value_reader::words(std::string_view name) const {
    std::vector<std::string> out;
    for (const value_reader item : member(name).items()) {
        if (std::optional<std::string> text = item.own_text()) out.push_back(*std::move(text));
    }
    return out;
}

std::optional<std::size_t> value_reader::choice(std::string_view name, std::string_view text,
                                                std::span<const std::string_view> names, std::string_view code) const {
    const auto at = std::ranges::find(names, text);
    if (at != names.end()) return static_cast<std::size_t>(at - names.begin());
    error(code,
          format_text("{}: expected {}, got {}", name, text::expected_text(text::a_choice(names)), in_quotes(text)));
    return std::nullopt;
}

std::optional<std::int64_t> value_reader::amount_of(std::string_view resource_name) const {
    const std::string& text = at_->text;
    const text::scalar_type type = text::type_of(*at_);
    const bool is_number = type == text::scalar_type::integer || type == text::scalar_type::floating;
    if (is_scalar(*at_) && is_number && source_->from == dialect::own) {
        const std::optional<std::int64_t> value = whole(text);
        if (!value)
            error("fraction", format_text("{}: expected a whole number, got {}", resource_name, text), whole_only);
        return value;
    }
    const result<quantity> read = parse_quantity(text);
    if (!read) {
        error("quantity", format_text("{}: expected a quantity such as \"1\", \"500m\" or \"16Gi\", got {}",
                                      resource_name, in_quotes(text)));
        return std::nullopt;
    }
    if (resource_name == cpu_name) return read->milli;
    const bool counted = resource_name != memory_name && resource_name != "ephemeral-storage" &&
                         !resource_name.starts_with("hugepages-");
    if (counted && !read->milli_overflow && read->milli % 1000 != 0) {
        error("fraction", format_text("{}: expected a whole number, got {}", resource_name, in_quotes(text)),
              whole_only);
        return std::nullopt;
    }
    return read->value_up;
}

resource_list value_reader::amounts(std::string_view name) const {
    resource_list out;
    const value_reader found = member(name);
    if (found && !found.is_mapping()) found.wrong_kind("a mapping of amounts");
    for (const value_reader value : found.members()) {
        const std::optional<std::int64_t> amount = value.amount_of(value.name());
        if (!amount) continue;
        if (*amount < 0) {
            value.error("negative", format_text("{}: expected 0 or more, got {}", value.name(), *amount));
        } else {
            out.set(value.name(), *amount);
        }
    }
    return out;
}

}  // namespace gputide::nodes

#include "nodes/read/values.hpp"

#include "base/format_text.hpp"
#include "base/quantity.hpp"
#include "base/text.hpp"
#include "base/time.hpp"

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

}  // namespace

std::optional<value_reader> value_reader::member(std::string_view name) const {
    const text::node* const found = at_.at->find(name);
    if (found == nullptr || text::is_null(*found)) return std::nullopt;
    return value_reader(at_.child(*found), from_, findings_);
}

std::vector<value_reader> value_reader::items() const {
    std::vector<value_reader> out;
    if (at_.at->kind != text::node_kind::sequence) {
        error("wrong-type", format_text("expected a list, got {}", text::kind_name(*at_.at)));
        return out;
    }
    for (std::size_t i = 0; i < at_.at->children.size(); ++i) out.emplace_back(at_.item(i), from_, findings_);
    return out;
}

void value_reader::only(std::initializer_list<std::string_view> names) const {
    if (!is_mapping()) return error("wrong-type", format_text("expected a mapping, got {}", text::kind_name(*at_.at)));
    for (const text::node& node : at_.at->children) {
        if (std::find(names.begin(), names.end(), node.key) != names.end()) continue;
        const std::string_view near = nearest(node.key, names);
        findings_.add(severity::warning, "unknown-key", at_.child(node).where(),
                      format_text("{} is not a known key here", in_quotes(node.key)),
                      near.empty() ? std::string() : format_text("did you mean {}?", near));
    }
}

void value_reader::error(std::string_view code, std::string_view message, std::string_view remedy) const {
    findings_.add(severity::error, code, at_.where(), message, remedy);
}

void value_reader::warning(std::string_view code, std::string_view message, std::string_view remedy) const {
    findings_.add(severity::warning, code, at_.where(), message, remedy);
}

std::optional<std::string> value_reader::own_text() const {
    std::optional<std::string> out = text::scalar_text(*at_.at);
    if (!out) error("wrong-type", format_text("expected text, got {}", text::kind_name(*at_.at)));
    return out;
}

std::string value_reader::text(std::string_view name, std::string_view fallback) const {
    const std::optional<value_reader> found = member(name);
    std::optional<std::string> text = found ? found->own_text() : std::nullopt;
    return text ? *std::move(text) : std::string(fallback);
}

std::optional<std::int64_t> value_reader::signed_integer() const {
    const std::optional<std::string> text = text::scalar_text(*at_.at);
    const std::optional<std::int64_t> value = text ? whole(*text) : std::nullopt;
    if (!value)
        error("wrong-type", format_text("expected a whole number, got {}",
                                        text ? in_quotes(*text) : std::string(text::kind_name(*at_.at))));
    return value;
}

std::int64_t value_reader::integer(std::string_view name, std::int64_t fallback) const {
    const std::optional<value_reader> found = member(name);
    if (!found) return fallback;
    const std::optional<std::int64_t> value = found->signed_integer();
    if (!value) return fallback;
    if (*value >= 0) return *value;
    found->error("negative", format_text("expected 0 or more, got {}", *value));
    return fallback;
}

std::optional<double> value_reader::number(std::string_view name) const {
    const std::optional<value_reader> found = member(name);
    if (!found) return std::nullopt;
    const std::optional<std::string> text = text::scalar_text(*found->at_.at);
    const std::optional<double> value = text ? parse_json_number(*text) : std::nullopt;
    if (value && *value >= 0.0) return value;
    found->error("wrong-type", format_text("expected a number of 0 or more, got {}",
                                           text ? in_quotes(*text) : std::string(text::kind_name(*found->at_.at))));
    return std::nullopt;
}

bool value_reader::flag(std::string_view name, bool fallback) const {
    const std::optional<value_reader> found = member(name);
    if (!found) return fallback;
    const std::optional<std::string> text = text::scalar_text(*found->at_.at);
    const std::optional<bool> value = text ? parse_go_bool(*text) : std::nullopt;
    if (!value) found->error("wrong-type", format_text("expected true or false, got {}", in_quotes(text.value_or(""))));
    return value.value_or(fallback);
}

std::optional<std::int64_t> value_reader::time_ms(std::string_view name) const {
    const std::optional<value_reader> found = member(name);
    if (!found) return std::nullopt;
    const std::optional<std::string> text = text::scalar_text(*found->at_.at);
    if (text && !found->at_.at->quoted) {
        if (const std::optional<std::int64_t> ms = parse_int64(*text)) return ms;
    }
    const std::optional<std::int64_t> time = text ? parse_rfc3339(*text) : std::nullopt;
    if (!time)
        found->error("wrong-type",
                     format_text("expected a time such as 2026-11-21T10:00:00Z, got {}", in_quotes(text.value_or(""))));
    return time;
}

text_map value_reader::texts(std::string_view name) const {
    text_map out;
    const std::optional<value_reader> found = member(name);
    if (!found) return out;
    if (!found->is_mapping()) {
        found->error("wrong-type", format_text("expected a mapping, got {}", text::kind_name(*found->at_.at)));
        return out;
    }
    for (const text::node& node : found->at_.at->children) out[node.key] = text::scalar_text(node).value_or("");
    return out;
}

std::vector<std::string> value_reader::words(std::string_view name) const {
    std::vector<std::string> out;
    const std::optional<value_reader> found = member(name);
    if (!found) return out;
    for (const value_reader& item : found->items()) {
        if (std::optional<std::string> text = item.own_text()) out.push_back(*std::move(text));
    }
    return out;
}

std::optional<std::int64_t> value_reader::amount_of(std::string_view resource_name) const {
    const std::optional<std::string> text = text::scalar_text(*at_.at);
    const text::scalar_type type = text::type_of(*at_.at);
    const bool is_number = type == text::scalar_type::integer || type == text::scalar_type::floating;
    if (text && is_number && from_ == dialect::own) {
        const std::optional<std::int64_t> value = whole(*text);
        if (!value)
            error("fraction", format_text("{}: expected a whole number, got {}", resource_name, *text),
                  std::string(whole_only));
        return value;
    }
    const result<quantity> read = text ? parse_quantity(*text) : result<quantity>(fail(status::invalid, "no text"));
    if (!read) {
        error("quantity", format_text("{}: expected a quantity such as \"1\", \"500m\" or \"16Gi\", got {}",
                                      resource_name, in_quotes(text.value_or(""))));
        return std::nullopt;
    }
    if (resource_name == cpu_name) return read->milli;
    const bool counted = resource_name != memory_name && resource_name != "ephemeral-storage" &&
                         !resource_name.starts_with("hugepages-");
    if (counted && !read->milli_overflow && read->milli % 1000 != 0) {
        error("fraction", format_text("{}: expected a whole number, got {}", resource_name, in_quotes(*text)),
              std::string(whole_only));
        return std::nullopt;
    }
    return read->value_up;
}

resource_list value_reader::amounts(std::string_view name) const {
    resource_list out;
    const std::optional<value_reader> found = member(name);
    if (!found) return out;
    if (!found->is_mapping()) {
        found->error("wrong-type",
                     format_text("expected a mapping of amounts, got {}", text::kind_name(*found->at_.at)));
        return out;
    }
    for (const text::node& node : found->at_.at->children) {
        const value_reader value(found->at_.child(node), from_, findings_);
        const std::optional<std::int64_t> amount = value.amount_of(node.key);
        if (!amount) continue;
        if (*amount < 0) {
            value.error("negative", format_text("{}: expected 0 or more, got {}", node.key, *amount));
        } else {
            out.set(node.key, *amount);
        }
    }
    return out;
}

}  // namespace gputide::nodes

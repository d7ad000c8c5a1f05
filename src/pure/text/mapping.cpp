// Typed access to the members of a mapping, with the rules of the Kubernetes API server.
#include "text/mapping.hpp"

#include "base/format_text.hpp"
#include "base/text.hpp"

#include <algorithm>
#include <utility>

namespace gputide::text {
namespace {

bool is_word(std::string_view key) {
    return !key.empty() && key.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") ==
                               std::string_view::npos;
}

// Removes the first step, "name" or "[3]", from a path such as "name.rest" or "[3].rest".
std::string_view take_step(std::string_view& path) {
    if (!path.empty() && path.front() == '.') path.remove_prefix(1);
    if (path.empty()) return {};
    const std::size_t end = path.front() == '[' ? path.find(']') + 1 : path.find_first_of(".[");
    const std::string_view step = path.substr(0, end);
    path = end >= path.size() ? std::string_view{} : path.substr(end);
    return step;
}

const node* follow(const node& node, std::string_view step) {
    if (step.size() < 3 || step.front() != '[') return node.find(step);
    const std::optional<std::int64_t> index = parse_int64(step.substr(1, step.size() - 2));
    if (!index || *index < 0 || static_cast<std::size_t>(*index) >= node.children.size()) return nullptr;
    return &node.children[static_cast<std::size_t>(*index)];
}

std::string one_of(const std::vector<std::string_view>& names) {
    std::string out = "expected one of";
    for (std::size_t i = 0; i < names.size(); ++i) {
        out += i == 0 ? " " : ", ";
        out += names[i];
    }
    return out;
}

bool yaml_1_1_boolean(const node& value) {
    if (value.quoted) return false;
    const std::string word = lower(value.text);
    return word == "yes" || word == "no" || word == "on" || word == "off";
}

}  // namespace

std::string joined_path(std::string_view path, std::string_view key) {
    std::string out(path);
    if (!is_word(key)) return format_text("{}[{}]", out, in_quotes(key));
    if (!out.empty()) out += '.';
    out += key;
    return out;
}

place cursor::where() const { return {*file, at->line, at->column, path}; }

cursor cursor::child(const node& member) const { return {&member, file, joined_path(path, member.key)}; }

cursor cursor::item(std::size_t index) const {
    return {&at->children[index], file, format_text("{}[{}]", path, index)};
}

place cursor::place_of(std::string_view relative_path) const {
    const node* deepest = at;
    std::string_view rest = relative_path;
    while (!rest.empty()) {
        const node* next = follow(*deepest, take_step(rest));
        if (next == nullptr) break;
        deepest = next;
    }
    std::string full = path;
    if (!full.empty() && !relative_path.empty() && relative_path.front() != '[') full += '.';
    return {*file, deepest->line, deepest->column, full + std::string(relative_path)};
}

std::optional<std::string> scalar_text(const node& value) {
    if (value.kind != node_kind::scalar) return std::nullopt;
    return value.text;
}

mapping::mapping(cursor cursor, report& findings) : at_(std::move(cursor)), findings_(findings) {
    if (at_.at->kind == node_kind::mapping || is_null(*at_.at)) return;
    findings_.add(severity::error, "wrong-type", at_.where(),
                  "expected a mapping, got " + std::string(kind_name(*at_.at)), "write key: value lines below it");
}

bool mapping::has(std::string_view key) const {
    const node* value = at_.at->find(key);
    return value != nullptr && !is_null(*value);
}

place mapping::place_of(std::string_view key) const {
    const node* value = at_.at->find(key);
    place out = value == nullptr ? at_.where() : at_.child(*value).where();
    out.path = joined_path(at_.path, key);
    return out;
}

const node* mapping::take(std::string_view key) {
    known_.emplace_back(key);
    const node* value = at_.at->find(key);
    return value == nullptr || is_null(*value) ? nullptr : value;
}

void mapping::error(std::string_view key, std::string_view code, std::string_view message, std::string_view remedy,
                    error_class kind) {
    findings_.add(severity::error, code, place_of(key), message, remedy, kind);
}

void mapping::warning(std::string_view key, std::string_view code, std::string_view message, std::string_view remedy) {
    findings_.add(severity::warning, code, place_of(key), message, remedy);
}

void mapping::wrong_type(std::string_view key, const node& value, std::string_view expected, std::string_view remedy) {
    std::string got(kind_name(value));
    if (value.kind == node_kind::scalar) got += " " + in_quotes(value.text);
    error(key, "wrong-type", format_text("{}: expected {}, got {}", key, expected, got), remedy);
}

// The API server requires text; numbers and booleans, which it would refuse, are accepted with a warning.
std::optional<std::string> mapping::text_of(const cursor& value) {
    const node& node = *value.at;
    if (node.kind != node_kind::scalar) {
        findings_.add(severity::error, "wrong-type", value.where(),
                      format_text("{}: expected text, got {}", node.key, kind_name(node)),
                      "write one value, in quotes");
        return std::nullopt;
    }
    const bool looks_typed = type_of(node) != scalar_type::text || yaml_1_1_boolean(node);
    if (looks_typed && !node.substituted) {
        const std::string got = yaml_1_1_boolean(node) ? "a boolean" : std::string(kind_name(node));
        findings_.add(
            severity::warning, "unquoted", value.where(),
            format_text("{}: expected text, got {}; the Kubernetes API server would refuse it", node.key, got),
            format_text("write {} with its quotes", in_quotes(node.text)));
    }
    return node.text;
}

std::optional<cursor> mapping::member(std::string_view key) {
    known_.emplace_back(key);
    const node* value = at_.at->find(key);
    if (value == nullptr) return std::nullopt;
    return at_.child(*value);
}

std::optional<std::string> mapping::text(std::string_view key) {
    const node* value = take(key);
    if (value == nullptr) return std::nullopt;
    return text_of(at_.child(*value));
}

std::string mapping::text_or_empty(std::string_view key) { return text(key).value_or(""); }

std::optional<std::string> mapping::quantity(std::string_view key) {
    const node* value = take(key);
    if (value == nullptr) return std::nullopt;
    if (value->kind == node_kind::scalar) return value->text;
    wrong_type(key, *value, "a quantity such as \"100m\" or 5");
    return std::nullopt;
}

namespace {

// Returns the remedy for a value that is not a whole number; for a duration with a unit ("15s") it names the seconds.
std::string whole_number_remedy(std::string_view key, const node& value) {
    if (value.kind == node_kind::scalar && value.quoted && parse_int64(value.text)) return "remove the quotes";
    const bool is_in_seconds = key.ends_with("Interval") || key.ends_with("Period") || key.ends_with("Seconds");
    constexpr std::pair<char, std::int64_t> units[] = {{'s', 1}, {'m', 60}, {'h', 3'600}};
    for (const auto& [unit, seconds] : units) {
        if (!is_in_seconds || value.kind != node_kind::scalar || !std::string_view(value.text).ends_with(unit))
            continue;
        const auto count = parse_int64(std::string_view(value.text).substr(0, value.text.size() - 1));
        if (count && *count < 1'000'000) return format_text("{} is in seconds: write {}", key, *count * seconds);
    }
    return "write a whole number such as 5";
}

}  // namespace

std::optional<std::int32_t> mapping::integer(std::string_view key, std::int32_t least) {
    const node* value = take(key);
    if (value == nullptr) return std::nullopt;
    const bool plain = value->kind == node_kind::scalar && type_of(*value) == scalar_type::integer;
    const std::optional<std::int64_t> read = plain ? parse_int64(value->text) : std::nullopt;
    if (!read) {
        wrong_type(key, *value, "a whole number", whole_number_remedy(key, *value));
        return std::nullopt;
    }
    if (*read > std::numeric_limits<std::int32_t>::max() || *read < std::numeric_limits<std::int32_t>::min()) {
        error(key, "out-of-range", format_text("{}: {} does not fit 32 bits", key, value->text),
              "write a number from -2147483648 to 2147483647");
        return std::nullopt;
    }
    if (*read < least) {
        error(key, "out-of-range", format_text("{} must be at least {}, got {}", key, least, *read),
              format_text("write a number of at least {}", least));
        return std::nullopt;
    }
    return static_cast<std::int32_t>(*read);
}

std::optional<bool> mapping::flag(std::string_view key) {
    const node* value = take(key);
    if (value == nullptr) return std::nullopt;
    if (value->kind == node_kind::scalar && type_of(*value) == scalar_type::boolean)
        return lower(value->text) == "true";
    wrong_type(key, *value, "true or false", "write true or false, without quotes");
    return std::nullopt;
}

std::optional<cursor> mapping::object(std::string_view key) {
    const node* value = take(key);
    if (value == nullptr) return std::nullopt;
    if (value->kind == node_kind::mapping) return at_.child(*value);
    wrong_type(key, *value, "a mapping");
    return std::nullopt;
}

std::optional<std::vector<cursor>> mapping::list(std::string_view key) {
    const node* value = take(key);
    if (value == nullptr) return std::nullopt;
    if (value->kind != node_kind::sequence) {
        wrong_type(key, *value, "a list", "start each item with \"- \"");
        return std::nullopt;
    }
    const cursor at = at_.child(*value);
    std::vector<cursor> out;
    out.reserve(value->children.size());
    for (std::size_t i = 0; i < value->children.size(); ++i) out.push_back(at.item(i));
    return out;
}

std::map<std::string, std::string> mapping::texts(std::string_view key, std::map<std::string, place>* places,
                                                  std::string_view beside) {
    std::map<std::string, std::string> out;
    const std::optional<cursor> block = object(key);
    if (!block) return out;
    for (const node& member : block->at->children) {
        const cursor at = block->child(member);
        if (!beside.empty() && member.key == beside && member.kind != node_kind::scalar) {
            findings_.add(severity::error, "wrong-type", at.where(),
                          format_text("{}: expected texts, but {} is {}", key, beside, kind_name(member)),
                          format_text("move {} out of {}, to {}", beside, key, joined_path(at_.path, beside)));
            continue;
        }
        std::optional<std::string> value = is_null(member) ? std::string() : text_of(at);
        if (!value) continue;
        if (places != nullptr) (*places)[member.key] = at.where();
        out[member.key] = std::move(*value);
    }
    return out;
}

const node* mapping::misspelled(std::string_view key) const {
    if (at_.at->find(key) != nullptr) return nullptr;
    std::vector<std::string_view> written;
    for (const node& member : at_.at->children) {
        if (std::ranges::find(known_, member.key) == known_.end()) written.push_back(member.key);
    }
    const std::string_view meant = nearest(key, written);
    return meant.empty() ? nullptr : at_.at->find(meant);
}

std::string mapping::required_text(std::string_view key) {
    std::string value = text(key).value_or("");
    if (!value.empty()) return value;
    const std::string message = joined_path(at_.path, key) + " is required and must not be empty";
    if (const node* written = misspelled(key)) {
        known_.push_back(written->key);
        findings_.add(severity::error, "missing-field", at_.child(*written).where(),
                      format_text("{}, and {} is not a key here", message, in_quotes(written->key)),
                      format_text("did you mean {}?", in_quotes(key)));
    } else {
        error(key, "missing-field", message, format_text("add {}: <text>", key));
    }
    return value;
}

void mapping::ignore(std::initializer_list<std::string_view> keys) {
    for (const std::string_view key : keys) known_.emplace_back(key);
}

void mapping::misplaced(std::string_view key, std::string_view right) {
    if (at_.at->find(key) == nullptr) return;
    known_.emplace_back(key);
    error(key, "wrong-version-field", std::string(key) + " is not a field of this version and kind",
          format_text("write {} instead", right));
}

void mapping::finish(severity level) {
    if (at_.at->kind != node_kind::mapping) return;
    const std::vector<std::string_view> candidates(known_.begin(), known_.end());
    for (const node& member : at_.at->children) {
        if (std::ranges::find(candidates, member.key) != candidates.end()) continue;
        if (findings_.full(level)) return;  // avoids the search for the nearest name
        const std::string_view meant = nearest(member.key, candidates);
        const bool lists = level == severity::error && !candidates.empty();
        std::string remedy = lists ? one_of(candidates) : "remove it, or check its spelling";
        if (!meant.empty()) remedy = format_text("did you mean {}?", in_quotes(meant));
        std::string message = level == severity::error ? "there is no " + in_quotes(member.key)
                                                       : format_text("unknown key {}, ignored", in_quotes(member.key));
        findings_.add(level, "unknown-key", at_.child(member).where(), message, remedy);
    }
}

}  // namespace gputide::text

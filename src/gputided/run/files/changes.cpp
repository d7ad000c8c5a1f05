#include "common/json.hpp"
#include "common/text.hpp"
#include "run/files/files.hpp"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <map>
#include <utility>

namespace gputided {

namespace {

constexpr const char* secret_words[] = {"password", "token", "key", "secret", "pin"};

using leaves = std::map<std::string, ordered_json>;  // by path: "triggers[0].metadata.threshold"

void add_leaves(const ordered_json& value, const std::string& path, leaves& out) {
    if (value.is_object()) {
        for (const auto& [key, member] : value.items()) {
            std::string below = path;
            if (!path.empty()) below += '.';
            below += key;
            add_leaves(member, below, out);
        }
    } else if (value.is_array()) {
        for (std::size_t i = 0; i < value.size(); ++i) add_leaves(value[i], path + "[" + std::to_string(i) + "]", out);
    } else {
        out[path] = value;
    }
}

// Returns the leaves of spec by their path below spec, and other leaves by their whole path.
leaves leaves_of(const ordered_json& document) {
    leaves out;
    for (const auto& [key, member] : document.items()) add_leaves(member, key == "spec" ? "" : key, out);
    return out;
}

// Reports whether a value is a number, a duration, a quantity or a boolean.
bool may_be_shown(const ordered_json& value) {
    if (value.is_number() || value.is_boolean()) return true;
    if (!value.is_string()) return false;
    const auto text = value.get<std::string>();
    if (text == "true" || text == "false") return true;
    const std::size_t digits = text.find_first_not_of("0123456789.");
    return !text.empty() && std::isdigit(static_cast<unsigned char>(text.front())) != 0 &&
           (digits == std::string::npos || text.size() - digits <= 2);
}

// Reports whether a member's name suggests a secret, such as a key of customHeaders.
bool is_secret_name(std::string path) {
    std::transform(path.begin(), path.end(), path.begin(), [](unsigned char c) { return std::tolower(c); });
    return std::any_of(std::begin(secret_words), std::end(secret_words),
                       [&](const char* word) { return path.find(word) != std::string::npos; });
}

std::string change_text(const std::string& path, const ordered_json* before, const ordered_json* after,
                        bool shows_values) {
    const bool is_shown = shows_values && !is_secret_name(path) && (before == nullptr || may_be_shown(*before)) &&
                          (after == nullptr || may_be_shown(*after));
    if (!is_shown) return path + (before == nullptr ? " is new" : after == nullptr ? " was removed" : " has changed");
    return path + " " + (before == nullptr ? "(default)" : shown(*before)) + " → " +
           (after == nullptr ? "(default)" : shown(*after));
}

std::string differences(const ordered_json& before, const ordered_json& after, bool shows_values) {
    const leaves old = leaves_of(before), fresh = leaves_of(after);
    std::vector<std::string> out;
    for (const auto& [path, value] : fresh) {
        const auto known = old.find(path);
        if (known != old.end() && known->second == value) continue;
        out.push_back(change_text(path, known == old.end() ? nullptr : &known->second, &value, shows_values));
    }
    for (const auto& [path, value] : old) {
        if (fresh.count(path) == 0) out.push_back(change_text(path, &value, nullptr, shows_values));
    }
    return joined(out, ", ");
}

using objects = std::map<std::string, ordered_json>;

objects objects_of(const std::string& text) {
    objects out;
    for (ordered_json& document : documents_of(text)) {
        if (!document.is_object()) continue;
        const std::string name = object_name(document);
        out[name] = std::move(document);
    }
    return out;
}

void compare(const std::string& file, const objects& before, const objects& after, std::vector<std::string>& out) {
    for (const auto& [name, document] : after) {
        const auto known = before.find(name);
        if (known == before.end()) {
            out.push_back(file + ": " + name + " is new");
        } else if (known->second != document) {
            out.push_back(file + ": " + name + " " + differences(known->second, document, is_scaler(document)));
        }
    }
    for (const auto& [name, document] : before) {
        if (after.count(name) == 0 && !is_scaler(document)) out.push_back(file + ": " + name + " was removed");
    }
}

}  // namespace

std::vector<std::string> changes_between(const std::vector<manifest_file>& before,
                                         const std::vector<manifest_file>& after) {
    std::map<std::string, std::pair<const std::string*, const std::string*>> texts;
    for (const manifest_file& file : before) texts[file.name].first = &file.text;
    for (const manifest_file& file : after) texts[file.name].second = &file.text;
    std::vector<std::string> out;
    for (const auto& [file, pair] : texts) {
        const auto [old, fresh] = pair;
        if (old != nullptr && fresh != nullptr && *old == *fresh) continue;
        compare(file, old == nullptr ? objects() : objects_of(*old), fresh == nullptr ? objects() : objects_of(*fresh),
                out);
    }
    return out;
}

}  // namespace gputided

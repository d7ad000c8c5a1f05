// Members of a JSON tree by name and type, for a state in words (json.hpp).  In: nodes of config's reader.  Out: values, and the
// first thing that does not fit.
#pragma once

#include "base/format_text.hpp"
#include "base/result.hpp"
#include "base/text.hpp"
#include "config/document.hpp"
#include "decide/policy.hpp"
#include "decide/saturate.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace gputide::decide {

inline constexpr std::int64_t int32_most = std::numeric_limits<std::int32_t>::max();

// Remembers the first member that does not fit; everything after it reads as nothing.
class member_reader {
  public:
    explicit member_reader(const policy& policy) : policy_(policy) {}

    const policy& owner() const { return policy_; }
    std::optional<error> failure() && { return std::move(failure_); }

    void refuse(const std::string& path, const std::string& expected) {
        if (!failure_) failure_ = fail_at(status::state, path, "expected " + expected);
    }

    const config::node* member(const config::node& object, std::string_view name) {
        const config::node* found = object.find(name);
        return failure_ || found == nullptr || config::is_null(*found) ? nullptr : found;
    }

    // Nothing but these.
    void known(const config::node& object, const std::string& path, std::initializer_list<std::string_view> names) {
        if (object.kind != config::node_kind::mapping) return refuse(path, "an object");
        for (const config::node& one : object.children) {
            if (std::find(names.begin(), names.end(), one.key) == names.end())
                refuse(below(path, one.key), "no member of this name");
        }
    }

    std::int64_t whole(const config::node& object, const std::string& path, std::string_view name, std::int64_t least,
                       std::int64_t most, std::int64_t otherwise) {
        const config::node* found = member(object, name);
        if (found == nullptr) return otherwise;
        const std::optional<std::int64_t> value = found->quoted ? std::nullopt : parse_int64(found->text);
        if (value && *value >= least && *value <= most) return *value;
        refuse(below(path, name), format_text("a whole number from {} to {}", least, most));
        return otherwise;
    }
    std::int32_t count(const config::node& object, const std::string& path, std::string_view name, std::int32_t least) {
        return static_cast<std::int32_t>(whole(object, path, name, least, int32_most, least));
    }
    std::int64_t time(const config::node& object, const std::string& path, std::string_view name,
                      std::int64_t otherwise) {
        return whole(object, path, name, -latest_ms, latest_ms, otherwise);
    }

    std::uint32_t number_of(const config::node& root, std::string_view name, std::uint32_t most) {
        return static_cast<std::uint32_t>(whole(root, "", name, 0, most, 0));
    }

    bool flag(const config::node& object, const std::string& path, std::string_view name, bool otherwise) {
        const config::node* found = member(object, name);
        if (found == nullptr) return otherwise;
        const bool boolean = !found->quoted && config::type_of(*found) == config::scalar_type::boolean;
        if (!boolean) refuse(below(path, name), "true or false");
        return boolean && found->text == "true";
    }

    double number(const config::node& object, const std::string& path, std::string_view name) {
        const config::node* found = member(object, name);
        if (found == nullptr) return 0.0;
        std::optional<double> value;
        if (!found->quoted) value = parse_json_number(found->text);
        if (!value || !std::isfinite(*value)) refuse(below(path, name), "a finite number");
        return value.value_or(0.0);
    }

    // The code that has this name; codes without one have no word.
    template <class Code, class Name>
    Code word(const config::node& object, const std::string& path, std::string_view name, Code otherwise,
              Name name_of) {
        constexpr std::int32_t beyond_every_code = 64;
        const config::node* found = member(object, name);
        if (found == nullptr) return otherwise;
        for (std::int32_t code = 0; code < beyond_every_code; ++code) {
            const std::string_view known_word = name_of(static_cast<Code>(code));
            if (!known_word.empty() && found->text == known_word) return static_cast<Code>(code);
        }
        refuse(below(path, name), "another word than " + in_quotes(found->text));
        return otherwise;
    }

    // Calls one(item, path) for each.
    template <class One>
    void list(const config::node& object, std::string_view name, std::size_t most, One one) {
        const config::node* found = member(object, name);
        if (found == nullptr) return;
        if (found->kind != config::node_kind::sequence) return refuse(std::string(name), "a list");
        if (found->children.size() > most) return refuse(std::string(name), format_text("at most {} items", most));
        for (std::size_t i = 0; i < found->children.size(); ++i) {
            one(found->children[i], format_text("{}[{}]", name, i));
        }
    }

    static std::string below(const std::string& path, std::string_view name) {
        return path.empty() ? std::string(name) : format_text("{}.{}", path, name);
    }

  private:
    const policy& policy_;
    std::optional<error> failure_;
};

}  // namespace gputide::decide

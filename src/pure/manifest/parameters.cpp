// Look-up and conversion of a trigger's fields, with the rules and texts of kedacore/keda
// pkg/scalers/scalersconfig/typed_config.go.  A value from a TriggerAuthentication is shown as ***.
#include "manifest/parameters.hpp"

#include "base/format_text.hpp"
#include "base/text.hpp"
#include "base/time.hpp"

#include <algorithm>

namespace gputide::manifest {
namespace {

constexpr std::string_view env_suffix = "FromEnv";

template <class Pieces>
std::string joined(const Pieces& pieces, std::string_view separator) {
    std::string out;
    for (const std::string_view piece : pieces) {
        if (!out.empty()) out += separator;
        out += piece;
    }
    return out;
}

std::string_view origin_name(origin where) {
    switch (where) {
        case origin::metadata:
            return "triggerMetadata";
        case origin::auth:
            return "authParams";
        case origin::env:
            return "resolvedEnv";
    }
    return "";
}

std::string shown_places(const field& field) {
    std::vector<std::string_view> names;
    names.reserve(field.places.size());
    for (const origin where : field.places) names.push_back(origin_name(where));
    return format_text("[{}]", joined(names, " "));
}

std::vector<std::string> trimmed_pieces(std::string_view value) {
    std::vector<std::string> out;
    for (const std::string_view piece : split(value, ',')) out.emplace_back(trim(piece));
    return out;
}

}  // namespace

std::optional<parameters::found> parameters::look_in(origin where, std::string_view name) const {
    const std::string key(name);
    if (where == origin::auth) {
        const auto at = from_.auth.parameters.find(key);
        if (at == from_.auth.parameters.end()) return std::nullopt;
        return found{std::string(trim(at->second.reveal())), key, true};
    }
    const std::string written = where == origin::env ? key + std::string(env_suffix) : key;
    const auto at = from_.metadata.find(written);
    if (at == from_.metadata.end()) return std::nullopt;
    if (where == origin::metadata) return found{std::string(trim(at->second)), written, false};

    const auto variable = from_.resolved_env.find(std::string(trim(at->second)));
    if (variable == from_.resolved_env.end()) return std::nullopt;
    return found{std::string(trim(variable->second.reveal())), written, true};
}

// Returns the first value that is not empty: for each place in order, each name in order.
std::optional<parameters::found> parameters::find_written(const field& field) const {
    for (const origin where : field.places) {
        for (const std::string_view name : field.names) {
            std::optional<found> value = look_in(where, name);
            if (value && !value->value.empty()) return value;
        }
    }
    return std::nullopt;
}

std::optional<parameters::found> parameters::look_up(const field& field, std::string_view stand_in) {
    if (auto written = find_written(field)) return written;
    if (!stand_in.empty()) return found{std::string(stand_in), {}, false};
    if (field.required) add_missing(field);
    if (!field.fallback.empty()) return found{std::string(field.fallback), {}, false};
    return std::nullopt;
}

// Reports a missing field, at the key that is probably a misspelling of it.
void parameters::add_missing(const field& field) {
    std::string message =
        format_text("missing required parameter {} in {}", in_quotes(joined(field.names, ",")), shown_places(field));
    const std::string written = field.places.has(origin::metadata) ? misspelled(field) : std::string();
    if (!written.empty()) {
        message += format_text("; {} is not a key of this trigger type, did you mean {}?", in_quotes(written),
                               in_quotes(*field.names.begin()));
    }
    errors_.push_back({std::move(message), place_of(written), field.of_access});
}

std::string parameters::misspelled(const field& field) const {
    const std::vector<std::string> unknown = unknown_keys();
    return std::string(nearest(*field.names.begin(), {unknown.begin(), unknown.end()}));
}

std::string parameters::shown(const found& value) const { return value.is_secret ? "\"***\"" : in_quotes(value.value); }

void parameters::refuse(const field& field, const found& value, std::string_view cause) {
    add_error(
        format_text("unable to set param {} value {}: {}", in_quotes(joined(field.names, ",")), shown(value), cause),
        value.key);
}

bool parameters::choices_hold(const field& field, const found& value, const std::vector<std::string>& pieces) {
    const std::string start = format_text("parameter {} value {}", in_quotes(joined(field.names, ",")), shown(value));
    const auto allowed = [&](const std::string& piece) { return field.allowed.has(piece); };
    if (!field.allowed.empty() && !std::ranges::all_of(pieces, allowed)) {
        add_error(format_text("{} must be one of [{}]", start, joined(field.allowed, " ")), value.key);
        return false;
    }
    const auto exclusive = [&](const std::string& piece) { return field.exclusive.has(piece); };
    if (std::ranges::count_if(pieces, exclusive) > 1) {
        add_error(format_text("{} must contain only one of [{}]", start, joined(field.exclusive, " ")), value.key);
        return false;
    }
    return true;
}

std::optional<std::string> parameters::text(text_key key, std::string_view stand_in) {
    const field& what = key.row();
    std::optional<found> value = look_up(what, stand_in);
    if (!value || !choices_hold(what, *value, {value->value})) return std::nullopt;
    return std::move(value->value);
}

std::optional<secret_text> parameters::secret(secret_key key) {
    std::optional<found> value = look_up(key.row());
    if (!value) return std::nullopt;
    return secret_text(std::move(value->value));
}

std::optional<double> parameters::number(number_key key) {
    const field& what = key.row();
    const std::optional<found> value = look_up(what);
    if (!value) return std::nullopt;
    const std::optional<double> read = parse_json_number(value->value);
    if (!read) refuse(what, *value, "expected a number such as 5, -1.5 or 1e3");
    return read;
}

std::optional<bool> parameters::flag(flag_key key) {
    const field& what = key.row();
    const std::optional<found> value = look_up(what);
    if (!value) return std::nullopt;
    const std::optional<bool> read = parse_go_bool(value->value);
    if (!read) refuse(what, *value, "expected true or false");
    return read;
}

std::optional<std::int64_t> parameters::duration_ms(duration_key key) {
    const field& what = key.row();
    const std::optional<found> value = look_up(what);
    if (!value) return std::nullopt;
    std::optional<std::int64_t> ms = parse_go_duration_ms(value->value);
    if (!ms) ms = parse_int64(value->value);
    // Uses the sign of the text, since "-500us" is cut to 0 ms; "-0" is not negative.
    const bool negative = value->value.front() == '-' && value->value.find_first_of("123456789") != std::string::npos;
    if (!ms) {
        refuse(
            what, *value,
            format_text(
                "unable to parse duration value {}, expected a duration such as 30s or a whole number of milliseconds",
                shown(*value)));
        return std::nullopt;
    }
    if (negative) {
        refuse(what, *value, "duration cannot be negative");
        return std::nullopt;
    }
    return ms;
}

std::optional<std::map<std::string, std::string>> parameters::pairs(pairs_key key, bool values_hold_equals) {
    const field& what = key.row();
    const std::optional<found> value = look_up(what);
    if (!value) return std::nullopt;
    std::map<std::string, std::string> out;
    for (const std::string& piece : trimmed_pieces(value->value)) {
        const std::size_t equals = piece.find('=');
        const bool second = equals != std::string::npos && piece.find('=', equals + 1) != std::string::npos;
        if (equals == std::string::npos || (second && !values_hold_equals)) {
            refuse(what, *value, "expected format key1=value1,key2=value2");
            return std::nullopt;
        }
        out[std::string(trim(std::string_view(piece).substr(0, equals)))] =
            std::string(trim(std::string_view(piece).substr(equals + 1)));
    }
    return out;
}

std::vector<std::string> parameters::list(list_key key) {
    const field& what = key.row();
    const std::optional<found> value = look_up(what);
    if (!value) return {};
    std::vector<std::string> pieces = trimmed_pieces(value->value);
    if (!choices_hold(what, *value, pieces)) return {};
    return pieces;
}

void parameters::add_error(std::string_view message, std::string_view key) {
    errors_.push_back({std::string(message), place_of(key), is_of_access(key)});
}

// Also accepts the key under which a value from the environment is written: <key>FromEnv.
bool parameters::is_of_access(std::string_view key) const {
    std::string_view plain = key;
    if (key.size() > env_suffix.size() && key.substr(key.size() - env_suffix.size()) == env_suffix)
        plain.remove_suffix(env_suffix.size());
    return std::ranges::any_of(
        table_, [&](const field& row) { return row.of_access && (row.names.has(key) || row.names.has(plain)); });
}

bool parameters::lacks_access_alone() const {
    return std::ranges::all_of(errors_, [](const parameter_error& failure) { return failure.of_access; });
}

std::vector<parameter_value> parameters::values() const {
    std::vector<parameter_value> out;
    for (const field& row : table_) {
        std::optional<found> value = find_written(row);
        const bool is_written = value.has_value();
        if (!is_written && row.fallback.empty()) continue;
        if (!is_written) value = found{std::string(row.fallback), {}, false};
        const bool hidden = value->is_secret || row.type == value_type::secret;
        out.push_back({&row, hidden ? "***" : value->value, is_written});
        wipe(value->value);
    }
    return out;
}

place parameters::place_of(std::string_view key) const {
    const auto at = from_.metadata_places.find(std::string(key));
    return at == from_.metadata_places.end() ? from_.at : at->second;
}

result<void> parameters::finish(std::string_view prefix) const {
    if (errors_.empty()) return {};
    std::string message(prefix);
    const char* separator = prefix.empty() ? "" : ": ";
    for (const parameter_error& failure : errors_) {
        message += separator + failure.message;
        separator = "; ";
    }
    return fail_at(status::invalid, errors_.front().at, std::move(message));
}

std::vector<std::string> parameters::known_keys() const {
    std::vector<std::string> out;
    for (const field& row : table_) {
        for (const std::string_view name : row.names) {
            if (row.places.has(origin::metadata)) out.emplace_back(name);
            if (row.places.has(origin::env)) out.push_back(std::string(name) + std::string(env_suffix));
        }
    }
    return out;
}

std::vector<std::string> parameters::unknown_keys() const {
    const std::vector<std::string> known = known_keys();
    std::vector<std::string> out;
    for (const auto& [key, value] : from_.metadata) {
        if (std::ranges::find(known, key) == known.end()) out.push_back(key);
    }
    return out;
}

bool parameters::is_of_authentication(std::string_view key) const {
    return std::ranges::any_of(table_, [key](const field& row) {
        return row.names.has(key) && row.places.has(origin::auth) && !row.places.has(origin::metadata);
    });
}

}  // namespace gputide::manifest

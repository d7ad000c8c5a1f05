// A trigger's metadata as typed values, by the rules that every KEDA scaler shares (kedacore/keda
// pkg/scalers/scalersconfig/typed_config.go).  In: a trigger with its authentication resolved.  Out: values, and all
// errors of all fields together.  Knows no trigger type; each source says which fields it has.
#pragma once

#include "base/result.hpp"
#include "base/secret.hpp"
#include "config/spec.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace gputide::config {

// Where a field may be written, in the order in which a field lists them.
enum class origin : std::int32_t {
    metadata = 0,  // "triggerMetadata" in messages
    auth = 1,      // "authParams": from the TriggerAuthentication; such a value is never quoted in a message
    env = 2,       // "resolvedEnv": metadata <key>FromEnv names an environment variable
};

// One field of a scaler:  {{"authModes", "authMode"}, {origin::metadata, origin::auth}}.
struct field {
    std::vector<std::string_view> names;  // the field's own name, then its aliases
    std::vector<origin> places = {origin::metadata};
    bool required = false;
    std::vector<std::string_view> allowed = {};    // each piece must be one of these, letter case counts
    std::vector<std::string_view> exclusive = {};  // at most one piece may be one of these
};

struct parameter_error {
    std::string message;  // KEDA's text
    place at;             // of the key; of the trigger where the key is missing
};

// Reads one trigger.  Every value is trimmed; what is empty then counts as absent.  A read that fails gives nothing and
// notes an error, so that a source reads all its fields first and asks finish() once.
class parameters {
  public:
    // `from` must outlive the reader.
    explicit parameters(const trigger& from) : from_(from) {}

    std::optional<std::string> text(const field& what);
    std::optional<secret_text> secret(const field& what);
    std::optional<double> number(const field& what);  // a JSON number: 5, -1.5, 1e3; not .5, 5., +5, NaN
    std::optional<bool> flag(const field& what);      // Go's ParseBool
    // "1m30s" (Go's durations) or a whole number of milliseconds; never negative.
    std::optional<std::int64_t> duration_ms(const field& what);
    // "a=1,b=2": two parts each, the last duplicate wins.  KEDA refuses a second '='; with `values_hold_equals` a piece
    // splits at its first one, so that base64 padding can be written.
    std::optional<std::map<std::string, std::string>> pairs(const field& what, bool values_hold_equals = false);
    std::vector<std::string> list(const field& what);  // "a, b" → {"a", "b"}; empty where absent

    // Adds a rule's own error, at the key's place where it is written.
    void add_error(std::string message, std::string_view key = {});
    const std::vector<parameter_error>& errors() const { return errors_; }

    // All errors as one: "error parsing prometheus metadata: A; B" for that prefix.  Place: the first error's.
    result<void> finish(std::string_view prefix) const;

    // Metadata keys that no field asked for, in order; KEDA ignores them.
    std::vector<std::string> unknown_keys() const;
    // Names and aliases asked for so far: candidates for "did you mean".
    std::vector<std::string_view> known_names() const;

    place place_of(std::string_view key) const;

  private:
    struct found {
        std::string value;
        std::string key;
        bool is_secret = false;
    };
    std::optional<found> look_up(const field& what);
    std::optional<found> look_in(origin where, std::string_view name) const;
    std::string shown(const found& value) const;
    void refuse(const field& what, const found& value, std::string_view cause);
    bool choices_hold(const field& what, const found& value, const std::vector<std::string>& pieces);

    const trigger& from_;
    std::set<std::string, std::less<>> known_;
    std::vector<parameter_error> errors_;
};

}  // namespace gputide::config

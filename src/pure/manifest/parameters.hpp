// A trigger's metadata as typed values, by the rules of all KEDA scalers (kedacore/keda
// pkg/scalers/scalersconfig/typed_config.go).  Takes a trigger with its resolved authentication; returns values, and the
// errors of all fields together.  Each source defines its fields in a table (field.hpp).
#pragma once

#include "base/result.hpp"
#include "base/secret.hpp"
#include "manifest/spec.hpp"
#include "text/field.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gputide::manifest {

using namespace text;

struct parameter_error {
    std::string message;  // KEDA's text
    place at;             // of the key; of the trigger if the key is missing
    bool of_access = false;
};

// The value of a field: as written, or its default.
struct parameter_value {
    const text::field* field = nullptr;
    std::string text;  // trimmed; "***" if it must not be shown
    bool is_written = false;
};

// Reads one trigger.  Every value is trimmed; an empty value counts as absent, and the field's default applies.  A failed
// read returns nothing and stores an error, so that a source can read all fields before it calls finish().
class parameters {
  public:
    // The trigger and the table must outlive this object.
    parameters(const trigger& trigger, std::span<const field> table) : from_(trigger), table_(table) {}

    // `stand_in`: the value if the key is absent; "": none.
    std::optional<std::string> text(text_key key, std::string_view stand_in = {});
    bool is_written(text_key key) const { return find_written(key.row()).has_value(); }
    std::optional<secret_text> secret(secret_key key);
    std::optional<double> number(number_key key);
    std::optional<bool> flag(flag_key key);
    std::optional<std::int64_t> duration_ms(duration_key key);
    // KEDA rejects a second '='.  With `values_hold_equals` each pair is split at its first '=', so that values may contain
    // base64 padding.
    std::optional<std::map<std::string, std::string>> pairs(pairs_key key, bool values_hold_equals = false);
    std::vector<std::string> list(list_key key);  // empty if absent

    // Adds an error of a source's rule, at the place of the key if it is present.
    void add_error(std::string_view message, std::string_view key = {});
    const std::vector<parameter_error>& errors() const { return errors_; }

    // Returns all errors as one, "error parsing prometheus metadata: A; B" for that prefix, at the place of the first.
    result<void> finish(std::string_view prefix) const;

    // Tells whether all errors concern addresses or credentials (field::of_access): the target is then complete.
    bool lacks_access_alone() const;

    // Returns all fields with a value, in the table's order.
    std::vector<parameter_value> values() const;

    // Returns metadata keys that the table does not have, in order; KEDA ignores them.
    std::vector<std::string> unknown_keys() const;
    // Returns the keys that the table allows in metadata: candidates for "did you mean".
    std::vector<std::string> known_keys() const;
    // Tells whether only a TriggerAuthentication may have this key of the table.
    bool is_of_authentication(std::string_view key) const;

    place place_of(std::string_view key) const;

  protected:
    const trigger& from_;

  private:
    struct found {
        std::string value;
        std::string key;
        bool is_secret = false;
    };
    void add_missing(const field& field);
    std::string misspelled(const field& field) const;  // the key that is probably a misspelling of the field; "": none
    std::optional<found> find_written(const field& field) const;
    std::optional<found> look_up(const field& field, std::string_view stand_in = {});
    std::optional<found> look_in(origin where, std::string_view name) const;
    std::string shown(const found& value) const;
    void refuse(const field& field, const found& value, std::string_view cause);
    bool is_of_access(std::string_view key) const;
    bool choices_hold(const field& field, const found& value, const std::vector<std::string>& pieces);

    std::span<const field> table_;
    std::vector<parameter_error> errors_;
};

}  // namespace gputide::manifest

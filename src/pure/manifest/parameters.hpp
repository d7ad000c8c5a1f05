// A trigger's metadata as typed values, by the rules that every KEDA scaler shares (kedacore/keda
// pkg/scalers/scalersconfig/typed_config.go).  In: a trigger with its authentication resolved.  Out: values, and all
// errors of all fields together.  Knows no trigger type; each source says which fields it has, in one table (field.hpp).
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
    place at;             // of the key; of the trigger where the key is missing
    bool of_access = false;
};

// A field as it is read: what is written, or its fallback.
struct parameter_value {
    const text::field* field = nullptr;
    std::string text;  // trimmed; "***" where it must not be shown
    bool is_written = false;
};

// Reads one trigger.  Every value is trimmed; what is empty then counts as absent, and gives the field's fallback if it has
// one.  A read that fails gives nothing and notes an error, so that a source reads all its fields first and asks finish()
// once.
class parameters {
  public:
    // The trigger and the table must outlive the reader.
    parameters(const trigger& trigger, std::span<const field> table) : from_(trigger), table_(table) {}

    // `stand_in` is what counts where nothing is written; "": nothing does.
    std::optional<std::string> text(text_key key, std::string_view stand_in = {});
    bool is_written(text_key key) const { return find_written(key.row()).has_value(); }
    std::optional<secret_text> secret(secret_key key);
    std::optional<double> number(number_key key);
    std::optional<bool> flag(flag_key key);
    std::optional<std::int64_t> duration_ms(duration_key key);
    // KEDA refuses a second '='; with `values_hold_equals` a piece splits at its first one, so that base64 padding can be
    // written.
    std::optional<std::map<std::string, std::string>> pairs(pairs_key key, bool values_hold_equals = false);
    std::vector<std::string> list(list_key key);  // empty where absent

    // Adds a rule's own error, at the key's place where it is written.
    void add_error(std::string message, std::string_view key = {});
    const std::vector<parameter_error>& errors() const { return errors_; }

    // All errors as one: "error parsing prometheus metadata: A; B" for that prefix.  Place: the first error's.
    result<void> finish(std::string_view prefix) const;

    // Every error is about an address or a credential (field::of_access): the target is whole all the same.
    bool lacks_access_alone() const;

    // Every field that has a value, in the table's order.
    std::vector<parameter_value> values() const;

    // Metadata keys that the table does not have, in order; KEDA ignores them.
    std::vector<std::string> unknown_keys() const;
    // Returns the keys that metadata may have by the table: candidates for "did you mean".
    std::vector<std::string> known_keys() const;
    // A name of the table that only a TriggerAuthentication may hold.
    bool is_of_authentication(std::string_view key) const;

    place place_of(std::string_view key) const;

  private:
    struct found {
        std::string value;
        std::string key;
        bool is_secret = false;
    };
    void add_missing(const field& field);
    std::string misspelt(const field& field) const;  // "": none
    std::optional<found> find_written(const field& field) const;
    std::optional<found> look_up(const field& field, std::string_view stand_in = {});
    std::optional<found> look_in(origin where, std::string_view name) const;
    std::string shown(const found& value) const;
    void refuse(const field& field, const found& value, std::string_view cause);
    bool is_of_access(std::string_view key) const;
    bool choices_hold(const field& field, const found& value, const std::vector<std::string>& pieces);

    const trigger& from_;
    std::span<const field> table_;
    std::vector<parameter_error> errors_;
};

}  // namespace gputide::manifest

// Reads a trigger's keys for a source: keys that several sources have in common, findings, and the target.
#pragma once

#include "base/result.hpp"
#include "manifest/parameters.hpp"
#include "manifest/spec.hpp"
#include "source/description.hpp"
#include "text/field.hpp"
#include "text/report.hpp"

#include <span>
#include <string>
#include <string_view>

namespace gputide::source {

using text::origin;
using text::value_type;

inline constexpr auto threshold_keys = text::fields({
    {.names = {"threshold"}, .type = value_type::number, .required = true, .meaning = "the target"},
    {.names = {"activationThreshold"},
     .type = value_type::number,
     .fallback = "0",
     .meaning = "above it the workload is active"},
});

inline constexpr auto target_value_keys = text::fields({
    {.names = {"targetValue"},
     .type = value_type::number,
     .otherwise = "required",
     .range = "not 0",
     .meaning = "the target"},
    {.names = {"activationTargetValue"},
     .type = value_type::number,
     .fallback = "0",
     .meaning = "above it the workload is active"},
});

// For sources that reduce several values to one number themselves.
inline constexpr auto reduce_keys = text::fields({
    {.names = {"reduce"},
     .otherwise = "`gputide.io/reduce`, else `avg`",
     .range = "`avg`, `max`, `min`, `sum`, `count`, `pNN`",
     .meaning = "how values are combined to the trigger's value"},
});

// The metric spec that KEDA passes to the HPA for a trigger (kedacore/keda pkg/scalers/scaler.go, GetMetricSpecForScaling).

// Returns the External metric `s<index>-<name>` with the threshold as a quantity: rounded to the nearest milli, a negative one as
// 0. (12, "prometheus", 0.1875) → s12-prometheus, 188 milli.  Metric type Utilization is an error, as in KEDA.
result<target> external_target(const manifest::trigger& trigger, std::string_view name, double threshold,
                               double activation_threshold);

// Returns "s0-a-b" for (0, "a.b"): like KEDA, replaces / . : % ( ) by a hyphen.
std::string metric_name(std::int32_t index, std::string_view name);

// Parts of a trigger's target, as in external_target().
struct target_parts {
    std::string_view name;
    double threshold = 0.0;
    double activation_threshold = 0.0;
};

// The keys of one trigger as values, with the errors of all keys and the findings.
class trigger_reader : public manifest::parameters {
  public:
    // The arguments must outlive this object; `findings` may be null.
    trigger_reader(const manifest::trigger& trigger, std::span<const text::field> table, text::report* findings)
        : parameters(trigger, table), findings_(findings) {}

    const manifest::trigger& trigger() const { return from_; }

    // Return the value, or an empty text if the key is absent.
    std::string text_of(text::text_key key);
    secret_text secret_of(text::secret_key key);

    // Adds the error "KEY: expected WHAT, got VALUE", with the value in quotes.
    void add_unexpected(std::string_view key, std::string_view expected, std::string_view value);

    // Reads a reducer's name into `into`; if the key is missing, keeps the value of `into`.
    void read_reducer(text::text_key key, std::string& into);
    // Reads the required key `key`.  `missing`: the error of a 0, which KEDA takes for a missing value.
    double read_target_value(text::number_key key, std::string_view missing);
    // Adds an error of the key if the reducer is not known.
    void check_reducer(std::string_view reducer, std::string_view key);

    // Add a finding about a key.  The trigger's label begins the text.
    void warn(std::string_view key, std::string_view code, std::string_view text, std::string_view remedy) const {
        add(text::severity::warning, key, code, text, remedy);
    }
    void note(std::string_view key, std::string_view code, std::string_view text, std::string_view remedy) const {
        add(text::severity::note, key, code, text, remedy);
    }

    // Warns of metadata keys that the table does not have and suggests the nearest one: KEDA silently ignores them.  The module
    // manifest checks keys that begin with gputide.io/.
    void warn_unknown_keys() const;

    // Tells whether the key is set and has an error: a warning about its default would then be wrong.
    bool is_refused(std::string_view key) const;

    // Ends the reading: returns all errors, after `prefix`, or writes the target.  If the errors all concern the address or the
    // credential and `lacking` is not null, writes them to `lacking` instead: the target can be used.
    result<void> end(std::string_view prefix, const target_parts& parts, error* lacking, target& into) const;
    // Ends the reading of a type's settings, which have a target.
    template <class Settings>
    result<Settings> end_with(std::string_view prefix, const target_parts& parts, error* lacking,
                              Settings settings) const {
        if (auto ended = end(prefix, parts, lacking, settings.target); !ended) return ended.take_failure();
        return settings;
    }

  private:
    void add(text::severity level, std::string_view key, std::string_view code, std::string_view text,
             std::string_view remedy) const;

    text::report* const findings_;
};

// Places the trigger's error at the most specific place, its label.
error at_trigger(error error, const manifest::trigger& trigger);

}  // namespace gputide::source

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

// The common part of the settings of every type.
struct common_settings {
    source::target target;
    source::reduction reduction;
    std::int64_t max_age_ms = 0;  // of a value; 0: no limit
    bool strict = false;          // behave like KEDA, defects included
};

// The keys of one trigger, with its resolved authentication, as values; with the errors of all keys and the findings.  No I/O.
// describe() creates one; a type's read_settings() returns the settings or all errors together.
class trigger_reader : public manifest::parameters {
  public:
    // The arguments must outlive this object; `findings` may be null.
    trigger_reader(const manifest::trigger& trigger, const manifest::trigger_rules& rules, manifest::profile profile,
                   std::span<const text::field> table, text::report* findings)
        : parameters(trigger, table), rules_(rules), profile_(profile), findings_(findings) {}

    const manifest::trigger& trigger() const { return from_; }
    const manifest::trigger_rules& rules() const { return rules_; }
    bool is_strict() const { return profile_ == manifest::profile::strict; }

    // Returns settings with the rules that do not depend on the type.
    template <class Settings>
    Settings begin() const {
        Settings out;
        out.reduction.reduce = rules_.reduce;
        out.reduction.ignore_null = false;
        out.reduction.accept_partial = rules_.accept_partial;
        out.max_age_ms = rules_.max_age_ms;
        out.strict = is_strict();
        return out;
    }

    // Return the value, or an empty text if the key is absent.
    std::string text_of(text::text_key key);
    secret_text secret_of(text::secret_key key);

    // Adds the error "KEY: expected WHAT, got VALUE", with the value in quotes.
    void add_unexpected(std::string_view key, std::string_view expected, std::string_view value);

    // Reads a reducer's name into `into`; if the key is missing, keeps the value of `into`.
    void read_reducer(text::text_key key, std::string& into);
    // Read the target: threshold_keys, or target_value_keys.  `missing`: the error of a 0, which KEDA takes for a missing value.
    void read_threshold();
    void read_target_value(std::string_view missing);
    void set_threshold(double threshold, double activation_threshold);
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

    // Ends the reading: returns all errors, after `prefix`, or the settings with their target, as in external_target().  Errors
    // that all concern the address or the credential go to lacking() instead: the target can be used.
    template <class Settings>
    result<Settings> end(std::string_view prefix, std::string_view name, Settings settings) {
        if (auto ended = end_target(prefix, name, settings.target); !ended) return ended.take_failure();
        return settings;
    }
    const error& lacking() const { return lacking_; }  // status ok: none

  private:
    void add(text::severity level, std::string_view key, std::string_view code, std::string_view text,
             std::string_view remedy) const;

    result<void> end_target(std::string_view prefix, std::string_view name, target& into);

    const manifest::trigger_rules& rules_;
    const manifest::profile profile_;
    text::report* const findings_;
    double threshold_ = 0.0;
    double activation_threshold_ = 0.0;
    error lacking_{status::ok};
};

// The functions and the member of a type's settings that a description needs.
template <class Settings>
struct settings_rules {
    fetched (*judge)(const reading&, const Settings&);
    std::string (*request_key)(const Settings&);  // description::question; null: set by the type
    std::string Settings::*asks = nullptr;        // null: set by the type
};

// Describes a trigger from its parsed settings: its target, and how a reading becomes a sample.
template <class Settings>
result<description> description_of(const trigger_reader& read, result<Settings> from,
                                   const settings_rules<Settings>& rules) {
    if (!from) return from.take_failure();
    const auto settings = std::make_shared<const Settings>(*std::move(from));
    description out;
    out.target = settings->target;
    out.to_sample = [settings, judge = rules.judge](const reading& whole) { return judge(whole, *settings); };
    if (rules.asks != nullptr) out.asks = (*settings).*rules.asks;
    if (rules.request_key != nullptr) out.question = rules.request_key(*settings);
    out.lacking = read.lacking();
    out.typed_settings = settings;
    return out;
}

// Places the trigger's error at the most specific place, its label.
error at_trigger(error error, const manifest::trigger& trigger);

}  // namespace gputide::source

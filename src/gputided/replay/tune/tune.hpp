// gputided replay tune: finds the settings with the fewest GPU-hours within the user's limits.
#pragma once

#include "replay/replay.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

namespace gputided {

// Limits of the figures below; below 0: no limit.
struct daily_limits {
    double above_minutes = -1.0;
    double late_minutes = -1.0;  // the 95th percentile of the time until the load is below the target again
    double flaps = -1.0;
    std::int32_t replicas = -1;    // at any time
    bool above_is_todays = false;  // no limit was given, so the unchanged manifest's figure is the limit
};

struct tune_options {
    replay_options replay;
    daily_limits limits;
    std::string max_lateness;        // a duration; "": no limit
    std::vector<std::string> tries;  // name=low:high:step or name=value,value; empty: the default settings
    std::int32_t candidates = 400;
    double holdout = 0.3;   // share of the series, at its end, that is used only for validation
    std::int32_t jobs = 0;  // threads; 0: one per core
    bool all = false;       // list each rejected candidate
};

// A limit that a candidate breaks.
struct broken_limit {
    std::string flag;  // "--max-flaps 4"; "": the settings do not fit the manifest
    // "5.5 flaps a day, at most 4 (--max-flaps)", or why the settings do not fit; "": no limit is broken
    std::string text;

    bool empty() const { return text.empty(); }
};

// Figures of a part of the series, per day, so that parts of different length can be compared.
struct daily_figures {
    double gpu_hours = 0;
    std::optional<double> cost;       // with a price
    std::optional<double> node_cost;  // with pools
    double above_minutes = 0;
    double late_minutes = 0;  // as in daily_limits
    double flaps = 0;
    std::int32_t max_replicas = 0;
    gputided::broken_limit broken_limit;  // the first broken limit
    // Sum of the excesses, each as a share of its limit; infinity: impossible settings.
    double excess = 0;
};

// A combination of settings with its figures.
struct candidate {
    json changes;
    daily_figures train;
    daily_figures held_out;
    bool was_held_out = false;

    double excess() const { return train.excess + held_out.excess; }

    // Returns the first limit broken in either part.
    const gputided::broken_limit& broken_limit() const {
        return train.broken_limit.empty() ? held_out.broken_limit : train.broken_limit;
    }
};

// Returns a sentence per measure without a limit that is clearly worse than with the unchanged manifest in a part of the series.
std::vector<std::string> worse_measures(const candidate& now, const candidate& proposed, const daily_limits& limits);

json figures_json(const daily_figures& figures);
std::string figures_text(const daily_figures& figures);

// A setting and the values to try.
struct dimension {
    std::string name;
    std::vector<json> values;
};

// Reads --try "threshold=40:90:5" or "tolerance=0.05,0.1".  Throws usage_error.
dimension read_dimension(const std::string& text);

// Returns the default dimensions, around the manifest's values.  report: of a replay.  policy: of gputide_policy_describe.
// Varies the tolerance only if the cluster knows this field.
std::vector<dimension> usual_dimensions(const json& report, const json& policy, bool has_tolerance);

// Returns all combinations if there are at most max_count, otherwise max_count different ones chosen with the seed.
std::vector<json> combinations(const std::vector<dimension>& dimensions, std::size_t max_count, std::uint64_t seed);

// Returns the neighbors of a combination, which differ from it in the value of one dimension.
std::vector<json> neighbors(const std::vector<dimension>& dimensions, const json& combination);

// The series in two parts: the first for the search, the second only for validation.
struct series_parts {
    replay_input train;
    std::optional<replay_input> held_out;
};

// The result of a search.  Not copied, because two members point into `candidates`.
struct search_result {
    search_result() = default;
    search_result(search_result&&) = default;
    search_result& operator=(search_result&&) = default;

    std::deque<candidate> candidates;    // the first is the unchanged manifest
    const candidate* best = nullptr;     // may be the unchanged manifest; null: no candidate keeps the limits
    const candidate* nearest = nullptr;  // to the limits; null if there is a best one, or no candidate is possible
    daily_limits limits;

    const candidate& baseline() const { return candidates.front(); }
};

// Searches for the cheapest candidate that keeps the limits in both parts, with progress on stderr.  policy: of
// gputide_policy_describe.
search_result search_settings(const tune_options& options, const series_parts& parts, const json& policy,
                              std::vector<dimension> dimensions);

// Removes the changes that equal the current values, including defaults.  policy: of gputide_policy_describe.
json without_present_values(const json& policy, json changes);

// Returns "threshold=60, min=2", which --variant accepts, or "no change".
std::string changes_text(const json& changes);

// Support for behavior's tolerance on the manifest's cluster.
enum class field_support {
    unknown,
    known,    // the manifest uses it, or gputide.io/hpa-version is new enough
    missing,  // gputide.io/hpa-version is too old
};
field_support tolerance_support(const std::string& manifest, const std::string& scaler);

// Returns each changed setting as lines of a diff, with its path, old and new value; "" without changes.  policy: of
// gputide_policy_describe.
std::string manifest_diff(const json& policy, const json& changes);

// Returns a JSON merge patch (RFC 7386) of the manifest for `kubectl patch --type=merge`, which replaces whole lists; an empty
// object without changes; null if the scaler cannot be read from `manifest`.  policy: of gputide_policy_describe.
ordered_json merge_patch(const std::string& manifest, const std::string& scaler, const json& policy,
                         const json& changes);

// Returns the command that applies a merge patch.  policy: of gputide_policy_describe.
std::string patch_command(const json& policy, const ordered_json& patch);

// Returns a sentence per changed field that an older Kubernetes or KEDA does not know.
std::vector<std::string> newer_fields(const json& changes, field_support tolerance);

}  // namespace gputided

// gputided replay tune: the settings that need the fewest GPU-hours within the user's limits.
#pragma once

#include "replay/replay.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace gputided {

struct tune_options {
    replay_options replay;
    double max_above = -1.0;         // minutes above target per day; -1: no limit
    double max_flaps = -1.0;         // per day
    std::int32_t max_replicas = -1;  // at any time
    std::vector<std::string> tries;  // name=low:high:step or name=value,value; empty: the usual settings
    std::int32_t candidates = 400;
    double holdout = 0.3;   // the last part of the series, only for validation
    std::int32_t jobs = 0;  // threads; 0: one per core
    bool all = false;       // list each rejected candidate
};

// A limit that a candidate breaks.
struct broken_limit {
    std::string flag;  // "--most-flaps 4"; "": its settings do not fit the manifest
    std::string text;  // "5.5 flaps a day, at most 4 (--most-flaps)", or why they do not fit; "": no limit is broken

    bool empty() const { return text.empty(); }
};

// Figures of a part of the series, per day: parts of different length can be compared.
struct daily_figures {
    double gpu_hours = 0;
    std::optional<double> node_cost;  // with pools
    double above_minutes = 0;
    double flaps = 0;
    std::int32_t max_replicas = 0;
    gputided::broken_limit broken_limit;  // the first
    double excess = 0;                    // beyond the limits, each as a share of itself; infinity: impossible settings
};

// A combination of settings with its figures.
struct candidate {
    json changes;
    daily_figures train;
    daily_figures held_out;
    bool was_held_out = false;

    double excess() const { return train.excess + held_out.excess; }

    // Returns the first limit that either part breaks.
    const gputided::broken_limit& broken_limit() const {
        return train.broken_limit.empty() ? held_out.broken_limit : train.broken_limit;
    }
};

// Reads a replay's report, or {"refused": reason} for settings that do not fit the manifest.
daily_figures figures_of(const json& report, const tune_options& limits);

// Compares the cost of nodes if known, then GPU-hours, time above target, flaps.
bool is_better(const candidate& a, const candidate& b);

json figures_json(const daily_figures& figures);
std::string figures_text(const daily_figures& figures);

// A setting and the values to try.
struct dimension {
    std::string name;
    std::vector<json> values;
};

// Reads --try "threshold=40:90:5" or "tolerance=0.05,0.1".  Throws usage_error.
dimension read_dimension(const std::string& text);

// Returns the default dimensions, around the manifest's own values (from a replay's report).
std::vector<dimension> usual_dimensions(const json& report);

// Returns all combinations if they are at most max_count, else max_count different ones drawn by the seed.
std::vector<json> combinations(const std::vector<dimension>& dimensions, std::size_t max_count, std::uint64_t seed);

// Returns the neighbors of a combination: each value of each dimension in turn.
std::vector<json> neighbors(const std::vector<dimension>& dimensions, const json& combination);

// The search for the cheapest candidate within the limits: many replays on several threads.  The result depends on the seed, not on
// the number of threads.
class search {
  public:
    // options and input must outlive this object.
    search(const tune_options& options, const replay_input& input, std::vector<dimension> dimensions);

    void run();  // progress on stderr

    // Returns candidates within the limits, the cheapest first.
    std::vector<candidate*> best(std::size_t max_count);

    // Returns the candidate nearest to the limits; null if no candidate is possible.
    const candidate* nearest() const;

    const std::vector<candidate>& candidates() const { return candidates_; }

  private:
    void try_all(const char* stage, const std::vector<json>& combinations);

    const tune_options& options_;
    const replay_input& input_;
    std::vector<dimension> dimensions_;
    std::vector<candidate> candidates_;
    std::set<std::string> known_;
};

// Returns each changed setting as lines of a diff, with its place, its old and its new value; "" if nothing changes.  policy: of
// gputide_policy_describe.
std::string manifest_diff(const json& policy, const json& changes);

// Returns a JSON merge patch (RFC 7386) of the manifest for `kubectl patch --type=merge`; lists are replaced as a whole.  Null if
// the scaler cannot be read from `manifest` here; an empty object for no changes.
ordered_json merge_patch(const std::string& manifest, const std::string& scaler, const json& changes);

// Returns a sentence per changed field that an older Kubernetes or KEDA does not know.
std::vector<std::string> newer_fields(const json& changes);

}  // namespace gputided

// Variants of a manifest over one series, each a replay of its own: side by side (compare) or searched for the cheapest that
// keeps the user's limits (tune).  The search is the same for a seed, whatever the number of threads.
#pragma once

#include "commands.hpp"
#include "gputide/gputide.hpp"

#include <nlohmann/json.hpp>

#include <functional>
#include <string>
#include <vector>

namespace gputided {

// What replays share.
struct replay_ground {
    std::string manifest;
    gputide::options with;
    const gputide::series* over = nullptr;
    nlohmann::json settings;
};

// The report of one variant: `set` on top of the settings' own.
nlohmann::json replayed(const replay_ground& on, const nlohmann::json& set);

// All of them on `threads` threads, results in the order of `sets`; told(done, all) after each, on any thread, one at a time.
std::vector<nlohmann::json> replay_all(const replay_ground& on, const std::vector<nlohmann::json>& sets,
                                       unsigned threads, const std::function<void(std::size_t, std::size_t)>& told);

// --try "threshold=40:90:5" or "tolerance=0.05,0.1": a setting and the values that it may have.
struct dimension {
    std::string name;
    std::vector<nlohmann::json> values;
};
dimension read_dimension(const std::string& text);

// What is tried where the user says nothing, from the manifest's own figures (a replay's report).
std::vector<dimension> usual_dimensions(const nlohmann::json& report);

// All combinations where they are at most `most`, else so many different ones drawn by the seed.
std::vector<nlohmann::json> combinations(const std::vector<dimension>& of, std::size_t most, std::uint64_t seed);

// The neighbours of one: each value of each dimension in turn.
std::vector<nlohmann::json> neighbours(const std::vector<dimension>& of, const nlohmann::json& set);

// Where a setting stands in the manifest, with its old and its new value, as lines of a diff.
std::string manifest_diff(const nlohmann::json& policy, const nlohmann::json& set);

}  // namespace gputided

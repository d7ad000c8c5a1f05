// What tune varies: settings and the values that each may have, and the combinations that are tried.
#pragma once

#include <nlohmann/json.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace gputided {

struct dimension {
    std::string name;
    std::vector<nlohmann::json> values;
};

// --try "threshold=40:90:5" or "tolerance=0.05,0.1".  Throws usage_error.
dimension read_dimension(const std::string& text);

// What is tried where the user says nothing, from the manifest's own figures (a replay's report).
std::vector<dimension> usual_dimensions(const nlohmann::json& report);

// All combinations where they are at most `most`, else so many different ones drawn by the seed.
std::vector<nlohmann::json> combinations(const std::vector<dimension>& dimensions, std::size_t most,
                                         std::uint64_t seed);

// The neighbours of one combination: each value of each dimension in turn.
std::vector<nlohmann::json> neighbours(const std::vector<dimension>& dimensions, const nlohmann::json& combination);

}  // namespace gputided

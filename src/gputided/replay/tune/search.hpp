// The search for the cheapest candidate that keeps the limits: many replays on several threads.  The same for a seed,
// whatever the number of threads.
#pragma once

#include "replay/input.hpp"
#include "replay/tune/candidate.hpp"
#include "replay/tune/dimensions.hpp"

#include <nlohmann/json.hpp>

#include <cstddef>
#include <set>
#include <string>
#include <vector>

namespace gputided {

class search {
  public:
    // options and input live longer than this.
    search(const tune_options& options, const replay_input& input, std::vector<dimension> dimensions);

    void run();  // progress on stderr

    // Those that keep the limits, the cheapest first.
    std::vector<candidate*> best(std::size_t most);

    // The one that comes nearest to the limits; null where no candidate can be.
    const candidate* nearest() const;

    const std::vector<candidate>& candidates() const { return candidates_; }

  private:
    void try_all(const char* stage, const std::vector<nlohmann::json>& combinations);

    const tune_options& options_;
    const replay_input& input_;
    std::vector<dimension> dimensions_;
    std::vector<candidate> candidates_;
    std::set<std::string> known_;
};

}  // namespace gputided

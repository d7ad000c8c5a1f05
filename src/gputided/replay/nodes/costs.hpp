// What nodes cost while they stand: hours, GPU-hours and money, pool by pool and in all.  Knows no time and no plan.
#pragma once

#include <nlohmann/json.hpp>

#include <cstdint>
#include <map>
#include <string>

namespace gputided {

class node_costs {
  public:
    // One node of `pool` for so long.  offers: what it has for pods, "nvidia.com/gpu" among that.
    void add(const nlohmann::json& pool, const nlohmann::json& offers, double hours);

    // How many stand in the pool now; the report tells the most.
    void note_size(const std::string& pool, std::int64_t nodes);

    // {"pools":[{"id","most","node_hours","gpu_hours","cost"}],"node_hours","gpu_hours","cost"}
    nlohmann::json report() const;

  private:
    struct pool_sums {
        std::int64_t most = 0;
        double hours = 0.0;
        double gpu_hours = 0.0;
        double cost = 0.0;  // in whatever price_per_hour is
    };

    std::map<std::string, pool_sums> pools_;  // by id
};

}  // namespace gputided

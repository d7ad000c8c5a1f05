// One combination of settings and what it came to, held against the user's limits.
#pragma once

#include "replay/tune/tune.hpp"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace gputided {

// A limit that a candidate breaks.
struct broken_limit {
    std::string flag;  // "--most-flaps 4"; "": its settings do not fit the manifest
    std::string text;  // "5.5 flaps a day, at most 4 (--most-flaps)", or why they do not fit; "": none is broken

    bool empty() const { return text.empty(); }
};

// Of one part of the series; per day, so that parts of different length compare.
struct daily_figures {
    double gpu_hours = 0;
    std::optional<double> node_cost;  // where pools are given
    double above_minutes = 0;
    double flaps = 0;
    std::int32_t most_replicas = 0;
    gputided::broken_limit broken_limit;  // the first
    double excess = 0;  // how far beyond its limits it is, each as a share of itself; infinity: it cannot be
};

struct candidate {
    nlohmann::json changes;
    daily_figures train;
    daily_figures held_out;
    bool was_held_out = false;

    double excess() const { return train.excess + held_out.excess; }

    // The first that either part breaks.
    const gputided::broken_limit& broken_limit() const {
        return train.broken_limit.empty() ? held_out.broken_limit : train.broken_limit;
    }
};

// Of a replay's report, or of {"refused": why} where the settings do not fit the manifest.
daily_figures figures_of(const nlohmann::json& report, const tune_options& limits);

// Least cost of nodes where that is known, then least GPU-hours, then least time above target, then fewest flaps; the order of the search decides what is left.
bool is_better(const candidate& a, const candidate& b);

nlohmann::json figures_json(const daily_figures& figures);
std::string figures_text(const daily_figures& figures);

}  // namespace gputided

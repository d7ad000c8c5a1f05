// Step `age`: how old are the samples behind the number, and how often do new ones come?  Pure.
#pragma once

#include "base/sample.hpp"
#include "doctor/step.hpp"
#include "doctor/tempo.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace gputide::doctor {

struct age {
    std::string metric;  // what was looked at
    gputide::sample sample;
    std::string said;                       // the source's words where the sample is stale
    std::optional<std::int64_t> oldest_ms;  // Unix; nothing: the source tells no times
    std::int64_t now_ms = 0;
    std::int64_t max_age_ms = 0;  // gputide.io/max-sample-age; 0: no limit
    doctor::tempo tempo;
    bool by_query = false;       // several series may stand behind the answer, or none
    bool from_exporter = false;  // DCGM's: its collect interval can be named
};

step judge_age(const age& seen);

}  // namespace gputide::doctor

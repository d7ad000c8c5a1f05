// One trigger, step by step, up to the first that fails.  Gathers what the steps judge.
#pragma once

#include "doctor/asker.hpp"
#include "doctor/lookup.hpp"
#include "doctor/report.hpp"

#include <optional>

namespace gputide::doctor {

struct walked {
    trigger_report report;
    gputide::sample sample;  // for the decision; not_read where the host must bring it
    std::string read_error;
};

// `pushed` is the host's value of a trigger that cannot be asked.  is_hpa: the trigger is the source of an HPA's metric.
struct way {
    const patient& whose;
    std::string metric;  // "s0-prometheus"
    std::optional<gputide::sample> pushed;
    bool can_be_zero = false;
    bool is_hpa = false;
};
walked walk(const asker& by, const way& along);

}  // namespace gputide::doctor

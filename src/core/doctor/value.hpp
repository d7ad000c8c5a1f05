// Steps `value` and `activation`: is the number one to scale by, and does it make the trigger active?  Pure.
#pragma once

#include "base/sample.hpp"
#include "doctor/step.hpp"
#include "source/source.hpp"

#include <string>
#include <vector>

namespace gputide::doctor {

struct value {
    std::string query;
    std::string metric;  // what the query looks at; "": unknown
    gputide::sample sample;
    std::string said;                    // the source's words where there is no value
    std::vector<source::series> past;    // of the metric: some minutes; empty: unknown
    std::vector<source::series> beside;  // other series of the same GPUs, over the same time
    std::string no_data;                 // gputide.io/no-data in words, where it is set
};

step judge_value(const value& seen);

struct activation {
    double value = 0.0;
    double above = 0.0;                        // activationThreshold
    double target = 0.0;                       // threshold
    bool per_pod = true;                       // AverageValue
    bool can_be_zero = false;                  // the manifest may go to 0 or idle
    bool is_hpa = false;                       // an HPA's metric knows no activation
    activity_word word = activity_word::none;  // the source's own, which no threshold stands against
};

step judge_activation(const activation& seen);

}  // namespace gputide::doctor

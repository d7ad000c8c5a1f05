// What is known of the metrics that people scale GPU work on: the range of one series, what it measures, which process serves it.
// One table; findings, the reading of answers and the doctor use it.  Pure.
#pragma once

#include <limits>
#include <string_view>

namespace gputide::source {

struct known_metric {
    std::string_view name;  // in lower case, '_' for ':'; a name that ends in '*' stands for all that begin like it
    double max = std::numeric_limits<double>::infinity();  // of one series; the least is 0
    bool is_level = false;  // says how busy a thing is: it does not add up over replicas (a percentage, a temperature)
    bool is_own_pods = false;   // the scaled pods serve it themselves: without a pod there is no series
    bool is_whole_gpu = false;  // a MIG instance or vGPU shows its whole card's number
};

// The metric under any of its spellings: vllm:kv_cache_usage_perc, vllm_kv_cache_usage_perc, as an adapter renames it without its
// first word, or as GKE has it ("prometheus.googleapis.com|name|gauge").  Null: not known.
const known_metric* find_known_metric(std::string_view name);

// By its table row, else by its words: _percent, _ratio, _utilization and the like.
bool is_level_metric(std::string_view name);

// A number of replicas that somebody computed already (wva_desired_replicas).
bool is_desired_count(std::string_view name);

}  // namespace gputide::source

// The registry of the metrics that people scale GPU work on: what each measures, its range, which process serves it, and what became
// of it.  The rows are in known_metrics_table.hpp; findings, the reading of answers and the doctor use them.  Pure.
#pragma once

#include "text/field.hpp"

#include <limits>
#include <string>
#include <string_view>

namespace gputide::source {

// The columns of a row that the product needs; the documentation has the rest.
struct known_metric {
    text::literal name;  // as its server writes it; a name that ends in '*' stands for all that begin like it
    double max = std::numeric_limits<double>::infinity();  // of one series; the minimum is 0
    bool is_level = false;  // says how busy a thing is: it does not add up over replicas (a percentage, a temperature)
    bool is_own_pods = false;   // the scaled pods serve it themselves: without a pod there is no series
    bool is_whole_gpu = false;  // a MIG instance or vGPU shows its whole card's number
    text::literal server;
    text::literal gone_since;  // the first version without it; "": the newest one has it
    text::literal successor;   // the name that took its place
};

// The metric under any of its spellings: vllm:kv_cache_usage_perc, vllm_kv_cache_usage_perc, as an adapter renames it without its
// first word, or as GKE has it ("prometheus.googleapis.com|name|gauge").  Null: not known.
const known_metric* find_known_metric(std::string_view name);

// Returns the name that took the place of `older`; "": none did.  In a family the end of the name stays:
// vllm:time_per_output_token_seconds_bucket gives vllm:inter_token_latency_seconds_bucket.
std::string successor_of(std::string_view older);

// `newer` is the name that took the place of `older`.
bool succeeds(std::string_view newer, std::string_view older);

// By its table row, else by its words: _percent, _ratio, _utilization and the like.
bool is_level_metric(std::string_view name);

// A number of replicas that was computed already (wva_desired_replicas).
bool is_desired_count(std::string_view name);

}  // namespace gputide::source

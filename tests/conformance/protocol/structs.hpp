// The structs of gputide.h and their JSON: members by their C names, enums as their numbers; sizes and counts are not written.
#pragma once

#include "gputide/plan.h"
#include "gputide/runtime.h"
#include "gputide/source.h"
#include "protocol/json_values.hpp"

#include <deque>
#include <string>
#include <vector>

namespace conformance {

// A size-first struct, zeroed.
template <class Struct>
Struct sized() {
    Struct out{};
    out.struct_size = sizeof(Struct);
    return out;
}

// gputide_options with what it points at: {"flags": 16, "files": [{"name": …, "text": …}], "ca_file": …}.
class owned_options {
  public:
    explicit owned_options(const json& options);
    owned_options(const owned_options&) = delete;
    owned_options& operator=(const owned_options&) = delete;
    const gputide_options* get() const { return &options_; }

  private:
    const char* kept(const json& options, const char* name);

    std::deque<std::string> texts_;
    std::vector<gputide_file> files_;
    gputide_options options_ = sized<gputide_options>();
};

// Samples with their messages.  One with a value and no state is GPUTIDE_SAMPLE_OK.
struct owned_samples {
    explicit owned_samples(const json& samples);
    owned_samples(const owned_samples&) = delete;
    owned_samples& operator=(const owned_samples&) = delete;

    std::vector<gputide_sample> list;
    std::deque<std::string> messages;
};

// gputide_observation with its samples, pods and pod samples.
class owned_observation {
  public:
    explicit owned_observation(const json& observation);
    owned_observation(const owned_observation&) = delete;
    owned_observation& operator=(const owned_observation&) = delete;
    const gputide_observation* get() const { return &observation_; }

  private:
    void take_pods(const json& list);
    void take_pod_samples(const json& list);

    std::deque<std::string> names_;
    owned_samples samples_;
    std::vector<gputide_pod> pods_;
    std::vector<gputide_pod_sample> pod_samples_;
    gputide_observation observation_ = sized<gputide_observation>();
};

gputide_runtime_options runtime_options_in(const json& object);
std::vector<gputide_usage_sample> usage_samples_in(const json& list);

json error_json(const gputide_error& error);
json sample_json(const gputide_sample& sample);
json decision_json(const gputide_decision& decision);
json event_json(const gputide_event& event);

}  // namespace conformance

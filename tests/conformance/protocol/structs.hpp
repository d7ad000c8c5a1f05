// Values as protocol 1 writes them, so that no language's JSON loses any: integers beyond ±2^53 as decimal strings, "NaN",
// "+Inf" and "-Inf", bytes that are not UTF-8 as {"b64": …}.
#pragma once

#include "gputide/plan.h"
#include "gputide/runtime.h"
#include "gputide/source.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace conformance {

using json = nlohmann::json;

json json_integer(std::int64_t value);
json json_integer(std::uint64_t value);
json json_real(double value);
json json_text(const std::string& bytes);

// These throw std::invalid_argument for a value of another kind.
std::int64_t integer_in(const json& value);
std::uint64_t unsigned_in(const json& value);
double real_in(const json& value);
std::string text_in(const json& value);

std::string base64_of(std::string_view bytes);
std::string bytes_of_base64(std::string_view text);  // throws std::invalid_argument

// The structs of gputide.h and their JSON: members by their C names, enums as their numbers; sizes and counts are not written.

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

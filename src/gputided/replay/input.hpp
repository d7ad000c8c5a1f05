// What a replay runs over and by: a manifest, a series from files or straight from the manifest's own source, and the settings
// as JSON.  replay, compare and tune read it once and run as many variants as they like.
#pragma once

#include "gputide/gputide.hpp"
#include "replay/replay.hpp"

#include <nlohmann/json.hpp>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace gputided {

struct replay_input {
    std::string scaler;        // "namespace/name"
    std::string file;          // of the manifest
    std::string manifest;      // its text
    gputide::options options;  // what the library may do, and which scaler is meant
    std::shared_ptr<const gputide::series> series;
    nlohmann::json settings;  // of gputide_replay_open
    nlohmann::json pools;     // null: replicas alone are looked at
};

// Throws usage_error or gputide::failure; asks the network with --from alone, with progress on stderr.
replay_input read_replay_input(const replay_options& options);

// The report of one variant: `changes` ("threshold": 60) on top of the settings' own "set".  Of the input as it is, where that
// forecasts and wants a chart, with its rivals (forecast/rivals.hpp).
std::string replayed(const replay_input& input, const nlohmann::json& changes);

// The same as JSON; where pools are given, with what its replicas come to on nodes (`nodes`).
nlohmann::json report_of(const replay_input& input, const nlohmann::json& changes);

// Why the library refuses these changes of this manifest, before anything is replayed; nothing: it takes them.
std::optional<gputide::failure> refusal_of(const replay_input& input, const nlohmann::json& changes);

// "threshold=60", "in_flight_guard=true" as a member of `changes`; what is no value of JSON is a text there, for the library to
// refuse.  Throws usage_error that names the flag.
void add_change(const std::string& text, const char* flag, nlohmann::json& changes);

// "Above target" gets the meaning that the report of the first variant has, for all that follow.
void fix_levels(replay_input& input, const nlohmann::json& report);

}  // namespace gputided

// What a replay runs over and by: the series from files or straight from the manifest's own source, the settings as JSON.
#pragma once

#include "commands.hpp"
#include "gputide/gputide.hpp"

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace gputided {

// The flags as the settings of gputide_replay_open.  Throws usage_error.
nlohmann::json replay_settings(const replay_options& from);

// One value of --set or of a variant into settings["set"]: "threshold=60", "in_flight_guard=true".  Throws usage_error.
void add_change(const std::string& text, const char* flag, nlohmann::json& into);

// The files of --series, or the past of each metric (--from, --to, --step) in pieces, with progress on stderr.
gputide::series read_series(const replay_options& from, const std::string& scaler,
                            const std::vector<manifest_file>& files);

// The one scaler that a replay is for.  Throws usage_error where the manifests hold several and --scaler names none.
std::string one_scaler(const options& from, const std::vector<manifest_file>& files);

}  // namespace gputided

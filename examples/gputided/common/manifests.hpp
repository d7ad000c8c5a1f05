// Manifest files as -f names them, and the scalers in them.
#pragma once

#include "gputide/gputide.hpp"

#include <functional>
#include <string>
#include <vector>

namespace gputided {

struct shared_options;

// A manifest file as it was read.
struct manifest_file {
    std::string name;
    std::string text;
};

// The file itself, or of a folder its *.yaml, *.yml and *.json by name.  Throws usage_error where it cannot be read.
std::vector<std::string> manifest_paths(const std::string& path);

// Reads every -f (a file, a folder of *.yaml, *.yml and *.json, or - for standard input).  Throws usage_error with the path
// and the system's reason.
std::vector<manifest_file> read_manifests(const shared_options& options);
using file_reader = std::function<std::string(const std::string& path)>;
std::vector<manifest_file> read_manifests(const shared_options& options, const file_reader& reader);

// The scalers that the manifests hold and --scaler chooses, as "namespace/name".  Throws gputide::failure where a manifest
// has an error, usage_error where there is none to choose.
std::vector<std::string> scaler_names(const shared_options& options, const std::vector<manifest_file>& files);

// Whether --scaler, "" for all, chooses this one.
bool is_chosen(const std::string& choice, const std::string& full_name);

// One of them, ready to work.  Nothing is sent.
gputide::scaler open_scaler(const std::string& name, const shared_options& options,
                            const std::vector<manifest_file>& files);

}  // namespace gputided

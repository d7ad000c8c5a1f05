// Manifest files as -f names them, and the scalers in them.
#pragma once

#include "gputide/gputide.hpp"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace gputided {

struct shared_options;

// A manifest file as it was read.
struct manifest_file {
    std::string name;
    std::string text;
};

// What a flag gives as text, or as "@FILE".
manifest_file text_or_file(const char* flag, const std::string& given);

// The file itself, or of a folder its *.yaml, *.yml and *.json by name.  Throws usage_error where it cannot be read.
std::vector<std::string> manifest_paths(const std::string& path);

using file_reader = std::function<std::string(const std::string& path)>;

struct manifests_read {
    std::vector<manifest_file> files;
    std::map<std::string, std::string> unreadable;  // by path: "so.yaml: cannot read: Permission denied"

    std::string reasons() const;  // of all that is unreadable, a line each
};

// Reads every -f (a file, a folder of *.yaml, *.yml and *.json, or - for standard input); what cannot be read stops no other.
manifests_read read_those_readable(const shared_options& options, const file_reader& reader);

// The same, where all that -f names must be readable.  Throws usage_error with each path and the system's reason.  A file of a
// folder that cannot be read is told on stderr and left out.
std::vector<manifest_file> read_manifests(const shared_options& options);
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

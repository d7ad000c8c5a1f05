// The manifest files of -f and their scalers.
#pragma once

#include "common/files.hpp"
#include "common/json.hpp"
#include "gputide/gputide.hpp"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace gputided {

struct shared_options;

struct manifest_file {
    std::string name;
    std::string text;
};

// Returns the text that a flag gives directly or as "@FILE".
manifest_file text_or_file(const char* flag, const std::string& given);

// Returns the path of a file, or the *.yaml, *.yml and *.json files of a folder by name.  Throws usage_error for an unreadable
// folder.
std::vector<std::string> manifest_paths(const std::string& path);

// Returns the error for a file name that is not UTF-8.
std::string not_utf8_text(const std::string& path);

using file_reader = std::function<std::string(const std::string& path)>;
inline std::string read_whole(const std::string& path) { return read_text(path); }

struct manifests_read {
    std::vector<manifest_file> files;
    std::map<std::string, std::string> unreadable;  // by path: "so.yaml: cannot read: Permission denied"

    std::string reasons() const;  // one line per unreadable file
};

// Reads every -f: a file, a folder, or - for standard input.  An unreadable file does not affect the others.
manifests_read read_those_readable(const shared_options& options, const file_reader& reader = read_whole);

// Reads every -f as above.  Throws usage_error with each path and the system's reason if a file named by -f is unreadable.  An
// unreadable file in a folder is logged and skipped.
std::vector<manifest_file> read_manifests(const shared_options& options, const file_reader& reader = read_whole);

// Returns the scalers that --scaler selects, as "namespace/name".  Throws gputide::failure if a manifest has an error,
// usage_error if no scaler is selected.
std::vector<std::string> scaler_names(const shared_options& options, const std::vector<manifest_file>& files);

// Reports whether --scaler selects this scaler; "" selects all.
bool is_chosen(const std::string& choice, const std::string& full_name);

// Opens a scaler of the manifests.  Sends no request.
gputide::scaler open_scaler(const std::string& name, const shared_options& options,
                            const std::vector<manifest_file>& files);

// Opens the credential that --credential describes.
gputide::credential open_credential(const std::string& given, const shared_options& options);

// Reports whether a document is a ScaledObject or a HorizontalPodAutoscaler.
bool is_scaler(const ordered_json& document);

// Returns "ml/llama" for a scaler, "Secret ml/tokens" for another object.
std::string object_name(const ordered_json& document);

// Explains a ScaledJob in the manifests of -f.

// Returns "job.yaml:1: ScaledJob ml/batch is not carried out ...".  job: of the report of gputide_manifest_check.
inline std::string scaled_job_text(const json& job) {
    return text_at(job, "file") + ":" + std::to_string(integer_at(job, "line")) + ": ScaledJob " + full_name_in(job) +
           " cannot be run or examined with -f; use gputided run --kubernetes for ScaledJobs";
}

}  // namespace gputided

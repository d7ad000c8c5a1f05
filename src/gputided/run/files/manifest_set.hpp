// What the -f files and folders hold: which scaler stands in which file, and which files have an error.  A file with an error
// takes nothing from the others but what they need of it.
#pragma once

#include "common/manifests.hpp"

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace gputided {

struct wanted_scaler {
    std::string name;  // "namespace/name"
    std::string file;
};

// Where a scaler was run from last, by "namespace/name".
using owner_files = std::map<std::string, std::string>;

struct manifest_set {
    std::vector<manifest_file> files;  // without error, in the order of -f, a folder's by name
    std::vector<wanted_scaler> scalers;
    std::set<std::string> with_scalers;         // files
    std::map<std::string, std::string> broken;  // by file: what is wrong with it, with its place and the remedy
};

// What `files` hold.  Files that contradict each other (one scaler or one workload twice) are judged by who was there first:
// a file that is the same as in `before` comes first, then those that `owners` names, then the others.  And while the owner
// of a scaler cannot be used, no other file gets that scaler.
//   unreadable   files that could not even be read, and why: they are in `broken` then
manifest_set scalers_in(std::vector<manifest_file> files, const shared_options& options, const owner_files& owners,
                        const std::map<std::string, std::string>& unreadable, const manifest_set& before);

// The file, or the folder that it lies in, cannot be used now.
bool is_broken(const std::string& file, const manifest_set& set);

}  // namespace gputided

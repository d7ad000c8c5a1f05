// What the -f files and folders hold: which scaler stands in which file, and which files have an error.  A file with an error
// takes nothing from the others but what they need of it.
#pragma once

#include "options.hpp"

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

struct manifest_set {
    std::vector<manifest_file> files;  // without error, in the order of -f, a folder's by name
    std::vector<wanted_scaler> scalers;
    std::set<std::string> with_scalers;         // files
    std::map<std::string, std::string> broken;  // by file: what is wrong with it, with its place and the remedy
};

// Reads the files again and again; standard input once.
class manifest_reader {
  public:
    explicit manifest_reader(const options& from) : from_(from) {}

    // changed_folders: files given by name stay as they were read.  Throws nothing: what is wrong stands in `broken`, a
    // folder that cannot be read under its own name.
    manifest_set read(bool changed_folders);
    // As read(), for a start: throws usage_error or gputide::failure where a file that was given by name has an error, or
    // where no scaler is left.
    manifest_set read_first();

  private:
    void read_one(const std::string& name, manifest_set& into, bool fresh);
    bool is_in_folder(const std::string& file) const;

    const options& from_;
    std::map<std::string, std::string> texts_;  // of files given by name
};

// The manifest of one scaler with all that it may refer to, and what stands for all of that when it is compared.
struct scaler_text {
    std::vector<manifest_file> files;  // its own first
    std::size_t fingerprint = 0;
};
// beside: false: its own file and those that hold no scaler; true: every other file with credentials or secrets, too.
scaler_text text_of(const wanted_scaler& one, const manifest_set& from, bool beside);

}  // namespace gputided

// The manifests of gputided run: the file of each scaler, files with an error, and changes.  An error in a file affects only
// files that need it.
#pragma once

#include "common/files.hpp"
#include "common/options.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace gputided {

struct wanted_scaler {
    std::string name;  // "namespace/name"
    std::string file;
};

// The last file of each scaler, by "namespace/name".
using owner_files = std::map<std::string, std::string>;

// An object that run -f cannot scale.
struct unhandled_object {
    std::string name;  // "namespace/name"
    std::string text;  // with file and line
};

struct manifest_set {
    std::vector<manifest_file> files;  // without errors; in the order of -f, in a folder by name
    std::vector<wanted_scaler> scalers;
    std::set<std::string> with_scalers;  // names of files with a scaler
    std::vector<unhandled_object> unhandled;
    std::map<std::string, std::string> broken;  // by file: the error with its place and remedy
};

// Returns the scalers in `files`.  If files contradict each other (a scaler or a workload twice), a file unchanged since `before`
// takes precedence, then one in `owners`.  While the file that owns a scaler cannot be used, no other file gets this scaler.
// unreadable: files that could not be read, with the reason; they are added to `broken`.
manifest_set scalers_in(std::vector<manifest_file> files, const shared_options& options, const owner_files& owners,
                        const std::map<std::string, std::string>& unreadable, const manifest_set& before);

// Reports whether the file or its folder is in `broken`.
bool is_broken(const std::string& file, const manifest_set& set);

// The manifest of a scaler with the files that it may reference.
struct scaler_text {
    std::vector<manifest_file> files;  // its own file first
    std::size_t fingerprint = 0;       // of all files, for comparison
};

enum class beside { plain_files, other_scalers };

// Classifies the files of a set once for all scalers.
class scaler_texts {
  public:
    explicit scaler_texts(const manifest_set& set);  // the set must outlive this object

    // plain_files: its own file and files without a scaler.  other_scalers: also other scalers' files with credentials or
    // Secrets.
    scaler_text of(const wanted_scaler& scaler, beside which) const;

  private:
    std::map<std::string, const manifest_file*> by_name_;
    std::vector<const manifest_file*> plain_;
    std::vector<const manifest_file*> with_secrets_;  // files with a scaler and secrets
};

// Returns the differences of two readings of the manifests, field by field, for the log and the audit log, such as "llama.yaml:
// ml/llama maxReplicaCount 8 → 5".  Skips removed scalers, which are logged separately.  Shows only values that are numbers,
// durations or booleans, because other texts may be confidential.
std::vector<std::string> changes_between(const std::vector<manifest_file>& before,
                                         const std::vector<manifest_file>& after);

// folders: reads only folders; files named by -f keep their text.
enum class reading { everything, folders };

// Reads the -f files repeatedly, and standard input only once.
class manifest_reader {
  public:
    explicit manifest_reader(const shared_options& options) : options_(options) {}

    // Reads the files.  unsettled: files that are being written; they keep their text, and new ones are ignored.  Never throws;
    // errors, also of an unreadable folder, are in `broken`.
    manifest_set read(reading scope, const owner_files& owners, const std::set<std::string>& unsettled);
    // Reads all files for the start.  Throws usage_error or gputide::failure if a file named by -f has an error or there is no
    // scaler.
    manifest_set read_first(const owner_files& owners);

  private:
    bool is_in_folder(const std::string& path) const;

    const shared_options& options_;
    std::map<std::string, std::string> texts_;  // last text of each file
    manifest_set last_;
};

// Notices changed manifests in folders by polling. inotify does not report changes behind a symbolic link (as in a mounted
// ConfigMap) or on a network file system.
class folder_watch {
  public:
    explicit folder_watch(const std::vector<std::string>& paths);  // watches only folders

    // Returns true once after each change of a file, when two consecutive polls see the same state.  A file that is still being
    // written does not count and does not delay others.
    bool changed();

    // Returns the files that differ between the last two polls, which may be half written.
    const std::set<std::string>& unsettled() const { return unsettled_; }

  private:
    // Modification time (ns), bytes, inode; empty: no such file.
    using stamp = std::optional<std::array<std::int64_t, 3>>;
    static constexpr std::array<std::int64_t, 3> unreadable{};
    struct watched_file {
        stamp now, last, taken;  // in this poll, in the one before, and when changed() counted it
    };
    void look();  // sets `now`

    std::vector<std::string> folders_;
    std::map<std::string, watched_file> files_;
    std::set<std::string> unsettled_;
};

}  // namespace gputided

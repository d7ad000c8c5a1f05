// The manifests of gputided run: which scaler is in which file of -f, which files have an error, and what changes.  An error in a
// file affects only files that need it.
#pragma once

#include "common/manifests.hpp"
#include "common/options.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace gputided {

struct wanted_scaler {
    std::string name;  // "namespace/name"
    std::string file;
};

// The last file of each scaler, by "namespace/name".
using owner_files = std::map<std::string, std::string>;

// An object that run -f does not carry out.
struct unhandled_object {
    std::string name;  // "namespace/name"
    std::string text;  // with its place
};

struct manifest_set {
    std::vector<manifest_file> files;  // without error, in the order of -f, a folder's by name
    std::vector<wanted_scaler> scalers;
    std::set<std::string> with_scalers;  // files
    std::vector<unhandled_object> unhandled;
    std::map<std::string, std::string> broken;  // by file: the error with its place and remedy
};

// Returns the scalers of `files`.  If files contradict each other (a scaler or a workload twice), a file that is unchanged since
// `before` takes precedence, then one that `owners` names.  While the owner of a scaler cannot be used, no other file gets that
// scaler.
//   unreadable   files that could not be read, with the reason; they become `broken`
manifest_set scalers_in(std::vector<manifest_file> files, const shared_options& options, const owner_files& owners,
                        const std::map<std::string, std::string>& unreadable, const manifest_set& before);

// Reports whether the file or its folder cannot be used now.
bool is_broken(const std::string& file, const manifest_set& set);

// The manifest of a scaler with the files that it may refer to.
struct scaler_text {
    std::vector<manifest_file> files;  // its own first
    std::size_t fingerprint = 0;       // of all files, for comparison
};

enum class beside { plain_files, other_scalers };

// Sorts the files of a set once for all scalers.
class scaler_texts {
  public:
    explicit scaler_texts(const manifest_set& set);  // borrowed

    // plain_files: its own file and files without a scaler; other_scalers: also other files with credentials or secrets.
    scaler_text of(const wanted_scaler& scaler, beside which) const;

  private:
    std::map<std::string, const manifest_file*> by_name_;
    std::vector<const manifest_file*> plain_;
    std::vector<const manifest_file*> with_secrets_;  // and with scalers
};

// folders: files that are named by -f keep their text.
enum class reading { everything, folders };

// Reads the -f files repeatedly, and standard input once.
class manifest_reader {
  public:
    explicit manifest_reader(const shared_options& options) : options_(options) {}

    // unsettled: files that are being written; they keep their text or stay out.  Throws nothing: errors are in `broken`, also
    // that of an unreadable folder.
    manifest_set read(reading scope, const owner_files& owners, const std::set<std::string>& unsettled);
    // Reads everything for a start: throws usage_error or gputide::failure if a file that is named by -f has an error, or if no
    // scaler is left.
    manifest_set read_first(const owner_files& owners);

  private:
    struct pass_state {
        reading scope;
        const std::set<std::string>& unsettled;
        std::vector<manifest_file> files;
        std::map<std::string, std::string> broken;
    };
    void read_file(const std::string& path, pass_state& pass);
    void keep_missing(pass_state& pass) const;
    bool is_in_folder(const std::string& path) const;

    const shared_options& options_;
    std::map<std::string, std::string> texts_;  // last text of each file
    manifest_set last_;
};

// Notices changed manifests of folders by polling.  inotify does not report changes behind a symbolic link (as in a mounted
// ConfigMap) or on another machine's disk.
class folder_watch {
  public:
    explicit folder_watch(const std::vector<std::string>& paths);  // only folders count

    // Returns true once per change of a file, when two polls in a row see the same: a file that is still being written does not
    // count, and does not delay others.
    bool changed();

    // Returns files that differ between the last two polls: they may be half written.
    const std::set<std::string>& unsettled() const { return unsettled_; }

  private:
    using stamp = std::tuple<std::int64_t, std::int64_t, std::int64_t>;  // time of the last change (ns), bytes, inode
    std::map<std::string, stamp> stamps() const;

    std::vector<std::string> folders_;
    std::map<std::string, stamp> taken_, last_;
    std::set<std::string> unsettled_;
};

// Locks PATH.lock, so that only one process uses a state file.  The lock ends with the process.
class file_lock {
  public:
    // "": no lock.  Throws usage_error if another process has it, or if it cannot be written.
    explicit file_lock(const std::string& path);
    ~file_lock();
    file_lock(const file_lock&) = delete;
    file_lock& operator=(const file_lock&) = delete;

  private:
    int descriptor_ = -1;
};

}  // namespace gputided

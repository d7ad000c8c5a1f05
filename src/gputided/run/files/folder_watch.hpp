// Tells when the manifests of a folder have changed: by looking, once in a while.  inotify would be told at once, but not of
// what lies behind a symbolic link (as in a mounted ConfigMap) or on another machine's disk.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace gputided {

class folder_watch {
  public:
    explicit folder_watch(const std::vector<std::string>& paths);  // of these the folders

    // True once per change of a file, when two looks in a row have seen the same of it: a file that is still being written
    // does not count, and keeps no other out.
    bool changed();

    // Files that the last two looks have seen differently: they may be half written.
    const std::set<std::string>& unsettled() const { return unsettled_; }

  private:
    using stamp = std::tuple<std::int64_t, std::int64_t, std::int64_t>;  // when it was changed (ns), bytes, inode
    std::map<std::string, stamp> look() const;

    std::vector<std::string> folders_;
    std::map<std::string, stamp> taken_, last_;
    std::set<std::string> unsettled_;
};

}  // namespace gputided

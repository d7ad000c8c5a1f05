// Tells when the manifests of a folder have changed: by looking, once in a while.  inotify would be told at once, but not of
// what lies behind a symbolic link (as in a mounted ConfigMap) or on another machine's disk.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace gputided {

class folder_watch {
  public:
    explicit folder_watch(const std::vector<std::string>& given);  // of these the folders

    // True once per change, when two looks in a row have seen the same: a file that is still being written does not count.
    bool changed();

  private:
    using stamp = std::tuple<std::int64_t, std::int64_t, std::int64_t>;  // when it was changed (ns), bytes, inode
    std::map<std::string, stamp> look() const;

    std::vector<std::string> given_;
    std::map<std::string, stamp> taken_, last_;
};

}  // namespace gputided

#include "run/files/folder_watch.hpp"

#include "common/exit_status.hpp"
#include "common/manifests.hpp"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <sys/stat.h>
#include <utility>

namespace gputided {
namespace {

std::vector<std::string> folders_of(const std::vector<std::string>& paths) {
    std::vector<std::string> out;
    std::copy_if(paths.begin(), paths.end(), std::back_inserter(out), [](const std::string& path) {
        std::error_code failed;
        return std::filesystem::is_directory(path, failed);
    });
    return out;
}

}  // namespace

folder_watch::folder_watch(const std::vector<std::string>& paths)
    : folders_(folders_of(paths)), taken_(look()), last_(taken_) {}

std::map<std::string, folder_watch::stamp> folder_watch::look() const {
    std::map<std::string, stamp> out;
    for (const std::string& folder : folders_) {
        try {
            for (const std::string& path : manifest_paths(folder)) {
                struct stat about {};
                if (::stat(path.c_str(), &about) != 0 && ::lstat(path.c_str(), &about) != 0) continue;
                const std::int64_t changed_ns = about.st_mtim.tv_sec * 1'000'000'000 + about.st_mtim.tv_nsec;
                out[path] = {changed_ns, about.st_size, static_cast<std::int64_t>(about.st_ino)};
            }
        } catch (const usage_error&) {
            out[folder] = {};  // cannot be read: that is a change, too, and the reader says why
        }
    }
    return out;
}

// A file that went counts at the second look as well: it may be on its way to be replaced.
bool folder_watch::changed() {
    if (folders_.empty()) return false;
    std::map<std::string, stamp> now = look();
    std::set<std::string> seen;
    for (const std::map<std::string, stamp>* looked : {&now, &last_, &taken_}) {
        for (const auto& [path, about] : *looked) seen.insert(path);
    }
    const auto differs = [](const std::string& path, const auto& a, const auto& b) {
        const auto at = a.find(path);
        const auto other = b.find(path);
        if (at == a.end() || other == b.end()) return (at == a.end()) != (other == b.end());
        return at->second != other->second;
    };
    bool any = false;
    unsettled_.clear();
    for (const std::string& path : seen) {
        if (differs(path, now, last_)) {
            unsettled_.insert(path);
        } else if (differs(path, now, taken_)) {
            any = true;
            if (const auto at = now.find(path); at != now.end()) {
                taken_[path] = at->second;
            } else {
                taken_.erase(path);
            }
        }
    }
    last_ = std::move(now);
    return any;
}

}  // namespace gputided

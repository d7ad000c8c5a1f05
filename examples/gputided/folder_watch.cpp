#include "folder_watch.hpp"

#include "options.hpp"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <sys/stat.h>

namespace gputided {
namespace {

std::vector<std::string> folders_of(const std::vector<std::string>& given) {
    std::vector<std::string> out;
    std::copy_if(given.begin(), given.end(), std::back_inserter(out), [](const std::string& one) {
        std::error_code failed;
        return std::filesystem::is_directory(one, failed);
    });
    return out;
}

}  // namespace

folder_watch::folder_watch(const std::vector<std::string>& given)
    : given_(folders_of(given)), taken_(look()), last_(taken_) {}

std::map<std::string, folder_watch::stamp> folder_watch::look() const {
    std::map<std::string, stamp> out;
    for (const std::string& folder : given_) {
        try {
            for (const std::string& name : manifests_of(folder)) {
                struct stat about {};
                if (::stat(name.c_str(), &about) != 0) continue;
                const std::int64_t changed_ns = about.st_mtim.tv_sec * 1'000'000'000 + about.st_mtim.tv_nsec;
                out[name] = {changed_ns, about.st_size, static_cast<std::int64_t>(about.st_ino)};
            }
        } catch (const usage_error&) {
            out[folder] = {};  // cannot be read: that is a change, too, and the reader says why
        }
    }
    return out;
}

bool folder_watch::changed() {
    if (given_.empty()) return false;
    std::map<std::string, stamp> now = look();
    const bool settled = now == last_;
    last_ = now;
    if (!settled || now == taken_) return false;
    taken_ = std::move(now);
    return true;
}

}  // namespace gputided

#include "common/log.hpp"
#include "common/text.hpp"
#include "run/files/files.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <iterator>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace gputided {

void manifest_reader::read_file(const std::string& path, pass_state& pass) {
    if (!is_utf8(path)) {
        pass.broken[printable(path)] = not_utf8_text(path);
        return;
    }
    const auto known = texts_.find(path);
    const bool stays =
        is_in_folder(path) ? pass.unsettled.count(path) > 0 : path == "-" || pass.scope == reading::folders;
    if (stays && known == texts_.end() && is_in_folder(path)) return;  // it is being written for the first time
    if (stays && known != texts_.end()) {
        pass.files.push_back({path, known->second});
        return;
    }
    try {
        pass.files.push_back({path, read_text(path)});
    } catch (const usage_error& failed) {
        pass.broken[path] = failed.what();
    }
}

// Keeps the text of files that are missing in one poll, because they may be about to be replaced.
void manifest_reader::keep_missing(pass_state& pass) const {
    for (const std::string& path : pass.unsettled) {
        const auto known = texts_.find(path);
        const bool is_there =
            std::ranges::any_of(pass.files, [&](const manifest_file& file) { return file.name == path; });
        if (known != texts_.end() && !is_there) pass.files.push_back({path, known->second});
    }
}

bool manifest_reader::is_in_folder(const std::string& path) const {
    return std::ranges::find(options_.files, path) == options_.files.end();
}

manifest_set manifest_reader::read(reading scope, const owner_files& owners, const std::set<std::string>& unsettled) {
    pass_state pass{scope, unsettled, {}, {}};
    for (const std::string& given : options_.files) {
        try {
            for (const std::string& path : manifest_paths(given)) read_file(path, pass);
        } catch (const usage_error& failed) {
            pass.broken[given] = failed.what();
        }
    }
    keep_missing(pass);
    texts_.clear();
    for (const manifest_file& file : pass.files) texts_[file.name] = file.text;
    manifest_set out = scalers_in(std::move(pass.files), options_, owners, pass.broken, last_);
    last_ = out;
    return out;
}

manifest_set manifest_reader::read_first(const owner_files& owners) {
    manifest_set out = read(reading::everything, owners, {});
    const bool all_in_folders =
        std::ranges::all_of(out.broken, [this](const auto& file) { return is_in_folder(file.first); });
    if (!out.scalers.empty() && all_in_folders) return out;
    // Throws the same error as other commands do.  Standard input was already read.
    static_cast<void>(scaler_names(options_, read_manifests(options_, [this](const std::string& path) {
                                       const auto known = texts_.find(path);
                                       return known != texts_.end() ? known->second : read_text(path);
                                   })));
    return out;
}

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
    : folders_(folders_of(paths)), taken_(stamps()), last_(taken_) {}

std::map<std::string, folder_watch::stamp> folder_watch::stamps() const {
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
            out[folder] = {};  // an unreadable folder is also a change; the reader reports the reason
        }
    }
    return out;
}

// Polls the folders.  A missing file counts at the second poll, because it may be about to be replaced.
bool folder_watch::changed() {
    if (folders_.empty()) return false;
    std::map<std::string, stamp> now = stamps();
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

unique_descriptor lock_state(const std::string& path) {
    if (path.empty()) return unique_descriptor();
    unique_descriptor out(::open((path + ".lock").c_str(), O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (!out.is_open())
        throw usage_error("--state " + path + ": the state cannot be written there: " + std::strerror(errno));
    if (::flock(out.get(), LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return out;
    throw usage_error(path + ": another gputided uses this state file; give each instance its own --state file");
}

}  // namespace gputided

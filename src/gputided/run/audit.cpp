#include "run/audit.hpp"

#include "common/files.hpp"
#include "common/log.hpp"
#include "common/times.hpp"

#include <filesystem>
#include <system_error>

namespace gputided {

// A name that cannot be changed keeps its file: the line is appended to it all the same.
void audit_log::rotate() const {
    std::error_code failed;
    const std::uintmax_t size_bytes = std::filesystem::file_size(path_, failed);
    if (failed || size_bytes < max_bytes_) return;
    for (int number = kept_files - 1; number > 0; --number) {
        const std::string from = path_ + "." + std::to_string(number);
        std::filesystem::rename(from, path_ + "." + std::to_string(number + 1), failed);
    }
    std::filesystem::rename(path_, path_ + ".1", failed);
}

// The file is opened for each line, so that another program may rename it, too.
void audit_log::add(const char* kind, const ordered_json& members) {
    if (path_.empty()) return;
    ordered_json line{{"time", time_text(unix_now_ms())}, {"kind", kind}};
    line.update(members);
    const std::lock_guard hold(lock_);
    try {
        rotate();
        append_text(path_, dumped(line) + "\n");
        failure_.clear();
    } catch (const usage_error& failed) {
        failure_ = std::string("--audit-log: a line is missing: ") + failed.what();
    }
}

std::string audit_log::failure() const {
    const std::lock_guard hold(lock_);
    return failure_;
}

}  // namespace gputided

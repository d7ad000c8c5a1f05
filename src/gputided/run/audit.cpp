#include "run/audit.hpp"

#include "common/files.hpp"
#include "common/log.hpp"
#include "common/times.hpp"

#include <filesystem>
#include <system_error>
#include <utility>

namespace gputided {

// Renames the files if the current one is full.  Returns the error if the current file keeps its name, otherwise "".  Each file
// moves only to the next free name, and the first error ends the renaming, so that repeated failures lose no file.
std::string audit_log::rotate() const {
    std::error_code failed;
    const std::uintmax_t size_bytes = std::filesystem::file_size(path_, failed);
    if (failed || size_bytes < max_bytes_) return "";
    const auto name_of = [this](int number) { return number == 0 ? path_ : path_ + "." + std::to_string(number); };
    int free = 1;
    while (free < kept_files && std::filesystem::exists(name_of(free), failed)) ++free;
    for (int number = free - 1; number >= 0; --number) {
        std::filesystem::rename(name_of(number), name_of(number + 1), failed);
        if (failed && failed != std::errc::no_such_file_or_directory)
            return name_of(number) + ": cannot be renamed to " + name_of(number + 1) + ": " + failed.message();
    }
    return "";
}

void audit_log::add(const char* kind, const ordered_json& members) {
    if (path_.empty()) return;
    ordered_json line{{"time", time_text(unix_now_ms())}, {"kind", kind}};
    line.update(members);
    const std::lock_guard hold(lock_);
    waiting_ += dumped(line) + "\n";
}

// Appends the waiting lines.  Opens the file each time, so that another program may rename it.  If the file cannot be renamed
// here, it grows.
void audit_log::flush() {
    const std::lock_guard hold(lock_);
    if (waiting_.empty()) return;
    const std::string lines = std::exchange(waiting_, "");
    try {
        const std::string kept_name = rotate();
        append_text(path_, (ends_inside_line(path_) ? "\n" : "") + lines);
        failure_ = kept_name.empty() ? "" : "--audit-log: " + kept_name;
    } catch (const usage_error& failed) {
        failure_ = std::string("--audit-log: lines were lost: ") + failed.what();
    }
}

std::string audit_log::failure() const {
    const std::lock_guard hold(lock_);
    return failure_;
}

}  // namespace gputided

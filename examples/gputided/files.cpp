#include "files.hpp"

#include "options.hpp"

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace gputided {
namespace {

[[noreturn]] void refuse(const std::string& path, const char* doing) {
    throw usage_error(path + ": " + doing + ": " + std::strerror(errno));
}

// Closes on the way out.
class descriptor {
  public:
    explicit descriptor(int opened) : number(opened) {}
    descriptor(const descriptor&) = delete;
    descriptor& operator=(const descriptor&) = delete;
    ~descriptor() {
        if (number >= 0) ::close(number);
    }
    const int number;
};

std::string drained(int from, const std::string& path, std::size_t most_bytes) {
    std::string out;
    std::array<char, 65'536> piece{};
    for (;;) {
        const ssize_t got = ::read(from, piece.data(), piece.size());
        if (got == 0) return out;
        if (got < 0 && errno != EINTR) refuse(path, "cannot read");
        if (got > 0) out.append(piece.data(), static_cast<std::size_t>(got));
        if (out.size() > most_bytes) {
            throw usage_error(path + ": is larger than " + std::to_string(most_bytes >> 20) + " MiB");
        }
    }
}

void write_all(int to, const std::string& text, const std::string& path) {
    for (std::size_t at = 0; at < text.size();) {
        const ssize_t wrote = ::write(to, text.data() + at, text.size() - at);
        if (wrote < 0 && errno != EINTR) refuse(path, "cannot write");
        if (wrote > 0) at += static_cast<std::size_t>(wrote);
    }
}

std::string folder_of(const std::string& path) {
    const std::size_t slash = path.rfind('/');
    if (slash == std::string::npos) return ".";
    return slash == 0 ? "/" : path.substr(0, slash);
}

}  // namespace

std::string read_text(const std::string& path, std::size_t most_bytes) {
    if (path == "-") return drained(STDIN_FILENO, "standard input", most_bytes);
    struct stat about {};
    if (::stat(path.c_str(), &about) != 0) refuse(path, "cannot read");
    if (S_ISDIR(about.st_mode)) throw usage_error(path + ": is a folder, a file is wanted");
    const descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
    if (file.number < 0) refuse(path, "cannot read");
    return drained(file.number, path, most_bytes);
}

bool exists(const std::string& path) {
    struct stat about {};
    if (::stat(path.c_str(), &about) == 0) return true;
    if (errno != ENOENT) refuse(path, "cannot look at it");
    return false;
}

void replace_text(const std::string& path, const std::string& text) {
    const std::string beside = path + ".new";
    {
        const descriptor file{::open(beside.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600)};
        if (file.number < 0) refuse(beside, "cannot write");
        write_all(file.number, text, beside);
        if (::fsync(file.number) != 0) refuse(beside, "cannot write to disk");
    }
    if (std::rename(beside.c_str(), path.c_str()) != 0) refuse(path, "cannot replace");
    const descriptor folder{::open(folder_of(path).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
    if (folder.number >= 0) ::fsync(folder.number);  // so that the new name survives a power cut too
}

file_lock::file_lock(const std::string& path) {
    if (path.empty()) return;
    held_ = ::open((path + ".lock").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    if (held_ < 0 || ::flock(held_, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return;
    ::close(held_);
    throw usage_error(path + ": another gputided keeps its state there; give each its own --state file");
}

file_lock::~file_lock() {
    if (held_ >= 0) ::close(held_);
}

void append_text(const std::string& path, const std::string& text) {
    const descriptor file{::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600)};
    if (file.number < 0) refuse(path, "cannot write");
    write_all(file.number, text, path);
    if (::fsync(file.number) != 0) refuse(path, "cannot write to disk");
}

std::int64_t unix_now_ms() {
    const auto since = std::chrono::system_clock::now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::milliseconds>(since).count();
}

std::int64_t steady_now_ms() {
    const auto since = std::chrono::steady_clock::now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::milliseconds>(since).count();
}

}  // namespace gputided

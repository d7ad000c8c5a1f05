#include "common/files.hpp"

#include "common/json.hpp"
#include "common/text.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace gputided {

namespace {

// Returns "a/b" for "a/b/c", "." for "c", "/" for "/c".
std::string folder_of(const std::string& path) {
    const std::size_t slash = path.rfind('/');
    if (slash == std::string::npos) return ".";
    return slash == 0 ? "/" : path.substr(0, slash);
}

[[noreturn]] void refuse(const std::string& path, const char* doing) {
    throw usage_error(path + ": " + doing + ": " + std::strerror(errno), path);
}

const char* why_unreadable() {
    return errno == EAGAIN
               ? "cannot be read without waiting for another program; name a plain file, or - for standard input"
               : "cannot read";
}

void read_all(int file, const std::string& path, std::size_t max_bytes, std::string& out) {
    const std::size_t before = out.size();
    std::array<char, 65'536> piece{};
    for (;;) {
        const ssize_t size_bytes = ::read(file, piece.data(), piece.size());
        if (size_bytes == 0) return;
        if (size_bytes < 0 && errno != EINTR) refuse(path, why_unreadable());
        if (size_bytes > 0) out.append(piece.data(), static_cast<std::size_t>(size_bytes));
        if (out.size() - before > max_bytes) {
            throw usage_error(path + ": is larger than " + std::to_string(max_bytes >> 20) + " MiB", path);
        }
    }
}

void write_all(int file, const std::string& text, const std::string& path) {
    for (std::size_t at = 0; at < text.size();) {
        const ssize_t size_bytes = ::write(file, text.data() + at, text.size() - at);
        if (size_bytes < 0 && errno != EINTR) refuse(path, "cannot write");
        if (size_bytes > 0) at += static_cast<std::size_t>(size_bytes);
    }
    // fsync() of a pipe or a terminal fails with EINVAL.
    if (::fsync(file) != 0 && errno != EINVAL) refuse(path, "cannot write to disk");
}

// Appends the content of a file.
void read_file(const std::string& path, std::size_t max_bytes, std::string& out) {
    if (path == "-") return read_all(STDIN_FILENO, "standard input", max_bytes, out);
    struct stat about {};
    if (::stat(path.c_str(), &about) != 0) {
        const int error = errno;
        const bool is_link = ::lstat(path.c_str(), &about) == 0 && S_ISLNK(about.st_mode);
        errno = error;
        refuse(path, is_link ? "is a symbolic link to a file that cannot be read" : "cannot read");
    }
    if (S_ISDIR(about.st_mode)) throw usage_error(path + ": is a folder; name a file", path);
    // A pipe blocks its reader until a writer opens it, but the pipe of a shell's <(command) already has a writer.
    const bool is_of_shell = path.compare(0, 8, "/dev/fd/") == 0 || path.compare(0, 14, "/proc/self/fd/") == 0;
    if (!S_ISREG(about.st_mode) && !is_of_shell && path != "/dev/stdin") {
        throw usage_error(path + ": is a pipe, a socket or a device; name a plain file (-f - reads standard input)",
                          path);
    }
    // Without O_NONBLOCK open() can block: forever for a file of /proc, and as long as another process holds a lease on the file.
    const int waits = is_of_shell || path == "/dev/stdin" ? 0 : O_NONBLOCK;
    const unique_descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | waits)};
    if (!file.is_open()) refuse(path, why_unreadable());
    read_all(file.get(), path, max_bytes, out);
}

}  // namespace

void unique_descriptor::close() {
    if (is_open()) ::close(std::exchange(number_, -1));
}

std::string read_text(const std::string& path, std::size_t max_bytes) {
    std::string out;
    read_file(path, max_bytes, out);
    return out;
}

joined_texts read_texts(const std::vector<std::string>& paths, std::size_t max_bytes) {
    constexpr std::string_view separator = "\n---\n";
    joined_texts all;
    std::string& out = all.text;
    std::size_t size_bytes = 0;
    for (const std::string& path : paths) {
        struct stat about {};
        const bool has_size = path != "-" && ::stat(path.c_str(), &about) == 0 && S_ISREG(about.st_mode);
        size_bytes += separator.size() + (has_size ? std::min(static_cast<std::size_t>(about.st_size), max_bytes) : 0);
    }
    out.reserve(size_bytes);
    std::int64_t line = 1;
    for (const std::string& path : paths) {
        all.first_lines[line] = path == "-" ? "standard input" : path;
        const std::size_t begin = out.size();
        read_file(path, max_bytes, out);
        out += separator;
        line += std::count(out.begin() + static_cast<std::ptrdiff_t>(begin), out.end(), '\n');
    }
    return all;
}

bool exists(const std::string& path) {
    struct stat about {};
    if (::stat(path.c_str(), &about) == 0) return true;
    if (errno != ENOENT) refuse(path, "cannot read its status");
    return false;
}

void replace_text(const std::string& path, const std::string& text, readers allowed) {
    const mode_t mode = allowed == readers::owner ? 0600 : 0666;  // the latter minus the umask
    const std::string beside = path + ".new";
    {
        // Does not write to an existing file, which a killed run or another user may have left.
        if (::unlink(beside.c_str()) != 0 && errno != ENOENT) refuse(beside, "cannot write");
        const unique_descriptor file{
            ::open(beside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode)};
        if (!file.is_open()) refuse(beside, "cannot write");
        write_all(file.get(), text, beside);
    }
    if (std::rename(beside.c_str(), path.c_str()) != 0) refuse(path, "cannot replace");
    const unique_descriptor folder{::open(folder_of(path).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
    if (folder.is_open()) ::fsync(folder.get());  // so that the new name survives a power failure
}

void check_writable(const char* flag, const std::string& path) {
    struct stat about {};
    const bool is_folder = ::stat(path.c_str(), &about) == 0 && S_ISDIR(about.st_mode);
    const bool fits = ::access(folder_of(path).c_str(), W_OK | X_OK) == 0 && !is_folder;
    if (is_folder) errno = EISDIR;
    if (!fits) refuse(std::string(flag) + " " + path, "cannot be written");
}

// Appends the text.  O_NONBLOCK turns a pipe that has no reader, or is full, into an error.
void append_text(const std::string& path, const std::string& text) {
    const unique_descriptor file{::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK, 0600)};
    if (!file.is_open()) refuse(path, "cannot write");
    write_all(file.get(), text, path);
}

bool ends_inside_line(const std::string& path) {
    struct stat about {};
    if (::stat(path.c_str(), &about) != 0 || !S_ISREG(about.st_mode) || about.st_size == 0) return false;
    const unique_descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
    char last = '\n';
    return file.is_open() && ::pread(file.get(), &last, 1, about.st_size - 1) == 1 && last != '\n';
}

namespace {

bool is_ours(const json& file) {
    return file.is_object() && file.contains("gputided") && file.at("gputided") == 1 && file.contains("scalers") &&
           file.at("scalers").is_object();
}

std::int32_t count_at(const json& object, const char* member) {
    const json& value = object.at(member);
    const std::optional<std::int32_t> count = replica_count(value);
    if (!count) throw std::invalid_argument(std::string(member) + ": expected a replica count, got " + value.dump());
    return *count;
}

saved_scaler scaler_of(const json& entry) {
    saved_scaler out;
    out.state = entry.at("state");
    out.replicas = count_at(entry, "replicas");
    out.file = entry.value("file", "");
    if (!entry.contains("under_way")) return out;
    out.under_way = entry.at("under_way").dump();
    static_cast<void>(reported_decision(out.under_way));
    return out;
}

json entry_of(const saved_scaler& scaler) {
    json out{{"state", scaler.state}, {"replicas", scaler.replicas}};
    if (!scaler.file.empty()) out["file"] = scaler.file;
    if (!scaler.under_way.empty()) out["under_way"] = json::parse(scaler.under_way);
    return out;
}

}  // namespace

gputide::decision reported_decision(const std::string& report) {
    const json read = json::parse(report);
    gputide::decision out;
    out.c.id = read.value("id", std::uint64_t{0});
    out.c.current_replicas = count_at(read, "current_replicas");
    out.c.desired_replicas = count_at(read, "desired_replicas");
    out.c.source = text_at(read, "source") == "executor" ? GPUTIDE_SOURCE_EXECUTOR : GPUTIDE_SOURCE_HPA;
    if (read.value("event", "") == "KEDAScaleTargetActivated") out.c.event = GPUTIDE_ACTIVATED;
    out.c.now_ms = parse_time_ms(text_at(read, "time"));  // identifies the decision in the state
    return out;
}

saved_scalers read_states(const std::string& path) {
    const auto file = json::parse(read_text(path, max_state_bytes), nullptr, false);
    if (!is_ours(file)) {
        throw usage_error(path +
                          ": is not a state file of this gputided (a newer release may have written it); move it away "
                          "to start with a new state");
    }
    saved_scalers out;
    for (const auto& [name, entry] : file.at("scalers").items()) {
        try {
            out[name] = scaler_of(entry);
        } catch (const std::exception& wrong) {
            throw usage_error(path + ": " + name + " is damaged (" + wrong.what() +
                              "); move the file away to start with a new state");
        }
    }
    return out;
}

void write_states(const std::string& path, const saved_scalers& scalers) {
    json entries = json::object();
    for (const auto& [name, scaler] : scalers) entries[name] = entry_of(scaler);
    replace_text(path, dumped(json{{"gputided", 1}, {"scalers", std::move(entries)}}) + "\n");
}

}  // namespace gputided

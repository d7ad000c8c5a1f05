// Files that are read or replaced as a whole.
#pragma once

#include "gputide/gputide.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace gputided {

inline constexpr std::size_t max_manifest_bytes = std::size_t{16} << 20;
inline constexpr std::size_t max_series_bytes = std::size_t{256} << 20;
inline constexpr std::size_t max_state_bytes = std::size_t{1} << 30;  // about two million scalers

// Closes a file descriptor at the end of its scope; -1: none.
class unique_descriptor {
  public:
    explicit unique_descriptor(int opened = -1) : number_(opened) {}
    unique_descriptor(unique_descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
    unique_descriptor& operator=(unique_descriptor&& other) noexcept {
        return std::swap(number_, other.number_), *this;
    }
    ~unique_descriptor() { close(); }

    int get() const { return number_; }
    bool is_open() const { return number_ >= 0; }
    void close();
    int release() { return std::exchange(number_, -1); }  // the caller must close it

  private:
    int number_;
};

// Reads the whole file ("-": standard input) up to max_bytes.  Throws usage_error with the path and the system's reason.
std::string read_text(const std::string& path, std::size_t max_bytes = max_manifest_bytes);

struct joined_texts {
    std::string text;
    std::map<std::int64_t, std::string> first_lines;  // path by the number of its first line
};

// Reads each file like read_text(), into one text with a line "---" behind each.  Copies nothing: a list may have 200 MB.
joined_texts read_texts(const std::vector<std::string>& paths, std::size_t max_bytes);

// Reports whether the file exists.  Throws usage_error if the system cannot tell.
bool exists(const std::string& path);

// Writes PATH.new, flushes it to disk and renames it, so that a reader, or a crash, sees either the old or the new content.  The
// mode is 0600, or 0666 minus the umask.  Throws usage_error.
enum class readers { owner, everybody };
void replace_text(const std::string& path, const std::string& text, readers allowed = readers::owner);

// Checks that the file can be replaced, before long work.  Throws usage_error with the flag's name.
void check_writable(const char* flag, const std::string& path);

// Appends and flushes to disk; creates the file if needed.  Throws usage_error.
void append_text(const std::string& path, const std::string& text);

// Reports whether a file's last line has no line end, as after a failed append.
bool ends_inside_line(const std::string& path);

// The state of a daemon's scalers, in a file that is replaced as a whole:
// {"gputided":1,"scalers":{"default/a":{"state":"<of the library>","replicas":4,"file":"a.yaml",
// "under_way":<the decision being written>}}}

struct saved_scaler {
    std::string state;          // saved and validated by the library
    std::int32_t replicas = 0;  // last known size of the target
    std::string under_way;      // report of a decision with an unfinished write; "": none
    std::string file;           // manifest that it was read from; "": unknown
};

using saved_scalers = std::map<std::string, saved_scaler>;  // by "namespace/name"

// Returns the decision of a report, as far as it is needed to finish its write.  Throws a std::exception if a member is missing.
gputide::decision reported_decision(const std::string& report);

// Reads the states.  Throws usage_error for a file with a different format.
saved_scalers read_states(const std::string& path);
void write_states(const std::string& path, const saved_scalers& scalers);

}  // namespace gputided

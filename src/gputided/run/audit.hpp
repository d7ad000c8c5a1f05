// The audit log of --audit-log: a line of JSON for each write of a replica count and each change of the configuration.  Lines are
// only appended.  A full file is renamed to FILE.1, FILE.1 to FILE.2 and so on.
#pragma once

#include "common/json.hpp"

#include <cstddef>
#include <mutex>
#include <string>

namespace gputided {

class audit_log {
  public:
    static constexpr int kept_files = 5;  // FILE.1 to FILE.5

    // path "": no log.  A file of max_bytes or more is renamed before the next line.
    audit_log(std::string path, std::size_t max_bytes) : path_(std::move(path)), max_bytes_(max_bytes) {}

    ~audit_log() { flush(); }
    audit_log(const audit_log&) = delete;
    audit_log& operator=(const audit_log&) = delete;

    // Adds {"time":"...","kind":kind,...} to the lines of the next flush().  May be called on any thread.
    void add(const char* kind, const ordered_json& members);

    // Appends the waiting lines and flushes them to disk once.  After a failure, which failure() returns, the lines are lost.
    // May be called on any thread.
    void flush();

    // Returns why the last lines were not written or the file was not renamed; "" without failure.
    std::string failure() const;

  private:
    std::string rotate() const;

    const std::string path_;
    const std::size_t max_bytes_;
    mutable std::mutex lock_;
    std::string waiting_;  // lines
    std::string failure_;
};

}  // namespace gputided

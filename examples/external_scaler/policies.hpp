// The manifests that this program decides by, and what was decided last of each: kept in memory, so that an answer never
// waits.  Any thread.
#pragma once

#include "gputide/gputide.hpp"

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace external_scaler {

struct standing {
    bool is_decided = false;
    bool is_active = false;
    bool is_failing = false;  // a trigger cannot be read, and no fallback answers for it
    std::int32_t replicas = 0;
    std::int64_t decided_ms = 0;  // Unix
};

class policies {
  public:
    // Called after each decision with the policy's "namespace/name", on a thread of this class.
    using listener = std::function<void(const std::string& name, const standing& now)>;

    // Throws gputide::failure for a manifest with an error, with its file, line and path.
    policies(const std::vector<std::string>& files, const gputide::options& options, listener decided);
    ~policies();
    policies(const policies&) = delete;
    policies& operator=(const policies&) = delete;

    const standing* find(const std::string& name, standing& copy) const;  // null: there is no such policy
    bool is_ready() const;                                                // each was decided once

  private:
    void listen();

    gputide::runtime runtime_;
    const listener decided_;
    mutable std::mutex lock_;
    std::map<std::string, standing> by_name_;
    std::atomic<bool> is_ending_{false};
    std::thread listening_;
};

std::string content_of(const std::string& file);  // throws std::runtime_error
std::int64_t unix_now_ms();

}  // namespace external_scaler

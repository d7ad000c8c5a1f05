#include "run/pages/connections.hpp"

#include <algorithm>
#include <sys/socket.h>

namespace gputided {

void connections::shut(waiting& one) {
    if (one.is_shut) return;
    ::shutdown(one.socket, SHUT_RDWR);
    one.is_shut = true;
}

void connections::opened(const void* connection, int socket, std::int64_t now_ms) {
    for (auto& [other, one] : all_) {
        if (now_ms - one.since_ms > request_timeout_ms) shut(one);
    }
    if (all_.size() >= most - spare) {
        const auto longer = [](const auto& a, const auto& b) {
            if (a.second.is_shut != b.second.is_shut) return b.second.is_shut;
            return a.second.since_ms < b.second.since_ms;
        };
        shut(std::min_element(all_.begin(), all_.end(), longer)->second);
    }
    all_[connection] = {socket, now_ms, false};
}

void connections::answered(const void* connection, std::int64_t now_ms) {
    const auto at = all_.find(connection);
    if (at != all_.end()) at->second.since_ms = now_ms;
}

void connections::closed(const void* connection) { all_.erase(connection); }

}  // namespace gputided

// Who is connected to the pages, and since when: a connection that is slow, or one of many, gives way to the next one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>

namespace gputided {

// Used on the server's thread alone.
class connections {
  public:
    static constexpr unsigned most = 128;
    static constexpr unsigned spare = 16;  // of these, for those that arrive while others are told to go
    static constexpr std::int64_t request_timeout_ms = 10'000;

    // Shuts the sockets of those that have not got a request together in time, and where the room is used up, of the one that
    // waits longest; the server closes them when it sees that.
    void opened(const void* connection, int socket, std::int64_t now_ms);
    void answered(const void* connection, std::int64_t now_ms);  // the time of its next request begins
    void closed(const void* connection);

  private:
    struct waiting {
        int socket = -1;
        std::int64_t since_ms = 0;
        bool is_shut = false;
    };
    static void shut(waiting& one);

    std::map<const void*, waiting> all_;
};

}  // namespace gputided

// Decompresses a gzip or deflate body while it arrives.  libcurl can do it too, but it accepts a truncated stream as
// complete (7.88): a page of metrics would lack its last series, and a sum would be too small.
#pragma once

#include <functional>
#include <memory>
#include <string_view>

namespace gputide::http {

class inflater {
  public:
    inflater();  // throws std::bad_alloc
    ~inflater();
    inflater(const inflater&) = delete;
    inflater& operator=(const inflater&) = delete;

    // Passes the decompressed bytes to `use`.  False: invalid data, or `use` returned false.
    bool take(std::string_view bytes, const std::function<bool(std::string_view)>& use);

    bool is_whole() const;  // the last stream is complete and its checksum matched

  private:
    struct state;
    std::unique_ptr<state> state_;
};

}  // namespace gputide::http

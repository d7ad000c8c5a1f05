// A gzip or deflate body, undone piece by piece as it arrives.  libcurl would do it, too, but takes a stream that ends in the middle
// for a whole one (7.88): a page of metrics without its last series, and a sum that is too small.
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

    // Hands what `bytes` hold on to `use`.  False: they are no such stream, or `use` said so.
    bool take(std::string_view bytes, const std::function<bool(std::string_view)>& use);

    bool is_whole() const;  // the last stream begun has ended, its checksum matched

  private:
    struct state;
    std::unique_ptr<state> state_;
};

}  // namespace gputide::http

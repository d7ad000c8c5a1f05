// A file that keeps a metric's past while it is fetched: CSV that --series takes, with comments that say what it is and how
// far it goes.  Appended piece by piece, so that a run that was cut off goes on where it was.
#pragma once

#include "common/manifests.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace gputided {

struct time_span {
    std::int64_t from_ms = 0;
    std::int64_t to_ms = 0;  // included
};

class past_cache {
  public:
    // path "": keeps nothing.  What the file holds counts where it is of the same scaler, manifests and step, and begins no
    // later than `wanted`.  Throws usage_error for a file that is no cache.
    past_cache(std::string path, const std::string& scaler, const std::vector<manifest_file>& files,
               std::int64_t step_ms, const time_span& wanted);

    bool holds_some() const { return !text_.empty(); }
    const std::string& text() const { return text_; }            // CSV
    std::int64_t fetched_until_ms() const { return until_ms_; }  // included

    void begin() const;                                       // writes the heading, or cuts off a half-written piece
    void add(const std::string& csv, std::int64_t until_ms);  // one more piece, all up to then

  private:
    void read(const std::string& text, std::int64_t step_ms, std::int64_t wanted_from_ms);

    std::string path_;
    std::string heading_;
    std::string text_;
    std::int64_t until_ms_ = 0;
    bool has_columns_ = false;
};

}  // namespace gputided

// Which decisions gputided run prints, and how: all of them are a lot to keep (50 scalers at 15 s: 0.7 GB a day).
#pragma once

#include "gputide/gputide.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace gputided {

enum class log_scope { changes, all };
enum class log_form { full, compact };

class decision_lines {
  public:
    // acts: a wanted size is written.  Where it is not, it is wanted again at every tick.
    decision_lines(log_scope scope, log_form form, bool acts) : scope_(scope), form_(form), acts_(acts) {}

    // The line of one decision; nothing: it says what the last one of this scaler said.  A change is a write, another size that
    // is wanted, another limit or another verdict of a condition.
    std::optional<std::string> line_of(const std::string& scaler, const gputide::event& event);

    void forget(const std::string& scaler) { last_.erase(scaler); }

  private:
    log_scope scope_;
    log_form form_;
    bool acts_;
    struct line {
        std::string news;
        std::int32_t wanted = 0;  // a size
        std::uint32_t half = 0;   // GPUTIDE_DECIDED_*: the one that wants it; 0: it is the size that there is
    };
    std::map<std::string, line> last_;  // by scaler
};

// A report without its reasons: time, whose, the counts, the limit, the event, and each metric with its value or state.  Says of
// itself that it is compact, so that nobody takes it for the whole.
std::string compact_line(const std::string& report);

}  // namespace gputided

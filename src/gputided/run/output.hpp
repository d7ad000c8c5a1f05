// What gputided run says: data on stdout, one line of JSON each (a decision before it is written, and the end of each write),
// and the log on stderr.  Nobody has to read either: then lines are dropped and counted, and scaling goes on.
#pragma once

#include "common/line_writer.hpp"

#include <cstdint>
#include <string>

namespace gputided {

class run_output {
  public:
    run_output();
    ~run_output();
    run_output(const run_output&) = delete;
    run_output& operator=(const run_output&) = delete;

    void print(const std::string& line) { data_.add(line); }
    std::int64_t dropped_lines() const { return data_.dropped() + log_.dropped(); }

  private:
    line_writer data_;
    line_writer log_;
};

// {"time":"2026-11-21T10:00:00.250Z","namespace":"default","name":"a","write":{"replicas":5,"applied":true}}: what a replay
// needs to take the next decisions again, as windows and paces count from the write.
std::string write_line(const std::string& full_name, std::int32_t replicas, bool applied, std::int64_t time_ms);

}  // namespace gputided

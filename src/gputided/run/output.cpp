#include "run/output.hpp"

#include "common/log.hpp"
#include "common/text.hpp"
#include "common/times.hpp"

#include <nlohmann/json.hpp>

#include <unistd.h>

namespace gputided {

run_output::run_output() : data_(STDOUT_FILENO), log_(STDERR_FILENO) { log_through(&log_); }

run_output::~run_output() { log_through(nullptr); }

std::string write_line(const std::string& full_name, std::int32_t replicas, bool applied, std::int64_t time_ms) {
    const scaler_name name = split_name(full_name);
    const nlohmann::ordered_json line{{"time", time_text(time_ms)},
                                      {"namespace", name.space},
                                      {"name", name.name},
                                      {"write", {{"replicas", replicas}, {"applied", applied}}}};
    return line.dump();
}

}  // namespace gputided

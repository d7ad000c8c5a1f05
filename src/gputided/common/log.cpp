#include "common/log.hpp"

#include "common/line_writer.hpp"
#include "common/text.hpp"

#include <atomic>
#include <iostream>

namespace gputided {
namespace {

std::atomic<line_writer*> through{nullptr};

}  // namespace

void log_through(line_writer* writer) { through = writer; }

void log_line(const std::string& text) {
    const std::string line = "gputided: " + one_line(text);
    if (line_writer* writer = through; writer != nullptr) return writer->add(line);
    std::cerr << line + "\n" << std::flush;
}

library_log::library_log() {
    gputide_log_sink sink{};
    sink.struct_size = sizeof sink;
    sink.level = GPUTIDE_LOG_INFO;
    sink.write = [](void*, std::int32_t, const char* line) { log_line(line); };
    gputide::set_log(&sink);
}

library_log::~library_log() { gputide_set_log(nullptr, nullptr); }

std::string failure_text(const gputide::failure& failure) {
    return std::string(gputide_status_name(failure.status())) + ": " + failure.what();
}

}  // namespace gputided

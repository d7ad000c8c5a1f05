#include "runtime/log.hpp"

#include "base/redact.hpp"

#include <atomic>
#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>

namespace gputide::runtime {
namespace {

constexpr std::size_t most_waiting = 256;

struct shared_log {
    std::mutex lock;
    std::shared_ptr<log_sink> sink = std::make_shared<log_sink>();
    std::deque<log_line> waiting;
    std::atomic<log_level> level{log_level::off};
};

shared_log& the_log() {
    static shared_log log;
    return log;
}

}  // namespace

void set_log(log_sink sink) {
    shared_log& log = the_log();
    // Finalised by whoever lets go of it last: another thread may be writing to it at this moment.
    std::shared_ptr<log_sink> next(new log_sink(std::move(sink)), [](log_sink* gone) {
        if (gone->finalize) gone->finalize();
        delete gone;
    });
    {
        const std::lock_guard hold(log.lock);
        log.level = next->level;
        log.sink.swap(next);
        log.waiting.clear();
    }
}

bool log_wants(log_level level) noexcept { return level != log_level::off && level <= the_log().level; }

void log(log_level level, std::string_view line) {
    if (!log_wants(level)) return;
    std::string clean = redact(line);
    for (char& c : clean) {
        if (c == '\n') c = ' ';
    }
    shared_log& log = the_log();
    std::shared_ptr<log_sink> sink;
    {
        const std::lock_guard hold(log.lock);
        sink = log.sink;
        if (!sink->write) {
            if (log.waiting.size() == most_waiting) log.waiting.pop_front();
            log.waiting.push_back({level, std::move(clean)});
            return;
        }
    }
    sink->write(level, clean.c_str());  // outside the lock: a slow host must not hold up other threads
}

std::optional<log_line> take_log() {
    shared_log& log = the_log();
    const std::lock_guard hold(log.lock);
    if (log.waiting.empty()) return std::nullopt;
    log_line out = std::move(log.waiting.front());
    log.waiting.pop_front();
    return out;
}

}  // namespace gputide::runtime

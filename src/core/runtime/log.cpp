#include "runtime/log.hpp"

#include "base/debug_log.hpp"
#include "base/never_destroyed.hpp"
#include "base/redact.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <utility>
#include <vector>

namespace gputide::runtime {

struct log_reader::queue {
    log_level level = log_level::off;
    std::mutex lock;
    std::condition_variable stirred;
    std::deque<log_line> waiting;
    bool closed = false;
};

namespace {

constexpr std::size_t max_waiting = 256;

struct shared_log {
    std::mutex lock;
    std::shared_ptr<log_sink> sink = std::make_shared<log_sink>();
    std::vector<std::shared_ptr<log_reader::queue>> readers;
    std::atomic<log_level> level{log_level::off};  // the most verbose level of all readers and the sink

    void weigh() {
        log_level max_level = sink->level;
        for (const auto& reader : readers) max_level = std::max(max_level, reader->level);
        level = max_level;
        const debug_log::taker take = [](std::string_view line) { log(log_level::debug, line); };
        debug_log::set_taker(max_level >= log_level::debug ? take : nullptr);
    }
};

const never_destroyed<shared_log> only_log;

shared_log& the_log() { return *only_log; }

void hand_to(log_reader::queue& reader, log_level level, const std::string& line) {
    const std::lock_guard hold(reader.lock);
    if (reader.waiting.size() == max_waiting) reader.waiting.pop_front();
    reader.waiting.push_back({level, line});
    reader.stirred.notify_one();
}

}  // namespace

void set_log(log_sink sink) {
    shared_log& log = the_log();
    // Finalized by its last owner, because another thread may be writing to it.
    std::shared_ptr<log_sink> next(new log_sink(std::move(sink)), [](log_sink* gone) {
        if (gone->finalize) gone->finalize();
        delete gone;
    });
    {
        const std::lock_guard hold(log.lock);
        log.sink.swap(next);
        log.weigh();
    }
}

bool log_wants(log_level level) noexcept { return level != log_level::off && level <= the_log().level; }

void log(log_level level, std::string_view line) {
    if (!log_wants(level)) return;
    std::string clean = redact(line);
    std::replace(clean.begin(), clean.end(), '\n', ' ');
    shared_log& log = the_log();
    std::shared_ptr<log_sink> sink;
    {
        const std::lock_guard hold(log.lock);
        if (level <= log.sink->level) sink = log.sink;
        for (const auto& reader : log.readers) {
            if (level <= reader->level) hand_to(*reader, level, clean);
        }
    }
    // Outside the lock: a slow host must not block other threads.
    if (sink && sink->write) sink->write(level, clean.c_str());
}

log_reader::log_reader(log_level level) : queue_(std::make_shared<queue>()) {
    queue_->level = level;
    shared_log& log = the_log();
    const std::lock_guard hold(log.lock);
    log.readers.push_back(queue_);
    log.weigh();
}

log_reader::~log_reader() {
    shared_log& log = the_log();
    const std::lock_guard hold(log.lock);
    std::erase(log.readers, queue_);
    log.weigh();
}

result<log_line> log_reader::next(std::int32_t timeout_ms, const http::cancel_flag* cancel) {
    // The flag calls `wake` under its own lock, so that lock must not be taken while the queue's lock is held.
    struct watch {
        const http::cancel_flag* flag;
        std::uint64_t key;
        ~watch() {
            if (flag != nullptr) flag->forget(key);
        }
    } const watched{cancel, cancel == nullptr ? 0 : cancel->on_fire([here = queue_] {
                        const std::lock_guard hold(here->lock);
                        here->stirred.notify_all();
                    })};
    const auto ended = [&] { return queue_->closed || (cancel != nullptr && cancel->fired()); };
    const auto ready = [&] { return !queue_->waiting.empty() || ended(); };
    std::unique_lock hold(queue_->lock);
    if (timeout_ms == for_ever) {
        queue_->stirred.wait(hold, ready);
    } else {
        queue_->stirred.wait_for(hold, std::chrono::milliseconds(timeout_ms), ready);
    }
    if (ended()) return fail(status::cancelled, queue_->closed ? "the reader was closed" : "canceled by the caller");
    if (queue_->waiting.empty()) return fail(status::no_data, "no log line came in time");
    log_line out = std::move(queue_->waiting.front());
    queue_->waiting.pop_front();
    return out;
}

void log_reader::put_back(log_line line) {
    const std::lock_guard hold(queue_->lock);
    queue_->waiting.push_front(std::move(line));
}

void log_reader::close() {
    const std::lock_guard hold(queue_->lock);
    queue_->closed = true;
    queue_->stirred.notify_all();
}

}  // namespace gputide::runtime

// The thread, and the end of it.
#include "source/gpu/worker.hpp"

#include "base/process.hpp"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <unistd.h>
#include <utility>

namespace gputide::source::nvml {

// Outlives the worker where its thread hangs.
struct worker::queue {
    std::mutex guard;
    std::condition_variable changed;
    std::deque<std::function<void()>> jobs;
    bool busy = false;
    bool closed = false;
    std::thread thread;
    pid_t owner = 0;

    void drain() {
        std::unique_lock hold(guard);
        for (;;) {
            changed.wait(hold, [this] { return closed || !jobs.empty(); });
            if (closed) return;
            std::function<void()> job = std::move(jobs.front());
            jobs.pop_front();
            busy = true;
            hold.unlock();
            try {
                job();
            } catch (...) {  // no memory: who waits for it has a timer
            }
            job = nullptr;  // what it holds goes before the next one
            hold.lock();
            busy = false;
        }
    }
};

worker::worker() : queue_(std::make_shared<queue>()) { queue_->owner = getpid(); }

worker::~worker() {
    queue& shared = *queue_;
    if (shared.owner != getpid()) {
        // A forked child has the thread's object and not the thread: neither may be touched, so it is never freed.
        new (std::nothrow) std::shared_ptr<worker::queue>(std::move(queue_));
        return;
    }
    std::unique_lock hold(shared.guard);
    shared.closed = true;
    shared.jobs.clear();
    const bool hangs = shared.busy;
    std::thread thread = std::move(shared.thread);
    hold.unlock();
    shared.changed.notify_all();
    if (!thread.joinable()) return;
    if (hangs || thread.get_id() == std::this_thread::get_id()) {
        thread.detach();
    } else {
        thread.join();
    }
}

bool worker::run(std::function<void()> job) {
    const std::lock_guard hold(queue_->guard);
    if (!queue_->thread.joinable()) {
        const all_signals_blocked quiet;
        try {
            queue_->thread = std::thread([shared = queue_] { shared->drain(); });
        } catch (const std::system_error&) {
            return false;
        }
    }
    queue_->jobs.push_back(std::move(job));
    queue_->changed.notify_one();
    return true;
}

}  // namespace gputide::source::nvml

// The worker thread and its end.
#include "base/format_text.hpp"
#include "base/process.hpp"
#include "base/time.hpp"
#include "source/gpu/driver.hpp"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <unistd.h>
#include <utility>

namespace gputide::source::nvml {

namespace {

// The jobs of a worker.  Outlives the worker if its thread hangs.
struct job_queue {
    std::mutex guard;
    std::condition_variable changed;
    std::deque<callback<void()>> jobs;
    bool busy = false;
    bool closed = false;
    std::thread thread;
    pid_t owner = getpid();

    void drain() {
        std::unique_lock hold(guard);
        for (;;) {
            changed.wait(hold, [this] { return closed || !jobs.empty(); });
            if (closed) return;
            callback<void()> job = std::move(jobs.front());
            jobs.pop_front();
            busy = true;
            hold.unlock();
            try {
                job();
            } catch (...) {  // no memory: the caller's timer ends the reading
            }
            job = nullptr;  // frees what the job holds before the next job
            hold.lock();
            busy = false;
        }
    }
};

// A thread that runs functions one after another.  It starts with the first function.  The destructor detaches a hanging thread
// and joins any other.
class worker {
  public:
    worker() = default;
    worker(const worker&) = delete;
    worker& operator=(const worker&) = delete;

    ~worker() {
        job_queue& shared = *queue_;
        if (shared.owner != getpid()) {
            // A forked child has a copy of the thread object but not the thread: it must not touch either, so the queue is
            // never freed.
            new (std::nothrow) std::shared_ptr<job_queue>(std::move(queue_));
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

    // Returns false if the system cannot create a thread.  May be called from any thread but its own.
    bool run(callback<void()> job) {
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

  private:
    std::shared_ptr<job_queue> queue_ = std::make_shared<job_queue>();
};

error no_thread(const vendor& of) {
    error out = fail(error_class::transient, "the system cannot create a thread to read {}", of.driver);
    out.service_code = "no_thread";
    return out;
}

error hangs(const vendor& of, std::int64_t for_ms) {
    error out = fail(error_class::timeout,
                     "{} has not responded for {}: a call of {} hangs. Other triggers continue; readings of this "
                     "driver fail until the call returns. {}",
                     of.driver, format_duration_ms(for_ms), of.library, of.when_it_hangs);
    out.service_code = format_text("{}_hangs", of.type);
    return out;
}

}  // namespace

struct reader::shared {
    std::shared_ptr<nvml::driver> driver;
    starter start;
    const vendor* of = nullptr;
    // Steady clock: begin and deadline of the reading in progress; 0: none.
    std::atomic<std::int64_t> since_ms{0};
    std::atomic<std::int64_t> until_ms{0};

    // Returns for how long a reading has been hanging, or 0.
    std::int64_t hanging_ms(std::int64_t steady_ms) const {
        const std::int64_t until = until_ms.load();
        return until != 0 && steady_ms >= until ? std::max<std::int64_t>(1, steady_ms - since_ms.load()) : 0;
    }
};

// Marks a reading as in progress during its lifetime.
class reader::under_way {
  public:
    under_way(std::shared_ptr<shared> state, std::int64_t since_ms, std::int64_t until_ms) : state_(std::move(state)) {
        if (!state_) return;
        state_->since_ms = since_ms;
        state_->until_ms = until_ms;
    }
    under_way(const under_way&) = delete;
    under_way& operator=(const under_way&) = delete;
    ~under_way() {
        if (state_) state_->until_ms = 0;
    }

  private:
    const std::shared_ptr<shared> state_;
};

namespace {

// A reading with a waiting caller, on the loop's thread except post().  The loop's timer keeps it alive, and so does its posted result; the thread only checks
// whether it still exists.
class wait final : public http::operation<result<readings>> {
  public:
    wait(std::shared_ptr<http::loop> loop, std::int64_t deadline_ms, callback<void(result<readings>)> done)
        : operation(*loop, deadline_ms, std::move(done)), kept_loop_(std::move(loop)) {}

    void expire(const vendor& of) {
        const std::int64_t started_ms = loop().steady_ms();
        after(std::max<std::int64_t>(0, deadline_ms() - started_ms),
              [this, &of, started_ms] { finish(hangs(of, loop().steady_ms() - started_ms)); });
    }

    // Called from any thread.
    void post(result<readings> outcome) {
        const auto self = std::static_pointer_cast<wait>(shared_from_this());
        const auto kept = std::make_shared<result<readings>>(std::move(outcome));
        kept_loop_->after(0, [self, kept] { self->finish(std::move(*kept)); });
    }

  private:
    const std::shared_ptr<http::loop> kept_loop_;
};

}  // namespace

reader::reader(std::shared_ptr<driver> driver, const vendor& of)
    : reader(
          std::move(driver),
          [own = std::make_shared<worker>()](callback<void()> job) { return own->run(std::move(job)); }, of) {}

reader::reader(std::shared_ptr<driver> driver, starter start, const vendor& of) : shared_(std::make_shared<shared>()) {
    shared_->driver = std::move(driver);
    shared_->start = std::move(start);
    shared_->of = &of;
}

std::shared_ptr<http::exchange> reader::read(const std::shared_ptr<http::loop>& loop, reading_plan plan,
                                             std::int64_t deadline_ms, callback<void(result<readings>)> done) {
    auto out = std::make_shared<wait>(loop, deadline_ms, std::move(done));
    if (const std::int64_t hanging_ms = shared_->hanging_ms(loop->steady_ms()); hanging_ms > 0) {
        out->finish_soon(hangs(*shared_->of, hanging_ms));
        return out;
    }
    out->expire(*shared_->of);
    // The thread may outlive the reader and then keeps the driver; `start` belongs only to the reader.
    const bool started =
        shared_->start([driver = shared_->driver, state = std::weak_ptr<shared>(shared_), plan = std::move(plan),
                        waiting = std::weak_ptr<wait>(out), deadline_ms, asked_ms = loop->steady_ms()] {
            if (waiting.expired()) return;  // canceled or timed out while it was queued
            const under_way busy(state.lock(), asked_ms, deadline_ms);
            result<readings> outcome = driver->read(plan);
            if (const auto still = waiting.lock()) still->post(std::move(outcome));
        });
    if (!started) out->finish_soon(no_thread(*shared_->of));
    return out;
}

std::shared_ptr<reader> shared_reader() {
    static constinit process_wide<reader> readers;
    return *readers.get([] { return result<std::shared_ptr<reader>>(std::make_shared<reader>(shared_driver())); });
}

}  // namespace gputide::source::nvml

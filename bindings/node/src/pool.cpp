#include "pool.hpp"

#include <pthread.h>
#include <signal.h>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

namespace gputide_node {
namespace {

constexpr std::chrono::seconds max_idle{5};

// A signal of the process is the host's: it must find a thread of the host's.
class signals_blocked {
  public:
    signals_blocked() {
        sigset_t all;
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before_);
    }
    signals_blocked(const signals_blocked&) = delete;
    signals_blocked& operator=(const signals_blocked&) = delete;
    ~signals_blocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

  private:
    sigset_t before_{};
};

}  // namespace

void pool::submit(std::unique_ptr<task> added) {
    std::unique_lock lock(mutex_);
    if (stopping_) throw std::runtime_error("the environment is ending");
    if (waiting_.size() >= idle_) {
        start_thread();
        ++threads_;
    }
    waiting_.push_back(std::move(added));
    lock.unlock();
    changed_.notify_one();
}

void pool::start_thread() {
    const signals_blocked inherited;
    try {
        std::thread(&pool::serve, shared_from_this()).detach();
    } catch (const std::system_error& problem) {
        throw std::runtime_error("no thread for the call (" + problem.code().message() +
                                 "): raise the process's limit of threads, or make fewer calls at the same time");
    }
}

void pool::serve(const std::shared_ptr<pool>& self) {
    pthread_setname_np(pthread_self(), "gputide");
    pool& own = *self;
    std::unique_lock lock(own.mutex_);
    for (;;) {
        ++own.idle_;
        const bool wanted =
            own.changed_.wait_for(lock, max_idle, [&own] { return own.stopping_ || !own.waiting_.empty(); });
        --own.idle_;
        if (!wanted || own.stopping_) break;
        std::unique_ptr<task> next = std::move(own.waiting_.front());
        own.waiting_.pop_front();
        lock.unlock();
        next->run();
        lock.lock();
        // After ended_within no thread may touch JavaScript any more: what comes then is dropped.
        if (!own.stopping_ && napi_call_threadsafe_function(own.done_, next.get(), napi_tsfn_nonblocking) == napi_ok) {
            static_cast<void>(next.release());
        }
    }
    --own.threads_;
    own.ended_.notify_all();
}

bool pool::ended_within(std::chrono::milliseconds time) {
    std::unique_lock lock(mutex_);
    stopping_ = true;
    changed_.notify_all();
    return ended_.wait_for(lock, time, [this] { return threads_ == 0; });
}

}  // namespace gputide_node

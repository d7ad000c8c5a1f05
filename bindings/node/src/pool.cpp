#include "pool.hpp"

#include <pthread.h>
#include <signal.h>
#include <stdexcept>
#include <thread>
#include <utility>

namespace gputide_node {
namespace {

constexpr unsigned most_threads = 64;

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

void pool::submit(std::unique_ptr<task> one) {
    std::unique_lock lock(mutex_);
    if (stopping_) throw std::runtime_error("the environment is ending");
    standing_ += one->stands ? 1U : 0U;
    const bool another = waiting_.size() >= idle_ && threads_ < most_threads + standing_;
    if (another) {
        const signals_blocked inherited;
        std::thread(&pool::serve, shared_from_this()).detach();
        ++threads_;
    }
    waiting_.push_back(std::move(one));
    lock.unlock();
    changed_.notify_one();
}

void pool::serve(const std::shared_ptr<pool>& self) {
    pthread_setname_np(pthread_self(), "gputide");
    pool& own = *self;
    std::unique_lock lock(own.mutex_);
    for (;;) {
        ++own.idle_;
        own.changed_.wait(lock, [&own] { return own.stopping_ || !own.waiting_.empty(); });
        --own.idle_;
        if (own.stopping_) break;
        std::unique_ptr<task> one = std::move(own.waiting_.front());
        own.waiting_.pop_front();
        const bool stands = one->stands;
        lock.unlock();
        one->run();
        lock.lock();
        own.standing_ -= stands ? 1U : 0U;
        // After ended_within nobody may touch JavaScript any more: what comes then is dropped.
        if (!own.stopping_ && napi_call_threadsafe_function(own.done_, one.get(), napi_tsfn_nonblocking) == napi_ok) {
            static_cast<void>(one.release());
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

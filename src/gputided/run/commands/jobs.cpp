#include "run/commands/jobs.hpp"

#include <stdexcept>
#include <sys/eventfd.h>
#include <unistd.h>
#include <utility>

namespace gputided {

jobs::jobs(std::size_t threads) : most_threads_(threads), descriptor_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
    if (descriptor_ < 0) throw std::runtime_error("cannot make an eventfd");
}

jobs::~jobs() {
    end();
    ::close(descriptor_);
}

void jobs::add(work job) {
    const std::lock_guard hold(lock_);
    if (ending_) return;
    waiting_.push_back(std::move(job));
    if (running_ + waiting_.size() > threads_.size() && threads_.size() < most_threads_) {
        threads_.emplace_back([this] { serve(); });
    }
    changed_.notify_one();
}

void jobs::serve() {
    std::unique_lock hold(lock_);
    for (;;) {
        changed_.wait(hold, [this] { return ending_ || !waiting_.empty(); });
        if (ending_) return;
        const work next = std::move(waiting_.front());
        waiting_.pop_front();
        ++running_;
        hold.unlock();
        step then = next();
        hold.lock();
        --running_;
        done_.push_back(std::move(then));
        ::eventfd_write(descriptor_, 1);
    }
}

void jobs::finish_those_done() {
    eventfd_t count = 0;
    ::eventfd_read(descriptor_, &count);
    std::deque<step> done;
    {
        const std::lock_guard hold(lock_);
        done.swap(done_);
    }
    for (const step& then : done) then();
}

void jobs::end() {
    {
        const std::lock_guard hold(lock_);
        ending_ = true;
        waiting_.clear();
        changed_.notify_all();
    }
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
    finish_those_done();
}

std::size_t jobs::running() const {
    const std::lock_guard hold(lock_);
    return running_;
}

std::size_t jobs::waiting() const {
    const std::lock_guard hold(lock_);
    return waiting_.size();
}

}  // namespace gputided

// A queue of object names to reconcile, without repeats.
#pragma once

#include "http/loop.hpp"
#include "kubernetes/api/objects.hpp"

#include <functional>
#include <memory>
#include <set>

namespace gputide::kubernetes {

// Calls `take` for each key.  Keys that are added meanwhile stay for the next time.  If take() runs out of memory, its key and
// the remaining keys stay.
template <class Key, class Take>
void take_each(std::set<Key>& queued, const Take& take) {
    struct turn {
        std::set<Key>& queued;
        std::set<Key> left;
        ~turn() { queued.merge(left); }
    } turn{queued, {}};
    turn.left.swap(queued);
    while (!turn.left.empty()) {
        take(*turn.left.begin());
        turn.left.erase(turn.left.begin());
    }
}

// Postpones changes, which arrive inside a transfer, to a later iteration of the loop.  Runs on the loop's thread.
class work_queue : public std::enable_shared_from_this<work_queue> {
  public:
    using key = object_key;

    // add_all: adds the keys of all objects.  Neither function is called after stop() or the queue's end.
    work_queue(std::shared_ptr<http::loop> loop, std::function<void(std::set<key>&)> add_all,
               std::function<void(const key&)> take)
        : loop_(std::move(loop)), add_all_(std::move(add_all)), take_(std::move(take)) {}

    void add(const key& name);
    void add_all();
    void resume();  // every second: continues after a failed allocation
    void stop();

  private:
    void take_soon();
    void take();

    const std::shared_ptr<http::loop> loop_;
    const std::function<void(std::set<key>&)> add_all_;
    const std::function<void(const key&)> take_;
    std::set<key> names_;
    http::ticket turn_ = 0;
    bool is_all_ = false, is_stopped_ = false;
};

}  // namespace gputide::kubernetes

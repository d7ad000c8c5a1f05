// Names of objects that changed and are to be reconciled, each once.
#pragma once

#include "http/loop.hpp"
#include "kubernetes/api/objects.hpp"

#include <functional>
#include <memory>
#include <set>

namespace gputide::kubernetes {

// Takes each key.  Keys that are added meanwhile stay for another turn.  If take() finds no memory, its key and those after it stay.
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

// Changes arrive inside a transfer; they are processed in a later turn of the loop.  On the loop's thread.
class work_queue : public std::enable_shared_from_this<work_queue> {
  public:
    using key = object_key;

    // add_all: adds the keys of all objects.  Neither function is called after stop() or the end of this object.
    work_queue(std::shared_ptr<http::loop> loop, std::function<void(std::set<key>&)> add_all,
               std::function<void(const key&)> take)
        : loop_(std::move(loop)), add_all_(std::move(add_all)), take_(std::move(take)) {}

    void add(const key& name);
    void add_all();
    void resume();  // once a second: processes what a failed allocation left
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

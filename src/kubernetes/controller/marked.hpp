// Names of objects that changed and are still to be looked at, each once.
#pragma once

#include "http/loop.hpp"
#include "kubernetes/api/objects.hpp"

#include <functional>
#include <memory>
#include <set>

namespace gputide::kubernetes {

// What is marked meanwhile is for another turn.  Where the memory ends within take(), the one it was given stays marked, and so do
// those after it.
template <class Key, class Take>
void take_each(std::set<Key>& marked, const Take& take) {
    struct turn {
        std::set<Key>& marked;
        std::set<Key> left;
        ~turn() { marked.merge(left); }
    } turn{marked, {}};
    turn.left.swap(marked);
    while (!turn.left.empty()) {
        take(*turn.left.begin());
        turn.left.erase(turn.left.begin());
    }
}

// Objects come from within a transfer; what they mean is worked out a turn of the loop later.  On the loop's thread.
class marked_objects : public std::enable_shared_from_this<marked_objects> {
  public:
    using key = object_key;

    // add_all: all that there are.  Neither is called any more once this is gone.
    marked_objects(std::shared_ptr<http::loop> loop, std::function<void(std::set<key>&)> add_all,
                   std::function<void(const key&)> take)
        : loop_(std::move(loop)), add_all_(std::move(add_all)), take_(std::move(take)) {}

    void mark(const key& name);
    void mark_all();
    void look_again();  // once a second: what a lack of memory left
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

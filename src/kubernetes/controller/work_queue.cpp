#include "kubernetes/controller/work_queue.hpp"

#include <utility>

namespace gputide::kubernetes {

void work_queue::add(const key& name) {
    names_.insert(name);
    take_soon();
}

void work_queue::add_all() {
    is_all_ = true;
    take_soon();
}

void work_queue::resume() {
    if (is_all_ || !names_.empty()) take_soon();
}

void work_queue::stop() {
    is_stopped_ = true;
    loop_->cancel(std::exchange(turn_, 0));
}

void work_queue::take_soon() {
    if (turn_ != 0 || is_stopped_) return;
    turn_ = loop_->after(0, [self = weak_from_this()] {
        if (const auto here = self.lock()) here->take();
    });
}

void work_queue::take() {
    turn_ = 0;
    if (is_all_) add_all_(names_);
    is_all_ = false;
    take_each(names_, take_);
}

}  // namespace gputide::kubernetes

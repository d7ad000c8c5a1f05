#include "runtime/driver/driver.hpp"
#include "runtime/driver/waiting.hpp"

#include <new>
#include <utility>

namespace gputide::runtime {

result<void> attachment::attach(open_controller open) {
    if (is_observed_by_host_) {
        return fail(status::state,
                    "a cluster cannot be attached to a runtime with GPUTIDE_RUNTIME_OBSERVE_FIRST, because the cluster "
                    "provides its own observations; create the runtime without this flag");
    }
    result<std::shared_ptr<controller>> opened = open(services_);
    if (!opened) return opened.take_failure();
    const std::lock_guard hold(lock_);
    if (controller_) return fail(status::state, "a cluster is already attached; detach it first");
    controller_ = *std::move(opened);
    try {
        controller_->start();  // last: may throw
    } catch (const std::bad_alloc&) {
        controller_.reset();
        throw;
    }
    return {};
}

// Begins the end once: a second end would cancel the requests of the first, and its Leases would stay held.
attachment::flag attachment::begin_end() {
    const std::lock_guard hold(lock_);
    if (!controller_ || ended_) return ended_;
    auto ended = std::make_shared<std::atomic<bool>>(false);
    controller_->end([ended] { *ended = true; });
    return ended_ = std::move(ended);
}

// Removes an ended controller.  The callback that reported its end may still run inside it, on the driving thread.
void attachment::forget(const flag& ended) {
    services_.client->run_between([&] {
        const std::lock_guard hold(lock_);
        if (ended_ != ended) return;  // another detach() was faster
        controller_.reset();
        ended_.reset();
    });
}

result<void> attachment::detach(std::int64_t timeout_ms, function_ref<bool()> give_up) {
    const flag ended = begin_end();
    if (!ended) return {};
    http::client& client = *services_.client;
    try {
        client.drive([&] { return ended->load() || give_up(); }, end_ms_of(client.steady_ms(), timeout_ms));
    } catch (const std::bad_alloc&) {  // possibly thrown while ending the controller: the next detach() begins again
        const std::lock_guard hold(lock_);
        if (ended_ == ended) ended_.reset();
        throw;
    }
    if (!*ended) return fail(status::timeout, "the cluster's Leases are not released yet; call detach again");
    forget(ended);
    return {};
}

result<std::string> attachment::describe() const {
    const std::lock_guard hold(lock_);
    if (!controller_) return fail(status::state, "no cluster is attached to this runtime");
    return controller_->describe();
}

}  // namespace gputide::runtime

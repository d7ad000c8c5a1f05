// The thread, the steps and the waiting.  The fleet and the client do the work of a step.
#include "runtime/driver/driver.hpp"

#include "auth/credential.hpp"
#include "auth/machine/surroundings.hpp"
#include "base/format_text.hpp"
#include "base/process.hpp"
#include "http/client.hpp"
#include "http/loop.hpp"
#include "runtime/driver/waiting.hpp"
#include "runtime/log.hpp"
#include "source/access/access.hpp"

#include <algorithm>
#include <exception>
#include <new>
#include <pthread.h>
#include <sys/resource.h>
#include <system_error>
#include <utility>

namespace gputide::runtime {

memory_notice::memory_notice() : said_(http::failed_allocations()) {}

void memory_notice::look(std::int64_t steady_ms) noexcept {
    const std::uint64_t count = http::failed_allocations();
    if (count == said_ || steady_ms < next_ms_) return;
    try {
        log(log_level::error,
            format_text("runtime: {} allocations failed for lack of memory; the affected operations are retried and do "
                        "not work meanwhile: give the process more memory, or fewer objects to watch",
                        count - said_));
        said_ = count;
        next_ms_ = steady_ms + interval_ms;
    } catch (const std::exception&) {  // logged once there is memory for it
    }
}

namespace {

constexpr std::int64_t after_a_fault_ms = 100;

// Limits the streams by the process's file limit.  A trigger has up to two streams (activity and targets); in plain text each
// needs a file.  Leaves three quarters of the files to the host and to polls.
std::size_t fewer_than_files(std::size_t streams) {
    rlimit files{};
    if (getrlimit(RLIMIT_NOFILE, &files) != 0 || files.rlim_cur == RLIM_INFINITY) return streams;
    return std::min<std::size_t>(streams, files.rlim_cur / 8);
}

error busy(const char* caller) { return fail(status::state, "{} is driving the runtime at this moment", caller); }

}  // namespace

result<std::unique_ptr<driver>> driver::open(const fleet_options& options) {
    auto client = http::client::open();
    if (!client) return client.take_failure();
    std::unique_ptr<driver> out(new driver());
    out->client_ = *client;
    source::services services;
    services.loop = out->client_;
    services.tokens = std::make_shared<auth::token_cache>(out->client_);
    services.host = auth::process_surroundings();
    fleet_options within = options;
    within.max_streams = fewer_than_files(options.max_streams);
    driver* here = out.get();
    out->fleet_ = std::make_unique<fleet>(
        within, out->client_, services,
        fleet::signals{[here] { here->stir(); }, [here](bool waits) { here->wake_.event_waits(waits); }});
    out->attached_ = std::make_unique<attachment>(controller_services{*out->fleet_, out->client_, std::move(services)},
                                                  options.observe_first);
    return out;
}

driver::~driver() {
    {
        const std::lock_guard hold(lock_);
        stopping_ = true;
        client_->wake();
    }
    if (thread_.joinable()) thread_.join();
    try {
        if (fleet_ != nullptr) fleet_->interrupt();  // null if open() ran out of memory
        http::run_posted(*client_);
    } catch (const std::exception&) {  // no memory to cancel
    }
    client_->close();
    attached_.reset();
}

void driver::stir() {
    client_->wake();
    wake_.stir();
}

void driver::rouse() {
    fleet_->rouse();
    driving_.rouse();
    client_->wake();
}

result<void> driver::start() {
    const std::lock_guard hold(lock_);
    if (calls_.is_closed()) return fail(status::state, "the runtime was closed");
    if (running_) return fail(status::state, "the runtime's thread is already running");
    const std::unique_lock alone(driving_, std::try_to_lock);
    if (!alone) return busy("a call of the host (step or next_event)");
    if (thread_.joinable()) thread_.join();
    stopping_ = false;
    wake_.host_drives(false);
    running_ = true;
    try {
        const all_signals_blocked during;
        thread_ = std::thread([this] { run(); });
    } catch (const std::system_error& failed) {
        running_ = false;
        wake_.host_drives(true);
        return fail(status::unavailable, "the runtime's thread cannot be started: {}", failed.what());
    }
    return {};
}

bool driver::ended_by(std::unique_lock<std::mutex>& hold, std::chrono::steady_clock::time_point until) {
    return ended_.wait_until(hold, until, [this] { return !running_; });
}

result<void> driver::stop(std::int64_t timeout_ms) {
    const auto until = end_of(timeout_ms);
    std::unique_lock hold(lock_);
    if (!thread_.joinable()) return {};
    stopping_ = true;
    client_->wake();
    if (!ended_by(hold, until)) {
        return fail(status::timeout, "the runtime's thread is still busy; it stops as soon as it can");
    }
    if (!thread_.joinable()) return {};  // another call was faster
    thread_.join();
    wake_.host_drives(true);
    fleet_->interrupt();
    // Otherwise the driving thread processes the cancellation
    if (const std::unique_lock alone(driving_, std::try_to_lock); alone) {
        http::run_posted(*client_);
        http::run_posted(*client_);  // closes their connections
    }
    return {};
}

result<void> driver::close(std::int64_t timeout_ms) {
    const auto until = end_of(timeout_ms);
    calls_.close();
    std::unique_lock hold(lock_);
    stopping_ = true;
    rouse();
    wake_.stir();  // wakes a host's loop, which then sees the change
    if (!ended_by(hold, until)) {
        return fail(status::timeout, "the runtime's thread is still busy and will end soon; call close again");
    }
    hold.unlock();  // a concurrent stop() needs it
    if (!calls_.wait_for_last(until)) {
        return fail(status::timeout, "another call is still inside the runtime; call close again");
    }
    hold.lock();
    if (thread_.joinable()) {
        thread_.join();
        wake_.host_drives(true);
    }
    fleet_->interrupt();
    client_->look();  // delivers the cancellations
    client_->look();  // closes their connections
    return {};
}

void driver::run() {
    pthread_setname_np(pthread_self(), "gputide");
    while (!stopping_) {
        try {
            while (!stopping_) turn(longest_wait_ms);
        } catch (const std::bad_alloc&) {
            // The fleet recovers the lost polls; memory may be available again soon.
            http::note_failed_allocation();
        } catch (const std::exception& thrown) {
            log(log_level::error, std::string("runtime: ") + thrown.what());
        }
        if (!stopping_) std::this_thread::sleep_for(std::chrono::milliseconds(after_a_fault_ms));
    }
    const std::lock_guard hold(lock_);
    running_ = false;
    ended_.notify_all();
    fleet_->rouse();
}

void driver::turn(std::int64_t limit_ms) {
    memory_notice_.look(client_->steady_ms());
    const std::int64_t delay_ms = fleet_->step(client_->wall_ms(), client_->steady_ms());
    client_->step(delay_ms < 0 ? limit_ms : std::min(delay_ms, limit_ms));
}

result<std::optional<std::int64_t>> driver::step(std::int64_t now_ms) {
    const std::unique_lock alone(driving_, std::try_to_lock);
    if (!alone) return busy("another call of the host (step or next_event)");
    if (running_) return busy("the runtime's own thread");
    memory_notice_.look(client_->steady_ms());
    fleet_->step(now_ms, now_ms);
    const std::int64_t network_ms = client_->look().value_or(-1);  // nullopt: detach() drives, and wakes at its end
    std::int64_t wait_ms = fleet_->next_delay_ms();
    if (network_ms >= 0) wait_ms = wait_ms < 0 ? network_ms : std::min(wait_ms, network_ms);
    wake_.wake_after(wait_ms);
    if (wait_ms < 0) return std::optional<std::int64_t>();
    return std::optional<std::int64_t>(now_ms + wait_ms);
}

result<void> driver::detach(std::int64_t timeout_ms) {
    const struct stir_at_end {
        wake_descriptor& wake;
        ~stir_at_end() { wake.stir(); }
    } woken{wake_};
    result<void> detached = attached_->detach(timeout_ms, [this] { return calls_.is_closed(); });
    if (detached || !calls_.is_closed()) return detached;
    return fail(status::cancelled,
                "the runtime was closed before the cluster's Leases were released; they will expire");
}

void driver::drive_until(std::int64_t until_ms, function_ref<bool()> give_up) {
    while (!fleet_->has_event() && !give_up()) {
        const std::int64_t wait_ms = left_ms(until_ms, client_->steady_ms());
        if (wait_ms <= 0) return;
        turn(wait_ms);
    }
}

std::optional<fleet_event> driver::wait_for_event(std::int64_t until_ms, function_ref<bool()> give_up) {
    std::optional<fleet_event> out;
    while (!out && !give_up()) {
        const std::int64_t wait_ms = left_ms(until_ms, client_->steady_ms());
        if (wait_ms <= 0) return out;
        if (running_) {
            fleet_->wait_event(wait_ms, [&] { return give_up() || !running_; });
        } else if (const auto alone = driving_.taken_within(wait_ms, give_up); alone && !running_) {
            drive_until(until_ms, give_up);
        }
        out = fleet_->take_event();
    }
    return out;
}

result<std::optional<fleet_event>> driver::next_event(std::int64_t timeout_ms, const http::cancel_flag* cancel) {
    std::optional<fleet_event> out = fleet_->take_event();
    if (out || timeout_ms == 0) return out;
    const auto cancelled = [cancel] { return cancel != nullptr && cancel->fired(); };
    {
        const http::wake_on_cancel during(cancel, [this] { rouse(); });
        out = wait_for_event(end_ms_of(client_->steady_ms(), timeout_ms),
                             [&] { return cancelled() || calls_.is_closed(); });
    }
    if (!out && cancelled()) return fail(status::cancelled, "canceled by the caller");
    if (!out && calls_.is_closed()) return fail(status::cancelled, "the runtime was closed");
    return out;
}

result<int> driver::descriptor() { return wake_.open(client_->descriptor()); }

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

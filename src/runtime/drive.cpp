// The thread, the steps and the waiting.  What is done at a step is the fleet's and the client's business.
#include "runtime/drive.hpp"

#include "auth/machine/surroundings.hpp"
#include "auth/token/cache.hpp"
#include "runtime/log.hpp"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <exception>
#include <new>
#include <pthread.h>
#include <system_error>

namespace gputide::runtime {
namespace {

constexpr std::int64_t longest_wait_ms = 3'600'000;
constexpr std::int64_t after_a_fault_ms = 100;

// A signal of the host's is for the host's own threads.
class all_signals_blocked {
  public:
    all_signals_blocked() {
        sigset_t all;
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before_);
    }
    ~all_signals_blocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
    all_signals_blocked(const all_signals_blocked&) = delete;
    all_signals_blocked& operator=(const all_signals_blocked&) = delete;

  private:
    sigset_t before_{};
};

std::int64_t wait_of(std::int64_t delay_ms, std::int64_t most_ms) {
    return delay_ms < 0 ? most_ms : std::min(delay_ms, most_ms);
}

error driven_elsewhere() {
    return fail(status::state, "the runtime's own thread drives it; stop it before the host does");
}

}  // namespace

result<std::unique_ptr<drive>> drive::open(const fleet_options& with) {
    auto client = http::client::open({});
    if (!client) return std::move(client).failure();
    std::unique_ptr<drive> out(new drive());
    out->client_ = *client;
    source::services services;
    services.loop = out->client_;
    services.tokens = std::make_shared<auth::token_cache>(out->client_);
    services.host = auth::process_surroundings();
    drive* here = out.get();
    out->fleet_ = std::make_unique<fleet>(
        with, out->client_, std::move(services),
        fleet::signals{[here] { here->stir(); }, [here](bool yes) { here->wake_.event_waits(yes); }});
    return out;
}

drive::~drive() {
    {
        const std::lock_guard hold(lock_);
        stopping_ = true;
        client_->wake();
    }
    if (thread_.joinable()) thread_.join();
}

void drive::stir() {
    client_->wake();
    wake_.stir();
}

result<void> drive::start() {
    const std::lock_guard hold(lock_);
    if (running_) return fail(status::state, "the runtime's thread runs already");
    const std::unique_lock alone(driving_, std::try_to_lock);
    if (!alone) return fail(status::state, "the host drives the runtime at this moment (step or next_event)");
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
        return fail(status::unavailable, std::string("the runtime's thread cannot be started: ") + failed.what());
    }
    return {};
}

result<void> drive::stop(std::int64_t timeout_ms) {
    std::unique_lock hold(lock_);
    if (!thread_.joinable()) return {};
    stopping_ = true;
    client_->wake();
    const auto patience = std::chrono::milliseconds(std::clamp<std::int64_t>(timeout_ms, 0, longest_wait_ms));
    if (!ended_.wait_for(hold, patience, [this] { return !running_; })) {
        return fail(status::timeout, "the runtime's thread is still busy; it stops as soon as it can");
    }
    if (!thread_.joinable()) return {};  // another call was faster
    thread_.join();
    fleet_->interrupt();
    wake_.host_drives(true);
    return {};
}

void drive::run() {
    pthread_setname_np(pthread_self(), "gputide");
    while (!stopping_) {
        try {
            run_until_stopped();
        } catch (const std::bad_alloc&) {
            // The fleet finds again what this cut off; memory may be there in a moment.
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

void drive::run_until_stopped() {
    while (!stopping_) turn(longest_wait_ms);
}

void drive::turn(std::int64_t most_ms) {
    const std::int64_t delay_ms = fleet_->step(client_->wall_ms(), client_->steady_ms());
    client_->step(wait_of(delay_ms, most_ms));
}

result<std::optional<std::int64_t>> drive::step(std::int64_t now_ms) {
    const std::lock_guard alone(driving_);
    if (running_) return driven_elsewhere();
    fleet_->step(now_ms, now_ms);
    const std::int64_t network_ms = client_->look();
    std::int64_t wait_ms = fleet_->next_delay_ms();
    if (network_ms >= 0) wait_ms = wait_ms < 0 ? network_ms : std::min(wait_ms, network_ms);
    wake_.wake_after(wait_ms);
    if (wait_ms < 0) return std::optional<std::int64_t>();
    return std::optional<std::int64_t>(now_ms + wait_ms);
}

void drive::drive_until(std::int64_t until_ms, const std::function<bool()>& give_up) {
    while (!fleet_->has_event() && !give_up()) {
        const std::int64_t left_ms = until_ms - client_->steady_ms();
        if (left_ms <= 0) return;
        turn(left_ms);
    }
}

result<std::optional<fleet_event>> drive::next_event(std::int64_t timeout_ms, const http::cancel_flag* cancel) {
    std::optional<fleet_event> out = fleet_->take_event();
    if (out || timeout_ms <= 0) return out;
    const std::int64_t until_ms = client_->steady_ms() + std::min(timeout_ms, longest_wait_ms);
    const auto cancelled = [cancel] { return cancel != nullptr && cancel->fired(); };
    std::uint64_t key = 0;
    if (cancel != nullptr) {
        key = cancel->on_fire([this] {
            fleet_->rouse();
            driving_.rouse();
            client_->wake();
        });
    }
    while (!out && !cancelled() && client_->steady_ms() < until_ms) {
        const std::int64_t left_ms = until_ms - client_->steady_ms();
        if (running_) {
            fleet_->wait_event(left_ms, [&] { return cancelled() || !running_; });
        } else if (const auto alone = driving_.taken_within(left_ms, cancelled); alone && !running_) {
            drive_until(until_ms, cancelled);
        }
        out = fleet_->take_event();
    }
    if (cancel != nullptr) cancel->forget(key);
    if (!out && cancelled()) return fail(status::cancelled, "cancelled by the caller");
    return out;
}

result<int> drive::descriptor() { return wake_.open(client_->descriptor()); }

}  // namespace gputide::runtime

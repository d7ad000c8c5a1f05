// The thread, the steps and the waiting.  What is done at a step is the fleet's and the client's business.
#include "runtime/driver/driver.hpp"

#include "auth/machine/surroundings.hpp"
#include "auth/token/cache.hpp"
#include "base/format_text.hpp"
#include "http/wait.hpp"
#include "runtime/cluster/attached.hpp"
#include "runtime/log.hpp"
#include "source/access/api_server.hpp"

#include <algorithm>
#include <array>
#include <csignal>
#include <exception>
#include <limits>
#include <new>
#include <pthread.h>
#include <sys/resource.h>
#include <system_error>
#include <unistd.h>

namespace gputide::runtime {
namespace {

using std::chrono::steady_clock;

constexpr std::int64_t longest_wait_ms = 3'600'000;  // then the clock is looked at again
constexpr std::int64_t after_a_fault_ms = 100;
constexpr auto longer_than_any_process = std::chrono::hours(24 * 365 * 10);

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

steady_clock::time_point end_of(std::int64_t timeout_ms) {
    const steady_clock::duration most = longer_than_any_process;
    const bool is_forever = timeout_ms == forever_ms;
    return steady_clock::now() +
           (is_forever ? most : std::min<steady_clock::duration>(most, std::chrono::milliseconds(timeout_ms)));
}

// On the client's steady clock.
std::int64_t end_ms_of(std::int64_t now_ms, std::int64_t timeout_ms) {
    return timeout_ms == forever_ms ? std::numeric_limits<std::int64_t>::max() : now_ms + timeout_ms;
}

std::int64_t left_ms(std::int64_t until_ms, std::int64_t now_ms) {
    return std::min(until_ms - now_ms, longest_wait_ms);
}

// "gputide-7d9f_3fa1c0": the machine's name, which is the pod's, and a number of this runtime's own.
std::string instance_name(http::loop& random) {
    std::array<char, 65> host{};
    if (::gethostname(host.data(), host.size() - 1) != 0) host[0] = '\0';
    const auto number = static_cast<std::uint64_t>(random.uniform() * 0x1.0p+48);
    return format_text("{}_{}", host.data(), number);
}

// A stream takes a file of the process', in plain text one each; three quarters are left to the host and to polls.
std::size_t fewer_than_files(std::size_t streams) {
    rlimit files{};
    if (getrlimit(RLIMIT_NOFILE, &files) != 0 || files.rlim_cur == RLIM_INFINITY) return streams;
    return std::min<std::size_t>(streams, files.rlim_cur / 4);
}

error busy(const char* who) { return fail(status::state, std::string(who) + " drives the runtime at this moment"); }

}  // namespace

result<std::unique_ptr<driver>> driver::open(const fleet_options& options) {
    auto client = http::client::open({});
    if (!client) return std::move(client).failure();
    std::unique_ptr<driver> out(new driver());
    out->client_ = *client;
    source::services services;
    services.loop = out->client_;
    services.tokens = std::make_shared<auth::token_cache>(out->client_);
    services.host = auth::process_surroundings();
    fleet_options within = options;
    within.most_streams = fewer_than_files(options.most_streams);
    driver* here = out.get();
    here->services_ = services;
    here->asks_host_ = options.observe_first;
    out->fleet_ = std::make_unique<fleet>(
        within, out->client_, std::move(services),
        fleet::signals{
            [here] { here->stir(); }, [here](bool waits) { here->wake_.event_waits(waits); },
            // It is there: its scalers came from it, and leave before it.
            [here](scaler_id id, const decide::policy& policy, const decide::state& state,
                   const decide::decision& decision) { here->cluster_->decided(id, policy, state, decision); }});
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
        if (fleet_ != nullptr) fleet_->interrupt();  // none where open() found no memory for it
        http::run_posted(*client_);
    } catch (const std::exception&) {  // no memory for the cancels
    }
    client_->close();
    cluster_.reset();
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
    if (running_) return fail(status::state, "the runtime's thread runs already");
    const std::unique_lock alone(driving_, std::try_to_lock);
    if (!alone) return busy("a call of the host's (step or next_event)");
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

bool driver::ended_by(std::unique_lock<std::mutex>& hold, steady_clock::time_point until) {
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
    if (const std::unique_lock alone(driving_, std::try_to_lock); alone) {  // else who drives lets them hear of it
        http::run_posted(*client_);
        http::run_posted(*client_);  // and their transfers let go of their connections
    }
    return {};
}

result<void> driver::close(std::int64_t timeout_ms) {
    const auto until = end_of(timeout_ms);
    calls_.close();
    std::unique_lock hold(lock_);
    stopping_ = true;
    rouse();
    wake_.stir();  // a host's loop comes by and finds out
    if (!ended_by(hold, until)) {
        return fail(status::timeout, "the runtime's thread is still busy; it ends as soon as it can: close again");
    }
    hold.unlock();  // a stop() that is inside needs it
    if (!calls_.wait_for_last(until)) {
        return fail(status::timeout, "another call is still inside the runtime; close again");
    }
    hold.lock();
    if (thread_.joinable()) {
        thread_.join();
        wake_.host_drives(true);
    }
    fleet_->interrupt();
    client_->look();  // what was given up hears of it
    client_->look();  // and its transfers let go of their connections
    return {};
}

void driver::run() {
    pthread_setname_np(pthread_self(), "gputide");
    while (!stopping_) {
        try {
            while (!stopping_) turn(longest_wait_ms);
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

void driver::turn(std::int64_t limit_ms) {
    const std::int64_t delay_ms = fleet_->step(client_->wall_ms(), client_->steady_ms());
    client_->step(delay_ms < 0 ? limit_ms : std::min(delay_ms, limit_ms));
}

result<std::optional<std::int64_t>> driver::step(std::int64_t now_ms) {
    const std::unique_lock alone(driving_, std::try_to_lock);
    if (!alone) return busy("another call of the host's (step or next_event)");
    if (running_) return busy("the runtime's own thread");
    fleet_->step(now_ms, now_ms);
    const std::int64_t network_ms = client_->look();
    std::int64_t wait_ms = fleet_->next_delay_ms();
    if (network_ms >= 0) wait_ms = wait_ms < 0 ? network_ms : std::min(wait_ms, network_ms);
    wake_.wake_after(wait_ms);
    if (wait_ms < 0) return std::optional<std::int64_t>();
    return std::optional<std::int64_t>(now_ms + wait_ms);
}

void driver::drive_until(std::int64_t until_ms, const std::function<bool()>& give_up) {
    while (!fleet_->has_event() && !give_up()) {
        const std::int64_t wait_ms = left_ms(until_ms, client_->steady_ms());
        if (wait_ms <= 0) return;
        turn(wait_ms);
    }
}

std::optional<fleet_event> driver::wait_for_event(std::int64_t until_ms, const std::function<bool()>& give_up) {
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
    if (!out && cancelled()) return fail(status::cancelled, "cancelled by the caller");
    if (!out && calls_.is_closed()) return fail(status::cancelled, "the runtime was closed");
    return out;
}

result<void> driver::attach(cluster_settings settings, const host_options& host) {
    if (asks_host_) {
        return fail(status::state,
                    "the runtime asks its host before each poll (GPUTIDE_RUNTIME_OBSERVE_FIRST): a cluster that "
                    "observes by itself cannot be attached to it");
    }
    const std::lock_guard hold(cluster_lock_);
    if (cluster_) return fail(status::state, "a cluster is attached already; detach it first");
    source::services services = services_;
    services.permissions = host.permissions;
    services.cluster = host.cluster;
    result<kube::access> at = source::access::open_api_server(services);
    if (!at) return std::move(at).failure();
    if (settings.lease_namespace.empty()) settings.lease_namespace = at->name_space;
    if (settings.identity.empty()) settings.identity = instance_name(*client_);
    cluster_ = std::make_shared<attached_cluster>(*fleet_, client_, *std::move(at), std::move(settings), host);
    cluster_->start();
    return {};
}

result<void> driver::detach(std::int64_t timeout_ms) {
    const std::lock_guard hold(cluster_lock_);
    if (!cluster_) return {};
    const auto ended = std::make_shared<std::atomic<bool>>(false);
    cluster_->end([ended] { *ended = true; });
    const std::int64_t until_ms = end_ms_of(client_->steady_ms(), timeout_ms);
    if (!client_->drive([ended] { return ended->load(); }, until_ms)) {
        return fail(status::timeout, "the cluster's Leases are not given back yet; detach again");
    }
    cluster_.reset();
    return {};
}

result<std::string> driver::describe_cluster() const {
    const std::lock_guard hold(cluster_lock_);
    if (!cluster_) return fail(status::state, "no cluster is attached to this runtime");
    return cluster_->describe();
}

result<int> driver::descriptor() { return wake_.open(client_->descriptor()); }

}  // namespace gputide::runtime

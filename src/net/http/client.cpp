// Chooses the driving thread: one waiting thread is the leader; the others sleep until their own condition holds or they become
// leader.  Only the leader evaluates the conditions, so no thread is woken needlessly.  A callback that ran out of memory may
// concern any waiter, so all waiters get the error.
#include "http/client.hpp"

#include "base/process.hpp"
#include "http/driver.hpp"

#include <openssl/ssl.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <limits>
#include <mutex>
#include <new>
#include <random>
#include <time.h>

namespace gputide::http {

namespace {

// Initializes libcurl once per process and never cleans it up.  A linked-in OpenSSL would clean up at exit while threads of the
// host still run; the host's OpenSSL is left to the host.
bool libcurl_is_ready() {
    const no_fork hold;
    static const CURLcode ready = [] {
        if (has_own_libraries()) OPENSSL_init_ssl(OPENSSL_INIT_NO_ATEXIT, nullptr);
        return curl_global_init(CURL_GLOBAL_DEFAULT);
    }();
    return ready == CURLE_OK;
}

std::string variable(const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr ? "" : value;
}

// Returns the default roots. libcurl ignores SSL_CERT_FILE and SSL_CERT_DIR; OpenSSL reads them, but Debian's libcurl sets its
// own roots.  As in OpenSSL the two are independent: if both are set, both are trusted; if one is set, only that one.
trust_defaults trust_of(const client_options& options) {
    if (!options.ca_file.empty()) return {options.ca_file, {}};
    trust_defaults named{variable("SSL_CERT_FILE"), variable("SSL_CERT_DIR")};
    if (!named.ca_file.empty() || !named.ca_folder.empty()) return named;
    const char* built_in = curl_version_info(CURLVERSION_NOW)->cainfo;
    return {roots_instead_of(built_in == nullptr ? "" : built_in, known_roots), {}};
}

constexpr std::int64_t longest_sleep_ms = 3'600'000;  // then the clock is read again

}  // namespace

struct client::state {
    struct waiter {
        const function_ref<bool()>* finished = nullptr;
        const function_ref<void(const lead&)>* act = nullptr;  // the leader runs it and sets it to null
        std::condition_variable stirred;
        bool stirring = false;
        waiter* next = nullptr;
    };

    // Makes the calling thread the driving thread during its lifetime.  Requires that no thread drives and that `held` is locked.
    class leading {
      public:
        leading(state& of, std::unique_lock<std::mutex>& held) : of_(of), held_(held) { of_.led = true; }
        ~leading() {
            if (!held_.owns_lock()) held_.lock();
            of_.led = false;
            of_.hand_on();
        }
        leading(const leading&) = delete;
        leading& operator=(const leading&) = delete;

        // Runs act(lead) without the lock.  If it runs out of memory, each waiting thread gets the error.
        template <class Act>
        auto unlocked(Act act) {
            held_.unlock();
            try {
                const auto out = act(lead_);
                held_.lock();
                return out;
            } catch (const std::bad_alloc&) {
                held_.lock();
                ++of_.faults;
                for (waiter* next = of_.waiters; next != nullptr; next = next->next) stir(*next);
                throw;
            }
        }
        void run(waiter& asking) {
            unlocked([&asking](const lead& lead) {
                (*asking.act)(lead);
                return true;
            });
            asking.act = nullptr;
        }

      private:
        state& of_;
        std::unique_lock<std::mutex>& held_;
        const lead lead_{};
    };

    state(const client_options& options, trust_defaults trust) : loop(options, std::move(trust)) {}

    bool drive(std::unique_lock<std::mutex>& lock, const function_ref<bool()>& finished, std::int64_t until_ms);
    void run_between(function_ref<void(const lead&)> act);
    void follow(std::unique_lock<std::mutex>& lock, waiter& me, std::int64_t until_ms);
    void run_acts(leading& now);
    void settle(leading& now);
    void hand_on();
    static void stir(waiter& waiting);

    driver loop;
    std::atomic<std::uint64_t> random{0};

    std::mutex mutex;
    waiter* waiters = nullptr;  // the first waiter
    std::uint64_t turns = 0;    // turns that did something
    std::uint64_t faults = 0;   // turns that ran out of memory
    bool led = false;
};

client::client() = default;
client::~client() {
    if (state_ != nullptr) close();
}

result<std::shared_ptr<client>> client::open(const client_options& options) {
    if (captured_library()) return *captured_library();  // before any call of libcurl or OpenSSL
    if (!libcurl_is_ready()) return fail(status::bug, "libcurl cannot be initialized");
    std::shared_ptr<client> out(new client());
    out->state_ = std::make_unique<state>(options, trust_of(options));
    std::random_device seed;
    out->state_->random = (std::uint64_t{seed()} << 32U) | seed();
    return out;
}

ticket client::send(outgoing request, std::int64_t deadline_ms, callback<void(answer)> done) {
    return state_->loop.send(std::move(request), deadline_ms, std::move(done));
}

ticket client::after(std::int64_t delay_ms, callback<void()> fire) {
    return state_->loop.after(delay_ms, std::move(fire));
}

void client::cancel(ticket id) { state_->loop.cancel(id); }

ticket client::reserve() { return state_->loop.reserve(); }

void client::wake() { state_->loop.wake(); }

std::int64_t client::next_due_ms() const { return state_->loop.next_due_ms(); }

std::int64_t client::steady_ms() const { return steady_now_ms(); }

std::int64_t client::wall_ms() const {
    return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::system_clock::now().time_since_epoch())
        .count();
}

// Returns a random number by SplitMix64 (Steele, Lea, Flood 2014): a counter and a mixer, so that threads need no lock.
double client::uniform() {
    std::uint64_t z = state_->random.fetch_add(0x9e3779b97f4a7c15U) + 0x9e3779b97f4a7c15U;
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
    z ^= z >> 31U;
    return static_cast<double>(z >> 11U) * 0x1.0p-53;
}

bool client::drive(function_ref<bool()> finished, std::int64_t until_ms) {
    std::unique_lock lock(state_->mutex);
    const std::uint64_t faults = state_->faults;
    bool over = finished();
    while (!over && steady_now_ms() < until_ms && state_->faults == faults) {
        if (state_->led) {
            state::waiter me;
            me.finished = &finished;
            state_->follow(lock, me, until_ms);
            over = finished();
        } else {
            over = state_->drive(lock, finished, until_ms);
        }
    }
    state_->hand_on();
    if (!over && state_->faults != faults) throw std::bad_alloc();
    return over;
}

void client::run_between(function_ref<void()> act) {
    state_->run_between([&act](const lead&) { act(); });
}

void client::step(std::int64_t max_ms) {
    const std::int64_t until_ms = steady_now_ms() + std::clamp<std::int64_t>(max_ms, 0, longest_sleep_ms);
    std::unique_lock lock(state_->mutex);
    const std::uint64_t seen = state_->turns;
    const auto has_moved = [this, seen] { return state_->turns != seen; };
    const function_ref<bool()> moved = has_moved;
    if (state_->led) {
        state::waiter me;
        me.finished = &moved;
        state_->follow(lock, me, until_ms);
    } else {
        state_->drive(lock, moved, until_ms);
    }
    state_->hand_on();
}

std::optional<std::int64_t> client::look() {
    std::unique_lock lock(state_->mutex);
    if (state_->led) return std::nullopt;
    state::leading now(*state_, lock);
    const std::int64_t next_ms = now.unlocked([this](const lead& lead) { return state_->loop.look(lead); });
    ++state_->turns;
    state_->settle(now);
    return next_ms;
}

void client::close() {
    state_->run_between([this](const lead& lead) { state_->loop.close(lead); });
}

int client::descriptor() const { return state_->loop.descriptor(); }

// Drives until the leader's own condition holds.  An exception from a callback ends the lead as well.
bool client::state::drive(std::unique_lock<std::mutex>& lock, const function_ref<bool()>& finished,
                          std::int64_t until_ms) {
    leading now(*this, lock);
    for (;;) {
        if (now.unlocked([this](const lead& lead) { return loop.work(lead); })) ++turns;
        settle(now);
        const std::int64_t left = until_ms - steady_now_ms();
        if (finished()) return true;
        if (left <= 0) return false;
        if (now.unlocked([this, left](const lead& lead) { return loop.wait(lead, left); })) ++turns;
    }
}

void client::state::run_between(function_ref<void(const lead&)> act) {
    std::unique_lock lock(mutex);
    waiter me;
    me.act = &act;
    while (me.act != nullptr) {
        if (led) {
            loop.wake();
            follow(lock, me, std::numeric_limits<std::int64_t>::max());
        } else {
            leading now(*this, lock);
            now.run(me);
        }
    }
    hand_on();
}

// Waits as a follower.  Allocates nothing.
void client::state::follow(std::unique_lock<std::mutex>& lock, waiter& me, std::int64_t until_ms) {
    waiter** link = &waiters;
    while (*link != nullptr) link = &(*link)->next;
    *link = &me;
    const std::int64_t left = std::clamp<std::int64_t>(until_ms - steady_now_ms(), 0, longest_sleep_ms);
    me.stirring = false;
    me.stirred.wait_for(lock, std::chrono::milliseconds(left), [&me] { return me.stirring; });
    for (link = &waiters; *link != &me;) link = &(*link)->next;
    *link = me.next;
    me.next = nullptr;
}

void client::state::stir(waiter& waiting) {
    waiting.stirring = true;
    waiting.stirred.notify_one();
}

// Runs the waiters' acts one at a time, because the list may change while the lock is released.
void client::state::run_acts(leading& now) {
    const auto next = [this] {
        waiter* waiting = waiters;
        while (waiting != nullptr && waiting->act == nullptr) waiting = waiting->next;
        return waiting;
    };
    while (waiter* waiting = next()) {
        now.run(*waiting);  // `waiting` stays valid: its thread returns only after it has seen null there
        stir(*waiting);
    }
}

void client::state::settle(leading& now) {
    run_acts(now);
    for (waiter* waiting = waiters; waiting != nullptr; waiting = waiting->next) {
        if (!waiting->stirring && waiting->finished != nullptr && (*waiting->finished)()) stir(*waiting);
    }
}

// Chooses a new leader among the remaining waiters.  A waiter that is already awake calls this again before it returns.
void client::state::hand_on() {
    if (led || waiters == nullptr) return;
    for (const waiter* waiting = waiters; waiting != nullptr; waiting = waiting->next) {
        if (waiting->stirring) return;
    }
    stir(*waiters);
}

}  // namespace gputide::http

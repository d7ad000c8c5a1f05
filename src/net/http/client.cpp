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
trust_defaults trust_of_process() {
    trust_defaults named{variable("SSL_CERT_FILE"), variable("SSL_CERT_DIR")};
    if (!named.ca_file.empty() || !named.ca_folder.empty()) return named;
    const char* built_in = curl_version_info(CURLVERSION_NOW)->cainfo;
    return {roots_instead_of(built_in == nullptr ? "" : built_in, known_roots), {}};
}

constexpr std::int64_t longest_sleep_ms = 3'600'000;  // then the clock is read again

}  // namespace

// The client: a driver, and the choice of the thread that drives it.
class led_client final : public driver {
  public:
    explicit led_client(trust_defaults trust) : driver(std::move(trust)) {
        std::random_device seed;
        random_ = (std::uint64_t{seed()} << 32U) | seed();
    }
    ~led_client() override { close(); }

    std::int64_t steady_ms() const override { return steady_now_ms(); }
    std::int64_t wall_ms() const override;
    double uniform() override;
    bool drive(function_ref<bool()> finished, std::int64_t until_ms) override;
    void run_between(function_ref<void()> act) override;
    void step(std::int64_t max_ms) override;
    std::optional<std::int64_t> look() override;
    void close() override;

  private:
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
        leading(led_client& of, std::unique_lock<std::mutex>& held) : of_(of), held_(held) { of_.led_ = true; }
        ~leading() {
            if (!held_.owns_lock()) held_.lock();
            of_.led_ = false;
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
                ++of_.faults_;
                for (waiter* next = of_.waiters_; next != nullptr; next = next->next) stir(*next);
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
        led_client& of_;
        std::unique_lock<std::mutex>& held_;
        const lead lead_{};
    };

    bool lead_until(std::unique_lock<std::mutex>& lock, const function_ref<bool()>& finished, std::int64_t until_ms);
    void run_leading(function_ref<void(const lead&)> act);
    void follow(std::unique_lock<std::mutex>& lock, waiter& me, std::int64_t until_ms);
    void run_acts(leading& now);
    void settle(leading& now);
    void hand_on();
    static void stir(waiter& waiting);

    std::atomic<std::uint64_t> random_{0};

    std::mutex lead_mutex_;
    waiter* waiters_ = nullptr;  // the first waiter
    std::uint64_t turns_ = 0;    // turns that did something
    std::uint64_t faults_ = 0;   // turns that ran out of memory
    bool led_ = false;
};

result<std::shared_ptr<client>> client::open() {
    if (captured_library()) return *captured_library();  // before any call of libcurl or OpenSSL
    if (!libcurl_is_ready()) return fail(status::bug, "libcurl cannot be initialized");
    return std::shared_ptr<client>(std::make_shared<led_client>(trust_of_process()));
}

std::int64_t led_client::wall_ms() const {
    return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::system_clock::now().time_since_epoch())
        .count();
}

// Returns a random number by SplitMix64 (Steele, Lea, Flood 2014): a counter and a mixer, so that threads need no lock.
double led_client::uniform() {
    std::uint64_t z = random_.fetch_add(0x9e3779b97f4a7c15U) + 0x9e3779b97f4a7c15U;
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
    z ^= z >> 31U;
    return static_cast<double>(z >> 11U) * 0x1.0p-53;
}

bool led_client::drive(function_ref<bool()> finished, std::int64_t until_ms) {
    std::unique_lock lock(lead_mutex_);
    const std::uint64_t faults = faults_;
    bool over = finished();
    while (!over && steady_now_ms() < until_ms && faults_ == faults) {
        if (led_) {
            waiter me;
            me.finished = &finished;
            follow(lock, me, until_ms);
            over = finished();
        } else {
            over = lead_until(lock, finished, until_ms);
        }
    }
    hand_on();
    if (!over && faults_ != faults) throw std::bad_alloc();
    return over;
}

void led_client::run_between(function_ref<void()> act) {
    run_leading([&act](const lead&) { act(); });
}

void led_client::step(std::int64_t max_ms) {
    const std::int64_t until_ms = steady_now_ms() + std::clamp<std::int64_t>(max_ms, 0, longest_sleep_ms);
    std::unique_lock lock(lead_mutex_);
    const auto has_moved = [this, seen = turns_] { return turns_ != seen; };
    const function_ref<bool()> moved = has_moved;
    if (led_) {
        waiter me;
        me.finished = &moved;
        follow(lock, me, until_ms);
    } else {
        lead_until(lock, moved, until_ms);
    }
    hand_on();
}

std::optional<std::int64_t> led_client::look() {
    std::unique_lock lock(lead_mutex_);
    if (led_) return std::nullopt;
    leading now(*this, lock);
    const std::int64_t next_ms = now.unlocked([this](const lead& lead) { return work_at_once(lead); });
    ++turns_;
    settle(now);
    return next_ms;
}

void led_client::close() {
    run_leading([this](const lead& lead) { drop_all(lead); });
}

// Drives until the leader's own condition holds.  An exception from a callback ends the lead as well.
bool led_client::lead_until(std::unique_lock<std::mutex>& lock, const function_ref<bool()>& finished,
                            std::int64_t until_ms) {
    leading now(*this, lock);
    for (;;) {
        if (now.unlocked([this](const lead& lead) { return work(lead); })) ++turns_;
        settle(now);
        const std::int64_t left = until_ms - steady_now_ms();
        if (finished()) return true;
        if (left <= 0) return false;
        if (now.unlocked([this, left](const lead& lead) { return wait(lead, left); })) ++turns_;
    }
}

void led_client::run_leading(function_ref<void(const lead&)> act) {
    std::unique_lock lock(lead_mutex_);
    waiter me;
    me.act = &act;
    while (me.act != nullptr) {
        if (led_) {
            wake();
            follow(lock, me, std::numeric_limits<std::int64_t>::max());
        } else {
            leading now(*this, lock);
            now.run(me);
        }
    }
    hand_on();
}

// Waits as a follower.  Allocates nothing.
void led_client::follow(std::unique_lock<std::mutex>& lock, waiter& me, std::int64_t until_ms) {
    waiter** link = &waiters_;
    while (*link != nullptr) link = &(*link)->next;
    *link = &me;
    const std::int64_t left = std::clamp<std::int64_t>(until_ms - steady_now_ms(), 0, longest_sleep_ms);
    me.stirring = false;
    me.stirred.wait_for(lock, std::chrono::milliseconds(left), [&me] { return me.stirring; });
    for (link = &waiters_; *link != &me;) link = &(*link)->next;
    *link = me.next;
    me.next = nullptr;
}

void led_client::stir(waiter& waiting) {
    waiting.stirring = true;
    waiting.stirred.notify_one();
}

// Runs the waiters' acts one at a time, because the list may change while the lock is released.
void led_client::run_acts(leading& now) {
    const auto next = [this] {
        waiter* waiting = waiters_;
        while (waiting != nullptr && waiting->act == nullptr) waiting = waiting->next;
        return waiting;
    };
    while (waiter* waiting = next()) {
        now.run(*waiting);  // `waiting` stays valid: its thread returns only after it has seen null there
        stir(*waiting);
    }
}

void led_client::settle(leading& now) {
    run_acts(now);
    for (waiter* waiting = waiters_; waiting != nullptr; waiting = waiting->next) {
        if (!waiting->stirring && waiting->finished != nullptr && (*waiting->finished)()) stir(*waiting);
    }
}

// Chooses a new leader among the remaining waiters.  A waiter that is already awake calls this again before it returns.
void led_client::hand_on() {
    if (led_ || waiters_ == nullptr) return;
    for (const waiter* waiting = waiters_; waiting != nullptr; waiting = waiting->next) {
        if (waiting->stirring) return;
    }
    stir(*waiters_);
}

}  // namespace gputide::http

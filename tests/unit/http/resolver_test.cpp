// Tests which lookups run, and on how many threads, by a scripted clock and lookups that hang until they are released.
#include "http/resolver.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <map>
#include <new>
#include <optional>
#include <set>
#include <thread>

namespace gputide::http {
namespace {

// Lookups of a test.  A name that begins with "hang" waits for release(); one with "no" has no address.
class scripted_lookups {
  public:
    std::string look_up(const std::string& name) {
        std::unique_lock lock(mutex_);
        ++counts_[name];
        most_ = std::max(most_, ++running_);
        changed_.notify_all();
        changed_.wait(lock, [&] { return is_open_ || !name.starts_with("hang"); });
        --running_;
        if (name.starts_with("memory")) throw std::bad_alloc();
        return name.starts_with("no") ? "" : "10.0.0.1,[2001:db8::1]";
    }
    void release() {
        const std::lock_guard lock(mutex_);
        is_open_ = true;
        changed_.notify_all();
    }
    void hold() {
        const std::lock_guard lock(mutex_);
        is_open_ = false;
    }
    int count(const std::string& name) {
        const std::lock_guard lock(mutex_);
        return counts_[name];
    }
    int most() {
        const std::lock_guard lock(mutex_);
        return most_;
    }
    void wait_for_running(int count) {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return running_ == count; });
    }

  private:
    std::mutex mutex_;
    std::condition_variable changed_;
    std::map<std::string, int> counts_;
    bool is_open_ = false;
    int running_ = 0, most_ = 0;
};

class waiting final : public resolver::waiter {
  public:
    void resolved(std::shared_ptr<const std::string> addresses) noexcept override {
        const std::lock_guard lock(mutex_);
        addresses_ = std::move(addresses);
        is_over_ = true;
        over_.notify_all();
    }
    std::shared_ptr<const std::string> wait() {
        std::unique_lock lock(mutex_);
        over_.wait(lock, [this] { return is_over_; });
        return addresses_;
    }
    bool is_over() {
        const std::lock_guard lock(mutex_);
        return is_over_;
    }

  private:
    std::mutex mutex_;
    std::condition_variable over_;
    std::shared_ptr<const std::string> addresses_;
    bool is_over_ = false;
};

class Resolver : public ::testing::Test {
  protected:
    ~Resolver() override {
        for (waiting& waiting : crowd_) resolver_->leave(waiting);
        lookups_->release();
    }
    void crowd(const std::string& prefix, std::size_t count) {
        for (std::size_t i = 0; i < count; ++i) resolver_->ask(crowd_.emplace_back(), prefix + std::to_string(i));
    }
    void wait_for_the_crowd() {
        for (waiting& waiting : crowd_) waiting.wait();
        crowd_.clear();
        while (resolver_->thread_count() > 0) std::this_thread::yield();
    }
    std::int64_t pass(std::int64_t ms) {
        *clock_ms_ += ms;
        return resolver_->start_due();
    }
    std::string look_up(const std::string& name) {
        waiting waiting;
        resolver_->ask(waiting, name);
        const auto got = waiting.wait();
        return got ? *got : "no memory";
    }

    const std::shared_ptr<scripted_lookups> lookups_ = std::make_shared<scripted_lookups>();
    const std::shared_ptr<std::atomic<std::int64_t>> clock_ms_ = std::make_shared<std::atomic<std::int64_t>>(1'000'000);
    std::shared_ptr<resolver> resolver_ = std::make_shared<resolver>(
        resolver::parts{[lookups = lookups_](const std::string& name) { return lookups->look_up(name); },
                        [clock_ms = clock_ms_] { return clock_ms->load(); }});
    std::list<waiting> crowd_;
};

constexpr const char* two_addresses = "10.0.0.1,[2001:db8::1]";

TEST_F(Resolver, ThreeHundredHangingNamesTakeFewThreadsAndANewHealthyOneIsFound) {
    crowd("hang", 300);
    EXPECT_EQ(resolver_->thread_count(), 8U);
    waiting healthy;
    resolver_->ask(healthy, "healthy");
    EXPECT_EQ(pass(499), 1);
    EXPECT_FALSE(healthy.is_over());
    pass(1);
    EXPECT_EQ(*healthy.wait(), two_addresses);
    for (int second = 0; second < 600; ++second) pass(1'000);
    EXPECT_EQ(resolver_->thread_count(), 14U);
    EXPECT_EQ(pass(1'000), -1);
    lookups_->wait_for_running(14);
}

TEST_F(Resolver, ANewNameOfAnotherDomainIsFoundAtOnce) {
    for (int i = 0; i < 300; ++i) resolver_->ask(crowd_.emplace_back(), "hang" + std::to_string(i) + ".one.test");
    EXPECT_EQ(resolver_->thread_count(), 8U);
    EXPECT_EQ(look_up("healthy.two.test"), two_addresses);
    EXPECT_EQ(look_up("other.two.test"), two_addresses);
    resolver_->ask(crowd_.emplace_back(), "hang.two.test");
    EXPECT_EQ(resolver_->thread_count(), 9U);
    resolver_->ask(crowd_.emplace_back(), "hang2.two.test");
    EXPECT_EQ(resolver_->thread_count(), 9U);
    for (int domain = 0; domain < 300; ++domain)
        resolver_->ask(crowd_.emplace_back(), "hang.d" + std::to_string(domain) + ".test");
    EXPECT_EQ(resolver_->thread_count(), 14U);
}

TEST_F(Resolver, AKnownNameGoesBeforeTheCrowd) {
    EXPECT_EQ(look_up("known"), two_addresses);
    crowd("hang", 300);
    EXPECT_EQ(look_up("known"), two_addresses);
    for (int second = 0; second < 600; ++second) pass(1'000);
    EXPECT_EQ(look_up("known"), two_addresses);
    EXPECT_EQ(lookups_->count("known"), 3);
}

TEST_F(Resolver, NoMoreThanSixteenThreadsHoweverManyKnownNamesHang) {
    lookups_->release();
    crowd("hang", 300);
    wait_for_the_crowd();
    lookups_->hold();
    crowd("hang", 300);
    EXPECT_EQ(resolver_->thread_count(), 12U);
    for (int second = 0; second < 600; ++second) pass(1'000);
    EXPECT_EQ(resolver_->thread_count(), 16U);
    lookups_->wait_for_running(16);
}

TEST_F(Resolver, NamesThatHungBeforeLeaveThreadsToNewOnes) {
    crowd("hang", 8);
    *clock_ms_ += 10'000;
    lookups_->release();
    wait_for_the_crowd();
    lookups_->hold();
    crowd("hang", 8);
    EXPECT_EQ(resolver_->thread_count(), 6U);
    EXPECT_EQ(look_up("new"), two_addresses);
    EXPECT_EQ(pass(600'000), -1);
    EXPECT_EQ(resolver_->thread_count(), 6U);
}

// A name that hung and answers quickly again is a known name.
TEST_F(Resolver, ANameIsJudgedByItsLastLookup) {
    crowd("hang", 8);
    *clock_ms_ += 10'000;
    lookups_->release();
    wait_for_the_crowd();
    crowd("hang", 8);
    wait_for_the_crowd();
    lookups_->hold();
    crowd("hang", 8);
    EXPECT_EQ(resolver_->thread_count(), 8U);
}

TEST_F(Resolver, ALookupIsSharedByAllThatWaitForItsName) {
    waiting first, second, third;
    resolver_->ask(first, "hang");
    resolver_->ask(second, "hang");
    lookups_->wait_for_running(1);
    resolver_->ask(third, "hang");
    resolver_->leave(second);
    lookups_->release();
    EXPECT_EQ(first.wait(), third.wait());
    EXPECT_FALSE(second.is_over());
    EXPECT_EQ(lookups_->count("hang"), 1);
    EXPECT_EQ(look_up("hang"), two_addresses);
    EXPECT_EQ(lookups_->count("hang"), 2);
}

TEST_F(Resolver, ANameThatIsNotWaitedForIsNotLookedUp) {
    crowd("hang", 8);
    waiting given_up;
    resolver_->ask(given_up, "given up");
    resolver_->leave(given_up);
    EXPECT_EQ(pass(600'000), -1);
    lookups_->release();
    wait_for_the_crowd();
    EXPECT_EQ(lookups_->count("given up"), 0);
}

// One thread takes all that follows.
TEST_F(Resolver, TheCrowdIsWorkedOffWhereItsServerAnswers) {
    crowd("hang", 40);
    lookups_->release();
    wait_for_the_crowd();
    EXPECT_EQ(lookups_->count("hang39"), 1);
    EXPECT_LE(lookups_->most(), 8);
}

TEST_F(Resolver, SaysWhatHasNoAddressAndWhereMemoryEnded) {
    EXPECT_EQ(look_up("nowhere"), "");
    EXPECT_EQ(look_up("memory"), "no memory");
    EXPECT_EQ(look_up("there"), two_addresses);
}

TEST_F(Resolver, OutlivesItsOwnersWhileALookupHangs) {
    waiting waiting;
    resolver_->ask(waiting, "hang");
    lookups_->wait_for_running(1);
    resolver_->leave(waiting);
    const std::weak_ptr<resolver> seen = resolver_;
    resolver_.reset();
    EXPECT_FALSE(seen.expired());
    lookups_->release();
    while (!seen.expired()) std::this_thread::yield();
    EXPECT_FALSE(waiting.is_over());
}

TEST(SystemLookup, GivesAddressesAsLibcurlTakesThem) {
    EXPECT_EQ(look_up_by_system("127.0.0.1"), "127.0.0.1");
    EXPECT_EQ(look_up_by_system("::1"), "[::1]");
    EXPECT_EQ(look_up_by_system(std::string(64, 'a') + ".invalid"), "");
}

}  // namespace
}  // namespace gputide::http

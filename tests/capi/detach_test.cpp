// A cluster that is detached while its Lease is slow to be given back.
#include "small_cluster.hpp"
#include "support.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <semaphore>
#include <string>
#include <thread>

namespace {

using gputide::testing::answering;
using gputide::testing::fault_server;
using gputide::testing::plain_answer;

constexpr std::int32_t long_timeout_ms = 60'000;

// Leads at this server, which from then on answers no read of the Lease until go_on().
class DetachCluster : public ::testing::Test {
  protected:
    DetachCluster()
        : server_(answering([this](const std::string& request) { return answer(request); })), file_(server_.port()) {
        EXPECT_EQ(gputide_runtime_new(nullptr, &runtime, nullptr), GPUTIDE_OK);
        auto options = sized<gputide_options>();
        options.kubeconfig = file_.path();
        EXPECT_EQ(gputide_cluster_attach(runtime, nullptr, 0, &options, nullptr), GPUTIDE_OK);
        EXPECT_EQ(gputide_runtime_start(runtime, nullptr), GPUTIDE_OK);
        while (description().find("\"leads\":true") == std::string::npos)
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
        holds_ = true;
    }
    ~DetachCluster() override {
        go_on();
        EXPECT_EQ(gputide_runtime_close(runtime, long_timeout_ms, nullptr), GPUTIDE_OK);
        gputide_runtime_free(runtime);
    }

    std::string description() const {
        owned_text text;
        EXPECT_EQ(gputide_cluster_describe(runtime, &text.value, nullptr), GPUTIDE_OK);
        return text.str();
    }
    gputide_status detach(std::int32_t timeout_ms) const {
        return gputide_cluster_detach(runtime, timeout_ms, nullptr);
    }
    void wait_until_held() { is_held_.acquire(); }
    void go_on() {
        holds_ = false;
        holds_.notify_all();
    }
    std::string last_write() const {
        const std::lock_guard hold(lock_);
        return last_write_;
    }

    gputide_runtime* runtime = nullptr;

  private:
    std::string answer(const std::string& request) {
        const bool is_write = !request.starts_with("GET ");
        if (request.find("/leases") == std::string::npos) return answer_to(request, 1);
        if (!is_write && holds_) {
            is_held_.release();
            holds_.wait(true);
        }
        const std::lock_guard hold(lock_);
        if (is_write) last_write_ = stored_object(request);
        return last_write_.empty() ? answer_to(request, 1) : plain_answer(last_write_);
    }

    mutable std::mutex lock_;
    std::string last_write_;  // of the Lease
    std::atomic<bool> holds_{false};
    std::counting_semaphore<> is_held_{0};
    fault_server server_;
    kubeconfig file_;
};

TEST_F(DetachCluster, ADescriptionDoesNotWaitForIt) {
    gputide_status detached = GPUTIDE_E_BUG;
    std::thread detaching([&] { detached = detach(long_timeout_ms); });
    wait_until_held();
    EXPECT_NE(description().find("\"leases\""), std::string::npos);
    go_on();
    detaching.join();
    EXPECT_EQ(detached, GPUTIDE_OK);
    owned_text text;
    EXPECT_EQ(gputide_cluster_describe(runtime, &text.value, nullptr), GPUTIDE_E_STATE);
}

TEST_F(DetachCluster, CalledAgainItGoesOnWithWhatHasBegun) {
    EXPECT_EQ(detach(0), GPUTIDE_E_TIMEOUT);
    wait_until_held();
    EXPECT_EQ(detach(0), GPUTIDE_E_TIMEOUT);
    go_on();
    EXPECT_EQ(detach(long_timeout_ms), GPUTIDE_OK);
    EXPECT_NE(last_write().find("\"holderIdentity\":\"\""), std::string::npos) << last_write();
}

TEST_F(DetachCluster, ClosingTheRuntimeEndsIt) {
    gputide_status detached = GPUTIDE_E_BUG;
    std::thread detaching([&] { detached = detach(long_timeout_ms); });
    wait_until_held();
    EXPECT_EQ(gputide_runtime_close(runtime, long_timeout_ms, nullptr), GPUTIDE_OK);
    detaching.join();
    EXPECT_EQ(detached, GPUTIDE_E_CANCELLED);
}

}  // namespace

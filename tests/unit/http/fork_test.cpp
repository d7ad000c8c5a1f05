// A child of fork has one thread: libcurl's lock, which making a handle takes for a moment, stays taken there if another thread had it.
// So no thread forks meanwhile.  curl_easy_init() and curl_multi_init() of this program stand before libcurl's, and take their time.
#include "http/libcurl.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <dlfcn.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

static std::atomic<bool> is_slow{false};
static std::atomic<int> inside{0};

template <class Handle>
static Handle* pass_slowly(const char* name) {
    const auto libcurls = reinterpret_cast<Handle* (*)()>(dlsym(RTLD_NEXT, name));
    ++inside;
    if (is_slow) std::this_thread::sleep_for(std::chrono::milliseconds(100));
    Handle* const out = libcurls();
    --inside;
    return out;
}

extern "C" __attribute__((visibility("default"))) CURL* curl_easy_init() { return pass_slowly<CURL>("curl_easy_init"); }
extern "C" __attribute__((visibility("default"))) CURLM* curl_multi_init() {
    return pass_slowly<CURLM>("curl_multi_init");
}

// ThreadSanitizer misses the other thread in the child, and says so with an exit status of its own.
#if !defined(__SANITIZE_THREAD__)
namespace gputide::http {
namespace {

// Counts the calls that were cut in two by a fork that began while make() ran.
template <class Make>
int cut_by_a_fork(Make make) {
    is_slow = true;
    std::thread other(make);
    while (inside == 0) std::this_thread::yield();
    const pid_t child = ::fork();
    if (child == 0) ::_exit(inside);
    int status = 0;
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status));
    other.join();
    is_slow = false;
    return WEXITSTATUS(status);
}

TEST(Fork, WaitsForAHandleThatIsBeingMade) {
    EXPECT_EQ(cut_by_a_fork([] { curl_easy_cleanup(new_easy()); }), 0);
    EXPECT_EQ(cut_by_a_fork([] { curl_multi_cleanup(new_multi()); }), 0);
}

}  // namespace
}  // namespace gputide::http
#endif

// Sections 9 and 16 of gputide.h: every function of a runtime may run beside every other one.  Each pair of the table below runs in
// two threads, against a port without a server and against an API server that answers, driven by the host and by the runtime's
// own thread.  The tsan preset shows what races; elsewhere a pair must return what the header names, and end.
#include "small_cluster.hpp"
#include "support.hpp"
#include "support/folder.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <barrier>
#include <fstream>
#include <functional>
#include <memory>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <thread>

// libcurl 7.88 closes a socket that never connected without a word (cf_socket_close in lib/cf-socket.c).  Its number may be that of a
// connection of the server below by the time the library takes it out of its epoll, where it is no more.
#ifdef __SANITIZE_THREAD__
extern "C" __attribute__((visibility("default"))) const char*
__tsan_default_suppressions() {  // NOLINT: the sanitizer's name
    return "race:accept4\n";
}
#endif

namespace {

using gputide::testing::fault_server;

constexpr int turns = 6;
constexpr std::int32_t short_ms = 20, long_ms = 60'000;

// A runtime with a scaler of each kind, and what the calls need.
class world {
  public:
    world(const char* kubeconfig, int port) : more(prometheus_trigger_on(port)) {
        auto options = sized<gputide_runtime_options>();
        options.start_spread_ms = 1;
        EXPECT_EQ(gputide_runtime_new(&options, &runtime, nullptr), GPUTIDE_OK);
        cluster_options.kubeconfig = kubeconfig;
        for (const std::string& text : {ml_manifest("pushed", values_trigger), ml_manifest("polled", more)}) {
            std::uint64_t& id = ids[text.find("polled") == std::string::npos ? 0 : 1];
            EXPECT_EQ(gputide_runtime_add(runtime, text.c_str(), GPUTIDE_TEXT, nullptr, 0, &id, nullptr), GPUTIDE_OK);
        }
        observe(ids[0]);
        observe(ids[1]);
        owned_text text;
        EXPECT_EQ(gputide_runtime_save(runtime, ids[0], &text.value, nullptr), GPUTIDE_OK);
        saved = text.str();
    }
    ~world() {
        EXPECT_EQ(gputide_runtime_close(runtime, long_ms, nullptr), GPUTIDE_OK);
        gputide_runtime_free(runtime);
    }
    world(const world&) = delete;
    world& operator=(const world&) = delete;

    std::int64_t now_ms() { return clock += 1'000; }
    gputide_status observe(std::uint64_t id) {
        auto seen = sized<gputide_observation>();
        seen.now_ms = now_ms();
        seen.current_replicas = 3;
        return gputide_runtime_observe(runtime, id, &seen, nullptr);
    }
    gputide_status attach() {
        return gputide_cluster_attach(runtime, R"({"lease":{"duration_s":4}})", GPUTIDE_TEXT, &cluster_options,
                                      nullptr);
    }

    gputide_runtime* runtime = nullptr;
    std::array<std::uint64_t, 2> ids{};
    const std::string more;  // the trigger of what is added
    std::string saved;
    std::atomic<int> added{0};

  private:
    gputide_options cluster_options = sized<gputide_options>();
    std::atomic<std::int64_t> clock{start_ms};
};

gputide_status add_more(world& in, std::uint64_t& id) {
    const std::string text = ml_manifest("more-" + std::to_string(++in.added), in.more);
    return gputide_runtime_add(in.runtime, text.c_str(), GPUTIDE_TEXT, nullptr, 0, &id, nullptr);
}

gputide_status take_event(world& in, std::int32_t timeout_ms, gputide_event& event, gputide_decision& decision) {
    owned_text report;
    return gputide_runtime_next_event(in.runtime, timeout_ms, nullptr, &event, &decision, &report.value, nullptr);
}

struct call {
    const char* name;  // in gputide.h
    std::function<gputide_status(world&)> make;
};

// Each call with what it needs before it, so that it does its work whatever the other thread has done.
const std::vector<call>& calls() {
    static const std::vector<call> all{
        {"gputide_runtime_add",
         [](world& in) {
             std::uint64_t id = 0;
             return add_more(in, id);
         }},
        {"gputide_runtime_replace",
         [](world& in) {
             const std::string text = ml_manifest("polled", in.more);
             return gputide_runtime_replace(in.runtime, in.ids[1], text.c_str(), GPUTIDE_TEXT, nullptr, nullptr,
                                            nullptr);
         }},
        {"gputide_runtime_remove",
         [](world& in) {
             std::uint64_t id = 0;
             if (const gputide_status status = add_more(in, id); status != GPUTIDE_OK) return status;
             in.observe(id);
             return gputide_runtime_remove(in.runtime, id, nullptr);
         }},
        {"gputide_runtime_find",
         [](world& in) {
             std::uint64_t id = 0;
             return gputide_runtime_find(in.runtime, "ml/polled", &id, nullptr);
         }},
        {"gputide_runtime_next_scaler",
         [](world& in) {
             std::uint64_t id = 0;
             return gputide_runtime_next_scaler(in.runtime, in.ids[0], &id, nullptr);
         }},
        {"gputide_runtime_observe", [](world& in) { return in.observe(in.ids[1]); }},
        {"gputide_runtime_push",
         [](world& in) {
             const gputide_sample value = sample_of(42.5);
             return gputide_runtime_push(in.runtime, in.ids[0], &value, sizeof value, 1, nullptr);
         }},
        {"gputide_runtime_next_event",
         [](world& in) {
             auto event = sized<gputide_event>();
             auto decision = sized<gputide_decision>();
             return take_event(in, 1, event, decision);
         }},
        {"gputide_runtime_record",
         [](world& in) {
             auto event = sized<gputide_event>();
             auto decision = sized<gputide_decision>();
             const gputide_status taken = take_event(in, 0, event, decision);
             if (taken != GPUTIDE_OK || event.kind != GPUTIDE_EVENT_DECISION) return taken;
             return gputide_runtime_record(in.runtime, event.id, &decision, 1, in.now_ms(), nullptr);
         }},
        {"gputide_runtime_save",
         [](world& in) {
             owned_text text;
             return gputide_runtime_save(in.runtime, in.ids[0], &text.value, nullptr);
         }},
        {"gputide_runtime_load",
         [](world& in) {
             return gputide_runtime_load(in.runtime, in.ids[0], in.saved.c_str(), GPUTIDE_TEXT, nullptr);
         }},
        {"gputide_runtime_describe",
         [](world& in) {
             owned_text text;
             return gputide_runtime_describe(in.runtime, in.ids[1], &text.value, nullptr);
         }},
        {"gputide_runtime_stats",
         [](world& in) {
             owned_text text;
             return gputide_runtime_stats(in.runtime, &text.value, nullptr);
         }},
        {"gputide_runtime_start", [](world& in) { return gputide_runtime_start(in.runtime, nullptr); }},
        {"gputide_runtime_stop", [](world& in) { return gputide_runtime_stop(in.runtime, short_ms, nullptr); }},
        {"gputide_runtime_step",
         [](world& in) {
             std::int64_t next_ms = 0;
             return gputide_runtime_step(in.runtime, in.now_ms(), &next_ms, nullptr);
         }},
        {"gputide_runtime_wake_fd",
         [](world& in) {
             std::int32_t descriptor = -1;
             return gputide_runtime_wake_fd(in.runtime, &descriptor, nullptr);
         }},
        {"gputide_runtime_close", [](world& in) { return gputide_runtime_close(in.runtime, short_ms, nullptr); }},
        {"gputide_cluster_attach", [](world& in) { return in.attach(); }},
        {"gputide_cluster_detach",
         [](world& in) {
             in.attach();
             return gputide_cluster_detach(in.runtime, short_ms, nullptr);
         }},
        {"gputide_cluster_describe",
         [](world& in) {
             owned_text text;
             return gputide_cluster_describe(in.runtime, &text.value, nullptr);
         }},
    };
    return all;
}

// The statuses that the header names for these calls.  NOT_FOUND: a scaler of the cluster left meanwhile.
bool is_expected(gputide_status status) {
    static const std::set<gputide_status> expected{GPUTIDE_OK,        GPUTIDE_E_STATE,   GPUTIDE_E_NOT_FOUND,
                                                   GPUTIDE_E_NO_DATA, GPUTIDE_E_TIMEOUT, GPUTIDE_E_CANCELLED};
    return expected.contains(status);
}

void run_pair(const call& current, const call& other, const char* kubeconfig, int port, bool has_thread) {
    SCOPED_TRACE(std::string(current.name) + " beside " + other.name + (has_thread ? ", driven by a thread" : ""));
    world in(kubeconfig, port);
    in.attach();
    if (has_thread) gputide_runtime_start(in.runtime, nullptr);
    std::barrier together(2);
    std::atomic<int> done{0};  // threads that have made their turns; the quicker one goes on beside the other
    const auto repeat = [&](const call& made) {
        together.arrive_and_wait();
        for (int turn = 1; done < 2; ++turn) {
            const gputide_status status = made.make(in);
            EXPECT_TRUE(is_expected(status)) << made.name << ": " << gputide_status_name(status);
            if (turn == turns) ++done;
        }
    };
    std::thread beside(repeat, std::cref(other));
    repeat(current);
    beside.join();
}

class ConcurrentCalls : public ::testing::TestWithParam<std::size_t> {
  protected:
    void run_all(int port) const {
        const kubeconfig file(port);
        for (std::size_t other = GetParam(); other < calls().size(); ++other) {
            for (const bool has_thread : {false, true})
                run_pair(calls()[GetParam()], calls()[other], file.path(), port, has_thread);
        }
    }
};

TEST_P(ConcurrentCalls, AgainstADeadPort) { run_all(1); }

TEST_P(ConcurrentCalls, AgainstAServer) {
    std::atomic<int> port{0};
    fault_server server(
        gputide::testing::answering([&port](const std::string& request) { return answer_to(request, port); }));
    port = server.port();
    run_all(port);
}

std::string name_of(const ::testing::TestParamInfo<std::size_t>& call) {
    return std::string(calls()[call.param].name).substr(std::string("gputide_").size());
}
INSTANTIATE_TEST_SUITE_P(Pairs, ConcurrentCalls, ::testing::Range<std::size_t>(0, calls().size()), name_of);

// Only gputide_runtime_new and gputide_runtime_free must be called alone.
TEST(ConcurrentCallsTable, HasEveryFunctionOfARuntime) {
    const std::regex declaration(R"(GPUTIDE_API gputide_status (gputide_\w+)\(gputide_runtime\* runtime)");
    std::set<std::string> declared, listed;
    for (const char* header : {"runtime.h", "kubernetes.h"}) {
        std::ifstream file(gputide::testing::file_path(std::string("../include/gputide/") + header));
        std::stringstream content;
        content << file.rdbuf();
        const std::string text = content.str();
        for (std::sregex_iterator at(text.begin(), text.end(), declaration), end; at != end; ++at)
            declared.insert((*at)[1]);
    }
    for (const call& entry : calls()) listed.insert(entry.name);
    EXPECT_EQ(listed, declared);
}

}  // namespace

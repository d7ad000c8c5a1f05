// A stand-in for the system's resolver: getaddrinfo() of the program stands before the C library's.  For one file of a program that is
// linked with its symbols exported (ENABLE_EXPORTS).  What ends in ".hangs.test" waits for the gate to open and does not exist then;
// what ends in ".here.test" is 127.0.0.1, and "both..." of it first ::1; other names under ".test" do not exist.
#pragma once

#include <condition_variable>
#include <dlfcn.h>
#include <filesystem>
#include <iterator>
#include <map>
#include <mutex>
#include <netdb.h>
#include <string>

namespace gputide::testing {

struct resolver_gate {
    std::mutex mutex;
    std::condition_variable changed;
    bool is_open = false;
    int inside = 0;
    std::map<std::string, int> counts;
};
inline resolver_gate gate;

inline void pass_gate() {
    std::unique_lock lock(gate.mutex);
    ++gate.inside;
    gate.changed.notify_all();
    gate.changed.wait(lock, [] { return gate.is_open; });
    --gate.inside;
    gate.changed.notify_all();
}

inline void count_lookup(const std::string& name) {
    const std::lock_guard lock(gate.mutex);
    ++gate.counts[name];
}

inline int lookups_of(const std::string& name) {
    const std::lock_guard lock(gate.mutex);
    return gate.counts[name];
}

// Open while it lives.  At its end nothing is inside.
class gate_held_open {
  public:
    gate_held_open() {
        const std::lock_guard lock(gate.mutex);
        gate.is_open = true;
        gate.changed.notify_all();
    }
    ~gate_held_open() {
        std::unique_lock lock(gate.mutex);
        gate.changed.wait(lock, [] { return gate.inside == 0; });
        gate.is_open = false;
    }
    gate_held_open(const gate_held_open&) = delete;
    gate_held_open& operator=(const gate_held_open&) = delete;
};

// Lets all go that hang, and waits until they have gone.
inline void open_gate() { const gate_held_open now; }

inline void wait_inside_gate(int count) {
    std::unique_lock lock(gate.mutex);
    gate.changed.wait(lock, [count] { return gate.inside >= count; });
}

inline std::size_t thread_count() {
    const std::filesystem::directory_iterator tasks("/proc/self/task");
    return static_cast<std::size_t>(std::distance(begin(tasks), end(tasks)));
}

}  // namespace gputide::testing

extern "C" __attribute__((visibility("default"))) int getaddrinfo(const char* name, const char* service,
                                                                  const addrinfo* hints, addrinfo** out) {
    using system_lookup = int (*)(const char*, const char*, const addrinfo*, addrinfo**);
    static const auto next = reinterpret_cast<system_lookup>(dlsym(RTLD_NEXT, "getaddrinfo"));
    const std::string text = name == nullptr ? "" : name;
    if (!text.ends_with(".test")) return next(name, service, hints, out);
    gputide::testing::count_lookup(text);
    if (text.ends_with(".hangs.test")) gputide::testing::pass_gate();
    if (!text.ends_with(".here.test")) return EAI_NONAME;
    if (!text.starts_with("both.")) return next("127.0.0.1", service, hints, out);
    const int code = next("::1", service, hints, out);
    return code != 0 ? code : next("127.0.0.1", service, hints, &(*out)->ai_next);
}

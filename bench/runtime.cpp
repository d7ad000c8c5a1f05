// A host with many scalers, as the header tells it: one runtime with its own thread, this thread takes the events.
// In: a server that answers instant queries.  Out: what polling costs this whole process in processor time and memory, and
// how punctual it was; every trigger asks a query of its own, so that none is saved by sharing.
//   gputide_bench_runtime URL LABEL TRIGGERS PERIOD_S FIRST_S WINDOW_S     LABEL: the middle of the names, 10k
// First polls come spread over FIRST_S (each opens what it needs); then the window is measured.
#include "gputide/runtime.h"

#include "measure.hpp"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <sys/resource.h>
#include <unistd.h>

namespace {

namespace bench = gputide::bench;

struct plan {
    std::string url, label;
    int triggers = 0, period_s = 0, first_s = 0, window_s = 0;
};

[[noreturn]] void give_up(const char* what, const gputide_error& why) {
    std::fprintf(stderr, "bench runtime: %s: %s: %s\n", what, gputide_status_name(why.status), why.message);
    std::exit(1);
}

std::int64_t unix_ms() {
    using namespace std::chrono;
    return duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count();
}

double processor_seconds() {
    rusage used{};
    getrusage(RUSAGE_SELF, &used);
    const auto seconds = [](const timeval& t) {
        return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
    };
    return seconds(used.ru_utime) + seconds(used.ru_stime);
}

double resident_mib() {
    long total = 0, resident = 0;
    std::FILE* file = std::fopen("/proc/self/statm", "r");
    if (file == nullptr || std::fscanf(file, "%ld %ld", &total, &resident) != 2) std::exit(1);  // NOLINT: two numbers
    std::fclose(file);
    return static_cast<double>(resident) * static_cast<double>(sysconf(_SC_PAGESIZE)) / (1024.0 * 1024.0);
}

// The answer is 84.5: three replicas are what it asks for, within tolerance.  The HPA half runs with the executor's, or it
// would ask in between and every trigger be polled twice a period.
std::string manifest(const plan& by, int number) {
    const std::string n = std::to_string(number);
    const std::string period = std::to_string(by.period_s);
    return R"({"apiVersion":"keda.sh/v1alpha1","kind":"ScaledObject","metadata":{"name":"so-)" + n +
           R"(","namespace":"bench","annotations":{"gputide.io/sync-period":")" + period +
           R"(s"}},"spec":{"scaleTargetRef":{"name":"app-)" + n +
           R"("},"minReplicaCount":1,"maxReplicaCount":10,"pollingInterval":)" + period +
           R"(,"triggers":[{"type":"prometheus","metadata":{"serverAddress":")" + by.url +
           R"(","query":"avg(DCGM_FI_DEV_GPU_UTIL{deployment=\"app-)" + n + R"json(\"})","threshold":"28"}}]}})json";
}

gputide_runtime* filled_runtime(const plan& by) {
    gputide_error err{};
    err.struct_size = sizeof err;
    gputide_runtime_options options{};
    options.struct_size = sizeof options;
    options.start_spread_ms = by.first_s * 1'000;
    gputide_runtime* out = nullptr;
    if (gputide_runtime_new(&options, &out, &err) != GPUTIDE_OK) give_up("runtime_new", err);
    gputide_observation seen{};
    seen.struct_size = sizeof seen;
    seen.now_ms = unix_ms();
    seen.current_replicas = seen.ready_replicas = 3;
    for (int i = 0; i < by.triggers; ++i) {
        const std::string text = manifest(by, i);
        std::uint64_t id = 0;
        if (gputide_runtime_add(out, text.data(), static_cast<std::int64_t>(text.size()), nullptr, 0, &id, &err) !=
                GPUTIDE_OK ||
            gputide_runtime_observe(out, id, &seen, &err) != GPUTIDE_OK) {
            give_up("runtime_add", err);
        }
    }
    return out;
}

// Takes what comes and says of each write that it was made, as a host would.
void take_events(gputide_runtime* from, std::int64_t until_ms) {
    gputide_error err{};
    err.struct_size = sizeof err;
    gputide_event event{};
    event.struct_size = sizeof event;
    gputide_decision made{};
    made.struct_size = sizeof made;
    for (std::int64_t left_ms = until_ms - unix_ms(); left_ms > 0; left_ms = until_ms - unix_ms()) {
        const gputide_status status =
            gputide_runtime_next_event(from, static_cast<std::int32_t>(left_ms), nullptr, &event, &made, nullptr, &err);
        if (status == GPUTIDE_E_NO_DATA) continue;
        if (status != GPUTIDE_OK) give_up("next_event", err);
        const bool moved = made.desired_replicas != made.current_replicas;
        if (moved && gputide_runtime_record(from, event.id, &made, 1, unix_ms(), &err) != GPUTIDE_OK) {
            give_up("record", err);
        }
    }
}

struct counters {
    double polls = 0.0, lag_p99_ms = 0.0, lag_max_ms = 0.0;
    std::string errors;
};

// Reads a number of the runtime's JSON; its members are in a fixed order and no text in it is a host's.
double number_after(const std::string& json, const std::string& path, std::size_t& at) {
    at = json.find("\"" + path + "\":", at);
    if (at == std::string::npos) std::exit(1);
    at += path.size() + 3;
    return std::strtod(json.c_str() + at, nullptr);
}

counters counted(gputide_runtime* from) {
    gputide_error err{};
    err.struct_size = sizeof err;
    gputide_text text{};
    if (gputide_runtime_stats(from, &text, &err) != GPUTIDE_OK) give_up("stats", err);
    const std::string json(text.data, text.size_bytes);
    gputide_text_free(&text);
    counters out;
    std::size_t at = 0;
    out.polls = number_after(json, "polls", at);
    at = json.find("\"poll_lag_ms\"");
    out.lag_p99_ms = number_after(json, "p99", at);
    out.lag_max_ms = number_after(json, "max", at);
    at = json.find("\"errors\":");
    out.errors = json.substr(at + 9, json.find('}', at) - at - 8);
    return out;
}

std::string whole(double number) { return std::to_string(static_cast<long long>(number)); }

int measure(const plan& by) {
    const double before_filling = processor_seconds();
    gputide_runtime* runtime = filled_runtime(by);
    const double filling_s = processor_seconds() - before_filling;
    gputide_error err{};
    err.struct_size = sizeof err;
    if (gputide_runtime_start(runtime, &err) != GPUTIDE_OK) give_up("start", err);
    take_events(runtime, unix_ms() + by.first_s * std::int64_t{1'000});
    const counters before = counted(runtime);
    const double busy_before_s = processor_seconds();
    const std::int64_t begin_ms = unix_ms();
    take_events(runtime, begin_ms + by.window_s * std::int64_t{1'000});
    const double busy_s = processor_seconds() - busy_before_s;
    const double window_s = static_cast<double>(unix_ms() - begin_ms) / 1'000.0;
    const counters after = counted(runtime);
    const double polls = after.polls - before.polls;
    const double memory_mib = resident_mib();
    if (gputide_runtime_stop(runtime, 60'000, &err) != GPUTIDE_OK) give_up("stop", err);
    gputide_runtime_free(runtime);

    if (after.errors != "{}") {
        std::fprintf(stderr, "bench runtime: polls failed: %s\n", after.errors.c_str());
        return 1;
    }
    const bool goals = by.label == "10k";
    const std::string name = "runtime_" + by.label + "_";
    const std::string what = whole(by.triggers) + " triggers at " + whole(by.period_s) + " s, TLS; " + whole(polls) +
                             " polls in a window of " + whole(window_s) + " s after the first " + whole(by.first_s) +
                             " s; no poll failed";
    const std::string goal = goals ? "goal" : "";
    std::vector<bench::line> lines;
    lines.push_back({name + "cpu", 100.0 * busy_s / window_s, "% of one core", goal, goals ? 2.0 : 0.0, what});
    lines.push_back(
        {name + "rss", memory_mib, "MiB", goal, goals ? 60.0 : 0.0,
         "the whole process at the end of the window; adding took " + whole(filling_s * 1e3) + " ms of CPU"});
    lines.push_back({name + "lag", after.lag_p99_ms, "ms", goal, goals ? 100.0 : 0.0,
                     "p99 of how late polls began, first ones included; most " + whole(after.lag_max_ms) + " ms"});
    lines.push_back({name + "polls", polls / busy_s, "polls/cpu-s", "", 0.0, what, true});
    std::fputs(bench::as_json(lines).c_str(), stdout);
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 7) {
        std::fputs("usage: gputide_bench_runtime URL LABEL TRIGGERS PERIOD_S FIRST_S WINDOW_S\n", stderr);
        return 2;
    }
    const plan by{argv[1], argv[2], std::atoi(argv[3]), std::atoi(argv[4]), std::atoi(argv[5]), std::atoi(argv[6])};
    return measure(by);
}

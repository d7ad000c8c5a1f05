// Metrics of the process: those of its runtime, and those with the names that Prometheus clients use.
#include "run/pages/pages.hpp"

#include <cstdint>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string_view>
#include <sys/resource.h>
#include <unistd.h>
#include <utility>

namespace gputided {

namespace {

double seconds_of(const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

double resident_bytes() {
    std::ifstream file("/proc/self/statm");
    std::int64_t virtual_pages = 0, resident_pages = 0;
    file >> virtual_pages >> resident_pages;
    return static_cast<double>(resident_pages) * static_cast<double>(::sysconf(_SC_PAGESIZE));
}

double open_files() {
    std::error_code failed;
    const std::filesystem::directory_iterator all("/proc/self/fd", failed);
    return failed ? 0 : static_cast<double>(std::distance(begin(all), end(all)));
}

// Returns the start time.  The 20th field after the name in parentheses is the start in clock ticks since boot.
double started_s() {
    std::ifstream stat("/proc/self/stat"), uptime("/proc/uptime");
    std::string text((std::istreambuf_iterator<char>(stat)), {});
    std::istringstream fields(text.substr(text.rfind(')') + 1));
    std::string field;
    for (int i = 0; i < 20; ++i) fields >> field;
    double up_s = 0, ticks = 0;
    uptime >> up_s;
    std::istringstream(field) >> ticks;
    return static_cast<double>(std::time(nullptr)) - up_s + ticks / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

// A number in gputide_runtime_stats.
struct runtime_row {
    const char* name;
    const char* type;
    const char* help;
    const char* pointer;
};

constexpr runtime_row runtime_rows[] = {
    {"gputided_polls_total", "counter", "Polls begun.", "/polls"},
    {"gputided_polls_in_flight", "gauge", "Polls that wait for a response.", "/polls_in_flight"},
    {"gputided_failed_allocations_total", "counter", "Failed memory allocations, which were retried.",
     "/failed_allocations"},
    {"gputided_requests_total", "counter", "Requests sent to metric sources and for tokens.", "/requests/sent"},
    {"gputided_requests_in_flight", "gauge", "Requests that wait for a response.", "/requests/in_flight"},
    {"gputided_requests_held_total", "counter", "Requests not sent because of an open circuit.", "/requests/held"},
    {"gputided_shared_queries_total", "counter", "Queries answered by an equal query of another scaler.",
     "/requests/shared"},
    {"gputided_shared_query_ratio", "gauge", "Share of shared queries among all queries.", "/requests/shared_ratio"}};

void summary(std::string& out, const std::string& name, const char* help, const json& quantiles) {
    family(out, name, "summary", help, [&](const labelled& add) {
        for (const auto& [quantile, member] : {std::pair{"0.5", "p50"}, {"0.99", "p99"}, {"1", "max"}}) {
            add(label("quantile", quantile), quantiles.value(member, 0.0) / 1000.0);
        }
    });
    add_sample(out, name + "_sum", "", quantiles.value("sum", 0.0) / 1000.0);
    add_sample(out, name + "_count", "", quantiles.value("count", 0.0));
}

void poll_metrics(std::string& out, const json& stats) {
    summary(out, "gputided_poll_lag_seconds", "Delay of polls before they began, since the start.",
            stats.at("poll_lag_ms"));
    summary(out, "gputided_poll_latency_seconds", "Duration of polls with a request, since the start.",
            stats.at("poll_latency_ms"));
    for (const runtime_row& row : runtime_rows) {
        const bool is_of_requests = std::string_view(row.pointer).starts_with("/requests/");
        if (is_of_requests && !stats.contains("requests")) continue;
        single(out, row.name, row.type, row.help, stats.value(json::json_pointer(row.pointer), 0.0));
    }
    family(out, "gputided_poll_errors_total", "counter", "Reads that failed, over all scalers.",
           [&](const labelled& add) {
               for (const auto& [reason, count] : with_zeros(stats.at("errors").get<counts_by_name>(), read_errors()))
                   add(label("reason", reason), static_cast<double>(count));
           });
}

void lateness_metrics(std::string& out, const json& lateness) {
    single(out, "gputided_rises_total", "counter", "Rises of a load above the replicas' capacity.",
           lateness.value("rises", 0.0));
    family(out, "gputided_lateness_seconds", "summary",
           "Time from the first sample above the target to a stage of the rise, since the start.",
           [&](const labelled& add) {
               for (const char* stage : rise_stages) {
                   const json& took = lateness.at(std::string(stage) + "_ms");
                   for (const auto& [quantile, member] : {std::pair{"0.5", "p50"}, {"0.95", "p95"}, {"1", "max"}})
                       add(label("stage", stage) + "," + label("quantile", quantile), number_at(took, member) / 1000.0);
               }
           });
    for (const char* stage : rise_stages) {
        const json& took = lateness.at(std::string(stage) + "_ms");
        const std::string labels = label("stage", stage);
        add_sample(out, "gputided_lateness_seconds_sum", labels, number_at(took, "sum") / 1000.0);
        add_sample(out, "gputided_lateness_seconds_count", labels, number_at(took, "count"));
    }
    family(out, "gputided_late_seconds_total", "counter",
           "Time of the ended rises above the target, by cause (docs/replay.md).", [&](const labelled& add) {
               for (const auto& [cause, ms] : lateness.at("cause_ms").items())
                   add(label("cause", cause), ms.get<double>() / 1000.0);
           });
}

}  // namespace

void runtime_metrics(std::string& out, const std::string& runtime) {
    const json stats = json::parse(runtime);
    poll_metrics(out, stats);
    lateness_metrics(out, stats.at("lateness"));
}

void process_metrics(std::string& out) {
    rusage used{};
    ::getrusage(RUSAGE_SELF, &used);
    single(out, "process_cpu_seconds_total", "counter", "Processor time.",
           seconds_of(used.ru_utime) + seconds_of(used.ru_stime));
    single(out, "process_resident_memory_bytes", "gauge", "Resident memory.", resident_bytes());
    single(out, "process_open_fds", "gauge", "Open file descriptors.", open_files());
    static const double start_s = started_s();  // once, so that rounding does not move it between two scrapes
    single(out, "process_start_time_seconds", "gauge", "Time of the start.", start_s);
}

}  // namespace gputided

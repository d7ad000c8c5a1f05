// Metrics of the process: those of its runtime, and those with the names that Prometheus clients use.
#include "run/pages/pages.hpp"

#include <cstdint>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
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

constexpr document_row runtime_rows[] = {
    {"gputided_polls_total", "counter", "Polls begun.", "/polls"},
    {"gputided_polls_in_flight", "gauge", "Polls that wait for a response.", "/polls_in_flight"},
    {"gputided_failed_allocations_total", "counter", "Failed memory allocations, which were retried.",
     "/failed_allocations"}};

constexpr document_row request_rows[] = {
    {"gputided_requests_total", "counter", "Requests sent to metric sources and for tokens.", "/sent"},
    {"gputided_requests_in_flight", "gauge", "Requests that wait for a response.", "/in_flight"},
    {"gputided_requests_held_total", "counter", "Requests not sent because of an open circuit.", "/held"},
    {"gputided_shared_queries_total", "counter", "Queries answered by an equal query of another scaler.", "/shared"},
    {"gputided_shared_query_ratio", "gauge", "Share of shared queries among all queries.", "/shared_ratio"}};

constexpr document_row lateness_rows[] = {
    {"gputided_rises_total", "counter", "Rises of a load above the replicas' capacity.", "/rises"}};

// Adds a summary of durations.  high: the percentile between the median and the maximum.
void summary(std::string& out, const std::string& name, const char* help, const char* high,
             const labelled_objects& durations) {
    const std::pair<std::string, std::string> quantiles[] = {
        {"0.5", "p50"}, {std::string("0.") + high, std::string("p") + high}, {"1", "max"}};
    family(out, name, "summary", help, [&](const labelled& add) {
        for (const auto& [labels, took_ms] : durations) {
            for (const auto& [quantile, member] : quantiles)
                add(labels + (labels.empty() ? "" : ",") + label("quantile", quantile),
                    took_ms->value(member, 0.0) / 1000.0);
        }
    });
    for (const auto& [labels, took_ms] : durations) {
        add_sample(out, name + "_sum", labels, took_ms->value("sum", 0.0) / 1000.0);
        add_sample(out, name + "_count", labels, took_ms->value("count", 0.0));
    }
}

}  // namespace

void runtime_metrics(std::string& out, const std::string& runtime) {
    const json stats = json::parse(runtime);
    summary(out, "gputided_poll_lag_seconds", "Delay of polls before they began, since the start.", "99",
            {{"", &stats.at("poll_lag_ms")}});
    summary(out, "gputided_poll_latency_seconds", "Duration of polls with a request, since the start.", "99",
            {{"", &stats.at("poll_latency_ms")}});
    add_rows(out, runtime_rows, stats);
    if (stats.contains("requests")) add_rows(out, request_rows, stats.at("requests"));
    counter_of(out, "gputided_poll_errors_total", "Reads that failed, over all scalers.", "reason",
               with_zeros(stats.at("errors").get<counts_by_name>(), read_errors()));
    const json& lateness = stats.at("lateness");
    add_rows(out, lateness_rows, lateness);
    labelled_objects stages;
    for (const char* stage : rise_stages)
        stages.emplace_back(label("stage", stage), &lateness.at(std::string(stage) + "_ms"));
    summary(out, "gputided_lateness_seconds",
            "Time from the first sample above the target to a stage of the rise, since the start.", "95", stages);
    json causes_s = lateness.at("cause_ms");
    for (json& time : causes_s) time = time.get<double>() / 1000.0;
    counter_of(out, "gputided_late_seconds_total",
               "Time of the ended rises above the target, by cause (docs/replay.md).", "cause", causes_s);
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

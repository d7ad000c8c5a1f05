// The metrics of the process, with the names that Prometheus clients use.
#include "run/pages/pages.hpp"

#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <sys/resource.h>
#include <unistd.h>

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

}  // namespace

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

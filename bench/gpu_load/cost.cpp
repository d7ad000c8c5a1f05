// Measures what a poll with GPM costs against the bare calls, and whether 1,000 polls leave anything behind.  Prints JSON.
#include "source/gpu/driver.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

namespace {

namespace nvml = gputide::source::nvml;

double since_us(std::chrono::steady_clock::time_point begin) {
    return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count();
}

double median(std::vector<double> from) {
    std::nth_element(from.begin(), from.begin() + static_cast<std::ptrdiff_t>(from.size() / 2), from.end());
    return from[from.size() / 2];
}

long resident_kib() {
    std::ifstream file("/proc/self/statm");
    long pages = 0;
    file >> pages >> pages;
    return pages * 4;
}

// One GPU, one metric: a new sample, and the value since the one before.
class bare_calls {
  public:
    explicit bare_calls(const nvml::calls& calls) : calls_(calls) {
        if (calls_.init() != 0 || calls_.by_index(0, &gpu_) != 0 || calls_.gpm_new(&first_) != 0 ||
            calls_.gpm_new(&second_) != 0 || calls_.gpm_take(gpu_, first_) != 0)
            std::exit(1);
    }

    double read() {
        calls_.gpm_take(gpu_, second_);
        request_.count = 1;
        request_.first = first_;
        request_.second = second_;
        request_.metrics[0].id = 1;
        calls_.gpm_compute(&request_);
        std::swap(first_, second_);
        return request_.metrics[0].value;
    }

  private:
    const nvml::calls calls_;
    nvml::device gpu_ = nullptr;
    nvml::gpm_sample_handle first_ = nullptr, second_ = nullptr;
    nvml::gpm_request request_;
};

}  // namespace

int main() {
    auto loaded = nvml::load_library();
    if (!loaded || !loaded->calls.has_gpm()) {
        std::puts("{}");
        return 0;
    }
    bare_calls bare(loaded->calls);
    nvml::driver driver(&nvml::load_library);
    const nvml::reading_plan plan{nvml::quantity_named("gpu_utilization"),
                                  {*nvml::parse_wanted("0")},
                                  0,
                                  {},
                                  std::make_shared<nvml::past_readings>()};
    std::vector<double> bare_us, ours_us;
    constexpr auto pause = std::chrono::milliseconds(250);
    for (int round = 0; round < 100; ++round) {
        std::this_thread::sleep_for(pause);
        auto begin = std::chrono::steady_clock::now();
        bare.read();
        bare_us.push_back(since_us(begin));
        std::this_thread::sleep_for(pause);
        begin = std::chrono::steady_clock::now();
        if (!driver.read(plan)) return 1;
        ours_us.push_back(since_us(begin));
    }
    const long before_kib = resident_kib();
    for (int round = 0; round < 1'000; ++round) {
        std::this_thread::sleep_for(std::chrono::milliseconds(101));
        if (!driver.read(plan)) return 1;
    }
    std::printf("{\"bare_us\": %.1f, \"poll_us\": %.1f, \"ratio\": %.2f, \"grown_kib_in_1000_polls\": %ld}\n",
                median(bare_us), median(ours_us), median(ours_us) / median(bare_us), resident_kib() - before_kib);
    return 0;
}

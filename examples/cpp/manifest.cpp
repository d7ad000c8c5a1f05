// A manifest to a decision in C++17, with the whole reason.
//   manifest_cpp so.yaml 3        3 is the current replica count
#include "gputide/gputide.hpp"

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>

int main(int argc, char** argv) try {
    if (argc != 3) return std::cerr << "usage: manifest_cpp FILE REPLICAS\n", 2;
    std::ifstream file(argv[1], std::ios::binary);
    const std::string manifest{std::istreambuf_iterator<char>(file), {}};
    const auto since_epoch = std::chrono::system_clock::now().time_since_epoch();
    const std::int64_t now_ms = std::chrono::duration_cast<std::chrono::milliseconds>(since_epoch).count();

    auto scaler =
        gputide::scaler::open(manifest, gputide::options{}.allow(GPUTIDE_ALLOW_ENVIRONMENT).text_name(argv[1]));
    std::string report;
    const auto next = scaler.tick(gputide::observation{}.at(now_ms).current(std::atoi(argv[2])), 5000, &report);
    std::cout << next.current() << " -> " << next.desired() << "\n" << gputide::render(report);
    return 0;
} catch (const gputide::failure& failed) {
    std::cerr << gputide_status_name(failed.status()) << ": " << failed.what() << "\n";
    return 3;
}

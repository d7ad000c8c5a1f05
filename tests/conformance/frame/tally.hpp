// How many cases passed and failed, and for each file and kind how many of them went through the door.
#pragma once

#include "frame/check.hpp"

#include <cstddef>
#include <map>
#include <string>
#include <utility>

namespace conformance {

class tally {
  public:
    void count(const std::string& file, const std::string& kind, reach reached);
    void passed() { ++passed_; }
    void failed() { ++failed_; }
    bool all_passed() const { return failed_ == 0; }

    // "hpa-behavior.json timeline: 15 through the door, 0 inside" for each file and kind, their sum, "N passed, M failed".
    std::string summary() const;

  private:
    struct counts {
        std::size_t at_door = 0;
        std::size_t in_part = 0;  // of those at the door, the ones that were looked at inside too
        std::size_t inside = 0;
    };
    static std::string line(const std::string& name, const counts& one);

    std::map<std::pair<std::string, std::string>, counts> kinds_;
    std::size_t passed_ = 0;
    std::size_t failed_ = 0;
};

}  // namespace conformance

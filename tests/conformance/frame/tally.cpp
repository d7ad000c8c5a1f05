#include "frame/tally.hpp"

namespace conformance {

void tally::count(const std::string& file, const std::string& kind, reach reached) {
    counts& one = kinds_[{file, kind}];
    ++(reached == reach::none ? one.inside : one.at_door);
    if (reached == reach::part) ++one.in_part;
}

std::string tally::line(const std::string& name, const counts& one) {
    std::string out = name + ": " + std::to_string(one.at_door) + " through the door";
    if (one.in_part > 0) out += " (" + std::to_string(one.in_part) + " of them in part)";
    return out + ", " + std::to_string(one.inside) + " inside\n";
}

std::string tally::summary() const {
    std::string out;
    counts sum;
    for (const auto& [name, one] : kinds_) {
        out += line(name.first + (name.second.empty() ? "" : " " + name.second), one);
        sum.at_door += one.at_door;
        sum.in_part += one.in_part;
        sum.inside += one.inside;
    }
    return out + line("all", sum) + std::to_string(passed_) + " passed, " + std::to_string(failed_) + " failed\n";
}

}  // namespace conformance

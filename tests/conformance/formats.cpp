// Which formats there are, and who checks which of their cases (see runner.hpp).
#include "runner.hpp"

#include <algorithm>

namespace conformance {
namespace {

struct entry {
    std::string_view format;
    std::vector<std::string_view> kinds;
    checker check;
    std::string_view member;
};

// Filled before main() by the registrations of other files; inside a function, so that it exists when they need it.
std::vector<entry>& entries() {
    static std::vector<entry> all;
    return all;
}

struct format {
    std::string_view name;
    std::vector<std::string_view> members;
};

const std::vector<format>& formats() {
    static const std::vector<format> all{
        {"azure-metrics", {"cases"}},
        {"azure-token", {"cases", "jwt_assertions.vectors", "jwt_assertions.input_cases"}},
        {"exposition", {"cases"}},
        {"hpa-behavior", {"cases"}},
        {"hpa-multimetric", {"cases"}},
        {"hpa-replicas", {"cases"}},
        {"k8s-metrics-api", {"cases"}},
        {"k8s-quantity", {"cases"}},
        {"keda-executor", {"cases"}},
        {"keda-fallback", {"cases"}},
        {"keda-prometheus", {"cases"}},
        {"node-estimate", {"cases"}},
        {"prometheus-api", {"cases"}},
        {"vpa-recommend", {"cases"}},
    };
    return all;
}

}  // namespace

registration::registration(std::string_view format, std::initializer_list<std::string_view> kinds, checker check,
                           std::string_view member) {
    entries().push_back({format, kinds, check, member});
}

checker find_checker(std::string_view format, std::string_view member, std::string_view kind) {
    checker whole = nullptr;
    for (const entry& one : entries()) {
        if (one.format != format || one.member != member) continue;
        if (one.kinds.empty()) {
            whole = one.check;
        } else if (std::find(one.kinds.begin(), one.kinds.end(), kind) != one.kinds.end()) {
            return one.check;
        }
    }
    return whole;
}

std::vector<std::string_view> case_members(std::string_view format_name) {
    for (const format& one : formats()) {
        if (one.name == format_name) return one.members;
    }
    return {};
}

}  // namespace conformance

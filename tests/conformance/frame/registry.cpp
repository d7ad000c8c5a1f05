// Which formats there are, and who checks which of their cases (see check.hpp).
#include "frame/check.hpp"

#include <algorithm>

namespace conformance {
namespace {

struct entry {
    std::string_view format;
    std::vector<std::string_view> kinds;
    std::string_view member;
    checkers found;
};

// Filled before main() by the registrations of other files; inside a function, so that it exists when they need it.
std::vector<entry>& entries() {
    static std::vector<entry> all;
    return all;
}

bool is_at_door(const entry& one) { return one.found.at_door != nullptr; }
bool is_inside(const entry& one) { return one.found.inside != nullptr; }

struct wanted_case {
    std::string_view format;
    std::string_view member;
    std::string_view kind;
};

// The entry for that case; one that names its kind goes before one for the whole format.
const entry* best_entry(const wanted_case& wanted, bool (*fits)(const entry&)) {
    const entry* whole = nullptr;
    for (const entry& one : entries()) {
        if (one.format != wanted.format || one.member != wanted.member || !fits(one)) continue;
        if (one.kinds.empty()) {
            whole = &one;
        } else if (std::find(one.kinds.begin(), one.kinds.end(), wanted.kind) != one.kinds.end()) {
            return &one;
        }
    }
    return whole;
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
        {"forecast", {"cases"}},
        {"hpa-behavior", {"cases"}},
        {"hpa-multimetric", {"cases"}},
        {"hpa-replicas", {"cases"}},
        {"k8s-metrics-api", {"cases"}},
        {"k8s-quantity", {"cases"}},
        {"keda-cron", {"cases"}},
        {"keda-executor", {"cases"}},
        {"keda-fallback", {"cases"}},
        {"keda-prometheus", {"cases"}},
        {"keda-scaledjob", {"cases"}},
        {"node-estimate", {"cases"}},
        {"prometheus-api", {"cases"}},
        {"vpa-recommend", {"cases"}},
    };
    return all;
}

}  // namespace

registration::registration(std::string_view format, kind_list kinds, inside_checker check, std::string_view member) {
    entries().push_back({format, kinds, member, {nullptr, nullptr, check}});
}

registration::registration(std::string_view format, kind_list kinds, door_checker check, reach_of_case reached) {
    entries().push_back({format, kinds, "cases", {check, reached, nullptr}});
}

checkers find_checkers(std::string_view format, std::string_view member, std::string_view kind) {
    const wanted_case wanted{format, member, kind};
    checkers out;
    if (const entry* door = best_entry(wanted, &is_at_door)) out = door->found;
    if (const entry* inside = best_entry(wanted, &is_inside)) out.inside = inside->found.inside;
    return out;
}

std::vector<std::string_view> case_members(std::string_view format_name) {
    for (const format& one : formats()) {
        if (one.name == format_name) return one.members;
    }
    return {};
}

std::string_view reason_left_out([[maybe_unused]] std::string_view format_name) {
#ifndef GPUTIDE_CRON
    if (format_name == "keda-cron") return "built with GPUTIDE_CRON=OFF";
#endif
    return {};
}

}  // namespace conformance

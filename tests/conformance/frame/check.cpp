// Which formats there are, and the checkers of their cases (see check.hpp).

#include "frame/check.hpp"

#include "protocol/structs.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

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

bool is_at_c_api(const entry& item) { return item.found.at_c_api != nullptr; }
bool is_inside(const entry& item) { return item.found.inside != nullptr; }

struct wanted_case {
    std::string_view format;
    std::string_view member;
    std::string_view kind;
};

// The entry for that case; one that names its kind goes before one for the whole format.
const entry* best_entry(const wanted_case& wanted, bool (*fits)(const entry&)) {
    const entry* whole = nullptr;
    for (const entry& item : entries()) {
        if (item.format != wanted.format || item.member != wanted.member || !fits(item)) continue;
        if (item.kinds.empty()) {
            whole = &item;
        } else if (std::find(item.kinds.begin(), item.kinds.end(), wanted.kind) != item.kinds.end()) {
            return &item;
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

registration::registration(std::string_view format, kind_list kinds, c_api_checker check, reach_of_case reached) {
    entries().push_back({format, kinds, "cases", {check, reached, nullptr}});
}

checkers find_checkers(std::string_view format, std::string_view member, std::string_view kind) {
    const wanted_case wanted{format, member, kind};
    checkers out;
    if (const entry* c_api = best_entry(wanted, &is_at_c_api)) out = c_api->found;
    if (const entry* inside = best_entry(wanted, &is_inside)) out.inside = inside->found.inside;
    return out;
}

std::vector<std::string_view> case_members(std::string_view format_name) {
    for (const format& format : formats()) {
        if (format.name == format_name) return format.members;
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

// Helpers that checkers share: comparing JSON values place by place, outcomes of which any may be right, texts in their encodings.

namespace conformance {
namespace {

std::string shown(const json& value) {
    constexpr std::size_t most = 300;
    std::string text = value.dump(-1, ' ', false, json::error_handler_t::replace);
    if (text.size() > most) text = text.substr(0, most) + "… (" + std::to_string(text.size()) + " bytes)";
    return text;
}

bool same_number(const json& a, const json& b, const comparison& how) {
    if (a == b) return true;
    const auto x = a.get<double>();
    const auto y = b.get<double>();
    return how.tolerance > 0.0 && std::fabs(x - y) <= how.tolerance * std::max({how.least, std::fabs(x), std::fabs(y)});
}

void differ(differences& out, const std::string& field, const std::string& expected, const std::string& actual) {
    out.push_back(field + ": expected " + expected + ", got " + actual);
}

std::string member_place(const std::string& field, const std::string& name) {
    std::string place = field;
    if (!place.empty()) place += '.';
    return place += name;
}

void compare_objects(differences& out, const std::string& field, const json& expected, const json& actual,
                     const comparison& how) {
    for (const auto& [name, value] : expected.items()) {
        const std::string place = member_place(field, name);
        if (!actual.contains(name)) {
            differ(out, place, shown(value), "no such member");
        } else {
            expect_equal(out, place, value, actual.at(name), how);
        }
    }
    for (const auto& [name, value] : actual.items()) {
        if (how.subset || expected.contains(name)) continue;
        differ(out, member_place(field, name), "no such member", shown(value));
    }
}

void compare_arrays(differences& out, const std::string& field, const json& expected, const json& actual,
                    const comparison& how) {
    if (expected.size() != actual.size()) {
        differ(out, field, shown(expected), shown(actual));
        return;
    }
    for (std::size_t i = 0; i < expected.size(); ++i) {
        expect_equal(out, field + "[" + std::to_string(i) + "]", expected[i], actual[i], how);
    }
}

}  // namespace

void expect_equal(differences& out, std::string_view field, const json& expected, const json& actual,
                  const comparison& how) {
    const std::string place(field);
    if (expected.is_object() && actual.is_object()) {
        compare_objects(out, place, expected, actual, how);
    } else if (expected.is_array() && actual.is_array()) {
        compare_arrays(out, place, expected, actual, how);
    } else if (expected.is_number() && actual.is_number()) {
        if (!same_number(expected, actual, how)) differ(out, place, shown(expected), shown(actual));
    } else if (expected != actual) {
        differ(out, place, shown(expected), shown(actual));
    }
}

void expect_contains(differences& out, std::string_view field, std::string_view part, std::string_view text) {
    if (text.find(part) != std::string_view::npos) return;
    differ(out, std::string(field), "a text with " + shown(part), shown(text));
}

json expected_of(const json& test_case) {
    json out = test_case.at("expect");
    if (!out.contains("error_contains")) return out;
    auto text = out.at("error_contains").get<std::string>();
    const json secrets = test_case.value("authParams", json::object());  // items() borrows it
    for (const auto& [name, value] : secrets.items()) text = text.substr(0, text.find(value.dump()));
    out["error_contains"] = text;
    return out;
}

void expect_members(differences& out, const json& expected, const json& actual) {
    for (const auto& [name, value] : expected.items()) {
        expect_equal(out, name, value, actual.contains(name) ? actual.at(name) : json());
    }
}

differences check_outcomes(const json& test_case, const std::function<differences(const json& expect)>& compare) {
    if (test_case.contains("expect")) return compare(test_case.at("expect"));
    const json& outcomes = test_case.at("expect_any");
    differences all;
    for (std::size_t i = 0; i < outcomes.size(); ++i) {
        const differences found = compare(outcomes[i]);
        if (found.empty()) return {};
        for (const std::string& text : found) {
            all.push_back("outcome " + std::to_string(i + 1) + " of " + std::to_string(outcomes.size()) + ": " + text);
        }
    }
    if (all.empty()) throw std::invalid_argument("expect_any lists no outcome");
    return all;
}

std::string input_text(const json& test_case, const std::string& field) {
    if (test_case.contains(field)) return test_case.at(field).get<std::string>();
    if (test_case.contains(field + "_b64")) return bytes_of_base64(test_case.at(field + "_b64").get<std::string>());
    if (!test_case.contains(field + "_gen")) {
        throw std::invalid_argument("the case has none of " + field + ", " + field + "_b64, " + field + "_gen");
    }
    const json& recipe = test_case.at(field + "_gen");
    const auto unit = recipe.at("unit").get<std::string>();
    std::string text = recipe.value("prefix", "");
    for (auto left = recipe.at("count").get<std::size_t>(); left > 0; --left) text += unit;
    return text += recipe.value("suffix", "");
}

}  // namespace conformance

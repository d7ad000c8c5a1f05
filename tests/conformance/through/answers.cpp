#include "through/answers.hpp"

#include "door/json_values.hpp"
#include "through/manifests.hpp"

#include <cmath>
#include <cstdlib>
#include <stdexcept>

namespace conformance {
namespace {

constexpr std::int64_t now_ms = 1'800'000'000'000;
constexpr std::int32_t fetch_patience_ms = 20'000;

std::string header_lines(const json& headers) {
    std::string out;
    for (const auto& [name, value] : headers.items()) out += name + ": " + value.get<std::string>() + "\r\n";
    return out;
}

json outcome(door& library, const json& open_source, const json& read) {
    const json results = library.results({open_source, read});
    worked(results[0]);
    if (results[1].contains("error")) {
        const json& error = results[1].at("error");
        const json detail = json::parse(error.at("detail").get<std::string>(), nullptr, false);
        return {{"ok", false}, {"error", error}, {"detail", detail.is_object() ? detail : json::object()}};
    }
    json out = json::parse(worked(results[1]).at("json").get<std::string>());
    out["ok"] = true;
    return out;
}

}  // namespace

json parse_all(door& library, const json& open_source, const http_answer& answer) {
    return outcome(library, open_source,
                   {{"call", "source.parse_all"},
                    {"source", "source"},
                    {"http_status", answer.status},
                    {"headers", json_text(header_lines(answer.headers))},
                    {"body", json_text(answer.body)}});
}

json fetch_all(door& library, const json& open_source) {
    return outcome(
        library, open_source,
        {{"call", "source.fetch_all"}, {"source", "source"}, {"now_ms", now_ms}, {"timeout_ms", fetch_patience_ms}});
}

std::optional<std::int64_t> detail_number(const json& detail, const char* member) {
    if (!detail.contains(member)) return std::nullopt;
    return integer_in(detail.at(member));
}

json number_or_word(const std::string& text) {
    if (text == "NaN" || text == "+Inf" || text == "-Inf") return text;
    char* end = nullptr;
    const double value = std::strtod(text.c_str(), &end);
    if (text.empty() || *end != '\0') throw std::invalid_argument("not a number: " + text);
    return json_real(value);
}

json value_of(const json& point) { return point.contains("text") ? point.at("text") : point.at("value"); }

}  // namespace conformance

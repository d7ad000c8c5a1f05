#include "replay/page/choices.hpp"

#include "choices_html.hpp"
#include "common/page/page.hpp"
#include "report_css.hpp"

namespace gputided {
namespace {

using nlohmann::ordered_json;

ordered_json or_null(const std::optional<double>& number) {
    return number ? ordered_json(*number) : ordered_json(nullptr);
}

ordered_json row_json(const choice& one) {
    return {{"name", one.name},
            {"kind", one.kind},
            {"gpu_hours", or_null(one.gpu_hours)},
            {"minutes_above", or_null(one.minutes_above)},
            {"flaps", or_null(one.flaps)},
            {"most_replicas", or_null(one.most_replicas)},
            {"broke", one.broke}};
}

}  // namespace

std::string choices_page(const choices& choices) {
    ordered_json data{{"per_day", choices.per_day},
                      {"rows", ordered_json::array()},
                      {"diff", choices.diff},
                      {"patch", choices.patch},
                      {"notes", choices.notes}};
    for (const choice& one : choices.rows) data["rows"].push_back(row_json(one));
    return fenced_report(choices_html, {{"TITLE", escaped(choices.title)},
                                        {"STYLE", std::string(report_css)},
                                        {"SUBTITLE", escaped(choices.subtitle)},
                                        {"CONCLUSION", escaped(choices.conclusion)},
                                        {"CHOICES", for_script(nlohmann::json::parse(data.dump()))}});
}

std::optional<choice> recorded_choice(const nlohmann::json& report, double days) {
    const nlohmann::json& sums = report.at("summary");
    if (!sums.contains("recorded_replica_hours")) return std::nullopt;
    const double gpus = report.at("policy").at("gpus_per_replica");
    choice out{"as recorded", "recorded", {}, {}, {}, {}, ""};
    out.gpu_hours = sums.at("recorded_replica_hours").get<double>() * gpus / days;
    out.minutes_above = sums.at("recorded_minutes_above_target").get<double>() / days;
    return out;
}

}  // namespace gputided

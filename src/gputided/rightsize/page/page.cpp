#include "rightsize/page/page.hpp"

#include "common/page/page.hpp"
#include "report_css.hpp"
#include "rightsize/text.hpp"
#include "rightsize_html.hpp"

namespace gputided {

namespace {

nlohmann::json with_unknown_bounds(nlohmann::json reports) {
    for (nlohmann::json& report : reports) {
        for (const char* member : {"busy", "memory"}) {
            nlohmann::json& estimate = report.at(member);
            if (is_upper_unknown(report, estimate)) estimate["upper_unknown"] = true;
        }
    }
    return reports;
}

}  // namespace

std::string rightsize_page(const nlohmann::json& settings, const nlohmann::json& reports) {
    return fenced_report(
        rightsize_html, {{"STYLE", std::string(report_css)},
                         {"CONCLUSION", escaped(rightsize_conclusion(reports))},
                         {"REPORTS", for_script({{"settings", settings}, {"reports", with_unknown_bounds(reports)}})}});
}

}  // namespace gputided

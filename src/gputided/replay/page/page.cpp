#include "replay/page/page.hpp"

#include "common/page/page.hpp"
#include "replay/page/assets.hpp"
#include "replay/text.hpp"
#include "report_css.hpp"
#include "report_html.hpp"

namespace gputided {

std::string report_page(const nlohmann::json& report) {
    const std::string name = report.at("namespace").get<std::string>() + "/" + report.at("name").get<std::string>();
    return fenced_report(report_html, {{"TITLE", escaped(name)},
                                       {"CONCLUSION", escaped(report_conclusion(report))},
                                       {"STYLE", std::string(report_css)},
                                       {"UPLOT_CSS", assets::uplot_css},
                                       {"UPLOT_JS", assets::uplot_js},
                                       {"REPORT", for_script(report)}});
}

}  // namespace gputided

#include "rightsize/page/page.hpp"

#include "common/page/page.hpp"
#include "report_css.hpp"
#include "rightsize/text.hpp"
#include "rightsize_html.hpp"

namespace gputided {

std::string rightsize_page(const nlohmann::json& settings, const nlohmann::json& reports) {
    return fenced_report(rightsize_html, {{"STYLE", std::string(report_css)},
                                          {"CONCLUSION", escaped(rightsize_conclusion(reports))},
                                          {"REPORTS", for_script({{"settings", settings}, {"reports", reports}})}});
}

}  // namespace gputided

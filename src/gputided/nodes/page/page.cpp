#include "nodes/page/page.hpp"

#include "common/page/page.hpp"
#include "nodes/text.hpp"
#include "plan_html.hpp"
#include "report_css.hpp"

namespace gputided {

std::string plan_page(const nlohmann::json& plan) {
    return fenced_report(plan_html, {{"STYLE", std::string(report_css)},
                                     {"CONCLUSION", escaped(plan_conclusion(plan))},
                                     {"PLAN", for_script(plan)}});
}

}  // namespace gputided

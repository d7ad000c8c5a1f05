#include "replay/page/page.hpp"

#include "replay/page/assets.hpp"
#include "replay/text.hpp"

#include <map>

namespace gputided {
namespace {

using json = nlohmann::json;

std::string escaped(const std::string& text) {
    std::string out;
    for (const char letter : text) {
        switch (letter) {
            case '<':
                out += "&lt;";
                break;
            case '>':
                out += "&gt;";
                break;
            case '&':
                out += "&amp;";
                break;
            case '"':
                out += "&quot;";
                break;
            default:
                out += letter;
        }
    }
    return out;
}

// Inside <script> nothing may look like its end; in JSON a '<' stands in strings alone.
std::string for_script(const json& report) {
    std::string out;
    for (const char letter : report.dump()) {
        if (letter == '<') {
            out += "\\u003c";
        } else {
            out += letter;
        }
    }
    return out;
}

}  // namespace

// The page is walked once: what a value holds is never taken for a placeholder.
std::string report_page(const json& report) {
    const std::map<std::string, std::string> values{
        {"TITLE", escaped(report.at("namespace").get<std::string>() + "/" + report.at("name").get<std::string>())},
        {"CONCLUSION", escaped(report_conclusion(report))},
        {"UPLOT_CSS", assets::uplot_css},
        {"UPLOT_JS", assets::uplot_js},
        {"REPORT", for_script(report)}};
    const std::string page = assets::page;
    std::string out;
    for (std::size_t at = 0; at < page.size();) {
        const std::size_t mark = page.find('@', at);
        const std::size_t end = mark == std::string::npos ? mark : page.find('@', mark + 1);
        const auto value = end == std::string::npos ? values.end() : values.find(page.substr(mark + 1, end - mark - 1));
        if (value == values.end()) {
            const std::size_t next = mark == std::string::npos ? page.size() : mark + 1;
            out += page.substr(at, next - at);
            at = next;
            continue;
        }
        out += page.substr(at, mark - at) + value->second;
        at = end + 1;
    }
    return out;
}

}  // namespace gputided

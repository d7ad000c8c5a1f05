#include "check/explain.hpp"

#include "common/exit_status.hpp"
#include "common/text.hpp"
#include "findings_json.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <iostream>

namespace gputided {
namespace {

using nlohmann::ordered_json;

std::vector<finding_page> read_pages() {
    std::vector<finding_page> out;
    for (const ordered_json& row : ordered_json::parse(findings_json)) {
        finding_page page{
            row.at("code"), row.at("severity"), row.at("title"), row.at("what"), row.at("why"), row.at("do"), {}};
        for (const std::string& source : split(row.at("source"), ',')) {
            const std::size_t begin = source.find_first_not_of(' ');
            if (begin != std::string::npos) page.sources.push_back(source.substr(begin));
        }
        out.push_back(std::move(page));
    }
    return out;
}

ordered_json as_json_row(const finding_page& page) {
    ordered_json out = {{"code", page.code},      {"severity", page.severity}, {"title", page.title},
                        {"what", page.what},      {"why", page.why},           {"do", page.fix},
                        {"sources", page.sources}};
    return out;
}

// Words on lines of at most 100 columns, two to the right.
std::string paragraph(const std::string& text) {
    constexpr std::size_t width = 100;
    std::string out = " ";
    std::size_t column = 1;
    for (const std::string& word : split(text, ' ')) {
        if (column + 1 + word.size() > width) {
            out += "\n ";
            column = 1;
        }
        out += " " + word;
        column += 1 + word.size();
    }
    return out + "\n";
}

void print_page(const finding_page& page) {
    std::cout << page.code << " (" << page.severity << "): " << page.title << "\n\nWhat is written\n"
              << paragraph(page.what) << "\nWhat happens\n"
              << paragraph(page.why) << "\nWhat to do\n"
              << paragraph(page.fix);
    if (!page.sources.empty()) std::cout << "\nReported, or read at\n";
    for (const std::string& source : page.sources) std::cout << "  " << link_of(source) << "\n";
}

const finding_page& page_of(const std::string& code) {
    if (const finding_page* page = find_page(code)) return *page;
    throw usage_error("check: there is no finding " + one_line(code) + "; gputided check --explain lists them");
}

}  // namespace

const std::vector<finding_page>& finding_pages() {
    static const std::vector<finding_page> pages = read_pages();
    return pages;
}

const finding_page* find_page(std::string_view code) {
    const std::vector<finding_page>& pages = finding_pages();
    const auto found =
        std::find_if(pages.begin(), pages.end(), [code](const finding_page& page) { return page.code == code; });
    return found == pages.end() ? nullptr : &*found;
}

std::string link_of(const std::string& source) {
    const std::size_t number = source.find('#');
    const bool is_issue = number != std::string::npos && source.find(' ') == std::string::npos &&
                          source.find_first_not_of("0123456789", number + 1) == std::string::npos;
    return is_issue ? "https://github.com/" + source.substr(0, number) + "/issues/" + source.substr(number + 1)
                    : source;
}

void print_pages(const std::string& code, bool as_json) {
    if (as_json) {
        ordered_json out = ordered_json::array();
        for (const finding_page& page : finding_pages()) {
            if (code.empty() || page.code == code) out.push_back(as_json_row(page));
        }
        if (out.empty()) page_of(code);
        std::cout << out.dump() << "\n";
    } else if (!code.empty()) {
        print_page(page_of(code));
    } else {
        for (const finding_page& page : finding_pages()) {
            const std::size_t width = 27;
            std::cout << page.code << std::string(page.code.size() < width ? width - page.code.size() : 1, ' ')
                      << page.title << "\n";
        }
    }
}

}  // namespace gputided

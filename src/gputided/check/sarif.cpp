#include "check/sarif.hpp"

#include "check/explain.hpp"
#include "gputide/gputide.hpp"

#include <algorithm>
#include <cctype>
#include <string>
#include <vector>

namespace gputided {
namespace {

using nlohmann::ordered_json;

// A path as a relative URI: what is not unreserved is escaped by its bytes (RFC 3986, 2.3).  Standard input has the name "stdin".
std::string uri_of(const std::string& path) {
    constexpr char digits[] = "0123456789ABCDEF";
    if (path.empty() || path == "-") return "stdin";
    std::string out;
    for (const char letter : path) {
        const auto byte = static_cast<unsigned char>(letter);
        const bool is_plain =
            (byte < 0x80 && std::isalnum(byte) != 0) || std::string("-._~/").find(letter) != std::string::npos;
        if (is_plain) {
            out += letter;
        } else {
            out += {'%', digits[byte >> 4], digits[byte & 0xF]};
        }
    }
    return out.compare(0, 2, "./") == 0 ? out.substr(2) : out;
}

ordered_json rule_of(const std::string& code, const std::string& severity) {
    const finding_page* page = find_page(code);
    if (page == nullptr) return {{"id", code}, {"defaultConfiguration", {{"level", severity}}}};
    std::string help = page->why + "\n\n" + page->fix;
    std::string markdown = page->why + "\n\n**What to do:** " + page->fix;
    for (const std::string& source : page->sources) {
        help += "\n" + link_of(source);
        markdown += "\n- " + link_of(source);
    }
    return {{"id", code},
            {"shortDescription", {{"text", page->title}}},
            {"fullDescription", {{"text", page->what}}},
            {"help", {{"text", help}, {"markdown", markdown}}},
            {"defaultConfiguration", {{"level", page->severity}}}};
}

ordered_json location_of(const ordered_json& found) {
    ordered_json place = {{"artifactLocation", {{"uri", uri_of(found.at("file"))}}}};
    const int line = found.at("line");
    const int column = found.at("column");
    if (line > 0) place["region"] = {{"startLine", line}};
    if (line > 0 && column > 0) place["region"]["startColumn"] = column;
    ordered_json out = {{"physicalLocation", std::move(place)}};
    const std::string path = found.at("path");
    if (!path.empty()) out["logicalLocations"] = ordered_json::array({{{"fullyQualifiedName", path}}});
    return out;
}

ordered_json result_of(const ordered_json& found, std::size_t rule) {
    std::string text = found.at("message");
    const std::string remedy = found.at("remedy");
    if (!remedy.empty()) text += ": " + remedy;
    return {{"ruleId", found.at("code")},
            {"ruleIndex", rule},
            {"level", found.at("severity")},
            {"message", {{"text", text}}},
            {"locations", ordered_json::array({location_of(found)})}};
}

}  // namespace

ordered_json sarif_of(const ordered_json& report) {
    std::vector<std::string> codes;
    ordered_json rules = ordered_json::array();
    ordered_json results = ordered_json::array();
    for (const ordered_json& found : report.at("findings")) {
        const std::string code = found.at("code");
        auto at = std::find(codes.begin(), codes.end(), code);
        if (at == codes.end()) {
            rules.push_back(rule_of(code, found.at("severity")));
            at = codes.insert(codes.end(), code);
        }
        results.push_back(result_of(found, static_cast<std::size_t>(at - codes.begin())));
    }
    ordered_json driver = {{"name", "gputided"},
                           {"semanticVersion", gputide_version()},
                           {"informationUri", "https://github.com/gputide/gputide"},
                           {"rules", std::move(rules)}};
    ordered_json run = {{"tool", {{"driver", std::move(driver)}}}, {"results", std::move(results)}};
    return {{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
            {"version", "2.1.0"},
            {"runs", ordered_json::array({std::move(run)})}};
}

}  // namespace gputided

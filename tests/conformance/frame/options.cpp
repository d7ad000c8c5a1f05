#include "frame/options.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace conformance {
namespace {

using json = nlohmann::json;

bool is_known(std::string_view option) {
    constexpr std::array<std::string_view, 4> all{"--only", "--except", "--compare", "--through"};
    return std::find(all.begin(), all.end(), option) != all.end();
}

filter parse_filter(bool keep, const std::string& text) {
    const std::size_t sign = text.find('=');
    if (sign == 0 || sign == std::string::npos) {
        throw unusable("expected FIELD=VALUE[,VALUE], got \"" + text + "\"");
    }
    filter out{.keep = keep, .field = text.substr(0, sign)};
    for (std::size_t begin = sign + 1;;) {
        const std::size_t end = text.find(',', begin);
        out.values.push_back(text.substr(begin, end - begin));
        if (end == std::string::npos) return out;
        begin = end + 1;
    }
}

bool has_value(const json& one, const filter& wanted) {
    const auto found = one.find(wanted.field);
    if (found == one.end()) return false;
    const std::string value = found->is_string() ? found->get<std::string>() : found->dump();
    for (const std::string& each : wanted.values) {
        if (each == value) return true;
    }
    return false;
}

}  // namespace

options parse_options(const std::vector<std::string>& words) {
    options out;
    for (std::size_t i = 0; i < words.size(); ++i) {
        const std::string& word = words[i];
        if (word.rfind("--", 0) != 0) {
            out.files.emplace_back(word);
            continue;
        }
        if (!is_known(word)) throw unusable("unknown option " + word);
        if (++i == words.size()) throw unusable(word + " needs a value");
        if (word == "--compare") {
            out.compare = words[i];
        } else if (word == "--through") {
            out.through = words[i];
        } else {
            out.filters.push_back(parse_filter(word == "--only", words[i]));
        }
    }
    if (out.files.empty()) throw unusable("no file named");
    return out;
}

bool is_selected(const json& one, const std::vector<filter>& filters) {
    for (const filter& each : filters) {
        if (has_value(one, each) != each.keep) return false;
    }
    return true;
}

}  // namespace conformance

// Writes the generated tables of docs/ from the tables in the code, or says which of them differ.
//   gputide_docs_tables --write docs     gputide_docs_tables --check docs
// A table stands between two lines of a page, and is all that this program touches:
//   <!-- keys of TYPE -->, <!-- presets -->, <!-- metrics -->, <!-- tenants --> or <!-- settings of WHAT -->   and   <!-- end -->
#include "auth/tenant.hpp"
#include "forecast/settings.hpp"
#include "kubernetes/api/settings.hpp"
#include "manifest/own/settings.hpp"
#include "nodes/read/objects.hpp"
#include "replay/settings.hpp"
#include "rightsize/settings.hpp"
#include "source/known_metrics_table.hpp"
#include "source/presets.hpp"
#include "source/source.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace {

using gputide::text::field;
using gputide::text::origin;
using gputide::text::value_type;

constexpr std::string_view begin_mark = "<!-- keys of ";
constexpr std::string_view presets_mark = "<!-- presets -->";
constexpr std::string_view metrics_mark = "<!-- metrics -->";
constexpr std::string_view tenants_mark = "<!-- tenants -->";
constexpr std::string_view end_mark = "<!-- end -->";

std::string code(std::string_view text) { return "`" + std::string(text) + "`"; }

template <class Pieces>
std::string codes(const Pieces& pieces) {
    std::string out;
    for (const std::string_view piece : pieces) out += (out.empty() ? "" : ", ") + code(piece);
    return out;
}

std::string_view word_for(origin where) {
    switch (where) {
        case origin::metadata:
            return "metadata";
        case origin::auth:
            return "authentication";
        case origin::env:
            return "…FromEnv";
    }
    return "";
}

std::string_view word_for(value_type type) {
    switch (type) {
        case value_type::text:
            return "text";
        case value_type::secret:
            return "secret";
        case value_type::number:
            return "number";
        case value_type::flag:
            return "true or false";
        case value_type::duration:
            return "duration";
        case value_type::pairs:
            return "`k=v,k=v`";
        case value_type::list:
            return "list";
    }
    return "";
}

std::string places_of(const field& row) {
    std::string out;
    for (const origin where : row.places) out += (out.empty() ? "" : ", ") + std::string(word_for(where));
    return out;
}

std::string default_of(const field& row) {
    if (row.required) return "required";
    if (!row.fallback.empty()) return code(row.fallback);
    return std::string(row.otherwise);
}

std::string range_of(const field& row) {
    if (!row.range.empty()) return std::string(row.range);
    std::string out = codes(row.allowed);
    if (!row.exclusive.empty()) out += "; at most one of " + codes(row.exclusive);
    return out;
}

// A bar would end a cell.
std::string cell(std::string_view text) {
    std::string out;
    for (const char c : text) out += c == '|' ? "\\|" : std::string(1, c);
    return out.empty() ? "|" : " " + out + " |";
}

std::vector<std::string> table_of(std::string_view type) {
    std::vector<std::string> out = {"| key | where | type | default | range | meaning |", "|---|---|---|---|---|---|"};
    for (const field& row : gputide::source::keys_of(type)) {
        std::string line = "|" + cell(codes(row.names)) + cell(places_of(row)) + cell(word_for(row.type));
        line += cell(default_of(row)) + cell(range_of(row)) + cell(row.meaning);
        out.push_back(std::move(line));
    }
    return out;
}

std::vector<std::string> presets_table() {
    std::vector<std::string> out = {"| preset | query of `prometheus` | metric of `dcgm` | unit | a poor signal |",
                                    "|---|---|---|---|---|"};
    for (const gputide::source::preset& preset : gputide::source::presets()) {
        std::string metric = codes(preset.metrics);
        if (!preset.denominators.empty()) metric += " over " + codes(preset.denominators);
        metric += preset.rate ? ", as a rate, " : preset.metrics.empty() ? "" : ", ";
        metric += std::string(preset.reduce);
        out.push_back("|" + cell(code(preset.name)) + cell(code(gputide::source::query_of(preset, "…"))) +
                      cell(metric) + cell(preset.unit) + cell(preset.poor));
    }
    return out;
}

std::string versions_of(const gputide::source::metric_row& row) {
    std::string out = row.since.empty() ? "" : "since " + std::string(row.since);
    if (!row.gone_since.empty()) out += (out.empty() ? "" : ", ") + ("gone since " + std::string(row.gone_since));
    if (!row.successor.empty()) out += (out.empty() ? "" : "; ") + ("now " + code(row.successor));
    return out;
}

std::vector<std::string> metrics_table() {
    std::vector<std::string> out = {"| metric | server | unit | labels | meaning | versions |",
                                    "|---|---|---|---|---|---|"};
    for (const gputide::source::metric_row& row : gputide::source::metric_rows) {
        out.push_back("|" + cell(code(row.name)) + cell(row.server.name) + cell(row.unit.text) + cell(row.labels) +
                      cell(row.meaning) + cell(versions_of(row)));
    }
    return out;
}

std::vector<std::string> tenants_table() {
    std::vector<std::string> out = {"| a tenant may | where `gputided` has (setting) | KEDA | held by |",
                                    "|---|---|---|---|"};
    for (const gputide::auth::capability_row& row : gputide::auth::capabilities()) {
        const std::string name(row.name);
        const std::string given = code("--allow-tenant " + name + "=NAMESPACE") + " (" + code("tenants." + name) + ")";
        out.push_back("|" + cell(row.docs) + cell(given) + cell(row.in_keda) + cell(code(row.test)));
    }
    return out;
}

// The rows of one table of settings, with the members of an object by their path.  `mark` is put behind each name.
template <class Settings>
void add_settings(std::span<const gputide::text::setting<Settings>> rows, const std::string& prefix,
                  std::string_view mark, std::string_view only, std::vector<std::string>& out) {
    for (const auto& row : rows) {
        const std::string_view own_name = row.name;
        if (!own_name.starts_with(only)) continue;
        const std::string name = prefix + std::string(own_name);
        const std::string value = row.members.empty() ? gputide::text::expected_text(row.rule) : "an object";
        out.push_back("|" + cell(code(name) + std::string(mark)) + cell(value) + cell(row.fallback) +
                      cell(row.meaning));
        add_settings(row.members, name + ".", mark, "", out);
    }
}

template <class Settings>
void add_members(std::span<const gputide::text::setting<Settings>> rows, std::vector<std::string>& out) {
    add_settings(rows, "", "", "", out);
}

// Settings of a trigger have a star: they may also be in its metadata.
void add_annotations(std::string_view only, std::vector<std::string>& out) {
    const std::string prefix(gputide::manifest::own_prefix);
    add_settings(gputide::manifest::own_settings(), prefix, "", only, out);
    add_settings(gputide::manifest::own_trigger_settings(), prefix, "*", only, out);
}

// "<!-- settings of replay -->"
std::optional<std::vector<std::string>> settings_table(std::string_view line) {
    std::vector<std::string> out = {"| setting | value | default | meaning |", "|---|---|---|---|"};
    if (line == "<!-- settings of a manifest -->") {
        add_annotations("", out);
    } else if (line == "<!-- settings of a manifest's forecast -->") {
        add_annotations("forecast", out);
    } else if (line == "<!-- settings of a forecast -->") {
        add_members(gputide::forecast::setting_rows(), out);
    } else if (line == "<!-- settings of a replay -->") {
        add_members(gputide::replay::setting_rows(), out);
    } else if (line == "<!-- settings of right-sizing -->") {
        add_members(gputide::rightsize::setting_rows(), out);
    } else if (line == "<!-- settings of a plan of nodes -->") {
        add_members(gputide::nodes::option_rows(), out);
    } else if (line == "<!-- settings of a cluster -->") {
        add_members(gputide::kubernetes::setting_rows(), out);
    } else {
        return std::nullopt;
    }
    return out;
}

std::vector<std::string> lines_of(const std::filesystem::path& file) {
    std::ifstream from(file);
    std::vector<std::string> out;
    for (std::string line; std::getline(from, line);) out.push_back(line);
    return out;
}

// "<!-- keys of dcgm -->" → "dcgm"
std::optional<std::string> type_in(std::string_view line) {
    if (line.substr(0, begin_mark.size()) != begin_mark) return std::nullopt;
    line.remove_prefix(begin_mark.size());
    return std::string(line.substr(0, line.find(' ')));
}

// The table that a mark stands for; nothing: the line is not a mark.
std::optional<std::vector<std::string>> table_at(std::string_view line) {
    if (line == presets_mark) return presets_table();
    if (line == metrics_mark) return metrics_table();
    if (line == tenants_mark) return tenants_table();
    if (const auto type = type_in(line)) return table_of(*type);
    return settings_table(line);
}

struct page {
    std::vector<std::string> lines;
    std::string problem;  // "": the marks are in order
};

// The page with its tables made anew.
page renewed(const std::vector<std::string>& from, std::set<std::string>& types) {
    page out;
    for (auto at = from.begin(); at != from.end(); ++at) {
        out.lines.push_back(*at);
        const auto table = table_at(*at);
        if (!table) continue;
        const auto type = type_in(*at);
        if (type) types.insert(*type);
        const auto end = std::find(at, from.end(), end_mark);
        if (type && gputide::source::keys_of(*type).empty()) out.problem = "no trigger type has the name " + *type;
        if (end == from.end()) out.problem = *at + " has no end mark";
        if (!out.problem.empty()) return out;
        out.lines.insert(out.lines.end(), table->begin(), table->end());
        out.lines.emplace_back(end_mark);
        at = end;
    }
    return out;
}

void write(const std::filesystem::path& file, const std::vector<std::string>& lines) {
    std::ofstream to(file);
    for (const std::string& line : lines) to << line << '\n';
}

}  // namespace

int main(int count, char** arguments) {
    const std::vector<std::string> given(arguments + 1, arguments + count);
    if (given.size() != 2 || (given[0] != "--write" && given[0] != "--check")) {
        std::cerr << "usage: gputide_docs_tables --write|--check FOLDER\n";
        return 2;
    }
    int problems = 0;
    std::set<std::string> types;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(given[1])) {
        if (entry.path().extension() != ".md") continue;
        const std::vector<std::string> lines = lines_of(entry.path());
        const page now = renewed(lines, types);
        if (!now.problem.empty()) {
            std::cerr << entry.path().string() << ": " << now.problem << '\n';
            ++problems;
        } else if (now.lines != lines && given[0] == "--write") {
            write(entry.path(), now.lines);
        } else if (now.lines != lines) {
            std::cerr << entry.path().string() << ": its tables differ from the code's; write them anew with\n  "
                      << arguments[0] << " --write " << given[1] << '\n';
            ++problems;
        }
    }
    for (const std::string_view type : gputide::source::known_types()) {
        if (types.count(std::string(type)) != 0) continue;
        std::cerr << given[1] << ": no page has \"" << begin_mark << type << " -->\", the keys of a trigger type\n";
        ++problems;
    }
    return problems == 0 ? 0 : 1;
}

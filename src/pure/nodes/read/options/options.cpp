#include "nodes/read/options/options.hpp"

#include "base/format_text.hpp"
#include "base/text.hpp"
#include "nodes/read/options/table.hpp"

#include <algorithm>

namespace gputide::nodes {
namespace {

// Converts az's names of AKS' profile: scaleDownUnneededTime → scale-down-unneeded-time.
std::string with_dashes(std::string_view name) {
    std::string out;
    for (const char c : name) {
        if (c >= 'A' && c <= 'Z') out += '-';
        out += c;
    }
    return lower(out);
}

void set_one(const value_reader& value, std::string_view name, options& options) {
    if (name == "priorities") return read_priorities(value, options);
    if (name == "pod-prices") {
        value.only({"cpu_per_hour", "memory_gib_per_hour", "gpu_per_hour"});
        options.pod_prices =
            pod_prices{value.number("cpu_per_hour").value_or(0.0), value.number("memory_gib_per_hour").value_or(0.0),
                       value.number("gpu_per_hour").value_or(0.0)};
        return;
    }
    if (name == "prices") {
        for (const config::node& size : value.here().at->children) {
            if (const std::optional<double> price = value.number(size.key)) options.prices[size.key] = *price;
        }
        return;
    }
    if (const std::optional<std::string> text = value.own_text()) read_option(value, name, *text, options);
}

}  // namespace

void read_option(const value_reader& value, std::string_view written, std::string_view text, options& options) {
    const std::string name = with_dashes(written);
    if (is_without_meaning(name)) return;
    if (name == "node-group-auto-discovery")
        return value.warning("not-read", "node-group-auto-discovery: pools are not looked for",
                             "write the pools, or --nodes=MIN:MAX:POOL for each");
    const std::span<const option_row> table = option_table();
    const auto known =
        std::find_if(table.begin(), table.end(), [&](const option_row& row) { return row.name == name; });
    if (known == table.end()) {
        std::vector<std::string_view> names;
        for (const option_row& row : table) names.push_back(row.name);
        const std::string_view near = nearest(name, names);
        return value.warning("unknown-option", format_text("{} is not known", in_quotes(written)),
                             near.empty() ? std::string() : format_text("did you mean {}?", near));
    }
    if (known->set(text, options)) return;
    std::string remedy;
    if (name == "expander") {
        remedy = "known are";
        for (const std::string_view expander_name : expander_names()) remedy += " " + std::string(expander_name);
    }
    value.error("option", format_text("{}: expected {}, got {}", name, known->expected, in_quotes(text)),
                std::move(remedy));
}

void read_options(const value_reader& reader, options& options) {
    if (!reader.is_mapping()) return reader.error("wrong-type", "options: expected a mapping");
    for (const config::node& node : reader.here().at->children) {
        if (const auto value = reader.member(node.key)) set_one(*value, node.key, options);
    }
}

void read_priorities(const value_reader& reader, options& options) {
    if (!reader.is_mapping())
        return reader.error("wrong-type", "priorities: expected numbers, each with a list of patterns");
    std::vector<priority_rule> rules;
    bool good = true;
    for (const config::node& node : reader.here().at->children) {
        const std::optional<std::int64_t> number = parse_int64(node.key);
        if (!number) {
            reader.error("priority", format_text("expected a number, got {}", in_quotes(node.key)));
            good = false;
            continue;
        }
        priority_rule rule{*number, {}};
        for (const std::string& text : reader.words(node.key)) {
            result<pattern> compiled = pattern::compile(text, pattern::dot::not_newline);
            if (compiled) {
                rule.pools.push_back(*std::move(compiled));
            } else {
                reader.error("pattern", compiled.failure().message);
                good = false;
            }
        }
        rules.push_back(std::move(rule));
    }
    if (good) options.priorities = std::move(rules);
}

}  // namespace gputide::nodes

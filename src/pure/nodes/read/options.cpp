#include "base/format_text.hpp"
#include "base/text.hpp"
#include "nodes/expander.hpp"
#include "nodes/read/objects.hpp"
#include "text/setting.hpp"

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

// Sets one option, by its own name or by its name in AKS' profile ("scaleDownUnneededTime").
void read_option(const value_reader& value, std::string_view written, std::string_view text, options& options) {
    const std::string name = with_dashes(written);
    if (is_without_meaning(name)) return;
    if (name == "node-group-auto-discovery")
        return value.warning("not-read", "node-group-auto-discovery is ignored: pools are not discovered",
                             "write the pools, or --nodes=MIN:MAX:POOL for each");
    const std::span<const option_row> all = option_rows();
    const auto row = std::ranges::find_if(all, [&](const option_row& known) { return known.name == name; });
    if (row == all.end()) {
        std::vector<std::string_view> names;
        for (const option_row& known : all) names.push_back(known.name);
        const std::string_view near = nearest(name, names);
        return value.warning("unknown-option", format_text("{} is not known", in_quotes(written)),
                             near.empty() ? std::string() : format_text("did you mean {}?", near));
    }
    const std::optional<text::setting_value> read = text::parse_value(row->rule, text);
    if (read && row->fill(options, *read)) return;
    std::string remedy;
    if (name == "expander") {
        remedy = "known are";
        for (const std::string_view expander_name : expander_names()) remedy += " " + std::string(expander_name);
    }
    value.error("option", format_text("{}: expected {}, got {}", name, text::expected_text(row->rule), in_quotes(text)),
                remedy);
}

// Parses {"50": ["h100.*"], "10": [".*"]}.  An invalid pattern or number is an error; all entries are then ignored.
void read_priorities(const value_reader& reader, options& options) {
    if (!reader.is_mapping())
        return reader.error("wrong-type", "priorities: expected numbers, each with a list of patterns");
    std::vector<priority_rule> rules;
    bool good = true;
    for (const value_reader patterns : reader.members()) {
        const std::optional<std::int64_t> number = parse_int64(patterns.name());
        if (!number) {
            reader.error("priority", format_text("expected a number, got {}", in_quotes(patterns.name())));
            good = false;
            continue;
        }
        priority_rule rule{*number, {}};
        for (const std::string& text : reader.words(patterns.name())) {
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

void read_entry(const value_reader& value, std::string_view name, options& options) {
    if (name == "priorities") return read_priorities(value, options);
    if (name == "pod-prices") {
        value.only({"cpu_per_hour", "memory_gib_per_hour", "gpu_per_hour"});
        options.pod_prices =
            pod_prices{value.number("cpu_per_hour").value_or(0.0), value.number("memory_gib_per_hour").value_or(0.0),
                       value.number("gpu_per_hour").value_or(0.0)};
        return;
    }
    if (name == "prices") {
        for (const value_reader size : value.members()) {
            if (const std::optional<double> price = size.own_number())
                options.prices[std::string(size.name())] = *price;
        }
        return;
    }
    if (const std::optional<std::string> text = value.own_text()) read_option(value, name, *text, options);
}

// Parses "1:10:pool"; nothing if it is invalid.
std::optional<node_bounds> parse_bounds(std::string_view text, const place& where) {
    const std::vector<std::string_view> parts = split(text, ':');
    if (parts.size() != 3 || parts[2].empty()) return std::nullopt;
    const std::optional<std::int64_t> min = parse_int64(parts[0]);
    const std::optional<std::int64_t> max = parse_int64(parts[1]);
    if (!min || !max || *min < 0) return std::nullopt;
    return node_bounds{std::string(parts[2]), *min, *max, where};
}

void read_bounds(const value_reader& reader, std::string_view text, std::vector<node_bounds>& into) {
    std::optional<node_bounds> read = parse_bounds(text, reader.where());
    if (!read) return reader.error("option", format_text("nodes: expected MIN:MAX:POOL, got {}", in_quotes(text)));
    if (read->min > read->max)
        return reader.error("min-above-max", format_text("nodes: min {} is above max {}", read->min, read->max),
                            "swap them or raise max");
    into.push_back(*std::move(read));
}

// Recognizes "./cluster-autoscaler", "/cluster-autoscaler".
bool is_autoscaler(std::string_view program) { return program.substr(program.rfind('/') + 1) == "cluster-autoscaler"; }

// Recognizes "-v", "--expander"; "-10" is a number.
bool is_flag(std::string_view word) { return word.starts_with('-') && !parse_int64(word); }

std::string pool_of_scale_set(std::string_view name) {
    if (!name.starts_with("aks-") || !name.ends_with("-vmss")) return std::string(name);
    name = name.substr(4, name.size() - 9);
    return std::string(name.substr(0, name.rfind('-')));
}

}  // namespace

void read_options(const value_reader& reader, options& options) {
    if (!reader.is_mapping()) return reader.error("wrong-type", "options: expected a mapping");
    for (const value_reader value : reader.members()) {
        if (!text::is_null(value.tree())) read_entry(value, value.name(), options);
    }
}

void read_flags(const std::vector<value_reader>& words, options& options, std::vector<node_bounds>& bounds) {
    for (std::size_t i = 0; i < words.size(); ++i) {
        const std::optional<std::string> word = words[i].own_text();
        if (!word || !is_flag(*word)) continue;
        const std::string_view flag =
            std::string_view(*word).substr(std::min(word->find_first_not_of('-'), word->size()));
        const std::size_t equals = flag.find('=');
        const std::string_view name = flag.substr(0, equals);
        std::string value;
        if (equals != std::string_view::npos) {
            value = flag.substr(equals + 1);
        } else {
            // The next word is its value, unless it is a flag: then this flag is a switch.
            const std::optional<std::string> next = i + 1 < words.size() ? words[i + 1].own_text() : std::nullopt;
            const bool has_value = next && !is_flag(*next);
            value = has_value ? *next : "true";
            if (has_value) ++i;
        }
        if (name == "nodes") {
            read_bounds(words[i], value, bounds);
        } else {
            read_option(words[i], name, value, options);
        }
    }
}

void join_bounds(const std::vector<node_bounds>& bounds, std::vector<pool>& pools, const std::vector<node>& nodes,
                 text::report& findings) {
    for (const node_bounds& bound : bounds) {
        const std::string id = pool_of_scale_set(bound.pool);
        auto at = std::ranges::find_if(pools, [&](const pool& each) { return each.id == id; });
        if (at == pools.end()) {
            const auto size = std::ranges::count_if(nodes, [&](const node& each) { return each.pool == id; });
            if (size == 0) {
                findings.add(text::severity::warning, "unknown-pool", bound.where,
                             format_text("nodes: neither a pool nor a node of {} is listed", in_quotes(id)),
                             "list its nodes, or write the pool");
                continue;
            }
            at = pools.emplace(pools.end());
            at->id = id;
            at->size = size;
        }
        at->min = bound.min;
        at->max = bound.max;
    }
}

std::optional<std::vector<value_reader>> autoscaler_command(const value_reader& workload) {
    for (const value_reader item : workload.member("spec", "template", "spec", "containers").items()) {
        std::vector<value_reader> words;
        for (const std::string_view list : {"command", "args"}) {
            for (const value_reader word : item.member(list).items()) words.push_back(word);
        }
        const std::optional<std::string> program = words.empty() ? std::nullopt : words.front().own_text();
        if (program && (is_autoscaler(*program) || item.text("name") == "cluster-autoscaler")) return words;
    }
    return std::nullopt;
}

bool is_priority_map(const value_reader& object) {
    return object.member("metadata").text("name") == "cluster-autoscaler-priority-expander";
}

void read_priority_map(const value_reader& object, options& options) {
    const value_reader text = object.member("data", "priorities");
    if (!text) return object.error("missing", "data.priorities: expected numbers, each with a list of patterns");
    const std::optional<std::string> written = text.own_text();
    if (!written) return;
    text::report own;
    const std::vector<text::document> documents = text::read_documents("", *written, own);
    if (documents.empty()) return text.error("priority", "expected YAML: numbers, each with a list of patterns");
    own.findings.clear();
    const item_source inner{{&documents.front().root, &documents.front().file, ""}, dialect::own, own};
    read_priorities(value_reader(inner), options);
    // Lines of the inner text would be wrong: its findings get the position of the outer one.
    for (const text::finding& finding : own.findings) text.error(finding.code, finding.message, finding.remedy);
}

}  // namespace gputide::nodes

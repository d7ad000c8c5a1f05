#include "nodes/affinity.hpp"

#include <algorithm>

namespace gputide::nodes {
namespace {

void append_term(std::string& out, const pod_term& term) {
    append_part(out, term.key);
    out += term.selects_nothing ? 'n' : 's';
    for (const std::string& name : term.namespaces) append_part(out, name);
    for (const requirement& each : term.selector) {
        append_part(out, each.key);
        append_part(out, each.op);
        for (const std::string& value : each.values) append_part(out, value);
    }
}

// Returns a key of the pod: pods with equal keys satisfy the rules on the same nodes.
std::string key_of_kind(const pod& pod) {
    std::string out;
    append_part(out, pod.name_space);
    out += pod.deleted_ms ? 'd' : 'l';
    for (const auto& [key, value] : pod.labels) {
        append_part(out, key);
        append_part(out, value);
    }
    const placement& asks = pod.placement;
    for (const std::vector<pod_term>* terms : {&asks.pod_affinity, &asks.pod_anti_affinity}) {
        out += '|';
        for (const pod_term& term : *terms) append_term(out, term);
    }
    for (const spread_rule& rule : asks.spreads) {
        append_term(out, rule.pods);
        out += std::to_string(rule.max_skew) + ' ' + std::to_string(rule.min_domains);
        out += rule.honor_node_affinity ? 'a' : '-';
        out += rule.honor_taints ? 't' : '-';
    }
    if (!asks.spreads.empty()) append_part(out, node_rules_of(asks));  // a spread counts pods on allowed nodes
    return out;
}

std::string label_text(std::string_view key, std::string_view value) {
    std::string out;
    append_part(out, key);
    append_part(out, value);
    return out;
}

// Returns a label that every selected pod must have; "": no term requires exactly one value of a label.
std::string required_label(const std::vector<const pod_term*>& terms) {
    for (const pod_term* const term : terms) {
        for (const requirement& each : term->selector) {
            if (each.op == "In" && each.values.size() == 1) return label_text(each.key, each.values.front());
        }
    }
    return {};
}

}  // namespace

bool term_selects(const pod_term& term, const pod& pod) {
    if (term.selects_nothing) return false;
    const bool in_namespace =
        term.namespaces.empty() || std::ranges::find(term.namespaces, pod.name_space) != term.namespaces.end();
    return in_namespace && labels_match(term.selector, pod.labels);
}

bool pod_topology::has_rules(const pod& pod) {
    const placement& asks = pod.placement;
    return !asks.pod_affinity.empty() || !asks.pod_anti_affinity.empty() || !asks.spreads.empty();
}

std::int64_t pod_topology::domain_counts::at(std::int32_t domain) const {
    const auto found = pods.find(domain);
    return found != pods.end() ? found->second : 0;
}

std::uint32_t pod_topology::key_of(const std::string& name) {
    const auto at = std::ranges::find(keys_, name);
    if (at == keys_.end()) {
        keys_.push_back(name);
        return static_cast<std::uint32_t>(keys_.size() - 1);
    }
    return static_cast<std::uint32_t>(at - keys_.begin());
}

// Adds the counter to a kind of pod that all its terms select: to `refused` if it counts owners of a term, else to `matched`.
void pod_topology::join(pod_kind& kind, std::uint32_t number) const {
    const domain_counts& counter = counters_[number];
    const bool selects =
        std::ranges::all_of(counter.terms, [&](const pod_term* term) { return term_selects(*term, *kind.of); });
    if (!selects) return;
    // As upstream, a spread counts no deleted pods, and with an empty selector no pods at all.
    if (counter.spread != nullptr && (kind.of->deleted_ms || counter.rule->pods.selector.empty())) return;
    (counter.owners ? kind.refused : kind.matched).push_back(number);
}

std::uint32_t pod_topology::add_counter(domain_counts made) {
    const auto number = static_cast<std::uint32_t>(counters_.size());
    const std::string label = required_label(made.terms);
    if (made.spread != nullptr) {
        made.spread_position = static_cast<std::uint32_t>(spreads_.size());
        spreads_.push_back(number);
    }
    counters_.push_back(std::move(made));
    counters_by_label_[label].push_back(number);
    for (const std::uint32_t kind : kinds_by_label_[label]) join(kinds_[kind], number);
    return number;
}

// Adds the existing counters to a new kind of pod.
void pod_topology::join_counters(std::uint32_t kind) {
    const auto join_those_of = [&](const std::string& label) {
        kinds_by_label_[label].push_back(kind);
        const auto found = counters_by_label_.find(label);
        if (found == counters_by_label_.end()) return;
        for (const std::uint32_t number : found->second) join(kinds_[kind], number);
    };
    join_those_of({});
    for (const auto& [key, value] : kinds_[kind].of->labels) join_those_of(label_text(key, value));
}

std::uint32_t pod_topology::add_kind(const pod& pod) {
    const auto [at, is_new] = kind_numbers_.try_emplace(key_of_kind(pod), static_cast<std::uint32_t>(kinds_.size()));
    if (!is_new) return at->second;
    const std::uint32_t number = at->second;
    kinds_.emplace_back().of = &pod;
    join_counters(number);
    const placement& asks = pod.placement;
    const auto count = [&](std::vector<std::uint32_t> pod_kind::*in, std::vector<const pod_term*> terms,
                           const std::string& key, bool owners = false, const spread_rule* rule = nullptr) {
        domain_counts made;
        made.terms = std::move(terms);
        made.key = key_of(key);
        made.owners = owners;
        made.spread = rule != nullptr ? &asks : nullptr;
        made.rule = rule;
        const std::uint32_t added = add_counter(std::move(made));
        (kinds_[number].*in).push_back(added);
    };
    for (const pod_term& term : asks.pod_anti_affinity) {
        count(&pod_kind::anti, {&term}, term.key);
        count(&pod_kind::owned, {&term}, term.key, true);
    }
    std::vector<const pod_term*> all;
    for (const pod_term& term : asks.pod_affinity) all.push_back(&term);
    for (const pod_term& term : asks.pod_affinity) count(&pod_kind::affinity, all, term.key);
    kinds_[number].matches_itself =
        std::ranges::all_of(all, [&](const pod_term* term) { return term_selects(*term, pod); });
    for (const spread_rule& rule : asks.spreads) count(&pod_kind::spreads, {&rule.pods}, rule.pods.key, false, &rule);
    return number;
}

bool pod_topology::counts_on(const domain_counts& counter, const node_entry& entry) const {
    if (counter.spread != nullptr) return entry.counts_for[counter.spread_position];
    return entry.domains[counter.key] != no_domain;
}

// Returns true if the node has the keys of all spreads of the pod, and the node rules that the spread honors allow it.
bool pod_topology::spread_counts_on(const domain_counts& counter, const node_shape& shape, const node_entry& entry,
                                    std::string_view name) const {
    for (const spread_rule& rule : counter.spread->spreads) {
        const auto key = std::ranges::find(keys_, rule.pods.key) - keys_.begin();
        if (entry.domains[static_cast<std::size_t>(key)] == no_domain) return false;
    }
    if (counter.rule->honor_node_affinity && !selector_matches(*counter.spread, shape, name)) return false;
    return !counter.rule->honor_taints || first_untolerated(counter.spread->tolerations, shape.taints) == nullptr;
}

std::uint32_t pod_topology::add_node(const node_shape& shape, std::string_view name) {
    node_entry entry;
    for (const std::string& key : keys_) {
        std::string domain;
        append_part(domain, key);
        if (key == hostname_key && name.empty()) {
            domain += "/" + std::to_string(nodes_.size());  // no label's value begins so
        } else if (const auto label = shape.labels.find(key); label != shape.labels.end()) {
            domain += label->second;
        } else {
            entry.domains.push_back(no_domain);
            continue;
        }
        const auto next = static_cast<std::int32_t>(domain_numbers_.size());
        entry.domains.push_back(domain_numbers_.try_emplace(std::move(domain), next).first->second);
    }
    for (const std::uint32_t number : spreads_) {
        domain_counts& counter = counters_[number];
        entry.counts_for.push_back(spread_counts_on(counter, shape, entry, name));
        if (!entry.counts_for.back()) continue;
        const std::int32_t domain = entry.domains[counter.key];
        if (++counter.nodes[domain] == 1) {
            counter.pods.try_emplace(domain, 0);
            ++counter.domains_with[counter.at(domain)];
        }
    }
    nodes_.push_back(std::move(entry));
    return size() - 1;
}

void pod_topology::remove_node(std::uint32_t node) {
    const node_entry& entry = nodes_[node];
    for (const std::uint32_t number : spreads_) {
        domain_counts& counter = counters_[number];
        if (!counts_on(counter, entry)) continue;
        const std::int32_t domain = entry.domains[counter.key];
        if (--counter.nodes[domain] > 0) continue;
        const auto with = counter.domains_with.find(counter.at(domain));
        if (--with->second == 0) counter.domains_with.erase(with);
        counter.nodes.erase(domain);
    }
}

void pod_topology::drop_newest_node() {
    remove_node(size() - 1);
    nodes_.pop_back();
}

bool pod_topology::restricts(std::uint32_t number) const {
    const pod_kind& kind = kinds_[number];
    return !kind.anti.empty() || !kind.affinity.empty() || !kind.spreads.empty() || !kind.refused.empty();
}

// If no pod matches yet, a pod that matches its own terms may start on any node that has the topology keys.
bool pod_topology::affinity_holds(const pod_kind& kind, const node_entry& entry) const {
    bool all_there = true;
    bool any_anywhere = false;
    for (const std::uint32_t number : kind.affinity) {
        const domain_counts& counter = counters_[number];
        const std::int32_t domain = entry.domains[counter.key];
        if (domain == no_domain) return false;
        all_there = all_there && counter.at(domain) > 0;
        any_anywhere = any_anywhere || counter.total > 0;
    }
    return all_there || (!any_anywhere && kind.matches_itself);
}

bool pod_topology::spread_holds(const pod_kind& kind, const domain_counts& counter, const node_entry& entry) const {
    const std::int32_t domain = entry.domains[counter.key];
    if (domain == no_domain) return false;
    const bool enough = static_cast<std::int64_t>(counter.nodes.size()) >= counter.rule->min_domains;
    const std::int64_t fewest = enough && !counter.domains_with.empty() ? counter.domains_with.begin()->first : 0;
    const std::int64_t own = term_selects(counter.rule->pods, *kind.of) ? 1 : 0;
    return counter.at(domain) + own - fewest <= counter.rule->max_skew;
}

std::optional<misfit> pod_topology::against(std::uint32_t number, std::uint32_t node) const {
    const pod_kind& kind = kinds_[number];
    const node_entry& entry = nodes_[node];
    const auto is_taken = [&](std::uint32_t each) {
        const domain_counts& counter = counters_[each];
        const std::int32_t domain = entry.domains[counter.key];
        return domain != no_domain && counter.at(domain) > 0;
    };
    if (std::ranges::any_of(kind.anti, is_taken) || std::ranges::any_of(kind.refused, is_taken))
        return misfit::pod_anti_affinity;
    if (!kind.affinity.empty() && !affinity_holds(kind, entry)) return misfit::pod_affinity;
    const bool even = std::ranges::all_of(
        kind.spreads, [&](std::uint32_t each) { return spread_holds(kind, counters_[each], entry); });
    return even ? std::nullopt : std::optional(misfit::topology_spread);
}

void pod_topology::change(domain_counts& counter, std::int32_t domain, std::int64_t count) {
    std::int64_t& pods = counter.pods[domain];
    if (counter.spread != nullptr) {
        const auto with = counter.domains_with.find(pods);
        if (with != counter.domains_with.end() && --with->second == 0) counter.domains_with.erase(with);
        ++counter.domains_with[pods + count];
    }
    pods += count;
    counter.total += count;
}

void pod_topology::place(std::uint32_t number, std::uint32_t node, std::int64_t count) {
    const node_entry& entry = nodes_[node];
    for (const std::vector<std::uint32_t>* counters : {&kinds_[number].matched, &kinds_[number].owned}) {
        for (const std::uint32_t each : *counters) {
            if (counts_on(counters_[each], entry)) change(counters_[each], entry.domains[counters_[each].key], count);
        }
    }
}

}  // namespace gputide::nodes

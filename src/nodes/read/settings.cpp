#include "nodes/read/settings.hpp"

#include "base/format_text.hpp"
#include "base/text.hpp"
#include "base/time.hpp"

#include <algorithm>
#include <array>
#include <span>

namespace gputide::nodes {
namespace {

// Whether the text could be read.
using setter = bool (*)(std::string_view text, options& into);

struct row {
    std::string_view name;
    setter set;
    std::string_view expected;
    std::string_view meaning;  // for who reads this table
};

constexpr std::string_view a_flag = "true or false";
constexpr std::string_view a_count = "a whole number";
constexpr std::string_view a_part = "a number from 0 to 1";
constexpr std::string_view a_duration = "a duration such as 10m";

bool set_flag(std::string_view text, bool& into) {
    const std::optional<bool> value = parse_go_bool(text);
    if (value) into = *value;
    return value.has_value();
}
bool set_count(std::string_view text, std::int64_t& into) {
    const std::optional<std::int64_t> value = parse_int64(text);
    if (value) into = *value;
    return value.has_value();
}
bool set_part(std::string_view text, double& into, double most = 1.0) {
    const std::optional<double> value = parse_json_number(text);
    if (!value || *value < 0.0 || *value > most) return false;
    into = *value;
    return true;
}
bool set_duration(std::string_view text, std::int64_t& into) {
    const std::optional<std::int64_t> value = parse_go_duration_ms(text);
    if (!value || *value < 0) return false;
    into = *value;
    return true;
}
template <std::int64_t options::*Member>
bool duration(std::string_view text, options& options) {
    return set_duration(text, options.*Member);
}
template <std::int64_t options::*Member>
bool count(std::string_view text, options& options) {
    return set_count(text, options.*Member);
}
template <bool options::*Member>
bool flag(std::string_view text, options& options) {
    return set_flag(text, options.*Member);
}

bool set_expanders(std::string_view text, options& options) {
    std::vector<expander> chain;
    for (const std::string_view name : split(text, ',')) {
        const std::optional<expander> one = parse_expander(trim(name));
        if (!one) return false;
        chain.push_back(*one);
    }
    options.expanders = std::move(chain);
    return true;
}

bool set_order(std::string_view text, options& options) {
    if (text != "ca" && text != "gpu") return false;
    options.order = text == "ca" ? packing_order::ca : packing_order::gpu;
    return true;
}

// "0:320": at least and at most; memory in GiB, cores whole.
bool set_bounds(std::string_view text, std::string_view resource_name, std::int64_t unit, options& options) {
    const std::vector<std::string_view> parts = split(text, ':');
    if (parts.size() != 2) return false;
    const std::optional<std::int64_t> min = parse_int64(parts[0]);
    const std::optional<std::int64_t> max = parse_int64(parts[1]);
    if (!min || !max || *min < 0 || *max < *min) return false;
    options.bounds.push_back(
        {std::string(resource_name), multiply_saturated(*min, unit), multiply_saturated(*max, unit)});
    return true;
}

// "nvidia.com/gpu:0:16".  A model instead of a resource ("nvidia-tesla-k80:0:16", as on GKE) counts NVIDIA's GPUs.
bool set_gpu_bounds(std::string_view text, options& options) {
    const std::size_t behind = text.find(':');
    if (behind == std::string_view::npos) return false;
    const std::string_view name = text.substr(0, behind);
    return set_bounds(text.substr(behind + 1), is_gpu(name) ? name : nvidia_gpu_name, 1, options);
}

constexpr std::array rows{
    row{"expander", set_expanders, "names of expanders, separated by commas", "which pool grows: a chain of filters"},
    row{"order", set_order, "ca or gpu", "how pods are packed: gpu puts the largest part of a node's GPUs first"},
    row{"strict", flag<&options::strict>, a_flag,
        "as cluster-autoscaler in all: MIG slices make no node ready, order ca"},
    row{"max-passes", count<&options::max_passes>, a_count,
        "options that one plan may choose; 1: as cluster-autoscaler"},
    row{"all-or-nothing", flag<&options::all_or_nothing>, a_flag, "grow only where every pod is helped"},
    row{"wait-for-new-pods", flag<&options::wait_for_new_pods>, a_flag,
        "hold back for pods younger than 2 s, or 30 s with a GPU"},
    row{"busy-gpu-percent",
        [](std::string_view text, options& options) {
            double value = 0.0;
            if (!set_part(text, value, 100.0)) return false;
            options.eligibility.busy_gpu_percent = value;
            return true;
        },
        "a number from 0 to 100", "a node whose GPUs were measured above this stays"},
    row{"balance-similar-node-groups", flag<&options::balance_similar>, a_flag, "share new nodes among similar pools"},
    row{"balancing-ignore-label",
        [](std::string_view text, options& options) {
            options.similarity.ignored_labels.emplace_back(text);
            return true;
        },
        "a label", "does not count when pools are compared"},
    row{"max-nodes-total", count<&options::max_nodes_total>, a_count, "of the whole cluster; 0: no limit"},
    row{"max-nodes-per-scaleup", count<&options::max_nodes_per_scale_up>, a_count, "of one option"},
    row{"cores-total",
        [](std::string_view text, options& options) { return set_bounds(text, cpu_name, 1000, options); }, "MIN:MAX",
        "cores of the whole cluster"},
    row{"memory-total",
        [](std::string_view text, options& options) { return set_bounds(text, memory_name, 1LL << 30, options); },
        "MIN:MAX", "GiB of the whole cluster"},
    row{"gpu-total", set_gpu_bounds, "RESOURCE:MIN:MAX", "GPUs of the whole cluster"},
    row{"expendable-pods-priority-cutoff",
        [](std::string_view text, options& options) {
            std::int64_t value = 0;
            if (!set_count(text, value) || value < INT32_MIN || value > INT32_MAX) return false;
            options.priority_cutoff = static_cast<std::int32_t>(value);
            return true;
        },
        a_count, "pods below this priority ask for no node"},
    row{"new-pod-scale-up-delay", duration<&options::new_pod_delay_ms>, a_duration,
        "a younger pod asks for no node yet"},
    row{"ok-total-unready-count",
        [](std::string_view text, options& options) { return set_count(text, options.health.ok_unready); }, a_count,
        "so many unready nodes are never too many"},
    row{"max-total-unready-percentage",
        [](std::string_view text, options& options) {
            return set_part(text, options.health.max_unready_percent, 100.0);
        },
        "a number from 0 to 100", "with more unready nodes nothing is done"},
    row{"initial-node-group-backoff-duration",
        [](std::string_view text, options& options) { return set_duration(text, options.backoff.initial_ms); },
        a_duration, "how long a pool that failed is left alone at first"},
    row{"max-node-group-backoff-duration",
        [](std::string_view text, options& options) { return set_duration(text, options.backoff.max_ms); }, a_duration,
        "and at most, doubled from failure to failure"},
    row{"node-group-backoff-reset-timeout",
        [](std::string_view text, options& options) { return set_duration(text, options.backoff.reset_ms); },
        a_duration, "after this a failure is forgotten"},
    row{"max-node-startup-time", duration<&options::startup_ms>, a_duration,
        "until then a node that is not ready is starting"},
    row{"max-node-provision-time", duration<&options::provision_ms>, a_duration,
        "until then its nodes have to be there"},
    row{"memory-difference-ratio",
        [](std::string_view text, options& options) {
            return set_part(text, options.similarity.memory_difference_ratio);
        },
        a_part, "of similar pools"},
    row{"max-allocatable-difference-ratio",
        [](std::string_view text, options& options) {
            return set_part(text, options.similarity.allocatable_difference_ratio);
        },
        a_part, "of similar pools"},
    row{"max-free-difference-ratio",
        [](std::string_view text, options& options) {
            return set_part(text, options.similarity.free_difference_ratio);
        },
        a_part, "of similar pools"},
    row{"scale-down-enabled", flag<&options::scale_down>, a_flag, "whether nodes may go at all"},
    row{"scale-down-unneeded-time",
        [](std::string_view text, options& options) { return set_duration(text, options.timing.unneeded_ms); },
        a_duration, "how long a node has to be unneeded"},
    row{"scale-down-unready-time",
        [](std::string_view text, options& options) { return set_duration(text, options.timing.unready_ms); },
        a_duration, "the same for one that is not ready"},
    row{"scale-down-unready-enabled",
        [](std::string_view text, options& options) { return set_flag(text, options.eligibility.unready_enabled); },
        a_flag, "whether unready nodes may go"},
    row{"scale-down-utilization-threshold",
        [](std::string_view text, options& options) { return set_part(text, options.eligibility.threshold); }, a_part,
        "above it a node without GPUs stays"},
    row{"scale-down-gpu-utilization-threshold",
        [](std::string_view text, options& options) { return set_part(text, options.eligibility.gpu_threshold); },
        a_part, "above it a node with GPUs stays"},
    row{"ignore-daemonsets-utilization",
        [](std::string_view text, options& options) {
            return set_flag(text, options.eligibility.counted.ignore_daemon_sets);
        },
        a_flag, "DaemonSets' pods do not count as use"},
    row{"ignore-mirror-pods-utilization",
        [](std::string_view text, options& options) {
            return set_flag(text, options.eligibility.counted.ignore_mirror_pods);
        },
        a_flag, "mirror pods do not count as use"},
    row{"scale-down-delay-after-add",
        [](std::string_view text, options& options) { return set_duration(text, options.pauses.after_add_ms); },
        a_duration, "nothing goes so long after nodes came"},
    row{"scale-down-delay-after-failure",
        [](std::string_view text, options& options) { return set_duration(text, options.pauses.after_failure_ms); },
        a_duration, "nor after a removal failed"},
    row{"scale-down-delay-after-delete",
        [](std::string_view text, options& options) { return set_duration(text, options.pauses.after_delete_ms); },
        a_duration, "nor after a node went"},
    row{"max-scale-down-parallelism",
        [](std::string_view text, options& options) { return set_count(text, options.parallelism.total); }, a_count,
        "nodes that go at once"},
    row{"max-empty-bulk-delete",
        [](std::string_view text, options& options) { return set_count(text, options.parallelism.total); }, a_count,
        "AKS' word for the same"},
    row{"max-drain-parallelism",
        [](std::string_view text, options& options) { return set_count(text, options.parallelism.drain); }, a_count,
        "of those, nodes with pods to move"},
    row{"skip-nodes-with-local-storage",
        [](std::string_view text, options& options) { return set_flag(text, options.drain.skip_local_storage); },
        a_flag, "a pod with local storage keeps its node"},
    row{"skip-nodes-with-system-pods",
        [](std::string_view text, options& options) { return set_flag(text, options.drain.skip_system_pods); }, a_flag,
        "a kube-system pod without a budget keeps its node"},
    row{"skip-nodes-with-custom-controller-pods",
        [](std::string_view text, options& options) {
            return set_flag(text, options.drain.skip_custom_controller_pods);
        },
        a_flag, "a pod of another controller keeps its node"},
    row{"min-replica-count",
        [](std::string_view text, options& options) { return set_count(text, options.drain.min_replica_count); },
        a_count, "a pod of a smaller controller keeps its node"},
    row{"unremovable-node-recheck-timeout", duration<&options::recheck_ms>, a_duration,
        "a node that could not go is not looked at again before"},
    row{"scale-down-non-empty-candidates-count", count<&options::max_drain_candidates>, a_count,
        "nodes with pods to move that one plan looks at"},
};

// Known to cluster-autoscaler or AKS, and without meaning for a plan: kubernetes/autoscaler config/flags/flags.go.
constexpr std::array<std::string_view, 40> without_meaning{"address",
                                                           "aws-use-static-instance-list",
                                                           "blocking-system-pod-distruption-timeout",
                                                           "bulk-mig-instances-listing-enabled",
                                                           "cloud-config",
                                                           "cloud-provider",
                                                           "cluster-name",
                                                           "cordon-node-before-terminating",
                                                           "daemonset-eviction-for-empty-nodes",
                                                           "daemonset-eviction-for-occupied-nodes",
                                                           "debugging-snapshot-enabled",
                                                           "emit-per-nodegroup-metrics",
                                                           "enable-provisioning-requests",
                                                           "fastpath-binpacking-enabled",
                                                           "force-ds",
                                                           "kube-api-content-type",
                                                           "kube-client-burst",
                                                           "kube-client-qps",
                                                           "kubeconfig",
                                                           "leader-elect",
                                                           "log-file",
                                                           "logtostderr",
                                                           "max-bulk-soft-taint-count",
                                                           "max-bulk-soft-taint-time",
                                                           "max-failing-time",
                                                           "max-graceful-termination-sec",
                                                           "max-inactivity",
                                                           "max-nodegroup-binpacking-duration",
                                                           "max-pod-eviction-time",
                                                           "namespace",
                                                           "node-delete-delay-after-taint",
                                                           "node-deletion-batcher-interval",
                                                           "parallel-scale-up",
                                                           "profiling",
                                                           "salvo-scale-up",
                                                           "scan-interval",
                                                           "status-config-map-name",
                                                           "stderrthreshold",
                                                           "v",
                                                           "write-status-configmap"};

// --leader-elect-lease-duration and the like.
bool is_without_meaning(std::string_view name) {
    return name.starts_with("leader-elect-") ||
           std::find(without_meaning.begin(), without_meaning.end(), name) != without_meaning.end();
}

// az prints AKS' profile so: scaleDownUnneededTime → scale-down-unneeded-time.
std::string with_dashes(std::string_view name) {
    std::string out;
    for (const char c : name) {
        if (c >= 'A' && c <= 'Z') out += '-';
        out += c;
    }
    return lower(out);
}

const row* find_row(std::string_view name) {
    const auto at = std::find_if(rows.begin(), rows.end(), [&](const row& one) { return one.name == name; });
    return at != rows.end() ? &*at : nullptr;
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
    const row* const known = find_row(name);
    if (known == nullptr) {
        std::vector<std::string_view> names;
        for (const row& one : rows) names.push_back(one.name);
        const std::string_view near = nearest(name, names);
        return value.warning("unknown-option", format_text("{} is not known", in_quotes(written)),
                             near.empty() ? std::string() : format_text("did you mean {}?", near));
    }
    if (known->set(text, options)) return;
    std::string remedy;
    if (name == "expander") {
        remedy = "known are";
        for (const std::string_view one : expander_names()) remedy += " " + std::string(one);
    }
    value.error("option", format_text("{}: expected {}, got {}", name, known->expected, in_quotes(text)),
                std::move(remedy));
}

void read_options(const value_reader& reader, options& options) {
    if (!reader.is_mapping()) return reader.error("wrong-type", "options: expected a mapping");
    for (const config::node& one : reader.here().at->children) {
        if (const auto value = reader.member(one.key)) set_one(*value, one.key, options);
    }
}

void read_priorities(const value_reader& reader, options& options) {
    if (!reader.is_mapping())
        return reader.error("wrong-type", "priorities: expected numbers, each with a list of patterns");
    std::vector<priority_rule> rules;
    bool good = true;
    for (const config::node& one : reader.here().at->children) {
        const std::optional<std::int64_t> number = parse_int64(one.key);
        if (!number) {
            reader.error("priority", format_text("expected a number, got {}", in_quotes(one.key)));
            good = false;
            continue;
        }
        priority_rule rule{*number, {}};
        for (const std::string& text : reader.words(one.key)) {
            result<pattern> compiled = pattern::compile(text);
            if (compiled) {
                rule.pools.push_back(*std::move(compiled));
            } else {
                reader.error("pattern", format_text("{}: {}", in_quotes(text), compiled.failure().message));
                good = false;
            }
        }
        rules.push_back(std::move(rule));
    }
    if (good) options.priorities = std::move(rules);
}

}  // namespace gputide::nodes

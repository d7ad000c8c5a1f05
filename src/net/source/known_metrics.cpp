#include "source/known_metrics.hpp"

#include "base/text.hpp"
#include "source/known_metrics_table.hpp"

#include <algorithm>
#include <array>
#include <string>

namespace gputide::source {

namespace {

// The columns that the library contains.
constexpr auto known_rows = [] {
    std::array<known_metric, metric_rows.size()> out;
    for (std::size_t i = 0; i < out.size(); ++i) {
        const metric_row& row = metric_rows[i];
        // The rows are string literals, which end with 0.
        const auto text = [](std::string_view of) { return of.empty() ? text::literal() : text::literal(of.data()); };
        out[i] = {text(row.name),   row.unit.max,          row.unit.is_level,    row.server.is_own_pods,
                  row.is_whole_gpu, text(row.server.name), text(row.gone_since), text(row.successor)};
    }
    return out;
}();

constexpr char folded(char c) { return c == ':' ? '_' : c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// Returns "DCGM_FI_DEV_GPU_UTIL" for "prometheus.googleapis.com|DCGM_FI_DEV_GPU_UTIL|gauge".
std::string_view bare_name(std::string_view name) {
    const std::size_t bar = name.find('|');
    if (bar == std::string_view::npos) return name;
    name.remove_prefix(bar + 1);
    return name.substr(0, name.find('|'));
}

// Compares without letter case, and with ':' equal to '_'.
bool is_alike(std::string_view a, std::string_view b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) { return folded(x) == folded(y); });
}

bool fits(std::string_view pattern, std::string_view name) {
    if (pattern.back() != '*') return is_alike(pattern, name);
    pattern.remove_suffix(1);
    return is_alike(pattern, name.substr(0, pattern.size()));
}

}  // namespace

const known_metric* find_known_metric(std::string_view name) {
    const std::string_view bare = bare_name(name);
    const auto found =
        std::ranges::find_if(known_rows, [bare](const known_metric& row) { return fits(row.name, bare); });
    return found == known_rows.end() ? nullptr : &*found;
}

std::string successor_of(std::string_view older) {
    const known_metric* known = find_known_metric(older);
    if (known == nullptr || known->successor.empty()) return {};
    const std::string_view pattern = known->name;
    std::string out(known->successor);
    if (pattern.back() == '*') out += bare_name(older).substr(pattern.size() - 1);
    return out;
}

bool succeeds(std::string_view newer, std::string_view older) {
    const std::string name = successor_of(older);
    return !name.empty() && is_alike(name, bare_name(newer));
}

bool is_level_metric(std::string_view name) {
    if (const known_metric* known = find_known_metric(name)) return known->is_level;
    constexpr std::array<std::string_view, 8> words = {"percent", "perc",        "percentage",  "ratio",
                                                       "util",    "utilization", "utilisation", "saturation"};
    std::string_view rest = name;
    while (!rest.empty()) {
        const std::size_t end = rest.find_first_of("_:");
        if (std::ranges::find(words, lower(rest.substr(0, end))) != words.end()) return true;
        rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
    }
    return false;
}

bool is_desired_count(std::string_view name) { return lower(name).find("desired_replicas") != std::string::npos; }

// Tables of names.

namespace {

struct dcgm_field {
    std::string_view now;
    std::string_view in_1x = {};  // etc/1.x-compatibility-metrics.csv; "": not there
    bool is_counter = false;
    bool is_of_device = false;  // a utilization of the whole device
};

constexpr std::array fields = {
    dcgm_field{.now = "DCGM_FI_DEV_GPU_UTIL", .in_1x = "dcgm_gpu_utilization", .is_of_device = true},
    dcgm_field{.now = "DCGM_FI_DEV_MEM_COPY_UTIL", .in_1x = "dcgm_mem_copy_utilization", .is_of_device = true},
    dcgm_field{.now = "DCGM_FI_DEV_ENC_UTIL", .is_of_device = true},
    dcgm_field{.now = "DCGM_FI_DEV_DEC_UTIL", .is_of_device = true},
    dcgm_field{"DCGM_FI_DEV_FB_USED", "dcgm_fb_used"},
    dcgm_field{"DCGM_FI_DEV_FB_FREE", "dcgm_fb_free"},
    dcgm_field{"DCGM_FI_DEV_POWER_USAGE", "dcgm_power_usage"},
    dcgm_field{"DCGM_FI_DEV_GPU_TEMP", "dcgm_gpu_temp"},
    dcgm_field{"DCGM_FI_DEV_SM_CLOCK", "dcgm_sm_clock"},
    dcgm_field{"DCGM_FI_DEV_MEM_CLOCK", "dcgm_memory_clock"},
    dcgm_field{"DCGM_FI_DEV_XID_ERRORS", "dcgm_xid_errors"},
    dcgm_field{"DCGM_FI_DEV_NVLINK_BANDWIDTH_TOTAL", "dcgm_nvlink_bandwidth_total", true},
    dcgm_field{.now = "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION", .is_counter = true},
    dcgm_field{.now = "DCGM_FI_DEV_PCIE_REPLAY_COUNTER", .is_counter = true},
    dcgm_field{.now = "DCGM_FI_DEV_CORRECTABLE_REMAPPED_ROWS", .is_counter = true},
    dcgm_field{.now = "DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS", .is_counter = true},
    dcgm_field{"DCGM_FI_PROF_GR_ENGINE_ACTIVE", "dcgm_fi_prof_gr_engine_active"},
    dcgm_field{"DCGM_FI_PROF_SM_ACTIVE", "dcgm_fi_prof_sm_active"},
    dcgm_field{"DCGM_FI_PROF_SM_OCCUPANCY", "dcgm_fi_prof_sm_occupancy"},
    dcgm_field{"DCGM_FI_PROF_PIPE_TENSOR_ACTIVE", "dcgm_fi_prof_pipe_tensor_active"},
    dcgm_field{"DCGM_FI_PROF_DRAM_ACTIVE", "dcgm_fi_prof_dram_active"},
    dcgm_field{"DCGM_FI_PROF_PCIE_TX_BYTES", "dcgm_fi_prof_pcie_tx_bytes"},
    dcgm_field{"DCGM_FI_PROF_PCIE_RX_BYTES", "dcgm_fi_prof_pcie_rx_bytes"},
};

// In the order in which a page is searched for them.
constexpr std::array<std::array<std::string_view, 3>, 6> label_groups = {{
    {"exported_pod", "pod", "pod_name"},
    {"exported_namespace", "namespace", "pod_namespace"},
    {"exported_container", "container", "container_name"},
    {"Hostname", "hostname", ""},
    {"UUID", "uuid", "gpu_uuid"},
    {"modelName", "model_name", ""},
}};

// Finds a field by either of its names; returns a field without a name if it is not in the table.
const dcgm_field& field_named(std::string_view name) {
    static constexpr dcgm_field unknown{};
    const auto found = std::ranges::find_if(
        fields, [name](const dcgm_field& row) { return row.now == name || (row.in_1x == name && !name.empty()); });
    return found == fields.end() ? unknown : *found;
}

}  // namespace

std::vector<std::string> metric_names(std::string_view metric) {
    const dcgm_field& known = field_named(metric);
    if (known.in_1x.empty()) return {std::string(metric)};
    return {std::string(known.now), std::string(known.in_1x)};
}

bool is_counter(std::string_view metric) { return field_named(metric).is_counter; }

bool is_device_utilization(std::string_view metric) { return field_named(metric).is_of_device; }

bool is_split_by_pods(std::string_view metric) {
    const std::string_view now = field_named(metric).now;
    return now == "DCGM_FI_DEV_GPU_UTIL" || now == "DCGM_FI_DEV_FB_USED";
}

formats::exposition::label_names names_of_label(std::string_view label) {
    for (const auto& group : label_groups) {
        if (label.empty() || std::ranges::find(group, label) == group.end()) continue;
        formats::exposition::label_names out;
        for (const std::string_view text : group) {
            if (!text.empty()) out.emplace_back(text);
        }
        return out;
    }
    return {std::string(label)};
}

// int32: 2147483632 + {0..3}; double: 2^47 + {0..3}; int64: 9223372036854775792 + {0..3}, which are all 2^63 as a double.
bool is_blank_value(double value) {
    constexpr double int32_blank = 2147483632.0;
    constexpr double double_blank = 140737488355328.0;
    constexpr double int64_blank = 9223372036854775808.0;
    constexpr double kinds = 3.0;
    return (value >= int32_blank && value <= int32_blank + kinds) ||
           (value >= double_blank && value <= double_blank + kinds) || value == int64_blank;
}

}  // namespace gputide::source

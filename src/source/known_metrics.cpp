// Sources: NVIDIA/dcgm-exporter etc/*.csv and DCGM's field list, vllm-project/vllm vllm/v1/metrics/loggers.py, sgl-project/sglang
// python/sglang/srt/metrics/collector.py, triton-inference-server/server docs/user_guide/metrics.md, text-generation-inference's
// reference of metrics, ROCm/device-metrics-exporter docs/configuration/metricslist.md.
#include "source/known_metrics.hpp"

#include "base/text.hpp"

#include <algorithm>
#include <array>
#include <string>

namespace gputide::source {
namespace {

constexpr double percent = 100.0;
constexpr double fraction = 1.0;

// The first row that fits counts, so a family's general row stands behind its others.
constexpr std::array rows = {
    known_metric{.name = "dcgm_fi_dev_gpu_util", .max = percent, .is_level = true, .is_whole_gpu = true},
    known_metric{.name = "dcgm_gpu_utilization", .max = percent, .is_level = true, .is_whole_gpu = true},
    known_metric{.name = "dcgm_fi_dev_mem_copy_util", .max = percent, .is_level = true, .is_whole_gpu = true},
    known_metric{.name = "dcgm_mem_copy_utilization", .max = percent, .is_level = true, .is_whole_gpu = true},
    known_metric{.name = "dcgm_fi_dev_enc_util", .max = percent, .is_level = true, .is_whole_gpu = true},
    known_metric{.name = "dcgm_fi_dev_dec_util", .max = percent, .is_level = true, .is_whole_gpu = true},
    known_metric{.name = "dcgm_fi_dev_fb_used_percent", .max = fraction, .is_level = true},
    known_metric{.name = "dcgm_fi_dev_power_usage", .is_whole_gpu = true},
    known_metric{.name = "dcgm_power_usage", .is_whole_gpu = true},
    known_metric{.name = "dcgm_fi_dev_total_energy_consumption", .is_whole_gpu = true},
    known_metric{.name = "dcgm_fi_dev_gpu_temp", .is_level = true, .is_whole_gpu = true},
    known_metric{.name = "dcgm_fi_dev_memory_temp", .is_level = true, .is_whole_gpu = true},
    known_metric{.name = "dcgm_fi_dev_sm_clock", .is_level = true, .is_whole_gpu = true},
    known_metric{.name = "dcgm_fi_dev_mem_clock", .is_level = true, .is_whole_gpu = true},
    known_metric{.name = "dcgm_fi_prof_gr_engine_active", .max = fraction, .is_level = true},
    known_metric{.name = "dcgm_fi_prof_sm_active", .max = fraction, .is_level = true},
    known_metric{.name = "dcgm_fi_prof_sm_occupancy", .max = fraction, .is_level = true},
    known_metric{.name = "dcgm_fi_prof_pipe_*", .max = fraction, .is_level = true},
    known_metric{.name = "dcgm_fi_prof_dram_active", .max = fraction, .is_level = true},
    known_metric{.name = "gpu_gfx_activity", .max = percent, .is_level = true},
    known_metric{.name = "amd_gpu_gfx_activity", .max = percent, .is_level = true},
    known_metric{.name = "nv_gpu_utilization", .max = fraction, .is_level = true, .is_own_pods = true},
    known_metric{.name = "nv_*", .is_own_pods = true},
    known_metric{.name = "vllm_kv_cache_usage_perc", .max = fraction, .is_level = true, .is_own_pods = true},
    known_metric{.name = "vllm_gpu_cache_usage_perc", .max = fraction, .is_level = true, .is_own_pods = true},
    known_metric{.name = "vllm_cpu_cache_usage_perc", .max = fraction, .is_level = true, .is_own_pods = true},
    known_metric{.name = "vllm_*", .is_own_pods = true},
    known_metric{.name = "sglang_token_usage", .max = fraction, .is_level = true, .is_own_pods = true},
    known_metric{.name = "sglang_cache_hit_rate", .max = fraction, .is_level = true, .is_own_pods = true},
    known_metric{.name = "sglang_*", .is_own_pods = true},
    known_metric{.name = "tgi_*", .is_own_pods = true},
    // As an adapter's rule names them without vllm's colon.
    known_metric{.name = "kv_cache_usage_perc", .max = fraction, .is_level = true, .is_own_pods = true},
    known_metric{.name = "gpu_cache_usage_perc", .max = fraction, .is_level = true, .is_own_pods = true},
};

// "prometheus.googleapis.com|DCGM_FI_DEV_GPU_UTIL|gauge" → "dcgm_fi_dev_gpu_util"; "vllm:x" → "vllm_x".
std::string plain_name(std::string_view name) {
    if (const std::size_t bar = name.find('|'); bar != std::string_view::npos) {
        name.remove_prefix(bar + 1);
        name = name.substr(0, name.find('|'));
    }
    std::string out = lower(name);
    std::replace(out.begin(), out.end(), ':', '_');
    return out;
}

bool fits(std::string_view pattern, std::string_view name) {
    if (pattern.back() != '*') return pattern == name;
    pattern.remove_suffix(1);
    return name.substr(0, pattern.size()) == pattern;
}

}  // namespace

const known_metric* find_known_metric(std::string_view name) {
    const std::string plain = plain_name(name);
    const auto found =
        std::find_if(rows.begin(), rows.end(), [&plain](const known_metric& one) { return fits(one.name, plain); });
    return found == rows.end() ? nullptr : &*found;
}

bool is_level_metric(std::string_view name) {
    if (const known_metric* known = find_known_metric(name)) return known->is_level;
    constexpr std::array<std::string_view, 7> words = {"percent", "perc",        "percentage", "ratio",
                                                       "util",    "utilization", "utilisation"};
    std::string_view rest = name;
    while (!rest.empty()) {
        const std::size_t end = rest.find_first_of("_:");
        if (std::find(words.begin(), words.end(), lower(rest.substr(0, end))) != words.end()) return true;
        rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
    }
    return false;
}

bool is_desired_count(std::string_view name) { return plain_name(name).find("desired_replicas") != std::string::npos; }

}  // namespace gputide::source

// The table of presets.  Names: vllm-project/vllm vllm/v1/metrics/loggers.py, triton-inference-server/server
// docs/user_guide/metrics.md, text-generation-inference's reference of metrics, NVIDIA/dcgm-exporter etc/*.csv,
// ROCm/device-metrics-exporter docs/configuration/metricslist.md (exported in lower case; `amd_` is a common prefix setting).
#include "source/presets.hpp"

#include "base/format_text.hpp"
#include "base/text.hpp"

#include <array>
#include <vector>

namespace gputide::source {
namespace {

constexpr std::array table = {
    preset{.name = "vllm-queue",
           .query = "sum(vllm:num_requests_waiting{})",
           .metrics = {"vllm:num_requests_waiting"},
           .reduce = "sum",
           .unit = "requests",
           .poor =
               "for early warning: it is 0 until a replica's batch is full. A replica that still loads weights has no "
               "series, which is no queue of 0"},
    preset{.name = "vllm-running",
           .query = "sum(vllm:num_requests_running{}) + sum(vllm:num_requests_waiting{})",
           .metrics = {"vllm:num_requests_running", "vllm:num_requests_waiting"},
           .reduce = "sum",
           .unit = "requests",
           .poor = "where requests differ much in length: ten long ones are more load than ten short ones"},
    preset{.name = "vllm-cache",
           .query = "avg(vllm:kv_cache_usage_perc{} or vllm:gpu_cache_usage_perc{})",
           .metrics = {"vllm:kv_cache_usage_perc", "vllm:gpu_cache_usage_perc"},
           .reduce = "avg",
           .unit = "0 to 1, despite the name",
           .poor = "with short prompts: the batch fills up, and the queue grows, while the cache is half empty"},
    preset{.name = "vllm-preemptions",
           .query = "sum(rate(vllm:num_preemptions_total{}[5m]))",
           .metrics = {"vllm:num_preemptions_total"},
           .rate = true,
           .reduce = "sum",
           .unit = "per second",
           .poor = "as the only one: it is 0 until the cache is too small for what runs, and then late"},
    preset{.name = "triton-queue",
           .query = "sum(nv_inference_pending_request_count{})",
           .metrics = {"nv_inference_pending_request_count"},
           .reduce = "sum",
           .unit = "requests",
           .poor = "for backends that queue by themselves (vLLM inside Triton): Triton's own queue stays empty"},
    preset{.name = "tgi-queue",
           .query = "sum(tgi_queue_size{})",
           .metrics = {"tgi_queue_size"},
           .reduce = "sum",
           .unit = "requests",
           .poor = "for early warning: it is 0 until a replica's batch is full"},
    preset{
        .name = "dcgm-utilization",
        .query = "avg(DCGM_FI_DEV_GPU_UTIL{} or dcgm_gpu_utilization{})",
        .metrics = {"DCGM_FI_DEV_GPU_UTIL"},
        .reduce = "avg",
        .unit = "%",
        .poor =
            "for LLM serving: it says that a kernel ran, and one small decode loop shows 90 and more. MIG instances do "
            "not have it"},
    preset{
        .name = "dcgm-memory",
        .query = "sum(DCGM_FI_DEV_FB_USED{}) / (sum(DCGM_FI_DEV_FB_USED{}) + sum(DCGM_FI_DEV_FB_FREE{}))",
        .metrics = {"memory_pressure"},
        .reduce = "avg",
        .unit = "0 to 1",
        .poor = "for inference servers: they take their memory at the start, so that it shows placement and not load"},
    preset{.name = "amd-utilization",
           .query = "avg(gpu_gfx_activity{} or amd_gpu_gfx_activity{})",
           .metrics = {"gpu_gfx_activity", "amd_gpu_gfx_activity"},
           .reduce = "avg",
           .unit = "%",
           .poor = "for LLM serving, as NVIDIA's. Partitioned GPUs do not have it"},
    preset{.name = "amd-memory",
           .query = "sum(gpu_used_vram{} or amd_gpu_used_vram{}) / sum(gpu_total_vram{} or amd_gpu_total_vram{})",
           .metrics = {"gpu_used_vram", "amd_gpu_used_vram"},
           .denominators = {"gpu_total_vram", "amd_gpu_total_vram"},
           .reduce = "avg",
           .unit = "0 to 1",
           .poor = "for inference servers, as NVIDIA's. A virtual machine's exporter does not have it"},
    preset{.name = "gpu-allocation-failures",
           .query = "sum(rate(gpu_memory_allocation_failures_total{}[5m]))",
           .metrics = {"gpu_memory_allocation_failures_total"},
           .rate = true,
           .reduce = "sum",
           .unit = "per second",
           .poor =
               "unless the application counts them: neither DCGM, NVML nor AMD's exporter does, so the name is this "
               "library's proposal (PyTorch has the number as torch.cuda.memory_stats()[\"num_ooms\"]). More replicas "
               "help only where the failures come from load"},
};

}  // namespace

std::span<const preset> presets() { return table; }

const preset* read_preset(config::parameters& parameters) {
    const auto name = parameters.text(preset_keys["gputide.io/preset"]);
    if (!name) return nullptr;
    std::vector<std::string_view> names;
    for (const preset& one : table) {
        if (one.name == *name) return &one;
        names.push_back(one.name);
    }
    std::string text = "gputide.io/preset: there is no preset " + in_quotes(*name);
    const std::string_view near = nearest(*name, names);
    if (!near.empty()) text += format_text("; did you mean {}?", in_quotes(near));
    text += " There are";
    for (const std::string_view one : names) text.append(" ").append(one).append(",");
    text.back() = '.';
    parameters.add_error(std::move(text), "gputide.io/preset");
    return nullptr;
}

std::string query_of(const preset& preset, std::string_view matchers) {
    std::string out;
    for (std::size_t at = 0; at < preset.query.size(); ++at) {
        if (preset.query.substr(at, 2) != "{}") {
            out.push_back(preset.query[at]);
            continue;
        }
        if (!matchers.empty()) out.append("{").append(matchers).append("}");
        ++at;
    }
    return out;
}

void note_preset(const config::trigger& trigger, const config::parameters& read, const preset& used,
                 std::string_view asked, config::report* findings) {
    if (findings == nullptr) return;
    findings->add(config::severity::note, "preset", read.place_of("gputide.io/preset"),
                  format_text("{}: preset {} asks {} ({})", trigger.label(), used.name, asked, used.unit),
                  "a poor signal " + std::string(used.poor));
}

}  // namespace gputide::source

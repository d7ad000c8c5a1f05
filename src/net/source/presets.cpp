// The table of presets.  Sources of the names: vllm-project/vllm vllm/v1/metrics/loggers.py, triton-inference-server/server
// docs/user_guide/metrics.md, text-generation-inference's metrics reference, NVIDIA/dcgm-exporter etc/*.csv,
// ROCm/device-metrics-exporter docs/configuration/metricslist.md (exported in lower case, commonly with the prefix `amd_`).
#include "source/presets.hpp"

#include "base/format_text.hpp"
#include "base/text.hpp"

#include <array>
#include <vector>

namespace gputide::source {
namespace {

constexpr std::array table = {
    preset{
        .name = "vllm-queue",
        .query = "sum(vllm:num_requests_waiting_by_reason{reason=\"capacity\",{}}) or sum(vllm:num_requests_waiting{})",
        .metrics = {"vllm:num_requests_waiting"},
        .reduce = "sum",
        .unit = "requests",
        .poor = "for early warning: it is 0 until a replica's batch is full. A replica that is still loading weights "
                "has no series, which is not a queue of 0. Before 0.20, and on a page, it also counts requests that "
                "wait for a KV transfer. With --max-num-queued-reqs the queue is bounded: add vllm-rejections"},
    preset{.name = "vllm-running",
           .query = "sum(vllm:num_requests_running{}) + sum(vllm:num_requests_waiting{})",
           .metrics = "vllm:num_requests_running vllm:num_requests_waiting",
           .reduce = "sum",
           .unit = "requests",
           .poor = "if requests differ much in length: ten long requests are more load than ten short ones"},
    preset{.name = "vllm-cache",
           .query = "avg(vllm:kv_cache_usage_perc{} or vllm:gpu_cache_usage_perc{})",
           .metrics = "vllm:kv_cache_usage_perc vllm:gpu_cache_usage_perc",
           .reduce = "avg",
           .unit = "0 to 1, despite the name",
           .poor = "with short prompts: the batch fills up, and the queue grows, while the cache is half empty"},
    preset{
        .name = "vllm-preemptions",
        .query = "sum(rate(vllm:num_preemptions_total{}[5m]))",
        .metrics = {"vllm:num_preemptions_total"},
        .rate = true,
        .reduce = "sum",
        .unit = "per second",
        .poor =
            "as the only metric: it is 0 until the cache is too small for the running requests, and then reacts late"},
    preset{.name = "vllm-rejections",
           .query = "sum(rate(vllm:admission_rejections_total{}[5m]))",
           .metrics = {"vllm:admission_rejections_total"},
           .rate = true,
           .reduce = "sum",
           .unit = "per second",
           .poor = "as the only metric: it is 0 until the queue is at its limit"},
    preset{.name = "vllm-ttft",
           .query = "histogram_quantile(0.9, sum by (le) (rate(vllm:time_to_first_token_seconds_bucket{}[5m])))",
           .unit = "s",
           .poor = "for scaling down: the latency is also low at half the load, and does not tell how many replicas "
                   "are enough"},
    preset{.name = "vllm-itl",
           .query = "histogram_quantile(0.9, sum by (le) (rate(vllm:inter_token_latency_seconds_bucket{}[5m])))",
           .unit = "s",
           .poor = "for scaling down, as vllm-ttft"},
    preset{.name = "sglang-queue",
           .query = "sum(sglang:num_queue_reqs{} or sglang_num_queue_reqs{})",
           .metrics = "sglang:num_queue_reqs sglang_num_queue_reqs",
           .reduce = "sum",
           .unit = "requests",
           .poor = "if a router's page is scraped in addition to the servers' pages: both have the series. Prefill and "
                   "decode servers have their own queues, such as sglang:num_decode_prealloc_queue_reqs"},
    preset{.name = "sglang-cache",
           .query = "avg(sglang:token_usage{} or sglang_token_usage{})",
           .metrics = "sglang:token_usage sglang_token_usage",
           .reduce = "avg",
           .unit = "0 to 1",
           .poor = "with short prompts, as vllm-cache"},
    preset{.name = "trtllm-queue",
           .query = "sum(trtllm_num_requests_waiting{})",
           .metrics = {"trtllm_num_requests_waiting"},
           .reduce = "sum",
           .unit = "requests",
           .poor = "for early warning: it is 0 until a replica's batch is full"},
    preset{.name = "trtllm-cache",
           .query = "avg(trtllm_kv_cache_utilization{})",
           .metrics = {"trtllm_kv_cache_utilization"},
           .reduce = "avg",
           .unit = "0 to 1",
           .poor = "with short prompts, as vllm-cache"},
    preset{.name = "triton-trtllm-queue",
           .query = "sum(nv_trt_llm_request_metrics{request_type=\"waiting\",{}})",
           .unit = "requests",
           .poor = "for early warning: it is 0 until a replica's batch is full"},
    preset{.name = "nim-queue",
           .query = "sum(num_requests_waiting{})",
           .metrics = {"num_requests_waiting"},
           .reduce = "sum",
           .unit = "requests",
           .poor = "without a selector: its names have no prefix, and other programs may use them"},
    preset{.name = "dynamo-queue",
           .query = "sum(dynamo_frontend_queued_requests{})",
           .metrics = {"dynamo_frontend_queued_requests"},
           .reduce = "sum",
           .unit = "requests",
           .poor = "for a single kind of worker: prefill and decode workers share the frontend's queue"},
    preset{.name = "llm-d-queue",
           .query = "sum(llm_d_epp_flow_control_queue_size{}) or sum(inference_extension_flow_control_queue_size{})",
           .metrics = "llm_d_epp_flow_control_queue_size inference_extension_flow_control_queue_size",
           .reduce = "sum",
           .unit = "requests",
           .poor = "without flow control, because llm-d then has no queue; use it together with llm-d-running, as in "
                   "llm-d's guides"},
    preset{.name = "llm-d-running",
           .query = "sum(llm_d_epp_request_running{}) or sum(inference_objective_running_requests{})",
           .metrics = "llm_d_epp_request_running inference_objective_running_requests",
           .reduce = "sum",
           .unit = "requests",
           .poor = "if requests differ much in length, as vllm-running"},
    preset{.name = "llamacpp-queue",
           .query = "sum(llamacpp:requests_deferred{})",
           .metrics = {"llamacpp:requests_deferred"},
           .reduce = "sum",
           .unit = "requests",
           .poor = "for early warning: it is 0 until every slot is taken"},
    preset{.name = "ray-serve-queue",
           .query = "sum(ray_serve_deployment_queued_queries{})",
           .metrics = {"ray_serve_deployment_queued_queries"},
           .reduce = "sum",
           .unit = "requests",
           .poor = "together with Ray Serve's own autoscaling: two controllers would scale one deployment"},
    preset{.name = "triton-queue",
           .query = "sum(nv_inference_pending_request_count{})",
           .metrics = {"nv_inference_pending_request_count"},
           .reduce = "sum",
           .unit = "requests",
           .poor = "for backends with their own queue (vLLM, TensorRT-LLM inside Triton): Triton's own queue stays "
                   "empty; see triton-trtllm-queue"},
    preset{.name = "tgi-queue",
           .query = "sum(tgi_queue_size{})",
           .metrics = {"tgi_queue_size"},
           .reduce = "sum",
           .unit = "requests",
           .poor =
               "for early warning: it is 0 until a replica's batch is full. TGI is in maintenance since December 2025"},
    preset{.name = "dcgm-utilization",
           .query = "avg(DCGM_FI_DEV_GPU_UTIL{} or dcgm_gpu_utilization{})",
           .metrics = {"DCGM_FI_DEV_GPU_UTIL"},
           .reduce = "avg",
           .unit = "%",
           .poor = "for LLM serving: it only shows that a kernel ran, so one small decode loop shows 90 or more. MIG "
                   "instances do not have it. A shared GPU has one more series for each pod since dcgm-exporter "
                   "4.5.3-4.8.2: select pod=\"\" or pod!=\"\""},
    preset{
        .name = "dcgm-memory",
        .query = "sum(DCGM_FI_DEV_FB_USED{}) / (sum(DCGM_FI_DEV_FB_USED{}) + sum(DCGM_FI_DEV_FB_FREE{}))",
        .metrics = {"memory_pressure"},
        .reduce = "avg",
        .unit = "0 to 1",
        .poor = "for inference servers: they allocate their memory at the start, so it shows placement and not load"},
    preset{.name = "amd-utilization",
           .query = "avg(gpu_gfx_activity{} or amd_gpu_gfx_activity{})",
           .metrics = "gpu_gfx_activity amd_gpu_gfx_activity",
           .reduce = "avg",
           .unit = "%",
           .poor = "for LLM serving, like NVIDIA's. Partitioned GPUs do not have it"},
    preset{.name = "amd-memory",
           .query = "sum(gpu_used_vram{} or amd_gpu_used_vram{}) / sum(gpu_total_vram{} or amd_gpu_total_vram{})",
           .metrics = "gpu_used_vram amd_gpu_used_vram",
           .denominators = "gpu_total_vram amd_gpu_total_vram",
           .reduce = "avg",
           .unit = "0 to 1",
           .poor = "for inference servers, like NVIDIA's. A virtual machine's exporter does not have it"},
    preset{.name = "gpu-allocation-failures",
           .query = "sum(rate(gpu_memory_allocation_failures_total{}[5m]))",
           .metrics = {"gpu_memory_allocation_failures_total"},
           .rate = true,
           .reduce = "sum",
           .unit = "per second",
           .poor = "unless the application counts them. Neither DCGM, NVML nor AMD's exporter does, so the name is "
                   "this library's proposal (PyTorch has the number as torch.cuda.memory_stats()[\"num_ooms\"]). More "
                   "replicas help only if the failures are caused by load"},
};

}  // namespace

std::span<const preset> presets() { return table; }

const preset* read_preset(trigger_reader& read) {
    const auto name = read.text(preset_keys["gputide.io/preset"]);
    if (!name) return nullptr;
    std::vector<std::string_view> names;
    for (const preset& preset : table) {
        if (preset.name == *name) return &preset;
        names.push_back(preset.name);
    }
    std::string text = "gputide.io/preset: there is no preset " + in_quotes(*name);
    const std::string_view near = nearest(*name, names);
    if (!near.empty()) text += format_text("; did you mean {}?", in_quotes(near));
    text += " There are";
    for (const std::string_view entry : names) text.append(" ").append(entry).append(",");
    text.back() = '.';
    read.add_error(text, "gputide.io/preset");
    return nullptr;
}

std::string query_of(const preset& preset, std::string_view matchers) {
    std::string out;
    std::string_view rest = preset.query;
    while (!rest.empty()) {
        const bool is_behind_others = rest.substr(0, 3) == ",{}";
        if (is_behind_others || rest.substr(0, 2) == "{}") {
            const std::string_view open = is_behind_others ? "," : "{";
            if (!matchers.empty()) out.append(open).append(matchers).append(is_behind_others ? "" : "}");
            rest.remove_prefix(is_behind_others ? 3 : 2);
        } else {
            out.push_back(rest.front());
            rest.remove_prefix(1);
        }
    }
    return out;
}

void note_preset(const trigger_reader& read, const preset& used, std::string_view asked) {
    read.note("gputide.io/preset", "preset", format_text("preset {} asks {} ({})", used.name, asked, used.unit),
              format_text("a poor signal {}", used.poor));
}

}  // namespace gputide::source

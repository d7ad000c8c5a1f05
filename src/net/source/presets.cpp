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

constexpr std::array table = [] {
    constexpr preset_kind queue{false, "sum", "requests"};
    constexpr preset_kind queried{false, "", "requests"};  // not on a page
    constexpr preset_kind share{false, "avg", "0 to 1"};
    constexpr preset_kind cache{false, "avg", "0 to 1, despite the name"};
    constexpr preset_kind percent{false, "avg", "%"};
    constexpr preset_kind rate{true, "sum", "per second"};
    constexpr preset_kind seconds{false, "", "s"};

    constexpr auto row = [](const preset_kind& kind, std::string_view name, std::string_view query, text::words metrics,
                            std::string_view poor, text::words denominators = {}) {
        return preset{kind, name, query, metrics, denominators, poor};
    };
    return std::array{
        row(queue, "vllm-queue",
            "sum(vllm:num_requests_waiting_by_reason{reason=\"capacity\",{}}) or sum(vllm:num_requests_waiting{})",
            "vllm:num_requests_waiting",
            "for early warning: it is 0 until a replica's batch is full. A replica that is still loading weights has "
            "no series, which is not a queue of 0. Before 0.20, and on a page, it also counts requests that wait for a "
            "KV transfer. With --max-num-queued-reqs the queue is bounded: add vllm-rejections"),
        row(queue, "vllm-running", "sum(vllm:num_requests_running{}) + sum(vllm:num_requests_waiting{})",
            "vllm:num_requests_running vllm:num_requests_waiting",
            "if requests differ much in length: ten long requests are more load than ten short ones"),
        row(cache, "vllm-cache", "avg(vllm:kv_cache_usage_perc{} or vllm:gpu_cache_usage_perc{})",
            "vllm:kv_cache_usage_perc vllm:gpu_cache_usage_perc",
            "with short prompts: the batch fills up, and the queue grows, while the cache is half empty"),
        row(rate, "vllm-preemptions", "sum(rate(vllm:num_preemptions_total{}[5m]))", "vllm:num_preemptions_total",
            "as the only metric: it is 0 until the cache is too small for the running requests, and then reacts late"),
        row(rate, "vllm-rejections", "sum(rate(vllm:admission_rejections_total{}[5m]))",
            "vllm:admission_rejections_total", "as the only metric: it is 0 until the queue is at its limit"),
        row(seconds, "vllm-ttft",
            "histogram_quantile(0.9, sum by (le) (rate(vllm:time_to_first_token_seconds_bucket{}[5m])))", {},
            "for scaling down: the latency is also low at half the load, and does not tell how many replicas are "
            "enough"),
        row(seconds, "vllm-itl",
            "histogram_quantile(0.9, sum by (le) (rate(vllm:inter_token_latency_seconds_bucket{}[5m])))", {},
            "for scaling down, as vllm-ttft"),
        row(queue, "sglang-queue", "sum(sglang:num_queue_reqs{} or sglang_num_queue_reqs{})",
            "sglang:num_queue_reqs sglang_num_queue_reqs",
            "if a router's page is scraped in addition to the servers' pages: both have the series. Prefill and decode "
            "servers have their own queues, such as sglang:num_decode_prealloc_queue_reqs"),
        row(share, "sglang-cache", "avg(sglang:token_usage{} or sglang_token_usage{})",
            "sglang:token_usage sglang_token_usage", "with short prompts, as vllm-cache"),
        row(queue, "trtllm-queue", "sum(trtllm_num_requests_waiting{})", "trtllm_num_requests_waiting",
            "for early warning: it is 0 until a replica's batch is full"),
        row(share, "trtllm-cache", "avg(trtllm_kv_cache_utilization{})", "trtllm_kv_cache_utilization",
            "with short prompts, as vllm-cache"),
        row(queried, "triton-trtllm-queue", "sum(nv_trt_llm_request_metrics{request_type=\"waiting\",{}})", {},
            "for early warning: it is 0 until a replica's batch is full"),
        row(queue, "nim-queue", "sum(num_requests_waiting{})", "num_requests_waiting",
            "without a selector: its names have no prefix, and other programs may use them"),
        row(queue, "dynamo-queue", "sum(dynamo_frontend_queued_requests{})", "dynamo_frontend_queued_requests",
            "for a single kind of worker: prefill and decode workers share the frontend's queue"),
        row(queue, "llm-d-queue",
            "sum(llm_d_epp_flow_control_queue_size{}) or sum(inference_extension_flow_control_queue_size{})",
            "llm_d_epp_flow_control_queue_size inference_extension_flow_control_queue_size",
            "without flow control, because llm-d then has no queue; use it together with llm-d-running, as in llm-d's "
            "guides"),
        row(queue, "llm-d-running", "sum(llm_d_epp_request_running{}) or sum(inference_objective_running_requests{})",
            "llm_d_epp_request_running inference_objective_running_requests",
            "if requests differ much in length, as vllm-running"),
        row(queue, "llamacpp-queue", "sum(llamacpp:requests_deferred{})", "llamacpp:requests_deferred",
            "for early warning: it is 0 until every slot is taken"),
        row(queue, "ray-serve-queue", "sum(ray_serve_deployment_queued_queries{})",
            "ray_serve_deployment_queued_queries",
            "together with Ray Serve's own autoscaling: two controllers would scale one deployment"),
        row(queue, "triton-queue", "sum(nv_inference_pending_request_count{})", "nv_inference_pending_request_count",
            "for backends with their own queue (vLLM, TensorRT-LLM inside Triton): Triton's own queue stays empty; see "
            "triton-trtllm-queue"),
        row(queue, "tgi-queue", "sum(tgi_queue_size{})", "tgi_queue_size",
            "for early warning: it is 0 until a replica's batch is full. TGI is in maintenance since December 2025"),
        row(percent, "dcgm-utilization", "avg(DCGM_FI_DEV_GPU_UTIL{} or dcgm_gpu_utilization{})",
            "DCGM_FI_DEV_GPU_UTIL",
            "for LLM serving: it only shows that a kernel ran, so one small decode loop shows 90 or more. MIG "
            "instances do not have it. A shared GPU has one more series for each pod since dcgm-exporter 4.5.3-4.8.2: "
            "select pod=\"\" or pod!=\"\""),
        row(share, "dcgm-memory",
            "sum(DCGM_FI_DEV_FB_USED{}) / (sum(DCGM_FI_DEV_FB_USED{}) + sum(DCGM_FI_DEV_FB_FREE{}))", "memory_pressure",
            "for inference servers: they allocate their memory at the start, so it shows placement and not load"),
        row(percent, "amd-utilization", "avg(gpu_gfx_activity{} or amd_gpu_gfx_activity{})",
            "gpu_gfx_activity amd_gpu_gfx_activity", "for LLM serving, like NVIDIA's. Partitioned GPUs do not have it"),
        row(share, "amd-memory",
            "sum(gpu_used_vram{} or amd_gpu_used_vram{}) / sum(gpu_total_vram{} or amd_gpu_total_vram{})",
            "gpu_used_vram amd_gpu_used_vram",
            "for inference servers, like NVIDIA's. A virtual machine's exporter does not have it",
            "gpu_total_vram amd_gpu_total_vram"),
        row(rate, "gpu-allocation-failures", "sum(rate(gpu_memory_allocation_failures_total{}[5m]))",
            "gpu_memory_allocation_failures_total",
            "unless the application counts them. Neither DCGM, NVML nor AMD's exporter does, so the name is this "
            "library's proposal (PyTorch has the number as torch.cuda.memory_stats()[\"num_ooms\"]). More replicas "
            "help only if the failures are caused by load"),
    };
}();

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

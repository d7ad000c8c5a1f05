// The rows of the table of metrics.  The library uses some columns (known_metrics.cpp), docs/sources/metrics.md shows all of
// them.  Sources:
//   vllm-project/vllm vllm/v1/metrics/loggers.py @0.8.5 to @0.33.0 (19 versions)
//   sgl-project/sglang python/sglang/srt/observability/metrics_collector.py @0.5.23
//   NVIDIA/TensorRT-LLM tensorrt_llm/metrics/collector.py @050f80d
//   triton-inference-server/core src/metrics.cc @73aad7c, triton-inference-server/tensorrtllm_backend README.md @0b9d7d5
//   huggingface/text-generation-inference router/src/server.rs @db931fc
//   ai-dynamo/dynamo lib/runtime/src/metrics/prometheus_names.rs @04070c7
//   llm-d/llm-d-router pkg/epp/metrics/*.go @ebab687
//   NVIDIA/dcgm-exporter etc/*.csv @d5e5f51
//   ray-project/ray python/ray/serve/_private @2.60.0
//   kserve/kserve python/kserve/kserve/metrics.py @0.21.0
//   ROCm/device-metrics-exporter docs/configuration/metricslist.md @afd0fe8
//   vllm-project/production-stack src/vllm_router/services/metrics_service @main
//   NIM: docs.nvidia.com/nim/large-language-models/latest/observability.html; llama.cpp: tools/server/README.md
#pragma once

#include <array>
#include <limits>
#include <string_view>

namespace gputide::source {

// A server of metrics.  is_own_pods: only the scaled pods serve them.
struct metric_server {
    std::string_view name;
    bool is_own_pods = false;
};

// A unit, the maximum of one series, and whether the value is a load per replica, which is not additive over replicas.
struct metric_unit {
    std::string_view text;
    double max = std::numeric_limits<double>::infinity();
    bool is_level = false;
};

struct metric_details {
    bool is_whole_gpu = false;
    std::string_view labels = {};      // in addition to those that Prometheus adds
    std::string_view since = {};       // first version known to have it
    std::string_view gone_since = {};  // first version known to lack it
    std::string_view successor = {};
};

struct metric_row : metric_details {
    std::string_view name;
    metric_server server;
    metric_unit unit;
    std::string_view meaning;
};

// The first matching row is used, so the general row of a family follows its specific rows.
inline constexpr std::array metric_rows = [] {
    constexpr double unlimited = std::numeric_limits<double>::infinity();
    constexpr metric_unit percent{"%", 100.0, true};
    constexpr metric_unit share{"0 to 1", 1.0, true};
    constexpr metric_unit mib{"MiB"};
    constexpr metric_unit watts{"W"};
    constexpr metric_unit millijoules{"mJ, counter"};
    constexpr metric_unit celsius{"°C", unlimited, true};
    constexpr metric_unit mhz{"MHz", unlimited, true};
    constexpr metric_unit requests{"requests"};
    constexpr metric_unit blocks{"blocks; 0 to 1 for fraction"};
    constexpr metric_unit mixed{""};
    constexpr metric_unit seconds{"s, histogram"};
    constexpr metric_unit counted_requests{"requests, counter"};
    constexpr metric_unit flag{"0 or 1", 1.0, true};
    constexpr metric_unit requests_per_s{"requests per second"};
    constexpr metric_unit pods{"pods"};
    constexpr metric_unit set_point{"1 at its set point", unlimited, true};
    constexpr metric_unit tokens{"tokens"};
    constexpr metric_unit mean_requests{"requests", unlimited, true};
    constexpr metric_unit servers{"servers"};

    constexpr metric_server dcgm{"dcgm-exporter"};
    constexpr metric_server amd{"AMD device-metrics-exporter"};
    constexpr metric_server triton_trtllm{"Triton with TensorRT-LLM", true};
    constexpr metric_server triton{"Triton", true};
    constexpr metric_server vllm{"vLLM", true};
    constexpr metric_server vllm_router{"vLLM router"};
    constexpr metric_server sglang{"SGLang", true};
    constexpr metric_server trtllm{"TensorRT-LLM serve", true};
    constexpr metric_server tgi{"TGI (in maintenance since 2025-12)", true};
    constexpr metric_server nim{"NIM", true};
    constexpr metric_server dynamo{"Dynamo frontend"};
    constexpr metric_server dynamo_worker{"Dynamo worker", true};
    constexpr metric_server llm_d{"llm-d endpoint picker"};
    constexpr metric_server llamacpp{"llama.cpp", true};
    constexpr metric_server ray{"Ray Serve"};
    constexpr metric_server kserve{"KServe", true};

    constexpr std::string_view of_vllm = "model_name, engine";
    constexpr std::string_view of_sglang = "model_name, engine_type, tp_rank, dp_rank";
    constexpr std::string_view of_trtllm = "model_name, engine_type";
    constexpr std::string_view naming_of_1x = "The same in the naming of 1.x (etc/1.x-compatibility-metrics.csv)";
    constexpr std::string_view deprecated = "The same, deprecated. Never add both names: one server has both";

    constexpr auto row = [](const metric_server& server, std::string_view name, const metric_unit& unit,
                            std::string_view meaning, const metric_details& details = {}) {
        return metric_row{details, name, server, unit, meaning};
    };
    return std::array{
        row(dcgm, "DCGM_FI_DEV_GPU_UTIL", percent,
            "Time in which a kernel ran. Under sharing (--kubernetes-virtual-gpus) one more series for each pod since "
            "4.5.3-4.8.2: select pod=\"\" or pod!=\"\"",
            {.is_whole_gpu = true,
             .labels = "UUID, gpu, pod, namespace, container; dra_* with --kubernetes-enable-dra",
             .since = "2.0"}),
        row(dcgm, "dcgm_gpu_utilization", percent, naming_of_1x,
            {.is_whole_gpu = true, .successor = "DCGM_FI_DEV_GPU_UTIL"}),
        row(dcgm, "DCGM_FI_DEV_MEM_COPY_UTIL", percent, "Time in which memory was read or written",
            {.is_whole_gpu = true}),
        row(dcgm, "dcgm_mem_copy_utilization", percent, naming_of_1x,
            {.is_whole_gpu = true, .successor = "DCGM_FI_DEV_MEM_COPY_UTIL"}),
        row(dcgm, "DCGM_FI_DEV_ENC_UTIL", percent, "Video encoder", {.is_whole_gpu = true}),
        row(dcgm, "DCGM_FI_DEV_DEC_UTIL", percent, "Video decoder", {.is_whole_gpu = true}),
        row(dcgm, "DCGM_FI_DEV_FB_USED_PERCENT", share, "Memory in use, despite its name no percentage"),
        row(dcgm, "DCGM_FI_DEV_FB_USED", mib,
            "Memory in use. Under sharing (--kubernetes-virtual-gpus) one more series for each pod since 4.5.3-4.8.2: "
            "select pod=\"\" or pod!=\"\""),
        row(dcgm, "DCGM_FI_DEV_FB_FREE", mib, "Memory that is free"),
        row(dcgm, "DCGM_FI_DEV_FB_RESERVED", mib, "Memory that driver and firmware hold", {.since = "4.5"}),
        row(dcgm, "DCGM_FI_DEV_POWER_USAGE", watts, "Power draw", {.is_whole_gpu = true}),
        row(dcgm, "dcgm_power_usage", watts, naming_of_1x,
            {.is_whole_gpu = true, .successor = "DCGM_FI_DEV_POWER_USAGE"}),
        row(dcgm, "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION", millijoules, "Energy since the driver started",
            {.is_whole_gpu = true}),
        row(dcgm, "DCGM_FI_DEV_GPU_TEMP", celsius, "Temperature of the GPU", {.is_whole_gpu = true}),
        row(dcgm, "DCGM_FI_DEV_MEMORY_TEMP", celsius, "Temperature of the memory", {.is_whole_gpu = true}),
        row(dcgm, "DCGM_FI_DEV_SM_CLOCK", mhz, "Clock of the multiprocessors", {.is_whole_gpu = true}),
        row(dcgm, "DCGM_FI_DEV_MEM_CLOCK", mhz, "Clock of the memory", {.is_whole_gpu = true}),
        row(dcgm, "DCGM_FI_PROF_GR_ENGINE_ACTIVE", share,
            "Time in which the graphics engine was active; MIG instances have it"),
        row(dcgm, "DCGM_FI_PROF_SM_ACTIVE", share, "Time in which the multiprocessors had a warp, averaged over them"),
        row(dcgm, "DCGM_FI_PROF_SM_OCCUPANCY", share, "Resident warps of the possible ones"),
        row(dcgm, "DCGM_FI_PROF_PIPE_*", share, "Cycles in which a pipe was active"),
        row(dcgm, "DCGM_FI_PROF_DRAM_ACTIVE", share, "Cycles in which the memory interface was active"),
        row(amd, "gpu_gfx_activity", percent, "Time in which the graphics engine was active"),
        row(amd, "amd_gpu_gfx_activity", percent, "The same with the common prefix"),
        row(triton_trtllm, "nv_trt_llm_request_metrics", requests, "Requests by state; take request_type=\"waiting\"",
            {.labels = "model, version, request_type (waiting, context, scheduled, max, active)"}),
        row(triton_trtllm, "nv_trt_llm_kv_cache_block_metrics", blocks,
            "Blocks of the KV cache; kv_cache_block_type=\"fraction\" is the part in use",
            {.labels = "model, version, kv_cache_block_type (max, free, used, tokens_per, fraction)"}),
        row(triton, "nv_inference_pending_request_count", requests,
            "Waits in Triton's queue; a backend with a queue of its own keeps it empty", {.labels = "model, version"}),
        row(triton, "nv_gpu_utilization", share, "Utilization of the GPU, despite the field's habit no percentage",
            {.labels = "gpu_uuid"}),
        row(triton, "nv_*", mixed, "Everything else that Triton serves"),
        row(vllm, "vllm:num_requests_waiting_by_reason", requests,
            "Waiting requests; reason=\"capacity\" waits for capacity, reason=\"deferred\" for a KV transfer or a LoRA "
            "slot",
            {.labels = "model_name, engine, reason", .since = "0.20.0"}),
        row(vllm, "vllm:num_requests_waiting", requests, "All that wait, those of reason deferred included",
            {.labels = of_vllm}),
        row(vllm, "vllm:num_requests_running", requests, "In the batch; at most --max-num-seqs", {.labels = of_vllm}),
        row(vllm, "vllm:kv_cache_usage_perc", share, "KV cache in use, despite its name no percentage",
            {.labels = of_vllm, .since = "0.9.2"}),
        row(vllm, "vllm:gpu_cache_usage_perc", share, "The same before it was renamed",
            {.labels = of_vllm, .gone_since = "0.12.0", .successor = "vllm:kv_cache_usage_perc"}),
        row(vllm, "vllm:cpu_cache_usage_perc", share, "KV cache that was swapped to memory, of the V0 engine",
            {.gone_since = "0.10.1"}),
        row(vllm, "vllm:num_requests_swapped", requests, "Swapped requests, of the V0 engine",
            {.gone_since = "0.10.1"}),
        row(vllm, "vllm:time_to_first_token_seconds", seconds, "Time to the first token", {.labels = of_vllm}),
        row(vllm, "vllm:inter_token_latency_seconds", seconds, "Time between two tokens",
            {.labels = of_vllm, .since = "0.10.2"}),
        row(vllm, "vllm:time_per_output_token_seconds*", seconds, "The same before it was renamed",
            {.labels = of_vllm, .gone_since = "0.15.0", .successor = "vllm:inter_token_latency_seconds"}),
        row(vllm, "vllm:request_queue_time_seconds", seconds, "Time in which a request waited", {.labels = of_vllm}),
        row(vllm, "vllm:admission_rejections_total", counted_requests,
            "Refused by a queue limit (--max-num-queued-reqs): a bounded queue shows overload here",
            {.labels = "model_name, reason", .since = "0.32.0"}),
        row(vllm, "vllm:num_preemptions_total", counted_requests, "Requests that lost their cache and start again",
            {.labels = of_vllm}),
        row(vllm, "vllm:engine_sleep_state", flag, "Whether the engine sleeps",
            {.labels = "model_name, engine, sleep_state", .since = "0.11.2"}),
        row(vllm_router, "vllm:num_incoming_requests*", counted_requests,
            "Requests that arrive at the router in front of the pods"),
        row(vllm_router, "vllm:current_qps", requests_per_s, "Requests per second at the router"),
        row(vllm_router, "vllm:healthy_pods_total", pods, "Pods that the router sends requests to"),
        row(vllm, "vllm:*", mixed, "Everything else that vLLM serves"),
        row(sglang, "sglang:num_queue_reqs", requests,
            "Waits; one series for each data-parallel rank, and for each tensor-parallel rank where all schedulers "
            "report",
            {.labels = of_sglang}),
        row(sglang, "sglang:num_running_reqs", requests, "In the batch", {.labels = of_sglang}),
        row(sglang, "sglang:token_usage", share, "KV cache in use", {.labels = of_sglang}),
        row(sglang, "sglang:cache_hit_rate", share, "Prefix cache hits", {.labels = of_sglang}),
        row(sglang, "sglang:num_prefill_bootstrap_queue_reqs", requests, "Prefill servers: waits for a decode server",
            {.labels = of_sglang}),
        row(sglang, "sglang:num_prefill_prealloc_queue_reqs", requests, "The same before it was renamed",
            {.labels = of_sglang, .gone_since = "0.5.18", .successor = "sglang:num_prefill_bootstrap_queue_reqs"}),
        row(sglang, "sglang:num_prefill_inflight_queue_reqs", requests, "Prefill servers: the KV cache is on its way",
            {.labels = of_sglang}),
        row(sglang, "sglang:num_decode_prealloc_queue_reqs", requests, "Decode servers: waits for capacity",
            {.labels = of_sglang}),
        row(sglang, "sglang:num_decode_transfer_queue_reqs", requests, "Decode servers: the KV cache is on its way",
            {.labels = of_sglang}),
        row(sglang, "sglang:*", mixed, "Everything else; a router and smg write sglang_ for sglang:, both are read"),
        row(trtllm, "trtllm_num_requests_waiting", requests, "Waits; on /prometheus/metrics", {.labels = of_trtllm}),
        row(trtllm, "trtllm_num_requests_running", requests, "In the batch", {.labels = of_trtllm}),
        row(trtllm, "trtllm_kv_cache_utilization", share, "KV cache in use", {.labels = of_trtllm}),
        row(trtllm, "trtllm_kv_cache_host_utilization", share, "Host pool of the KV cache in use",
            {.labels = of_trtllm}),
        row(trtllm, "trtllm_kv_cache_hit_rate", share, "Prefix cache hits", {.labels = of_trtllm}),
        row(trtllm, "trtllm_*", mixed, "Everything else that trtllm-serve serves"),
        row(tgi, "tgi_queue_size", requests, "Waits"),
        row(tgi, "tgi_batch_current_size", requests, "In the batch"),
        row(tgi, "tgi_*", mixed, "Everything else that TGI serves"),
        row(nim, "num_requests_waiting", requests, "Waits; on /v1/metrics", {.labels = "model_name"}),
        row(nim, "num_requests_running", requests, "In the batch; at most num_request_max", {.labels = "model_name"}),
        row(nim, "num_request_max", requests, "Capacity of the batch", {.labels = "model_name"}),
        row(nim, "gpu_cache_usage_perc", share,
            "KV cache in use, despite its name no percentage; also vLLM's as an adapter renames it",
            {.labels = "model_name"}),
        row(nim, "kv_cache_usage_perc", share, "vLLM's as an adapter renames it", {.labels = "model_name"}),
        row(dynamo, "dynamo_frontend_queued_requests", requests, "Waits for its first token", {.labels = "model"}),
        row(dynamo, "dynamo_frontend_inflight_requests", requests, "Sent to the workers and not finished",
            {.labels = "model"}),
        row(dynamo, "dynamo_frontend_time_to_first_token_seconds", seconds, "Time to the first token",
            {.labels = "model"}),
        row(dynamo, "dynamo_frontend_inter_token_latency_seconds", seconds, "Time between two tokens",
            {.labels = "model"}),
        row(dynamo_worker, "dynamo_component_inflight_requests", requests, "In work",
            {.labels = "dynamo_namespace, dynamo_component, dynamo_endpoint"}),
        row(dynamo_worker, "dynamo_component_*", mixed, "Everything else that a worker serves"),
        row(llm_d, "llm_d_epp_flow_control_queue_size", requests,
            "Held before a server is chosen, also while there is none.",
            {.labels = "inference_pool, model_name, fairness_id, priority"}),
        row(llm_d, "inference_extension_flow_control_queue_size", requests, deprecated,
            {.labels = "inference_pool, fairness_id, priority", .successor = "llm_d_epp_flow_control_queue_size"}),
        row(llm_d, "llm_d_epp_flow_control_pool_saturation", set_point,
            "Load of the pool, above 1 under overload; take one stage",
            {.labels = "inference_pool, stage (prefill, decode, effective)"}),
        row(llm_d, "inference_extension_flow_control_pool_saturation", set_point, deprecated,
            {.labels = "inference_pool, stage", .successor = "llm_d_epp_flow_control_pool_saturation"}),
        row(llm_d, "llm_d_epp_request_running", requests, "In work in the pool",
            {.labels = "model_name, fairness_id, priority"}),
        row(llm_d, "inference_objective_running_requests", requests, deprecated,
            {.labels = "model_name", .successor = "llm_d_epp_request_running"}),
        row(llm_d, "llm_d_epp_inflight_tokens", tokens, "In work by endpoint", {.labels = "endpoint_name, namespace"}),
        row(llm_d, "llm_d_epp_average_kv_cache_utilization", share, "KV cache in use, averaged over the pool",
            {.labels = "name"}),
        row(llm_d, "inference_pool_average_kv_cache_utilization", share, deprecated,
            {.labels = "name", .successor = "llm_d_epp_average_kv_cache_utilization"}),
        row(llm_d, "llm_d_epp_average_queue_size", mean_requests, "Waits in the servers, averaged over the pool",
            {.labels = "name"}),
        row(llm_d, "inference_pool_average_queue_size", mean_requests, deprecated,
            {.labels = "name", .successor = "llm_d_epp_average_queue_size"}),
        row(llm_d, "llm_d_epp_ready_endpoints", servers, "Ready servers of the pool", {.labels = "name"}),
        row(llm_d, "inference_pool_ready_pods", servers, deprecated,
            {.labels = "name", .successor = "llm_d_epp_ready_endpoints"}),
        row(llamacpp, "llamacpp:requests_deferred", requests, "Waits for a slot"),
        row(llamacpp, "llamacpp:requests_processing", requests,
            "In a slot; at most --parallel, so that it never shows a queue"),
        row(llamacpp, "llamacpp:kv_cache_usage_ratio", share, "KV cache in use, of older servers",
            {.gone_since = "2025-05 (#13660)"}),
        row(llamacpp, "llamacpp:*", mixed, "Everything else that llama-server serves"),
        row(ray, "ray_serve_deployment_queued_queries", requests, "Waits in the handles and proxies",
            {.labels = "deployment, application"}),
        row(ray, "ray_serve_num_ongoing_requests_at_replicas", requests, "In work as the handles count it",
            {.labels = "deployment, application"}),
        row(ray, "ray_serve_replica_processing_queries", requests, "In work by replica",
            {.labels = "deployment, replica, application"}),
        row(ray, "ray_serve_replica_utilization_percent", percent, "Time in which a replica was busy",
            {.labels = "deployment, replica, application"}),
        row(kserve, "request_predict_seconds", seconds, "Time of a prediction", {.labels = "model_name"}),
        row(kserve, "request_preprocess_seconds", seconds, "Time before the prediction", {.labels = "model_name"}),
        row(kserve, "request_postprocess_seconds", seconds, "Time after the prediction", {.labels = "model_name"}),
    };
}();

}  // namespace gputide::source

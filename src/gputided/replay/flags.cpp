#include "replay/replay.hpp"

namespace gputided {
namespace {

const char* const input_group = "What is replayed";
const char* const model_group = "How";

void add_input_flags(CLI::App& app, replay_options& options) {
    app.add_option("--series", options.series,
                   "CSV (time,value[,replicas], or a line a container: time,container,value), a saved query_range "
                   "answer, or the "
                   "log of gputided run; repeatable, one per metric in manifest order; - for standard input")
        ->group(input_group);
    app.add_option("--from", options.from,
                   "ask the manifest's own trigger for its past: a time, or -7d; with --series: its part")
        ->group(input_group);
    app.add_option("--to", options.to, "until then; default: now")->group(input_group);
    app.add_option("--step", options.step, "between two points of the past")->group(input_group)->capture_default_str();
    app.add_option("--cache", options.cache, "keep what was fetched here, and go on from there next time")
        ->group(input_group);
    app.add_option("--sizes", options.sizes,
                   "file with the recorded replica counts: CSV with a column replicas, or a run log")
        ->group(input_group);
    app.add_option("--replicas", options.recorded_replicas, "the workload's size while the series was recorded")
        ->check(CLI::Range(0, most_int32))
        ->group(input_group);
    app.add_option("--verify", options.verify,
                   "a log of gputided run: take its decisions again and compare; exit code 1: differ")
        ->group(input_group);
    app.add_option("--timeout-ms", options.timeout_ms, "for one query of the past")
        ->group(input_group)
        ->capture_default_str();
}

void add_model_flags(CLI::App& app, replay_options& options) {
    app.add_option(
           "--model", options.model,
           "open: the metric was what it was; closed: it follows from load and replicas; default: closed where the "
           "first metric is a mean over replicas whose recorded number is known, else open")
        ->check(CLI::IsMember({"open", "closed"}))
        ->group(model_group);
    app.add_option("--signal", options.signals, "of the closed loop, per metric: utilization, queue or total")
        ->check(CLI::IsMember({"utilization", "queue", "total"}))
        ->group(model_group);
    app.add_option("--saturation", options.saturation, "the most that a utilization shows")
        ->group(model_group)
        ->capture_default_str();
    app.add_option(
           "--startup", options.startup,
           "start-up delays of new replicas, as 60s,90s,200s, or measured ones, as @delays.csv: each draws one; "
           "4m+node adds the longest delay_s of --pools")
        ->delimiter(',')
        ->group(model_group);
    app.add_option("--seed", options.seed, "of the draws")->group(model_group)->capture_default_str();
    app.add_option("--initial", options.initial_replicas,
                   "replicas at the start; default: as recorded, else the minimum")
        ->check(CLI::Range(0, most_int32))
        ->group(model_group);
    app.add_option("--exporter-lag", options.exporter,
                   "the exporter collects this often; closed loop: 30s, open loop: 0")
        ->group(model_group);
    app.add_option("--scrape-lag", options.scrape, "Prometheus scrapes this often; closed loop: 15s, open loop: 0")
        ->group(model_group);
    app.add_option("--poll", options.poll, "KEDA's polling interval; default: the manifest's")->group(model_group);
    app.add_option("--sync", options.sync, "the HPA's sync period; default: the manifest's")->group(model_group);
    app.add_option("--hold", options.hold, "how long a recorded value stands; default: 1.5 steps")->group(model_group);
    app.add_option("--above", options.above,
                   "per metric: the level of 'above target'; default: the target and its tolerance")
        ->delimiter(',')
        ->group(model_group);
    app.add_option("--flap-window", options.flap_window, "a change back within it is a flap; default: 10m")
        ->group(model_group);
    app.add_option("--gpus-per-replica", options.gpus_per_replica, "default: the manifest's, or 1")->group(model_group);
    app.add_option("--cost-per-gpu-hour", options.cost_per_gpu_hour, "default: the manifest's")->group(model_group);
    app.add_option("--pools", options.pools,
                   "JSON with node pools and the pod of one replica (docs/nodes.md): what its nodes cost")
        ->type_name("FILE")
        ->group(model_group);
    app.add_option("--set", options.set,
                   "change the policy: threshold=60, down_window_s=120, in_flight_guard=true; repeatable")
        ->group(model_group);
}

}  // namespace

void add_replay_flags(CLI::App& app, replay_options& options) {
    add_manifest_flags(app, options.shared);
    add_output_flag(app, options.shared);
    add_input_flags(app, options);
    add_model_flags(app, options);
    add_trust_flags(app, options.shared);
}

}  // namespace gputided

#include "replay_flags.hpp"

#include <limits>

namespace gputided {
namespace {

const char* const input = "What is replayed";
const char* const modelled = "How";

void add_input_flags(CLI::App& to, replay_options& with) {
    to.add_option(
          "--series", with.series,
          "CSV (time,value[,replicas]), a saved query_range answer, or the log of gputided run; repeatable, one per "
          "metric in manifest order; - for standard input")
        ->group(input);
    to.add_option("--from", with.from,
                  "ask the manifest's own trigger for its past: a time, or -7d; with --series: its part")
        ->group(input);
    to.add_option("--to", with.to, "until then; default: now")->group(input);
    to.add_option("--step", with.step, "between two points of the past")->group(input)->capture_default_str();
    to.add_option("--cache", with.cache, "keep what was fetched here, and go on from there next time")->group(input);
    to.add_option("--sizes", with.sizes,
                  "file with the recorded replica counts: CSV with a column replicas, or a run log")
        ->group(input);
    to.add_option("--replicas", with.recorded_replicas, "the workload's size while the series was recorded")
        ->check(CLI::Range(0, std::numeric_limits<std::int32_t>::max()))
        ->group(input);
    to.add_option("--verify", with.verify,
                  "a log of gputided run: take its decisions again and compare; exit code 1: differ")
        ->group(input);
    to.add_option("--timeout-ms", with.timeout_ms, "for one query of the past")->group(input)->capture_default_str();
}

void add_model_flags(CLI::App& to, replay_options& with) {
    to.add_option("--model", with.model, "open: the metric was what it was; closed: it follows from load and replicas")
        ->check(CLI::IsMember({"open", "closed"}))
        ->group(modelled)
        ->capture_default_str();
    to.add_option("--signal", with.signals, "of the closed loop, per metric: utilization, queue or total")
        ->check(CLI::IsMember({"utilization", "queue", "total"}))
        ->group(modelled);
    to.add_option("--saturation", with.saturation, "the most that a utilization shows")
        ->group(modelled)
        ->capture_default_str();
    to.add_option("--startup", with.startup, "start-up delays of new replicas, as 60s,90s,200s: each draws one")
        ->delimiter(',')
        ->group(modelled);
    to.add_option("--seed", with.seed, "of the draws")->group(modelled)->capture_default_str();
    to.add_option("--initial", with.initial_replicas, "replicas at the start; default: as recorded, else the minimum")
        ->check(CLI::Range(0, std::numeric_limits<std::int32_t>::max()))
        ->group(modelled);
    to.add_option("--exporter-lag", with.exporter, "the exporter collects this often; closed loop: 30s, open loop: 0")
        ->group(modelled);
    to.add_option("--scrape-lag", with.scrape, "Prometheus scrapes this often; closed loop: 15s, open loop: 0")
        ->group(modelled);
    to.add_option("--poll", with.poll, "KEDA's polling interval; default: the manifest's")->group(modelled);
    to.add_option("--sync", with.sync, "the HPA's sync period; default: the manifest's")->group(modelled);
    to.add_option("--hold", with.hold, "how long a recorded value stands; default: 1.5 steps")->group(modelled);
    to.add_option("--above", with.above,
                  "per metric: the level of 'above target'; default: the target and its tolerance")
        ->delimiter(',')
        ->group(modelled);
    to.add_option("--flap-window", with.flap_window, "a change back within it is a flap; default: 10m")
        ->group(modelled);
    to.add_option("--gpus-per-replica", with.gpus_per_replica, "default: the manifest's, or 1")->group(modelled);
    to.add_option("--cost-per-gpu-hour", with.cost_per_gpu_hour, "default: the manifest's")->group(modelled);
    to.add_option("--set", with.set,
                  "change the policy: threshold=60, down_window_s=120, in_flight_guard=true; repeatable")
        ->group(modelled);
}

}  // namespace

void add_replay_flags(CLI::App& to, replay_options& with) {
    add_input_flags(to, with);
    add_model_flags(to, with);
}

void add_compare_flags(CLI::App& to, compare_options& with) {
    to.add_option("--against", with.against, "a further manifest, on the same series; repeatable");
    to.add_option("--variant", with.variants,
                  "the first manifest with changes: threshold=70,min=2, or with a name: 'calm: down_window_s=600'; "
                  "repeatable");
}

void add_tune_flags(CLI::App& to, tune_options& with) {
    const char* const limits = "Limits, each per day";
    to.add_option("--most-above", with.most_above, "minutes above target")
        ->check(CLI::NonNegativeNumber)
        ->group(limits);
    to.add_option("--most-flaps", with.most_flaps, "flaps")->check(CLI::NonNegativeNumber)->group(limits);
    to.add_option("--most-replicas", with.most_replicas, "replicas at any time")
        ->check(CLI::NonNegativeNumber)
        ->group(limits);
    const char* const searching = "The search";
    to.add_option(
          "--try", with.tries,
          "a setting and its values: threshold=40:90:5 or tolerance=0.05,0.1; repeatable; default: the usual ones "
          "around the manifest's own")
        ->group(searching);
    to.add_option("--candidates", with.candidates, "at most, before the best are refined")
        ->check(CLI::Range(1, 1'000'000))
        ->group(searching)
        ->capture_default_str();
    to.add_option("--holdout", with.holdout, "share of the series, at its end, that only validates")
        ->check(CLI::Range(0.0, 0.9))
        ->group(searching)
        ->capture_default_str();
    to.add_option("--jobs", with.jobs, "threads; default: one per core")->check(CLI::Range(0, 1024))->group(searching);
    to.add_flag("--all", with.all, "list each rejected candidate with the limit that it broke")->group(searching);
}

}  // namespace gputided

/* gputide, planning: forecast, replay, nodes, right-sizing, ScaledJobs.  In libgputide-full and libgputide-pure.  No function
 * does I/O or reads a clock, except gputide_series_fetch (not in libgputide-pure).  The conventions of gputide.h apply. */
#ifndef GPUTIDE_PLAN_H
#define GPUTIDE_PLAN_H

#include "gputide.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ====================================================================================================== 14 forecast */

/* Forecasts the load one start-up time ahead, for a host with its own control loop.  (In a manifest,
 * gputide.io/forecast does all of this.)  It learns from one value per pass, the total load to serve.  It compares its
 * error with that of the forecast "nothing changes", and returns a floor for the size that the host computed.  Each
 * pass: gputide_forecast_add, decide, _floor, write the size, _charge.
 * Rules, figures and limits: docs/forecast.md.  A forecast takes at most 16 KiB; a pass allocates nothing. */
typedef struct gputide_forecast gputide_forecast;

/* State of a forecast. */
enum {
    GPUTIDE_FORECAST_WARMING = 1, /* too few forecasts scored so far */
    GPUTIDE_FORECAST_OFF = 2,     /* not more accurate than repeating the last value */
    GPUTIDE_FORECAST_SPENT = 3,   /* the budget is spent */
    GPUTIDE_FORECAST_ON = 4
};

/* Result of a floor. */
enum {
    GPUTIDE_FLOOR_RAISED = 1,
    GPUTIDE_FLOOR_WITHIN_REACTIVE = 2, /* the reactive size is enough */
    GPUTIDE_FLOOR_CAPPED_BY_MAX = 3,
    GPUTIDE_FLOOR_CAPPED_BY_RAISE = 4, /* by max_raise_percent */
    GPUTIDE_FLOOR_OBSERVE = 5,         /* not raised because mode is observe */
    GPUTIDE_FLOOR_WARMING_UP = 6,      /* from here on: no floor */
    GPUTIDE_FLOOR_NOT_BETTER = 7,
    GPUTIDE_FLOOR_BUDGET_SPENT = 8,
    GPUTIDE_FLOOR_NO_RECENT_VALUE = 9,
    GPUTIDE_FLOOR_AT_ZERO = 10 /* a forecast does not start a workload from zero */
};

typedef struct gputide_floor {
    uint32_t struct_size;
    int32_t state;         /* GPUTIDE_FORECAST_* */
    int32_t reason;        /* GPUTIDE_FLOOR_* */
    int32_t replicas;      /* at least reactive_replicas; the forecast never raises it above max_replicas */
    int32_t need_replicas; /* replicas for floor_load; -1: no floor */
    int32_t reserved;
    double floor_load; /* the forecast load, also with GPUTIDE_FLOOR_AT_ZERO; NaN: none */
} gputide_floor;

/* Opens a forecast.
 *   settings   JSON, may be NULL: {"lead_ms":300000,"budget_percent":5,"mode":"act"}; every member and its default:
 *              docs/json.md (forecast_describe, settings).
 * Returns E_LIMIT; E_INVALID with the wrong member in where. */
GPUTIDE_API gputide_status gputide_forecast_open(const char* settings, int64_t size_bytes, gputide_forecast** out,
                                                 gputide_error* err);
GPUTIDE_API void gputide_forecast_free(gputide_forecast* forecast);

/* Adds the load of a pass at now_ms.  NaN, an infinity or a negative number: the load could not be read.  A value of a
 * slot that has ended is ignored and counted; a time far in the past means that the clock was set back. */
GPUTIDE_API gputide_status gputide_forecast_add(gputide_forecast* forecast, int64_t now_ms, double load,
                                                gputide_error* err);

/* Returns the floor for the size that this pass computed.
 *   target              load that one replica takes, more than 0.
 *   reactive_replicas   the size without the forecast, before rate limits and bounds; at least 0, as the next two.
 *   current_replicas    0: the workload is off and stays off.
 *   max_replicas        upper bound of the floor.
 * Example: floor load 117.39, target 10, reactive 10, max 40 → 12. */
GPUTIDE_API gputide_status gputide_forecast_floor(const gputide_forecast* forecast, double target,
                                                  int32_t reactive_replicas, int32_t current_replicas,
                                                  int32_t max_replicas, gputide_floor* out, gputide_error* err);

/* Charges the budget with the size that was written and with the size that the same rules would have written without the
 * forecast (from their own history and size).  Once per pass, after gputide_forecast_floor; both at least 0. */
GPUTIDE_API gputide_status gputide_forecast_charge(gputide_forecast* forecast, int32_t written_replicas,
                                                   int32_t shadow_replicas, gputide_error* err);

/* Returns forecast, accuracy and cost as JSON. */
GPUTIDE_API gputide_status gputide_forecast_describe(const gputide_forecast* forecast, gputide_text* json,
                                                     gputide_error* err);

/* Serializes the forecast for gputide_forecast_load, at most 28 KiB: versioned, with a checksum. */
GPUTIDE_API gputide_status gputide_forecast_save(const gputide_forecast* forecast, gputide_text* out,
                                                 gputide_error* err);

/* Restores a saved forecast.  With another lead, patterns and budget are kept and the rest is learned again; with another
 * slot length, everything is learned again.  Returns E_STATE for a damaged, foreign or newer text and changes nothing then. */
GPUTIDE_API gputide_status gputide_forecast_load(gputide_forecast* forecast, const char* text, int64_t size_bytes,
                                                 gputide_error* err);

/* Return the names of the numbers above as JSON spells them; "unknown" for others.  Static. */
GPUTIDE_API const char* gputide_forecast_state_name(int32_t state); /* "warming" */
GPUTIDE_API const char* gputide_floor_reason_name(int32_t reason);  /* "within_reactive" */

/* ======================================================================================================== 15 replay */

/* A replay runs a manifest over recorded metrics, with the same decision code and the clock as a parameter.
 * Models, settings and members of the report: docs/replay.md. */

/* Recorded values of each metric over time, and the workload's size if it is known.  At most 20 million points.
 * Unordered points, duplicates, gaps and NaN are accepted and counted. */
typedef struct gputide_series gputide_series;

/* Creates an empty series. */
GPUTIDE_API gputide_status gputide_series_new(gputide_series** out, gputide_error* err);
GPUTIDE_API void gputide_series_free(gputide_series* series);

/* Adds points of one metric, in any order.  NaN or an infinity is a point without a value.
 * Returns E_LIMIT; E_INVALID also for a time outside 1970 to 9999. */
GPUTIDE_API gputide_status gputide_series_add(gputide_series* series, int32_t metric, const int64_t* times_ms,
                                              const double* values, uint64_t count, gputide_error* err);

/* Adds the workload's replica counts at the time of recording.  A closed loop needs them.  Returns as
 * gputide_series_add. */
GPUTIDE_API gputide_status gputide_series_add_replicas(gputide_series* series, const int64_t* times_ms,
                                                       const int32_t* replicas, uint64_t count, gputide_error* err);

/* Adds the content of a text.  Its first value column belongs to `metric`, the second to the next metric, and so on.  The
 * format is detected: CSV (time,value[,value...][,replicas]), a saved response of Prometheus' query_range with one series,
 * or the log of `gputided run`.
 *   metric   GPUTIDE_NO_METRIC: adds only the replica counts, and the decisions of a run log.
 *   scaler   the scaler to read from a run log: "namespace/name"; NULL: the first.
 * Returns E_LIMIT, E_AMBIGUOUS (several series), E_PROTOCOL (JSON of another kind), E_NO_DATA; E_INVALID with the
 * line. */
GPUTIDE_API gputide_status gputide_series_read(gputide_series* series, int32_t metric, const char* text,
                                               int64_t size_bytes, const char* scaler, gputide_error* err);

/* Adds the past of one metric from its source: one query_range, both ends included, at most 11,000 steps.  Blocks.  The
 * trigger's rules reduce each step to one value.
 * Returns E_UNSUPPORTED for a source without a history, E_NOT_FOUND for an index beyond the metrics, and what
 * gputide_source_fetch returns. */
GPUTIDE_API gputide_status gputide_series_fetch(gputide_series* series, gputide_scaler* scaler, int32_t metric,
                                                int64_t start_ms, int64_t end_ms, int64_t step_ms, int32_t timeout_ms,
                                                const gputide_cancel* cancel, gputide_error* err);

/* Returns the series as CSV for gputide_series_read, without the decisions of a run log.  Returns E_NO_DATA for a series
 * without a point. */
GPUTIDE_API gputide_status gputide_series_write(gputide_series* series, gputide_text* csv, gputide_error* err);

/* Returns JSON: points, from, to, gaps, duplicates and others.  Returns E_NO_DATA for a series without a point. */
GPUTIDE_API gputide_status gputide_series_describe(gputide_series* series, gputide_text* json, gputide_error* err);

/* One replay: a manifest's policy, a model, and the sums so far.  Its memory does not grow with the length of the
 * series. */
typedef struct gputide_replay gputide_replay;

/* Opens a replay.  manifest and options as for gputide_policy_open.
 *   settings   JSON, may be NULL:
 *              {"model":"closed","signal":"utilization","startup_ms":[90000],"set":{"threshold":60}}; every member and
 *              its default: docs/replay.md.
 * Returns E_AMBIGUOUS, E_LIMIT; E_INVALID with the wrong member. */
GPUTIDE_API gputide_status gputide_replay_open(const char* manifest, int64_t size_bytes, const gputide_options* options,
                                               const char* settings, int64_t settings_bytes, gputide_replay** out,
                                               gputide_error* err);
GPUTIDE_API void gputide_replay_free(gputide_replay* replay);

/* Replays a whole series, once.  Several replays may use one series at the same time, after gputide_series_describe was
 * called on it.  Has no timeout.
 * Returns E_NO_DATA, E_LIMIT, E_CANCELLED; E_STATE for a replay that has run or was reported on. */
GPUTIDE_API gputide_status gputide_replay_run(gputide_replay* replay, const gputide_series* series,
                                              const gputide_cancel* cancel, gputide_error* err);

/* Replays one moment, for series of any length: the recorded values at time_ms, which must not go back.  Decisions that
 * were due before it are made first.
 *   samples    one per metric; GPUTIDE_SAMPLE_NOT_GIVEN: unchanged.  sample_size: sizeof(gputide_sample).
 *   replicas   recorded size of the workload; -1: unchanged.
 *   last       may be NULL; the last decision so far (source 0 before the first).
 * Returns E_LIMIT (a gap of more than 50 million steps); E_STATE after gputide_replay_run or _report. */
GPUTIDE_API gputide_status gputide_replay_record(gputide_replay* replay, int64_t time_ms, const gputide_sample* samples,
                                                 uint32_t sample_size, uint32_t sample_count, int32_t replicas,
                                                 gputide_decision* last, gputide_error* err);

/* Returns the result as JSON and ends the replay: nothing can be run or recorded after it. */
GPUTIDE_API gputide_status gputide_replay_report(gputide_replay* replay, gputide_text* json, gputide_error* err);

/* ========================================================================================================= 16 nodes */

/* Plans GPU nodes as the cluster-autoscaler does: nodes to add per pool for pending pods, and nodes to remove.
 * Docs: docs/nodes.md. */

/* A plan in numbers. */
typedef struct gputide_nodes_summary {
    uint32_t struct_size;
    uint32_t errors; /* items that were left out, or refused settings; the JSON names each */
    uint32_t warnings;
    uint32_t reserved;
    int64_t nodes_to_add;
    int64_t nodes_to_remove;  /* now; more may follow later */
    int64_t pods_pending;     /* the sum of the next three */
    int64_t pods_on_existing; /* fit on nodes that exist or are starting */
    int64_t pods_on_new;
    int64_t pods_left; /* fit no pool; the JSON says why */
} gputide_nodes_summary;

/* Plans the nodes of a cluster that the text describes.  Pure: no I/O, no clock; adds and removes nothing.
 *   text        pools, nodes, pods, settings and the actions since the last plan, as JSON or YAML of this library
 *               (docs/nodes.md), and Kubernetes objects and lists (`kubectl get nodes,pods -A -o json`), concatenated.
 *   state       next_state of the last plan; NULL or empty: none.
 *   now_ms      Unix milliseconds.
 *   summary     may be NULL; set its struct_size first.
 *   json        may be NULL; the whole plan with its reasons (docs/json.md, nodes_plan).
 *   next_state  may be NULL; JSON for the next plan: since when nodes are unneeded, open requests, failed pools.
 * An item that cannot be read is left out and named with its path; the others are planned.
 * Returns E_STATE for a text that is not a state; E_INVALID if nothing could be read. */
GPUTIDE_API gputide_status gputide_nodes_plan(const char* text, int64_t size_bytes, const char* state,
                                              int64_t state_bytes, int64_t now_ms, gputide_nodes_summary* summary,
                                              gputide_text* json, gputide_text* next_state, gputide_error* err);

/* ================================================================================================== 17 right-sizing */

/* Recommends a size for a GPU workload from samples of its GPUs: number of GPUs, MIG profile, machine, or several
 * replicas per GPU, with evidence and cost.  No I/O and no clock.  A sample allocates only for a new GPU or a new range
 * of values.
 * Rules and settings: docs/rightsizing.md. */
typedef struct gputide_rightsize gputide_rightsize;

/* Opens a right-sizing from text, YAML or JSON: settings of this library (a document without a kind), a GpuCatalogue, a
 * VerticalPodAutoscaler, each at most once, also in options->files:
 *     {"sku": "Standard_NC24ads_A100_v4", "gpus": 1, "prices": {"Standard_NC24ads_A100_v4": 3.67}}
 * Returns E_LIMIT; E_INVALID names the member, its line and path. */
GPUTIDE_API gputide_status gputide_rightsize_open(const char* settings, int64_t size_bytes,
                                                  const gputide_options* options, gputide_rightsize** out,
                                                  gputide_error* err);
GPUTIDE_API void gputide_rightsize_free(gputide_rightsize* rightsize);

/* Returns the settings as JSON with every default, and warnings. */
GPUTIDE_API gputide_status gputide_rightsize_describe(const gputide_rightsize* rightsize, gputide_text* json,
                                                      gputide_error* err);

/* Returns the number of the named container, from 1, and creates it if it is new.  Containers have separate histograms
 * and the same settings; at most a million.  Returns E_LIMIT. */
GPUTIDE_API gputide_status gputide_rightsize_container(gputide_rightsize* rightsize, const char* name, uint32_t* number,
                                                       gputide_error* err);

enum {
    GPUTIDE_USAGE_BUSY = 1,   /* busy is set */
    GPUTIDE_USAGE_MEMORY = 2, /* memory_bytes is set */
    GPUTIDE_USAGE_OOM = 4     /* out of memory; memory_bytes is the requested size (0: unknown), busy is ignored */
};

/* Usage of one GPU, MIG instance or (profile vpa) container of a pod, at one time. */
typedef struct gputide_usage_sample {
    int64_t time_ms;
    uint32_t container; /* number of the container; 0: the container without a name */
    uint32_t unit;      /* index of its GPU over all replicas, from 0 to 4095 */
    uint32_t flags;     /* GPUTIDE_USAGE_* */
    uint32_t reserved;
    double busy;          /* percent of time or, better, of the GPU's engines; profile vpa: cores */
    int64_t memory_bytes; /* in use on this GPU */
} gputide_usage_sample;

/* Adds samples.  The samples of one unit must be in the order of their times.
 *   sample_size   sizeof(gputide_usage_sample).
 *   counted       may be NULL; the number of counted samples.  Negative values, NaN, infinities and samples older than
 *                 the unit's last (for busy: as old as) are not counted and are not an error.
 * Returns E_NOT_FOUND for an unknown container number.  With E_NO_MEMORY some samples may have been added. */
GPUTIDE_API gputide_status gputide_rightsize_add(gputide_rightsize* rightsize, const gputide_usage_sample* samples,
                                                 uint32_t sample_size, uint32_t count, uint32_t* counted,
                                                 gputide_error* err);

/* Returns the recommendation for one container as JSON: verdict (change, keep, hold, nothing, report), recommendation
 * and runner-up, every percentile before and after margin, confidence and caps, cost, and a sentence.
 *   container   as in a sample.
 * Returns E_NOT_FOUND. */
GPUTIDE_API gputide_status gputide_rightsize_recommend(const gputide_rightsize* rightsize, uint32_t container,
                                                       int64_t now_ms, gputide_text* json, gputide_error* err);

/* Returns machines, MIG profile and sharing for a known need as JSON, the best choice first.
 *   memory_bytes   of each GPU, margin included.
 *   util_percent   of each GPU, margin included; at least 0. */
GPUTIDE_API gputide_status gputide_rightsize_fit(const gputide_rightsize* rightsize, int64_t memory_bytes,
                                                 double util_percent, gputide_text* json, gputide_error* err);

/* Serializes one container's histograms and open windows: the status of a VerticalPodAutoscalerCheckpoint with
 * additional members and a checksum; at most 4 KiB for 8 GPUs, 80 bytes for each more.  Returns E_NOT_FOUND. */
GPUTIDE_API gputide_status gputide_rightsize_save(const gputide_rightsize* rightsize, uint32_t container,
                                                  int64_t now_ms, gputide_text* out, gputide_error* err);

/* Replaces a container's data by a saved text of the same profile and half-life, or by the checkpoint object of a VPA.
 * Returns E_NOT_FOUND; E_STATE for a text that is damaged, foreign or newer; it is never loaded in part. */
GPUTIDE_API gputide_status gputide_rightsize_load(gputide_rightsize* rightsize, uint32_t container, const char* text,
                                                  int64_t size_bytes, gputide_error* err);

/* ===================================================================================================== 18 ScaledJob */

/* Decides one poll of a KEDA ScaledJob: how many Jobs to create now, and which finished ones to delete.  Pure: no I/O,
 * no clock.
 *   manifest      text with the ScaledJob; options->scaler names one of several.
 *   observation   JSON: {"values":[42.5,null],"running":3,"pending":1}, one value per trigger in manifest order; null:
 *                 its read failed.  Every member: docs/jobs.md.
 *   decision      JSON with create, delete, conditions, events and reasons (docs/json.md, scaled_job_decide).
 * Example: 12.5 items at 2 per Job, 3 Jobs unfinished → 4.
 * Returns E_AMBIGUOUS if there are several and none is named; E_INVALID with the place in the manifest or in
 * observation; E_LIMIT. */
GPUTIDE_API gputide_status gputide_scaled_job_decide(const char* manifest, int64_t size_bytes,
                                                     const gputide_options* options, const char* observation,
                                                     int64_t observation_bytes, gputide_text* decision,
                                                     gputide_error* err);

#ifdef __cplusplus
}
#endif

#endif /* GPUTIDE_PLAN_H */

/* gputide, many scalers in one process.  In libgputide and libgputide-full.  The conventions of gputide.h apply. */
#ifndef GPUTIDE_RUNTIME_H
#define GPUTIDE_RUNTIME_H

#include "gputide.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ======================================================================================================= 13 runtime */

/* Many scalers in one process, polled at their intervals over shared connections and tokens.  Decisions arrive as
 * events.  A runtime is driven in one of three ways:
 *   gputide_runtime_start    a thread of the runtime (all signals blocked in it), until _stop or _close
 *   gputide_runtime_step     by the host and its clock, at the time that the last step returned or earlier; an event
 *                            loop waits for gputide_runtime_wake_fd
 *   neither                  gputide_runtime_next_event drives while it waits
 * Every function of this header except _free may be called from any thread and at the same time as others.  None
 * blocks unless its comment says so.  After _close every function except _close and _free returns E_STATE.  Close the
 * runtime before the process exits.  docs/runtime.md has the limits and measurements. */
typedef struct gputide_runtime gputide_runtime;

enum {
    GPUTIDE_RUNTIME_EVERY_DECISION = 1, /* events also for decisions that change nothing */
    GPUTIDE_RUNTIME_REPORTS = 2,        /* events carry the decision as JSON, with conditions and trace */
    GPUTIDE_RUNTIME_NO_SHARING = 4,     /* equal queries of two scalers are sent twice */
    GPUTIDE_RUNTIME_OBSERVE_FIRST = 8   /* each poll waits for an observation, which GPUTIDE_EVENT_DUE requests */
};

/* Options of a runtime.  A negative member is E_INVALID. */
typedef struct gputide_runtime_options {
    uint32_t struct_size;
    uint32_t flags;           /* GPUTIDE_RUNTIME_* */
    uint64_t seed;            /* of the random start offsets */
    int32_t poll_timeout_ms;  /* deadline of one poll: tokens, queries, retries; 0: 10,000 */
    int32_t start_spread_ms;  /* first polls are spread over this time; 0: over the scaler's shorter period */
    int32_t share_window_ms;  /* a response is reused for equal queries for this time; 0: 5,000 */
    int32_t max_in_flight;    /* maximum of concurrent requests; 0: 1,024 */
    int32_t max_per_endpoint; /* the same for one scheme, host and port; 0: 64 */
    int32_t breaker_failures; /* consecutive failures that open an endpoint's circuit breaker; 0: 5 */
    int32_t breaker_base_ms;  /* first time that the circuit stays open; doubles with each failed trial; 0: 1,000 */
    int32_t breaker_cap_ms;   /* maximum of that time, at least breaker_base_ms; 0: 60,000 */
    int32_t gather_ms;        /* polls due within this time run together; 0: 100; 1: practically off; at most 1,000 */
    int32_t reserved;
} gputide_runtime_options;

/* Creates a runtime.  Sends nothing and starts no thread.  Returns E_UNAVAILABLE (no file descriptor available),
 * E_SECURITY. */
GPUTIDE_API gputide_status gputide_runtime_new(const gputide_runtime_options* options, gputide_runtime** out,
                                               gputide_error* err);

/* Shuts the runtime down permanently.  Blocks for at most timeout_ms; 0: starts the shutdown and returns;
 * GPUTIDE_FOREVER.  Other calls are refused from then on.  Calls in progress end soon, a wait in _next_event with
 * GPUTIDE_E_CANCELLED.  The thread ends; requests under way are abandoned.  Save the scalers' states before.  May be
 * repeated, also by several threads at once.
 * Returns E_TIMEOUT while a call or the thread is still in progress: call again. */
GPUTIDE_API gputide_status gputide_runtime_close(gputide_runtime* runtime, int32_t timeout_ms, gputide_error* err);

/* Frees the runtime.  No other call may be in progress.  Returns at once after gputide_runtime_close; otherwise it
 * waits for the thread.  Does nothing in a child of fork. */
GPUTIDE_API void gputide_runtime_free(gputide_runtime* runtime);

/* Adds a scaler.  It is polled from the first observation on, with GPUTIDE_RUNTIME_OBSERVE_FIRST at once.
 *   manifest, options   as for gputide_scaler_open.
 *   tag   any value of the host for this scaler; returned in each event.
 *   id    number of the scaler in this runtime, never 0 and never reused; may be NULL.
 * Returns E_AMBIGUOUS, E_LIMIT; E_INVALID also for a name ("namespace/name") that exists. */
GPUTIDE_API gputide_status gputide_runtime_add(gputide_runtime* runtime, const char* manifest, int64_t size_bytes,
                                               const gputide_options* options, uint64_t tag, uint64_t* id,
                                               gputide_error* err);

/* Replaces the manifest of a scaler with the same name.  Keeps observation, pushed samples and schedule, and the state if
 * it fits.  Drops a pending event.
 *   tag   may be NULL: unchanged.
 * Returns E_NOT_FOUND, E_AMBIGUOUS, E_LIMIT; the scaler then continues unchanged. */
GPUTIDE_API gputide_status gputide_runtime_replace(gputide_runtime* runtime, uint64_t id, const char* manifest,
                                                   int64_t size_bytes, const gputide_options* options,
                                                   const uint64_t* tag, gputide_error* err);

/* Removes a scaler, its requests and its pending event.  Returns E_NOT_FOUND. */
GPUTIDE_API gputide_status gputide_runtime_remove(gputide_runtime* runtime, uint64_t id, gputide_error* err);

/* Returns the id of "namespace/name".  Returns E_NOT_FOUND. */
GPUTIDE_API gputide_status gputide_runtime_find(gputide_runtime* runtime, const char* name, uint64_t* id,
                                                gputide_error* err);

/* Iterates over scaler ids: returns the id that follows after_id, in no particular order; after_id 0: the first.  A
 * scaler present during the whole iteration is returned exactly once.  after_id may have been removed.
 * Returns E_NOT_FOUND after the last one. */
GPUTIDE_API gputide_status gputide_runtime_next_scaler(gputide_runtime* runtime, uint64_t after_id, uint64_t* id,
                                                       gputide_error* err);

/* Sets the current facts of a scaler's target.  They are copied and used until the next observation.  The first
 * observation starts the polling.  Observe again when the size changed by anything other than _record, and before a
 * decision should rely on it.
 *   observation   samples may be empty, or as for gputide_runtime_push; the metric of a pod sample must be one of the
 *                 policy's.
 * Returns E_NOT_FOUND, E_LIMIT. */
GPUTIDE_API gputide_status gputide_runtime_observe(gputide_runtime* runtime, uint64_t id,
                                                   const gputide_observation* observation, gputide_error* err);

/* Sets values of metrics that the host provides (triggers of type values, metrics of an HPA without a source), without
 * an observation.  They are copied and used by the next polls until others are pushed.  Polling starts with the first
 * observation.
 *   samples       one per metric of the policy, by the metric's index; GPUTIDE_SAMPLE_NOT_GIVEN keeps the previous
 *                 value.
 *   sample_size   sizeof(gputide_sample).
 *   count         the number of the policy's metrics.
 * Returns E_NOT_FOUND, E_LIMIT; E_INVALID also if a sample's metric is read by a source. */
GPUTIDE_API gputide_status gputide_runtime_push(gputide_runtime* runtime, uint64_t id, const gputide_sample* samples,
                                                uint32_t sample_size, uint32_t count, gputide_error* err);

/* DUE: with GPUTIDE_RUNTIME_OBSERVE_FIRST a poll is due and waits for gputide_runtime_observe, without a time limit.
 * Decision and report are empty.
 * CLUSTER: an event of an attached cluster (kubernetes.h): a write and its end, leadership, a blocked scaler, a difference.
 * The report is JSON (docs/json.md, cluster_event); the decision is empty. */
enum { GPUTIDE_EVENT_DECISION = 1, GPUTIDE_EVENT_DUE = 2, GPUTIDE_EVENT_CLUSTER = 3 };

typedef struct gputide_event {
    uint32_t struct_size;
    int32_t kind;        /* GPUTIDE_EVENT_* */
    uint64_t id;         /* of the scaler */
    uint64_t tag;        /* as given to _add or _replace */
    uint64_t sequence;   /* 1, 2, 3, ... in the order in which events are returned */
    int64_t observed_ms; /* time of the observation behind the decision: observation->now_ms, or now_ms of a record */
    uint32_t replaced;   /* number of this scaler's earlier decisions that this event replaces */
    uint32_t reserved;
    char name[328]; /* "namespace/name" */
} gputide_event;

/* Returns "decision", "due", "cluster"; "unknown" for a number without a name.  Static. */
GPUTIDE_API const char* gputide_event_kind_name(int32_t kind);

/* Returns the next event: a write is wanted, or a decision differs from the scaler's previous one (or each decision,
 * with GPUTIDE_RUNTIME_EVERY_DECISION).  A scaler has at most one pending event, with its newest decision, so events
 * cannot pile up.  Blocks for at most timeout_ms; 0: does not block; GPUTIDE_FOREVER.  If no thread drives the runtime,
 * this call drives it by the system clock while it waits.
 *   decision   may be NULL; act on it and record the write.  GPUTIDE_EVENT_DUE and _CLUSTER have none.
 *   report     may be NULL; emptied, then filled with GPUTIDE_RUNTIME_REPORTS or for GPUTIDE_EVENT_CLUSTER.
 * Returns E_NO_DATA if there was no event in time, E_CANCELLED also when the runtime is closed.  After a failure the
 * event, if there was one, is still pending. */
GPUTIDE_API gputide_status gputide_runtime_next_event(gputide_runtime* runtime, int32_t timeout_ms,
                                                      const gputide_cancel* cancel, gputide_event* event,
                                                      gputide_decision* decision, gputide_text* report,
                                                      gputide_error* err);

/* Records the result of the write that an event's decision requires, once.  applied 1: decision->desired_replicas was
 * written at now_ms and is the current size from now on; 0: the write failed.  Updates decision (conditions, event).  A
 * decision that needs no write needs no record.  The last four writes of a scaler can be recorded, and after _load one
 * that the loaded state still expects.  A record settles all earlier ones.
 * Returns E_NOT_FOUND; E_STATE for a decision that no event of this scaler carried, or that is recorded or settled. */
GPUTIDE_API gputide_status gputide_runtime_record(gputide_runtime* runtime, uint64_t id, gputide_decision* decision,
                                                  int32_t applied, int64_t now_ms, gputide_error* err);

/* Serializes a scaler's state as gputide_state_save does.  Returns E_NOT_FOUND. */
GPUTIDE_API gputide_status gputide_runtime_save(gputide_runtime* runtime, uint64_t id, gputide_text* out,
                                                gputide_error* err);

/* Replaces a scaler's state as gputide_state_load does without flags.  Returns E_NOT_FOUND; E_STATE in the same cases. */
GPUTIDE_API gputide_status gputide_runtime_load(gputide_runtime* runtime, uint64_t id, const char* text,
                                                int64_t size_bytes, gputide_error* err);

/* Returns one scaler as JSON: name, polls, observation, last decision (as in the report of gputide_decide, without a
 * trace) and metrics (as gputide_scaler_describe).  Returns E_NOT_FOUND. */
GPUTIDE_API gputide_status gputide_runtime_describe(gputide_runtime* runtime, uint64_t id, gputide_text* json,
                                                    gputide_error* err);

/* Returns counters of the runtime as JSON (docs/runtime.md): poll lag, polls, errors by reason, shared queries,
 * requests in flight, queues, endpoints with their circuit breakers. */
GPUTIDE_API gputide_status gputide_runtime_stats(gputide_runtime* runtime, gputide_text* json, gputide_error* err);

/* Starts the runtime's thread.  Returns E_STATE if it is running or the host is driving the runtime; E_UNAVAILABLE (no
 * thread available). */
GPUTIDE_API gputide_status gputide_runtime_start(gputide_runtime* runtime, gputide_error* err);

/* Stops the runtime's thread.  Blocks for at most timeout_ms; 0: starts to stop it and returns; GPUTIDE_FOREVER.  Polls
 * under way are abandoned and start again when the runtime is driven next.  Scalers and events are kept, and the thread
 * may be started again.  GPUTIDE_OK without a thread.  Returns E_TIMEOUT while it is still stopping: call again. */
GPUTIDE_API gputide_status gputide_runtime_stop(gputide_runtime* runtime, int32_t timeout_ms, gputide_error* err);

/* Runs everything that is due at now_ms and processes network input, without waiting.
 *   now_ms    time of the host's clock.  It may jump: a jump back moves no poll; after a jump forward or a stall,
 *             missed polls run once, as spread out as before.
 *   next_ms   may be NULL; latest time of the next call; INT64_MAX: when something was changed.
 * Returns E_STATE while the runtime's thread or another call drives it. */
GPUTIDE_API gputide_status gputide_runtime_step(gputide_runtime* runtime, int64_t now_ms, int64_t* next_ms,
                                                gputide_error* err);

/* Returns a descriptor for poll or epoll.  It is readable while an event is pending, while _step should be called
 * (unless the runtime's thread drives), and permanently after _close.  It belongs to the runtime until _free: do not
 * read or close it.
 * Returns E_UNAVAILABLE (no file descriptor available). */
GPUTIDE_API gputide_status gputide_runtime_wake_fd(gputide_runtime* runtime, int32_t* fd, gputide_error* err);

#ifdef __cplusplus
}
#endif

#endif /* GPUTIDE_RUNTIME_H */

/* Written by bindings/generator from the headers of include/gputide: change that, then run python3 -m bindings.generator. */
/* The functions of gputide as calls through the tables that library.h has opened.  Include it last. */
/* clang-format off */
#ifndef GPUTIDE_CALLS_H
#define GPUTIDE_CALLS_H

/* gputide: GPU autoscaling inside your own process.
 *
 * Input: a manifest that you already have (a KEDA ScaledObject with its TriggerAuthentication, or an autoscaling/v2
 * HorizontalPodAutoscaler) and the current replica count.  The library fetches the metrics and acquires the tokens.
 * Output: the replica count that KEDA and the HPA would write, with a full explanation.
 *
 *   gputide/gputide.h      one scaler (section 1), a decision from numbers (5, 6); errors, options, log, version
 *   gputide/source.h       credentials and sources alone           gputide/runtime.h     many scalers in one loop
 *   gputide/plan.h         forecast, replay, nodes, right-sizing   gputide/kubernetes.h  a cluster, AKS node pools
 * libgputide has gputide.h, source.h and runtime.h; libgputide-full has all; libgputide-pure needs no network library and
 * has gputide.h without gputide_scaler_*, and plan.h without gputide_series_fetch.
 *
 * Conventions (source.h has more for hosts of the network functions: fork, threads, libcurl, symbols)
 *   Names      gputide_<noun>_<verb>; arguments in the order handle, inputs, outputs, err.
 *   Ownership  Const inputs are borrowed for the call and copied if kept.  T **out returns a handle that the caller must
 *              free with its _free function, in any order: no handle depends on another.  A returned const char * is
 *              static, or valid as long as its handle if the comment says so.
 *   NULL       Allowed for err, options, cancel and in every _free, and where a comment says so.
 *   Structs    The first member is struct_size: zero-fill the struct, then set it to sizeof.  Zero in a member means "not
 *              given", except for replica counts and GPUTIDE_OK.  A newer library fills only the members that the caller
 *              knows.  A struct smaller than in release 0.3 is GPUTIDE_E_INVALID.  An unknown flag bit, a reserved member
 *              that is not 0 and a set member unknown to the library are GPUTIDE_E_TOO_NEW.  Enums are append-only.
 *   Text       UTF-8.  Sizes are in bytes.  GPUTIDE_TEXT is allowed as the size of every input.
 *   Indices    Metrics count from 0, in manifest order.  References to pods count from 1; 0: none.
 *   Times      *_ms: Unix milliseconds (UTC) for points in time, milliseconds for durations.  now_ms must lie in the years
 *              1970 to 9999 and must not be 0, else GPUTIDE_E_INVALID.  A point in time from 1,600,000,000 to
 *              2,499,999,999 looks like seconds and is GPUTIDE_E_INVALID.  In JSON, *_in_ms is a duration.
 *   timeout_ms Deadline of the whole call (token, DNS, retries, body).  Must be more than 0, else GPUTIDE_E_INVALID.  0 (do
 *              not wait) and GPUTIDE_FOREVER are allowed if the comment says so.
 *   Errors     Functions return an int32 status.  Every function that returns a status may return the common statuses:
 *              GPUTIDE_OK, _E_INVALID (a NULL or impossible argument), _E_TOO_NEW (above), _E_STATE (a handle of the
 *              parent process), _E_NO_MEMORY and _E_BUG.  "Returns" in a comment names the others.
 *   Failure    A failed call writes *err.  It writes no output, except a gputide_sample (state and status) and the report
 *              and lines of gputide_manifest_check, and it changes no handle.
 *   Threads    An argument of type const T * may be shared by concurrent calls.  A T * must not be used by another call at
 *              the same time.  Different handles never interfere.  Exceptions: gputide_cancel_fire, gputide_log_close,
 *              and runtime.h.  No function has thread affinity.  None blocks unless its comment says so.
 *   JSON       docs/json.md lists every member of every text.
 *
 * Apache-2.0.  https://semver.org for the release; GPUTIDE_ABI_VERSION for the binary interface (docs/abi.md). */
#ifndef GPUTIDE_H
#define GPUTIDE_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__) && !defined(GPUTIDE_STATIC)
#define GPUTIDE_API __attribute__((visibility("default")))
#else
#define GPUTIDE_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define GPUTIDE_TEXT (-1)          /* as a size: the text is NUL-terminated */
#define GPUTIDE_FOREVER (-1)       /* as timeout_ms, where a comment allows it */
#define GPUTIDE_NO_METRIC (-1)     /* as the index of a metric: none */
#define GPUTIDE_FORMULA (-2)       /* as the index of a metric: the formula of scalingModifiers */
#define GPUTIDE_NO_VALUE INT64_MIN /* as value_milli of a pod sample: the pod has a request, but no value */

/* ========================================================================================================= 1 scaler */

typedef int32_t gputide_status;
typedef struct gputide_error gputide_error;             /* section 3 */
typedef struct gputide_text gputide_text;               /* section 3 */
typedef struct gputide_options gputide_options;         /* section 4 */
typedef struct gputide_observation gputide_observation; /* section 2; so is the next */
typedef struct gputide_decision gputide_decision;
typedef struct gputide_cancel gputide_cancel; /* section 3 */

/* Checks a manifest without opening anything.  Uses no network.
 *   report   JSON with the scalers and the findings; also written with E_INVALID, and with E_LIMIT for a finding.
 *   lines    may be NULL; the findings in the form of compiler messages; written in the same cases.
 * Returns E_LIMIT; E_INVALID if a finding is an error, GPUTIDE_OK if all are warnings. */
GPUTIDE_API gputide_status gputide_manifest_check(const char* manifest, int64_t size_bytes,
                                                  const gputide_options* options, gputide_text* report,
                                                  gputide_text* lines, gputide_error* err);

/* A running ScaledObject or HorizontalPodAutoscaler: its sources, credentials, policy and state.  (KEDA calls a source a
 * scaler.)  Each round: tick, write desired_replicas to the target if it differs from current_replicas, record. */
typedef struct gputide_scaler gputide_scaler;

/* Opens a scaler.  manifest: YAML (several documents) or JSON.  Sends nothing.
 * Returns E_AMBIGUOUS (the text holds several scalers and options->scaler names none), E_LIMIT, E_UNAVAILABLE, E_SECURITY;
 * E_INVALID names file, line and path. */
GPUTIDE_API gputide_status gputide_scaler_open(const char* manifest, int64_t size_bytes, const gputide_options* options,
                                               gputide_scaler** out, gputide_error* err);
GPUTIDE_API void gputide_scaler_free(gputide_scaler* scaler);

/* Fetches every trigger that is due, and decides.  Blocks.
 *   observation   current size and time; samples: values of triggers of type values, by index.  A sample for a metric
 *                 that is read by a source is E_INVALID.
 *   report        may be NULL; the decision as one line of JSON, as for gputide_decide.
 * A failed trigger does not fail the call.  The decision is then the one of KEDA and the HPA (flag GPUTIDE_DECIDED_ERROR),
 * and gputide_scaler_describe returns each error.  Returns E_CANCELLED, E_LIMIT. */
GPUTIDE_API gputide_status gputide_scaler_tick(gputide_scaler* scaler, const gputide_observation* observation,
                                               int32_t timeout_ms, const gputide_cancel* cancel, gputide_decision* out,
                                               gputide_text* report, gputide_error* err);

/* Records the result of writing decision->desired_replicas, once.  applied 1: it was written at now_ms; 0: the write
 * failed, for the reason in decision->message.  Updates decision (conditions, event).  A decision that needs no write
 * needs no record.  Scale events and cooldown follow recorded writes.
 * Returns E_STATE for a decision that was already recorded or that this scaler did not make. */
GPUTIDE_API gputide_status gputide_scaler_record(gputide_scaler* scaler, gputide_decision* decision, int32_t applied,
                                                 int64_t now_ms, gputide_error* err);

/* Serializes the scaler's state, for a restart: versioned, with a checksum. */
GPUTIDE_API gputide_status gputide_scaler_save(const gputide_scaler* scaler, gputide_text* out, gputide_error* err);

/* Replaces the scaler's state by a saved one.  Returns E_STATE in the cases of gputide_state_load. */
GPUTIDE_API gputide_status gputide_scaler_load(gputide_scaler* scaler, const char* text, int64_t size_bytes,
                                               gputide_error* err);

/* Returns JSON: policy (as gputide_policy_describe), conditions (type, status, reason, message, since), and for each
 * metric its last value, age, state, latency and the error of a failed read. */
GPUTIDE_API gputide_status gputide_scaler_describe(const gputide_scaler* scaler, gputide_text* json,
                                                   gputide_error* err);

/* Overwrites and frees the bytes and empties the text.  NULL and an empty text are allowed. */
GPUTIDE_API void gputide_text_free(gputide_text* text);

/* ============================================================================================== 2 numbers of a tick */

typedef int32_t gputide_sample_state;
enum {
    GPUTIDE_SAMPLE_NOT_GIVEN = 0, /* not read, or not given */
    GPUTIDE_SAMPLE_OK = 1,
    GPUTIDE_SAMPLE_EMPTY = 2,        /* the query matched nothing */
    GPUTIDE_SAMPLE_NOT_A_NUMBER = 3, /* NaN or an infinity */
    GPUTIDE_SAMPLE_STALE = 4,
    GPUTIDE_SAMPLE_PARTIAL = 5,
    GPUTIDE_SAMPLE_AMBIGUOUS = 6,
    GPUTIDE_SAMPLE_AUTH = 7,
    GPUTIDE_SAMPLE_TIMEOUT = 8,
    GPUTIDE_SAMPLE_FAILED = 9
};

enum { GPUTIDE_SAMPLE_NULL_AS_ZERO = 1 }; /* empty, NaN or infinity, read as 0 because of ignoreNullValues */

/* A value, or the reason why it is missing. */
typedef struct gputide_sample {
    uint32_t struct_size;
    gputide_sample_state state; /* GPUTIDE_SAMPLE_*; value is valid only with GPUTIDE_SAMPLE_OK */
    gputide_status status;      /* of the failed read; GPUTIDE_OK if state is OK */
    uint32_t flags;             /* GPUTIDE_SAMPLE_NULL_AS_ZERO */
    double value;               /* finite */
    int64_t time_ms;            /* time of the value; 0: unknown */
    const char* message;        /* in: why there is no value, for reports and conditions; may be NULL.  out: NULL */
} gputide_sample;

enum {
    GPUTIDE_OBSERVED_STATUS = 1,  /* status_replicas 0 means 0, not unknown */
    GPUTIDE_OBSERVED_READY = 2,   /* ready_replicas 0 means 0, not unknown */
    GPUTIDE_SCALE_UNREADABLE = 4, /* the target's size could not be read; current_replicas is ignored */
    GPUTIDE_OBSERVED_PODS = 8     /* pods has all pods of the target; pod_count 0: the target has no pods */
};

/* The current facts of the target.  Everything is borrowed for the call.  Arrays with count 0 may be NULL. */
struct gputide_observation {
    uint32_t struct_size;
    uint32_t flags; /* GPUTIDE_OBSERVED_*, GPUTIDE_SCALE_UNREADABLE */
    int64_t now_ms;
    int32_t current_replicas; /* the target's spec.replicas */
    int32_t status_replicas;  /* its status.replicas: pods that exist; 0 without flag: equal to current_replicas */
    int32_t ready_replicas;   /* ready pods; 0 without flag: equal to current_replicas */
    uint32_t sample_count;    /* number of metrics of the policy.  0 is allowed if no metric takes a sample: all are
                                 read from pods, GPUTIDE_SCALE_UNREADABLE is set, or a scaler fetches */
    const gputide_sample* samples;  /* by the metric's index */
    const struct gputide_pod* pods; /* declared in source.h; for metrics of type Pods, Resource, ContainerResource */
    const struct gputide_pod_sample* pod_samples;
    uint32_t pod_count;
    uint32_t pod_sample_count;
    uint32_t sample_size; /* sizeof(gputide_sample) if samples is set; the next two likewise */
    uint32_t pod_size;
    uint32_t pod_sample_size;
    uint32_t reserved;
    const char* message; /* with GPUTIDE_SCALE_UNREADABLE: the reason, for conditions; may be NULL */
};

/* The limit that determined the decision. */
enum {
    GPUTIDE_LIMIT_NONE = 0,
    GPUTIDE_LIMIT_TOLERANCE = 1,
    GPUTIDE_LIMIT_STABILIZED = 2,
    GPUTIDE_LIMIT_SCALE_UP = 3,
    GPUTIDE_LIMIT_SCALE_DOWN = 4,
    GPUTIDE_LIMIT_MIN = 5,
    GPUTIDE_LIMIT_MAX = 6,
    GPUTIDE_LIMIT_COOLDOWN = 7,
    GPUTIDE_LIMIT_FALLBACK = 8,
    GPUTIDE_LIMIT_PAUSED = 9,
    GPUTIDE_LIMIT_NOT_DUE = 10,
    GPUTIDE_LIMIT_NO_DATA = 11,
    GPUTIDE_LIMIT_BUDGET = 12,
    GPUTIDE_LIMIT_FORECAST = 13,   /* raised by gputide.io/forecast */
    GPUTIDE_LIMIT_NO_CAPACITY = 14 /* on a cluster: a part of the size has no node */
};

/* The part that made the decision: the HPA, or KEDA's executor (0 <-> 1).  0: no decision yet. */
enum { GPUTIDE_SOURCE_HPA = 1, GPUTIDE_SOURCE_EXECUTOR = 2 };

/* The event that KEDA would emit for the object. */
enum {
    GPUTIDE_NO_SCALE_EVENT = 0,
    GPUTIDE_ACTIVATED = 1,
    GPUTIDE_DEACTIVATED = 2,
    GPUTIDE_ACTIVATION_FAILED = 3,
    GPUTIDE_DEACTIVATION_FAILED = 4
};

/* Conditions as `kubectl describe` shows them; index into gputide_decision.conditions. */
enum {
    GPUTIDE_ABLE_TO_SCALE = 0,
    GPUTIDE_SCALING_ACTIVE = 1,
    GPUTIDE_SCALING_LIMITED = 2,
    GPUTIDE_SCALED_TO_ZERO = 3,
    GPUTIDE_CONDITION_READY = 4,
    GPUTIDE_CONDITION_ACTIVE = 5,
    GPUTIDE_CONDITION_FALLBACK = 6,
    GPUTIDE_CONDITION_PAUSED = 7,
    GPUTIDE_MAX_CONDITIONS = 16 /* array size; unused entries are GPUTIDE_ABSENT */
};

enum { GPUTIDE_ABSENT = 0, GPUTIDE_TRUE = 1, GPUTIDE_FALSE = 2, GPUTIDE_UNKNOWN = 3 };

typedef struct gputide_condition {
    int32_t truth;    /* GPUTIDE_ABSENT: this condition is not set */
    int32_t reason;   /* as gputide_reason_name names it: ScaleDownStabilized, TooManyReplicas, ... */
    int64_t since_ms; /* time of the last change of truth */
} gputide_condition;

enum {
    GPUTIDE_DECIDED_ACTIVE = 1,   /* a trigger is active */
    GPUTIDE_DECIDED_ERROR = 2,    /* a trigger or metric failed without a fallback */
    GPUTIDE_DECIDED_EXECUTOR = 4, /* KEDA's executor was due and ran */
    GPUTIDE_DECIDED_HPA = 8       /* the HPA was due and ran */
};

/* The result. */
struct gputide_decision {
    uint32_t struct_size;
    uint32_t flags; /* GPUTIDE_DECIDED_* */
    uint64_t id;    /* id within its state, for the record; never 0, below 2^53 */
    int64_t now_ms;
    int64_t next_due_ms; /* Unix time of the next decision; earlier calls return GPUTIDE_LIMIT_NOT_DUE */
    int32_t current_replicas;
    int32_t desired_replicas;
    int32_t proposed_replicas; /* result of the metrics, before stabilization, limits and bounds */
    int32_t limited_by;        /* GPUTIDE_LIMIT_* */
    int32_t source;            /* GPUTIDE_SOURCE_* */
    int32_t winner;            /* metric with the highest proposal, GPUTIDE_NO_METRIC or GPUTIDE_FORMULA */
    int32_t failed_metric;     /* the first metric that failed; special values as for winner */
    int32_t event;             /* GPUTIDE_ACTIVATED, ... */
    gputide_condition conditions[GPUTIDE_MAX_CONDITIONS];
    int32_t forecast_state; /* GPUTIDE_FORECAST_* of plan.h; 0: the policy has no forecast */
    int32_t forecast_need;  /* replicas for the forecast load; -1: no forecast */
    const char* message;    /* in: reason of a failed write, for conditions; may be NULL.  Every call sets it to NULL */
};

/* Return the names of these numbers as JSON and Kubernetes spell them; "unknown" for others.  Static. */
GPUTIDE_API const char* gputide_sample_state_name(gputide_sample_state state); /* "not_a_number" */
GPUTIDE_API const char* gputide_limit_name(int32_t limit);                     /* "scale_up_limit" */
GPUTIDE_API const char* gputide_event_name(int32_t event);         /* "KEDAScaleTargetActivated"; "" for none */
GPUTIDE_API const char* gputide_condition_name(int32_t condition); /* "ScalingLimited" */
GPUTIDE_API const char* gputide_reason_name(int32_t reason);       /* "ScaleDownStabilized"; "" for none */

/* ==================================================================================== 3 status, error, text, cancel */

enum {
    GPUTIDE_OK = 0,
    GPUTIDE_E_INVALID = 1,     /* a manifest, setting or argument is wrong */
    GPUTIDE_E_AUTH = 2,        /* credentials were refused */
    GPUTIDE_E_FORBIDDEN = 3,   /* credentials are valid, a role is missing */
    GPUTIDE_E_THROTTLED = 4,   /* too many requests: wait until retry_at_ms */
    GPUTIDE_E_UNAVAILABLE = 5, /* network or service, temporarily */
    GPUTIDE_E_UNSUPPORTED = 6, /* not supported here, such as a credential source that this machine lacks */
    GPUTIDE_E_TIMEOUT = 7,     /* the caller's deadline, or a timeout reported by the server */
    GPUTIDE_E_CANCELLED = 8,   /* gputide_cancel_fire, or the handle was closed */
    GPUTIDE_E_REJECTED = 9,    /* the server refuses this query permanently */
    GPUTIDE_E_PROTOCOL = 10,   /* an invalid response */
    GPUTIDE_E_SECURITY = 11,   /* stopped because continuing is unsafe */
    GPUTIDE_E_NO_DATA = 12,    /* the query works and returns no value */
    GPUTIDE_E_AMBIGUOUS = 13,  /* several values where exactly one is needed */
    GPUTIDE_E_PARTIAL = 14,    /* the server marked its response as incomplete */
    GPUTIDE_E_LIMIT = 15,      /* a size, depth or count limit of this library */
    GPUTIDE_E_STATE = 16,      /* a damaged or foreign saved state; a call that an earlier call rules out */
    GPUTIDE_E_TOO_NEW = 17,    /* a struct with members or flags that this library does not know */
    GPUTIDE_E_NO_MEMORY = 18,
    GPUTIDE_E_BUG = 19,      /* a bug of this library: please report it with the message */
    GPUTIDE_E_NOT_FOUND = 20 /* an unknown id or name */
};

typedef int32_t gputide_action;
/* The caller's next action. */
enum {
    GPUTIDE_ACTION_NONE = 0,
    GPUTIDE_ACTION_RETRY = 1,
    GPUTIDE_ACTION_WAIT = 2, /* until retry_at_ms */
    GPUTIDE_ACTION_FIX_CONFIGURATION = 3,
    GPUTIDE_ACTION_FIX_CREDENTIALS = 4,
    GPUTIDE_ACTION_GRANT_ROLE = 5,
    GPUTIDE_ACTION_FIX_QUERY = 6,
    GPUTIDE_ACTION_ALLOW_BY_NAME = 7, /* allow the name in the options, or correct it */
    GPUTIDE_ACTION_UPGRADE = 8,
    GPUTIDE_ACTION_REPORT_BUG = 9
};

/* Return the names of these numbers; "E_UNKNOWN" and "unknown" for others.  Static. */
GPUTIDE_API const char* gputide_status_name(gputide_status status); /* "E_INVALID", "OK" */
GPUTIDE_API const char* gputide_action_name(gputide_action action); /* "fix_credentials" */

/* Caller-owned; nothing in it needs freeing.  Only struct_size is read, so one struct can be reused for every call.  It
 * is written only on failure.  Texts that are too long are cut on a UTF-8 boundary.  It never holds a secret. */
struct gputide_error {
    uint32_t struct_size;
    gputide_status status;
    gputide_action action; /* GPUTIDE_ACTION_RETRY and _WAIT only if retryable is 1 */
    int32_t retryable;     /* 1: the same call may succeed later */
    int32_t http_status;   /* 0: there was no HTTP response */
    int32_t reserved;
    int64_t retry_at_ms;   /* 0: unknown */
    char service_code[64]; /* the server's error code: AADSTS700024, bad_data, AuthorizationFailed */
    char where[128];       /* "so.yaml:17 spec.triggers[0].metadata.threshold", "trigger 0 (prometheus)" */
    char message[2048];    /* what was found, what is accepted, what to do */
    char detail[4096];     /* JSON: class, place in a text, details of the server (claims, trace_id); "" if too long */
};

/* Library memory, NUL-terminated beyond size_bytes.  Initialize it with {0}; filling it again frees the old content. */
struct gputide_text {
    char* data;
    uint64_t size_bytes;
};

/* Creates a handle that ends blocking calls from another thread.  It may serve several calls. */
GPUTIDE_API gputide_status gputide_cancel_new(gputide_cancel** out, gputide_error* err);

/* Ends the calls that use this handle, now and later, with E_CANCELLED.  Any thread; not from a signal handler. */
GPUTIDE_API void gputide_cancel_fire(const gputide_cancel* cancel);
GPUTIDE_API void gputide_cancel_free(gputide_cancel* cancel); /* No call may be using it. */

/* ======================================================================================================== 4 options */

/* An additional text, such as a file with a TriggerAuthentication, Secret or ConfigMap. */
typedef struct gputide_file {
    const char* name; /* for messages; may be NULL */
    const char* text;
    int64_t size_bytes; /* GPUTIDE_TEXT: NUL-terminated */
} gputide_file;

enum {
    GPUTIDE_ALLOW_ENVIRONMENT = 1,      /* any variable in ${NAME} and env:, as allowed_environment "*" */
    GPUTIDE_ALLOW_PLAIN_HTTP = 2,       /* a credential over http to a host that is not loopback */
    GPUTIDE_ALLOW_CUSTOM_AUTHORITY = 4, /* a login endpoint outside the known Azure clouds */
    GPUTIDE_ENABLE_AZURE_PROXY = 8,     /* AKS identity bindings: AZURE_KUBERNETES_TOKEN_PROXY */
    GPUTIDE_STRICT = 16,                /* the strict profile, as if each manifest had gputide.io/profile: strict */
    /* Sends no credential to a server with an unverified certificate: unsafeSsl with a credential is E_SECURITY. */
    GPUTIDE_VERIFIED_PEERS = 32,
    /* Sends tokens and signatures of the host's identities (podIdentity) also to a server with unsafeSsl.  Without this
     * flag that is E_SECURITY.  Credentials in the manifest are sent there as in KEDA. */
    GPUTIDE_ALLOW_UNVERIFIED_PEERS = 64
};

/* Permissions and facts of the host; a manifest cannot set them.  Any member may be 0 or NULL.  Lists are comma-separated. */
struct gputide_options {
    uint32_t struct_size;
    uint32_t flags;            /* GPUTIDE_ALLOW_* and others above */
    const char* text_name;     /* name of the main text in messages; NULL: "<text>" */
    const char* scaler;        /* "name" or "namespace/name", if the text holds several */
    const gputide_file* files; /* additional texts */
    uint32_t file_count;
    uint32_t file_size;              /* sizeof(gputide_file) */
    const char* allowed_environment; /* variables allowed in ${NAME} and env:, "TENANT,APP_*,KUBECONFIG"; NULL: none */
    const char* allowed_token_hosts; /* hosts that may receive a cloud token, in addition to the cloud's own */
    const char* allowed_programs;    /* programs allowed to run for a token: "az", "/opt/bin/token" for manifests,
                                        "kubeconfig:kubelogin" for kubeconfigs */
    const char* secrets_dir;  /* folder of tokenFile, and of <name>/<key> for secretTargetRef and configMapTargetRef */
    const char* ca_file;      /* PEM root certificates; replaces SSL_CERT_FILE, SSL_CERT_DIR and the system's */
    const char* ca_pem;       /* the same as text; has precedence over ca_file */
    int64_t ca_pem_bytes;     /* GPUTIDE_TEXT: NUL-terminated */
    const char* proxy;        /* "http://proxy:3128" for everything except loopback and metadata services;
                                        "environment": HTTPS_PROXY, HTTP_PROXY, NO_PROXY; NULL: none */
    const char* user_agent;   /* NULL: "gputide/0.3.0" */
    const char* kubeconfig;   /* path; NULL: KUBECONFIG if that variable is allowed, else the pod's service account */
    const char* kube_context; /* a context of the kubeconfig; NULL: current-context */
    const char* service_account_dir; /* folder with token, ca.crt and namespace; NULL: where Kubernetes mounts it */
};

/* =============================================================================================== 5 policy and state */

/* The rules of a decision: bounds, thresholds, behavior, cooldown.  Immutable. */
typedef struct gputide_policy gputide_policy;

/* Compiles a ScaledObject or HorizontalPodAutoscaler, given as for gputide_scaler_open.  Opens no source: addresses and
 * credentials may be missing, thresholds must not be.
 * Returns E_AMBIGUOUS (several scalers and options->scaler names none), E_LIMIT. */
GPUTIDE_API gputide_status gputide_policy_open(const char* manifest, int64_t size_bytes, const gputide_options* options,
                                               gputide_policy** out, gputide_error* err);
GPUTIDE_API void gputide_policy_free(gputide_policy* policy);

/* Returns the number of metrics.  gputide_observation.samples has one sample for each.  0 for NULL. */
GPUTIDE_API uint32_t gputide_policy_metric_count(const gputide_policy* policy);

/* Returns the trigger's name, or "s0-prometheus" if the manifest gives none.  All JSON texts use this name.  Valid as
 * long as the handle.  NULL for an index beyond the count and for GPUTIDE_NO_METRIC and GPUTIDE_FORMULA. */
GPUTIDE_API const char* gputide_policy_metric_name(const gputide_policy* policy, int32_t metric);

/* Returns the policy as JSON, with every default. */
GPUTIDE_API gputide_status gputide_policy_describe(const gputide_policy* policy, gputide_text* json,
                                                   gputide_error* err);

/* The state of one scaler between decisions: activity, stabilization windows, scale events, failure counts. */
typedef struct gputide_state gputide_state;

/* Creates a state.  created_ms: creationTimestamp, for initialCooldownPeriod; 0: the time of the first decision. */
GPUTIDE_API gputide_status gputide_state_new(const gputide_policy* policy, int64_t created_ms, gputide_state** out,
                                             gputide_error* err);
GPUTIDE_API void gputide_state_free(gputide_state* state);

/* Serializes the state for gputide_state_load: versioned, with a checksum. */
GPUTIDE_API gputide_status gputide_state_save(const gputide_policy* policy, const gputide_state* state,
                                              gputide_text* out, gputide_error* err);

/* Returns the state as JSON for people and other programs (docs/decision.md). */
GPUTIDE_API gputide_status gputide_state_describe(const gputide_policy* policy, const gputide_state* state,
                                                  gputide_text* json, gputide_error* err);

enum { GPUTIDE_STATE_UNCHECKED = 1 }; /* the text is from gputide_state_describe, without a checksum */

/* Loads a saved state, also of any older release.  Decisions made before the save can still be recorded.
 *   flags   GPUTIDE_STATE_UNCHECKED or 0.  With it, missing members get their initial values, and no earlier decision
 *           can be recorded.
 * Returns E_STATE for a text that is damaged, foreign or newer, and for a policy with another number of metrics
 * (err->where is then "metrics").  A text is never loaded in part. */
GPUTIDE_API gputide_status gputide_state_load(const gputide_policy* policy, const char* text, int64_t size_bytes,
                                              uint32_t flags, gputide_state** out, gputide_error* err);

/* ========================================================================================================= 6 decide */

/* Returns the replica count that KEDA and the HPA would write at observation->now_ms.  Pure: no I/O, no clock, no lock.
 *   state   is updated: history, failure counts, activity.
 *   report  may be NULL (in steady state, with up to 8 metrics, nothing is allocated then); otherwise the decision as
 *           one line of JSON with its conditions and trace (docs/decision.md).
 * Formulas and their sources: docs/semantics.md.  Example: threshold 5, 3 replicas, sample 42.5 → ceil(42.5 / 5) = 9.
 * Returns E_LIMIT for more samples than a manifest may have metrics; E_STATE for a state of a policy with another
 * number of metrics. */
GPUTIDE_API gputide_status gputide_decide(const gputide_policy* policy, gputide_state* state,
                                          const gputide_observation* observation, gputide_decision* out,
                                          gputide_text* report, gputide_error* err);

/* Decides from one value per metric, all read at now_ms.  NaN or an infinity: the metric has no value.  count must
 * equal gputide_policy_metric_count.  Returns as gputide_decide. */
GPUTIDE_API gputide_status gputide_decide_values(const gputide_policy* policy, gputide_state* state, int64_t now_ms,
                                                 int32_t current_replicas, const double* values, uint32_t count,
                                                 gputide_decision* out, gputide_error* err);

/* Records the result of a write, as gputide_scaler_record, in the state that decided.  Returns E_STATE in the same cases. */
GPUTIDE_API gputide_status gputide_state_record(const gputide_policy* policy, gputide_state* state,
                                                gputide_decision* decision, int32_t applied, int64_t now_ms,
                                                gputide_error* err);

/* Formats a report as lines for people: conditions, then the trace.  E_INVALID for a text that is not a report. */
GPUTIDE_API gputide_status gputide_report_render(const char* report, int64_t size_bytes, gputide_text* lines,
                                                 gputide_error* err);

/* ======================================================================================================== 7 version */

#define GPUTIDE_VERSION_MAJOR 0
#define GPUTIDE_VERSION_MINOR 3
#define GPUTIDE_VERSION_PATCH 0
#define GPUTIDE_ABI_VERSION 1

/* Returns "0.3.0".  Static. */
GPUTIDE_API const char* gputide_version(void);

/* Returns the ABI number.  A loader first compares it with the GPUTIDE_ABI_VERSION that it was built for. */
GPUTIDE_API int32_t gputide_abi_version(void);

enum {
    GPUTIDE_FEATURE_PURE = 1, /* check, policy, state, decide: in every flavor */
    GPUTIDE_FEATURE_CORE = 2, /* scaler, source.h, runtime.h */
    GPUTIDE_FEATURE_PLAN = 4, /* plan.h */
    GPUTIDE_FEATURE_KUBERNETES = 8,
    GPUTIDE_FEATURE_YAML = 16, /* manifests may be YAML; without it only JSON */
    GPUTIDE_FEATURE_HTTP2 = 32,
    GPUTIDE_FEATURE_CRON = 64 /* triggers of type cron */
};

/* Returns a bit set of GPUTIDE_FEATURE_*. */
GPUTIDE_API uint32_t gputide_features(void);

/* Returns the versions of compiler and dependencies as JSON, for bug reports.  Static. */
GPUTIDE_API const char* gputide_build_info(void);

#ifdef __cplusplus
}
#endif

#endif /* GPUTIDE_H */

/* gputide, reading: credentials and sources without a scaler, the diagnosis of a manifest's triggers, the log, and the values
 * of pods.  In libgputide and libgputide-full.  The conventions of gputide.h apply.
 *
 * Behavior inside the host's process
 *   fork      A handle belongs to the process that created it.  In a child its use is GPUTIDE_E_STATE, and freeing it does
 *             nothing.  The child may open handles of its own.
 *   process   The library starts no thread, except one in gputide_runtime_start, one while triggers of type nvml are read,
 *             and up to 16 for host name lookups.  It installs no signal handler and no exit handler, does not change the
 *             environment, prints nothing and never exits.  It initializes libcurl once, with the first handle that may
 *             fetch; a fork in another thread waits for this (pthread_atfork).
 *   symbols   If the host exports another OpenSSL, nghttp2 or libcurl, as Node does, the dynamic linker uses the host's.
 *             Every call that opens a fetching handle then returns GPUTIDE_E_SECURITY; the rest works.  RTLD_DEEPBIND or
 *             the self-contained build keeps them apart (docs/building.md).
 *   unload    The library stays mapped after dlclose (it is linked with -z nodelete). */
#ifndef GPUTIDE_SOURCE_H
#define GPUTIDE_SOURCE_H


#ifdef __cplusplus
extern "C" {
#endif

/* ===================================================================================================== 8 credential */

/* Acquires tokens.  The credentials of one process share a cache: equal credentials send one request. */
typedef struct gputide_credential gputide_credential;

typedef struct gputide_token_info {
    uint32_t struct_size;
    uint32_t reserved;
    int64_t expires_at_ms;
    int64_t refresh_at_ms;   /* the library renews the token from this time on */
    int64_t usable_until_ms; /* the library does not return it after this time */
} gputide_token_info;

/* Opens a credential from text: a TriggerAuthentication document, or only its podIdentity block:
 *     provider: azure-workload
 *     identityId: 00000000-0000-0000-0000-000000000000      (optional; also identityTenantId, identityAuthorityHost)
 * Providers (docs/credentials.md): azure-workload, azure-managed-identity, azure-client-secret,
 * azure-client-certificate, azure-cli, azure-default (the chain), aws, gcp, bearer-file, bearer-exec.  The token of aws
 * is the JSON that AWS' credential_process prints: a key and a session, which sign requests.  Sends no request.
 * Returns E_LIMIT, E_SECURITY; E_INVALID names the key or the environment variable. */
GPUTIDE_API gputide_status gputide_credential_open(const char* text, int64_t size_bytes, const gputide_options* options,
                                                   gputide_credential** out, gputide_error* err);
GPUTIDE_API void gputide_credential_free(gputide_credential* credential);

/* Returns a token for one scope ("https://prometheus.monitor.azure.com/.default").  Blocks; uses the cache when
 * possible.
 *   token   the bearer token.  It is a secret: do not log it.  gputide_text_free overwrites it.
 *   info    may be NULL.
 * Returns E_AUTH, _THROTTLED, _UNAVAILABLE, _UNSUPPORTED, _TIMEOUT, _CANCELLED, _REJECTED, _PROTOCOL, _SECURITY, _LIMIT. */
GPUTIDE_API gputide_status gputide_credential_token(const gputide_credential* credential, const char* scope,
                                                    int32_t timeout_ms, const gputide_cancel* cancel,
                                                    gputide_text* token, gputide_token_info* info, gputide_error* err);

/* Drops a token from the cache after a resource answered 401 to it.  Has no effect for a token that is no longer
 * cached.  A scope is renewed by force at most once in 30 s. */
GPUTIDE_API gputide_status gputide_credential_invalidate(const gputide_credential* credential, const char* scope,
                                                         const char* token, int64_t token_bytes, gputide_error* err);

/* Returns the identifying claims of a JWT as JSON (aud, iss, tid, appid, oid, sub, nbf, exp), never its signature.
 * Verifies nothing.  Returns E_PROTOCOL for a text that is not a JWT. */
GPUTIDE_API gputide_status gputide_token_claims(const char* token, int64_t token_bytes, gputide_text* json,
                                                gputide_error* err);

/* ========================================================================================================= 9 source */

/* Reads one metric: its address, its query, and the rule that reduces the response to one number. */
typedef struct gputide_source gputide_source;

/* Opens a source from text: one entry of a ScaledObject's triggers.  The TriggerAuthentication that it names is in
 * options->files or in further documents of the text:
 *     type: prometheus
 *     metadata: { serverAddress: "https://...", query: "avg(DCGM_FI_DEV_GPU_UTIL)", threshold: "5" }
 * Sends nothing.  Returns E_LIMIT, E_SECURITY; E_INVALID names trigger, key, line and path. */
GPUTIDE_API gputide_status gputide_source_open(const char* text, int64_t size_bytes, const gputide_options* options,
                                               gputide_source** out, gputide_error* err);
GPUTIDE_API void gputide_source_free(gputide_source* source);

/* Reads one value.  Blocks.
 *   now_ms   evaluation time of the query.
 * An empty response with ignoreNullValues (KEDA's default for prometheus) is value 0 with the flag
 * GPUTIDE_SAMPLE_NULL_AS_ZERO.  Returns any status except E_NOT_FOUND. */
GPUTIDE_API gputide_status gputide_source_fetch(gputide_source* source, int64_t now_ms, int32_t timeout_ms,
                                                const gputide_cancel* cancel, gputide_sample* out, gputide_error* err);

/* Reads all series as gputide_source_fetch does, without reducing them to one number, as JSON: result type, every point
 * and histogram of every series with its labels, warnings, infos, partial.  Several series and an empty response are
 * allowed.  Returns as gputide_source_fetch. */
GPUTIDE_API gputide_status gputide_source_fetch_all(gputide_source* source, int64_t now_ms, int32_t timeout_ms,
                                                    const gputide_cancel* cancel, gputide_text* json,
                                                    gputide_error* err);

/* Returns the trigger as JSON: target, metric name, type, settings with every default, and warnings.  Holds no secret. */
GPUTIDE_API gputide_status gputide_source_describe(const gputide_source* source, gputide_text* json,
                                                   gputide_error* err);

/* Returns the request of this source as JSON {"method","url","headers","body"}, for a host with its own HTTP client.  A
 * cloud token is not included; get one from gputide_credential_token.  Pure.
 * Returns E_UNSUPPORTED for a source that does not use HTTP, E_REJECTED. */
GPUTIDE_API gputide_status gputide_source_request(const gputide_source* source, int64_t now_ms, gputide_text* json,
                                                  gputide_error* err);

/* Reduces a response to one value by the trigger's rules, for a host with its own HTTP client.  Pure.
 * Returns as gputide_source_fetch, without waiting. */
GPUTIDE_API gputide_status gputide_source_parse(const gputide_source* source, int32_t http_status, const char* body,
                                                int64_t body_bytes, gputide_sample* out, gputide_error* err);

/* Parses a response as gputide_source_fetch_all does, without reducing it to one value.  Pure.
 *   headers   lines "Name: value" (Retry-After, Content-Type, ...), with LF or CRLF; may be NULL.
 * Returns as gputide_source_fetch, without waiting. */
GPUTIDE_API gputide_status gputide_source_parse_all(const gputide_source* source, int32_t http_status,
                                                    const char* headers, int64_t headers_bytes, const char* body,
                                                    int64_t body_bytes, gputide_text* json, gputide_error* err);

/* ======================================================================================================== 10 doctor */

/* Tests the triggers of a manifest step by step: environment, token file, authority, token, endpoint, query, series,
 * age, value, activation.  A trigger's test ends at its first failed step, with the likely cause and the fix.  Then
 * follows the decision, and what limits it.  Blocks.  Reads the network, the environment and token files as the
 * triggers do.  Writes nothing.
 *   observation   current size, and samples of triggers of type values; NULL: the manifest's minimum, now.
 *   report        JSON with a verdict (ok, warning, failed) for each step (docs/doctor.md).
 *   lines         may be NULL; the same as text for people, the conclusion first.
 * A failed step does not fail the call.  Returns E_AMBIGUOUS, E_LIMIT, E_CANCELLED, E_UNAVAILABLE, E_SECURITY; E_INVALID for a
 * manifest that cannot be read. */
GPUTIDE_API gputide_status gputide_doctor(const char* manifest, int64_t size_bytes, const gputide_options* options,
                                          const gputide_observation* observation, int32_t timeout_ms,
                                          const gputide_cancel* cancel, gputide_text* report, gputide_text* lines,
                                          gputide_error* err);

/* ================================================================================================ 11 log, allocator */

/* DEBUG: a line for each request (method, address without its query, with or without a credential, outcome, duration),
 * each fetched token (scope, credential), each read metric and each decision of a scaler or runtime.  No line of any
 * level holds a secret. */
enum { GPUTIDE_LOG_ERROR = 1, GPUTIDE_LOG_WARNING = 2, GPUTIDE_LOG_INFO = 3, GPUTIDE_LOG_DEBUG = 4 };

typedef struct gputide_log_sink {
    uint32_t struct_size;
    int32_t level; /* GPUTIDE_LOG_*: lines of this level and more severe ones */
    /* Called from any thread that executes a gputide function.  Must not call the library.
     * line: one line without LF, valid during the call. */
    void (*write)(void* user_data, int32_t level, const char* line);
    void (*finalize)(void* user_data); /* once, when the sink is replaced; may be NULL */
    void* user_data;
} gputide_log_sink;

/* Sends each log line to sink->write.  Process-wide.  NULL: off (the default). */
GPUTIDE_API gputide_status gputide_set_log(const gputide_log_sink* sink, gputide_error* err);

/* Reads log lines by polling, for languages where a callback is inconvenient.  Each reader gets every line written
 * after it was opened.  It buffers up to 256 lines and drops the oldest on overflow. */
typedef struct gputide_log_reader gputide_log_reader;

/* Opens a log reader.  level: GPUTIDE_LOG_*, as for the sink. */
GPUTIDE_API gputide_status gputide_log_open(int32_t level, gputide_log_reader** out, gputide_error* err);

/* Returns the next line.  Blocks for at most timeout_ms; 0: does not block; GPUTIDE_FOREVER: no limit.  level may be
 * NULL.  Returns E_NO_DATA if there was no line in time, E_CANCELLED also after gputide_log_close. */
GPUTIDE_API gputide_status gputide_log_next(gputide_log_reader* reader, int32_t timeout_ms,
                                            const gputide_cancel* cancel, gputide_text* line, int32_t* level,
                                            gputide_error* err);

/* Ends the current and every later wait in gputide_log_next.  Any thread, also during a call.  May be repeated.  NULL
 * is allowed. */
GPUTIDE_API void gputide_log_close(gputide_log_reader* reader);
GPUTIDE_API void gputide_log_free(gputide_log_reader* reader); /* No call may be using it. */

typedef struct gputide_allocator {
    uint32_t struct_size;
    uint32_t reserved;
    void* (*allocate)(void* user_data, uint64_t size_bytes); /* returns NULL if there is no memory */
    void (*release)(void* user_data, void* memory);
    void* user_data;
} gputide_allocator;

/* Sets the allocator of gputide_text memory for the process.  Must be called before any other function of this library.
 * NULL restores malloc and free.  All other memory comes from operator new.  In libgputide-pure, too.
 * Returns E_STATE if a text was handed out already. */
GPUTIDE_API gputide_status gputide_set_allocator(const gputide_allocator* allocator, gputide_error* err);

/* ========================================================================================================== 12 pods */

/* Pods, for metrics of type Pods, Resource and ContainerResource only. */
enum {
    GPUTIDE_POD_RUNNING = 1,
    GPUTIDE_POD_PENDING = 2,
    GPUTIDE_POD_SUCCEEDED = 3,
    GPUTIDE_POD_FAILED = 4,
    GPUTIDE_POD_UNKNOWN = 5
};
enum { GPUTIDE_READY_YES = 1, GPUTIDE_READY_NO = 2, GPUTIDE_READY_NO_CONDITION = 3, GPUTIDE_READY_UNKNOWN = 4 };

typedef struct gputide_pod {
    const char* name; /* for messages; may be NULL */
    int32_t phase;    /* GPUTIDE_POD_* */
    int32_t ready;    /* GPUTIDE_READY_*: the pod's Ready condition */
    int32_t deleting; /* 1: has a deletion timestamp */
    int32_t reserved;
    int64_t start_time_ms;        /* 0: none */
    int64_t ready_change_time_ms; /* lastTransitionTime of Ready; 0: as start_time_ms */
} gputide_pod;

typedef struct gputide_pod_sample {
    int32_t metric;        /* index of the policy's metric */
    int32_t pod;           /* number in observation.pods, from 1; 0: a pod that is not listed */
    int64_t value_milli;   /* thousandths, as in Kubernetes; GPUTIDE_NO_VALUE: only the request is known */
    int64_t request_milli; /* Utilization: the pod's request; 0: no request */
    int64_t time_ms;       /* 0: now */
    int32_t window_s;      /* 0: 60 */
    int32_t reserved;
    const char* container; /* without request_milli: first container without a request, for messages; may be NULL */
} gputide_pod_sample;

/* Converts a Kubernetes quantity ("1500m", "2Ki", "0.1") to thousandths, rounded away from zero as Kubernetes does.
 * In libgputide-pure, too.  Returns E_LIMIT for a quantity that does not fit 64 bits. */
GPUTIDE_API gputide_status gputide_quantity(const char* text, int64_t size_bytes, int64_t* milli, gputide_error* err);

#ifdef __cplusplus
}
#endif

#endif /* GPUTIDE_SOURCE_H */

/* gputide, many scalers in one process.  In libgputide and libgputide-full.  The conventions of gputide.h apply. */
#ifndef GPUTIDE_RUNTIME_H
#define GPUTIDE_RUNTIME_H


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

/* gputide, planning: forecast, replay, nodes, right-sizing, ScaledJobs.  In libgputide-full and libgputide-pure.  No function
 * does I/O or reads a clock, except gputide_series_fetch (not in libgputide-pure).  The conventions of gputide.h apply. */
#ifndef GPUTIDE_PLAN_H
#define GPUTIDE_PLAN_H


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

/* gputide, Kubernetes: a runtime that scales the workloads of a cluster by itself, and the node pools of AKS.  In
 * libgputide-full.  The conventions of gputide.h apply. */
#ifndef GPUTIDE_KUBERNETES_H
#define GPUTIDE_KUBERNETES_H


#ifdef __cplusplus
extern "C" {
#endif

/* ======================================================================================================= 19 cluster */

/* Lets a runtime scale the workloads of a Kubernetes cluster.  It finds ScaledObjects, reads their TriggerAuthentications
 * and Secrets, watches the scale of their targets, decides, and writes the scale subresource while this instance is the
 * leader (leader election by a Lease).  The runtime drives it (_start, _step or _next_event).  Decisions arrive as
 * events, and GPUTIDE_EVENT_CLUSTER reports the writes.  The host must not record them or use these scalers' ids.
 * Failure handling and needed rights: docs/kubernetes.md. */

/* Attaches a cluster.  Returns at once; events and gputide_cluster_describe report the API server's responses.
 *   settings   NULL or empty for the defaults, else JSON or YAML (every member: docs/kubernetes.md):
 *                  {"namespaces": ["ml"], "shadow": true, "lease": {"name": "gputide", "duration_s": 15}, "shards": 1}
 *   options    kubeconfig, kube_context and service_account_dir choose API server and identity; the rest
 *              limits what the cluster's manifests may do.
 * Returns E_STATE if a cluster is attached, or the runtime was created with GPUTIDE_RUNTIME_OBSERVE_FIRST; E_INVALID
 * with the member's line and path; E_UNSUPPORTED if no API server is configured; E_AUTH, E_LIMIT. */
GPUTIDE_API gputide_status gputide_cluster_attach(gputide_runtime* runtime, const char* settings, int64_t size_bytes,
                                                  const gputide_options* options, gputide_error* err);

/* Stops writing, releases the Leases, so that another instance takes over within 3 s, and removes the cluster's
 * scalers.  Call it before _close; otherwise the Leases expire.  Drives the runtime's network meanwhile.  GPUTIDE_OK if
 * no cluster is attached.
 * Returns E_TIMEOUT while it is still detaching: call again; E_CANCELLED when the runtime is closed. */
GPUTIDE_API gputide_status gputide_cluster_detach(gputide_runtime* runtime, int32_t timeout_ms, gputide_error* err);

/* Returns JSON: leases, watches and their ages, writes by result, conflicts, differences, blocked scalers and the
 * reason (docs/json.md, cluster_describe).  At most a second old; {} before the first.  Returns E_STATE if no cluster
 * is attached. */
GPUTIDE_API gputide_status gputide_cluster_describe(gputide_runtime* runtime, gputide_text* json, gputide_error* err);

/* ===================================================================================================== 20 diagnosis */

/* Tests whether a runtime could work on a cluster: API server and certificate, token and identity, served
 * kinds, each needed right (by SelfSubjectAccessReview), and the holder of the Lease.  Includes a Role for missing
 * rights.  Blocks; changes nothing.
 *   settings   as for gputide_cluster_attach; namespaces, shadow, lease and shards determine what is needed.
 *   options    as there.
 *   report     JSON with a verdict (ok, warning, failed) for each step (docs/json.md, cluster_doctor).
 *   lines      may be NULL; the same as text for people, the conclusion first.
 * A failed step does not fail the call.  Returns E_LIMIT, E_CANCELLED, E_UNAVAILABLE, E_SECURITY; E_INVALID for
 * settings that cannot be read. */
GPUTIDE_API gputide_status gputide_cluster_doctor(const char* settings, int64_t size_bytes,
                                                  const gputide_options* options, int32_t timeout_ms,
                                                  const gputide_cancel* cancel, gputide_text* report,
                                                  gputide_text* lines, gputide_error* err);

/* ========================================================================================================= 21 lists */

/* Lists one collection of a cluster's API server completely, without a runtime.  Blocks; does not watch or write.
 *   path      "/api/v1/nodes", "/apis/policy/v1/namespaces/ml/poddisruptionbudgets?labelSelector=app%3Dllm"
 *   options   kubeconfig, kube_context and service_account_dir choose API server and identity.
 *   json      the pages of the list as the server wrote them, concatenated: input for gputide_nodes_plan.  At most
 *             256 MiB; use a selector for less.
 * Returns E_INVALID for any other path; E_UNSUPPORTED if no API server is configured; E_FORBIDDEN with the missing RBAC
 * rule; E_REJECTED for a resource that is not served; E_AUTH, E_THROTTLED, E_UNAVAILABLE, E_PROTOCOL, E_SECURITY,
 * E_LIMIT, E_TIMEOUT, E_CANCELLED. */
GPUTIDE_API gputide_status gputide_cluster_list(const char* path, const gputide_options* options, int32_t timeout_ms,
                                                const gputide_cancel* cancel, gputide_text* json, gputide_error* err);

/* ====================================================================================================== 22 handover */

/* Hands one ScaledObject of a cluster over from a running KEDA to gputide, or back, so that never two controllers scale
 * it at the same time.  Blocks.  Writes only annotations of that ScaledObject, each with the resourceVersion that was
 * read.
 *   change    JSON or YAML: {"namespace":"ml","name":"llm","to":"gputide","owner":"gputide","dry":false}.  to is
 *             gputide or keda; dry defaults to true; owner is the value of gputide.io/owner; lease_s the duration of
 *             its Lease (15).
 *   options   kubeconfig, kube_context and service_account_dir choose API server and identity.  Needs: get
 *             and patch scaledobjects, list horizontalpodautoscalers, and if possible get the scale of the target.
 *   timeout_ms   for the whole call; after a timeout json names the pending step, and the next call continues there.
 *   json      progress, step by step (docs/json.md, cluster_handover).
 * Each step is also logged with GPUTIDE_LOG_INFO when it starts to wait and when it ends (docs/json.md,
 * handover_step).  A refused, failed or pending step does not fail the call.  After a crash or a cancel the next call
 * continues.
 * Returns E_INVALID for a change that cannot be read; E_UNSUPPORTED if no API server is configured; E_AUTH, E_LIMIT,
 * E_SECURITY, E_TIMEOUT, E_CANCELLED (completed writes remain). */
GPUTIDE_API gputide_status gputide_cluster_handover(const char* change, int64_t size_bytes,
                                                    const gputide_options* options, int32_t timeout_ms,
                                                    const gputide_cancel* cancel, gputide_text* json,
                                                    gputide_error* err);

/* =================================================================================================== 23 agent pools */

/* Writes the size of one AKS node pool through Azure Resource Manager: reads it, compares, writes it with its ETag, and
 * follows the operation to its end.  Blocks.  The only function of this library that changes anything in Azure.
 *   credential  an Azure identity that may write the cluster's agent pools; the options of gputide_credential_open apply here,
 *               too.
 *   change      JSON: {"cluster":"/subscriptions/.../managedClusters/aks","pool":"gpunp","count":4,"dry":false}.  dry
 *               defaults to true.  count is for a pool without an autoscaler, min and max for a pool with AKS'
 *               autoscaler.  cloud names another cloud; endpoint an address of Azure Resource Manager; its host must
 *               be allowed.  A member that is null counts as absent.
 *   timeout_ms  for the whole call; an operation that is still running then continues, and this is not a failure.
 *   json        size before, wanted size and progress (docs/json.md, agent_pool_write).
 * Returns E_INVALID for a change that does not fit the pool; E_UNAVAILABLE with the time to wait while another
 * operation runs on the cluster; E_REJECTED if the operation failed; E_AUTH, E_FORBIDDEN, E_TIMEOUT, E_CANCELLED
 * (completed writes remain), E_PROTOCOL, E_LIMIT. */
GPUTIDE_API gputide_status gputide_agent_pool_write(const gputide_credential* credential, const char* change,
                                                    int64_t size_bytes, int32_t timeout_ms,
                                                    const gputide_cancel* cancel, gputide_text* json,
                                                    gputide_error* err);

#ifdef __cplusplus
}
#endif

#endif /* GPUTIDE_KUBERNETES_H */

/* Written by bindings/generator: change the headers that it includes, then run python3 -m bindings.generator.
 *
 * The functions of gputide as tables, for a host that loads the library with dlopen.  It looks up one symbol per component
 * and calls members under the names of the functions without gputide_.  docs/abi.md has an example.
 *   gputide_api              gputide.h, source.h and runtime.h   in every flavor; NULL for what libgputide-pure lacks
 *   gputide_plan_api         plan.h                              in libgputide-full and libgputide-pure
 *   gputide_kubernetes_api   kubernetes.h                        in libgputide-full
 * Append-only: check struct_size before using a member that a later release added. */
#ifndef GPUTIDE_TABLE_H
#define GPUTIDE_TABLE_H


#ifdef __cplusplus
extern "C" {
#endif

typedef struct gputide_api_table {
    uint32_t struct_size;
    int32_t abi_version;
    gputide_status (*manifest_check)(const char*, int64_t, const gputide_options*, gputide_text*, gputide_text*,
                                     gputide_error*);
    gputide_status (*scaler_open)(const char*, int64_t, const gputide_options*, gputide_scaler**, gputide_error*);
    void (*scaler_free)(gputide_scaler*);
    gputide_status (*scaler_tick)(gputide_scaler*, const gputide_observation*, int32_t, const gputide_cancel*,
                                  gputide_decision*, gputide_text*, gputide_error*);
    gputide_status (*scaler_record)(gputide_scaler*, gputide_decision*, int32_t, int64_t, gputide_error*);
    gputide_status (*scaler_save)(const gputide_scaler*, gputide_text*, gputide_error*);
    gputide_status (*scaler_load)(gputide_scaler*, const char*, int64_t, gputide_error*);
    gputide_status (*scaler_describe)(const gputide_scaler*, gputide_text*, gputide_error*);
    void (*text_free)(gputide_text*);
    const char* (*sample_state_name)(gputide_sample_state);
    const char* (*limit_name)(int32_t);
    const char* (*event_name)(int32_t);
    const char* (*condition_name)(int32_t);
    const char* (*reason_name)(int32_t);
    const char* (*status_name)(gputide_status);
    const char* (*action_name)(gputide_action);
    gputide_status (*cancel_new)(gputide_cancel**, gputide_error*);
    void (*cancel_fire)(const gputide_cancel*);
    void (*cancel_free)(gputide_cancel*);
    gputide_status (*policy_open)(const char*, int64_t, const gputide_options*, gputide_policy**, gputide_error*);
    void (*policy_free)(gputide_policy*);
    uint32_t (*policy_metric_count)(const gputide_policy*);
    const char* (*policy_metric_name)(const gputide_policy*, int32_t);
    gputide_status (*policy_describe)(const gputide_policy*, gputide_text*, gputide_error*);
    gputide_status (*state_new)(const gputide_policy*, int64_t, gputide_state**, gputide_error*);
    void (*state_free)(gputide_state*);
    gputide_status (*state_save)(const gputide_policy*, const gputide_state*, gputide_text*, gputide_error*);
    gputide_status (*state_describe)(const gputide_policy*, const gputide_state*, gputide_text*, gputide_error*);
    gputide_status (*state_load)(const gputide_policy*, const char*, int64_t, uint32_t, gputide_state**,
                                 gputide_error*);
    gputide_status (*decide)(const gputide_policy*, gputide_state*, const gputide_observation*, gputide_decision*,
                             gputide_text*, gputide_error*);
    gputide_status (*decide_values)(const gputide_policy*, gputide_state*, int64_t, int32_t, const double*, uint32_t,
                                    gputide_decision*, gputide_error*);
    gputide_status (*state_record)(const gputide_policy*, gputide_state*, gputide_decision*, int32_t, int64_t,
                                   gputide_error*);
    gputide_status (*report_render)(const char*, int64_t, gputide_text*, gputide_error*);
    const char* (*version)(void);
    uint32_t (*features)(void);
    const char* (*build_info)(void);
    gputide_status (*credential_open)(const char*, int64_t, const gputide_options*, gputide_credential**,
                                      gputide_error*);
    void (*credential_free)(gputide_credential*);
    gputide_status (*credential_token)(const gputide_credential*, const char*, int32_t, const gputide_cancel*,
                                       gputide_text*, gputide_token_info*, gputide_error*);
    gputide_status (*credential_invalidate)(const gputide_credential*, const char*, const char*, int64_t,
                                            gputide_error*);
    gputide_status (*token_claims)(const char*, int64_t, gputide_text*, gputide_error*);
    gputide_status (*source_open)(const char*, int64_t, const gputide_options*, gputide_source**, gputide_error*);
    void (*source_free)(gputide_source*);
    gputide_status (*source_fetch)(gputide_source*, int64_t, int32_t, const gputide_cancel*, gputide_sample*,
                                   gputide_error*);
    gputide_status (*source_fetch_all)(gputide_source*, int64_t, int32_t, const gputide_cancel*, gputide_text*,
                                       gputide_error*);
    gputide_status (*source_describe)(const gputide_source*, gputide_text*, gputide_error*);
    gputide_status (*source_request)(const gputide_source*, int64_t, gputide_text*, gputide_error*);
    gputide_status (*source_parse)(const gputide_source*, int32_t, const char*, int64_t, gputide_sample*,
                                   gputide_error*);
    gputide_status (*source_parse_all)(const gputide_source*, int32_t, const char*, int64_t, const char*, int64_t,
                                       gputide_text*, gputide_error*);
    gputide_status (*doctor)(const char*, int64_t, const gputide_options*, const gputide_observation*, int32_t,
                             const gputide_cancel*, gputide_text*, gputide_text*, gputide_error*);
    gputide_status (*set_log)(const gputide_log_sink*, gputide_error*);
    gputide_status (*log_open)(int32_t, gputide_log_reader**, gputide_error*);
    gputide_status (*log_next)(gputide_log_reader*, int32_t, const gputide_cancel*, gputide_text*, int32_t*,
                               gputide_error*);
    void (*log_close)(gputide_log_reader*);
    void (*log_free)(gputide_log_reader*);
    gputide_status (*set_allocator)(const gputide_allocator*, gputide_error*);
    gputide_status (*quantity)(const char*, int64_t, int64_t*, gputide_error*);
    gputide_status (*runtime_new)(const gputide_runtime_options*, gputide_runtime**, gputide_error*);
    gputide_status (*runtime_close)(gputide_runtime*, int32_t, gputide_error*);
    void (*runtime_free)(gputide_runtime*);
    gputide_status (*runtime_add)(gputide_runtime*, const char*, int64_t, const gputide_options*, uint64_t, uint64_t*,
                                  gputide_error*);
    gputide_status (*runtime_replace)(gputide_runtime*, uint64_t, const char*, int64_t, const gputide_options*,
                                      const uint64_t*, gputide_error*);
    gputide_status (*runtime_remove)(gputide_runtime*, uint64_t, gputide_error*);
    gputide_status (*runtime_find)(gputide_runtime*, const char*, uint64_t*, gputide_error*);
    gputide_status (*runtime_next_scaler)(gputide_runtime*, uint64_t, uint64_t*, gputide_error*);
    gputide_status (*runtime_observe)(gputide_runtime*, uint64_t, const gputide_observation*, gputide_error*);
    gputide_status (*runtime_push)(gputide_runtime*, uint64_t, const gputide_sample*, uint32_t, uint32_t,
                                   gputide_error*);
    const char* (*event_kind_name)(int32_t);
    gputide_status (*runtime_next_event)(gputide_runtime*, int32_t, const gputide_cancel*, gputide_event*,
                                         gputide_decision*, gputide_text*, gputide_error*);
    gputide_status (*runtime_record)(gputide_runtime*, uint64_t, gputide_decision*, int32_t, int64_t, gputide_error*);
    gputide_status (*runtime_save)(gputide_runtime*, uint64_t, gputide_text*, gputide_error*);
    gputide_status (*runtime_load)(gputide_runtime*, uint64_t, const char*, int64_t, gputide_error*);
    gputide_status (*runtime_describe)(gputide_runtime*, uint64_t, gputide_text*, gputide_error*);
    gputide_status (*runtime_stats)(gputide_runtime*, gputide_text*, gputide_error*);
    gputide_status (*runtime_start)(gputide_runtime*, gputide_error*);
    gputide_status (*runtime_stop)(gputide_runtime*, int32_t, gputide_error*);
    gputide_status (*runtime_step)(gputide_runtime*, int64_t, int64_t*, gputide_error*);
    gputide_status (*runtime_wake_fd)(gputide_runtime*, int32_t*, gputide_error*);
} gputide_api_table;

typedef struct gputide_plan_api_table {
    uint32_t struct_size;
    int32_t abi_version;
    gputide_status (*forecast_open)(const char*, int64_t, gputide_forecast**, gputide_error*);
    void (*forecast_free)(gputide_forecast*);
    gputide_status (*forecast_add)(gputide_forecast*, int64_t, double, gputide_error*);
    gputide_status (*forecast_floor)(const gputide_forecast*, double, int32_t, int32_t, int32_t, gputide_floor*,
                                     gputide_error*);
    gputide_status (*forecast_charge)(gputide_forecast*, int32_t, int32_t, gputide_error*);
    gputide_status (*forecast_describe)(const gputide_forecast*, gputide_text*, gputide_error*);
    gputide_status (*forecast_save)(const gputide_forecast*, gputide_text*, gputide_error*);
    gputide_status (*forecast_load)(gputide_forecast*, const char*, int64_t, gputide_error*);
    const char* (*forecast_state_name)(int32_t);
    const char* (*floor_reason_name)(int32_t);
    gputide_status (*series_new)(gputide_series**, gputide_error*);
    void (*series_free)(gputide_series*);
    gputide_status (*series_add)(gputide_series*, int32_t, const int64_t*, const double*, uint64_t, gputide_error*);
    gputide_status (*series_add_replicas)(gputide_series*, const int64_t*, const int32_t*, uint64_t, gputide_error*);
    gputide_status (*series_read)(gputide_series*, int32_t, const char*, int64_t, const char*, gputide_error*);
    gputide_status (*series_fetch)(gputide_series*, gputide_scaler*, int32_t, int64_t, int64_t, int64_t, int32_t,
                                   const gputide_cancel*, gputide_error*);
    gputide_status (*series_write)(gputide_series*, gputide_text*, gputide_error*);
    gputide_status (*series_describe)(gputide_series*, gputide_text*, gputide_error*);
    gputide_status (*replay_open)(const char*, int64_t, const gputide_options*, const char*, int64_t, gputide_replay**,
                                  gputide_error*);
    void (*replay_free)(gputide_replay*);
    gputide_status (*replay_run)(gputide_replay*, const gputide_series*, const gputide_cancel*, gputide_error*);
    gputide_status (*replay_record)(gputide_replay*, int64_t, const gputide_sample*, uint32_t, uint32_t, int32_t,
                                    gputide_decision*, gputide_error*);
    gputide_status (*replay_report)(gputide_replay*, gputide_text*, gputide_error*);
    gputide_status (*nodes_plan)(const char*, int64_t, const char*, int64_t, int64_t, gputide_nodes_summary*,
                                 gputide_text*, gputide_text*, gputide_error*);
    gputide_status (*rightsize_open)(const char*, int64_t, const gputide_options*, gputide_rightsize**, gputide_error*);
    void (*rightsize_free)(gputide_rightsize*);
    gputide_status (*rightsize_describe)(const gputide_rightsize*, gputide_text*, gputide_error*);
    gputide_status (*rightsize_container)(gputide_rightsize*, const char*, uint32_t*, gputide_error*);
    gputide_status (*rightsize_add)(gputide_rightsize*, const gputide_usage_sample*, uint32_t, uint32_t, uint32_t*,
                                    gputide_error*);
    gputide_status (*rightsize_recommend)(const gputide_rightsize*, uint32_t, int64_t, gputide_text*, gputide_error*);
    gputide_status (*rightsize_fit)(const gputide_rightsize*, int64_t, double, gputide_text*, gputide_error*);
    gputide_status (*rightsize_save)(const gputide_rightsize*, uint32_t, int64_t, gputide_text*, gputide_error*);
    gputide_status (*rightsize_load)(gputide_rightsize*, uint32_t, const char*, int64_t, gputide_error*);
    gputide_status (*scaled_job_decide)(const char*, int64_t, const gputide_options*, const char*, int64_t,
                                        gputide_text*, gputide_error*);
} gputide_plan_api_table;

typedef struct gputide_kubernetes_api_table {
    uint32_t struct_size;
    int32_t abi_version;
    gputide_status (*cluster_attach)(gputide_runtime*, const char*, int64_t, const gputide_options*, gputide_error*);
    gputide_status (*cluster_detach)(gputide_runtime*, int32_t, gputide_error*);
    gputide_status (*cluster_describe)(gputide_runtime*, gputide_text*, gputide_error*);
    gputide_status (*cluster_doctor)(const char*, int64_t, const gputide_options*, int32_t, const gputide_cancel*,
                                     gputide_text*, gputide_text*, gputide_error*);
    gputide_status (*cluster_list)(const char*, const gputide_options*, int32_t, const gputide_cancel*, gputide_text*,
                                   gputide_error*);
    gputide_status (*cluster_handover)(const char*, int64_t, const gputide_options*, int32_t, const gputide_cancel*,
                                       gputide_text*, gputide_error*);
    gputide_status (*agent_pool_write)(const gputide_credential*, const char*, int64_t, int32_t, const gputide_cancel*,
                                       gputide_text*, gputide_error*);
} gputide_kubernetes_api_table;

/* Return the table for the ABI that the caller was built for (GPUTIDE_ABI_VERSION).  Static.  NULL with the reason in err
 * (GPUTIDE_E_TOO_NEW) for an ABI that this library does not serve; err may be NULL. */
GPUTIDE_API const gputide_api_table* gputide_api(uint32_t abi_version, gputide_error* err);
GPUTIDE_API const gputide_plan_api_table* gputide_plan_api(uint32_t abi_version, gputide_error* err);
GPUTIDE_API const gputide_kubernetes_api_table* gputide_kubernetes_api(uint32_t abi_version, gputide_error* err);

#ifdef __cplusplus
}
#endif

#endif /* GPUTIDE_TABLE_H */

#include "library.h"

#define gputide_manifest_check (*gputide_table->manifest_check)
#define gputide_scaler_open (*gputide_table->scaler_open)
#define gputide_scaler_free (*gputide_table->scaler_free)
#define gputide_scaler_tick (*gputide_table->scaler_tick)
#define gputide_scaler_record (*gputide_table->scaler_record)
#define gputide_scaler_save (*gputide_table->scaler_save)
#define gputide_scaler_load (*gputide_table->scaler_load)
#define gputide_scaler_describe (*gputide_table->scaler_describe)
#define gputide_text_free (*gputide_table->text_free)
#define gputide_sample_state_name (*gputide_table->sample_state_name)
#define gputide_limit_name (*gputide_table->limit_name)
#define gputide_event_name (*gputide_table->event_name)
#define gputide_condition_name (*gputide_table->condition_name)
#define gputide_reason_name (*gputide_table->reason_name)
#define gputide_status_name (*gputide_table->status_name)
#define gputide_action_name (*gputide_table->action_name)
#define gputide_cancel_new (*gputide_table->cancel_new)
#define gputide_cancel_fire (*gputide_table->cancel_fire)
#define gputide_cancel_free (*gputide_table->cancel_free)
#define gputide_policy_open (*gputide_table->policy_open)
#define gputide_policy_free (*gputide_table->policy_free)
#define gputide_policy_metric_count (*gputide_table->policy_metric_count)
#define gputide_policy_metric_name (*gputide_table->policy_metric_name)
#define gputide_policy_describe (*gputide_table->policy_describe)
#define gputide_state_new (*gputide_table->state_new)
#define gputide_state_free (*gputide_table->state_free)
#define gputide_state_save (*gputide_table->state_save)
#define gputide_state_describe (*gputide_table->state_describe)
#define gputide_state_load (*gputide_table->state_load)
#define gputide_decide (*gputide_table->decide)
#define gputide_decide_values (*gputide_table->decide_values)
#define gputide_state_record (*gputide_table->state_record)
#define gputide_report_render (*gputide_table->report_render)
#define gputide_version (*gputide_table->version)
#define gputide_features (*gputide_table->features)
#define gputide_build_info (*gputide_table->build_info)
#define gputide_credential_open (*gputide_table->credential_open)
#define gputide_credential_free (*gputide_table->credential_free)
#define gputide_credential_token (*gputide_table->credential_token)
#define gputide_credential_invalidate (*gputide_table->credential_invalidate)
#define gputide_token_claims (*gputide_table->token_claims)
#define gputide_source_open (*gputide_table->source_open)
#define gputide_source_free (*gputide_table->source_free)
#define gputide_source_fetch (*gputide_table->source_fetch)
#define gputide_source_fetch_all (*gputide_table->source_fetch_all)
#define gputide_source_describe (*gputide_table->source_describe)
#define gputide_source_request (*gputide_table->source_request)
#define gputide_source_parse (*gputide_table->source_parse)
#define gputide_source_parse_all (*gputide_table->source_parse_all)
#define gputide_doctor (*gputide_table->doctor)
#define gputide_set_log (*gputide_table->set_log)
#define gputide_log_open (*gputide_table->log_open)
#define gputide_log_next (*gputide_table->log_next)
#define gputide_log_close (*gputide_table->log_close)
#define gputide_log_free (*gputide_table->log_free)
#define gputide_set_allocator (*gputide_table->set_allocator)
#define gputide_quantity (*gputide_table->quantity)
#define gputide_runtime_new (*gputide_table->runtime_new)
#define gputide_runtime_close (*gputide_table->runtime_close)
#define gputide_runtime_free (*gputide_table->runtime_free)
#define gputide_runtime_add (*gputide_table->runtime_add)
#define gputide_runtime_replace (*gputide_table->runtime_replace)
#define gputide_runtime_remove (*gputide_table->runtime_remove)
#define gputide_runtime_find (*gputide_table->runtime_find)
#define gputide_runtime_next_scaler (*gputide_table->runtime_next_scaler)
#define gputide_runtime_observe (*gputide_table->runtime_observe)
#define gputide_runtime_push (*gputide_table->runtime_push)
#define gputide_event_kind_name (*gputide_table->event_kind_name)
#define gputide_runtime_next_event (*gputide_table->runtime_next_event)
#define gputide_runtime_record (*gputide_table->runtime_record)
#define gputide_runtime_save (*gputide_table->runtime_save)
#define gputide_runtime_load (*gputide_table->runtime_load)
#define gputide_runtime_describe (*gputide_table->runtime_describe)
#define gputide_runtime_stats (*gputide_table->runtime_stats)
#define gputide_runtime_start (*gputide_table->runtime_start)
#define gputide_runtime_stop (*gputide_table->runtime_stop)
#define gputide_runtime_step (*gputide_table->runtime_step)
#define gputide_runtime_wake_fd (*gputide_table->runtime_wake_fd)
#define gputide_forecast_open (*gputide_plan_table->forecast_open)
#define gputide_forecast_free (*gputide_plan_table->forecast_free)
#define gputide_forecast_add (*gputide_plan_table->forecast_add)
#define gputide_forecast_floor (*gputide_plan_table->forecast_floor)
#define gputide_forecast_charge (*gputide_plan_table->forecast_charge)
#define gputide_forecast_describe (*gputide_plan_table->forecast_describe)
#define gputide_forecast_save (*gputide_plan_table->forecast_save)
#define gputide_forecast_load (*gputide_plan_table->forecast_load)
#define gputide_forecast_state_name (*gputide_plan_table->forecast_state_name)
#define gputide_floor_reason_name (*gputide_plan_table->floor_reason_name)
#define gputide_series_new (*gputide_plan_table->series_new)
#define gputide_series_free (*gputide_plan_table->series_free)
#define gputide_series_add (*gputide_plan_table->series_add)
#define gputide_series_add_replicas (*gputide_plan_table->series_add_replicas)
#define gputide_series_read (*gputide_plan_table->series_read)
#define gputide_series_fetch (*gputide_plan_table->series_fetch)
#define gputide_series_write (*gputide_plan_table->series_write)
#define gputide_series_describe (*gputide_plan_table->series_describe)
#define gputide_replay_open (*gputide_plan_table->replay_open)
#define gputide_replay_free (*gputide_plan_table->replay_free)
#define gputide_replay_run (*gputide_plan_table->replay_run)
#define gputide_replay_record (*gputide_plan_table->replay_record)
#define gputide_replay_report (*gputide_plan_table->replay_report)
#define gputide_nodes_plan (*gputide_plan_table->nodes_plan)
#define gputide_rightsize_open (*gputide_plan_table->rightsize_open)
#define gputide_rightsize_free (*gputide_plan_table->rightsize_free)
#define gputide_rightsize_describe (*gputide_plan_table->rightsize_describe)
#define gputide_rightsize_container (*gputide_plan_table->rightsize_container)
#define gputide_rightsize_add (*gputide_plan_table->rightsize_add)
#define gputide_rightsize_recommend (*gputide_plan_table->rightsize_recommend)
#define gputide_rightsize_fit (*gputide_plan_table->rightsize_fit)
#define gputide_rightsize_save (*gputide_plan_table->rightsize_save)
#define gputide_rightsize_load (*gputide_plan_table->rightsize_load)
#define gputide_scaled_job_decide (*gputide_plan_table->scaled_job_decide)
#define gputide_cluster_attach (*gputide_kubernetes_table->cluster_attach)
#define gputide_cluster_detach (*gputide_kubernetes_table->cluster_detach)
#define gputide_cluster_describe (*gputide_kubernetes_table->cluster_describe)
#define gputide_cluster_doctor (*gputide_kubernetes_table->cluster_doctor)
#define gputide_cluster_list (*gputide_kubernetes_table->cluster_list)
#define gputide_cluster_handover (*gputide_kubernetes_table->cluster_handover)
#define gputide_agent_pool_write (*gputide_kubernetes_table->agent_pool_write)

#endif /* GPUTIDE_CALLS_H */

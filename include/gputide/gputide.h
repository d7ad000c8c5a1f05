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

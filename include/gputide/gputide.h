/* gputide: GPU autoscaling inside your own process.
 *
 * Give it a manifest that you already have (a KEDA ScaledObject with its TriggerAuthentication, or an autoscaling/v2
 * HorizontalPodAutoscaler) and the present replica count; it fetches the metrics, gets the tokens, and answers with the
 * replica count that KEDA and the HPA would write, and the whole reason for it.
 *
 * Reading order: a host that only wants a decision from numbers stops after section 7; one that wants everything done
 * reads section 8, or section 9 if it has many scalers, and needs little else.
 *
 *   1 version    2 status and error    3 hooks and cancel    4 credential    5 source
 *   6 policy and state    7 decide    8 scaler    9 runtime    10 replay    11 one symbol for plugins
 *
 * Conventions
 *   Names      gputide_<noun>_<verb>; arguments in the order handle, inputs, outputs, err.
 *   Ownership  const inputs are borrowed for the call and copied if kept.  T **out gives a handle that the caller owns and
 *              ends with its _free (NULL is fine).  gputide_text is filled by the library and emptied by gputide_text_free.
 *              A returned const char * is static, or lives as long as its handle where the comment says so.
 *   Structs    the first member is struct_size: zero-fill the struct, then set it to sizeof.  Zero means "default" in every
 *              member.  A library newer than the caller fills only what the caller knows; a caller newer than the library
 *              gets GPUTIDE_E_TOO_NEW if it sets a member that the library does not know.
 *   Text       UTF-8.  Sizes are in bytes; GPUTIDE_TEXT (-1) as a size means NUL-terminated.
 *   Times      *_ms: Unix milliseconds (UTC) for points in time, milliseconds for durations.
 *   Errors     an int32 status is returned; err may be NULL, and is written only on failure.  Every function that returns
 *              a status may return GPUTIDE_E_INVALID (a NULL or impossible argument), _E_NO_MEMORY and _E_BUG; the comments
 *              name the others.  On failure no output is written, unless the comment says otherwise.
 *   Threads    an argument of type const T * may be shared by concurrent calls; a T * is used exclusively during the call;
 *              different handles never interfere.  Exceptions: gputide_cancel_fire, and the runtime of section 9, whose
 *              functions may run side by side.  No function has thread affinity.
 *
 * Caveats
 *   fork       a child must not use a handle of its parent, not even to free it; it may open its own.
 *   unload     the library stays mapped after dlclose (it is linked with -z nodelete).
 *   process    no thread (but gputide_runtime_start's one), signal handler, atexit work, environment change, output or exit; libcurl's global
 *              initialisation happens once, at the first handle that may fetch.
 *   memory     what crosses this door as gputide_text comes from the allocator of section 3; the rest from malloc.
 *
 * Apache-2.0.  https://semver.org for the release; GPUTIDE_ABI_VERSION for the binary interface (docs/abi.md). */
#ifndef GPUTIDE_H
#define GPUTIDE_H

#include <stddef.h>
#include <stdint.h>

#if defined(GPUTIDE_STATIC)
#define GPUTIDE_API
#elif defined(__GNUC__)
#define GPUTIDE_API __attribute__((visibility("default")))
#else
#define GPUTIDE_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ============================================================================================================ 1 version */

#define GPUTIDE_VERSION_MAJOR 0
#define GPUTIDE_VERSION_MINOR 1
#define GPUTIDE_VERSION_PATCH 0
#define GPUTIDE_ABI_VERSION 0

/* "0.1.0".  Static.  Since 0.1. */
GPUTIDE_API const char* gputide_version(void);

/* major * 1000000 + minor * 1000 + patch of the library that runs.  Since 0.1. */
GPUTIDE_API int32_t gputide_version_number(void);

/* The number that a loader compares with the GPUTIDE_ABI_VERSION that it was written for, before anything else. */
GPUTIDE_API int32_t gputide_abi_version(void);

enum {
    GPUTIDE_FEATURE_YAML = 1, /* manifests may be YAML; without it JSON alone */
    GPUTIDE_FEATURE_HTTP2 = 2
};

/* Bit set of GPUTIDE_FEATURE_*.  Since 0.1. */
GPUTIDE_API uint32_t gputide_features(void);

/* JSON of compiler and dependency versions, for bug reports.  Static.  Since 0.1. */
GPUTIDE_API const char* gputide_build_info(void);

/* ==================================================================================================== 2 status and error */

typedef int32_t gputide_status;

/* Append-only.  What to do about each, as a rule, is gputide_status_action's business; gputide_error.action knows the case. */
enum {
    GPUTIDE_OK = 0,
    GPUTIDE_E_INVALID = 1,     /* a manifest, setting or argument is wrong */
    GPUTIDE_E_AUTH = 2,        /* credentials were refused */
    GPUTIDE_E_FORBIDDEN = 3,   /* credentials are good, a role is missing */
    GPUTIDE_E_THROTTLED = 4,   /* too many requests: wait until retry_at_ms */
    GPUTIDE_E_UNAVAILABLE = 5, /* network or service, for now */
    GPUTIDE_E_NOT_HERE = 6,    /* this credential source does not exist on this machine */
    GPUTIDE_E_TIMEOUT = 7,     /* the caller's deadline, or the peer's own */
    GPUTIDE_E_CANCELLED = 8,   /* gputide_cancel_fire */
    GPUTIDE_E_REJECTED = 9,    /* the peer refuses this query for good */
    GPUTIDE_E_PROTOCOL = 10,   /* an answer that cannot be used */
    GPUTIDE_E_SECURITY = 11,   /* going on would have been unsafe */
    GPUTIDE_E_NO_DATA = 12,    /* the query works and there is no value */
    GPUTIDE_E_AMBIGUOUS = 13,  /* several where one is needed */
    GPUTIDE_E_PARTIAL = 14,    /* the peer says that its answer is incomplete */
    GPUTIDE_E_LIMIT = 15,      /* a size, depth or count limit of this library */
    GPUTIDE_E_STATE = 16,      /* a saved state that is damaged, foreign or of a newer library */
    GPUTIDE_E_TOO_NEW = 17,    /* a struct with members that this library does not know */
    GPUTIDE_E_NO_MEMORY = 18,
    GPUTIDE_E_BUG = 19 /* ours: please report it with the message */
};

typedef int32_t gputide_action;

enum {
    GPUTIDE_ACTION_NONE = 0,
    GPUTIDE_ACTION_RETRY = 1,
    GPUTIDE_ACTION_WAIT = 2, /* until retry_at_ms */
    GPUTIDE_ACTION_FIX_CONFIGURATION = 3,
    GPUTIDE_ACTION_FIX_CREDENTIALS = 4,
    GPUTIDE_ACTION_GRANT_ROLE = 5,
    GPUTIDE_ACTION_FIX_QUERY = 6,
    GPUTIDE_ACTION_ALLOW_BY_NAME = 7, /* or mend it: the host must say that it wants this */
    GPUTIDE_ACTION_UPGRADE = 8,
    GPUTIDE_ACTION_REPORT_BUG = 9
};

/* "E_INVALID", "OK"; "E_UNKNOWN" for a number without a name.  Static.  Since 0.1. */
GPUTIDE_API const char* gputide_status_name(gputide_status status);

/* What the caller should do next, as GPUTIDE_ACTION_*.  Since 0.1. */
GPUTIDE_API gputide_action gputide_status_action(gputide_status status);

/* Caller-owned; nothing in it needs freeing.  Texts are cut on a UTF-8 boundary to fit.  Never holds a secret. */
typedef struct gputide_error {
    uint32_t struct_size;
    gputide_status status;
    gputide_action action;
    int32_t retryable;   /* 1: the same call, unchanged, may work later */
    int32_t http_status; /* 0: there was no HTTP answer */
    int32_t reserved;
    int64_t retry_at_ms;   /* 0: nobody said when */
    char service_code[64]; /* the peer's own: AADSTS700024, bad_data, AuthorizationFailed */
    char where[128];       /* "so.yaml:17 spec.triggers[0].metadata.threshold", "trigger 0 (prometheus)" */
    char message[2048];    /* which thing, what was expected, what came, what to do */
    char detail[4096];     /* JSON: class, what else the peer said (suberror, claims, trace_id); "" if too long */
} gputide_error;

/* ================================================================================================== 3 hooks and cancel */

/* Bytes of the library, NUL-terminated beyond size_bytes.  Start with {0}; a used one is freed before it is filled again
 * by gputide_text_free, which also empties it. */
typedef struct gputide_text {
    char* data;
    uint64_t size_bytes;
} gputide_text;

GPUTIDE_API void gputide_text_free(gputide_text* text);

typedef struct gputide_allocator {
    uint32_t struct_size;
    uint32_t reserved;
    void* (*allocate)(void* user_data, uint64_t size_bytes); /* NULL: no memory */
    void (*release)(void* user_data, void* memory);
    void* user_data;
} gputide_allocator;

/* Where gputide_text memory comes from.  Process-wide; call it once, before anything else of this library; NULL restores
 * malloc and free.  Returns GPUTIDE_E_STATE when a text has been handed out already.  Since 0.1. */
GPUTIDE_API gputide_status gputide_set_allocator(const gputide_allocator* allocator, gputide_error* err);

enum { GPUTIDE_LOG_ERROR = 1, GPUTIDE_LOG_WARNING = 2, GPUTIDE_LOG_INFO = 3, GPUTIDE_LOG_DEBUG = 4 };

typedef struct gputide_log_sink {
    uint32_t struct_size;
    int32_t level; /* lines of this level and more severe ones; 0: off */
    /* May be called from any thread that is inside a gputide function; must not call back into the library.
     * line: one line without LF, valid during the call. */
    void (*write)(void* user_data, int32_t level, const char* line);
    void (*finalize)(void* user_data); /* once, when the sink is replaced; may be NULL */
    void* user_data;
} gputide_log_sink;

/* Push: each line goes to sink->write.  Process-wide; NULL: off (the default).  Since 0.1. */
GPUTIDE_API gputide_status gputide_set_log(const gputide_log_sink* sink, gputide_error* err);

/* Pull, for languages where a callback is a burden: with sink->write NULL lines wait here, 256 at most, the oldest give
 * way.  Returns GPUTIDE_E_NO_DATA when none waits.  level may be NULL.  Any thread.  Since 0.1. */
GPUTIDE_API gputide_status gputide_log_take(gputide_text* line, int32_t* level, gputide_error* err);

/* Ends a blocking call from another thread.  One handle may serve several calls. */
typedef struct gputide_cancel gputide_cancel;

GPUTIDE_API gputide_status gputide_cancel_new(gputide_cancel** out, gputide_error* err);
GPUTIDE_API void gputide_cancel_fire(
    const gputide_cancel* cancel);                             /* any thread, any time; not from a signal handler */
GPUTIDE_API void gputide_cancel_reset(gputide_cancel* cancel); /* while no call uses it */
GPUTIDE_API void gputide_cancel_free(gputide_cancel* cancel);  /* not while a call uses it */

/* ------------------------------------------------------------------------------------------------------------- options */

/* Text that stands beside the main one: a TriggerAuthentication, a Secret, a ConfigMap in a file of its own. */
typedef struct gputide_file {
    const char* name; /* for messages; may be NULL */
    const char* text;
    int64_t size_bytes; /* GPUTIDE_TEXT: NUL-terminated */
} gputide_file;

#define GPUTIDE_TEXT (-1)

enum {
    GPUTIDE_ALLOW_ENVIRONMENT = 1,      /* ${NAME} in the text, env: of a TriggerAuthentication */
    GPUTIDE_ALLOW_PLAIN_HTTP = 2,       /* a credential over http to a host that is not loopback */
    GPUTIDE_ALLOW_CUSTOM_AUTHORITY = 4, /* a login endpoint outside the known Azure clouds */
    GPUTIDE_ENABLE_AZURE_PROXY = 8,     /* AKS identity bindings: AZURE_KUBERNETES_TOKEN_PROXY */
    GPUTIDE_STRICT = 16                 /* the strict profile, as if each manifest said gputide.io/profile: strict */
};

/* What the host program allows and knows.  Trust is the host's: none of this can be said by a manifest. */
typedef struct gputide_options {
    uint32_t struct_size;
    uint32_t flags;            /* GPUTIDE_ALLOW_* and others above */
    const char* text_name;     /* name of the main text in messages; NULL: "<text>" */
    const char* scaler;        /* which one, "name" or "namespace/name", where the text holds several */
    const gputide_file* files; /* further texts */
    uint32_t file_count;
    uint32_t file_size;      /* sizeof(gputide_file) */
    const char* ca_file;     /* PEM; instead of SSL_CERT_FILE and the system's roots */
    const char* secrets_dir; /* DIR/<name>/<key> for secretTargetRef and configMapTargetRef; tokenFile lies below */
    const char* allowed_token_hosts; /* comma-separated hosts that may get a cloud token beside the cloud's own */
    const char* allowed_programs;    /* comma-separated programs that may be run for a token: "az", "/opt/bin/token" */
    const char* kubeconfig;          /* the Kubernetes cluster to read from; NULL: KUBECONFIG (with
                                        GPUTIDE_ALLOW_ENVIRONMENT), else the pod's service account */
    const char* kube_context;        /* one of its contexts; NULL: current-context */
    const char* service_account_dir; /* token, ca.crt and namespace of a pod; NULL: where Kubernetes mounts them */
} gputide_options;

/* ======================================================================================================= 4 credential */

/* Something that gets tokens.  Credentials of one process share a cache, so equal ones make one request. */
typedef struct gputide_credential gputide_credential;

typedef struct gputide_token_info {
    uint32_t struct_size;
    uint32_t reserved;
    int64_t expires_at_ms;
    int64_t refresh_at_ms;   /* the library renews from here on */
    int64_t usable_until_ms; /* and does not hand it out beyond this */
} gputide_token_info;

/* From text: a TriggerAuthentication document, or its podIdentity block alone:
 *     provider: azure-workload
 *     identityId: 00000000-0000-0000-0000-000000000000      (optional, as in KEDA; identityTenantId, identityAuthorityHost too)
 * Every provider of a manifest is one here (docs/credentials.md): azure-workload, azure-managed-identity,
 * azure-client-secret, azure-client-certificate, azure-cli, azure-default (the chain), aws, gcp, bearer-file, bearer-exec.
 * The token of aws is the JSON that AWS' credential_process prints: a key and a session, which sign requests.
 * size_bytes may be GPUTIDE_TEXT; options may be NULL.  No request is made.
 * Returns E_INVALID (the message names the key or the environment variable).  Since 0.1. */
GPUTIDE_API gputide_status gputide_credential_open(const char* text, int64_t size_bytes, const gputide_options* options,
                                                   gputide_credential** out, gputide_error* err);
GPUTIDE_API void gputide_credential_free(gputide_credential* credential);

/* A token for one scope ("https://prometheus.monitor.azure.com/.default").  Blocks; at most timeout_ms in all, retries
 * included; answers from the cache where it can.
 *   token   the bearer token: a secret, keep it out of logs; gputide_text_free wipes it.
 *   info    may be NULL.
 *   cancel  may be NULL.
 * Returns E_INVALID, _AUTH, _THROTTLED, _UNAVAILABLE, _NOT_HERE, _TIMEOUT, _CANCELLED, _PROTOCOL, _SECURITY.  Since 0.1. */
GPUTIDE_API gputide_status gputide_credential_token(const gputide_credential* credential, const char* scope,
                                                    int32_t timeout_ms, const gputide_cancel* cancel,
                                                    gputide_text* token, gputide_token_info* info, gputide_error* err);

/* A resource answered 401 to exactly this token: drop it.  Late news about an older token change nothing, and a scope is
 * renewed by force at most once in 30 s.  Since 0.1. */
GPUTIDE_API gputide_status gputide_credential_invalidate(const gputide_credential* credential, const char* scope,
                                                         const char* token, int64_t token_bytes, gputide_error* err);

/* Claims of a JWT that tell whose it is (aud, iss, tid, appid, azp, oid, sub, exp, ...), as JSON; never its signature.
 * Nothing is verified.  Returns E_PROTOCOL for a text that is no JWT.  Since 0.1. */
GPUTIDE_API gputide_status gputide_token_claims(const char* token, int64_t token_bytes, gputide_text* json,
                                                gputide_error* err);

/* =========================================================================================================== 5 source */

/* A metric: where it is, how it is asked for, how its answer becomes one number. */
typedef struct gputide_source gputide_source;

typedef int32_t gputide_sample_state;

enum {
    GPUTIDE_SAMPLE_OK = 0,
    GPUTIDE_SAMPLE_EMPTY = 1,        /* the query matched nothing */
    GPUTIDE_SAMPLE_NOT_A_NUMBER = 2, /* NaN or an infinity */
    GPUTIDE_SAMPLE_STALE = 3,
    GPUTIDE_SAMPLE_PARTIAL = 4,
    GPUTIDE_SAMPLE_AMBIGUOUS = 5,
    GPUTIDE_SAMPLE_AUTH = 6,
    GPUTIDE_SAMPLE_TIMEOUT = 7,
    GPUTIDE_SAMPLE_FAILED = 8,
    GPUTIDE_SAMPLE_NOT_READ = 9
};

enum { GPUTIDE_SAMPLE_NULL_AS_ZERO = 1 }; /* nothing, NaN or an infinity came, and ignoreNullValues made 0 of it */

/* One number, or the reason that there is none. */
typedef struct gputide_sample {
    uint32_t struct_size;
    gputide_sample_state state; /* GPUTIDE_SAMPLE_*; value holds where it is GPUTIDE_SAMPLE_OK */
    gputide_status status;      /* of the failed read; GPUTIDE_OK where state is OK */
    uint32_t flags;             /* GPUTIDE_SAMPLE_NULL_AS_ZERO */
    double value;               /* finite */
    int64_t time_ms;            /* when it was true; 0: unknown */
} gputide_sample;

/* From text: one entry of a ScaledObject's triggers, and beside it (in options->files or as further documents of the text)
 * the TriggerAuthentication that it names:
 *     type: prometheus
 *     metadata: { serverAddress: "https://...", query: "avg(DCGM_FI_DEV_GPU_UTIL)", threshold: "5" }
 * Nothing is sent.  Returns E_INVALID with trigger, key, line and path.  Since 0.1. */
GPUTIDE_API gputide_status gputide_source_open(const char* text, int64_t size_bytes, const gputide_options* options,
                                               gputide_source** out, gputide_error* err);
GPUTIDE_API void gputide_source_free(gputide_source* source);

/* Read one value.  Blocks; at most timeout_ms in all (token, DNS, retries, body).
 *   now_ms   the time the query is evaluated at.
 *   cancel   may be NULL; firing it from another thread ends the call with GPUTIDE_E_CANCELLED.
 *   out      written on success; on a failure of the read its state and status are written too.
 * An empty answer with ignoreNullValues (KEDA's default for prometheus) is value 0, flag GPUTIDE_SAMPLE_NULL_AS_ZERO.
 * Returns any status of section 2 but E_STATE.  Since 0.1. */
GPUTIDE_API gputide_status gputide_source_fetch(gputide_source* source, int64_t now_ms, int32_t timeout_ms,
                                                const gputide_cancel* cancel, gputide_sample* out, gputide_error* err);

/* All series of the answer, with their labels. */
typedef struct gputide_samples gputide_samples;

/* As gputide_source_fetch, without making one number of it: several series and an empty answer are both fine. */
GPUTIDE_API gputide_status gputide_source_fetch_all(gputide_source* source, int64_t now_ms, int32_t timeout_ms,
                                                    const gputide_cancel* cancel, gputide_samples** out,
                                                    gputide_error* err);
GPUTIDE_API uint32_t gputide_samples_count(const gputide_samples* samples);
GPUTIDE_API gputide_status gputide_samples_get(const gputide_samples* samples, uint32_t index, gputide_sample* out,
                                               gputide_error* err);
/* {"__name__":"DCGM_FI_DEV_GPU_UTIL","gpu":"0"}: lives as long as the handle; NULL for an index beyond the count. */
GPUTIDE_API const char* gputide_samples_labels(const gputide_samples* samples, uint32_t index);
GPUTIDE_API void gputide_samples_free(gputide_samples* samples);

/* The two pure halves, for a host with its own HTTP: what would be sent, as JSON {"method","url","headers","body"} (a cloud
 * token is not in it: take one from section 4), and what an answer comes to. */
GPUTIDE_API gputide_status gputide_source_request(const gputide_source* source, int64_t now_ms, gputide_text* json,
                                                  gputide_error* err);
GPUTIDE_API gputide_status gputide_source_parse(const gputide_source* source, int32_t http_status, const char* body,
                                                int64_t body_bytes, gputide_sample* out, gputide_error* err);

/* ================================================================================================= 6 policy and state */

/* What to decide by: bounds, thresholds, behaviour, cooldown.  Immutable. */
typedef struct gputide_policy gputide_policy;

/* From the text of a ScaledObject or HorizontalPodAutoscaler, as for gputide_scaler_open; no source is opened, so
 * addresses and credentials may be missing, thresholds may not.  Returns E_INVALID, _AMBIGUOUS, _LIMIT.  Since 0.1. */
GPUTIDE_API gputide_status gputide_policy_open(const char* text, int64_t size_bytes, const gputide_options* options,
                                               gputide_policy** out, gputide_error* err);
GPUTIDE_API void gputide_policy_free(gputide_policy* policy);

/* How many metrics the policy takes: gputide_observation.samples has one for each, in manifest order. */
GPUTIDE_API uint32_t gputide_policy_metric_count(const gputide_policy* policy);

/* The policy as JSON, each default filled in.  Since 0.1. */
GPUTIDE_API gputide_status gputide_policy_describe(const gputide_policy* policy, gputide_text* json,
                                                   gputide_error* err);

/* What one scaler remembers: activity, stabilisation windows, scale events, failure counts. */
typedef struct gputide_state gputide_state;

/* created_ms: the object's creationTimestamp, for initialCooldownPeriod; 0: the first decision's time. */
GPUTIDE_API gputide_status gputide_state_new(const gputide_policy* policy, int64_t created_ms, gputide_state** out,
                                             gputide_error* err);
GPUTIDE_API gputide_status gputide_state_clone(const gputide_state* state, gputide_state** out, gputide_error* err);
GPUTIDE_API void gputide_state_free(gputide_state* state);

/* Text that survives a restart: versioned, checksummed.  Older versions load for ever; a damaged, foreign or newer one is
 * refused with GPUTIDE_E_STATE and a reason, never half-loaded.  Since 0.1. */
GPUTIDE_API gputide_status gputide_state_save(const gputide_policy* policy, const gputide_state* state,
                                              gputide_text* out, gputide_error* err);
GPUTIDE_API gputide_status gputide_state_load(const gputide_policy* policy, const char* text, int64_t size_bytes,
                                              gputide_state** out, gputide_error* err);

/* =========================================================================================================== 7 decide */

/* Pods, for metrics of type Pods, Resource and ContainerResource only. */
enum {
    GPUTIDE_POD_RUNNING = 0,
    GPUTIDE_POD_PENDING = 1,
    GPUTIDE_POD_SUCCEEDED = 2,
    GPUTIDE_POD_FAILED = 3,
    GPUTIDE_POD_UNKNOWN = 4
};
enum { GPUTIDE_READY_YES = 0, GPUTIDE_READY_NO = 1, GPUTIDE_READY_NO_CONDITION = 2 };

typedef struct gputide_pod {
    const char* name;
    int32_t phase;    /* GPUTIDE_POD_* */
    int32_t ready;    /* GPUTIDE_READY_*: the pod's Ready condition */
    int32_t deleting; /* 1: has a deletion timestamp */
    int32_t reserved;
    int64_t start_time_ms;        /* 0: none */
    int64_t ready_change_time_ms; /* lastTransitionTime of Ready; 0: as start_time_ms */
} gputide_pod;

typedef struct gputide_pod_sample {
    int32_t metric;        /* index into the policy's metrics */
    int32_t pod;           /* index into observation.pods; -1: a pod that is not listed */
    int64_t value_milli;   /* thousandths, as Kubernetes counts them */
    int64_t request_milli; /* Utilization: what the pod requests; 0: no request */
    int64_t time_ms;       /* 0: now */
    int32_t window_s;      /* 0: 60 */
    int32_t reserved;
} gputide_pod_sample;

enum {
    GPUTIDE_SEEN_STATUS = 1,     /* status_replicas is 0, not absent */
    GPUTIDE_SEEN_READY = 2,      /* ready_replicas is 0, not absent */
    GPUTIDE_SCALE_UNREADABLE = 4 /* the target's size could not be read; current_replicas is not looked at */
};

/* What is true now.  All of it is borrowed for the call. */
typedef struct gputide_observation {
    uint32_t struct_size;
    uint32_t flags; /* GPUTIDE_SEEN_*, GPUTIDE_SCALE_UNREADABLE */
    int64_t now_ms;
    int32_t current_replicas; /* the target's spec.replicas */
    int32_t status_replicas;  /* its status.replicas: pods that exist; 0 without flag: as current */
    int32_t ready_replicas;   /* pods that are ready; 0 without flag: as current */
    uint32_t sample_count;
    const gputide_sample* samples; /* one per metric of the policy; for a scaler only those that the host pushes */
    const gputide_pod* pods;
    const gputide_pod_sample* pod_samples;
    uint32_t pod_count;
    uint32_t pod_sample_count;
    uint32_t sample_size; /* sizeof(gputide_sample) where samples is set; pods and pod samples likewise */
    uint32_t pod_size;
    uint32_t pod_sample_size;
    uint32_t reserved;
} gputide_observation;

/* What held the decision back, or GPUTIDE_LIMIT_NONE.  Append-only. */
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
    GPUTIDE_LIMIT_BUDGET = 12
};

enum { GPUTIDE_FROM_HPA = 0, GPUTIDE_FROM_EXECUTOR = 1 };

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
    GPUTIDE_CONDITION_COUNT = 8
};

enum { GPUTIDE_ABSENT = 0, GPUTIDE_TRUE = 1, GPUTIDE_FALSE = 2, GPUTIDE_UNKNOWN = 3 };

typedef struct gputide_condition {
    int32_t truth;    /* GPUTIDE_ABSENT: this condition is not set */
    int32_t reason;   /* number of gputide_reason_name */
    int64_t since_ms; /* when truth last changed */
} gputide_condition;

enum {
    GPUTIDE_DECIDED_ACTIVE = 1,   /* a trigger is active */
    GPUTIDE_DECIDED_ERROR = 2,    /* a trigger or metric failed and nothing took its place */
    GPUTIDE_DECIDED_EXECUTOR = 4, /* KEDA's half was due and ran */
    GPUTIDE_DECIDED_HPA = 8       /* the HPA's half was due and ran */
};

/* Write desired_replicas to the target if it differs from current_replicas, then say how that went (gputide_state_record,
 * gputide_scaler_record): scale events and cooldown follow what was applied, not what was wished. */
typedef struct gputide_decision {
    uint32_t struct_size;
    uint32_t flags; /* GPUTIDE_DECIDED_* */
    int64_t now_ms;
    int64_t next_due_ms; /* Unix time at which the next decision is due; earlier ones answer GPUTIDE_LIMIT_NOT_DUE */
    int32_t current_replicas;
    int32_t desired_replicas;
    int32_t proposed_replicas; /* what the metrics ask for, before stabilisation, limits and bounds */
    int32_t limited_by;        /* GPUTIDE_LIMIT_* */
    int32_t source;            /* GPUTIDE_FROM_* */
    int32_t winner;            /* metric that asked for the most; -1: none */
    int32_t failed_metric;     /* the first that failed; -1: none */
    int32_t event;             /* 0 none, 1 activated, 2 deactivated, 3 activation failed, 4 deactivation failed */
    gputide_condition conditions[GPUTIDE_CONDITION_COUNT];
} gputide_decision;

/* The replica count that KEDA and the HPA would write.  Pure: no I/O, no clock, no lock; the time is seen->now_ms.
 *   state   updated: history, failure counts, activity.
 *   report  may be NULL (then nothing is recorded and, in steady state, nothing allocated); else the decision as one line
 *           of JSON with its conditions and trace (docs/decision.md).
 * Formulas and their sources: docs/semantics.md.  Worked: threshold 5, 3 replicas, sample 42.5 → ceil(42.5 / 5) = 9.
 * Since 0.1. */
GPUTIDE_API gputide_status gputide_decide(const gputide_policy* policy, gputide_state* state,
                                          const gputide_observation* seen, gputide_decision* out, gputide_text* report,
                                          gputide_error* err);

/* Tell the state how the write of made->desired_replicas went.  applied 1: it was written at now_ms; 0: it failed.
 * made is updated (conditions, event).  A decision that wanted no write needs no record.  Since 0.1. */
GPUTIDE_API gputide_status gputide_state_record(const gputide_policy* policy, gputide_state* state,
                                                gputide_decision* made, int32_t applied, int64_t now_ms,
                                                gputide_error* err);

/* Names of the numbers above as the JSON and Kubernetes spell them; "unknown" for others.  Static.  Since 0.1. */
GPUTIDE_API const char* gputide_limit_name(int32_t limit);         /* "scale_up_limit" */
GPUTIDE_API const char* gputide_condition_name(int32_t condition); /* "ScalingLimited" */
GPUTIDE_API const char* gputide_reason_name(int32_t reason);       /* "ScaleDownStabilized" */

/* A report as lines for a person: conditions, then the trace step by step.  Returns E_INVALID for a text that is no
 * report.  Since 0.1. */
GPUTIDE_API gputide_status gputide_trace_render(const char* report, int64_t size_bytes, gputide_text* lines,
                                                gputide_error* err);

/* =========================================================================================================== 8 scaler */

/* Read a manifest without opening anything: no network.
 *   report  written on success and with E_INVALID: JSON {"scalers":[{"name","namespace","kind","file"}],"report":{
 *           "errors":0,"warnings":1,"findings":[{"severity","code","file","line","column","path","message","remedy"}]}}.
 *   lines   may be NULL; the findings as a compiler prints them.
 * Returns GPUTIDE_OK (warnings are no failure), E_INVALID, _LIMIT.  Since 0.1. */
GPUTIDE_API gputide_status gputide_manifest_check(const char* manifest, int64_t size_bytes,
                                                  const gputide_options* options, gputide_text* report,
                                                  gputide_text* lines, gputide_error* err);

/* A manifest as a working pipeline: sources, credentials, policy, state. */
typedef struct gputide_scaler gputide_scaler;

/* manifest: YAML (several documents) or JSON.  size_bytes may be GPUTIDE_TEXT; options may be NULL.  Nothing is sent.
 * Returns E_INVALID with file, line and path; E_AMBIGUOUS where the text holds several scalers and options->scaler names
 * none; E_LIMIT.  Since 0.1. */
GPUTIDE_API gputide_status gputide_scaler_open(const char* manifest, int64_t size_bytes, const gputide_options* options,
                                               gputide_scaler** out, gputide_error* err);
GPUTIDE_API void gputide_scaler_free(gputide_scaler* scaler);

/* Fetch every trigger that is due, decide.  Blocks; at most timeout_ms in all.
 *   seen    seen->samples are the values of triggers whose numbers the host pushes (type values), by index; else empty.
 *   report  may be NULL; as for gputide_decide.
 * A trigger that fails does not fail the call: the decision is what KEDA and the HPA make of it (flag
 * GPUTIDE_DECIDED_ERROR; gputide_scaler_metrics has each error).  Returns E_CANCELLED; the state is then as before.
 * Since 0.1. */
GPUTIDE_API gputide_status gputide_scaler_tick(gputide_scaler* scaler, const gputide_observation* seen,
                                               int32_t timeout_ms, const gputide_cancel* cancel, gputide_decision* out,
                                               gputide_text* report, gputide_error* err);

/* The two halves of a tick.  fetch writes one sample per metric; give them to decide in seen->samples.
 *   capacity  elements of samples; fewer than the metrics: E_INVALID.      count  how many were written; may be NULL. */
GPUTIDE_API gputide_status gputide_scaler_fetch(gputide_scaler* scaler, int64_t now_ms, int32_t timeout_ms,
                                                const gputide_cancel* cancel, gputide_sample* samples,
                                                uint32_t sample_size, uint32_t capacity, uint32_t* count,
                                                gputide_error* err);
GPUTIDE_API gputide_status gputide_scaler_decide(gputide_scaler* scaler, const gputide_observation* seen,
                                                 gputide_decision* out, gputide_text* report, gputide_error* err);

/* As gputide_state_record. */
GPUTIDE_API gputide_status gputide_scaler_record(gputide_scaler* scaler, gputide_decision* made, int32_t applied,
                                                 int64_t now_ms, gputide_error* err);

/* JSON array of the conditions {type, status, reason, message, since}. */
GPUTIDE_API gputide_status gputide_scaler_conditions(const gputide_scaler* scaler, gputide_text* json,
                                                     gputide_error* err);

/* JSON array, one object per metric: the last value with its age, state, latency, and the error where it failed. */
GPUTIDE_API gputide_status gputide_scaler_metrics(const gputide_scaler* scaler, gputide_text* json, gputide_error* err);

/* As gputide_policy_describe. */
GPUTIDE_API gputide_status gputide_scaler_describe(const gputide_scaler* scaler, gputide_text* json,
                                                   gputide_error* err);

/* As gputide_state_save and _load; load replaces the state only on success. */
GPUTIDE_API gputide_status gputide_scaler_save(const gputide_scaler* scaler, gputide_text* out, gputide_error* err);
GPUTIDE_API gputide_status gputide_scaler_load(gputide_scaler* scaler, const char* text, int64_t size_bytes,
                                               gputide_error* err);

/* What is wrong with a manifest's triggers, found by walking each of them as it would be asked: environment, token file,
 * authority, token, endpoint, query, series, age, value, activation.  A trigger's walk ends at its first step that fails, with
 * the likely cause and the fix.  Then the decision that follows, and what limits it.  Blocks; at most timeout_ms in all.
 * Reads the network, the environment and token files as the triggers do, and nothing is written anywhere.
 *   options  as for gputide_scaler_open.
 *   seen     the present size, and the samples of triggers whose numbers the host pushes; NULL: the manifest's minimum, now.
 *   report   JSON {"name","namespace","verdict","conclusion","triggers":[{"index","type","metric","asks","failed_step",
 *            "steps":[{"step","verdict","seen","cause","fix","paste","detail"}]}],"outcome":[steps]} (docs/doctor.md); a
 *            verdict is ok, warning or failed, and steps leave out what is empty.
 *   lines    may be NULL; the same for a person, the conclusion first.
 * A step that fails does not fail the call.  Returns E_INVALID for a manifest that cannot be read, E_AMBIGUOUS, E_LIMIT,
 * E_CANCELLED.  Since 0.1. */
GPUTIDE_API gputide_status gputide_doctor(const char* manifest, int64_t size_bytes, const gputide_options* options,
                                          const gputide_observation* seen, int32_t timeout_ms,
                                          const gputide_cancel* cancel, gputide_text* report, gputide_text* lines,
                                          gputide_error* err);

/* =========================================================================================================== 9 runtime */

/* Many scalers in one process: polled at their intervals, side by side, over shared connections and tokens; each decision
 * that matters comes as an event.  Driven in one of three ways:
 *   gputide_runtime_start    a thread of its own (all signals blocked in it), until _stop
 *   gputide_runtime_step     by the host, by the host's clock, when the last step said or earlier; gputide_runtime_wake_fd
 *                            tells a loop when that is
 *   neither                  gputide_runtime_next_event drives while it waits
 * Every function of this section but _free may be called from any thread, at the same time as others, and does not block
 * unless it says so.  docs/runtime.md has the limits and what was measured.
 * A child of fork has no thread of its parent's runtime and must leave that runtime alone; stop the runtime before exit. */
typedef struct gputide_runtime gputide_runtime;

enum {
    GPUTIDE_RUNTIME_EVERY_DECISION = 1, /* events also for decisions that change nothing */
    GPUTIDE_RUNTIME_REPORTS = 2,        /* events carry the decision as JSON, with conditions and trace */
    GPUTIDE_RUNTIME_NO_SHARING = 4,     /* each scaler asks for itself, also where two ask the same */
    GPUTIDE_RUNTIME_OBSERVE_FIRST = 8   /* each poll begins with an observation that GPUTIDE_EVENT_DUE asks for */
};

typedef struct gputide_runtime_options {
    uint32_t struct_size;
    uint32_t flags;            /* GPUTIDE_RUNTIME_* */
    uint64_t seed;             /* of the start offsets: where in its period a scaler begins */
    int32_t poll_timeout_ms;   /* of one poll: tokens, queries, retries; 0: 10,000 */
    int32_t start_spread_ms;   /* first polls come within that time; 0: within the scaler's own shorter period */
    int32_t share_window_ms;   /* an answer serves equal queries for so long; 0: 5,000 */
    int32_t most_in_flight;    /* requests, over all endpoints; 0: 1,024 */
    int32_t most_per_endpoint; /* requests to one scheme, host and port; 0: 64 */
    int32_t breaker_failures;  /* in a row, until an endpoint is left alone for a while; 0: 5 */
    int32_t breaker_base_ms;   /* for how long at first; doubles with each failed trial; 0: 1,000 */
    int32_t breaker_cap_ms;    /* and at most; 0: 60,000 */
    int32_t gather_ms;         /* a poll brings along those due within so long; 0: 100; 1: hardly any; most 1,000 */
    int32_t reserved;
} gputide_runtime_options;

/* options may be NULL.  Nothing is sent and no thread is started.  Returns E_UNAVAILABLE.  Since 0.1. */
GPUTIDE_API gputide_status gputide_runtime_new(const gputide_runtime_options* options, gputide_runtime** out,
                                               gputide_error* err);

/* Stops what runs, waits for it, and ends all scalers.  No other call may be under way. */
GPUTIDE_API void gputide_runtime_free(gputide_runtime* runtime);

/* One more scaler; manifest and options as for gputide_scaler_open.  It is polled from the first observation on,
 * with GPUTIDE_RUNTIME_OBSERVE_FIRST at once.
 *   id  its number in this runtime, never 0 and never used again; may be NULL.
 * Returns E_INVALID, also for a name ("namespace/name") that is there already; E_AMBIGUOUS; E_LIMIT.  Since 0.1. */
GPUTIDE_API gputide_status gputide_runtime_add(gputide_runtime* runtime, const char* manifest, int64_t size_bytes,
                                               const gputide_options* options, uint64_t* id, gputide_error* err);

/* Another manifest for the same name: observation, schedule and, where it fits, state stay; an event that waits is dropped.
 * Returns as _add; the old one goes on then. */
GPUTIDE_API gputide_status gputide_runtime_replace(gputide_runtime* runtime, uint64_t id, const char* manifest,
                                                   int64_t size_bytes, const gputide_options* options,
                                                   gputide_error* err);

/* Ends a scaler, what it is asking and the event that waits for it. */
GPUTIDE_API gputide_status gputide_runtime_remove(gputide_runtime* runtime, uint64_t id, gputide_error* err);

/* The number of "namespace/name". */
GPUTIDE_API gputide_status gputide_runtime_find(gputide_runtime* runtime, const char* name, uint64_t* id,
                                                gputide_error* err);

/* What is true of a scaler's target now; copied, and used until the next one.  seen->samples: values of triggers that the
 * host pushes.  The first observation starts the polling.  Say it again whenever something else than _record changed the
 * size, and before a decision should stand on it. */
GPUTIDE_API gputide_status gputide_runtime_observe(gputide_runtime* runtime, uint64_t id,
                                                   const gputide_observation* seen, gputide_error* err);

/* DUE: with GPUTIDE_RUNTIME_OBSERVE_FIRST a poll is due and waits for gputide_runtime_observe, for as long as the host needs
 * to read the size or to end a write; its decision and report stay empty. */
enum { GPUTIDE_EVENT_DECISION = 1, GPUTIDE_EVENT_DUE = 2 };

typedef struct gputide_event {
    uint32_t struct_size;
    int32_t kind;        /* GPUTIDE_EVENT_* */
    uint64_t id;         /* of the scaler */
    uint64_t sequence;   /* 1, 2, 3, ... in the order in which events are taken */
    int64_t observed_ms; /* when the host saw what the decision stands on: seen->now_ms, or now_ms of a record */
    uint32_t replaced;   /* earlier decisions of this scaler that nobody took in time; this one stands for them */
    uint32_t reserved;
    char name[328]; /* "namespace/name" */
} gputide_event;

/* The next event: a write is wanted, or a decision differs from the scaler's last one (or each, with
 * GPUTIDE_RUNTIME_EVERY_DECISION).  A scaler has at most one event waiting, with its newest decision: nothing is lost and
 * nothing piles up.  Blocks for at most timeout_ms, 0: not at all; drives the runtime meanwhile, by the system's clock, where
 * no thread does.
 *   cancel    may be NULL.
 *   decision  may be NULL; act on it and say so with _record.
 *   report    may be NULL; filled with GPUTIDE_RUNTIME_REPORTS alone.
 * Returns E_NO_DATA where none came in time, E_CANCELLED.  Since 0.1. */
GPUTIDE_API gputide_status gputide_runtime_next_event(gputide_runtime* runtime, int32_t timeout_ms,
                                                      const gputide_cancel* cancel, gputide_event* event,
                                                      gputide_decision* decision, gputide_text* report,
                                                      gputide_error* err);

/* As gputide_state_record.  applied 1: the size is from now on taken to be made->desired_replicas. */
GPUTIDE_API gputide_status gputide_runtime_record(gputide_runtime* runtime, uint64_t id, gputide_decision* made,
                                                  int32_t applied, int64_t now_ms, gputide_error* err);

/* As gputide_state_save and _load: what survives a restart of the host. */
GPUTIDE_API gputide_status gputide_runtime_save(gputide_runtime* runtime, uint64_t id, gputide_text* out,
                                                gputide_error* err);
GPUTIDE_API gputide_status gputide_runtime_load(gputide_runtime* runtime, uint64_t id, const char* text,
                                                int64_t size_bytes, gputide_error* err);

/* One scaler as JSON: {"name","namespace","polls","polling","observed","observed_ms","current_replicas","decision","metrics"};
 * decision as gputide_decide reports it without a trace, metrics as gputide_scaler_metrics. */
GPUTIDE_API gputide_status gputide_runtime_describe(gputide_runtime* runtime, uint64_t id, gputide_text* json,
                                                    gputide_error* err);

/* Counters of the whole as JSON (docs/runtime.md): poll lag, polls, errors by reason, shared queries, requests in flight,
 * queues, endpoints with their breakers. */
GPUTIDE_API gputide_status gputide_runtime_stats(gputide_runtime* runtime, gputide_text* json, gputide_error* err);

/* Starts the runtime's thread.  Returns E_STATE where it runs already or the host is in a step; E_UNAVAILABLE. */
GPUTIDE_API gputide_status gputide_runtime_start(gputide_runtime* runtime, gputide_error* err);

/* Ends it; blocks for at most timeout_ms.  Polls under way are given up and begin anew at the next drive; scalers and events
 * stay.  Returns E_TIMEOUT where it is still stopping: call again.  Without a thread: GPUTIDE_OK. */
GPUTIDE_API gputide_status gputide_runtime_stop(gputide_runtime* runtime, int32_t timeout_ms, gputide_error* err);

/* Does what is due at now_ms and what the network has brought, without waiting.
 *   now_ms   Unix milliseconds by the host's clock.  It may jump: back moves no poll; far forward, or after a stall, polls
 *            that were missed come once and as spread out as they were.
 *   next_ms  may be NULL; when to call again at the latest, INT64_MAX: when something was changed.
 * Returns E_STATE while the runtime's own thread drives it. */
GPUTIDE_API gputide_status gputide_runtime_step(gputide_runtime* runtime, int64_t now_ms, int64_t* next_ms,
                                                gputide_error* err);

/* A descriptor for poll, epoll and the like, readable while an event waits and, unless the runtime's thread drives it, while
 * _step should be called.  It is the runtime's: neither read nor close it.  Returns E_UNAVAILABLE (no descriptor left). */
GPUTIDE_API gputide_status gputide_runtime_wake_fd(gputide_runtime* runtime, int32_t* fd, gputide_error* err);

/* ========================================================================================================== 10 replay */

/* What a manifest would have done, over recorded metrics: the code that decides live, with the clock as a parameter.
 * Models, settings and the report's words: docs/replay.md. */

/* Recorded values of each metric over time, and the workload's size meanwhile where it is known.  At most 20 million points.
 * Order, duplicates, gaps and NaN are sorted out and counted, not refused. */
typedef struct gputide_series gputide_series;

GPUTIDE_API gputide_status gputide_series_new(gputide_series** out, gputide_error* err);
GPUTIDE_API void gputide_series_free(gputide_series* series);

/* Add points of one metric (its place in the policy, from 0), in any order.  A NaN or an infinity is a point without a
 * number.  Returns E_INVALID for a time outside 1970 to 9999, E_LIMIT; nothing is added then.  Since 0.1. */
GPUTIDE_API gputide_status gputide_series_add(gputide_series* series, uint32_t metric, const int64_t* times_ms,
                                              const double* values, uint64_t count, gputide_error* err);

/* Add replica counts that the workload had while its metrics were recorded: what a closed loop needs.  Since 0.1. */
GPUTIDE_API gputide_status gputide_series_add_replicas(gputide_series* series, const int64_t* times_ms,
                                                       const int32_t* replicas, uint64_t count, gputide_error* err);

#define GPUTIDE_NO_METRIC UINT32_MAX

/* Add what a text holds, from `metric` on: CSV (time,value[,value...][,replicas]), a saved answer of Prometheus' query_range
 * with one series, or the log of `gputided run`; which of them it is shows in the text.
 *   metric   GPUTIDE_NO_METRIC: of the text only the replica counts, and of a run log its decisions.
 *   scaler   of a run log that holds several: "namespace/name"; NULL: the first one's.
 * Returns E_INVALID with the line, E_LIMIT, E_AMBIGUOUS (several series), E_PROTOCOL (JSON that is none of these); nothing is
 * added then.  Since 0.1. */
GPUTIDE_API gputide_status gputide_series_read(gputide_series* series, uint32_t metric, const char* text,
                                               int64_t size_bytes, const char* scaler, gputide_error* err);

/* Add the past of one metric straight from its source: one query_range, both ends included, at most 11,000 steps.  Blocks; at
 * most timeout_ms in all.  The trigger's own rules make one number of each step.
 * Returns E_NOT_HERE for a source that keeps no past, and what gputide_source_fetch does; nothing is added then.  Since 0.1. */
GPUTIDE_API gputide_status gputide_series_fetch(gputide_series* series, gputide_scaler* scaler, uint32_t metric,
                                                int64_t from_ms, int64_t to_ms, int64_t step_ms, int32_t timeout_ms,
                                                const gputide_cancel* cancel, gputide_error* err);

/* The series as CSV, which gputide_series_read takes; the decisions of a run log are not in it.  Since 0.1. */
GPUTIDE_API gputide_status gputide_series_write(gputide_series* series, gputide_text* csv, gputide_error* err);

/* JSON: points, from, to, step_ms, gaps, longest_gap_ms, duplicates, unordered, not_a_number, metrics.  Returns E_NO_DATA for
 * a series without a point.  Since 0.1. */
GPUTIDE_API gputide_status gputide_series_describe(gputide_series* series, gputide_text* json, gputide_error* err);

/* One replay: a manifest's policy, a model, and the sums so far.  Its memory does not grow with the length of what it runs
 * over. */
typedef struct gputide_replay gputide_replay;

/* manifest and options as for gputide_policy_open.
 *   settings   JSON, may be NULL: {"model":"closed","signal":"utilization","startup_ms":[90000],"set":{"threshold":60}};
 *              every member and its default: docs/replay.md.
 * Returns E_INVALID with the member that is wrong, E_AMBIGUOUS, E_LIMIT.  Since 0.1. */
GPUTIDE_API gputide_status gputide_replay_open(const char* manifest, int64_t size_bytes, const gputide_options* options,
                                               const char* settings, int64_t settings_bytes, gputide_replay** out,
                                               gputide_error* err);
GPUTIDE_API void gputide_replay_free(gputide_replay* replay);

/* All of a series, once.  A series serves many replays, also at the same time, after gputide_series_describe has been called
 * on it.  cancel may be NULL.  Returns E_INVALID, _NO_DATA, _LIMIT, _CANCELLED.  Since 0.1. */
GPUTIDE_API gputide_status gputide_replay_run(gputide_replay* replay, const gputide_series* series,
                                              const gputide_cancel* cancel, gputide_error* err);

/* The same moment by moment, for series of any length: what was recorded at time_ms, which must not go back.  The decisions
 * that were due before it are taken first.
 *   samples    one per metric; GPUTIDE_SAMPLE_NOT_READ: nothing new is known of it.  sample_size: sizeof(gputide_sample).
 *   replicas   the workload's recorded size; -1: as before.
 *   last       may be NULL; the last decision taken so far (all zero before the first).
 * Returns E_INVALID, E_LIMIT (a gap of more than 50 million steps).  Since 0.1. */
GPUTIDE_API gputide_status gputide_replay_record(gputide_replay* replay, int64_t time_ms, const gputide_sample* samples,
                                                 uint32_t sample_size, uint32_t sample_count, int32_t replicas,
                                                 gputide_decision* last, gputide_error* err);

/* What it came to, as JSON.  Ends the replay: nothing can be recorded after it.  Since 0.1. */
GPUTIDE_API gputide_status gputide_replay_report(gputide_replay* replay, gputide_text* json, gputide_error* err);

/* ========================================================================================= 11 one symbol for plugins */

/* The functions above, for a host that loads the library with dlopen and looks up one name.  Append-only: check struct_size
 * before using a member that a later release added. */
typedef struct gputide_api_table {
    uint32_t struct_size;
    int32_t abi_version;

    const char* (*version)(void);
    int32_t (*version_number)(void);
    uint32_t (*features)(void);
    const char* (*build_info)(void);
    const char* (*status_name)(gputide_status);
    gputide_action (*status_action)(gputide_status);
    void (*text_free)(gputide_text*);
    gputide_status (*set_allocator)(const gputide_allocator*, gputide_error*);
    gputide_status (*set_log)(const gputide_log_sink*, gputide_error*);
    gputide_status (*log_take)(gputide_text*, int32_t*, gputide_error*);
    gputide_status (*cancel_new)(gputide_cancel**, gputide_error*);
    void (*cancel_fire)(const gputide_cancel*);
    void (*cancel_reset)(gputide_cancel*);
    void (*cancel_free)(gputide_cancel*);
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
    gputide_status (*source_fetch_all)(gputide_source*, int64_t, int32_t, const gputide_cancel*, gputide_samples**,
                                       gputide_error*);
    uint32_t (*samples_count)(const gputide_samples*);
    gputide_status (*samples_get)(const gputide_samples*, uint32_t, gputide_sample*, gputide_error*);
    const char* (*samples_labels)(const gputide_samples*, uint32_t);
    void (*samples_free)(gputide_samples*);
    gputide_status (*source_request)(const gputide_source*, int64_t, gputide_text*, gputide_error*);
    gputide_status (*source_parse)(const gputide_source*, int32_t, const char*, int64_t, gputide_sample*,
                                   gputide_error*);
    gputide_status (*policy_open)(const char*, int64_t, const gputide_options*, gputide_policy**, gputide_error*);
    void (*policy_free)(gputide_policy*);
    uint32_t (*policy_metric_count)(const gputide_policy*);
    gputide_status (*policy_describe)(const gputide_policy*, gputide_text*, gputide_error*);
    gputide_status (*state_new)(const gputide_policy*, int64_t, gputide_state**, gputide_error*);
    gputide_status (*state_clone)(const gputide_state*, gputide_state**, gputide_error*);
    void (*state_free)(gputide_state*);
    gputide_status (*state_save)(const gputide_policy*, const gputide_state*, gputide_text*, gputide_error*);
    gputide_status (*state_load)(const gputide_policy*, const char*, int64_t, gputide_state**, gputide_error*);
    gputide_status (*decide)(const gputide_policy*, gputide_state*, const gputide_observation*, gputide_decision*,
                             gputide_text*, gputide_error*);
    gputide_status (*state_record)(const gputide_policy*, gputide_state*, gputide_decision*, int32_t, int64_t,
                                   gputide_error*);
    const char* (*limit_name)(int32_t);
    const char* (*condition_name)(int32_t);
    const char* (*reason_name)(int32_t);
    gputide_status (*trace_render)(const char*, int64_t, gputide_text*, gputide_error*);
    gputide_status (*manifest_check)(const char*, int64_t, const gputide_options*, gputide_text*, gputide_text*,
                                     gputide_error*);
    gputide_status (*scaler_open)(const char*, int64_t, const gputide_options*, gputide_scaler**, gputide_error*);
    void (*scaler_free)(gputide_scaler*);
    gputide_status (*scaler_tick)(gputide_scaler*, const gputide_observation*, int32_t, const gputide_cancel*,
                                  gputide_decision*, gputide_text*, gputide_error*);
    gputide_status (*scaler_fetch)(gputide_scaler*, int64_t, int32_t, const gputide_cancel*, gputide_sample*, uint32_t,
                                   uint32_t, uint32_t*, gputide_error*);
    gputide_status (*scaler_decide)(gputide_scaler*, const gputide_observation*, gputide_decision*, gputide_text*,
                                    gputide_error*);
    gputide_status (*scaler_record)(gputide_scaler*, gputide_decision*, int32_t, int64_t, gputide_error*);
    gputide_status (*scaler_conditions)(const gputide_scaler*, gputide_text*, gputide_error*);
    gputide_status (*scaler_metrics)(const gputide_scaler*, gputide_text*, gputide_error*);
    gputide_status (*scaler_describe)(const gputide_scaler*, gputide_text*, gputide_error*);
    gputide_status (*scaler_save)(const gputide_scaler*, gputide_text*, gputide_error*);
    gputide_status (*scaler_load)(gputide_scaler*, const char*, int64_t, gputide_error*);
    gputide_status (*runtime_new)(const gputide_runtime_options*, gputide_runtime**, gputide_error*);
    void (*runtime_free)(gputide_runtime*);
    gputide_status (*runtime_add)(gputide_runtime*, const char*, int64_t, const gputide_options*, uint64_t*,
                                  gputide_error*);
    gputide_status (*runtime_replace)(gputide_runtime*, uint64_t, const char*, int64_t, const gputide_options*,
                                      gputide_error*);
    gputide_status (*runtime_remove)(gputide_runtime*, uint64_t, gputide_error*);
    gputide_status (*runtime_find)(gputide_runtime*, const char*, uint64_t*, gputide_error*);
    gputide_status (*runtime_observe)(gputide_runtime*, uint64_t, const gputide_observation*, gputide_error*);
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
    gputide_status (*doctor)(const char*, int64_t, const gputide_options*, const gputide_observation*, int32_t,
                             const gputide_cancel*, gputide_text*, gputide_text*, gputide_error*);
    gputide_status (*series_new)(gputide_series**, gputide_error*);
    void (*series_free)(gputide_series*);
    gputide_status (*series_add)(gputide_series*, uint32_t, const int64_t*, const double*, uint64_t, gputide_error*);
    gputide_status (*series_add_replicas)(gputide_series*, const int64_t*, const int32_t*, uint64_t, gputide_error*);
    gputide_status (*series_read)(gputide_series*, uint32_t, const char*, int64_t, const char*, gputide_error*);
    gputide_status (*series_fetch)(gputide_series*, gputide_scaler*, uint32_t, int64_t, int64_t, int64_t, int32_t,
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
} gputide_api_table;

/* The table for the ABI that the caller was written for (pass GPUTIDE_ABI_VERSION); static, never freed.  NULL with the
 * reason in err (GPUTIDE_E_TOO_NEW) for an ABI that this library does not serve.  Since 0.1. */
GPUTIDE_API const gputide_api_table* gputide_api(uint32_t abi_version, gputide_error* err);

#ifdef __cplusplus
}
#endif

#endif /* GPUTIDE_H */

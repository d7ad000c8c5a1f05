/* gputide: GPU autoscaling inside your own process.
 *
 * Give it a manifest that you already have (a KEDA ScaledObject with its TriggerAuthentication, or an autoscaling/v2
 * HorizontalPodAutoscaler) and the current replica count; it fetches the metrics, gets the tokens, and answers with the
 * replica count that KEDA and the HPA would write, and the whole reason for it.
 *
 * Reading order: a host that only wants a decision from numbers reads sections 2, 6 and 7; one that wants everything done
 * reads section 8, or section 9 if it has many scalers; one that works on a Kubernetes cluster reads 9 and 16.  None of them
 * needs much else.
 *
 *   1 version    2 status, error, text    3 hooks, log, cancel, options    4 credential    5 source
 *   6 policy and state    7 decide    8 scaler    9 runtime    10 replay    11 one symbol for plugins
 *   12 forecast    13 nodes    14 rightsize    15 jobs    16 cluster    17 agent pools    18 a cluster's diagnosis
 *   19 lists of a cluster    20 handover
 *
 * Conventions
 *   Names      gputide_<noun>_<verb>; arguments in the order handle, inputs, outputs, err.
 *   Ownership  const inputs are borrowed for the call and copied if kept.  T **out gives a handle that the caller owns and
 *              ends with its _free, in any order: no handle needs another to live.  A returned const char * is static, or
 *              lives as long as its handle where the comment says so.  Pointers may be NULL only where a comment says so;
 *              every _free takes NULL.
 *   Structs    the first member is struct_size: zero-fill the struct, then set it to sizeof.  Zero in a member means "not
 *              given", never a value, except for replica counts and GPUTIDE_OK.  A library newer than the caller fills only
 *              what the caller knows.  A struct smaller than that of release 0.2 is GPUTIDE_E_INVALID; an unknown bit in
 *              flags, a reserved member that is not 0 and a set member that the library does not know are
 *              GPUTIDE_E_TOO_NEW.
 *   Indices    of metrics count from 0, in the manifest's order; -1 where the library says that there is none.  A pod is
 *              numbered from 1 where it is referred to, 0: none.
 *   Text       UTF-8.  Sizes are in bytes; GPUTIDE_TEXT (-1) as a size means NUL-terminated.
 *   Times      *_ms: Unix milliseconds (UTC) for points in time, milliseconds for durations.  now_ms must lie in the years
 *              1970 to 9999 and must not be 0, else GPUTIDE_E_INVALID.  A point in time from 1,600,000,000 to 2,499,999,999
 *              is taken for one in seconds and is GPUTIDE_E_INVALID.  JSON says *_in_ms for a duration until something.
 *   timeout_ms of calls that wait, over all of it (token, DNS, retries, body): more than 0; else GPUTIDE_E_INVALID.  0 (look
 *              and do not wait) and GPUTIDE_FOREVER are fine where the comment says so.
 *   Errors     an int32 status is returned; err may be NULL.  Every function that returns a status may return the common
 *              ones: GPUTIDE_OK, _E_INVALID (a NULL or impossible argument), _E_TOO_NEW (above), _E_STATE (a handle of
 *              the parent process), _E_NO_MEMORY and _E_BUG.  "Returns" in a comment names the others.
 *   Failure    writes *err, and beside it only what says why: a gputide_sample (state and status), the findings of
 *              gputide_manifest_check.  No other output is written, and no handle has changed.
 *   Threads    an argument of type const T * may be shared by concurrent calls; a T * is used exclusively during the call;
 *              different handles never interfere.  Exceptions: gputide_cancel_fire, gputide_log_close, and the runtime of
 *              section 9, whose functions may run side by side.  No function has thread affinity, and none blocks unless
 *              its comment says so.
 *
 * Caveats
 *   fork       a handle belongs to the process that made it.  In a child its use is GPUTIDE_E_STATE and freeing it does
 *              nothing; the child may open its own.
 *   unload     the library stays mapped after dlclose (it is linked with -z nodelete).
 *   process    no thread (but gputide_runtime_start's one, one while triggers of type nvml are read, and up to 16 while host
 *              names are looked up), signal handler, work at exit, environment change, output or exit; libcurl's global
 *              initialisation happens once, at the first handle that may fetch, and a fork in another thread waits for it
 *              (pthread_atfork).
 *   symbols    a host that exports another OpenSSL, nghttp2 or libcurl, as Node does, takes the place of ours: every call that
 *              opens what may fetch is then GPUTIDE_E_SECURITY, and the rest works.  RTLD_DEEPBIND or the self-contained
 *              flavour keeps them apart (docs/building.md).
 *   memory     what crosses this door as gputide_text comes from the allocator of section 3; the rest from operator new.
 *   JSON       every member of every text is listed in docs/json.md.
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

#define GPUTIDE_TEXT (-1)            /* as a size: the text is NUL-terminated */
#define GPUTIDE_FOREVER (-1)         /* as timeout_ms, where a comment allows it */
#define GPUTIDE_NO_METRIC UINT32_MAX /* as a metric's index, where a comment allows it */
#define GPUTIDE_NO_VALUE INT64_MIN   /* as value_milli of a pod sample: a request, but no metric */

/* ============================================================================================================ 1 version */

#define GPUTIDE_VERSION_MAJOR 0
#define GPUTIDE_VERSION_MINOR 2
#define GPUTIDE_VERSION_PATCH 0
#define GPUTIDE_ABI_VERSION 1

/* "0.2.0".  Static.  Since 0.2. */
GPUTIDE_API const char* gputide_version(void);

/* major * 1000000 + minor * 1000 + patch of the library that runs.  Since 0.2. */
GPUTIDE_API int32_t gputide_version_number(void);

/* The number that a loader compares with the GPUTIDE_ABI_VERSION that it was written for, before anything else.
 * Since 0.2. */
GPUTIDE_API int32_t gputide_abi_version(void);

enum {
    GPUTIDE_FEATURE_YAML = 1, /* manifests may be YAML; without it JSON alone */
    GPUTIDE_FEATURE_HTTP2 = 2
};

/* Bit set of GPUTIDE_FEATURE_*.  Since 0.2. */
GPUTIDE_API uint32_t gputide_features(void);

/* JSON of compiler and dependency versions, for bug reports.  Static.  Since 0.2. */
GPUTIDE_API const char* gputide_build_info(void);

/* ============================================================================================== 2 status, error, text */

typedef int32_t gputide_status;

/* Append-only. */
enum {
    GPUTIDE_OK = 0,
    GPUTIDE_E_INVALID = 1,     /* a manifest, setting or argument is wrong */
    GPUTIDE_E_AUTH = 2,        /* credentials were refused */
    GPUTIDE_E_FORBIDDEN = 3,   /* credentials are good, a role is missing */
    GPUTIDE_E_THROTTLED = 4,   /* too many requests: wait until retry_at_ms */
    GPUTIDE_E_UNAVAILABLE = 5, /* network or service, for now */
    GPUTIDE_E_NOT_HERE = 6,    /* this credential source does not exist on this machine */
    GPUTIDE_E_TIMEOUT = 7,     /* the caller's deadline, or the peer's own */
    GPUTIDE_E_CANCELLED = 8,   /* gputide_cancel_fire, or the handle was closed */
    GPUTIDE_E_REJECTED = 9,    /* the peer refuses this query for good */
    GPUTIDE_E_PROTOCOL = 10,   /* an answer that cannot be used */
    GPUTIDE_E_SECURITY = 11,   /* going on would have been unsafe */
    GPUTIDE_E_NO_DATA = 12,    /* the query works and there is no value */
    GPUTIDE_E_AMBIGUOUS = 13,  /* several where one is needed */
    GPUTIDE_E_PARTIAL = 14,    /* the peer says that its answer is incomplete */
    GPUTIDE_E_LIMIT = 15,      /* a size, depth or count limit of this library */
    GPUTIDE_E_STATE = 16, /* a saved state that is damaged or foreign; a call that does not fit what was done before */
    GPUTIDE_E_TOO_NEW = 17, /* a struct with members or flags that this library does not know */
    GPUTIDE_E_NO_MEMORY = 18,
    GPUTIDE_E_BUG = 19,      /* ours: please report it with the message */
    GPUTIDE_E_NOT_FOUND = 20 /* an id or name that is not there */
};

typedef int32_t gputide_action;

/* What the caller should do next.  Append-only. */
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

/* "E_INVALID", "OK"; "E_UNKNOWN" for a number without a name.  Static.  Since 0.2. */
GPUTIDE_API const char* gputide_status_name(gputide_status status);

/* What a status usually asks for, as GPUTIDE_ACTION_*; gputide_error.action knows the single case.  Since 0.2. */
GPUTIDE_API gputide_action gputide_status_action(gputide_status status);

/* "fix_credentials", "none"; "unknown" for a number without a name.  Static.  Since 0.2. */
GPUTIDE_API const char* gputide_action_name(gputide_action action);

/* Caller-owned; nothing in it needs freeing.  On entry only struct_size is read, so one struct may serve for ever; it is
 * written on failure alone.  Texts are cut on a UTF-8 boundary to fit.  Never holds a secret. */
typedef struct gputide_error {
    uint32_t struct_size;
    gputide_status status;
    gputide_action action; /* GPUTIDE_ACTION_RETRY and _WAIT only where retryable is 1 */
    int32_t retryable;     /* 1: the same call, unchanged, may work later */
    int32_t http_status;   /* 0: there was no HTTP answer */
    int32_t reserved;
    int64_t retry_at_ms;   /* 0: nobody said when */
    char service_code[64]; /* the peer's own: AADSTS700024, bad_data, AuthorizationFailed */
    char where[128];       /* "so.yaml:17 spec.triggers[0].metadata.threshold", "trigger 0 (prometheus)" */
    char message[2048];    /* which thing, what was expected, what came, what to do */
    char detail[4096];     /* JSON: class, what else the peer said (suberror, claims, trace_id); "" if too long */
} gputide_error;

/* Bytes of the library, NUL-terminated beyond size_bytes.  Start with {0}: what is in it is freed when it is filled again. */
typedef struct gputide_text {
    char* data;
    uint64_t size_bytes;
} gputide_text;

/* Frees and empties it; the bytes are overwritten first.  NULL and an empty one are fine.  Since 0.2. */
GPUTIDE_API void gputide_text_free(gputide_text* text);

/* ==================================================================================== 3 hooks, log, cancel, options */

typedef struct gputide_allocator {
    uint32_t struct_size;
    uint32_t reserved;
    void* (*allocate)(void* user_data, uint64_t size_bytes); /* NULL: no memory */
    void (*release)(void* user_data, void* memory);
    void* user_data;
} gputide_allocator;

/* Where gputide_text memory comes from.  Process-wide; call it once, before anything else of this library; NULL restores
 * malloc and free.  Returns E_STATE when a text has been handed out already.  Since 0.2. */
GPUTIDE_API gputide_status gputide_set_allocator(const gputide_allocator* allocator, gputide_error* err);

/* DEBUG: a line for each request (method, address without its query, whether with a credential, outcome, duration), each token that
 * was fetched (for which scope, by which credential), each metric that was read and each decision of a scaler or runtime.  No line
 * of any level holds a secret. */
enum { GPUTIDE_LOG_ERROR = 1, GPUTIDE_LOG_WARNING = 2, GPUTIDE_LOG_INFO = 3, GPUTIDE_LOG_DEBUG = 4 };

typedef struct gputide_log_sink {
    uint32_t struct_size;
    int32_t level; /* GPUTIDE_LOG_*: lines of this level and more severe ones */
    /* May be called from any thread that is inside a gputide function; must not call back into the library.
     * line: one line without LF, valid during the call. */
    void (*write)(void* user_data, int32_t level, const char* line);
    void (*finalize)(void* user_data); /* once, when the sink is replaced; may be NULL */
    void* user_data;
} gputide_log_sink;

/* Push: each line goes to sink->write.  Process-wide; NULL: off (the default).  Returns the common statuses.  Since 0.2. */
GPUTIDE_API gputide_status gputide_set_log(const gputide_log_sink* sink, gputide_error* err);

/* Pull, for languages where a callback is a burden.  Each reader sees every line from its opening on; up to 256 wait for
 * it, then the oldest give way. */
typedef struct gputide_log_reader gputide_log_reader;

/* level: GPUTIDE_LOG_*, as for the sink.  Returns the common statuses.  Since 0.2. */
GPUTIDE_API gputide_status gputide_log_open(int32_t level, gputide_log_reader** out, gputide_error* err);

typedef struct gputide_cancel gputide_cancel;

/* The next line.  Blocks for at most timeout_ms; 0: not at all; GPUTIDE_FOREVER.
 *   cancel, level   may be NULL.
 * Returns E_NO_DATA where none came in time, E_CANCELLED also after gputide_log_close.  Since 0.2. */
GPUTIDE_API gputide_status gputide_log_next(gputide_log_reader* reader, int32_t timeout_ms,
                                            const gputide_cancel* cancel, gputide_text* line, int32_t* level,
                                            gputide_error* err);

/* Ends a wait in gputide_log_next, now and from now on.  Any thread, also during a call; may be repeated; NULL is fine.
 * Since 0.2. */
GPUTIDE_API void gputide_log_close(gputide_log_reader* reader);

/* Not while a call uses it.  Since 0.2. */
GPUTIDE_API void gputide_log_free(gputide_log_reader* reader);

/* A gputide_cancel ends blocking calls from another thread.  One handle may serve several calls.
 * Returns the common statuses.  Since 0.2. */
GPUTIDE_API gputide_status gputide_cancel_new(gputide_cancel** out, gputide_error* err);

/* Ends the calls that use it, and those that will, with GPUTIDE_E_CANCELLED.  Any thread, any time; not from a signal
 * handler.  Since 0.2. */
GPUTIDE_API void gputide_cancel_fire(const gputide_cancel* cancel);

/* Makes a fired one usable again.  While no call uses it.  Since 0.2. */
GPUTIDE_API void gputide_cancel_reset(gputide_cancel* cancel);

/* Not while a call uses it.  Since 0.2. */
GPUTIDE_API void gputide_cancel_free(gputide_cancel* cancel);

/* Text that stands beside the main one: a TriggerAuthentication, a Secret, a ConfigMap in a file of its own. */
typedef struct gputide_file {
    const char* name; /* for messages; may be NULL */
    const char* text;
    int64_t size_bytes; /* GPUTIDE_TEXT: NUL-terminated */
} gputide_file;

enum {
    GPUTIDE_ALLOW_ENVIRONMENT = 1,      /* any name in ${NAME} and env:, as allowed_environment "*" */
    GPUTIDE_ALLOW_PLAIN_HTTP = 2,       /* a credential over http to a host that is not loopback */
    GPUTIDE_ALLOW_CUSTOM_AUTHORITY = 4, /* a login endpoint outside the known Azure clouds */
    GPUTIDE_ENABLE_AZURE_PROXY = 8,     /* AKS identity bindings: AZURE_KUBERNETES_TOKEN_PROXY */
    GPUTIDE_STRICT = 16,                /* the strict profile, as if each manifest said gputide.io/profile: strict */
    /* No credential of any kind to a peer whose certificate is not verified: unsafeSsl is E_SECURITY then. */
    GPUTIDE_VERIFIED_PEERS = 32,
    /* Tokens and signatures of the host's identities (podIdentity), too, to a peer that a manifest says not to verify
     * (unsafeSsl); without it that is E_SECURITY.  Credentials that stand in the manifest go there as in KEDA. */
    GPUTIDE_ALLOW_UNVERIFIED_PEERS = 64
};

/* What the host program allows and knows.  Trust is the host's: none of this can be said by a manifest.  Any member may be
 * 0 or NULL; lists are comma-separated. */
typedef struct gputide_options {
    uint32_t struct_size;
    uint32_t flags;            /* GPUTIDE_ALLOW_* and others above */
    const char* text_name;     /* name of the main text in messages; NULL: "<text>" */
    const char* scaler;        /* which one, "name" or "namespace/name", where the text holds several */
    const gputide_file* files; /* further texts */
    uint32_t file_count;
    uint32_t file_size; /* sizeof(gputide_file) */
    const char*
        allowed_environment; /* variables that ${NAME} and env: may name: "TENANT,APP_*,KUBECONFIG"; NULL: none */
    const char* allowed_token_hosts; /* hosts that may get a cloud token beside the cloud's own */
    const char* allowed_programs;    /* programs that may be run for a token: "az", "/opt/bin/token" by a manifest,
                                        "kubeconfig:kubelogin" by a kubeconfig */
    const char* secrets_dir;  /* DIR/<name>/<key> for secretTargetRef and configMapTargetRef; tokenFile lies below */
    const char* ca_file;      /* PEM roots; instead of SSL_CERT_FILE, SSL_CERT_DIR and the system's */
    const char* ca_pem;       /* the same as text; goes before ca_file */
    int64_t ca_pem_bytes;     /* GPUTIDE_TEXT: NUL-terminated */
    const char* proxy;        /* "http://proxy:3128" for all but loopback and metadata services; "environment":
                                        HTTPS_PROXY, HTTP_PROXY, NO_PROXY; NULL: none */
    const char* user_agent;   /* NULL: "gputide/0.2.0" */
    const char* kubeconfig;   /* the Kubernetes cluster to read from; NULL: KUBECONFIG where it is allowed, else the
                                        pod's service account */
    const char* kube_context; /* one of its contexts; NULL: current-context */
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
 * Returns E_LIMIT; E_INVALID names the key or the environment variable.  Since 0.2. */
GPUTIDE_API gputide_status gputide_credential_open(const char* text, int64_t size_bytes, const gputide_options* options,
                                                   gputide_credential** out, gputide_error* err);

/* Since 0.2. */
GPUTIDE_API void gputide_credential_free(gputide_credential* credential);

/* A token for one scope ("https://prometheus.monitor.azure.com/.default").  Blocks; answers from the cache where it can.
 *   token          the bearer token: a secret, keep it out of logs; gputide_text_free wipes it.
 *   info, cancel   may be NULL.
 * Returns E_AUTH, _THROTTLED, _UNAVAILABLE, _NOT_HERE, _TIMEOUT, _CANCELLED, _REJECTED, _PROTOCOL, _SECURITY, _LIMIT.
 * Since 0.2. */
GPUTIDE_API gputide_status gputide_credential_token(const gputide_credential* credential, const char* scope,
                                                    int32_t timeout_ms, const gputide_cancel* cancel,
                                                    gputide_text* token, gputide_token_info* info, gputide_error* err);

/* A resource answered 401 to exactly this token: drop it.  Reporting an older token has no effect, and a scope is
 * renewed by force at most once in 30 s.  Returns the common statuses.  Since 0.2. */
GPUTIDE_API gputide_status gputide_credential_invalidate(const gputide_credential* credential, const char* scope,
                                                         const char* token, int64_t token_bytes, gputide_error* err);

/* Claims of a JWT that tell whose it is (aud, iss, tid, appid, oid, sub, nbf, exp), as JSON; never its signature.
 * Nothing is verified.  Returns E_PROTOCOL for a text that is no JWT.  Since 0.2. */
GPUTIDE_API gputide_status gputide_token_claims(const char* token, int64_t token_bytes, gputide_text* json,
                                                gputide_error* err);

/* =========================================================================================================== 5 source */

/* A metric: where it is, how it is asked for, how its answer becomes one number. */
typedef struct gputide_source gputide_source;

typedef int32_t gputide_sample_state;

/* Append-only. */
enum {
    GPUTIDE_SAMPLE_NOT_GIVEN = 0, /* nobody read it, or nobody said */
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

/* "ok", "not_a_number", as the JSON has it; "unknown" for a number without a name.  Static.  Since 0.2. */
GPUTIDE_API const char* gputide_sample_state_name(gputide_sample_state state);

enum { GPUTIDE_SAMPLE_NULL_AS_ZERO = 1 }; /* nothing, NaN or an infinity came, and ignoreNullValues made 0 of it */

/* One number, or the reason that there is none. */
typedef struct gputide_sample {
    uint32_t struct_size;
    gputide_sample_state state; /* GPUTIDE_SAMPLE_*; value holds where it is GPUTIDE_SAMPLE_OK */
    gputide_status status;      /* of the failed read; GPUTIDE_OK where state is OK */
    uint32_t flags;             /* GPUTIDE_SAMPLE_NULL_AS_ZERO */
    double value;               /* finite */
    int64_t time_ms;            /* when it was true; 0: unknown */
    const char* message;        /* in: why there is no number, for reports and conditions; may be NULL.  out: NULL */
} gputide_sample;

/* From text: one entry of a ScaledObject's triggers, and beside it (in options->files or as further documents of the text)
 * the TriggerAuthentication that it names:
 *     type: prometheus
 *     metadata: { serverAddress: "https://...", query: "avg(DCGM_FI_DEV_GPU_UTIL)", threshold: "5" }
 * options may be NULL.  Nothing is sent.  Returns E_LIMIT; E_INVALID names trigger, key, line and path.  Since 0.2. */
GPUTIDE_API gputide_status gputide_source_open(const char* text, int64_t size_bytes, const gputide_options* options,
                                               gputide_source** out, gputide_error* err);

/* Since 0.2. */
GPUTIDE_API void gputide_source_free(gputide_source* source);

/* Read one value.  Blocks.
 *   now_ms   the time the query is evaluated at.
 *   cancel   may be NULL; firing it from another thread ends the call with GPUTIDE_E_CANCELLED.
 * An empty answer with ignoreNullValues (KEDA's default for prometheus) is value 0, flag GPUTIDE_SAMPLE_NULL_AS_ZERO.
 * Returns any status of section 2 but E_NOT_FOUND.  Since 0.2. */
GPUTIDE_API gputide_status gputide_source_fetch(gputide_source* source, int64_t now_ms, int32_t timeout_ms,
                                                const gputide_cancel* cancel, gputide_sample* out, gputide_error* err);

/* An answer as it came: all series, with their labels, and what the peer said beside them. */
typedef struct gputide_samples gputide_samples;

/* As gputide_source_fetch, without making one number of it: several series and an empty answer are both fine.
 * Returns as gputide_source_fetch.  Since 0.2. */
GPUTIDE_API gputide_status gputide_source_fetch_all(gputide_source* source, int64_t now_ms, int32_t timeout_ms,
                                                    const gputide_cancel* cancel, gputide_samples** out,
                                                    gputide_error* err);

/* How many series; 0 for NULL.  Since 0.2. */
GPUTIDE_API uint32_t gputide_samples_count(const gputide_samples* samples);

/* The newest point of one series.  Returns E_NOT_FOUND for an index beyond the count.  Since 0.2. */
GPUTIDE_API gputide_status gputide_samples_get(const gputide_samples* samples, uint32_t index, gputide_sample* out,
                                               gputide_error* err);

/* {"__name__":"DCGM_FI_DEV_GPU_UTIL","gpu":"0"}: lives as long as the handle; NULL for an index beyond the count.
 * Since 0.2. */
GPUTIDE_API const char* gputide_samples_labels(const gputide_samples* samples, uint32_t index);

/* The whole answer as JSON: type of result, every point and histogram of every series, warnings, infos, partial.
 * Returns the common statuses.  Since 0.2. */
GPUTIDE_API gputide_status gputide_samples_describe(const gputide_samples* samples, gputide_text* json,
                                                    gputide_error* err);

/* Since 0.2. */
GPUTIDE_API void gputide_samples_free(gputide_samples* samples);

/* What the trigger came to, as JSON: target, metric name, type, settings with every default, and what was found to remark.
 * Holds no secret.  Returns the common statuses.  Since 0.2. */
GPUTIDE_API gputide_status gputide_source_describe(const gputide_source* source, gputide_text* json,
                                                   gputide_error* err);

/* The pure halves, for a host with its own HTTP.  First what would be sent, as JSON {"method","url","headers","body"} (a
 * cloud token is not in it: take one from section 4).
 * Returns E_NOT_HERE for a source that is not asked over HTTP, E_REJECTED.  Since 0.2. */
GPUTIDE_API gputide_status gputide_source_request(const gputide_source* source, int64_t now_ms, gputide_text* json,
                                                  gputide_error* err);

/* Then what an answer comes to: one number, by the trigger's rules.  body_bytes may be GPUTIDE_TEXT.
 * Returns as gputide_source_fetch, without waiting.  Since 0.2. */
GPUTIDE_API gputide_status gputide_source_parse(const gputide_source* source, int32_t http_status, const char* body,
                                                int64_t body_bytes, gputide_sample* out, gputide_error* err);

/* Or the answer as it came, without making one number of it.
 *   headers   lines "Name: value" (Retry-After, Content-Type, ...), with LF or CRLF; may be NULL.
 * headers_bytes and body_bytes may be GPUTIDE_TEXT.  Returns as gputide_source_fetch, without waiting.  Since 0.2. */
GPUTIDE_API gputide_status gputide_source_parse_all(const gputide_source* source, int32_t http_status,
                                                    const char* headers, int64_t headers_bytes, const char* body,
                                                    int64_t body_bytes, gputide_samples** out, gputide_error* err);

/* A Kubernetes quantity ("1500m", "2Ki", "0.1") in thousandths, rounded away from zero as Kubernetes does.
 * Returns E_LIMIT for one that does not fit 64 bits.  Since 0.2. */
GPUTIDE_API gputide_status gputide_quantity(const char* text, int64_t size_bytes, int64_t* milli, gputide_error* err);

/* ================================================================================================= 6 policy and state */

/* What to decide by: bounds, thresholds, behaviour, cooldown.  Immutable. */
typedef struct gputide_policy gputide_policy;

/* From the text of a ScaledObject or HorizontalPodAutoscaler, as for gputide_scaler_open; no source is opened, so
 * addresses and credentials may be missing, thresholds may not.  options may be NULL.
 * Returns E_AMBIGUOUS (several scalers and options->scaler names none), E_LIMIT.  Since 0.2. */
GPUTIDE_API gputide_status gputide_policy_open(const char* text, int64_t size_bytes, const gputide_options* options,
                                               gputide_policy** out, gputide_error* err);

/* Since 0.2. */
GPUTIDE_API void gputide_policy_free(gputide_policy* policy);

/* How many metrics the policy takes: gputide_observation.samples has one for each, in manifest order.  0 for NULL.
 * Since 0.2. */
GPUTIDE_API uint32_t gputide_policy_metric_count(const gputide_policy* policy);

/* The trigger's own name, or "s0-prometheus" where the manifest gives none: the word for it in every JSON text.  Lives as
 * long as the handle; NULL for an index beyond the count.  Since 0.2. */
GPUTIDE_API const char* gputide_policy_metric_name(const gputide_policy* policy, uint32_t index);

/* The policy as JSON, each default filled in.  Returns the common statuses.  Since 0.2. */
GPUTIDE_API gputide_status gputide_policy_describe(const gputide_policy* policy, gputide_text* json,
                                                   gputide_error* err);

/* What one scaler remembers: activity, stabilisation windows, scale events, failure counts. */
typedef struct gputide_state gputide_state;

/* created_ms: the object's creationTimestamp, for initialCooldownPeriod; 0: the first decision's time.
 * Returns the common statuses.  Since 0.2. */
GPUTIDE_API gputide_status gputide_state_new(const gputide_policy* policy, int64_t created_ms, gputide_state** out,
                                             gputide_error* err);

/* A copy that goes its own way: what was decided before it can be recorded in both, what is decided after it in one alone.
 * Returns the common statuses.  Since 0.2. */
GPUTIDE_API gputide_status gputide_state_clone(const gputide_state* state, gputide_state** out, gputide_error* err);

/* Since 0.2. */
GPUTIDE_API void gputide_state_free(gputide_state* state);

/* Text that survives a restart: versioned, checksummed, for gputide_state_load alone.
 * Returns the common statuses.  Since 0.2. */
GPUTIDE_API gputide_status gputide_state_save(const gputide_policy* policy, const gputide_state* state,
                                              gputide_text* out, gputide_error* err);

/* The same for people and programs that look into it, as JSON (docs/decision.md).
 * Returns the common statuses.  Since 0.2. */
GPUTIDE_API gputide_status gputide_state_describe(const gputide_policy* policy, const gputide_state* state,
                                                  gputide_text* json, gputide_error* err);

enum { GPUTIDE_STATE_UNCHECKED = 1 }; /* the text is gputide_state_describe's, without a checksum */

/* Texts of older releases load for ever; the state goes on as the one that was saved, and takes the records of its decisions.
 *   flags   GPUTIDE_STATE_UNCHECKED or 0.  With it members may be left out, which are fresh then, and no decision of before
 *           can be recorded.
 * Returns E_STATE for a damaged, foreign or newer one, and for one of a policy with another number of metrics (err->where is
 * "metrics" then), with the reason; never half-loaded.  Since 0.2. */
GPUTIDE_API gputide_status gputide_state_load(const gputide_policy* policy, const char* text, int64_t size_bytes,
                                              uint32_t flags, gputide_state** out, gputide_error* err);

/* =========================================================================================================== 7 decide */

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
    int32_t metric;        /* index of the policy's metric, from 0 */
    int32_t pod;           /* which of observation.pods, from 1; 0: a pod that is not listed */
    int64_t value_milli;   /* thousandths, as Kubernetes counts them; GPUTIDE_NO_VALUE: only its request is known */
    int64_t request_milli; /* Utilization: what the pod requests; 0: no request */
    int64_t time_ms;       /* 0: now */
    int32_t window_s;      /* 0: 60 */
    int32_t reserved;
    const char* container; /* without request_milli: the first container without one, for messages; may be NULL */
} gputide_pod_sample;

enum {
    GPUTIDE_SEEN_STATUS = 1,      /* status_replicas is 0, not absent */
    GPUTIDE_SEEN_READY = 2,       /* ready_replicas is 0, not absent */
    GPUTIDE_SCALE_UNREADABLE = 4, /* the target's size could not be read; current_replicas is not looked at */
    GPUTIDE_SEEN_PODS = 8 /* pods has all pods of the target: pod_count 0 is a target without pods, not pods unsaid */
};

/* What is true now.  All of it is borrowed for the call.  Arrays with count 0 may be NULL. */
typedef struct gputide_observation {
    uint32_t struct_size;
    uint32_t flags; /* GPUTIDE_SEEN_*, GPUTIDE_SCALE_UNREADABLE */
    int64_t now_ms;
    int32_t current_replicas; /* the target's spec.replicas */
    int32_t status_replicas;  /* its status.replicas: pods that exist; 0 without flag: as current */
    int32_t ready_replicas;   /* pods that are ready; 0 without flag: as current */
    uint32_t sample_count; /* as many as the policy has metrics.  0 is fine where none takes a sample: where all of them
                                 are read from pods, with GPUTIDE_SCALE_UNREADABLE, or where a scaler fetches */
    const gputide_sample* samples; /* by the metric's index; GPUTIDE_SAMPLE_NOT_GIVEN: nothing is said of it */
    const gputide_pod* pods;
    const gputide_pod_sample* pod_samples;
    uint32_t pod_count;
    uint32_t pod_sample_count;
    uint32_t sample_size; /* sizeof(gputide_sample) where samples is set; pods and pod samples likewise */
    uint32_t pod_size;
    uint32_t pod_sample_size;
    uint32_t reserved;
    const char* message; /* with GPUTIDE_SCALE_UNREADABLE: why, for conditions; may be NULL */
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
    GPUTIDE_LIMIT_BUDGET = 12,
    GPUTIDE_LIMIT_FORECAST = 13 /* held up, by gputide.io/forecast */
};

/* Whose the decision is; 0: nothing was decided yet. */
enum { GPUTIDE_FROM_HPA = 1, GPUTIDE_FROM_EXECUTOR = 2 };

/* What KEDA would report as an event of the object, or GPUTIDE_NO_SCALE_EVENT.  Append-only. */
enum {
    GPUTIDE_NO_SCALE_EVENT = 0,
    GPUTIDE_ACTIVATED = 1,
    GPUTIDE_DEACTIVATED = 2,
    GPUTIDE_ACTIVATION_FAILED = 3,
    GPUTIDE_DEACTIVATION_FAILED = 4
};

/* Conditions as `kubectl describe` shows them; index into gputide_decision.conditions.  Append-only, up to the room. */
enum {
    GPUTIDE_ABLE_TO_SCALE = 0,
    GPUTIDE_SCALING_ACTIVE = 1,
    GPUTIDE_SCALING_LIMITED = 2,
    GPUTIDE_SCALED_TO_ZERO = 3,
    GPUTIDE_CONDITION_READY = 4,
    GPUTIDE_CONDITION_ACTIVE = 5,
    GPUTIDE_CONDITION_FALLBACK = 6,
    GPUTIDE_CONDITION_PAUSED = 7,
    GPUTIDE_CONDITION_ROOM = 16 /* those without a name yet are absent */
};

enum { GPUTIDE_ABSENT = 0, GPUTIDE_TRUE = 1, GPUTIDE_FALSE = 2, GPUTIDE_UNKNOWN = 3 };

/* Why a condition is as it is, in Kubernetes' and KEDA's words (gputide_reason_name).  Append-only. */
enum {
    GPUTIDE_REASON_NONE = 0,
    GPUTIDE_REASON_FAILED_GET_SCALE = 1,
    GPUTIDE_REASON_SUCCEEDED_GET_SCALE = 2,
    GPUTIDE_REASON_READY_FOR_NEW_SCALE = 3,
    GPUTIDE_REASON_SCALE_DOWN_STABILIZED = 4,
    GPUTIDE_REASON_SCALE_UP_STABILIZED = 5,
    GPUTIDE_REASON_SUCCEEDED_RESCALE = 6,
    GPUTIDE_REASON_FAILED_UPDATE_SCALE = 7,
    GPUTIDE_REASON_VALID_METRIC_FOUND = 8,
    GPUTIDE_REASON_SCALING_DISABLED = 9,
    GPUTIDE_REASON_INVALID_SELECTOR = 10,
    GPUTIDE_REASON_AMBIGUOUS_SELECTOR = 11,
    GPUTIDE_REASON_FAILED_GET_RESOURCE_METRIC = 12,
    GPUTIDE_REASON_FAILED_GET_CONTAINER_RESOURCE_METRIC = 13,
    GPUTIDE_REASON_FAILED_GET_PODS_METRIC = 14,
    GPUTIDE_REASON_FAILED_GET_OBJECT_METRIC = 15,
    GPUTIDE_REASON_FAILED_GET_EXTERNAL_METRIC = 16,
    GPUTIDE_REASON_INVALID_METRIC_SOURCE_TYPE = 17,
    GPUTIDE_REASON_DESIRED_WITHIN_RANGE = 18,
    GPUTIDE_REASON_TOO_FEW_REPLICAS = 19,
    GPUTIDE_REASON_TOO_MANY_REPLICAS = 20,
    GPUTIDE_REASON_SCALE_UP_LIMIT = 21,
    GPUTIDE_REASON_SCALE_DOWN_LIMIT = 22,
    GPUTIDE_REASON_SCALED_TO_ZERO = 23,
    GPUTIDE_REASON_NOT_SCALED_TO_ZERO = 24,
    GPUTIDE_REASON_SCALED_OBJECT_READY = 25,
    GPUTIDE_REASON_ERROR_GETTING_CURRENT_REPLICAS = 26,
    GPUTIDE_REASON_TRIGGER_ERROR = 27,
    GPUTIDE_REASON_PARTIAL_TRIGGER_ERROR = 28,
    GPUTIDE_REASON_SCALER_ACTIVE = 29,
    GPUTIDE_REASON_SCALER_NOT_ACTIVE = 30,
    GPUTIDE_REASON_SCALER_COOLDOWN = 31,
    GPUTIDE_REASON_FALLBACK_EXISTS = 32,
    GPUTIDE_REASON_NO_FALLBACK_FOUND = 33,
    GPUTIDE_REASON_SCALED_OBJECT_PAUSED = 34,
    GPUTIDE_REASON_ERROR_SCALING_TARGET = 35 /* a write of KEDA's half was refused (KEDA 2.21) */
};

typedef struct gputide_condition {
    int32_t truth;    /* GPUTIDE_ABSENT: this condition is not set */
    int32_t reason;   /* GPUTIDE_REASON_* */
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
    uint64_t id;    /* what its state knows it by, for the record; never 0, below 2^53 */
    int64_t now_ms;
    int64_t next_due_ms; /* Unix time at which the next decision is due; earlier ones answer GPUTIDE_LIMIT_NOT_DUE */
    int32_t current_replicas;
    int32_t desired_replicas;
    int32_t proposed_replicas; /* what the metrics ask for, before stabilisation, limits and bounds */
    int32_t limited_by;        /* GPUTIDE_LIMIT_* */
    int32_t source;            /* GPUTIDE_FROM_* */
    int32_t winner;        /* index of the metric that asked for the most; -1: none; -2: scalingModifiers' formula */
    int32_t failed_metric; /* the first that failed, likewise */
    int32_t event;         /* GPUTIDE_ACTIVATED, ... */
    gputide_condition conditions[GPUTIDE_CONDITION_ROOM];
    int32_t forecast_state; /* GPUTIDE_FORECAST_*; 0: the policy has no forecast */
    int32_t forecast_need;  /* replicas that the load to be ready for takes; -1: the forecast asks for nothing */
    const char* message;    /* in: why the write failed, for conditions; may be NULL.  NULL after every call */
} gputide_decision;

/* The replica count that KEDA and the HPA would write.  Pure: no I/O, no clock, no lock; the time is seen->now_ms.
 *   state   updated: history, failure counts, activity.
 *   report  may be NULL (then nothing is recorded and, in steady state, nothing allocated); else the decision as one line
 *           of JSON with its conditions and trace (docs/decision.md).
 * Formulas and their sources: docs/semantics.md.  Worked: threshold 5, 3 replicas, sample 42.5 → ceil(42.5 / 5) = 9.
 * Returns E_LIMIT for more samples than a manifest may have metrics; E_STATE for a state of a policy with another number of
 * metrics.  Since 0.2. */
GPUTIDE_API gputide_status gputide_decide(const gputide_policy* policy, gputide_state* state,
                                          const gputide_observation* seen, gputide_decision* out, gputide_text* report,
                                          gputide_error* err);

/* The same from one number per metric, all of them true at now_ms.  NaN and the infinities: that metric has no number.
 * count must be gputide_policy_metric_count.  Returns as gputide_decide.  Since 0.2. */
GPUTIDE_API gputide_status gputide_decide_values(const gputide_policy* policy, gputide_state* state, int64_t now_ms,
                                                 int32_t current_replicas, const double* values, uint32_t count,
                                                 gputide_decision* out, gputide_error* err);

/* Tell the state how the write of decision->desired_replicas went, once.  applied 1: it was written at now_ms; 0: it
 * failed, as decision->message says.  decision is updated (conditions, event).  A decision that wanted no write needs no
 * record.
 * Returns E_STATE for a decision that was recorded already, or that this state did not make.  Since 0.2. */
GPUTIDE_API gputide_status gputide_state_record(const gputide_policy* policy, gputide_state* state,
                                                gputide_decision* decision, int32_t applied, int64_t now_ms,
                                                gputide_error* err);

/* Names of the numbers above as the JSON and Kubernetes spell them; "unknown" for others.  Static. */
GPUTIDE_API const char* gputide_limit_name(int32_t limit);         /* "scale_up_limit".  Since 0.2. */
GPUTIDE_API const char* gputide_condition_name(int32_t condition); /* "ScalingLimited".  Since 0.2. */
GPUTIDE_API const char* gputide_reason_name(int32_t reason);       /* "ScaleDownStabilized"; "" for none.  Since 0.2. */
GPUTIDE_API const char* gputide_event_name(int32_t event); /* "KEDAScaleTargetActivated"; "" for none.  Since 0.2. */

/* A report as lines for a person: conditions, then the trace step by step.  Returns the common statuses: E_INVALID for a
 * text that is no report.  Since 0.2. */
GPUTIDE_API gputide_status gputide_trace_render(const char* report, int64_t size_bytes, gputide_text* lines,
                                                gputide_error* err);

/* =========================================================================================================== 8 scaler */

/* Read a manifest without opening anything: no network.
 *   report   JSON with the scalers that were found and the findings; also written with E_INVALID and E_LIMIT of a finding.
 *   lines    may be NULL; the findings as a compiler prints them; likewise.
 * Returns E_LIMIT; E_INVALID where a finding is an error, GPUTIDE_OK where all are warnings.  Since 0.2. */
GPUTIDE_API gputide_status gputide_manifest_check(const char* manifest, int64_t size_bytes,
                                                  const gputide_options* options, gputide_text* report,
                                                  gputide_text* lines, gputide_error* err);

/* A manifest as a working pipeline: sources, credentials, policy, state. */
typedef struct gputide_scaler gputide_scaler;

/* manifest: YAML (several documents) or JSON.  size_bytes may be GPUTIDE_TEXT; options may be NULL.  Nothing is sent.
 * Returns E_AMBIGUOUS (the text holds several scalers and options->scaler names none), E_LIMIT, E_UNAVAILABLE; E_INVALID
 * names file, line and path.  Since 0.2. */
GPUTIDE_API gputide_status gputide_scaler_open(const char* manifest, int64_t size_bytes, const gputide_options* options,
                                               gputide_scaler** out, gputide_error* err);

/* Since 0.2. */
GPUTIDE_API void gputide_scaler_free(gputide_scaler* scaler);

/* As gputide_policy_metric_count.  Since 0.2. */
GPUTIDE_API uint32_t gputide_scaler_metric_count(const gputide_scaler* scaler);

/* As gputide_policy_metric_name.  Since 0.2. */
GPUTIDE_API const char* gputide_scaler_metric_name(const gputide_scaler* scaler, uint32_t index);

/* Fetch every trigger that is due, decide.  Blocks.
 *   seen            seen->samples are the values of triggers whose numbers the host pushes (type values), by index; a sample
 *                   for a trigger with a source of its own is E_INVALID.
 *   cancel, report  may be NULL; report as for gputide_decide.
 * A trigger that fails does not fail the call: the decision is what KEDA and the HPA make of it (flag
 * GPUTIDE_DECIDED_ERROR; gputide_scaler_metrics has each error).  Returns E_CANCELLED, E_LIMIT.  Since 0.2. */
GPUTIDE_API gputide_status gputide_scaler_tick(gputide_scaler* scaler, const gputide_observation* seen,
                                               int32_t timeout_ms, const gputide_cancel* cancel, gputide_decision* out,
                                               gputide_text* report, gputide_error* err);

/* The first half of a tick: one sample per metric; a read that fails is a sample that says so.  Blocks.
 *   sample_size     sizeof(gputide_sample).
 *   capacity        elements of samples; fewer than the metrics: E_INVALID.
 *   cancel, count   may be NULL; count: how many were written.
 * Returns E_CANCELLED.  Since 0.2. */
GPUTIDE_API gputide_status gputide_scaler_fetch(gputide_scaler* scaler, int64_t now_ms, int32_t timeout_ms,
                                                const gputide_cancel* cancel, gputide_sample* samples,
                                                uint32_t sample_size, uint32_t capacity, uint32_t* count,
                                                gputide_error* err);

/* The second half: seen->samples as gputide_scaler_fetch wrote them.  As gputide_decide on the scaler's own state.
 * Returns as gputide_decide.  Since 0.2. */
GPUTIDE_API gputide_status gputide_scaler_decide(gputide_scaler* scaler, const gputide_observation* seen,
                                                 gputide_decision* out, gputide_text* report, gputide_error* err);

/* As gputide_state_record.  Returns E_STATE likewise.  Since 0.2. */
GPUTIDE_API gputide_status gputide_scaler_record(gputide_scaler* scaler, gputide_decision* decision, int32_t applied,
                                                 int64_t now_ms, gputide_error* err);

/* JSON array of the conditions {type, status, reason, message, since}.  Returns the common statuses.  Since 0.2. */
GPUTIDE_API gputide_status gputide_scaler_conditions(const gputide_scaler* scaler, gputide_text* json,
                                                     gputide_error* err);

/* JSON array, one object per metric: the last value with its age, state, latency, and the error where it failed.
 * Returns the common statuses.  Since 0.2. */
GPUTIDE_API gputide_status gputide_scaler_metrics(const gputide_scaler* scaler, gputide_text* json, gputide_error* err);

/* As gputide_policy_describe.  Returns the common statuses.  Since 0.2. */
GPUTIDE_API gputide_status gputide_scaler_describe(const gputide_scaler* scaler, gputide_text* json,
                                                   gputide_error* err);

/* As gputide_state_save.  Returns the common statuses.  Since 0.2. */
GPUTIDE_API gputide_status gputide_scaler_save(const gputide_scaler* scaler, gputide_text* out, gputide_error* err);

/* As gputide_state_load without flags, in place of the scaler's state.  Returns E_STATE likewise.  Since 0.2. */
GPUTIDE_API gputide_status gputide_scaler_load(gputide_scaler* scaler, const char* text, int64_t size_bytes,
                                               gputide_error* err);

/* What is wrong with a manifest's triggers, found by walking each of them as it would be asked: environment, token file,
 * authority, token, endpoint, query, series, age, value, activation.  A trigger's walk ends at its first step that fails, with
 * the likely cause and the fix.  Then the decision that follows, and what limits it.  Blocks.
 * Reads the network, the environment and token files as the triggers do, and nothing is written anywhere.
 *   options, cancel  may be NULL, as for gputide_scaler_open.
 *   seen     the current size, and the samples of triggers whose numbers the host pushes; NULL: the manifest's minimum, now.
 *   report   JSON with a verdict (ok, warning, failed) for each step (docs/doctor.md).
 *   lines    may be NULL; the same for a person, the conclusion first.
 * A step that fails does not fail the call.  Returns E_AMBIGUOUS, E_LIMIT, E_CANCELLED, E_UNAVAILABLE; E_INVALID for a
 * manifest that cannot be read.  Since 0.2. */
GPUTIDE_API gputide_status gputide_doctor(const char* manifest, int64_t size_bytes, const gputide_options* options,
                                          const gputide_observation* seen, int32_t timeout_ms,
                                          const gputide_cancel* cancel, gputide_text* report, gputide_text* lines,
                                          gputide_error* err);

/* =========================================================================================================== 9 runtime */

/* Many scalers in one process: polled at their intervals, side by side, over shared connections and tokens; each decision
 * that matters comes as an event.  Driven in one of three ways:
 *   gputide_runtime_start    a thread of its own (all signals blocked in it), until _stop or _close
 *   gputide_runtime_step     by the host, by the host's clock, when the last step said or earlier; gputide_runtime_wake_fd
 *                            tells a loop when that is
 *   neither                  gputide_runtime_next_event drives while it waits
 * Every function of this section but _free may be called from any thread, at the same time as others, and waits for nothing
 * unless its comment says so.  Every one but _close and _free returns E_STATE once _close was called.  Close the runtime
 * before the process exits.  docs/runtime.md has the limits and what was measured. */
typedef struct gputide_runtime gputide_runtime;

enum {
    GPUTIDE_RUNTIME_EVERY_DECISION = 1, /* events also for decisions that change nothing */
    GPUTIDE_RUNTIME_REPORTS = 2,        /* events carry the decision as JSON, with conditions and trace */
    GPUTIDE_RUNTIME_NO_SHARING = 4,     /* each scaler asks for itself, also where two ask the same */
    GPUTIDE_RUNTIME_OBSERVE_FIRST = 8   /* each poll begins with an observation that GPUTIDE_EVENT_DUE asks for */
};

/* A negative member is E_INVALID. */
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
    int32_t breaker_cap_ms;    /* and at most, not less than at first; 0: 60,000 */
    int32_t gather_ms;         /* polls due within this time run together; 0: 100; 1: practically off; at most 1,000 */
    int32_t reserved;
} gputide_runtime_options;

/* options may be NULL.  Nothing is sent and no thread is started.  Returns E_UNAVAILABLE (no descriptor left).
 * Since 0.2. */
GPUTIDE_API gputide_status gputide_runtime_new(const gputide_runtime_options* options, gputide_runtime** out,
                                               gputide_error* err);

/* Ends the runtime for good.  Blocks for at most timeout_ms; 0: only begins; GPUTIDE_FOREVER.  From its beginning on other
 * calls are refused; those inside end soon, a wait in _next_event with GPUTIDE_E_CANCELLED; the thread ends; requests under
 * way are given up.  Save the scalers' states before.  May be repeated, also by several threads at once.
 * Returns E_TIMEOUT where a call or the thread is inside still: call again.  Since 0.2. */
GPUTIDE_API gputide_status gputide_runtime_close(gputide_runtime* runtime, int32_t timeout_ms, gputide_error* err);

/* Frees a runtime that no call is inside of.  After gputide_runtime_close it returns at once; otherwise it waits for the
 * thread to end.  NULL is fine; in a child of fork it does nothing.  Since 0.2. */
GPUTIDE_API void gputide_runtime_free(gputide_runtime* runtime);

/* One more scaler.  It is polled from the first observation on, with GPUTIDE_RUNTIME_OBSERVE_FIRST at once.
 *   manifest, size_bytes, options   as for gputide_scaler_open.
 *   tag   the host's own number or pointer for it, any value; it comes back in each event.
 *   id    its number in this runtime, never 0 and never used again; may be NULL.
 * Returns E_AMBIGUOUS, E_LIMIT; E_INVALID also for a name ("namespace/name") that is there already.  Since 0.2. */
GPUTIDE_API gputide_status gputide_runtime_add(gputide_runtime* runtime, const char* manifest, int64_t size_bytes,
                                               const gputide_options* options, uint64_t tag, uint64_t* id,
                                               gputide_error* err);

/* Another manifest for the same name: observation, pushed samples, schedule and, where it fits, state stay; an event that
 * waits is dropped.
 *   tag   may be NULL: it stays; else the new one.
 * Returns E_NOT_FOUND, E_AMBIGUOUS, E_LIMIT; the old one goes on then.  Since 0.2. */
GPUTIDE_API gputide_status gputide_runtime_replace(gputide_runtime* runtime, uint64_t id, const char* manifest,
                                                   int64_t size_bytes, const gputide_options* options,
                                                   const uint64_t* tag, gputide_error* err);

/* Ends a scaler, what it is asking and the event that waits for it.  Returns E_NOT_FOUND.  Since 0.2. */
GPUTIDE_API gputide_status gputide_runtime_remove(gputide_runtime* runtime, uint64_t id, gputide_error* err);

/* The number of "namespace/name".  Returns E_NOT_FOUND.  Since 0.2. */
GPUTIDE_API gputide_status gputide_runtime_find(gputide_runtime* runtime, const char* name, uint64_t* id,
                                                gputide_error* err);

/* The scaler behind after_id, 0: the first, in an order of the runtime's own.  One that is there all the while comes exactly
 * once, whatever else is added and removed meanwhile; after_id itself may be gone.
 * Returns E_NOT_FOUND behind the last one.  Since 0.2. */
GPUTIDE_API gputide_status gputide_runtime_next_scaler(gputide_runtime* runtime, uint64_t after_id, uint64_t* id,
                                                       gputide_error* err);

/* What is true of a scaler's target now; copied, and used until the next one.  The first observation starts the polling.  Say
 * it again whenever something else than _record changed the size, and before a decision should stand on it.
 *   seen   seen->samples may be none, or as for gputide_runtime_push; a pod sample's metric must be one of the policy's.
 * Returns E_NOT_FOUND.  Since 0.2. */
GPUTIDE_API gputide_status gputide_runtime_observe(gputide_runtime* runtime, uint64_t id,
                                                   const gputide_observation* seen, gputide_error* err);

/* Numbers of metrics that the host brings (triggers of type values, an HPA's metrics without a source), without a size.  They
 * are copied and used by the polls to come until others are pushed; polling itself begins with the first observation.
 *   samples       one per metric of the policy, by the metric's index; GPUTIDE_SAMPLE_NOT_GIVEN keeps what was.  A sample for
 *                 a metric that has a source of its own is E_INVALID.
 *   sample_size   sizeof(gputide_sample).      count   as many as the policy has metrics.
 * Returns E_NOT_FOUND.  Since 0.2. */
GPUTIDE_API gputide_status gputide_runtime_push(gputide_runtime* runtime, uint64_t id, const gputide_sample* samples,
                                                uint32_t sample_size, uint32_t count, gputide_error* err);

/* DUE: with GPUTIDE_RUNTIME_OBSERVE_FIRST a poll is due and waits for gputide_runtime_observe, for as long as the host needs
 * to read the size or to end a write; its decision and report stay empty.
 * CLUSTER: what an attached cluster has to tell (section 16): a write and its end, a lead, a scaler that is held, a difference;
 * the report says it as JSON (docs/json.md, cluster_event), the decision stays empty.  Append-only. */
enum { GPUTIDE_EVENT_DECISION = 1, GPUTIDE_EVENT_DUE = 2, GPUTIDE_EVENT_CLUSTER = 3 };

typedef struct gputide_event {
    uint32_t struct_size;
    int32_t kind;        /* GPUTIDE_EVENT_* */
    uint64_t id;         /* of the scaler */
    uint64_t tag;        /* the host's own for it, as _add or _replace was given */
    uint64_t sequence;   /* 1, 2, 3, ... in the order in which events are taken */
    int64_t observed_ms; /* when the host saw what the decision stands on: seen->now_ms, or now_ms of a record */
    uint32_t replaced;   /* earlier decisions of this scaler that nobody took in time; this one stands for them */
    uint32_t reserved;
    char name[328]; /* "namespace/name" */
} gputide_event;

/* "decision", "due", "cluster"; "unknown" for a number without a name.  Static.  Since 0.2. */
GPUTIDE_API const char* gputide_event_kind_name(int32_t kind);

/* The next event: a write is wanted, or a decision differs from the scaler's last one (or each, with
 * GPUTIDE_RUNTIME_EVERY_DECISION).  A scaler has at most one event waiting, with its newest decision: nothing is lost and
 * nothing piles up.  Blocks for at most timeout_ms; 0: not at all; GPUTIDE_FOREVER.  Drives the runtime meanwhile, by the
 * system's clock, where no thread does.
 *   cancel     may be NULL.
 *   decision   may be NULL; act on it and say so with _record.  GPUTIDE_EVENT_DUE and _CLUSTER have none.
 *   report     may be NULL; emptied, and filled with GPUTIDE_RUNTIME_REPORTS, or by GPUTIDE_EVENT_CLUSTER.
 * Returns E_NO_DATA where none came in time, E_CANCELLED also once the runtime is closed.  On failure the event, if there was
 * one, still waits.  Since 0.2. */
GPUTIDE_API gputide_status gputide_runtime_next_event(gputide_runtime* runtime, int32_t timeout_ms,
                                                      const gputide_cancel* cancel, gputide_event* event,
                                                      gputide_decision* decision, gputide_text* report,
                                                      gputide_error* err);

/* Tell the runtime how the write went that an event's decision asked for, once.  applied 1: decision->desired_replicas was
 * written at now_ms, and is from now on taken to be the size; 0: it failed.  decision is updated (conditions, event).  A
 * decision that wanted no write needs no record.  The last four writes of a scaler can be recorded, and after _load
 * one that the loaded state still waits for; with one of them the earlier ones are settled.
 * Returns E_NOT_FOUND; E_STATE for a decision that no event of this scaler carried, or that is recorded or settled.
 * Since 0.2. */
GPUTIDE_API gputide_status gputide_runtime_record(gputide_runtime* runtime, uint64_t id, gputide_decision* decision,
                                                  int32_t applied, int64_t now_ms, gputide_error* err);

/* As gputide_state_save: what survives a restart of the host.  Returns E_NOT_FOUND.  Since 0.2. */
GPUTIDE_API gputide_status gputide_runtime_save(gputide_runtime* runtime, uint64_t id, gputide_text* out,
                                                gputide_error* err);

/* As gputide_state_load without flags, in place of the scaler's state.  Returns E_NOT_FOUND; E_STATE likewise.  Since 0.2. */
GPUTIDE_API gputide_status gputide_runtime_load(gputide_runtime* runtime, uint64_t id, const char* text,
                                                int64_t size_bytes, gputide_error* err);

/* One scaler as JSON: its numbers, its observation, the last decision (as gputide_decide reports it, without a trace) and its
 * metrics (as gputide_scaler_metrics).  Returns E_NOT_FOUND.  Since 0.2. */
GPUTIDE_API gputide_status gputide_runtime_describe(gputide_runtime* runtime, uint64_t id, gputide_text* json,
                                                    gputide_error* err);

/* Counters of the whole as JSON (docs/runtime.md): poll lag, polls, errors by reason, shared queries, requests in flight,
 * queues, endpoints with their breakers.  Returns the common statuses.  Since 0.2. */
GPUTIDE_API gputide_status gputide_runtime_stats(gputide_runtime* runtime, gputide_text* json, gputide_error* err);

/* Starts the runtime's thread.  Returns E_STATE where it runs already or the host drives at this moment; E_UNAVAILABLE (no
 * thread to be had).  Since 0.2. */
GPUTIDE_API gputide_status gputide_runtime_start(gputide_runtime* runtime, gputide_error* err);

/* Ends it.  Blocks for at most timeout_ms; 0: only begins; GPUTIDE_FOREVER.  Polls under way are given up and begin anew at
 * the next drive; scalers and events stay, and it may be started again.  Without a thread: GPUTIDE_OK.
 * Returns E_TIMEOUT where it is still stopping: call again.  Since 0.2. */
GPUTIDE_API gputide_status gputide_runtime_stop(gputide_runtime* runtime, int32_t timeout_ms, gputide_error* err);

/* Does what is due at now_ms and what the network has brought, without waiting.
 *   now_ms    by the host's clock.  It may jump: back moves no poll; far forward, or after a stall, polls that were missed
 *             come once and as spread out as they were.
 *   next_ms   may be NULL; when to call again at the latest, INT64_MAX: when something was changed.
 * Returns E_STATE while the runtime's own thread, or another call of the host's, drives it.  Since 0.2. */
GPUTIDE_API gputide_status gputide_runtime_step(gputide_runtime* runtime, int64_t now_ms, int64_t* next_ms,
                                                gputide_error* err);

/* A descriptor for poll, epoll and the like, readable while an event waits and, unless the runtime's thread drives it, while
 * _step should be called; readable for good once the runtime is closed.  It is the runtime's until _free: neither read nor
 * close it.  Returns E_UNAVAILABLE (no descriptor left).  Since 0.2. */
GPUTIDE_API gputide_status gputide_runtime_wake_fd(gputide_runtime* runtime, int32_t* fd, gputide_error* err);

/* ========================================================================================================== 10 replay */

/* What a manifest would have done, over recorded metrics: the code that decides live, with the clock as a parameter.
 * Models, settings and the report's words: docs/replay.md. */

/* Recorded values of each metric over time, and the workload's size meanwhile where it is known.  At most 20 million points.
 * Order, duplicates, gaps and NaN are sorted out and counted, not refused. */
typedef struct gputide_series gputide_series;

/* Returns the common statuses.  Since 0.2. */
GPUTIDE_API gputide_status gputide_series_new(gputide_series** out, gputide_error* err);

/* Since 0.2. */
GPUTIDE_API void gputide_series_free(gputide_series* series);

/* Add points of one metric, in any order.  A NaN or an infinity is a point without a number.
 * Returns E_LIMIT; E_INVALID also for a time outside 1970 to 9999.  Since 0.2. */
GPUTIDE_API gputide_status gputide_series_add(gputide_series* series, uint32_t metric, const int64_t* times_ms,
                                              const double* values, uint64_t count, gputide_error* err);

/* Add replica counts that the workload had while its metrics were recorded: what a closed loop needs.
 * Returns as gputide_series_add.  Since 0.2. */
GPUTIDE_API gputide_status gputide_series_add_replicas(gputide_series* series, const int64_t* times_ms,
                                                       const int32_t* replicas, uint64_t count, gputide_error* err);

/* Add what a text holds, from `metric` on: CSV (time,value[,value...][,replicas]), a saved answer of Prometheus' query_range
 * with one series, or the log of `gputided run`; which of them it is shows in the text.
 *   metric   GPUTIDE_NO_METRIC: of the text only the replica counts, and of a run log its decisions.
 *   scaler   of a run log that holds several: "namespace/name"; NULL: the first one's.
 * Returns E_LIMIT, E_AMBIGUOUS (several series), E_PROTOCOL (JSON that is none of these), E_NO_DATA; E_INVALID with the line.
 * Since 0.2. */
GPUTIDE_API gputide_status gputide_series_read(gputide_series* series, uint32_t metric, const char* text,
                                               int64_t size_bytes, const char* scaler, gputide_error* err);

/* Add the past of one metric straight from its source: one query_range, both ends included, at most 11,000 steps.  Blocks.
 * The trigger's own rules make one number of each step.  cancel may be NULL.
 * Returns E_NOT_HERE for a source that keeps no past, E_NOT_FOUND for an index beyond the metrics, and what
 * gputide_source_fetch does.  Since 0.2. */
GPUTIDE_API gputide_status gputide_series_fetch(gputide_series* series, gputide_scaler* scaler, uint32_t metric,
                                                int64_t start_ms, int64_t end_ms, int64_t step_ms, int32_t timeout_ms,
                                                const gputide_cancel* cancel, gputide_error* err);

/* The series as CSV, which gputide_series_read takes; the decisions of a run log are not in it.
 * Returns the common statuses.  Since 0.2. */
GPUTIDE_API gputide_status gputide_series_write(gputide_series* series, gputide_text* csv, gputide_error* err);

/* JSON: points, from, to, gaps, duplicates and the like.  Returns E_NO_DATA for a series without a point.  Since 0.2. */
GPUTIDE_API gputide_status gputide_series_describe(gputide_series* series, gputide_text* json, gputide_error* err);

/* One replay: a manifest's policy, a model, and the sums so far.  Its memory does not grow with the length of what it runs
 * over. */
typedef struct gputide_replay gputide_replay;

/* manifest and options as for gputide_policy_open.
 *   settings   JSON, may be NULL: {"model":"closed","signal":"utilization","startup_ms":[90000],"set":{"threshold":60}};
 *              every member and its default: docs/replay.md.
 * Returns E_AMBIGUOUS, E_LIMIT; E_INVALID with the member that is wrong.  Since 0.2. */
GPUTIDE_API gputide_status gputide_replay_open(const char* manifest, int64_t size_bytes, const gputide_options* options,
                                               const char* settings, int64_t settings_bytes, gputide_replay** out,
                                               gputide_error* err);

/* Since 0.2. */
GPUTIDE_API void gputide_replay_free(gputide_replay* replay);

/* All of a series, once.  A series serves many replays, also at the same time, after gputide_series_describe has been called
 * on it.  Takes as long as it takes; cancel may be NULL.
 * Returns E_NO_DATA, E_LIMIT, E_CANCELLED; E_STATE for a replay that has run or was reported on.  Since 0.2. */
GPUTIDE_API gputide_status gputide_replay_run(gputide_replay* replay, const gputide_series* series,
                                              const gputide_cancel* cancel, gputide_error* err);

/* The same moment by moment, for series of any length: what was recorded at time_ms, which must not go back.  The decisions
 * that were due before it are taken first.
 *   samples    one per metric; GPUTIDE_SAMPLE_NOT_GIVEN: nothing new is known of it.  sample_size: sizeof(gputide_sample).
 *   replicas   the workload's recorded size; -1: as before.
 *   last       may be NULL; the last decision taken so far (source 0 before the first).
 * Returns E_LIMIT (a gap of more than 50 million steps); E_STATE after gputide_replay_run or _report.  Since 0.2. */
GPUTIDE_API gputide_status gputide_replay_record(gputide_replay* replay, int64_t time_ms, const gputide_sample* samples,
                                                 uint32_t sample_size, uint32_t sample_count, int32_t replicas,
                                                 gputide_decision* last, gputide_error* err);

/* What it came to, as JSON.  Ends the replay: nothing can be run or recorded after it.
 * Returns the common statuses.  Since 0.2. */
GPUTIDE_API gputide_status gputide_replay_report(gputide_replay* replay, gputide_text* json, gputide_error* err);

/* ========================================================================================= 11 one symbol for plugins */

/* The functions above as a table, for a host that loads the library with dlopen and looks up one name (gputide_table.h).
 * Append-only: check struct_size before using a member that a later release added. */
typedef struct gputide_api_table gputide_api_table;

/* The table for the ABI that the caller was written for (pass GPUTIDE_ABI_VERSION); static, never freed.  NULL with the
 * reason in err (GPUTIDE_E_TOO_NEW) for an ABI that this library does not serve; err may be NULL.  Since 0.2. */
GPUTIDE_API const gputide_api_table* gputide_api(uint32_t abi_version, gputide_error* err);

/* ======================================================================================================== 12 forecast */

/* The load of the next start-up time, for a host that scales in a loop of its own; in a manifest gputide.io/forecast does all of
 * this.  It learns from one load per pass (what must be served in total), scores itself against "nothing will change", and gives
 * a floor for the size that the host came to without it.  Each pass: _step, decide, _ask, write the size, _book.
 * Rules, figures and when it does not help: docs/forecast.md.  At most 16 KiB each; no pass allocates. */
typedef struct gputide_forecast gputide_forecast;

/* How it stands.  Append-only. */
enum {
    GPUTIDE_FORECAST_WARMING = 1, /* not scored for long enough */
    GPUTIDE_FORECAST_OFF = 2,     /* not better than the last value */
    GPUTIDE_FORECAST_SPENT = 3,   /* the budget is */
    GPUTIDE_FORECAST_ON = 4
};

/* What came of a floor.  Append-only. */
enum {
    GPUTIDE_FLOOR_RAISED = 1,
    GPUTIDE_FLOOR_WITHIN_REACTIVE = 2, /* the reactive size is enough */
    GPUTIDE_FLOOR_CAPPED_BY_MAX = 3,
    GPUTIDE_FLOOR_CAPPED_BY_RAISE = 4, /* by max_raise_percent */
    GPUTIDE_FLOOR_OBSERVE = 5,         /* it would have raised, and mode is observe */
    GPUTIDE_FLOOR_WARMING_UP = 6,      /* this and all below: it asks for nothing */
    GPUTIDE_FLOOR_NOT_BETTER = 7,
    GPUTIDE_FLOOR_BUDGET_SPENT = 8,
    GPUTIDE_FLOOR_NO_RECENT_VALUE = 9,
    GPUTIDE_FLOOR_AT_ZERO = 10 /* no forecast starts a workload from zero */
};

typedef struct gputide_floor {
    uint32_t struct_size;
    int32_t state;         /* GPUTIDE_FORECAST_* */
    int32_t reason;        /* GPUTIDE_FLOOR_* */
    int32_t replicas;      /* reactive_replicas or more, never above max_replicas because of the forecast */
    int32_t need_replicas; /* what floor_load takes; -1: it asks for nothing */
    int32_t reserved;
    double floor_load; /* the load to be ready for; NaN: it asks for nothing */
} gputide_floor;

/*   settings   JSON, may be NULL: {"lead_ms":300000,"budget_percent":5,"mode":"act"}; every member and its default:
 *              docs/json.md (forecast_describe, settings).
 * Returns E_LIMIT; E_INVALID with the member that is wrong in where.  Since 0.2. */
GPUTIDE_API gputide_status gputide_forecast_open(const char* settings, int64_t size_bytes, gputide_forecast** out,
                                                 gputide_error* err);

/* Since 0.2. */
GPUTIDE_API void gputide_forecast_free(gputide_forecast* forecast);

/* A pass at now_ms read this load.  NaN, an infinity and a number below 0: nothing could be read.  A time of a slot that has
 * ended is left out and counted; one far back says that the clock was set.  Returns the common statuses.  Since 0.2. */
GPUTIDE_API gputide_status gputide_forecast_step(gputide_forecast* forecast, int64_t now_ms, double load,
                                                 gputide_error* err);

/* The floor under the size that this pass came to.
 *   target              load that one replica takes, more than 0.
 *   reactive_replicas   the size without the forecast, before rate limits and bounds; 0 or more, as the two below.
 *   current_replicas    0: the workload is off, and stays so.
 *   max_replicas        the floor does not pass it.
 * Worked: floor load 117.39, target 10, reactive 10, max 40 → 12.  Returns the common statuses.  Since 0.2. */
GPUTIDE_API gputide_status gputide_forecast_ask(const gputide_forecast* forecast, double target,
                                                int32_t reactive_replicas, int32_t current_replicas,
                                                int32_t max_replicas, gputide_floor* out, gputide_error* err);

/* What the budget is counted by: the size that was written, and the one that a loop without the forecast would have (its
 * shadow: the same rules, with a memory and a size of its own).  Once per pass, after _ask; both 0 or more.
 * Returns the common statuses.  Since 0.2. */
GPUTIDE_API gputide_status gputide_forecast_book(gputide_forecast* forecast, int32_t written_replicas,
                                                 int32_t shadow_replicas, gputide_error* err);

/* What it says, how good it has been and what it cost, as JSON.  Returns the common statuses.  Since 0.2. */
GPUTIDE_API gputide_status gputide_forecast_describe(const gputide_forecast* forecast, gputide_text* json,
                                                     gputide_error* err);

/* Text that survives a restart, at most 28 KiB: versioned, checksummed, for gputide_forecast_load alone.
 * Returns the common statuses.  Since 0.2. */
GPUTIDE_API gputide_status gputide_forecast_save(const gputide_forecast* forecast, gputide_text* out,
                                                 gputide_error* err);

/* The forecast goes on as the one that was saved.  What was saved with another lead keeps patterns and account and learns the rest
 * anew; with another slot it starts anew.  Returns E_STATE for a damaged, foreign or newer text, and nothing has changed then.
 * Since 0.2. */
GPUTIDE_API gputide_status gputide_forecast_load(gputide_forecast* forecast, const char* text, int64_t size_bytes,
                                                 gputide_error* err);

/* Names of the numbers above as the JSON spells them; "unknown" for others.  Static. */
GPUTIDE_API const char* gputide_forecast_state_name(int32_t state); /* "warming".  Since 0.2. */
GPUTIDE_API const char* gputide_floor_reason_name(int32_t reason);  /* "within_reactive".  Since 0.2. */

/* =========================================================================================================== 13 nodes */

/* GPU nodes: how many of which pool pods that wait need, and which nodes may go, as the cluster autoscaler would decide it.
 * Docs: docs/nodes.md. */

/* What a plan came to, in numbers. */
typedef struct gputide_nodes_summary {
    uint32_t struct_size;
    uint32_t errors; /* items of the text that were left out, or settings that were refused; the JSON names each */
    uint32_t warnings;
    uint32_t reserved;
    int64_t nodes_to_add;
    int64_t nodes_to_remove;  /* now; others may follow later */
    int64_t pods_pending;     /* pods that wait: the sum of the next three */
    int64_t pods_on_existing; /* that nodes which are there, or on their way, have room for */
    int64_t pods_on_new;
    int64_t pods_left; /* that no pool can take; the JSON says why */
} gputide_nodes_summary;

/* Plan the nodes of a cluster as the text describes it.  Pure: no I/O, no clock; nothing is added or removed by it.
 *   text        pools, nodes, pods, settings and what was done since the last plan, as JSON or YAML of this library
 *               (docs/nodes.md), and Kubernetes' own objects and lists (`kubectl get nodes,pods -A -o json`), one behind the other.
 *   state       what the last plan gave as next_state; NULL or empty: there was none.
 *   now_ms      Unix milliseconds.
 *   summary     may be NULL; set its struct_size first.
 *   json        may be NULL; the whole plan with its reasons (docs/json.md, nodes_plan).
 *   next_state  may be NULL; JSON for the next plan: since when nodes are unneeded, open requests, pools that failed.
 * An item that cannot be read is left out and named with its path; the others are planned.
 * Returns E_STATE for a state that is none; E_INVALID where nothing could be read at all.  Since 0.2. */
GPUTIDE_API gputide_status gputide_nodes_plan(const char* text, int64_t size_bytes, const char* state,
                                              int64_t state_bytes, int64_t now_ms, gputide_nodes_summary* summary,
                                              gputide_text* json, gputide_text* next_state, gputide_error* err);

/* ====================================================================================================== 14 rightsize */

/* What a workload really needs: samples of its GPUs come in one by one, and out of them bounds, a number of GPUs, a MIG
 * profile, a machine, or several replicas on one GPU, with the evidence and the money.  No I/O and no clock; a sample allocates
 * nothing but for a GPU or a stretch of values that is new.  Rules and settings: docs/rightsizing.md. */
typedef struct gputide_rightsize gputide_rightsize;

/* From text, YAML or JSON: settings of our own (a document without a kind), a GpuCatalogue, a VerticalPodAutoscaler, each at
 * most once, also in options->files:
 *     {"sku": "Standard_NC24ads_A100_v4", "gpus": 1, "prices": {"Standard_NC24ads_A100_v4": 3.67}}
 * size_bytes may be GPUTIDE_TEXT; options may be NULL.  Returns E_LIMIT; E_INVALID names the member, its line and path.
 * Since 0.2. */
GPUTIDE_API gputide_status gputide_rightsize_open(const char* settings, int64_t size_bytes,
                                                  const gputide_options* options, gputide_rightsize** out,
                                                  gputide_error* err);

/* Since 0.2. */
GPUTIDE_API void gputide_rightsize_free(gputide_rightsize* rightsize);

/* The settings as JSON, each default filled in, with what was found to remark of them.  Returns the common statuses.
 * Since 0.2. */
GPUTIDE_API gputide_status gputide_rightsize_describe(const gputide_rightsize* rightsize, gputide_text* json,
                                                      gputide_error* err);

/* The number of the container of that name, from 1, which is new where nobody asked for it before.  Containers are counted
 * apart, by the same settings; a million of them at most.  Returns E_LIMIT.  Since 0.2. */
GPUTIDE_API gputide_status gputide_rightsize_container(gputide_rightsize* rightsize, const char* name, uint32_t* number,
                                                       gputide_error* err);

enum {
    GPUTIDE_USAGE_BUSY = 1,   /* busy is set */
    GPUTIDE_USAGE_MEMORY = 2, /* memory_bytes is set */
    GPUTIDE_USAGE_OOM = 4     /* it ran out of memory, with memory_bytes requested (0: unknown); busy is ignored */
};

/* Of one GPU, MIG instance or (profile vpa) container of a pod, at one time. */
typedef struct gputide_usage_sample {
    int64_t time_ms;
    uint32_t container; /* its number; 0: the one without a name */
    uint32_t unit;      /* which of its GPUs, from 0 over all replicas, up to 4095 */
    uint32_t flags;     /* GPUTIDE_USAGE_* */
    uint32_t reserved;
    double busy;          /* percent of time or, better, of its engines; profile vpa: cores */
    int64_t memory_bytes; /* in use, of this GPU */
} gputide_usage_sample;

/* Add samples, those of one unit in the order of their times.
 *   sample_size   sizeof(gputide_usage_sample).
 *   taken         may be NULL; how many samples were counted.  A value below 0, NaN, an infinity and what is older than the
 *                 unit's last (for busy: as old) do not count, and are no error.
 * Returns E_NOT_FOUND for a container's number that is not there.  With E_NO_MEMORY some of them may have been added.
 * Since 0.2. */
GPUTIDE_API gputide_status gputide_rightsize_add(gputide_rightsize* rightsize, const gputide_usage_sample* samples,
                                                 uint32_t sample_size, uint32_t count, uint32_t* taken,
                                                 gputide_error* err);

/* What a container's samples come to, as JSON: verdict (change, keep, hold, nothing, report), recommendation and runner-up, every
 * percentile before and after margin, confidence and caps, the money, and a sentence.
 *   container   as in a sample.
 * Returns E_NOT_FOUND.  Since 0.2. */
GPUTIDE_API gputide_status gputide_rightsize_recommend(const gputide_rightsize* rightsize, uint32_t container,
                                                       int64_t now_ms, gputide_text* json, gputide_error* err);

/* Machines, MIG profile and sharing for a need that is already known, as JSON, the best choice first.
 *   memory_bytes   of each GPU.      util_percent   of each GPU, 0 or more; both with whatever margin they should have.
 * Returns the common statuses.  Since 0.2. */
GPUTIDE_API gputide_status gputide_rightsize_fit(const gputide_rightsize* rightsize, int64_t memory_bytes,
                                                 double util_percent, gputide_text* json, gputide_error* err);

/* One container's histograms and open windows as text that survives a restart: the status of a VerticalPodAutoscalerCheckpoint
 * with members of our own and a checksum; at most 4 KiB for 8 GPUs, 80 bytes for each more.  Returns E_NOT_FOUND.
 * Since 0.2. */
GPUTIDE_API gputide_status gputide_rightsize_save(const gputide_rightsize* rightsize, uint32_t container,
                                                  int64_t now_ms, gputide_text* out, gputide_error* err);

/* In place of what the container had: what _save gave under settings of the same profile and half-life, or the checkpoint
 * object of a VPA.  Returns E_NOT_FOUND; E_STATE for a damaged, foreign or newer one, never half-loaded.  Since 0.2. */
GPUTIDE_API gputide_status gputide_rightsize_load(gputide_rightsize* rightsize, uint32_t container, const char* text,
                                                  int64_t size_bytes, gputide_error* err);

/* ============================================================================================================ 15 jobs */

/* One poll of a KEDA ScaledJob: how many Jobs to create now, and which finished ones go.  Pure: no I/O, no clock.
 *   manifest   text with the ScaledJob; options->scaler names one of several.
 *   seen       JSON: {"values":[42.5,null],"running":3,"pending":1}, a value per trigger in the manifest's order, null: its read
 *              failed.  Every member: docs/jobs.md.
 *   decision   JSON with create, delete, conditions, events and reasons (docs/json.md, jobs_decide).
 * Worked: 12.5 items at 2 per Job, 3 Jobs unfinished → 4.
 * Returns E_AMBIGUOUS where several are given and none is named; E_INVALID with the place in the manifest or in seen; E_LIMIT.
 * Since 0.2. */
GPUTIDE_API gputide_status gputide_jobs_decide(const char* manifest, int64_t size_bytes, const gputide_options* options,
                                               const char* seen, int64_t seen_bytes, gputide_text* decision,
                                               gputide_error* err);

/* ========================================================================================================= 16 cluster */

/* A Kubernetes cluster on which a runtime works by itself: it finds ScaledObjects, reads their TriggerAuthentications and the
 * Secrets that these name, watches the sizes of what they scale, decides, and writes subresource scale while a Lease says that
 * this instance leads.  Driven as the runtime is (_start, _step or _next_event).  Decisions still come as events, and
 * GPUTIDE_EVENT_CLUSTER tells what was made of them; neither is recorded by the host, which leaves these scalers' ids alone.
 * What it does when something fails, and the rights that it needs: docs/kubernetes.md. */

/* Attach one.  Returns at once; what the API server answers is told by events and _describe_cluster.
 *   settings   NULL or empty for the defaults, else JSON or YAML (every member: docs/kubernetes.md):
 *                  {"namespaces": ["ml"], "shadow": true, "lease": {"name": "gputide", "duration_s": 15}, "shards": 1}
 *   options    may be NULL; kubeconfig, kube_context and service_account_dir say which API server and as whom, the rest is
 *              what its manifests may do.
 * Returns E_STATE where one is attached, or the runtime was made with GPUTIDE_RUNTIME_OBSERVE_FIRST; E_INVALID with the member's
 * line and path; E_NOT_HERE where no API server is named; E_AUTH.  Since 0.2. */
GPUTIDE_API gputide_status gputide_runtime_attach_cluster(gputide_runtime* runtime, const char* settings,
                                                          int64_t size_bytes, const gputide_options* options,
                                                          gputide_error* err);

/* Stop writing, give back the Leases that are held, so that another instance takes over within 3 s, and forget the
 * cluster's scalers.  Before _close; without it the Leases run out by themselves.  Drives the runtime's network meanwhile.
 * GPUTIDE_OK where none is attached.  Returns E_TIMEOUT, and goes on with it: call again; E_CANCELLED once the runtime is
 * closed.  Since 0.2. */
GPUTIDE_API gputide_status gputide_runtime_detach_cluster(gputide_runtime* runtime, int32_t timeout_ms,
                                                          gputide_error* err);

/* JSON: leases, watches and their ages, writes by result, conflicts, differences, who is held and why (docs/json.md,
 * cluster_describe); at most a second old, {} before the first.  Returns E_STATE where none is attached.  Since 0.2. */
GPUTIDE_API gputide_status gputide_runtime_describe_cluster(gputide_runtime* runtime, gputide_text* json,
                                                            gputide_error* err);

/* ====================================================================================================== 17 agent pools */

/* Write the size of one of AKS' node pools, through Azure Resource Manager: read it, compare, write it under its ETag, and
 * follow the operation to its end.  Blocks; the one function of this library that changes anything in Azure.
 *   credential  an identity of Azure that may write the cluster's agent pools; options given to _credential_open hold here, too.
 *   change      JSON: {"cluster":"/subscriptions/.../managedClusters/aks","pool":"gpunp","count":4,"dry":false}.  dry is true
 *               where it is left out; count is for a pool that nobody scales, min and max for one that AKS' autoscaler scales.
 *               cloud names another cloud; endpoint an address of Azure Resource Manager, whose host must be allowed.
 *   timeout_ms  for everything; an operation that still runs then goes on, and that is no failure.
 *   json        what was, what is to be, and how far it came (docs/json.md, agent_pool_write).
 * Returns E_INVALID for a change that does not fit the pool; E_UNAVAILABLE with the time to wait while another operation runs on
 * the cluster; E_REJECTED where the service ended the operation as failed; E_AUTH, E_FORBIDDEN, E_TIMEOUT, E_CANCELLED (what
 * was written stays), E_PROTOCOL.  Since 0.2. */
GPUTIDE_API gputide_status gputide_agent_pool_write(const gputide_credential* credential, const char* change,
                                                    int64_t size_bytes, int32_t timeout_ms,
                                                    const gputide_cancel* cancel, gputide_text* json,
                                                    gputide_error* err);

/* ============================================================================================== 18 a cluster's diagnosis */

/* Whether a runtime could work on a cluster (section 16), found before it does: the API server and its certificate, whether the
 * token is taken and as whom, the kinds that are served, each right that is needed (asked by SelfSubjectAccessReview), and
 * who holds the Lease.  What is missing comes with a Role to apply.  Blocks; changes nothing there.
 *   settings         as for _runtime_attach_cluster: namespaces, shadow, lease and shards say what is needed.
 *   options, cancel  may be NULL, as there.
 *   report           JSON with a verdict (ok, warning, failed) for each step (docs/json.md, doctor_cluster).
 *   lines            may be NULL; the same for a person, the conclusion first.
 * A step that fails does not fail the call.  Returns E_LIMIT, E_CANCELLED, E_UNAVAILABLE; E_INVALID for settings that cannot be
 * read.  Since 0.2. */
GPUTIDE_API gputide_status gputide_doctor_cluster(const char* settings, int64_t size_bytes,
                                                  const gputide_options* options, int32_t timeout_ms,
                                                  const gputide_cancel* cancel, gputide_text* report,
                                                  gputide_text* lines, gputide_error* err);

/* =============================================================================================== 19 lists of a cluster */

/* Read one collection of a cluster's API server, whole and once, without a runtime.  Blocks; nothing is watched or written.
 *   path      "/api/v1/nodes", "/apis/policy/v1/namespaces/ml/poddisruptionbudgets?labelSelector=app%3Dllm"
 *   options   may be NULL; kubeconfig, kube_context and service_account_dir say which API server and as whom.
 *   cancel    may be NULL.
 *   json      the lists as the server wrote them, a page of it each, one behind the other: gputide_nodes_plan takes them as they
 *             are.  At most 256 MiB; narrow it by a selector.
 * Returns E_INVALID for a path of anything else; E_NOT_HERE where no API server is named; E_FORBIDDEN with the RBAC rule that is
 * missing; E_REJECTED for a resource that is not served; E_AUTH, E_THROTTLED, E_UNAVAILABLE, E_PROTOCOL, E_SECURITY, E_LIMIT,
 * E_TIMEOUT, E_CANCELLED.  Since 0.2. */
GPUTIDE_API gputide_status gputide_cluster_list(const char* path, const gputide_options* options, int32_t timeout_ms,
                                                const gputide_cancel* cancel, gputide_text* json, gputide_error* err);

/* ======================================================================================================= 20 handover */

/* Hand one ScaledObject of a cluster over from a living KEDA to gputide, or back, in the order in which no two scale it at once.
 * Blocks; writes annotations of that ScaledObject and nothing else, each with the version that was read.
 *   change    JSON or YAML: {"namespace":"ml","name":"llm","to":"gputide","owner":"gputide","dry":false}.  to is gputide or keda;
 *             dry is true where it is left out; owner is the value of gputide.io/owner; lease_s the duration of its Lease (15).
 *   options   may be NULL; kubeconfig, kube_context and service_account_dir say which API server and as whom: get and patch
 *             scaledobjects, list horizontalpodautoscalers, and get the scale of what is scaled, where that may be.
 *   timeout_ms  for everything; on a timeout the json names the step that is still awaited, and calling again goes on from there.
 *   json      how far it came, step by step (docs/json.md, cluster_handover).
 * Meanwhile each step is a line of the log, GPUTIDE_LOG_INFO, as it is waited for and as it ends (docs/json.md, handover_step).
 * What is refused, failed or still waited for does not fail the call; after a crash or a cancel the next call goes on.  Returns
 * E_INVALID for a change that cannot be read; E_NOT_HERE where no API server is named; E_AUTH, E_LIMIT, E_TIMEOUT, E_CANCELLED
 * (what was written stays).  Since 0.2. */
GPUTIDE_API gputide_status gputide_cluster_handover(const char* change, int64_t size_bytes,
                                                    const gputide_options* options, int32_t timeout_ms,
                                                    const gputide_cancel* cancel, gputide_text* json,
                                                    gputide_error* err);

#ifdef __cplusplus
}
#endif

#include "gputide_table.h"

#endif /* GPUTIDE_H */

/* Written by bindings/generator from include/gputide/gputide.h: change that, then run python3 -m bindings.generator. */
/* gputide: GPU autoscaling inside your own process.
 *
 * Input: a manifest that you already have (a KEDA ScaledObject with its TriggerAuthentication, or an autoscaling/v2
 * HorizontalPodAutoscaler) and the current replica count.  The library fetches the metrics and acquires the tokens.
 * Output: the replica count that KEDA and the HPA would write, with a full explanation.
 *
 * Reading order: for a decision from numbers read sections 2, 6 and 7; for one scaler 8; for many scalers 9; for a
 * Kubernetes cluster 9 and 16.
 *
 *   1 version    2 status, error, text    3 hooks, log, cancel, options    4 credential    5 source
 *   6 policy and state    7 decide    8 scaler    9 runtime    10 replay    11 one symbol for plugins
 *   12 forecast    13 nodes    14 rightsize    15 jobs    16 cluster    17 agent pools    18 cluster diagnosis
 *   19 cluster lists    20 handover
 *
 * Conventions
 *   Names      gputide_<noun>_<verb>; arguments in the order handle, inputs, outputs, err.
 *   Ownership  Const inputs are borrowed for the call and copied if kept.  T **out returns a handle that the caller must
 *              free with its _free function, in any order: no handle depends on another.  A returned const char * is
 *              static, or valid as long as its handle if the comment says so.  Pointers may be NULL only if a comment
 *              says so.  Every _free accepts NULL.
 *   Structs    The first member is struct_size: zero-fill the struct, then set it to sizeof.  Zero in a member means "not
 *              given", except for replica counts and GPUTIDE_OK.  A library newer than the caller fills only the members
 *              that the caller knows.  A struct smaller than in release 0.2 is GPUTIDE_E_INVALID.  An unknown flag bit,
 *              a reserved member that is not 0 and a non-zero member unknown to the library are GPUTIDE_E_TOO_NEW.
 *   Indices    Metrics count from 0, in manifest order; -1: none.  References to pods count from 1; 0: none.
 *   Text       UTF-8.  Sizes are in bytes; GPUTIDE_TEXT (-1) as a size means NUL-terminated.
 *   Times      *_ms: Unix milliseconds (UTC) for points in time, milliseconds for durations.  now_ms must lie in the years
 *              1970 to 9999 and must not be 0, else GPUTIDE_E_INVALID.  A point in time from 1,600,000,000 to
 *              2,499,999,999 looks like seconds and is GPUTIDE_E_INVALID.  In JSON, *_in_ms is a duration.
 *   timeout_ms Deadline of the whole call (token, DNS, retries, body).  Must be more than 0, else GPUTIDE_E_INVALID.  0 (do
 *              not wait) and GPUTIDE_FOREVER are allowed if the comment says so.
 *   Errors     Functions return an int32 status; err may be NULL.  Every function that returns a status may return the
 *              common statuses: GPUTIDE_OK, _E_INVALID (a NULL or impossible argument), _E_TOO_NEW (above), _E_STATE (a
 *              handle of the parent process), _E_NO_MEMORY and _E_BUG.  "Returns" in a comment names the others.
 *   Failure    Writes *err, and of the outputs only a gputide_sample (state and status) and the findings of
 *              gputide_manifest_check.  No handle is changed.
 *   Threads    An argument of type const T * may be shared by concurrent calls.  A T * must not be used by another call at
 *              the same time.  Different handles never interfere.  Exceptions: gputide_cancel_fire, gputide_log_close,
 *              and the runtime of section 9.  No function has thread affinity.  None blocks unless its comment says so.
 *
 * Caveats
 *   fork       A handle belongs to the process that created it.  In a child its use is GPUTIDE_E_STATE, and freeing it does
 *              nothing.  The child may open handles of its own.
 *   unload     The library stays mapped after dlclose (it is linked with -z nodelete).
 *   process    The library starts no thread, except one in gputide_runtime_start, one while triggers of type nvml are read,
 *              and up to 16 for host name lookups.  It installs no signal handler and no exit handler, does not change
 *              the environment, prints nothing and never exits.  It initializes libcurl once, with the first handle that
 *              may fetch; a fork in another thread waits for this (pthread_atfork).
 *   symbols    If the host exports another OpenSSL, nghttp2 or libcurl, as Node does, the dynamic linker uses the host's.
 *              Every call that opens a fetching handle then returns GPUTIDE_E_SECURITY; the rest works.  RTLD_DEEPBIND
 *              or the self-contained flavor keeps them apart (docs/building.md).
 *   memory     gputide_text memory comes from the allocator of section 3, all other memory from operator new.
 *   JSON       docs/json.md lists every member of every text.
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

/* Returns "0.2.0".  Static.  Since 0.2. */
GPUTIDE_API const char* gputide_version(void);

/* Returns the version of the loaded library as major * 1000000 + minor * 1000 + patch.  Since 0.2. */
GPUTIDE_API int32_t gputide_version_number(void);

/* Returns the ABI number of the loaded library.  A loader compares it with the GPUTIDE_ABI_VERSION that it was built
 * for before it calls anything else.  Since 0.2. */
GPUTIDE_API int32_t gputide_abi_version(void);

enum {
    GPUTIDE_FEATURE_YAML = 1, /* manifests may be YAML; without it only JSON */
    GPUTIDE_FEATURE_HTTP2 = 2
};

/* Returns a bit set of GPUTIDE_FEATURE_*.  Since 0.2. */
GPUTIDE_API uint32_t gputide_features(void);

/* Returns the versions of compiler and dependencies as JSON, for bug reports.  Static.  Since 0.2. */
GPUTIDE_API const char* gputide_build_info(void);

/* ============================================================================================== 2 status, error, text */

typedef int32_t gputide_status;

/* Append-only. */
enum {
    GPUTIDE_OK = 0,
    GPUTIDE_E_INVALID = 1,     /* a manifest, setting or argument is wrong */
    GPUTIDE_E_AUTH = 2,        /* credentials were refused */
    GPUTIDE_E_FORBIDDEN = 3,   /* credentials are valid, a role is missing */
    GPUTIDE_E_THROTTLED = 4,   /* too many requests: wait until retry_at_ms */
    GPUTIDE_E_UNAVAILABLE = 5, /* network or service, temporarily */
    GPUTIDE_E_NOT_HERE = 6,    /* not supported here, such as a credential source that this machine lacks */
    GPUTIDE_E_TIMEOUT = 7,     /* the caller's deadline, or the server's own */
    GPUTIDE_E_CANCELLED = 8,   /* gputide_cancel_fire, or the handle was closed */
    GPUTIDE_E_REJECTED = 9,    /* the server refuses this query permanently */
    GPUTIDE_E_PROTOCOL = 10,   /* an invalid response */
    GPUTIDE_E_SECURITY = 11,   /* stopped because continuing is unsafe */
    GPUTIDE_E_NO_DATA = 12,    /* the query works and returns no value */
    GPUTIDE_E_AMBIGUOUS = 13,  /* several values where exactly one is needed */
    GPUTIDE_E_PARTIAL = 14,    /* the server marked its response as incomplete */
    GPUTIDE_E_LIMIT = 15,      /* a size, depth or count limit of this library */
    GPUTIDE_E_STATE = 16,      /* a damaged or foreign saved state; a call that is not allowed after an earlier one */
    GPUTIDE_E_TOO_NEW = 17,    /* a struct with members or flags that this library does not know */
    GPUTIDE_E_NO_MEMORY = 18,
    GPUTIDE_E_BUG = 19,      /* a bug of this library: please report it with the message */
    GPUTIDE_E_NOT_FOUND = 20 /* an unknown id or name */
};

typedef int32_t gputide_action;

/* The caller's next action.  Append-only. */
enum {
    GPUTIDE_ACTION_NONE = 0,
    GPUTIDE_ACTION_RETRY = 1,
    GPUTIDE_ACTION_WAIT = 2, /* until retry_at_ms */
    GPUTIDE_ACTION_FIX_CONFIGURATION = 3,
    GPUTIDE_ACTION_FIX_CREDENTIALS = 4,
    GPUTIDE_ACTION_GRANT_ROLE = 5,
    GPUTIDE_ACTION_FIX_QUERY = 6,
    GPUTIDE_ACTION_ALLOW_BY_NAME = 7, /* allow it in the options, or correct it */
    GPUTIDE_ACTION_UPGRADE = 8,
    GPUTIDE_ACTION_REPORT_BUG = 9
};

/* Returns "E_INVALID", "OK"; "E_UNKNOWN" for a number without a name.  Static.  Since 0.2. */
GPUTIDE_API const char* gputide_status_name(gputide_status status);

/* Returns the usual action for a status, as GPUTIDE_ACTION_*.  gputide_error.action is more precise.  Since 0.2. */
GPUTIDE_API gputide_action gputide_status_action(gputide_status status);

/* Returns "fix_credentials", "none"; "unknown" for a number without a name.  Static.  Since 0.2. */
GPUTIDE_API const char* gputide_action_name(gputide_action action);

/* Caller-owned; nothing in it needs freeing.  Only struct_size is read, so one struct can be reused for every call.  It
 * is written only on failure.  Texts that are too long are cut on a UTF-8 boundary.  It never holds a secret. */
typedef struct gputide_error {
    uint32_t struct_size;
    gputide_status status;
    gputide_action action; /* GPUTIDE_ACTION_RETRY and _WAIT only if retryable is 1 */
    int32_t retryable;     /* 1: the same call may succeed later */
    int32_t http_status;   /* 0: there was no HTTP response */
    int32_t reserved;
    int64_t retry_at_ms;   /* 0: unknown */
    char service_code[64]; /* the server's own: AADSTS700024, bad_data, AuthorizationFailed */
    char where[128];       /* "so.yaml:17 spec.triggers[0].metadata.threshold", "trigger 0 (prometheus)" */
    char message[2048];    /* what was found, what is accepted, what to do */
    char detail[4096]; /* JSON: class and further details of the server (suberror, claims, trace_id); "" if too long */
} gputide_error;

/* Memory of the library, NUL-terminated beyond size_bytes.  Initialize it with {0}.  When it is filled again, its old
 * content is freed. */
typedef struct gputide_text {
    char* data;
    uint64_t size_bytes;
} gputide_text;

/* Overwrites and frees the bytes and empties the text.  NULL and an empty text are allowed.  Since 0.2. */
GPUTIDE_API void gputide_text_free(gputide_text* text);

/* ==================================================================================== 3 hooks, log, cancel, options */

typedef struct gputide_allocator {
    uint32_t struct_size;
    uint32_t reserved;
    void* (*allocate)(void* user_data, uint64_t size_bytes); /* returns NULL if there is no memory */
    void (*release)(void* user_data, void* memory);
    void* user_data;
} gputide_allocator;

/* Sets the allocator of gputide_text memory for the process.  Must be called before any other function of this
 * library.  NULL restores malloc and free.  Returns E_STATE if a text was handed out already.  Since 0.2. */
GPUTIDE_API gputide_status gputide_set_allocator(const gputide_allocator* allocator, gputide_error* err);

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

/* Sends each log line to sink->write.  Process-wide.  NULL: off (the default).  Returns the common statuses.
 * Since 0.2. */
GPUTIDE_API gputide_status gputide_set_log(const gputide_log_sink* sink, gputide_error* err);

/* Reads log lines by polling, for languages where a callback is inconvenient.  Each reader gets every line written
 * after it was opened.  It buffers up to 256 lines and drops the oldest on overflow. */
typedef struct gputide_log_reader gputide_log_reader;

/* Opens a log reader.  level: GPUTIDE_LOG_*, as for the sink.  Returns the common statuses.  Since 0.2. */
GPUTIDE_API gputide_status gputide_log_open(int32_t level, gputide_log_reader** out, gputide_error* err);

typedef struct gputide_cancel gputide_cancel;

/* Returns the next line.  Blocks for at most timeout_ms; 0: does not block; GPUTIDE_FOREVER: no limit.
 *   cancel, level   may be NULL.
 * Returns E_NO_DATA if there was no line in time, E_CANCELLED also after gputide_log_close.  Since 0.2. */
GPUTIDE_API gputide_status gputide_log_next(gputide_log_reader* reader, int32_t timeout_ms,
                                            const gputide_cancel* cancel, gputide_text* line, int32_t* level,
                                            gputide_error* err);

/* Ends the current and every later wait in gputide_log_next.  Any thread, also during a call.  May be repeated.  NULL
 * is allowed.  Since 0.2. */
GPUTIDE_API void gputide_log_close(gputide_log_reader* reader);

/* Frees the reader.  No call may be using it.  Since 0.2. */
GPUTIDE_API void gputide_log_free(gputide_log_reader* reader);

/* Creates a handle that ends blocking calls from another thread.  It may serve several calls.  Returns the common
 * statuses.  Since 0.2. */
GPUTIDE_API gputide_status gputide_cancel_new(gputide_cancel** out, gputide_error* err);

/* Ends the calls that use this handle, now and later, with GPUTIDE_E_CANCELLED.  Any thread, any time; not from a
 * signal handler.  Since 0.2. */
GPUTIDE_API void gputide_cancel_fire(const gputide_cancel* cancel);

/* Makes a fired handle usable again.  No call may be using it.  Since 0.2. */
GPUTIDE_API void gputide_cancel_reset(gputide_cancel* cancel);

/* Frees the handle.  No call may be using it.  Since 0.2. */
GPUTIDE_API void gputide_cancel_free(gputide_cancel* cancel);

/* An additional text: a TriggerAuthentication, Secret or ConfigMap in a file of its own. */
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
    /* Sends no credential to a server whose certificate is not verified: unsafeSsl with a credential is E_SECURITY. */
    GPUTIDE_VERIFIED_PEERS = 32,
    /* Sends tokens and signatures of the host's identities (podIdentity) also to a server with unsafeSsl.  Without this
     * flag that is E_SECURITY.  Credentials in the manifest are sent there as in KEDA. */
    GPUTIDE_ALLOW_UNVERIFIED_PEERS = 64
};

/* What the host program allows and knows.  A manifest cannot set any of it.  Any member may be 0 or NULL.  Lists are
 * comma-separated. */
typedef struct gputide_options {
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
    const char*
        secrets_dir;      /* DIR/<name>/<key> for secretTargetRef and configMapTargetRef; tokenFile must be below it */
    const char* ca_file;  /* PEM root certificates; replaces SSL_CERT_FILE, SSL_CERT_DIR and the system's */
    const char* ca_pem;   /* the same as text; has precedence over ca_file */
    int64_t ca_pem_bytes; /* GPUTIDE_TEXT: NUL-terminated */
    const char* proxy;    /* "http://proxy:3128" for everything except loopback and metadata services;
                                        "environment": HTTPS_PROXY, HTTP_PROXY, NO_PROXY; NULL: none */
    const char* user_agent;   /* NULL: "gputide/0.2.0" */
    const char* kubeconfig;   /* path; NULL: KUBECONFIG if that variable is allowed, else the pod's service account */
    const char* kube_context; /* a context of the kubeconfig; NULL: current-context */
    const char* service_account_dir; /* folder with token, ca.crt and namespace; NULL: where Kubernetes mounts it */
} gputide_options;

/* ======================================================================================================= 4 credential */

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
 * is the JSON that AWS' credential_process prints: a key and a session, which sign requests.  size_bytes may be
 * GPUTIDE_TEXT; options may be NULL.  Sends no request.
 * Returns E_LIMIT; E_INVALID names the key or the environment variable.  Since 0.2. */
GPUTIDE_API gputide_status gputide_credential_open(const char* text, int64_t size_bytes, const gputide_options* options,
                                                   gputide_credential** out, gputide_error* err);

/* Frees the credential.  Since 0.2. */
GPUTIDE_API void gputide_credential_free(gputide_credential* credential);

/* Returns a token for one scope ("https://prometheus.monitor.azure.com/.default").  Blocks; uses the cache when
 * possible.
 *   token          the bearer token.  It is a secret: do not log it.  gputide_text_free overwrites it.
 *   info, cancel   may be NULL.
 * Returns E_AUTH, _THROTTLED, _UNAVAILABLE, _NOT_HERE, _TIMEOUT, _CANCELLED, _REJECTED, _PROTOCOL, _SECURITY, _LIMIT.
 * Since 0.2. */
GPUTIDE_API gputide_status gputide_credential_token(const gputide_credential* credential, const char* scope,
                                                    int32_t timeout_ms, const gputide_cancel* cancel,
                                                    gputide_text* token, gputide_token_info* info, gputide_error* err);

/* Drops a token from the cache after a resource answered 401 to it.  Has no effect for a token that is no longer
 * cached.  A scope is renewed by force at most once in 30 s.  Returns the common statuses.  Since 0.2. */
GPUTIDE_API gputide_status gputide_credential_invalidate(const gputide_credential* credential, const char* scope,
                                                         const char* token, int64_t token_bytes, gputide_error* err);

/* Returns the identifying claims of a JWT as JSON (aud, iss, tid, appid, oid, sub, nbf, exp), never its signature.
 * Verifies nothing.  Returns E_PROTOCOL for a text that is not a JWT.  Since 0.2. */
GPUTIDE_API gputide_status gputide_token_claims(const char* token, int64_t token_bytes, gputide_text* json,
                                                gputide_error* err);

/* =========================================================================================================== 5 source */

/* Reads one metric: its address, its query, and the rule that makes one number of the response. */
typedef struct gputide_source gputide_source;

typedef int32_t gputide_sample_state;

/* Append-only. */
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

/* Returns "ok", "not_a_number", as in JSON; "unknown" for a number without a name.  Static.  Since 0.2. */
GPUTIDE_API const char* gputide_sample_state_name(gputide_sample_state state);

enum { GPUTIDE_SAMPLE_NULL_AS_ZERO = 1 }; /* empty, NaN or infinity, read as 0 because of ignoreNullValues */

/* One value, or the reason why there is none. */
typedef struct gputide_sample {
    uint32_t struct_size;
    gputide_sample_state state; /* GPUTIDE_SAMPLE_*; value is valid only with GPUTIDE_SAMPLE_OK */
    gputide_status status;      /* of the failed read; GPUTIDE_OK if state is OK */
    uint32_t flags;             /* GPUTIDE_SAMPLE_NULL_AS_ZERO */
    double value;               /* finite */
    int64_t time_ms;            /* time of the value; 0: unknown */
    const char* message;        /* in: why there is no value, for reports and conditions; may be NULL.  out: NULL */
} gputide_sample;

/* Opens a source from text: one entry of a ScaledObject's triggers.  The TriggerAuthentication that it names is in
 * options->files or in further documents of the text:
 *     type: prometheus
 *     metadata: { serverAddress: "https://...", query: "avg(DCGM_FI_DEV_GPU_UTIL)", threshold: "5" }
 * options may be NULL.  Sends nothing.  Returns E_LIMIT; E_INVALID names trigger, key, line and path.  Since 0.2. */
GPUTIDE_API gputide_status gputide_source_open(const char* text, int64_t size_bytes, const gputide_options* options,
                                               gputide_source** out, gputide_error* err);

/* Frees the source.  Since 0.2. */
GPUTIDE_API void gputide_source_free(gputide_source* source);

/* Reads one value.  Blocks.
 *   now_ms   evaluation time of the query.
 *   cancel   may be NULL; firing it from another thread ends the call with GPUTIDE_E_CANCELLED.
 * An empty response with ignoreNullValues (KEDA's default for prometheus) is value 0 with the flag
 * GPUTIDE_SAMPLE_NULL_AS_ZERO.  Returns any status of section 2 except E_NOT_FOUND.  Since 0.2. */
GPUTIDE_API gputide_status gputide_source_fetch(gputide_source* source, int64_t now_ms, int32_t timeout_ms,
                                                const gputide_cancel* cancel, gputide_sample* out, gputide_error* err);

/* A complete response: all series with their labels, and the warnings of the server. */
typedef struct gputide_samples gputide_samples;

/* Reads all series as gputide_source_fetch does, without reducing them to one number.  Several series and an empty
 * response are allowed.  Returns as gputide_source_fetch.  Since 0.2. */
GPUTIDE_API gputide_status gputide_source_fetch_all(gputide_source* source, int64_t now_ms, int32_t timeout_ms,
                                                    const gputide_cancel* cancel, gputide_samples** out,
                                                    gputide_error* err);

/* Returns the number of series; 0 for NULL.  Since 0.2. */
GPUTIDE_API uint32_t gputide_samples_count(const gputide_samples* samples);

/* Returns the newest point of one series.  Returns E_NOT_FOUND for an index beyond the count.  Since 0.2. */
GPUTIDE_API gputide_status gputide_samples_get(const gputide_samples* samples, uint32_t index, gputide_sample* out,
                                               gputide_error* err);

/* Returns labels as JSON: {"__name__":"DCGM_FI_DEV_GPU_UTIL","gpu":"0"}.  Valid as long as the handle.  NULL for an
 * index beyond the count.  Since 0.2. */
GPUTIDE_API const char* gputide_samples_labels(const gputide_samples* samples, uint32_t index);

/* Returns the whole response as JSON: result type, every point and histogram of every series, warnings, infos, partial.
 * Returns the common statuses.  Since 0.2. */
GPUTIDE_API gputide_status gputide_samples_describe(const gputide_samples* samples, gputide_text* json,
                                                    gputide_error* err);

/* Frees the samples.  Since 0.2. */
GPUTIDE_API void gputide_samples_free(gputide_samples* samples);

/* Returns the trigger as JSON: target, metric name, type, settings with every default, and warnings.  Holds no secret.
 * Returns the common statuses.  Since 0.2. */
GPUTIDE_API gputide_status gputide_source_describe(const gputide_source* source, gputide_text* json,
                                                   gputide_error* err);

/* Returns the request of this source as JSON {"method","url","headers","body"}, for a host with its own HTTP client.  A
 * cloud token is not included; get one from section 4.  Pure.
 * Returns E_NOT_HERE for a source that does not use HTTP, E_REJECTED.  Since 0.2. */
GPUTIDE_API gputide_status gputide_source_request(const gputide_source* source, int64_t now_ms, gputide_text* json,
                                                  gputide_error* err);

/* Reduces a response to one value by the trigger's rules, for a host with its own HTTP client.  Pure.  body_bytes may
 * be GPUTIDE_TEXT.  Returns as gputide_source_fetch, without waiting.  Since 0.2. */
GPUTIDE_API gputide_status gputide_source_parse(const gputide_source* source, int32_t http_status, const char* body,
                                                int64_t body_bytes, gputide_sample* out, gputide_error* err);

/* Parses a response without reducing it to one value.  Pure.
 *   headers   lines "Name: value" (Retry-After, Content-Type, ...), with LF or CRLF; may be NULL.
 * headers_bytes and body_bytes may be GPUTIDE_TEXT.  Returns as gputide_source_fetch, without waiting.  Since 0.2. */
GPUTIDE_API gputide_status gputide_source_parse_all(const gputide_source* source, int32_t http_status,
                                                    const char* headers, int64_t headers_bytes, const char* body,
                                                    int64_t body_bytes, gputide_samples** out, gputide_error* err);

/* Converts a Kubernetes quantity ("1500m", "2Ki", "0.1") to thousandths, rounded away from zero as Kubernetes does.
 * Returns E_LIMIT for a quantity that does not fit 64 bits.  Since 0.2. */
GPUTIDE_API gputide_status gputide_quantity(const char* text, int64_t size_bytes, int64_t* milli, gputide_error* err);

/* ================================================================================================= 6 policy and state */

/* The rules of a decision: bounds, thresholds, behavior, cooldown.  Immutable. */
typedef struct gputide_policy gputide_policy;

/* Compiles a ScaledObject or HorizontalPodAutoscaler, given as for gputide_scaler_open.  Opens no source: addresses and
 * credentials may be missing, thresholds must not be.  options may be NULL.
 * Returns E_AMBIGUOUS (several scalers and options->scaler names none), E_LIMIT.  Since 0.2. */
GPUTIDE_API gputide_status gputide_policy_open(const char* text, int64_t size_bytes, const gputide_options* options,
                                               gputide_policy** out, gputide_error* err);

/* Frees the policy.  Since 0.2. */
GPUTIDE_API void gputide_policy_free(gputide_policy* policy);

/* Returns the number of metrics of the policy.  gputide_observation.samples has one sample for each, in manifest
 * order.  0 for NULL.  Since 0.2. */
GPUTIDE_API uint32_t gputide_policy_metric_count(const gputide_policy* policy);

/* Returns the trigger's name, or "s0-prometheus" if the manifest gives none.  All JSON texts use this name.  Valid as
 * long as the handle.  NULL for an index beyond the count.  Since 0.2. */
GPUTIDE_API const char* gputide_policy_metric_name(const gputide_policy* policy, uint32_t index);

/* Returns the policy as JSON, with every default.  Returns the common statuses.  Since 0.2. */
GPUTIDE_API gputide_status gputide_policy_describe(const gputide_policy* policy, gputide_text* json,
                                                   gputide_error* err);

/* The memory of one scaler: activity, stabilization windows, scale events, failure counts. */
typedef struct gputide_state gputide_state;

/* Creates a state.  created_ms: the object's creationTimestamp, for initialCooldownPeriod; 0: the time of the first
 * decision.  Returns the common statuses.  Since 0.2. */
GPUTIDE_API gputide_status gputide_state_new(const gputide_policy* policy, int64_t created_ms, gputide_state** out,
                                             gputide_error* err);

/* Makes an independent copy.  A decision made before the copy can be recorded in both, a later one only in the state
 * that made it.  Returns the common statuses.  Since 0.2. */
GPUTIDE_API gputide_status gputide_state_clone(const gputide_state* state, gputide_state** out, gputide_error* err);

/* Frees the state.  Since 0.2. */
GPUTIDE_API void gputide_state_free(gputide_state* state);

/* Serializes the state for gputide_state_load: versioned, with a checksum.  Returns the common statuses.  Since 0.2. */
GPUTIDE_API gputide_status gputide_state_save(const gputide_policy* policy, const gputide_state* state,
                                              gputide_text* out, gputide_error* err);

/* Returns the state as JSON for people and other programs (docs/decision.md).  Returns the common statuses.  Since 0.2. */
GPUTIDE_API gputide_status gputide_state_describe(const gputide_policy* policy, const gputide_state* state,
                                                  gputide_text* json, gputide_error* err);

enum { GPUTIDE_STATE_UNCHECKED = 1 }; /* the text is from gputide_state_describe, without a checksum */

/* Loads a saved state, also of any older release.  The loaded state accepts the records of decisions made before it was
 * saved.
 *   flags   GPUTIDE_STATE_UNCHECKED or 0.  With it, missing members get their initial values, and no earlier decision
 *           can be recorded.
 * Returns E_STATE for a text that is damaged, foreign or newer, and for a policy with another number of metrics
 * (err->where is then "metrics").  A text is never loaded in part.  Since 0.2. */
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
    int32_t pod;           /* number in observation.pods, from 1; 0: a pod that is not listed */
    int64_t value_milli;   /* thousandths, as in Kubernetes; GPUTIDE_NO_VALUE: only the request is known */
    int64_t request_milli; /* Utilization: the pod's request; 0: no request */
    int64_t time_ms;       /* 0: now */
    int32_t window_s;      /* 0: 60 */
    int32_t reserved;
    const char* container; /* without request_milli: the first container without one, for messages; may be NULL */
} gputide_pod_sample;

enum {
    GPUTIDE_SEEN_STATUS = 1,      /* status_replicas is 0, not absent */
    GPUTIDE_SEEN_READY = 2,       /* ready_replicas is 0, not absent */
    GPUTIDE_SCALE_UNREADABLE = 4, /* the target's size could not be read; current_replicas is ignored */
    GPUTIDE_SEEN_PODS = 8         /* pods has all pods of the target; pod_count 0: the target has no pods */
};

/* The current facts of the target.  Everything is borrowed for the call.  Arrays with count 0 may be NULL. */
typedef struct gputide_observation {
    uint32_t struct_size;
    uint32_t flags; /* GPUTIDE_SEEN_*, GPUTIDE_SCALE_UNREADABLE */
    int64_t now_ms;
    int32_t current_replicas; /* the target's spec.replicas */
    int32_t status_replicas;  /* its status.replicas: pods that exist; 0 without flag: equal to current_replicas */
    int32_t ready_replicas;   /* ready pods; 0 without flag: equal to current_replicas */
    uint32_t sample_count;    /* number of metrics of the policy.  0 is allowed if no metric takes a sample: all are
                                 read from pods, GPUTIDE_SCALE_UNREADABLE is set, or a scaler fetches */
    const gputide_sample* samples; /* by the metric's index */
    const gputide_pod* pods;
    const gputide_pod_sample* pod_samples;
    uint32_t pod_count;
    uint32_t pod_sample_count;
    uint32_t sample_size; /* sizeof(gputide_sample) if samples is set; the next two likewise */
    uint32_t pod_size;
    uint32_t pod_sample_size;
    uint32_t reserved;
    const char* message; /* with GPUTIDE_SCALE_UNREADABLE: the reason, for conditions; may be NULL */
} gputide_observation;

/* What limited the decision.  Append-only. */
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
    GPUTIDE_LIMIT_FORECAST = 13 /* raised by gputide.io/forecast */
};

/* The half that made the decision; 0: no decision yet. */
enum { GPUTIDE_FROM_HPA = 1, GPUTIDE_FROM_EXECUTOR = 2 };

/* The event that KEDA would emit for the object.  Append-only. */
enum {
    GPUTIDE_NO_SCALE_EVENT = 0,
    GPUTIDE_ACTIVATED = 1,
    GPUTIDE_DEACTIVATED = 2,
    GPUTIDE_ACTIVATION_FAILED = 3,
    GPUTIDE_DEACTIVATION_FAILED = 4
};

/* Conditions as `kubectl describe` shows them; index into gputide_decision.conditions.  Append-only, up to
 * GPUTIDE_CONDITION_ROOM. */
enum {
    GPUTIDE_ABLE_TO_SCALE = 0,
    GPUTIDE_SCALING_ACTIVE = 1,
    GPUTIDE_SCALING_LIMITED = 2,
    GPUTIDE_SCALED_TO_ZERO = 3,
    GPUTIDE_CONDITION_READY = 4,
    GPUTIDE_CONDITION_ACTIVE = 5,
    GPUTIDE_CONDITION_FALLBACK = 6,
    GPUTIDE_CONDITION_PAUSED = 7,
    GPUTIDE_CONDITION_ROOM = 16 /* array size; conditions without a name yet are absent */
};

enum { GPUTIDE_ABSENT = 0, GPUTIDE_TRUE = 1, GPUTIDE_FALSE = 2, GPUTIDE_UNKNOWN = 3 };

/* Reason of a condition, as Kubernetes and KEDA name it (gputide_reason_name).  Append-only. */
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
    int64_t since_ms; /* time of the last change of truth */
} gputide_condition;

enum {
    GPUTIDE_DECIDED_ACTIVE = 1,   /* a trigger is active */
    GPUTIDE_DECIDED_ERROR = 2,    /* a trigger or metric failed without a fallback */
    GPUTIDE_DECIDED_EXECUTOR = 4, /* KEDA's half was due and ran */
    GPUTIDE_DECIDED_HPA = 8       /* the HPA's half was due and ran */
};

/* The result.  Write desired_replicas to the target if it differs from current_replicas, then record how the write
 * ended (gputide_state_record, gputide_scaler_record).  Scale events and cooldown follow recorded writes. */
typedef struct gputide_decision {
    uint32_t struct_size;
    uint32_t flags; /* GPUTIDE_DECIDED_* */
    uint64_t id;    /* id within its state, for the record; never 0, below 2^53 */
    int64_t now_ms;
    int64_t next_due_ms; /* Unix time of the next decision; earlier calls return GPUTIDE_LIMIT_NOT_DUE */
    int32_t current_replicas;
    int32_t desired_replicas;
    int32_t proposed_replicas; /* result of the metrics, before stabilization, limits and bounds */
    int32_t limited_by;        /* GPUTIDE_LIMIT_* */
    int32_t source;            /* GPUTIDE_FROM_* */
    int32_t winner;        /* index of the metric with the highest proposal; -1: none; -2: scalingModifiers' formula */
    int32_t failed_metric; /* the first that failed; values as for winner */
    int32_t event;         /* GPUTIDE_ACTIVATED, ... */
    gputide_condition conditions[GPUTIDE_CONDITION_ROOM];
    int32_t forecast_state; /* GPUTIDE_FORECAST_*; 0: the policy has no forecast */
    int32_t forecast_need;  /* replicas for the forecast load; -1: no forecast */
    const char* message;    /* in: why the write failed, for conditions; may be NULL.  NULL after every call */
} gputide_decision;

/* Returns the replica count that KEDA and the HPA would write.  Pure: no I/O, no clock, no lock; the time is
 * seen->now_ms.
 *   state   is updated: history, failure counts, activity.
 *   report  may be NULL (in steady state nothing is allocated then); otherwise the decision as one line of JSON with
 *           its conditions and trace (docs/decision.md).
 * Formulas and their sources: docs/semantics.md.  Example: threshold 5, 3 replicas, sample 42.5 → ceil(42.5 / 5) = 9.
 * Returns E_LIMIT for more samples than a manifest may have metrics; E_STATE for a state of a policy with another
 * number of metrics.  Since 0.2. */
GPUTIDE_API gputide_status gputide_decide(const gputide_policy* policy, gputide_state* state,
                                          const gputide_observation* seen, gputide_decision* out, gputide_text* report,
                                          gputide_error* err);

/* Decides from one value per metric, all read at now_ms.  NaN or an infinity: the metric has no value.  count must
 * equal gputide_policy_metric_count.  Returns as gputide_decide.  Since 0.2. */
GPUTIDE_API gputide_status gputide_decide_values(const gputide_policy* policy, gputide_state* state, int64_t now_ms,
                                                 int32_t current_replicas, const double* values, uint32_t count,
                                                 gputide_decision* out, gputide_error* err);

/* Records the result of writing decision->desired_replicas, once.  applied 1: it was written at now_ms; 0: the write
 * failed, for the reason in decision->message.  Updates decision (conditions, event).  A decision that needs no write
 * needs no record.
 * Returns E_STATE for a decision that was already recorded or that this state did not make.  Since 0.2. */
GPUTIDE_API gputide_status gputide_state_record(const gputide_policy* policy, gputide_state* state,
                                                gputide_decision* decision, int32_t applied, int64_t now_ms,
                                                gputide_error* err);

/* Return the names of the numbers above as JSON and Kubernetes spell them; "unknown" for others.  Static. */
GPUTIDE_API const char* gputide_limit_name(int32_t limit);         /* "scale_up_limit".  Since 0.2. */
GPUTIDE_API const char* gputide_condition_name(int32_t condition); /* "ScalingLimited".  Since 0.2. */
GPUTIDE_API const char* gputide_reason_name(int32_t reason);       /* "ScaleDownStabilized"; "" for none.  Since 0.2. */
GPUTIDE_API const char* gputide_event_name(int32_t event); /* "KEDAScaleTargetActivated"; "" for none.  Since 0.2. */

/* Formats a report as lines for people: conditions, then the trace step by step.
 * Returns the common statuses: E_INVALID for a text that is not a report.  Since 0.2. */
GPUTIDE_API gputide_status gputide_trace_render(const char* report, int64_t size_bytes, gputide_text* lines,
                                                gputide_error* err);

/* =========================================================================================================== 8 scaler */

/* Checks a manifest without opening anything.  Uses no network.
 *   report   JSON with the scalers and the findings; also written with E_INVALID, and with E_LIMIT for a finding.
 *   lines    may be NULL; the findings in the form of compiler messages; written in the same cases.
 * Returns E_LIMIT; E_INVALID if a finding is an error, GPUTIDE_OK if all are warnings.  Since 0.2. */
GPUTIDE_API gputide_status gputide_manifest_check(const char* manifest, int64_t size_bytes,
                                                  const gputide_options* options, gputide_text* report,
                                                  gputide_text* lines, gputide_error* err);

/* One ScaledObject or HorizontalPodAutoscaler at work: sources, credentials, policy, state.  (KEDA calls a source a
 * scaler.) */
typedef struct gputide_scaler gputide_scaler;

/* Opens a scaler.  manifest: YAML (several documents) or JSON.  size_bytes may be GPUTIDE_TEXT; options may be NULL.
 * Sends nothing.  Returns E_AMBIGUOUS (the text holds several scalers and options->scaler names none), E_LIMIT,
 * E_UNAVAILABLE; E_INVALID names file, line and path.  Since 0.2. */
GPUTIDE_API gputide_status gputide_scaler_open(const char* manifest, int64_t size_bytes, const gputide_options* options,
                                               gputide_scaler** out, gputide_error* err);

/* Frees the scaler.  Since 0.2. */
GPUTIDE_API void gputide_scaler_free(gputide_scaler* scaler);

/* Returns as gputide_policy_metric_count.  Since 0.2. */
GPUTIDE_API uint32_t gputide_scaler_metric_count(const gputide_scaler* scaler);

/* Returns as gputide_policy_metric_name.  Since 0.2. */
GPUTIDE_API const char* gputide_scaler_metric_name(const gputide_scaler* scaler, uint32_t index);

/* Fetches every trigger that is due, and decides.  Blocks.
 *   seen            seen->samples: values of triggers of type values, by index.  A sample for a metric that is read by
 *                   a source is E_INVALID.
 *   cancel, report  may be NULL; report as for gputide_decide.
 * A failed trigger does not fail the call.  The decision is what KEDA and the HPA do then (flag GPUTIDE_DECIDED_ERROR),
 * and gputide_scaler_metrics returns each error.  Returns E_CANCELLED, E_LIMIT.  Since 0.2. */
GPUTIDE_API gputide_status gputide_scaler_tick(gputide_scaler* scaler, const gputide_observation* seen,
                                               int32_t timeout_ms, const gputide_cancel* cancel, gputide_decision* out,
                                               gputide_text* report, gputide_error* err);

/* Does the first half of a tick: returns one sample per metric.  A failed read is a sample with its state and status.
 * Blocks.
 *   sample_size     sizeof(gputide_sample).
 *   capacity        elements of samples; fewer than the metrics: E_INVALID.
 *   cancel, count   may be NULL; count: the number of samples written.
 * Returns E_CANCELLED.  Since 0.2. */
GPUTIDE_API gputide_status gputide_scaler_fetch(gputide_scaler* scaler, int64_t now_ms, int32_t timeout_ms,
                                                const gputide_cancel* cancel, gputide_sample* samples,
                                                uint32_t sample_size, uint32_t capacity, uint32_t* count,
                                                gputide_error* err);

/* Does the second half of a tick, on the scaler's own state.  seen->samples: as gputide_scaler_fetch wrote them.
 * Returns as gputide_decide.  Since 0.2. */
GPUTIDE_API gputide_status gputide_scaler_decide(gputide_scaler* scaler, const gputide_observation* seen,
                                                 gputide_decision* out, gputide_text* report, gputide_error* err);

/* Records as gputide_state_record.  Returns E_STATE in the same cases.  Since 0.2. */
GPUTIDE_API gputide_status gputide_scaler_record(gputide_scaler* scaler, gputide_decision* decision, int32_t applied,
                                                 int64_t now_ms, gputide_error* err);

/* Returns a JSON array of the conditions {type, status, reason, message, since}.  Returns the common statuses.
 * Since 0.2. */
GPUTIDE_API gputide_status gputide_scaler_conditions(const gputide_scaler* scaler, gputide_text* json,
                                                     gputide_error* err);

/* Returns a JSON array with one object per metric: last value, its age, state, latency, and the error of a failed read.
 * Returns the common statuses.  Since 0.2. */
GPUTIDE_API gputide_status gputide_scaler_metrics(const gputide_scaler* scaler, gputide_text* json, gputide_error* err);

/* Returns as gputide_policy_describe.  Returns the common statuses.  Since 0.2. */
GPUTIDE_API gputide_status gputide_scaler_describe(const gputide_scaler* scaler, gputide_text* json,
                                                   gputide_error* err);

/* Serializes the scaler's state as gputide_state_save does.  Returns the common statuses.  Since 0.2. */
GPUTIDE_API gputide_status gputide_scaler_save(const gputide_scaler* scaler, gputide_text* out, gputide_error* err);

/* Replaces the scaler's state as gputide_state_load does without flags.  Returns E_STATE in the same cases.  Since 0.2. */
GPUTIDE_API gputide_status gputide_scaler_load(gputide_scaler* scaler, const char* text, int64_t size_bytes,
                                               gputide_error* err);

/* Tests the triggers of a manifest step by step: environment, token file, authority, token, endpoint, query, series,
 * age, value, activation.  A trigger's test ends at its first failed step, with the likely cause and the fix.  Then
 * follows the decision, and what limits it.  Blocks.  Reads the network, the environment and token files as the
 * triggers do.  Writes nothing.
 *   options, cancel  may be NULL, as for gputide_scaler_open.
 *   seen     current size, and samples of triggers of type values; NULL: the manifest's minimum, now.
 *   report   JSON with a verdict (ok, warning, failed) for each step (docs/doctor.md).
 *   lines    may be NULL; the same for people, the conclusion first.
 * A failed step does not fail the call.  Returns E_AMBIGUOUS, E_LIMIT, E_CANCELLED, E_UNAVAILABLE; E_INVALID for a
 * manifest that cannot be read.  Since 0.2. */
GPUTIDE_API gputide_status gputide_doctor(const char* manifest, int64_t size_bytes, const gputide_options* options,
                                          const gputide_observation* seen, int32_t timeout_ms,
                                          const gputide_cancel* cancel, gputide_text* report, gputide_text* lines,
                                          gputide_error* err);

/* =========================================================================================================== 9 runtime */

/* Many scalers in one process, polled at their intervals over shared connections and tokens.  Decisions arrive as
 * events.  A runtime is driven in one of three ways:
 *   gputide_runtime_start    a thread of the runtime (all signals blocked in it), until _stop or _close
 *   gputide_runtime_step     by the host and its clock, at the time that the last step returned or earlier; an event
 *                            loop waits for gputide_runtime_wake_fd
 *   neither                  gputide_runtime_next_event drives while it waits
 * Every function of this section except _free may be called from any thread and at the same time as others.  None
 * blocks unless its comment says so.  After _close every function except _close and _free returns E_STATE.  Close the
 * runtime before the process exits. docs/runtime.md has the limits and measurements. */
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
    uint32_t flags;            /* GPUTIDE_RUNTIME_* */
    uint64_t seed;             /* of the random start offsets */
    int32_t poll_timeout_ms;   /* deadline of one poll: tokens, queries, retries; 0: 10,000 */
    int32_t start_spread_ms;   /* first polls are spread over this time; 0: over the scaler's shorter period */
    int32_t share_window_ms;   /* a response is reused for equal queries for this time; 0: 5,000 */
    int32_t most_in_flight;    /* maximum of concurrent requests; 0: 1,024 */
    int32_t most_per_endpoint; /* the same for one scheme, host and port; 0: 64 */
    int32_t breaker_failures;  /* consecutive failures that open an endpoint's circuit breaker; 0: 5 */
    int32_t breaker_base_ms;   /* first time that the circuit stays open; doubles with each failed trial; 0: 1,000 */
    int32_t breaker_cap_ms;    /* maximum of that time, at least breaker_base_ms; 0: 60,000 */
    int32_t gather_ms;         /* polls due within this time run together; 0: 100; 1: practically off; at most 1,000 */
    int32_t reserved;
} gputide_runtime_options;

/* Creates a runtime.  options may be NULL.  Sends nothing and starts no thread.  Returns E_UNAVAILABLE (no file
 * descriptor available).  Since 0.2. */
GPUTIDE_API gputide_status gputide_runtime_new(const gputide_runtime_options* options, gputide_runtime** out,
                                               gputide_error* err);

/* Shuts the runtime down permanently.  Blocks for at most timeout_ms; 0: starts the shutdown and returns;
 * GPUTIDE_FOREVER.  Other calls are refused from then on.  Calls in progress end soon, a wait in _next_event with
 * GPUTIDE_E_CANCELLED.  The thread ends; requests under way are abandoned.  Save the scalers' states before.  May be
 * repeated, also by several threads at once.
 * Returns E_TIMEOUT while a call or the thread is still in progress: call again.  Since 0.2. */
GPUTIDE_API gputide_status gputide_runtime_close(gputide_runtime* runtime, int32_t timeout_ms, gputide_error* err);

/* Frees the runtime.  No other call may be in progress.  Returns at once after gputide_runtime_close; otherwise it
 * waits for the thread.  NULL is allowed.  Does nothing in a child of fork.  Since 0.2. */
GPUTIDE_API void gputide_runtime_free(gputide_runtime* runtime);

/* Adds a scaler.  It is polled from the first observation on, with GPUTIDE_RUNTIME_OBSERVE_FIRST at once.
 *   manifest, size_bytes, options   as for gputide_scaler_open.
 *   tag   any value of the host for this scaler; returned in each event.
 *   id    number of the scaler in this runtime, never 0 and never reused; may be NULL.
 * Returns E_AMBIGUOUS, E_LIMIT; E_INVALID also for a name ("namespace/name") that exists.  Since 0.2. */
GPUTIDE_API gputide_status gputide_runtime_add(gputide_runtime* runtime, const char* manifest, int64_t size_bytes,
                                               const gputide_options* options, uint64_t tag, uint64_t* id,
                                               gputide_error* err);

/* Replaces the manifest of a scaler with the same name.  Observation, pushed samples and schedule are kept, the state
 * if it fits.  A pending event is dropped.
 *   tag   may be NULL: unchanged.
 * Returns E_NOT_FOUND, E_AMBIGUOUS, E_LIMIT; the scaler then continues unchanged.  Since 0.2. */
GPUTIDE_API gputide_status gputide_runtime_replace(gputide_runtime* runtime, uint64_t id, const char* manifest,
                                                   int64_t size_bytes, const gputide_options* options,
                                                   const uint64_t* tag, gputide_error* err);

/* Removes a scaler, its requests and its pending event.  Returns E_NOT_FOUND.  Since 0.2. */
GPUTIDE_API gputide_status gputide_runtime_remove(gputide_runtime* runtime, uint64_t id, gputide_error* err);

/* Returns the id of "namespace/name".  Returns E_NOT_FOUND.  Since 0.2. */
GPUTIDE_API gputide_status gputide_runtime_find(gputide_runtime* runtime, const char* name, uint64_t* id,
                                                gputide_error* err);

/* Iterates over scaler ids: returns the id that follows after_id, in no particular order; after_id 0: the first.  A
 * scaler present during the whole iteration is returned exactly once.  after_id may have been removed.
 * Returns E_NOT_FOUND after the last one.  Since 0.2. */
GPUTIDE_API gputide_status gputide_runtime_next_scaler(gputide_runtime* runtime, uint64_t after_id, uint64_t* id,
                                                       gputide_error* err);

/* Sets the current facts of a scaler's target.  They are copied and used until the next observation.  The first
 * observation starts the polling.  Observe again when the size changed by anything other than _record, and before a
 * decision should rely on it.
 *   seen   seen->samples may be empty, or as for gputide_runtime_push; the metric of a pod sample must be one of the
 *          policy's.
 * Returns E_NOT_FOUND.  Since 0.2. */
GPUTIDE_API gputide_status gputide_runtime_observe(gputide_runtime* runtime, uint64_t id,
                                                   const gputide_observation* seen, gputide_error* err);

/* Sets values of metrics that the host provides (triggers of type values, metrics of an HPA without a source), without
 * an observation.  They are copied and used by the next polls until others are pushed.  Polling starts with the first
 * observation.
 *   samples       one per metric of the policy, by the metric's index; GPUTIDE_SAMPLE_NOT_GIVEN keeps the previous
 *                 value.
 *   sample_size   sizeof(gputide_sample).
 *   count         the number of the policy's metrics.
 * Returns E_NOT_FOUND; E_INVALID also if a sample's metric is read by a source.  Since 0.2. */
GPUTIDE_API gputide_status gputide_runtime_push(gputide_runtime* runtime, uint64_t id, const gputide_sample* samples,
                                                uint32_t sample_size, uint32_t count, gputide_error* err);

/* DUE: with GPUTIDE_RUNTIME_OBSERVE_FIRST a poll is due and waits for gputide_runtime_observe, without a time limit.
 * Decision and report are empty.
 * CLUSTER: an event of an attached cluster (section 16): a write and its end, leadership, a blocked scaler, a difference.
 * The report is JSON (docs/json.md, cluster_event); the decision is empty.  Append-only. */
enum { GPUTIDE_EVENT_DECISION = 1, GPUTIDE_EVENT_DUE = 2, GPUTIDE_EVENT_CLUSTER = 3 };

typedef struct gputide_event {
    uint32_t struct_size;
    int32_t kind;        /* GPUTIDE_EVENT_* */
    uint64_t id;         /* of the scaler */
    uint64_t tag;        /* as given to _add or _replace */
    uint64_t sequence;   /* 1, 2, 3, ... in the order in which events are returned */
    int64_t observed_ms; /* time of the observation behind the decision: seen->now_ms, or now_ms of a record */
    uint32_t replaced;   /* number of this scaler's earlier decisions that this event replaces */
    uint32_t reserved;
    char name[328]; /* "namespace/name" */
} gputide_event;

/* Returns "decision", "due", "cluster"; "unknown" for a number without a name.  Static.  Since 0.2. */
GPUTIDE_API const char* gputide_event_kind_name(int32_t kind);

/* Returns the next event: a write is wanted, or a decision differs from the scaler's previous one (or each decision,
 * with GPUTIDE_RUNTIME_EVERY_DECISION).  A scaler has at most one pending event, with its newest decision, so events
 * cannot pile up.  Blocks for at most timeout_ms; 0: does not block; GPUTIDE_FOREVER.  If no thread drives the runtime,
 * this call drives it by the system clock while it waits.
 *   cancel     may be NULL.
 *   decision   may be NULL; act on it and record the write.  GPUTIDE_EVENT_DUE and _CLUSTER have none.
 *   report     may be NULL; emptied, then filled with GPUTIDE_RUNTIME_REPORTS or for GPUTIDE_EVENT_CLUSTER.
 * Returns E_NO_DATA if there was no event in time, E_CANCELLED also when the runtime is closed.  After a failure the
 * event, if there was one, is still pending.  Since 0.2. */
GPUTIDE_API gputide_status gputide_runtime_next_event(gputide_runtime* runtime, int32_t timeout_ms,
                                                      const gputide_cancel* cancel, gputide_event* event,
                                                      gputide_decision* decision, gputide_text* report,
                                                      gputide_error* err);

/* Records the result of the write that an event's decision asked for, once.  applied 1: decision->desired_replicas was
 * written at now_ms and is the current size from now on; 0: the write failed.  Updates decision (conditions, event).  A
 * decision that needs no write needs no record.  The last four writes of a scaler can be recorded, and after _load one
 * that the loaded state still expects.  A record settles all earlier ones.
 * Returns E_NOT_FOUND; E_STATE for a decision that no event of this scaler carried, or that is recorded or settled.
 * Since 0.2. */
GPUTIDE_API gputide_status gputide_runtime_record(gputide_runtime* runtime, uint64_t id, gputide_decision* decision,
                                                  int32_t applied, int64_t now_ms, gputide_error* err);

/* Serializes a scaler's state as gputide_state_save does.  Returns E_NOT_FOUND.  Since 0.2. */
GPUTIDE_API gputide_status gputide_runtime_save(gputide_runtime* runtime, uint64_t id, gputide_text* out,
                                                gputide_error* err);

/* Replaces a scaler's state as gputide_state_load does without flags.  Returns E_NOT_FOUND; E_STATE in the same cases.
 * Since 0.2. */
GPUTIDE_API gputide_status gputide_runtime_load(gputide_runtime* runtime, uint64_t id, const char* text,
                                                int64_t size_bytes, gputide_error* err);

/* Returns one scaler as JSON: settings, observation, last decision (as in the report of gputide_decide, without a
 * trace) and metrics (as gputide_scaler_metrics).  Returns E_NOT_FOUND.  Since 0.2. */
GPUTIDE_API gputide_status gputide_runtime_describe(gputide_runtime* runtime, uint64_t id, gputide_text* json,
                                                    gputide_error* err);

/* Returns counters of the runtime as JSON (docs/runtime.md): poll lag, polls, errors by reason, shared queries,
 * requests in flight, queues, endpoints with their circuit breakers.  Returns the common statuses.  Since 0.2. */
GPUTIDE_API gputide_status gputide_runtime_stats(gputide_runtime* runtime, gputide_text* json, gputide_error* err);

/* Starts the runtime's thread.  Returns E_STATE if it is running or the host is driving the runtime; E_UNAVAILABLE (no
 * thread available).  Since 0.2. */
GPUTIDE_API gputide_status gputide_runtime_start(gputide_runtime* runtime, gputide_error* err);

/* Stops the runtime's thread.  Blocks for at most timeout_ms; 0: starts to stop it and returns; GPUTIDE_FOREVER.  Polls
 * under way are abandoned and start again when the runtime is driven next.  Scalers and events are kept, and the thread
 * may be started again.  GPUTIDE_OK without a thread.  Returns E_TIMEOUT while it is still stopping: call again.
 * Since 0.2. */
GPUTIDE_API gputide_status gputide_runtime_stop(gputide_runtime* runtime, int32_t timeout_ms, gputide_error* err);

/* Runs everything that is due at now_ms and processes network input, without waiting.
 *   now_ms    time of the host's clock.  It may jump: a jump back moves no poll; after a jump forward or a stall,
 *             missed polls run once, as spread out as they were.
 *   next_ms   may be NULL; latest time of the next call; INT64_MAX: when something was changed.
 * Returns E_STATE while the runtime's thread or another call drives it.  Since 0.2. */
GPUTIDE_API gputide_status gputide_runtime_step(gputide_runtime* runtime, int64_t now_ms, int64_t* next_ms,
                                                gputide_error* err);

/* Returns a descriptor for poll or epoll.  It is readable while an event is pending, while _step should be called
 * (unless the runtime's thread drives), and permanently after _close.  It belongs to the runtime until _free: do not
 * read or close it.
 * Returns E_UNAVAILABLE (no file descriptor available).  Since 0.2. */
GPUTIDE_API gputide_status gputide_runtime_wake_fd(gputide_runtime* runtime, int32_t* fd, gputide_error* err);

/* ========================================================================================================== 10 replay */

/* Replays a manifest over recorded metrics, with the same decision code and the clock as a parameter.
 * Models, settings and members of the report: docs/replay.md. */

/* Recorded values of each metric over time, and the workload's size if it is known.  At most 20 million points.
 * Unordered points, duplicates, gaps and NaN are accepted and counted. */
typedef struct gputide_series gputide_series;

/* Creates an empty series.  Returns the common statuses.  Since 0.2. */
GPUTIDE_API gputide_status gputide_series_new(gputide_series** out, gputide_error* err);

/* Frees the series.  Since 0.2. */
GPUTIDE_API void gputide_series_free(gputide_series* series);

/* Adds points of one metric, in any order.  NaN or an infinity is a point without a value.
 * Returns E_LIMIT; E_INVALID also for a time outside 1970 to 9999.  Since 0.2. */
GPUTIDE_API gputide_status gputide_series_add(gputide_series* series, uint32_t metric, const int64_t* times_ms,
                                              const double* values, uint64_t count, gputide_error* err);

/* Adds the workload's replica counts at the time of recording.  A closed loop needs them.  Returns as
 * gputide_series_add.  Since 0.2. */
GPUTIDE_API gputide_status gputide_series_add_replicas(gputide_series* series, const int64_t* times_ms,
                                                       const int32_t* replicas, uint64_t count, gputide_error* err);

/* Adds the content of a text, from `metric` on.  The format is detected: CSV (time,value[,value...][,replicas]), a
 * saved response of Prometheus' query_range with one series, or the log of `gputided run`.
 *   metric   GPUTIDE_NO_METRIC: only the replica counts, and the decisions of a run log.
 *   scaler   of a run log with several: "namespace/name"; NULL: the first one.
 * Returns E_LIMIT, E_AMBIGUOUS (several series), E_PROTOCOL (JSON of another kind), E_NO_DATA; E_INVALID with the
 * line.  Since 0.2. */
GPUTIDE_API gputide_status gputide_series_read(gputide_series* series, uint32_t metric, const char* text,
                                               int64_t size_bytes, const char* scaler, gputide_error* err);

/* Adds the past of one metric from its source: one query_range, both ends included, at most 11,000 steps.  Blocks.  The
 * trigger's rules reduce each step to one value.  cancel may be NULL.
 * Returns E_NOT_HERE for a source without a history, E_NOT_FOUND for an index beyond the metrics, and what gputide_source_fetch
 * returns.  Since 0.2. */
GPUTIDE_API gputide_status gputide_series_fetch(gputide_series* series, gputide_scaler* scaler, uint32_t metric,
                                                int64_t start_ms, int64_t end_ms, int64_t step_ms, int32_t timeout_ms,
                                                const gputide_cancel* cancel, gputide_error* err);

/* Returns the series as CSV for gputide_series_read, without the decisions of a run log.  Returns the common statuses.
 * Since 0.2. */
GPUTIDE_API gputide_status gputide_series_write(gputide_series* series, gputide_text* csv, gputide_error* err);

/* Returns JSON: points, from, to, gaps, duplicates and others.  Returns E_NO_DATA for a series without a point.
 * Since 0.2. */
GPUTIDE_API gputide_status gputide_series_describe(gputide_series* series, gputide_text* json, gputide_error* err);

/* One replay: a manifest's policy, a model, and the sums so far.  Its memory does not grow with the length of the
 * series. */
typedef struct gputide_replay gputide_replay;

/* Opens a replay.  manifest and options as for gputide_policy_open.
 *   settings   JSON, may be NULL:
 *              {"model":"closed","signal":"utilization","startup_ms":[90000],"set":{"threshold":60}}; every member and
 *              its default: docs/replay.md.
 * Returns E_AMBIGUOUS, E_LIMIT; E_INVALID with the wrong member.  Since 0.2. */
GPUTIDE_API gputide_status gputide_replay_open(const char* manifest, int64_t size_bytes, const gputide_options* options,
                                               const char* settings, int64_t settings_bytes, gputide_replay** out,
                                               gputide_error* err);

/* Frees the replay.  Since 0.2. */
GPUTIDE_API void gputide_replay_free(gputide_replay* replay);

/* Replays a whole series, once.  Several replays may use one series at the same time, after gputide_series_describe was
 * called on it.  Has no timeout; cancel may be NULL.
 * Returns E_NO_DATA, E_LIMIT, E_CANCELLED; E_STATE for a replay that has run or was reported on.  Since 0.2. */
GPUTIDE_API gputide_status gputide_replay_run(gputide_replay* replay, const gputide_series* series,
                                              const gputide_cancel* cancel, gputide_error* err);

/* Replays one moment, for series of any length: the recorded values at time_ms, which must not go back.  Decisions that
 * were due before it are made first.
 *   samples    one per metric; GPUTIDE_SAMPLE_NOT_GIVEN: unchanged.  sample_size: sizeof(gputide_sample).
 *   replicas   recorded size of the workload; -1: unchanged.
 *   last       may be NULL; the last decision so far (source 0 before the first).
 * Returns E_LIMIT (a gap of more than 50 million steps); E_STATE after gputide_replay_run or _report.  Since 0.2. */
GPUTIDE_API gputide_status gputide_replay_record(gputide_replay* replay, int64_t time_ms, const gputide_sample* samples,
                                                 uint32_t sample_size, uint32_t sample_count, int32_t replicas,
                                                 gputide_decision* last, gputide_error* err);

/* Returns the result as JSON and ends the replay: nothing can be run or recorded after it.  Returns the common
 * statuses.  Since 0.2. */
GPUTIDE_API gputide_status gputide_replay_report(gputide_replay* replay, gputide_text* json, gputide_error* err);

/* ========================================================================================= 11 one symbol for plugins */

/* A table of the functions above, for a host that loads the library with dlopen and looks up one symbol
 * (gputide_table.h).  Append-only: check struct_size before using a member that a later release added. */
typedef struct gputide_api_table gputide_api_table;

/* Returns the table for the ABI that the caller was built for (GPUTIDE_ABI_VERSION).  Static.  NULL with the reason in
 * err (GPUTIDE_E_TOO_NEW) for an ABI that this library does not serve; err may be NULL.  Since 0.2. */
GPUTIDE_API const gputide_api_table* gputide_api(uint32_t abi_version, gputide_error* err);

/* ======================================================================================================== 12 forecast */

/* Forecasts the load one start-up time ahead, for a host with its own control loop.  (In a manifest,
 * gputide.io/forecast does all of this.) It learns from one value per pass, the total load to serve.  It compares its
 * error with that of the forecast "nothing changes", and returns a floor for the size that the host computed.  Each
 * pass: _step, decide, _ask, write the size, _book.
 * Rules, figures and limits: docs/forecast.md.  At most 16 KiB each; no pass allocates. */
typedef struct gputide_forecast gputide_forecast;

/* State of a forecast.  Append-only. */
enum {
    GPUTIDE_FORECAST_WARMING = 1, /* too few scores */
    GPUTIDE_FORECAST_OFF = 2,     /* not better than the last value */
    GPUTIDE_FORECAST_SPENT = 3,   /* the budget is spent */
    GPUTIDE_FORECAST_ON = 4
};

/* Result of a floor.  Append-only. */
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
    double floor_load; /* the forecast load; NaN: no floor */
} gputide_floor;

/* Opens a forecast.
 *   settings   JSON, may be NULL: {"lead_ms":300000,"budget_percent":5,"mode":"act"}; every member and its default:
 *              docs/json.md (forecast_describe, settings).
 * Returns E_LIMIT; E_INVALID with the wrong member in where.  Since 0.2. */
GPUTIDE_API gputide_status gputide_forecast_open(const char* settings, int64_t size_bytes, gputide_forecast** out,
                                                 gputide_error* err);

/* Frees the forecast.  Since 0.2. */
GPUTIDE_API void gputide_forecast_free(gputide_forecast* forecast);

/* Adds the load of a pass at now_ms.  NaN, an infinity or a negative number: the load could not be read.  A time in a
 * slot that has ended is ignored and counted; a time far back means that the clock was set.  Returns the common
 * statuses.  Since 0.2. */
GPUTIDE_API gputide_status gputide_forecast_step(gputide_forecast* forecast, int64_t now_ms, double load,
                                                 gputide_error* err);

/* Returns the floor for the size that this pass computed.
 *   target              load that one replica takes, more than 0.
 *   reactive_replicas   the size without the forecast, before rate limits and bounds; at least 0, as the next two.
 *   current_replicas    0: the workload is off and stays off.
 *   max_replicas        upper bound of the floor.
 * Example: floor load 117.39, target 10, reactive 10, max 40 → 12.  Returns the common statuses.  Since 0.2. */
GPUTIDE_API gputide_status gputide_forecast_ask(const gputide_forecast* forecast, double target,
                                                int32_t reactive_replicas, int32_t current_replicas,
                                                int32_t max_replicas, gputide_floor* out, gputide_error* err);

/* Charges the budget: the size that was written, and the size that the same rules without the forecast would have
 * written (their own history and size).  Once per pass, after _ask; both at least 0.
 * Returns the common statuses.  Since 0.2. */
GPUTIDE_API gputide_status gputide_forecast_book(gputide_forecast* forecast, int32_t written_replicas,
                                                 int32_t shadow_replicas, gputide_error* err);

/* Returns forecast, accuracy and cost as JSON.  Returns the common statuses.  Since 0.2. */
GPUTIDE_API gputide_status gputide_forecast_describe(const gputide_forecast* forecast, gputide_text* json,
                                                     gputide_error* err);

/* Serializes the forecast for gputide_forecast_load, at most 28 KiB: versioned, with a checksum.  Returns the common
 * statuses.  Since 0.2. */
GPUTIDE_API gputide_status gputide_forecast_save(const gputide_forecast* forecast, gputide_text* out,
                                                 gputide_error* err);

/* Restores a saved forecast.  With another lead, patterns and budget are kept and the rest is learned again; with
 * another slot everything is.  Returns E_STATE for a text that is damaged, foreign or newer; nothing is changed then.
 * Since 0.2. */
GPUTIDE_API gputide_status gputide_forecast_load(gputide_forecast* forecast, const char* text, int64_t size_bytes,
                                                 gputide_error* err);

/* Return the names of the numbers above as JSON spells them; "unknown" for others.  Static. */
GPUTIDE_API const char* gputide_forecast_state_name(int32_t state); /* "warming".  Since 0.2. */
GPUTIDE_API const char* gputide_floor_reason_name(int32_t reason);  /* "within_reactive".  Since 0.2. */

/* =========================================================================================================== 13 nodes */

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
 * Returns E_STATE for a text that is not a state; E_INVALID if nothing could be read.  Since 0.2. */
GPUTIDE_API gputide_status gputide_nodes_plan(const char* text, int64_t size_bytes, const char* state,
                                              int64_t state_bytes, int64_t now_ms, gputide_nodes_summary* summary,
                                              gputide_text* json, gputide_text* next_state, gputide_error* err);

/* ====================================================================================================== 14 rightsize */

/* Recommends a size for a GPU workload from samples of its GPUs: number of GPUs, MIG profile, machine, or several
 * replicas per GPU, with evidence and cost.  No I/O and no clock.  A sample allocates only for a new GPU or a new range
 * of values.
 * Rules and settings: docs/rightsizing.md. */
typedef struct gputide_rightsize gputide_rightsize;

/* Opens it from text, YAML or JSON: settings of this library (a document without a kind), a GpuCatalogue, a
 * VerticalPodAutoscaler, each at most once, also in options->files:
 *     {"sku": "Standard_NC24ads_A100_v4", "gpus": 1, "prices": {"Standard_NC24ads_A100_v4": 3.67}}
 * size_bytes may be GPUTIDE_TEXT; options may be NULL.  Returns E_LIMIT; E_INVALID names the member, its line and
 * path.  Since 0.2. */
GPUTIDE_API gputide_status gputide_rightsize_open(const char* settings, int64_t size_bytes,
                                                  const gputide_options* options, gputide_rightsize** out,
                                                  gputide_error* err);

/* Frees it.  Since 0.2. */
GPUTIDE_API void gputide_rightsize_free(gputide_rightsize* rightsize);

/* Returns the settings as JSON with every default, and warnings.  Returns the common statuses.  Since 0.2. */
GPUTIDE_API gputide_status gputide_rightsize_describe(const gputide_rightsize* rightsize, gputide_text* json,
                                                      gputide_error* err);

/* Returns the number of the named container, from 1, and creates it if it is new.  Containers have separate histograms
 * and the same settings; at most a million.  Returns E_LIMIT.  Since 0.2. */
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
 *   taken         may be NULL; the number of counted samples.  Negative values, NaN, infinities and samples older than
 *                 the unit's last (for busy: as old as) are not counted and are not an error.
 * Returns E_NOT_FOUND for an unknown container number.  With E_NO_MEMORY some samples may have been added.  Since 0.2. */
GPUTIDE_API gputide_status gputide_rightsize_add(gputide_rightsize* rightsize, const gputide_usage_sample* samples,
                                                 uint32_t sample_size, uint32_t count, uint32_t* taken,
                                                 gputide_error* err);

/* Returns the recommendation for one container as JSON: verdict (change, keep, hold, nothing, report), recommendation
 * and runner-up, every percentile before and after margin, confidence and caps, cost, and a sentence.
 *   container   as in a sample.
 * Returns E_NOT_FOUND.  Since 0.2. */
GPUTIDE_API gputide_status gputide_rightsize_recommend(const gputide_rightsize* rightsize, uint32_t container,
                                                       int64_t now_ms, gputide_text* json, gputide_error* err);

/* Returns machines, MIG profile and sharing for a known need as JSON, the best choice first.
 *   memory_bytes   of each GPU, margin included.
 *   util_percent   of each GPU, margin included; at least 0.
 * Returns the common statuses.  Since 0.2. */
GPUTIDE_API gputide_status gputide_rightsize_fit(const gputide_rightsize* rightsize, int64_t memory_bytes,
                                                 double util_percent, gputide_text* json, gputide_error* err);

/* Serializes one container's histograms and open windows: the status of a VerticalPodAutoscalerCheckpoint with
 * additional members and a checksum; at most 4 KiB for 8 GPUs, 80 bytes for each more.  Returns E_NOT_FOUND.
 * Since 0.2. */
GPUTIDE_API gputide_status gputide_rightsize_save(const gputide_rightsize* rightsize, uint32_t container,
                                                  int64_t now_ms, gputide_text* out, gputide_error* err);

/* Replaces a container's data by a saved text of the same profile and half-life, or by the checkpoint object of a VPA.
 * Returns E_NOT_FOUND; E_STATE for a text that is damaged, foreign or newer; it is never loaded in part.  Since 0.2. */
GPUTIDE_API gputide_status gputide_rightsize_load(gputide_rightsize* rightsize, uint32_t container, const char* text,
                                                  int64_t size_bytes, gputide_error* err);

/* ============================================================================================================ 15 jobs */

/* Decides one poll of a KEDA ScaledJob: how many Jobs to create now, and which finished ones to delete.  Pure: no I/O,
 * no clock.
 *   manifest   text with the ScaledJob; options->scaler names one of several.
 *   seen       JSON: {"values":[42.5,null],"running":3,"pending":1}, one value per trigger in manifest order; null: its
 *              read failed. Every member: docs/jobs.md.
 *   decision   JSON with create, delete, conditions, events and reasons (docs/json.md, jobs_decide).
 * Example: 12.5 items at 2 per Job, 3 Jobs unfinished → 4.
 * Returns E_AMBIGUOUS if there are several and none is named; E_INVALID with the place in the manifest or in seen;
 * E_LIMIT.  Since 0.2. */
GPUTIDE_API gputide_status gputide_jobs_decide(const char* manifest, int64_t size_bytes, const gputide_options* options,
                                               const char* seen, int64_t seen_bytes, gputide_text* decision,
                                               gputide_error* err);

/* ========================================================================================================= 16 cluster */

/* Lets a runtime scale the workloads of a Kubernetes cluster.  It finds ScaledObjects, reads their TriggerAuthentications
 * and Secrets, watches the scale of their targets, decides, and writes the scale subresource while this instance is the
 * leader (leader election by a Lease).  Driven as the runtime is (_start, _step or _next_event).  Decisions arrive as
 * events, and GPUTIDE_EVENT_CLUSTER reports the writes.  The host must not record them or use these scalers' ids.
 * Failure handling and needed rights: docs/kubernetes.md. */

/* Attaches a cluster.  Returns at once; events and _describe_cluster report the API server's responses.
 *   settings   NULL or empty for the defaults, else JSON or YAML (every member: docs/kubernetes.md):
 *                  {"namespaces": ["ml"], "shadow": true, "lease": {"name": "gputide", "duration_s": 15}, "shards": 1}
 *   options    may be NULL; kubeconfig, kube_context and service_account_dir choose API server and identity; the rest
 *              limits what the cluster's manifests may do.
 * Returns E_STATE if a cluster is attached, or the runtime was created with GPUTIDE_RUNTIME_OBSERVE_FIRST; E_INVALID
 * with the member's line and path; E_NOT_HERE if no API server is configured; E_AUTH.  Since 0.2. */
GPUTIDE_API gputide_status gputide_runtime_attach_cluster(gputide_runtime* runtime, const char* settings,
                                                          int64_t size_bytes, const gputide_options* options,
                                                          gputide_error* err);

/* Stops writing, releases the Leases, so that another instance takes over within 3 s, and removes the cluster's
 * scalers.  Call it before _close; otherwise the Leases expire.  Drives the runtime's network meanwhile.  GPUTIDE_OK if
 * no cluster is attached.
 * Returns E_TIMEOUT while it is still detaching: call again; E_CANCELLED when the runtime is closed.  Since 0.2. */
GPUTIDE_API gputide_status gputide_runtime_detach_cluster(gputide_runtime* runtime, int32_t timeout_ms,
                                                          gputide_error* err);

/* Returns JSON: leases, watches and their ages, writes by result, conflicts, differences, blocked scalers and the
 * reason (docs/json.md, cluster_describe).  At most a second old; {} before the first.  Returns E_STATE if no cluster
 * is attached.  Since 0.2. */
GPUTIDE_API gputide_status gputide_runtime_describe_cluster(gputide_runtime* runtime, gputide_text* json,
                                                            gputide_error* err);

/* ====================================================================================================== 17 agent pools */

/* Writes the size of one AKS node pool through Azure Resource Manager: reads it, compares, writes it with its ETag, and
 * follows the operation to its end.  Blocks.  The only function of this library that changes anything in Azure.
 *   credential  an Azure identity that may write the cluster's agent pools; the options of _credential_open apply here,
 *               too.
 *   change      JSON: {"cluster":"/subscriptions/.../managedClusters/aks","pool":"gpunp","count":4,"dry":false}.  dry
 *               defaults to true. count is for a pool without an autoscaler, min and max for a pool with AKS'
 *               autoscaler.  cloud names another cloud; endpoint an address of Azure Resource Manager, whose host must
 *               be allowed.
 *   timeout_ms  for the whole call; an operation that is still running then continues, and this is not a failure.
 *   json        size before, wanted size and progress (docs/json.md, agent_pool_write).
 * Returns E_INVALID for a change that does not fit the pool; E_UNAVAILABLE with the time to wait while another
 * operation runs on the cluster; E_REJECTED if the operation failed; E_AUTH, E_FORBIDDEN, E_TIMEOUT, E_CANCELLED
 * (completed writes remain), E_PROTOCOL.  Since 0.2. */
GPUTIDE_API gputide_status gputide_agent_pool_write(const gputide_credential* credential, const char* change,
                                                    int64_t size_bytes, int32_t timeout_ms,
                                                    const gputide_cancel* cancel, gputide_text* json,
                                                    gputide_error* err);

/* ================================================================================================= 18 cluster diagnosis */

/* Tests whether a runtime could work on a cluster (section 16): API server and certificate, token and identity, served
 * kinds, each needed right (by SelfSubjectAccessReview), and the holder of the Lease.  Includes a Role for missing
 * rights.  Blocks; changes nothing.
 *   settings         as for _runtime_attach_cluster; namespaces, shadow, lease and shards determine what is needed.
 *   options, cancel  may be NULL, as there.
 *   report           JSON with a verdict (ok, warning, failed) for each step (docs/json.md, doctor_cluster).
 *   lines            may be NULL; the same for people, the conclusion first.
 * A failed step does not fail the call.  Returns E_LIMIT, E_CANCELLED, E_UNAVAILABLE; E_INVALID for settings that
 * cannot be read.  Since 0.2. */
GPUTIDE_API gputide_status gputide_doctor_cluster(const char* settings, int64_t size_bytes,
                                                  const gputide_options* options, int32_t timeout_ms,
                                                  const gputide_cancel* cancel, gputide_text* report,
                                                  gputide_text* lines, gputide_error* err);

/* =================================================================================================== 19 cluster lists */

/* Lists one collection of a cluster's API server completely, without a runtime.  Blocks; does not watch or write.
 *   path      "/api/v1/nodes", "/apis/policy/v1/namespaces/ml/poddisruptionbudgets?labelSelector=app%3Dllm"
 *   options   may be NULL; kubeconfig, kube_context and service_account_dir choose API server and identity.
 *   cancel    may be NULL.
 *   json      the pages of the list as the server wrote them, concatenated: input for gputide_nodes_plan.  At most
 *             256 MiB; use a selector for less.
 * Returns E_INVALID for any other path; E_NOT_HERE if no API server is configured; E_FORBIDDEN with the missing RBAC
 * rule; E_REJECTED for a resource that is not served; E_AUTH, E_THROTTLED, E_UNAVAILABLE, E_PROTOCOL, E_SECURITY,
 * E_LIMIT, E_TIMEOUT, E_CANCELLED.  Since 0.2. */
GPUTIDE_API gputide_status gputide_cluster_list(const char* path, const gputide_options* options, int32_t timeout_ms,
                                                const gputide_cancel* cancel, gputide_text* json, gputide_error* err);

/* ======================================================================================================= 20 handover */

/* Hands one ScaledObject of a cluster over from a running KEDA to gputide, or back, so that never two controllers scale
 * it at the same time.  Blocks.  Writes only annotations of that ScaledObject, each with the resourceVersion that was
 * read.
 *   change    JSON or YAML: {"namespace":"ml","name":"llm","to":"gputide","owner":"gputide","dry":false}.  to is
 *             gputide or keda; dry defaults to true; owner is the value of gputide.io/owner; lease_s the duration of
 *             its Lease (15).
 *   options   may be NULL; kubeconfig, kube_context and service_account_dir choose API server and identity.  Needs: get
 *             and patch scaledobjects, list horizontalpodautoscalers, and if possible get the scale of the target.
 *   timeout_ms  for the whole call; after a timeout json names the pending step, and the next call continues there.
 *   json      progress, step by step (docs/json.md, cluster_handover).
 * Each step is also logged with GPUTIDE_LOG_INFO when it starts to wait and when it ends (docs/json.md,
 * handover_step).  A refused, failed or pending step does not fail the call.  After a crash or a cancel the next call
 * continues.
 * Returns E_INVALID for a change that cannot be read; E_NOT_HERE if no API server is configured; E_AUTH, E_LIMIT,
 * E_TIMEOUT, E_CANCELLED (completed writes remain).  Since 0.2. */
GPUTIDE_API gputide_status gputide_cluster_handover(const char* change, int64_t size_bytes,
                                                    const gputide_options* options, int32_t timeout_ms,
                                                    const gputide_cancel* cancel, gputide_text* json,
                                                    gputide_error* err);

#ifdef __cplusplus
}
#endif

#include "gputide_table.h"

#endif /* GPUTIDE_H */

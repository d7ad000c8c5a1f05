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

#include "gputide.h"

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

// Written by bindings/generator from include/gputide/gputide.h: change that, then run python3 -m bindings.generator.

use core::ffi::{c_char, c_void};

/// as a size: the text is NUL-terminated
pub const GPUTIDE_TEXT: i32 = -1;

/// as timeout_ms, where a comment allows it
pub const GPUTIDE_FOREVER: i32 = -1;

/// as the index of a metric: none
pub const GPUTIDE_NO_METRIC: i32 = -1;

/// as the index of a metric: the formula of scalingModifiers
pub const GPUTIDE_FORMULA: i32 = -2;

/// as value_milli of a pod sample: a request, but no metric
pub const GPUTIDE_NO_VALUE: i64 = -9223372036854775808;

pub const GPUTIDE_VERSION_MAJOR: i32 = 0;

pub const GPUTIDE_VERSION_MINOR: i32 = 3;

pub const GPUTIDE_VERSION_PATCH: i32 = 0;

pub const GPUTIDE_ABI_VERSION: i32 = 1;

pub const GPUTIDE_MAX_CONDITIONS: usize = 16;

pub type gputide_status = i32;

pub type gputide_sample_state = i32;

pub type gputide_action = i32;

/// not read, or not given
pub const GPUTIDE_SAMPLE_NOT_GIVEN: gputide_sample_state = 0;
pub const GPUTIDE_SAMPLE_OK: gputide_sample_state = 1;
/// the query matched nothing
pub const GPUTIDE_SAMPLE_EMPTY: gputide_sample_state = 2;
/// NaN or an infinity
pub const GPUTIDE_SAMPLE_NOT_A_NUMBER: gputide_sample_state = 3;
pub const GPUTIDE_SAMPLE_STALE: gputide_sample_state = 4;
pub const GPUTIDE_SAMPLE_PARTIAL: gputide_sample_state = 5;
pub const GPUTIDE_SAMPLE_AMBIGUOUS: gputide_sample_state = 6;
pub const GPUTIDE_SAMPLE_AUTH: gputide_sample_state = 7;
pub const GPUTIDE_SAMPLE_TIMEOUT: gputide_sample_state = 8;
pub const GPUTIDE_SAMPLE_FAILED: gputide_sample_state = 9;

pub const GPUTIDE_SAMPLE_NULL_AS_ZERO: u32 = 1;

/// status_replicas is 0, not absent
pub const GPUTIDE_OBSERVED_STATUS: u32 = 1;
/// ready_replicas is 0, not absent
pub const GPUTIDE_OBSERVED_READY: u32 = 2;
/// the target's size could not be read; current_replicas is ignored
pub const GPUTIDE_SCALE_UNREADABLE: u32 = 4;
/// pods has all pods of the target; pod_count 0: the target has no pods
pub const GPUTIDE_OBSERVED_PODS: u32 = 8;

pub const GPUTIDE_LIMIT_NONE: i32 = 0;
pub const GPUTIDE_LIMIT_TOLERANCE: i32 = 1;
pub const GPUTIDE_LIMIT_STABILIZED: i32 = 2;
pub const GPUTIDE_LIMIT_SCALE_UP: i32 = 3;
pub const GPUTIDE_LIMIT_SCALE_DOWN: i32 = 4;
pub const GPUTIDE_LIMIT_MIN: i32 = 5;
pub const GPUTIDE_LIMIT_MAX: i32 = 6;
pub const GPUTIDE_LIMIT_COOLDOWN: i32 = 7;
pub const GPUTIDE_LIMIT_FALLBACK: i32 = 8;
pub const GPUTIDE_LIMIT_PAUSED: i32 = 9;
pub const GPUTIDE_LIMIT_NOT_DUE: i32 = 10;
pub const GPUTIDE_LIMIT_NO_DATA: i32 = 11;
pub const GPUTIDE_LIMIT_BUDGET: i32 = 12;
/// raised by gputide.io/forecast
pub const GPUTIDE_LIMIT_FORECAST: i32 = 13;

pub const GPUTIDE_SOURCE_HPA: i32 = 1;
pub const GPUTIDE_SOURCE_EXECUTOR: i32 = 2;

pub const GPUTIDE_NO_SCALE_EVENT: i32 = 0;
pub const GPUTIDE_ACTIVATED: i32 = 1;
pub const GPUTIDE_DEACTIVATED: i32 = 2;
pub const GPUTIDE_ACTIVATION_FAILED: i32 = 3;
pub const GPUTIDE_DEACTIVATION_FAILED: i32 = 4;

pub const GPUTIDE_ABLE_TO_SCALE: i32 = 0;
pub const GPUTIDE_SCALING_ACTIVE: i32 = 1;
pub const GPUTIDE_SCALING_LIMITED: i32 = 2;
pub const GPUTIDE_SCALED_TO_ZERO: i32 = 3;
pub const GPUTIDE_CONDITION_READY: i32 = 4;
pub const GPUTIDE_CONDITION_ACTIVE: i32 = 5;
pub const GPUTIDE_CONDITION_FALLBACK: i32 = 6;
pub const GPUTIDE_CONDITION_PAUSED: i32 = 7;

pub const GPUTIDE_ABSENT: i32 = 0;
pub const GPUTIDE_TRUE: i32 = 1;
pub const GPUTIDE_FALSE: i32 = 2;
pub const GPUTIDE_UNKNOWN: i32 = 3;

/// a trigger is active
pub const GPUTIDE_DECIDED_ACTIVE: u32 = 1;
/// a trigger or metric failed without a fallback
pub const GPUTIDE_DECIDED_ERROR: u32 = 2;
/// KEDA's half was due and ran
pub const GPUTIDE_DECIDED_EXECUTOR: u32 = 4;
/// the HPA's half was due and ran
pub const GPUTIDE_DECIDED_HPA: u32 = 8;

pub const GPUTIDE_OK: gputide_status = 0;
/// a manifest, setting or argument is wrong
pub const GPUTIDE_E_INVALID: gputide_status = 1;
/// credentials were refused
pub const GPUTIDE_E_AUTH: gputide_status = 2;
/// credentials are valid, a role is missing
pub const GPUTIDE_E_FORBIDDEN: gputide_status = 3;
/// too many requests: wait until retry_at_ms
pub const GPUTIDE_E_THROTTLED: gputide_status = 4;
/// network or service, temporarily
pub const GPUTIDE_E_UNAVAILABLE: gputide_status = 5;
/// not supported here, such as a credential source that this machine lacks
pub const GPUTIDE_E_UNSUPPORTED: gputide_status = 6;
/// the caller's deadline, or the server's own
pub const GPUTIDE_E_TIMEOUT: gputide_status = 7;
/// `gputide_cancel_fire`, or the handle was closed
pub const GPUTIDE_E_CANCELLED: gputide_status = 8;
/// the server refuses this query permanently
pub const GPUTIDE_E_REJECTED: gputide_status = 9;
/// an invalid response
pub const GPUTIDE_E_PROTOCOL: gputide_status = 10;
/// stopped because continuing is unsafe
pub const GPUTIDE_E_SECURITY: gputide_status = 11;
/// the query works and returns no value
pub const GPUTIDE_E_NO_DATA: gputide_status = 12;
/// several values where exactly one is needed
pub const GPUTIDE_E_AMBIGUOUS: gputide_status = 13;
/// the server marked its response as incomplete
pub const GPUTIDE_E_PARTIAL: gputide_status = 14;
/// a size, depth or count limit of this library
pub const GPUTIDE_E_LIMIT: gputide_status = 15;
/// a damaged or foreign saved state; a call that is not allowed after an earlier one
pub const GPUTIDE_E_STATE: gputide_status = 16;
/// a struct with members or flags that this library does not know
pub const GPUTIDE_E_TOO_NEW: gputide_status = 17;
pub const GPUTIDE_E_NO_MEMORY: gputide_status = 18;
/// a bug of this library: please report it with the message
pub const GPUTIDE_E_BUG: gputide_status = 19;
/// an unknown id or name
pub const GPUTIDE_E_NOT_FOUND: gputide_status = 20;

pub const GPUTIDE_ACTION_NONE: gputide_action = 0;
pub const GPUTIDE_ACTION_RETRY: gputide_action = 1;
/// until retry_at_ms
pub const GPUTIDE_ACTION_WAIT: gputide_action = 2;
pub const GPUTIDE_ACTION_FIX_CONFIGURATION: gputide_action = 3;
pub const GPUTIDE_ACTION_FIX_CREDENTIALS: gputide_action = 4;
pub const GPUTIDE_ACTION_GRANT_ROLE: gputide_action = 5;
pub const GPUTIDE_ACTION_FIX_QUERY: gputide_action = 6;
/// allow it in the options, or correct it
pub const GPUTIDE_ACTION_ALLOW_BY_NAME: gputide_action = 7;
pub const GPUTIDE_ACTION_UPGRADE: gputide_action = 8;
pub const GPUTIDE_ACTION_REPORT_BUG: gputide_action = 9;

/// any variable in ${NAME} and env:, as allowed_environment "\*"
pub const GPUTIDE_ALLOW_ENVIRONMENT: u32 = 1;
/// a credential over http to a host that is not loopback
pub const GPUTIDE_ALLOW_PLAIN_HTTP: u32 = 2;
/// a login endpoint outside the known Azure clouds
pub const GPUTIDE_ALLOW_CUSTOM_AUTHORITY: u32 = 4;
/// AKS identity bindings: AZURE_KUBERNETES_TOKEN_PROXY
pub const GPUTIDE_ENABLE_AZURE_PROXY: u32 = 8;
/// the strict profile, as if each manifest had gputide.io/profile: strict
pub const GPUTIDE_STRICT: u32 = 16;
/// Sends no credential to a server whose certificate is not verified: unsafeSsl with a credential is E_SECURITY.
pub const GPUTIDE_VERIFIED_PEERS: u32 = 32;
/// ```text
/// Sends tokens and signatures of the host's identities (podIdentity) also to a server with unsafeSsl.  Without this
/// flag that is E_SECURITY.  Credentials in the manifest are sent there as in KEDA.
/// ```
pub const GPUTIDE_ALLOW_UNVERIFIED_PEERS: u32 = 64;

pub const GPUTIDE_STATE_UNCHECKED: u32 = 1;

/// check, policy, state, decide: in every flavor
pub const GPUTIDE_FEATURE_PURE: u32 = 1;
/// scaler, source.h, runtime.h
pub const GPUTIDE_FEATURE_CORE: u32 = 2;
/// plan.h
pub const GPUTIDE_FEATURE_PLAN: u32 = 4;
pub const GPUTIDE_FEATURE_KUBERNETES: u32 = 8;
/// manifests may be YAML; without it only JSON
pub const GPUTIDE_FEATURE_YAML: u32 = 16;
pub const GPUTIDE_FEATURE_HTTP2: u32 = 32;
/// triggers of type cron
pub const GPUTIDE_FEATURE_CRON: u32 = 64;

pub const GPUTIDE_LOG_ERROR: i32 = 1;
pub const GPUTIDE_LOG_WARNING: i32 = 2;
pub const GPUTIDE_LOG_INFO: i32 = 3;
pub const GPUTIDE_LOG_DEBUG: i32 = 4;

pub const GPUTIDE_POD_RUNNING: i32 = 1;
pub const GPUTIDE_POD_PENDING: i32 = 2;
pub const GPUTIDE_POD_SUCCEEDED: i32 = 3;
pub const GPUTIDE_POD_FAILED: i32 = 4;
pub const GPUTIDE_POD_UNKNOWN: i32 = 5;

pub const GPUTIDE_READY_YES: i32 = 1;
pub const GPUTIDE_READY_NO: i32 = 2;
pub const GPUTIDE_READY_NO_CONDITION: i32 = 3;
pub const GPUTIDE_READY_UNKNOWN: i32 = 4;

/// events also for decisions that change nothing
pub const GPUTIDE_RUNTIME_EVERY_DECISION: u32 = 1;
/// events carry the decision as JSON, with conditions and trace
pub const GPUTIDE_RUNTIME_REPORTS: u32 = 2;
/// equal queries of two scalers are sent twice
pub const GPUTIDE_RUNTIME_NO_SHARING: u32 = 4;
/// each poll waits for an observation, which `GPUTIDE_EVENT_DUE` requests
pub const GPUTIDE_RUNTIME_OBSERVE_FIRST: u32 = 8;

pub const GPUTIDE_EVENT_DECISION: i32 = 1;
pub const GPUTIDE_EVENT_DUE: i32 = 2;
pub const GPUTIDE_EVENT_CLUSTER: i32 = 3;

/// too few scores
pub const GPUTIDE_FORECAST_WARMING: i32 = 1;
/// not better than the last value
pub const GPUTIDE_FORECAST_OFF: i32 = 2;
/// the budget is spent
pub const GPUTIDE_FORECAST_SPENT: i32 = 3;
pub const GPUTIDE_FORECAST_ON: i32 = 4;

pub const GPUTIDE_FLOOR_RAISED: i32 = 1;
/// the reactive size is enough
pub const GPUTIDE_FLOOR_WITHIN_REACTIVE: i32 = 2;
pub const GPUTIDE_FLOOR_CAPPED_BY_MAX: i32 = 3;
/// by max_raise_percent
pub const GPUTIDE_FLOOR_CAPPED_BY_RAISE: i32 = 4;
/// not raised because mode is observe
pub const GPUTIDE_FLOOR_OBSERVE: i32 = 5;
/// from here on: no floor
pub const GPUTIDE_FLOOR_WARMING_UP: i32 = 6;
pub const GPUTIDE_FLOOR_NOT_BETTER: i32 = 7;
pub const GPUTIDE_FLOOR_BUDGET_SPENT: i32 = 8;
pub const GPUTIDE_FLOOR_NO_RECENT_VALUE: i32 = 9;
/// a forecast does not start a workload from zero
pub const GPUTIDE_FLOOR_AT_ZERO: i32 = 10;

/// busy is set
pub const GPUTIDE_USAGE_BUSY: u32 = 1;
/// memory_bytes is set
pub const GPUTIDE_USAGE_MEMORY: u32 = 2;
/// out of memory; memory_bytes is the requested size (0: unknown), busy is ignored
pub const GPUTIDE_USAGE_OOM: u32 = 4;

/// section 3
#[repr(C)]
pub struct gputide_cancel {
    _opaque: crate::Opaque,
}

/// ```text
/// One ScaledObject or HorizontalPodAutoscaler at work: sources, credentials, policy, state.  (KEDA calls a source a
/// scaler.)  Each round: tick, write desired_replicas to the target if it differs from current_replicas, record.
/// ```
#[repr(C)]
pub struct gputide_scaler {
    _opaque: crate::Opaque,
}

/// The rules of a decision: bounds, thresholds, behavior, cooldown. Immutable.
#[repr(C)]
pub struct gputide_policy {
    _opaque: crate::Opaque,
}

/// The memory of one scaler: activity, stabilization windows, scale events, failure counts.
#[repr(C)]
pub struct gputide_state {
    _opaque: crate::Opaque,
}

/// Acquires tokens. The credentials of one process share a cache: equal credentials send one request.
#[repr(C)]
pub struct gputide_credential {
    _opaque: crate::Opaque,
}

/// Reads one metric: its address, its query, and the rule that makes one number of the response.
#[repr(C)]
pub struct gputide_source {
    _opaque: crate::Opaque,
}

/// ```text
/// Reads log lines by polling, for languages where a callback is inconvenient.  Each reader gets every line written
/// after it was opened.  It buffers up to 256 lines and drops the oldest on overflow.
/// ```
#[repr(C)]
pub struct gputide_log_reader {
    _opaque: crate::Opaque,
}

/// ```text
/// Many scalers in one process, polled at their intervals over shared connections and tokens.  Decisions arrive as
/// events.  A runtime is driven in one of three ways:
///   gputide_runtime_start    a thread of the runtime (all signals blocked in it), until _stop or _close
///   gputide_runtime_step     by the host and its clock, at the time that the last step returned or earlier; an event
///                            loop waits for gputide_runtime_wake_fd
///   neither                  gputide_runtime_next_event drives while it waits
/// Every function of this header except _free may be called from any thread and at the same time as others.  None
/// blocks unless its comment says so.  After _close every function except _close and _free returns E_STATE.  Close the
/// runtime before the process exits.  docs/runtime.md has the limits and measurements.
/// ```
#[repr(C)]
pub struct gputide_runtime {
    _opaque: crate::Opaque,
}

/// ```text
/// Forecasts the load one start-up time ahead, for a host with its own control loop.  (In a manifest,
/// gputide.io/forecast does all of this.)  It learns from one value per pass, the total load to serve.  It compares its
/// error with that of the forecast "nothing changes", and returns a floor for the size that the host computed.  Each
/// pass: gputide_forecast_add, decide, _floor, write the size, _charge.
/// Rules, figures and limits: docs/forecast.md.  At most 16 KiB each; no pass allocates.
/// ```
#[repr(C)]
pub struct gputide_forecast {
    _opaque: crate::Opaque,
}

/// ```text
/// Recorded values of each metric over time, and the workload's size if it is known.  At most 20 million points.
/// Unordered points, duplicates, gaps and NaN are accepted and counted.
/// ```
#[repr(C)]
pub struct gputide_series {
    _opaque: crate::Opaque,
}

/// ```text
/// One replay: a manifest's policy, a model, and the sums so far.  Its memory does not grow with the length of the
/// series.
/// ```
#[repr(C)]
pub struct gputide_replay {
    _opaque: crate::Opaque,
}

/// ```text
/// Recommends a size for a GPU workload from samples of its GPUs: number of GPUs, MIG profile, machine, or several
/// replicas per GPU, with evidence and cost.  No I/O and no clock.  A sample allocates only for a new GPU or a new range
/// of values.
/// Rules and settings: docs/rightsizing.md.
/// ```
#[repr(C)]
pub struct gputide_rightsize {
    _opaque: crate::Opaque,
}

/// One value, or the reason why there is none.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct gputide_sample {
    pub struct_size: u32,
    /// `GPUTIDE_SAMPLE_`\*; value is valid only with `GPUTIDE_SAMPLE_OK`
    pub state: gputide_sample_state,
    /// of the failed read; `GPUTIDE_OK` if state is OK
    pub status: gputide_status,
    /// `GPUTIDE_SAMPLE_NULL_AS_ZERO`
    pub flags: u32,
    /// finite
    pub value: f64,
    /// time of the value; 0: unknown
    pub time_ms: i64,
    /// in: why there is no value, for reports and conditions; may be NULL. out: NULL
    pub message: *const c_char,
}

crate::zeroed!(gputide_sample, struct_size);

/// The current facts of the target. Everything is borrowed for the call. Arrays with count 0 may be NULL.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct gputide_observation {
    pub struct_size: u32,
    /// `GPUTIDE_OBSERVED_`\*, `GPUTIDE_SCALE_UNREADABLE`
    pub flags: u32,
    pub now_ms: i64,
    /// the target's spec.replicas
    pub current_replicas: i32,
    /// its status.replicas: pods that exist; 0 without flag: equal to current_replicas
    pub status_replicas: i32,
    /// ready pods; 0 without flag: equal to current_replicas
    pub ready_replicas: i32,
    /// ```text
    /// number of metrics of the policy.  0 is allowed if no metric takes a sample: all are
    /// read from pods, GPUTIDE_SCALE_UNREADABLE is set, or a scaler fetches
    /// ```
    pub sample_count: u32,
    /// by the metric's index
    pub samples: *const gputide_sample,
    /// source.h, as the next: for metrics of type Pods, Resource, ContainerResource
    pub pods: *const gputide_pod,
    pub pod_samples: *const gputide_pod_sample,
    pub pod_count: u32,
    pub pod_sample_count: u32,
    /// sizeof(`gputide_sample`) if samples is set; the next two likewise
    pub sample_size: u32,
    pub pod_size: u32,
    pub pod_sample_size: u32,
    pub reserved: u32,
    /// with `GPUTIDE_SCALE_UNREADABLE`: the reason, for conditions; may be NULL
    pub message: *const c_char,
}

crate::zeroed!(gputide_observation, struct_size);

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct gputide_condition {
    /// `GPUTIDE_ABSENT`: this condition is not set
    pub truth: i32,
    /// as `gputide_reason_name` names it: ScaleDownStabilized, TooManyReplicas, ...
    pub reason: i32,
    /// time of the last change of truth
    pub since_ms: i64,
}

crate::zeroed!(gputide_condition);

/// The result.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct gputide_decision {
    pub struct_size: u32,
    /// `GPUTIDE_DECIDED_`\*
    pub flags: u32,
    /// id within its state, for the record; never 0, below 2^53
    pub id: u64,
    pub now_ms: i64,
    /// Unix time of the next decision; earlier calls return `GPUTIDE_LIMIT_NOT_DUE`
    pub next_due_ms: i64,
    pub current_replicas: i32,
    pub desired_replicas: i32,
    /// result of the metrics, before stabilization, limits and bounds
    pub proposed_replicas: i32,
    /// `GPUTIDE_LIMIT_`\*
    pub limited_by: i32,
    /// `GPUTIDE_SOURCE_`\*
    pub source: i32,
    /// metric with the highest proposal, `GPUTIDE_NO_METRIC` or `GPUTIDE_FORMULA`
    pub winner: i32,
    /// the first that failed; values as for winner
    pub failed_metric: i32,
    /// `GPUTIDE_ACTIVATED`, ...
    pub event: i32,
    pub conditions: [gputide_condition; 16],
    /// `GPUTIDE_FORECAST_`\* of plan.h; 0: the policy has no forecast
    pub forecast_state: i32,
    /// replicas for the forecast load; -1: no forecast
    pub forecast_need: i32,
    /// in: why the write failed, for conditions; may be NULL. NULL after every call
    pub message: *const c_char,
}

crate::zeroed!(gputide_decision, struct_size);

/// ```text
/// Caller-owned; nothing in it needs freeing.  Only struct_size is read, so one struct can be reused for every call.  It
/// is written only on failure.  Texts that are too long are cut on a UTF-8 boundary.  It never holds a secret.
/// ```
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct gputide_error {
    pub struct_size: u32,
    pub status: gputide_status,
    /// `GPUTIDE_ACTION_RETRY` and _WAIT only if retryable is 1
    pub action: gputide_action,
    /// 1: the same call may succeed later
    pub retryable: i32,
    /// 0: there was no HTTP response
    pub http_status: i32,
    pub reserved: i32,
    /// 0: unknown
    pub retry_at_ms: i64,
    /// the server's own: AADSTS700024, bad_data, AuthorizationFailed
    pub service_code: [c_char; 64],
    /// "so.yaml:17 spec.triggers\[0\].metadata.threshold", "trigger 0 (prometheus)"
    pub r#where: [c_char; 128],
    /// what was found, what is accepted, what to do
    pub message: [c_char; 2048],
    /// JSON: class and further details of the server (suberror, claims, trace_id); "" if too long
    pub detail: [c_char; 4096],
}

crate::zeroed!(gputide_error, struct_size);

/// Library memory, NUL-terminated beyond size_bytes. Initialize it with {0}; filling it again frees the old content.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct gputide_text {
    pub data: *mut c_char,
    pub size_bytes: u64,
}

crate::zeroed!(gputide_text);

/// An additional text: a TriggerAuthentication, Secret or ConfigMap in a file of its own.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct gputide_file {
    /// for messages; may be NULL
    pub name: *const c_char,
    pub text: *const c_char,
    /// `GPUTIDE_TEXT`: NUL-terminated
    pub size_bytes: i64,
}

crate::zeroed!(gputide_file);

/// What the host allows and knows; a manifest cannot set it. Any member may be 0 or NULL. Lists are comma-separated.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct gputide_options {
    pub struct_size: u32,
    /// `GPUTIDE_ALLOW_`\* and others above
    pub flags: u32,
    /// name of the main text in messages; NULL: "\<text\>"
    pub text_name: *const c_char,
    /// "name" or "namespace/name", if the text holds several
    pub scaler: *const c_char,
    /// additional texts
    pub files: *const gputide_file,
    pub file_count: u32,
    /// sizeof(`gputide_file`)
    pub file_size: u32,
    /// variables allowed in ${NAME} and env:, "TENANT,APP_\*,KUBECONFIG"; NULL: none
    pub allowed_environment: *const c_char,
    /// hosts that may receive a cloud token, in addition to the cloud's own
    pub allowed_token_hosts: *const c_char,
    /// ```text
    /// programs allowed to run for a token: "az", "/opt/bin/token" for manifests,
    /// "kubeconfig:kubelogin" for kubeconfigs
    /// ```
    pub allowed_programs: *const c_char,
    /// DIR/\<name\>/\<key\> for secretTargetRef, configMapTargetRef; tokenFile is below it
    pub secrets_dir: *const c_char,
    /// PEM root certificates; replaces SSL_CERT_FILE, SSL_CERT_DIR and the system's
    pub ca_file: *const c_char,
    /// the same as text; has precedence over ca_file
    pub ca_pem: *const c_char,
    /// `GPUTIDE_TEXT`: NUL-terminated
    pub ca_pem_bytes: i64,
    /// ```text
    /// "http://proxy:3128" for everything except loopback and metadata services;
    /// "environment": HTTPS_PROXY, HTTP_PROXY, NO_PROXY; NULL: none
    /// ```
    pub proxy: *const c_char,
    /// NULL: "gputide/0.3.0"
    pub user_agent: *const c_char,
    /// path; NULL: KUBECONFIG if that variable is allowed, else the pod's service account
    pub kubeconfig: *const c_char,
    /// a context of the kubeconfig; NULL: current-context
    pub kube_context: *const c_char,
    /// folder with token, ca.crt and namespace; NULL: where Kubernetes mounts it
    pub service_account_dir: *const c_char,
}

crate::zeroed!(gputide_options, struct_size);

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct gputide_token_info {
    pub struct_size: u32,
    pub reserved: u32,
    pub expires_at_ms: i64,
    /// the library renews the token from this time on
    pub refresh_at_ms: i64,
    /// the library does not return it after this time
    pub usable_until_ms: i64,
}

crate::zeroed!(gputide_token_info, struct_size);

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct gputide_log_sink {
    pub struct_size: u32,
    /// `GPUTIDE_LOG_`\*: lines of this level and more severe ones
    pub level: i32,
    /// ```text
    /// Called from any thread that executes a gputide function.  Must not call the library.
    /// line: one line without LF, valid during the call.
    /// ```
    pub write: Option<unsafe extern "C" fn(user_data: *mut c_void, level: i32, line: *const c_char)>,
    /// once, when the sink is replaced; may be NULL
    pub finalize: Option<unsafe extern "C" fn(user_data: *mut c_void)>,
    pub user_data: *mut c_void,
}

crate::zeroed!(gputide_log_sink, struct_size);

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct gputide_allocator {
    pub struct_size: u32,
    pub reserved: u32,
    /// returns NULL if there is no memory
    pub allocate: Option<unsafe extern "C" fn(user_data: *mut c_void, size_bytes: u64) -> *mut c_void>,
    pub release: Option<unsafe extern "C" fn(user_data: *mut c_void, memory: *mut c_void)>,
    pub user_data: *mut c_void,
}

crate::zeroed!(gputide_allocator, struct_size);

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct gputide_pod {
    /// for messages; may be NULL
    pub name: *const c_char,
    /// `GPUTIDE_POD_`\*
    pub phase: i32,
    /// `GPUTIDE_READY_`\*: the pod's Ready condition
    pub ready: i32,
    /// 1: has a deletion timestamp
    pub deleting: i32,
    pub reserved: i32,
    /// 0: none
    pub start_time_ms: i64,
    /// lastTransitionTime of Ready; 0: as start_time_ms
    pub ready_change_time_ms: i64,
}

crate::zeroed!(gputide_pod);

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct gputide_pod_sample {
    /// index of the policy's metric
    pub metric: i32,
    /// number in observation.pods, from 1; 0: a pod that is not listed
    pub pod: i32,
    /// thousandths, as in Kubernetes; `GPUTIDE_NO_VALUE`: only the request is known
    pub value_milli: i64,
    /// Utilization: the pod's request; 0: no request
    pub request_milli: i64,
    /// 0: now
    pub time_ms: i64,
    /// 0: 60
    pub window_s: i32,
    pub reserved: i32,
    /// without request_milli: the first container without one, for messages; may be NULL
    pub container: *const c_char,
}

crate::zeroed!(gputide_pod_sample);

/// Options of a runtime. A negative member is E_INVALID.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct gputide_runtime_options {
    pub struct_size: u32,
    /// `GPUTIDE_RUNTIME_`\*
    pub flags: u32,
    /// of the random start offsets
    pub seed: u64,
    /// deadline of one poll: tokens, queries, retries; 0: 10,000
    pub poll_timeout_ms: i32,
    /// first polls are spread over this time; 0: over the scaler's shorter period
    pub start_spread_ms: i32,
    /// a response is reused for equal queries for this time; 0: 5,000
    pub share_window_ms: i32,
    /// maximum of concurrent requests; 0: 1,024
    pub max_in_flight: i32,
    /// the same for one scheme, host and port; 0: 64
    pub max_per_endpoint: i32,
    /// consecutive failures that open an endpoint's circuit breaker; 0: 5
    pub breaker_failures: i32,
    /// first time that the circuit stays open; doubles with each failed trial; 0: 1,000
    pub breaker_base_ms: i32,
    /// maximum of that time, at least breaker_base_ms; 0: 60,000
    pub breaker_cap_ms: i32,
    /// polls due within this time run together; 0: 100; 1: practically off; at most 1,000
    pub gather_ms: i32,
    pub reserved: i32,
}

crate::zeroed!(gputide_runtime_options, struct_size);

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct gputide_event {
    pub struct_size: u32,
    /// `GPUTIDE_EVENT_`\*
    pub kind: i32,
    /// of the scaler
    pub id: u64,
    /// as given to _add or _replace
    pub tag: u64,
    /// 1, 2, 3, ... in the order in which events are returned
    pub sequence: u64,
    /// time of the observation behind the decision: observation-\>now_ms, or now_ms of a record
    pub observed_ms: i64,
    /// number of this scaler's earlier decisions that this event replaces
    pub replaced: u32,
    pub reserved: u32,
    /// "namespace/name"
    pub name: [c_char; 328],
}

crate::zeroed!(gputide_event, struct_size);

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct gputide_floor {
    pub struct_size: u32,
    /// `GPUTIDE_FORECAST_`\*
    pub state: i32,
    /// `GPUTIDE_FLOOR_`\*
    pub reason: i32,
    /// at least reactive_replicas; the forecast never raises it above max_replicas
    pub replicas: i32,
    /// replicas for floor_load; -1: no floor
    pub need_replicas: i32,
    pub reserved: i32,
    /// the forecast load; NaN: no floor
    pub floor_load: f64,
}

crate::zeroed!(gputide_floor, struct_size);

/// A plan in numbers.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct gputide_nodes_summary {
    pub struct_size: u32,
    /// items that were left out, or refused settings; the JSON names each
    pub errors: u32,
    pub warnings: u32,
    pub reserved: u32,
    pub nodes_to_add: i64,
    /// now; more may follow later
    pub nodes_to_remove: i64,
    /// the sum of the next three
    pub pods_pending: i64,
    /// fit on nodes that exist or are starting
    pub pods_on_existing: i64,
    pub pods_on_new: i64,
    /// fit no pool; the JSON says why
    pub pods_left: i64,
}

crate::zeroed!(gputide_nodes_summary, struct_size);

/// Usage of one GPU, MIG instance or (profile vpa) container of a pod, at one time.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct gputide_usage_sample {
    pub time_ms: i64,
    /// number of the container; 0: the container without a name
    pub container: u32,
    /// index of its GPU over all replicas, from 0 to 4095
    pub unit: u32,
    /// `GPUTIDE_USAGE_`\*
    pub flags: u32,
    pub reserved: u32,
    /// percent of time or, better, of the GPU's engines; profile vpa: cores
    pub busy: f64,
    /// in use on this GPU
    pub memory_bytes: i64,
}

crate::zeroed!(gputide_usage_sample);

crate::functions! {
    gputide_api;
    /// ```text
    /// Checks a manifest without opening anything.  Uses no network.
    ///   report   JSON with the scalers and the findings; also written with E_INVALID, and with E_LIMIT for a finding.
    ///   lines    may be NULL; the findings in the form of compiler messages; written in the same cases.
    /// Returns E_LIMIT; E_INVALID if a finding is an error, GPUTIDE_OK if all are warnings.
    /// ```
    fn gputide_manifest_check, manifest_check(
        manifest: *const c_char,
        size_bytes: i64,
        options: *const gputide_options,
        report: *mut gputide_text,
        lines: *mut gputide_text,
        err: *mut gputide_error,
    ) -> gputide_status;
    /// ```text
    /// Opens a scaler.  manifest: YAML (several documents) or JSON.  Sends nothing.
    /// Returns E_AMBIGUOUS (the text holds several scalers and options->scaler names none), E_LIMIT, E_UNAVAILABLE; E_INVALID
    /// names file, line and path.
    /// ```
    fn gputide_scaler_open, scaler_open(
        manifest: *const c_char,
        size_bytes: i64,
        options: *const gputide_options,
        out: *mut *mut gputide_scaler,
        err: *mut gputide_error,
    ) -> gputide_status;
    fn gputide_scaler_free, scaler_free(scaler: *mut gputide_scaler);
    /// ```text
    /// Fetches every trigger that is due, and decides.  Blocks.
    ///   observation   current size and time; samples: values of triggers of type values, by index.  A sample for a metric
    ///                 that is read by a source is E_INVALID.
    ///   report        may be NULL; the decision as one line of JSON, as for gputide_decide.
    /// A failed trigger does not fail the call.  The decision is what KEDA and the HPA do then (flag GPUTIDE_DECIDED_ERROR),
    /// and gputide_scaler_describe returns each error.  Returns E_CANCELLED, E_LIMIT.
    /// ```
    fn gputide_scaler_tick, scaler_tick(
        scaler: *mut gputide_scaler,
        observation: *const gputide_observation,
        timeout_ms: i32,
        cancel: *const gputide_cancel,
        out: *mut gputide_decision,
        report: *mut gputide_text,
        err: *mut gputide_error,
    ) -> gputide_status;
    /// ```text
    /// Records the result of writing decision->desired_replicas, once.  applied 1: it was written at now_ms; 0: the write
    /// failed, for the reason in decision->message.  Updates decision (conditions, event).  A decision that needs no write
    /// needs no record.  Scale events and cooldown follow recorded writes.
    /// Returns E_STATE for a decision that was already recorded or that this scaler did not make.
    /// ```
    fn gputide_scaler_record, scaler_record(
        scaler: *mut gputide_scaler,
        decision: *mut gputide_decision,
        applied: i32,
        now_ms: i64,
        err: *mut gputide_error,
    ) -> gputide_status;
    /// Serializes the scaler's state, for a restart: versioned, with a checksum.
    fn gputide_scaler_save, scaler_save(
        scaler: *const gputide_scaler,
        out: *mut gputide_text,
        err: *mut gputide_error,
    ) -> gputide_status;
    /// Replaces the scaler's state by a saved one. Returns E_STATE as `gputide_state_load`.
    fn gputide_scaler_load, scaler_load(
        scaler: *mut gputide_scaler,
        text: *const c_char,
        size_bytes: i64,
        err: *mut gputide_error,
    ) -> gputide_status;
    /// ```text
    /// Returns JSON: policy (as gputide_policy_describe), conditions (type, status, reason, message, since), and for each
    /// metric its last value, age, state, latency and the error of a failed read.
    /// ```
    fn gputide_scaler_describe, scaler_describe(
        scaler: *const gputide_scaler,
        json: *mut gputide_text,
        err: *mut gputide_error,
    ) -> gputide_status;
    /// Overwrites and frees the bytes and empties the text. NULL and an empty text are allowed.
    fn gputide_text_free, text_free(text: *mut gputide_text);
    /// Return the names of these numbers as JSON and Kubernetes spell them; "unknown" for others. Static. "not_a_number"
    fn gputide_sample_state_name, sample_state_name(state: gputide_sample_state) -> *const c_char;
    /// "scale_up_limit"
    fn gputide_limit_name, limit_name(limit: i32) -> *const c_char;
    /// "KEDAScaleTargetActivated"; "" for none
    fn gputide_event_name, event_name(event: i32) -> *const c_char;
    /// "ScalingLimited"
    fn gputide_condition_name, condition_name(condition: i32) -> *const c_char;
    /// "ScaleDownStabilized"; "" for none
    fn gputide_reason_name, reason_name(reason: i32) -> *const c_char;
    /// Return the names of these numbers; "E_UNKNOWN" and "unknown" for others. Static. "E_INVALID", "OK"
    fn gputide_status_name, status_name(status: gputide_status) -> *const c_char;
    /// "fix_credentials"
    fn gputide_action_name, action_name(action: gputide_action) -> *const c_char;
    /// Creates a handle that ends blocking calls from another thread. It may serve several calls.
    fn gputide_cancel_new, cancel_new(out: *mut *mut gputide_cancel, err: *mut gputide_error) -> gputide_status;
    /// Ends the calls that use this handle, now and later, with E_CANCELLED. Any thread; not from a signal handler.
    fn gputide_cancel_fire, cancel_fire(cancel: *const gputide_cancel);
    /// No call may be using it.
    fn gputide_cancel_free, cancel_free(cancel: *mut gputide_cancel);
    /// ```text
    /// Compiles a ScaledObject or HorizontalPodAutoscaler, given as for gputide_scaler_open.  Opens no source: addresses and
    /// credentials may be missing, thresholds must not be.
    /// Returns E_AMBIGUOUS (several scalers and options->scaler names none), E_LIMIT.
    /// ```
    fn gputide_policy_open, policy_open(
        manifest: *const c_char,
        size_bytes: i64,
        options: *const gputide_options,
        out: *mut *mut gputide_policy,
        err: *mut gputide_error,
    ) -> gputide_status;
    fn gputide_policy_free, policy_free(policy: *mut gputide_policy);
    /// Returns the number of metrics. `gputide_observation.samples` has one sample for each. 0 for NULL.
    fn gputide_policy_metric_count, policy_metric_count(policy: *const gputide_policy) -> u32;
    /// ```text
    /// Returns the trigger's name, or "s0-prometheus" if the manifest gives none.  All JSON texts use this name.  Valid as
    /// long as the handle.  NULL for an index beyond the count and for GPUTIDE_NO_METRIC and GPUTIDE_FORMULA.
    /// ```
    fn gputide_policy_metric_name, policy_metric_name(policy: *const gputide_policy, metric: i32) -> *const c_char;
    /// Returns the policy as JSON, with every default.
    fn gputide_policy_describe, policy_describe(
        policy: *const gputide_policy,
        json: *mut gputide_text,
        err: *mut gputide_error,
    ) -> gputide_status;
    /// Creates a state. created_ms: creationTimestamp, for initialCooldownPeriod; 0: the time of the first decision.
    fn gputide_state_new, state_new(
        policy: *const gputide_policy,
        created_ms: i64,
        out: *mut *mut gputide_state,
        err: *mut gputide_error,
    ) -> gputide_status;
    fn gputide_state_free, state_free(state: *mut gputide_state);
    /// Serializes the state for `gputide_state_load`: versioned, with a checksum.
    fn gputide_state_save, state_save(
        policy: *const gputide_policy,
        state: *const gputide_state,
        out: *mut gputide_text,
        err: *mut gputide_error,
    ) -> gputide_status;
    /// Returns the state as JSON for people and other programs (docs/decision.md).
    fn gputide_state_describe, state_describe(
        policy: *const gputide_policy,
        state: *const gputide_state,
        json: *mut gputide_text,
        err: *mut gputide_error,
    ) -> gputide_status;
    /// ```text
    /// Loads a saved state, also of any older release.  It accepts the records of decisions made before it was saved.
    ///   flags   GPUTIDE_STATE_UNCHECKED or 0.  With it, missing members get their initial values, and no earlier decision
    ///           can be recorded.
    /// Returns E_STATE for a text that is damaged, foreign or newer, and for a policy with another number of metrics
    /// (err->where is then "metrics").  A text is never loaded in part.
    /// ```
    fn gputide_state_load, state_load(
        policy: *const gputide_policy,
        text: *const c_char,
        size_bytes: i64,
        flags: u32,
        out: *mut *mut gputide_state,
        err: *mut gputide_error,
    ) -> gputide_status;
    /// ```text
    /// Returns the replica count that KEDA and the HPA would write at observation->now_ms.  Pure: no I/O, no clock, no lock.
    ///   state   is updated: history, failure counts, activity.
    ///   report  may be NULL (in steady state nothing is allocated then); otherwise the decision as one line of JSON with
    ///           its conditions and trace (docs/decision.md).
    /// Formulas and their sources: docs/semantics.md.  Example: threshold 5, 3 replicas, sample 42.5 → ceil(42.5 / 5) = 9.
    /// Returns E_LIMIT for more samples than a manifest may have metrics; E_STATE for a state of a policy with another
    /// number of metrics.
    /// ```
    fn gputide_decide, decide(
        policy: *const gputide_policy,
        state: *mut gputide_state,
        observation: *const gputide_observation,
        out: *mut gputide_decision,
        report: *mut gputide_text,
        err: *mut gputide_error,
    ) -> gputide_status;
    /// ```text
    /// Decides from one value per metric, all read at now_ms.  NaN or an infinity: the metric has no value.  count must
    /// equal gputide_policy_metric_count.  Returns as gputide_decide.
    /// ```
    fn gputide_decide_values, decide_values(
        policy: *const gputide_policy,
        state: *mut gputide_state,
        now_ms: i64,
        current_replicas: i32,
        values: *const f64,
        count: u32,
        out: *mut gputide_decision,
        err: *mut gputide_error,
    ) -> gputide_status;
    /// Records the result of a write in the state that decided it, as `gputide_scaler_record`. Returns E_STATE likewise.
    fn gputide_state_record, state_record(
        policy: *const gputide_policy,
        state: *mut gputide_state,
        decision: *mut gputide_decision,
        applied: i32,
        now_ms: i64,
        err: *mut gputide_error,
    ) -> gputide_status;
    /// Formats a report as lines for people: conditions, then the trace. E_INVALID for a text that is not a report.
    fn gputide_report_render, report_render(
        report: *const c_char,
        size_bytes: i64,
        lines: *mut gputide_text,
        err: *mut gputide_error,
    ) -> gputide_status;
    /// Returns "0.3.0". Static.
    fn gputide_version, version() -> *const c_char;
    /// Returns a bit set of `GPUTIDE_FEATURE_`\*.
    fn gputide_features, features() -> u32;
    /// Returns the versions of compiler and dependencies as JSON, for bug reports. Static.
    fn gputide_build_info, build_info() -> *const c_char;
    /// ```text
    /// Opens a credential from text: a TriggerAuthentication document, or only its podIdentity block:
    ///     provider: azure-workload
    ///     identityId: 00000000-0000-0000-0000-000000000000      (optional; also identityTenantId, identityAuthorityHost)
    /// Providers (docs/credentials.md): azure-workload, azure-managed-identity, azure-client-secret,
    /// azure-client-certificate, azure-cli, azure-default (the chain), aws, gcp, bearer-file, bearer-exec.  The token of aws
    /// is the JSON that AWS' credential_process prints: a key and a session, which sign requests.  Sends no request.
    /// Returns E_LIMIT; E_INVALID names the key or the environment variable.
    /// ```
    fn gputide_credential_open, credential_open(
        text: *const c_char,
        size_bytes: i64,
        options: *const gputide_options,
        out: *mut *mut gputide_credential,
        err: *mut gputide_error,
    ) -> gputide_status;
    fn gputide_credential_free, credential_free(credential: *mut gputide_credential);
    /// ```text
    /// Returns a token for one scope ("https://prometheus.monitor.azure.com/.default").  Blocks; uses the cache when
    /// possible.
    ///   token   the bearer token.  It is a secret: do not log it.  gputide_text_free overwrites it.
    ///   info    may be NULL.
    /// Returns E_AUTH, _THROTTLED, _UNAVAILABLE, _UNSUPPORTED, _TIMEOUT, _CANCELLED, _REJECTED, _PROTOCOL, _SECURITY, _LIMIT.
    /// ```
    fn gputide_credential_token, credential_token(
        credential: *const gputide_credential,
        scope: *const c_char,
        timeout_ms: i32,
        cancel: *const gputide_cancel,
        token: *mut gputide_text,
        info: *mut gputide_token_info,
        err: *mut gputide_error,
    ) -> gputide_status;
    /// ```text
    /// Drops a token from the cache after a resource answered 401 to it.  Has no effect for a token that is no longer
    /// cached.  A scope is renewed by force at most once in 30 s.
    /// ```
    fn gputide_credential_invalidate, credential_invalidate(
        credential: *const gputide_credential,
        scope: *const c_char,
        token: *const c_char,
        token_bytes: i64,
        err: *mut gputide_error,
    ) -> gputide_status;
    /// ```text
    /// Returns the identifying claims of a JWT as JSON (aud, iss, tid, appid, oid, sub, nbf, exp), never its signature.
    /// Verifies nothing.  Returns E_PROTOCOL for a text that is not a JWT.
    /// ```
    fn gputide_token_claims, token_claims(
        token: *const c_char,
        token_bytes: i64,
        json: *mut gputide_text,
        err: *mut gputide_error,
    ) -> gputide_status;
    /// ```text
    /// Opens a source from text: one entry of a ScaledObject's triggers.  The TriggerAuthentication that it names is in
    /// options->files or in further documents of the text:
    ///     type: prometheus
    ///     metadata: { serverAddress: "https://...", query: "avg(DCGM_FI_DEV_GPU_UTIL)", threshold: "5" }
    /// Sends nothing.  Returns E_LIMIT; E_INVALID names trigger, key, line and path.
    /// ```
    fn gputide_source_open, source_open(
        text: *const c_char,
        size_bytes: i64,
        options: *const gputide_options,
        out: *mut *mut gputide_source,
        err: *mut gputide_error,
    ) -> gputide_status;
    fn gputide_source_free, source_free(source: *mut gputide_source);
    /// ```text
    /// Reads one value.  Blocks.
    ///   now_ms   evaluation time of the query.
    /// An empty response with ignoreNullValues (KEDA's default for prometheus) is value 0 with the flag
    /// GPUTIDE_SAMPLE_NULL_AS_ZERO.  Returns any status except E_NOT_FOUND.
    /// ```
    fn gputide_source_fetch, source_fetch(
        source: *mut gputide_source,
        now_ms: i64,
        timeout_ms: i32,
        cancel: *const gputide_cancel,
        out: *mut gputide_sample,
        err: *mut gputide_error,
    ) -> gputide_status;
    /// ```text
    /// Reads all series as gputide_source_fetch does, without reducing them to one number, as JSON: result type, every point
    /// and histogram of every series with its labels, warnings, infos, partial.  Several series and an empty response are
    /// allowed.  Returns as gputide_source_fetch.
    /// ```
    fn gputide_source_fetch_all, source_fetch_all(
        source: *mut gputide_source,
        now_ms: i64,
        timeout_ms: i32,
        cancel: *const gputide_cancel,
        json: *mut gputide_text,
        err: *mut gputide_error,
    ) -> gputide_status;
    /// Returns the trigger as JSON: target, metric name, type, settings with every default, and warnings. Holds no secret.
    fn gputide_source_describe, source_describe(
        source: *const gputide_source,
        json: *mut gputide_text,
        err: *mut gputide_error,
    ) -> gputide_status;
    /// ```text
    /// Returns the request of this source as JSON {"method","url","headers","body"}, for a host with its own HTTP client.  A
    /// cloud token is not included; get one from gputide_credential_token.  Pure.
    /// Returns E_UNSUPPORTED for a source that does not use HTTP, E_REJECTED.
    /// ```
    fn gputide_source_request, source_request(
        source: *const gputide_source,
        now_ms: i64,
        json: *mut gputide_text,
        err: *mut gputide_error,
    ) -> gputide_status;
    /// ```text
    /// Reduces a response to one value by the trigger's rules, for a host with its own HTTP client.  Pure.
    /// Returns as gputide_source_fetch, without waiting.
    /// ```
    fn gputide_source_parse, source_parse(
        source: *const gputide_source,
        http_status: i32,
        body: *const c_char,
        body_bytes: i64,
        out: *mut gputide_sample,
        err: *mut gputide_error,
    ) -> gputide_status;
    /// ```text
    /// Parses a response as gputide_source_fetch_all does, without reducing it to one value.  Pure.
    ///   headers   lines "Name: value" (Retry-After, Content-Type, ...), with LF or CRLF; may be NULL.
    /// Returns as gputide_source_fetch, without waiting.
    /// ```
    fn gputide_source_parse_all, source_parse_all(
        source: *const gputide_source,
        http_status: i32,
        headers: *const c_char,
        headers_bytes: i64,
        body: *const c_char,
        body_bytes: i64,
        json: *mut gputide_text,
        err: *mut gputide_error,
    ) -> gputide_status;
    /// ```text
    /// Tests the triggers of a manifest step by step: environment, token file, authority, token, endpoint, query, series,
    /// age, value, activation.  A trigger's test ends at its first failed step, with the likely cause and the fix.  Then
    /// follows the decision, and what limits it.  Blocks.  Reads the network, the environment and token files as the
    /// triggers do.  Writes nothing.
    ///   observation   current size, and samples of triggers of type values; NULL: the manifest's minimum, now.
    ///   report        JSON with a verdict (ok, warning, failed) for each step (docs/doctor.md).
    ///   lines         may be NULL; the same for people, the conclusion first.
    /// A failed step does not fail the call.  Returns E_AMBIGUOUS, E_LIMIT, E_CANCELLED, E_UNAVAILABLE; E_INVALID for a
    /// manifest that cannot be read.
    /// ```
    fn gputide_doctor, doctor(
        manifest: *const c_char,
        size_bytes: i64,
        options: *const gputide_options,
        observation: *const gputide_observation,
        timeout_ms: i32,
        cancel: *const gputide_cancel,
        report: *mut gputide_text,
        lines: *mut gputide_text,
        err: *mut gputide_error,
    ) -> gputide_status;
    /// Sends each log line to sink-\>write. Process-wide. NULL: off (the default).
    fn gputide_set_log, set_log(sink: *const gputide_log_sink, err: *mut gputide_error) -> gputide_status;
    /// Opens a log reader. level: `GPUTIDE_LOG_`\*, as for the sink.
    fn gputide_log_open, log_open(
        level: i32,
        out: *mut *mut gputide_log_reader,
        err: *mut gputide_error,
    ) -> gputide_status;
    /// ```text
    /// Returns the next line.  Blocks for at most timeout_ms; 0: does not block; GPUTIDE_FOREVER: no limit.  level may be
    /// NULL.  Returns E_NO_DATA if there was no line in time, E_CANCELLED also after gputide_log_close.
    /// ```
    fn gputide_log_next, log_next(
        reader: *mut gputide_log_reader,
        timeout_ms: i32,
        cancel: *const gputide_cancel,
        line: *mut gputide_text,
        level: *mut i32,
        err: *mut gputide_error,
    ) -> gputide_status;
    /// ```text
    /// Ends the current and every later wait in gputide_log_next.  Any thread, also during a call.  May be repeated.  NULL
    /// is allowed.
    /// ```
    fn gputide_log_close, log_close(reader: *mut gputide_log_reader);
    /// No call may be using it.
    fn gputide_log_free, log_free(reader: *mut gputide_log_reader);
    /// ```text
    /// Sets the allocator of gputide_text memory for the process.  Must be called before any other function of this library.
    /// NULL restores malloc and free.  All other memory comes from operator new.  In libgputide-pure, too.
    /// Returns E_STATE if a text was handed out already.
    /// ```
    fn gputide_set_allocator, set_allocator(
        allocator: *const gputide_allocator,
        err: *mut gputide_error,
    ) -> gputide_status;
    /// ```text
    /// Converts a Kubernetes quantity ("1500m", "2Ki", "0.1") to thousandths, rounded away from zero as Kubernetes does.
    /// In libgputide-pure, too.  Returns E_LIMIT for a quantity that does not fit 64 bits.
    /// ```
    fn gputide_quantity, quantity(
        text: *const c_char,
        size_bytes: i64,
        milli: *mut i64,
        err: *mut gputide_error,
    ) -> gputide_status;
    /// ```text
    /// Creates a runtime.  Sends nothing and starts no thread.  Returns E_UNAVAILABLE (no file
    /// descriptor available).
    /// ```
    fn gputide_runtime_new, runtime_new(
        options: *const gputide_runtime_options,
        out: *mut *mut gputide_runtime,
        err: *mut gputide_error,
    ) -> gputide_status;
    /// ```text
    /// Shuts the runtime down permanently.  Blocks for at most timeout_ms; 0: starts the shutdown and returns;
    /// GPUTIDE_FOREVER.  Other calls are refused from then on.  Calls in progress end soon, a wait in _next_event with
    /// GPUTIDE_E_CANCELLED.  The thread ends; requests under way are abandoned.  Save the scalers' states before.  May be
    /// repeated, also by several threads at once.
    /// Returns E_TIMEOUT while a call or the thread is still in progress: call again.
    /// ```
    fn gputide_runtime_close, runtime_close(
        runtime: *mut gputide_runtime,
        timeout_ms: i32,
        err: *mut gputide_error,
    ) -> gputide_status;
    /// ```text
    /// Frees the runtime.  No other call may be in progress.  Returns at once after gputide_runtime_close; otherwise it
    /// waits for the thread.  Does nothing in a child of fork.
    /// ```
    fn gputide_runtime_free, runtime_free(runtime: *mut gputide_runtime);
    /// ```text
    /// Adds a scaler.  It is polled from the first observation on, with GPUTIDE_RUNTIME_OBSERVE_FIRST at once.
    ///   manifest, options   as for gputide_scaler_open.
    ///   tag   any value of the host for this scaler; returned in each event.
    ///   id    number of the scaler in this runtime, never 0 and never reused; may be NULL.
    /// Returns E_AMBIGUOUS, E_LIMIT; E_INVALID also for a name ("namespace/name") that exists.
    /// ```
    fn gputide_runtime_add, runtime_add(
        runtime: *mut gputide_runtime,
        manifest: *const c_char,
        size_bytes: i64,
        options: *const gputide_options,
        tag: u64,
        id: *mut u64,
        err: *mut gputide_error,
    ) -> gputide_status;
    /// ```text
    /// Replaces the manifest of a scaler with the same name.  Observation, pushed samples and schedule are kept, the state
    /// if it fits.  A pending event is dropped.
    ///   tag   may be NULL: unchanged.
    /// Returns E_NOT_FOUND, E_AMBIGUOUS, E_LIMIT; the scaler then continues unchanged.
    /// ```
    fn gputide_runtime_replace, runtime_replace(
        runtime: *mut gputide_runtime,
        id: u64,
        manifest: *const c_char,
        size_bytes: i64,
        options: *const gputide_options,
        tag: *const u64,
        err: *mut gputide_error,
    ) -> gputide_status;
    /// Removes a scaler, its requests and its pending event. Returns E_NOT_FOUND.
    fn gputide_runtime_remove, runtime_remove(
        runtime: *mut gputide_runtime,
        id: u64,
        err: *mut gputide_error,
    ) -> gputide_status;
    /// Returns the id of "namespace/name". Returns E_NOT_FOUND.
    fn gputide_runtime_find, runtime_find(
        runtime: *mut gputide_runtime,
        name: *const c_char,
        id: *mut u64,
        err: *mut gputide_error,
    ) -> gputide_status;
    /// ```text
    /// Iterates over scaler ids: returns the id that follows after_id, in no particular order; after_id 0: the first.  A
    /// scaler present during the whole iteration is returned exactly once.  after_id may have been removed.
    /// Returns E_NOT_FOUND after the last one.
    /// ```
    fn gputide_runtime_next_scaler, runtime_next_scaler(
        runtime: *mut gputide_runtime,
        after_id: u64,
        id: *mut u64,
        err: *mut gputide_error,
    ) -> gputide_status;
    /// ```text
    /// Sets the current facts of a scaler's target.  They are copied and used until the next observation.  The first
    /// observation starts the polling.  Observe again when the size changed by anything other than _record, and before a
    /// decision should rely on it.
    ///   observation   samples may be empty, or as for gputide_runtime_push; the metric of a pod sample must be one of the
    ///                 policy's.
    /// Returns E_NOT_FOUND.
    /// ```
    fn gputide_runtime_observe, runtime_observe(
        runtime: *mut gputide_runtime,
        id: u64,
        observation: *const gputide_observation,
        err: *mut gputide_error,
    ) -> gputide_status;
    /// ```text
    /// Sets values of metrics that the host provides (triggers of type values, metrics of an HPA without a source), without
    /// an observation.  They are copied and used by the next polls until others are pushed.  Polling starts with the first
    /// observation.
    ///   samples       one per metric of the policy, by the metric's index; GPUTIDE_SAMPLE_NOT_GIVEN keeps the previous
    ///                 value.
    ///   sample_size   sizeof(gputide_sample).
    ///   count         the number of the policy's metrics.
    /// Returns E_NOT_FOUND; E_INVALID also if a sample's metric is read by a source.
    /// ```
    fn gputide_runtime_push, runtime_push(
        runtime: *mut gputide_runtime,
        id: u64,
        samples: *const gputide_sample,
        sample_size: u32,
        count: u32,
        err: *mut gputide_error,
    ) -> gputide_status;
    /// Returns "decision", "due", "cluster"; "unknown" for a number without a name. Static.
    fn gputide_event_kind_name, event_kind_name(kind: i32) -> *const c_char;
    /// ```text
    /// Returns the next event: a write is wanted, or a decision differs from the scaler's previous one (or each decision,
    /// with GPUTIDE_RUNTIME_EVERY_DECISION).  A scaler has at most one pending event, with its newest decision, so events
    /// cannot pile up.  Blocks for at most timeout_ms; 0: does not block; GPUTIDE_FOREVER.  If no thread drives the runtime,
    /// this call drives it by the system clock while it waits.
    ///   decision   may be NULL; act on it and record the write.  GPUTIDE_EVENT_DUE and _CLUSTER have none.
    ///   report     may be NULL; emptied, then filled with GPUTIDE_RUNTIME_REPORTS or for GPUTIDE_EVENT_CLUSTER.
    /// Returns E_NO_DATA if there was no event in time, E_CANCELLED also when the runtime is closed.  After a failure the
    /// event, if there was one, is still pending.
    /// ```
    fn gputide_runtime_next_event, runtime_next_event(
        runtime: *mut gputide_runtime,
        timeout_ms: i32,
        cancel: *const gputide_cancel,
        event: *mut gputide_event,
        decision: *mut gputide_decision,
        report: *mut gputide_text,
        err: *mut gputide_error,
    ) -> gputide_status;
    /// ```text
    /// Records the result of the write that an event's decision asked for, once.  applied 1: decision->desired_replicas was
    /// written at now_ms and is the current size from now on; 0: the write failed.  Updates decision (conditions, event).  A
    /// decision that needs no write needs no record.  The last four writes of a scaler can be recorded, and after _load one
    /// that the loaded state still expects.  A record settles all earlier ones.
    /// Returns E_NOT_FOUND; E_STATE for a decision that no event of this scaler carried, or that is recorded or settled.
    /// ```
    fn gputide_runtime_record, runtime_record(
        runtime: *mut gputide_runtime,
        id: u64,
        decision: *mut gputide_decision,
        applied: i32,
        now_ms: i64,
        err: *mut gputide_error,
    ) -> gputide_status;
    /// Serializes a scaler's state as `gputide_state_save` does. Returns E_NOT_FOUND.
    fn gputide_runtime_save, runtime_save(
        runtime: *mut gputide_runtime,
        id: u64,
        out: *mut gputide_text,
        err: *mut gputide_error,
    ) -> gputide_status;
    /// Replaces a scaler's state as `gputide_state_load` does without flags. Returns E_NOT_FOUND; E_STATE in the same cases.
    fn gputide_runtime_load, runtime_load(
        runtime: *mut gputide_runtime,
        id: u64,
        text: *const c_char,
        size_bytes: i64,
        err: *mut gputide_error,
    ) -> gputide_status;
    /// ```text
    /// Returns one scaler as JSON: name, polls, observation, last decision (as in the report of gputide_decide, without a
    /// trace) and metrics (as gputide_scaler_describe).  Returns E_NOT_FOUND.
    /// ```
    fn gputide_runtime_describe, runtime_describe(
        runtime: *mut gputide_runtime,
        id: u64,
        json: *mut gputide_text,
        err: *mut gputide_error,
    ) -> gputide_status;
    /// ```text
    /// Returns counters of the runtime as JSON (docs/runtime.md): poll lag, polls, errors by reason, shared queries,
    /// requests in flight, queues, endpoints with their circuit breakers.
    /// ```
    fn gputide_runtime_stats, runtime_stats(
        runtime: *mut gputide_runtime,
        json: *mut gputide_text,
        err: *mut gputide_error,
    ) -> gputide_status;
    /// ```text
    /// Starts the runtime's thread.  Returns E_STATE if it is running or the host is driving the runtime; E_UNAVAILABLE (no
    /// thread available).
    /// ```
    fn gputide_runtime_start, runtime_start(runtime: *mut gputide_runtime, err: *mut gputide_error) -> gputide_status;
    /// ```text
    /// Stops the runtime's thread.  Blocks for at most timeout_ms; 0: starts to stop it and returns; GPUTIDE_FOREVER.  Polls
    /// under way are abandoned and start again when the runtime is driven next.  Scalers and events are kept, and the thread
    /// may be started again.  GPUTIDE_OK without a thread.  Returns E_TIMEOUT while it is still stopping: call again.
    /// ```
    fn gputide_runtime_stop, runtime_stop(
        runtime: *mut gputide_runtime,
        timeout_ms: i32,
        err: *mut gputide_error,
    ) -> gputide_status;
    /// ```text
    /// Runs everything that is due at now_ms and processes network input, without waiting.
    ///   now_ms    time of the host's clock.  It may jump: a jump back moves no poll; after a jump forward or a stall,
    ///             missed polls run once, as spread out as they were.
    ///   next_ms   may be NULL; latest time of the next call; INT64_MAX: when something was changed.
    /// Returns E_STATE while the runtime's thread or another call drives it.
    /// ```
    fn gputide_runtime_step, runtime_step(
        runtime: *mut gputide_runtime,
        now_ms: i64,
        next_ms: *mut i64,
        err: *mut gputide_error,
    ) -> gputide_status;
    /// ```text
    /// Returns a descriptor for poll or epoll.  It is readable while an event is pending, while _step should be called
    /// (unless the runtime's thread drives), and permanently after _close.  It belongs to the runtime until _free: do not
    /// read or close it.
    /// Returns E_UNAVAILABLE (no file descriptor available).
    /// ```
    fn gputide_runtime_wake_fd, runtime_wake_fd(
        runtime: *mut gputide_runtime,
        fd: *mut i32,
        err: *mut gputide_error,
    ) -> gputide_status;
}

crate::functions! {
    gputide_plan_api;
    /// ```text
    /// Opens a forecast.
    ///   settings   JSON, may be NULL: {"lead_ms":300000,"budget_percent":5,"mode":"act"}; every member and its default:
    ///              docs/json.md (forecast_describe, settings).
    /// Returns E_LIMIT; E_INVALID with the wrong member in where.
    /// ```
    fn gputide_forecast_open, forecast_open(
        settings: *const c_char,
        size_bytes: i64,
        out: *mut *mut gputide_forecast,
        err: *mut gputide_error,
    ) -> gputide_status;
    fn gputide_forecast_free, forecast_free(forecast: *mut gputide_forecast);
    /// ```text
    /// Adds the load of a pass at now_ms.  NaN, an infinity or a negative number: the load could not be read.  A time in a
    /// slot that has ended is ignored and counted; a time far back means that the clock was set.
    /// ```
    fn gputide_forecast_add, forecast_add(
        forecast: *mut gputide_forecast,
        now_ms: i64,
        load: f64,
        err: *mut gputide_error,
    ) -> gputide_status;
    /// ```text
    /// Returns the floor for the size that this pass computed.
    ///   target              load that one replica takes, more than 0.
    ///   reactive_replicas   the size without the forecast, before rate limits and bounds; at least 0, as the next two.
    ///   current_replicas    0: the workload is off and stays off.
    ///   max_replicas        upper bound of the floor.
    /// Example: floor load 117.39, target 10, reactive 10, max 40 → 12.
    /// ```
    fn gputide_forecast_floor, forecast_floor(
        forecast: *const gputide_forecast,
        target: f64,
        reactive_replicas: i32,
        current_replicas: i32,
        max_replicas: i32,
        out: *mut gputide_floor,
        err: *mut gputide_error,
    ) -> gputide_status;
    /// ```text
    /// Charges the budget: the size that was written, and the size that the same rules without the forecast would have
    /// written (their own history and size).  Once per pass, after gputide_forecast_floor; both at least 0.
    /// ```
    fn gputide_forecast_charge, forecast_charge(
        forecast: *mut gputide_forecast,
        written_replicas: i32,
        shadow_replicas: i32,
        err: *mut gputide_error,
    ) -> gputide_status;
    /// Returns forecast, accuracy and cost as JSON.
    fn gputide_forecast_describe, forecast_describe(
        forecast: *const gputide_forecast,
        json: *mut gputide_text,
        err: *mut gputide_error,
    ) -> gputide_status;
    /// Serializes the forecast for `gputide_forecast_load`, at most 28 KiB: versioned, with a checksum.
    fn gputide_forecast_save, forecast_save(
        forecast: *const gputide_forecast,
        out: *mut gputide_text,
        err: *mut gputide_error,
    ) -> gputide_status;
    /// ```text
    /// Restores a saved forecast.  With another lead, patterns and budget are kept and the rest is learned again; with
    /// another slot everything is.  Returns E_STATE for a text that is damaged, foreign or newer; nothing is changed then.
    /// ```
    fn gputide_forecast_load, forecast_load(
        forecast: *mut gputide_forecast,
        text: *const c_char,
        size_bytes: i64,
        err: *mut gputide_error,
    ) -> gputide_status;
    /// Return the names of the numbers above as JSON spells them; "unknown" for others. Static. "warming"
    fn gputide_forecast_state_name, forecast_state_name(state: i32) -> *const c_char;
    /// "within_reactive"
    fn gputide_floor_reason_name, floor_reason_name(reason: i32) -> *const c_char;
    /// Creates an empty series.
    fn gputide_series_new, series_new(out: *mut *mut gputide_series, err: *mut gputide_error) -> gputide_status;
    fn gputide_series_free, series_free(series: *mut gputide_series);
    /// ```text
    /// Adds points of one metric, in any order.  NaN or an infinity is a point without a value.
    /// Returns E_LIMIT; E_INVALID also for a time outside 1970 to 9999.
    /// ```
    fn gputide_series_add, series_add(
        series: *mut gputide_series,
        metric: i32,
        times_ms: *const i64,
        values: *const f64,
        count: u64,
        err: *mut gputide_error,
    ) -> gputide_status;
    /// ```text
    /// Adds the workload's replica counts at the time of recording.  A closed loop needs them.  Returns as
    /// gputide_series_add.
    /// ```
    fn gputide_series_add_replicas, series_add_replicas(
        series: *mut gputide_series,
        times_ms: *const i64,
        replicas: *const i32,
        count: u64,
        err: *mut gputide_error,
    ) -> gputide_status;
    /// ```text
    /// Adds the content of a text, from `metric` on.  The format is detected: CSV (time,value[,value...][,replicas]), a
    /// saved response of Prometheus' query_range with one series, or the log of `gputided run`.
    ///   metric   GPUTIDE_NO_METRIC: only the replica counts, and the decisions of a run log.
    ///   scaler   of a run log with several: "namespace/name"; NULL: the first one.
    /// Returns E_LIMIT, E_AMBIGUOUS (several series), E_PROTOCOL (JSON of another kind), E_NO_DATA; E_INVALID with the
    /// line.
    /// ```
    fn gputide_series_read, series_read(
        series: *mut gputide_series,
        metric: i32,
        text: *const c_char,
        size_bytes: i64,
        scaler: *const c_char,
        err: *mut gputide_error,
    ) -> gputide_status;
    /// ```text
    /// Adds the past of one metric from its source: one query_range, both ends included, at most 11,000 steps.  Blocks.  The
    /// trigger's rules reduce each step to one value.
    /// Returns E_UNSUPPORTED for a source without a history, E_NOT_FOUND for an index beyond the metrics, and what
    /// gputide_source_fetch returns.
    /// ```
    fn gputide_series_fetch, series_fetch(
        series: *mut gputide_series,
        scaler: *mut gputide_scaler,
        metric: i32,
        start_ms: i64,
        end_ms: i64,
        step_ms: i64,
        timeout_ms: i32,
        cancel: *const gputide_cancel,
        err: *mut gputide_error,
    ) -> gputide_status;
    /// Returns the series as CSV for `gputide_series_read`, without the decisions of a run log.
    fn gputide_series_write, series_write(
        series: *mut gputide_series,
        csv: *mut gputide_text,
        err: *mut gputide_error,
    ) -> gputide_status;
    /// Returns JSON: points, from, to, gaps, duplicates and others. Returns E_NO_DATA for a series without a point.
    fn gputide_series_describe, series_describe(
        series: *mut gputide_series,
        json: *mut gputide_text,
        err: *mut gputide_error,
    ) -> gputide_status;
    /// ```text
    /// Opens a replay.  manifest and options as for gputide_policy_open.
    ///   settings   JSON, may be NULL:
    ///              {"model":"closed","signal":"utilization","startup_ms":[90000],"set":{"threshold":60}}; every member and
    ///              its default: docs/replay.md.
    /// Returns E_AMBIGUOUS, E_LIMIT; E_INVALID with the wrong member.
    /// ```
    fn gputide_replay_open, replay_open(
        manifest: *const c_char,
        size_bytes: i64,
        options: *const gputide_options,
        settings: *const c_char,
        settings_bytes: i64,
        out: *mut *mut gputide_replay,
        err: *mut gputide_error,
    ) -> gputide_status;
    fn gputide_replay_free, replay_free(replay: *mut gputide_replay);
    /// ```text
    /// Replays a whole series, once.  Several replays may use one series at the same time, after gputide_series_describe was
    /// called on it.  Has no timeout.
    /// Returns E_NO_DATA, E_LIMIT, E_CANCELLED; E_STATE for a replay that has run or was reported on.
    /// ```
    fn gputide_replay_run, replay_run(
        replay: *mut gputide_replay,
        series: *const gputide_series,
        cancel: *const gputide_cancel,
        err: *mut gputide_error,
    ) -> gputide_status;
    /// ```text
    /// Replays one moment, for series of any length: the recorded values at time_ms, which must not go back.  Decisions that
    /// were due before it are made first.
    ///   samples    one per metric; GPUTIDE_SAMPLE_NOT_GIVEN: unchanged.  sample_size: sizeof(gputide_sample).
    ///   replicas   recorded size of the workload; -1: unchanged.
    ///   last       may be NULL; the last decision so far (source 0 before the first).
    /// Returns E_LIMIT (a gap of more than 50 million steps); E_STATE after gputide_replay_run or _report.
    /// ```
    fn gputide_replay_record, replay_record(
        replay: *mut gputide_replay,
        time_ms: i64,
        samples: *const gputide_sample,
        sample_size: u32,
        sample_count: u32,
        replicas: i32,
        last: *mut gputide_decision,
        err: *mut gputide_error,
    ) -> gputide_status;
    /// Returns the result as JSON and ends the replay: nothing can be run or recorded after it.
    fn gputide_replay_report, replay_report(
        replay: *mut gputide_replay,
        json: *mut gputide_text,
        err: *mut gputide_error,
    ) -> gputide_status;
    /// ```text
    /// Plans the nodes of a cluster that the text describes.  Pure: no I/O, no clock; adds and removes nothing.
    ///   text        pools, nodes, pods, settings and the actions since the last plan, as JSON or YAML of this library
    ///               (docs/nodes.md), and Kubernetes objects and lists (`kubectl get nodes,pods -A -o json`), concatenated.
    ///   state       next_state of the last plan; NULL or empty: none.
    ///   now_ms      Unix milliseconds.
    ///   summary     may be NULL; set its struct_size first.
    ///   json        may be NULL; the whole plan with its reasons (docs/json.md, nodes_plan).
    ///   next_state  may be NULL; JSON for the next plan: since when nodes are unneeded, open requests, failed pools.
    /// An item that cannot be read is left out and named with its path; the others are planned.
    /// Returns E_STATE for a text that is not a state; E_INVALID if nothing could be read.
    /// ```
    fn gputide_nodes_plan, nodes_plan(
        text: *const c_char,
        size_bytes: i64,
        state: *const c_char,
        state_bytes: i64,
        now_ms: i64,
        summary: *mut gputide_nodes_summary,
        json: *mut gputide_text,
        next_state: *mut gputide_text,
        err: *mut gputide_error,
    ) -> gputide_status;
    /// ```text
    /// Opens it from text, YAML or JSON: settings of this library (a document without a kind), a GpuCatalogue, a
    /// VerticalPodAutoscaler, each at most once, also in options->files:
    ///     {"sku": "Standard_NC24ads_A100_v4", "gpus": 1, "prices": {"Standard_NC24ads_A100_v4": 3.67}}
    /// Returns E_LIMIT; E_INVALID names the member, its line and path.
    /// ```
    fn gputide_rightsize_open, rightsize_open(
        settings: *const c_char,
        size_bytes: i64,
        options: *const gputide_options,
        out: *mut *mut gputide_rightsize,
        err: *mut gputide_error,
    ) -> gputide_status;
    fn gputide_rightsize_free, rightsize_free(rightsize: *mut gputide_rightsize);
    /// Returns the settings as JSON with every default, and warnings.
    fn gputide_rightsize_describe, rightsize_describe(
        rightsize: *const gputide_rightsize,
        json: *mut gputide_text,
        err: *mut gputide_error,
    ) -> gputide_status;
    /// ```text
    /// Returns the number of the named container, from 1, and creates it if it is new.  Containers have separate histograms
    /// and the same settings; at most a million.  Returns E_LIMIT.
    /// ```
    fn gputide_rightsize_container, rightsize_container(
        rightsize: *mut gputide_rightsize,
        name: *const c_char,
        number: *mut u32,
        err: *mut gputide_error,
    ) -> gputide_status;
    /// ```text
    /// Adds samples.  The samples of one unit must be in the order of their times.
    ///   sample_size   sizeof(gputide_usage_sample).
    ///   counted       may be NULL; the number of counted samples.  Negative values, NaN, infinities and samples older than
    ///                 the unit's last (for busy: as old as) are not counted and are not an error.
    /// Returns E_NOT_FOUND for an unknown container number.  With E_NO_MEMORY some samples may have been added.
    /// ```
    fn gputide_rightsize_add, rightsize_add(
        rightsize: *mut gputide_rightsize,
        samples: *const gputide_usage_sample,
        sample_size: u32,
        count: u32,
        counted: *mut u32,
        err: *mut gputide_error,
    ) -> gputide_status;
    /// ```text
    /// Returns the recommendation for one container as JSON: verdict (change, keep, hold, nothing, report), recommendation
    /// and runner-up, every percentile before and after margin, confidence and caps, cost, and a sentence.
    ///   container   as in a sample.
    /// Returns E_NOT_FOUND.
    /// ```
    fn gputide_rightsize_recommend, rightsize_recommend(
        rightsize: *const gputide_rightsize,
        container: u32,
        now_ms: i64,
        json: *mut gputide_text,
        err: *mut gputide_error,
    ) -> gputide_status;
    /// ```text
    /// Returns machines, MIG profile and sharing for a known need as JSON, the best choice first.
    ///   memory_bytes   of each GPU, margin included.
    ///   util_percent   of each GPU, margin included; at least 0.
    /// ```
    fn gputide_rightsize_fit, rightsize_fit(
        rightsize: *const gputide_rightsize,
        memory_bytes: i64,
        util_percent: f64,
        json: *mut gputide_text,
        err: *mut gputide_error,
    ) -> gputide_status;
    /// ```text
    /// Serializes one container's histograms and open windows: the status of a VerticalPodAutoscalerCheckpoint with
    /// additional members and a checksum; at most 4 KiB for 8 GPUs, 80 bytes for each more.  Returns E_NOT_FOUND.
    /// ```
    fn gputide_rightsize_save, rightsize_save(
        rightsize: *const gputide_rightsize,
        container: u32,
        now_ms: i64,
        out: *mut gputide_text,
        err: *mut gputide_error,
    ) -> gputide_status;
    /// ```text
    /// Replaces a container's data by a saved text of the same profile and half-life, or by the checkpoint object of a VPA.
    /// Returns E_NOT_FOUND; E_STATE for a text that is damaged, foreign or newer; it is never loaded in part.
    /// ```
    fn gputide_rightsize_load, rightsize_load(
        rightsize: *mut gputide_rightsize,
        container: u32,
        text: *const c_char,
        size_bytes: i64,
        err: *mut gputide_error,
    ) -> gputide_status;
    /// ```text
    /// Decides one poll of a KEDA ScaledJob: how many Jobs to create now, and which finished ones to delete.  Pure: no I/O,
    /// no clock.
    ///   manifest      text with the ScaledJob; options->scaler names one of several.
    ///   observation   JSON: {"values":[42.5,null],"running":3,"pending":1}, one value per trigger in manifest order; null:
    ///                 its read failed.  Every member: docs/jobs.md.
    ///   decision      JSON with create, delete, conditions, events and reasons (docs/json.md, scaled_job_decide).
    /// Example: 12.5 items at 2 per Job, 3 Jobs unfinished → 4.
    /// Returns E_AMBIGUOUS if there are several and none is named; E_INVALID with the place in the manifest or in
    /// observation; E_LIMIT.
    /// ```
    fn gputide_scaled_job_decide, scaled_job_decide(
        manifest: *const c_char,
        size_bytes: i64,
        options: *const gputide_options,
        observation: *const c_char,
        observation_bytes: i64,
        decision: *mut gputide_text,
        err: *mut gputide_error,
    ) -> gputide_status;
}

crate::functions! {
    gputide_kubernetes_api;
    /// ```text
    /// Attaches a cluster.  Returns at once; events and gputide_cluster_describe report the API server's responses.
    ///   settings   NULL or empty for the defaults, else JSON or YAML (every member: docs/kubernetes.md):
    ///                  {"namespaces": ["ml"], "shadow": true, "lease": {"name": "gputide", "duration_s": 15}, "shards": 1}
    ///   options    kubeconfig, kube_context and service_account_dir choose API server and identity; the rest
    ///              limits what the cluster's manifests may do.
    /// Returns E_STATE if a cluster is attached, or the runtime was created with GPUTIDE_RUNTIME_OBSERVE_FIRST; E_INVALID
    /// with the member's line and path; E_UNSUPPORTED if no API server is configured; E_AUTH.
    /// ```
    fn gputide_cluster_attach, cluster_attach(
        runtime: *mut gputide_runtime,
        settings: *const c_char,
        size_bytes: i64,
        options: *const gputide_options,
        err: *mut gputide_error,
    ) -> gputide_status;
    /// ```text
    /// Stops writing, releases the Leases, so that another instance takes over within 3 s, and removes the cluster's
    /// scalers.  Call it before _close; otherwise the Leases expire.  Drives the runtime's network meanwhile.  GPUTIDE_OK if
    /// no cluster is attached.
    /// Returns E_TIMEOUT while it is still detaching: call again; E_CANCELLED when the runtime is closed.
    /// ```
    fn gputide_cluster_detach, cluster_detach(
        runtime: *mut gputide_runtime,
        timeout_ms: i32,
        err: *mut gputide_error,
    ) -> gputide_status;
    /// ```text
    /// Returns JSON: leases, watches and their ages, writes by result, conflicts, differences, blocked scalers and the
    /// reason (docs/json.md, cluster_describe).  At most a second old; {} before the first.  Returns E_STATE if no cluster
    /// is attached.
    /// ```
    fn gputide_cluster_describe, cluster_describe(
        runtime: *mut gputide_runtime,
        json: *mut gputide_text,
        err: *mut gputide_error,
    ) -> gputide_status;
    /// ```text
    /// Tests whether a runtime could work on a cluster: API server and certificate, token and identity, served
    /// kinds, each needed right (by SelfSubjectAccessReview), and the holder of the Lease.  Includes a Role for missing
    /// rights.  Blocks; changes nothing.
    ///   settings   as for gputide_cluster_attach; namespaces, shadow, lease and shards determine what is needed.
    ///   options    as there.
    ///   report     JSON with a verdict (ok, warning, failed) for each step (docs/json.md, cluster_doctor).
    ///   lines      may be NULL; the same for people, the conclusion first.
    /// A failed step does not fail the call.  Returns E_LIMIT, E_CANCELLED, E_UNAVAILABLE; E_INVALID for settings that
    /// cannot be read.
    /// ```
    fn gputide_cluster_doctor, cluster_doctor(
        settings: *const c_char,
        size_bytes: i64,
        options: *const gputide_options,
        timeout_ms: i32,
        cancel: *const gputide_cancel,
        report: *mut gputide_text,
        lines: *mut gputide_text,
        err: *mut gputide_error,
    ) -> gputide_status;
    /// ```text
    /// Lists one collection of a cluster's API server completely, without a runtime.  Blocks; does not watch or write.
    ///   path      "/api/v1/nodes", "/apis/policy/v1/namespaces/ml/poddisruptionbudgets?labelSelector=app%3Dllm"
    ///   options   kubeconfig, kube_context and service_account_dir choose API server and identity.
    ///   json      the pages of the list as the server wrote them, concatenated: input for gputide_nodes_plan.  At most
    ///             256 MiB; use a selector for less.
    /// Returns E_INVALID for any other path; E_UNSUPPORTED if no API server is configured; E_FORBIDDEN with the missing RBAC
    /// rule; E_REJECTED for a resource that is not served; E_AUTH, E_THROTTLED, E_UNAVAILABLE, E_PROTOCOL, E_SECURITY,
    /// E_LIMIT, E_TIMEOUT, E_CANCELLED.
    /// ```
    fn gputide_cluster_list, cluster_list(
        path: *const c_char,
        options: *const gputide_options,
        timeout_ms: i32,
        cancel: *const gputide_cancel,
        json: *mut gputide_text,
        err: *mut gputide_error,
    ) -> gputide_status;
    /// ```text
    /// Hands one ScaledObject of a cluster over from a running KEDA to gputide, or back, so that never two controllers scale
    /// it at the same time.  Blocks.  Writes only annotations of that ScaledObject, each with the resourceVersion that was
    /// read.
    ///   change    JSON or YAML: {"namespace":"ml","name":"llm","to":"gputide","owner":"gputide","dry":false}.  to is
    ///             gputide or keda; dry defaults to true; owner is the value of gputide.io/owner; lease_s the duration of
    ///             its Lease (15).
    ///   options   kubeconfig, kube_context and service_account_dir choose API server and identity.  Needs: get
    ///             and patch scaledobjects, list horizontalpodautoscalers, and if possible get the scale of the target.
    ///   timeout_ms   for the whole call; after a timeout json names the pending step, and the next call continues there.
    ///   json      progress, step by step (docs/json.md, cluster_handover).
    /// Each step is also logged with GPUTIDE_LOG_INFO when it starts to wait and when it ends (docs/json.md,
    /// handover_step).  A refused, failed or pending step does not fail the call.  After a crash or a cancel the next call
    /// continues.
    /// Returns E_INVALID for a change that cannot be read; E_UNSUPPORTED if no API server is configured; E_AUTH, E_LIMIT,
    /// E_TIMEOUT, E_CANCELLED (completed writes remain).
    /// ```
    fn gputide_cluster_handover, cluster_handover(
        change: *const c_char,
        size_bytes: i64,
        options: *const gputide_options,
        timeout_ms: i32,
        cancel: *const gputide_cancel,
        json: *mut gputide_text,
        err: *mut gputide_error,
    ) -> gputide_status;
    /// ```text
    /// Writes the size of one AKS node pool through Azure Resource Manager: reads it, compares, writes it with its ETag, and
    /// follows the operation to its end.  Blocks.  The only function of this library that changes anything in Azure.
    ///   credential  an Azure identity that may write the cluster's agent pools; the options of gputide_credential_open apply here,
    ///               too.
    ///   change      JSON: {"cluster":"/subscriptions/.../managedClusters/aks","pool":"gpunp","count":4,"dry":false}.  dry
    ///               defaults to true.  count is for a pool without an autoscaler, min and max for a pool with AKS'
    ///               autoscaler.  cloud names another cloud; endpoint an address of Azure Resource Manager, whose host must
    ///               be allowed.
    ///   timeout_ms  for the whole call; an operation that is still running then continues, and this is not a failure.
    ///   json        size before, wanted size and progress (docs/json.md, agent_pool_write).
    /// Returns E_INVALID for a change that does not fit the pool; E_UNAVAILABLE with the time to wait while another
    /// operation runs on the cluster; E_REJECTED if the operation failed; E_AUTH, E_FORBIDDEN, E_TIMEOUT, E_CANCELLED
    /// (completed writes remain), E_PROTOCOL.
    /// ```
    fn gputide_agent_pool_write, agent_pool_write(
        credential: *const gputide_credential,
        change: *const c_char,
        size_bytes: i64,
        timeout_ms: i32,
        cancel: *const gputide_cancel,
        json: *mut gputide_text,
        err: *mut gputide_error,
    ) -> gputide_status;
}

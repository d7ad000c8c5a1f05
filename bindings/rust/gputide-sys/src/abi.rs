// Written by bindings/generator from include/gputide/gputide.h: change that, then run python3 -m bindings.generator.

use core::ffi::{c_char, c_void};

/// as a size: the text is NUL-terminated
pub const GPUTIDE_TEXT: i32 = -1;

/// as timeout_ms, where a comment allows it
pub const GPUTIDE_FOREVER: i32 = -1;

/// as a metric's index, where a comment allows it
pub const GPUTIDE_NO_METRIC: u32 = 4294967295;

/// as value_milli of a pod sample: a request, but no metric
pub const GPUTIDE_NO_VALUE: i64 = -9223372036854775808;

pub const GPUTIDE_VERSION_MAJOR: i32 = 0;

pub const GPUTIDE_VERSION_MINOR: i32 = 2;

pub const GPUTIDE_VERSION_PATCH: i32 = 0;

pub const GPUTIDE_ABI_VERSION: i32 = 1;

pub const GPUTIDE_CONDITION_ROOM: usize = 16;

pub type gputide_status = i32;

pub type gputide_action = i32;

pub type gputide_sample_state = i32;

/// manifests may be YAML; without it JSON alone
pub const GPUTIDE_FEATURE_YAML: u32 = 1;
pub const GPUTIDE_FEATURE_HTTP2: u32 = 2;

pub const GPUTIDE_OK: gputide_status = 0;
/// a manifest, setting or argument is wrong
pub const GPUTIDE_E_INVALID: gputide_status = 1;
/// credentials were refused
pub const GPUTIDE_E_AUTH: gputide_status = 2;
/// credentials are good, a role is missing
pub const GPUTIDE_E_FORBIDDEN: gputide_status = 3;
/// too many requests: wait until retry_at_ms
pub const GPUTIDE_E_THROTTLED: gputide_status = 4;
/// network or service, for now
pub const GPUTIDE_E_UNAVAILABLE: gputide_status = 5;
/// this credential source does not exist on this machine
pub const GPUTIDE_E_NOT_HERE: gputide_status = 6;
/// the caller's deadline, or the peer's own
pub const GPUTIDE_E_TIMEOUT: gputide_status = 7;
/// `gputide_cancel_fire`, or the handle was closed
pub const GPUTIDE_E_CANCELLED: gputide_status = 8;
/// the peer refuses this query for good
pub const GPUTIDE_E_REJECTED: gputide_status = 9;
/// an answer that cannot be used
pub const GPUTIDE_E_PROTOCOL: gputide_status = 10;
/// going on would have been unsafe
pub const GPUTIDE_E_SECURITY: gputide_status = 11;
/// the query works and there is no value
pub const GPUTIDE_E_NO_DATA: gputide_status = 12;
/// several where one is needed
pub const GPUTIDE_E_AMBIGUOUS: gputide_status = 13;
/// the peer says that its answer is incomplete
pub const GPUTIDE_E_PARTIAL: gputide_status = 14;
/// a size, depth or count limit of this library
pub const GPUTIDE_E_LIMIT: gputide_status = 15;
/// a saved state that is damaged or foreign; a call that does not fit what was done before
pub const GPUTIDE_E_STATE: gputide_status = 16;
/// a struct with members or flags that this library does not know
pub const GPUTIDE_E_TOO_NEW: gputide_status = 17;
pub const GPUTIDE_E_NO_MEMORY: gputide_status = 18;
/// ours: please report it with the message
pub const GPUTIDE_E_BUG: gputide_status = 19;
/// an id or name that is not there
pub const GPUTIDE_E_NOT_FOUND: gputide_status = 20;

pub const GPUTIDE_ACTION_NONE: gputide_action = 0;
pub const GPUTIDE_ACTION_RETRY: gputide_action = 1;
/// until retry_at_ms
pub const GPUTIDE_ACTION_WAIT: gputide_action = 2;
pub const GPUTIDE_ACTION_FIX_CONFIGURATION: gputide_action = 3;
pub const GPUTIDE_ACTION_FIX_CREDENTIALS: gputide_action = 4;
pub const GPUTIDE_ACTION_GRANT_ROLE: gputide_action = 5;
pub const GPUTIDE_ACTION_FIX_QUERY: gputide_action = 6;
/// or mend it: the host must say that it wants this
pub const GPUTIDE_ACTION_ALLOW_BY_NAME: gputide_action = 7;
pub const GPUTIDE_ACTION_UPGRADE: gputide_action = 8;
pub const GPUTIDE_ACTION_REPORT_BUG: gputide_action = 9;

pub const GPUTIDE_LOG_ERROR: i32 = 1;
pub const GPUTIDE_LOG_WARNING: i32 = 2;
pub const GPUTIDE_LOG_INFO: i32 = 3;
pub const GPUTIDE_LOG_DEBUG: i32 = 4;

/// any name in ${NAME} and env:, as allowed_environment "\*"
pub const GPUTIDE_ALLOW_ENVIRONMENT: u32 = 1;
/// a credential over http to a host that is not loopback
pub const GPUTIDE_ALLOW_PLAIN_HTTP: u32 = 2;
/// a login endpoint outside the known Azure clouds
pub const GPUTIDE_ALLOW_CUSTOM_AUTHORITY: u32 = 4;
/// AKS identity bindings: AZURE_KUBERNETES_TOKEN_PROXY
pub const GPUTIDE_ENABLE_AZURE_PROXY: u32 = 8;
/// the strict profile, as if each manifest said gputide.io/profile: strict
pub const GPUTIDE_STRICT: u32 = 16;
/// No credential of any kind to a peer whose certificate is not verified: unsafeSsl is E_SECURITY then.
pub const GPUTIDE_VERIFIED_PEERS: u32 = 32;
/// ```text
/// Tokens and signatures of the host's identities (podIdentity), too, to a peer that a manifest says not to verify
/// (unsafeSsl); without it that is E_SECURITY.  Credentials that stand in the manifest go there as in KEDA.
/// ```
pub const GPUTIDE_ALLOW_UNVERIFIED_PEERS: u32 = 64;

/// nobody read it, or nobody said
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

pub const GPUTIDE_STATE_UNCHECKED: u32 = 1;

pub const GPUTIDE_POD_RUNNING: i32 = 1;
pub const GPUTIDE_POD_PENDING: i32 = 2;
pub const GPUTIDE_POD_SUCCEEDED: i32 = 3;
pub const GPUTIDE_POD_FAILED: i32 = 4;
pub const GPUTIDE_POD_UNKNOWN: i32 = 5;

pub const GPUTIDE_READY_YES: i32 = 1;
pub const GPUTIDE_READY_NO: i32 = 2;
pub const GPUTIDE_READY_NO_CONDITION: i32 = 3;
pub const GPUTIDE_READY_UNKNOWN: i32 = 4;

/// status_replicas is 0, not absent
pub const GPUTIDE_SEEN_STATUS: u32 = 1;
/// ready_replicas is 0, not absent
pub const GPUTIDE_SEEN_READY: u32 = 2;
/// the target's size could not be read; current_replicas is not looked at
pub const GPUTIDE_SCALE_UNREADABLE: u32 = 4;
/// pods has all pods of the target: pod_count 0 is a target without pods, not pods unsaid
pub const GPUTIDE_SEEN_PODS: u32 = 8;

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
/// held up, by gputide.io/forecast
pub const GPUTIDE_LIMIT_FORECAST: i32 = 13;

pub const GPUTIDE_FROM_HPA: i32 = 1;
pub const GPUTIDE_FROM_EXECUTOR: i32 = 2;

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

pub const GPUTIDE_REASON_NONE: i32 = 0;
pub const GPUTIDE_REASON_FAILED_GET_SCALE: i32 = 1;
pub const GPUTIDE_REASON_SUCCEEDED_GET_SCALE: i32 = 2;
pub const GPUTIDE_REASON_READY_FOR_NEW_SCALE: i32 = 3;
pub const GPUTIDE_REASON_SCALE_DOWN_STABILIZED: i32 = 4;
pub const GPUTIDE_REASON_SCALE_UP_STABILIZED: i32 = 5;
pub const GPUTIDE_REASON_SUCCEEDED_RESCALE: i32 = 6;
pub const GPUTIDE_REASON_FAILED_UPDATE_SCALE: i32 = 7;
pub const GPUTIDE_REASON_VALID_METRIC_FOUND: i32 = 8;
pub const GPUTIDE_REASON_SCALING_DISABLED: i32 = 9;
pub const GPUTIDE_REASON_INVALID_SELECTOR: i32 = 10;
pub const GPUTIDE_REASON_AMBIGUOUS_SELECTOR: i32 = 11;
pub const GPUTIDE_REASON_FAILED_GET_RESOURCE_METRIC: i32 = 12;
pub const GPUTIDE_REASON_FAILED_GET_CONTAINER_RESOURCE_METRIC: i32 = 13;
pub const GPUTIDE_REASON_FAILED_GET_PODS_METRIC: i32 = 14;
pub const GPUTIDE_REASON_FAILED_GET_OBJECT_METRIC: i32 = 15;
pub const GPUTIDE_REASON_FAILED_GET_EXTERNAL_METRIC: i32 = 16;
pub const GPUTIDE_REASON_INVALID_METRIC_SOURCE_TYPE: i32 = 17;
pub const GPUTIDE_REASON_DESIRED_WITHIN_RANGE: i32 = 18;
pub const GPUTIDE_REASON_TOO_FEW_REPLICAS: i32 = 19;
pub const GPUTIDE_REASON_TOO_MANY_REPLICAS: i32 = 20;
pub const GPUTIDE_REASON_SCALE_UP_LIMIT: i32 = 21;
pub const GPUTIDE_REASON_SCALE_DOWN_LIMIT: i32 = 22;
pub const GPUTIDE_REASON_SCALED_TO_ZERO: i32 = 23;
pub const GPUTIDE_REASON_NOT_SCALED_TO_ZERO: i32 = 24;
pub const GPUTIDE_REASON_SCALED_OBJECT_READY: i32 = 25;
pub const GPUTIDE_REASON_ERROR_GETTING_CURRENT_REPLICAS: i32 = 26;
pub const GPUTIDE_REASON_TRIGGER_ERROR: i32 = 27;
pub const GPUTIDE_REASON_PARTIAL_TRIGGER_ERROR: i32 = 28;
pub const GPUTIDE_REASON_SCALER_ACTIVE: i32 = 29;
pub const GPUTIDE_REASON_SCALER_NOT_ACTIVE: i32 = 30;
pub const GPUTIDE_REASON_SCALER_COOLDOWN: i32 = 31;
pub const GPUTIDE_REASON_FALLBACK_EXISTS: i32 = 32;
pub const GPUTIDE_REASON_NO_FALLBACK_FOUND: i32 = 33;
pub const GPUTIDE_REASON_SCALED_OBJECT_PAUSED: i32 = 34;
/// a write of KEDA's half was refused (KEDA 2.21)
pub const GPUTIDE_REASON_ERROR_SCALING_TARGET: i32 = 35;

/// a trigger is active
pub const GPUTIDE_DECIDED_ACTIVE: u32 = 1;
/// a trigger or metric failed and nothing took its place
pub const GPUTIDE_DECIDED_ERROR: u32 = 2;
/// KEDA's half was due and ran
pub const GPUTIDE_DECIDED_EXECUTOR: u32 = 4;
/// the HPA's half was due and ran
pub const GPUTIDE_DECIDED_HPA: u32 = 8;

/// events also for decisions that change nothing
pub const GPUTIDE_RUNTIME_EVERY_DECISION: u32 = 1;
/// events carry the decision as JSON, with conditions and trace
pub const GPUTIDE_RUNTIME_REPORTS: u32 = 2;
/// each scaler asks for itself, also where two ask the same
pub const GPUTIDE_RUNTIME_NO_SHARING: u32 = 4;
/// each poll begins with an observation that `GPUTIDE_EVENT_DUE` asks for
pub const GPUTIDE_RUNTIME_OBSERVE_FIRST: u32 = 8;

pub const GPUTIDE_EVENT_DECISION: i32 = 1;
pub const GPUTIDE_EVENT_DUE: i32 = 2;
pub const GPUTIDE_EVENT_CLUSTER: i32 = 3;

/// not scored for long enough
pub const GPUTIDE_FORECAST_WARMING: i32 = 1;
/// not better than the last value
pub const GPUTIDE_FORECAST_OFF: i32 = 2;
/// the budget is
pub const GPUTIDE_FORECAST_SPENT: i32 = 3;
pub const GPUTIDE_FORECAST_ON: i32 = 4;

pub const GPUTIDE_FLOOR_RAISED: i32 = 1;
/// the reactive size is enough
pub const GPUTIDE_FLOOR_WITHIN_REACTIVE: i32 = 2;
pub const GPUTIDE_FLOOR_CAPPED_BY_MAX: i32 = 3;
/// by max_raise_percent
pub const GPUTIDE_FLOOR_CAPPED_BY_RAISE: i32 = 4;
/// it would have raised, and mode is observe
pub const GPUTIDE_FLOOR_OBSERVE: i32 = 5;
/// this and all below: it asks for nothing
pub const GPUTIDE_FLOOR_WARMING_UP: i32 = 6;
pub const GPUTIDE_FLOOR_NOT_BETTER: i32 = 7;
pub const GPUTIDE_FLOOR_BUDGET_SPENT: i32 = 8;
pub const GPUTIDE_FLOOR_NO_RECENT_VALUE: i32 = 9;
/// no forecast starts a workload from zero
pub const GPUTIDE_FLOOR_AT_ZERO: i32 = 10;

/// busy is set
pub const GPUTIDE_USAGE_BUSY: u32 = 1;
/// memory_bytes is set
pub const GPUTIDE_USAGE_MEMORY: u32 = 2;
/// it ran out of memory, with memory_bytes requested (0: unknown); busy is ignored
pub const GPUTIDE_USAGE_OOM: u32 = 4;

/// ```text
/// Pull, for languages where a callback is a burden.  Each reader sees every line from its opening on; up to 256 wait for
/// it, then the oldest give way.
/// ```
#[repr(C)]
pub struct gputide_log_reader {
    _opaque: crate::Opaque,
}

#[repr(C)]
pub struct gputide_cancel {
    _opaque: crate::Opaque,
}

/// Something that gets tokens. Credentials of one process share a cache, so equal ones make one request.
#[repr(C)]
pub struct gputide_credential {
    _opaque: crate::Opaque,
}

/// A metric: where it is, how it is asked for, how its answer becomes one number.
#[repr(C)]
pub struct gputide_source {
    _opaque: crate::Opaque,
}

/// An answer as it came: all series, with their labels, and what the peer said beside them.
#[repr(C)]
pub struct gputide_samples {
    _opaque: crate::Opaque,
}

/// What to decide by: bounds, thresholds, behaviour, cooldown. Immutable.
#[repr(C)]
pub struct gputide_policy {
    _opaque: crate::Opaque,
}

/// What one scaler remembers: activity, stabilisation windows, scale events, failure counts.
#[repr(C)]
pub struct gputide_state {
    _opaque: crate::Opaque,
}

/// A manifest as a working pipeline: sources, credentials, policy, state.
#[repr(C)]
pub struct gputide_scaler {
    _opaque: crate::Opaque,
}

/// ```text
/// Many scalers in one process: polled at their intervals, side by side, over shared connections and tokens; each decision
/// that matters comes as an event.  Driven in one of three ways:
///   gputide_runtime_start    a thread of its own (all signals blocked in it), until _stop or _close
///   gputide_runtime_step     by the host, by the host's clock, when the last step said or earlier; gputide_runtime_wake_fd
///                            tells a loop when that is
///   neither                  gputide_runtime_next_event drives while it waits
/// Every function of this section but _free may be called from any thread, at the same time as others, and waits for nothing
/// unless its comment says so.  Every one but _close and _free returns E_STATE once _close was called.  Close the runtime
/// before the process exits.  docs/runtime.md has the limits and what was measured.
/// ```
#[repr(C)]
pub struct gputide_runtime {
    _opaque: crate::Opaque,
}

/// ```text
/// Recorded values of each metric over time, and the workload's size meanwhile where it is known.  At most 20 million points.
/// Order, duplicates, gaps and NaN are sorted out and counted, not refused.
/// ```
#[repr(C)]
pub struct gputide_series {
    _opaque: crate::Opaque,
}

/// ```text
/// One replay: a manifest's policy, a model, and the sums so far.  Its memory does not grow with the length of what it runs
/// over.
/// ```
#[repr(C)]
pub struct gputide_replay {
    _opaque: crate::Opaque,
}


/// ```text
/// The load of the next start-up time, for a host that scales in a loop of its own; in a manifest gputide.io/forecast does all of
/// this.  It learns from one load per pass (what must be served in total), scores itself against "nothing will change", and gives
/// a floor for the size that the host came to without it.  Each pass: _step, decide, _ask, write the size, _book.
/// Rules, figures and when it does not help: docs/forecast.md.  At most 16 KiB each; no pass allocates.
/// ```
#[repr(C)]
pub struct gputide_forecast {
    _opaque: crate::Opaque,
}

/// ```text
/// What a workload really needs: samples of its GPUs come in one by one, and out of them bounds, a number of GPUs, a MIG
/// profile, a machine, or several replicas on one GPU, with the evidence and the money.  No I/O and no clock; a sample allocates
/// nothing but for a GPU or a stretch of values that is new.  Rules and settings: docs/rightsizing.md.
/// ```
#[repr(C)]
pub struct gputide_rightsize {
    _opaque: crate::Opaque,
}

/// ```text
/// Caller-owned; nothing in it needs freeing.  On entry only struct_size is read, so one struct may serve for ever; it is
/// written on failure alone.  Texts are cut on a UTF-8 boundary to fit.  Never holds a secret.
/// ```
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct gputide_error {
    pub struct_size: u32,
    pub status: gputide_status,
    /// `GPUTIDE_ACTION_RETRY` and _WAIT only where retryable is 1
    pub action: gputide_action,
    /// 1: the same call, unchanged, may work later
    pub retryable: i32,
    /// 0: there was no HTTP answer
    pub http_status: i32,
    pub reserved: i32,
    /// 0: nobody said when
    pub retry_at_ms: i64,
    /// the peer's own: AADSTS700024, bad_data, AuthorizationFailed
    pub service_code: [c_char; 64],
    /// "so.yaml:17 spec.triggers\[0\].metadata.threshold", "trigger 0 (prometheus)"
    pub r#where: [c_char; 128],
    /// which thing, what was expected, what came, what to do
    pub message: [c_char; 2048],
    /// JSON: class, what else the peer said (suberror, claims, trace_id); "" if too long
    pub detail: [c_char; 4096],
}

crate::zeroed!(gputide_error, struct_size);

/// Bytes of the library, NUL-terminated beyond size_bytes. Start with {0}: what is in it is freed when it is filled again.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct gputide_text {
    pub data: *mut c_char,
    pub size_bytes: u64,
}

crate::zeroed!(gputide_text);

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct gputide_allocator {
    pub struct_size: u32,
    pub reserved: u32,
    /// NULL: no memory
    pub allocate: Option<unsafe extern "C" fn(user_data: *mut c_void, size_bytes: u64) -> *mut c_void>,
    pub release: Option<unsafe extern "C" fn(user_data: *mut c_void, memory: *mut c_void)>,
    pub user_data: *mut c_void,
}

crate::zeroed!(gputide_allocator, struct_size);

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct gputide_log_sink {
    pub struct_size: u32,
    /// `GPUTIDE_LOG_`\*: lines of this level and more severe ones
    pub level: i32,
    /// ```text
    /// May be called from any thread that is inside a gputide function; must not call back into the library.
    /// line: one line without LF, valid during the call.
    /// ```
    pub write: Option<unsafe extern "C" fn(user_data: *mut c_void, level: i32, line: *const c_char)>,
    /// once, when the sink is replaced; may be NULL
    pub finalize: Option<unsafe extern "C" fn(user_data: *mut c_void)>,
    pub user_data: *mut c_void,
}

crate::zeroed!(gputide_log_sink, struct_size);

/// Text that stands beside the main one: a TriggerAuthentication, a Secret, a ConfigMap in a file of its own.
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

/// ```text
/// What the host program allows and knows.  Trust is the host's: none of this can be said by a manifest.  Any member may be
/// 0 or NULL; lists are comma-separated.
/// ```
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct gputide_options {
    pub struct_size: u32,
    /// `GPUTIDE_ALLOW_`\* and others above
    pub flags: u32,
    /// name of the main text in messages; NULL: "\<text\>"
    pub text_name: *const c_char,
    /// which one, "name" or "namespace/name", where the text holds several
    pub scaler: *const c_char,
    /// further texts
    pub files: *const gputide_file,
    pub file_count: u32,
    /// sizeof(`gputide_file`)
    pub file_size: u32,
    /// variables that ${NAME} and env: may name: "TENANT,APP_\*,KUBECONFIG"; NULL: none
    pub allowed_environment: *const c_char,
    /// hosts that may get a cloud token beside the cloud's own
    pub allowed_token_hosts: *const c_char,
    /// ```text
    /// programs that may be run for a token: "az", "/opt/bin/token" by a manifest,
    /// "kubeconfig:kubelogin" by a kubeconfig
    /// ```
    pub allowed_programs: *const c_char,
    /// DIR/\<name\>/\<key\> for secretTargetRef and configMapTargetRef; tokenFile lies below
    pub secrets_dir: *const c_char,
    /// PEM roots; instead of SSL_CERT_FILE, SSL_CERT_DIR and the system's
    pub ca_file: *const c_char,
    /// the same as text; goes before ca_file
    pub ca_pem: *const c_char,
    /// `GPUTIDE_TEXT`: NUL-terminated
    pub ca_pem_bytes: i64,
    /// ```text
    /// "http://proxy:3128" for all but loopback and metadata services; "environment":
    /// HTTPS_PROXY, HTTP_PROXY, NO_PROXY; NULL: none
    /// ```
    pub proxy: *const c_char,
    /// NULL: "gputide/0.2.0"
    pub user_agent: *const c_char,
    /// ```text
    /// the Kubernetes cluster to read from; NULL: KUBECONFIG where it is allowed, else the
    /// pod's service account
    /// ```
    pub kubeconfig: *const c_char,
    /// one of its contexts; NULL: current-context
    pub kube_context: *const c_char,
    /// token, ca.crt and namespace of a pod; NULL: where Kubernetes mounts them
    pub service_account_dir: *const c_char,
}

crate::zeroed!(gputide_options, struct_size);

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct gputide_token_info {
    pub struct_size: u32,
    pub reserved: u32,
    pub expires_at_ms: i64,
    /// the library renews from here on
    pub refresh_at_ms: i64,
    /// and does not hand it out beyond this
    pub usable_until_ms: i64,
}

crate::zeroed!(gputide_token_info, struct_size);

/// One number, or the reason that there is none.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct gputide_sample {
    pub struct_size: u32,
    /// `GPUTIDE_SAMPLE_`\*; value holds where it is `GPUTIDE_SAMPLE_OK`
    pub state: gputide_sample_state,
    /// of the failed read; `GPUTIDE_OK` where state is OK
    pub status: gputide_status,
    /// `GPUTIDE_SAMPLE_NULL_AS_ZERO`
    pub flags: u32,
    /// finite
    pub value: f64,
    /// when it was true; 0: unknown
    pub time_ms: i64,
    /// in: why there is no number, for reports and conditions; may be NULL. out: NULL
    pub message: *const c_char,
}

crate::zeroed!(gputide_sample, struct_size);

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
    /// index of the policy's metric, from 0
    pub metric: i32,
    /// which of observation.pods, from 1; 0: a pod that is not listed
    pub pod: i32,
    /// thousandths, as Kubernetes counts them; `GPUTIDE_NO_VALUE`: only its request is known
    pub value_milli: i64,
    /// Utilization: what the pod requests; 0: no request
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

/// What is true now. All of it is borrowed for the call. Arrays with count 0 may be NULL.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct gputide_observation {
    pub struct_size: u32,
    /// `GPUTIDE_SEEN_`\*, `GPUTIDE_SCALE_UNREADABLE`
    pub flags: u32,
    pub now_ms: i64,
    /// the target's spec.replicas
    pub current_replicas: i32,
    /// its status.replicas: pods that exist; 0 without flag: as current
    pub status_replicas: i32,
    /// pods that are ready; 0 without flag: as current
    pub ready_replicas: i32,
    /// ```text
    /// as many as the policy has metrics.  0 is fine where none takes a sample: where all of them
    /// are read from pods, with GPUTIDE_SCALE_UNREADABLE, or where a scaler fetches
    /// ```
    pub sample_count: u32,
    /// by the metric's index; `GPUTIDE_SAMPLE_NOT_GIVEN`: nothing is said of it
    pub samples: *const gputide_sample,
    pub pods: *const gputide_pod,
    pub pod_samples: *const gputide_pod_sample,
    pub pod_count: u32,
    pub pod_sample_count: u32,
    /// sizeof(`gputide_sample`) where samples is set; pods and pod samples likewise
    pub sample_size: u32,
    pub pod_size: u32,
    pub pod_sample_size: u32,
    pub reserved: u32,
    /// with `GPUTIDE_SCALE_UNREADABLE`: why, for conditions; may be NULL
    pub message: *const c_char,
}

crate::zeroed!(gputide_observation, struct_size);

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct gputide_condition {
    /// `GPUTIDE_ABSENT`: this condition is not set
    pub truth: i32,
    /// `GPUTIDE_REASON_`\*
    pub reason: i32,
    /// when truth last changed
    pub since_ms: i64,
}

crate::zeroed!(gputide_condition);

/// ```text
/// Write desired_replicas to the target if it differs from current_replicas, then say how that went (gputide_state_record,
/// gputide_scaler_record): scale events and cooldown follow what was applied, not what was wished.
/// ```
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct gputide_decision {
    pub struct_size: u32,
    /// `GPUTIDE_DECIDED_`\*
    pub flags: u32,
    /// what its state knows it by, for the record; never 0, below 2^53
    pub id: u64,
    pub now_ms: i64,
    /// Unix time at which the next decision is due; earlier ones answer `GPUTIDE_LIMIT_NOT_DUE`
    pub next_due_ms: i64,
    pub current_replicas: i32,
    pub desired_replicas: i32,
    /// what the metrics ask for, before stabilisation, limits and bounds
    pub proposed_replicas: i32,
    /// `GPUTIDE_LIMIT_`\*
    pub limited_by: i32,
    /// `GPUTIDE_FROM_`\*
    pub source: i32,
    /// index of the metric that asked for the most; -1: none; -2: scalingModifiers' formula
    pub winner: i32,
    /// the first that failed, likewise
    pub failed_metric: i32,
    /// `GPUTIDE_ACTIVATED`, ...
    pub event: i32,
    pub conditions: [gputide_condition; 16],
    /// `GPUTIDE_FORECAST_`\*; 0: the policy has no forecast
    pub forecast_state: i32,
    /// replicas that the load to be ready for takes; -1: the forecast asks for nothing
    pub forecast_need: i32,
    /// in: why the write failed, for conditions; may be NULL. NULL after every call
    pub message: *const c_char,
}

crate::zeroed!(gputide_decision, struct_size);

/// A negative member is E_INVALID.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct gputide_runtime_options {
    pub struct_size: u32,
    /// `GPUTIDE_RUNTIME_`\*
    pub flags: u32,
    /// of the start offsets: where in its period a scaler begins
    pub seed: u64,
    /// of one poll: tokens, queries, retries; 0: 10,000
    pub poll_timeout_ms: i32,
    /// first polls come within that time; 0: within the scaler's own shorter period
    pub start_spread_ms: i32,
    /// an answer serves equal queries for so long; 0: 5,000
    pub share_window_ms: i32,
    /// requests, over all endpoints; 0: 1,024
    pub most_in_flight: i32,
    /// requests to one scheme, host and port; 0: 64
    pub most_per_endpoint: i32,
    /// in a row, until an endpoint is left alone for a while; 0: 5
    pub breaker_failures: i32,
    /// for how long at first; doubles with each failed trial; 0: 1,000
    pub breaker_base_ms: i32,
    /// and at most, not less than at first; 0: 60,000
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
    /// the host's own for it, as _add or _replace was given
    pub tag: u64,
    /// 1, 2, 3, ... in the order in which events are taken
    pub sequence: u64,
    /// when the host saw what the decision stands on: seen-\>now_ms, or now_ms of a record
    pub observed_ms: i64,
    /// earlier decisions of this scaler that nobody took in time; this one stands for them
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
    /// reactive_replicas or more, never above max_replicas because of the forecast
    pub replicas: i32,
    /// what floor_load takes; -1: it asks for nothing
    pub need_replicas: i32,
    pub reserved: i32,
    /// the load to be ready for; NaN: it asks for nothing
    pub floor_load: f64,
}

crate::zeroed!(gputide_floor, struct_size);

/// What a plan came to, in numbers.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct gputide_nodes_summary {
    pub struct_size: u32,
    /// items of the text that were left out, or settings that were refused; the JSON names each
    pub errors: u32,
    pub warnings: u32,
    pub reserved: u32,
    pub nodes_to_add: i64,
    /// now; others may follow later
    pub nodes_to_remove: i64,
    /// pods that wait: the sum of the next three
    pub pods_pending: i64,
    /// that nodes which are there, or on their way, have room for
    pub pods_on_existing: i64,
    pub pods_on_new: i64,
    /// that no pool can take; the JSON says why
    pub pods_left: i64,
}

crate::zeroed!(gputide_nodes_summary, struct_size);

/// Of one GPU, MIG instance or (profile vpa) container of a pod, at one time.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct gputide_usage_sample {
    pub time_ms: i64,
    /// its number; 0: the one without a name
    pub container: u32,
    /// which of its GPUs, from 0 over all replicas, up to 4095
    pub unit: u32,
    /// `GPUTIDE_USAGE_`\*
    pub flags: u32,
    pub reserved: u32,
    /// percent of time or, better, of its engines; profile vpa: cores
    pub busy: f64,
    /// in use, of this GPU
    pub memory_bytes: i64,
}

crate::zeroed!(gputide_usage_sample);

crate::functions! {
    /// "0.2.0". Static. Since 0.2.
    fn gputide_version, version() -> *const c_char;
    /// major \* 1000000 + minor \* 1000 + patch of the library that runs. Since 0.2.
    fn gputide_version_number, version_number() -> i32;
    /// Bit set of `GPUTIDE_FEATURE_`\*. Since 0.2.
    fn gputide_features, features() -> u32;
    /// JSON of compiler and dependency versions, for bug reports. Static. Since 0.2.
    fn gputide_build_info, build_info() -> *const c_char;
    /// "E_INVALID", "OK"; "E_UNKNOWN" for a number without a name. Static. Since 0.2.
    fn gputide_status_name, status_name(status: gputide_status) -> *const c_char;
    /// What a status usually asks for, as `GPUTIDE_ACTION_`\*; `gputide_error.action` knows the single case. Since 0.2.
    fn gputide_status_action, status_action(status: gputide_status) -> gputide_action;
    /// "fix_credentials", "none"; "unknown" for a number without a name. Static. Since 0.2.
    fn gputide_action_name, action_name(action: gputide_action) -> *const c_char;
    /// Frees and empties it; the bytes are overwritten first. NULL and an empty one are fine. Since 0.2.
    fn gputide_text_free, text_free(text: *mut gputide_text);
    /// ```text
    /// Where gputide_text memory comes from.  Process-wide; call it once, before anything else of this library; NULL restores
    /// malloc and free.  Returns E_STATE when a text has been handed out already.  Since 0.2.
    /// ```
    fn gputide_set_allocator, set_allocator(
        allocator: *const gputide_allocator,
        err: *mut gputide_error,
    ) -> gputide_status;
    /// Push: each line goes to sink-\>write. Process-wide; NULL: off (the default). Returns the common statuses. Since 0.2.
    fn gputide_set_log, set_log(sink: *const gputide_log_sink, err: *mut gputide_error) -> gputide_status;
    /// level: `GPUTIDE_LOG_`\*, as for the sink. Returns the common statuses. Since 0.2.
    fn gputide_log_open, log_open(
        level: i32,
        out: *mut *mut gputide_log_reader,
        err: *mut gputide_error,
    ) -> gputide_status;
    /// ```text
    /// The next line.  Blocks for at most timeout_ms; 0: not at all; GPUTIDE_FOREVER.
    ///   cancel, level   may be NULL.
    /// Returns E_NO_DATA where none came in time, E_CANCELLED also after gputide_log_close.  Since 0.2.
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
    /// Ends a wait in gputide_log_next, now and from now on.  Any thread, also during a call; may be repeated; NULL is fine.
    /// Since 0.2.
    /// ```
    fn gputide_log_close, log_close(reader: *mut gputide_log_reader);
    /// Not while a call uses it. Since 0.2.
    fn gputide_log_free, log_free(reader: *mut gputide_log_reader);
    /// ```text
    /// A gputide_cancel ends blocking calls from another thread.  One handle may serve several calls.
    /// Returns the common statuses.  Since 0.2.
    /// ```
    fn gputide_cancel_new, cancel_new(out: *mut *mut gputide_cancel, err: *mut gputide_error) -> gputide_status;
    /// ```text
    /// Ends the calls that use it, and those that will, with GPUTIDE_E_CANCELLED.  Any thread, any time; not from a signal
    /// handler.  Since 0.2.
    /// ```
    fn gputide_cancel_fire, cancel_fire(cancel: *const gputide_cancel);
    /// Makes a fired one usable again. While no call uses it. Since 0.2.
    fn gputide_cancel_reset, cancel_reset(cancel: *mut gputide_cancel);
    /// Not while a call uses it. Since 0.2.
    fn gputide_cancel_free, cancel_free(cancel: *mut gputide_cancel);
    /// ```text
    /// From text: a TriggerAuthentication document, or its podIdentity block alone:
    ///     provider: azure-workload
    ///     identityId: 00000000-0000-0000-0000-000000000000      (optional, as in KEDA; identityTenantId, identityAuthorityHost too)
    /// Every provider of a manifest is one here (docs/credentials.md): azure-workload, azure-managed-identity,
    /// azure-client-secret, azure-client-certificate, azure-cli, azure-default (the chain), aws, gcp, bearer-file, bearer-exec.
    /// The token of aws is the JSON that AWS' credential_process prints: a key and a session, which sign requests.
    /// size_bytes may be GPUTIDE_TEXT; options may be NULL.  No request is made.
    /// Returns E_LIMIT; E_INVALID names the key or the environment variable.  Since 0.2.
    /// ```
    fn gputide_credential_open, credential_open(
        text: *const c_char,
        size_bytes: i64,
        options: *const gputide_options,
        out: *mut *mut gputide_credential,
        err: *mut gputide_error,
    ) -> gputide_status;
    /// Since 0.2.
    fn gputide_credential_free, credential_free(credential: *mut gputide_credential);
    /// ```text
    /// A token for one scope ("https://prometheus.monitor.azure.com/.default").  Blocks; answers from the cache where it can.
    ///   token          the bearer token: a secret, keep it out of logs; gputide_text_free wipes it.
    ///   info, cancel   may be NULL.
    /// Returns E_AUTH, _THROTTLED, _UNAVAILABLE, _NOT_HERE, _TIMEOUT, _CANCELLED, _REJECTED, _PROTOCOL, _SECURITY, _LIMIT.
    /// Since 0.2.
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
    /// A resource answered 401 to exactly this token: drop it.  Reporting an older token has no effect, and a scope is
    /// renewed by force at most once in 30 s.  Returns the common statuses.  Since 0.2.
    /// ```
    fn gputide_credential_invalidate, credential_invalidate(
        credential: *const gputide_credential,
        scope: *const c_char,
        token: *const c_char,
        token_bytes: i64,
        err: *mut gputide_error,
    ) -> gputide_status;
    /// ```text
    /// Claims of a JWT that tell whose it is (aud, iss, tid, appid, oid, sub, nbf, exp), as JSON; never its signature.
    /// Nothing is verified.  Returns E_PROTOCOL for a text that is no JWT.  Since 0.2.
    /// ```
    fn gputide_token_claims, token_claims(
        token: *const c_char,
        token_bytes: i64,
        json: *mut gputide_text,
        err: *mut gputide_error,
    ) -> gputide_status;
    /// "ok", "not_a_number", as the JSON has it; "unknown" for a number without a name. Static. Since 0.2.
    fn gputide_sample_state_name, sample_state_name(state: gputide_sample_state) -> *const c_char;
    /// ```text
    /// From text: one entry of a ScaledObject's triggers, and beside it (in options->files or as further documents of the text)
    /// the TriggerAuthentication that it names:
    ///     type: prometheus
    ///     metadata: { serverAddress: "https://...", query: "avg(DCGM_FI_DEV_GPU_UTIL)", threshold: "5" }
    /// options may be NULL.  Nothing is sent.  Returns E_LIMIT; E_INVALID names trigger, key, line and path.  Since 0.2.
    /// ```
    fn gputide_source_open, source_open(
        text: *const c_char,
        size_bytes: i64,
        options: *const gputide_options,
        out: *mut *mut gputide_source,
        err: *mut gputide_error,
    ) -> gputide_status;
    /// Since 0.2.
    fn gputide_source_free, source_free(source: *mut gputide_source);
    /// ```text
    /// Read one value.  Blocks.
    ///   now_ms   the time the query is evaluated at.
    ///   cancel   may be NULL; firing it from another thread ends the call with GPUTIDE_E_CANCELLED.
    /// An empty answer with ignoreNullValues (KEDA's default for prometheus) is value 0, flag GPUTIDE_SAMPLE_NULL_AS_ZERO.
    /// Returns any status of section 2 but E_NOT_FOUND.  Since 0.2.
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
    /// As gputide_source_fetch, without making one number of it: several series and an empty answer are both fine.
    /// Returns as gputide_source_fetch.  Since 0.2.
    /// ```
    fn gputide_source_fetch_all, source_fetch_all(
        source: *mut gputide_source,
        now_ms: i64,
        timeout_ms: i32,
        cancel: *const gputide_cancel,
        out: *mut *mut gputide_samples,
        err: *mut gputide_error,
    ) -> gputide_status;
    /// How many series; 0 for NULL. Since 0.2.
    fn gputide_samples_count, samples_count(samples: *const gputide_samples) -> u32;
    /// The newest point of one series. Returns E_NOT_FOUND for an index beyond the count. Since 0.2.
    fn gputide_samples_get, samples_get(
        samples: *const gputide_samples,
        index: u32,
        out: *mut gputide_sample,
        err: *mut gputide_error,
    ) -> gputide_status;
    /// ```text
    /// {"__name__":"DCGM_FI_DEV_GPU_UTIL","gpu":"0"}: lives as long as the handle; NULL for an index beyond the count.
    /// Since 0.2.
    /// ```
    fn gputide_samples_labels, samples_labels(samples: *const gputide_samples, index: u32) -> *const c_char;
    /// ```text
    /// The whole answer as JSON: type of result, every point and histogram of every series, warnings, infos, partial.
    /// Returns the common statuses.  Since 0.2.
    /// ```
    fn gputide_samples_describe, samples_describe(
        samples: *const gputide_samples,
        json: *mut gputide_text,
        err: *mut gputide_error,
    ) -> gputide_status;
    /// Since 0.2.
    fn gputide_samples_free, samples_free(samples: *mut gputide_samples);
    /// ```text
    /// What the trigger came to, as JSON: target, metric name, type, settings with every default, and what was found to remark.
    /// Holds no secret.  Returns the common statuses.  Since 0.2.
    /// ```
    fn gputide_source_describe, source_describe(
        source: *const gputide_source,
        json: *mut gputide_text,
        err: *mut gputide_error,
    ) -> gputide_status;
    /// ```text
    /// The pure halves, for a host with its own HTTP.  First what would be sent, as JSON {"method","url","headers","body"} (a
    /// cloud token is not in it: take one from section 4).
    /// Returns E_NOT_HERE for a source that is not asked over HTTP, E_REJECTED.  Since 0.2.
    /// ```
    fn gputide_source_request, source_request(
        source: *const gputide_source,
        now_ms: i64,
        json: *mut gputide_text,
        err: *mut gputide_error,
    ) -> gputide_status;
    /// ```text
    /// Then what an answer comes to: one number, by the trigger's rules.  body_bytes may be GPUTIDE_TEXT.
    /// Returns as gputide_source_fetch, without waiting.  Since 0.2.
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
    /// Or the answer as it came, without making one number of it.
    ///   headers   lines "Name: value" (Retry-After, Content-Type, ...), with LF or CRLF; may be NULL.
    /// headers_bytes and body_bytes may be GPUTIDE_TEXT.  Returns as gputide_source_fetch, without waiting.  Since 0.2.
    /// ```
    fn gputide_source_parse_all, source_parse_all(
        source: *const gputide_source,
        http_status: i32,
        headers: *const c_char,
        headers_bytes: i64,
        body: *const c_char,
        body_bytes: i64,
        out: *mut *mut gputide_samples,
        err: *mut gputide_error,
    ) -> gputide_status;
    /// ```text
    /// A Kubernetes quantity ("1500m", "2Ki", "0.1") in thousandths, rounded away from zero as Kubernetes does.
    /// Returns E_LIMIT for one that does not fit 64 bits.  Since 0.2.
    /// ```
    fn gputide_quantity, quantity(
        text: *const c_char,
        size_bytes: i64,
        milli: *mut i64,
        err: *mut gputide_error,
    ) -> gputide_status;
    /// ```text
    /// From the text of a ScaledObject or HorizontalPodAutoscaler, as for gputide_scaler_open; no source is opened, so
    /// addresses and credentials may be missing, thresholds may not.  options may be NULL.
    /// Returns E_AMBIGUOUS (several scalers and options->scaler names none), E_LIMIT.  Since 0.2.
    /// ```
    fn gputide_policy_open, policy_open(
        text: *const c_char,
        size_bytes: i64,
        options: *const gputide_options,
        out: *mut *mut gputide_policy,
        err: *mut gputide_error,
    ) -> gputide_status;
    /// Since 0.2.
    fn gputide_policy_free, policy_free(policy: *mut gputide_policy);
    /// ```text
    /// How many metrics the policy takes: gputide_observation.samples has one for each, in manifest order.  0 for NULL.
    /// Since 0.2.
    /// ```
    fn gputide_policy_metric_count, policy_metric_count(policy: *const gputide_policy) -> u32;
    /// ```text
    /// The trigger's own name, or "s0-prometheus" where the manifest gives none: the word for it in every JSON text.  Lives as
    /// long as the handle; NULL for an index beyond the count.  Since 0.2.
    /// ```
    fn gputide_policy_metric_name, policy_metric_name(policy: *const gputide_policy, index: u32) -> *const c_char;
    /// The policy as JSON, each default filled in. Returns the common statuses. Since 0.2.
    fn gputide_policy_describe, policy_describe(
        policy: *const gputide_policy,
        json: *mut gputide_text,
        err: *mut gputide_error,
    ) -> gputide_status;
    /// ```text
    /// created_ms: the object's creationTimestamp, for initialCooldownPeriod; 0: the first decision's time.
    /// Returns the common statuses.  Since 0.2.
    /// ```
    fn gputide_state_new, state_new(
        policy: *const gputide_policy,
        created_ms: i64,
        out: *mut *mut gputide_state,
        err: *mut gputide_error,
    ) -> gputide_status;
    /// ```text
    /// A copy that goes its own way: what was decided before it can be recorded in both, what is decided after it in one alone.
    /// Returns the common statuses.  Since 0.2.
    /// ```
    fn gputide_state_clone, state_clone(
        state: *const gputide_state,
        out: *mut *mut gputide_state,
        err: *mut gputide_error,
    ) -> gputide_status;
    /// Since 0.2.
    fn gputide_state_free, state_free(state: *mut gputide_state);
    /// ```text
    /// Text that survives a restart: versioned, checksummed, for gputide_state_load alone.
    /// Returns the common statuses.  Since 0.2.
    /// ```
    fn gputide_state_save, state_save(
        policy: *const gputide_policy,
        state: *const gputide_state,
        out: *mut gputide_text,
        err: *mut gputide_error,
    ) -> gputide_status;
    /// ```text
    /// The same for people and programs that look into it, as JSON (docs/decision.md).
    /// Returns the common statuses.  Since 0.2.
    /// ```
    fn gputide_state_describe, state_describe(
        policy: *const gputide_policy,
        state: *const gputide_state,
        json: *mut gputide_text,
        err: *mut gputide_error,
    ) -> gputide_status;
    /// ```text
    /// Texts of older releases load for ever; the state goes on as the one that was saved, and takes the records of its decisions.
    ///   flags   GPUTIDE_STATE_UNCHECKED or 0.  With it members may be left out, which are fresh then, and no decision of before
    ///           can be recorded.
    /// Returns E_STATE for a damaged, foreign or newer one, and for one of a policy with another number of metrics (err->where is
    /// "metrics" then), with the reason; never half-loaded.  Since 0.2.
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
    /// The replica count that KEDA and the HPA would write.  Pure: no I/O, no clock, no lock; the time is seen->now_ms.
    ///   state   updated: history, failure counts, activity.
    ///   report  may be NULL (then nothing is recorded and, in steady state, nothing allocated); else the decision as one line
    ///           of JSON with its conditions and trace (docs/decision.md).
    /// Formulas and their sources: docs/semantics.md.  Worked: threshold 5, 3 replicas, sample 42.5 → ceil(42.5 / 5) = 9.
    /// Returns E_LIMIT for more samples than a manifest may have metrics; E_STATE for a state of a policy with another number of
    /// metrics.  Since 0.2.
    /// ```
    fn gputide_decide, decide(
        policy: *const gputide_policy,
        state: *mut gputide_state,
        seen: *const gputide_observation,
        out: *mut gputide_decision,
        report: *mut gputide_text,
        err: *mut gputide_error,
    ) -> gputide_status;
    /// ```text
    /// The same from one number per metric, all of them true at now_ms.  NaN and the infinities: that metric has no number.
    /// count must be gputide_policy_metric_count.  Returns as gputide_decide.  Since 0.2.
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
    /// ```text
    /// Tell the state how the write of decision->desired_replicas went, once.  applied 1: it was written at now_ms; 0: it
    /// failed, as decision->message says.  decision is updated (conditions, event).  A decision that wanted no write needs no
    /// record.
    /// Returns E_STATE for a decision that was recorded already, or that this state did not make.  Since 0.2.
    /// ```
    fn gputide_state_record, state_record(
        policy: *const gputide_policy,
        state: *mut gputide_state,
        decision: *mut gputide_decision,
        applied: i32,
        now_ms: i64,
        err: *mut gputide_error,
    ) -> gputide_status;
    /// Names of the numbers above as the JSON and Kubernetes spell them; "unknown" for others. Static. "scale_up_limit". Since 0.2.
    fn gputide_limit_name, limit_name(limit: i32) -> *const c_char;
    /// "ScalingLimited". Since 0.2.
    fn gputide_condition_name, condition_name(condition: i32) -> *const c_char;
    /// "ScaleDownStabilized"; "" for none. Since 0.2.
    fn gputide_reason_name, reason_name(reason: i32) -> *const c_char;
    /// "KEDAScaleTargetActivated"; "" for none. Since 0.2.
    fn gputide_event_name, event_name(event: i32) -> *const c_char;
    /// ```text
    /// A report as lines for a person: conditions, then the trace step by step.  Returns the common statuses: E_INVALID for a
    /// text that is no report.  Since 0.2.
    /// ```
    fn gputide_trace_render, trace_render(
        report: *const c_char,
        size_bytes: i64,
        lines: *mut gputide_text,
        err: *mut gputide_error,
    ) -> gputide_status;
    /// ```text
    /// Read a manifest without opening anything: no network.
    ///   report   JSON with the scalers that were found and the findings; also written with E_INVALID and E_LIMIT of a finding.
    ///   lines    may be NULL; the findings as a compiler prints them; likewise.
    /// Returns E_LIMIT; E_INVALID where a finding is an error, GPUTIDE_OK where all are warnings.  Since 0.2.
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
    /// manifest: YAML (several documents) or JSON.  size_bytes may be GPUTIDE_TEXT; options may be NULL.  Nothing is sent.
    /// Returns E_AMBIGUOUS (the text holds several scalers and options->scaler names none), E_LIMIT, E_UNAVAILABLE; E_INVALID
    /// names file, line and path.  Since 0.2.
    /// ```
    fn gputide_scaler_open, scaler_open(
        manifest: *const c_char,
        size_bytes: i64,
        options: *const gputide_options,
        out: *mut *mut gputide_scaler,
        err: *mut gputide_error,
    ) -> gputide_status;
    /// Since 0.2.
    fn gputide_scaler_free, scaler_free(scaler: *mut gputide_scaler);
    /// As `gputide_policy_metric_count`. Since 0.2.
    fn gputide_scaler_metric_count, scaler_metric_count(scaler: *const gputide_scaler) -> u32;
    /// As `gputide_policy_metric_name`. Since 0.2.
    fn gputide_scaler_metric_name, scaler_metric_name(scaler: *const gputide_scaler, index: u32) -> *const c_char;
    /// ```text
    /// Fetch every trigger that is due, decide.  Blocks.
    ///   seen            seen->samples are the values of triggers whose numbers the host pushes (type values), by index; a sample
    ///                   for a trigger with a source of its own is E_INVALID.
    ///   cancel, report  may be NULL; report as for gputide_decide.
    /// A trigger that fails does not fail the call: the decision is what KEDA and the HPA make of it (flag
    /// GPUTIDE_DECIDED_ERROR; gputide_scaler_metrics has each error).  Returns E_CANCELLED, E_LIMIT.  Since 0.2.
    /// ```
    fn gputide_scaler_tick, scaler_tick(
        scaler: *mut gputide_scaler,
        seen: *const gputide_observation,
        timeout_ms: i32,
        cancel: *const gputide_cancel,
        out: *mut gputide_decision,
        report: *mut gputide_text,
        err: *mut gputide_error,
    ) -> gputide_status;
    /// ```text
    /// The first half of a tick: one sample per metric; a read that fails is a sample that says so.  Blocks.
    ///   sample_size     sizeof(gputide_sample).
    ///   capacity        elements of samples; fewer than the metrics: E_INVALID.
    ///   cancel, count   may be NULL; count: how many were written.
    /// Returns E_CANCELLED.  Since 0.2.
    /// ```
    fn gputide_scaler_fetch, scaler_fetch(
        scaler: *mut gputide_scaler,
        now_ms: i64,
        timeout_ms: i32,
        cancel: *const gputide_cancel,
        samples: *mut gputide_sample,
        sample_size: u32,
        capacity: u32,
        count: *mut u32,
        err: *mut gputide_error,
    ) -> gputide_status;
    /// ```text
    /// The second half: seen->samples as gputide_scaler_fetch wrote them.  As gputide_decide on the scaler's own state.
    /// Returns as gputide_decide.  Since 0.2.
    /// ```
    fn gputide_scaler_decide, scaler_decide(
        scaler: *mut gputide_scaler,
        seen: *const gputide_observation,
        out: *mut gputide_decision,
        report: *mut gputide_text,
        err: *mut gputide_error,
    ) -> gputide_status;
    /// As `gputide_state_record`. Returns E_STATE likewise. Since 0.2.
    fn gputide_scaler_record, scaler_record(
        scaler: *mut gputide_scaler,
        decision: *mut gputide_decision,
        applied: i32,
        now_ms: i64,
        err: *mut gputide_error,
    ) -> gputide_status;
    /// JSON array of the conditions {type, status, reason, message, since}. Returns the common statuses. Since 0.2.
    fn gputide_scaler_conditions, scaler_conditions(
        scaler: *const gputide_scaler,
        json: *mut gputide_text,
        err: *mut gputide_error,
    ) -> gputide_status;
    /// ```text
    /// JSON array, one object per metric: the last value with its age, state, latency, and the error where it failed.
    /// Returns the common statuses.  Since 0.2.
    /// ```
    fn gputide_scaler_metrics, scaler_metrics(
        scaler: *const gputide_scaler,
        json: *mut gputide_text,
        err: *mut gputide_error,
    ) -> gputide_status;
    /// As `gputide_policy_describe`. Returns the common statuses. Since 0.2.
    fn gputide_scaler_describe, scaler_describe(
        scaler: *const gputide_scaler,
        json: *mut gputide_text,
        err: *mut gputide_error,
    ) -> gputide_status;
    /// As `gputide_state_save`. Returns the common statuses. Since 0.2.
    fn gputide_scaler_save, scaler_save(
        scaler: *const gputide_scaler,
        out: *mut gputide_text,
        err: *mut gputide_error,
    ) -> gputide_status;
    /// As `gputide_state_load` without flags, in place of the scaler's state. Returns E_STATE likewise. Since 0.2.
    fn gputide_scaler_load, scaler_load(
        scaler: *mut gputide_scaler,
        text: *const c_char,
        size_bytes: i64,
        err: *mut gputide_error,
    ) -> gputide_status;
    /// ```text
    /// What is wrong with a manifest's triggers, found by walking each of them as it would be asked: environment, token file,
    /// authority, token, endpoint, query, series, age, value, activation.  A trigger's walk ends at its first step that fails, with
    /// the likely cause and the fix.  Then the decision that follows, and what limits it.  Blocks.
    /// Reads the network, the environment and token files as the triggers do, and nothing is written anywhere.
    ///   options, cancel  may be NULL, as for gputide_scaler_open.
    ///   seen     the current size, and the samples of triggers whose numbers the host pushes; NULL: the manifest's minimum, now.
    ///   report   JSON with a verdict (ok, warning, failed) for each step (docs/doctor.md).
    ///   lines    may be NULL; the same for a person, the conclusion first.
    /// A step that fails does not fail the call.  Returns E_AMBIGUOUS, E_LIMIT, E_CANCELLED, E_UNAVAILABLE; E_INVALID for a
    /// manifest that cannot be read.  Since 0.2.
    /// ```
    fn gputide_doctor, doctor(
        manifest: *const c_char,
        size_bytes: i64,
        options: *const gputide_options,
        seen: *const gputide_observation,
        timeout_ms: i32,
        cancel: *const gputide_cancel,
        report: *mut gputide_text,
        lines: *mut gputide_text,
        err: *mut gputide_error,
    ) -> gputide_status;
    /// ```text
    /// options may be NULL.  Nothing is sent and no thread is started.  Returns E_UNAVAILABLE (no descriptor left).
    /// Since 0.2.
    /// ```
    fn gputide_runtime_new, runtime_new(
        options: *const gputide_runtime_options,
        out: *mut *mut gputide_runtime,
        err: *mut gputide_error,
    ) -> gputide_status;
    /// ```text
    /// Ends the runtime for good.  Blocks for at most timeout_ms; 0: only begins; GPUTIDE_FOREVER.  From its beginning on other
    /// calls are refused; those inside end soon, a wait in _next_event with GPUTIDE_E_CANCELLED; the thread ends; requests under
    /// way are given up.  Save the scalers' states before.  May be repeated, also by several threads at once.
    /// Returns E_TIMEOUT where a call or the thread is inside still: call again.  Since 0.2.
    /// ```
    fn gputide_runtime_close, runtime_close(
        runtime: *mut gputide_runtime,
        timeout_ms: i32,
        err: *mut gputide_error,
    ) -> gputide_status;
    /// ```text
    /// Frees a runtime that no call is inside of.  After gputide_runtime_close it returns at once; otherwise it waits for the
    /// thread to end.  NULL is fine; in a child of fork it does nothing.  Since 0.2.
    /// ```
    fn gputide_runtime_free, runtime_free(runtime: *mut gputide_runtime);
    /// ```text
    /// One more scaler.  It is polled from the first observation on, with GPUTIDE_RUNTIME_OBSERVE_FIRST at once.
    ///   manifest, size_bytes, options   as for gputide_scaler_open.
    ///   tag   the host's own number or pointer for it, any value; it comes back in each event.
    ///   id    its number in this runtime, never 0 and never used again; may be NULL.
    /// Returns E_AMBIGUOUS, E_LIMIT; E_INVALID also for a name ("namespace/name") that is there already.  Since 0.2.
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
    /// Another manifest for the same name: observation, pushed samples, schedule and, where it fits, state stay; an event that
    /// waits is dropped.
    ///   tag   may be NULL: it stays; else the new one.
    /// Returns E_NOT_FOUND, E_AMBIGUOUS, E_LIMIT; the old one goes on then.  Since 0.2.
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
    /// Ends a scaler, what it is asking and the event that waits for it. Returns E_NOT_FOUND. Since 0.2.
    fn gputide_runtime_remove, runtime_remove(
        runtime: *mut gputide_runtime,
        id: u64,
        err: *mut gputide_error,
    ) -> gputide_status;
    /// The number of "namespace/name". Returns E_NOT_FOUND. Since 0.2.
    fn gputide_runtime_find, runtime_find(
        runtime: *mut gputide_runtime,
        name: *const c_char,
        id: *mut u64,
        err: *mut gputide_error,
    ) -> gputide_status;
    /// ```text
    /// The scaler behind after_id, 0: the first, in an order of the runtime's own.  One that is there all the while comes exactly
    /// once, whatever else is added and removed meanwhile; after_id itself may be gone.
    /// Returns E_NOT_FOUND behind the last one.  Since 0.2.
    /// ```
    fn gputide_runtime_next_scaler, runtime_next_scaler(
        runtime: *mut gputide_runtime,
        after_id: u64,
        id: *mut u64,
        err: *mut gputide_error,
    ) -> gputide_status;
    /// ```text
    /// What is true of a scaler's target now; copied, and used until the next one.  The first observation starts the polling.  Say
    /// it again whenever something else than _record changed the size, and before a decision should stand on it.
    ///   seen   seen->samples may be none, or as for gputide_runtime_push; a pod sample's metric must be one of the policy's.
    /// Returns E_NOT_FOUND.  Since 0.2.
    /// ```
    fn gputide_runtime_observe, runtime_observe(
        runtime: *mut gputide_runtime,
        id: u64,
        seen: *const gputide_observation,
        err: *mut gputide_error,
    ) -> gputide_status;
    /// ```text
    /// Numbers of metrics that the host brings (triggers of type values, an HPA's metrics without a source), without a size.  They
    /// are copied and used by the polls to come until others are pushed; polling itself begins with the first observation.
    ///   samples       one per metric of the policy, by the metric's index; GPUTIDE_SAMPLE_NOT_GIVEN keeps what was.  A sample for
    ///                 a metric that has a source of its own is E_INVALID.
    ///   sample_size   sizeof(gputide_sample).      count   as many as the policy has metrics.
    /// Returns E_NOT_FOUND.  Since 0.2.
    /// ```
    fn gputide_runtime_push, runtime_push(
        runtime: *mut gputide_runtime,
        id: u64,
        samples: *const gputide_sample,
        sample_size: u32,
        count: u32,
        err: *mut gputide_error,
    ) -> gputide_status;
    /// "decision", "due", "cluster"; "unknown" for a number without a name. Static. Since 0.2.
    fn gputide_event_kind_name, event_kind_name(kind: i32) -> *const c_char;
    /// ```text
    /// The next event: a write is wanted, or a decision differs from the scaler's last one (or each, with
    /// GPUTIDE_RUNTIME_EVERY_DECISION).  A scaler has at most one event waiting, with its newest decision: nothing is lost and
    /// nothing piles up.  Blocks for at most timeout_ms; 0: not at all; GPUTIDE_FOREVER.  Drives the runtime meanwhile, by the
    /// system's clock, where no thread does.
    ///   cancel     may be NULL.
    ///   decision   may be NULL; act on it and say so with _record.  GPUTIDE_EVENT_DUE and _CLUSTER have none.
    ///   report     may be NULL; emptied, and filled with GPUTIDE_RUNTIME_REPORTS, or by GPUTIDE_EVENT_CLUSTER.
    /// Returns E_NO_DATA where none came in time, E_CANCELLED also once the runtime is closed.  On failure the event, if there was
    /// one, still waits.  Since 0.2.
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
    /// Tell the runtime how the write went that an event's decision asked for, once.  applied 1: decision->desired_replicas was
    /// written at now_ms, and is from now on taken to be the size; 0: it failed.  decision is updated (conditions, event).  A
    /// decision that wanted no write needs no record.  The last four writes of a scaler can be recorded, and after _load
    /// one that the loaded state still waits for; with one of them the earlier ones are settled.
    /// Returns E_NOT_FOUND; E_STATE for a decision that no event of this scaler carried, or that is recorded or settled.
    /// Since 0.2.
    /// ```
    fn gputide_runtime_record, runtime_record(
        runtime: *mut gputide_runtime,
        id: u64,
        decision: *mut gputide_decision,
        applied: i32,
        now_ms: i64,
        err: *mut gputide_error,
    ) -> gputide_status;
    /// As `gputide_state_save`: what survives a restart of the host. Returns E_NOT_FOUND. Since 0.2.
    fn gputide_runtime_save, runtime_save(
        runtime: *mut gputide_runtime,
        id: u64,
        out: *mut gputide_text,
        err: *mut gputide_error,
    ) -> gputide_status;
    /// As `gputide_state_load` without flags, in place of the scaler's state. Returns E_NOT_FOUND; E_STATE likewise. Since 0.2.
    fn gputide_runtime_load, runtime_load(
        runtime: *mut gputide_runtime,
        id: u64,
        text: *const c_char,
        size_bytes: i64,
        err: *mut gputide_error,
    ) -> gputide_status;
    /// ```text
    /// One scaler as JSON: its numbers, its observation, the last decision (as gputide_decide reports it, without a trace) and its
    /// metrics (as gputide_scaler_metrics).  Returns E_NOT_FOUND.  Since 0.2.
    /// ```
    fn gputide_runtime_describe, runtime_describe(
        runtime: *mut gputide_runtime,
        id: u64,
        json: *mut gputide_text,
        err: *mut gputide_error,
    ) -> gputide_status;
    /// ```text
    /// Counters of the whole as JSON (docs/runtime.md): poll lag, polls, errors by reason, shared queries, requests in flight,
    /// queues, endpoints with their breakers.  Returns the common statuses.  Since 0.2.
    /// ```
    fn gputide_runtime_stats, runtime_stats(
        runtime: *mut gputide_runtime,
        json: *mut gputide_text,
        err: *mut gputide_error,
    ) -> gputide_status;
    /// ```text
    /// Starts the runtime's thread.  Returns E_STATE where it runs already or the host drives at this moment; E_UNAVAILABLE (no
    /// thread to be had).  Since 0.2.
    /// ```
    fn gputide_runtime_start, runtime_start(runtime: *mut gputide_runtime, err: *mut gputide_error) -> gputide_status;
    /// ```text
    /// Ends it.  Blocks for at most timeout_ms; 0: only begins; GPUTIDE_FOREVER.  Polls under way are given up and begin anew at
    /// the next drive; scalers and events stay, and it may be started again.  Without a thread: GPUTIDE_OK.
    /// Returns E_TIMEOUT where it is still stopping: call again.  Since 0.2.
    /// ```
    fn gputide_runtime_stop, runtime_stop(
        runtime: *mut gputide_runtime,
        timeout_ms: i32,
        err: *mut gputide_error,
    ) -> gputide_status;
    /// ```text
    /// Does what is due at now_ms and what the network has brought, without waiting.
    ///   now_ms    by the host's clock.  It may jump: back moves no poll; far forward, or after a stall, polls that were missed
    ///             come once and as spread out as they were.
    ///   next_ms   may be NULL; when to call again at the latest, INT64_MAX: when something was changed.
    /// Returns E_STATE while the runtime's own thread, or another call of the host's, drives it.  Since 0.2.
    /// ```
    fn gputide_runtime_step, runtime_step(
        runtime: *mut gputide_runtime,
        now_ms: i64,
        next_ms: *mut i64,
        err: *mut gputide_error,
    ) -> gputide_status;
    /// ```text
    /// A descriptor for poll, epoll and the like, readable while an event waits and, unless the runtime's thread drives it, while
    /// _step should be called; readable for good once the runtime is closed.  It is the runtime's until _free: neither read nor
    /// close it.  Returns E_UNAVAILABLE (no descriptor left).  Since 0.2.
    /// ```
    fn gputide_runtime_wake_fd, runtime_wake_fd(
        runtime: *mut gputide_runtime,
        fd: *mut i32,
        err: *mut gputide_error,
    ) -> gputide_status;
    /// Returns the common statuses. Since 0.2.
    fn gputide_series_new, series_new(out: *mut *mut gputide_series, err: *mut gputide_error) -> gputide_status;
    /// Since 0.2.
    fn gputide_series_free, series_free(series: *mut gputide_series);
    /// ```text
    /// Add points of one metric, in any order.  A NaN or an infinity is a point without a number.
    /// Returns E_LIMIT; E_INVALID also for a time outside 1970 to 9999.  Since 0.2.
    /// ```
    fn gputide_series_add, series_add(
        series: *mut gputide_series,
        metric: u32,
        times_ms: *const i64,
        values: *const f64,
        count: u64,
        err: *mut gputide_error,
    ) -> gputide_status;
    /// ```text
    /// Add replica counts that the workload had while its metrics were recorded: what a closed loop needs.
    /// Returns as gputide_series_add.  Since 0.2.
    /// ```
    fn gputide_series_add_replicas, series_add_replicas(
        series: *mut gputide_series,
        times_ms: *const i64,
        replicas: *const i32,
        count: u64,
        err: *mut gputide_error,
    ) -> gputide_status;
    /// ```text
    /// Add what a text holds, from `metric` on: CSV (time,value[,value...][,replicas]), a saved answer of Prometheus' query_range
    /// with one series, or the log of `gputided run`; which of them it is shows in the text.
    ///   metric   GPUTIDE_NO_METRIC: of the text only the replica counts, and of a run log its decisions.
    ///   scaler   of a run log that holds several: "namespace/name"; NULL: the first one's.
    /// Returns E_LIMIT, E_AMBIGUOUS (several series), E_PROTOCOL (JSON that is none of these), E_NO_DATA; E_INVALID with the line.
    /// Since 0.2.
    /// ```
    fn gputide_series_read, series_read(
        series: *mut gputide_series,
        metric: u32,
        text: *const c_char,
        size_bytes: i64,
        scaler: *const c_char,
        err: *mut gputide_error,
    ) -> gputide_status;
    /// ```text
    /// Add the past of one metric straight from its source: one query_range, both ends included, at most 11,000 steps.  Blocks.
    /// The trigger's own rules make one number of each step.  cancel may be NULL.
    /// Returns E_NOT_HERE for a source that keeps no past, E_NOT_FOUND for an index beyond the metrics, and what
    /// gputide_source_fetch does.  Since 0.2.
    /// ```
    fn gputide_series_fetch, series_fetch(
        series: *mut gputide_series,
        scaler: *mut gputide_scaler,
        metric: u32,
        start_ms: i64,
        end_ms: i64,
        step_ms: i64,
        timeout_ms: i32,
        cancel: *const gputide_cancel,
        err: *mut gputide_error,
    ) -> gputide_status;
    /// ```text
    /// The series as CSV, which gputide_series_read takes; the decisions of a run log are not in it.
    /// Returns the common statuses.  Since 0.2.
    /// ```
    fn gputide_series_write, series_write(
        series: *mut gputide_series,
        csv: *mut gputide_text,
        err: *mut gputide_error,
    ) -> gputide_status;
    /// JSON: points, from, to, gaps, duplicates and the like. Returns E_NO_DATA for a series without a point. Since 0.2.
    fn gputide_series_describe, series_describe(
        series: *mut gputide_series,
        json: *mut gputide_text,
        err: *mut gputide_error,
    ) -> gputide_status;
    /// ```text
    /// manifest and options as for gputide_policy_open.
    ///   settings   JSON, may be NULL: {"model":"closed","signal":"utilization","startup_ms":[90000],"set":{"threshold":60}};
    ///              every member and its default: docs/replay.md.
    /// Returns E_AMBIGUOUS, E_LIMIT; E_INVALID with the member that is wrong.  Since 0.2.
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
    /// Since 0.2.
    fn gputide_replay_free, replay_free(replay: *mut gputide_replay);
    /// ```text
    /// All of a series, once.  A series serves many replays, also at the same time, after gputide_series_describe has been called
    /// on it.  Takes as long as it takes; cancel may be NULL.
    /// Returns E_NO_DATA, E_LIMIT, E_CANCELLED; E_STATE for a replay that has run or was reported on.  Since 0.2.
    /// ```
    fn gputide_replay_run, replay_run(
        replay: *mut gputide_replay,
        series: *const gputide_series,
        cancel: *const gputide_cancel,
        err: *mut gputide_error,
    ) -> gputide_status;
    /// ```text
    /// The same moment by moment, for series of any length: what was recorded at time_ms, which must not go back.  The decisions
    /// that were due before it are taken first.
    ///   samples    one per metric; GPUTIDE_SAMPLE_NOT_GIVEN: nothing new is known of it.  sample_size: sizeof(gputide_sample).
    ///   replicas   the workload's recorded size; -1: as before.
    ///   last       may be NULL; the last decision taken so far (source 0 before the first).
    /// Returns E_LIMIT (a gap of more than 50 million steps); E_STATE after gputide_replay_run or _report.  Since 0.2.
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
    /// ```text
    /// What it came to, as JSON.  Ends the replay: nothing can be run or recorded after it.
    /// Returns the common statuses.  Since 0.2.
    /// ```
    fn gputide_replay_report, replay_report(
        replay: *mut gputide_replay,
        json: *mut gputide_text,
        err: *mut gputide_error,
    ) -> gputide_status;
    /// ```text
    /// settings   JSON, may be NULL: {"lead_ms":300000,"budget_percent":5,"mode":"act"}; every member and its default:
    ///              docs/json.md (forecast_describe, settings).
    /// Returns E_LIMIT; E_INVALID with the member that is wrong in where.  Since 0.2.
    /// ```
    fn gputide_forecast_open, forecast_open(
        settings: *const c_char,
        size_bytes: i64,
        out: *mut *mut gputide_forecast,
        err: *mut gputide_error,
    ) -> gputide_status;
    /// Since 0.2.
    fn gputide_forecast_free, forecast_free(forecast: *mut gputide_forecast);
    /// ```text
    /// A pass at now_ms read this load.  NaN, an infinity and a number below 0: nothing could be read.  A time of a slot that has
    /// ended is left out and counted; one far back says that the clock was set.  Returns the common statuses.  Since 0.2.
    /// ```
    fn gputide_forecast_step, forecast_step(
        forecast: *mut gputide_forecast,
        now_ms: i64,
        load: f64,
        err: *mut gputide_error,
    ) -> gputide_status;
    /// ```text
    /// The floor under the size that this pass came to.
    ///   target              load that one replica takes, more than 0.
    ///   reactive_replicas   the size without the forecast, before rate limits and bounds; 0 or more, as the two below.
    ///   current_replicas    0: the workload is off, and stays so.
    ///   max_replicas        the floor does not pass it.
    /// Worked: floor load 117.39, target 10, reactive 10, max 40 → 12.  Returns the common statuses.  Since 0.2.
    /// ```
    fn gputide_forecast_ask, forecast_ask(
        forecast: *const gputide_forecast,
        target: f64,
        reactive_replicas: i32,
        current_replicas: i32,
        max_replicas: i32,
        out: *mut gputide_floor,
        err: *mut gputide_error,
    ) -> gputide_status;
    /// ```text
    /// What the budget is counted by: the size that was written, and the one that a loop without the forecast would have (its
    /// shadow: the same rules, with a memory and a size of its own).  Once per pass, after _ask; both 0 or more.
    /// Returns the common statuses.  Since 0.2.
    /// ```
    fn gputide_forecast_book, forecast_book(
        forecast: *mut gputide_forecast,
        written_replicas: i32,
        shadow_replicas: i32,
        err: *mut gputide_error,
    ) -> gputide_status;
    /// What it says, how good it has been and what it cost, as JSON. Returns the common statuses. Since 0.2.
    fn gputide_forecast_describe, forecast_describe(
        forecast: *const gputide_forecast,
        json: *mut gputide_text,
        err: *mut gputide_error,
    ) -> gputide_status;
    /// ```text
    /// Text that survives a restart, at most 28 KiB: versioned, checksummed, for gputide_forecast_load alone.
    /// Returns the common statuses.  Since 0.2.
    /// ```
    fn gputide_forecast_save, forecast_save(
        forecast: *const gputide_forecast,
        out: *mut gputide_text,
        err: *mut gputide_error,
    ) -> gputide_status;
    /// ```text
    /// The forecast goes on as the one that was saved.  What was saved with another lead keeps patterns and account and learns the rest
    /// anew; with another slot it starts anew.  Returns E_STATE for a damaged, foreign or newer text, and nothing has changed then.
    /// Since 0.2.
    /// ```
    fn gputide_forecast_load, forecast_load(
        forecast: *mut gputide_forecast,
        text: *const c_char,
        size_bytes: i64,
        err: *mut gputide_error,
    ) -> gputide_status;
    /// Names of the numbers above as the JSON spells them; "unknown" for others. Static. "warming". Since 0.2.
    fn gputide_forecast_state_name, forecast_state_name(state: i32) -> *const c_char;
    /// "within_reactive". Since 0.2.
    fn gputide_floor_reason_name, floor_reason_name(reason: i32) -> *const c_char;
    /// ```text
    /// Plan the nodes of a cluster as the text describes it.  Pure: no I/O, no clock; nothing is added or removed by it.
    ///   text        pools, nodes, pods, settings and what was done since the last plan, as JSON or YAML of this library
    ///               (docs/nodes.md), and Kubernetes' own objects and lists (`kubectl get nodes,pods -A -o json`), one behind the other.
    ///   state       what the last plan gave as next_state; NULL or empty: there was none.
    ///   now_ms      Unix milliseconds.
    ///   summary     may be NULL; set its struct_size first.
    ///   json        may be NULL; the whole plan with its reasons (docs/json.md, nodes_plan).
    ///   next_state  may be NULL; JSON for the next plan: since when nodes are unneeded, open requests, pools that failed.
    /// An item that cannot be read is left out and named with its path; the others are planned.
    /// Returns E_STATE for a state that is none; E_INVALID where nothing could be read at all.  Since 0.2.
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
    /// From text, YAML or JSON: settings of our own (a document without a kind), a GpuCatalogue, a VerticalPodAutoscaler, each at
    /// most once, also in options->files:
    ///     {"sku": "Standard_NC24ads_A100_v4", "gpus": 1, "prices": {"Standard_NC24ads_A100_v4": 3.67}}
    /// size_bytes may be GPUTIDE_TEXT; options may be NULL.  Returns E_LIMIT; E_INVALID names the member, its line and path.
    /// Since 0.2.
    /// ```
    fn gputide_rightsize_open, rightsize_open(
        settings: *const c_char,
        size_bytes: i64,
        options: *const gputide_options,
        out: *mut *mut gputide_rightsize,
        err: *mut gputide_error,
    ) -> gputide_status;
    /// Since 0.2.
    fn gputide_rightsize_free, rightsize_free(rightsize: *mut gputide_rightsize);
    /// ```text
    /// The settings as JSON, each default filled in, with what was found to remark of them.  Returns the common statuses.
    /// Since 0.2.
    /// ```
    fn gputide_rightsize_describe, rightsize_describe(
        rightsize: *const gputide_rightsize,
        json: *mut gputide_text,
        err: *mut gputide_error,
    ) -> gputide_status;
    /// ```text
    /// The number of the container of that name, from 1, which is new where nobody asked for it before.  Containers are counted
    /// apart, by the same settings; a million of them at most.  Returns E_LIMIT.  Since 0.2.
    /// ```
    fn gputide_rightsize_container, rightsize_container(
        rightsize: *mut gputide_rightsize,
        name: *const c_char,
        number: *mut u32,
        err: *mut gputide_error,
    ) -> gputide_status;
    /// ```text
    /// Add samples, those of one unit in the order of their times.
    ///   sample_size   sizeof(gputide_usage_sample).
    ///   taken         may be NULL; how many samples were counted.  A value below 0, NaN, an infinity and what is older than the
    ///                 unit's last (for busy: as old) do not count, and are no error.
    /// Returns E_NOT_FOUND for a container's number that is not there.  With E_NO_MEMORY some of them may have been added.
    /// Since 0.2.
    /// ```
    fn gputide_rightsize_add, rightsize_add(
        rightsize: *mut gputide_rightsize,
        samples: *const gputide_usage_sample,
        sample_size: u32,
        count: u32,
        taken: *mut u32,
        err: *mut gputide_error,
    ) -> gputide_status;
    /// ```text
    /// What a container's samples come to, as JSON: verdict (change, keep, hold, nothing, report), recommendation and runner-up, every
    /// percentile before and after margin, confidence and caps, the money, and a sentence.
    ///   container   as in a sample.
    /// Returns E_NOT_FOUND.  Since 0.2.
    /// ```
    fn gputide_rightsize_recommend, rightsize_recommend(
        rightsize: *const gputide_rightsize,
        container: u32,
        now_ms: i64,
        json: *mut gputide_text,
        err: *mut gputide_error,
    ) -> gputide_status;
    /// ```text
    /// Machines, MIG profile and sharing for a need that is already known, as JSON, the best choice first.
    ///   memory_bytes   of each GPU.      util_percent   of each GPU, 0 or more; both with whatever margin they should have.
    /// Returns the common statuses.  Since 0.2.
    /// ```
    fn gputide_rightsize_fit, rightsize_fit(
        rightsize: *const gputide_rightsize,
        memory_bytes: i64,
        util_percent: f64,
        json: *mut gputide_text,
        err: *mut gputide_error,
    ) -> gputide_status;
    /// ```text
    /// One container's histograms and open windows as text that survives a restart: the status of a VerticalPodAutoscalerCheckpoint
    /// with members of our own and a checksum; at most 4 KiB for 8 GPUs, 80 bytes for each more.  Returns E_NOT_FOUND.
    /// Since 0.2.
    /// ```
    fn gputide_rightsize_save, rightsize_save(
        rightsize: *const gputide_rightsize,
        container: u32,
        now_ms: i64,
        out: *mut gputide_text,
        err: *mut gputide_error,
    ) -> gputide_status;
    /// ```text
    /// In place of what the container had: what _save gave under settings of the same profile and half-life, or the checkpoint
    /// object of a VPA.  Returns E_NOT_FOUND; E_STATE for a damaged, foreign or newer one, never half-loaded.  Since 0.2.
    /// ```
    fn gputide_rightsize_load, rightsize_load(
        rightsize: *mut gputide_rightsize,
        container: u32,
        text: *const c_char,
        size_bytes: i64,
        err: *mut gputide_error,
    ) -> gputide_status;
    /// ```text
    /// One poll of a KEDA ScaledJob: how many Jobs to create now, and which finished ones go.  Pure: no I/O, no clock.
    ///   manifest   text with the ScaledJob; options->scaler names one of several.
    ///   seen       JSON: {"values":[42.5,null],"running":3,"pending":1}, a value per trigger in the manifest's order, null: its read
    ///              failed.  Every member: docs/jobs.md.
    ///   decision   JSON with create, delete, conditions, events and reasons (docs/json.md, jobs_decide).
    /// Worked: 12.5 items at 2 per Job, 3 Jobs unfinished → 4.
    /// Returns E_AMBIGUOUS where several are given and none is named; E_INVALID with the place in the manifest or in seen; E_LIMIT.
    /// Since 0.2.
    /// ```
    fn gputide_jobs_decide, jobs_decide(
        manifest: *const c_char,
        size_bytes: i64,
        options: *const gputide_options,
        seen: *const c_char,
        seen_bytes: i64,
        decision: *mut gputide_text,
        err: *mut gputide_error,
    ) -> gputide_status;
    /// ```text
    /// Attach one.  Returns at once; what the API server answers is told by events and _describe_cluster.
    ///   settings   NULL or empty for the defaults, else JSON or YAML (every member: docs/kubernetes.md):
    ///                  {"namespaces": ["ml"], "shadow": true, "lease": {"name": "gputide", "duration_s": 15}, "shards": 1}
    ///   options    may be NULL; kubeconfig, kube_context and service_account_dir say which API server and as whom, the rest is
    ///              what its manifests may do.
    /// Returns E_STATE where one is attached, or the runtime was made with GPUTIDE_RUNTIME_OBSERVE_FIRST; E_INVALID with the member's
    /// line and path; E_NOT_HERE where no API server is named; E_AUTH.  Since 0.2.
    /// ```
    fn gputide_runtime_attach_cluster, runtime_attach_cluster(
        runtime: *mut gputide_runtime,
        settings: *const c_char,
        size_bytes: i64,
        options: *const gputide_options,
        err: *mut gputide_error,
    ) -> gputide_status;
    /// ```text
    /// Stop writing, give back the Leases that are held, so that another instance takes over within 3 s, and forget the
    /// cluster's scalers.  Before _close; without it the Leases run out by themselves.  Drives the runtime's network meanwhile.
    /// GPUTIDE_OK where none is attached.  Returns E_TIMEOUT, and goes on with it: call again; E_CANCELLED once the runtime is
    /// closed.  Since 0.2.
    /// ```
    fn gputide_runtime_detach_cluster, runtime_detach_cluster(
        runtime: *mut gputide_runtime,
        timeout_ms: i32,
        err: *mut gputide_error,
    ) -> gputide_status;
    /// ```text
    /// JSON: leases, watches and their ages, writes by result, conflicts, differences, who is held and why (docs/json.md,
    /// cluster_describe); at most a second old, {} before the first.  Returns E_STATE where none is attached.  Since 0.2.
    /// ```
    fn gputide_runtime_describe_cluster, runtime_describe_cluster(
        runtime: *mut gputide_runtime,
        json: *mut gputide_text,
        err: *mut gputide_error,
    ) -> gputide_status;
    /// ```text
    /// Write the size of one of AKS' node pools, through Azure Resource Manager: read it, compare, write it under its ETag, and
    /// follow the operation to its end.  Blocks; the one function of this library that changes anything in Azure.
    ///   credential  an identity of Azure that may write the cluster's agent pools; options given to _credential_open hold here, too.
    ///   change      JSON: {"cluster":"/subscriptions/.../managedClusters/aks","pool":"gpunp","count":4,"dry":false}.  dry is true
    ///               where it is left out; count is for a pool that nobody scales, min and max for one that AKS' autoscaler scales.
    ///               cloud names another cloud; endpoint an address of Azure Resource Manager, whose host must be allowed.
    ///   timeout_ms  for everything; an operation that still runs then goes on, and that is no failure.
    ///   json        what was, what is to be, and how far it came (docs/json.md, agent_pool_write).
    /// Returns E_INVALID for a change that does not fit the pool; E_UNAVAILABLE with the time to wait while another operation runs on
    /// the cluster; E_REJECTED where the service ended the operation as failed; E_AUTH, E_FORBIDDEN, E_TIMEOUT, E_CANCELLED (what
    /// was written stays), E_PROTOCOL.  Since 0.2.
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
    /// ```text
    /// Whether a runtime could work on a cluster (section 16), found before it does: the API server and its certificate, whether the
    /// token is taken and as whom, the kinds that are served, each right that is needed (asked by SelfSubjectAccessReview), and
    /// who holds the Lease.  What is missing comes with a Role to apply.  Blocks; changes nothing there.
    ///   settings         as for _runtime_attach_cluster: namespaces, shadow, lease and shards say what is needed.
    ///   options, cancel  may be NULL, as there.
    ///   report           JSON with a verdict (ok, warning, failed) for each step (docs/json.md, doctor_cluster).
    ///   lines            may be NULL; the same for a person, the conclusion first.
    /// A step that fails does not fail the call.  Returns E_LIMIT, E_CANCELLED, E_UNAVAILABLE; E_INVALID for settings that cannot be
    /// read.  Since 0.2.
    /// ```
    fn gputide_doctor_cluster, doctor_cluster(
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
    /// Read one collection of a cluster's API server, whole and once, without a runtime.  Blocks; nothing is watched or written.
    ///   path      "/api/v1/nodes", "/apis/policy/v1/namespaces/ml/poddisruptionbudgets?labelSelector=app%3Dllm"
    ///   options   may be NULL; kubeconfig, kube_context and service_account_dir say which API server and as whom.
    ///   cancel    may be NULL.
    ///   json      the lists as the server wrote them, a page of it each, one behind the other: gputide_nodes_plan takes them as they
    ///             are.  At most 256 MiB; narrow it by a selector.
    /// Returns E_INVALID for a path of anything else; E_NOT_HERE where no API server is named; E_FORBIDDEN with the RBAC rule that is
    /// missing; E_REJECTED for a resource that is not served; E_AUTH, E_THROTTLED, E_UNAVAILABLE, E_PROTOCOL, E_SECURITY, E_LIMIT,
    /// E_TIMEOUT, E_CANCELLED.  Since 0.2.
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
    /// Hand one ScaledObject of a cluster over from a living KEDA to gputide, or back, in the order in which no two scale it at once.
    /// Blocks; writes annotations of that ScaledObject and nothing else, each with the version that was read.
    ///   change    JSON or YAML: {"namespace":"ml","name":"llm","to":"gputide","owner":"gputide","dry":false}.  to is gputide or keda;
    ///             dry is true where it is left out; owner is the value of gputide.io/owner; lease_s the duration of its Lease (15).
    ///   options   may be NULL; kubeconfig, kube_context and service_account_dir say which API server and as whom: get and patch
    ///             scaledobjects, list horizontalpodautoscalers, and get the scale of what is scaled, where that may be.
    ///   timeout_ms  for everything; on a timeout the json names the step that is still awaited, and calling again goes on from there.
    ///   json      how far it came, step by step (docs/json.md, cluster_handover).
    /// Meanwhile each step is a line of the log, GPUTIDE_LOG_INFO, as it is waited for and as it ends (docs/json.md, handover_step).
    /// What is refused, failed or still waited for does not fail the call; after a crash or a cancel the next call goes on.  Returns
    /// E_INVALID for a change that cannot be read; E_NOT_HERE where no API server is named; E_AUTH, E_LIMIT, E_TIMEOUT, E_CANCELLED
    /// (what was written stays).  Since 0.2.
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
}

// Written by bindings/generator from include/gputide/gputide.h: change that, then run python3 -m bindings.generator.

use core::ffi::{c_char, c_void};

pub const GPUTIDE_TEXT: i32 = -1;

pub const GPUTIDE_FOREVER: i32 = -1;

pub const GPUTIDE_NO_METRIC: i32 = -1;

pub const GPUTIDE_FORMULA: i32 = -2;

pub const GPUTIDE_NO_VALUE: i64 = -9223372036854775808;

pub const GPUTIDE_VERSION_MAJOR: i32 = 0;

pub const GPUTIDE_VERSION_MINOR: i32 = 3;

pub const GPUTIDE_VERSION_PATCH: i32 = 0;

pub const GPUTIDE_ABI_VERSION: i32 = 1;

pub const GPUTIDE_MAX_CONDITIONS: usize = 16;

pub type gputide_status = i32;

pub type gputide_sample_state = i32;

pub type gputide_action = i32;

pub const GPUTIDE_SAMPLE_NOT_GIVEN: gputide_sample_state = 0;
pub const GPUTIDE_SAMPLE_OK: gputide_sample_state = 1;
pub const GPUTIDE_SAMPLE_EMPTY: gputide_sample_state = 2;
pub const GPUTIDE_SAMPLE_NOT_A_NUMBER: gputide_sample_state = 3;
pub const GPUTIDE_SAMPLE_STALE: gputide_sample_state = 4;
pub const GPUTIDE_SAMPLE_PARTIAL: gputide_sample_state = 5;
pub const GPUTIDE_SAMPLE_AMBIGUOUS: gputide_sample_state = 6;
pub const GPUTIDE_SAMPLE_AUTH: gputide_sample_state = 7;
pub const GPUTIDE_SAMPLE_TIMEOUT: gputide_sample_state = 8;
pub const GPUTIDE_SAMPLE_FAILED: gputide_sample_state = 9;

pub const GPUTIDE_SAMPLE_NULL_AS_ZERO: u32 = 1;

pub const GPUTIDE_OBSERVED_STATUS: u32 = 1;
pub const GPUTIDE_OBSERVED_READY: u32 = 2;
pub const GPUTIDE_SCALE_UNREADABLE: u32 = 4;
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
pub const GPUTIDE_LIMIT_FORECAST: i32 = 13;
pub const GPUTIDE_LIMIT_NO_CAPACITY: i32 = 14;

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

pub const GPUTIDE_DECIDED_ACTIVE: u32 = 1;
pub const GPUTIDE_DECIDED_ERROR: u32 = 2;
pub const GPUTIDE_DECIDED_EXECUTOR: u32 = 4;
pub const GPUTIDE_DECIDED_HPA: u32 = 8;

pub const GPUTIDE_OK: gputide_status = 0;
pub const GPUTIDE_E_INVALID: gputide_status = 1;
pub const GPUTIDE_E_AUTH: gputide_status = 2;
pub const GPUTIDE_E_FORBIDDEN: gputide_status = 3;
pub const GPUTIDE_E_THROTTLED: gputide_status = 4;
pub const GPUTIDE_E_UNAVAILABLE: gputide_status = 5;
pub const GPUTIDE_E_UNSUPPORTED: gputide_status = 6;
pub const GPUTIDE_E_TIMEOUT: gputide_status = 7;
pub const GPUTIDE_E_CANCELLED: gputide_status = 8;
pub const GPUTIDE_E_REJECTED: gputide_status = 9;
pub const GPUTIDE_E_PROTOCOL: gputide_status = 10;
pub const GPUTIDE_E_SECURITY: gputide_status = 11;
pub const GPUTIDE_E_NO_DATA: gputide_status = 12;
pub const GPUTIDE_E_AMBIGUOUS: gputide_status = 13;
pub const GPUTIDE_E_PARTIAL: gputide_status = 14;
pub const GPUTIDE_E_LIMIT: gputide_status = 15;
pub const GPUTIDE_E_STATE: gputide_status = 16;
pub const GPUTIDE_E_TOO_NEW: gputide_status = 17;
pub const GPUTIDE_E_NO_MEMORY: gputide_status = 18;
pub const GPUTIDE_E_BUG: gputide_status = 19;
pub const GPUTIDE_E_NOT_FOUND: gputide_status = 20;

pub const GPUTIDE_ACTION_NONE: gputide_action = 0;
pub const GPUTIDE_ACTION_RETRY: gputide_action = 1;
pub const GPUTIDE_ACTION_WAIT: gputide_action = 2;
pub const GPUTIDE_ACTION_FIX_CONFIGURATION: gputide_action = 3;
pub const GPUTIDE_ACTION_FIX_CREDENTIALS: gputide_action = 4;
pub const GPUTIDE_ACTION_GRANT_ROLE: gputide_action = 5;
pub const GPUTIDE_ACTION_FIX_QUERY: gputide_action = 6;
pub const GPUTIDE_ACTION_ALLOW_BY_NAME: gputide_action = 7;
pub const GPUTIDE_ACTION_UPGRADE: gputide_action = 8;
pub const GPUTIDE_ACTION_REPORT_BUG: gputide_action = 9;

pub const GPUTIDE_ALLOW_ENVIRONMENT: u32 = 1;
pub const GPUTIDE_ALLOW_PLAIN_HTTP: u32 = 2;
pub const GPUTIDE_ALLOW_CUSTOM_AUTHORITY: u32 = 4;
pub const GPUTIDE_ENABLE_AZURE_PROXY: u32 = 8;
pub const GPUTIDE_STRICT: u32 = 16;
pub const GPUTIDE_VERIFIED_PEERS: u32 = 32;
pub const GPUTIDE_ALLOW_UNVERIFIED_PEERS: u32 = 64;

pub const GPUTIDE_STATE_UNCHECKED: u32 = 1;

pub const GPUTIDE_FEATURE_PURE: u32 = 1;
pub const GPUTIDE_FEATURE_CORE: u32 = 2;
pub const GPUTIDE_FEATURE_PLAN: u32 = 4;
pub const GPUTIDE_FEATURE_KUBERNETES: u32 = 8;
pub const GPUTIDE_FEATURE_YAML: u32 = 16;
pub const GPUTIDE_FEATURE_HTTP2: u32 = 32;
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

pub const GPUTIDE_RUNTIME_EVERY_DECISION: u32 = 1;
pub const GPUTIDE_RUNTIME_REPORTS: u32 = 2;
pub const GPUTIDE_RUNTIME_NO_SHARING: u32 = 4;
pub const GPUTIDE_RUNTIME_OBSERVE_FIRST: u32 = 8;

pub const GPUTIDE_EVENT_DECISION: i32 = 1;
pub const GPUTIDE_EVENT_DUE: i32 = 2;
pub const GPUTIDE_EVENT_CLUSTER: i32 = 3;

pub const GPUTIDE_FORECAST_WARMING: i32 = 1;
pub const GPUTIDE_FORECAST_OFF: i32 = 2;
pub const GPUTIDE_FORECAST_SPENT: i32 = 3;
pub const GPUTIDE_FORECAST_ON: i32 = 4;

pub const GPUTIDE_FLOOR_RAISED: i32 = 1;
pub const GPUTIDE_FLOOR_WITHIN_REACTIVE: i32 = 2;
pub const GPUTIDE_FLOOR_CAPPED_BY_MAX: i32 = 3;
pub const GPUTIDE_FLOOR_CAPPED_BY_RAISE: i32 = 4;
pub const GPUTIDE_FLOOR_OBSERVE: i32 = 5;
pub const GPUTIDE_FLOOR_WARMING_UP: i32 = 6;
pub const GPUTIDE_FLOOR_NOT_BETTER: i32 = 7;
pub const GPUTIDE_FLOOR_BUDGET_SPENT: i32 = 8;
pub const GPUTIDE_FLOOR_NO_RECENT_VALUE: i32 = 9;
pub const GPUTIDE_FLOOR_AT_ZERO: i32 = 10;

pub const GPUTIDE_USAGE_BUSY: u32 = 1;
pub const GPUTIDE_USAGE_MEMORY: u32 = 2;
pub const GPUTIDE_USAGE_OOM: u32 = 4;

#[repr(C)]
pub struct gputide_cancel {
    _opaque: crate::Opaque,
}

#[repr(C)]
pub struct gputide_scaler {
    _opaque: crate::Opaque,
}

#[repr(C)]
pub struct gputide_policy {
    _opaque: crate::Opaque,
}

#[repr(C)]
pub struct gputide_state {
    _opaque: crate::Opaque,
}

#[repr(C)]
pub struct gputide_credential {
    _opaque: crate::Opaque,
}

#[repr(C)]
pub struct gputide_source {
    _opaque: crate::Opaque,
}

#[repr(C)]
pub struct gputide_log_reader {
    _opaque: crate::Opaque,
}

#[repr(C)]
pub struct gputide_runtime {
    _opaque: crate::Opaque,
}

#[repr(C)]
pub struct gputide_forecast {
    _opaque: crate::Opaque,
}

#[repr(C)]
pub struct gputide_series {
    _opaque: crate::Opaque,
}

#[repr(C)]
pub struct gputide_replay {
    _opaque: crate::Opaque,
}

#[repr(C)]
pub struct gputide_rightsize {
    _opaque: crate::Opaque,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct gputide_sample {
    pub struct_size: u32,
    pub state: gputide_sample_state,
    pub status: gputide_status,
    pub flags: u32,
    pub value: f64,
    pub time_ms: i64,
    pub message: *const c_char,
}

crate::zeroed!(gputide_sample, struct_size);

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct gputide_observation {
    pub struct_size: u32,
    pub flags: u32,
    pub now_ms: i64,
    pub current_replicas: i32,
    pub status_replicas: i32,
    pub ready_replicas: i32,
    pub sample_count: u32,
    pub samples: *const gputide_sample,
    pub pods: *const gputide_pod,
    pub pod_samples: *const gputide_pod_sample,
    pub pod_count: u32,
    pub pod_sample_count: u32,
    pub sample_size: u32,
    pub pod_size: u32,
    pub pod_sample_size: u32,
    pub reserved: u32,
    pub message: *const c_char,
}

crate::zeroed!(gputide_observation, struct_size);

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct gputide_condition {
    pub truth: i32,
    pub reason: i32,
    pub since_ms: i64,
}

crate::zeroed!(gputide_condition);

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct gputide_decision {
    pub struct_size: u32,
    pub flags: u32,
    pub id: u64,
    pub now_ms: i64,
    pub next_due_ms: i64,
    pub current_replicas: i32,
    pub desired_replicas: i32,
    pub proposed_replicas: i32,
    pub limited_by: i32,
    pub source: i32,
    pub winner: i32,
    pub failed_metric: i32,
    pub event: i32,
    pub conditions: [gputide_condition; 16],
    pub forecast_state: i32,
    pub forecast_need: i32,
    pub message: *const c_char,
}

crate::zeroed!(gputide_decision, struct_size);

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct gputide_error {
    pub struct_size: u32,
    pub status: gputide_status,
    pub action: gputide_action,
    pub retryable: i32,
    pub http_status: i32,
    pub reserved: i32,
    pub retry_at_ms: i64,
    pub service_code: [c_char; 64],
    pub r#where: [c_char; 128],
    pub message: [c_char; 2048],
    pub detail: [c_char; 4096],
}

crate::zeroed!(gputide_error, struct_size);

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct gputide_text {
    pub data: *mut c_char,
    pub size_bytes: u64,
}

crate::zeroed!(gputide_text);

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct gputide_file {
    pub name: *const c_char,
    pub text: *const c_char,
    pub size_bytes: i64,
}

crate::zeroed!(gputide_file);

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct gputide_options {
    pub struct_size: u32,
    pub flags: u32,
    pub text_name: *const c_char,
    pub scaler: *const c_char,
    pub files: *const gputide_file,
    pub file_count: u32,
    pub file_size: u32,
    pub allowed_environment: *const c_char,
    pub allowed_token_hosts: *const c_char,
    pub allowed_programs: *const c_char,
    pub secrets_dir: *const c_char,
    pub ca_file: *const c_char,
    pub ca_pem: *const c_char,
    pub ca_pem_bytes: i64,
    pub proxy: *const c_char,
    pub user_agent: *const c_char,
    pub kubeconfig: *const c_char,
    pub kube_context: *const c_char,
    pub service_account_dir: *const c_char,
}

crate::zeroed!(gputide_options, struct_size);

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct gputide_token_info {
    pub struct_size: u32,
    pub reserved: u32,
    pub expires_at_ms: i64,
    pub refresh_at_ms: i64,
    pub usable_until_ms: i64,
}

crate::zeroed!(gputide_token_info, struct_size);

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct gputide_log_sink {
    pub struct_size: u32,
    pub level: i32,
    pub write: Option<unsafe extern "C" fn(user_data: *mut c_void, level: i32, line: *const c_char)>,
    pub finalize: Option<unsafe extern "C" fn(user_data: *mut c_void)>,
    pub user_data: *mut c_void,
}

crate::zeroed!(gputide_log_sink, struct_size);

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct gputide_allocator {
    pub struct_size: u32,
    pub reserved: u32,
    pub allocate: Option<unsafe extern "C" fn(user_data: *mut c_void, size_bytes: u64) -> *mut c_void>,
    pub release: Option<unsafe extern "C" fn(user_data: *mut c_void, memory: *mut c_void)>,
    pub user_data: *mut c_void,
}

crate::zeroed!(gputide_allocator, struct_size);

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct gputide_pod {
    pub name: *const c_char,
    pub phase: i32,
    pub ready: i32,
    pub deleting: i32,
    pub reserved: i32,
    pub start_time_ms: i64,
    pub ready_change_time_ms: i64,
}

crate::zeroed!(gputide_pod);

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct gputide_pod_sample {
    pub metric: i32,
    pub pod: i32,
    pub value_milli: i64,
    pub request_milli: i64,
    pub time_ms: i64,
    pub window_s: i32,
    pub reserved: i32,
    pub container: *const c_char,
}

crate::zeroed!(gputide_pod_sample);

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct gputide_runtime_options {
    pub struct_size: u32,
    pub flags: u32,
    pub seed: u64,
    pub poll_timeout_ms: i32,
    pub start_spread_ms: i32,
    pub share_window_ms: i32,
    pub max_in_flight: i32,
    pub max_per_endpoint: i32,
    pub breaker_failures: i32,
    pub breaker_base_ms: i32,
    pub breaker_cap_ms: i32,
    pub gather_ms: i32,
    pub reserved: i32,
}

crate::zeroed!(gputide_runtime_options, struct_size);

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct gputide_event {
    pub struct_size: u32,
    pub kind: i32,
    pub id: u64,
    pub tag: u64,
    pub sequence: u64,
    pub observed_ms: i64,
    pub replaced: u32,
    pub reserved: u32,
    pub name: [c_char; 328],
}

crate::zeroed!(gputide_event, struct_size);

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct gputide_floor {
    pub struct_size: u32,
    pub state: i32,
    pub reason: i32,
    pub replicas: i32,
    pub need_replicas: i32,
    pub reserved: i32,
    pub floor_load: f64,
}

crate::zeroed!(gputide_floor, struct_size);

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct gputide_nodes_summary {
    pub struct_size: u32,
    pub errors: u32,
    pub warnings: u32,
    pub reserved: u32,
    pub nodes_to_add: i64,
    pub nodes_to_remove: i64,
    pub pods_pending: i64,
    pub pods_on_existing: i64,
    pub pods_on_new: i64,
    pub pods_left: i64,
}

crate::zeroed!(gputide_nodes_summary, struct_size);

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct gputide_usage_sample {
    pub time_ms: i64,
    pub container: u32,
    pub unit: u32,
    pub flags: u32,
    pub reserved: u32,
    pub busy: f64,
    pub memory_bytes: i64,
}

crate::zeroed!(gputide_usage_sample);

crate::functions! {
    gputide_api gputide_api_table core_calls;
    fn gputide_manifest_check, manifest_check(manifest: *const c_char, size_bytes: i64, options: *const gputide_options, report: *mut gputide_text, lines: *mut gputide_text, err: *mut gputide_error) -> gputide_status;
    fn gputide_scaler_open, scaler_open(manifest: *const c_char, size_bytes: i64, options: *const gputide_options, out: *mut *mut gputide_scaler, err: *mut gputide_error) -> gputide_status;
    fn gputide_scaler_free, scaler_free(scaler: *mut gputide_scaler);
    fn gputide_scaler_tick, scaler_tick(scaler: *mut gputide_scaler, observation: *const gputide_observation, timeout_ms: i32, cancel: *const gputide_cancel, out: *mut gputide_decision, report: *mut gputide_text, err: *mut gputide_error) -> gputide_status;
    fn gputide_scaler_record, scaler_record(scaler: *mut gputide_scaler, decision: *mut gputide_decision, applied: i32, now_ms: i64, err: *mut gputide_error) -> gputide_status;
    fn gputide_scaler_save, scaler_save(scaler: *const gputide_scaler, out: *mut gputide_text, err: *mut gputide_error) -> gputide_status;
    fn gputide_scaler_load, scaler_load(scaler: *mut gputide_scaler, text: *const c_char, size_bytes: i64, err: *mut gputide_error) -> gputide_status;
    fn gputide_scaler_describe, scaler_describe(scaler: *const gputide_scaler, json: *mut gputide_text, err: *mut gputide_error) -> gputide_status;
    fn gputide_text_free, text_free(text: *mut gputide_text);
    fn gputide_sample_state_name, sample_state_name(state: gputide_sample_state) -> *const c_char;
    fn gputide_limit_name, limit_name(limit: i32) -> *const c_char;
    fn gputide_event_name, event_name(event: i32) -> *const c_char;
    fn gputide_condition_name, condition_name(condition: i32) -> *const c_char;
    fn gputide_reason_name, reason_name(reason: i32) -> *const c_char;
    fn gputide_status_name, status_name(status: gputide_status) -> *const c_char;
    fn gputide_action_name, action_name(action: gputide_action) -> *const c_char;
    fn gputide_cancel_new, cancel_new(out: *mut *mut gputide_cancel, err: *mut gputide_error) -> gputide_status;
    fn gputide_cancel_fire, cancel_fire(cancel: *const gputide_cancel);
    fn gputide_cancel_free, cancel_free(cancel: *mut gputide_cancel);
    fn gputide_policy_open, policy_open(manifest: *const c_char, size_bytes: i64, options: *const gputide_options, out: *mut *mut gputide_policy, err: *mut gputide_error) -> gputide_status;
    fn gputide_policy_free, policy_free(policy: *mut gputide_policy);
    fn gputide_policy_metric_count, policy_metric_count(policy: *const gputide_policy) -> u32;
    fn gputide_policy_metric_name, policy_metric_name(policy: *const gputide_policy, metric: i32) -> *const c_char;
    fn gputide_policy_describe, policy_describe(policy: *const gputide_policy, json: *mut gputide_text, err: *mut gputide_error) -> gputide_status;
    fn gputide_state_new, state_new(policy: *const gputide_policy, created_ms: i64, out: *mut *mut gputide_state, err: *mut gputide_error) -> gputide_status;
    fn gputide_state_free, state_free(state: *mut gputide_state);
    fn gputide_state_save, state_save(policy: *const gputide_policy, state: *const gputide_state, out: *mut gputide_text, err: *mut gputide_error) -> gputide_status;
    fn gputide_state_describe, state_describe(policy: *const gputide_policy, state: *const gputide_state, json: *mut gputide_text, err: *mut gputide_error) -> gputide_status;
    fn gputide_state_load, state_load(policy: *const gputide_policy, text: *const c_char, size_bytes: i64, flags: u32, out: *mut *mut gputide_state, err: *mut gputide_error) -> gputide_status;
    fn gputide_decide, decide(policy: *const gputide_policy, state: *mut gputide_state, observation: *const gputide_observation, out: *mut gputide_decision, report: *mut gputide_text, err: *mut gputide_error) -> gputide_status;
    fn gputide_decide_values, decide_values(policy: *const gputide_policy, state: *mut gputide_state, now_ms: i64, current_replicas: i32, values: *const f64, count: u32, out: *mut gputide_decision, err: *mut gputide_error) -> gputide_status;
    fn gputide_state_record, state_record(policy: *const gputide_policy, state: *mut gputide_state, decision: *mut gputide_decision, applied: i32, now_ms: i64, err: *mut gputide_error) -> gputide_status;
    fn gputide_report_render, report_render(report: *const c_char, size_bytes: i64, lines: *mut gputide_text, err: *mut gputide_error) -> gputide_status;
    fn gputide_version, version() -> *const c_char;
    fn gputide_features, features() -> u32;
    fn gputide_build_info, build_info() -> *const c_char;
    fn gputide_credential_open, credential_open(text: *const c_char, size_bytes: i64, options: *const gputide_options, out: *mut *mut gputide_credential, err: *mut gputide_error) -> gputide_status;
    fn gputide_credential_free, credential_free(credential: *mut gputide_credential);
    fn gputide_credential_token, credential_token(credential: *const gputide_credential, scope: *const c_char, timeout_ms: i32, cancel: *const gputide_cancel, token: *mut gputide_text, info: *mut gputide_token_info, err: *mut gputide_error) -> gputide_status;
    fn gputide_credential_invalidate, credential_invalidate(credential: *const gputide_credential, scope: *const c_char, token: *const c_char, token_bytes: i64, err: *mut gputide_error) -> gputide_status;
    fn gputide_token_claims, token_claims(token: *const c_char, token_bytes: i64, json: *mut gputide_text, err: *mut gputide_error) -> gputide_status;
    fn gputide_source_open, source_open(text: *const c_char, size_bytes: i64, options: *const gputide_options, out: *mut *mut gputide_source, err: *mut gputide_error) -> gputide_status;
    fn gputide_source_free, source_free(source: *mut gputide_source);
    fn gputide_source_fetch, source_fetch(source: *mut gputide_source, now_ms: i64, timeout_ms: i32, cancel: *const gputide_cancel, out: *mut gputide_sample, err: *mut gputide_error) -> gputide_status;
    fn gputide_source_fetch_all, source_fetch_all(source: *mut gputide_source, now_ms: i64, timeout_ms: i32, cancel: *const gputide_cancel, json: *mut gputide_text, err: *mut gputide_error) -> gputide_status;
    fn gputide_source_describe, source_describe(source: *const gputide_source, json: *mut gputide_text, err: *mut gputide_error) -> gputide_status;
    fn gputide_source_request, source_request(source: *const gputide_source, now_ms: i64, json: *mut gputide_text, err: *mut gputide_error) -> gputide_status;
    fn gputide_source_parse, source_parse(source: *const gputide_source, http_status: i32, body: *const c_char, body_bytes: i64, out: *mut gputide_sample, err: *mut gputide_error) -> gputide_status;
    fn gputide_source_parse_all, source_parse_all(source: *const gputide_source, http_status: i32, headers: *const c_char, headers_bytes: i64, body: *const c_char, body_bytes: i64, json: *mut gputide_text, err: *mut gputide_error) -> gputide_status;
    fn gputide_doctor, doctor(manifest: *const c_char, size_bytes: i64, options: *const gputide_options, observation: *const gputide_observation, timeout_ms: i32, cancel: *const gputide_cancel, report: *mut gputide_text, lines: *mut gputide_text, err: *mut gputide_error) -> gputide_status;
    fn gputide_set_log, set_log(sink: *const gputide_log_sink, err: *mut gputide_error) -> gputide_status;
    fn gputide_log_open, log_open(level: i32, out: *mut *mut gputide_log_reader, err: *mut gputide_error) -> gputide_status;
    fn gputide_log_next, log_next(reader: *mut gputide_log_reader, timeout_ms: i32, cancel: *const gputide_cancel, line: *mut gputide_text, level: *mut i32, err: *mut gputide_error) -> gputide_status;
    fn gputide_log_close, log_close(reader: *mut gputide_log_reader);
    fn gputide_log_free, log_free(reader: *mut gputide_log_reader);
    fn gputide_set_allocator, set_allocator(allocator: *const gputide_allocator, err: *mut gputide_error) -> gputide_status;
    fn gputide_quantity, quantity(text: *const c_char, size_bytes: i64, milli: *mut i64, err: *mut gputide_error) -> gputide_status;
    fn gputide_runtime_new, runtime_new(options: *const gputide_runtime_options, out: *mut *mut gputide_runtime, err: *mut gputide_error) -> gputide_status;
    fn gputide_runtime_close, runtime_close(runtime: *mut gputide_runtime, timeout_ms: i32, err: *mut gputide_error) -> gputide_status;
    fn gputide_runtime_free, runtime_free(runtime: *mut gputide_runtime);
    fn gputide_runtime_add, runtime_add(runtime: *mut gputide_runtime, manifest: *const c_char, size_bytes: i64, options: *const gputide_options, tag: u64, id: *mut u64, err: *mut gputide_error) -> gputide_status;
    fn gputide_runtime_replace, runtime_replace(runtime: *mut gputide_runtime, id: u64, manifest: *const c_char, size_bytes: i64, options: *const gputide_options, tag: *const u64, err: *mut gputide_error) -> gputide_status;
    fn gputide_runtime_remove, runtime_remove(runtime: *mut gputide_runtime, id: u64, err: *mut gputide_error) -> gputide_status;
    fn gputide_runtime_find, runtime_find(runtime: *mut gputide_runtime, name: *const c_char, id: *mut u64, err: *mut gputide_error) -> gputide_status;
    fn gputide_runtime_next_scaler, runtime_next_scaler(runtime: *mut gputide_runtime, after_id: u64, id: *mut u64, err: *mut gputide_error) -> gputide_status;
    fn gputide_runtime_observe, runtime_observe(runtime: *mut gputide_runtime, id: u64, observation: *const gputide_observation, err: *mut gputide_error) -> gputide_status;
    fn gputide_runtime_push, runtime_push(runtime: *mut gputide_runtime, id: u64, samples: *const gputide_sample, sample_size: u32, count: u32, err: *mut gputide_error) -> gputide_status;
    fn gputide_event_kind_name, event_kind_name(kind: i32) -> *const c_char;
    fn gputide_runtime_next_event, runtime_next_event(runtime: *mut gputide_runtime, timeout_ms: i32, cancel: *const gputide_cancel, event: *mut gputide_event, decision: *mut gputide_decision, report: *mut gputide_text, err: *mut gputide_error) -> gputide_status;
    fn gputide_runtime_record, runtime_record(runtime: *mut gputide_runtime, id: u64, decision: *mut gputide_decision, applied: i32, now_ms: i64, err: *mut gputide_error) -> gputide_status;
    fn gputide_runtime_save, runtime_save(runtime: *mut gputide_runtime, id: u64, out: *mut gputide_text, err: *mut gputide_error) -> gputide_status;
    fn gputide_runtime_load, runtime_load(runtime: *mut gputide_runtime, id: u64, text: *const c_char, size_bytes: i64, err: *mut gputide_error) -> gputide_status;
    fn gputide_runtime_describe, runtime_describe(runtime: *mut gputide_runtime, id: u64, json: *mut gputide_text, err: *mut gputide_error) -> gputide_status;
    fn gputide_runtime_stats, runtime_stats(runtime: *mut gputide_runtime, json: *mut gputide_text, err: *mut gputide_error) -> gputide_status;
    fn gputide_runtime_start, runtime_start(runtime: *mut gputide_runtime, err: *mut gputide_error) -> gputide_status;
    fn gputide_runtime_stop, runtime_stop(runtime: *mut gputide_runtime, timeout_ms: i32, err: *mut gputide_error) -> gputide_status;
    fn gputide_runtime_step, runtime_step(runtime: *mut gputide_runtime, now_ms: i64, next_ms: *mut i64, err: *mut gputide_error) -> gputide_status;
    fn gputide_runtime_wake_fd, runtime_wake_fd(runtime: *mut gputide_runtime, fd: *mut i32, err: *mut gputide_error) -> gputide_status;
}

crate::functions! {
    gputide_plan_api gputide_plan_api_table plan_calls;
    fn gputide_forecast_open, forecast_open(settings: *const c_char, size_bytes: i64, out: *mut *mut gputide_forecast, err: *mut gputide_error) -> gputide_status;
    fn gputide_forecast_free, forecast_free(forecast: *mut gputide_forecast);
    fn gputide_forecast_add, forecast_add(forecast: *mut gputide_forecast, now_ms: i64, load: f64, err: *mut gputide_error) -> gputide_status;
    fn gputide_forecast_floor, forecast_floor(forecast: *const gputide_forecast, target: f64, reactive_replicas: i32, current_replicas: i32, max_replicas: i32, out: *mut gputide_floor, err: *mut gputide_error) -> gputide_status;
    fn gputide_forecast_charge, forecast_charge(forecast: *mut gputide_forecast, written_replicas: i32, shadow_replicas: i32, err: *mut gputide_error) -> gputide_status;
    fn gputide_forecast_describe, forecast_describe(forecast: *const gputide_forecast, json: *mut gputide_text, err: *mut gputide_error) -> gputide_status;
    fn gputide_forecast_save, forecast_save(forecast: *const gputide_forecast, out: *mut gputide_text, err: *mut gputide_error) -> gputide_status;
    fn gputide_forecast_load, forecast_load(forecast: *mut gputide_forecast, text: *const c_char, size_bytes: i64, err: *mut gputide_error) -> gputide_status;
    fn gputide_forecast_state_name, forecast_state_name(state: i32) -> *const c_char;
    fn gputide_floor_reason_name, floor_reason_name(reason: i32) -> *const c_char;
    fn gputide_series_new, series_new(out: *mut *mut gputide_series, err: *mut gputide_error) -> gputide_status;
    fn gputide_series_free, series_free(series: *mut gputide_series);
    fn gputide_series_add, series_add(series: *mut gputide_series, metric: i32, times_ms: *const i64, values: *const f64, count: u64, err: *mut gputide_error) -> gputide_status;
    fn gputide_series_add_replicas, series_add_replicas(series: *mut gputide_series, times_ms: *const i64, replicas: *const i32, count: u64, err: *mut gputide_error) -> gputide_status;
    fn gputide_series_read, series_read(series: *mut gputide_series, metric: i32, text: *const c_char, size_bytes: i64, scaler: *const c_char, err: *mut gputide_error) -> gputide_status;
    fn gputide_series_fetch, series_fetch(series: *mut gputide_series, scaler: *mut gputide_scaler, metric: i32, start_ms: i64, end_ms: i64, step_ms: i64, timeout_ms: i32, cancel: *const gputide_cancel, err: *mut gputide_error) -> gputide_status;
    fn gputide_series_write, series_write(series: *mut gputide_series, csv: *mut gputide_text, err: *mut gputide_error) -> gputide_status;
    fn gputide_series_describe, series_describe(series: *mut gputide_series, json: *mut gputide_text, err: *mut gputide_error) -> gputide_status;
    fn gputide_replay_open, replay_open(manifest: *const c_char, size_bytes: i64, options: *const gputide_options, settings: *const c_char, settings_bytes: i64, out: *mut *mut gputide_replay, err: *mut gputide_error) -> gputide_status;
    fn gputide_replay_free, replay_free(replay: *mut gputide_replay);
    fn gputide_replay_run, replay_run(replay: *mut gputide_replay, series: *const gputide_series, cancel: *const gputide_cancel, err: *mut gputide_error) -> gputide_status;
    fn gputide_replay_record, replay_record(replay: *mut gputide_replay, time_ms: i64, samples: *const gputide_sample, sample_size: u32, sample_count: u32, replicas: i32, last: *mut gputide_decision, err: *mut gputide_error) -> gputide_status;
    fn gputide_replay_report, replay_report(replay: *mut gputide_replay, json: *mut gputide_text, err: *mut gputide_error) -> gputide_status;
    fn gputide_nodes_plan, nodes_plan(text: *const c_char, size_bytes: i64, state: *const c_char, state_bytes: i64, now_ms: i64, summary: *mut gputide_nodes_summary, json: *mut gputide_text, next_state: *mut gputide_text, err: *mut gputide_error) -> gputide_status;
    fn gputide_rightsize_open, rightsize_open(settings: *const c_char, size_bytes: i64, options: *const gputide_options, out: *mut *mut gputide_rightsize, err: *mut gputide_error) -> gputide_status;
    fn gputide_rightsize_free, rightsize_free(rightsize: *mut gputide_rightsize);
    fn gputide_rightsize_describe, rightsize_describe(rightsize: *const gputide_rightsize, json: *mut gputide_text, err: *mut gputide_error) -> gputide_status;
    fn gputide_rightsize_container, rightsize_container(rightsize: *mut gputide_rightsize, name: *const c_char, number: *mut u32, err: *mut gputide_error) -> gputide_status;
    fn gputide_rightsize_add, rightsize_add(rightsize: *mut gputide_rightsize, samples: *const gputide_usage_sample, sample_size: u32, count: u32, counted: *mut u32, err: *mut gputide_error) -> gputide_status;
    fn gputide_rightsize_recommend, rightsize_recommend(rightsize: *const gputide_rightsize, container: u32, now_ms: i64, json: *mut gputide_text, err: *mut gputide_error) -> gputide_status;
    fn gputide_rightsize_fit, rightsize_fit(rightsize: *const gputide_rightsize, memory_bytes: i64, util_percent: f64, json: *mut gputide_text, err: *mut gputide_error) -> gputide_status;
    fn gputide_rightsize_save, rightsize_save(rightsize: *const gputide_rightsize, container: u32, now_ms: i64, out: *mut gputide_text, err: *mut gputide_error) -> gputide_status;
    fn gputide_rightsize_load, rightsize_load(rightsize: *mut gputide_rightsize, container: u32, text: *const c_char, size_bytes: i64, err: *mut gputide_error) -> gputide_status;
    fn gputide_scaled_job_decide, scaled_job_decide(manifest: *const c_char, size_bytes: i64, options: *const gputide_options, observation: *const c_char, observation_bytes: i64, decision: *mut gputide_text, err: *mut gputide_error) -> gputide_status;
}

crate::functions! {
    gputide_kubernetes_api gputide_kubernetes_api_table kubernetes_calls;
    fn gputide_cluster_attach, cluster_attach(runtime: *mut gputide_runtime, settings: *const c_char, size_bytes: i64, options: *const gputide_options, err: *mut gputide_error) -> gputide_status;
    fn gputide_cluster_detach, cluster_detach(runtime: *mut gputide_runtime, timeout_ms: i32, err: *mut gputide_error) -> gputide_status;
    fn gputide_cluster_describe, cluster_describe(runtime: *mut gputide_runtime, json: *mut gputide_text, err: *mut gputide_error) -> gputide_status;
    fn gputide_cluster_doctor, cluster_doctor(settings: *const c_char, size_bytes: i64, options: *const gputide_options, timeout_ms: i32, cancel: *const gputide_cancel, report: *mut gputide_text, lines: *mut gputide_text, err: *mut gputide_error) -> gputide_status;
    fn gputide_cluster_list, cluster_list(path: *const c_char, options: *const gputide_options, timeout_ms: i32, cancel: *const gputide_cancel, json: *mut gputide_text, err: *mut gputide_error) -> gputide_status;
    fn gputide_cluster_handover, cluster_handover(change: *const c_char, size_bytes: i64, options: *const gputide_options, timeout_ms: i32, cancel: *const gputide_cancel, json: *mut gputide_text, err: *mut gputide_error) -> gputide_status;
    fn gputide_agent_pool_write, agent_pool_write(credential: *const gputide_credential, change: *const c_char, size_bytes: i64, timeout_ms: i32, cancel: *const gputide_cancel, json: *mut gputide_text, err: *mut gputide_error) -> gputide_status;
}

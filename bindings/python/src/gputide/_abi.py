# Written by bindings/generator from include/gputide/gputide.h: change that, then run python3 -m bindings.generator.

"""gputide.h for ctypes: structs, flags and functions as in C.  Private; the modules beside it are the API."""

from __future__ import annotations

from ctypes import CDLL, POINTER, Structure
from ctypes import c_char, c_char_p, c_double, c_int32, c_int64, c_uint32, c_uint64, c_void_p
from typing import Any, Callable, Optional

TEXT = -1
FOREVER = -1
NO_METRIC = -1
FORMULA = -2
NO_VALUE = -9223372036854775808
VERSION_MAJOR = 0
VERSION_MINOR = 3
VERSION_PATCH = 0
ABI_VERSION = 1
MAX_CONDITIONS = 16
TABLE_BYTES = 632  # of the table that gputide_api gives, in this release

SAMPLE_NULL_AS_ZERO = 1
OBSERVED_STATUS = 1
OBSERVED_READY = 2
SCALE_UNREADABLE = 4
OBSERVED_PODS = 8
DECIDED_ACTIVE = 1
DECIDED_ERROR = 2
DECIDED_EXECUTOR = 4
DECIDED_HPA = 8
ALLOW_ENVIRONMENT = 1
ALLOW_PLAIN_HTTP = 2
ALLOW_CUSTOM_AUTHORITY = 4
ENABLE_AZURE_PROXY = 8
STRICT = 16
VERIFIED_PEERS = 32
ALLOW_UNVERIFIED_PEERS = 64
STATE_UNCHECKED = 1
FEATURE_PURE = 1
FEATURE_CORE = 2
FEATURE_PLAN = 4
FEATURE_KUBERNETES = 8
FEATURE_YAML = 16
FEATURE_HTTP2 = 32
FEATURE_CRON = 64
RUNTIME_EVERY_DECISION = 1
RUNTIME_REPORTS = 2
RUNTIME_NO_SHARING = 4
RUNTIME_OBSERVE_FIRST = 8
USAGE_BUSY = 1
USAGE_MEMORY = 2
USAGE_OOM = 4


class gputide_sample(Structure):
    _fields_ = [
        ("struct_size", c_uint32),
        ("state", c_int32),
        ("status", c_int32),
        ("flags", c_uint32),
        ("value", c_double),
        ("time_ms", c_int64),
        ("message", c_char_p),
    ]


class gputide_observation(Structure):
    _fields_ = [
        ("struct_size", c_uint32),
        ("flags", c_uint32),
        ("now_ms", c_int64),
        ("current_replicas", c_int32),
        ("status_replicas", c_int32),
        ("ready_replicas", c_int32),
        ("sample_count", c_uint32),
        ("samples", POINTER(gputide_sample)),
        ("pods", POINTER(gputide_pod)),
        ("pod_samples", POINTER(gputide_pod_sample)),
        ("pod_count", c_uint32),
        ("pod_sample_count", c_uint32),
        ("sample_size", c_uint32),
        ("pod_size", c_uint32),
        ("pod_sample_size", c_uint32),
        ("reserved", c_uint32),
        ("message", c_char_p),
    ]


class gputide_condition(Structure):
    _fields_ = [
        ("truth", c_int32),
        ("reason", c_int32),
        ("since_ms", c_int64),
    ]


class gputide_decision(Structure):
    _fields_ = [
        ("struct_size", c_uint32),
        ("flags", c_uint32),
        ("id", c_uint64),
        ("now_ms", c_int64),
        ("next_due_ms", c_int64),
        ("current_replicas", c_int32),
        ("desired_replicas", c_int32),
        ("proposed_replicas", c_int32),
        ("limited_by", c_int32),
        ("source", c_int32),
        ("winner", c_int32),
        ("failed_metric", c_int32),
        ("event", c_int32),
        ("conditions", gputide_condition * 16),
        ("forecast_state", c_int32),
        ("forecast_need", c_int32),
        ("message", c_char_p),
    ]


class gputide_error(Structure):
    _fields_ = [
        ("struct_size", c_uint32),
        ("status", c_int32),
        ("action", c_int32),
        ("retryable", c_int32),
        ("http_status", c_int32),
        ("reserved", c_int32),
        ("retry_at_ms", c_int64),
        ("service_code", c_char * 64),
        ("where", c_char * 128),
        ("message", c_char * 2048),
        ("detail", c_char * 4096),
    ]


class gputide_text(Structure):
    _fields_ = [
        ("data", c_void_p),
        ("size_bytes", c_uint64),
    ]


class gputide_file(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("text", c_char_p),
        ("size_bytes", c_int64),
    ]


class gputide_options(Structure):
    _fields_ = [
        ("struct_size", c_uint32),
        ("flags", c_uint32),
        ("text_name", c_char_p),
        ("scaler", c_char_p),
        ("files", POINTER(gputide_file)),
        ("file_count", c_uint32),
        ("file_size", c_uint32),
        ("allowed_environment", c_char_p),
        ("allowed_token_hosts", c_char_p),
        ("allowed_programs", c_char_p),
        ("secrets_dir", c_char_p),
        ("ca_file", c_char_p),
        ("ca_pem", c_char_p),
        ("ca_pem_bytes", c_int64),
        ("proxy", c_char_p),
        ("user_agent", c_char_p),
        ("kubeconfig", c_char_p),
        ("kube_context", c_char_p),
        ("service_account_dir", c_char_p),
    ]


class gputide_token_info(Structure):
    _fields_ = [
        ("struct_size", c_uint32),
        ("reserved", c_uint32),
        ("expires_at_ms", c_int64),
        ("refresh_at_ms", c_int64),
        ("usable_until_ms", c_int64),
    ]


class gputide_log_sink(Structure):
    _fields_ = [
        ("struct_size", c_uint32),
        ("level", c_int32),
        ("write", c_void_p),
        ("finalize", c_void_p),
        ("user_data", c_void_p),
    ]


class gputide_allocator(Structure):
    _fields_ = [
        ("struct_size", c_uint32),
        ("reserved", c_uint32),
        ("allocate", c_void_p),
        ("release", c_void_p),
        ("user_data", c_void_p),
    ]


class gputide_pod(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("phase", c_int32),
        ("ready", c_int32),
        ("deleting", c_int32),
        ("reserved", c_int32),
        ("start_time_ms", c_int64),
        ("ready_change_time_ms", c_int64),
    ]


class gputide_pod_sample(Structure):
    _fields_ = [
        ("metric", c_int32),
        ("pod", c_int32),
        ("value_milli", c_int64),
        ("request_milli", c_int64),
        ("time_ms", c_int64),
        ("window_s", c_int32),
        ("reserved", c_int32),
        ("container", c_char_p),
    ]


class gputide_runtime_options(Structure):
    _fields_ = [
        ("struct_size", c_uint32),
        ("flags", c_uint32),
        ("seed", c_uint64),
        ("poll_timeout_ms", c_int32),
        ("start_spread_ms", c_int32),
        ("share_window_ms", c_int32),
        ("max_in_flight", c_int32),
        ("max_per_endpoint", c_int32),
        ("breaker_failures", c_int32),
        ("breaker_base_ms", c_int32),
        ("breaker_cap_ms", c_int32),
        ("gather_ms", c_int32),
        ("reserved", c_int32),
    ]


class gputide_event(Structure):
    _fields_ = [
        ("struct_size", c_uint32),
        ("kind", c_int32),
        ("id", c_uint64),
        ("tag", c_uint64),
        ("sequence", c_uint64),
        ("observed_ms", c_int64),
        ("replaced", c_uint32),
        ("reserved", c_uint32),
        ("name", c_char * 328),
    ]


class gputide_floor(Structure):
    _fields_ = [
        ("struct_size", c_uint32),
        ("state", c_int32),
        ("reason", c_int32),
        ("replicas", c_int32),
        ("need_replicas", c_int32),
        ("reserved", c_int32),
        ("floor_load", c_double),
    ]


class gputide_nodes_summary(Structure):
    _fields_ = [
        ("struct_size", c_uint32),
        ("errors", c_uint32),
        ("warnings", c_uint32),
        ("reserved", c_uint32),
        ("nodes_to_add", c_int64),
        ("nodes_to_remove", c_int64),
        ("pods_pending", c_int64),
        ("pods_on_existing", c_int64),
        ("pods_on_new", c_int64),
        ("pods_left", c_int64),
    ]


class gputide_usage_sample(Structure):
    _fields_ = [
        ("time_ms", c_int64),
        ("container", c_uint32),
        ("unit", c_uint32),
        ("flags", c_uint32),
        ("reserved", c_uint32),
        ("busy", c_double),
        ("memory_bytes", c_int64),
    ]


class Functions:
    """The C functions by their names without gputide_, each with its types.  A missing one is an AttributeError."""

    manifest_check: Callable[..., int]
    scaler_open: Callable[..., int]
    scaler_free: Callable[..., None]
    scaler_tick: Callable[..., int]
    scaler_record: Callable[..., int]
    scaler_save: Callable[..., int]
    scaler_load: Callable[..., int]
    scaler_describe: Callable[..., int]
    text_free: Callable[..., None]
    sample_state_name: Callable[..., Optional[bytes]]
    limit_name: Callable[..., Optional[bytes]]
    event_name: Callable[..., Optional[bytes]]
    condition_name: Callable[..., Optional[bytes]]
    reason_name: Callable[..., Optional[bytes]]
    status_name: Callable[..., Optional[bytes]]
    action_name: Callable[..., Optional[bytes]]
    cancel_new: Callable[..., int]
    cancel_fire: Callable[..., None]
    cancel_free: Callable[..., None]
    policy_open: Callable[..., int]
    policy_free: Callable[..., None]
    policy_metric_count: Callable[..., int]
    policy_metric_name: Callable[..., Optional[bytes]]
    policy_describe: Callable[..., int]
    state_new: Callable[..., int]
    state_free: Callable[..., None]
    state_save: Callable[..., int]
    state_describe: Callable[..., int]
    state_load: Callable[..., int]
    decide: Callable[..., int]
    decide_values: Callable[..., int]
    state_record: Callable[..., int]
    report_render: Callable[..., int]
    version: Callable[..., Optional[bytes]]
    abi_version: Callable[..., int]
    features: Callable[..., int]
    build_info: Callable[..., Optional[bytes]]
    credential_open: Callable[..., int]
    credential_free: Callable[..., None]
    credential_token: Callable[..., int]
    credential_invalidate: Callable[..., int]
    token_claims: Callable[..., int]
    source_open: Callable[..., int]
    source_free: Callable[..., None]
    source_fetch: Callable[..., int]
    source_fetch_all: Callable[..., int]
    source_describe: Callable[..., int]
    source_request: Callable[..., int]
    source_parse: Callable[..., int]
    source_parse_all: Callable[..., int]
    doctor: Callable[..., int]
    set_log: Callable[..., int]
    log_open: Callable[..., int]
    log_next: Callable[..., int]
    log_close: Callable[..., None]
    log_free: Callable[..., None]
    set_allocator: Callable[..., int]
    quantity: Callable[..., int]
    runtime_new: Callable[..., int]
    runtime_close: Callable[..., int]
    runtime_free: Callable[..., None]
    runtime_add: Callable[..., int]
    runtime_replace: Callable[..., int]
    runtime_remove: Callable[..., int]
    runtime_find: Callable[..., int]
    runtime_next_scaler: Callable[..., int]
    runtime_observe: Callable[..., int]
    runtime_push: Callable[..., int]
    event_kind_name: Callable[..., Optional[bytes]]
    runtime_next_event: Callable[..., int]
    runtime_record: Callable[..., int]
    runtime_save: Callable[..., int]
    runtime_load: Callable[..., int]
    runtime_describe: Callable[..., int]
    runtime_stats: Callable[..., int]
    runtime_start: Callable[..., int]
    runtime_stop: Callable[..., int]
    runtime_step: Callable[..., int]
    runtime_wake_fd: Callable[..., int]
    forecast_open: Callable[..., int]
    forecast_free: Callable[..., None]
    forecast_add: Callable[..., int]
    forecast_floor: Callable[..., int]
    forecast_charge: Callable[..., int]
    forecast_describe: Callable[..., int]
    forecast_save: Callable[..., int]
    forecast_load: Callable[..., int]
    forecast_state_name: Callable[..., Optional[bytes]]
    floor_reason_name: Callable[..., Optional[bytes]]
    series_new: Callable[..., int]
    series_free: Callable[..., None]
    series_add: Callable[..., int]
    series_add_replicas: Callable[..., int]
    series_read: Callable[..., int]
    series_fetch: Callable[..., int]
    series_write: Callable[..., int]
    series_describe: Callable[..., int]
    replay_open: Callable[..., int]
    replay_free: Callable[..., None]
    replay_run: Callable[..., int]
    replay_record: Callable[..., int]
    replay_report: Callable[..., int]
    nodes_plan: Callable[..., int]
    rightsize_open: Callable[..., int]
    rightsize_free: Callable[..., None]
    rightsize_describe: Callable[..., int]
    rightsize_container: Callable[..., int]
    rightsize_add: Callable[..., int]
    rightsize_recommend: Callable[..., int]
    rightsize_fit: Callable[..., int]
    rightsize_save: Callable[..., int]
    rightsize_load: Callable[..., int]
    scaled_job_decide: Callable[..., int]
    cluster_attach: Callable[..., int]
    cluster_detach: Callable[..., int]
    cluster_describe: Callable[..., int]
    cluster_doctor: Callable[..., int]
    cluster_list: Callable[..., int]
    cluster_handover: Callable[..., int]
    agent_pool_write: Callable[..., int]

    def __init__(self, library: CDLL) -> None:
        self.manifest_check = _typed(
            library.gputide_manifest_check,
            c_int32,
            [
                c_char_p, c_int64, POINTER(gputide_options), POINTER(gputide_text), POINTER(gputide_text),
                POINTER(gputide_error)
            ],
        )
        self.scaler_open = _typed(
            library.gputide_scaler_open,
            c_int32,
            [c_char_p, c_int64, POINTER(gputide_options), POINTER(c_void_p), POINTER(gputide_error)],
        )
        self.scaler_free = _typed(library.gputide_scaler_free, None, [c_void_p])
        self.scaler_tick = _typed(
            library.gputide_scaler_tick,
            c_int32,
            [
                c_void_p, POINTER(gputide_observation), c_int32, c_void_p, POINTER(gputide_decision),
                POINTER(gputide_text), POINTER(gputide_error)
            ],
        )
        self.scaler_record = _typed(
            library.gputide_scaler_record,
            c_int32,
            [c_void_p, POINTER(gputide_decision), c_int32, c_int64, POINTER(gputide_error)],
        )
        self.scaler_save = _typed(
            library.gputide_scaler_save,
            c_int32,
            [c_void_p, POINTER(gputide_text), POINTER(gputide_error)],
        )
        self.scaler_load = _typed(
            library.gputide_scaler_load,
            c_int32,
            [c_void_p, c_char_p, c_int64, POINTER(gputide_error)],
        )
        self.scaler_describe = _typed(
            library.gputide_scaler_describe,
            c_int32,
            [c_void_p, POINTER(gputide_text), POINTER(gputide_error)],
        )
        self.text_free = _typed(library.gputide_text_free, None, [POINTER(gputide_text)])
        self.sample_state_name = _typed(library.gputide_sample_state_name, c_char_p, [c_int32])
        self.limit_name = _typed(library.gputide_limit_name, c_char_p, [c_int32])
        self.event_name = _typed(library.gputide_event_name, c_char_p, [c_int32])
        self.condition_name = _typed(library.gputide_condition_name, c_char_p, [c_int32])
        self.reason_name = _typed(library.gputide_reason_name, c_char_p, [c_int32])
        self.status_name = _typed(library.gputide_status_name, c_char_p, [c_int32])
        self.action_name = _typed(library.gputide_action_name, c_char_p, [c_int32])
        self.cancel_new = _typed(library.gputide_cancel_new, c_int32, [POINTER(c_void_p), POINTER(gputide_error)])
        self.cancel_fire = _typed(library.gputide_cancel_fire, None, [c_void_p])
        self.cancel_free = _typed(library.gputide_cancel_free, None, [c_void_p])
        self.policy_open = _typed(
            library.gputide_policy_open,
            c_int32,
            [c_char_p, c_int64, POINTER(gputide_options), POINTER(c_void_p), POINTER(gputide_error)],
        )
        self.policy_free = _typed(library.gputide_policy_free, None, [c_void_p])
        self.policy_metric_count = _typed(library.gputide_policy_metric_count, c_uint32, [c_void_p])
        self.policy_metric_name = _typed(library.gputide_policy_metric_name, c_char_p, [c_void_p, c_int32])
        self.policy_describe = _typed(
            library.gputide_policy_describe,
            c_int32,
            [c_void_p, POINTER(gputide_text), POINTER(gputide_error)],
        )
        self.state_new = _typed(
            library.gputide_state_new,
            c_int32,
            [c_void_p, c_int64, POINTER(c_void_p), POINTER(gputide_error)],
        )
        self.state_free = _typed(library.gputide_state_free, None, [c_void_p])
        self.state_save = _typed(
            library.gputide_state_save,
            c_int32,
            [c_void_p, c_void_p, POINTER(gputide_text), POINTER(gputide_error)],
        )
        self.state_describe = _typed(
            library.gputide_state_describe,
            c_int32,
            [c_void_p, c_void_p, POINTER(gputide_text), POINTER(gputide_error)],
        )
        self.state_load = _typed(
            library.gputide_state_load,
            c_int32,
            [c_void_p, c_char_p, c_int64, c_uint32, POINTER(c_void_p), POINTER(gputide_error)],
        )
        self.decide = _typed(
            library.gputide_decide,
            c_int32,
            [
                c_void_p, c_void_p, POINTER(gputide_observation), POINTER(gputide_decision), POINTER(gputide_text),
                POINTER(gputide_error)
            ],
        )
        self.decide_values = _typed(
            library.gputide_decide_values,
            c_int32,
            [
                c_void_p, c_void_p, c_int64, c_int32, POINTER(c_double), c_uint32, POINTER(gputide_decision),
                POINTER(gputide_error)
            ],
        )
        self.state_record = _typed(
            library.gputide_state_record,
            c_int32,
            [c_void_p, c_void_p, POINTER(gputide_decision), c_int32, c_int64, POINTER(gputide_error)],
        )
        self.report_render = _typed(
            library.gputide_report_render,
            c_int32,
            [c_char_p, c_int64, POINTER(gputide_text), POINTER(gputide_error)],
        )
        self.version = _typed(library.gputide_version, c_char_p, [])
        self.abi_version = _typed(library.gputide_abi_version, c_int32, [])
        self.features = _typed(library.gputide_features, c_uint32, [])
        self.build_info = _typed(library.gputide_build_info, c_char_p, [])
        self.credential_open = _typed(
            library.gputide_credential_open,
            c_int32,
            [c_char_p, c_int64, POINTER(gputide_options), POINTER(c_void_p), POINTER(gputide_error)],
        )
        self.credential_free = _typed(library.gputide_credential_free, None, [c_void_p])
        self.credential_token = _typed(
            library.gputide_credential_token,
            c_int32,
            [
                c_void_p, c_char_p, c_int32, c_void_p, POINTER(gputide_text), POINTER(gputide_token_info),
                POINTER(gputide_error)
            ],
        )
        self.credential_invalidate = _typed(
            library.gputide_credential_invalidate,
            c_int32,
            [c_void_p, c_char_p, c_char_p, c_int64, POINTER(gputide_error)],
        )
        self.token_claims = _typed(
            library.gputide_token_claims,
            c_int32,
            [c_char_p, c_int64, POINTER(gputide_text), POINTER(gputide_error)],
        )
        self.source_open = _typed(
            library.gputide_source_open,
            c_int32,
            [c_char_p, c_int64, POINTER(gputide_options), POINTER(c_void_p), POINTER(gputide_error)],
        )
        self.source_free = _typed(library.gputide_source_free, None, [c_void_p])
        self.source_fetch = _typed(
            library.gputide_source_fetch,
            c_int32,
            [c_void_p, c_int64, c_int32, c_void_p, POINTER(gputide_sample), POINTER(gputide_error)],
        )
        self.source_fetch_all = _typed(
            library.gputide_source_fetch_all,
            c_int32,
            [c_void_p, c_int64, c_int32, c_void_p, POINTER(gputide_text), POINTER(gputide_error)],
        )
        self.source_describe = _typed(
            library.gputide_source_describe,
            c_int32,
            [c_void_p, POINTER(gputide_text), POINTER(gputide_error)],
        )
        self.source_request = _typed(
            library.gputide_source_request,
            c_int32,
            [c_void_p, c_int64, POINTER(gputide_text), POINTER(gputide_error)],
        )
        self.source_parse = _typed(
            library.gputide_source_parse,
            c_int32,
            [c_void_p, c_int32, c_char_p, c_int64, POINTER(gputide_sample), POINTER(gputide_error)],
        )
        self.source_parse_all = _typed(
            library.gputide_source_parse_all,
            c_int32,
            [c_void_p, c_int32, c_char_p, c_int64, c_char_p, c_int64, POINTER(gputide_text), POINTER(gputide_error)],
        )
        self.doctor = _typed(
            library.gputide_doctor,
            c_int32,
            [
                c_char_p, c_int64, POINTER(gputide_options), POINTER(gputide_observation), c_int32, c_void_p,
                POINTER(gputide_text), POINTER(gputide_text), POINTER(gputide_error)
            ],
        )
        self.set_log = _typed(library.gputide_set_log, c_int32, [POINTER(gputide_log_sink), POINTER(gputide_error)])
        self.log_open = _typed(library.gputide_log_open, c_int32, [c_int32, POINTER(c_void_p), POINTER(gputide_error)])
        self.log_next = _typed(
            library.gputide_log_next,
            c_int32,
            [c_void_p, c_int32, c_void_p, POINTER(gputide_text), POINTER(c_int32), POINTER(gputide_error)],
        )
        self.log_close = _typed(library.gputide_log_close, None, [c_void_p])
        self.log_free = _typed(library.gputide_log_free, None, [c_void_p])
        self.set_allocator = _typed(
            library.gputide_set_allocator,
            c_int32,
            [POINTER(gputide_allocator), POINTER(gputide_error)],
        )
        self.quantity = _typed(
            library.gputide_quantity,
            c_int32,
            [c_char_p, c_int64, POINTER(c_int64), POINTER(gputide_error)],
        )
        self.runtime_new = _typed(
            library.gputide_runtime_new,
            c_int32,
            [POINTER(gputide_runtime_options), POINTER(c_void_p), POINTER(gputide_error)],
        )
        self.runtime_close = _typed(library.gputide_runtime_close, c_int32, [c_void_p, c_int32, POINTER(gputide_error)])
        self.runtime_free = _typed(library.gputide_runtime_free, None, [c_void_p])
        self.runtime_add = _typed(
            library.gputide_runtime_add,
            c_int32,
            [
                c_void_p, c_char_p, c_int64, POINTER(gputide_options), c_uint64, POINTER(c_uint64),
                POINTER(gputide_error)
            ],
        )
        self.runtime_replace = _typed(
            library.gputide_runtime_replace,
            c_int32,
            [
                c_void_p, c_uint64, c_char_p, c_int64, POINTER(gputide_options), POINTER(c_uint64),
                POINTER(gputide_error)
            ],
        )
        self.runtime_remove = _typed(
            library.gputide_runtime_remove,
            c_int32,
            [c_void_p, c_uint64, POINTER(gputide_error)],
        )
        self.runtime_find = _typed(
            library.gputide_runtime_find,
            c_int32,
            [c_void_p, c_char_p, POINTER(c_uint64), POINTER(gputide_error)],
        )
        self.runtime_next_scaler = _typed(
            library.gputide_runtime_next_scaler,
            c_int32,
            [c_void_p, c_uint64, POINTER(c_uint64), POINTER(gputide_error)],
        )
        self.runtime_observe = _typed(
            library.gputide_runtime_observe,
            c_int32,
            [c_void_p, c_uint64, POINTER(gputide_observation), POINTER(gputide_error)],
        )
        self.runtime_push = _typed(
            library.gputide_runtime_push,
            c_int32,
            [c_void_p, c_uint64, POINTER(gputide_sample), c_uint32, c_uint32, POINTER(gputide_error)],
        )
        self.event_kind_name = _typed(library.gputide_event_kind_name, c_char_p, [c_int32])
        self.runtime_next_event = _typed(
            library.gputide_runtime_next_event,
            c_int32,
            [
                c_void_p, c_int32, c_void_p, POINTER(gputide_event), POINTER(gputide_decision), POINTER(gputide_text),
                POINTER(gputide_error)
            ],
        )
        self.runtime_record = _typed(
            library.gputide_runtime_record,
            c_int32,
            [c_void_p, c_uint64, POINTER(gputide_decision), c_int32, c_int64, POINTER(gputide_error)],
        )
        self.runtime_save = _typed(
            library.gputide_runtime_save,
            c_int32,
            [c_void_p, c_uint64, POINTER(gputide_text), POINTER(gputide_error)],
        )
        self.runtime_load = _typed(
            library.gputide_runtime_load,
            c_int32,
            [c_void_p, c_uint64, c_char_p, c_int64, POINTER(gputide_error)],
        )
        self.runtime_describe = _typed(
            library.gputide_runtime_describe,
            c_int32,
            [c_void_p, c_uint64, POINTER(gputide_text), POINTER(gputide_error)],
        )
        self.runtime_stats = _typed(
            library.gputide_runtime_stats,
            c_int32,
            [c_void_p, POINTER(gputide_text), POINTER(gputide_error)],
        )
        self.runtime_start = _typed(library.gputide_runtime_start, c_int32, [c_void_p, POINTER(gputide_error)])
        self.runtime_stop = _typed(library.gputide_runtime_stop, c_int32, [c_void_p, c_int32, POINTER(gputide_error)])
        self.runtime_step = _typed(
            library.gputide_runtime_step,
            c_int32,
            [c_void_p, c_int64, POINTER(c_int64), POINTER(gputide_error)],
        )
        self.runtime_wake_fd = _typed(
            library.gputide_runtime_wake_fd,
            c_int32,
            [c_void_p, POINTER(c_int32), POINTER(gputide_error)],
        )
        self.forecast_open = _typed(
            library.gputide_forecast_open,
            c_int32,
            [c_char_p, c_int64, POINTER(c_void_p), POINTER(gputide_error)],
        )
        self.forecast_free = _typed(library.gputide_forecast_free, None, [c_void_p])
        self.forecast_add = _typed(
            library.gputide_forecast_add,
            c_int32,
            [c_void_p, c_int64, c_double, POINTER(gputide_error)],
        )
        self.forecast_floor = _typed(
            library.gputide_forecast_floor,
            c_int32,
            [c_void_p, c_double, c_int32, c_int32, c_int32, POINTER(gputide_floor), POINTER(gputide_error)],
        )
        self.forecast_charge = _typed(
            library.gputide_forecast_charge,
            c_int32,
            [c_void_p, c_int32, c_int32, POINTER(gputide_error)],
        )
        self.forecast_describe = _typed(
            library.gputide_forecast_describe,
            c_int32,
            [c_void_p, POINTER(gputide_text), POINTER(gputide_error)],
        )
        self.forecast_save = _typed(
            library.gputide_forecast_save,
            c_int32,
            [c_void_p, POINTER(gputide_text), POINTER(gputide_error)],
        )
        self.forecast_load = _typed(
            library.gputide_forecast_load,
            c_int32,
            [c_void_p, c_char_p, c_int64, POINTER(gputide_error)],
        )
        self.forecast_state_name = _typed(library.gputide_forecast_state_name, c_char_p, [c_int32])
        self.floor_reason_name = _typed(library.gputide_floor_reason_name, c_char_p, [c_int32])
        self.series_new = _typed(library.gputide_series_new, c_int32, [POINTER(c_void_p), POINTER(gputide_error)])
        self.series_free = _typed(library.gputide_series_free, None, [c_void_p])
        self.series_add = _typed(
            library.gputide_series_add,
            c_int32,
            [c_void_p, c_int32, POINTER(c_int64), POINTER(c_double), c_uint64, POINTER(gputide_error)],
        )
        self.series_add_replicas = _typed(
            library.gputide_series_add_replicas,
            c_int32,
            [c_void_p, POINTER(c_int64), POINTER(c_int32), c_uint64, POINTER(gputide_error)],
        )
        self.series_read = _typed(
            library.gputide_series_read,
            c_int32,
            [c_void_p, c_int32, c_char_p, c_int64, c_char_p, POINTER(gputide_error)],
        )
        self.series_fetch = _typed(
            library.gputide_series_fetch,
            c_int32,
            [c_void_p, c_void_p, c_int32, c_int64, c_int64, c_int64, c_int32, c_void_p, POINTER(gputide_error)],
        )
        self.series_write = _typed(
            library.gputide_series_write,
            c_int32,
            [c_void_p, POINTER(gputide_text), POINTER(gputide_error)],
        )
        self.series_describe = _typed(
            library.gputide_series_describe,
            c_int32,
            [c_void_p, POINTER(gputide_text), POINTER(gputide_error)],
        )
        self.replay_open = _typed(
            library.gputide_replay_open,
            c_int32,
            [c_char_p, c_int64, POINTER(gputide_options), c_char_p, c_int64, POINTER(c_void_p), POINTER(gputide_error)],
        )
        self.replay_free = _typed(library.gputide_replay_free, None, [c_void_p])
        self.replay_run = _typed(
            library.gputide_replay_run,
            c_int32,
            [c_void_p, c_void_p, c_void_p, POINTER(gputide_error)],
        )
        self.replay_record = _typed(
            library.gputide_replay_record,
            c_int32,
            [
                c_void_p, c_int64, POINTER(gputide_sample), c_uint32, c_uint32, c_int32, POINTER(gputide_decision),
                POINTER(gputide_error)
            ],
        )
        self.replay_report = _typed(
            library.gputide_replay_report,
            c_int32,
            [c_void_p, POINTER(gputide_text), POINTER(gputide_error)],
        )
        self.nodes_plan = _typed(
            library.gputide_nodes_plan,
            c_int32,
            [
                c_char_p, c_int64, c_char_p, c_int64, c_int64, POINTER(gputide_nodes_summary), POINTER(gputide_text),
                POINTER(gputide_text), POINTER(gputide_error)
            ],
        )
        self.rightsize_open = _typed(
            library.gputide_rightsize_open,
            c_int32,
            [c_char_p, c_int64, POINTER(gputide_options), POINTER(c_void_p), POINTER(gputide_error)],
        )
        self.rightsize_free = _typed(library.gputide_rightsize_free, None, [c_void_p])
        self.rightsize_describe = _typed(
            library.gputide_rightsize_describe,
            c_int32,
            [c_void_p, POINTER(gputide_text), POINTER(gputide_error)],
        )
        self.rightsize_container = _typed(
            library.gputide_rightsize_container,
            c_int32,
            [c_void_p, c_char_p, POINTER(c_uint32), POINTER(gputide_error)],
        )
        self.rightsize_add = _typed(
            library.gputide_rightsize_add,
            c_int32,
            [c_void_p, POINTER(gputide_usage_sample), c_uint32, c_uint32, POINTER(c_uint32), POINTER(gputide_error)],
        )
        self.rightsize_recommend = _typed(
            library.gputide_rightsize_recommend,
            c_int32,
            [c_void_p, c_uint32, c_int64, POINTER(gputide_text), POINTER(gputide_error)],
        )
        self.rightsize_fit = _typed(
            library.gputide_rightsize_fit,
            c_int32,
            [c_void_p, c_int64, c_double, POINTER(gputide_text), POINTER(gputide_error)],
        )
        self.rightsize_save = _typed(
            library.gputide_rightsize_save,
            c_int32,
            [c_void_p, c_uint32, c_int64, POINTER(gputide_text), POINTER(gputide_error)],
        )
        self.rightsize_load = _typed(
            library.gputide_rightsize_load,
            c_int32,
            [c_void_p, c_uint32, c_char_p, c_int64, POINTER(gputide_error)],
        )
        self.scaled_job_decide = _typed(
            library.gputide_scaled_job_decide,
            c_int32,
            [
                c_char_p, c_int64, POINTER(gputide_options), c_char_p, c_int64, POINTER(gputide_text),
                POINTER(gputide_error)
            ],
        )
        self.cluster_attach = _typed(
            library.gputide_cluster_attach,
            c_int32,
            [c_void_p, c_char_p, c_int64, POINTER(gputide_options), POINTER(gputide_error)],
        )
        self.cluster_detach = _typed(
            library.gputide_cluster_detach,
            c_int32,
            [c_void_p, c_int32, POINTER(gputide_error)],
        )
        self.cluster_describe = _typed(
            library.gputide_cluster_describe,
            c_int32,
            [c_void_p, POINTER(gputide_text), POINTER(gputide_error)],
        )
        self.cluster_doctor = _typed(
            library.gputide_cluster_doctor,
            c_int32,
            [
                c_char_p, c_int64, POINTER(gputide_options), c_int32, c_void_p, POINTER(gputide_text),
                POINTER(gputide_text), POINTER(gputide_error)
            ],
        )
        self.cluster_list = _typed(
            library.gputide_cluster_list,
            c_int32,
            [c_char_p, POINTER(gputide_options), c_int32, c_void_p, POINTER(gputide_text), POINTER(gputide_error)],
        )
        self.cluster_handover = _typed(
            library.gputide_cluster_handover,
            c_int32,
            [
                c_char_p, c_int64, POINTER(gputide_options), c_int32, c_void_p, POINTER(gputide_text),
                POINTER(gputide_error)
            ],
        )
        self.agent_pool_write = _typed(
            library.gputide_agent_pool_write,
            c_int32,
            [c_void_p, c_char_p, c_int64, c_int32, c_void_p, POINTER(gputide_text), POINTER(gputide_error)],
        )


def _typed(function: Any, result: Any, arguments: list[Any]) -> Any:
    function.restype = result
    function.argtypes = arguments
    return function

// Written by bindings/generator from include/gputide/gputide.h: change that, then run python3 -m bindings.generator.

use crate::number::number;

number! {
    /// Numbers of sample state.
    SampleState spelled gputide_sample_state_name {
        /// not read, or not given
        NOT_GIVEN = 0,
        OK = 1,
        /// the query matched nothing
        EMPTY = 2,
        /// NaN or an infinity
        NOT_A_NUMBER = 3,
        STALE = 4,
        PARTIAL = 5,
        AMBIGUOUS = 6,
        AUTH = 7,
        TIMEOUT = 8,
        FAILED = 9,
    }
}

number! {
    /// The limit that determined the decision.
    Limit spelled gputide_limit_name {
        NONE = 0,
        TOLERANCE = 1,
        STABILIZED = 2,
        SCALE_UP = 3,
        SCALE_DOWN = 4,
        MIN = 5,
        MAX = 6,
        COOLDOWN = 7,
        FALLBACK = 8,
        PAUSED = 9,
        NOT_DUE = 10,
        NO_DATA = 11,
        BUDGET = 12,
        /// raised by gputide.io/forecast
        FORECAST = 13,
        /// on a cluster: a part of the size has no node
        NO_CAPACITY = 14,
    }
}

number! {
    /// The part that made the decision: the HPA, or KEDA's executor (0 \<-\> 1). 0: no decision yet.
    DecisionSource {
        HPA = 1,
        EXECUTOR = 2,
    }
}

number! {
    /// The event that KEDA would emit for the object.
    ScaleEvent spelled gputide_event_name {
        NO_SCALE_EVENT = 0,
        ACTIVATED = 1,
        DEACTIVATED = 2,
        ACTIVATION_FAILED = 3,
        DEACTIVATION_FAILED = 4,
    }
}

number! {
    /// Conditions as `kubectl describe` shows them; index into `gputide_decision.conditions`.
    Condition spelled gputide_condition_name {
        ABLE_TO_SCALE = 0,
        SCALING_ACTIVE = 1,
        SCALING_LIMITED = 2,
        SCALED_TO_ZERO = 3,
        READY = 4,
        ACTIVE = 5,
        FALLBACK = 6,
        PAUSED = 7,
    }
}

number! {
    /// Numbers of truth.
    Truth {
        ABSENT = 0,
        TRUE = 1,
        FALSE = 2,
        UNKNOWN = 3,
    }
}

number! {
    /// Numbers of status.
    Status spelled gputide_status_name {
        OK = 0,
        /// a manifest, setting or argument is wrong
        INVALID = 1,
        /// credentials were refused
        AUTH = 2,
        /// credentials are valid, a role is missing
        FORBIDDEN = 3,
        /// too many requests: wait until retry_at_ms
        THROTTLED = 4,
        /// network or service, temporarily
        UNAVAILABLE = 5,
        /// not supported here, such as a credential source that this machine lacks
        UNSUPPORTED = 6,
        /// the caller's deadline, or a timeout reported by the server
        TIMEOUT = 7,
        /// `gputide_cancel_fire`, or the handle was closed
        CANCELLED = 8,
        /// the server refuses this query permanently
        REJECTED = 9,
        /// an invalid response
        PROTOCOL = 10,
        /// stopped because continuing is unsafe
        SECURITY = 11,
        /// the query works and returns no value
        NO_DATA = 12,
        /// several values where exactly one is needed
        AMBIGUOUS = 13,
        /// the server marked its response as incomplete
        PARTIAL = 14,
        /// a size, depth or count limit of this library
        LIMIT = 15,
        /// a damaged or foreign saved state; a call that an earlier call rules out
        STATE = 16,
        /// a struct with members or flags that this library does not know
        TOO_NEW = 17,
        NO_MEMORY = 18,
        /// a bug of this library: please report it with the message
        BUG = 19,
        /// an unknown id or name
        NOT_FOUND = 20,
    }
}

number! {
    /// The caller's next action.
    Action spelled gputide_action_name {
        NONE = 0,
        RETRY = 1,
        /// until retry_at_ms
        WAIT = 2,
        FIX_CONFIGURATION = 3,
        FIX_CREDENTIALS = 4,
        GRANT_ROLE = 5,
        FIX_QUERY = 6,
        /// allow the name in the options, or correct it
        ALLOW_BY_NAME = 7,
        UPGRADE = 8,
        REPORT_BUG = 9,
    }
}

number! {
    /// DEBUG: a line for each request (method, address without its query, with or without a credential, outcome,
    /// duration), each fetched token (scope, credential), each read metric and each decision of a scaler or
    /// runtime. No line of any level holds a secret.
    LogLevel {
        ERROR = 1,
        WARNING = 2,
        INFO = 3,
        DEBUG = 4,
    }
}

number! {
    /// Pods, for metrics of type Pods, Resource and ContainerResource only.
    PodPhase {
        RUNNING = 1,
        PENDING = 2,
        SUCCEEDED = 3,
        FAILED = 4,
        UNKNOWN = 5,
    }
}

number! {
    /// Numbers of readiness.
    Readiness {
        YES = 1,
        NO = 2,
        NO_CONDITION = 3,
        UNKNOWN = 4,
    }
}

number! {
    /// DUE: with `GPUTIDE_RUNTIME_OBSERVE_FIRST` a poll is due and waits for `gputide_runtime_observe`, without a
    /// time limit. Decision and report are empty. CLUSTER: an event of an attached cluster (kubernetes.h): a
    /// write and its end, leadership, a blocked scaler, a difference. The report is JSON (docs/json.md,
    /// cluster_event); the decision is empty.
    EventKind spelled gputide_event_kind_name {
        DECISION = 1,
        DUE = 2,
        CLUSTER = 3,
    }
}

number! {
    /// State of a forecast.
    ForecastState spelled gputide_forecast_state_name {
        /// too few forecasts scored so far
        WARMING = 1,
        /// not more accurate than repeating the last value
        OFF = 2,
        /// the budget is spent
        SPENT = 3,
        ON = 4,
    }
}

number! {
    /// Result of a floor.
    FloorReason spelled gputide_floor_reason_name {
        RAISED = 1,
        /// the reactive size is enough
        WITHIN_REACTIVE = 2,
        CAPPED_BY_MAX = 3,
        /// by max_raise_percent
        CAPPED_BY_RAISE = 4,
        /// not raised because mode is observe
        OBSERVE = 5,
        /// from here on: no floor
        WARMING_UP = 6,
        NOT_BETTER = 7,
        BUDGET_SPENT = 8,
        NO_RECENT_VALUE = 9,
        /// a forecast does not start a workload from zero
        AT_ZERO = 10,
    }
}

// Written by bindings/generator from include/gputide/gputide.h: change that, then run python3 -m bindings.generator.
// A newer library may give numbers that have no name here: they stay numbers.

/** Numbers of a sample state. */
export declare const SampleState: {
  /** not read, or not given */
  readonly NOT_GIVEN: 0;
  readonly OK: 1;
  /** the query matched nothing */
  readonly EMPTY: 2;
  /** NaN or an infinity */
  readonly NOT_A_NUMBER: 3;
  readonly STALE: 4;
  readonly PARTIAL: 5;
  readonly AMBIGUOUS: 6;
  readonly AUTH: 7;
  readonly TIMEOUT: 8;
  readonly FAILED: 9;
};

/** What limited the decision. */
export declare const Limit: {
  readonly NONE: 0;
  readonly TOLERANCE: 1;
  readonly STABILIZED: 2;
  readonly SCALE_UP: 3;
  readonly SCALE_DOWN: 4;
  readonly MIN: 5;
  readonly MAX: 6;
  readonly COOLDOWN: 7;
  readonly FALLBACK: 8;
  readonly PAUSED: 9;
  readonly NOT_DUE: 10;
  readonly NO_DATA: 11;
  readonly BUDGET: 12;
  /** raised by gputide.io/forecast */
  readonly FORECAST: 13;
};

/** The half that made the decision; 0: no decision yet. */
export declare const DecisionSource: {
  readonly HPA: 1;
  readonly EXECUTOR: 2;
};

/** The event that KEDA would emit for the object. */
export declare const ScaleEvent: {
  readonly NO_SCALE_EVENT: 0;
  readonly ACTIVATED: 1;
  readonly DEACTIVATED: 2;
  readonly ACTIVATION_FAILED: 3;
  readonly DEACTIVATION_FAILED: 4;
};

/** Conditions as `kubectl describe` shows them; index into gputide_decision.conditions. */
export declare const Condition: {
  readonly ABLE_TO_SCALE: 0;
  readonly SCALING_ACTIVE: 1;
  readonly SCALING_LIMITED: 2;
  readonly SCALED_TO_ZERO: 3;
  readonly READY: 4;
  readonly ACTIVE: 5;
  readonly FALLBACK: 6;
  readonly PAUSED: 7;
};

/** Numbers of a truth. */
export declare const Truth: {
  readonly ABSENT: 0;
  readonly TRUE: 1;
  readonly FALSE: 2;
  readonly UNKNOWN: 3;
};

/** Numbers of a status. */
export declare const Status: {
  readonly OK: 0;
  /** a manifest, setting or argument is wrong */
  readonly INVALID: 1;
  /** credentials were refused */
  readonly AUTH: 2;
  /** credentials are valid, a role is missing */
  readonly FORBIDDEN: 3;
  /** too many requests: wait until retry_at_ms */
  readonly THROTTLED: 4;
  /** network or service, temporarily */
  readonly UNAVAILABLE: 5;
  /** not supported here, such as a credential source that this machine lacks */
  readonly UNSUPPORTED: 6;
  /** the caller's deadline, or the server's own */
  readonly TIMEOUT: 7;
  /** gputide_cancel_fire, or the handle was closed */
  readonly CANCELLED: 8;
  /** the server refuses this query permanently */
  readonly REJECTED: 9;
  /** an invalid response */
  readonly PROTOCOL: 10;
  /** stopped because continuing is unsafe */
  readonly SECURITY: 11;
  /** the query works and returns no value */
  readonly NO_DATA: 12;
  /** several values where exactly one is needed */
  readonly AMBIGUOUS: 13;
  /** the server marked its response as incomplete */
  readonly PARTIAL: 14;
  /** a size, depth or count limit of this library */
  readonly LIMIT: 15;
  /** a damaged or foreign saved state; a call that is not allowed after an earlier one */
  readonly STATE: 16;
  /** a struct with members or flags that this library does not know */
  readonly TOO_NEW: 17;
  readonly NO_MEMORY: 18;
  /** a bug of this library: please report it with the message */
  readonly BUG: 19;
  /** an unknown id or name */
  readonly NOT_FOUND: 20;
};

/** The caller's next action. */
export declare const Action: {
  readonly NONE: 0;
  readonly RETRY: 1;
  /** until retry_at_ms */
  readonly WAIT: 2;
  readonly FIX_CONFIGURATION: 3;
  readonly FIX_CREDENTIALS: 4;
  readonly GRANT_ROLE: 5;
  readonly FIX_QUERY: 6;
  /** allow it in the options, or correct it */
  readonly ALLOW_BY_NAME: 7;
  readonly UPGRADE: 8;
  readonly REPORT_BUG: 9;
};

/** DEBUG: a line for each request (method, address without its query, with or without a credential, outcome, duration), each fetched token (scope, credential), each read metric and each decision of a scaler or runtime. No line of any level holds a secret. */
export declare const LogLevel: {
  readonly ERROR: 1;
  readonly WARNING: 2;
  readonly INFO: 3;
  readonly DEBUG: 4;
};

/** Pods, for metrics of type Pods, Resource and ContainerResource only. */
export declare const PodPhase: {
  readonly RUNNING: 1;
  readonly PENDING: 2;
  readonly SUCCEEDED: 3;
  readonly FAILED: 4;
  readonly UNKNOWN: 5;
};

/** Numbers of a readiness. */
export declare const Readiness: {
  readonly YES: 1;
  readonly NO: 2;
  readonly NO_CONDITION: 3;
  readonly UNKNOWN: 4;
};

/** DUE: with GPUTIDE_RUNTIME_OBSERVE_FIRST a poll is due and waits for gputide_runtime_observe, without a time limit. Decision and report are empty. CLUSTER: an event of an attached cluster (kubernetes.h): a write and its end, leadership, a blocked scaler, a difference. The report is JSON (docs/json.md, cluster_event); the decision is empty. */
export declare const EventKind: {
  readonly DECISION: 1;
  readonly DUE: 2;
  readonly CLUSTER: 3;
};

/** State of a forecast. */
export declare const ForecastState: {
  /** too few scores */
  readonly WARMING: 1;
  /** not better than the last value */
  readonly OFF: 2;
  /** the budget is spent */
  readonly SPENT: 3;
  readonly ON: 4;
};

/** Result of a floor. */
export declare const FloorReason: {
  readonly RAISED: 1;
  /** the reactive size is enough */
  readonly WITHIN_REACTIVE: 2;
  readonly CAPPED_BY_MAX: 3;
  /** by max_raise_percent */
  readonly CAPPED_BY_RAISE: 4;
  /** not raised because mode is observe */
  readonly OBSERVE: 5;
  /** from here on: no floor */
  readonly WARMING_UP: 6;
  readonly NOT_BETTER: 7;
  readonly BUDGET_SPENT: 8;
  readonly NO_RECENT_VALUE: 9;
  /** a forecast does not start a workload from zero */
  readonly AT_ZERO: 10;
};

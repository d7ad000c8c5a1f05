// Written by bindings/generator from include/gputide/gputide.h: change that, then run python3 -m bindings.generator.
// The numbers of gputide.h by their names.
'use strict';

exports.SampleState = Object.freeze({
  NOT_GIVEN: 0,
  OK: 1,
  EMPTY: 2,
  NOT_A_NUMBER: 3,
  STALE: 4,
  PARTIAL: 5,
  AMBIGUOUS: 6,
  AUTH: 7,
  TIMEOUT: 8,
  FAILED: 9,
});

exports.Limit = Object.freeze({
  NONE: 0,
  TOLERANCE: 1,
  STABILIZED: 2,
  SCALE_UP: 3,
  SCALE_DOWN: 4,
  MIN: 5,
  MAX: 6,
  COOLDOWN: 7,
  FALLBACK: 8,
  PAUSED: 9,
  NOT_DUE: 10,
  NO_DATA: 11,
  BUDGET: 12,
  FORECAST: 13,
});

exports.DecisionSource = Object.freeze({
  HPA: 1,
  EXECUTOR: 2,
});

exports.ScaleEvent = Object.freeze({
  NO_SCALE_EVENT: 0,
  ACTIVATED: 1,
  DEACTIVATED: 2,
  ACTIVATION_FAILED: 3,
  DEACTIVATION_FAILED: 4,
});

exports.Condition = Object.freeze({
  ABLE_TO_SCALE: 0,
  SCALING_ACTIVE: 1,
  SCALING_LIMITED: 2,
  SCALED_TO_ZERO: 3,
  READY: 4,
  ACTIVE: 5,
  FALLBACK: 6,
  PAUSED: 7,
});

exports.Truth = Object.freeze({
  ABSENT: 0,
  TRUE: 1,
  FALSE: 2,
  UNKNOWN: 3,
});

exports.Status = Object.freeze({
  OK: 0,
  INVALID: 1,
  AUTH: 2,
  FORBIDDEN: 3,
  THROTTLED: 4,
  UNAVAILABLE: 5,
  UNSUPPORTED: 6,
  TIMEOUT: 7,
  CANCELLED: 8,
  REJECTED: 9,
  PROTOCOL: 10,
  SECURITY: 11,
  NO_DATA: 12,
  AMBIGUOUS: 13,
  PARTIAL: 14,
  LIMIT: 15,
  STATE: 16,
  TOO_NEW: 17,
  NO_MEMORY: 18,
  BUG: 19,
  NOT_FOUND: 20,
});

exports.Action = Object.freeze({
  NONE: 0,
  RETRY: 1,
  WAIT: 2,
  FIX_CONFIGURATION: 3,
  FIX_CREDENTIALS: 4,
  GRANT_ROLE: 5,
  FIX_QUERY: 6,
  ALLOW_BY_NAME: 7,
  UPGRADE: 8,
  REPORT_BUG: 9,
});

exports.LogLevel = Object.freeze({
  ERROR: 1,
  WARNING: 2,
  INFO: 3,
  DEBUG: 4,
});

exports.PodPhase = Object.freeze({
  RUNNING: 1,
  PENDING: 2,
  SUCCEEDED: 3,
  FAILED: 4,
  UNKNOWN: 5,
});

exports.Readiness = Object.freeze({
  YES: 1,
  NO: 2,
  NO_CONDITION: 3,
  UNKNOWN: 4,
});

exports.EventKind = Object.freeze({
  DECISION: 1,
  DUE: 2,
  CLUSTER: 3,
});

exports.ForecastState = Object.freeze({
  WARMING: 1,
  OFF: 2,
  SPENT: 3,
  ON: 4,
});

exports.FloorReason = Object.freeze({
  RAISED: 1,
  WITHIN_REACTIVE: 2,
  CAPPED_BY_MAX: 3,
  CAPPED_BY_RAISE: 4,
  OBSERVE: 5,
  WARMING_UP: 6,
  NOT_BETTER: 7,
  BUDGET_SPENT: 8,
  NO_RECENT_VALUE: 9,
  AT_ZERO: 10,
});

# Written by bindings/generator from include/gputide/gputide.h: change that, then run python3 -m bindings.generator.

"""The numbers of gputide.h as enums.  One of a newer library, without a name here, stays what it is: see Number."""

from __future__ import annotations

from ._number import Number, spelled


class SampleState(Number):
    NOT_GIVEN = 0  # not read, or not given
    OK = 1
    EMPTY = 2  # the query matched nothing
    NOT_A_NUMBER = 3  # NaN or an infinity
    STALE = 4
    PARTIAL = 5
    AMBIGUOUS = 6
    AUTH = 7
    TIMEOUT = 8
    FAILED = 9

    def __str__(self) -> str:
        return spelled("sample_state_name", self)


class Limit(Number):
    """What limited the decision."""

    NONE = 0
    TOLERANCE = 1
    STABILIZED = 2
    SCALE_UP = 3
    SCALE_DOWN = 4
    MIN = 5
    MAX = 6
    COOLDOWN = 7
    FALLBACK = 8
    PAUSED = 9
    NOT_DUE = 10
    NO_DATA = 11
    BUDGET = 12
    FORECAST = 13  # raised by gputide.io/forecast

    def __str__(self) -> str:
        return spelled("limit_name", self)


class DecisionSource(Number):
    """The half that made the decision; 0: no decision yet."""

    HPA = 1
    EXECUTOR = 2


class ScaleEvent(Number):
    """The event that KEDA would emit for the object."""

    NO_SCALE_EVENT = 0
    ACTIVATED = 1
    DEACTIVATED = 2
    ACTIVATION_FAILED = 3
    DEACTIVATION_FAILED = 4

    def __str__(self) -> str:
        return spelled("event_name", self)


class Condition(Number):
    """Conditions as `kubectl describe` shows them; index into gputide_decision.conditions."""

    ABLE_TO_SCALE = 0
    SCALING_ACTIVE = 1
    SCALING_LIMITED = 2
    SCALED_TO_ZERO = 3
    READY = 4
    ACTIVE = 5
    FALLBACK = 6
    PAUSED = 7

    def __str__(self) -> str:
        return spelled("condition_name", self)


class Truth(Number):
    ABSENT = 0
    TRUE = 1
    FALSE = 2
    UNKNOWN = 3


class Status(Number):
    OK = 0
    INVALID = 1  # a manifest, setting or argument is wrong
    AUTH = 2  # credentials were refused
    FORBIDDEN = 3  # credentials are valid, a role is missing
    THROTTLED = 4  # too many requests: wait until retry_at_ms
    UNAVAILABLE = 5  # network or service, temporarily
    UNSUPPORTED = 6  # not supported here, such as a credential source that this machine lacks
    TIMEOUT = 7  # the caller's deadline, or the server's own
    CANCELLED = 8  # gputide_cancel_fire, or the handle was closed
    REJECTED = 9  # the server refuses this query permanently
    PROTOCOL = 10  # an invalid response
    SECURITY = 11  # stopped because continuing is unsafe
    NO_DATA = 12  # the query works and returns no value
    AMBIGUOUS = 13  # several values where exactly one is needed
    PARTIAL = 14  # the server marked its response as incomplete
    LIMIT = 15  # a size, depth or count limit of this library
    STATE = 16  # a damaged or foreign saved state; a call that is not allowed after an earlier one
    TOO_NEW = 17  # a struct with members or flags that this library does not know
    NO_MEMORY = 18
    BUG = 19  # a bug of this library: please report it with the message
    NOT_FOUND = 20  # an unknown id or name

    def __str__(self) -> str:
        return spelled("status_name", self)


class Action(Number):
    """The caller's next action."""

    NONE = 0
    RETRY = 1
    WAIT = 2  # until retry_at_ms
    FIX_CONFIGURATION = 3
    FIX_CREDENTIALS = 4
    GRANT_ROLE = 5
    FIX_QUERY = 6
    ALLOW_BY_NAME = 7  # allow it in the options, or correct it
    UPGRADE = 8
    REPORT_BUG = 9

    def __str__(self) -> str:
        return spelled("action_name", self)


class LogLevel(Number):
    """DEBUG: a line for each request (method, address without its query, with or without a credential, outcome,
    duration), each fetched token (scope, credential), each read metric and each decision of a scaler or runtime. No
    line of any level holds a secret."""

    ERROR = 1
    WARNING = 2
    INFO = 3
    DEBUG = 4


class PodPhase(Number):
    """Pods, for metrics of type Pods, Resource and ContainerResource only."""

    RUNNING = 1
    PENDING = 2
    SUCCEEDED = 3
    FAILED = 4
    UNKNOWN = 5


class Readiness(Number):
    YES = 1
    NO = 2
    NO_CONDITION = 3
    UNKNOWN = 4


class EventKind(Number):
    """DUE: with GPUTIDE_RUNTIME_OBSERVE_FIRST a poll is due and waits for gputide_runtime_observe, without a time
    limit. Decision and report are empty. CLUSTER: an event of an attached cluster (kubernetes.h): a write and its end,
    leadership, a blocked scaler, a difference. The report is JSON (docs/json.md, cluster_event); the decision is
    empty."""

    DECISION = 1
    DUE = 2
    CLUSTER = 3

    def __str__(self) -> str:
        return spelled("event_kind_name", self)


class ForecastState(Number):
    """State of a forecast."""

    WARMING = 1  # too few scores
    OFF = 2  # not better than the last value
    SPENT = 3  # the budget is spent
    ON = 4

    def __str__(self) -> str:
        return spelled("forecast_state_name", self)


class FloorReason(Number):
    """Result of a floor."""

    RAISED = 1
    WITHIN_REACTIVE = 2  # the reactive size is enough
    CAPPED_BY_MAX = 3
    CAPPED_BY_RAISE = 4  # by max_raise_percent
    OBSERVE = 5  # not raised because mode is observe
    WARMING_UP = 6  # from here on: no floor
    NOT_BETTER = 7
    BUDGET_SPENT = 8
    NO_RECENT_VALUE = 9
    AT_ZERO = 10  # a forecast does not start a workload from zero

    def __str__(self) -> str:
        return spelled("floor_reason_name", self)

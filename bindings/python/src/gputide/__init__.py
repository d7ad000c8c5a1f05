"""gputide: the replica count that KEDA and the HPA would write, and why.

    import gputide

    with gputide.open("so.yaml", allow_environment=True) as scaler:
        decision = scaler.tick(current=3, timeout=5)
        print(decision.current, "->", decision.desired, decision.limited_by)

Numbers alone: Policy, State.  A manifest as a whole: open, Scaler, check_manifest, doctor.  Many of them: Runtime.
One metric: Source.  Tokens: Credential.  Recorded days: Series, Replay.  The load ahead: Forecast.
What a workload needs: Rightsize.  A cluster: list_cluster, doctor_cluster, hand_over.  The library's log: log_to.

Times are datetimes with a zone or Unix milliseconds, durations seconds or timedelta.  What fails raises an Error; each
status of gputide.h has a class of its own.  Any object with close() is a context manager.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ._abi import ABI_VERSION
    from ._call import JsonText
    from ._handle import alive
    from ._load import LibraryError, library_path, load
    from ._version import build_info, features, library_version
    from ._waiting import Cancel
    from .cluster import doctor_cluster, doctor_cluster_async, hand_over, hand_over_async, list_cluster, list_cluster_async
    from .decision import ConditionState, Decision, Reason, render_report
    from .errors import (
        Ambiguous,
        Auth,
        Bug,
        Busy,
        Cancelled,
        Closed,
        Error,
        Forbidden,
        Invalid,
        LimitExceeded,
        NoData,
        NoMemory,
        NotFound,
        Partial,
        Protocol,
        Rejected,
        Security,
        Throttled,
        Timeout,
        TooNew,
        Unavailable,
        Unsupported,
        WrongState,
    )
    from .event import Event, Events
    from .log import Forwarding, LogReader, log_to
    from .numbers import (
        Action,
        Condition,
        DecisionSource,
        EventKind,
        FloorReason,
        ForecastState,
        Limit,
        LogLevel,
        PodPhase,
        Readiness,
        SampleState,
        ScaleEvent,
        Status,
        Truth,
    )
    from .plan import Floor, Forecast, NodesPlan, Rightsize, UsageSample, decide_scaled_job, plan_nodes
    from .policy import Policy, State
    from .replay import Replay, Series
    from .runtime import Runtime, RuntimeOptions
    from .scaler import Diagnosis, Findings, Scaler, check_manifest, doctor, doctor_async, open  # noqa: A004
    from .source import Credential, Source, Token, quantity, token_claims
    from .values import File, Observation, Options, Pod, PodSample, Sample

__version__ = "0.3.0"

# The module of each name.  A module is loaded when something of it is first used: a program that only decides from numbers never
# loads the runtime or the replays.
_HOMES = {
    "_abi": "ABI_VERSION",
    "_call": "JsonText",
    "_handle": "alive",
    "_load": "LibraryError library_path load",
    "_version": "build_info features library_version",
    "_waiting": "Cancel",
    "cluster": "doctor_cluster doctor_cluster_async hand_over hand_over_async list_cluster list_cluster_async",
    "decision": "ConditionState Decision Reason render_report",
    "errors": (
        "Ambiguous Auth Bug Busy Cancelled Closed Error Forbidden Invalid "
        "LimitExceeded NoData NoMemory NotFound Partial Protocol Rejected "
        "Security Throttled Timeout TooNew Unavailable Unsupported WrongState"
    ),
    "event": "Event Events",
    "log": "Forwarding LogReader log_to",
    "numbers": (
        "Action Condition DecisionSource EventKind FloorReason ForecastState Limit LogLevel PodPhase Readiness "
        "SampleState ScaleEvent Status Truth"
    ),
    "plan": "Floor Forecast NodesPlan Rightsize UsageSample decide_scaled_job plan_nodes",
    "policy": "Policy State",
    "replay": "Replay Series",
    "runtime": "Runtime RuntimeOptions",
    "scaler": "Diagnosis Findings Scaler check_manifest doctor doctor_async open",
    "source": "Credential Source Token quantity token_claims",
    "values": "File Observation Options Pod PodSample Sample",
}
_MODULES = {name: module for module, names in _HOMES.items() for name in names.split()}


def __getattr__(name: str) -> object:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value: object = getattr(importlib.import_module(f"{__name__}.{_MODULES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)


__all__ = [
    "ABI_VERSION",
    "Action",
    "Ambiguous",
    "Auth",
    "Bug",
    "Busy",
    "Cancel",
    "Cancelled",
    "Closed",
    "Condition",
    "ConditionState",
    "Credential",
    "Decision",
    "DecisionSource",
    "Diagnosis",
    "Error",
    "Event",
    "EventKind",
    "Events",
    "File",
    "Findings",
    "Floor",
    "FloorReason",
    "Forbidden",
    "Forecast",
    "ForecastState",
    "Forwarding",
    "Invalid",
    "JsonText",
    "LibraryError",
    "Limit",
    "LimitExceeded",
    "LogLevel",
    "LogReader",
    "NoData",
    "NoMemory",
    "NodesPlan",
    "NotFound",
    "Observation",
    "Options",
    "Partial",
    "Pod",
    "PodPhase",
    "PodSample",
    "Policy",
    "Protocol",
    "Readiness",
    "Reason",
    "Rejected",
    "Replay",
    "Rightsize",
    "Runtime",
    "RuntimeOptions",
    "Sample",
    "SampleState",
    "ScaleEvent",
    "Scaler",
    "Security",
    "Series",
    "Source",
    "State",
    "Status",
    "Throttled",
    "Timeout",
    "Token",
    "TooNew",
    "Truth",
    "Unavailable",
    "Unsupported",
    "UsageSample",
    "WrongState",
    "__version__",
    "alive",
    "build_info",
    "check_manifest",
    "decide_scaled_job",
    "doctor",
    "doctor_async",
    "doctor_cluster",
    "doctor_cluster_async",
    "features",
    "hand_over",
    "hand_over_async",
    "library_path",
    "library_version",
    "list_cluster",
    "list_cluster_async",
    "load",
    "log_to",
    "open",
    "plan_nodes",
    "quantity",
    "render_report",
    "token_claims",
]

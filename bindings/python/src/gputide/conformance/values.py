"""Protocol 1's JSON, to and from this package's values."""

from __future__ import annotations

import base64
import math
from datetime import datetime, timedelta, timezone
from typing import Any, Union

import gputide
from gputide import numbers

Text = Union[str, bytes]
_EXACT = 2**53  # integers beyond it are texts
_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
_FLAGS = (
    "allow_environment",
    "allow_plain_http",
    "allow_custom_authority",
    "enable_azure_proxy",
    "strict",
    "verified_peers",
    "allow_unverified_peers",
)
_LISTS = ("allowed_environment", "allowed_token_hosts", "allowed_programs")
_NO_VALUE = -(2**63)
_CONDITION_ROOM = 16


def integer(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, (int, str)):
        raise TypeError(f"expected an integer, got {value!r}")
    return int(value)


def real(value: Any) -> float:
    names = {"NaN": math.nan, "+Inf": math.inf, "-Inf": -math.inf}
    return names[value] if isinstance(value, str) else float(value)


def text(value: Any) -> Text:
    if isinstance(value, dict):
        return base64.b64decode(value["b64"])
    if not isinstance(value, str):
        raise TypeError(f"expected a text, got {value!r}")
    return value


def out_integer(value: int) -> int | str:
    return value if -_EXACT <= value <= _EXACT else str(value)


def out_real(value: float) -> float | str:
    if math.isnan(value):
        return "NaN"
    return value if math.isfinite(value) else "+Inf" if value > 0 else "-Inf"


def milliseconds(moment: datetime | int | None) -> int:
    return (moment - _EPOCH) // timedelta(milliseconds=1) if isinstance(moment, datetime) else moment or 0


def options(given: dict[str, Any]) -> gputide.Options:
    flags = integer(given.get("flags", 0))
    if flags >> len(_FLAGS):
        raise TypeError(f"flags: {flags} has bits without a name")
    members: dict[str, Any] = {name: bool(flags >> bit & 1) for bit, name in enumerate(_FLAGS)}
    for name, value in given.items():
        if name in _LISTS:
            members[name] = str(text(value)).split(",")
        elif name == "files":
            members[name] = [gputide.File(text(one["text"]), one.get("name")) for one in value]
        elif name != "flags":
            members[name] = text(value)
    return gputide.Options(**members)


def samples(given: list[dict[str, Any]]) -> list[gputide.Sample]:
    return [_sample(one) for one in given]


def _sample(one: dict[str, Any]) -> gputide.Sample:
    state = integer(one["state"]) if "state" in one else 1 if "value" in one else 0
    return gputide.Sample(
        value=real(one["value"]) if "value" in one else None,
        time=integer(one["time_ms"]) if "time_ms" in one else None,
        state=numbers.SampleState(state),
        status=numbers.Status(integer(one.get("status", 0))),
        message=one.get("message"),
        null_as_zero=bool(integer(one.get("flags", 0))),
    )


def usage(given: list[dict[str, Any]]) -> list[gputide.UsageSample]:
    return [_usage(one) for one in given]


def _usage(one: dict[str, Any]) -> gputide.UsageSample:
    flags = integer(one.get("flags", 0))
    return gputide.UsageSample(
        time=integer(one.get("time_ms", 0)),
        busy=real(one.get("busy", 0.0)) if flags & 1 else None,
        memory=integer(one.get("memory_bytes", 0)) if flags & 6 else None,
        oom=bool(flags & 4),
        container=integer(one.get("container", 0)),
        unit=integer(one.get("unit", 0)),
    )


def observation(given: dict[str, Any]) -> gputide.Observation:
    flags = integer(given.get("flags", 0))
    status, ready = (integer(given.get(name, 0)) for name in ("status_replicas", "ready_replicas"))
    return gputide.Observation(
        current=integer(given.get("current_replicas", 0)),
        samples=samples(given.get("samples", [])),
        now=integer(given.get("now_ms", 0)),
        status_replicas=status if status or flags & 1 else None,
        ready_replicas=ready if ready or flags & 2 else None,
        unreadable=bool(flags & 4),
        pods=[_pod(one) for one in given.get("pods", [])] if flags & 8 or given.get("pods") else None,
        pod_samples=[_pod_sample(one) for one in given.get("pod_samples", [])],
        message=given.get("message"),
    )


def _pod(one: dict[str, Any]) -> gputide.Pod:
    return gputide.Pod(
        name=one.get("name"),
        phase=numbers.PodPhase(integer(one.get("phase", 0))),
        ready=numbers.Readiness(integer(one.get("ready", 0))),
        deleting=bool(integer(one.get("deleting", 0))),
        start_time=integer(one.get("start_time_ms", 0)),
        ready_change_time=integer(one.get("ready_change_time_ms", 0)),
    )


def _pod_sample(one: dict[str, Any]) -> gputide.PodSample:
    value = integer(one.get("value_milli", 0))
    return gputide.PodSample(
        metric=integer(one.get("metric", 0)),
        pod=integer(one.get("pod", 0)),
        value_milli=None if value == _NO_VALUE else value,
        request_milli=integer(one.get("request_milli", 0)),
        time=integer(one.get("time_ms", 0)),
        window_s=integer(one.get("window_s", 0)),
    )


def runtime_options(given: dict[str, Any]) -> gputide.RuntimeOptions:
    flags = integer(given.get("flags", 0))
    names = ("every_decision", "reports", "no_sharing", "observe_first")
    members: dict[str, Any] = {name: bool(flags >> bit & 1) for bit, name in enumerate(names)}
    for name, value in given.items():
        if name.endswith("_ms"):
            members[name.removesuffix("_ms")] = integer(value) / 1000
        elif name != "flags":
            members[name] = integer(value)
    return gputide.RuntimeOptions(**members)


def error(problem: gputide.Error) -> dict[str, Any]:
    return {
        "status": int(problem.status),
        "action": int(problem.action),
        "retryable": int(problem.retryable),
        "http_status": problem.http_status or 0,
        "retry_at_ms": out_integer(problem.retry_at_ms),
        "service_code": problem.service_code,
        "where": problem.where,
        "message": problem.message,
        "detail": problem.detail_json,
    }


def error_of(status: gputide.Status, problem: object) -> dict[str, Any]:
    return error(gputide.Error(str(problem), status=status))


def sample(given: gputide.Sample) -> dict[str, Any]:
    return {
        "state": int(given.state or 0),
        "status": int(given.status),
        "flags": int(given.null_as_zero),
        "value": out_real(given.value or 0.0),
        "time_ms": out_integer(given.time_ms),
    }


def decision(given: gputide.Decision) -> dict[str, Any]:
    return {
        "flags": given.flags,
        "id": out_integer(given.id),
        "now_ms": out_integer(given.now_ms),
        "next_due_ms": out_integer(given.next_due_ms),
        "current_replicas": given.current,
        "desired_replicas": given.desired,
        "proposed_replicas": given.proposed,
        "limited_by": int(given.limited_by),
        "source": int(given.source or 0),
        "winner": given.winner,
        "failed_metric": given.failed_metric,
        "event": int(given.event),
        "conditions": _conditions(given),
        "forecast_state": int(given.forecast_state or 0),
        "forecast_need": -1 if given.forecast_need is None else given.forecast_need,
    }


def _conditions(given: gputide.Decision) -> list[dict[str, Any]]:
    out = [{"truth": 0, "reason": 0, "since_ms": 0} for _ in range(_CONDITION_ROOM)]
    for index, one in given.conditions.items():
        since = milliseconds(one.since)
        out[index] = {"truth": int(one.truth), "reason": int(one.reason), "since_ms": since}
    return out


def floor(given: gputide.Floor) -> dict[str, Any]:
    return {
        "state": int(given.state),
        "reason": int(given.reason),
        "replicas": given.replicas,
        "need_replicas": -1 if given.need_replicas is None else given.need_replicas,
        "floor_load": out_real(math.nan if given.floor_load is None else given.floor_load),
    }


def event(given: gputide.Event) -> dict[str, Any]:
    return {
        "kind": int(given.kind),
        "id": out_integer(given.id),
        "tag": out_integer(given.tag),
        "sequence": out_integer(given.sequence),
        "observed_ms": out_integer(given.observed_ms),
        "replaced": given.replaced,
        "name": given.name,
    }

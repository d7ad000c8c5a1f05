"""Planning: the load ahead, nodes, what a workload needs, the Jobs of a ScaledJob.  No I/O."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from ctypes import byref, c_uint32, c_void_p, sizeof
from dataclasses import dataclass
from typing import Any, Union

from . import _abi
from ._abi import gputide_floor, gputide_nodes_summary, gputide_usage_sample
from ._call import JsonText, Text, TextBuffer, check, encoded, err, json_of, terminated, text_of
from ._handle import ExclusiveHandle
from ._load import library
from ._time import Instant, integer, unix_ms, unsigned
from .numbers import FloorReason, ForecastState
from .values import Options, options_argument

Settings = Union[Text, Mapping[str, Any], None]


@dataclass(frozen=True)
class Floor:
    """The result of a floor: replicas is the reactive size or more."""

    state: ForecastState
    reason: FloorReason
    replicas: int
    need_replicas: int | None  # what floor_load takes; None: it asks for nothing
    floor_load: float | None  # the load to be ready for


class Forecast(ExclusiveHandle):
    """Learns from one load per pass, scores itself against "nothing will change", and gives a floor for a reactive size."""

    __slots__ = ()
    _frees = "forecast_free"

    def __init__(self, settings: Settings = None) -> None:
        """settings: {"lead_ms": 300000, "budget_percent": 5, "mode": "act", ...}; Invalid's where names the wrong one."""
        out = c_void_p()
        chosen = encoded(json.dumps(dict(settings)) if isinstance(settings, Mapping) else settings or b"")
        check(library().forecast_open(chosen or None, len(chosen), byref(out), err()))
        self._adopt(out.value)

    def add(self, now: Instant, load: float | None) -> None:
        """A pass read this load: what must be served in total.  None or a NaN: nothing could be read."""
        moment, value = unix_ms(now), float("nan") if load is None else float(load)
        with self._inside() as forecast:
            check(self._c.forecast_add(forecast, moment, value, err()))

    def floor(self, target: float, *, reactive_replicas: int, current_replicas: int, max_replicas: int) -> Floor:
        """The floor under the size that this pass came to.  target: load that one replica takes."""
        sizes = [integer(entry, 32, "replicas") for entry in (reactive_replicas, current_replicas, max_replicas)]
        out = gputide_floor(struct_size=sizeof(gputide_floor))
        with self._inside() as forecast:
            check(self._c.forecast_floor(forecast, target, *sizes, byref(out), err()))
        asks = out.need_replicas >= 0
        return Floor(
            ForecastState(out.state),
            FloorReason(out.reason),
            out.replicas,
            out.need_replicas if asks else None,
            out.floor_load if out.floor_load == out.floor_load else None,
        )

    def charge(self, written_replicas: int, shadow_replicas: int) -> None:
        """Charges the budget: the size that was written, and the size that a loop without the forecast would have."""
        sizes = [integer(entry, 32, "replicas") for entry in (written_replicas, shadow_replicas)]
        with self._inside() as forecast:
            check(self._c.forecast_charge(forecast, *sizes, err()))

    def describe(self) -> JsonText:
        """Returns the forecast, its quality and its cost."""
        with self._inside() as forecast:
            return json_of(self._c.forecast_describe, forecast)

    def save(self) -> str:
        """Text that survives a restart, for load alone."""
        with self._inside() as forecast:
            return text_of(self._c.forecast_save, forecast)

    def load(self, text: Text) -> None:
        """Goes on as the one that was saved; WrongState for a damaged text, and nothing has changed then."""
        raw = encoded(text)
        with self._inside() as forecast:
            check(self._c.forecast_load(forecast, raw, len(raw), err()))


@dataclass(frozen=True)
class NodesPlan:
    """The result of a plan.  json: all of it with its reasons; state: for the next plan.
    errors, warnings: findings about the text; what could not be read was left out."""

    json: JsonText
    state: str
    errors: int
    warnings: int
    nodes_to_add: int
    nodes_to_remove: int
    pods_pending: int
    pods_on_existing: int
    pods_on_new: int
    pods_left: int


def plan_nodes(text: Text, state: Text = "", *, now: Instant | None = None) -> NodesPlan:
    """text: pools, nodes, pods and settings, and Kubernetes' own objects as kubectl prints them, one behind the other.
    state: what the last plan gave; "": there was none."""
    raw, saved = encoded(text), encoded(state)
    summary = gputide_nodes_summary(struct_size=sizeof(gputide_nodes_summary))
    json, following = TextBuffer(), TextBuffer()
    arguments = (raw, len(raw), saved, len(saved), unix_ms(now), byref(summary), json.reference, following.reference)
    check(library().nodes_plan(*arguments, err()))
    return NodesPlan(
        JsonText(json.take() or ""),
        following.take() or "",
        summary.errors,
        summary.warnings,
        summary.nodes_to_add,
        summary.nodes_to_remove,
        summary.pods_pending,
        summary.pods_on_existing,
        summary.pods_on_new,
        summary.pods_left,
    )


__all__ = ["NodesPlan", "plan_nodes"]


@dataclass(frozen=True)
class UsageSample:
    """One GPU, MIG instance or (profile vpa) container of a pod, at one time.

    busy       percent of the GPU; profile vpa: cores.  None: not told
    memory     bytes in use, of this GPU.  None: not told
    oom        it ran out of memory, with `memory` requested (None: unknown); busy is not told then
    container  its number; 0: the one without a name
    unit       which of its GPUs, from 0 over all replicas
    """

    time: Instant
    busy: float | None = None
    memory: int | None = None
    oom: bool = False
    container: int = 0
    unit: int = 0


class Rightsize(ExclusiveHandle):
    """Histograms of any number of containers, by one set of settings (docs/rightsizing.md: a mapping, JSON or YAML, also a
    VerticalPodAutoscaler).  No I/O and no clock."""

    __slots__ = ()
    _frees = "rightsize_free"

    def __init__(self, settings: Settings = None, options: Options | None = None) -> None:
        text = encoded(json.dumps(dict(settings)) if isinstance(settings, Mapping) else settings or b"")
        out = c_void_p()
        check(library().rightsize_open(text, len(text), options_argument(options), byref(out), err()))
        self._adopt(out.value)

    def describe(self) -> JsonText:
        """The settings with every default, and what was found to remark of them."""
        with self._inside() as rightsize:
            return json_of(self._c.rightsize_describe, rightsize)

    def container(self, name: str) -> int:
        """The number of the container of that name, from 1; created if it is new."""
        raw, out = terminated(name, "name"), c_uint32()
        with self._inside() as rightsize:
            check(self._c.rightsize_container(rightsize, raw, byref(out), err()))
        return out.value

    def add(self, samples: Sequence[UsageSample]) -> int:
        """Those of one unit in the order of their times; of how many something counted."""
        raw, taken = (gputide_usage_sample * len(samples))(*map(_raw, samples)), c_uint32()
        with self._inside() as rightsize:
            arguments = (rightsize, raw, sizeof(gputide_usage_sample), len(raw), byref(taken), err())
            check(self._c.rightsize_add(*arguments))
        return taken.value

    def recommend(self, now: Instant | None = None, *, container: int = 0) -> JsonText:
        """Verdict, recommendation, runner-up, evidence, money, and a sentence."""
        number, moment = unsigned(container, 32, "container"), unix_ms(now)
        with self._inside() as rightsize:
            return json_of(self._c.rightsize_recommend, rightsize, number, moment)

    def fit(self, memory_bytes: int, util_percent: float) -> JsonText:
        """Returns machines, MIG profile and sharing for a known need of each GPU."""
        memory = integer(memory_bytes, 64, "memory_bytes")
        with self._inside() as rightsize:
            return json_of(self._c.rightsize_fit, rightsize, memory, float(util_percent))

    def save(self, now: Instant | None = None, *, container: int = 0) -> str:
        """Serializes a container's data, for load."""
        number, moment = unsigned(container, 32, "container"), unix_ms(now)
        with self._inside() as rightsize:
            return text_of(self._c.rightsize_save, rightsize, number, moment)

    def load(self, text: Text, *, container: int = 0) -> None:
        """In place of what the container had: what save gave, or the checkpoint object of a VPA."""
        raw, number = encoded(text), unsigned(container, 32, "container")
        with self._inside() as rightsize:
            check(self._c.rightsize_load(rightsize, number, raw, len(raw), err()))


def _raw(usage_sample: UsageSample) -> gputide_usage_sample:
    flags = _abi.USAGE_OOM if usage_sample.oom else 0
    if usage_sample.busy is not None:
        flags |= _abi.USAGE_BUSY
    if usage_sample.memory is not None and not usage_sample.oom:
        flags |= _abi.USAGE_MEMORY
    return gputide_usage_sample(
        time_ms=unix_ms(usage_sample.time),
        container=unsigned(usage_sample.container, 32, "container"),
        unit=unsigned(usage_sample.unit, 32, "unit"),
        flags=flags,
        busy=usage_sample.busy or 0.0,
        memory_bytes=integer(usage_sample.memory or 0, 64, "memory"),
    )


def decide_scaled_job(manifest: Text, observation: Text, options: Options | None = None) -> JsonText:
    """observation: JSON, {"values": [42.5, null], "running": 3, "pending": 1}: a value per trigger, null where its read failed
    (docs/jobs.md).  The decision is JSON with create, delete, conditions, events and reasons."""
    text, what = encoded(manifest), encoded(observation)
    decision = TextBuffer()
    arguments = (text, len(text), options_argument(options), what, len(what), decision.reference)
    check(library().scaled_job_decide(*arguments, err()))
    return JsonText(decision.take() or "")


__all__ = ["decide_scaled_job"]

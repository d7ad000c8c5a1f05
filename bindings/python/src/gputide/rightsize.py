"""What a workload really needs: samples of its GPUs in, bounds and what to run it on out."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from ctypes import byref, c_uint32, c_void_p, sizeof
from dataclasses import dataclass
from typing import Any, Union

from . import _abi
from ._abi import gputide_usage_sample
from ._call import JsonText, Text, check, encoded, err, json_of, terminated, text_of
from ._handle import ExclusiveHandle
from ._load import library
from ._time import Instant, integer, unix_ms, unsigned
from .values import Options, options_argument

Settings = Union[Text, Mapping[str, Any], None]


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
        """The number of the container of that name, from 1; new where nobody asked for it before."""
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
        """What a need of each GPU that is known comes to: machines, MIG profile, sharing."""
        memory = integer(memory_bytes, 64, "memory_bytes")
        with self._inside() as rightsize:
            return json_of(self._c.rightsize_fit, rightsize, memory, float(util_percent))

    def save(self, now: Instant | None = None, *, container: int = 0) -> str:
        """What survives a restart, for load."""
        number, moment = unsigned(container, 32, "container"), unix_ms(now)
        with self._inside() as rightsize:
            return text_of(self._c.rightsize_save, rightsize, number, moment)

    def load(self, text: Text, *, container: int = 0) -> None:
        """In place of what the container had: what save gave, or the checkpoint object of a VPA."""
        raw, number = encoded(text), unsigned(container, 32, "container")
        with self._inside() as rightsize:
            check(self._c.rightsize_load(rightsize, number, raw, len(raw), err()))


def _raw(one: UsageSample) -> gputide_usage_sample:
    flags = _abi.USAGE_OOM if one.oom else 0
    if one.busy is not None:
        flags |= _abi.USAGE_BUSY
    if one.memory is not None and not one.oom:
        flags |= _abi.USAGE_MEMORY
    return gputide_usage_sample(
        time_ms=unix_ms(one.time),
        container=unsigned(one.container, 32, "container"),
        unit=unsigned(one.unit, 32, "unit"),
        flags=flags,
        busy=one.busy or 0.0,
        memory_bytes=integer(one.memory or 0, 64, "memory"),
    )

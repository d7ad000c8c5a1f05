"""The load of the next start-up time, for a host that scales in a loop of its own.

Each pass: step, decide, ask, write the size, book.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from ctypes import byref, c_void_p, sizeof
from dataclasses import dataclass
from typing import Any, Union

from ._abi import gputide_floor
from ._call import JsonText, Text, check, encoded, err, json_of, text_of
from ._handle import ExclusiveHandle
from ._load import library
from ._time import Instant, integer, unix_ms
from .numbers import FloorReason, ForecastState

Settings = Union[Text, Mapping[str, Any], None]


@dataclass(frozen=True)
class Floor:
    """What came of a floor: replicas is the reactive size or more."""

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
        sizes = [integer(one, 32, "replicas") for one in (reactive_replicas, current_replicas, max_replicas)]
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
        """What the budget is counted by: the size that was written, and the one that a loop without the forecast would have."""
        sizes = [integer(one, 32, "replicas") for one in (written_replicas, shadow_replicas)]
        with self._inside() as forecast:
            check(self._c.forecast_charge(forecast, *sizes, err()))

    def describe(self) -> JsonText:
        """What it says, how good it has been and what it cost."""
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

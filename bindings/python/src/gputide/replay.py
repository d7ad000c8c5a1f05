"""Shows what a manifest would have done, over recorded metrics: the code that decides live, with the clock as a parameter."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from ctypes import Array, byref, c_double, c_int32, c_int64, c_void_p, sizeof
from typing import Any, Union

from . import _abi
from ._abi import gputide_sample
from ._call import JsonText, Text, check, encoded, err, json_of, optional, text_of
from ._handle import ExclusiveHandle
from ._load import library
from ._time import Duration, Instant, duration_ms, integer, unix_ms
from ._waiting import Cancel, Wait
from .decision import Decision, decision_buffer
from .scaler import Scaler
from .values import Options, Value, options_argument, samples_of

Settings = Union[Text, Mapping[str, Any], None]


class Series(ExclusiveHandle):
    """Recorded values of each metric over time, and the workload's size meanwhile.  At most 20 million points, in any order."""

    __slots__ = ()
    _frees = "series_free"

    def __init__(self) -> None:
        out = c_void_p()
        check(library().series_new(byref(out), err()))
        self._adopt(out.value)

    def add(self, metric: int, times: Sequence[Instant], values: Sequence[float]) -> None:
        """Points of one metric.  A NaN or an infinity is a point without a number."""
        raw_times, count = _times(times, values)
        raw_values, index = (c_double * count)(*values), integer(metric, 32, "metric")
        with self._inside() as series:
            check(self._c.series_add(series, index, raw_times, raw_values, count, err()))

    def add_replicas(self, times: Sequence[Instant], replicas: Sequence[int]) -> None:
        """Replica counts that the workload had: what a closed loop needs."""
        raw_times, count = _times(times, replicas)
        raw_replicas = (c_int32 * count)(*(integer(replica, 32, "replicas") for replica in replicas))
        with self._inside() as series:
            check(self._c.series_add_replicas(series, raw_times, raw_replicas, count, err()))

    def read(self, text: Text, metric: int | None = 0, scaler: str | None = None) -> None:
        """Adds what a text holds, from `metric` on: CSV, a saved query_range of Prometheus, or the log of `gputided run`.

        metric  None: of the text only the replica counts, and of a run log its decisions
        scaler  of a run log that holds several: "namespace/name"
        """
        raw, name = encoded(text), optional(scaler, "scaler")
        index = _abi.NO_METRIC if metric is None else integer(metric, 32, "metric")
        with self._inside() as series:
            check(self._c.series_read(series, index, raw, len(raw), name, err()))

    def fetch(
        self,
        scaler: Scaler,
        metric: int,
        start: Instant,
        end: Instant,
        step: Duration,
        *,
        timeout: Duration = 60,
        cancel: Cancel | None = None,
    ) -> None:
        """The past of one metric straight from its source, both ends included, at most 11,000 steps."""
        self._waiting_fetch(scaler, metric, start, end, step, timeout, cancel).here()

    async def fetch_async(
        self,
        scaler: Scaler,
        metric: int,
        start: Instant,
        end: Instant,
        step: Duration,
        *,
        timeout: Duration = 60,
        cancel: Cancel | None = None,
    ) -> None:
        await self._waiting_fetch(scaler, metric, start, end, step, timeout, cancel).awaited()

    def _waiting_fetch(
        self,
        scaler: Scaler,
        metric: int,
        start: Instant,
        end: Instant,
        step: Duration,
        timeout: Duration,
        cancel: Cancel | None,
    ) -> Wait[None]:
        times = (unix_ms(start), unix_ms(end), duration_ms(step))
        index = integer(metric, 32, "metric")

        def call(native: int, left_ms: int, series: int, source: int) -> None:
            check(self._c.series_fetch(series, source, index, *times, left_ms, native, err()))

        return Wait(call, duration_ms(timeout), cancel, self, scaler)

    def write(self) -> str:
        """The series as CSV, which read takes."""
        with self._inside() as series:
            return text_of(self._c.series_write, series)

    def describe(self) -> JsonText:
        """Points, from, to, gaps, duplicates and the like."""
        with self._inside() as series:
            return json_of(self._c.series_describe, series)


def _times(times: Sequence[Instant], beside: Sequence[Any]) -> tuple[Array[c_int64], int]:
    if len(times) != len(beside):
        raise ValueError(f"{len(times)} times for {len(beside)} values")
    return (c_int64 * len(times))(*map(unix_ms, times)), len(times)


class Replay(ExclusiveHandle):
    """One replay: a manifest's policy, a model, and the sums so far.  settings: docs/replay.md, as a mapping or JSON."""

    __slots__ = ()
    _frees = "replay_free"

    def __init__(self, manifest: Text, options: Options | None = None, settings: Settings = None) -> None:
        text, out = encoded(manifest), c_void_p()
        chosen = encoded(json.dumps(dict(settings)) if isinstance(settings, Mapping) else settings or b"")
        arguments = (text, len(text), options_argument(options), chosen or None, len(chosen), byref(out), err())
        check(library().replay_open(*arguments))
        self._adopt(out.value)

    def run(self, series: Series, *, cancel: Cancel | None = None) -> None:
        """All of a series, once.  Takes as long as it takes."""
        self._waiting_run(series, cancel).here()

    async def run_async(self, series: Series, *, cancel: Cancel | None = None) -> None:
        await self._waiting_run(series, cancel).awaited()

    def _waiting_run(self, series: Series, cancel: Cancel | None) -> Wait[None]:
        def call(native: int, _left_ms: int, replay: int, recorded: int) -> None:
            check(self._c.replay_run(replay, recorded, native, err()))

        return Wait(call, _abi.FOREVER, cancel, self, series)

    def record(self, time: Instant, samples: Sequence[Value], *, replicas: int | None = None) -> Decision:
        """Adds what was recorded at a time, which must not go back; the last decision taken so far (source None before the
        first).
        replicas: the recorded size; None: as before."""
        raw_samples, last, moment = samples_of(samples), decision_buffer(), unix_ms(time)
        size = -1 if replicas is None else integer(replicas, 32, "replicas")
        with self._inside() as replay:
            arguments = (replay, moment, raw_samples, sizeof(gputide_sample), len(raw_samples), size, byref(last), err())
            check(self._c.replay_record(*arguments))
        return Decision(last)

    def report(self) -> JsonText:
        """The result.  Ends the replay."""
        with self._inside() as replay:
            return json_of(self._c.replay_report, replay)

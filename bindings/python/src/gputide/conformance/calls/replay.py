"""Section 10 of gputide.h: recorded days."""

from __future__ import annotations

from typing import TYPE_CHECKING

import gputide

from .. import values
from .table import does, gives, opens, registered

if TYPE_CHECKING:
    from ..case import Call


def _series(call: Call) -> gputide.Series:
    return call.handle("series", gputide.Series)


def _replay(call: Call) -> gputide.Replay:
    return call.handle("replay", gputide.Replay)


opens("series.new", lambda call: gputide.Series())
gives("series.write", "csv", lambda call: _series(call).write())
gives("series.describe", "json", lambda call: _series(call).describe())
opens("replay.open", lambda call: gputide.Replay(call.text("manifest"), call.options(), call.text("settings")))
does("replay.run", lambda call: _replay(call).run(_series(call)))
gives("replay.report", "json", lambda call: _replay(call).report())


@registered("series.add")
def _add(call: Call) -> None:
    times = [values.integer(time) for time in call.arguments["times_ms"]]
    _series(call).add(call.integer("metric"), times, [values.real(value) for value in call.arguments["values"]])


@registered("series.add_replicas")
def _add_replicas(call: Call) -> None:
    times = [values.integer(time) for time in call.arguments["times_ms"]]
    _series(call).add_replicas(times, [values.integer(value) for value in call.arguments["replicas"]])


@registered("series.read")
def _read_series(call: Call) -> None:
    number = call.integer("metric")
    metric = None if number == 2**32 - 1 else number
    _series(call).read(call.text("text"), metric, call.word("scaler") or None)


@registered("series.fetch")
def _fetch_series(call: Call) -> None:
    start, end = call.integer("from_ms"), call.integer("to_ms")
    scaler, timeout = call.handle("scaler", gputide.Scaler), call.seconds("timeout_ms")
    _series(call).fetch(scaler, call.integer("metric"), start, end, call.seconds("step_ms"), timeout=timeout)


@registered("replay.record")
def _record_moment(call: Call) -> None:
    replicas = call.integer("replicas") if "replicas" in call.arguments else None
    samples = values.samples(call.arguments.get("samples", []))
    call.result["decision"] = values.decision(_replay(call).record(call.integer("time_ms"), samples, replicas=replicas))

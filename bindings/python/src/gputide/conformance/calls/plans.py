"""Sections 12 to 15 of gputide.h: forecasts, nodes, right-sizing, jobs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import gputide

from .. import values
from .table import does, gives, opens, registered

if TYPE_CHECKING:
    from ..case import Call


def _forecast(call: Call) -> gputide.Forecast:
    return call.handle("forecast", gputide.Forecast)


opens("forecast.open", lambda call: gputide.Forecast(call.text("settings")))
does("forecast.step", lambda call: _forecast(call).step(call.integer("now_ms"), values.real(call.arguments["load"])))
gives("forecast.describe", "json", lambda call: _forecast(call).describe())
gives("forecast.save", "text", lambda call: _forecast(call).save())
does("forecast.load", lambda call: _forecast(call).load(call.text("text")))


@registered("forecast.ask")
def _ask(call: Call) -> None:
    names = ("reactive_replicas", "current_replicas", "max_replicas")
    floor = _forecast(call).ask(values.real(call.arguments["target"]), **{name: call.integer(name) for name in names})
    if "as" in call.arguments:
        call.case.keep(call.arguments["as"], floor)
    call.result["floor"] = values.floor(floor)


@registered("forecast.book")
def _book(call: Call) -> None:
    written = call.handle("floor", gputide.Floor).replicas if "floor" in call.arguments else call.integer("written_replicas")
    _forecast(call).book(written, call.integer("shadow_replicas"))


@registered("nodes.plan")
def _plan_nodes(call: Call) -> None:
    plan = gputide.plan_nodes(call.text("text"), call.text("state"), now=call.integer("now_ms"))
    counts = ("nodes_to_add", "nodes_to_remove", "pods_pending", "pods_on_existing", "pods_on_new", "pods_left")
    summary = {name: getattr(plan, name) for name in ("errors", "warnings")}
    summary.update({name: values.out_integer(getattr(plan, name)) for name in counts})
    call.result.update(summary=summary, json=plan.json, state=plan.state)


def _rightsize(call: Call) -> gputide.Rightsize:
    return call.handle("rightsize", gputide.Rightsize)


def _container(call: Call) -> int:
    return call.integer("container")


opens("rightsize.open", lambda call: gputide.Rightsize(call.text("settings"), call.options()))
gives("rightsize.describe", "json", lambda call: _rightsize(call).describe())
gives("rightsize.container", "number", lambda call: _rightsize(call).container(call.word("name")))
gives("rightsize.add", "taken", lambda call: _rightsize(call).add(values.usage(call.arguments["samples"])))
gives(
    "rightsize.recommend",
    "json",
    lambda call: _rightsize(call).recommend(call.integer("now_ms"), container=_container(call)),
)
gives(
    "rightsize.fit",
    "json",
    lambda call: _rightsize(call).fit(call.integer("memory_bytes"), values.real(call.arguments["util_percent"])),
)
gives("rightsize.save", "text", lambda call: _rightsize(call).save(call.integer("now_ms"), container=_container(call)))
does("rightsize.load", lambda call: _rightsize(call).load(call.text("text"), container=_container(call)))


@registered("jobs.decide")
def _decide_jobs(call: Call) -> None:
    call.result["decision"] = gputide.decide_jobs(call.text("text"), call.text("seen"), call.options())

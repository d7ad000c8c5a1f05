"""Sections 6 and 7 of gputide.h: policy and state, decide."""

from __future__ import annotations

from typing import TYPE_CHECKING

import gputide

from .. import values
from .table import does, gives, opens, registered

if TYPE_CHECKING:
    from ..case import Call


def _state(call: Call) -> gputide.State:
    return call.handle("state", gputide.State)


def metric_name(metrics: tuple[str, ...], index: int) -> str | None:
    """None beyond the last."""
    return metrics[index] if index < len(metrics) else None


opens("policy.open", lambda call: gputide.Policy(call.text("text"), call.options()))
gives("policy.metric_count", "count", lambda call: len(call.policy().metrics))
gives("policy.metric_name", "name", lambda call: metric_name(call.policy().metrics, call.integer("index")))
gives("policy.describe", "json", lambda call: call.policy().describe())
gives("state.save", "text", lambda call: _state(call).save())
gives("state.describe", "json", lambda call: _state(call).describe())
gives("trace.render", "lines", lambda call: gputide.render(call.word("report")))
does("decide", lambda call: call.decided(_state(call).decide(call.seen(), report=call.flag("report"))))


@registered("state.new")
def _new_state(call: Call) -> None:
    call.opens(lambda: call.policy().new_state(call.integer("created_ms")))
    call.case.policies[call.arguments["as"]] = call.arguments["policy"]


@registered("state.clone")
def _clone_state(call: Call) -> None:
    call.opens(_state(call).clone)
    call.case.policies[call.arguments["as"]] = call.case.policies[call.arguments["state"]]


@registered("state.load")
def _load_state(call: Call) -> None:
    call.opens(lambda: call.policy().load_state(call.text("text"), unchecked=bool(call.integer("flags"))))
    call.case.policies[call.arguments["as"]] = call.arguments["policy"]


@registered("decide.values")
def _decide_values(call: Call) -> None:
    numbers = [values.real(value) for value in call.arguments.get("values", [])]
    now, current = call.integer("now_ms"), call.integer("current_replicas")
    call.decided(_state(call).decide(current=current, samples=numbers, now=now))


@registered("state.record")
def _record(call: Call) -> None:
    decision = call.decision()
    _state(call).record(decision, applied=bool(call.integer("applied")), now=call.integer("now_ms"), message=call.word("message"))
    call.result["decision"] = values.decision(decision)

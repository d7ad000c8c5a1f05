"""Section 9 of gputide.h: many scalers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import gputide
from gputide import numbers

from .. import values
from .table import does, gives, opens, registered

if TYPE_CHECKING:
    from ..case import Call


def _runtime(call: Call) -> gputide.Runtime:
    return call.handle("runtime", gputide.Runtime)


opens("runtime.new", lambda call: gputide.Runtime(values.runtime_options(call.arguments.get("options", {}))))
gives(
    "runtime.add",
    "id",
    lambda call: values.out_integer(_runtime(call).add(call.text("manifest"), call.options(), tag=call.integer("tag"))),
)
does("runtime.remove", lambda call: _runtime(call).remove(call.integer("id")))
gives("runtime.find", "id", lambda call: values.out_integer(_runtime(call).find(call.word("name"))))
gives("runtime.next_scaler", "id", lambda call: values.out_integer(_runtime(call).next_scaler(call.integer("after_id"))))
does("runtime.observe", lambda call: _runtime(call).observe(call.integer("id"), call.seen()))
does("runtime.push", lambda call: _runtime(call).push(call.integer("id"), values.samples(call.arguments["samples"])))
gives("runtime.save", "text", lambda call: _runtime(call).save(call.integer("id")))
does("runtime.load", lambda call: _runtime(call).load(call.integer("id"), call.text("text")))
gives("runtime.describe", "json", lambda call: _runtime(call).describe(call.integer("id")))
gives("runtime.stats", "json", lambda call: _runtime(call).stats())
does("runtime.attach_cluster", lambda call: _runtime(call).attach_cluster(call.text("settings"), call.options()))
does("runtime.detach_cluster", lambda call: _runtime(call).detach_cluster(timeout=call.seconds("timeout_ms")))
gives("runtime.describe_cluster", "json", lambda call: _runtime(call).describe_cluster())
does("runtime.start", lambda call: _runtime(call).start())
does("runtime.stop", lambda call: _runtime(call).stop(timeout=call.seconds("timeout_ms")))
does("runtime.close", lambda call: _runtime(call).close(call.seconds("timeout_ms")))
gives("runtime.wake_fd", "fd", lambda call: _runtime(call).wake_fd())


@registered("runtime.replace")
def _replace(call: Call) -> None:
    tag = call.integer("tag") if "tag" in call.arguments else None
    _runtime(call).replace(call.integer("id"), call.text("manifest"), call.options(), tag=tag)


@registered("runtime.next_event")
def _next_event(call: Call) -> None:
    event = _runtime(call).next_event(timeout=call.seconds("timeout_ms"))
    if event is None:
        call.result["error"] = values.error_of(numbers.Status.NO_DATA, "no event came in time")
        return
    call.result["event"] = values.event(event)
    call.decided(event.decision)
    if event.report is not None:
        call.result["report"] = event.report


@registered("runtime.record")
def _record_runtime(call: Call) -> None:
    decision = call.decision()
    applied, now = bool(call.integer("applied")), call.integer("now_ms")
    _runtime(call).record(call.integer("id"), decision, applied=applied, now=now, message=call.word("message"))
    call.result["decision"] = values.decision(decision)


@registered("runtime.step")
def _step(call: Call) -> None:
    next_ms = _runtime(call).step(call.integer("now_ms"))
    call.result["next_ms"] = values.out_integer(2**63 - 1 if next_ms is None else next_ms)

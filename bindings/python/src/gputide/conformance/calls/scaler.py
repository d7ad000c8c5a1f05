"""Section 8 of gputide.h: a manifest as a whole."""

from __future__ import annotations

from typing import TYPE_CHECKING

import gputide

from .. import values
from .policy import metric_name
from .table import does, gives, opens, registered

if TYPE_CHECKING:
    from ..case import Call


def _scaler(call: Call) -> gputide.Scaler:
    return call.handle("scaler", gputide.Scaler)


opens("scaler.open", lambda call: gputide.Scaler(call.text("manifest"), call.options()))
does(
    "scaler.tick",
    lambda call: call.decided(_scaler(call).tick(call.seen(), timeout=call.seconds("timeout_ms"), report=call.flag("report"))),
)
does("scaler.decide", lambda call: call.decided(_scaler(call).decide(call.seen(), report=call.flag("report"))))
gives(
    "scaler.fetch",
    "samples",
    lambda call: [
        values.sample(sample) for sample in _scaler(call).fetch(now=call.integer("now_ms"), timeout=call.seconds("timeout_ms"))
    ],
)
gives("scaler.metric_count", "count", lambda call: len(_scaler(call).metrics))
gives("scaler.metric_name", "name", lambda call: metric_name(_scaler(call).metrics, call.integer("index")))
gives("scaler.conditions", "json", lambda call: _scaler(call).conditions())
gives("scaler.metrics", "json", lambda call: _scaler(call).last_metrics())
gives("scaler.describe", "json", lambda call: _scaler(call).describe())
gives("scaler.save", "text", lambda call: _scaler(call).save())
does("scaler.load", lambda call: _scaler(call).load(call.text("text")))


@registered("manifest.check")
def _check(call: Call) -> None:
    findings = gputide.check_manifest(call.text("manifest"), call.options())
    if findings.report:
        call.result.update(report=findings.report, lines=findings.lines)
    if findings.error is not None:
        raise findings.error


@registered("scaler.record")
def _record_scaler(call: Call) -> None:
    decision = call.decision()
    _scaler(call).record(
        decision, applied=bool(call.integer("applied")), now=call.integer("now_ms"), message=call.word("message")
    )
    call.result["decision"] = values.decision(decision)


@registered("doctor")
def _doctor(call: Call) -> None:
    seen = call.seen() if "seen" in call.arguments else None
    diagnosis = gputide.doctor(call.text("manifest"), call.options(), seen=seen, timeout=call.seconds("timeout_ms"))
    call.result.update(report=diagnosis.report, lines=diagnosis.lines)

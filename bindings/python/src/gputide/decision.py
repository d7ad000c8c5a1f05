"""The decision and its reasons."""

from __future__ import annotations

from ctypes import byref, sizeof
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from . import _abi
from ._abi import gputide_decision
from ._call import JsonText, encoded, optional, text_of
from ._load import library
from ._number import spelled
from ._time import instant, integer
from .numbers import Condition, DecisionSource, ForecastState, Limit, ScaleEvent, Truth


class Reason(int):
    """The number of a condition's reason; str is its word as Kubernetes spells it ("ScaleDownStabilized"), "" for none."""

    def __str__(self) -> str:
        return spelled("reason_name", self)

    def __repr__(self) -> str:
        return f"<Reason {int(self)}>"


@dataclass(frozen=True)
class ConditionState:
    """A condition as `kubectl describe` shows it."""

    truth: Truth
    reason: Reason
    since: datetime | None


class Decision:
    """Write `desired` to the target where `wants_write`, then record how that went.  A value; it can be pickled.

    report  the whole reason as one line of JSON, where the call was asked for it
    """

    __slots__ = ("_raw", "report")

    def __init__(self, raw: gputide_decision, report: str | None = None) -> None:
        self._raw = raw
        self.report = None if report is None else JsonText(report)

    @property
    def id(self) -> int:
        """Its number in the state; never 0."""
        return int(self._raw.id)

    @property
    def now_ms(self) -> int:
        return int(self._raw.now_ms)

    @property
    def now(self) -> datetime | None:
        return instant(self._raw.now_ms)

    @property
    def next_due_ms(self) -> int:
        return int(self._raw.next_due_ms)

    @property
    def next_due(self) -> datetime | None:
        """When the next decision is due; earlier ones are Limit.NOT_DUE."""
        return instant(self._raw.next_due_ms)

    @property
    def current(self) -> int:
        return int(self._raw.current_replicas)

    @property
    def desired(self) -> int:
        return int(self._raw.desired_replicas)

    @property
    def proposed(self) -> int:
        """The size that the metrics ask for, before stabilization, limits and bounds."""
        return int(self._raw.proposed_replicas)

    @property
    def wants_write(self) -> bool:
        return bool(self._raw.desired_replicas != self._raw.current_replicas)

    @property
    def limited_by(self) -> Limit:
        return Limit(self._raw.limited_by)

    @property
    def source(self) -> DecisionSource | None:
        """None: nothing was decided yet."""
        return DecisionSource(self._raw.source) if self._raw.source else None

    @property
    def winner(self) -> int:
        """Index of the metric that asked for the most; -1: none; -2: scalingModifiers' formula."""
        return int(self._raw.winner)

    @property
    def failed_metric(self) -> int:
        """Index of the first that failed; -1: none."""
        return int(self._raw.failed_metric)

    @property
    def event(self) -> ScaleEvent:
        return ScaleEvent(self._raw.event)

    @property
    def forecast_state(self) -> ForecastState | None:
        """The state of the forecast; None: the policy has none."""
        return ForecastState(self._raw.forecast_state) if self._raw.forecast_state else None

    @property
    def forecast_need(self) -> int | None:
        """Replicas that the load to be ready for takes; None: the forecast asks for nothing."""
        return int(self._raw.forecast_need) if self._raw.forecast_need >= 0 else None

    @property
    def active(self) -> bool:
        """A trigger is active."""
        return bool(self._raw.flags & _abi.DECIDED_ACTIVE)

    @property
    def failed(self) -> bool:
        """A trigger or metric failed and nothing took its place."""
        return bool(self._raw.flags & _abi.DECIDED_ERROR)

    @property
    def by_executor(self) -> bool:
        """KEDA's half was due and ran."""
        return bool(self._raw.flags & _abi.DECIDED_EXECUTOR)

    @property
    def by_hpa(self) -> bool:
        """The HPA's half was due and ran."""
        return bool(self._raw.flags & _abi.DECIDED_HPA)

    @property
    def flags(self) -> int:
        """The four above as bits, GPUTIDE_DECIDED_*, and what a newer library adds."""
        return int(self._raw.flags)

    @property
    def conditions(self) -> dict[Condition, ConditionState]:
        """Those that are set."""
        return {
            Condition(index): ConditionState(Truth(condition.truth), Reason(condition.reason), instant(condition.since_ms))
            for index, condition in enumerate(self._raw.conditions)
            if condition.truth
        }

    def explain(self) -> str:
        """The report as lines for a person; "" where the call was not asked for one."""
        return render_report(self.report) if self.report else ""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Decision) and bytes(self._raw) == bytes(other._raw)

    def __hash__(self) -> int:
        return hash((self.id, self.now_ms))

    def __reduce__(self) -> tuple[Any, ...]:
        return _again, (bytes(self._raw), self.report)

    def __repr__(self) -> str:
        return f"<Decision {self.current} -> {self.desired}, proposed {self.proposed}, limited by {self.limited_by}>"


def _again(raw: bytes, report: str | None) -> Decision:
    return Decision(gputide_decision.from_buffer_copy(raw), report)


def decision_buffer() -> gputide_decision:
    """For the library to fill."""
    raw = gputide_decision()
    raw.struct_size = sizeof(gputide_decision)
    return raw


def recorded(decision: Decision, message: str | None) -> tuple[gputide_decision, Any]:
    """A copy for a record to update, so that a record that fails leaves the decision as it was, and its address."""
    raw = gputide_decision.from_buffer_copy(decision._raw)
    raw.message = optional(message, "a record's message")
    return raw, byref(raw)


def render_report(report: str) -> str:
    """A report as lines for a person: conditions, then the trace step by step."""
    raw = encoded(report)
    return text_of(library().report_render, raw, integer(len(raw), 64, "size"))

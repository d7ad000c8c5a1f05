"""A manifest as a working pipeline, and what can be said of a manifest without one."""

from __future__ import annotations

import builtins
import os
from collections.abc import Callable, Sequence
from ctypes import byref, c_void_p
from dataclasses import dataclass
from typing import Any

from ._call import JsonText, Text, TextBuffer, check, encoded, err, json_of, text_of
from ._handle import ExclusiveHandle
from ._load import library
from ._time import Duration, Instant, duration_ms, unix_ms
from ._waiting import Cancel, Wait
from .decision import Decision, decision_buffer, recorded
from .errors import Invalid, LimitExceeded
from .values import Observation, Options, Value, observation_argument, options_argument


class Scaler(ExclusiveHandle):
    """Sources, credentials, policy and state of one ScaledObject or HorizontalPodAutoscaler.  Opening one sends nothing."""

    __slots__ = ()
    _frees = "scaler_free"

    def __init__(self, manifest: Text, options: Options | None = None) -> None:
        text, out = encoded(manifest), c_void_p()
        check(library().scaler_open(text, len(text), options_argument(options), byref(out), err()))
        self._adopt(out.value)

    def tick(
        self,
        observation: Observation | None = None,
        *,
        current: int | None = None,
        samples: Sequence[Value] = (),
        now: Instant | None = None,
        timeout: Duration = 10,
        cancel: Cancel | None = None,
        report: bool = False,
    ) -> Decision:
        """Fetch every trigger that is due, decide.  A trigger that fails does not fail the call: `decision.failed`, and
        `describe` has each error."""
        argument = observation_argument(observation, current, samples, now)
        return self._waiting_tick(argument, timeout, cancel, report).here()

    async def tick_async(
        self,
        observation: Observation | None = None,
        *,
        current: int | None = None,
        samples: Sequence[Value] = (),
        now: Instant | None = None,
        timeout: Duration = 10,
        cancel: Cancel | None = None,
        report: bool = False,
    ) -> Decision:
        return await self._waiting_tick(
            observation_argument(observation, current, samples, now), timeout, cancel, report
        ).awaited()

    def _waiting_tick(self, argument: Any, timeout: Duration, cancel: Cancel | None, report: bool) -> Wait[Decision]:
        def call(native: int, left_ms: int, scaler: int) -> Decision:
            raw, text = decision_buffer(), TextBuffer() if report else None
            reference = None if text is None else text.reference
            check(self._c.scaler_tick(scaler, argument, left_ms, native, byref(raw), reference, err()))
            return Decision(raw, None if text is None else text.take())

        return Wait(call, duration_ms(timeout), cancel, self)

    def record(self, decision: Decision, *, applied: bool, now: Instant | None = None, message: str | None = None) -> None:
        """Records how the write of decision.desired went, once.  message: why it failed, for conditions."""
        raw, reference = recorded(decision, message)
        with self._inside() as scaler:
            check(self._c.scaler_record(scaler, reference, int(applied), unix_ms(now), err()))
        decision._raw = raw

    def describe(self) -> JsonText:
        """Policy (as Policy.describe), conditions (type, status, reason, message, since), and metrics: for each its last value,
        age, state, latency and the error of a failed read."""
        with self._inside() as scaler:
            return json_of(self._c.scaler_describe, scaler)

    def save(self) -> str:
        """The state as text that survives a restart."""
        with self._inside() as scaler:
            return text_of(self._c.scaler_save, scaler)

    def load(self, text: Text) -> None:
        """The text that save gave, in place of the state."""
        raw = encoded(text)
        with self._inside() as scaler:
            check(self._c.scaler_load(scaler, raw, len(raw), err()))


def open(  # noqa: A001 - gputide.open, as gzip.open
    path: str | os.PathLike[str], options: Options | None = None, *, allow_environment: bool = False
) -> Scaler:
    """A scaler from a manifest's file.  allow_environment: as Options(allow_environment=True), where that is all."""
    if options is not None and allow_environment:
        raise TypeError("say allow_environment in options")
    if options is None:
        options = Options(allow_environment=allow_environment, text_name=os.fspath(path))
    with builtins.open(path, "rb") as file:
        return Scaler(file.read(), options)


@dataclass(frozen=True)
class Findings:
    """The findings of a manifest's check.

    report  the scalers in it and the findings, as JSON
    lines   the findings as a compiler prints them
    error   None where all findings are warnings
    """

    report: JsonText
    lines: str
    error: Invalid | LimitExceeded | None

    @property
    def ok(self) -> bool:
        return self.error is None


def check_manifest(manifest: Text, options: Options | None = None) -> Findings:
    """Reads a manifest without opening anything.  A wrong one does not raise: its findings say what is wrong."""
    text, report, lines, problem = encoded(manifest), TextBuffer(), TextBuffer(), None
    arguments = (text, len(text), options_argument(options), report.reference, lines.reference)
    try:
        check(library().manifest_check(*arguments, err()))
    except (Invalid, LimitExceeded) as error:
        problem = error
    return Findings(JsonText(report.take() or ""), lines.take() or "", problem)


@dataclass(frozen=True)
class Diagnosis:
    """The findings of doctor or doctor_cluster: report as JSON with a verdict for each step; lines for a person, the conclusion
    first."""

    report: JsonText
    lines: str


def doctor(
    manifest: Text,
    options: Options | None = None,
    *,
    observation: Observation | None = None,
    timeout: Duration = 60,
    cancel: Cancel | None = None,
) -> Diagnosis:
    """Finds what is wrong with a manifest's triggers, by following each of them as a request would.  Reads the network.
    observation: the present size, and samples that the host pushes; None: the manifest's minimum, now."""
    return _waiting_doctor(manifest, options, observation, timeout, cancel).here()


async def doctor_async(
    manifest: Text,
    options: Options | None = None,
    *,
    observation: Observation | None = None,
    timeout: Duration = 60,
    cancel: Cancel | None = None,
) -> Diagnosis:
    return await _waiting_doctor(manifest, options, observation, timeout, cancel).awaited()


def _waiting_doctor(
    manifest: Text,
    options: Options | None,
    observation: Observation | None,
    timeout: Duration,
    cancel: Cancel | None,
) -> Wait[Diagnosis]:
    text, chosen = encoded(manifest), options_argument(options)
    argument = None if observation is None else observation_argument(observation, None, (), None)

    def call(native: int, left_ms: int) -> Diagnosis:
        return diagnosis(library().doctor, text, len(text), chosen, argument, left_ms, native)

    return Wait(call, duration_ms(timeout), cancel)


def diagnosis(examine: Callable[..., int], *arguments: Any) -> Diagnosis:
    report, lines = TextBuffer(), TextBuffer()
    check(examine(*arguments, report.reference, lines.reference, err()))
    return Diagnosis(JsonText(report.take() or ""), lines.take() or "")


__all__ = ["Diagnosis", "Findings", "Scaler", "check_manifest", "doctor", "doctor_async", "open"]

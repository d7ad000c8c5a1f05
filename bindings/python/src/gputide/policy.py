"""Decisions from numbers alone: no I/O, no clock."""

from __future__ import annotations

from collections.abc import Sequence
from ctypes import CFUNCTYPE, Array, byref, c_double, c_int32, c_int64, c_uint32, c_void_p, cast
from typing import Any, Callable

from . import _abi
from ._call import JsonText, Text, TextBuffer, check, encoded, err, json_of, text_of
from ._handle import ExclusiveHandle, Native, SharedHandle
from ._load import library
from ._time import Instant, optional_ms, unix_ms
from .decision import Decision, decision_buffer, recorded
from .values import Observation, Options, Value, observation_argument, options_argument

_LARGEST = 2**31 - 1
_LATEST_MS = 2**63 - 1


class Policy(SharedHandle):
    """The rules of decisions: bounds, thresholds, behavior, cooldown of a ScaledObject or HorizontalPodAutoscaler.  Immutable;
    any
    number of threads may use it."""

    __slots__ = ("metrics",)
    _frees = "policy_free"

    def __init__(self, manifest: Text, options: Options | None = None) -> None:
        text, out = encoded(manifest), c_void_p()
        check(library().policy_open(text, len(text), options_argument(options), byref(out), err()))
        self._adopt(out.value)
        names = (self._c.policy_metric_name(out, index) for index in range(self._c.policy_metric_count(out)))
        # The words for the metrics in every JSON text, in the order in which samples are given.
        self.metrics: tuple[str, ...] = tuple((name or b"").decode("utf-8", "replace") for name in names)

    def describe(self) -> JsonText:
        """The policy with each default filled in."""
        with self._inside() as policy:
            return json_of(self._c.policy_describe, policy)

    def new_state(self, created: Instant | None = None) -> State:
        """A scaler's memory, empty.  created: the object's creationTimestamp; None: the first decision's time."""
        return State._opened(self, self._c.state_new, optional_ms(created))

    def load_state(self, text: Text, *, unchecked: bool = False) -> State:
        """The text that State.save gave, also by an older release.  unchecked: what State.describe gave."""
        raw = encoded(text)
        return State._opened(self, self._c.state_load, raw, len(raw), _abi.STATE_UNCHECKED if unchecked else 0)

    def __repr__(self) -> str:
        return f"<Policy {', '.join(self.metrics)}>"


def _bare(function: Any) -> Callable[..., int]:
    """The same function for arguments that are C's own already: to convert eight by their types takes longer than the rest."""
    return CFUNCTYPE(c_int32)(cast(function, c_void_p).value or 0)


class State(ExclusiveHandle):
    """The memory of one scaler: activity, stabilization windows, scale events, failure counts.  Made by Policy.new_state and
    Policy.load_state; it decides by that policy, also after that was closed."""

    __slots__ = ("_bare", "_count", "_fixed", "_policy", "_values")
    _frees = "state_free"
    _policy: Native
    _count: int
    _values: Array[c_double]  # kept from decision to decision, as the other arguments that stay the same are
    _fixed: tuple[c_void_p, c_void_p, c_uint32]
    _bare: Callable[..., int]

    def __init__(self) -> None:
        raise TypeError("Policy.new_state and Policy.load_state make one")

    @classmethod
    def _opened(cls, policy: Policy, function: Any, *arguments: Any) -> State:
        out = c_void_p()
        with policy._inside() as pointer:
            check(function(pointer, *arguments, byref(out), err()))
            return cls._made(out, policy._native.retained(), len(policy.metrics))

    @classmethod
    def _made(cls, out: c_void_p, policy: Native, count: int) -> State:
        state = cls.__new__(cls)
        state._adopt(out.value, policy)
        state._policy = policy
        state._count = count
        state._values = (c_double * count)()
        state._fixed = c_void_p(policy.pointer), c_void_p(out.value), c_uint32(count)
        state._bare = _bare(state._c.decide_values)
        return state

    def decide(
        self,
        observation: Observation | None = None,
        *,
        current: int | None = None,
        samples: Sequence[Value] = (),
        now: Instant | None = None,
        report: bool = False,
    ) -> Decision:
        """The replica count that KEDA and the HPA would write.

        samples  one per metric of the policy; a number, a Sample, or None where nothing is known
        now      a datetime with a zone, or Unix milliseconds; None: the clock's
        report   the decision has its whole reason as JSON

        Worked: threshold 5, 3 replicas, sample 42.5 -> ceil(42.5 / 5) = 9.
        """
        if observation is None and current is not None and not report and len(samples) == self._count:
            decision = self._decide_numbers(samples, current, now if type(now) is int and 0 < now <= _LATEST_MS else unix_ms(now))
            if decision is not None:
                return decision
        raw, text = decision_buffer(), TextBuffer() if report else None
        argument = observation_argument(observation, current, samples, now)
        with self._inside() as state:
            reference = None if text is None else text.reference
            check(self._c.decide(self._policy.pointer, state, argument, byref(raw), reference, err()))
        return Decision(raw, text.take() if text is not None else None)

    def _decide_numbers(self, samples: Sequence[Value], current: int, now_ms: int) -> Decision | None:
        """decide where all samples are plain numbers: half of its time; None where they are not."""
        if not -_LARGEST <= current <= _LARGEST:
            return None
        raw = decision_buffer()
        now = c_int64(now_ms)
        with self._lock:
            if self._closing:
                raise self._refuse()
            values = self._values
            try:
                values[:] = samples  # type: ignore[call-overload]
            except TypeError:
                return None
            policy, state, count = self._fixed
            check(self._bare(policy, state, now, current, values, count, byref(raw), err()))
        return Decision(raw)

    def record(self, decision: Decision, *, applied: bool, now: Instant | None = None, message: str | None = None) -> None:
        """Records how the write of decision.desired went, once; the decision's conditions and event follow.  One that wanted
        no write
        needs no record.  message: why it failed, for conditions."""
        raw, reference = recorded(decision, message)
        with self._inside() as state:
            check(self._c.state_record(self._policy.pointer, state, reference, int(applied), unix_ms(now), err()))
        decision._raw = raw

    def save(self) -> str:
        """Text that survives a restart, for Policy.load_state."""
        with self._inside() as state:
            return text_of(self._c.state_save, self._policy.pointer, state)

    def describe(self) -> JsonText:
        """The same for people and programs that look into it."""
        with self._inside() as state:
            return json_of(self._c.state_describe, self._policy.pointer, state)

"""How a runtime polls."""

from __future__ import annotations

from dataclasses import dataclass

from . import _abi
from ._abi import gputide_runtime_options
from ._call import sized
from ._time import LONGEST_MS, Duration, duration_ms, unsigned


@dataclass(frozen=True)
class RuntimeOptions:
    """0 or None: the library's default, docs/runtime.md."""

    every_decision: bool = False  # events also for decisions that change nothing
    reports: bool = False  # events carry the decision as JSON
    no_sharing: bool = False  # each scaler asks for itself
    observe_first: bool = False  # each poll begins with an observation that a due event asks for
    seed: int = 0  # of the start offsets
    poll_timeout: Duration | None = None
    start_spread: Duration | None = None
    share_window: Duration | None = None
    max_in_flight: int = 0
    max_per_endpoint: int = 0
    breaker_failures: int = 0
    breaker_base: Duration | None = None
    breaker_cap: Duration | None = None
    gather: Duration | None = None

    def _filled(self) -> gputide_runtime_options:
        raw = sized(gputide_runtime_options)
        raw.flags = (
            self.every_decision * _abi.RUNTIME_EVERY_DECISION
            | self.reports * _abi.RUNTIME_REPORTS
            | self.no_sharing * _abi.RUNTIME_NO_SHARING
            | self.observe_first * _abi.RUNTIME_OBSERVE_FIRST
        )
        raw.seed = unsigned(self.seed, 64, "seed")
        for name in ("poll_timeout", "start_spread", "share_window", "breaker_base", "breaker_cap", "gather"):
            duration = getattr(self, name)
            setattr(raw, f"{name}_ms", 0 if duration is None else duration_ms(duration))
        for name in ("max_in_flight", "max_per_endpoint", "breaker_failures"):
            setattr(raw, name, min(getattr(self, name), LONGEST_MS))
        return raw

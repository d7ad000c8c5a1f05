"""Sections 1 and 2 of gputide.h: version, names."""

from __future__ import annotations

import gputide
from gputide import numbers

from .table import gives


def _release_number() -> int:
    major, minor, patch = map(int, gputide.library_version().split("."))
    return major * 1_000_000 + minor * 1_000 + patch


def _feature_bits() -> int:
    return sum(1 << bit for bit, name in enumerate(("yaml", "http2")) if name in gputide.features())


gives("version", "version", lambda call: gputide.library_version())
gives("version.number", "number", lambda call: _release_number())
gives("abi.version", "number", lambda call: gputide.ABI_VERSION)
gives("features", "features", lambda call: _feature_bits())
gives("build.info", "json", lambda call: gputide.build_info())
gives("status.name", "name", lambda call: str(numbers.Status(call.integer("status"))))
gives("action.name", "name", lambda call: str(numbers.Action(call.integer("action"))))
gives("sample.state_name", "name", lambda call: str(numbers.SampleState(call.integer("state"))))
gives("limit.name", "name", lambda call: str(numbers.Limit(call.integer("limit"))))
gives("condition.name", "name", lambda call: str(numbers.Condition(call.integer("condition"))))
gives("reason.name", "name", lambda call: str(numbers.Reason(call.integer("reason"))))
gives("event.name", "name", lambda call: str(numbers.ScaleEvent(call.integer("event"))))
gives("event.kind_name", "name", lambda call: str(numbers.EventKind(call.integer("kind"))))

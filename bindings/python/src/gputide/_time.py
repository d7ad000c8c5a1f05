"""Instants and durations: Python's types outside, integer milliseconds inside."""

from __future__ import annotations

import math
import operator
import time
from datetime import datetime, timedelta, timezone
from typing import Union

Instant = Union[datetime, int]  # with a zone; or Unix milliseconds
Duration = Union[float, timedelta]  # seconds

_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
_MILLISECOND = timedelta(milliseconds=1)
LONGEST_MS = 2**31 - 1  # 24.8 days
NEVER_MS = 2**63 - 1


def now_ms() -> int:
    return time.time_ns() // 1_000_000


def unix_ms(moment: Instant | None) -> int:
    """None: the clock's."""
    if moment is None:
        return now_ms()
    return _given_ms(moment)


def optional_ms(moment: Instant | None) -> int:
    """None: 0, which says that nothing is known of it."""
    return 0 if moment is None else _given_ms(moment)


def _given_ms(moment: Instant) -> int:
    if isinstance(moment, datetime):
        if moment.tzinfo is None:
            raise ValueError(f"a time without a zone: {moment!r}; say datetime(..., tzinfo=timezone.utc)")
        return (moment - _EPOCH) // _MILLISECOND
    if not isinstance(moment, int) or isinstance(moment, bool):
        raise TypeError(f"a time is a datetime with a zone or Unix milliseconds, not {moment!r}")
    return integer(moment, 64, "a time in milliseconds")


def instant(ms: int) -> datetime | None:
    """None for 0 and for what lies beyond the year 9999, the library's "never"."""
    try:
        return _EPOCH + timedelta(milliseconds=ms) if ms else None
    except OverflowError:
        return None


def duration_ms(duration: Duration) -> int:
    """Rounded up, so that a short wait is not none; a longer one than C can say becomes that."""
    seconds = duration.total_seconds() if isinstance(duration, timedelta) else float(duration)
    if math.isnan(seconds) or seconds < 0:
        raise ValueError(f"a duration of {duration!r}")
    if seconds > LONGEST_MS / 1000:
        return LONGEST_MS
    return math.ceil(round(seconds * 1000, 6))


def integer(value: int, bits: int, name: str) -> int:
    """Returns value if it fits C's signed integer: ctypes would cut it without an error."""
    value = _whole(value, name)
    if not -(1 << bits - 1) <= value < 1 << bits - 1:
        raise OverflowError(f"{name}: {value} does not fit {bits} bits")
    return value


def unsigned(value: int, bits: int, name: str) -> int:
    value = _whole(value, name)
    if not 0 <= value < 1 << bits:
        raise OverflowError(f"{name}: {value} does not fit {bits} bits without a sign")
    return value


def _whole(value: int, name: str) -> int:
    try:
        return operator.index(value)
    except TypeError:
        raise TypeError(f"{name}: {value!r} is not an int") from None

"""The library's log lines, pulled: no callback of the library enters Python."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from ctypes import byref, c_int32, c_void_p
from typing import TYPE_CHECKING

from ._abi import FOREVER
from ._call import TextBuffer, check, err
from ._handle import ExclusiveHandle
from ._load import library
from ._threads import in_event_loop
from ._time import Duration, duration_ms, integer
from ._waiting import Cancel, Wait
from .errors import Cancelled, NoData, Timeout
from .numbers import LogLevel

if TYPE_CHECKING:
    import logging

Line = tuple[LogLevel, str]
_LEVELS = {LogLevel.ERROR: 40, LogLevel.WARNING: 30, LogLevel.INFO: 20, LogLevel.DEBUG: 10}  # Python's


class LogReader(ExclusiveHandle):
    """Every line of the whole process from its opening on; up to 256 wait, then the oldest give way.  Iterating waits for
    lines until the reader is closed."""

    __slots__ = ()
    _frees = "log_free"

    def __init__(self, level: LogLevel = LogLevel.INFO) -> None:
        out = c_void_p()
        check(library().log_open(integer(level, 32, "level"), byref(out), err()))
        self._adopt(out.value)

    def next(self, *, timeout: Duration = 10, cancel: Cancel | None = None) -> Line | None:
        """The next line; None where none came in time.  A timeout of 0 looks and does not wait."""
        try:
            return self._waiting_next(duration_ms(timeout), cancel).here()
        except (NoData, Timeout):
            return None

    async def next_async(self, *, timeout: Duration = 10, cancel: Cancel | None = None) -> Line | None:
        try:
            return await self._waiting_next(duration_ms(timeout), cancel).awaited()
        except (NoData, Timeout):
            return None

    def __iter__(self) -> Iterator[Line]:
        while not self.closed:
            try:
                yield self._waiting_next(FOREVER, None).here()
            except (Cancelled, ValueError):
                return

    def _waiting_next(self, timeout_ms: int, cancel: Cancel | None) -> Wait[Line]:
        def call(native: int, left_ms: int, reader: int) -> Line:
            text, level = TextBuffer(), c_int32()
            check(self._c.log_next(reader, left_ms, native, text.reference, byref(level), err()))
            return LogLevel(level.value), text.take() or ""

        return Wait(call, timeout_ms, cancel, self)


class Forwarding:
    """Carries lines into a logger of Python's until it is closed."""

    def __init__(self, reader: LogReader, logger: logging.Logger) -> None:
        self._reader = reader
        self._thread = threading.Thread(target=self._carry, args=(logger,), name="gputide-log", daemon=True)
        self._thread.start()

    def _carry(self, logger: logging.Logger) -> None:
        for level, line in self._reader:
            logger.log(_LEVELS.get(level, 10), "%s", line)

    def close(self) -> None:
        self._reader.close()
        if threading.current_thread() is not self._thread and not in_event_loop():
            self._thread.join()

    def __enter__(self) -> Forwarding:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def log_to(logger: logging.Logger | None = None, level: LogLevel = LogLevel.INFO) -> Forwarding:
    """The library's lines go to this logger, by default the one named gputide.  Nothing is logged before a reader asks."""
    import logging

    return Forwarding(LogReader(level), logger if logger is not None else logging.getLogger("gputide"))

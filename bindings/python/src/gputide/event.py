"""The events of a runtime about its scalers, one by one, for loops and for asyncio."""

from __future__ import annotations

import os
from ctypes import byref
from datetime import datetime
from typing import TYPE_CHECKING

from ._abi import gputide_event
from ._call import JsonText, TextBuffer, check, err, sized
from ._load import library
from ._time import instant, now_ms
from ._waiting import Cancel, Wait
from .decision import Decision, decision_buffer
from .errors import Cancelled, Closed, NoData, WrongState
from .numbers import EventKind

if TYPE_CHECKING:
    import asyncio

    from .runtime import Runtime

_SLICE_MS = 200  # how long Ctrl-C may have to wait for the main thread


class Event:
    """A report of a runtime about one scaler: a decision, (kind DUE) that it wants an observation, or (kind CLUSTER) what an
    attached cluster did, in report alone."""

    __slots__ = ("_raw", "decision", "report")

    def __init__(self, raw: gputide_event, decision: Decision, report: str | None) -> None:
        self._raw = raw
        self.decision = decision
        self.report = None if report is None else JsonText(report)

    @property
    def kind(self) -> EventKind:
        return EventKind(self._raw.kind)

    @property
    def id(self) -> int:
        """The scaler's, as Runtime.add gave it."""
        return int(self._raw.id)

    @property
    def tag(self) -> int:
        return int(self._raw.tag)

    @property
    def name(self) -> str:
        """ "namespace/name"."""
        return bytes(self._raw.name).decode("utf-8", "replace")

    @property
    def sequence(self) -> int:
        return int(self._raw.sequence)

    @property
    def observed(self) -> datetime | None:
        """When the host saw what the decision stands on."""
        return instant(self._raw.observed_ms)

    @property
    def observed_ms(self) -> int:
        return int(self._raw.observed_ms)

    @property
    def replaced(self) -> int:
        """Earlier decisions of this scaler that the host did not take in time."""
        return int(self._raw.replaced)

    @property
    def due(self) -> bool:
        """The runtime waits for Runtime.observe; there is no decision."""
        return self.kind == EventKind.DUE

    @property
    def current(self) -> int:
        return self.decision.current

    @property
    def desired(self) -> int:
        return self.decision.desired

    @property
    def wants_write(self) -> bool:
        return self.kind == EventKind.DECISION and self.decision.wants_write

    def __repr__(self) -> str:
        if self.kind == EventKind.CLUSTER:
            return f"<Event {self.name} {self.report}>"
        return f"<Event {self.name} due>" if self.due else f"<Event {self.name} {self.current} -> {self.desired}>"


def take_event(native: int | None, timeout_ms: int, runtime: int) -> Event | None:
    """Waits once in C, with a gputide_cancel or None; None if no event came in time."""
    raw, decision, report = sized(gputide_event), decision_buffer(), TextBuffer()
    arguments = (runtime, timeout_ms, native, byref(raw), byref(decision), report.reference, err())
    try:
        check(library().runtime_next_event(*arguments))
    except NoData:
        return None
    return Event(raw, Decision(decision), report.take())


class _WakeReader:
    """A coroutine's wait for the wake descriptor: a copy of it, as the runtime closes its own when it is freed."""

    def __init__(self, runtime: Runtime) -> None:
        import asyncio

        self._loop = asyncio.get_running_loop()
        self._ready: asyncio.Future[None] = self._loop.create_future()
        self._fd = os.dup(runtime.wake_fd())
        self._loop.add_reader(self._fd, self._set)

    def _set(self) -> None:
        if not self._ready.done():
            self._ready.set_result(None)

    def fire(self) -> None:
        try:
            self._loop.call_soon_threadsafe(self._set)
        except RuntimeError:
            pass  # the loop has ended

    async def wait(self, timeout_s: float | None) -> None:
        timer = None if timeout_s is None else self._loop.call_later(timeout_s, self._set)
        try:
            await self._ready
        finally:
            if timer is not None:
                timer.cancel()

    def close(self) -> None:
        self._loop.remove_reader(self._fd)
        os.close(self._fd)


class Events:
    """The events of a runtime; each is given to one consumer.  As `async for` it takes no thread: it steps the runtime in the
    loop's own, unless Runtime.start runs it."""

    def __init__(self, runtime: Runtime, cancel: Cancel | None) -> None:
        self._runtime = runtime
        self._cancel = cancel

    def __iter__(self) -> Events:
        return self

    def __next__(self) -> Event:
        runtime = self._runtime
        while not self._ended():
            try:
                # A short wait in C sees Ctrl-C soon enough; a helper thread would cost more than it gives.
                event = Wait(take_event, _SLICE_MS, self._cancel, runtime).run()
            except (Cancelled, Closed):
                break
            if event is not None:
                return event
        raise StopIteration

    def __aiter__(self) -> Events:
        return self

    async def __anext__(self) -> Event:
        while not self._ended():
            try:
                event, next_ms = self._step()
            except (Cancelled, Closed):
                break
            if event is not None:
                return event
            await self._until(next_ms)
        raise StopAsyncIteration

    def _ended(self) -> bool:
        return self._runtime.closed or (self._cancel is not None and self._cancel.fired)

    def _step(self) -> tuple[Event | None, int | None]:
        next_ms: int | None = None
        try:
            next_ms = self._runtime.step()
        except WrongState:
            pass  # its thread, or another caller, drives it
        with self._runtime._inside() as pointer:
            return take_event(None, 0, pointer), next_ms

    async def _until(self, next_ms: int | None) -> None:
        runtime = self._runtime
        try:
            reader = _WakeReader(runtime)
        except Closed:
            return
        runtime._readers.add(reader)
        if self._cancel is not None:
            self._cancel._add(reader)
        try:
            if not self._ended():
                await reader.wait(None if next_ms is None else max(0.0, (next_ms - now_ms()) / 1000))
        finally:
            runtime._readers.discard(reader)
            if self._cancel is not None:
                self._cancel._remove(reader)
            reader.close()

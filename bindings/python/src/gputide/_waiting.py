"""Calls that wait: their deadline, their cancel, Ctrl-C, asyncio.

Each such call has a gputide_cancel of its own.  Its timeout begins when it is made: it also covers the wait for a thread of
_threads.py and for a turn on a handle, and so does its cancel.
"""

from __future__ import annotations

import atexit
import math
import os
import threading
import time
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from ctypes import byref, c_void_p
from typing import TYPE_CHECKING, Any, Callable, Generic, TypeVar

from . import _threads
from ._abi import FOREVER
from ._call import check, err
from ._handle import Fires, Handle
from ._load import library
from .errors import Busy, Error, cancelled, timed_out

if TYPE_CHECKING:
    import asyncio

T = TypeVar("T")


class Cancel:
    """Ends calls from another thread: each call that was given it raises `Cancelled` once it is fired, later calls too."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waits: set[Fires] = set()
        self._fired = False

    def fire(self) -> None:
        """Any thread, any time, not from a signal handler.  May be repeated."""
        with self._lock:
            self._fired = True
            waits = list(self._waits)
        for wait in waits:
            wait.fire()

    @property
    def fired(self) -> bool:
        return self._fired

    def _add(self, wait: Fires) -> None:
        with self._lock:
            self._waits.add(wait)
            fired = self._fired
        if fired:
            wait.fire()

    def _remove(self, wait: Fires) -> None:
        with self._lock:
            self._waits.discard(wait)


class Wait(Generic[T]):
    """One call of a C function that may wait: call(gputide_cancel*, milliseconds left, pointer of each handle)."""

    def __init__(self, call: Callable[..., T], timeout_ms: int, cancel: Cancel | None, *handles: Handle) -> None:
        self._call = call
        self._timeout_ms = timeout_ms
        self._deadline = math.inf if timeout_ms == FOREVER else time.monotonic() + timeout_ms / 1000
        self._cancel = cancel
        self._handles = handles
        self._lock = threading.Lock()
        self._native: int | None = None
        self._fired = False
        self._task: _threads.Task[T] | None = None

    @property
    def fired(self) -> bool:
        return self._fired

    def left_s(self) -> float | None:
        """Returns the seconds until the deadline, at least 0.  None: no deadline."""
        return None if self._deadline == math.inf else max(0.0, self._deadline - time.monotonic())

    def _left_ms(self) -> int:
        """Returns what C takes as timeout.  It refuses 0 where it waits; a timeout that was given as 0 stays so."""
        left = self.left_s()
        return self._timeout_ms if left is None else min(self._timeout_ms, max(1, math.ceil(left * 1000)))

    def fire(self) -> None:
        with self._lock:
            self._fired = True
            if self._native is not None:
                library().cancel_fire(self._native)
        for handle in self._handles:
            handle._wake()
        self._withdraw(cancelled)

    def run(self) -> T:
        """Makes the call in this thread.  Ctrl-C does not end it."""
        if self._timeout_ms != 0 and _threads.in_event_loop():
            raise Busy(
                "this call waits and would stop the running event loop: await its twin with a name that ends in _async, "
                "or use asyncio.to_thread"
            )
        with self._listening():
            return self._run()

    def here(self) -> T:
        """Makes the call; in the main thread Ctrl-C ends it."""
        if threading.current_thread() is not threading.main_thread() or self._timeout_ms == 0 or _threads.in_event_loop():
            return self.run()
        with self._listening():
            task = self._submit(None)
            try:
                if not task.done.wait(self.left_s()):
                    self._expire()
                    task.done.wait()
            except BaseException:
                self.fire()
                task.done.wait()
                raise
            return task.result()

    async def awaited(self) -> T:
        """Makes the call as a coroutine; canceling its task ends the call."""
        import asyncio  # the caller has imported it; programs without a loop need not wait for that

        loop = asyncio.get_running_loop()
        finished: asyncio.Future[None] = loop.create_future()

        def finish() -> None:
            if not finished.done():
                finished.set_result(None)

        def tell() -> None:
            try:
                loop.call_soon_threadsafe(finish)
            except RuntimeError:
                pass  # the loop has ended

        with self._listening():
            task = self._submit(tell)
            left = self.left_s()
            timer = None if left is None else loop.call_later(left, self._expire)
            try:
                await asyncio.shield(finished)
            except asyncio.CancelledError:
                self.fire()
                while not finished.done():
                    try:
                        await asyncio.shield(finished)
                    except asyncio.CancelledError:
                        continue
                raise
            finally:
                if timer is not None:
                    timer.cancel()
        return task.result()

    @contextmanager
    def _listening(self) -> Iterator[None]:
        """The call can be ended: by its cancel, by the closing of a handle, at exit."""
        out = c_void_p()
        check(library().cancel_new(byref(out), err()))
        self._native = out.value
        _in_flight.add(self)
        for handle in self._handles:
            handle._waits.add(self)
        try:
            if self._cancel is not None:
                self._cancel._add(self)
            yield
        finally:
            if self._cancel is not None:
                self._cancel._remove(self)
            for handle in self._handles:
                handle._waits.discard(self)
            _in_flight.discard(self)
            with self._lock:
                self._native = None
            library().cancel_free(out)

    def _submit(self, tell: Callable[[], None] | None) -> _threads.Task[T]:
        task = self._task = _threads.Task(self._run, tell)
        _threads.pool.submit(task)
        if self._fired:
            self._withdraw(cancelled)
        return task

    def _withdraw(self, problem: Callable[[], Error]) -> None:
        """Ends the call if it waits for a thread."""
        task = self._task
        if task is not None and _threads.pool.withdraw(task):
            task.fail(problem())

    def _expire(self) -> None:
        """At the deadline: from the time at which a thread has begun the call, that is judged there."""
        self._withdraw(lambda: timed_out(f"{_threads.MAX_THREADS} calls waited until the deadline; each takes a thread"))

    def _run(self) -> T:
        entered: list[int] = []
        try:
            for handle in self._handles:
                entered.append(handle._begin(self))
            return self._call(self._native, self._left_ms(), *entered)
        finally:
            for handle in self._handles[: len(entered)]:
                handle._end()


_in_flight: set[Wait[Any]] = set()
_closers: weakref.WeakSet[Any] = weakref.WeakSet()


def at_exit(handle: Any) -> None:
    """handle._exit() is called when the interpreter ends, while the handle lives."""
    _closers.add(handle)


def _at_exit() -> None:
    for wait in list(_in_flight):
        wait.fire()
    for handle in list(_closers):
        handle._exit()


def _in_child() -> None:
    """Forgets the parent's calls: their threads do not exist here."""
    _in_flight.clear()
    _closers.clear()


atexit.register(_at_exit)
os.register_at_fork(after_in_child=_in_child)

"""Calls that wait: their deadline, their cancel, Ctrl-C, asyncio.

Each such call has a gputide_cancel of its own.  The main thread does not see Ctrl-C while it is inside C, so a call of it
runs in a helper thread while it waits for that; the coroutines (`..._async`) use the same threads, which are daemons: a
call that somebody forgot does not keep the program from ending.
"""

from __future__ import annotations

import atexit
import os
import queue
import threading
import weakref
from ctypes import byref, c_void_p
from typing import TYPE_CHECKING, Any, Callable, Generic, TypeVar

from ._call import check, err
from ._handle import Fires, Handle
from ._load import library

if TYPE_CHECKING:
    import asyncio

T = TypeVar("T")
_MOST_THREADS = 64


class Cancel:
    """Ends calls from another thread: each call that was given it raises Cancelled once it is fired, those to come too."""

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
    """One call of a C function that may wait: call(gputide_cancel*), on these handles."""

    def __init__(self, call: Callable[[int], T], cancel: Cancel | None, *handles: Handle) -> None:
        self._call = call
        self._cancel = cancel
        self._handles = handles
        self._lock = threading.Lock()
        self._native: int | None = None
        self._fired = False

    def run(self) -> T:
        """In this thread, to its end."""
        out = c_void_p()
        check(library().cancel_new(byref(out), err()))
        assert out.value
        native = out.value
        with self._lock:
            self._native = native
        _in_flight.add(self)
        for handle in self._handles:
            handle._waits.add(self)
        if self._cancel is not None:
            self._cancel._add(self)
        if self._fired:
            self.fire()
        try:
            return self._call(native)
        finally:
            if self._cancel is not None:
                self._cancel._remove(self)
            for handle in self._handles:
                handle._waits.discard(self)
            _in_flight.discard(self)
            with self._lock:
                self._native = None
            library().cancel_free(native)

    def fire(self) -> None:
        with self._lock:
            self._fired = True
            if self._native is not None:
                library().cancel_fire(self._native)

    def here(self) -> T:
        """From this thread; in the main thread Ctrl-C ends it."""
        if threading.current_thread() is not threading.main_thread():
            return self.run()
        task = _threads.submit(self.run)
        try:
            task.done.wait()
        except BaseException:
            self.fire()
            task.done.wait()
            raise
        return task.result()

    async def awaited(self) -> T:
        """As a coroutine; cancelling its task ends the call."""
        import asyncio  # whoever is here has it already; the others need not wait for it

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

        task = _threads.submit(self.run, tell)
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
        return task.result()


class _Task(Generic[T]):
    def __init__(self, call: Callable[[], T], tell: Callable[[], None] | None) -> None:
        self._call = call
        self._tell = tell
        self._outcome: Callable[[], T]
        self.done = threading.Event()

    def run(self) -> None:
        try:
            value = self._call()
            self._outcome = lambda: value
        except BaseException as problem:
            self._outcome = _raiser(problem)
        self.done.set()
        if self._tell is not None:
            self._tell()

    def result(self) -> T:
        outcome = self._outcome
        del self._outcome  # with the exception's frames, which hold this task
        return outcome()


def _raiser(problem: BaseException) -> Callable[[], Any]:
    def outcome() -> Any:
        raise problem

    return outcome


class _Threads:
    """Daemon threads that are kept; at most 64, further tasks wait their turn."""

    def __init__(self) -> None:
        self._tasks: queue.SimpleQueue[_Task[Any]] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._count = 0
        self._free = 0  # threads that wait for a task, less tasks that wait for a thread

    def submit(self, call: Callable[[], T], tell: Callable[[], None] | None = None) -> _Task[T]:
        task = _Task(call, tell)
        with self._lock:
            self._free -= 1
            start = self._free < 0 and self._count < _MOST_THREADS
            if start:
                self._count += 1
                self._free += 1
        self._tasks.put(task)
        if start:
            threading.Thread(target=self._serve, name=f"gputide-{self._count}", daemon=True).start()
        return task

    def _serve(self) -> None:
        while True:
            task = self._tasks.get()
            task.run()
            del task
            with self._lock:
                self._free += 1


_threads = _Threads()
_in_flight: set[Wait[Any]] = set()
_closers: weakref.WeakSet[Any] = weakref.WeakSet()


def in_background(call: Callable[[], object]) -> None:
    """For what may wait and has nobody who waits for it."""
    _threads.submit(call)


def at_exit(handle: Any) -> None:
    """handle._exit() is called when the interpreter ends, while the handle lives."""
    _closers.add(handle)


def _at_exit() -> None:
    for wait in list(_in_flight):
        wait.fire()
    for handle in list(_closers):
        handle._exit()


def _in_child() -> None:
    """The parent's threads are not here, nor the locks that they held free."""
    global _threads
    _threads = _Threads()
    _in_flight.clear()
    _closers.clear()


atexit.register(_at_exit)
os.register_at_fork(after_in_child=_in_child)

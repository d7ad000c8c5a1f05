"""Threads for calls that wait, and whether the calling thread runs an event loop that must not wait.

The main thread does not see Ctrl-C while it is inside C, and an event loop must go on: their calls run in these threads.
The threads are daemons, so that a call in progress does not keep the program from ending.
"""

from __future__ import annotations

import os
import sys
import threading
from collections import deque
from typing import Any, Callable, Generic, TypeVar

T = TypeVar("T")
MAX_THREADS = 1024
_IDLE_S = 5


class Task(Generic[T]):
    """A call for a thread of the pool.  tell is called when it has ended."""

    def __init__(self, call: Callable[[], T], tell: Callable[[], None] | None = None) -> None:
        self._call = call
        self._tell = tell
        self._outcome: Callable[[], T]
        self.done = threading.Event()

    def run(self) -> None:
        try:
            value = self._call()
            self._end(lambda: value)
        except BaseException as problem:
            self.fail(problem)

    def fail(self, problem: BaseException) -> None:
        self._end(_raiser(problem))

    def _end(self, outcome: Callable[[], T]) -> None:
        self._outcome = outcome
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


class Threads:
    """A thread for each task, up to a maximum; further tasks wait for one.  A thread without a task ends after idle_s."""

    def __init__(self, max_threads: int = MAX_THREADS, idle_s: float = _IDLE_S) -> None:
        self._max_threads = max_threads
        self._idle_s = idle_s
        self._tasks: deque[Task[Any]] = deque()
        self._changed = threading.Condition(threading.Lock())
        self._count = 0
        self._idle = 0

    @property
    def count(self) -> int:
        return self._count

    def submit(self, task: Task[Any]) -> None:
        with self._changed:
            self._tasks.append(task)
            if len(self._tasks) <= self._idle or self._count == self._max_threads:
                self._changed.notify()
                return
            self._count += 1
        try:
            threading.Thread(target=self._serve, name="gputide", daemon=True).start()
        except RuntimeError:  # the system has no thread left
            with self._changed:
                self._count -= 1
            if self.withdraw(task):
                raise

    def withdraw(self, task: Task[Any]) -> bool:
        """Takes back a task; False if a thread has begun it."""
        with self._changed:
            try:
                self._tasks.remove(task)
            except ValueError:
                return False
            return True

    def _serve(self) -> None:
        task = self._next()
        while task is not None:
            task.run()
            task = None
            task = self._next()

    def _next(self) -> Task[Any] | None:
        with self._changed:
            self._idle += 1
            self._changed.wait_for(lambda: self._tasks, self._idle_s)
            self._idle -= 1
            if self._tasks:
                return self._tasks.popleft()
            self._count -= 1
            return None


pool = Threads()


def in_background(call: Callable[[], object]) -> None:
    """Runs a call that may wait, without need of its result."""
    pool.submit(Task(call))


def in_event_loop() -> bool:
    """Reports whether asyncio runs a loop in this thread.  A program that has not imported asyncio has none."""
    find = getattr(sys.modules.get("asyncio"), "get_running_loop", None)
    if find is None:
        return False
    try:
        find()
    except RuntimeError:
        return False
    return True


def _in_child() -> None:
    """Begins anew: the parent's threads do not exist here."""
    global pool
    pool = Threads()


os.register_at_fork(after_in_child=_in_child)

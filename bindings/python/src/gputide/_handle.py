"""Handles: open, closing, closed.  close() refuses new calls, ends those that wait, waits until they have left, frees.

A finalizer frees what was forgotten and warns.  In a child of fork every handle of the parent is closed without being freed.
"""

from __future__ import annotations

import os
import sys
import threading
import warnings
import weakref
from typing import Any, Callable, ClassVar, Protocol, TypeVar

from ._load import library
from ._threads import in_background, in_event_loop
from .errors import Busy, Closed, cancelled, timed_out

Self = TypeVar("Self", bound="Handle")
_open_handles: weakref.WeakSet[Handle] = weakref.WeakSet()


class Fires(Protocol):
    def fire(self) -> None: ...


class Turn(Protocol):
    """A call that waits for its turn on a handle."""

    @property
    def fired(self) -> bool: ...

    def left_s(self) -> float | None: ...


class Native:
    """A C handle and how many objects here need it: a policy outlives its own close() while a state decides by it."""

    __slots__ = ("_free", "_users", "pointer")
    alive: ClassVar[int] = 0
    _lock: ClassVar[threading.Lock] = threading.Lock()

    def __init__(self, pointer: int, free: Callable[[int], None]) -> None:
        self.pointer = pointer
        self._free = free
        self._users = 1
        with Native._lock:
            Native.alive += 1

    def retained(self) -> Native:
        with Native._lock:
            self._users += 1
        return self

    def release(self) -> None:
        with Native._lock:
            self._users -= 1
            last = self._users == 0 and self.pointer != 0
        if last:
            pointer, self.pointer = self.pointer, 0
            self._free(pointer)
            with Native._lock:
                Native.alive -= 1

    def disown(self) -> None:
        """The parent's: it is not freed here."""
        self.pointer = 0


class Handle:
    """The parts that classes over a C handle share.  Each of them is a context manager; close() may be repeated.

    _calls is the number of calls inside that do not hold the lock.
    """

    __slots__ = ("__weakref__", "_c", "_calls", "_changed", "_closing", "_finalizer", "_foreign", "_lock", "_native", "_waits")
    _frees: ClassVar[str]

    def _adopt(self, pointer: int | None, *companions: Native) -> None:
        """Takes over a C handle; companions are released with it."""
        assert pointer
        self._c = library()
        self._native = Native(pointer, getattr(self._c, self._frees))
        self._closing = self._foreign = False
        name = type(self).__name__
        self._finalizer = weakref.finalize(self, _forgotten, name, self._release, (self._native, *companions))
        self._finalizer.atexit = False
        self._renew()
        _open_handles.add(self)

    def _renew(self) -> None:
        """Begins without calls inside, also in a child of fork."""
        self._lock = threading.Lock()
        self._changed = threading.Condition(self._lock)
        self._calls = 0
        self._waits: set[Fires] = set()

    @staticmethod
    def _release(natives: tuple[Native, ...]) -> None:
        for native in natives:
            native.release()

    @property
    def closed(self) -> bool:
        return self._closing

    def close(self) -> None:
        """Ends calls that wait with this handle, waits until they have left, frees.  May be repeated.  Inside a running event
        loop it does not wait: a thread frees the handle when the calls have left."""
        if not self._begin_closing():
            return
        if self._calls > 0 and in_event_loop():
            in_background(self._finish_closing)
        else:
            self._finish_closing()

    def _begin_closing(self) -> bool:
        """Refuses new calls, ends those that wait.  False if an earlier call has done so."""
        with self._changed:
            first = not self._closing
            self._closing = True
            self._changed.notify_all()
        for wait in list(self._waits):
            wait.fire()
        return first

    def _finish_closing(self) -> None:
        self._drain()
        self._end_closing()

    def _drain(self) -> None:
        with self._changed:
            self._changed.wait_for(lambda: self._calls == 0)

    def _end_closing(self) -> None:
        released = self._finalizer.detach()
        if released is not None:
            self._release(released[2][2])

    def __enter__(self: Self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __reduce__(self) -> Any:
        raise TypeError(f"a {type(self).__name__} belongs to this process and cannot be pickled")

    def _inside(self) -> _Inside:
        """with handle._inside() as pointer: a call of C."""
        return _Inside(self)

    def _enter(self) -> int:
        """Before a call that does not wait; then _leave."""
        raise NotImplementedError

    def _leave(self) -> None:
        raise NotImplementedError

    def _begin(self, turn: Turn) -> int:
        """Before a call that waits; then _end."""
        raise NotImplementedError

    def _end(self) -> None:
        with self._changed:
            self._calls -= 1
            if self._calls == 0:
                self._changed.notify_all()

    def _wake(self) -> None:
        """Lets calls that wait for their turn see that they were ended."""

    def _refuse(self) -> Closed:
        name = type(self).__name__
        if self._foreign:
            return Closed(f"this {name} belongs to the parent process: open a new one after fork")
        return Closed(f"this {name} is closed")

    def _disown(self) -> None:
        self._closing = self._foreign = True
        released = self._finalizer.detach()
        for native in released[2][2] if released is not None else ():
            native.disown()
        self._renew()


class _Inside:
    __slots__ = ("_handle",)

    def __init__(self, handle: Handle) -> None:
        self._handle = handle

    def __enter__(self) -> int:
        return self._handle._enter()

    def __exit__(self, *_: object) -> None:
        self._handle._leave()


class ExclusiveHandle(Handle):
    """Calls take turns: their C functions take T*.  A call that does not wait holds the lock while it is inside."""

    __slots__ = ()

    def _enter(self) -> int:
        self._lock.acquire()
        try:
            if self._calls > 0 and not self._closing:
                self._await_turn()
            if self._closing:
                raise self._refuse()
        except BaseException:
            self._lock.release()
            raise
        return self._native.pointer

    def _leave(self) -> None:
        self._lock.release()

    def _await_turn(self) -> None:
        if in_event_loop():
            name = type(self).__name__
            raise Busy(
                f"this {name} is in use by a call that has not ended, and waiting for it would stop the running event loop: "
                "await that call first, or use asyncio.to_thread"
            )
        self._changed.wait_for(lambda: self._calls == 0 or self._closing)

    def _begin(self, turn: Turn) -> int:
        with self._changed:
            self._changed.wait_for(lambda: self._calls == 0 or self._closing or turn.fired, turn.left_s())
            if turn.fired:
                raise cancelled()
            if self._closing:
                raise self._refuse()
            if self._calls > 0:
                name = type(self).__name__
                raise timed_out(f"another call used the {name} until the deadline; calls on a {name} take turns")
            self._calls = 1
        return self._native.pointer

    def _wake(self) -> None:
        with self._changed:
            self._changed.notify_all()


class SharedHandle(Handle):
    """Calls run side by side: their C functions take const T*, or are the runtime's."""

    __slots__ = ()

    def _enter(self) -> int:
        with self._lock:
            if self._closing:
                raise self._refuse()
            self._calls += 1
        return self._native.pointer

    def _leave(self) -> None:
        self._end()

    def _begin(self, turn: Turn) -> int:
        return self._enter()


def _forgotten(name: str, release: Callable[[tuple[Native, ...]], None], natives: tuple[Native, ...]) -> None:
    if sys.is_finalizing():
        return
    try:
        warnings.warn(f"a {name} was forgotten open: close it, or use `with`", ResourceWarning, stacklevel=2)
    finally:  # the warning may be an error
        release(natives)


def alive() -> int:
    """C handles that this process holds: opened here and not freed."""
    return Native.alive


def open_handles() -> list[Handle]:
    return list(_open_handles)


def _in_child() -> None:
    Native._lock = threading.Lock()
    Native.alive = 0
    for handle in open_handles():
        if not handle._closing:
            handle._disown()


os.register_at_fork(after_in_child=_in_child)

"""Handles: open, closing, closed.  close() refuses new calls, ends those that wait, waits until nobody is inside, frees.

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
from .errors import Closed

Self = TypeVar("Self", bound="Handle")
_open_handles: weakref.WeakSet[Handle] = weakref.WeakSet()


class Fires(Protocol):
    def fire(self) -> None: ...


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
    """What the classes over a C handle share.  Each of them is a context manager; close() may be repeated."""

    __slots__ = ("__weakref__", "_c", "_closing", "_finalizer", "_foreign", "_native", "_waits")
    _frees: ClassVar[str]

    def _adopt(self, pointer: int | None, *companions: Native) -> None:
        """Takes over a C handle; companions are released with it."""
        assert pointer
        self._c = library()
        self._native = Native(pointer, getattr(self._c, self._frees))
        self._closing = self._foreign = False
        self._waits: set[Fires] = set()
        name = type(self).__name__
        self._finalizer = weakref.finalize(self, _forgotten, name, self._release, (self._native, *companions))
        self._finalizer.atexit = False
        self._renew_locks()
        _open_handles.add(self)

    @staticmethod
    def _release(natives: tuple[Native, ...]) -> None:
        for native in natives:
            native.release()

    @property
    def closed(self) -> bool:
        return self._closing

    def close(self) -> None:
        """Ends calls that wait with this handle, waits until nobody is inside, frees.  May be repeated."""
        if self._begin_closing():
            self._drain()
            self._end_closing()

    def _begin_closing(self) -> bool:
        """False where somebody else has begun."""
        first = not self._closing
        self._closing = True
        for wait in list(self._waits):
            wait.fire()
        return first

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
        raise NotImplementedError

    def _leave(self) -> None:
        raise NotImplementedError

    def _drain(self) -> None:
        raise NotImplementedError

    def _renew_locks(self) -> None:
        raise NotImplementedError

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
        self._waits = set()
        self._renew_locks()


class _Inside:
    __slots__ = ("_handle",)

    def __init__(self, handle: Handle) -> None:
        self._handle = handle

    def __enter__(self) -> int:
        return self._handle._enter()

    def __exit__(self, *_: object) -> None:
        self._handle._leave()


class ExclusiveHandle(Handle):
    """Calls take turns: their C functions take T*."""

    __slots__ = ("_turn",)

    def _renew_locks(self) -> None:
        self._turn = threading.Lock()

    def _enter(self) -> int:
        self._turn.acquire()
        if self._closing:
            self._turn.release()
            raise self._refuse()
        return self._native.pointer

    def _leave(self) -> None:
        self._turn.release()

    def _drain(self) -> None:
        with self._turn:
            pass


class SharedHandle(Handle):
    """Calls run side by side: their C functions take const T*, or are the runtime's."""

    __slots__ = ("_count", "_guard")

    def _renew_locks(self) -> None:
        self._guard = threading.Condition(threading.Lock())
        self._count = 0

    def _enter(self) -> int:
        with self._guard:
            if self._closing:
                raise self._refuse()
            self._count += 1
        return self._native.pointer

    def _leave(self) -> None:
        with self._guard:
            self._count -= 1
            if self._count == 0:
                self._guard.notify_all()

    def _begin_closing(self) -> bool:
        with self._guard:
            return super()._begin_closing()

    def _drain(self) -> None:
        with self._guard:
            self._guard.wait_for(lambda: self._count == 0)


def _forgotten(name: str, release: Callable[[tuple[Native, ...]], None], natives: tuple[Native, ...]) -> None:
    if sys.is_finalizing():
        return
    warnings.warn(f"a {name} was forgotten open: close it, or use `with`", ResourceWarning, stacklevel=2)
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

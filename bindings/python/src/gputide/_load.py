"""Finds, checks and opens libgputide-full.so.1, once per process and not before it is needed.

A wheel for musl has libgputide-pure.so.1 instead.
"""

from __future__ import annotations

import ctypes
import os
import sys
import threading
from typing import Any

from . import _abi
from ._abi import Functions

SONAME = f"libgputide-full.so.{_abi.ABI_VERSION}"
BUNDLED = os.path.join(os.path.dirname(os.path.abspath(__file__)), SONAME)
BUNDLED_PURE = BUNDLED.replace("-full.so", "-pure.so")
OLDEST = (_abi.VERSION_MAJOR, _abi.VERSION_MINOR)

_lock = threading.Lock()
_functions: Functions | None = None
_path = ""


class LibraryError(ImportError):
    """No usable library, or a function that the pure library lacks.  The message has what was found, and the remedy."""


def library() -> Functions:
    """The C functions; opens the library unless it is open."""
    return _functions if _functions is not None else _opened(None)


def load(path: str | os.PathLike[str]) -> None:
    """Open this library file and no other.  Before anything else of gputide; LibraryError where another one is open already."""
    wanted = os.path.abspath(os.fspath(path))
    _opened(wanted)
    if not os.path.samefile(wanted, library_path()):
        raise LibraryError(f"gputide: {library_path()} is open already, {wanted} cannot take its place")


def library_path() -> str:
    """The file that the C functions come from; opens the library unless it is open."""
    library()
    return _path


def _opened(path: str | None) -> Functions:
    global _functions, _path
    with _lock:
        if _functions is None:
            handle, functions = _find(path)
            _path = _file_of(handle.gputide_version) or path or SONAME
            _functions = functions
        return _functions


def _find(path: str | None) -> tuple[ctypes.CDLL, Functions]:
    tried = []
    for label, file in _places(path):
        try:
            handle = _open(file)
            return handle, _checked(handle)
        except _Unusable as problem:
            tried.append(f"  {label}   {problem}")
            if problem.file_is_there:
                break
    release = f"{_abi.VERSION_MAJOR}.{_abi.VERSION_MINOR}.0"
    raise LibraryError(
        f"gputide: no usable {SONAME} for ABI {_abi.ABI_VERSION}, release {release} or newer. Tried:\n"
        + "\n".join(tried)
        + f"\nInstall Debian's libgputide-full{_abi.ABI_VERSION}, or set GPUTIDE_LIBRARY to the library's full path."
    )


def _places(path: str | None) -> list[tuple[str, str]]:
    """A path from code or environment is final; a bundled file gives way to the system's only where it is absent."""
    if path is not None:
        return [(path, path)]
    named = os.environ.get("GPUTIDE_LIBRARY")
    if named:
        return [(f"GPUTIDE_LIBRARY={named}", os.path.abspath(named))]
    bundled = BUNDLED_PURE if os.path.exists(BUNDLED_PURE) else BUNDLED
    return [(bundled, bundled), (f"{SONAME} (the system's search)", SONAME)]


class _Unusable(Exception):
    def __init__(self, reason: str, *, file_is_there: bool = True) -> None:
        super().__init__(reason)
        self.file_is_there = file_is_there


def _open(file: str) -> ctypes.CDLL:
    if not sys.platform.startswith("linux") or ctypes.sizeof(ctypes.c_void_p) != 8:
        raise _Unusable("gputide runs on 64-bit Linux alone")
    if os.path.isabs(file) and not os.path.exists(file):
        raise _Unusable("there is no such file", file_is_there=False)
    try:
        return ctypes.CDLL(file, mode=os.RTLD_NOW | os.RTLD_LOCAL | _deep_binding())
    except OSError as problem:
        raise _Unusable(str(problem)) from None


def _checked(handle: ctypes.CDLL) -> Functions:
    try:
        abi, version = int(handle.gputide_abi_version()), handle.gputide_version
    except AttributeError:
        raise _Unusable("not a libgputide: it has no gputide_abi_version") from None
    if abi != _abi.ABI_VERSION:
        kind = "a newer" if abi > _abi.ABI_VERSION else "an older"
        raise _Unusable(f"ABI {abi}: {kind} release; install the gputide package that belongs to it")
    version.restype = ctypes.c_char_p
    release = version().decode()
    if tuple(int(part) for part in release.split(".")[:2]) < OLDEST:
        raise _Unusable(f"release {release}: too old; install a newer libgputide, or the gputide package that belongs to it")
    try:
        parts = handle.gputide_features() & (_abi.FEATURE_PURE | _abi.FEATURE_CORE)
        return Functions(_Pure(handle._name, handle=handle._handle) if parts == _abi.FEATURE_PURE else handle)
    except AttributeError:
        problem = "it lacks functions of this package; install libgputide-full"
        raise _Unusable(f"release {release} is incomplete: {problem}") from None


class _Pure(ctypes.CDLL):
    """A library of the flavor pure.  The functions that this flavor lacks exist, and raise LibraryError when called."""

    def __getattr__(self, name: str) -> Any:
        try:
            return super().__getattr__(name)
        except AttributeError:
            if name not in _abi.NOT_PURE:
                raise

        def lacking(*_: object) -> None:
            raise LibraryError(
                f"gputide: {self._name} is the pure library and has no {name}. It decides, forecasts, replays and plans without "
                f"network, runtime and log. A wheel for glibc and Debian's libgputide-full{_abi.ABI_VERSION} have {SONAME}."
            )

        return lacking


def _in_child() -> None:
    """Renews the lock: a thread of the parent may have held it."""
    global _lock
    _lock = threading.Lock()


os.register_at_fork(after_in_child=_in_child)


def _deep_binding() -> int:
    """RTLD_DEEPBIND where the host has an OpenSSL of its own in the global scope, as interpreters with libssl inside them do:
    the library's libcurl would bind to that one.  Not where malloc is replaced or AddressSanitizer runs, which deep binding
    would part in two."""
    deep = int(getattr(os, "RTLD_DEEPBIND", 0))
    process = ctypes.CDLL(None)
    if not deep or not hasattr(process, "SSL_CTX_new") or hasattr(process, "__asan_init"):
        return 0
    return deep if os.path.basename(_file_of(process.malloc)).startswith("libc.") else 0


class _Place(ctypes.Structure):
    """Dl_info of dladdr(3)."""

    _fields_ = [("file", ctypes.c_char_p), ("base", ctypes.c_void_p), ("name", ctypes.c_char_p), ("address", ctypes.c_void_p)]


def _file_of(function: object) -> str:
    """The file that a C function comes from; "" where the system cannot say."""
    place = _Place()
    try:
        dladdr = ctypes.CDLL(None).dladdr
    except AttributeError:
        return ""
    address = ctypes.cast(function, ctypes.c_void_p)  # type: ignore[arg-type]
    found = dladdr(address, ctypes.byref(place))
    return os.fsdecode(place.file) if found and place.file else ""

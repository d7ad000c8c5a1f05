"""Parts that every call of a C function needs: buffer for its error, its text outputs, its text inputs."""

from __future__ import annotations

import json
import os
import threading
from ctypes import byref, sizeof, string_at
from typing import Any, Callable, TypeVar, Union

from ._abi import gputide_error, gputide_text
from ._load import library
from .errors import error_of

Text = Union[str, bytes, bytearray, memoryview]
Struct = TypeVar("Struct")


class _ErrorBuffer(threading.local):
    """One gputide_error per thread, made once: on entry the library reads its size alone."""

    def __init__(self) -> None:
        self.error = gputide_error()
        self.error.struct_size = sizeof(gputide_error)
        self.reference = byref(self.error)


_own = _ErrorBuffer()


def err() -> Any:
    """The last argument of a C function that returns a status."""
    return _own.reference


def check(status: int) -> None:
    """Raises what the call that this thread made last has written."""
    if status:
        raise error_of(_own.error)


def sized(kind: type[Struct]) -> Struct:
    """A struct full of zeros that knows its size."""
    struct = kind()
    struct.struct_size = sizeof(kind)  # type: ignore[attr-defined, arg-type]
    return struct


class JsonText(str):
    """A JSON text of the library; `data` has it parsed."""

    @property
    def data(self) -> Any:
        return json.loads(self)


class TextBuffer:
    """A gputide_text that the library fills; freed once it is taken."""

    __slots__ = ("_raw",)

    def __init__(self) -> None:
        self._raw = gputide_text()

    @property
    def reference(self) -> Any:
        return byref(self._raw)

    def take(self) -> str | None:
        """None where nothing was written."""
        if self._raw.data is None:
            return None
        try:
            return string_at(self._raw.data, self._raw.size_bytes).decode("utf-8", "replace")
        finally:
            library().text_free(byref(self._raw))


def text_of(function: Callable[..., int], *arguments: Any) -> str:
    """function(arguments..., &text, &err)."""
    buffer = TextBuffer()
    check(function(*arguments, buffer.reference, err()))
    return buffer.take() or ""


def json_of(function: Callable[..., int], *arguments: Any) -> JsonText:
    return JsonText(text_of(function, *arguments))


def encoded(text: Text) -> bytes:
    """For C functions that take a size.  A lone surrogate is a UnicodeEncodeError."""
    if isinstance(text, str):
        return text.encode("utf-8")
    if isinstance(text, (bytes, bytearray, memoryview)):
        return bytes(text)
    remedy = ": gputide.open takes a path, other functions the text in the file" if isinstance(text, os.PathLike) else ""
    raise TypeError(f"a {type(text).__name__} is not a text, which is str, bytes, bytearray or memoryview{remedy}")


def terminated(text: Text, name: str) -> bytes:
    """For C functions that stop at a NUL: one inside would cut the text there."""
    raw = encoded(text)
    if b"\0" in raw:
        raise ValueError(f"{name} holds a NUL character: {text!r}")
    return raw


def optional(text: Text | None, name: str) -> bytes | None:
    return None if text is None else terminated(text, name)

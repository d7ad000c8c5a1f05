"""Parts that the enums of numbers.py share."""

from __future__ import annotations

from enum import IntEnum


class Number(IntEnum):
    """A number of gputide.h with a name.  A number without one, from a newer library, is a member of its own (UNKNOWN_21)."""

    @classmethod
    def _missing_(cls, value: object) -> Number | None:
        if not isinstance(value, int):
            return None
        member = int.__new__(cls, value)
        member._name_ = f"UNKNOWN_{value}"
        member._value_ = value
        return member

    def __str__(self) -> str:
        return self.name.lower()

    def __format__(self, spec: str) -> str:
        return format(str(self), spec)


def spelled(function: str, number: int) -> str:
    """A number's word in reports and in Kubernetes, as the library spells it."""
    from ._load import library

    word: bytes = getattr(library(), function)(int(number))
    return word.decode()

"""The names of the library's numbers, from the library."""

from __future__ import annotations

import gputide


class _Names:
    def __init__(self, function: str) -> None:
        self._function = function

    def __getitem__(self, number: int) -> str:
        name: bytes = getattr(gputide._load.library(), self._function)(int(number))
        return name.decode()


CONDITION, REASON, EVENT = _Names("condition_name"), _Names("reason_name"), _Names("event_name")
TRUTH = ("", "True", "False", "Unknown")

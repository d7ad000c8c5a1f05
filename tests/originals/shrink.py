"""Makes an input that fails smaller, as long as it fails in the same way."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from typing import Any

from original import Original

Json = dict[str, Any]
Place = tuple[Any, ...]  # the keys and indices that lead to a value


def shrink(original: Original, given: Json, fails: Callable[[Json], bool], tries: int = 800) -> Json:
    """The smallest input found with so many tries.  fails must hold of what it is given."""
    changed = True
    while changed and tries > 0:
        changed = False
        for smaller in _smaller(original, given):
            tries -= 1
            if fails(smaller):
                given, changed = smaller, True
                break
            if tries <= 0:
                break
    return given


def _smaller(original: Original, given: Json) -> Iterator[Json]:
    """Large steps first: halves of lists, then single members, then plainer numbers."""
    yield from original.smaller(given)
    places = list(_places(given, ()))
    lists = [(place, value) for place, value in places if isinstance(value, list) and place[-1] in original.lists]
    for place, value in lists:
        if len(value) > 3:
            yield _with(given, place, value[len(value) // 2 :])
            yield _with(given, place, value[: len(value) // 2])
    for place, value in lists:
        for index in range(len(value)):
            yield _with(given, place, value[:index] + value[index + 1 :])
    for place, value in places:
        if isinstance(value, dict):
            for key in original.optional & value.keys():
                yield _with(given, place, {other: value[other] for other in value if other != key})
    for place, value in places:
        if place[-1] in original.fixed:
            continue
        for plainer in _plainer(value):
            yield _with(given, place, plainer)


def _plainer(value: Any) -> Iterator[Any]:
    if value is True:
        yield False
    if isinstance(value, bool) or not isinstance(value, (int, float)) or value in (0, 1):
        return
    yield 0
    yield 1
    digits = 10 ** max(0, len(str(abs(int(value)))) - 1)
    round_value = int(value) // digits * digits
    if round_value not in (0, 1, value):
        yield round_value
    if abs(value) > 3:
        yield int(value) // 2


def _places(value: Any, place: Place) -> Iterator[tuple[Place, Any]]:
    if place:
        yield place, value
    members = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, member in members:
        yield from _places(member, (*place, key))


def _with(given: Json, place: Place, value: Any) -> Json:
    out = copy.deepcopy(given)
    at: Any = out
    for key in place[:-1]:
        at = at[key]
    at[place[-1]] = value
    return out

"""The rooms under src/: what each may use, and what it really includes."""
from __future__ import annotations

import pathlib
import re

USES = re.compile(r"\bUSES\s+((?:[a-z_]+\s+)*[a-z_]+)")
INCLUDE = re.compile(r'^\s*#\s*include\s+"([a-z_]+)/', re.M)
ORDER = re.compile(r"^add_subdirectory\((\w+)\)", re.M)


def order(cmake: str) -> list[str]:
    """The rooms as src/CMakeLists.txt lists them, from first to last."""
    return ORDER.findall(cmake)


def declared_uses(cmake: str) -> list[str]:
    """What a room's CMakeLists.txt says it USES."""
    found = USES.search(cmake)
    return found[1].split() if found else []


def later_uses(rooms: list[str], uses: dict[str, list[str]]) -> list[str]:
    """Rooms that name themselves, a later room or one that is not there."""
    place = {room: index for index, room in enumerate(rooms)}
    return [
        f"{room} uses {used}"
        for room in rooms
        for used in uses[room]
        if used not in place or place[used] >= place[room]
    ]


def foreign_includes(folder: pathlib.Path, rooms: list[str], allowed: set[str]) -> list[str]:
    """Includes of another room than those."""
    return [
        f"{file.relative_to(folder.parent)} includes {room}/"
        for file in sorted(folder.rglob("*.[ch]pp"))
        for room in INCLUDE.findall(file.read_text())
        if room in rooms and room not in allowed
    ]


REGISTERED = re.compile(r'^#include "source/(\w+)/keys\.hpp"', re.M)


def source_folders(registry: str) -> list[str]:
    """The folders of the sources that the registry lists."""
    return REGISTERED.findall(registry)


def neighbour_includes(folder: pathlib.Path, folders: list[str]) -> list[str]:
    """Includes of one source's folder in another's."""
    return [
        f"{file.relative_to(folder)} includes {other}/"
        for own in folders
        for file in sorted((folder / own).rglob("*.[ch]pp"))
        for other in re.findall(r'#include "source/(\w+)/', file.read_text())
        if other in folders and other != own
    ]

"""The common part of the bindings that are made of C: gputide_calls.h, which sends every function through the tables, and the opener
beside it (bindings/native).  Node and Java compile bindings/native where it is; a language whose package cannot see above its
own folder gets copies of it, and of the headers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from .names import HEADERS

_BEGIN = "/* Written by bindings/generator from {source}: change that, then run python3 -m bindings.generator. */\n"
_NATIVE = Path(__file__).resolve().parent.parent / "native"
_OPENER = ("library.h", "library.c")


def emit(abi: dict) -> dict[str, str]:
    """Each file's text by its path below bindings/."""
    return {"native/gputide_calls.h": _calls(abi)}


def copies(folder: str, include: Path, made: dict[str, str]) -> dict[str, str]:
    """A folder of its own with all that it takes to call gputide from C.  Flat: cgo sees a change only of files beside the
    package, and `go mod vendor` leaves out folders without Go files."""
    calls, table = made["native/gputide_calls.h"], made["../include/gputide/gputide_table.h"]
    return {f"{folder}/gputide_calls.h": calls, f"{folder}/gputide_table.h": table, **dict(_copied(folder, include))}


def _copied(folder: str, include: Path) -> Iterator[tuple[str, str]]:
    for name in HEADERS:
        source = f"include/gputide/{name}"
        yield f"{folder}/{name}", _BEGIN.format(source=source) + (include / name).read_text(encoding="utf-8")
    for name in _OPENER:
        source = f"bindings/native/{name}"
        # Go refuses a C file in a package that has no cgo file for the system.
        constraint = "//go:build linux\n\n" if name.endswith(".c") else ""
        text = (_NATIVE / name).read_text(encoding="utf-8")
        yield f"{folder}/{name}", _BEGIN.format(source=source) + constraint + text


def _calls(abi: dict) -> str:
    # An expression of a function's type, not of a pointer's: cgo takes it for a function.
    lines = (
        f"#define gputide_{name} (*{table['name'].removesuffix('_api')}_table->{name})"
        for table in abi["tables"]
        for name in table["functions"]
    )
    return "\n".join(
        [
            _BEGIN.format(source="the headers of include/gputide").rstrip(),
            "/* The functions of gputide as calls through the tables that library.h has opened.  Include it last. */",
            "#ifndef GPUTIDE_CALLS_H",
            "#define GPUTIDE_CALLS_H",
            "",
            '#include "library.h"',
            "",
            *lines,
            "",
            "#endif /* GPUTIDE_CALLS_H */",
            "",
        ]
    )

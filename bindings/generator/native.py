"""The common part of the bindings that are made of C: gputide_calls.h, which sends every function through the tables, and the
opener beside it (bindings/native).  Node and Java compile bindings/native where it is; a language with a package that cannot see
above its own folder gets copies of it, and one header with all of the headers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from .names import HEADERS

_BEGIN = "/* Written by bindings/generator from {source}: change that, then run python3 -m bindings.generator. */\n"
_NATIVE = Path(__file__).resolve().parent.parent / "native"
_OPENER = ("library.h", "library.c")
_OWN_INCLUDE = re.compile(r'^#include "(?:gputide|source|runtime|plan|kubernetes)\.h"\n', re.MULTILINE)


def emit(abi: dict) -> dict[str, str]:
    """Each file's text by its path below bindings/."""
    return {"native/gputide_calls.h": _calls(abi)}


def copies(folder: str, include: Path, made: dict[str, str]) -> dict[str, str]:
    """Returns what a folder needs to call gputide from C.  Flat: cgo sees a change only of files beside the package, and
    `go mod vendor` leaves out folders without Go files."""
    table = made["../include/gputide/gputide_table.h"]
    headers = [(include / name).read_text(encoding="utf-8") for name in HEADERS]
    whole = _OWN_INCLUDE.sub("", "\n".join([*headers, table]))
    calls = made["native/gputide_calls.h"].replace('#include "library.h"\n', f'{whole}\n#include "library.h"\n')
    return {f"{folder}/gputide_calls.h": calls, **dict(_copied(folder))}


def _copied(folder: str) -> Iterator[tuple[str, str]]:
    for name in _OPENER:
        source = f"bindings/native/{name}"
        # Go refuses a C file in a package that has no cgo file for the system.
        constraint = "//go:build linux\n\n" if name.endswith(".c") else ""
        text = (_NATIVE / name).read_text(encoding="utf-8").replace('"gputide_table.h"', '"gputide_calls.h"')
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
            "/* clang-format off */",
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

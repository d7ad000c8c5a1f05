"""The raw layer of bindings/python: ctypes mirrors of the structs, the functions with their signatures, the enums."""

from __future__ import annotations

import re
import textwrap

from .abi import type_of

_SCALARS = {
    "char": "c_char",
    "double": "c_double",
    "int32_t": "c_int32",
    "uint32_t": "c_uint32",
    "int64_t": "c_int64",
    "uint64_t": "c_uint64",
}
_RESULTS = {"None": "None", "c_char_p": "Optional[bytes]", "c_void_p": "Optional[int]"}
_BEGIN = "# Written by bindings/generator from include/gputide/gputide.h: change that, then run python3 -m bindings.generator.\n"


def emit(abi: dict) -> dict[str, str]:
    """Each file's text by its path below bindings/."""
    return {
        "python/src/gputide/_abi.py": _mirrors(abi),
        "python/src/gputide/numbers.py": _enums(abi),
    }


def _mirrors(abi: dict) -> str:
    names = _Types(abi)
    macros = {macro["name"].removeprefix("GPUTIDE_"): macro["value"] for macro in abi["macros"]}
    flags = [m for enum in abi["enums"] if enum["flags"] for m in enum["members"]]
    parts = [
        _BEGIN,
        '"""gputide.h for ctypes: structs, flags and functions as in C.  Private; the modules beside it are the API."""\n',
        "from __future__ import annotations\n",
        "from ctypes import CDLL, POINTER, Structure",
        "from ctypes import c_char, c_char_p, c_double, c_int32, c_int64, c_uint32, c_uint64, c_void_p",
        "from typing import Any, Callable, Optional\n",
        *(f"{name} = {value}" for name, value in macros.items()),
        *(f"{constant.removeprefix('GPUTIDE_')} = {count}" for constant, count in abi["array_sizes"].items()),
        "",
        *(f"{flag['name'].removeprefix('GPUTIDE_')} = {flag['value']}" for flag in flags),
        "",
        "NOT_PURE = {  # functions that a library of the flavor pure lacks",
        *(f'    "{function["name"]}",' for function in abi["functions"] if "pure" not in function["flavors"]),
        "}",
        "\n",
        *(_struct(entry, names) for entry in _ordered(abi["structs"])),
        _functions(abi, names),
    ]
    return "\n".join(parts)


class _Types:
    """C types as ctypes has them."""

    def __init__(self, abi: dict) -> None:
        self._aliases = {alias["name"]: alias["type"] for alias in abi["aliases"]}
        self._handles = {handle["name"] for handle in abi["handles"]}
        self._structs = {struct["name"] for struct in abi["structs"]}

    def name(self, text: str, *, member: bool = False) -> str:
        kind = type_of(text)
        base, stars = self._aliases.get(kind.base, kind.base), kind.stars
        if base == "void":
            return "c_void_p" if stars else "None"
        if base == "char" and stars:
            # A pointer that the library owns must stay a pointer: c_char_p would make a copy of it and lose the pointer.
            return "c_char_p" if kind.const else "c_void_p"
        if base in self._handles:
            base, stars = "c_void_p", stars - 1
        plain = _SCALARS.get(base, base)
        for _ in range(stars):
            plain = f"POINTER({plain})"
        return plain


def _ordered(structs: list[dict]) -> list[dict]:
    """Returns the structs in an order in which each comes after those that it points to: ctypes knows no later ones."""
    waiting = {entry["name"]: entry for entry in structs}
    out: list[dict] = []

    def take(struct: dict) -> None:
        for member in struct["members"]:
            inner = waiting.get(type_of(member["type"]).base) if "type" in member else None
            if inner is not None and inner is not struct:
                take(inner)
        if waiting.pop(struct["name"], None):
            out.append(struct)

    for entry in structs:
        take(entry)
    return out


def _struct(struct: dict, names: _Types) -> str:
    lines = [f"class {struct['name']}(Structure):", "    _fields_ = ["]
    for member in struct["members"]:
        kind = "c_void_p" if "callback" in member else names.name(member["type"], member=True)
        length = f" * {member['count']}" if "count" in member else ""
        lines.append(f'        ("{member["name"]}", {kind}{length}),')
    return "\n".join([*lines, "    ]", "\n"])


def _functions(abi: dict, names: _Types) -> str:
    lines = [
        "class Functions:",
        '    """The C functions by their names without gputide_, each with its types.  A missing one is an AttributeError."""\n',
    ]
    body = ["    def __init__(self, library: CDLL) -> None:"]
    for function in abi["functions"]:
        short = function["name"].removeprefix("gputide_")
        result = names.name(function["result"])
        lines.append(f"    {short}: Callable[..., {_RESULTS.get(result, 'int')}]")
        arguments = ", ".join(names.name(parameter["type"]) for parameter in function["parameters"])
        body += _wrapped(f"        self.{short} = _typed(library.{function['name']}, {result}, [{arguments}])")
    typed = [
        "\n",
        "def _typed(function: Any, result: Any, arguments: list[Any]) -> Any:",
        "    function.restype = result",
        "    function.argtypes = arguments",
        "    return function",
    ]
    return "\n".join([*lines, "", *body, *typed]) + "\n"


def _wrapped(line: str) -> list[str]:
    """The call of _typed on several lines where it is long."""
    if len(line) <= 120:
        return [line]
    head, arguments = line.rsplit(", [", 1)
    start, result = head.rsplit(", ", 1)
    call, function = start.split("(", 1)
    inner = f"            [{arguments[:-1]},"
    wrapped = (
        [inner]
        if len(inner) <= 120
        else [
            "            [",
            *textwrap.wrap(arguments[:-2], 120, initial_indent=" " * 16, subsequent_indent=" " * 16),
            "            ],",
        ]
    )
    return [f"{call}(", f"            {function},", f"            {result},", *wrapped, "        )"]


def _enums(abi: dict) -> str:
    shown = [entry for entry in abi["enums"] if not entry["flags"]]
    parts = [
        _BEGIN,
        '"""The numbers of gputide.h as enums.  One of a newer library, without a name here, stays what it is: see Number."""\n',
        "from __future__ import annotations\n",
        "from ._number import Number, spelled",
    ]
    for enum in shown:
        parts += ["", "", f"class {_camel(enum['name'])}(Number):"]
        if enum["doc"]:
            parts.append(_docstring(enum["doc"]))
        parts += [f"    {m['short']} = {m['value']}" + (f"  # {_line(m['doc'])}" if m["doc"] else "") for m in enum["members"]]
        if "spelled_by" in enum:
            name = enum["spelled_by"].removeprefix("gputide_")
            parts += ["", "    def __str__(self) -> str:", f'        return spelled("{name}", self)']
    return "\n".join(parts) + "\n"


def _camel(name: str) -> str:
    return "".join(part.capitalize() for part in name.split("_"))


def _line(doc: str) -> str:
    return re.sub(r"\s+", " ", doc)


def _docstring(doc: str) -> str:
    text = _line(doc).replace("\\", "\\\\")
    lines = textwrap.wrap(f'"""{text}"""', 116)
    return textwrap.indent("\n".join(lines), "    ") + "\n"

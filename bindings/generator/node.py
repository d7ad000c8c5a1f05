"""The raw layer of bindings/node: for the addon the lists of functions and handles and a walk over each struct's members, for
JavaScript the structs' offsets and the numbers with names."""

from __future__ import annotations

import re
import textwrap

from .abi import type_of
from .header import HeaderError

_BEGIN = "// Written by bindings/generator from include/gputide/gputide.h: change that, then run python3 -m bindings.generator.\n"
_NOT_CALLED = {"text_free"}  # the addon's own business


def emit(abi: dict) -> dict[str, str]:
    """Each file's text by its path below bindings/."""
    return {
        "node/src/abi.hpp": _lists(abi),
        "node/lib/abi.js": _mirrors(abi),
        "node/lib/numbers.js": _numbers(abi),
        "node/lib/numbers.d.ts": _number_types(abi),
    }


# ---- for the addon


def _lists(abi: dict) -> str:
    laid_out = [one for one in abi["structs"] if not _has_callback(one)]
    in_tables = {name for table in abi["tables"] for name in table["functions"]}
    called = [one for one in abi["functions"] if _short(one["name"]) in in_tables and _is_called(one, abi)]
    for one in called:
        _check_texts(one)
    handles = [f"{_member(one['free'], abi).split(', ')[0]}, {_short(one['name'])}" for one in abi["handles"]]
    parts = [
        _BEGIN + "// clang-format off",
        "// Lists of what is in gputide.h, and each struct's members by name.",
        "#ifndef GPUTIDE_NODE_ABI_HPP",
        "#define GPUTIDE_NODE_ABI_HPP\n",
        '#include "gputide/gputide_table.h"\n',
        "// Functions that JavaScript calls, by their table and its member; those that free are known by their handle.",
        _list("GPUTIDE_CALLS", [_member(one["name"], abi) for one in called]) + "\n",
        "// Those of them that may wait, or take as long as they take.",
        _list("GPUTIDE_WAITING_CALLS", [_member(one["name"], abi) for one in called if _waits(one)]) + "\n",
        _list("GPUTIDE_HANDLES", handles) + "\n",
        "namespace gputide_node {\n",
        *(_walk(one) for one in _walked(abi)),
        *(_assertion(one) for one in laid_out),
        "\n}  // namespace gputide_node\n",
        "#endif  // GPUTIDE_NODE_ABI_HPP",
    ]
    return "\n".join(parts) + "\n"


def _member(function: str, abi: dict) -> str:
    """Returns the type of the table that has a function, and the member."""
    short = _short(function)
    table = next(table for table in abi["tables"] if short in table["functions"])
    return f"{table['name']}_table, {short}"


def _short(name: str) -> str:
    return name.removeprefix("gputide_")


def _has_callback(struct: dict) -> bool:
    return any("callback" in member for member in struct["members"])


def _is_called(function: dict, abi: dict) -> bool:
    """Not what frees, and nothing that takes a callback: no callback of the library enters JavaScript."""
    hooks = {one["name"] for one in abi["structs"] if _has_callback(one)}
    types = [type_of(one["type"]).base for one in function["parameters"]]
    short = _short(function["name"])
    return not (short.endswith("_free") or short in _NOT_CALLED or hooks.intersection(types))


def _check_texts(function: dict) -> None:
    """The addon takes an int64_t behind a const char* for that text's size."""
    before = None
    for one in function["parameters"]:
        if before == "const char*" and one["type"] == "int64_t" and not one["name"].endswith("_bytes"):
            raise HeaderError(f"{function['name']}: {one['name']} behind a text is not its size, as bindings/node takes it to be")
        before = one["type"]


def _waits(function: dict) -> bool:
    if _short(function["name"]).startswith("cancel_"):
        return False
    return any(one["name"] == "timeout_ms" or one["type"] == "const gputide_cancel*" for one in function["parameters"])


def _walked(abi: dict) -> list[dict]:
    """The structs that go into calls, with those that they point at, and the error: the others are read in JavaScript."""
    structs = {one["name"]: one for one in abi["structs"]}
    names = [type_of(one["type"]) for function in abi["functions"] if _is_called(function, abi) for one in function["parameters"]]
    reached = {"gputide_error", *(kind.base for kind in names if kind.const and kind.base in structs)}
    while True:
        inner = {type_of(one["type"]).base for name in reached for one in structs[name]["members"]} & structs.keys()
        if inner <= reached:
            return [one for one in abi["structs"] if one["name"] in reached]
        reached |= inner


def _list(name: str, members: list[str]) -> str:
    lines = textwrap.wrap(" ".join(f"ONE({one})".replace(" ", "\0") for one in members), 110)
    lines = [line.replace("\0", " ") for line in lines]
    return " \\\n    ".join([f"#define {name}(ONE)", *lines])


def _walk(struct: dict) -> str:
    """members(value, visit): visit(name, member) for scalars and room for text, visit.text and visit.array for pointers."""
    lines = ["template <class Visitor>", f"void members({struct['name']}& value, Visitor& visit) {{"]
    names = {one["name"] for one in struct["members"]}
    covered = {"reserved"}
    for member in struct["members"]:
        name = member["name"]
        if name in covered:
            continue
        kind, room = type_of(member["type"]), f"{name[:-1]}_count"
        size = f"{name}_bytes" if f"{name}_bytes" in names else "size_bytes" if name == "text" else ""
        if name == "struct_size":
            lines.append("    value.struct_size = sizeof value;")
        elif kind.stars and kind.base == "char":
            covered.add(size)
            lines.append(f'    visit.text("{name}", value.{name}{f", value.{size}" if size else ""});')
        elif kind.stars and room in names:
            covered.update((room, f"{name[:-1]}_size"))
            lines.append(f'    visit.array("{name}", value.{name}, value.{room}, value.{name[:-1]}_size);')
        elif kind.stars:
            raise HeaderError(f"{struct['name']}.{name}: bindings/node knows texts and arrays with a count, no other pointers")
        else:
            lines.append(f'    visit("{name}", value.{name});')
    return "\n".join([*lines, "}\n"])


def _assertion(struct: dict) -> str:
    """lib/abi.js reads what the addon's compiler laid out."""
    name, parts = struct["name"], [f"sizeof({struct['name']}) == {struct['size_bytes']}"]
    parts += [f"offsetof({name}, {one['name']}) == {one['offset_bytes']}" for one in struct["members"]]
    return "\n".join(f'static_assert({one}, "run python3 -m bindings.generator");' for one in parts)


# ---- for JavaScript


def _mirrors(abi: dict) -> str:
    laid_out = [one for one in abi["structs"] if not _has_callback(one)]
    flags = [enum for enum in abi["enums"] if enum["flags"]]
    macros = {_upper(one["name"]): one["value"] for one in abi["macros"] if abs(one["value"]) < 2**53}
    parts = [
        _BEGIN + "// gputide.h for JavaScript: numbers, flags, and where each struct's members lie.",
        "'use strict';\n",
        *(f"exports.{name} = {value};" for name, value in macros.items()),
        "",
        "// Bits by their names, a set for each enum of flags.",
        "exports.flags = {",
    ]
    for enum in flags:
        bits = [f"    {one['name'].removeprefix('GPUTIDE_')}: {one['value']}," for one in enum["members"]]
        parts += [f"  {_camel(enum['name'], lower=True)}: {{", *bits, "  },"]
    parts += ["};", "", "// size: of the whole in bytes; each member: its offset in bytes.", "exports.structs = {"]
    for struct in laid_out:
        members = [f"    {one['name']}: {one['offset_bytes']}," for one in struct["members"]]
        parts += [f"  {_short(struct['name'])}: {{", f"    size: {struct['size_bytes']},", *members, "  },"]
    return "\n".join([*parts, "};"]) + "\n"


def _upper(name: str) -> str:
    return name.removeprefix("GPUTIDE_")


def _shown(abi: dict) -> list[dict]:
    return [one for one in abi["enums"] if not one["flags"]]


def _numbers(abi: dict) -> str:
    parts = [_BEGIN + "// The numbers of gputide.h by their names.", "'use strict';"]
    for enum in _shown(abi):
        members = [f"  {one['short']}: {one['value']}," for one in enum["members"]]
        parts += ["", f"exports.{_camel(enum['name'])} = Object.freeze({{", *members, "});"]
    return "\n".join(parts) + "\n"


def _number_types(abi: dict) -> str:
    parts = [_BEGIN + "// A newer library may give numbers that have no name here: they stay numbers."]
    for enum in _shown(abi):
        doc = _line(enum["doc"]) or f"Numbers of a {enum['name'].replace('_', ' ')}."
        parts += ["", f"/** {doc} */", f"export declare const {_camel(enum['name'])}: {{"]
        for one in enum["members"]:
            parts += [f"  /** {_line(one['doc'])} */"] if one["doc"] else []
            parts.append(f"  readonly {one['short']}: {one['value']};")
        parts.append("};")
    return "\n".join(parts) + "\n"


def _camel(name: str, *, lower: bool = False) -> str:
    words = [part.capitalize() for part in name.split("_")]
    return "".join([words[0].lower(), *words[1:]] if lower else words)


def _line(doc: str) -> str:
    return re.sub(r"\s+", " ", doc).replace("*/", "* /")

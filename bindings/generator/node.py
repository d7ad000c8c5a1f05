"""The raw layer of bindings/node: for the addon the lists of functions and handles and a visitor of each struct's members, for
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
    laid_out = [struct for struct in abi["structs"] if not _has_callback(struct)]
    in_tables = {name for table in abi["tables"] for name in table["functions"]}
    called = [function for function in abi["functions"] if _short(function["name"]) in in_tables and _is_called(function, abi)]
    for entry in called:
        _check_texts(entry)
    handles = [f"{_member(handle['free'], abi).split(', ')[0]}, {_short(handle['name'])}" for handle in abi["handles"]]
    parts = [
        _BEGIN + "// clang-format off",
        "// Lists of what is in gputide.h, and each struct's members by name.",
        "#ifndef GPUTIDE_NODE_ABI_HPP",
        "#define GPUTIDE_NODE_ABI_HPP\n",
        '#include "gputide/gputide_table.h"\n',
        "// Functions that JavaScript calls, by their table and its member; those that free are known by their handle.",
        _list("GPUTIDE_CALLS", [_member(entry["name"], abi) for entry in called]) + "\n",
        "// Those of them that may wait, or take as long as they take.",
        _list("GPUTIDE_WAITING_CALLS", [_member(entry["name"], abi) for entry in called if _waits(entry)]) + "\n",
        _list("GPUTIDE_HANDLES", handles) + "\n",
        "namespace gputide_node {\n",
        *(_visitor(entry) for entry in _visited(abi)),
        *(_assertion(entry) for entry in laid_out),
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
    hooks = {struct["name"] for struct in abi["structs"] if _has_callback(struct)}
    types = [type_of(parameter["type"]).base for parameter in function["parameters"]]
    short = _short(function["name"])
    return not (short.endswith("_free") or short in _NOT_CALLED or hooks.intersection(types))


def _check_texts(function: dict) -> None:
    """The addon takes an int64_t behind a const char* for that text's size."""
    before = None
    for parameter in function["parameters"]:
        if before == "const char*" and parameter["type"] == "int64_t" and not parameter["name"].endswith("_bytes"):
            raise HeaderError(f"{function['name']}: {parameter['name']} behind a text is not its size, "
                              "as bindings/node takes it to be")
        before = parameter["type"]


def _waits(function: dict) -> bool:
    if _short(function["name"]).startswith("cancel_"):
        return False
    return any(each["name"] == "timeout_ms" or each["type"] == "const gputide_cancel*" for each in function["parameters"])


def _visited(abi: dict) -> list[dict]:
    """The structs that go into calls, with those that they point at, and the error: the others are read in JavaScript."""
    structs = {struct["name"]: struct for struct in abi["structs"]}
    names = [type_of(parameter["type"]) for each in abi["functions"] if _is_called(each, abi) for parameter in each["parameters"]]
    reached = {"gputide_error", *(kind.base for kind in names if kind.const and kind.base in structs)}
    while True:
        inner = {type_of(member["type"]).base for name in reached for member in structs[name]["members"]} & structs.keys()
        if inner <= reached:
            return [struct for struct in abi["structs"] if struct["name"] in reached]
        reached |= inner


def _list(name: str, members: list[str]) -> str:
    lines = textwrap.wrap(" ".join(f"ONE({member})".replace(" ", "\0") for member in members), 110)
    lines = [line.replace("\0", " ") for line in lines]
    return " \\\n    ".join([f"#define {name}(ONE)", *lines])


def _visitor(struct: dict) -> str:
    """members(value, visit): visit(name, member) for scalars and buffer for text, visit.text and visit.array for pointers."""
    lines = ["template <class Visitor>", f"void members({struct['name']}& value, Visitor& visit) {{"]
    names = {entry["name"] for entry in struct["members"]}
    covered = {"reserved"}
    for member in struct["members"]:
        name = member["name"]
        if name in covered:
            continue
        kind, count = type_of(member["type"]), f"{name[:-1]}_count"
        size = f"{name}_bytes" if f"{name}_bytes" in names else "size_bytes" if name == "text" else ""
        if name == "struct_size":
            lines.append("    value.struct_size = sizeof value;")
        elif kind.stars and kind.base == "char":
            covered.add(size)
            lines.append(f'    visit.text("{name}", value.{name}{f", value.{size}" if size else ""});')
        elif kind.stars and count in names:
            covered.update((count, f"{name[:-1]}_size"))
            lines.append(f'    visit.array("{name}", value.{name}, value.{count}, value.{name[:-1]}_size);')
        elif kind.stars:
            raise HeaderError(f"{struct['name']}.{name}: bindings/node knows texts and arrays with a count, no other pointers")
        else:
            lines.append(f'    visit("{name}", value.{name});')
    return "\n".join([*lines, "}\n"])


def _assertion(struct: dict) -> str:
    """lib/abi.js reads what the addon's compiler laid out."""
    name, parts = struct["name"], [f"sizeof({struct['name']}) == {struct['size_bytes']}"]
    parts += [f"offsetof({name}, {member['name']}) == {member['offset_bytes']}" for member in struct["members"]]
    return "\n".join(f'static_assert({part}, "run python3 -m bindings.generator");' for part in parts)


# ---- for JavaScript


def _mirrors(abi: dict) -> str:
    laid_out = [entry for entry in abi["structs"] if not _has_callback(entry)]
    flags = [enum for enum in abi["enums"] if enum["flags"]]
    macros = {_upper(macro["name"]): macro["value"] for macro in abi["macros"] if abs(macro["value"]) < 2**53}
    parts = [
        _BEGIN + "// gputide.h for JavaScript: numbers, flags, and where each struct's members lie.",
        "'use strict';\n",
        *(f"exports.{name} = {value};" for name, value in macros.items()),
        "",
        "// Bits by their names, a set for each enum of flags.",
        "exports.flags = {",
    ]
    for enum in flags:
        bits = [f"    {member['name'].removeprefix('GPUTIDE_')}: {member['value']}," for member in enum["members"]]
        parts += [f"  {_camel(enum['name'], lower=True)}: {{", *bits, "  },"]
    parts += ["};", "", "// size: of the whole in bytes; each member: its offset in bytes.", "exports.structs = {"]
    for struct in laid_out:
        members = [f"    {member['name']}: {member['offset_bytes']}," for member in struct["members"]]
        parts += [f"  {_short(struct['name'])}: {{", f"    size: {struct['size_bytes']},", *members, "  },"]
    return "\n".join([*parts, "};"]) + "\n"


def _upper(name: str) -> str:
    return name.removeprefix("GPUTIDE_")


def _shown(abi: dict) -> list[dict]:
    return [enum for enum in abi["enums"] if not enum["flags"]]


def _numbers(abi: dict) -> str:
    parts = [_BEGIN + "// The numbers of gputide.h by their names.", "'use strict';"]
    for enum in _shown(abi):
        members = [f"  {member['short']}: {member['value']}," for member in enum["members"]]
        parts += ["", f"exports.{_camel(enum['name'])} = Object.freeze({{", *members, "});"]
    return "\n".join(parts) + "\n"


def _number_types(abi: dict) -> str:
    parts = [_BEGIN + "// A newer library may give numbers that have no name here: they stay numbers."]
    for enum in _shown(abi):
        doc = _line(enum["doc"]) or f"Numbers of a {enum['name'].replace('_', ' ')}."
        parts += ["", f"/** {doc} */", f"export declare const {_camel(enum['name'])}: {{"]
        for member in enum["members"]:
            parts += [f"  /** {_line(member['doc'])} */"] if member["doc"] else []
            parts.append(f"  readonly {member['short']}: {member['value']};")
        parts.append("};")
    return "\n".join(parts) + "\n"


def _camel(name: str, *, lower: bool = False) -> str:
    words = [part.capitalize() for part in name.split("_")]
    return "".join([words[0].lower(), *words[1:]] if lower else words)


def _line(doc: str) -> str:
    return re.sub(r"\s+", " ", doc).replace("*/", "* /")

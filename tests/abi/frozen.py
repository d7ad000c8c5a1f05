#!/usr/bin/env python3
"""What ABI 1 has promised, tests/abi/frozen.json, and whether the headers still keep it: what stands there stays as it is; behind it
anything may be appended.

    frozen.py                 compares; exit status 1 and a line for each thing that changed
    frozen.py --freeze        takes what was appended since into frozen.json, as a release does; refuses where something changed
    frozen.py --header FILE   writes one header with all that was promised, for a client of that day
    frozen.py --layout FILE   writes a C file that compiles only if the headers have the promised numbers, sizes and places
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FROZEN = Path(__file__).with_name("frozen.json")
INCLUDE = ROOT / "include" / "gputide"
sys.path.insert(0, str(ROOT))

from bindings.generator.abi import describe  # noqa: E402
from bindings.generator.header import read  # noqa: E402
from bindings.generator.names import HEADERS  # noqa: E402

# Beside the structs that begin with struct_size: elements of arrays that a function takes with their size.
SIZED_ELEMENTS = {"gputide_file", "gputide_pod", "gputide_pod_sample", "gputide_usage_sample"}


def header_texts() -> dict[str, str]:
    return {name: (INCLUDE / name).read_text(encoding="utf-8") for name in HEADERS}


def promised(texts: dict[str, str]) -> dict:
    """Returns what headers promise to programs built with them: all of bindings/abi.json except comments and a release's number."""
    abi = describe(read(texts))
    constants = {macro["name"]: macro["value"] for macro in abi["macros"] if not macro["name"].startswith("GPUTIDE_VERSION_")}
    constants |= {member["name"]: member["value"] for enum in abi["enums"] for member in enum["members"]} | abi["array_sizes"]
    return {
        "constants": constants,
        "aliases": {alias["name"]: alias["type"] for alias in abi["aliases"]},
        "handles": {handle["name"]: "opaque" for handle in abi["handles"]},
        "structs": {struct["name"]: _struct(struct) for struct in abi["structs"]},
        "functions": {function["name"]: _function(function) for function in abi["functions"]},
        **{table["name"]: {name: place for place, name in enumerate(table["functions"])} for table in abi["tables"]},
    }


def _function(function: dict) -> list[str]:
    return [function["since"], function["result"], _types(function["parameters"]), " ".join(function["flavors"])]


def tables_of(frozen: dict) -> list[str]:
    return [kind for kind in frozen if kind.startswith("gputide_")]


def _struct(struct: dict) -> dict:
    members = {member["name"]: [_member_type(member), member["offset_bytes"], member["size_bytes"]] for member in struct["members"]}
    return {"size_bytes": struct["size_bytes"], "members": members}


def _member_type(member: dict) -> str:
    if "callback" in member:
        return f"{member['callback']['result']} (*)({_types(member['callback']['parameters'])})"
    return member["type"] + (f"[{member['count']}]" if "count" in member else "")


def _types(parameters: list[dict]) -> str:
    return ", ".join(parameter["type"] for parameter in parameters) or "void"


def changes(frozen: dict, now: dict) -> list[str]:
    """Returns what is no longer as it was promised, a line each."""
    found = []
    for kind in ("constants", "aliases", "handles", "functions", *tables_of(frozen)):
        found += _changed(kind, frozen[kind], now[kind])
    for name, was in frozen["structs"].items():
        found += _struct_changes(name, was, now["structs"].get(name, {"size_bytes": 0, "members": {}}))
    return found


def _changed(kind: str, was: dict, now: dict) -> list[str]:
    return [f"{kind}: {name} was {value}, is {now.get(name, 'not there')}" for name, value in was.items() if now.get(name) != value]


def _struct_changes(name: str, was: dict, now: dict) -> list[str]:
    found = _changed(name, was["members"], now["members"])
    # Behind the old end, its padding included: an old caller's struct_size covers that, and it was never filled.
    appended = [member for member in now["members"] if member not in was["members"]]
    found += [f"{name}: {entry} lies within the old size" for entry in appended if now["members"][entry][1] < was["size_bytes"]]
    if now["size_bytes"] != was["size_bytes"] and not (_may_grow(name, was) and now["size_bytes"] > was["size_bytes"]):
        found.append(f"{name}: had {was['size_bytes']} bytes, has {now['size_bytes']}, and the caller does not give its size")
    return found


def _may_grow(name: str, struct: dict) -> bool:
    return next(iter(struct["members"])) == "struct_size" or name in SIZED_ELEMENTS


def header_of(frozen: dict) -> str:
    """C declarations of all that was promised."""
    lines = ["#ifndef GPUTIDE_TABLE_H", "#define GPUTIDE_TABLE_H", "#include <stddef.h>", "#include <stdint.h>"]
    lines += [f"#define {name} {_literal(value)}" for name, value in frozen["constants"].items()]
    lines += [f"typedef {kind} {name};" for name, kind in frozen["aliases"].items()]
    lines += [f"typedef struct {name} {name};" for name in [*frozen["handles"], *frozen["structs"]]]
    for name, struct in frozen["structs"].items():
        lines += [f"struct {name} {{", *[f"    {_member(key, of[0])};" for key, of in struct["members"].items()], "};"]
    lines += [f"{result} {name}({types});" for name, (_, result, types, _) in frozen["functions"].items()]
    for table in tables_of(frozen):
        lines += [f"typedef struct {table}_table {{", "    uint32_t struct_size;", "    int32_t abi_version;"]
        for name in frozen[table]:
            _, result, types, _ = frozen["functions"][f"gputide_{name}"]
            lines.append(f"    {result} (*{name})({types});")
        lines += [f"}} {table}_table;", f"const {table}_table* {table}(uint32_t, gputide_error*);"]
    return "\n".join([*lines, "#endif", ""])


def layout_of(frozen: dict) -> str:
    """C assertions that the compiler sees each number, size and place in the headers as it was promised."""
    lines = ['#include "gputide/gputide_table.h"']
    checks = [f"({name}) == {_literal(value)}" for name, value in frozen["constants"].items()]
    checks += [f"sizeof({name}) == sizeof({kind})" for name, kind in frozen["aliases"].items()]
    for name, struct in frozen["structs"].items():
        may_grow = _may_grow(name, struct)
        checks.append(f"sizeof({name}) {'>=' if may_grow else '=='} {struct['size_bytes']}")
        for member, (_, offset, size) in struct["members"].items():
            checks += [f"offsetof({name}, {member}) == {offset}", f"sizeof((({name}*)0)->{member}) == {size}"]
    for table in tables_of(frozen):
        checks += [f"offsetof({table}_table, {name}) == {8 + 8 * place}" for name, place in frozen[table].items()]
    lines += [f"extern char gputide_frozen[({check}) ? 1 : -1];" for check in checks]
    return "\n".join([*lines, ""])


def _literal(value: int) -> str:
    return "INT64_MIN" if value == -(2**63) else f"({value})"


def _member(name: str, kind: str) -> str:
    if "(*)" in kind:
        return kind.replace("(*)", f"(*{name})")
    base, bracket, length = kind.partition("[")
    return f"{base} {name}{bracket}{length}"


def written(frozen: dict) -> str:
    """As JSON with a thing per line, so that a change is seen as one."""
    parts = []
    for kind, things in frozen.items():
        lines = ",\n".join(f"  {json.dumps(name)}: {json.dumps(value)}" for name, value in things.items())
        parts.append(f' {json.dumps(kind)}: {{\n{lines}\n }}')
    return "{\n" + ",\n".join(parts) + "\n}\n"


def main(arguments: list[str]) -> int:
    frozen = json.loads(FROZEN.read_text(encoding="utf-8"))
    if arguments[:1] in (["--header"], ["--layout"]):
        text = header_of(frozen) if arguments[0] == "--header" else layout_of(frozen)
        Path(arguments[1]).parent.mkdir(parents=True, exist_ok=True)
        Path(arguments[1]).write_text(text, encoding="utf-8")
        return 0
    now = promised(header_texts())
    found = changes(frozen, now)
    if arguments == ["--freeze"] and not found:
        FROZEN.write_text(written(now), encoding="utf-8")
    appended = {kind: len(now[kind]) - len(frozen[kind]) for kind in frozen}
    print("\n".join(found) or f"as promised; appended: {appended}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

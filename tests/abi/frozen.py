#!/usr/bin/env python3
"""What ABI 1 has promised, tests/abi/frozen.json, and whether gputide.h still keeps it: what stands there stays as it is; behind it
anything may be appended.

    frozen.py                 compares; exit status 1 and a line for each thing that changed
    frozen.py --freeze        takes what was appended since into frozen.json, as a release does; refuses where something changed
    frozen.py --header FILE   writes gputide.h as it was promised, for a client of that day
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FROZEN = Path(__file__).with_name("frozen.json")
HEADER = ROOT / "include" / "gputide" / "gputide.h"
sys.path.insert(0, str(ROOT))

from bindings.generator.abi import describe  # noqa: E402
from bindings.generator.header import read  # noqa: E402

# Beside the structs that begin with struct_size: elements of arrays that a function takes with their size.
SIZED_ELEMENTS = {"gputide_file", "gputide_pod", "gputide_pod_sample", "gputide_usage_sample"}


def promised(header_text: str, table_text: str) -> dict:
    """What a header promises to programs that were built with it: all of bindings/abi.json but words, and numbers of a release."""
    abi = describe(read(header_text), table_text)
    constants = {one["name"]: one["value"] for one in abi["macros"] if not one["name"].startswith("GPUTIDE_VERSION_")}
    constants |= {member["name"]: member["value"] for enum in abi["enums"] for member in enum["members"]} | abi["rooms"]
    return {
        "constants": constants,
        "aliases": {one["name"]: one["type"] for one in abi["aliases"]},
        "handles": {one["name"]: "opaque" for one in abi["handles"]},
        "structs": {one["name"]: _struct(one) for one in abi["structs"]},
        "functions": {one["name"]: [one["since"], one["result"], _types(one["parameters"])] for one in abi["functions"]},
        "table": {name: place for place, name in enumerate(abi["table"])},
    }


def _struct(struct: dict) -> dict:
    members = {one["name"]: [_member_type(one), one["offset_bytes"], one["size_bytes"]] for one in struct["members"]}
    return {"size_bytes": struct["size_bytes"], "members": members}


def _member_type(member: dict) -> str:
    if "callback" in member:
        return f"{member['callback']['result']} (*)({_types(member['callback']['parameters'])})"
    return member["type"] + (f"[{member['count']}]" if "count" in member else "")


def _types(parameters: list[dict]) -> str:
    return ", ".join(one["type"] for one in parameters) or "void"


def changes(frozen: dict, now: dict) -> list[str]:
    """What is no longer as it was promised, a line each."""
    found = []
    for kind in ("constants", "aliases", "handles", "functions", "table"):
        found += _changed(kind, frozen[kind], now[kind])
    for name, was in frozen["structs"].items():
        found += _struct_changes(name, was, now["structs"].get(name, {"size_bytes": 0, "members": {}}))
    return found


def _changed(kind: str, was: dict, now: dict) -> list[str]:
    return [f"{kind}: {name} was {value}, is {now.get(name, 'not there')}" for name, value in was.items() if now.get(name) != value]


def _struct_changes(name: str, was: dict, now: dict) -> list[str]:
    found = _changed(name, was["members"], now["members"])
    # Behind the old end, its padding included: an old caller's struct_size covers that, and nobody has filled it.
    appended = [one for one in now["members"] if one not in was["members"]]
    found += [f"{name}: {one} lies within the old size" for one in appended if now["members"][one][1] < was["size_bytes"]]
    may_grow = next(iter(was["members"])) == "struct_size" or name in SIZED_ELEMENTS
    if now["size_bytes"] != was["size_bytes"] and not (may_grow and now["size_bytes"] > was["size_bytes"]):
        found.append(f"{name}: had {was['size_bytes']} bytes, has {now['size_bytes']}, and nobody says its size")
    return found


def header_of(frozen: dict) -> str:
    """C declarations of all that was promised."""
    lines = ["#ifndef GPUTIDE_H", "#define GPUTIDE_H", "#include <stddef.h>", "#include <stdint.h>"]
    lines += [f"#define {name} {_literal(value)}" for name, value in frozen["constants"].items()]
    lines += [f"typedef {kind} {name};" for name, kind in frozen["aliases"].items()]
    lines += [f"typedef struct {name} {name};" for name in [*frozen["handles"], *frozen["structs"]]]
    for name, struct in frozen["structs"].items():
        lines += [f"struct {name} {{", *[f"    {_member(one, of[0])};" for one, of in struct["members"].items()], "};"]
    lines += [f"{result} {name}({types});" for name, (_, result, types) in frozen["functions"].items()]
    lines += ["struct gputide_api_table {", "    uint32_t struct_size;", "    int32_t abi_version;"]
    for name in frozen["table"]:
        _, result, types = frozen["functions"][f"gputide_{name}"]
        lines.append(f"    {result} (*{name})({types});")
    return "\n".join([*lines, "};", "#endif", ""])


def _literal(value: int) -> str:
    return "INT64_MIN" if value == -(2**63) else f"({value})"


def _member(name: str, kind: str) -> str:
    if "(*)" in kind:
        return kind.replace("(*)", f"(*{name})")
    base, bracket, room = kind.partition("[")
    return f"{base} {name}{bracket}{room}"


def written(frozen: dict) -> str:
    """As JSON with a thing per line, so that a change is seen as one."""
    parts = []
    for kind, things in frozen.items():
        lines = ",\n".join(f"  {json.dumps(name)}: {json.dumps(value)}" for name, value in things.items())
        parts.append(f' {json.dumps(kind)}: {{\n{lines}\n }}')
    return "{\n" + ",\n".join(parts) + "\n}\n"


def main(arguments: list[str]) -> int:
    frozen = json.loads(FROZEN.read_text(encoding="utf-8"))
    if arguments[:1] == ["--header"]:
        Path(arguments[1]).parent.mkdir(parents=True, exist_ok=True)
        Path(arguments[1]).write_text(header_of(frozen), encoding="utf-8")
        return 0
    now = promised(HEADER.read_text(encoding="utf-8"), HEADER.with_name("gputide_table.h").read_text(encoding="utf-8"))
    found = changes(frozen, now)
    if arguments == ["--freeze"] and not found:
        FROZEN.write_text(written(now), encoding="utf-8")
    appended = {kind: len(now[kind]) - len(frozen[kind]) for kind in frozen}
    print("\n".join(found) or f"as promised; appended: {appended}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""The layout test of Rust: sizes and offsets of bindings/abi.json, held against gputide-sys."""

from __future__ import annotations

import json

from model import ABI

_KEYWORDS = {"type", "where", "match", "ref", "move", "use"}


def lines() -> list[str]:
    abi = json.loads(ABI.read_text(encoding="utf-8"))
    out = []
    for struct in abi["structs"]:
        name = struct["name"]
        out += ["#[test]", f"fn {name.removeprefix('gputide_')}_lies_as_in_c() {{"]
        size, alignment = struct["size_bytes"], struct["alignment_bytes"]
        out.append(f"    assert_eq!((size_of::<{name}>(), align_of::<{name}>()), ({size}, {alignment}));")
        for member in struct["members"]:
            out.append(f"    assert_eq!(offset_of!({name}, {_field(member['name'])}), {member['offset_bytes']});")
        out.append("}")
    out += ["#[test]", "fn each_table_is_as_long_as_in_c() {"]
    out += [f"    assert_eq!(size_of::<{table['name']}_table>(), {8 + 8 * len(table['functions'])});" for table in abi["tables"]]
    return [*out, "}"]


def _field(name: str) -> str:
    return f"r#{name}" if name in _KEYWORDS else name

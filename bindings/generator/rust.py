"""The raw layer of bindings/rust: gputide-sys with the types, numbers and functions as C has them, their layout as a test, and
gputide's enums."""

from __future__ import annotations

import re
import textwrap

from .abi import type_of

_SCALARS = {
    "char": "c_char",
    "void": "c_void",
    "double": "f64",
    "int32_t": "i32",
    "uint32_t": "u32",
    "int64_t": "i64",
    "uint64_t": "u64",
}
_MODULES = {"gputide_api": "core_calls", "gputide_plan_api": "plan_calls", "gputide_kubernetes_api": "kubernetes_calls"}
_KEYWORDS = {"as", "box", "fn", "in", "loop", "match", "mod", "move", "ref", "self", "super", "type", "use", "where"}
_BEGIN = "// Written by bindings/generator from include/gputide/gputide.h: change that, then run python3 -m bindings.generator.\n"


def emit(abi: dict) -> dict[str, str]:
    """Each file's text by its path below bindings/."""
    return {
        "rust/gputide-sys/src/abi.rs": _declarations(abi),
        "rust/gputide/src/numbers.rs": _numbers(abi),
    }


def _declarations(abi: dict) -> str:
    parts = [
        _BEGIN,
        "use core::ffi::{c_char, c_void};\n",
        *(_macro(macro) for macro in abi["macros"]),
        *(f"pub const {constant}: usize = {count};\n" for constant, count in abi["array_sizes"].items()),
        *(f"pub type {alias['name']} = {_type(alias['type'])};\n" for alias in abi["aliases"]),
        *(_constants(enum, abi) for enum in abi["enums"]),
        *(_handle(handle) for handle in abi["handles"]),
        *(_struct(struct) for struct in abi["structs"]),
        _functions(abi),
    ]
    return "\n".join(parts)


def _type(text: str) -> str:
    kind = type_of(text)
    out = _SCALARS.get(kind.base, kind.base)
    if kind.stars:
        out = f"*{'const' if kind.const else 'mut'} {out}"
    return "*mut " * (kind.stars - 1) + out


def _name(name: str) -> str:
    return f"r#{name}" if name in _KEYWORDS else name


def _macro(macro: dict) -> str:
    value = macro["value"]
    kind = "i32" if -(2**31) <= value < 2**31 else "u32" if 0 <= value < 2**32 else "i64"
    return f"pub const {macro['name']}: {kind} = {value};\n"


def _constants(enum: dict, abi: dict) -> str:
    alias = f"gputide_{enum['name']}"
    kind = "u32" if enum["flags"] else alias if alias in {entry["name"] for entry in abi["aliases"]} else "i32"
    return "\n".join(f"pub const {m['name']}: {kind} = {m['value']};" for m in enum["members"]) + "\n"


def _handle(handle: dict) -> str:
    return f"#[repr(C)]\npub struct {handle['name']} {{\n    _opaque: crate::Opaque,\n}}\n"


def _struct(struct: dict) -> str:
    lines = [f"#[repr(C)]\n#[derive(Clone, Copy, Debug)]\npub struct {struct['name']} {{\n"]
    for member in struct["members"]:
        kind = _callback(member["callback"]) if "callback" in member else _type(member["type"])
        if "count" in member:
            kind = f"[{kind}; {member['count']}]"
        lines.append(f"    pub {_name(member['name'])}: {kind},\n")
    sized = ", struct_size" if struct["members"][0]["name"] == "struct_size" else ""
    return "".join(lines) + f"}}\n\ncrate::zeroed!({struct['name']}{sized});\n"


def _callback(callback: dict) -> str:
    return f"Option<unsafe extern \"C\" fn({_parameters(callback['parameters'])}){_result(callback['result'])}>"


def _parameters(parameters: list[dict]) -> str:
    return ", ".join(f"{_name(parameter['name'])}: {_type(parameter['type'])}" for parameter in parameters)


def _result(text: str) -> str:
    return "" if text == "void" else f" -> {_type(text)}"


def _functions(abi: dict) -> str:
    """Returns the functions of each table, in its order; lib.rs makes declarations or calls through the table of them."""
    return "\n".join(_table_functions(table, abi) for table in abi["tables"])


def _table_functions(table: dict, abi: dict) -> str:
    by_name = {function["name"]: function for function in abi["functions"]}
    lines = [f"crate::functions! {{\n    {table['name']} {table['name']}_table {_MODULES[table['name']]};\n"]
    for short in table["functions"]:
        entry = by_name[f"gputide_{short}"]
        parameters = f"({_parameters(entry['parameters'])}){_result(entry['result'])};"
        line = f"    fn {entry['name']}, {short}{parameters}"
        lines.append(f"{line}\n")
    return "".join(lines) + "}\n"


def _numbers(abi: dict) -> str:
    shown = [entry for entry in abi["enums"] if not entry["flags"]]
    parts = [_BEGIN, "use crate::number::number;\n"]
    for enum in shown:
        spelled = f" spelled {enum['spelled_by']}" if "spelled_by" in enum else ""
        doc = _sentence(enum["doc"]) or _sentence(f"Numbers of {enum['name'].replace('_', ' ')}.")
        lines = [f"number! {{\n{_prose(doc, '    ')}    {_camel(enum['name'])}{spelled} {{\n"]
        for member in enum["members"]:
            lines.append(f"{_prose(_sentence(member['doc']), '        ')}        {member['short']} = {member['value']},\n")
        parts.append("".join(lines) + "    }\n}\n")
    return "\n".join(parts)


def _camel(name: str) -> str:
    return "".join(part.capitalize() for part in name.split("_"))


def _sentence(doc: str) -> str:
    """The comment as Markdown: C's names as code, what Markdown would read as markup escaped."""
    plain = re.sub(r"\s+", " ", doc)
    plain = re.sub(r"([<>\[\]*])", r"\\\1", plain)
    return re.sub(r"\b(gputide_\w+(?:\.\w+)?|GPUTIDE_\w+)", r"`\1`", plain)


def _prose(text: str, indent: str) -> str:
    lines = textwrap.wrap(text, 110 - len(indent))
    return "".join(f"{indent}/// {line}\n" for line in lines)

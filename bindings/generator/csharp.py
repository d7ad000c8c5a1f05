"""The raw layer of bindings/csharp: structs as they lie in C, a SafeHandle per handle, a P/Invoke delegate per function, the
enums, and an exception per status.

Functions are called by delegates over dlsym, not by DllImport: a runtime's own search for a DllImport differs between Mono and
.NET, and Gputide.Library has to decide which file is opened.
"""

from __future__ import annotations

import re

from .abi import type_of

_BEGIN = "// Written by bindings/generator from include/gputide: change that, then run python3 -m bindings.generator csharp.\n"
_SCALARS = {"int32_t": "int", "uint32_t": "uint", "int64_t": "long", "uint64_t": "ulong", "double": "double", "char": "byte"}
_KEYWORDS = {"out", "in", "ref", "event", "params"}
_SOURCES = "csharp/src"
# Enums with the name of another type of .NET, and statuses with another name for their exception.
_ENUMS = {"action": "NextAction"}
_EXCEPTIONS = {"LIMIT": "LimitExceeded", "STATE": "WrongState"}


def emit(abi: dict) -> dict[str, str]:
    """Each file's text by its path below bindings/."""
    types = _Types(abi)
    return {
        f"{_SOURCES}/Abi.cs": _abi(abi, types),
        f"{_SOURCES}/Native.cs": _natives(abi, types),
        f"{_SOURCES}/Numbers.cs": _numbers(abi),
    }


class _Types:
    def __init__(self, abi: dict) -> None:
        self.handles = {entry["name"] for entry in abi["handles"]}
        self._aliases = {entry["name"]: entry["type"] for entry in abi["aliases"]}

    def scalar(self, name: str) -> str | None:
        return _SCALARS.get(self._aliases.get(name, name))

    def member(self, member: dict) -> str:
        """A struct's member.  An array of structs is its bytes: a fixed buffer takes nothing else."""
        if "*" in member["type"]:
            return f"IntPtr {_escaped(member['name'])}"
        plain = self.scalar(member["type"])
        if "count" not in member:
            return f"{plain or member['type']} {_escaped(member['name'])}"
        return f"fixed {plain or 'byte'} {_escaped(member['name'])}[{member['count'] if plain else member['size_bytes']}]"

    def parameter(self, parameter: dict) -> str:
        """An input text or array of scalars is a managed array, which the runtime pins; a struct is a pointer."""
        name, kind = _escaped(parameter["name"]), type_of(parameter["type"])
        if not kind.stars:
            return f"{self.scalar(kind.base)} {name}"
        if kind.base in self.handles:
            return f"out {_handle(kind.base)} {name}" if kind.stars == 2 else f"{_handle(kind.base)} {name}"
        element = self.scalar(kind.base) or kind.base
        is_array = kind.const and (kind.base == "char" or "count_in" in parameter) and self.scalar(kind.base)
        return f"{element}[] {name}" if is_array else f"{element}* {name}"

    def result(self, text: str) -> str:
        return "void" if text == "void" else "IntPtr" if "*" in text else str(self.scalar(text))


def _escaped(name: str) -> str:
    return f"@{name}" if name in _KEYWORDS else name


def _pascal(name: str) -> str:
    return "".join(part.capitalize() for part in name.split("_"))


def _handle(name: str) -> str:
    return f"{_pascal(name.removeprefix('gputide_'))}Handle"


def _has_callback(struct: dict) -> bool:
    return any("callback" in member for member in struct["members"])


def _abi(abi: dict, types: _Types) -> str:
    flags = [member for enum in abi["enums"] if enum["flags"] for member in enum["members"]]
    parts = [
        _BEGIN + "using System;",
        "using System.Runtime.InteropServices;\n",
        "namespace Gputide {",
        "    /// <summary>Numbers of the headers.</summary>",
        "    internal static class Abi {",
        *(f"        internal const long {macro['name'].removeprefix('GPUTIDE_')} = {_literal(macro['value'])};"
          for macro in abi["macros"]),
        *(f"        internal const int {name.removeprefix('GPUTIDE_')} = {value};" for name, value in abi["array_sizes"].items()),
        *(f"        internal const uint {entry['name'].removeprefix('GPUTIDE_')} = {entry['value']};" for entry in flags),
        f'        internal const string VERSION = "{abi["version"]}";',
        "    }",
    ]
    for struct in abi["structs"]:
        if not _has_callback(struct):
            parts += _struct(struct, types)
    return "\n".join([*parts, "}"]) + "\n"


def _literal(value: int) -> str:
    return "long.MinValue" if value == -(2**63) else str(value)


def _struct(struct: dict, types: _Types) -> list[str]:
    return [
        "",
        f"    [StructLayout(LayoutKind.Explicit, Size = {struct['size_bytes']})]",
        f"    internal unsafe struct {struct['name']} {{",
        *(f"        [FieldOffset({member['offset_bytes']})] internal {types.member(member)};" for member in struct["members"]),
        "    }",
    ]


def _natives(abi: dict, types: _Types) -> str:
    """Writes the functions, except those that take a struct of callbacks, which cannot be made here."""
    callbacks = {struct["name"] for struct in abi["structs"] if _has_callback(struct)}
    frees = {handle["free"] for handle in abi["handles"]}
    parts = [
        _BEGIN + "using System;",
        "using System.Runtime.InteropServices;\n",
        "namespace Gputide {",
        "    /// <summary>The functions of the headers under their names without gputide_.</summary>",
        "    internal static unsafe class Native {",
    ]
    for function in abi["functions"]:
        if not any(type_of(p["type"]).base in callbacks for p in function["parameters"]):
            parts += _function(function, types, function["name"] in frees)
    parts.append("    }")
    blocking = {function["name"] for function in abi["functions"] if function["blocks"]}
    for handle in abi["handles"]:
        parts += _safe_handle(handle["name"], handle["free"].removeprefix("gputide_"), handle["free"] in blocking)
    return "\n".join([*parts, "}"]) + "\n"


def _function(function: dict, types: _Types, frees: bool) -> list[str]:
    name, result = _escaped(function["name"].removeprefix("gputide_")), types.result(function["result"])
    if frees:
        parameters, arguments = "IntPtr address", "address"
    else:
        parameters = ", ".join(types.parameter(parameter) for parameter in function["parameters"])
        outs = {parameter["name"] for parameter in function["parameters"] if parameter["type"].endswith("**")}
        arguments = ", ".join(("out " if p["name"] in outs else "") + _escaped(p["name"]) for p in function["parameters"])
    plain = name.removeprefix("@")
    return [
        "",
        "        [UnmanagedFunctionPointer(CallingConvention.Cdecl)]",
        f"        private delegate {result} {plain}_type({parameters});",
        f"        private static {plain}_type {plain}_made;",
        f"        internal static {result} {name}({parameters}) {{",
        f"            {'' if result == 'void' else 'return '}"
        f'({plain}_made ?? Library.Function("{function["name"]}", ref {plain}_made))({arguments});',
        "        }",
    ]


def _safe_handle(name: str, free: str, blocks: bool) -> list[str]:
    kind = _handle(name)
    return [
        "",
        f"    internal sealed class {kind} : NativeHandle {{",
        f"        public {kind}() : base({str(blocks).lower()}) {{}}",
        f"        protected override void Free(IntPtr address) {{ Native.{free}(address); }}",
        "    }",
    ]


def _numbers(abi: dict) -> str:
    parts = [_BEGIN + "\nnamespace Gputide {"]
    shown = [enum for enum in abi["enums"] if not enum["flags"]]
    for enum in shown:
        name = _enum_name(enum)
        parts += _summary(enum["doc"] or f"Numbers of a {enum['name'].replace('_', ' ')}.", "    ")
        parts.append(f"    public enum {name} {{")
        for member in enum["members"]:
            parts += _summary(member["doc"] or member["name"], "        ")
            parts.append(f"        {_pascal(member['short'])} = {member['value']},")
        parts += ["    }", ""]
    parts += ["    /// <summary>The names that the library's texts use for numbers.</summary>", "    public static class Names {"]
    for enum in shown:
        if "spelled_by" in enum:
            function = enum["spelled_by"].removeprefix("gputide_")
            parts.append("        /// <summary>The name of a number in reports and in Kubernetes.</summary>")
            parts.append(f"        public static string Spelled(this {_enum_name(enum)} number) {{")
            parts += [f"            return Texts.Static(Native.{function}((int) number));", "        }"]
    parts += ["    }", "", *_exceptions(next(enum for enum in shown if enum["name"] == "status"))]
    return "\n".join([*parts, "}"]) + "\n"


def _enum_name(enum: dict) -> str:
    return _ENUMS.get(enum["name"]) or _pascal(enum["name"])


def _exceptions(status: dict) -> list[str]:
    failures = [code for code in status["members"] if code["value"]]
    kinds = [(code, _EXCEPTIONS.get(code["short"]) or _pascal(code["short"])) for code in failures]
    parts = ["    public partial class GputideException {"]
    for code, kind in kinds:
        parts += _summary(f"{code['name']}: {code['doc']}" if code["doc"] else code["name"], "        ")
        parts.append(f"        public sealed class {kind} : GputideException {{")
        parts += [f"            internal {kind}(Members members) : base(members) {{}}", "        }", ""]
    parts += ["        private static GputideException Of(Members members) {", "            switch ((int) members.Status) {"]
    parts += [f"                case {code['value']}: return new {kind}(members);" for code, kind in kinds]
    parts += ["                default: return new GputideException(members);", "            }", "        }", "    }"]
    return parts


def _summary(doc: str, indent: str) -> list[str]:
    text = re.sub(r"\s+", " ", doc).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return [f"{indent}/// <summary>{text}</summary>"]

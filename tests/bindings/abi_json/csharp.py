"""Writes C# declarations from abi.json alone: structs as they lie in C, a SafeHandle per handle, a P/Invoke method per function.

    csharp.py ABI_JSON      the file's text on standard output
"""

import json
import sys

SCALARS = {"int32_t": "int", "uint32_t": "uint", "int64_t": "long", "uint64_t": "ulong", "double": "double", "char": "byte"}
KEYWORDS = {"out", "in", "ref", "event", "params"}


class Types:
    def __init__(self, abi):
        self.handles = {one["name"] for one in abi["handles"]}
        self.structs = {one["name"] for one in abi["structs"]}
        self.aliases = {one["name"]: one["type"] for one in abi["aliases"]}

    def scalar(self, name):
        return SCALARS.get(self.aliases.get(name, name))

    def member(self, one):
        """A struct's member.  An array of structs is its bytes: a fixed buffer takes nothing else."""
        if "callback" in one or "*" in one["type"]:
            return f"IntPtr {cs(one['name'])}"
        plain = self.scalar(one["type"])
        if "count" not in one:
            return f"{plain or one['type']} {cs(one['name'])}"
        return f"fixed {plain or 'byte'} {cs(one['name'])}[{one['count'] if plain else one['size_bytes']}]"

    def parameter(self, one):
        name, base = cs(one["name"]), one["type"].removeprefix("const ").rstrip("*")
        if "*" not in one["type"]:
            return f"{self.scalar(base)} {name}"
        if base in self.handles:
            if one["type"].endswith("**"):
                return f"out {base} {name}"
            return f"{'IntPtr' if one['nullable'] else base} {name}"  # a SafeHandle is never null
        element = self.scalar(base) or base
        if base == "char" or "count_in" in one:
            return f"{element}[] {name}"
        return f"{element}* {name}" if one["nullable"] else f"ref {element} {name}"

    def result(self, text):
        return "void" if text == "void" else "IntPtr" if "*" in text else self.scalar(text)


def cs(name):
    return f"@{name}" if name in KEYWORDS else name


def main(path):
    with open(path, encoding="utf-8") as file:
        abi = json.load(file)
    types = Types(abi)
    out = ["using System;", "using System.Runtime.InteropServices;", ""]
    for struct in abi["structs"]:
        out += [f"[StructLayout(LayoutKind.Explicit, Size = {struct['size_bytes']})]"]
        out += [f"public unsafe struct {struct['name']} {{"]
        out += [f"    [FieldOffset({one['offset_bytes']})] public {types.member(one)};" for one in struct["members"]]
        out += ["}"]
    for handle in abi["handles"]:
        if handle["free"] is None:
            continue
        out += [f"public sealed class {handle['name']} : SafeHandle {{"]
        out += [f"    public {handle['name']}() : base(IntPtr.Zero, true) {{}}"]
        out += ["    public override bool IsInvalid { get { return handle == IntPtr.Zero; } }"]
        out += [f"    protected override bool ReleaseHandle() {{ Gputide.{handle['free']}(handle); return true; }}", "}"]
    out += ["public static unsafe class Gputide {"]
    for enum in abi["enums"]:
        kind = "uint" if enum["flags"] else "int"
        out += [f"    public const {kind} {one['name'].removeprefix('GPUTIDE_')} = {one['value']};" for one in enum["members"]]
    for function in abi["functions"]:
        parameters = ", ".join(types.parameter(one) for one in function["parameters"])
        out += ['    [DllImport("libgputide.so.1", CallingConvention = CallingConvention.Cdecl)]']
        out += [f"    public static extern {types.result(function['result'])} {function['name']}({parameters});"]
    print("\n".join([*out, "}"]))


if __name__ == "__main__":
    main(sys.argv[1])

"""The raw layer of bindings/java: struct layouts, one static native per C function with its JNI shim, a class per enum.

Addresses and 64-bit numbers are long, the others int and double; texts and structs lie in memory that io.gputide.Frame lays out.
"""

from __future__ import annotations

import re
import textwrap

from .abi import type_of

_BEGIN = "Written by bindings/generator from include/gputide/gputide.h: change that, then run python3 -m bindings.generator."
_INTEGERS = {"int32_t": "int", "uint32_t": "int", "int64_t": "long", "uint64_t": "long"}
_JAVA = {"void": "void", "char": "byte", "double": "double", **_INTEGERS}
_JNI = {"void": "void", "int": "jint", "long": "jlong", "double": "jdouble"}
_MAIN = "java/src/main/java/io/gputide"


def emit(abi: dict) -> dict[str, str]:
    """Each file's text by its path below bindings/."""
    functions = _functions(abi)
    types = _Types(abi)
    files = {
        f"{_MAIN}/Abi.java": _layouts(abi),
        f"{_MAIN}/Native.java": _natives(functions, types),
        "java/src/main/native/jni.c": _shim(functions, types),
    }
    for enum in abi["enums"]:
        if not enum["flags"]:
            files[f"{_MAIN}/{_camel(enum['name'])}.java"] = _enum(enum)
    return files


def _functions(abi: dict) -> list[dict]:
    """Those of the table.  A struct of callbacks cannot be made in Java, so what takes one is left out."""
    callbacks = {struct["name"] for struct in abi["structs"] if any("callback" in member for member in struct["members"])}
    there = {f"gputide_{name}" for table in abi["tables"] for name in table["functions"]}
    return [
        function
        for function in abi["functions"]
        if function["name"] in there and not any(type_of(p["type"]).base in callbacks for p in function["parameters"])
    ]


class _Types:
    def __init__(self, abi: dict) -> None:
        self._aliases = {alias["name"]: alias["type"] for alias in abi["aliases"]}

    def java(self, text: str) -> str:
        kind = type_of(text)
        return "long" if kind.stars else _JAVA[self._aliases.get(kind.base, kind.base)]

    def jni(self, text: str) -> str:
        return _JNI[self.java(text)]


def _layouts(abi: dict) -> str:
    # Code here switches on statuses, though they have a class.
    flags = [m for enum in abi["enums"] if enum["flags"] or enum["name"] == "status" for m in enum["members"]]
    numbers = [(macro["name"].removeprefix("GPUTIDE_"), macro["value"]) for macro in abi["macros"]]
    parts = [
        f"// {_BEGIN}",
        "package io.gputide;\n",
        "/** Sizes, offsets and numbers of gputide.h, in bytes and as in C. */",
        "final class Abi {",
        *(_constant(name, value) for name, value in numbers),
        *(_constant(constant.removeprefix("GPUTIDE_"), count) for constant, count in abi["array_sizes"].items()),
        "",
        *(_constant(flag["name"].removeprefix("GPUTIDE_"), flag["value"]) for flag in flags),
        "\n    private Abi() {}",
        *(_layout(struct) for struct in abi["structs"] if not any("callback" in member for member in struct["members"])),
        "}\n",
    ]
    return "\n".join(parts)


def _constant(name: str, value: int) -> str:
    if value in (-(2**63), 2**63 - 1):
        return f"    static final long {name} = Long.{'MIN' if value < 0 else 'MAX'}_VALUE;"
    if value == 2**32 - 1:
        return f"    static final int {name} = -1; // UINT32_MAX"
    return f"    static final int {name} = {value};"


def _layout(struct: dict) -> str:
    lines = [
        "",
        f"    static final class {_camel(struct['name'].removeprefix('gputide_'))} {{",
        f"        static final int SIZE = {struct['size_bytes']};",
    ]
    for member in struct["members"]:
        name = member["name"].upper()
        lines.append(f"        static final int {name} = {member['offset_bytes']};")
        if member["type"] == "char" and "count" in member:
            lines.append(f"        static final int {name}_BYTES = {member['size_bytes']};")
    return "\n".join([*lines, "    }"])


def _natives(functions: list[dict], types: _Types) -> str:
    parts = [
        f"// {_BEGIN}",
        "package io.gputide;\n",
        "/** The functions of gputide.h under their names without gputide_.  Only where {@link Library#open} has returned. */",
        "final class Native {",
        "    private Native() {}",
    ]
    for function in functions:
        arguments = ", ".join(f"{types.java(p['type'])} {_lower(p['name'])}" for p in function["parameters"])
        parts += ["", *_wrapped(f"    static native {types.java(function['result'])} {_method(function)}({arguments});")]
    return "\n".join([*parts, "}\n"])


def _wrapped(line: str) -> list[str]:
    return textwrap.wrap(line.strip(), 110, initial_indent="    ", subsequent_indent=" " * 12, break_long_words=False)


def _shim(functions: list[dict], types: _Types) -> str:
    parts = [
        f"/* {_BEGIN} */",
        "/* clang-format off */",
        "#include <jni.h>",
        "#include <stdint.h>\n",
        '#include "gputide_calls.h"\n',
        "/* Java has an address as a long. */",
        "#define AT(type, address) ((type)(intptr_t)(address))",
    ]
    for function in functions:
        parameters = [f"{types.jni(p['type'])} {p['name']}" for p in function["parameters"]]
        head = f"JNIEXPORT {types.jni(function['result'])} JNICALL Java_io_gputide_Native_{_method(function)}("
        call = f"{function['name']}({', '.join(_argument(p) for p in function['parameters'])})"
        parts += ["", *_c_lines(head + ", ".join(["JNIEnv* env", "jclass type", *parameters]) + ") {")]
        parts += ["    (void)env, (void)type;", *_c_lines("    " + _returned(function, types, call), 8), "}"]
    return "\n".join(parts) + "\n"


def _argument(parameter: dict) -> str:
    kind = type_of(parameter["type"])
    if kind.stars:
        return f"AT({parameter['type']}, {parameter['name']})"
    return f"({parameter['type']}){parameter['name']}"


def _returned(function: dict, types: _Types, call: str) -> str:
    if function["result"] == "void":
        return f"{call};"
    if type_of(function["result"]).stars:
        return f"return (jlong)(intptr_t){call};"
    return f"return ({types.jni(function['result'])}){call};"


def _c_lines(line: str, indent: int = 4) -> list[str]:
    return textwrap.wrap(
        line.strip(),
        120,
        initial_indent=re.match(" *", line).group(),
        subsequent_indent=" " * indent,
        break_long_words=False,
        break_on_hyphens=False,
    )


def _enum(enum: dict) -> str:
    name = _camel(enum["name"])
    newer = "A number of a newer library, without a name here, stays what it is."
    lines = [
        f"// {_BEGIN}",
        "package io.gputide;\n",
        "import java.util.List;\n",
        *_javadoc(f"{enum['doc'] or _title(enum['name'])} {newer}", ""),
        f"public final class {name} extends Numbered {{",
        "    private static final long serialVersionUID = 1L;",
    ]
    for member in enum["members"]:
        meaning = f": {_sentence(member['doc'])}" if member["doc"] else "."
        lines += ["", *_javadoc(f"{{@code {member['name']}}}{meaning}", "    ", escape=False)]
        lines.append(f'    public static final {name} {member["short"]} = new {name}({member["value"]}, "{member["short"]}");')
    listed = ", ".join(member["short"] for member in enum["members"])
    lines += [
        "",
        *textwrap.wrap(
            f"private static final List<{name}> VALUES = List.of({listed});",
            110,
            initial_indent="    ",
            subsequent_indent=" " * 12,
        ),
        "",
        f"    private {name}(int number, String name) {{",
        "        super(number, name);",
        "    }",
        "",
        "    /**",
        "     * All that have a name here, in the order of their numbers.",
        "     *",
        "     * @return the list, immutable",
        "     */",
        f"    public static List<{name}> values() {{",
        "        return VALUES;",
        "    }",
        "",
        "    /**",
        "     * What C has as a number.",
        "     *",
        "     * @param number as in gputide.h",
        "     * @return one of {@link #values}, or one named {@code UNKNOWN_99}",
        "     */",
        f"    public static {name} of(int number) {{",
        f"        return of(VALUES, number, {name}::new);",
        "    }",
    ]
    if "spelled_by" in enum:
        method = _lower(enum["spelled_by"].removeprefix("gputide_"))
        lines += [
            "",
            "    /** The library's own word for it. */",
            "    @Override",
            "    public String toString() {",
            f"        return spelled(Native::{method});",
            "    }",
        ]
    lines += [
        "",
        "    /** {@return the one object that stands for its number} */",
        "    private Object readResolve() {",
        "        return of(number());",
        "    }",
        "}",
        "",
    ]
    return "\n".join(lines)


def _javadoc(text: str, indent: str, *, escape: bool = True) -> list[str]:
    plain = re.sub(r"\s+", " ", text)
    plain = _escaped(plain) if escape else plain
    entry = f"{indent}/** {plain} */"
    if len(entry) <= 110:
        return [entry]
    body = textwrap.wrap(plain, 106 - len(indent), break_on_hyphens=False)
    return [f"{indent}/**", *(f"{indent} * {line}" for line in body), f"{indent} */"]


def _escaped(text: str) -> str:
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("@", "&#64;")
    return re.sub(r"`([^`]*)`", r"{@code \1}", text)


def _sentence(doc: str) -> str:
    text = _escaped(re.sub(r"\s+", " ", doc))
    return text if text.endswith(".") else f"{text}."


def _title(name: str) -> str:
    return f"{name.replace('_', ' ').capitalize()}."


def _method(function: dict) -> str:
    return _lower(function["name"].removeprefix("gputide_"))


def _lower(name: str) -> str:
    whole = _camel(name)
    return whole[0].lower() + whole[1:]


def _camel(name: str) -> str:
    return "".join(part.capitalize() for part in name.split("_"))

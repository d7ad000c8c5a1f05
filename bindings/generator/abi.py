"""The headers as one JSON value, bindings/abi.json: the input of every emitter and of cmake/library.cmake, and what the tests of
each binding compare with."""

from __future__ import annotations

from collections.abc import Mapping

from . import contract
from .contract import Contracts
from .header import Alias, Callback, Enum, Function, Handle, Header, HeaderError, Macro, Struct, Type, Variable
from .names import ALSO_IN_PURE, ARRAY_SIZES, COMPONENTS, ENUMS, NOT_IN_A_TABLE, NOT_IN_PURE, PURE_HEADERS, Component

# Sizes on the platforms that gputide serves: 64-bit, natural alignment (LP64), as tests/abi/layout.c asserts.
# tests/bindings/generator_test.py holds the layouts against the C compiler.
_SIZES = {"char": 1, "int32_t": 4, "uint32_t": 4, "int64_t": 8, "uint64_t": 8, "double": 8}
_POINTER_BYTES = 8


def describe(header: Header) -> dict:
    macros = {macro.name: macro.value for macro in header.of(Macro)}
    sizes = {c.name: c.value for enum in header.of(Enum) for c in enum.constants if c.name in ARRAY_SIZES}
    contracts = Contracts.of(header)
    return {
        "abi": macros["GPUTIDE_ABI_VERSION"],
        "version": ".".join(str(macros[f"GPUTIDE_VERSION_{part}"]) for part in ("MAJOR", "MINOR", "PATCH")),
        "sections": [
            {"number": number, "title": section.title, "header": section.header}
            for number, section in sorted(header.sections.items())
        ],
        "macros": [{"name": m.name, "value": m.value, "section": m.section, "doc": m.doc} for m in header.of(Macro)],
        "array_sizes": sizes,
        "aliases": [{"name": a.name, "type": str(a.type), "section": a.section} for a in header.of(Alias)],
        "enums": [_enum(entry) for entry in header.of(Enum)],
        "handles": [
            {"name": h.name, "section": h.section, "free": contracts.free_of(h.name), "doc": h.doc} for h in header.of(Handle)
        ],
        "structs": _structs(header, sizes, contracts),
        "functions": [_function(function, header, contracts) for function in header.of(Function)],
        "tables": [
            {"name": each.table, "flavors": list(each.table_in), "functions": _members_of(each, header)} for each in COMPONENTS
        ],
    }


def _members_of(component: Component, header: Header) -> list[str]:
    """Returns the functions of a component's table, in the order of the headers, by their names without gputide_."""
    names = [function.name for function in header.of(Function) if header.sections[function.section].header in component.headers]
    return [name.removeprefix("gputide_") for name in names if name not in NOT_IN_A_TABLE]


def _flavors(function: Function, header: Header) -> list[str]:
    """Returns the flavors of the library that export a function."""
    component = next(entry for entry in COMPONENTS if header.sections[function.section].header in entry.headers)
    name = function.name
    is_pure_header = header.sections[function.section].header in PURE_HEADERS
    is_pure = name in ALSO_IN_PURE or (is_pure_header and not name.startswith(NOT_IN_PURE))
    return [*(["pure"] if is_pure else []), *component.flavors]


def _enum(enum: Enum) -> dict:
    first = enum.constants[0].name
    if first not in ENUMS:
        raise HeaderError(f"the enum that begins with {first} has no name: give it one in bindings/generator/names.py")
    naming = ENUMS[first]
    members = [
        {"name": c.name, "short": _short(c.name, naming.prefix), "value": c.value, "doc": c.doc}
        for c in enum.constants
        if c.name not in ARRAY_SIZES
    ]
    out = {"name": naming.name, "section": enum.section, "doc": enum.doc, "flags": naming.flags, "members": members}
    return {**out, "spelled_by": naming.spelled_by} if naming.spelled_by else out


def _short(name: str, prefix: str) -> str:
    plain = name.removeprefix("GPUTIDE_")
    return plain.removeprefix(prefix)


def _structs(header: Header, sizes: dict[str, int], contracts: Contracts) -> list[dict]:
    places = layouts(header, sizes)
    return [_struct(struct, places[struct.name], contracts) for struct in header.of(Struct)]


def _struct(struct: Struct, place: dict, contracts: Contracts) -> dict:
    members = []
    for number, member in enumerate(struct.members):
        kind = _callback(member) if isinstance(member, Callback) else {"type": str(member.type)}
        said = contract.member_of(struct, number)
        members.append({"name": member.name, **kind, **place["members"][member.name], **said, "doc": member.doc})
    return {
        "name": struct.name,
        "section": struct.section,
        **contracts.struct(struct.name),
        "doc": struct.doc,
        "size_bytes": place["size_bytes"],
        "alignment_bytes": place["alignment_bytes"],
        "members": members,
    }


def _callback(member: Callback) -> dict:
    return {"callback": {"result": str(member.result), "parameters": _parameters(member.parameters)}}


def _function(function: Function, header: Header, contracts: Contracts) -> dict:
    said = contracts.function(function)
    parameters = [{**plain, **more} for plain, more in zip(_parameters(function.parameters), said.pop("parameters"))]
    return {
        "name": function.name,
        "flavors": _flavors(function, header),
        "section": function.section,
        "since": function.since,
        "result": str(function.result),
        **said,
        "parameters": parameters,
        "doc": function.doc,
    }


def _parameters(parameters: tuple[Variable, ...]) -> list[dict]:
    return [{"name": parameter.name, "type": str(parameter.type)} for parameter in parameters]


def type_of(text: str) -> Type:
    """The type that stands in abi.json as a text."""
    plain = text.removeprefix("const ")
    return Type(plain.rstrip("*"), plain.count("*"), text.startswith("const "))


def layouts(header: Header, sizes: Mapping[str, int]) -> dict[str, dict]:
    """For each struct: size_bytes, alignment_bytes, and for each member offset_bytes, size_bytes, count (arrays alone)."""
    scalars = {**_SIZES, **{entry.name: _SIZES[entry.type.base] for entry in header.of(Alias)}}
    known: dict[str, dict] = {}
    for struct in header.of(Struct):
        known[struct.name] = _layout(struct, scalars, known, sizes)
    return known


def _layout(struct: Struct, scalars: Mapping[str, int], known: Mapping[str, dict], sizes: Mapping[str, int]) -> dict:
    members, end, alignment = {}, 0, 1
    for member in struct.members:
        size, align, count = _POINTER_BYTES, _POINTER_BYTES, None
        if not isinstance(member, Callback):
            size, align = _element(struct, member.type, scalars, known)
            if member.length is not None:
                count = sizes[member.length] if member.length in sizes else int(member.length)
                size *= count
        offset = -(-end // align) * align
        members[member.name] = {"offset_bytes": offset, "size_bytes": size, **({} if count is None else {"count": count})}
        end, alignment = offset + size, max(alignment, align)
    return {"size_bytes": -(-end // alignment) * alignment, "alignment_bytes": alignment, "members": members}


def _element(struct, kind, scalars, known) -> tuple[int, int]:
    if kind.stars:
        return _POINTER_BYTES, _POINTER_BYTES
    if kind.base in scalars:
        return scalars[kind.base], scalars[kind.base]
    if kind.base in known:
        return known[kind.base]["size_bytes"], known[kind.base]["alignment_bytes"]
    raise HeaderError(f"{struct.name} has a member of the unknown type {kind}")

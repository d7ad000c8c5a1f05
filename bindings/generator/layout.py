"""The layout of a struct's members on the platforms that gputide serves: 64-bit, natural alignment (LP64), as tests/abi/layout.c
asserts.  tests/bindings/generator_test.py holds these numbers against the C compiler."""

from __future__ import annotations

from collections.abc import Mapping

from .header import Alias, Callback, Header, HeaderError, Struct

_SIZES = {"char": 1, "int32_t": 4, "uint32_t": 4, "int64_t": 8, "uint64_t": 8, "double": 8}
_POINTER_BYTES = 8


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

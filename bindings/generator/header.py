"""Reads the public headers into declarations.

The headers keep to a small part of C on purpose: #define with a number, typedef of an integer, enum without a name, struct of
plain members, opaque struct, function.  Anything else is an error here, so that nothing is left out unseen.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

_TOKEN = re.compile(
    r"(?P<comment>/\*.*?\*/)|(?P<directive>\#(?:[^\n/]|/(?!\*))*)|(?P<end>;)|(?P<open>\{)|(?P<close>\})|(?P<newline>\n)"
    r"|(?P<text>[^\s;{}/#]+)|(?P<space>[ \t]+)",
    re.DOTALL,
)
_BANNER = re.compile(r"=+ (\d+) (.+?) \*/$")
_SINCE = re.compile(r"Since (\d+\.\d+)")
_FIRST_RELEASE = "0.3"  # of a function without another word in its comment
_VARIABLE = re.compile(r"^(?P<type>.*?[\s*])(?P<name>\w+)(?:\[(?P<length>\w+)\])?$", re.DOTALL)
_CALLBACK = re.compile(r"^(?P<result>.+?)\(\*(?P<name>\w+)\)\s*\((?P<parameters>.*)\)$", re.DOTALL)


class HeaderError(ValueError):
    """A declaration that this reader does not know."""


@dataclass(frozen=True)
class Type:
    """A C type: `const gputide_policy*` has the base gputide_policy, one star and const."""

    base: str
    stars: int = 0
    const: bool = False

    def __str__(self) -> str:
        return ("const " if self.const else "") + self.base + "*" * self.stars


@dataclass(frozen=True)
class Variable:
    """A parameter, or a struct's member; length: how many elements an array member has."""

    name: str
    type: Type
    length: str | None = None
    doc: str = ""


@dataclass(frozen=True)
class Callback:
    """A struct's member that points to a function."""

    name: str
    result: Type
    parameters: tuple[Variable, ...]
    doc: str = ""


@dataclass(frozen=True)
class Declaration:
    section: int
    doc: str


@dataclass(frozen=True)
class Macro(Declaration):
    name: str
    value: int


@dataclass(frozen=True)
class Alias(Declaration):
    name: str
    type: Type


@dataclass(frozen=True)
class Constant:
    name: str
    value: int
    doc: str


@dataclass(frozen=True)
class Enum(Declaration):
    constants: tuple[Constant, ...]


@dataclass(frozen=True)
class Handle(Declaration):
    name: str


@dataclass(frozen=True)
class Struct(Declaration):
    name: str
    members: tuple[Variable | Callback, ...]


@dataclass(frozen=True)
class Function(Declaration):
    name: str
    result: Type
    parameters: tuple[Variable, ...]
    since: str


@dataclass(frozen=True)
class Section:
    title: str
    header: str  # "gputide.h"


@dataclass
class Header:
    sections: dict[int, Section] = field(default_factory=dict)
    declarations: list[Declaration] = field(default_factory=list)

    def of(self, kind: type) -> list:
        """The declarations of one kind, in the header's order."""
        return [declaration for declaration in self.declarations if isinstance(declaration, kind)]


@dataclass
class _Statement:
    text: str = ""
    before: str = ""  # the comment that ends just above it
    behind: str = ""  # the one on the line where it ends
    inside: list[tuple[str, str]] = field(default_factory=list)  # the tokens between its braces


def read(texts: Mapping[str, str]) -> Header:
    """Reads headers by their file names, in the order in which they include each other."""
    header = Header()
    for file, text in texts.items():
        _read_file(header, file, text)
    defined = {struct.name for struct in header.of(Struct)}
    header.declarations = [each for each in header.declarations if not (isinstance(each, Handle) and each.name in defined)]
    return header


def _read_file(header: Header, file: str, text: str) -> None:
    body = text[text.index('extern "C" {\n#endif') : text.index("#ifdef __cplusplus\n}")].split("#endif", 1)[1]
    section = 0
    for statement in _statements(body):
        banner = _BANNER.search(statement.text)
        if banner:
            section = int(banner.group(1))
            header.sections[section] = Section(banner.group(2), file)
            continue
        header.declarations.append(_declaration(statement, section))


def _statements(text: str) -> list[_Statement]:
    """Directives and declarations with their comments; a banner is a statement of its own."""
    statements: list[_Statement] = []
    current, depth, previous, lines_between = _Statement(), 0, None, 0
    for kind, word in _tokens(text):
        depth -= kind == "close"
        if depth:
            current.inside.append((kind, word))
        elif kind == "newline":
            lines_between += 1
            if current.text:
                current.text += " "
            elif lines_between > 1:
                current.before = ""
        elif kind == "comment" and _BANNER.search(word):
            statements.append(_Statement(text=word))
            current, previous = _Statement(), None
        elif kind == "comment" and current.text:
            raise HeaderError(f"a comment amid {current.text.strip()!r}")
        elif kind == "comment" and previous is not None and lines_between == 0:
            previous.behind = _plain(word)
        elif kind == "comment":
            current.before, lines_between = _plain(word), 0
        elif kind in ("directive", "end"):
            current.text += word.strip() if kind == "directive" else ""
            statements.append(current)
            previous, current, lines_between = current, _Statement(), 0
        elif kind != "space" or current.text:
            current.text += word
        depth += kind == "open"
    return statements


def _tokens(text: str) -> Iterator[tuple[str, str]]:
    place = 0
    while place < len(text):
        match = _TOKEN.match(text, place)
        if match is None:
            raise HeaderError(f"cannot read {text[place : place + 60]!r}")
        place = match.end()
        yield str(match.lastgroup), match.group()


def _plain(comment: str) -> str:
    """A comment's words: without its stars, lines kept."""
    lines = [re.sub(r"^\s*\*? ?", "", line).rstrip() for line in comment[2:-2].split("\n")]
    first = lines[0].strip()
    return "\n".join([first, *lines[1:]]).strip()


def _declaration(statement: _Statement, section: int) -> Declaration:
    text = " ".join(statement.text.split())
    doc = statement.before or statement.behind
    if text.startswith("#define"):
        _, name, value = text.split(None, 2)
        return Macro(section, statement.behind or doc, name, _number(value))
    if text == "enum {}":
        return Enum(section, doc, tuple(_constants(statement)))
    opaque = re.fullmatch(r"typedef struct (\w+) (\w+)", text)
    if opaque:
        return Handle(section, doc, opaque.group(1))
    struct = re.fullmatch(r"(?:typedef )?struct (\w+) \{\}(?: \w+)?", text)
    if struct:
        return Struct(section, doc, struct.group(1), tuple(_members(statement)))
    alias = re.fullmatch(r"typedef (\w+) (\w+)", text)
    if alias:
        return Alias(section, doc, alias.group(2), _type(alias.group(1)))
    function = re.fullmatch(r"GPUTIDE_API (.+?[\s*])(\w+)\((.*)\)", text)
    if function:
        doc = " ".join(part for part in (statement.before, statement.behind) if part)
        since = _SINCE.search(doc)
        release = since.group(1) if since else _FIRST_RELEASE
        return Function(section, doc, function.group(2), _type(function.group(1)), _parameters(function.group(3)), release)
    raise HeaderError(f"an unknown declaration: {text[:120]}")


def _inner_parts(tokens: list[tuple[str, str]], separator: str) -> list[tuple[str, str]]:
    """The text between a statement's braces, piece by piece, each with its comment: the one behind it on its line, else the
    one above it."""
    parts: list[tuple[str, str]] = []
    words, doc, new_line = "", "", True
    for kind, word in tokens:
        if kind == "newline":
            new_line = True
        elif kind == "comment" and (words or new_line):
            doc = _plain(word)
        elif kind == "comment":
            parts[-1] = (parts[-1][0], _plain(word))
        elif word.endswith(separator):
            parts.append((" ".join((words + word[: -len(separator)]).split()), doc))
            words, doc, new_line = "", "", False
        elif kind != "space" or words:
            words += word
    if words.strip():
        parts.append((" ".join(words.split()), doc))
    return parts


def _constants(statement: _Statement) -> Iterator[Constant]:
    for words, doc in _inner_parts(statement.inside, ","):
        name, value = (part.strip() for part in words.split("="))
        yield Constant(name, _number(value), doc)


def _members(statement: _Statement) -> Iterator[Variable | Callback]:
    for words, doc in _inner_parts(statement.inside, ";"):
        callback = _CALLBACK.match(words)
        if callback:
            yield Callback(callback["name"], _type(callback["result"]), _parameters(callback["parameters"]), doc)
        else:
            yield _variable(words, doc)


def _parameters(text: str) -> tuple[Variable, ...]:
    if text.strip() == "void":
        return ()
    return tuple(_variable(entry.strip()) for entry in text.split(","))


def _variable(words: str, doc: str = "") -> Variable:
    match = _VARIABLE.match(words)
    if match is None:
        raise HeaderError(f"no type and name: {words!r}")
    return Variable(match["name"], _type(match["type"]), match["length"], doc)


def _type(words: str) -> Type:
    const, plain = words.strip().startswith("const "), words.replace("const ", "").replace("struct ", "")
    return Type(plain.replace("*", "").strip(), plain.count("*"), const)


_LIMITS = {"UINT32_MAX": 2**32 - 1, "INT64_MIN": -(2**63), "INT64_MAX": 2**63 - 1}


def _number(words: str) -> int:
    plain = words.strip().strip("()")
    return _LIMITS[plain] if plain in _LIMITS else int(plain, 0)

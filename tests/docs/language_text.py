"""Takes a tracked file apart for language_rules.py: comments, messages, code without both, prose of a page."""
from __future__ import annotations

import dataclasses
import pathlib
import re

NUMBER = r"(?P<number>\b\d[\w.']*)"
QUOTED = r'"(?:[^"\\\n]|\\.)*"'
SINGLE = r"'(?:[^'\\\n]|\\.)*'"
CHARACTER = r"'(?:\\[^'\n]{1,10}|[^'\\\n])'"
SLASHES = r"(?P<comment>//[^\n]*|/\*.*?\*/)"
HASHES = r"(?P<comment>(?<![^\s;(])#[^\n]*)"
TRIPLE = r'(?P<triple>[rRbBfF]{0,2}(?:""".*?"""|\'\'\'.*?\'\'\'))'
RAW = r'R"(?P<mark>\w*)\(.*?\)(?P=mark)"'


def lexer(*parts: str) -> re.Pattern[str]:
    return re.compile("|".join(parts), re.S)


C = lexer(SLASHES, NUMBER, rf"(?P<text>{RAW}|{QUOTED})", CHARACTER)
JAVA = lexer(SLASHES, r'(?P<text>""".*?"""|' + QUOTED + ")", CHARACTER)
GO = lexer(SLASHES, rf"(?P<text>{QUOTED}|`[^`]*`)", CHARACTER)
SCRIPT = lexer(SLASHES, rf"(?P<text>{QUOTED}|{SINGLE}|`[^`]*`)")
PYTHON = lexer(TRIPLE, HASHES, rf"(?P<text>{QUOTED}|{SINGLE})")
SHELL = lexer(HASHES, r'(?P<text>"(?:[^"\\]|\\.)*"|' + r"'[^']*')")
CMAKE = lexer(HASHES, r'(?P<text>"(?:[^"\\]|\\.)*")')
YAML = lexer(HASHES)
LEXERS = {
    **dict.fromkeys([".c", ".cpp", ".h", ".hpp"], C), ".java": JAVA, ".cs": JAVA, ".rs": JAVA, ".go": GO, ".py": PYTHON, ".sh": SHELL,
    **dict.fromkeys([".js", ".mjs", ".ts", ".mts"], SCRIPT), ".cmake": CMAKE, ".yaml": YAML, ".toml": YAML,
}
FENCE = re.compile(r"^[ ]*```.*?^[ ]*```[^\n]*$", re.M | re.S)
NOT_PROSE = re.compile(r"`[^`]*`|\{[^{}\s]+\}|https?://\S+")
COMMENT_MARKS = re.compile(r"^[ \t]*(?://[/!]?<?|#+!?|/?\*+/?<?)", re.M)
PLACE = re.compile(r"^(?:[-*]|\d+\.|#+|>)\s+", re.M)


@dataclasses.dataclass
class Piece:
    line: int
    text: str
    starts_line: bool = False  # a comment on a line of its own


@dataclasses.dataclass
class Parts:
    comments: list[Piece]
    messages: list[Piece]
    paragraphs: list[Piece]
    code: str  # line for line as in the file


def lexer_of(path: pathlib.PurePath) -> re.Pattern[str] | None:
    return CMAKE if path.name == "CMakeLists.txt" else LEXERS.get(path.suffix)


def is_read(path: pathlib.PurePath) -> bool:
    return path.suffix == ".md" or lexer_of(path) is not None


def plain(text: str) -> str:
    """Returns the text on one line, without backticked code, {values} and addresses."""
    return " ".join(NOT_PROSE.sub("CODE", text).split())


def joined(comments: list[Piece]) -> list[Piece]:
    """Joins // or # comments on adjacent lines into one."""
    out: list[Piece] = []
    last = 0
    for piece in comments:
        if out and piece.starts_line and out[-1].starts_line and piece.line == last + 1:
            out[-1].text += "\n" + piece.text
        else:
            out.append(dataclasses.replace(piece))
        last = piece.line + piece.text.count("\n")
    return [Piece(piece.line, plain(COMMENT_MARKS.sub("", piece.text)), piece.starts_line) for piece in out]


def source_parts(text: str, pattern: re.Pattern[str]) -> Parts:
    """Takes a source file apart."""
    comments, messages, code = [], [], []
    end, line = 0, 1
    for match in pattern.finditer(text):
        kind, token = match.lastgroup, match[0]
        if kind == "number":
            continue
        before = text[end:match.start()]
        code.append(before)
        line += before.count("\n")
        starts_line = not text[text.rfind("\n", 0, match.start()) + 1:match.start()].strip()
        if kind == "comment" or (kind == "triple" and starts_line):
            comments.append(Piece(line, token.strip("\"' ") if kind == "triple" else token, starts_line))
        elif " " in token.strip("\"'` "):
            messages.append(Piece(line, plain(token.strip("\"'` "))))
        code.append("\n" * token.count("\n") + " ")
        line += token.count("\n")
        end = match.end()
    code.append(text[end:])
    return Parts(joined(comments), messages, [], "".join(code))


def page_parts(text: str) -> Parts:
    """Takes a page apart: paragraphs, list items and cells of tables, without code."""
    text = FENCE.sub(lambda fence: "\n" * fence[0].count("\n"), text)
    text = re.sub(r"\]\([^)\n]*\)", "]", text)
    paragraphs: list[Piece] = []
    goes_on = False
    for number, line in enumerate(text.split("\n"), 1):
        cells = [cell for cell in line.strip().strip("|").split(" | ")] if line.lstrip().startswith("|") else [line]
        if goes_on and len(cells) == 1 and line.strip() and not PLACE.match(line.lstrip()):
            paragraphs[-1].text += " " + line.strip()
            continue
        paragraphs += [Piece(number, PLACE.sub("", cell.strip())) for cell in cells if cell.strip()]
        goes_on = len(cells) == 1 and bool(line.strip()) and not line.startswith("#")
    return Parts([], [], [Piece(piece.line, plain(piece.text)) for piece in paragraphs], "")


def parts_of(path: pathlib.PurePath, text: str) -> Parts:
    return page_parts(text) if path.suffix == ".md" else source_parts(text, lexer_of(path))

"""The mechanical rules of how gputide writes, see CONTRIBUTING.md (Language): each finds what a text should say in other words."""
from __future__ import annotations

import collections.abc
import dataclasses
import functools
import pathlib
import re

PEOPLE = re.compile(r"\b(?:people|persons?|users?|readers?|operators?|engineers?|anyone|everyone|those|teams?|tenants?|maintainers?|"
                    r"administrators?|contributors?|authors?),? $", re.I)
METAPHORS = "door|doors|room|rooms|house|houses|walk|walks|walked|walking|patience|patient|patients|ears|salt|salted"
STEMS = "stabil|normal|util|initial|serial|optim|recogn|organ|custom|synchron|author|summar|minim|maxim|final|priorit|categor|" \
    "emphas|real|special|general|standard|central|visual|token|quant|random|sanit|virtual|parameter|local|formal|canonical"
BRITISH = rf"(?:un|de|re|mis)?(?:{STEMS})is(?:e|es|ed|er|ers|ing|ation|ations|able)|anal(?:yse|yses|ysed|ysing)|" \
    r"(?:behavi|col|fav|neighb|hon|lab|flav|harb|endeav)our\w*|(?:cent|met|lit|fib)re[sd]?|catalogues?|licences?|licenced|greys?|" \
    r"(?:label|model|signal|travel|marshal|total|level|channel|tunnel)l(?:ed|ing)|fulfils?|defences?|offences?|programmes?|" \
    r"artefacts?|whilst|learnt|spelt"
NAME_BRITISH = rf"(?:{STEMS})is(?:e|ed|er|ing|ation)(?![a-z])|analys(?:e|ed|ing)(?![a-z])|(?:behavi|col|fav|neighb|hon|lab|flav)our|" \
    r"catalogue|licence"

PROSE = {
    "is_no": re.compile(r"(?<![Tt]here )\b(?:is|are|was|were|be) no\b(?! (?:longer|more|less|fewer|later|earlier|sooner)\b)"),
    "person": re.compile(r"\b(?:who|whose|whom|whoever|nobody|somebody|anybody|everybody|someone|another's|others')(?!\w)", re.I),
    "metaphor": re.compile(rf"\b(?:{METAPHORS})\b", re.I),
    "british": re.compile(rf"\b(?:{BRITISH}|[Cc]ancelled|[Cc]ancelling)\b", re.I),
}
COMMENT = {
    "comment_start": re.compile(r"(?:What|Of|Where|How|Who|Whose|Whoever|Whom)\b(?!')"),
}
CODE = {  # of whole names
    "most_least_name": re.compile(r"(?:most|least)_\w+"),
    "one_variable": re.compile(r"one"),
    "metaphor_name": re.compile(rf"(?:\w*_)?(?:{METAPHORS})(?:_\w*)?|\w*(?:Door|Room|House|Walk|Patience|Patient|Salt)(?![a-z])\w*"),
    "british_name": re.compile(rf"\w*(?:{NAME_BRITISH})\w*", re.I),
}
NAME = re.compile(r"[A-Za-z_]\w*")
LONGEST_SENTENCE = 25
SENTENCE_END = re.compile(r"(?<=[.!?:])[)\"*_]*\s+(?=[\"(*_\[]*[A-Z0-9])")
WORD = re.compile(r"[A-Za-z0-9_][\w'/.,-]*")
LONGEST_SUBJECT = 72
SUBJECT = re.compile(r"[\w.][\w./+, -]{0,48}: \S")

Finding = tuple[str, int, str]


def around(text: str, start: int, end: int) -> str:
    """Returns some of the text on both sides of a finding."""
    return text[max(0, start - 30):end + 40].strip()


def stands_for_people(text: str, match: re.Match[str]) -> bool:
    """Tells whether "who" stands for people there, as in "users who"."""
    return match[0].startswith("who") and PEOPLE.search(text, max(0, match.start() - 16), match.start()) is not None


def prose_findings(piece: Piece) -> collections.abc.Iterator[Finding]:
    for rule, pattern in PROSE.items():
        for match in pattern.finditer(piece.text):
            if rule != "person" or not stands_for_people(piece.text, match):
                yield rule, piece.line, around(piece.text, *match.span())


def comment_findings(piece: Piece) -> collections.abc.Iterator[Finding]:
    for rule, pattern in COMMENT.items():
        if piece.starts_line and pattern.match(piece.text):
            yield rule, piece.line, piece.text[:70]


@functools.cache
def name_rules(name: str) -> tuple[str, ...]:
    return tuple(rule for rule, pattern in CODE.items() if pattern.fullmatch(name))


def code_findings(code: str) -> collections.abc.Iterator[Finding]:
    found = {name for name in set(NAME.findall(code)) if name_rules(name)}
    if not found:
        return
    for number, line in enumerate(code.split("\n"), 1):
        yield from ((rule, number, name) for name in NAME.findall(line) if name in found for rule in name_rules(name))


def sentence_findings(piece: Piece) -> collections.abc.Iterator[Finding]:
    for sentence in SENTENCE_END.split(piece.text):
        count = len(WORD.findall(sentence))
        if count > LONGEST_SENTENCE:
            yield "long_sentence", piece.line, f"{count} words: {sentence[:60]}"


def findings(parts: Parts) -> list[Finding]:
    """Returns what a file should say in other words: rule, line, text."""
    out = [found for piece in [*parts.comments, *parts.messages, *parts.paragraphs] for found in prose_findings(piece)]
    out += [found for piece in parts.comments for found in comment_findings(piece)]
    out += [found for piece in parts.paragraphs for found in sentence_findings(piece)]
    out += code_findings(parts.code)
    return sorted(out, key=lambda found: (found[1], found[0]))


def subject_finding(subject: str) -> str:
    """Returns what is wrong with a commit's subject; "" if nothing."""
    if len(subject) > LONGEST_SUBJECT:
        return f"{len(subject)} characters, {LONGEST_SUBJECT} is the limit"
    return "" if SUBJECT.match(subject) else "starts with no area, as in \"decide: count Succeeded pods as the HPA does\""


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

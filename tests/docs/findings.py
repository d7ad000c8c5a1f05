#!/usr/bin/env python3
"""The findings of check: their pages (src/gputided/check/findings.json), the codes that the source gives, the table of docs.

    tests/docs/findings.py --write      writes the table of docs/findings.md anew
"""
from __future__ import annotations

import json
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGES = ROOT / "src/gputided/check/findings.json"
DOCUMENT = ROOT / "docs" / "findings.md"
BEGIN, END = "<!-- findings -->", "<!-- end -->"
MEMBERS = ("code", "severity", "title", "what", "why", "do", "sources")
ISSUE = re.compile(r"([\w.-]+/[\w.-]+)#(\d+)$")

# The modules with findings that check shows: reading, authentication, sources, and what is judged across them.
MODULES = ("pure/text", "pure/manifest", "net/auth", "net/source", "core/pipeline")
CODE = r'"([a-z]+(?:-[a-z]+)*)"'
# Not written in these modules as a code: the words of the errors that a trigger's own reading gives (src/pure/base/error.cpp), and what
# gputided itself says of a file.
ELSEWHERE = {"config", "limit", "security", "unavailable", "unreadable"}
# The forms of a code: as the argument behind a severity or a key, as the first one of a helper, or as a name for several uses.
WRITTEN = (
    re.compile(r"severity::(?:note|warning|error),\s*" + CODE),
    re.compile(r"level_of_missing\([^;]*?\),\s*(?:\w+ \? )?" + CODE + "(?: : " + CODE + ")?"),
    re.compile(r"\.(?:error|warning)\(\s*(?:[\w.]+|\"[\w.]+\"),\s*" + CODE),
    re.compile(r"(?<![\w.>])(?:error|warning)\(\s*(?:[\w.]+|\"[\w.]+\"),\s*" + CODE),
    re.compile(r"\bsay\(\s*(?:\"[\w./]+\",\s*)?(?:text::severity::\w+,\s*)?" + CODE + r",\s"),
    re.compile(r"\b(?:warn(?:_at)?|note)\(\s*(?:(?:\w+|\"(?:gputide\.io/[\w-]+|\w+)\"),\s*)?" + CODE + r",\s"),
    re.compile(r"\b\w*code\b\s*=\s*" + CODE),
    re.compile(r"std::move\(remedy\),\s*" + CODE),
    re.compile(r"\{\s*(?:of\.index|i|0),\s*" + CODE),
    re.compile(r"\baverage_divided\s*=\s*" + CODE),
    re.compile(r"word\.empty\(\) \? " + CODE),
)


def pages() -> list[dict[str, str]]:
    return json.loads(PAGES.read_text())


def codes_in(text: str) -> set[str]:
    """Every code that a source file gives."""
    plain = re.sub(r"//[^\n]*", "", text)
    return {code for form in WRITTEN for found in form.findall(plain)
            for code in ([found] if isinstance(found, str) else found) if code}


def codes_of_the_source() -> dict[str, str]:
    """Each code, and a file that gives it."""
    return {code: str(file.relative_to(ROOT)) for module in MODULES for file in sorted((ROOT / "src" / module).rglob("*.[ch]pp"))
            for code in codes_in(file.read_text())}


def link(source: str) -> str:
    issue = ISSUE.match(source)
    return f"[{source}](https://github.com/{issue[1]}/issues/{issue[2]})" if issue else source


def table() -> list[str]:
    lines = ["| code | severity | what is written | what happens | what to do | where it was reported or read |", "|---|---|---|---|---|---|"]
    for page in pages():
        cells = [f"`{page['code']}`", page["severity"], page["what"], page["why"], page["do"],
                 ", ".join(map(link, page["sources"]))]
        lines.append("|" + "|".join(" " + cell.replace("|", "\\|") + " " if cell else "" for cell in cells) + "|")
    return lines


def with_table(text: str, begin: str, lines: list[str]) -> str:
    """Returns a page with these lines between its marks."""
    before, _, rest = text.partition(begin + "\n")
    _, _, after = rest.partition(END)
    return before + "\n".join([begin, *lines, END]) + after


def renewed(text: str) -> str:
    return with_table(text, BEGIN, table())


if __name__ == "__main__":
    if sys.argv[1:] != ["--write"]:
        sys.exit(__doc__)
    DOCUMENT.write_text(renewed(DOCUMENT.read_text()))

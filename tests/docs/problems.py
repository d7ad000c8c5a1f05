#!/usr/bin/env python3
"""The codes of gputided's problems: their rows (src/gputided/run/problems/problems.json) and the table of docs/problems.md.

    tests/docs/problems.py --write      writes the table anew
"""
from __future__ import annotations

import json
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
ROWS = ROOT / "src/gputided/run/problems/problems.json"
DOCUMENT = ROOT / "docs" / "problems.md"
BEGIN, END = "<!-- problems -->", "<!-- end -->"
MODES = {"both": "each", "files": "`run -f`", "cluster": "`run --kubernetes`"}


def rows() -> list[dict[str, str]]:
    return json.loads(ROWS.read_text())


def table() -> list[str]:
    lines = ["| code | severity | mode | what happens | what to do |", "|---|---|---|---|---|"]
    return lines + [f"| `{row['code']}` | {row['severity']} | {MODES[row['mode']]} | {row['what']} | {row['do']} |" for row in rows()]


def renewed(text: str) -> str:
    before, _, rest = text.partition(BEGIN + "\n")
    _, _, after = rest.partition(END)
    return before + "\n".join([BEGIN, *table(), END]) + after


if __name__ == "__main__":
    if sys.argv[1:] != ["--write"]:
        sys.exit(__doc__)
    DOCUMENT.write_text(renewed(DOCUMENT.read_text()))

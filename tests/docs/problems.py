#!/usr/bin/env python3
"""The codes of gputided's problems: their rows (src/gputided/run/problems/problems.json) and the table of docs/problems.md.

    tests/docs/problems.py --write      writes the table anew
"""
from __future__ import annotations

import json
import sys

import findings

ROWS = findings.ROOT / "src/gputided/run/problems/problems.json"
DOCUMENT = findings.ROOT / "docs" / "problems.md"
BEGIN = "<!-- problems -->"
MODES = {"both": "each", "files": "`run -f`", "cluster": "`run --kubernetes`"}


def rows() -> list[dict[str, str]]:
    return json.loads(ROWS.read_text())


def table() -> list[str]:
    lines = ["| code | severity | mode | what happens | what to do |", "|---|---|---|---|---|"]
    return lines + [f"| `{row['code']}` | {row['severity']} | {MODES[row['mode']]} | {row['what']} | {row['do']} |" for row in rows()]


def renewed(text: str) -> str:
    return findings.with_table(text, BEGIN, table())


if __name__ == "__main__":
    if sys.argv[1:] != ["--write"]:
        sys.exit(__doc__)
    DOCUMENT.write_text(renewed(DOCUMENT.read_text()))

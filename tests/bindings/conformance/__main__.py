"""python3 tests/bindings/conformance LANGUAGE [FILE]: writes the call table of that language's conformance program.

rust_layout in place of a language writes a test."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path


def main() -> None:
    language, _, what = sys.argv[1].partition("_")
    module = importlib.import_module(language)
    text = "\n".join(module.layout_lines() if what == "layout" else module.lines()) + "\n"
    if len(sys.argv) < 3:
        print(text, end="")
        return
    file = Path(sys.argv[2])
    file.parent.mkdir(parents=True, exist_ok=True)
    if not file.exists() or file.read_text(encoding="utf-8") != text:
        file.write_text(text, encoding="utf-8")


main()

"""python3 -m bindings.generator [LANGUAGE...] [--check] [--include FOLDER]: writes bindings/abi.json, gputide_table.h and every
raw layer; with LANGUAGE only the raw layers of these languages.

The raw layers of python, node, java and csharp, and native/gputide_calls.h for node and java, are not checked in: the build of
each package writes them.
--check writes nothing; exit status 1 if a file that is checked in differs from what would be written.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from . import csharp, go, java, native, node, python, rust, table
from .abi import describe
from .header import Header, HeaderError, read
from .names import HEADERS

BINDINGS = Path(__file__).resolve().parent.parent
INCLUDE = BINDINGS.parent / "include" / "gputide"
EMITTERS = (table, python, native, go, rust, node, java, csharp)  # emit(abi) returns each file's text by its path
MADE = ("python", "node", "java", "csharp", "native")  # folders with generated files that the build of the package makes
COPIES = ("go",)  # folders with the headers in one file and bindings/native, as their package cannot see above itself


def read_headers(include: Path) -> Header:
    return read({name: (include / name).read_text(encoding="utf-8") for name in HEADERS})


def outputs(include: Path) -> dict[str, str]:
    abi = describe(read_headers(include))
    files = {"abi.json": _one_line_per_entity(abi)}
    for emitter in EMITTERS:
        files.update(emitter.emit(abi))
    for folder in COPIES:
        files.update(native.copies(folder, include, files))
    return files


def is_checked_in(path: str) -> bool:
    return not path.startswith(tuple(f"{folder}/" for folder in MADE))


def main() -> int:
    parser = argparse.ArgumentParser(prog="python3 -m bindings.generator", description=__doc__)
    parser.add_argument("language", nargs="*", help="a folder of bindings: write only its files")
    parser.add_argument("--check", action="store_true", help="compare, and write nothing")
    parser.add_argument("--include", type=Path, default=INCLUDE, help="the folder of the headers")
    options = parser.parse_args()
    try:
        files = outputs(options.include)
    except HeaderError as problem:
        print(f"bindings.generator: {problem}", file=sys.stderr)
        return 2
    if options.language:
        files = {path: text for path, text in files.items() if path.split("/")[0] in (*options.language, "native")}
    differing = [path for path, text in files.items() if not _holds(BINDINGS / path, text)]
    if options.check:
        differing = [path for path in differing if is_checked_in(path)]
        for path in differing:
            print(f"bindings/{path} differs from the headers: run python3 -m bindings.generator", file=sys.stderr)
        return 1 if differing else 0
    for path in differing:
        (BINDINGS / path).parent.mkdir(parents=True, exist_ok=True)
        (BINDINGS / path).write_text(files[path], encoding="utf-8")
        print(f"bindings/{path}")
    return 0


def _one_line_per_entity(abi: dict[str, object]) -> str:
    members = []
    for name, value in abi.items():
        text = json.dumps(value, ensure_ascii=False)
        if isinstance(value, list):
            text = "[\n" + ",\n".join("  " + json.dumps(entity, ensure_ascii=False) for entity in value) + "\n ]"
        members.append(f" {json.dumps(name)}: {text}")
    return "{\n" + ",\n".join(members) + "\n}\n"


def _holds(path: Path, text: str) -> bool:
    return path.is_file() and path.read_text(encoding="utf-8") == text


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Every function of the headers has a comment (a _free function may share that of its handle), gputide_table.h has them all in their
order, and gputide.hpp calls each of them.

    comments.py INCLUDE_FOLDER
"""
import re
import sys
from pathlib import Path

HEADERS = ("gputide.h", "source.h", "runtime.h", "plan.h", "kubernetes.h")
DECLARATION = re.compile(r"^GPUTIDE_API\s+(?P<type>[^;(]*?)\b(?P<name>gputide_\w+)\((?P<arguments>[^;]*)\);(?P<trailing>[^\n]*)",
                         re.M | re.S)
NOT_IN_A_TABLE = ("gputide_abi_version",)  # a loader calls it before there is a table


def comment_before(text, position):
    """Returns the comment that ends where the declaration begins; empty if something stands between them."""
    before = text[:position].rstrip()
    return before[before.rindex("/*"):] if before.endswith("*/") else ""


def functions_of(path):
    text = path.read_text(encoding="utf-8")
    return [(found["name"], comment_before(text, found.start()) + found["trailing"]) for found in DECLARATION.finditer(text)]


def main(folder):
    functions = [function for header in HEADERS for function in functions_of(Path(folder) / header)]
    wrapper = (Path(folder) / "gputide.hpp").read_text(encoding="utf-8")
    in_tables = re.findall(r"\(\*(\w+)\)\(", (Path(folder) / "gputide_table.h").read_text(encoding="utf-8"))
    names = [name for name, _ in functions]
    wrong = [f"{name} has no comment" for name, comment in functions if not comment.strip() and not name.endswith("_free")]
    expected = [name.removeprefix("gputide_") for name in names if name not in NOT_IN_A_TABLE]
    if in_tables != expected:
        wrong.append("gputide_table.h does not have the functions of the headers in their order: "
                     + ", ".join(sorted(set(in_tables) ^ set(expected)) or ["the order differs"]))
    wrong += [f"gputide.hpp lacks {name}" for name in names if not re.search(rf"\b{name}\b", wrapper)]
    if len(names) < 80:
        wrong.append(f"only {len(names)} functions were found: this test looks past the headers")
    print("\n".join(wrong) or f"{len(names)} functions")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

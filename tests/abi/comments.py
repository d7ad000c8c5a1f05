#!/usr/bin/env python3
"""Every function of gputide.h says since when it is there, and every one that returns a status says which; the table has them
in their order, and gputide.hpp calls each of them.

    comments.py gputide.h gputide_table.h gputide.hpp
"""
import re
import sys

DECLARATION = re.compile(r"^GPUTIDE_API\s+(?P<type>[^;(]*?)\b(?P<name>gputide_\w+)\((?P<arguments>[^;]*)\);(?P<trailing>[^\n]*)",
                         re.M | re.S)


def comment_before(text, position):
    """The comment that ends where the declaration begins; empty where something stands between them."""
    before = text[:position].rstrip()
    return before[before.rindex("/*"):] if before.endswith("*/") else ""


def text_of(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def main(header_path, table_path, wrapper_path):
    header, wrapper = text_of(header_path), text_of(wrapper_path)
    in_table = re.findall(r"\(\*(\w+)\)\(", text_of(table_path))
    wrong, names = [], []
    for found in DECLARATION.finditer(header):
        name = found["name"]
        names.append(name)
        said = comment_before(header, found.start()) + found["trailing"]
        if not re.search(r"Since 0\.\d+\.", said):
            wrong.append(f"{name}: its comment lacks Since")
        if found["type"].strip() == "gputide_status" and "Returns" not in said:
            wrong.append(f"{name}: its comment lacks Returns")
    expected = [name.removeprefix("gputide_") for name in names if name not in ("gputide_api", "gputide_abi_version")]
    if in_table != expected:
        wrong.append("gputide_table.h is not gputide.h's functions in their order: "
                     + ", ".join(sorted(set(in_table) ^ set(expected)) or ["the order differs"]))
    wrong += [f"gputide.hpp lacks {name}" for name in names
              if name != "gputide_api" and not re.search(rf"\b{name}\b", wrapper)]
    if len(names) < 80:
        wrong.append(f"only {len(names)} functions were found: this test looks past the header")
    print("\n".join(wrong) or f"{len(names)} functions")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

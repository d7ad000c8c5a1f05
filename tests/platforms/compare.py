#!/usr/bin/env python3
"""Compares the answers of two programs of protocol 1 to the same requests: compare.py EXPECTED GOT

Prints "CASES EQUAL ROUNDED": cases, those whose answers are equal bit for bit, and those where a number with a fraction differs by at
most 1 part in 10^12, as pow, exp and log of the C libraries may.  Exit status 1: another difference, with its place.
The first line describes the program and does not count.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

MAX_RELATIVE = 1e-12


class Difference(Exception):
    """Names what differs, and its place."""


def parsed(text: str) -> object:
    """A text that holds a JSON document is compared as one."""
    if text[:1] in ("{", "["):
        try:
            return json.loads(text)
        except ValueError:
            pass
    return text


def compare(expected: object, got: object, where: str) -> bool:
    """Returns whether they are equal bit for bit; raises Difference for more than rounding."""
    if isinstance(expected, str) and isinstance(got, str):
        if expected == got:
            return True
        expected, got = parsed(expected), parsed(got)
    if isinstance(expected, dict) and isinstance(got, dict) and expected.keys() == got.keys():
        return all([compare(expected[key], got[key], f"{where}.{key}") for key in expected])
    if isinstance(expected, list) and isinstance(got, list) and len(expected) == len(got):
        return all([compare(a, b, f"{where}[{index}]") for index, (a, b) in enumerate(zip(expected, got))])
    if expected == got and type(expected) is type(got):
        return True
    if isinstance(expected, float) and isinstance(got, float) and abs(expected - got) <= MAX_RELATIVE * abs(expected):
        return False
    raise Difference(f"{where}: expected {str(expected)[:200]}, got {str(got)[:200]}")


def main() -> int:
    expected, got = ([json.loads(line) for line in Path(name).read_text(encoding="utf-8").splitlines()] for name in sys.argv[1:3])
    if len(expected) != len(got):
        print(f"expected {len(expected)} lines, got {len(got)}")
        return 1
    states: dict[str, bool] = {}
    for before, after in zip(expected[1:], got[1:]):
        try:
            equal = compare(before, after, before["case"])
        except Difference as problem:
            print(problem)
            return 1
        states[before["case"]] = states.get(before["case"], True) and equal
    equal_cases = sum(states.values())
    print(len(states), equal_cases, len(states) - equal_cases)
    return 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Every check that a binding has to pass is there in every language: what docs/bindings.md names is a test by that name."""

from __future__ import annotations

import re
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CHECKS = [
    *("leak", "order", "closed", "cancel", "nul", "big", "unicode", "concurrent", "exit", "fork"),
    *("wrong_abi", "missing", "conformance", "short", "cost"),
]
BESIDE = ["https", "the host's OpenSSL", "each mirror against `bindings/abi.json`"]
LANGUAGES = ["Python", "Go", "Rust", "Node", "Java", "C#"]
# Languages that cannot have a check: only these four go on in no child of fork.
NOWHERE = {("fork", language) for language in ("Go", "Node", "Java", "C#")}

# The folder of each language's tests, and what a test's beginning looks like there.
TESTS = {
    "Python": ("bindings/python/tests", "*.py", r"(?:class|def) {}\b"),
    "Go": ("bindings/go", "*_test.go", r"func {}\("),
    "Rust": ("tests/bindings/rust", "*.rs", r"#\[test\]\nfn {}\("),
    "Node": ("bindings/node/tests", "*.test.js", r"test\(\s*['\"`]{}"),
    "Java": ("bindings/java/src/test/java", "*.java", r"@Test\n +void {}\("),
    "C#": ("bindings/csharp/tests", "*.cs", r"public static void {}\("),
}
CTESTS = ("tests/bindings", "*[Mm]ake*", r"add_test\(NAME {} ")
COSTS = ("bench/bindings", "run.sh", r"(?m)^{}\(\) ")
OTHERS = {
    **{("conformance", language): CTESTS for language in LANGUAGES},
    **{("cost", language): COSTS for language in LANGUAGES},
    (BESIDE[2], "Rust"): CTESTS,  # tests/layout.rs, with generated tests
    (BESIDE[2], "Go"): CTESTS,  # cgo reads the header's copy, which the generator compares
}


def table() -> dict[tuple[str, str], list[str]]:
    """(check, language) -> the names in that cell; none for "none"."""
    page = (ROOT / "docs" / "bindings.md").read_text(encoding="utf-8").split("## What every binding has to show")[1]
    lines = page[page.index("| check |") :].split("\n\n")[0].splitlines()
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    head, _, *body = rows
    assert head[1:] == LANGUAGES, head
    return {(row[0], language): re.findall(r"`([^`]+)`", cell) for row in body for language, cell in zip(head[1:], row[1:])}


def tests_of(check: str, language: str) -> tuple[str, str]:
    """The text of the files in which a check's test stands, and the pattern of its beginning."""
    folder, names, begin = OTHERS.get((check, language), TESTS[language])
    files = sorted((ROOT / folder).rglob(names))
    return "\n".join(file.read_text(encoding="utf-8") for file in files), begin


class Checks(unittest.TestCase):
    def test_every_language_has_every_check(self) -> None:
        cells = table()
        self.assertEqual([check for check, language in cells if language == "Python"], CHECKS + BESIDE)
        for where, names in cells.items():
            with self.subTest(where):
                self.assertEqual(not names, where in NOWHERE)

    def test_each_is_a_test_by_that_name(self) -> None:
        for (check, language), names in table().items():
            texts, begin = tests_of(check, language)
            for name in names:
                with self.subTest(f"{language}: {name}"):
                    self.assertIsNotNone(re.search(begin.format(re.escape(name)), texts), "there is no such test")
                    if check in CHECKS and check != "cost":
                        self.assertIn(check.replace("_", ""), name.replace("_", "").lower())


if __name__ == "__main__":
    unittest.main()

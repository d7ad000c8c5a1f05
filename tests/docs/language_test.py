#!/usr/bin/env python3
"""Comments, messages, pages, names and commit subjects are in plain English: language_rules.py has the rules.

    language_test.py                     the test: each count of language_counts.json is the tree's
    language_test.py --show PATH...      prints what is found in files and folders
    language_test.py --lower             writes the counts that fell
    language_test.py --counts            prints the counts as they are

The tree was written in other words, so language_counts.json holds what is left of each rule and area.  A count may only fall.
language_allowed.txt lists what a rule finds and a reader needs.
"""
from __future__ import annotations

import collections
import json
import pathlib
import re
import subprocess
import sys
import unittest

import language_rules

ROOT = pathlib.Path(__file__).resolve().parents[2]
COUNTS = pathlib.Path(__file__).with_name("language_counts.json")
ALLOWED = pathlib.Path(__file__).with_name("language_allowed.txt")
FIRST_COMMIT = "652a5346"  # subjects of later commits follow the rules
BUILT = {"build", "node_modules", "target", "__pycache__"}

Place = tuple[str, int, str, str]  # file, line, rule, text


def git(*arguments: str) -> str | None:
    """Returns what git prints; nothing where there is no history, as in a release's archive."""
    try:
        return subprocess.run(["git", *arguments], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return None


def files() -> list[str]:
    tracked = git("ls-files", "-z")
    if tracked is not None:
        names = tracked.split("\0")
    else:
        names = [str(path.relative_to(ROOT)) for path in ROOT.rglob("*") if not BUILT & set(path.relative_to(ROOT).parts)]
    return sorted(name for name in names if language_rules.is_read(pathlib.PurePath(name)) and (ROOT / name).is_file())


def area(file: str) -> str:
    """Returns what a count is for: src/GROUP/MODULE, docs, include, bindings, examples, tests, ..."""
    parts = file.split("/")
    if len(parts) == 1:
        return "docs" if file.endswith(".md") else "build"
    if parts[0] != "src" or len(parts) < 3:
        return parts[0]
    return "/".join(parts[:3] if parts[1] in ("pure", "net", "core") and len(parts) > 3 else parts[:2])


class Allowed:
    """language_allowed.txt: rule | file | regular expression of the text | reason.  * stands for any rule or file."""

    def __init__(self, text: str) -> None:
        rows = [row for row in text.splitlines() if row.strip() and not row.startswith("#")]
        self.rows = [[cell.strip() for cell in row.split(" | ")] for row in rows]
        self.used: set[str] = set()

    def holds(self, place: Place) -> bool:
        file, _, rule, text = place
        for row in self.rows:
            if row[0] in {rule, "*"} and pathlib.PurePath(file).match(row[1]) and re.search(row[2], text):
                self.used.add(" | ".join(row))
                return True
        return False


def places(names: list[str], allowed: Allowed) -> list[Place]:
    """Returns the findings in those files."""
    out = []
    for name in names:
        path = pathlib.PurePath(name)
        parts = language_rules.parts_of(path, (ROOT / name).read_text(errors="replace"))
        out += [(name, line, rule, text) for rule, line, text in language_rules.findings(parts)]
    return [place for place in out if not allowed.holds(place)]


def counted(found: list[Place]) -> dict[str, int]:
    """Returns the number of findings by "rule area"."""
    return dict(sorted(collections.Counter(f"{rule} {area(file)}" for file, _, rule, _ in found).items()))


def differences(kept: dict[str, int], found: dict[str, int]) -> tuple[list[str], list[str]]:
    """Returns the counts that rose and those that fell, as sentences."""
    changed = [(name, kept.get(name, 0), found.get(name, 0)) for name in sorted({*kept, *found})]
    return ([f"{name}: {now} found, {was} allowed; python3 tests/docs/language_test.py --show {name.split()[1]} | grep {name.split()[0]}"
             for name, was, now in changed if now > was],
            [f"{name}: {now} found, {was} recorded; lower it: python3 tests/docs/language_test.py --lower"
             for name, was, now in changed if now < was])


def as_text(counts: dict[str, int]) -> str:
    return json.dumps({name: count for name, count in counts.items() if count}, indent=1) + "\n"


class Language(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.allowed = Allowed(ALLOWED.read_text())
        cls.rose, cls.fell = differences(json.loads(COUNTS.read_text()), counted(places(files(), cls.allowed)))

    def test_no_count_rises(self) -> None:
        self.assertEqual(self.rose, [])

    def test_counts_that_fell_are_recorded(self) -> None:
        self.assertEqual(self.fell, [])

    def test_each_exception_has_a_reason_and_is_needed(self) -> None:
        rows = [" | ".join(row) for row in self.allowed.rows]
        self.assertEqual([row for row in rows if row.count(" | ") != 3 or row not in self.allowed.used], [])

    def test_commit_subjects(self) -> None:
        subjects = git("log", "--no-merges", "--format=%h %s", f"{FIRST_COMMIT}..HEAD")
        if subjects is None:
            self.skipTest("no git history")
        wrong = {line: language_rules.subject_finding(line.split(" ", 1)[1]) for line in subjects.splitlines()}
        self.assertEqual([f"{line}: {reason}" for line, reason in wrong.items() if reason], [])


def rules_of(file: str, text: str) -> list[tuple[str, int]]:
    return [(rule, line) for rule, line, _ in language_rules.findings(language_rules.parts_of(pathlib.PurePath(file), text))]


class Rules(unittest.TestCase):
    def check(self, file: str, text: str, *expected: tuple[str, int]) -> None:
        with self.subTest(text=text):
            self.assertEqual(rules_of(file, text), list(expected))

    def test_comments(self) -> None:
        self.check("a.cpp", "int a;\n// What it came to.\nint f();", ("comment_start", 2))
        self.check("a.cpp", "int a;  // what it came to\n// Returns a.\n// Of two lines, the second is not a start.\n")
        self.check("a.hpp", "// Returns the text;\n// it is no number.\n", ("is_no", 1))
        self.check("a.hpp", "// There is no id.  It is no longer than that.\n")
        self.check("a.py", '"""Where there is none."""\nx = 1  # nobody asks\n', ("comment_start", 1), ("person", 2))
        self.check("a.go", "// users who stabilise it\n", ("british", 1))
        self.check("a.cpp", 'const char* a = "http://x"; // whose\n', ("person", 1))

    def test_messages(self) -> None:
        self.check("a.cpp", 'f("{} is no boolean");', ("is_no", 1))
        self.check("a.cpp", "int n = 1'000;\nf(R\"x(\" the door \")x\");", ("metaphor", 2))
        self.check("a.cpp", 'f("door"); f("cancelled");')
        self.check("a.py", "f('somebody else', \"it\")", ("person", 1))
        self.check("a.go", "x := `the patience\nof it`\nvar one int", ("metaphor", 1), ("one_variable", 3))
        self.check("a.rs", "fn a<'a>(x: &'a str) { b(\"the\\\" salt\") }", ("metaphor", 1))

    def test_names(self) -> None:
        self.check("a.cpp", "int most_retries = 3;\nfor (auto& one : all) at_most(one);",
                   ("most_least_name", 1), ("one_variable", 2), ("one_variable", 2))
        self.check("a.cpp", "void link_rooms();\nvoid normalise(int behaviour);\nint bedroom, promise;",
                   ("metaphor_name", 1), ("british_name", 2), ("british_name", 2))

    def test_pages(self) -> None:
        words = " ".join(["word"] * 20)
        self.check("a.md", f"# Head\n\n{words}\n{words}.\n", ("long_sentence", 3))
        self.check("a.md", f"{words}. Next {words}\n\n```\n{words} {words} whose\n```\n| {words} | {words} |\n")
        self.check("a.md", "- `who` is [it](who.md)\n- whose `x`\n", ("person", 2))

    def test_subjects(self) -> None:
        self.assertEqual(language_rules.subject_finding("decide: count Succeeded pods"), "")
        self.assertIn("area", language_rules.subject_finding("Count Succeeded pods"))
        self.assertIn("73 characters", language_rules.subject_finding("docs: " + "x" * 67))

    def test_counts(self) -> None:
        self.assertEqual([len(side) for side in differences({"is_no docs": 2, "is_no src/a": 1}, {"is_no docs": 3})], [1, 1])
        self.assertEqual(area("src/net/http/transfer/request.cpp"), "src/net/http")
        self.assertEqual([area("README.md"), area("src/CMakeLists.txt"), area("CMakeLists.txt")], ["docs", "src", "build"])


def main() -> int:
    allowed = Allowed(ALLOWED.read_text())
    if sys.argv[1:2] == ["--show"]:
        asked = [path.rstrip("/") for path in sys.argv[2:]]
        names = [name for name in files() if any(name == path or name.startswith(path + "/") or area(name) == path for path in asked)]
        found = places(names, allowed)
        print(*(f"{file}:{line}: {rule}: {text}" for file, line, rule, text in found), f"{len(found)} findings", sep="\n")
        return 0
    found_counts = counted(places(files(), allowed))
    if sys.argv[1:] == ["--counts"]:
        print(as_text(found_counts), end="")
        return 0
    if sys.argv[1:] == ["--lower"]:
        kept = json.loads(COUNTS.read_text())
        COUNTS.write_text(as_text({name: min(count, found_counts.get(name, 0)) for name, count in kept.items()}))
        return 0
    sys.exit(__doc__)


if __name__ == "__main__":
    if sys.argv[1:]:
        sys.exit(main())
    unittest.main()

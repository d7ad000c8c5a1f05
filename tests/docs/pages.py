"""Checks what the pages say of the tree: paths, links, C names, settings.  Each function gives the findings of one text."""
from __future__ import annotations

import itertools
import pathlib
import re

FOLDERS = ("src", "include", "tests", "docs", "examples", "bench", "cmake", "bindings", ".ci")
PATH = re.compile(r"(?:" + "|".join(re.escape(folder) for folder in FOLDERS) + r")(?:/[\w.*{},<>-]+)*/?")
CODE = re.compile(r"`([^`\n]+)`")
LINK = re.compile(r"\]\(([^)#\s]+)(?:#[\w-]*)?\)")
OWN_ADDRESS = re.compile(r"https://github\.com/gputide/gputide/(?:blob|tree)/main/")
FENCE = re.compile(r"^```.*?^```$", re.M | re.S)
C_NAME = re.compile(r"\b(?:gputide|GPUTIDE)_\w*\w")
SETTING = re.compile(r"\bgputide\.io/([\w.-]*\w)")


def pages(root: pathlib.Path) -> list[pathlib.Path]:
    return [root / "README.md", root / "CONTRIBUTING.md", *sorted((root / "docs").rglob("*.md"))]


def alternatives(path: str) -> list[str]:
    """ "a/{b,c}.cpp" → "a/b.cpp", "a/c.cpp"; <type> stands for any name."""
    pieces = re.split(r"\{([^}]*)\}", re.sub(r"<[^>]*>", "*", path))
    choices = [piece.split(",") if place % 2 else [piece] for place, piece in enumerate(pieces)]
    return ["".join(parts) for parts in itertools.product(*choices)]


def is_there(root: pathlib.Path, path: str) -> bool:
    return any(root.glob(path.rstrip("/"))) if "*" in path else (root / path).exists()


def dead_paths(root: pathlib.Path, text: str) -> list[str]:
    """Words of code that begin with a folder of the tree and name nothing in it.  build/ is made, not kept."""
    words = [word for code in CODE.findall(FENCE.sub("", text)) for word in code.split()]
    found = [match[0] for match in map(PATH.fullmatch, words) if match and "/" in match[0]]
    return sorted({path for path in found for alternative in alternatives(path) if not is_there(root, alternative)})


FUNCTIONS = re.compile(r"((?:`[\w:~]+\(\)`(?:, | and )?)+) in `([^`]+)`")


def dead_functions(root: pathlib.Path, text: str) -> list[str]:
    """Functions that the named file does not have: "`fleet::step()`, `fleet::begin()` in `src/x.cpp`"."""
    out = []
    for names, path in FUNCTIONS.findall(text):
        code = (root / path).read_text() if (root / path).is_file() else ""
        for name in re.findall(r"`([\w:~]+)\(\)`", names):
            if not re.search(rf"\b{re.escape(name)}\(", code):
                out.append(f"{name}() in {path}")
    return out


def dead_links(root: pathlib.Path, page: pathlib.Path, text: str) -> list[str]:
    """Links to files that are not there, also those by this repository's own address, which the pages of packages have."""
    targets = [target for target in LINK.findall(FENCE.sub("", text)) if "://" not in target or OWN_ADDRESS.match(target)]
    own = [OWN_ADDRESS.sub("", target) for target in targets]
    places = [page.parent / target if plain == target else root / plain for target, plain in zip(targets, own)]
    return sorted({target for target, place in zip(targets, places) if not place.exists()})


def known_names(root: pathlib.Path) -> set[str]:
    """Every gputide_* and GPUTIDE_* of headers, sources, build files and scripts."""
    out: set[str] = set()
    for folder in ("include", "src", "cmake", "tests", "bench", "examples"):
        for file in (root / folder).rglob("*"):
            if file.suffix in {".h", ".hpp", ".c", ".cpp", ".txt", ".cmake", ".in", ".map", ".sh", ".py"}:
                out.update(C_NAME.findall(file.read_text(errors="replace")))
    for file in ("CMakeLists.txt", "CMakePresets.json"):
        out.update(C_NAME.findall((root / file).read_text()))
    return out


def dead_names(known: set[str], text: str) -> list[str]:
    """gputide_* and GPUTIDE_* that nothing defines; gputide_x_* stands for all that begin so."""
    def is_known(name: str, text_after: str) -> bool:
        return name in known or (text_after.startswith("*") and any(entry.startswith(name) for entry in known))
    return sorted({match[0] for match in C_NAME.finditer(text) if not is_known(match[0], text[match.end():].lstrip("_"))})


def known_settings(root: pathlib.Path) -> set[str]:
    """The keys after gputide.io/: own_setting rows, keys tables, and what the sources compose."""
    text = "".join(file.read_text() for file in (root / "src").rglob("*.[ch]pp"))
    return set(re.findall(r'own(?:_trigger)?_setting\{\s*"([\w.-]+)"', text)) | set(SETTING.findall(text))


def dead_settings(known: set[str], text: str) -> list[str]:
    return sorted({key for key in SETTING.findall(text) if key not in known and not key.startswith("source")})

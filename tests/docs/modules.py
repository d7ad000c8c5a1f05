"""The modules under src/: where each lies, what each may use, and what it really includes."""
from __future__ import annotations

import pathlib
import re

USES = re.compile(r"\bUSES\s+((?:[a-z_]+\s+)*[a-z_]+)")
INCLUDE = re.compile(r'^\s*#\s*include\s+"([a-z_]+)/', re.M)
MODULE = re.compile(r"^gputide_module\(([\w/]+)([^)]*)\)", re.M)


def order(src: pathlib.Path) -> dict[str, str]:
    """Returns each module with its path below src, in the order of CMake: "base": "pure/base".  A group may be one module."""
    return {path.rpartition("/")[2]: path for path, _ in MODULE.findall((src / "CMakeLists.txt").read_text())}


def uses(src: pathlib.Path) -> dict[str, list[str]]:
    """Returns for each module the modules that src/CMakeLists.txt names after USES."""
    rows = MODULE.findall((src / "CMakeLists.txt").read_text())
    return {path.rpartition("/")[2]: (found[1].split() if (found := USES.search(row)) else []) for path, row in rows}


def later_uses(modules: list[str], used_by: dict[str, list[str]]) -> list[str]:
    """Returns the modules that name themselves, a later module or an unknown one."""
    place = {module: index for index, module in enumerate(modules)}
    return [
        f"{module} uses {used}"
        for module in modules
        for used in used_by[module]
        if used not in place or place[used] >= place[module]
    ]


def foreign_includes(folder: pathlib.Path, modules: list[str], allowed: set[str]) -> list[str]:
    """Returns the includes of modules that are not allowed."""
    return [
        f"{file.relative_to(folder.parent)} includes {module}/"
        for file in sorted(folder.rglob("*.[ch]pp"))
        for module in INCLUDE.findall(file.read_text())
        if module in modules and module not in allowed
    ]


COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.S)
LITERAL = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
TYPE_ROW = re.compile(r'(?:kind\{\s*\{|row\{\{\{)(?:\.type = )?"([a-z-]+)"')
PROVIDER_ROW = re.compile(r'provider\{\{(?:\.provider = )?(?:"([a-z-]+)"|(\w+))')
REGISTERED = re.compile(r'^#include "source/(\w+)/[\w/]+\.hpp"', re.M)


def source_folders(registry: str) -> list[str]:
    """The folders of the sources that the registry lists."""
    return list(dict.fromkeys(REGISTERED.findall(registry)))


def neighbor_includes(folder: pathlib.Path, folders: list[str]) -> list[str]:
    """Returns the includes of one source's folder in that of another source."""
    return [
        f"{file.relative_to(folder)} includes {other}/"
        for own in folders
        for file in sorted((folder / own).rglob("*.[ch]pp"))
        for other in re.findall(r'#include "source/(\w+)/', file.read_text())
        if other in folders and other != own
    ]


def trigger_types(registry: str) -> list[str]:
    """The types that the registry of sources has a row for."""
    return TYPE_ROW.findall(registry)


def providers(table: str, constants: str) -> list[str]:
    """The providers that the table of credentials has a row for; some rows take their word from a constant."""
    words = [word or re.search(rf'\b{name} = "([a-z-]+)"', constants)[1] for word, name in PROVIDER_ROW.findall(table)]
    return words


def words_in_code(text: str) -> list[str]:
    """The texts that code compares with or hands on: whole literals, none of a comment or an include."""
    code = re.sub(r"^\s*#\s*include[^\n]*", "", text, flags=re.M)
    return LITERAL.findall(re.sub(r'(?<![:"])' + COMMENT.pattern, "", code, flags=re.S))


def named_outside(root: pathlib.Path, words: set[str], homes: list[str]) -> list[str]:
    """Returns where below root one of the words stands as a whole literal in a file that is in none of the homes."""
    return [
        f'{file.relative_to(root)}: "{word}"'
        for file in sorted(root.rglob("*.[ch]pp"))
        if not any(str(file.relative_to(root)).startswith(home) for home in homes)
        for word in words_in_code(file.read_text())
        if word in words
    ]


NAMED_FILE = re.compile(r"(?<![\w./-])((?:[a-z_0-9]+/)*[a-z_0-9]+\.[ch]pp)\b")
ELSEWHERE = {"llama.cpp", "replay_assets.cpp", "tenant_id_resolver.cpp"}  # a server, a file that the build makes, one of the Azure SDK


def dead_files(root: pathlib.Path) -> list[str]:
    """Files that a comment below root names and that are not there."""
    files = sorted(root.rglob("*.[ch]pp"))
    known = {"/".join(file.parts[start:]) for file in files for start in range(len(file.parts))} | ELSEWHERE
    return [
        f"{file.relative_to(root)} names {name}"
        for file in files
        for comment in COMMENT.findall(re.sub(r'"(?:[^"\\\n]|\\.)*"', '""', file.read_text()))
        for name in NAMED_FILE.findall(comment)
        if name not in known
    ]


def folders_included(root: pathlib.Path, folders: list[str], homes: list[str]) -> list[str]:
    """Includes of a source's own folder from elsewhere."""
    return [
        f"{file.relative_to(root)} includes source/{folder}/"
        for file in sorted(root.rglob("*.[ch]pp"))
        for folder in re.findall(r'#include "source/(\w+)/', file.read_text())
        if folder in folders and not any(str(file.relative_to(root)).startswith(home) for home in homes)
    ]

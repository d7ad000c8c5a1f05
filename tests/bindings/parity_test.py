#!/usr/bin/env python3
"""Every flag, struct member, function and number of gputide.h is reached by each language's public files.

A raw layer that the generator writes is not an interface for programs: the code above it counts. EXCEPTIONS lists what a language
leaves out, with the reason.
"""

from __future__ import annotations

import json
import re
import unittest
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

COMMENT = re.compile(r"/\*.*?\*/|^\s*//[^\n]*|^\s*#[^\n\[]*$", re.DOTALL | re.MULTILINE)


def camel(name: str, first_upper: bool = False) -> str:
    head, *rest = name.lower().split("_")
    return (head.capitalize() if first_upper else head) + "".join(part.capitalize() for part in rest)


@dataclass(frozen=True)
class Language:
    """The place of its public files, which of them are the raw layer, and how it spells what C names.

    {c} gputide_scaler_tick, {plain} scaler_tick, {camel} scalerTick, {upper} SCALER_TICK; of a member {struct} Decision and
    {untimed}, {untimed_camel} without its _ms; of a flag {lower} seen_status, {short_lower} status, {short_camel}.
    """

    sources: tuple[str, ...]  # files, and folders with their suffixes
    left_out: tuple[str, ...]  # raw layers, tests, conformance programs, examples
    function: str
    member: str
    flag: str = ""  # "": C's own constants are in the host's hands
    hidden: tuple[str, ...] = ()  # the structs that a host cannot fill by itself; (): all of them

    def text(self) -> str:
        files = [file for place in self.sources for file in sorted(ROOT.glob(place)) if file.is_file()]
        kept = [file for file in files if not any(re.search(part, str(file.relative_to(ROOT))) for part in self.left_out)]
        assert kept, f"{self.sources} has no files"
        return "\n".join(COMMENT.sub("", file.read_text(encoding="utf-8")) for file in kept)


LANGUAGES = {
    "python": Language(
        ("bindings/python/src/gputide/**/*.py",),
        (r"/_abi\.py$",),
        r"\b({c}|{plain})\b",
        r"\b({c}|{untimed})\b",
        r"\b({plain}|{lower}|{short_lower})\b",
    ),
    "go": Language(
        ("bindings/go/*.go",),
        (r"_test\.go$",),
        r"\bC\.{c}\b",
        r"\b{c}\b",
        r"\bC\.{c}\b",
    ),
    "rust": Language(
        ("bindings/rust/gputide/src/**/*.rs",),
        (),
        r"\b{c}\b",
        r"\b{c}\b",
        r"\b{c}\b",
    ),
    "node": Language(
        ("bindings/node/lib/**/*.js", "bindings/node/lib/**/*.d.ts", "bindings/node/src/*.?pp"),
        (r"/abi\.(js|hpp)$",),
        r"\b({c}|{plain}|{camel})\b",
        r"\b({c}|{camel}|{untimed_camel})\b",
        r"\b({plain}|{camel}|{short_camel})\b",
    ),
    "java": Language(
        ("bindings/java/src/main/java/io/gputide/*.java",),
        (r"/(Abi|Native)\.java$",),
        r"\b{camel}\b",
        r"\bAbi\.{struct}\.{upper}\b",
        r"\bAbi\.{plain}\b",
    ),
    "csharp": Language(
        ("bindings/csharp/src/*.cs",),
        (r"/(Abi|Native)\.cs$",),
        r"\bNative\.{plain}\b",
        r"[>.]@?{c}\b",
        r"\bAbi\.{plain}\b",
    ),
    # gputide.hpp takes and gives most structs, and every number, as gputide.h has them.
    "c++": Language(
        ("include/gputide/gputide.hpp",),
        (),
        r"\b{c}\b",
        r"\b{c}\b",
        hidden=("options", "file", "observation", "runtime_options"),
    ),
}

# Members of the form of a struct: the raw layers and their helpers see to them.
FORM = {"struct_size", "reserved"}
LINES = "lines of the log come through gputide_log_open: a hook would call the language from the library's threads"
MEMORY = "a language has no allocator that the whole process could use"
LAST = "closing a reader cancels the call inside and frees it"
OPENER = "the opener of bindings/native asks for it"
BY_KIND = "bindings/node/src/environment.hpp makes the name from that of the handle"
BY_NAME = "numbers.js has the names, as constants in the case that words.js gives"
BY_LIST = "bindings/node/src/value.cpp fills it with the list"
FEATURES = [f"GPUTIDE_FEATURE_{name}" for name in ("PURE", "CORE", "PLAN", "KUBERNETES", "YAML", "HTTP2", "CRON")]
HANDLES = "cancel credential forecast log policy replay rightsize runtime scaler series source state"
FREES = [f"gputide_{handle}_free" for handle in HANDLES.split()]
HOOKS = {"gputide_set_allocator": MEMORY, "gputide_set_log": LINES}
# The calls that a language leaves out, and why.
EXCEPTIONS: dict[str, dict[str, str]] = {
    "python": {**HOOKS, "gputide_log_close": LAST},
    "go": {
        **HOOKS,
        "gputide_log_close": LAST,
        "gputide_abi_version": OPENER,
        "GPUTIDE_NO_SCALE_EVENT": "ScaleEventNone",
    },
    "rust": {**HOOKS, **dict.fromkeys(set(FEATURES) - {"GPUTIDE_FEATURE_YAML"}, "Features::has takes the bit")},
    "node": {
        **HOOKS,
        "gputide_abi_version": OPENER,
        "gputide_action_name": BY_NAME,
        "gputide_sample_state_name": BY_NAME,
        **dict.fromkeys(set(FEATURES) - {"GPUTIDE_FEATURE_CORE", "GPUTIDE_FEATURE_PLAN"}, "features() has each bit"),
        **dict.fromkeys(FREES, BY_KIND),
        "observation.sample_count": BY_LIST,
        "observation.sample_size": BY_LIST,
        "observation.pod_count": BY_LIST,
        "observation.pod_size": BY_LIST,
        "observation.pod_sample_count": BY_LIST,
        "observation.pod_sample_size": BY_LIST,
    },
    "java": {
        **HOOKS,
        "gputide_log_close": LAST,
        "gputide_abi_version": OPENER,
    },
    "csharp": {
        **HOOKS,
        **dict.fromkeys(FREES, "the SafeHandle of Native.cs calls it"),
        "gputide_log_close": LAST,
        "gputide_abi_version": "Library asks for it before there is a raw layer",
    },
    "c++": {},
}


def spelled(name: str, **more: str) -> dict[str, str]:
    plain = re.sub("^gputide_", "", name, flags=re.IGNORECASE)
    return {"c": name, "plain": plain, "camel": camel(plain), "upper": plain.upper(), "lower": plain.lower(), **more}


def functions(language: Language, abi: dict, text: str) -> Iterator[str]:
    for function in abi["functions"]:
        if not re.search(language.function.format(**spelled(function["name"])), text):
            yield function["name"]


def structs(abi: dict) -> list[str]:
    """Those that hold values; what holds functions is reached by the function that takes it."""
    held = (struct for struct in abi["structs"] if not any("callback" in member for member in struct["members"]))
    return [entry["name"].removeprefix("gputide_") for entry in held]


def members(language: Language, abi: dict, text: str) -> Iterator[str]:
    for struct in abi["structs"]:
        plain = struct["name"].removeprefix("gputide_")
        if plain not in (language.hidden or structs(abi)):
            continue
        for member in struct["members"]:
            name = member["name"]
            untimed = name.removesuffix("_ms")
            more = {"struct": camel(plain, first_upper=True), "untimed": untimed, "untimed_camel": camel(untimed)}
            if name not in FORM and not re.search(language.member.format(**spelled(name, **more)), text):
                yield f"{plain}.{name}"


def flags(language: Language, abi: dict, text: str) -> Iterator[str]:
    for enum in abi["enums"]:
        for member in enum["members"]:
            more = {"short_lower": member["short"].lower(), "short_camel": camel(member["short"])}
            if enum["flags"] and not re.search(language.flag.format(**spelled(member["name"], **more)), text):
                yield member["name"]


def numbers(abi: dict, text: str) -> Iterator[str]:
    """Statuses, limits, reasons and similar names: between languages they differ in case and prefix alone."""
    words = {word.replace("_", "").lower() for word in re.findall(r"\w+", text)}
    for enum in abi["enums"]:
        for member in enum["members"]:
            names = (member["short"], f"{enum['name']}{member['short']}", member["name"].removeprefix("GPUTIDE_"), member["name"])
            if not enum["flags"] and words.isdisjoint(name.replace("_", "").lower() for name in names):
                yield member["name"]


def missing(language: Language, abi: dict, text: str) -> set[str]:
    out = {*functions(language, abi, text), *members(language, abi, text)}
    if language.flag:
        out.update(flags(language, abi, text), numbers(abi, text))
    return out


class Parity(unittest.TestCase):
    abi = json.loads((ROOT / "bindings" / "abi.json").read_text(encoding="utf-8"))

    def test_every_language_reaches_everything(self) -> None:
        for name, language in LANGUAGES.items():
            with self.subTest(name):
                self.assertEqual(sorted(missing(language, self.abi, language.text())), sorted(EXCEPTIONS[name]))

    def test_what_is_new_is_missed(self) -> None:
        new = json.loads(json.dumps(self.abi))
        new["functions"].append({"name": "gputide_not_there_yet"})
        for struct in new["structs"]:
            struct["members"].append({"name": "not_there_yet"})
        for enum in new["enums"]:
            enum["members"].append({"name": "GPUTIDE_NOT_THERE_YET", "short": "NOT_THERE_YET"})
        for name, language in LANGUAGES.items():
            with self.subTest(name):
                more = missing(language, new, language.text()) - set(EXCEPTIONS[name])
                wanted = {"gputide_not_there_yet", *(f"{struct}.not_there_yet" for struct in language.hidden or structs(new))}
                self.assertEqual(more, wanted | ({"GPUTIDE_NOT_THERE_YET"} if language.flag else set()))


if __name__ == "__main__":
    unittest.main()

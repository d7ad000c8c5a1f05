"""The calls of protocol 1 (docs/conformance.md), from bindings/abi.json: for each C function its arguments and results by kind.

A language's module beside this file has the expressions in which its public functions differ from the rule of that language.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Callable, NamedTuple

ABI = Path(__file__).resolve().parents[3] / "bindings" / "abi.json"

# Functions without a call: what frees and cancels, hooks, the log, and what needs a cluster or Azure behind it.
_WITHOUT = re.compile(
    r"_free$|^cancel_|^log_|^set_|^text_|^(forecast_state|floor_reason)_name$"
    r"|^agent_pool_|^cluster_(doctor|list|handover)$"
)
# Names of the protocol that differ from the C parameter.
_NAMES = {
    ("series.fetch", "start_ms"): "from_ms",
    ("series.fetch", "end_ms"): "to_ms",
    ("scaled.job_decide", "manifest"): "text",
    ("policy.open", "manifest"): "text",
    ("nodes.plan", "next_state"): "state",
    ("version", "name"): "version",
    ("build.info", "name"): "json",
    ("features", "number"): "features",
    ("policy.metric_count", "number"): "count",
}
_LISTS = {"const double*": "reals", "const int64_t*": "times", "const int32_t*": "integers", "const gputide_sample*": "samples"}
_STRUCTS = ("options", "runtime_options", "observation", "usage_sample")


class Call(NamedTuple):
    """A call: its arguments and the members of its result, each with its kind."""

    name: str
    arguments: dict[str, str]  # handle:TYPE, text (bytes), word, time, timeout, duration, truth, real, int32, …, a struct
    results: dict[str, str]  # handle, text, integer, decision, recorded, sample, a struct

    @property
    def receiver(self) -> str | None:
        """The handle of the method: a state knows its policy."""
        handles = [name for name, kind in self.arguments.items() if kind.startswith("handle:")]
        return "state" if "state" in handles else handles[0] if handles else None

    @property
    def member(self) -> str:
        """The member of the result that the expression's value is; "recorded" for a decision that a call has changed."""
        kind = next(iter(self.results.values()), "")
        return kind if kind == "recorded" else next(iter(self.results), "")

    @property
    def values(self) -> list[str]:
        """The arguments of a method, in C's order."""
        left_out = {self.receiver} | ({"policy"} if self.receiver == "state" else set())
        return [name for name in self.arguments if name not in left_out]


def calls() -> list[Call]:
    abi = json.loads(ABI.read_text(encoding="utf-8"))
    handles = {handle["name"] for handle in abi["handles"]}
    out = []
    for function in abi["functions"]:
        short = function["name"].removeprefix("gputide_")
        if not _WITHOUT.search(short):
            out.append(_call(short.replace("_", ".", 1), function, handles))
    return out


def members(struct: str, *left_out: str) -> str:
    """Returns the members of a struct that hold values, except some, separated by spaces."""
    abi = json.loads(ABI.read_text(encoding="utf-8"))
    found = next(entry for entry in abi["structs"] if entry["name"] == f"gputide_{struct}")
    return " ".join(m["name"] for m in found["members"] if m["name"] not in ("struct_size", "reserved", *left_out))


def results() -> dict[str, str]:
    """Returns the structs of results by their class, and their members that are read by name."""
    return {
        "Sample": members("sample", "flags", "message"),
        "Decision": members("decision", "conditions", "message"),
        "ConditionState": members("condition"),
        "Floor": members("floor"),
        "Event": members("event"),
        "Token": members("token_info"),
        "NodesPlan": members("nodes_summary"),
    }


def flags(enum: str) -> str:
    """Returns the names of an enum's bits in their order, in lower case and separated by spaces."""
    abi = json.loads(ABI.read_text(encoding="utf-8"))
    found = next(entry for entry in abi["enums"] if entry["name"] == enum)
    return " ".join(member["short"].lower() for member in found["members"])


def _call(name: str, function: dict, handles: set[str]) -> Call:
    parameters = function["parameters"]
    sizes = {parameter.get(size) for parameter in parameters for size in ("size_in", "count_in", "element_size_in")}
    arguments, results = {}, {}
    if "statuses" not in function:
        texts = function["result"] == "const char*"
        results[_NAMES.get((name, "name" if texts else "number"), "name" if texts else "number")] = "word" if texts else "integer"
    for parameter in parameters:
        if parameter["name"] in sizes or parameter["name"] in ("cancel", "err"):
            continue
        named = _NAMES.get((name, parameter["name"]), {"observation": "seen"}.get(parameter["name"], parameter["name"]))
        if parameter["direction"] == "out":
            results.update([_result(named, parameter, handles)])
        else:
            arguments[named] = _argument(parameter, handles)
            if parameter["direction"] == "inout":
                results["decision"] = "recorded"
    return Call(name, arguments, results)


def _argument(parameter: dict, handles: set[str]) -> str:
    kind, name = parameter["type"], parameter["name"]
    base = kind.removeprefix("const ").rstrip("*").removeprefix("gputide_")
    if f"gputide_{base}" in handles:
        return f"handle:{base}"
    if kind == "const char*":
        return "text" if "size_in" in parameter else "word"
    if kind in _LISTS:
        return _LISTS[kind]
    if base in (*_STRUCTS, "decision"):
        return base
    if name.endswith("_ms"):
        return {"timeout_ms": "timeout", "step_ms": "duration"}.get(name, "time")
    return {"applied": "truth"}.get(name) or {"double": "real"}.get(base, base.removesuffix("_t"))


def _result(name: str, parameter: dict, handles: set[str]) -> tuple[str, str]:
    base = parameter["type"].rstrip("*").removeprefix("gputide_")
    if f"gputide_{base}" in handles:
        return "as", "handle"
    if base == "sample":
        return "sample", "sample"
    if base == "decision":
        return "decision", "decision"
    if base == "text":
        return ("text" if name == "out" else name), "text"
    return (base if name == "out" else name), ("integer" if base.endswith("_t") else base)


class Language(NamedTuple):
    """The way in which a language writes calls."""

    argument: Callable[[str, str], str]  # name, kind
    method: Callable[[Call, list[str]], str]  # the expression by the language's rule, of a call and its written arguments
    expressions: dict[str, str]  # others, with $argument where an argument is written
    entry: Callable[[Call, str], str]  # a line of the table


def table(language: Language) -> list[str]:
    """One entry for each call; an expression of a call that is unknown is an error."""
    all_calls = calls()
    unknown = language.expressions.keys() - {call.name for call in all_calls}
    if unknown:
        raise SystemExit(f"bindings/abi.json has no {', '.join(sorted(unknown))}")
    return [language.entry(call, _expression(language, call)) for call in all_calls]


def _expression(language: Language, call: Call) -> str:
    def written(found: re.Match) -> str:
        return language.argument(found[1], call.arguments[found[1]])

    if call.name in language.expressions:
        return re.sub(r"\$(\w+)", written, language.expressions[call.name])
    return language.method(call, [language.argument(name, call.arguments[name]) for name in call.values])


def camel(name: str) -> str:
    first, *others = name.split("_")
    return first + "".join(part.capitalize() for part in others)

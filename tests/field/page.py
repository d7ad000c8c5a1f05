"""The table of docs/field.md, from manifests.json."""
from __future__ import annotations

import collections
import pathlib

BEGIN, END = "<!-- figures: tests/field/verify.py --page -->\n", "<!-- end of figures -->\n"
# The columns that the collection shows of each finding, in the page's order: the code, and why it matters.
SHOWN = (
    ("average-divided", "an average under AverageValue is divided by the replicas: the workload shrinks under load"),
    ("several-elements", "the query gives an element per pod: from two pods on the read fails, and the size stays"),
    ("nothing-wakes-it", "at zero the pods that serve the metric are gone: it never comes back by itself"),
    ("target-beyond-range", "the metric never reaches the target"),
    ("resource-not-measured", "the resource metrics API has no such resource: no value ever"),
    ("label-not-a-name", "a Kubernetes label in PromQL: the server refuses the query"),
    ("total-multiplied", "a total under Value runs away to the maximum"),
    ("incorrect-replicas", "KEDA refuses the replica counts"),
    ("wrong-version-field", "minReplicas and maxReplicas are an HPA's fields; a ScaledObject drops them, and its minimum is 0"),
    ("missing-field", "the API server refuses it: a field is missing"),
    ("invalid-value", "the API server refuses it: a value is not allowed"),
    ("unknown-key", "a key that KEDA does not read, such as metricType among the metadata"),
    ("empty-reads-as-zero", "no answer reads as 0 and scales down (ignoreNullValues, a default)"),
)
NEVER = ("nothing-wakes-it", "target-beyond-range", "resource-not-measured", "label-not-a-name", "incorrect-replicas",
         "missing-field", "invalid-value")


def path_of_page() -> pathlib.Path:
    return pathlib.Path(__file__).parents[2] / "docs" / "field.md"


def row(*cells: object) -> str:
    return "| " + " | ".join(str(cell) for cell in cells) + " |\n"


def figures_of(entries: list[dict]) -> str:
    count = collections.Counter(code for entry in entries for code in set(entry["findings"]))
    kinds = collections.Counter(entry["kind"] for entry in entries)
    on = collections.Counter(on for entry in entries for on in set(entry["on"]))
    findings = sum(len(entry["findings"]) for entry in entries)
    false = sum(len(entry.get("false", [])) for entry in entries)
    missing = sum(entry["verdict"] == "missing" for entry in entries)
    never = sum(any(code in NEVER for code in entry["findings"]) for entry in entries)
    out = row("figure", "count") + row("---", "---")
    out += row("manifests", len(entries))
    out += row("repositories", len({entry["repository"] for entry in entries}))
    out += "".join(row(kind, number) for kind, number in sorted(kinds.items()))
    out += row("can never scale as written, or are refused", never)
    out += row("scale on cpu or memory alone", sum(set(entry["on"]) <= {"cpu", "memory"} for entry in entries))
    out += row("findings, false ones among them", f"{findings}, {false}")
    out += row("manifests with a fault that check does not tell", missing)
    out += "\n" + row("finding", "manifests", "why it matters") + row("---", "---", "---")
    out += "".join(row(f"`{code}`", count[code], why) for code, why in SHOWN)
    out += "\n" + row("what it scales on", "manifests") + row("---", "---")
    return out + "".join(row(name, number) for name, number in sorted(on.items(), key=lambda item: (-item[1], item[0])))


def page_of(entries: list[dict]) -> str:
    text = path_of_page().read_text()
    before, rest = text.split(BEGIN)
    return before + BEGIN + "\n" + figures_of(entries) + "\n" + END + rest.split(END)[1]

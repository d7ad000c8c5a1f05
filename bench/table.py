#!/usr/bin/env python3
"""Joins what the benchmark programs and their peers printed: results.json, results.md, results.svg, and a table to read.

    table.py FOLDER [NAME...]        reads FOLDER/said/*.json and FOLDER/libgputide*.stripped

A program prints results ({"name", "value", "unit", ...}); a peer prints what it needed for the same work ({"of", "peer",
"baseline", "value", "note"}) and becomes the result NAME_PEER with our value and its own as the baseline.
"""
import json
import pathlib
import sys

import picture

SIZE_GOALS_BYTES = {"": 1_900_000, "full_": 2_800_000, "pure_": 1_300_000}  # of each flavor


def library_sizes(folder: pathlib.Path) -> list[dict]:
    return [library_size(folder / f"libgputide{'-' * bool(flavor)}{flavor.removesuffix('_')}.stripped", flavor, goal)
            for flavor, goal in SIZE_GOALS_BYTES.items()]


def library_size(file: pathlib.Path, flavor: str, goal: int) -> dict:
    size = file.stat().st_size
    return {"name": f"library_{flavor}stripped_bytes", "value": size, "unit": "bytes", "baseline": "goal",
            "baseline_value": goal, "ratio": round(goal / size, 3), "note": "strip -s"}


def read(folder: pathlib.Path) -> list[dict]:
    said = [load for path in sorted((folder / "said").glob("*.json")) for load in json.loads(path.read_text())]
    ours = {entry["name"]: without_empty_baseline(entry) for entry in said if "name" in entry}
    against_peers = [joined(ours[entry["of"]], entry) for entry in said if entry.get("of") in ours]
    not_measured = [{"name": entry["missing"], "value": None, "unit": "", "baseline": None, "baseline_value": None,
                     "ratio": None, "note": f"not measured: {entry['why']}"}
                    for entry in said if "missing" in entry]
    return sorted([*ours.values(), *against_peers, *library_sizes(folder)], key=order) + not_measured


def without_empty_baseline(entry: dict) -> dict:
    return entry if entry["baseline"] else {**entry, "baseline": None, "baseline_value": None, "ratio": None}


def joined(ours: dict, peer: dict) -> dict:
    ratio = ours["value"] / peer["value"] if more_is_better(ours["unit"]) else peer["value"] / ours["value"]
    return {"name": f"{ours['name']}_{peer['peer']}", "value": ours["value"], "unit": ours["unit"],
            "baseline": peer["baseline"], "baseline_value": peer["value"], "ratio": round(ratio, 3), "note": peer["note"]}


def more_is_better(unit: str) -> bool:
    return "/" in unit


# By module, and parse_vector_8 before parse_vector_1000.
def order(entry: dict) -> list:
    return [(part.isdigit(), int(part) if part.isdigit() else 0, part) for part in entry["name"].split("_")]


def shown(number: float | None) -> str:
    if number is None:
        return ""
    if abs(number) >= 1e4:
        return f"{number:,.0f}"
    return f"{number:.3g}" if abs(number) < 100 else f"{number:.0f}"


def markdown(results: list[dict]) -> str:
    rows = ["| name | value | unit | baseline | ratio | against |", "|---|---:|---|---:|---:|---|"]
    rows += [f"| {result['name']} | {shown(result['value'])} | {result['unit']} | {shown(result['baseline_value'])} | "
             f"{'' if result['ratio'] is None else format(result['ratio'], '.2f')} | {result['baseline'] or result['note']} |"
             for result in results]
    return "\n".join(rows) + "\n"


def table(results: list[dict]) -> str:
    rows = [f"{'name':30} {'value':>15} {'unit':14} {'baseline':>15} {'ratio':>7}  against"]
    rows += [f"{result['name']:30} {shown(result['value']):>15} {result['unit']:14} {shown(result['baseline_value']):>15} "
             f"{'' if result['ratio'] is None else format(result['ratio'], '.3f'):>7}  {result['baseline'] or result['note']}"
             for result in results]
    return "\n".join(rows)


def main(arguments: list[str]) -> int:
    folder = pathlib.Path(arguments[1])
    wanted = set(arguments[2:])
    results = read(folder)
    unknown = wanted - {result["name"] for result in results}
    if unknown:
        print(f"no benchmark is named {', '.join(sorted(unknown))}", file=sys.stderr)
        return 2
    results = [result for result in results if not wanted or result["name"] in wanted]
    (folder / "results.json").write_text(json.dumps(results, indent=1) + "\n")
    (folder / "results.md").write_text(markdown(results))
    (folder / "results.svg").write_text(picture.of(results))
    print(table(results))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))

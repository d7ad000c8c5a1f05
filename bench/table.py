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
    said = [one for path in sorted((folder / "said").glob("*.json")) for one in json.loads(path.read_text())]
    ours = {one["name"]: without_empty_baseline(one) for one in said if "name" in one}
    against_peers = [joined(ours[one["of"]], one) for one in said if one.get("of") in ours]
    not_measured = [{"name": one["missing"], "value": None, "unit": "", "baseline": None, "baseline_value": None,
                     "ratio": None, "note": f"not measured: {one['why']}"}
                    for one in said if "missing" in one]
    return sorted([*ours.values(), *against_peers, *library_sizes(folder)], key=order) + not_measured


def without_empty_baseline(one: dict) -> dict:
    return one if one["baseline"] else {**one, "baseline": None, "baseline_value": None, "ratio": None}


def joined(ours: dict, peer: dict) -> dict:
    ratio = ours["value"] / peer["value"] if more_is_better(ours["unit"]) else peer["value"] / ours["value"]
    return {"name": f"{ours['name']}_{peer['peer']}", "value": ours["value"], "unit": ours["unit"],
            "baseline": peer["baseline"], "baseline_value": peer["value"], "ratio": round(ratio, 3), "note": peer["note"]}


def more_is_better(unit: str) -> bool:
    return "/" in unit


# By room, and parse_vector_8 before parse_vector_1000.
def order(one: dict) -> list:
    return [(part.isdigit(), int(part) if part.isdigit() else 0, part) for part in one["name"].split("_")]


def shown(number: float | None) -> str:
    if number is None:
        return ""
    if abs(number) >= 1e4:
        return f"{number:,.0f}"
    return f"{number:.3g}" if abs(number) < 100 else f"{number:.0f}"


def markdown(results: list[dict]) -> str:
    rows = ["| name | value | unit | baseline | ratio | against |", "|---|---:|---|---:|---:|---|"]
    rows += [f"| {one['name']} | {shown(one['value'])} | {one['unit']} | {shown(one['baseline_value'])} | "
             f"{'' if one['ratio'] is None else format(one['ratio'], '.2f')} | {one['baseline'] or one['note']} |"
             for one in results]
    return "\n".join(rows) + "\n"


def table(results: list[dict]) -> str:
    rows = [f"{'name':30} {'value':>15} {'unit':14} {'baseline':>15} {'ratio':>7}  against"]
    rows += [f"{one['name']:30} {shown(one['value']):>15} {one['unit']:14} {shown(one['baseline_value']):>15} "
             f"{'' if one['ratio'] is None else format(one['ratio'], '.3f'):>7}  {one['baseline'] or one['note']}"
             for one in results]
    return "\n".join(rows)


def main(arguments: list[str]) -> int:
    folder = pathlib.Path(arguments[1])
    wanted = set(arguments[2:])
    results = read(folder)
    unknown = wanted - {one["name"] for one in results}
    if unknown:
        print(f"no benchmark is named {', '.join(sorted(unknown))}", file=sys.stderr)
        return 2
    results = [one for one in results if not wanted or one["name"] in wanted]
    (folder / "results.json").write_text(json.dumps(results, indent=1) + "\n")
    (folder / "results.md").write_text(markdown(results))
    (folder / "results.svg").write_text(picture.of(results))
    print(table(results))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))

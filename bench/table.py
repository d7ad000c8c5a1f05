#!/usr/bin/env python3
"""Joins what the benchmark programs printed into results.json and prints it as a table.

    table.py FOLDER [NAME...]
"""
import json
import pathlib
import sys

SIZE_GOAL_BYTES = 1_500_000


def library_size(folder: pathlib.Path) -> dict:
    size = (folder / "libgputide.stripped").stat().st_size
    return {"name": "library_stripped_bytes", "value": size, "unit": "bytes", "baseline": "goal",
            "baseline_value": SIZE_GOAL_BYTES, "ratio": round(SIZE_GOAL_BYTES / size, 3), "note": "strip -s"}


def main(arguments: list[str]) -> int:
    folder = pathlib.Path(arguments[1])
    wanted = set(arguments[2:])
    results = [one for path in sorted(folder.glob("gputide_bench_*.json")) for one in json.loads(path.read_text())]
    results.append(library_size(folder))
    unknown = wanted - {one["name"] for one in results}
    if unknown:
        print(f"no benchmark is named {', '.join(sorted(unknown))}", file=sys.stderr)
        return 2
    results = [one for one in results if not wanted or one["name"] in wanted]
    (folder / "results.json").write_text(json.dumps(results, indent=1) + "\n")
    print(f"{'name':28} {'value':>14} {'unit':18} {'baseline':>14} {'ratio':>7}  against")
    for one in results:
        baseline = "" if one.get("baseline_value") is None else f"{one['baseline_value']:.6g}"
        ratio = "" if one.get("ratio") is None else f"{one['ratio']:.3f}"
        print(f"{one['name']:28} {one['value']:>14.6g} {one['unit']:18} {baseline:>14} {ratio:>7}  {one.get('baseline') or ''}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))

"""Runs inputs through the originals and through the library, and says where they differ.

    run.py PROGRAMS [--quick] [--seed N] [--only NAME] [--inputs N] [--write PAGE]

Exit status 1: a difference that known.py does not explain, or more of the recorded clusters differ than may."""

from __future__ import annotations

import argparse
import collections
import json
import random
import re
import secrets
import sys
import time
from pathlib import Path
from typing import Any

import nodes
from hpa import Hpa
from keda_executor import KedaExecutor
from keda_fallback import KedaFallback
from keda_formula import KedaFormula
from keda_jobs import KedaJobs
from keda_prometheus import KedaPrometheus
from known import KNOWN, known_of, unexplained
from original import Difference, Original, Outcome, Program, program_of
from scheduler import Scheduler
from shrink import shrink
from vpa import Vpa

HERE = Path(__file__).parent
# Passes and polls to compare of each: quick, whole.
ORIGINALS: tuple[tuple[Original, int, int], ...] = (
    (Hpa(), 2000, 60_000),
    (KedaExecutor(), 2000, 40_000),
    (KedaFallback(), 2000, 20_000),
    (KedaFormula(), 2000, 20_000),
    (KedaJobs(), 2000, 20_000),
    (KedaPrometheus(), 2000, 20_000),
    (Vpa(), 2000, 10_000),
    (Scheduler(), 500, 3000),
)
MAX_SHOWN = 5


class Run:
    """One original, as far as it has come."""

    def __init__(self, original: Original, folder: Path, seed: int) -> None:
        self.original, self.folder, self.seed = original, folder, seed
        self.program: Program = program_of(original, folder)
        self.compared = self.inputs = 0
        self.skipped: collections.Counter[str] = collections.Counter()
        self.explained: collections.Counter[str] = collections.Counter()
        self.unexplained: collections.Counter[str] = collections.Counter()

    def all(self, wanted: int) -> None:
        number = 0
        while self.compared < wanted and self.inputs < 3 * wanted:
            inputs = [self.original.make(random.Random(f"{self.seed}-{self.original.name}-{number + i}")) for i in range(50)]
            number += len(inputs)
            for given, answer in self.program.ask_all(inputs):
                self.take(given, answer)
        self.program.close()

    def take(self, given: dict[str, Any], answer: dict[str, Any]) -> None:
        self.inputs += 1
        outcome = self.original.compare(given, answer)
        self.compared += outcome.compared
        if outcome.skipped:
            self.skipped[re.sub(r"[0-9.]+", "N", outcome.skipped)[:160]] += 1
        for difference in outcome.differences:
            known = known_of(self.original.name, difference)
            if known:
                self.explained[known.name] += 1
        for entry in unexplained(self.original.name, outcome.differences):
            self.unexplained[entry.field] += 1
            if self.unexplained[entry.field] == 1 and len(self.unexplained) <= MAX_SHOWN:
                self.show(given, entry)

    def show(self, given: dict[str, Any], found: Difference) -> None:
        """The smallest input that still differs in this way, and the case that it makes."""
        second = program_of(self.original, self.folder, may_fail=True)

        def outcome_of(smaller: dict[str, Any]) -> tuple[dict[str, Any], Outcome]:
            answer = second.ask(smaller)
            return answer, self.original.compare(smaller, answer)

        def fails(smaller: dict[str, Any]) -> bool:
            nonlocal second
            try:
                _, outcome = outcome_of(smaller)
            except Exception:  # an input that the generator does not make, and that one side does not stand
                second.close()
                second = program_of(self.original, self.folder, may_fail=True)
                return False
            return any(entry.field == found.field for entry in unexplained(self.original.name, outcome.differences))

        smallest = shrink(self.original, given, fails)
        answer, outcome = outcome_of(smallest)
        second.close()
        item = next(entry for entry in unexplained(self.original.name, outcome.differences) if entry.field == found.field)
        print(f"\n{self.original.name}: {item.field} (step {item.step})")
        print(f"  original: {json.dumps(item.theirs)}\n  gputide:  {json.dumps(item.ours)}")
        print(f"  input:    {json.dumps(smallest)}\n  case:     {json.dumps(self.original.as_case(smallest, answer), default=str)}", flush=True)


def version_of(original: Original) -> str:
    """As go.mod pins it."""
    name = original.program[0]  # kubernetes/hpa, keda-poll, vpa
    modules = (HERE / "programs").glob("*/go.mod")
    text = next(at for at in modules if at.parent.name == name.partition("-")[0] or (at.parent / name).is_dir()).read_text()
    found = re.search(rf"^(?:require )?\s*{re.escape(original.version)} (v\S+)", text, re.MULTILINE)
    assert found, original.version
    return found.group(1)


def row_of(run: Run) -> list[str]:
    reasons = {known.name: known for known in KNOWN if known.original == run.original.name}
    sides: dict[bool, list[str]] = {True: [], False: []}
    for name, count in run.explained.most_common():
        sides[reasons[name].deliberate].append(f"{count} {name}")
    return [run.original.name, f"{run.original.version} {version_of(run.original)}", f"{run.compared:,}", str(sum(run.unexplained.values())),
            ", ".join(sides[True]) or "0", ", ".join(sides[False]) or "0"]  # fmt: skip


def recorded_row() -> tuple[list[str], bool]:
    """Recorded clusters: no more of them may differ than did."""
    held = json.loads((HERE / "recordings" / "cluster-autoscaler.json").read_text())
    total, found = nodes.differing()
    count = sum(map(len, found.values()))
    kinds = ", ".join(f"{len(names)} {kind}" for kind, names in sorted(found.items()))
    if count > held["max_differing"]:
        print(f"\ncluster-autoscaler: {count} of {total} clusters differ, {held['max_differing']} may: {json.dumps(found)}")
    row = ["cluster-autoscaler", f"{held['version']}, recorded", f"{total:,}", str(max(0, count - held["max_differing"])), "0", kinds or "0"]
    return row, count > held["max_differing"]


HEAD = ["original", "version", "compared", "unexplained", "deliberate", "open"]


def table(rows: list[list[str]]) -> str:
    return "\n".join("| " + " | ".join(row) + " |" for row in [HEAD, ["---"] * len(HEAD), *rows])


def write(page: Path, rows: list[list[str]]) -> None:
    """Replaces the rows of the originals that ran; with --only the others stay."""
    begin, end = "<!-- results of tests/originals/run.sh -->\n", "<!-- end -->"
    before, _, rest = page.read_text().partition(begin)
    written, _, after = rest.partition(end)
    held = {row[0]: row for row in ([cell.strip() for cell in line.strip("|").split("|")] for line in written.splitlines()[2:])}
    held |= {row[0]: row for row in rows}
    order = [*(original.name for original, _, _ in ORIGINALS), "cluster-autoscaler"]
    page.write_text(before + begin + table([held[name] for name in order if name in held]) + "\n" + end + after)


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("programs", type=Path)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--seed", type=int)
    parser.add_argument("--only", default="")
    parser.add_argument("--inputs", type=int)
    parser.add_argument("--write", type=Path)
    options = parser.parse_args()
    seed = secrets.randbelow(10**9) if options.seed is None else options.seed
    print(f"seed {seed}", flush=True)
    rows, failed = [], False
    for original, quick, whole in ORIGINALS:
        if options.only not in original.name:
            continue
        began = time.monotonic()
        run = Run(original, options.programs, seed)
        run.all(options.inputs or (quick if options.quick else whole))
        failed = failed or bool(run.unexplained)
        rows.append(row_of(run))
        print(f"{original.name}: {run.compared} compared in {time.monotonic() - began:.0f} s; unexplained {dict(run.unexplained)}", flush=True)
        for why, count in run.skipped.most_common():
            print(f"  {count} not compared: {why}")
        gone = [known.name for known in KNOWN if known.original == original.name and not run.explained[known.name]]
        if gone and not options.quick:
            print(f"  known, and not met: {', '.join(gone)}; what is fixed leaves known.py")
    if options.only in "cluster-autoscaler":
        row, grew = recorded_row()
        rows.append(row)
        failed = failed or grew
    print(table(rows))
    if options.write:
        write(options.write, rows)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())

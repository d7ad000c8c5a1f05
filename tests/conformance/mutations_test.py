#!/usr/bin/env python3
"""Every expectation counts: each member that a case expects, once made wrong, must fail that case.

    mutations_test.py RUNNER FILE.json... [-- RUNNER_OPTION...]

Of each file and kind, one case per member of its `expect` is written with that member changed; the runner must fail them all.
"""
from __future__ import annotations

import collections
import copy
import json
import pathlib
import subprocess
import sys
import tempfile

# Words for people, and lists of what must be absent, where one more name changes nothing.
NOT_COMPARED = {"note", "suspect", "absent_headers", "conditions_absent", "text_should_contain", "query_must_not_have"}
# (kind, member): KEDA's own wording, which these kinds' formats call optional; whether there is an error is compared.
WORDING = {("admission", "error_contains"), ("auth_params", "error_contains"), ("metrics_api_parse", "error_contains"),
           ("token_policy", "error_contains"), ("executor", "error")}


def changed(value):
    """Another value of the same kind."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, (int, float)):
        return value + 1_000_003  # beyond any range that a case allows
    if isinstance(value, str):
        return value + "~"
    if isinstance(value, list):
        return [*value[:-1], changed(value[-1])] if value and isinstance(value[-1], dict) else [*value, "~"]
    if isinstance(value, dict) and value:
        first = next(iter(value))
        return {**value, first: changed(value[first])}
    return {"~": 1} if value == {} else "~"


def mutants(cases: list[dict]) -> list[dict]:
    seen: set[tuple[str, str]] = set()
    out = []
    for case in cases:
        outcomes = case.get("expect_any") or [case.get("expect")]
        for member in dict.fromkeys(name for entry in outcomes if isinstance(entry, dict) for name in entry):
            key = (case.get("kind", ""), member)
            if member in NOT_COMPARED or key in WORDING or key in seen or any(member not in entry for entry in outcomes):
                continue
            seen.add(key)
            mutant = copy.deepcopy(case)
            for outcome in mutant.get("expect_any") or [mutant["expect"]]:
                outcome[member] = changed(outcome[member])
            mutant["name"] = f"{case.get('name') or case.get('id')}, wrong {member}"
            out.append(mutant)
    return out


def main() -> int:
    words = sys.argv[1:]
    options = words[words.index("--") + 1 :] if "--" in words else []
    runner, *files = words[: words.index("--")] if "--" in words else words
    survivors: list[str] = []
    total = 0
    with tempfile.TemporaryDirectory() as folder:
        for file in map(pathlib.Path, files):
            document = json.loads(file.read_text())
            document["cases"] = mutants(document["cases"])
            document.pop("jwt_assertions", None)
            path = pathlib.Path(folder) / file.name
            path.write_text(json.dumps(document))
            ran = subprocess.run([runner, *options, str(path)], capture_output=True, text=True, check=False)
            names = collections.Counter(case["name"] for case in document["cases"])
            failed = [name for name in names if any(line.startswith(name + ": ") for line in ran.stdout.splitlines())]
            survivors += [f"{file.name}: {name}" for name in names if name not in failed]
            total += len(names)
            if ran.returncode != 1:
                survivors.append(f"{file.name}: exit status {ran.returncode}, expected 1: {ran.stderr.strip()}")
    for line in survivors:
        print("passed though it is wrong:", line)
    print(f"{total - len(survivors)} of {total} wrong expectations were found")
    return 1 if survivors or total == 0 else 0


if __name__ == "__main__":
    sys.exit(main())

"""KEDA's scalingModifiers: formulas of expr against the library's own."""

from __future__ import annotations

import json
import random
from typing import Any

import gputide
from gputide.numbers import SampleState, Status

from keda_executor import FIRST_MS, scaled_object
from original import Difference, Original, Outcome

Json = dict[str, Any]
NAMES = ("a", "b", "queue_1")
ONE = ("abs", "ceil", "floor", "round", "int", "float")
MANY = ("min", "max", "mean", "median", "sum")


class KedaFormula(Original):
    name = "keda formula"
    version = "github.com/kedacore/keda/v2"
    program = ("keda-scalers", "formula")
    fixed = frozenset({"maxReplicaCount"})
    optional = frozenset()
    lists = frozenset({'steps'})

    def make(self, rng: random.Random) -> Json:
        names = list(NAMES[: rng.randint(1, 3)])
        spec: Json = {"scaleTargetRef": {"name": "x"}, "maxReplicaCount": 1000}
        spec["advanced"] = {"scalingModifiers": {"formula": number(rng, names, rng.randint(1, 4)), "target": rng.choice(["1", "2", "7", "10"])}}
        spec["triggers"] = [{"type": "values", "name": name, "metadata": {"threshold": "1"}} for name in names]
        nil = rng.random() < 0.3
        if nil:
            spec["fallback"] = {"failureThreshold": 0, "replicas": rng.choice([0, 3]), "behavior": "scalingModifiers"}
        return {"object": scaled_object(spec, {}), "names": names,
                "steps": [[self._value(rng, nil) for _ in names] for _ in range(3)]}  # fmt: skip

    def _value(self, rng: random.Random, nil: bool) -> int | None:
        if nil and rng.random() < 0.3:
            return None
        return rng.choice([0, 1, 500, 1000, 1500, 2000, 2500, 3000, 10000, 33333, 123456, rng.randint(0, 10**7)])

    def compare(self, given: Json, answer: Json) -> Outcome:
        out = Outcome(compared=1)
        manifest: Json = json.loads(json.dumps(given["object"]))
        manifest["metadata"]["annotations"] = {"gputide.io/sync-period": "0s"}
        manifest["spec"]["pollingInterval"] = 1
        formula = manifest["spec"]["advanced"]["scalingModifiers"]["formula"]
        facts = {"formula": formula, "nil": "fallback" in given["object"]["spec"]}
        theirs_admit = "refused" not in answer
        try:
            policy = gputide.Policy(json.dumps(manifest))
        except gputide.Error as error:
            if theirs_admit:
                out.differences = [Difference("admitted", True, str(error), facts=facts)]
            return out
        if not theirs_admit:
            out.differences = [Difference("admitted", answer["refused"], True, facts=facts)]
            return out
        for index, (step, theirs) in enumerate(zip(given["steps"], answer["steps"])):
            ours = value_of(policy, step)
            out.compared += 1
            if not same(theirs["milli"], ours):
                out.differences = [Difference("value", theirs["milli"], ours, index, facts)]
                break
        return out

    def as_case(self, given: Json, answer: Json) -> Json:
        modifiers, steps = given["object"]["spec"]["advanced"]["scalingModifiers"], answer.get("steps")
        if not steps:
            return {"name": "found by tests/originals", "kind": "formula_valid", "origin": "derived", "scalingModifiers": modifiers,
                    "triggers": given["object"]["spec"]["triggers"], "expect": {"ok": steps is not None}}  # fmt: skip
        values = {name: None if milli is None else milli / 1000 for name, milli in zip(given["names"], given["steps"][-1])}
        milli = steps[-1]["milli"]
        return {"name": "found by tests/originals", "kind": "formula", "origin": "derived", "formula": modifiers["formula"],
                "variables": values, "target": modifiers["target"], "fallback": given["object"]["spec"].get("fallback"),
                "expect": {"error": milli is None, **({} if milli is None else {"composite_milli": str(milli)})}}  # fmt: skip


def same(theirs: int | None, ours: int | None) -> bool:
    """A report's double does not hold all thousandths of a number beyond 2^50 of them."""
    if theirs is None or ours is None or abs(theirs) < 2**50:
        return theirs == ours
    return abs(theirs - ours) <= abs(theirs) * 2.0**-50


def value_of(policy: Any, step: list[int | None]) -> int | None:
    """Thousandths; None: no value."""
    failed = gputide.Sample(state=SampleState.FAILED, status=Status.UNAVAILABLE, message="no number")
    samples: list[Any] = [failed if milli is None else milli / 1000 for milli in step]
    seen = gputide.Observation(current=2, samples=samples, now=FIRST_MS, ready_replicas=2, status_replicas=2)
    report = policy.new_state(FIRST_MS).decide(seen, report=True).report.data
    formula = next((entry for entry in report["trace"] if entry["step"] == "formula"), {})
    value = formula.get("value")
    return None if value is None else round(value * 1000)  # cut off before it is reported


def number(rng: random.Random, names: list[str], depth: int) -> str:
    if depth <= 0 or rng.random() < 0.2:
        return rng.choice([*names, *names, "0", "1", "2.5", "10", "100"])
    form = rng.random()
    if form < 0.45:
        operator = rng.choice(["+", "-", "*", "/", "+", "-", "*", "**", "%"])
        if operator == "%":
            return f"(int({number(rng, names, depth - 1)}) % {rng.choice([2, 3, 7])})"
        if operator == "**":
            return f"({number(rng, names, depth - 1)} ** {rng.choice(['2', '0.5', '3', '1.5', '-2'])})"
        return f"({number(rng, names, depth - 1)} {operator} {number(rng, names, depth - 1)})"
    if form < 0.6:
        return f"{rng.choice(ONE)}({number(rng, names, depth - 1)})"
    if form < 0.75:
        return f"{rng.choice(MANY)}([{', '.join(number(rng, names, depth - 1) for _ in range(rng.randint(1, 3)))}])"
    if form < 0.85:
        return f"({truth(rng, names, depth - 1)} ? {number(rng, names, depth - 1)} : {number(rng, names, depth - 1)})"
    if form < 0.92:
        return f"({rng.choice(names)} ?? {number(rng, names, depth - 1)})"
    if form < 0.96:
        return f"count([{', '.join(names)}], {{# > {rng.choice([0, 1, 5])}}})"
    return f"-({number(rng, names, depth - 1)})"


def truth(rng: random.Random, names: list[str], depth: int) -> str:
    comparison = f"{number(rng, names, depth)} {rng.choice(['<', '>', '<=', '>=', '==', '!='])} {number(rng, names, depth)}"
    if rng.random() < 0.3:
        return f"({comparison}) {rng.choice(['and', 'or', '&&', '||'])} ({number(rng, names, 0)} > 1)"
    return comparison

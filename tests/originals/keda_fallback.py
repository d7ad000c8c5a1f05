"""KEDA's fallback: GetMetricsWithFallback, read by read, against a metric of gputide_decide."""

from __future__ import annotations

import json
import random
from typing import Any

import gputide
from gputide.numbers import SampleState, Status

from keda_executor import FIRST_MS, scaled_object
from original import CONDITION, REASON, TRUTH, Difference, Original, Outcome

Json = dict[str, Any]
BEHAVIORS = ("static", "currentReplicas", "currentReplicasIfHigher", "currentReplicasIfLower")


class KedaFallback(Original):
    name = "keda fallback"
    version = "github.com/kedacore/keda/v2"
    program = ("keda-poll", "fallback")
    optional = frozenset({'read_error', 'behavior'})
    lists = frozenset({'steps'})

    def make(self, rng: random.Random) -> Json:
        spec: Json = {"scaleTargetRef": {"name": "x"}, "maxReplicaCount": 1000}
        if rng.random() < 0.9:
            spec["fallback"] = {"failureThreshold": rng.choice([0, 1, 2, 3]), "replicas": rng.choice([0, 1, 4, 10])}
            if rng.random() < 0.7:
                spec["fallback"]["behavior"] = rng.choice(BEHAVIORS)
        threshold = rng.choice([1, 5, 0.5, 3.3, 7.25, 33, 0.001, 44.174, 1000000, rng.randint(1, 99999) / 1000])
        kind = rng.choice(["AverageValue", "AverageValue", "Value"])
        return {"object": scaled_object(spec, {}), "metric_type": kind, "threshold": threshold,
                "steps": [self._read(rng) for _ in range(rng.randint(2, 12))]}  # fmt: skip

    def _read(self, rng: random.Random) -> Json:
        read: Json = {"replicas": rng.choice([0, 1, 2, 3, 8, 20]), "ready": rng.choice([0, 1, 2, 3, 7])}
        if rng.random() < 0.7:
            read["error"] = "no number"
        else:
            read["value"] = rng.choice([0, 1, 42.5, 0.0004, 7, 1234.5678])
        if rng.random() < 0.05:
            read["read_error"] = "the size is not to be had"
        return read

    def compare(self, given: Json, answer: Json) -> Outcome:
        out = Outcome()
        if "refused" in answer:
            out.skipped = f"the original: {answer['refused']}"
            return out
        try:
            policy = gputide.Policy(json.dumps(counted(given)))
        except gputide.Error as error:
            out.skipped = f"refused: {error}"
            return out
        state, now = policy.new_state(FIRST_MS), FIRST_MS
        for index, (read, theirs) in enumerate(zip(given["steps"], answer["steps"])):
            now += 60_000
            found = compare_read(policy, state, given, read, theirs, now)
            out.compared += 1
            if found:
                out.differences = [Difference(entry.field, entry.theirs, entry.ours, index, entry.facts) for entry in found]
                break
        return out

    def as_case(self, given: Json, answer: Json) -> Json:
        kind, threshold = given["metric_type"], round(given["threshold"] * 1000)
        last, theirs = given["steps"][-1], answer["steps"][-1]
        before = answer["steps"][-2] if len(answer["steps"]) > 1 else {}
        health = {"s0-values": {"failures": before["failures"], "status": before["status"]}} if before.get("status") else {}
        case: Json = {
            "name": "found by tests/originals", "kind": "fallback", "origin": "derived", "fallback": given["object"]["spec"].get("fallback"),
            "health": health, "metric": "s0-values", "error": bool(last.get("error")), "target": {"type": kind, "milli": threshold},
            "readyPods": last["ready"],
            "expect": {"error": bool(theirs["error"]), "metric_milli": None if theirs["milli"] is None else str(theirs["milli"]),
                       "fallback_active": theirs["fallback"], "fallback_condition": theirs["condition"] == "True" if theirs["reason"] else None,
                       "health": {"s0-values": {"failures": theirs["failures"], "status": theirs["status"]}} if theirs["status"] else {}},
        }  # fmt: skip
        if not last.get("read_error"):
            case["currentReplicas"] = last["replicas"]
        if "value" in last:
            case["value"] = str(round(last["value"] * 1000))
        return case


def counted(given: Json) -> Json:
    """The profile in which a read counts as KEDA counts it; the HPA's half would count it once more."""
    out: Json = json.loads(json.dumps(given["object"]))
    out["metadata"]["annotations"] = {"gputide.io/sync-period": "24h"}
    out["spec"]["pollingInterval"] = 1
    metadata = {"threshold": repr(given["threshold"])}
    out["spec"]["triggers"] = [{"type": "values", "name": "one", "metricType": given["metric_type"], "metadata": metadata}]
    return out


def compare_read(policy: Any, state: Any, given: Json, read: Json, theirs: Json, now: int) -> list[Difference]:
    sample: Any = read.get("value")
    if read.get("error"):
        sample = gputide.Sample(state=SampleState.FAILED, status=Status.UNAVAILABLE, message=read["error"])
    seen = gputide.Observation(current=read["replicas"], samples=[sample], now=now, ready_replicas=read["ready"],
                               status_replicas=read["replicas"], unreadable=bool(read.get("read_error")))  # fmt: skip
    decision = state.decide(seen, report=True)
    ours = next((step for step in decision.report.data["trace"] if step["step"] == "metric"), {})
    facts = {"read_error": bool(read.get("read_error")), "fallback": given["object"]["spec"].get("fallback")}
    out = []

    def differ(field: str, wanted: Any, got: Any) -> None:
        if wanted != got:
            out.append(Difference(field, wanted, got, facts=facts))

    differ("falls back", theirs["fallback"], bool(ours.get("fallback")))
    if theirs["fallback"] and ours.get("fallback"):
        differ("fallback value", theirs["milli"], round(ours["fallback_value"] * 1000))
    differ("failed", bool(theirs["error"]), bool(ours.get("error")) and not ours.get("fallback"))
    health = state.describe().data["health"].get(policy.metrics[0], {})
    if theirs["status"]:
        differ("failures", (theirs["failures"], theirs["status"]), (health.get("failures"), health.get("status")))
    if theirs["reason"]:
        ours_condition = {CONDITION[kind]: (TRUTH[each.truth], REASON[each.reason]) for kind, each in decision.conditions.items()}
        differ("condition Fallback", (theirs["condition"], theirs["reason"]), ours_condition.get("Fallback"))
    return out

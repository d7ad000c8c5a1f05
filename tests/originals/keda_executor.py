"""KEDA's executor: RequestScale against KEDA's half of gputide_decide."""

from __future__ import annotations

import json
import random
from typing import Any

import gputide
from gputide.numbers import SampleState, Status

from original import CONDITION, EVENT, REASON, TRUTH, Difference, Original, Outcome

Json = dict[str, Any]
PAUSE = "autoscaling.keda.sh/paused"
ANNOTATIONS = (
    {PAUSE: "true"}, {PAUSE: "false"}, {f"{PAUSE}-replicas": "3"}, {f"{PAUSE}-scale-in": "true"}, {f"{PAUSE}-scale-out": "true"},
    {f"{PAUSE}-scale-in": "true", f"{PAUSE}-scale-out": "true"}, {"autoscaling.keda.sh/force-activation": "true"},
    {"autoscaling.keda.sh/force-activation": "true", PAUSE: "true"},
)  # fmt: skip


class KedaExecutor(Original):
    name = "keda executor"
    version = "github.com/kedacore/keda/v2"
    program = ("keda-poll", "executor")
    optional = frozenset({'initialCooldownPeriod', 'read_error', 'fallback', 'minReplicaCount', 'idleReplicaCount', 'cooldownPeriod', 'annotations', 'write_error', 'replicas'})
    lists = frozenset({'steps'})

    def make(self, rng: random.Random) -> Json:
        lowest = rng.choice([None, 0, 0, 0, 1, 2, 5])
        spec: Json = {"scaleTargetRef": {"name": "x"}, "maxReplicaCount": (lowest or 0) + rng.choice([1, 5, 100])}
        if lowest is not None:
            spec["minReplicaCount"] = lowest
        if lowest and rng.random() < 0.4:
            spec["idleReplicaCount"] = rng.randrange(lowest)
        for key, values in (("cooldownPeriod", [0, 1, 60, 300]), ("initialCooldownPeriod", [0, 60, 600])):
            if rng.random() < 0.5:
                spec[key] = rng.choice(values)
        if rng.random() < 0.3:
            spec["fallback"] = {"failureThreshold": 1000, "replicas": rng.choice([0, 1, 4])}
        annotations = rng.choice(ANNOTATIONS) if rng.random() < 0.2 else {}
        return {"object": scaled_object(spec, annotations), "steps": [self._poll(rng, spec) for _ in range(rng.randint(3, 25))]}

    def _poll(self, rng: random.Random, spec: Json) -> Json:
        waits = [30000, 30000, 30000, 1000, 60000, 59000, 61000, 300000, 301000, 601000]
        poll: Json = {"wait_ms": rng.choice(waits), "active": rng.random() < 0.4, "error": rng.random() < 0.2}
        if rng.random() < 0.25:
            poll["replicas"] = rng.choice([0, 0, 1, 2, 5, 7, spec.get("minReplicaCount", 0), spec.get("idleReplicaCount", 0)])
        if rng.random() < 0.04:
            poll["read_error"] = "the size is not to be had"
        if rng.random() < 0.06:
            poll["write_error"] = "the size was refused"
        if rng.random() < 0.05:
            poll["annotations"] = rng.choice(ANNOTATIONS) if rng.random() < 0.7 else {}
        return poll

    def compare(self, given: Json, answer: Json) -> Outcome:
        out = Outcome()
        if "refused" in answer:
            out.skipped = f"the original: {answer['refused']}"
            return out
        manifest = given["object"]
        try:
            state = gputide.Policy(json.dumps(polled(manifest))).new_state(FIRST_MS)
        except gputide.Error as error:
            out.skipped = f"refused: {error}"
            return out
        said: Json = {}
        for index, (poll, theirs) in enumerate(zip(given["steps"], answer["steps"])):
            if "annotations" in poll:
                manifest = {**manifest, "metadata": {**manifest["metadata"], "annotations": poll["annotations"]}}
                state = gputide.Policy(json.dumps(polled(manifest))).load_state(state.save())
                said["Paused"] = None  # the operator's other half says it of a changed object
            if "Paused" in said and said["Paused"] is None and not poll.get("read_error"):
                del said["Paused"]
            said.update({each["type"]: (each["status"], each["reason"], each["message"]) for each in theirs["conditions"] or []})
            found = compare_poll(state, poll, theirs, said)
            out.compared += 1
            if found:
                out.differences = [Difference(entry.field, entry.theirs, entry.ours, index, entry.facts) for entry in found]
                break
        return out

    def as_case(self, given: Json, answer: Json) -> Json:
        last, theirs = given["steps"][-1], answer["steps"][-1]
        before = answer["steps"][-2]["last_active_ms"] if len(given["steps"]) > 1 else None
        spec = {key: value for key, value in given["object"]["spec"].items() if key not in ("scaleTargetRef", "maxReplicaCount")}
        annotations = given["object"]["metadata"].get("annotations", {})
        for poll in given["steps"]:
            annotations = poll.get("annotations", annotations)
        note = {"note": "the size cannot be read, which a case does not say"} if last.get("read_error") else {}
        return {
            **note, "name": "found by tests/originals", "kind": "executor", "origin": "derived", "spec": spec,
            "state": {"currentReplicas": theirs["replicas"],
                      "lastActiveAgeSeconds": None if before is None else (theirs["now_ms"] - before) / 1000,
                      "createdAgeSeconds": (theirs["now_ms"] - FIRST_MS) / 1000, "writeFails": bool(last.get("write_error"))},
            "input": {"isActive": last["active"], "isError": last["error"]}, "annotations": annotations,
            "expect": {"write_replicas": (theirs["writes"] or [None])[-1],
                       "conditions": {each["type"]: {"status": each["status"], "reason": each["reason"]} for each in theirs["conditions"]},
                       "last_active_updated": theirs["last_active_ms"] != before,
                       "event": event_of(theirs) or None},
        }  # fmt: skip


FIRST_MS = 946_684_800_000  # 2000-01-01T00:00:00Z, where time begins inside of Go's testing/synctest


def scaled_object(spec: Json, annotations: Json) -> Json:
    return {"apiVersion": "keda.sh/v1alpha1", "kind": "ScaledObject",
            "metadata": {"name": "x", "namespace": "n", "annotations": annotations}, "spec": spec}  # fmt: skip


def polled(manifest: Json) -> Json:
    """Returns the same with two triggers: one with a number that makes it active, one that can fail.  The HPA's half is never due."""
    out: Json = json.loads(json.dumps(manifest))
    out["metadata"].setdefault("annotations", {})["gputide.io/sync-period"] = "24h"
    out["spec"]["pollingInterval"] = 1
    out["spec"]["triggers"] = [{"type": "values", "name": name, "metadata": {"threshold": "1"}} for name in ("number", "failure")]
    return out


def compare_poll(state: Any, poll: Json, theirs: Json, said: Json) -> list[Difference]:
    failed = gputide.Sample(state=SampleState.FAILED, status=Status.UNAVAILABLE, message="no number")
    samples: list[Any] = [5 if poll["active"] else 0, failed if poll["error"] else 0]
    unreadable = bool(poll.get("read_error"))
    seen = gputide.Observation(theirs["replicas"], samples, theirs["now_ms"], unreadable=unreadable, message=poll.get("read_error"))
    decision = state.decide(seen, report=True)
    executor = next((step for step in decision.report.data["trace"] if step["step"] == "executor"), {})
    facts = {"unreadable": unreadable, "refused": bool(poll.get("write_error")), "row": executor.get("row")}
    out = []
    written = (theirs["writes"] or [None])[-1]
    if written != executor.get("write"):
        out.append(Difference("write", written, executor.get("write"), facts=facts))
    if decision.wants_write and decision.by_executor and executor.get("write") is not None:
        state.record(decision, applied=not poll.get("write_error"), now=theirs["now_ms"], message=poll.get("write_error"))
    messages = {condition["type"]: condition for condition in decision.report.data["conditions"]}
    ours = {CONDITION[kind]: (TRUTH[condition.truth], REASON[condition.reason]) for kind, condition in decision.conditions.items()}
    told = {condition["type"] for condition in theirs["conditions"] or []}  # a report has the words of its own poll alone
    for name in ("Ready", "Active", "Paused"):
        a, b = said.get(name), ours.get(name)
        if name in said and a is None:
            continue
        if a is None and (b is None or b[0] == "False" or name == "Active"):
            continue  # KEDA sets Paused where it is True, and Active not before the first poll that reads the size
        reason = {**facts, "condition": name, "reason": a and a[1]}
        if a is None or b is None or a[:2] != b:
            out.append(Difference(f"condition {name}", a, b, facts=reason))
        elif name in told and messages[name]["reason"] == b[1] and messages[name]["message"] != a[2]:
            out.append(Difference(f"message {name}", a[2], messages[name]["message"], facts=reason))
    remembered = state.describe().data["last_active_ms"]
    if theirs["last_active_ms"] != remembered:
        out.append(Difference("last active", theirs["last_active_ms"], remembered, facts=facts))
    if event_of(theirs) != EVENT[decision.event]:
        out.append(Difference("event", event_of(theirs), EVENT[decision.event], facts=facts))
    return out


def event_of(theirs: Json) -> str:
    """The reason of the last event; "" where there is none."""
    last: str = (theirs["events"] or [" "])[-1]
    return last.split(" ")[1].rstrip(":")

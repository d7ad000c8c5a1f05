"""KEDA's ScaledJobs: the handler's counting, the strategies and RequestJobScale against gputide_scaled_job_decide, profile strict."""

from __future__ import annotations

import json
import random
from typing import Any

import gputide

from original import Difference, Original, Outcome

Json = dict[str, Any]
STRATEGIES = ("default", "custom", "accurate", "eager", "")


class KedaJobs(Original):
    name = "keda jobs"
    version = "github.com/kedacore/keda/v2"
    program = ("keda-poll", "jobs")
    optional = frozenset({'maxReplicaCount', 'multipleScalersCalculation', 'minReplicaCount', 'strategy'})
    lists = frozenset()

    def make(self, rng: random.Random) -> Json:
        triggers = []
        for _ in range(rng.choice([1, 1, 2, 3])):
            trigger: Json = {"threshold": rng.choice([1, 1, 2, 5, 0.5, 1.2, 10, 100, 0.3])}
            trigger["activation"] = rng.choice([0, 0, 1, 5])
            trigger["value"] = None if rng.random() < 0.1 else rng.choice([0, 1, 3, 7, 13.2, 10, 100, 0.001, 168, rng.randint(0, 3000)])
            triggers.append(trigger)
        running = rng.choice([0, 0, 1, 2, 3, 5, 10, 30])
        strategy: Json = {key: value for key, value in (("strategy", rng.choice(STRATEGIES)),
                          ("multipleScalersCalculation", rng.choice(["max", "min", "avg", "sum", ""]))) if value}  # fmt: skip
        if strategy.get("strategy") == "custom":
            strategy["customScalingQueueLengthDeduction"] = rng.choice([0, 1, 3])
            strategy["customScalingRunningJobPercentage"] = rng.choice(["0.5", "0.33", "1", "0", "x"])
        spec: Json = {"jobTargetRef": {"template": {"spec": {"containers": [{"name": "c", "image": "i"}], "restartPolicy": "Never"}}}}
        spec["scalingStrategy"] = strategy
        if rng.random() < 0.6:
            spec["minReplicaCount"] = rng.choice([0, 1, 3])
        if rng.random() < 0.9:
            spec["maxReplicaCount"] = rng.choice([1, 2, 5, 10, 100])
        spec["triggers"] = [{"type": "values", "metadata": {"threshold": repr(entry["threshold"]), "activationThreshold": repr(entry["activation"])}}
                            for entry in triggers]  # fmt: skip
        manifest = {"apiVersion": "keda.sh/v1alpha1", "kind": "ScaledJob", "metadata": {"name": "x", "namespace": "n"}, "spec": spec}
        return {"object": manifest, "triggers": triggers, "running": running, "pending": rng.randint(0, running),
                "was_active": rng.random() < 0.5}  # fmt: skip

    def compare(self, given: Json, answer: Json) -> Outcome:
        out = Outcome(compared=1)
        if "refused" in answer:
            return Outcome(skipped=f"the original: {answer['refused']}")
        manifest: Json = json.loads(json.dumps(given["object"]))
        manifest["metadata"]["annotations"] = {"gputide.io/profile": "strict"}
        seen = {"values": [trigger["value"] for trigger in given["triggers"]], "running": given["running"], "pending": given["pending"],
                "was_active": given["was_active"]}  # fmt: skip
        try:
            ours = gputide.decide_scaled_job(json.dumps(manifest), json.dumps(seen)).data
        except gputide.Error as error:
            return Outcome(skipped=f"refused: {error}")
        facts = {"strategy": given["object"]["spec"]["scalingStrategy"], "created": answer["created"]}
        conditions = [{each["type"]: (each["status"], each["reason"], each["message"]) for each in side["conditions"]} for side in (answer, ours)]
        members = [("create", answer["created"], ours["create"]), ("active", answer["active"], ours["active"])]
        members += [(f"condition {kind}", conditions[0].get(kind), conditions[1].get(kind)) for kind in ("Ready", "Active")]
        members.append(("events", sorted(answer["events"] or []), sorted(f"{each['type']} {each['reason']}: {each['message']}" for each in ours["events"])))
        out.differences = [Difference(field, wanted, got, facts=facts) for field, wanted, got in members if wanted != got]
        return out

"""Tests what `gputided adopt` prints, and when; tests/cluster tests all of it against a real API server."""
from __future__ import annotations

import time
from typing import Any

import harness
from cluster.case import HPA, KEDA, OnACluster
from harness import Background

LOOKS_S = 1.2  # so that what is waited for is looked at more than once


class Adopting(OnACluster):
    def put(self, is_paused: bool) -> None:
        """As KEDA has it."""
        scaled_object = self.scaled_object("llm", finalizers=["finalizer.keda.sh"])
        if is_paused:
            scaled_object["metadata"]["annotations"] = self.api.get(KEDA, "scaledobjects", "llm")["metadata"]["annotations"]
            scaled_object["status"] = {"conditions": [{"type": "Paused", "status": "True"}]}
        self.api.put(KEDA, "scaledobjects", scaled_object)

    def adopt(self, *more: str) -> Background:
        flags, environment = self.account("admin")
        return self.enterContext(Background([harness.PROGRAM, "adopt", "ml/llm", *flags, *more], env=environment))

    def test_each_step_is_printed_as_it_happens(self) -> None:
        hpa: dict[str, Any] = {"metadata": {"name": "keda-hpa-llm", "namespace": "ml",
                                            "ownerReferences": [{"kind": "ScaledObject", "name": "llm"}]}, "spec": {}}
        self.put(is_paused=False)
        self.api.put(HPA, "horizontalpodautoscalers", hpa)
        adopting = self.adopt()
        adopting.wait_for(lambda: "Paused=True yet\n" in adopting.out)
        time.sleep(LOOKS_S)
        self.put(is_paused=True)
        adopting.wait_for(lambda: "still exists\n" in adopting.out)
        time.sleep(LOOKS_S)
        self.api.delete(HPA, "horizontalpodautoscalers", "keda-hpa-llm")
        self.assertEqual(adopting.process.wait(harness.PATIENCE_S), 0)
        self.assertRegex(adopting.out, r"""^done, \d+ ms +annotate it with autoscaling\.keda\.sh/paused: "true"
waiting        wait until KEDA's condition is Paused=True: KEDA has not set the condition Paused=True yet
done, \d+ ms +wait until KEDA's condition is Paused=True
waiting        wait until KEDA's HPA is deleted: KEDA's HPA keda-hpa-llm still exists
done, \d+ ms +wait until KEDA's HPA is deleted
done, \d+ ms +annotate it with gputide\.io/owner: gputide
done: ml/llm: gputide scales it; KEDA is paused
$""")

    def test_as_json_it_prints_the_outcome_alone(self) -> None:
        self.put(is_paused=False)
        adopting = self.adopt("--output", "json", "--timeout-ms", "1500")
        self.assertEqual(adopting.process.wait(harness.PATIENCE_S), 1)
        self.assertRegex(adopting.out, r'^\{.*"result":"waiting".*\}\n$')

"""Tests other writers and failing servers: nothing is undone, and gputided goes on."""
from __future__ import annotations

import json
import pathlib
import re
import resource
import time
from typing import Any

import harness
from cluster.case import APPS, HPA, OnACluster
from cluster.objects import deployment


class Trouble(OnACluster):
    def test_a_rollout_moves_the_version_between_read_and_write(self) -> None:
        self.scale("llm")
        touches = [2]

        def rollout(_: str) -> None:
            if touches[0] > 0:
                touches[0] -= 1
                self.api.touch("llm")
        self.api.before_put = rollout
        daemon = self.start("a")
        self.wants(22, "llm", 5, daemon)
        daemon.wait_for(lambda: self.told(daemon, "write"))
        self.assertEqual(self.told(daemon, "write")[0]["conflicts"], 2)
        self.assertEqual(len(self.api.writes), 1)

    def test_somebody_who_scales_meanwhile_is_not_undone(self) -> None:
        self.scale("llm")
        once = [True]

        def by_hand(_: str) -> None:
            if once.pop() if once else False:
                get = self.api.get(APPS, "deployments", "llm")
                get["spec"]["replicas"] = 9
                self.api.put(APPS, "deployments", get)
        self.api.before_put = by_hand
        daemon = self.start("a")
        self.metric.value = 22
        daemon.wait_for(lambda: self.told(daemon, "write"))
        self.assertEqual(self.told(daemon, "write")[0]["result"], "changed")
        daemon.wait_for(lambda: self.api.replicas("llm") == 5)  # of a decision that knew of the 9
        self.assertEqual([(write.old, write.new) for write in self.api.writes], [(9, 5)])

    def test_watches_that_break_go_on(self) -> None:
        self.scale("llm")
        daemon = self.start("a")
        self.wants(22, "llm", 5, daemon)
        for break_them in (self.api.cut, lambda: self.api.cut(in_object=True), self.api.compact):
            break_them()
            self.wants(1, "llm", 1, daemon)
            self.wants(22, "llm", 5, daemon)

    def test_a_lack_of_memory_is_said_and_counted(self) -> None:
        """Objects come that do not fit: it says so, scales what it knows once there is memory again, and has lost nothing."""
        self.scale("llm")
        daemon = self.start("a")
        self.wants(22, "llm", 5, daemon)
        self.assertRegex(daemon.get("/metrics")[2], r"(?m)^gputided_failed_allocations_total 0$")
        pid = daemon.process.pid
        status = pathlib.Path(f"/proc/{pid}/status").read_text()
        data_bytes = int(next(line.split()[1] for line in status.splitlines() if line.startswith("VmData:"))) * 1024
        before = resource.prlimit(pid, resource.RLIMIT_DATA)
        resource.prlimit(pid, resource.RLIMIT_DATA, (data_bytes + (1 << 20), before[1]))
        for number in range(6):
            large = deployment(f"large-{number}", 1)
            large["metadata"]["annotations"] = {f"part-{part}": "x" * 200_000 for part in range(20)}
            self.api.put(APPS, "deployments", large)
        daemon.wait_for(lambda: "allocations failed for lack of memory" in daemon.err)
        self.assertEqual(daemon.err.count("allocations failed for lack of memory"), 1, "once a minute at most")
        resource.prlimit(pid, resource.RLIMIT_DATA, before)
        self.scale("other")
        self.wants(1, "llm", 1, daemon)
        self.wants(22, "other", 5, daemon)
        self.assertRegex(daemon.get("/metrics")[2], r"(?m)^gputided_failed_allocations_total [1-9]")

    def test_a_server_that_knows_no_rights_for_a_moment(self) -> None:
        """As a real one, just after its start."""
        self.scale("llm")
        daemon = self.start("a")
        self.wants(22, "llm", 5, daemon)
        self.api.forbids = True
        self.api.cut()

        def hidden() -> bool:
            return any(not watch["known"] for watch in json.loads(daemon.get("/cluster.json")[2])["watches"])
        daemon.wait_for(hidden)
        self.metric.value = 1
        self.api.forbids = False
        began = time.monotonic()
        daemon.wait_for(lambda: self.api.replicas("llm") == 1)
        self.assertLess(time.monotonic() - began, 15)

    def test_a_token_that_expired_is_read_again_at_once(self) -> None:
        self.scale("llm")
        daemon = self.start("a")
        self.wants(22, "llm", 5, daemon)
        with self.api.changed:
            self.api.callers = {f"{harness.CLUSTER_TOKEN}-late": self.caller("a")}
        self.api.cut()
        self.metric.value = 1
        time.sleep(8)  # longer than the Lease
        self.assertEqual(self.api.replicas("llm"), 5)
        harness.write("a/token", f"{harness.CLUSTER_TOKEN}-late\n")
        began = time.monotonic()
        daemon.wait_for(lambda: self.api.replicas("llm") == 1)
        self.assertLess(time.monotonic() - began, 10)

    def test_refusals_are_told_and_not_repeated_at_once(self) -> None:
        self.scale("llm")
        self.api.answer_scale = (422, "Invalid")
        daemon = self.start("a")
        self.metric.value = 22
        daemon.wait_for(lambda: self.told(daemon, "write"))
        time.sleep(4)
        self.assertEqual([entry["result"] for entry in self.told(daemon, "write")], ["refused"])
        self.assertEqual(self.api.replicas("llm"), 1)

    def test_a_target_that_has_an_hpa_is_left_alone(self) -> None:
        self.scale("llm")
        self.api.put(HPA, "horizontalpodautoscalers", self.hpa("somebodys", desired=1))
        daemon = self.start("a")
        self.metric.value = 22
        daemon.wait_for(lambda: self.told(daemon, "held"))
        self.assertEqual(self.told(daemon, "held")[0]["reason"], "contested")

        def held() -> dict[str, str]:
            return dict(re.findall(r'^gputided_cluster_held_by_reason\{reason="(\w+)"\} (\d+)$', daemon.get("/metrics")[2], re.MULTILINE))
        others = dict.fromkeys(("refused", "unknown_kind", "no_target", "unseen", "not_owner"), "0")
        daemon.wait_for(lambda: held() == {**others, "contested": "1"})
        time.sleep(2)
        self.assertEqual(self.api.writes, [])
        self.api.delete(HPA, "horizontalpodautoscalers", "somebodys")
        daemon.wait_for(lambda: self.api.replicas("llm") == 5)
        daemon.wait_for(lambda: held() == {**others, "contested": "0"})

    def test_hpas_of_a_server_without_autoscaling_v2(self) -> None:
        """Kubernetes 1.22 and older: v2beta2, where the same is read."""
        self.api.hpa_version = older = "autoscaling/v2beta2"
        self.scale("llm")
        self.api.put(older, "horizontalpodautoscalers", self.hpa("somebodys", desired=1))
        daemon = self.start("a")
        self.metric.value = 22
        daemon.wait_for(lambda: "contested" in [entry["reason"] for entry in self.told(daemon, "held")])
        self.assertEqual(self.api.writes, [])

        def watch() -> Any:  # as of the last second
            return next(entry for entry in json.loads(daemon.get("/cluster.json")[2])["watches"] if entry["resource"] == "horizontalpodautoscalers")
        daemon.wait_for(lambda: watch()["known"])
        self.assertFalse(watch()["missing"])
        self.api.delete(older, "horizontalpodautoscalers", "somebodys")
        daemon.wait_for(lambda: self.api.replicas("llm") == 5)

    def test_a_paused_one_is_ours_where_it_names_us(self) -> None:
        self.scale("llm", annotations={"autoscaling.keda.sh/paused": "true", "gputide.io/owner": "gputide"})
        self.scale("kept", annotations={"autoscaling.keda.sh/paused": "true"})
        self.scale("theirs", annotations={"gputide.io/owner": "another"})
        daemon = self.start("a")
        self.wants(22, "llm", 5, daemon)
        time.sleep(2)
        self.assertEqual((self.api.replicas("kept"), self.api.replicas("theirs")), (1, 1))

    def hpa(self, name: str, desired: int, target: str = "llm") -> dict[str, Any]:
        return {"metadata": {"name": name, "namespace": "ml"},
                "spec": {"scaleTargetRef": {"apiVersion": APPS, "kind": "Deployment", "name": target}, "maxReplicas": 9},
                "status": {"desiredReplicas": desired, "currentReplicas": desired, "conditions": [
                    {"type": "ScalingLimited", "status": "True", "reason": "TooManyReplicas", "message": "at the maximum"}]}}

    def test_shadow_writes_nothing_and_tells_the_difference(self) -> None:
        self.scale("llm", replicas=2)
        self.api.put(HPA, "horizontalpodautoscalers", self.hpa("keda-hpa-llm", desired=2))
        daemon = self.start("a", "--shadow")
        self.metric.value = 22
        daemon.wait_for(lambda: self.told(daemon, "difference"))
        told = self.told(daemon, "difference")[0]
        self.assertEqual((told["ours"], told["theirs"]), (5, 2))
        self.assertIn("TooManyReplicas", told["their_reason"])
        self.assertEqual({method for _, method, _ in self.api.requests}, {"GET"})
        self.assertFalse(any("/leases" in path for _, _, path in self.api.requests))
        daemon.wait_for(lambda: "gputided_cluster_differences_total 1" in daemon.get("/metrics")[2])

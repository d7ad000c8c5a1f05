"""ScaledJobs on a real API server, with the real Job controller behind it: a queue's length in a real Prometheus becomes Jobs, each
once, while leaders die and sleep.

No nodes run here: the Job controller makes the pods, and the test writes their phases as a kubelet would.
"""
from __future__ import annotations

import signal
import time
from typing import Any

from api_client import Object, Refused
from case import CORE, KEDA, LEASE_S, Case, Instance, World

BATCH = "batch/v1"
NAME = "scaledjob.keda.sh/name"


class Jobs(Case):
    def setUp(self) -> None:
        super().setUp()
        self.gauges["train"] = 0

    def scaled_job(self, name: str = "train", **spec: Any) -> None:
        """A Job an item, looked at each second; the gauge counts waiting and taken items."""
        self.api.create("scaledjobs", {
            "apiVersion": KEDA, "kind": "ScaledJob", "metadata": {"name": name, "namespace": self.namespace},
            "spec": {"pollingInterval": 1, "jobTargetRef": {"backoffLimit": 0, "template": {"spec": {
                "restartPolicy": "Never", "containers": [{"name": "main", "image": "none.invalid/train:1"}]}}},
                "triggers": [{"type": "prometheus", "metadata": {
                    "serverAddress": World.gauges.prometheus, "query": f'sum(load{{app="{self.gauges.label(name)}"}})', "threshold": "1"}}],
                **spec}})

    def jobs(self, name: str = "train") -> list[Object]:
        out: list[Object] = [item for item in self.api.get(BATCH, "jobs", self.namespace)["items"]
                             if item["metadata"]["labels"].get(NAME) == name]
        return out

    def ended(self, name: str = "train") -> int:
        return sum(any(each["type"] == "Complete" and each["status"] == "True" for each in job.get("status", {}).get("conditions", []))
                   for job in self.jobs(name))

    def kubelet(self, phase: str, job: str = "") -> None:
        """Pods of Jobs take that phase; the Job controller counts what ends."""
        for pod in self.api.get(CORE, "pods", self.namespace)["items"]:
            metadata = pod["metadata"]
            if metadata["labels"].get("job-name") != job and job or pod["status"].get("phase") in ("Succeeded", "Failed"):
                continue
            try:
                self.api.patch({"status": {"phase": phase}}, CORE, "pods", self.namespace, metadata["name"], "status")
            except Refused as why:
                if why.code != 404:  # its Job went meanwhile
                    raise

    def stays(self, count: int, seconds: float = 3, name: str = "train") -> None:
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            self.assertEqual(len(self.jobs(name)), count)
            time.sleep(0.1)

    def created(self) -> int:
        """By the audit log: those that the server took."""
        return sum(seen.verb == "create" and seen.resource == "jobs" and seen.code == 201 for seen in self.seen())

    def numbered(self, count: int) -> None:
        """Each number once; the answer to one may have been lost with its leader, and no more were taken than that."""
        numbers = [int(job["metadata"]["annotations"]["gputide.io/ordinal"]) for job in self.jobs()]
        self.assertEqual(sorted(numbers), list(range(1, count + 1)))
        self.assertIn(self.created(), (count - 1, count))

    def ready(self, *names: str) -> list[Instance]:
        """The first one leads."""
        out: list[Instance] = []
        for name in names:
            out.append(self.start(name))
            self.leads(out[0])
            out[-1].daemon.wait_for(lambda: out[-1].told("added", "train"))
        return out

    def test_a_queue_of_five_and_none_again(self) -> None:
        self.scaled_job(successfulJobsHistoryLimit=2)
        entry, = self.ready("a")
        began = time.monotonic()
        self.gauges["train"] = 5
        entry.daemon.wait_for(lambda: len(self.jobs()) == 5)
        took = time.monotonic() - began
        self.stays(5)
        self.within(lambda: len(self.api.get(CORE, "pods", self.namespace)["items"]) == 5, 30)
        self.kubelet("Running")
        self.stays(5)
        self.gauges["train"] = 0
        time.sleep(2.5)  # the gauge is scraped each second: what ends while it says 5 is replaced, as it should be
        self.kubelet("Succeeded")
        entry.daemon.wait_for(lambda: len(self.jobs()) == 2 and self.ended() == 2, 60)
        self.stays(2)
        self.assertEqual(self.created(), 5)
        owner = self.jobs()[0]["metadata"]["ownerReferences"][0]
        self.assertEqual((owner["kind"], owner["name"], owner["controller"]), ("ScaledJob", "train", True))
        row = " ".join(self.plane.kubectl("get", "sj", "train", "--namespace", self.namespace, "--no-headers").split())
        self.assertIn("True", row)
        told = self.plane.kubectl("get", "events", "--namespace", self.namespace, "--no-headers", "--field-selector",
                                  "involvedObject.kind=ScaledJob", "-o", "custom-columns=REASON:.reason,MESSAGE:.message")
        self.assertIn("Created 5 jobs", told)
        self.api.delete(KEDA, "scaledjobs", self.namespace, "train")
        self.within(lambda: not self.jobs(), 60)  # by their owner
        self.figure("0 to 5 Jobs, from when the gauge changed", f"{took:.1f} s, 5 created; then {row}")

    def test_a_leader_that_dies_between_two_creations(self) -> None:
        self.scaled_job()
        first, second = self.ready("a", "b")
        self.gauges["train"] = 20
        self.within(lambda: self.jobs(), 30)
        first.daemon.end(signal.SIGKILL)
        there = len(self.jobs())
        self.leads(second)
        second.daemon.wait_for(lambda: len(self.jobs()) >= 20)
        self.stays(20)
        self.numbered(20)
        self.figure("Jobs of 20 at the leader's death, and in all", f"{there}, {len(self.jobs())}")

    def test_a_leader_that_sleeps_and_wakes(self) -> None:
        self.scaled_job()
        first, second = self.ready("a", "b")
        self.gauges["train"] = 20
        self.within(lambda: self.jobs(), 30)
        first.daemon.process.send_signal(signal.SIGSTOP)
        there = len(self.jobs())
        self.leads(second)
        second.daemon.wait_for(lambda: len(self.jobs()) >= 20)
        first.daemon.process.send_signal(signal.SIGCONT)
        self.stays(20, LEASE_S + 2)
        self.numbered(20)
        self.figure("Jobs of 20 when the leader fell asleep, and in all", f"{there}, {len(self.jobs())}")

    def allow_jobs(self, hard: int, used: int = 0) -> None:
        """As the quota's controller writes it, which is none of those that run here."""
        self.api.patch({"status": {"hard": {"count/jobs.batch": str(hard)}, "used": {"count/jobs.batch": str(used)}}},
                       CORE, "resourcequotas", self.namespace, "jobs", "status")

    def test_a_quota_and_a_template_that_the_server_refuses(self) -> None:
        """Each is held with what to do, and another one goes on."""
        self.api.create("resourcequotas", {"apiVersion": CORE, "kind": "ResourceQuota", "metadata": {
            "name": "jobs", "namespace": self.namespace}, "spec": {"hard": {"count/jobs.batch": "3"}}})
        self.allow_jobs(3)
        self.scaled_job()
        self.scaled_job("broken", jobTargetRef={"template": {"spec": {"restartPolicy": "Sometimes", "containers": [
            {"name": "main", "image": "none.invalid/train:1"}]}}})
        self.gauges["broken"] = 0
        entry, = self.ready("a")
        self.gauges["broken"] = 1
        held = entry.daemon.wait_for(lambda: entry.held("broken"))
        self.assertEqual((held["kind"], held["reason"]), ("ScaledJob", "refused"))
        self.assertIn("spec.jobTargetRef", held["message"])
        self.assertIn("restartPolicy", held["message"])
        self.gauges["train"] = 5
        held = entry.daemon.wait_for(lambda: entry.held("train"))
        self.assertIn("exceeded quota", held["message"])
        self.assertEqual(len(self.jobs()), 3)
        self.allow_jobs(10, 3)
        entry.daemon.wait_for(lambda: len(self.jobs()) == 5, 60)
        self.assertEqual(self.jobs("broken"), [])
        self.figure("held by a quota", held["message"])

    def pause(self, value: str | None) -> None:
        self.api.patch({"metadata": {"annotations": {"autoscaling.keda.sh/paused": value}}}, KEDA, "scaledjobs", self.namespace, "train")

    def paused(self) -> tuple[str, str, str]:
        conditions = self.api.get(KEDA, "scaledjobs", self.namespace, "train").get("status", {}).get("conditions", [])
        return next(((each["status"], each["reason"], each["message"]) for each in conditions if each["type"] == "Paused"), ("", "", ""))

    def test_paused_and_not_any_more(self) -> None:
        self.scaled_job()
        entry, = self.ready("a")
        self.gauges["train"] = 2
        entry.daemon.wait_for(lambda: len(self.jobs()) == 2)
        entry.daemon.wait_for(lambda: self.paused() == ("False", "", ""), 30)
        self.pause("true")
        entry.daemon.wait_for(lambda: self.paused() == ("True", "ScaledJobPaused", "ScaledJob is paused"), 30)
        self.gauges["train"] = 4
        self.stays(2)
        self.pause(None)
        entry.daemon.wait_for(lambda: len(self.jobs()) == 4)
        entry.daemon.wait_for(lambda: self.paused() == ("False", "ScaledJobUnpaused", "ScaledJob is unpaused"), 30)

    def test_a_new_template_replaces_what_runs(self) -> None:
        self.scaled_job()
        entry, = self.ready("a")
        self.gauges["train"] = 2
        entry.daemon.wait_for(lambda: len(self.jobs()) == 2)
        old = {job["metadata"]["uid"] for job in self.jobs()}
        self.api.patch({"spec": {"maxReplicaCount": 50}}, KEDA, "scaledjobs", self.namespace, "train")

        def are_replaced() -> bool:
            """By one list: between two of them the old ones may go."""
            now = {job["metadata"]["uid"] for job in self.jobs()}
            return len(now) == 2 and not old & now
        entry.daemon.wait_for(are_replaced)
        self.stays(2)
        self.assertEqual(self.created(), 4)

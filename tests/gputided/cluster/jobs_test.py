"""gputided run --kubernetes and ScaledJobs, against the API server that keeps objects and is strict: how many Jobs are created, and
that no lost answer, no second leader and no watch that lags creates one twice."""
from __future__ import annotations

import json
import signal
import time
from typing import Any

import chromium
from cluster.case import KEDA, LEASE_S, OnACluster
from harness import Daemon

BATCH = "batch/v1"
NAME = "scaledjob.keda.sh/name"
PAUSED = "autoscaling.keda.sh/paused"


class Jobs(OnACluster):
    def setUp(self) -> None:
        super().setUp()
        self.metric.value = 0

    def scaled_job(self, name: str, trigger: dict[str, str] | None = None, metadata: dict[str, Any] | None = None, **spec: Any) -> None:
        """A Job an item, looked at each second; the value counts waiting and taken items."""
        self.api.put(KEDA, "scaledjobs", {
            "apiVersion": KEDA, "kind": "ScaledJob",
            "metadata": {"name": name, "namespace": "ml", "uid": f"uid-of-sj-{name}", "generation": 1, **(metadata or {})},
            "spec": {"pollingInterval": 1, "jobTargetRef": {
                "backoffLimit": 2, "template": {"metadata": {"labels": {"team": "a"}}, "spec": {
                    "restartPolicy": "Never", "containers": [{"name": "main", "image": "none.invalid/train:1"}]}}},
                "triggers": [{"type": "prometheus", "metadata": {
                    "serverAddress": self.metric.url, "query": "queue", "threshold": "1", **(trigger or {})}}], **spec}})

    def jobs(self, name: str = "train") -> list[dict[str, Any]]:
        with self.api.changed:
            return [entry for entry in self.api.collections[(BATCH, "jobs")].objects.values() if entry["metadata"]["labels"][NAME] == name]

    def posted(self) -> int:
        return sum(method == "POST" for _, _, method, _ in self.api.jobs)

    def end(self, job: dict[str, Any], how: str = "Complete", at: str = "2026-01-01T00:01:00Z") -> None:
        status: dict[str, Any] = {"conditions": [{"type": how, "status": "True", "lastTransitionTime": at}]}
        if how == "Complete":
            status["completionTime"] = at
        self.api.put(BATCH, "jobs", {**job, "status": status})

    def wants_jobs(self, value: float, count: int, by: Daemon, name: str = "train") -> None:
        self.metric.value = value
        by.wait_for(lambda: len(self.jobs(name)) >= count)
        self.stays(count, name)

    def stays(self, count: int, name: str = "train", seconds: float = 3) -> None:
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            self.assertEqual(len(self.jobs(name)), count)
            time.sleep(0.1)

    def test_as_many_as_the_queue_asks_for(self) -> None:
        self.scaled_job("train", metadata={"labels": {"queue": "a"}, "annotations": {"note": "b"}})
        instance = self.start("a")
        self.wants_jobs(5, 5, instance)
        job = self.jobs()[0]
        self.assertRegex(job["metadata"]["name"], "^train-[bcdfghjklmnpqrstvwxz2456789]{5}$")
        self.assertEqual(job["metadata"]["labels"], {
            "app.kubernetes.io/name": "train", "app.kubernetes.io/version": job["metadata"]["labels"]["app.kubernetes.io/version"],
            "app.kubernetes.io/part-of": "train", "app.kubernetes.io/managed-by": "gputide", NAME: "train", "queue": "a"})
        self.assertEqual(job["metadata"]["annotations"], {
            "scaledjob.keda.sh/generation": "1", "note": "b", "gputide.io/ordinal": job["metadata"]["annotations"]["gputide.io/ordinal"]})
        self.assertEqual(job["metadata"]["ownerReferences"], [{
            "apiVersion": KEDA, "kind": "ScaledJob", "name": "train", "uid": "uid-of-sj-train", "controller": True,
            "blockOwnerDeletion": True}])
        self.assertEqual(job["spec"], {"backoffLimit": 2, "template": {
            "metadata": {"generateName": "train-", "labels": {"team": "a", NAME: "train"}},
            "spec": {"containers": [{"name": "main", "image": "none.invalid/train:1"}], "restartPolicy": "Never"}}})
        self.assertEqual(sorted(int(each["metadata"]["annotations"]["gputide.io/ordinal"]) for each in self.jobs()), [1, 2, 3, 4, 5])
        told = self.told(instance, "jobs_created")
        self.assertEqual([(each["name"], each["wanted"], each["created"]) for each in told], [("train", 5, 5)])
        self.assertEqual(self.posted(), 5)

    def test_the_page_and_the_metrics_have_limits_and_cost(self) -> None:
        self.scaled_job("train", metadata={"annotations": {"gputide.io/gpus-per-replica": "2", "gputide.io/cost-per-gpu-hour": "3.4"}},
                        minReplicaCount=1, maxReplicaCount=6)
        instance = self.start("a")
        self.wants_jobs(4, 5, instance)  # and the minimum
        expected = {"namespace": "ml", "name": "train", "min": 1, "max": 6, "gpus_per_job": 2, "cost_per_gpu_hour": 3.4, "running": 5, "pending": 5}
        instance.wait_for(lambda: json.loads(instance.get("/status.json")[2])["scaled_jobs"] == [expected])
        page = instance.get("/metrics")[2]
        for member in ("min", "max", "gpus_per_job", "cost_per_gpu_hour", "running", "pending"):
            self.assertIn(f'\ngputided_scaled_job_{member}{{namespace="ml",name="train"}} {expected[member]}\n', page)
        if not chromium.PROGRAM:
            self.skipTest("chromium is not installed")
        with chromium.Browser(390, 844) as browser:
            browser.open(instance.url() + "/")
            text = browser.wait_until("document.querySelector('#jobs .job')?.parentElement.innerText")
        self.assertEqual(text.split("\n"), ["1 ScaledJob, 5 Jobs, 10 GPUs, 34.00 an hour", "ml/train", "5 Jobs, 5 pending, of 1 to 6; 10 GPUs, 34.00 an hour"])

    def test_a_lost_answer_makes_no_twin(self) -> None:
        """Cut off after it was stored (libcurl itself sends it again over a fresh connection), and 500 after it was stored."""
        endings = {1: "cut", 2: "500", 4: "504"}
        self.api.after_job = lambda _: endings.get(self.posted(), "")
        self.scaled_job("train")
        instance = self.start("a")
        self.wants_jobs(5, 5, instance)
        self.assertEqual(self.posted(), 5)
        self.assertEqual(sum(each["created"] + each["existing"] for each in self.told(instance, "jobs_created")), 5)

    def test_a_watch_that_lags_creates_nothing_twice(self) -> None:
        self.scaled_job("train")
        instance = self.start("a")
        instance.wait_for(lambda: "ml/train" in str(instance.lines) or self.told(instance, "added"))
        time.sleep(1.5)  # the Jobs are listed by then
        self.api.silent.add("jobs")
        self.wants_jobs(5, 5, instance)
        self.metric.value = 7
        instance.wait_for(lambda: len(self.jobs()) >= 7)
        self.stays(7)
        self.api.silent.clear()
        self.stays(7)

    def test_a_leader_that_dies_between_two(self) -> None:
        """The next one sees what is there, or finds its name taken."""
        self.scaled_job("train")
        first = self.start("a")
        first.wait_for(lambda: self.api.holder() == "a")
        second = self.start("b")
        second.wait_for(lambda: self.told(second, "added"))
        self.api.silent.add("jobs")  # and the second knows of none of the first's

        def dies(_: str) -> str:
            if self.posted() == 3:
                first.process.send_signal(signal.SIGKILL)
                return "cut"
            return ""
        self.api.after_job = dies
        self.metric.value = 5
        second.wait_for(lambda: self.api.holder() == "b")
        second.wait_for(lambda: len(self.jobs()) >= 5)
        self.stays(5)
        self.assertEqual(self.told(second, "jobs_created")[0]["existing"], 3)
        self.assertEqual(self.posted(), 5)

    def test_a_leader_that_slept(self) -> None:
        self.scaled_job("train")
        first = self.start("a")
        first.wait_for(lambda: self.api.holder() == "a")
        second = self.start("b")
        second.wait_for(lambda: self.told(second, "added"))
        frozen: list[str] = []

        def freezes(name: str) -> str:
            if not frozen:
                frozen.append(name)
                first.process.send_signal(signal.SIGSTOP)
            return ""
        self.api.after_job = freezes
        self.metric.value = 5
        second.wait_for(lambda: self.api.holder() == "b")
        second.wait_for(lambda: len(self.jobs()) >= 5)
        first.process.send_signal(signal.SIGCONT)
        self.stays(5, seconds=LEASE_S)
        self.assertEqual(self.posted(), 5)

    def test_finished_ones_beyond_the_limits_go(self) -> None:
        self.scaled_job("train", successfulJobsHistoryLimit=2, failedJobsHistoryLimit=1)
        instance = self.start("a")
        self.wants_jobs(6, 6, instance)
        self.metric.value = 0
        time.sleep(1.5)
        ended = sorted(self.jobs(), key=lambda each: int(each["metadata"]["annotations"]["gputide.io/ordinal"]))
        for at, job in enumerate(ended):
            self.end(job, "Failed" if at in (0, 1) else "Complete", f"2026-01-01T00:0{at}:00Z")
        instance.wait_for(lambda: len(self.jobs()) == 3)
        self.stays(3)
        left = sorted(int(each["metadata"]["annotations"]["gputide.io/ordinal"]) for each in self.jobs())
        self.assertEqual(left, [2, 5, 6])
        self.assertEqual(sum(each["deleted"] for each in self.told(instance, "jobs_deleted")), 3)

    def test_pods_that_wait_and_pods_that_run(self) -> None:
        """accurate: of 3 pending ones, a queue of 5 that hides what was taken asks for 2 more; of 3 that run, for 5."""
        self.scaled_job("train", scalingStrategy={"strategy": "accurate"})
        instance = self.start("a")
        self.metric.value = 3
        instance.wait_for(lambda: len(self.jobs()) >= 3)
        self.stays(3)
        self.wants_jobs(5, 5, instance)
        for job in self.jobs():
            name = job["metadata"]["name"]
            self.api.put("v1", "pods", {"metadata": {"name": f"{name}-x", "namespace": "ml", "uid": f"{name}-x", "labels": {
                NAME: "train", "job-name": name}}, "status": {"phase": "Running"}})
        instance.wait_for(lambda: len(self.jobs()) >= 10)
        self.stays(10)

    def test_a_quota_holds_one_and_not_the_others(self) -> None:
        self.scaled_job("train")
        self.api.answer_job = (403, "Forbidden", 'jobs.batch "x" is forbidden: exceeded quota: gpus, requested: count/jobs.batch=1')
        instance = self.start("a")
        self.metric.value = 2
        held = instance.wait_for(lambda: self.told(instance, "held"))[0]
        self.assertEqual((held["kind"], held["name"], held["reason"]), ("ScaledJob", "train", "refused"))
        self.assertRegex(held["message"], 'exceeded quota: gpus, .*; if a quota or an admission rule is named, change it; otherwise grant '
                         r'it by RBAC: a Role with the rule {apiGroups: \["batch"\], resources: \["jobs"\], verbs: \["create"\]}')
        self.api.answer_job = None
        instance.wait_for(lambda: len(self.jobs()) >= 2, 30)
        self.assertTrue(self.told(instance, "resumed"))
        self.stays(2)

    def test_manifests_with_an_error_are_held(self) -> None:
        self.scaled_job("broken", trigger={"threshold": "many"})
        self.scaled_job("train")
        instance = self.start("a")
        self.wants_jobs(2, 2, instance)
        held = instance.wait_for(lambda: self.told(instance, "held"))[0]
        self.assertEqual((held["name"], held["reason"]), ("broken", "refused"))
        self.assertIn("threshold", held["message"])
        instance.wait_for(lambda: "broken" in "".join(self.api.statuses))
        conditions = {each["type"]: each for each in self.api.get(KEDA, "scaledjobs", "broken")["status"]["conditions"]}
        self.assertEqual((conditions["Ready"]["status"], conditions["Ready"]["reason"]), ("False", "ScaledJobCheckFailed"))
        self.assertEqual(self.condition("Fallback", "broken"), ("Unknown", "", ""))
        self.scaled_job("broken")
        instance.wait_for(lambda: len(self.jobs("broken")) == 2)

    def test_what_keda_serves_is_left_alone(self) -> None:
        """By its finalizer, until it is paused there and named ours."""
        served = {"finalizers": ["finalizer.keda.sh"]}
        self.scaled_job("train", metadata=served)
        instance = self.start("a")
        self.metric.value = 2
        self.assertEqual(instance.wait_for(lambda: self.told(instance, "held"))[0]["reason"], "contested")
        self.stays(0)
        self.scaled_job("train", metadata={**served, "annotations": {PAUSED: "true", "gputide.io/owner": "gputide"}})
        instance.wait_for(lambda: len(self.jobs()) == 2)
        self.assertEqual(self.api.statuses, [])

    def condition(self, of: str, name: str = "train") -> tuple[str, str, str]:
        conditions = self.api.get(KEDA, "scaledjobs", name).get("status", {}).get("conditions", [])
        return next(((each["status"], each["reason"], each["message"]) for each in conditions if each["type"] == of), ("", "", ""))

    def annotate(self, annotations: dict[str, str], name: str = "train", **spec: Any) -> None:
        """Its status stays."""
        get = self.api.get(KEDA, "scaledjobs", name)
        self.api.put(KEDA, "scaledjobs", {**get, "metadata": {**get["metadata"], "annotations": annotations},
                                          "spec": {**get["spec"], **spec}})

    def events(self) -> list[tuple[str, str, str]]:
        with self.api.changed:
            return sorted((each["involvedObject"]["kind"], each["reason"], each["message"])
                          for each in self.api.collections[("v1", "events")].objects.values())

    def test_paused(self) -> None:
        """Written when it becomes another, and events with it."""
        self.scaled_job("train", metadata={"annotations": {PAUSED: "true"}})
        instance = self.start("a")
        self.metric.value = 2
        instance.wait_for(lambda: self.condition("Paused")[0])
        self.assertEqual(self.condition("Paused"), ("True", "ScaledJobPaused", "ScaledJob is paused"))
        self.assertEqual(self.condition("Ready"), ("True", "ScaledJobReady", "ScaledJob is paused, skipping reconcile loop"))
        self.assertEqual([self.condition(each) for each in ("Active", "Fallback")], [("Unknown", "", "")] * 2)
        instance.wait_for(lambda: ("ScaledJob", "ScaledJobPaused", "ScaledJob is paused") in self.events())
        self.stays(0)
        self.assertEqual(self.api.statuses, ["ml/train"])
        self.annotate({})
        instance.wait_for(lambda: len(self.jobs()) == 2)
        instance.wait_for(lambda: self.condition("Paused")[0] == "False", 30)
        self.assertEqual(self.condition("Paused"), ("False", "ScaledJobUnpaused", "ScaledJob is unpaused"))
        self.assertEqual([self.condition(each)[:2] for each in ("Ready", "Active")],
                         [("True", "ScaledJobReady"), ("True", "ScalerActive")])
        instance.wait_for(lambda: ("ScaledJob", "ScaledJobUnpaused", "ScaledJob is unpaused") in self.events())
        self.assertEqual(self.api.statuses, ["ml/train"] * 2)

    def test_paused_between_two_polls_that_lie_far_apart(self) -> None:
        """The status follows as soon as it may be written; Active stays what it was; an error in the manifest unpauses nothing."""
        self.scaled_job("train", pollingInterval=600)
        self.metric.value = 2
        instance = self.start("a")
        instance.wait_for(lambda: self.condition("Paused")[0])
        self.assertEqual(self.condition("Paused"), ("False", "", ""))
        self.annotate({PAUSED: "true"}, pollingInterval=0)
        instance.wait_for(lambda: self.condition("Paused")[0] == "True", 30)
        self.assertEqual(self.condition("Ready")[:2], ("False", "ScaledJobCheckFailed"))
        self.annotate({PAUSED: "yes"}, pollingInterval=1)
        instance.wait_for(lambda: self.condition("Ready")[0] == "True", 30)
        self.assertEqual(self.condition("Active")[:2], ("True", "ScalerActive"))
        self.assertEqual(self.condition("Paused"), ("True", "ScaledJobPaused", "ScaledJob is paused"))
        self.metric.value = 4
        self.stays(2)

    def test_shadow_creates_nothing_and_tells_how_many(self) -> None:
        self.scaled_job("train")
        instance = self.start("a", "--shadow")
        self.metric.value = 5
        wanted = instance.wait_for(lambda: [each for each in self.told(instance, "jobs_wanted") if each["wanted"]])[0]
        self.assertEqual((wanted["name"], wanted["wanted"]), ("train", 5))
        self.stays(0)

    def test_status_and_events(self) -> None:
        self.scaled_job("train")
        instance = self.start("a")
        self.wants_jobs(2, 2, instance)
        instance.wait_for(lambda: "ml/train" in self.api.statuses)
        self.assertEqual([(each["type"], each["status"]) for each in self.api.get(KEDA, "scaledjobs", "train")["status"]["conditions"]],
                         [("Ready", "True"), ("Active", "True"), ("Fallback", "Unknown"), ("Paused", "False")])
        self.assertEqual([self.condition(each) for each in ("Fallback", "Paused")], [("Unknown", "", ""), ("False", "", "")])
        instance.wait_for(lambda: ("ScaledJob", "KEDAJobsCreated", "Created 2 jobs") in self.events())
        self.assertFalse([reason for _, reason, _ in self.events() if "ause" in reason])

    def test_jobs_of_an_older_generation_go(self) -> None:
        """Unless the rollout is gradual."""
        self.scaled_job("train")
        self.scaled_job("kept", rollout={"strategy": "gradual"})
        instance = self.start("a")
        self.wants_jobs(2, 2, instance)
        instance.wait_for(lambda: len(self.jobs("kept")) == 2)
        old = {job["metadata"]["uid"] for job in self.jobs()}
        kept = {job["metadata"]["uid"] for job in self.jobs("kept")}
        self.scaled_job("train", metadata={"generation": 2}, maxReplicaCount=10)
        self.scaled_job("kept", metadata={"generation": 2}, maxReplicaCount=10, rollout={"strategy": "gradual"})
        instance.wait_for(lambda: len(self.jobs()) == 2 and all(
            job["metadata"]["annotations"]["scaledjob.keda.sh/generation"] == "2" for job in self.jobs()))
        self.assertFalse(old & {job["metadata"]["uid"] for job in self.jobs()})
        self.stays(2)
        self.assertEqual({job["metadata"]["uid"] for job in self.jobs("kept")}, kept)
        self.assertEqual([each["reason"] for each in self.told(instance, "jobs_deleted")], ["rollout"])

"""Writes that wait in the request queue for longer than a write may take: each is sent in its turn, none counts as failed."""
from __future__ import annotations

import copy
import json
import time
from typing import Any, Callable

from cluster.case import APPS, KEDA, OnACluster
from cluster.objects import KINDS, Refused, deployment
from harness import Daemon

ANSWER_S = 0.5  # a write may take 0.8 s with a Lease of 4 s, and a few of a namespace are sent at a time
MANY = 40
BATCH = "batch/v1"
RESTORE = "gputide.io/restore"


def late(answer: Callable[..., Any]) -> Callable[..., Any]:
    def takes_time(*arguments: Any) -> Any:
        time.sleep(ANSWER_S)
        return answer(*arguments)
    return takes_time


class Late(OnACluster):
    def setUp(self) -> None:
        super().setUp()
        self.metric.value = 0
        self.api.page_size = 500  # so that all of them come at once
        self.names = [f"so-{number:02}" for number in range(MANY)]

    @staticmethod
    def described(daemon: Daemon) -> dict[str, Any]:
        out: dict[str, Any] = json.loads(daemon.get("/cluster.json")[2])
        return out

    def scaled_job(self, name: str) -> None:
        self.api.put(KEDA, "scaledjobs", {
            "metadata": {"name": name, "namespace": "ml", "uid": f"uid-of-sj-{name}", "generation": 1},
            "spec": {"pollingInterval": 1, "maxReplicaCount": 1, "jobTargetRef": {"template": {"spec": {}}}, "triggers": [
                {"type": "prometheus", "metadata": {"serverAddress": self.metric.url, "query": "queue", "threshold": "1"}}]}})

    def put(self, name: str, so: dict[str, Any]) -> None:
        self.api.put(APPS, "deployments", deployment(name, 1))
        self.api.put(KEDA, "scaledobjects", so)

    def test_statuses_of_scaled_jobs(self) -> None:
        self.api.status = late(self.api.status)  # type: ignore[method-assign]
        for name in self.names:
            self.scaled_job(name)
        daemon = self.start("a")
        daemon.wait_for(lambda: {f"ml/{name}" for name in self.names} <= set(self.api.statuses))
        jobs = self.described(daemon)["scaled_jobs"]
        self.assertEqual((jobs["status_failures"], jobs["status_message"]), (0, ""))

    def test_jobs(self) -> None:
        self.api.job = late(self.api.job)  # type: ignore[method-assign]
        for name in self.names:
            self.scaled_job(name)
        daemon = self.start("a")
        daemon.wait_for(lambda: self.described(daemon).get("scaled_jobs", {}).get("polls", 0) >= MANY)
        self.metric.value = 1
        daemon.wait_for(lambda: len(self.api.collections[(BATCH, "jobs")].objects) == MANY)
        daemon.wait_for(lambda: len(self.told(daemon, "jobs_created")) >= MANY)
        self.assertEqual({entry["message"] for entry in self.told(daemon, "jobs_created")}, {""})
        self.assertEqual(self.described(daemon)["scaled_jobs"]["creations"]["failed"], 0)

    def test_finalizers(self) -> None:
        self.api.annotate = late(self.set_finalizers)  # type: ignore[method-assign]
        for name in self.names:
            so = self.scaled_object(name)
            so["spec"]["advanced"]["restoreToOriginalReplicaCount"] = True
            self.put(name, so)
        daemon = self.start("a")
        objects = self.api.collections[(KEDA, "scaledobjects")].objects
        daemon.wait_for(lambda: all(RESTORE in entry["metadata"].get("finalizers", []) for entry in objects.values()))
        self.assertEqual(self.events("RestoreNotKept"), [])

    def set_finalizers(self, _: Any, kind: tuple[str, str], key: tuple[str, str], __: Any, patch: dict[str, Any]) -> Any:
        with self.api.changed:
            deepcopy = copy.deepcopy(self.api.collections[kind].objects[key])
            if patch["metadata"]["resourceVersion"] != deepcopy["metadata"]["resourceVersion"]:
                raise Refused(409, "Conflict", "the object has been modified")
            deepcopy["metadata"]["finalizers"] = patch["metadata"]["finalizers"]
            return {"kind": KINDS[kind], "apiVersion": kind[0], **self.api.store(*kind, deepcopy)}

    def events(self, reason: str) -> list[str]:
        with self.api.changed:
            return [entry["involvedObject"]["name"] for entry in self.api.collections[("v1", "events")].objects.values()
                    if entry["reason"] == reason]

    def test_events(self) -> None:
        """The first answer to each is a failure that passes."""
        refused: set[str] = set()
        event = self.api.event

        def fails_once(of: Any, space: str, name: str | None, given: dict[str, Any]) -> Any:
            about = given["involvedObject"]["name"] if "involvedObject" in given else ""
            if about and about not in refused:
                refused.add(about)
                raise Refused(503, "ServiceUnavailable", "the server is busy")
            return event(of, space, name, given)
        self.api.event = late(fails_once)  # type: ignore[method-assign]
        names = self.names[:12]
        for name in names:
            so = self.scaled_object(name)
            so["spec"]["triggers"][0]["type"] = "no-such-type"
            self.put(name, so)
        daemon = self.start("a")
        daemon.wait_for(lambda: sorted(set(self.events("ScaledObjectCheckFailed"))) == names, 60)
        self.assertEqual(len(self.events("ScaledObjectCheckFailed")), len(names))

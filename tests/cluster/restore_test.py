"""restoreToOriginalReplicaCount where KEDA is not: a finalizer of gputide's own holds the deletion until the first size is back."""
from __future__ import annotations

import signal
import unittest

import audit
import case
from case import APPS, CORE, KEDA, RBAC, Case, Instance

FINALIZER = "gputide.io/restore"
KEDAS = "finalizer.keda.sh"


class Restoring(Case):
    def begin(self, name: str = "a") -> Instance:
        """From 2 to 5, with the finalizer on it."""
        self.asking()
        instance = self.start(name)
        self.reaches("llm", 5, instance)
        instance.daemon.wait_for(lambda: FINALIZER in self.finalizers())
        return instance

    def asking(self) -> None:
        self.gauges["llm"] = 22
        self.deployment("llm", 2)
        manifest = self.scaled_object("llm")
        manifest["spec"]["advanced"]["restoreToOriginalReplicaCount"] = True
        self.api.create("scaledobjects", manifest)

    def where(self) -> tuple[str, str, str, str]:
        return KEDA, "scaledobjects", self.namespace, "llm"

    def finalizers(self) -> list[str]:
        out: list[str] = self.api.get(*self.where())["metadata"].get("finalizers", [])
        return out

    def is_gone(self) -> bool:
        return self.api.find(*self.where()) is None

    def reasons(self) -> list[str]:
        found = self.api.get(CORE, "events", self.namespace)["items"]
        return [entry["reason"] for entry in found if entry["involvedObject"]["name"] == "llm"]

    def sizes(self) -> list[int]:
        """From 5 on: before the first sample is there it may be 1."""
        every = [size_write.sent["spec"]["replicas"] for size_write in audit.size_writes(self.seen())]
        return every[every.index(5):]

    def test_the_first_size_comes_back(self) -> None:
        instance = self.begin()
        self.api.delete(*self.where())
        instance.daemon.wait_for(self.is_gone)
        self.assertEqual((self.replicas("llm"), self.sizes()), (2, [5, 2]))
        self.assertIn("ScaledObjectRestored", self.reasons())
        self.one_writer("llm")

    def test_one_that_stops_asking_is_let_go(self) -> None:
        instance = self.begin()
        self.api.patch({"metadata": {"finalizers": [FINALIZER, "example.org/other"]},
                        "spec": {"advanced": {"restoreToOriginalReplicaCount": False}}}, *self.where())
        instance.daemon.wait_for(lambda: self.finalizers() == ["example.org/other"], 30)
        self.api.patch({"metadata": {"finalizers": []}}, *self.where())
        self.api.delete(*self.where())
        instance.daemon.wait_for(self.is_gone)
        self.assertEqual(self.sizes(), [5])

    def test_what_keda_looks_after_is_let_go(self) -> None:
        instance = self.begin()
        self.api.patch({"metadata": {"finalizers": [FINALIZER, KEDAS]}}, *self.where())
        instance.daemon.wait_for(lambda: self.finalizers() == [KEDAS], 30)
        self.api.patch({"metadata": {"finalizers": []}}, *self.where())

    def test_deleted_while_nobody_leads(self) -> None:
        instance = self.begin()
        instance.daemon.end(signal.SIGKILL)
        self.api.delete(*self.where())
        other = self.start("b")
        other.daemon.wait_for(self.is_gone, 40)
        self.assertEqual((self.replicas("llm"), self.sizes()), (2, [5, 2]))
        self.one_writer("llm")

    def test_killed_between_the_size_and_the_finalizer(self) -> None:
        instance = self.begin()
        rules = self.without("scaledobjects")
        self.api.delete(*self.where())
        self.reaches("llm", 2, instance)
        instance.daemon.wait_for(lambda: "RestoreFailed" in self.reasons())  # what cannot be removed
        instance.daemon.end(signal.SIGKILL)
        self.assertEqual(self.finalizers(), [FINALIZER])
        self.api.patch({"rules": rules}, RBAC, *case.WRITING)
        other = self.start("b")
        other.daemon.wait_for(self.is_gone, 60)
        self.assertEqual((self.replicas("llm"), self.sizes()), (2, [5, 2]))

    def test_a_target_that_is_gone_holds_nothing(self) -> None:
        instance = self.begin()
        self.api.delete(APPS, "deployments", self.namespace, "llm")
        instance.daemon.wait_for(lambda: self.api.find(APPS, "deployments", self.namespace, "llm") is None)
        self.api.delete(*self.where())
        instance.daemon.wait_for(self.is_gone)
        self.assertIn("RestoreFailed", self.reasons())

    def test_without_the_right_it_is_scaled_and_said(self) -> None:
        self.without("scaledobjects")
        self.asking()
        instance = self.start("a")
        self.reaches("llm", 5, instance)
        instance.daemon.wait_for(lambda: "RestoreNotKept" in self.reasons())
        self.api.delete(*self.where())
        instance.daemon.wait_for(self.is_gone)
        self.assertEqual(self.sizes(), [5])

    @unittest.skipIf(case.IS_QUICK, "takes more than a minute")
    def test_what_cannot_be_restored_does_not_hold_the_deletion_for_ever(self) -> None:
        instance = self.begin()
        self.without("deployments/scale")
        self.api.delete(*self.where())
        instance.daemon.wait_for(self.is_gone, 120)
        self.assertIn("RestoreFailed", self.reasons())
        self.assertEqual(self.replicas("llm"), 5)

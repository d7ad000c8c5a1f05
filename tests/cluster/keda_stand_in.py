"""Does what KEDA's operator does to one ScaledObject while it is handed over, for tests in which it answers late or never: its
finalizer, condition Paused, its HPA that goes and comes, and the sizes that it writes while it is not paused.
Order: kedacore/keda controllers/keda/scaledobject_controller.go."""
from __future__ import annotations

import threading
import time
import traceback

from api_client import ApiClient, Object, Refused

KEDA, HPA, APPS = "keda.sh/v1alpha1", "autoscaling/v2", "apps/v1"
EACH_S = 0.1


class KedaStandIn:
    def __init__(self, api: ApiClient, namespace: str, name: str) -> None:
        self.api, self.namespace, self.name = api, namespace, name
        self.hpa_name = f"keda-hpa-{name}"
        self.size = 1            # that it wants while it acts
        self.awake = True        # False: its operator is not there
        self.leaves_hpa = False  # it stays although it is paused
        self.failure = ""
        self._ends = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> "KedaStandIn":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ends.set()
        self._thread.join()

    def hpa(self) -> Object | None:
        return self.api.find(HPA, "horizontalpodautoscalers", self.namespace, self.hpa_name)

    def _run(self) -> None:
        while not self._ends.wait(EACH_S):
            try:
                if self.awake:
                    self._reconcile()
            except Refused as why:
                if why.code not in (404, 409):
                    self.failure = traceback.format_exc()
            except Exception:  # noqa: BLE001: told at the end
                self.failure = traceback.format_exc()

    def _reconcile(self) -> None:
        found = self.api.get(KEDA, "scaledobjects", self.namespace, self.name)
        where = (KEDA, "scaledobjects", self.namespace, self.name)
        if "finalizer.keda.sh" not in found["metadata"].get("finalizers", []):
            self.api.patch({"metadata": {"finalizers": ["finalizer.keda.sh"]}}, *where)
        paused = found["metadata"].get("annotations", {}).get("autoscaling.keda.sh/paused") == "true"
        conditions = [{"type": "Paused", "status": "True" if paused else "False", "reason": "", "message": ""}]
        status = {"conditions": conditions, "hpaName": self.hpa_name, "scaleTargetGVKR": {
            "group": "apps", "version": "v1", "kind": "Deployment", "resource": "deployments"}}
        if found.get("status", {}).get("conditions") != conditions:
            self.api.patch({"status": status}, *where, "status")
        if not paused:
            self._act(found)
        elif not self.leaves_hpa and self.hpa():
            time.sleep(3 * EACH_S)
            self.api.delete(HPA, "horizontalpodautoscalers", self.namespace, self.hpa_name)

    def _act(self, found: Object) -> None:
        if self.hpa() is None:
            self.api.create("horizontalpodautoscalers", {
                "apiVersion": HPA, "kind": "HorizontalPodAutoscaler",
                "metadata": {"name": self.hpa_name, "namespace": self.namespace, "ownerReferences": [{
                    "apiVersion": KEDA, "kind": "ScaledObject", "name": self.name, "uid": found["metadata"]["uid"],
                    "controller": True}]},
                "spec": {"scaleTargetRef": {"apiVersion": APPS, "kind": "Deployment", "name": self.name}, "maxReplicas": 20,
                         "metrics": [{"type": "External", "external": {
                             "metric": {"name": "none"}, "target": {"type": "AverageValue", "averageValue": "5"}}}]}})
        where = (APPS, "deployments", self.namespace, self.name)
        if self.api.get(*where)["spec"]["replicas"] != self.size:
            self.api.patch({"spec": {"replicas": self.size}}, *where, "scale")

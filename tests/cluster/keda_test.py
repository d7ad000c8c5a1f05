"""Beside KEDA itself: the same manifest and the same metric on two Deployments, one of KEDA's and the HPA controller's, one of
gputide's; shadow beside them; one ScaledObject handed over and back; one that KEDA scales by gputide's word."""
from __future__ import annotations

import json
import os
import pathlib
import re
import time
from dataclasses import dataclass
from typing import Any, Iterator

import audit
import curves
import harness
from api_client import Object
from case import APPS, CORE, HPA, KEDA, LEASE_S, Case, Instance, World
from curves import Moment
from harness import Background, gputided

RIVAL = "rival"  # the namespace that KEDA watches
TWIN = "twin"
THRESHOLD, ACTIVATION = 5, 4
NOISE = (0.0, 0.14, -0.09, 0.05, -0.17, 0.11, 0.02, -0.06, 0.19, -0.12)
QUICK_FACTOR = 0.25
LEAST_AGREEMENT = 0.999  # of the looks, as curves.agreement counts them


@dataclass(frozen=True)
class Tempo:
    """The speed of all of it; the sizes are the same."""

    sync_s: int
    polling_s: int
    cooldown_s: int
    window_s: int
    noise_s: float
    factor: float


WHOLE = Tempo(sync_s=15, polling_s=10, cooldown_s=60, window_s=60, noise_s=20, factor=1.0)
QUICK = Tempo(sync_s=2, polling_s=2, cooldown_s=12, window_s=12, noise_s=5, factor=QUICK_FACTOR)

# Seconds, the level, whether it is noisy; no level: the metric is not there.
CURVE: tuple[tuple[float, float | None, bool], ...] = (
    (45, 0, False), (60, 8, False), (60, 23, False), (75, 47, True), (45, None, False), (60, 31, True), (75, 60, True), (60, 14, False),
    (45, 3, False), (120, 0, False), (90, 26, False), (45, None, False), (75, 9, True), (45, 0, False))


def points(tempo: Tempo) -> Iterator[tuple[float, float | None]]:
    """From when on which value holds."""
    at_s, step = 0.0, 0
    for length, level, noisy in CURVE:
        end_s = at_s + length * tempo.factor
        while at_s < end_s:
            share = NOISE[step % len(NOISE)] if noisy else 0.0
            yield at_s, None if level is None else round(level * (1 + share), 1)
            at_s, step = (min(at_s + tempo.noise_s, end_s), step + 1) if noisy else (end_s, step)


class KedaCase(Case):
    def setUp(self) -> None:
        super().setUp()
        self.tempo = WHOLE if World.plane.hpa_sync_s == WHOLE.sync_s else QUICK
        assert World.keda
        self.addCleanup(World.keda.check)

    def manifest(self, name: str, namespace: str, query: str) -> Object:
        """Returns a ScaledObject as on AKS, with the times of the tempo."""
        tempo = self.tempo
        behavior = {"scaleDown": {"stabilizationWindowSeconds": tempo.window_s,
                                  "policies": [{"type": "Percent", "value": 50, "periodSeconds": tempo.sync_s}]},
                    "scaleUp": {"stabilizationWindowSeconds": 0, "policies": [{"type": "Pods", "value": 4, "periodSeconds": tempo.sync_s}]}}
        return {"apiVersion": KEDA, "kind": "ScaledObject",
                "metadata": {"name": name, "namespace": namespace, "annotations": {"gputide.io/sync-period": f"{tempo.sync_s}s"}},
                "spec": {"scaleTargetRef": {"name": name}, "minReplicaCount": 0, "maxReplicaCount": 10, "pollingInterval": tempo.polling_s,
                         "cooldownPeriod": tempo.cooldown_s, "advanced": {"horizontalPodAutoscalerConfig": {"behavior": behavior}},
                         "triggers": [{"type": "prometheus", "metadata": {
                             "serverAddress": World.gauges.prometheus, "query": query, "threshold": f"{THRESHOLD}",
                             "activationThreshold": f"{ACTIVATION}", "ignoreNullValues": "false"}}]}}

    def rival(self, query: str, *names: str) -> None:
        """Deployments that KEDA scales."""
        for name in names:
            self.deployment(name, 0, RIVAL)
            self.addCleanup(self.api.delete, APPS, "deployments", RIVAL, name)
            self.api.create("scaledobjects", self.manifest(name, RIVAL, query))
            self.addCleanup(self.api.delete, KEDA, "scaledobjects", RIVAL, name)
        for name in names:
            self.within(lambda: self.hpa(name), 60)  # noqa: B023

    def hpa(self, name: str) -> Object | None:
        return self.api.find(HPA, "horizontalpodautoscalers", RIVAL, f"keda-hpa-{name}")

    def size(self, namespace: str, name: str) -> int:
        out: int = self.api.get(APPS, "deployments", namespace, name)["spec"].get("replicas", 0)
        return out


class BesideKeda(KedaCase):
    # ---- the two curves
    def test_both_go_the_same_way(self) -> None:
        label = self.gauges.label("load")
        query = f'sum(load{{app="{label}"}})'
        self.gauges["load"] = 0
        self.deployment("llm", 0)
        instance = self.start("a")
        shadow = self.start("shadow", "--shadow", "--namespace", RIVAL)
        self.leads(instance)
        # At once, so that their periods begin together.  The twin shows how far KEDA agrees with itself.
        created_s = time.monotonic()
        self.api.create("scaledobjects", self.manifest("llm", self.namespace, query))
        self.rival(query, "llm", TWIN)
        instance.daemon.wait_for(lambda: instance.daemon.decisions)
        # The curve begins half a period after a pass: a value that changes during both passes may be read by only the later one.
        time.sleep((created_s + self.tempo.sync_s / 2 - time.monotonic()) % self.tempo.sync_s)
        moments, apart = self.follow(label, instance)
        if "GPUTIDE_PICTURE" in os.environ:
            title = f"One manifest, one metric: KEDA and the HPA, and gputide (HPA period {self.tempo.sync_s} s)"
            pathlib.Path(os.environ["GPUTIDE_PICTURE"]).write_text(curves.picture(title, moments, THRESHOLD))
        self.report(moments, apart, shadow)
        late = [text for seconds, text in apart if seconds > self.slack_s]
        self.assertEqual(late, [], "they differ for longer than a period")
        same, later = curves.agreement([(moment.theirs, moment.ours) for moment in moments])
        self.assertGreaterEqual((same + later) / len(moments), LEAST_AGREEMENT)
        self.assertEqual({moments[-1].theirs, moments[-1].ours} - {0}, set(), "both are at zero in the end")
        self.one_writer("llm")

    @property
    def slack_s(self) -> float:
        """Each looks once a period, at a moment of its own; a scrape and two writes come on top."""
        return self.tempo.sync_s + 3.0

    def follow(self, label: str, instance: Instance) -> tuple[list[Moment], list[tuple[float, str]]]:
        """Sizes from beginning to end, and of each time that they differed how long and why."""
        plan = [*points(self.tempo)]
        moments: list[Moment] = []
        apart: list[tuple[float, str]] = []
        since_s: float | None = None
        began = time.monotonic()
        end_s = sum(length for length, _, _ in CURVE) * self.tempo.factor + self.tempo.cooldown_s + self.tempo.window_s
        reasons = ""
        while (at_s := time.monotonic() - began) < end_s:
            value = [value for start_s, value in plan if start_s <= at_s][-1]
            if value is None:
                World.gauges.values.pop(label, None)
            else:
                World.gauges.values[label] = value
            sizes = self.sizes()
            moment = Moment(round(at_s, 1), value, sizes[RIVAL, "llm"], sizes[self.namespace, "llm"], sizes[RIVAL, TWIN])
            moments.append(moment)
            if moment.theirs == moment.ours and since_s is not None:
                apart.append((at_s - since_s, f"{since_s:.0f} s, for {at_s - since_s:.1f} s: {reasons}"))
                since_s = None
            elif moment.theirs != moment.ours and since_s is None:
                since_s = at_s
            if since_s is not None:
                ours = instance.daemon.decisions[-1]
                reasons = (f"{moment.theirs} and {moment.ours}; {self.their_reason()}; gputide wants {ours['desired_replicas']} "
                           f"({ours['limited_by']}, {ours['source']})")
            time.sleep(0.4)
        if since_s is not None:
            apart.append((end_s - since_s, f"{since_s:.0f} s, to the end: {reasons}"))
        return moments, apart

    def sizes(self) -> dict[tuple[str, str], int]:
        """Returns those of all Deployments at one moment: a list has one resourceVersion."""
        items = self.api.get(APPS, "deployments")["items"]
        return {(item["metadata"]["namespace"], item["metadata"]["name"]): item["spec"].get("replicas", 0) for item in items}

    def their_reason(self) -> str:
        status: Any = (self.hpa("llm") or {}).get("status", {})
        conditions = [f"{condition['type']} {condition['status']} {condition['reason']}" for condition in status.get("conditions", [])]
        return f"the HPA wants {status.get('desiredReplicas')} ({', '.join(conditions)})"

    def report(self, moments: list[Moment], apart: list[tuple[float, str]], shadow: Instance) -> None:
        writes = [request for request in self.seen() if request.resource == "deployments/scale"]
        differences = [line for line in shadow.told("difference") if line["namespace"] == RIVAL]
        self.figure("length", f"{moments[-1].at_s / 60:.1f} min, HPA period {self.tempo.sync_s} s")
        for who, pairs in (("gputide", [(moment.theirs, moment.ours) for moment in moments]),
                           ("KEDA itself", [(moment.theirs, moment.twins) for moment in moments]),
                           ("gputide and that one", [(moment.twins, moment.ours) for moment in moments])):
            same, later = curves.agreement(pairs)
            self.figure(f"the same size, {who}", f"{100 * same / len(moments):.2f} % of {len(moments)} looks, "
                        f"{100 * (same + later) / len(moments):.2f} % with the one that the other has just left")
        self.figure("times that they differed", f"{len(apart)}, the longest {max([seconds for seconds, _ in apart] or [0]):.1f} s")
        self.figure("replica seconds", f"{replica_seconds(moments, 'theirs'):.0f} of KEDA's, {replica_seconds(moments, 'ours'):.0f} of gputide's")
        self.figure("sizes written by gputide", len(writes))
        self.figure("differences that shadow told of", f"{len(differences)} {json.dumps(differences)[:600] if differences else ''}")
        for _, text in apart:
            self.figure("apart at", text)

    # ---- from one to the other and back
    def test_one_is_handed_over_and_back(self) -> None:
        name = f"handed-{self.namespace}"
        self.gauges[name] = 22
        self.rival(f'sum(load{{app="{self.gauges.label(name)}"}})', name)
        self.within(lambda: self.size(RIVAL, name) == 5, 90)
        instance = self.start("a", "--namespace", RIVAL)
        instance.daemon.wait_for(lambda: instance.daemon.decisions)
        self.gauges[name] = 12
        self.within(lambda: self.size(RIVAL, name) == 3, 90)
        self.assertEqual(self.sizes_written(instance, name), [], "while KEDA scales it")
        self.hand("adopt", name)
        self.gauges[name] = 33
        instance.daemon.wait_for(lambda: self.size(RIVAL, name) == 7)
        self.hand("release", name)
        self.gauges[name] = 47
        self.within(lambda: self.size(RIVAL, name) == 10, 90)
        self.assertEqual(self.sizes_written(instance, name), [7], "and none before or after")

    def hand(self, command: str, name: str) -> None:
        ran = gputided(command, f"{RIVAL}/{name}", "--kubeconfig", self.plane.admin_kubeconfig, "--lease-s", str(LEASE_S),
                       "--output", "json", timeout=90)
        self.assertEqual(ran.status, 0, ran)
        self.assertEqual([step["state"] for step in ran.json["steps"]], ["done"] * 4, ran)
        self.figure(command, f"{sum(step['took_ms'] for step in ran.json['steps'])} ms")

    # ---- KEDA asks gputide
    def test_keda_scales_by_gputides_word(self) -> None:
        """examples/external_scaler decides by a manifest of its own, and KEDA's ScaledObject names it."""
        name = f"pushed-{self.namespace}"
        self.gauges[name] = 0
        policy = self.manifest(name, RIVAL, f'sum(load{{app="{self.gauges.label(name)}"}})')
        policy["metadata"]["annotations"] = {"gputide.io/sync-period": "1s"}
        policy["spec"].update(pollingInterval=1, advanced={"horizontalPodAutoscalerConfig": {"behavior": open_behavior()}})
        scaler = self.enterContext(Background([World.external_scaler, "-f", harness.write(f"{name}.json", json.dumps(policy)),
                                               "--listen", "127.0.0.1:0"]))
        port = scaler.wait_for(lambda: re.search(r"listening on port (\d+)", scaler.err))[1]
        self.deployment(name, 0, RIVAL)
        self.addCleanup(self.api.delete, APPS, "deployments", RIVAL, name)
        theirs = self.manifest(name, RIVAL, "")
        theirs["spec"]["triggers"] = [{"type": "external-push", "metricType": "AverageValue",
                                       "metadata": {"scalerAddress": f"127.0.0.1:{port}"}}]
        theirs["spec"]["advanced"] = {"horizontalPodAutoscalerConfig": {"behavior": open_behavior()}}
        self.api.create("scaledobjects", theirs)
        self.addCleanup(self.api.delete, KEDA, "scaledobjects", RIVAL, name)
        self.within(lambda: self.hpa(name), 60)
        for value, size in ((22, 5), (12, 3), (0, 0)):
            began = time.monotonic()
            self.gauges[name] = value
            self.within(lambda: self.size(RIVAL, name) == size, 60 + self.tempo.cooldown_s)  # noqa: B023
            self.figure(f"to {size} by gputide's word", f"{time.monotonic() - began:.1f} s")

    def sizes_written(self, instance: Instance, name: str) -> list[int]:
        return [int(request.sent["spec"].get("replicas", 0)) for request in audit.requests(self.plane.audit_log, self.log_offset)
                if request.target == f"{RIVAL}/{name}" and request.resource == "deployments/scale" and request.verb == "update"
                and request.by == instance.credential and request.code == 200]

    def annotate(self, name: str, **annotations: str | None) -> None:
        self.api.patch({"metadata": {"annotations": annotations}}, KEDA, "scaledobjects", RIVAL, name)


def open_behavior() -> Object:
    """The decision of gputide is taken as it is: no window and no pace of the HPA's own."""
    rates = [{"type": "Pods", "value": 100, "periodSeconds": 1}]
    return {"scaleDown": {"stabilizationWindowSeconds": 0, "policies": rates}, "scaleUp": {"stabilizationWindowSeconds": 0, "policies": rates}}


def replica_seconds(moments: list[Moment], side: str) -> float:
    return sum(getattr(moment, side) * (after.at_s - moment.at_s) for moment, after in zip(moments, moments[1:]))


def make_namespace() -> None:
    World.plane.admin.create("namespaces", {"apiVersion": CORE, "kind": "Namespace", "metadata": {"name": RIVAL}})

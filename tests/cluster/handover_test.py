"""`gputided adopt` and `gputided release` on a real API server, between a stand-in of KEDA's operator and a gputide that acts: at
no time do two scale, whatever ends in the middle.

The stand-in does what the operator does to one ScaledObject while it is handed over, for tests in which it answers late or never: its
finalizer, condition Paused, its HPA that goes and comes, and the sizes that it writes while it is not paused.
Order: kedacore/keda controllers/keda/scaledobject_controller.go."""
from __future__ import annotations

import signal
import threading
import time
import traceback
from typing import Any

import audit
import harness
from api_client import ApiClient, Object, Refused
from case import APPS, HOME, HPA, KEDA, Case, Instance
from harness import Background, Ran, gputided

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


PAUSED, OWNER, HANDOVER = "autoscaling.keda.sh/paused", "gputide.io/owner", "gputide.io/handover"
BY_KEDA = "admin"  # the user of its stand-in


class Handover(Case):
    def setUp(self) -> None:
        super().setUp()
        self.keda = KedaStandIn(self.api, self.namespace, "llm")

    def begin(self) -> Instance:
        """KEDA scales it, and a gputide stands beside it that has seen the metric: before Prometheus' first scrape an empty answer is 0
        (ignoreNullValues), and a controller that takes over then writes the minimum, as KEDA would."""
        self.scale("llm", load=22)
        self.keda.size = 3
        self.enterContext(self.keda)
        self.within(lambda: self.keda.hpa() and self.replicas("llm") == 3, 30)
        instance = self.start("a")
        self.leads(instance)
        instance.daemon.wait_for(lambda: (instance.held("llm") or {}).get("reason") == "contested")
        instance.daemon.wait_for(lambda: instance.daemon.decisions and instance.daemon.decisions[-1]["proposed_replicas"] == 5)
        return instance

    def command(self, what: str, *more: str, kubeconfig: str = "") -> list[str]:
        return [what, f"{self.namespace}/llm", "--kubeconfig", kubeconfig or self.plane.admin_kubeconfig, *more]

    def hand(self, what: str, *more: str, status: int = 0, kubeconfig: str = "") -> Any:
        ran: Ran = gputided(*self.command(what, *more, kubeconfig=kubeconfig), "--output", "json", timeout=90)
        self.assertEqual(ran.status, status, ran)
        return ran.json

    def states(self, outcome: Any) -> list[str]:
        return [step["state"] for step in outcome["steps"]]

    def object(self) -> Object:
        return self.api.get(KEDA, "scaledobjects", self.namespace, "llm")

    def annotations(self) -> dict[str, str]:
        every = self.object()["metadata"].get("annotations", {})
        return {name: value for name, value in every.items() if name in (PAUSED, OWNER, HANDOVER)}

    def annotate(self, **changes: str | None) -> None:
        names = {"paused": PAUSED, "owner": OWNER, "replicas": "autoscaling.keda.sh/paused-replicas"}
        self.api.patch({"metadata": {"annotations": {names[name]: value for name, value in changes.items()}}},
                       KEDA, "scaledobjects", self.namespace, "llm")

    def one_scales(self) -> None:
        """Each size was written by its owner then: KEDA but for the time from our owner's mark to the pause's end."""
        self.assertEqual(self.keda.failure, "")
        seen = self.seen()
        has_it, is_paused, wrong = False, False, []
        for entry in sorted(seen, key=lambda item: item.ended):
            if entry.resource == "scaledobjects" and entry.code == 200 and entry.verb == "patch":
                marks = entry.answered["metadata"].get("annotations", {})
                has_it, is_paused = OWNER in marks, PAUSED in marks
            elif entry in audit.size_writes([entry]):
                is_kedas = entry.by == BY_KEDA
                if is_kedas and has_it or not is_kedas and not is_paused:
                    wrong.append(entry)
        self.assertEqual(wrong, [])
        self.assertTrue([each for each in audit.size_writes(seen) if each.by == BY_KEDA])  # it was looked at what it is about

    def test_there_and_back(self) -> None:
        instance = self.begin()
        took = self.hand("adopt")
        self.assertEqual((took["result"], self.states(took)), ("done", ["done"] * 4))
        self.assertEqual(self.annotations(), {PAUSED: "true", OWNER: "gputide"})
        self.reaches("llm", 5, instance)
        self.wants(42, "llm", 9, instance)
        again = self.hand("adopt")
        self.assertEqual((again["result"], self.states(again)), ("done", ["was_done"] * 4))
        self.keda.size = 4
        back = self.hand("release")
        self.assertEqual((back["result"], self.states(back)), ("done", ["done"] * 4))
        self.assertIn("the replicas stayed at 9", back["steps"][1]["message"])
        self.assertEqual(self.annotations(), {})
        self.reaches("llm", 4, instance)
        self.gauges["llm"] = 92
        instance.daemon.wait_for(lambda: (instance.held("llm") or {}).get("reason") == "contested")
        count = len(instance.daemon.decisions)
        instance.daemon.wait_for(lambda: len(instance.daemon.decisions) > count + 3)
        self.assertEqual(self.replicas("llm"), 4)
        self.assertEqual(self.states(self.hand("release")), ["was_done"] * 4)
        self.one_scales()
        sizes = [write.sent["spec"]["replicas"] for write in audit.size_writes(self.seen())]
        self.assertEqual(sizes, [3, 5, 9, 4])
        self.figure("adopt, release", ", ".join(f"{sum(step['took_ms'] for step in outcome['steps'])} ms"
                                                for outcome in (took, back)))

    def test_what_its_hpa_wrote_before_holds_nobody_up_after(self) -> None:
        instance = self.begin()
        for size in (4, 6):
            self.keda.size = size
            self.within(lambda: self.replicas("llm") == size, 30)  # noqa: B023
        self.assertEqual(self.hand("adopt")["result"], "done")
        self.reaches("llm", 5, instance)
        self.one_scales()

    def test_nobody_scales_it_until_its_hpa_is_back(self) -> None:
        instance = self.begin()
        self.assertEqual(self.hand("adopt")["result"], "done")
        self.reaches("llm", 5, instance)
        self.keda.awake = False
        with Background([harness.PROGRAM, *self.command("release")]) as back:
            back.wait_for(lambda: PAUSED not in self.annotations())
            self.gauges["llm"] = 42
            instance.daemon.wait_for(lambda: instance.daemon.decisions[-1]["proposed_replicas"] == 9)
            count = len(instance.daemon.decisions)
            instance.daemon.wait_for(lambda: len(instance.daemon.decisions) > count + 3)
            self.assertEqual(self.replicas("llm"), 5)
            self.keda.awake = True
            self.assertEqual(back.process.wait(timeout=90), 0, back.last_words)
        self.reaches("llm", 3, instance)
        self.one_scales()

    def test_killed_in_the_middle_it_goes_on(self) -> None:
        instance = self.begin()
        self.keda.awake = False
        with Background([harness.PROGRAM, *self.command("adopt")]) as killed:
            killed.wait_for(lambda: PAUSED in self.annotations())
            killed.end(signal.SIGKILL)
        self.assertEqual(self.annotations(), {PAUSED: "true", HANDOVER: "gputide"})
        self.keda.awake = True
        self.assertEqual(self.states(self.hand("adopt"))[0], "was_done")
        self.reaches("llm", 5, instance)
        with Background([harness.PROGRAM, *self.command("release")]) as killed:
            killed.wait_for(lambda: OWNER not in self.annotations())
            killed.end(signal.SIGKILL)
        self.assertEqual(self.annotations(), {PAUSED: "true", HANDOVER: "gputide"})
        back = self.hand("release")
        self.assertEqual((back["result"], self.states(back)[0]), ("done", "was_done"))
        self.reaches("llm", 3, instance)
        self.one_scales()

    def test_when_the_time_is_up_it_says_where_it_stands(self) -> None:
        self.begin()
        self.keda.awake = False
        stands = self.hand("adopt", "--timeout-ms", "1500", status=1)
        self.assertEqual((stands["result"], self.states(stands)),
                         ("waiting", ["done", "waiting", "not_reached", "not_reached"]))
        self.assertIn("KEDA has not set the condition Paused=True yet", stands["message"])
        self.assertIn(f"gputided release {self.namespace}/llm", stands["remedy"])
        self.keda.leaves_hpa = self.keda.awake = True
        stands = self.hand("adopt", "--timeout-ms", "1500", status=1)
        self.assertEqual(self.states(stands)[2], "waiting")
        self.assertIn("keda-hpa-llm still exists", stands["message"])
        back = self.hand("release")
        self.assertEqual((back["result"], self.annotations()), ("done", {}))
        self.one_scales()

    def test_what_would_be_done(self) -> None:
        self.begin()
        before = self.object()["metadata"]["resourceVersion"]
        ran = gputided(*self.command("adopt", "--dry-run"))
        self.assertEqual((ran.status, ran.out.count("planned")), (0, 5), ran)
        self.assertIn('planned        annotate it with autoscaling.keda.sh/paused: "true"\n', ran.out)
        self.assertEqual(self.states(self.hand("release", "--dry-run")), ["was_done"] * 4)
        self.assertEqual(self.object()["metadata"]["resourceVersion"], before)

    def refused(self, what: str, *more: str) -> str:
        outcome = self.hand(what, *more, status=1)
        self.assertEqual(outcome["result"], "refused")
        return f"{outcome['message']} / {outcome['remedy']}"

    def test_what_is_refused(self) -> None:
        self.scale("llm")
        self.assertIn("KEDA cannot take it over", self.refused("release"))
        self.annotate(paused="true")
        self.assertIn(f"scaledobject --namespace {self.namespace} llm gputide.io/owner=gputide", self.refused("adopt"))
        self.assertIn("not by a handover", self.refused("release"))
        self.annotate(paused=None, replicas="3")
        self.assertIn('paused-replicas is "3"', self.refused("adopt"))
        self.annotate(replicas=None, owner="other")
        self.assertIn("is other: another gputide owns this object; this gputide is gputide", self.refused("adopt"))
        self.assertIn("is other: another gputide owns this object; this gputide is gputide", self.refused("release"))
        self.annotate(owner=None)
        absent = self.hand("adopt")
        self.assertEqual((absent["result"], self.states(absent)), ("done", ["not_needed"] * 4))
        self.assertIn("KEDA does not manage this ScaledObject", absent["message"])
        self.api.create("horizontalpodautoscalers", {
            "apiVersion": HPA, "kind": "HorizontalPodAutoscaler", "metadata": {"name": "other", "namespace": self.namespace},
            "spec": {"scaleTargetRef": {"apiVersion": APPS, "kind": "Deployment", "name": "llm"}, "maxReplicas": 3}})
        self.assertIn("HPA other, which does not belong to KEDA", self.refused("adopt"))
        self.assertEqual(self.annotations(), {})

    def test_a_right_that_is_missing_is_named(self) -> None:
        self.begin()
        self.without("scaledobjects")  # gputide's own account may patch them, for restoreToOriginalReplicaCount
        token, _ = self.token()
        kubeconfig = self.plane.kubeconfig(f"hand-{self.namespace}", {"tokenFile": harness.write("hand.token", token)}, HOME)
        said = self.hand("adopt", status=3, kubeconfig=kubeconfig)
        rule = '{apiGroups: ["keda.sh"], resources: ["scaledobjects"], verbs: ["'
        self.assertEqual((said["result"], said["status"]), ("failed", "E_FORBIDDEN"))
        self.assertIn(rule + 'get"]}', said["message"])
        self.allow("seeing", ["get"], "keda.sh", ["scaledobjects"])
        self.within(lambda: rule + 'patch"]}' in self.hand("adopt", status=3, kubeconfig=kubeconfig)["message"], 30)
        self.assertEqual(self.annotations(), {})
        self.allow("handing", ["patch"], "keda.sh", ["scaledobjects"])
        self.within(lambda: gputided(*self.command("adopt", kubeconfig=kubeconfig), timeout=90).status == 0, 30)
        self.assertEqual(self.annotations(), {PAUSED: "true", OWNER: "gputide"})

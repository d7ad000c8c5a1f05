"""gputided run --kubernetes against an API server that keeps objects and is strict: what is found, decided, written, led."""
from __future__ import annotations

import http.server
import io
import json
import pathlib
import re
import signal
import threading
import time
import unittest
import urllib.parse
from typing import Any

import arrivals
import certificates
import harness
import manifests
from cluster_api import Caller, ClusterApi, deployment
from fault_server import FaultServer
from forecast_test import answer_hourly
from harness import Daemon

LEASE_S = 4
KEDA, APPS, HPA = "keda.sh/v1alpha1", "apps/v1", "autoscaling/v2"


def utc(seconds: float) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))


class Metric:
    """A Prometheus that answers every query with one number."""

    def __init__(self) -> None:
        self.value = 1.0
        self.authorizations: list[str] = []
        self.first_asked: dict[str, float] = {}  # by query, Unix time: when the kernel had it
        self.wanted = ""  # an Authorization; every other one gets a 401
        self.refused = 0
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def setup(self) -> None:
                super().setup()
                self.arrivals = arrivals.Reader(self.connection)
                self.rfile = io.BufferedReader(self.arrivals)

            def do_GET(self) -> None:  # noqa: N802
                query = urllib.parse.parse_qs(urllib.parse.urlsplit(self.path).query).get("query", [""])[0]
                outer.first_asked.setdefault(query, self.arrivals.arrived)
                outer.authorizations.append(self.headers.get("Authorization", ""))
                if outer.wanted not in ("", outer.authorizations[-1]):
                    outer.refused += 1
                    self.send_error(401)
                    return
                body = json.dumps({"status": "success", "data": {"resultType": "vector", "result": [
                    {"metric": {}, "value": [time.time(), str(outer.value)]}]}}).encode()
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            do_POST = do_GET

            def log_message(self, *_: object) -> None:
                pass

        class Server(http.server.ThreadingHTTPServer):
            request_queue_size = 128  # a crowd's connections come at once, and one that finds no place tries again after a second

        self.server = Server(("127.0.0.1", 0), Handler)
        arrivals.ask_for_times(self.server.socket)
        self.server.daemon_threads = True
        self.server.handle_error = lambda *_: None  # type: ignore[method-assign]  # gputided ends in the middle of answers
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()

    def __enter__(self) -> "Metric":
        return self

    def __exit__(self, *_: object) -> None:
        self.server.shutdown()
        self.server.server_close()


class OnACluster(unittest.TestCase):
    def setUp(self) -> None:
        pair = certificates.for_localhost()
        self.metric = self.enterContext(Metric())
        self.api = self.enterContext(ClusterApi(pair.certificate, pair.key))
        self.tokens = 0

    def tearDown(self) -> None:
        self.assertEqual(self.api.violations, [])

    # Decides each second, with no window to wait for.
    def scaled_object(self, name: str, **metadata: Any) -> dict[str, Any]:
        so = manifests.scaled_object(self.metric.url, name=name, auth=metadata.pop("auth", ""),
                                     metadata=metadata.pop("trigger", None), spec={
            "pollingInterval": 1, "advanced": {"horizontalPodAutoscalerConfig": {"behavior": {
                "scaleDown": {"stabilizationWindowSeconds": 0, "policies": [{"type": "Percent", "value": 100, "periodSeconds": 1}]},
                "scaleUp": {"policies": [{"type": "Pods", "value": 100, "periodSeconds": 1}]}}}}})
        so["metadata"] = {"name": name, "namespace": "ml", "uid": f"uid-of-so-{name}",
                          "annotations": {"gputide.io/sync-period": "1s", **metadata.pop("annotations", {})}, **metadata}
        return so

    def scale(self, name: str, replicas: int = 1, **metadata: Any) -> None:
        self.api.put(APPS, "deployments", deployment(name, replicas))
        self.api.put(KEDA, "scaledobjects", self.scaled_object(name, **metadata))

    def account(self, name: str) -> tuple[list[str], dict[str, str]]:
        """Flags and environment of a pod whose ServiceAccount has that name."""
        self.tokens += 1
        token = f"{harness.CLUSTER_TOKEN}-{self.tokens}"
        self.api.callers[token] = Caller(name, identity=name)
        folder = pathlib.Path(harness.write(f"{name}/token", token + "\n")).parent
        harness.write(f"{name}/ca.crt", pathlib.Path(certificates.trusted().certificate).read_bytes())
        harness.write(f"{name}/namespace", "ml")
        return (["--service-account-dir", str(folder)],
                {"KUBERNETES_SERVICE_HOST": "127.0.0.1", "KUBERNETES_SERVICE_PORT": str(self.api.port)})

    def start(self, name: str, *arguments: str) -> Daemon:
        flags, environment = self.account(name)
        return self.enterContext(Daemon("--kubernetes", "--lease-s", str(LEASE_S), "--identity", name, *flags, *arguments,
                                        env=environment))

    def caller(self, name: str) -> Caller:
        return next(one for one in self.api.callers.values() if one.name == name)

    @staticmethod
    def told(daemon: Daemon, event: str) -> list[dict[str, Any]]:
        return [line["cluster"] for line in daemon.lines if line.get("cluster", {}).get("event") == event]

    def wants(self, value: float, name: str, replicas: int, by: Daemon) -> None:
        self.metric.value = value
        by.wait_for(lambda: self.api.replicas(name) == replicas)


class Scaling(OnACluster):
    def test_one_to_n_and_back(self) -> None:
        for name in ("llm", "whisper", "embed"):  # more than a page
            self.scale(name)
        daemon = self.start("a")
        self.wants(22, "llm", 5, daemon)
        self.wants(22, "embed", 5, daemon)
        self.wants(1, "llm", 1, daemon)
        self.wants(1, "whisper", 1, daemon)
        daemon.wait_for(lambda: len(self.told(daemon, "write")) >= 6)
        self.assertEqual({one["result"] for one in self.told(daemon, "write")}, {"applied"})
        self.assertEqual([(one.old, one.new) for one in self.api.writes if one.target == "ml/llm"], [(1, 5), (5, 1)])
        # A GET and a PUT each; nobody asks for sizes otherwise.
        scales = [path for _, _, path in self.api.requests if path.split("?")[0].endswith("/scale")]
        self.assertEqual(len(scales), 2 * len(self.api.writes))

    def test_objects_come_change_and_go(self) -> None:
        daemon = self.start("a")
        self.metric.value = 22
        self.scale("llm")
        daemon.wait_for(lambda: self.api.replicas("llm") == 5)
        changed = self.scaled_object("llm")
        changed["spec"]["maxReplicaCount"] = 3
        self.api.put(KEDA, "scaledobjects", changed)
        daemon.wait_for(lambda: self.api.replicas("llm") == 3)
        self.api.delete(KEDA, "scaledobjects", "llm")
        daemon.wait_for(lambda: self.told(daemon, "removed"))
        before = len(self.api.writes)
        self.metric.value = 1
        time.sleep(3)
        self.assertEqual(len(self.api.writes), before)

    def test_a_manifest_with_an_error_is_held_and_the_others_go_on(self) -> None:
        broken = self.scaled_object("broken")
        broken["spec"]["triggers"][0]["metadata"]["threshold"] = "many"
        self.api.put(APPS, "deployments", deployment("broken", 1))
        self.api.put(KEDA, "scaledobjects", broken)
        self.scale("llm")
        daemon = self.start("a")
        self.wants(22, "llm", 5, daemon)
        held = self.told(daemon, "held")
        self.assertEqual([(one["name"], one["reason"]) for one in held], [("broken", "refused")])
        self.assertIn("threshold", held[0]["message"])
        self.api.put(KEDA, "scaledobjects", self.scaled_object("broken"))
        daemon.wait_for(lambda: self.api.replicas("broken") == 5)

    def test_secrets_are_read_by_name(self) -> None:
        authentication, secret = manifests.authentication("prom", bearerToken=harness.BEARER)
        for group, plural, one in ((KEDA, "triggerauthentications", authentication), ("v1", "secrets", secret)):
            one["metadata"]["namespace"] = "ml"
            self.api.put(group, plural, one)
        self.scale("llm", auth="prom", trigger={"authModes": "bearer"})
        self.api.slow_lists["triggerauthentications"] = 1
        daemon = self.start("a")
        self.wants(22, "llm", 5, daemon)
        self.assertEqual(set(self.metric.authorizations), {f"Bearer {harness.BEARER}"})
        self.assertEqual(self.told(daemon, "held"), [])  # what is not listed yet is not missing

    def test_a_secret_that_comes_late_and_is_rotated(self) -> None:
        """Late: named, and looked for again within seconds.  Rotated: asked for again as the old one is refused."""
        authentication, secret = manifests.authentication("prom", bearerToken=harness.BEARER)
        for one in (authentication, secret):
            one["metadata"]["namespace"] = "ml"
        self.api.put(KEDA, "triggerauthentications", authentication)
        self.scale("llm", auth="prom", trigger={"authModes": "bearer"})
        daemon = self.start("a")
        held = daemon.wait_for(lambda: self.told(daemon, "held"))[0]
        self.assertEqual(held["reason"], "refused")
        self.assertIn("Secret ml/prom-secret: ", held["message"])
        self.api.put("v1", "secrets", secret)
        self.wants(22, "llm", 5, daemon)
        self.metric.wanted = f"Bearer {harness.PASSWORD}"
        daemon.wait_for(lambda: self.metric.refused)
        self.api.put("v1", "secrets", {**secret, "data": manifests.authentication(
            "prom", bearerToken=harness.PASSWORD)[1]["data"]})
        self.wants(1, "llm", 1, daemon)

    def status(self, name: str) -> dict[str, Any]:
        out: dict[str, Any] = self.api.get(KEDA, "scaledobjects", name).get("status", {})
        return out

    def condition(self, name: str, kind: str) -> dict[str, str]:
        found = [one for one in self.status(name).get("conditions", []) if one["type"] == kind]
        return found[0] if found else {"status": "", "reason": "", "message": ""}

    def test_the_status_is_told_where_keda_does_not(self) -> None:
        self.scale("llm", replicas=2)
        self.scale("kedas", finalizers=["finalizer.keda.sh"])
        broken = self.scaled_object("broken")
        broken["spec"]["triggers"][0]["metadata"]["threshold"] = "many"
        self.api.put(KEDA, "scaledobjects", broken)
        daemon = self.start("a")
        self.wants(22, "llm", 5, daemon)
        daemon.wait_for(lambda: self.condition("llm", "Ready")["status"] == "True")
        status = self.status("llm")
        self.assertEqual({one["type"]: one["status"] for one in status["conditions"]},
                         {"Ready": "True", "Active": "True", "Fallback": "Unknown", "Paused": "False"})
        self.assertEqual((status["scaleTargetKind"], status["scaleTargetGVKR"]["resource"], status["originalReplicaCount"],
                          status["triggersTypes"]), ("apps/v1.Deployment", "deployments", 2, "prometheus"))
        self.assertRegex(status["lastActiveTime"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$")
        daemon.wait_for(lambda: self.condition("broken", "Ready")["status"] == "False")
        self.assertEqual(self.condition("broken", "Ready")["reason"], "ScaledObjectCheckFailed")
        self.assertIn("threshold", self.condition("broken", "Ready")["message"])
        self.wants(22, "kedas", 5, daemon)  # it is scaled, and its status left alone
        self.assertEqual(self.status("kedas"), {})
        count = len(daemon.decisions)
        daemon.wait_for(lambda: len(daemon.decisions) > count + 8)
        self.assertEqual(sorted(set(self.api.statuses)), ["ml/broken", "ml/llm"])
        self.assertLessEqual(len(self.api.statuses), 3)  # what says nothing new is not written

    def with_status(self, name: str, age_s: int, spec: dict[str, Any], status: dict[str, Any]) -> None:
        """A ScaledObject made so many seconds ago, which somebody has looked after."""
        so = self.scaled_object(name, creationTimestamp=utc(time.time() - age_s))
        self.api.put(APPS, "deployments", deployment(name, 1))
        self.api.put(KEDA, "scaledobjects", {**so, "spec": {**so["spec"], **spec}, "status": status})

    def test_a_cooldown_goes_on_where_the_last_leader_left_it(self) -> None:
        """The time of being active is the status': not the start of the process, nor the object's own age."""
        self.metric.value = 0
        zero = {"minReplicaCount": 0, "cooldownPeriod": 9}
        self.with_status("over", 0, {**zero, "cooldownPeriod": 600}, {"lastActiveTime": utc(time.time() - 3600)})
        self.with_status("begun", 3600, zero, {"lastActiveTime": utc(time.time())})
        self.with_status("ahead", 3600, zero, {"lastActiveTime": utc(time.time() + 3600)})  # by another clock
        began = time.monotonic()
        daemon = self.start("a")
        daemon.wait_for(lambda: self.api.replicas("over") == 0)
        self.assertLess(time.monotonic() - began, 7)
        self.assertEqual((self.api.replicas("begun"), self.api.replicas("ahead")), (1, 1))
        daemon.wait_for(lambda: (self.api.replicas("begun"), self.api.replicas("ahead")) == (0, 0))
        self.assertGreater(time.monotonic() - began, 7)

    def test_failures_are_counted_on_where_the_last_leader_left_them(self) -> None:
        self.metric.wanted = "nobody has it"
        spec = {"fallback": {"failureThreshold": 1000, "replicas": 6}, "maxReplicaCount": 9}
        self.with_status("llm", 3600, spec, {"health": {"s0-prometheus": {"numberOfFailures": 1000, "status": "Failing"}}})
        self.with_status("new", 3600, spec, {})
        daemon = self.start("a")
        daemon.wait_for(lambda: self.api.replicas("llm") == 6)
        daemon.wait_for(lambda: self.status("llm")["health"]["s0-prometheus"] == {"numberOfFailures": 1001, "status": "Failing"})
        self.assertEqual(self.condition("llm", "Fallback")["status"], "True")
        self.assertEqual(self.api.replicas("new"), 1)
        self.assertLess(daemon.wait_for(lambda: self.status("new").get("health"))["s0-prometheus"]["numberOfFailures"], 100)

    def events(self, name: str) -> list[tuple[str, str, str, int]]:
        with self.api.changed:
            return [(one["type"], one["reason"], one["message"], one["count"])
                    for one in self.api.collections[("v1", "events")].objects.values() if one["involvedObject"]["name"] == name]

    def test_what_happens_is_announced(self) -> None:
        self.scale("llm")
        broken = self.scaled_object("broken")
        broken["spec"]["triggers"][0]["metadata"]["threshold"] = "many"
        self.api.put(KEDA, "scaledobjects", broken)
        daemon = self.start("a")
        for _ in range(2):
            self.wants(22, "llm", 5, daemon)
            self.wants(1, "llm", 1, daemon)
        metric = "external metric s0-prometheus(scaledobject.keda.sh/name=llm)"
        daemon.wait_for(lambda: sorted(self.events("llm")) == [
            ("Normal", "SuccessfulRescale", "New size: 1; reason: All metrics below target", 2),
            ("Normal", "SuccessfulRescale", f"New size: 5; reason: {metric} above target", 2)])
        told = daemon.wait_for(lambda: self.events("broken"))
        self.assertEqual([one[:2] for one in told], [("Warning", "ScaledObjectCheckFailed")])
        self.assertIn("threshold", told[0][2])
        self.api.put(APPS, "deployments", deployment("broken", 1))
        self.api.put(KEDA, "scaledobjects", self.scaled_object("broken"))
        ready = ("Normal", "ScaledObjectReady", "ScaledObject is ready for scaling", 1)
        daemon.wait_for(lambda: ready in self.events("broken"))
        self.api.answer_scale = (422, "Invalid")
        self.metric.value = 22
        failed = daemon.wait_for(lambda: [one for one in self.events("llm") if one[1] == "FailedRescale"])[0]
        self.assertEqual(failed[0], "Warning")
        self.assertIn("New size: 5; reason: ", failed[2])
        self.assertIn("; error: ", failed[2])

    def test_a_status_that_may_not_be_told_keeps_nobody_from_scaling(self) -> None:
        self.api.denies_status = True
        self.scale("llm")
        daemon = self.start("a")
        self.wants(22, "llm", 5, daemon)
        self.wants(1, "llm", 1, daemon)
        seen = daemon.wait_for(lambda: (text := json.loads(daemon.get("/cluster.json")[2])).get("status_failures") and text)
        self.assertIn('resources: ["scaledobjects/status"], verbs: ["patch"]', seen["status_message"])
        self.assertLessEqual(seen["status_failures"], 2)

    def test_namespaces_and_labels_choose(self) -> None:
        self.scale("llm", labels={"team": "a"})
        self.scale("other", labels={"team": "b"})
        daemon = self.start("a", "--namespace", "ml", "--selector", "team=a")
        self.wants(22, "llm", 5, daemon)
        time.sleep(2)
        self.assertEqual(self.api.replicas("other"), 1)
        self.assertTrue(all("/namespaces/ml/" in path or "/clustertriggerauthentications" in path
                            for _, _, path in self.api.requests))

    def test_pages(self) -> None:
        self.scale("llm")
        daemon = self.start("a")
        self.wants(22, "llm", 5, daemon)
        daemon.wait_for(lambda: daemon.get("/readyz")[0] == 200)
        page = daemon.wait_for(lambda: (text := daemon.get("/metrics")[2]) and 'cluster_writes_total{result="applied"} 1' in text and text)
        for line in ('gputided_cluster_leader{lease="gputide"} 1', 'gputided_cluster_writes_total{result="applied"} 1',
                     "gputided_cluster_conflicts_total 0", "gputided_cluster_held 0",
                     'gputided_cluster_status_writes_total{result="failed"} 0',
                     'gputided_cluster_event_writes_total{result="failed"} 0',
                     'gputided_desired_replicas{namespace="ml",name="llm"} 5'):
            self.assertIn(line, page)
        self.assertIn('gputided_cluster_watch_age_seconds{resource="scaledobjects"', page)
        for kind in ("status", "event"):
            daemon.wait_for(lambda: f'gputided_cluster_{kind}_writes_total{{result="applied"}} 1' in daemon.get("/metrics")[2])
        seen = json.loads(daemon.get("/cluster.json")[2])
        self.assertEqual(seen["leases"][0]["holder"], "a")


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
                one = self.api.get(APPS, "deployments", "llm")
                one["spec"]["replicas"] = 9
                self.api.put(APPS, "deployments", one)
        self.api.before_put = by_hand
        daemon = self.start("a")
        self.metric.value = 22
        daemon.wait_for(lambda: self.told(daemon, "write"))
        self.assertEqual(self.told(daemon, "write")[0]["result"], "changed")
        daemon.wait_for(lambda: self.api.replicas("llm") == 5)  # of a decision that knew of the 9
        self.assertEqual([(one.old, one.new) for one in self.api.writes], [(9, 5)])

    def test_watches_that_break_go_on(self) -> None:
        self.scale("llm")
        daemon = self.start("a")
        self.wants(22, "llm", 5, daemon)
        for break_them in (self.api.cut, lambda: self.api.cut(in_object=True), self.api.compact):
            break_them()
            self.wants(1, "llm", 1, daemon)
            self.wants(22, "llm", 5, daemon)

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
        self.assertEqual([one["result"] for one in self.told(daemon, "write")], ["refused"])
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
        daemon.wait_for(lambda: "contested" in [one["reason"] for one in self.told(daemon, "held")])
        self.assertEqual(self.api.writes, [])

        def watch() -> Any:  # as of the last second
            return next(one for one in json.loads(daemon.get("/cluster.json")[2])["watches"] if one["resource"] == "horizontalpodautoscalers")
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


class Leading(OnACluster):
    def two(self) -> tuple[Daemon, Daemon]:
        self.scale("llm")
        first = self.start("a")
        first.wait_for(lambda: self.api.holder() == "a")
        return first, self.start("b")

    def test_one_of_two_writes(self) -> None:
        first, second = self.two()
        for value, size in ((22, 5), (12, 3), (1, 1)):
            self.wants(value, "llm", size, second)
        self.assertEqual({one.caller for one in self.api.writes}, {"a"})
        second.wait_for(lambda: second.get("/readyz")[0] == 200)  # a standby is ready

    def test_a_leader_that_dies_is_followed(self) -> None:
        first, second = self.two()
        self.wants(22, "llm", 5, first)
        second.wait_for(lambda: len(second.decisions) > 2)
        died = time.monotonic()
        first.end(signal.SIGKILL)
        self.metric.value = 12
        second.wait_for(lambda: self.api.holder() == "b")
        self.assertLessEqual(time.monotonic() - died, LEASE_S + 2)
        second.wait_for(lambda: self.api.replicas("llm") == 3)
        self.assertEqual(self.api.writes[-1].caller, "b")

    def test_a_new_leader_knows_what_lies_ahead(self) -> None:
        """One that begins after the leader's death has no state of it: the load's past is read again."""
        began_s = time.time()
        with FaultServer() as server:
            server.faults["hourly"] = lambda to, request: answer_hourly(to, request, began_s)
            so = self.scaled_object("llm", annotations={
                "gputide.io/forecast": "act", "gputide.io/forecast-lead": "10m", "gputide.io/forecast-history": "3d"})
            so["spec"]["triggers"][0]["metadata"] |= {"serverAddress": server.url("hourly"), "query": "sum(queue)"}
            self.api.put(APPS, "deployments", deployment("llm", 4))
            self.api.put(KEDA, "scaledobjects", so)
            first = self.start("a")
            first.wait_for(lambda: self.api.replicas("llm") > 10)  # the load of now needs 4, that of the lead 18
            first.end(signal.SIGKILL)
            self.api.put(APPS, "deployments", deployment("llm", 4))
            second = self.start("b")
            second.wait_for(lambda: self.api.replicas("llm") > 10)
            self.assertEqual(self.api.writes[-1].caller, "b")
            self.assertEqual(second.decisions[-1]["limited_by"], "forecast")

    def test_a_leader_that_is_told_to_end_hands_over(self) -> None:
        first, second = self.two()
        second.wait_for(lambda: len(second.decisions) > 2)
        ended = time.monotonic()
        first.end()
        second.wait_for(lambda: self.api.holder() == "b")
        self.assertLessEqual(time.monotonic() - ended, 3)

    def test_a_leader_that_slept_writes_nothing(self) -> None:
        first, second = self.two()
        self.wants(22, "llm", 5, first)
        first.process.send_signal(signal.SIGSTOP)
        second.wait_for(lambda: self.api.holder() == "b")
        self.wants(12, "llm", 3, second)
        before = len(self.api.writes)
        first.process.send_signal(signal.SIGCONT)
        self.wants(1, "llm", 1, second)
        time.sleep(2)
        self.assertEqual({one.caller for one in self.api.writes[before:]}, {"b"})

    # Asleep between its read and its write: its version is old by then.
    def test_a_leader_that_sleeps_before_its_write_is_refused(self) -> None:
        first, second = self.two()
        second.wait_for(lambda: len(second.decisions) > 2)
        asleep = threading.Event()

        def freeze(_: str) -> None:
            if not asleep.is_set():
                asleep.set()
                first.process.send_signal(signal.SIGSTOP)
                deadline = time.monotonic() + 30
                while self.api.replicas("llm") == 1 and time.monotonic() < deadline:
                    time.sleep(0.05)
        self.api.before_put = freeze
        self.metric.value = 22
        second.wait_for(lambda: self.api.replicas("llm") == 5)
        first.process.send_signal(signal.SIGCONT)
        time.sleep(2)
        self.assertEqual([(one.caller, one.old, one.new) for one in self.api.writes], [("b", 1, 5)])
        # The write that slept came late, and the server saw that it was nobody's any more: that is what is counted here.
        self.assertEqual([text for text in self.api.violations if "holds no Lease" not in text], [])
        self.api.violations.clear()

    def test_without_an_answer_for_the_lease_nothing_is_written(self) -> None:
        self.scale("llm")
        daemon = self.start("a")
        self.wants(22, "llm", 5, daemon)
        self.api.fail_leases = True
        time.sleep(LEASE_S)
        before = len(self.api.writes)
        self.metric.value = 1
        time.sleep(3)
        self.assertEqual(len(self.api.writes), before)
        self.api.fail_leases = False
        daemon.wait_for(lambda: self.api.replicas("llm") == 1)

    def test_a_leader_that_is_cut_off_is_followed(self) -> None:
        first, second = self.two()
        self.wants(22, "llm", 5, first)
        self.caller("a").is_cut_off = True
        second.wait_for(lambda: self.api.holder() == "b")
        self.wants(12, "llm", 3, second)
        self.caller("a").is_cut_off = False
        self.wants(1, "llm", 1, second)
        self.assertEqual({one.caller for one in self.api.writes[1:]}, {"b"})

    def test_shards_are_shared_and_move(self) -> None:
        for number in range(12):
            self.scale(f"so-{number}")
        daemons = [self.start(name, "--shards", "4") for name in ("a", "b")]
        sizes = lambda: {self.api.replicas(f"so-{number}") for number in range(12)}
        self.metric.value = 22
        daemons[0].wait_for(lambda: sizes() == {5})
        daemons[0].end(signal.SIGKILL)
        self.metric.value = 12
        daemons[1].wait_for(lambda: sizes() == {3})
        self.assertEqual(len(self.api.writes), 24)


class Arguments(unittest.TestCase):
    def refusal(self, *arguments: str) -> str:
        ran = harness.gputided("run", *arguments)
        self.assertEqual(ran.status, 2, ran)
        return ran.err

    def test_what_does_not_go_together(self) -> None:
        self.assertIn("one of --file and --kubernetes", self.refusal("--dry-run"))
        self.assertIn("without --exec", self.refusal("--kubernetes", "--exec", "true"))
        self.assertIn("--kubernetes", self.refusal("-f", "x.yaml", "--dry-run", "--shadow"))

    def test_no_api_server_is_named(self) -> None:
        ran = harness.gputided("run", "--kubernetes", "--listen", "")
        self.assertNotEqual(ran.status, 0)
        self.assertIn("KUBECONFIG", ran.err)


if __name__ == "__main__":
    unittest.main()

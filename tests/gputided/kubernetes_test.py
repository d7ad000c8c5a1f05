"""Metrics out of a cluster, through gputided eval: a pod's own credential, kubeconfigs of each kind, and what goes wrong."""
from __future__ import annotations

import base64
import json
import pathlib
from typing import Any

import certificates
import harness
import manifests
from harness import Daemon, Ran, gputided
from kubernetes_api import CUSTOM, EXTERNAL, RESOURCE, Pod
from kubernetes_case import QUEUE, USER, Cluster, ClusterWithPods, scaled_object


class Eval(Cluster):
    """gputided eval, by either way in."""

    def pod(self, file: str, *more: str, folder: str = "", current: int = 3) -> Ran:
        """gputided as a pod of the cluster."""
        return gputided("eval", "-f", file, "--current", str(current), "--output", "json", "--service-account-dir",
                        folder or self.service_account(), *more, env=self.inside)

    def kubeconfig(self, user: dict[str, Any], cluster: dict[str, Any] | None = None, **more: Any) -> str:
        certificate = pathlib.Path(certificates.trusted().certificate).read_bytes()
        ca = {"certificate-authority-data": base64.b64encode(certificate).decode()}
        config = {
            "apiVersion": "v1", "kind": "Config", "current-context": "here",
            "clusters": [{"name": "stand-in", "cluster": {"server": f"https://localhost:{self.api.port}/",
                                                          **(ca if cluster is None else cluster)}}],
            "users": [{"name": "me", "user": user}],
            "contexts": [{"name": "here", "context": {"cluster": "stand-in", "user": "me", "namespace": "ml"}}], **more,
        }
        return harness.write("kubeconfig/config", json.dumps(config, indent=1))

    def decided(self, ran: Ran, value: float, replicas: int) -> None:
        self.assertEqual(ran.status, 0, ran)
        self.assertEqual((ran.json["trace"][0]["value"], ran.json["proposed_replicas"]), (value, replicas), ran)

    def failed(self, ran: Ran, status: str, *expected: str) -> None:
        self.assertEqual(ran.status, 3, ran)
        for text in (f": {status}: trigger 0 (kubernetes): ", *expected):
            self.assertIn(text, ran.err)


class Values(Eval):
    def test_an_external_metric_is_the_sum_of_its_series(self) -> None:
        self.decided(self.pod(scaled_object(QUEUE)), 32.5, 7)
        self.assertEqual(self.api.requests, [(USER, "/apis/external.metrics.k8s.io/v1beta1/namespaces/ml/queue")])

    def test_a_selector_chooses_series(self) -> None:
        self.decided(self.pod(scaled_object({**QUEUE, "selector": "q in (b, c),!old"})), 12.5, 3)
        self.assertIn("labelSelector=q%20in%20%28b%2C%20c%29%2C%21old", self.api.requests[0][1])

    def test_pods_by_selector_in_either_version(self) -> None:
        self.api.pods["ml"] = [Pod("a", {"app": "llm"}, {"DCGM_FI_DEV_GPU_UTIL": "97"}),
                               Pod("b", {"app": "llm"}, {"DCGM_FI_DEV_GPU_UTIL": "49500m"}),
                               Pod("c", {"app": "other"}, {"DCGM_FI_DEV_GPU_UTIL": "1"}), Pod("d", {"app": "llm"})]
        wanted = {"api": "custom", "metric": "DCGM_FI_DEV_GPU_UTIL", "selector": "app=llm", "threshold": "60"}
        for versions, asked in ((["v1beta1", "v1beta2"], "v1beta2"), (["v1beta1"], "v1beta1")):
            with self.subTest(asked):
                self.api.groups[CUSTOM] = versions
                self.api.requests.clear()
                self.decided(self.pod(scaled_object(wanted)), 146.5, 3)
                self.assertEqual([path for _, path in self.api.requests], [
                    "/apis/custom.metrics.k8s.io", f"/apis/custom.metrics.k8s.io/{asked}/namespaces/ml/pods/%2A/"
                                                   "DCGM_FI_DEV_GPU_UTIL?labelSelector=app%3Dllm"])
        self.decided(self.pod(scaled_object(wanted, metricType="Value")), 73.25, 4)  # 73.25 / 60 of 3 ready → 3.66
        self.decided(self.pod(scaled_object({**wanted, "apiVersion": "v1beta1"})), 146.5, 3)

    def test_objects(self) -> None:
        self.api.objects = {"ml/services/llm": {"rps": "1250m"}, "ml/deployments.apps/llm": {"rps": "2"},
                            "nodes/gpu-1": {"rps": "3k"}, "namespaces/ml": {"rps": "4"}}
        for more, value in (({"object": "services/llm"}, 1.25), ({"object": "deployments.apps/llm"}, 2),
                            ({"object": "nodes/gpu-1", "scope": "cluster"}, 3000), ({"object": "namespaces/ml"}, 4)):
            with self.subTest(more["object"]):
                ran = self.pod(scaled_object({"api": "custom", "metric": "rps", "threshold": "1", **more}))
                self.assertEqual(ran.json["trace"][0]["value"], value, ran)

    def test_what_pods_and_containers_use(self) -> None:
        self.api.pods["ml"] = [Pod("a", {"app": "llm"}, usage={"main": {"cpu": "1500m", "memory": "2Gi"}, "proxy": {"cpu": "250000000n"}}),
                               Pod("b", {"app": "llm"}, usage={"main": {"cpu": "500m", "memory": "1Gi"}, "proxy": {"cpu": "0"}})]
        wanted = {"api": "resource", "metric": "cpu", "selector": "app=llm", "threshold": "1"}
        self.decided(self.pod(scaled_object(wanted)), 2.25, 3)
        self.decided(self.pod(scaled_object({**wanted, "container": "main"})), 2, 2)
        self.failed(self.pod(scaled_object({**wanted, "container": "none"})), "E_NO_DATA", "container none not present")

    def test_an_hpa_reads_its_external_metric_here(self) -> None:
        source = json.dumps({"type": "kubernetes", "metadata": {"api": "external", "metric": "queue", "selector": "q=a"}})
        hpa = {"apiVersion": "autoscaling/v2", "kind": "HorizontalPodAutoscaler",
               "metadata": {"name": "llm", "namespace": "ml", "annotations": {"gputide.io/source.queue": source}},
               "spec": {"scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "llm"}, "maxReplicas": 9,
                        "metrics": [{"type": "External", "external": {"metric": {"name": "queue"},
                                                                      "target": {"type": "AverageValue", "averageValue": "5"}}}]}}
        self.decided(self.pod(manifests.saved("hpa.yaml", hpa)), 20, 4)

    def test_no_metric_is_no_zero(self) -> None:
        self.api.external[("ml", "queue")] = []
        self.failed(self.pod(scaled_object(QUEUE)), "E_NO_DATA", "no metrics returned from external metrics API", "namespace ml")
        self.api.external[("ml", "queue")] = [({}, "-9223372036854775808m")]
        self.failed(self.pod(scaled_object(QUEUE)), "E_NO_DATA", "NaN")


class Refusals(Eval):
    def test_rbac(self) -> None:
        self.api.grants.clear()
        self.failed(self.pod(scaled_object(QUEUE)), "E_FORBIDDEN", f"https://127.0.0.1:{self.api.port}/apis/external.metrics.k8s.io/",
                    "403 Forbidden", USER, 'apiGroups: ["external.metrics.k8s.io"], resources: ["queue"], verbs: ["list"]')
        self.failed(self.pod(scaled_object({"api": "custom", "metric": "g", "selector": "a", "threshold": "1"})), "E_FORBIDDEN",
                    'apiGroups: ["custom.metrics.k8s.io"], resources: ["pods/g"], verbs: ["get"]')

    def test_an_api_that_is_not_there_or_down(self) -> None:
        del self.api.groups[EXTERNAL], self.api.groups[CUSTOM]
        self.failed(self.pod(scaled_object(QUEUE)), "E_REJECTED", "404", "APIService v1beta1.external.metrics.k8s.io is missing",
                    "KEDA or Prometheus Adapter")
        self.failed(self.pod(scaled_object({"api": "custom", "metric": "g", "selector": "a", "threshold": "1"})), "E_REJECTED",
                    "APIService v1beta1.custom.metrics.k8s.io is missing", "install Prometheus Adapter")
        self.api.down.add(RESOURCE)
        self.failed(self.pod(scaled_object({"api": "resource", "metric": "cpu", "selector": "a", "threshold": "1"})),
                    "E_UNAVAILABLE", "kubectl describe apiservice v1beta1.metrics.k8s.io")

    def test_an_unknown_metric(self) -> None:
        self.failed(self.pod(scaled_object({**QUEUE, "metric": "queeu"})), "E_REJECTED", "404 NotFound",
                    "could not find the metric queeu", "kubectl get --raw /apis/external.metrics.k8s.io/v1beta1")

    def test_a_selector_that_is_none(self) -> None:
        ran = self.pod(scaled_object({**QUEUE, "selector": "q in a"}))
        self.assertEqual(ran.status, 2, ran)
        self.assertIn("couldn't parse the selector string \"q in a\"", ran.err)

    def test_a_token_is_read_again_when_it_is_refused(self) -> None:
        folder = self.service_account("planted-old-token")
        self.api.on_refused_caller = lambda: harness.write("serviceaccount/token", harness.CLUSTER_TOKEN) and None
        self.decided(self.pod(scaled_object(QUEUE), folder=folder), 32.5, 7)

    def test_a_token_that_stays_refused_is_tried_twice_at_most(self) -> None:
        refusals: list[int] = []
        self.api.on_refused_caller = lambda: refusals.append(1)
        ran = self.pod(scaled_object(QUEUE), folder=self.service_account(harness.CLUSTER_TOKEN + "x"))
        self.failed(ran, "E_AUTH", "401 Unauthorized", "has not expired")
        self.assertLessEqual(len(refusals), 2)

    def test_another_ca(self) -> None:
        folder = self.service_account(ca=certificates.authority("strange-ca").certificate)
        self.failed(self.pod(scaled_object(QUEUE), folder=folder), "E_SECURITY", "certificate")
        self.assertEqual(self.api.requests, [])

    def test_files_that_are_missing(self) -> None:
        folder = pathlib.Path(self.service_account())
        (folder / "token").unlink()
        self.failed(self.pod(scaled_object(QUEUE), folder=str(folder)), "E_INVALID", f"{folder}/token: No such file")
        (folder / "ca.crt").unlink()
        ran = self.pod(scaled_object(QUEUE), folder=str(folder))
        self.assertEqual(ran.status, 2, ran)
        self.assertIn(f"{folder}/ca.crt: No such file", ran.err)

    def test_no_cluster_at_all(self) -> None:
        ran = gputided("eval", "-f", scaled_object(QUEUE), "--current", "3")
        self.assertNotEqual(ran.status, 0, ran)
        for text in ("KUBERNETES_SERVICE_HOST", "KUBECONFIG", "~/.kube/config"):
            self.assertIn(text, ran.err)

    def test_check_asks_nobody(self) -> None:
        self.assertEqual(gputided("check", "-f", scaled_object(QUEUE)).status, 0)
        wrong = gputided("check", "-f", scaled_object({**QUEUE, "api": "externl", "container": "c"}))
        self.assertEqual(wrong.status, 2, wrong)
        self.assertIn("externl", wrong.err + wrong.out)


class Kubeconfigs(Eval):
    def by(self, config: str, *more: str, env: dict[str, str] | None = None) -> Ran:
        return gputided("eval", "-f", scaled_object(QUEUE), "--current", "3", "--output", "json",
                        *(["--kubeconfig", config] if config else []), *more, env=env)

    def refused(self, config: str, *expected: str) -> None:
        ran = self.by(config)
        self.assertIn(ran.status, (2, 3), ran)
        self.assertEqual(self.api.requests, [])
        for text in expected:
            self.assertIn(text, ran.err)

    def test_a_token(self) -> None:
        self.decided(self.by(self.kubeconfig({"token": harness.CLUSTER_TOKEN})), 32.5, 7)

    def test_a_token_file_beside_it(self) -> None:
        harness.write("kubeconfig/token", harness.CLUSTER_TOKEN + "\n")
        self.decided(self.by(self.kubeconfig({"tokenFile": "token"})), 32.5, 7)

    def test_a_client_certificate(self) -> None:
        pair = certificates.of_user("alice")
        self.api.allow("alice", "list", EXTERNAL, "queue")
        self.decided(self.by(self.kubeconfig({"client-certificate": pair.certificate, "client-key": pair.key})), 32.5, 7)
        data = {f"{name}-data": base64.b64encode(pathlib.Path(path).read_bytes()).decode()
                for name, path in (("client-certificate", pair.certificate), ("client-key", pair.key))}
        self.decided(self.by(self.kubeconfig(data)), 32.5, 7)
        self.assertEqual({user for user, _ in self.api.requests}, {"alice"})

    def plugin(self, status: dict[str, str]) -> tuple[str, str]:
        """A program that prints that credential, and a kubeconfig that names it by its place beside it."""
        version = "client.authentication.k8s.io/v1beta1"
        harness.write("kubeconfig/credential", json.dumps({"apiVersion": version, "kind": "ExecCredential", "status": status}))
        program = harness.write("kubeconfig/sign-on", '#!/bin/sh\ncat "$(dirname "$0")/credential"\n')
        pathlib.Path(program).chmod(0o755)
        return program, self.kubeconfig({"exec": {"apiVersion": version, "command": "./sign-on"}})

    def test_an_exec_plugin(self) -> None:
        program, config = self.plugin({"token": harness.CLUSTER_TOKEN, "expirationTimestamp": "2999-01-01T00:00:00Z"})
        self.decided(self.by(config, "--allow-kubeconfig-program", program), 32.5, 7)
        _, config = self.plugin({"token": "not-this-one"})
        ran = self.by(config, "--allow-kubeconfig-program", program)
        self.failed(ran, "E_AUTH", "401")
        self.assertNotIn("not-this-one", ran.out + ran.err)

    def test_an_exec_plugin_that_gives_a_client_certificate(self) -> None:
        pair = certificates.of_user("alice")
        self.api.allow("alice", "list", EXTERNAL, "queue")
        program, config = self.plugin({"clientCertificateData": pathlib.Path(pair.certificate).read_text(),
                                       "clientKeyData": pathlib.Path(pair.key).read_text()})
        self.decided(self.by(config, "--allow-kubeconfig-program", program), 32.5, 7)
        self.assertEqual({user for user, _ in self.api.requests}, {"alice"})

    def test_run_asks_the_kubeconfigs_cluster_too(self) -> None:
        config = self.kubeconfig({"token": harness.CLUSTER_TOKEN})
        with Daemon("-f", scaled_object(QUEUE), "--dry-run", "--current", "3", "--kubeconfig", config) as daemon:
            daemon.wait_for(lambda: daemon.decisions)
            self.assertEqual(daemon.decisions[0]["desired_replicas"], 6, daemon.decisions[0])  # twice three at once

    def test_a_ca_file_and_a_server_name(self) -> None:
        cluster = {"server": f"https://127.0.0.1:{self.api.port}", "certificate-authority": certificates.trusted().certificate,
                   "tls-server-name": "localhost"}
        self.decided(self.by(self.kubeconfig({"token": harness.CLUSTER_TOKEN}, cluster)), 32.5, 7)

    def test_unverified_by_its_own_word_alone(self) -> None:
        token = {"token": harness.CLUSTER_TOKEN}
        ran = self.by(self.kubeconfig(token, {}))
        self.failed(ran, "E_SECURITY", "certificate")
        self.assertEqual(self.api.requests, [])
        self.decided(self.by(self.kubeconfig(token, {"insecure-skip-tls-verify": True})), 32.5, 7)

    def test_the_environments_kubeconfigs(self) -> None:
        config = self.kubeconfig({"token": harness.CLUSTER_TOKEN})
        self.decided(self.by("", env={"KUBECONFIG": f"/nowhere/config:{config}"}), 32.5, 7)
        home = harness.WORK / "home"
        harness.write("home/.kube/config", pathlib.Path(config).read_bytes())
        self.decided(self.by("", env={"HOME": str(home)}), 32.5, 7)

    def test_another_context(self) -> None:
        contexts = [{"name": "here", "context": {"cluster": "gone", "user": "me"}},
                    {"name": "there", "context": {"cluster": "stand-in", "user": "me"}}]
        config = self.kubeconfig({"token": harness.CLUSTER_TOKEN}, contexts=contexts)
        self.decided(self.by(config, "--context", "there"), 32.5, 7)
        self.api.requests.clear()
        self.refused(config, 'no cluster "gone"', "stand-in")

    def test_what_is_not_supported_is_said(self) -> None:
        plugin = {"apiVersion": "client.authentication.k8s.io/v1", "command": "aws"}
        for user, expected in (({"exec": plugin}, ['"aws" is not run', "allowed_programs", "--allow-kubeconfig-program"]),
                               ({"auth-provider": {"name": "gcp"}}, ["auth-provider is no longer supported"]),
                               ({"token": harness.CLUSTER_TOKEN, "as": "root"}, ["impersonation"]),
                               ({"client-certificate": "c.pem"}, ["cannot be read", "kubeconfig/c.pem"]),
                               ({"token": harness.CLUSTER_TOKEN, "username": "me"}, ["keep one of the two"])):
            with self.subTest(str(user)):
                self.refused(self.kubeconfig(user), "kubeconfig/config:", *expected)
        self.refused(self.kubeconfig({}, {"proxy-url": "http://proxy"}), "proxy-url is not supported")
        self.refused(harness.write("kubeconfig/broken", "clusters: [\n"), "kubeconfig/broken:")
        self.refused("/nowhere/config", "/nowhere/config: No such file")
        self.refused(self.kubeconfig({}, None, **{"current-context": ""}), "no current-context", "here")


class AnHpaAsItIs(ClusterWithPods, Eval):
    """gputide.io/metrics-from: kubernetes: every metric of a manifest, as the controller reads it."""

    def proposes(self, ran: Ran, replicas: int) -> None:
        self.assertEqual((ran.status, ran.json["proposed_replicas"]), (0, replicas), ran)

    def test_pods(self) -> None:
        self.proposes(self.pod(self.hpa(self.pods_metric("40"))), 6)   # mean 80 → ratio 2 of 3 pods
        self.proposes(self.pod(self.hpa(self.pods_metric("80"))), 3)
        self.assertEqual([path.split("?")[0] for _, path in self.api.requests[:4]], [
            "/apis/custom.metrics.k8s.io", "/apis/apps/v1/namespaces/ml/deployments/llm/scale", "/api/v1/namespaces/ml/pods",
            "/apis/custom.metrics.k8s.io/v1beta2/namespaces/ml/pods/%2A/gpu"])

    def test_a_pod_without_the_metric_is_assumed_idle_on_the_way_up(self) -> None:
        self.api.pods["ml"].append(Pod("d", {"app": "llm"}))
        self.proposes(self.pod(self.hpa(self.pods_metric("40")), current=4), 6)  # (90+70+80+0)/4 = 60 → 1.5 of 4

    def test_utilization_and_its_requests(self) -> None:
        self.proposes(self.pod(self.hpa(self.resource(40))), 6)  # 2400m of 3 → 80 % against 40 %
        self.proposes(self.pod(self.hpa(self.resource(40, container="main"))), 6)
        self.api.pods["ml"][1].requests = {"main": {}}
        ran = self.pod(self.hpa(self.resource(40)))
        self.assertEqual(ran.status, 3, ran)
        self.assertIn("missing request for cpu in container main of Pod", ran.out)

    def test_a_starting_pod_is_no_reason_to_grow(self) -> None:
        self.api.pods["ml"][0].ready, self.api.pods["ml"][0].usage = "False", {"main": {"cpu": "5", "memory": "1Gi"}}
        self.api.pods["ml"][0].start = "2099-01-01T00:00:00Z"
        self.proposes(self.pod(self.hpa(self.resource(75)), "--at", "2099-01-01T00:01:00Z"), 3)

    def test_object_external_and_the_largest_of_several(self) -> None:
        self.api.objects = {"ml/ingresses.networking.k8s.io/main": {"rps": "100"}}
        thing = {"type": "Object", "object": {
            "metric": {"name": "rps"}, "describedObject": {"apiVersion": "networking.k8s.io/v1", "kind": "Ingress", "name": "main"},
            "target": {"type": "AverageValue", "averageValue": "25"}}}
        queue = {"type": "External", "external": {"metric": {"name": "queue", "selector": {"matchLabels": {"q": "a"}}},
                                                  "target": {"type": "AverageValue", "averageValue": "2"}}}
        self.proposes(self.pod(self.hpa(thing)), 4)
        self.proposes(self.pod(self.hpa(thing, queue, self.pods_metric("80"))), 10)

    def test_many_pods_come_in_pages(self) -> None:
        self.api.page_size = 2
        self.proposes(self.pod(self.hpa(self.pods_metric("40"))), 6)
        self.assertEqual(sum(path.startswith("/api/v1/") for _, path in self.api.requests), 2)

    def test_keda_leaves_cpu_to_the_hpa_and_so_do_we(self) -> None:
        so = manifests.scaled_object("", name="llm", annotations={"gputide.io/metrics-from": "kubernetes"})
        so["metadata"]["namespace"] = "ml"
        so["spec"]["triggers"] = [{"type": "cpu", "metricType": "Utilization", "metadata": {"value": "40"}}]
        self.proposes(self.pod(manifests.saved("cpu.yaml", so)), 6)

    def test_what_is_missing_is_named(self) -> None:
        for group, resource in (("apps", "deployments/scale"), ("", "pods"), (RESOURCE, "pods")):
            with self.subTest(group):
                kept = set(self.api.grants)
                self.api.grants = {entry for entry in kept if entry[2] != group}
                ran = self.pod(self.hpa(self.resource(40)))
                self.assertEqual(ran.status, 3, ran)
                self.assertIn(f'E_FORBIDDEN: metric cpu: ', ran.err)
                self.assertIn(f'apiGroups: ["{group}"], resources: ["{resource}"]', ran.err)
                self.api.grants = kept
        self.api.scales.clear()
        self.assertIn('deployments.apps "llm" not found', self.pod(self.hpa(self.resource(40))).err)

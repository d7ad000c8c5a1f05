"""Tests what examples/kubernetes installs: the API server takes each folder as it stands, and each query asks for what gputided says."""
from __future__ import annotations

import json
import re
import subprocess
from typing import Any

import harness
from api_client import path_of
from case import APPS, CORE, EXAMPLES, HOME, KEDA, RBAC, Case
from harness import Daemon
from prometheus_server import Scraper, free_port, panels

FOLDERS = ["shadow", "act", "sharded", "monitoring"]
# The metrics that every pod begins with: what other pods may read, and the other pages on loopback.
ARGUMENTS = ["run", "--kubernetes", "--listen", "0.0.0.0:9105", "--listen", "127.0.0.1:9106", "--log-form", "compact"]


class Install(Case):
    def objects(self, folder: str) -> dict[tuple[str, str], Any]:
        """As the server would have them, by kind and name."""
        answer = self.plane.kubectl("apply", "--dry-run=server", "--output", "json", "-k", str(EXAMPLES / folder))
        return {(item["kind"], item["metadata"]["name"]): item for item in json.loads(answer)["items"]}

    def test_the_server_takes_every_folder(self) -> None:
        for folder in FOLDERS:
            with self.subTest(folder):
                self.assertGreaterEqual(len(self.objects(folder)), 3)

    def rules(self, folder: str) -> list[Any]:
        return [rule for (kind, _), value in self.objects(folder).items() if kind in ("Role", "ClusterRole") for rule in value["rules"]]

    def test_no_folder_grants_more_than_it_takes(self) -> None:
        self.assertLessEqual({verb for rule in self.rules("shadow") for verb in rule["verbs"]}, {"get", "list", "watch"})
        for folder in FOLDERS:
            for rule in self.rules(folder):
                self.assertNotIn("*", [*rule["verbs"], *rule["resources"], *rule["apiGroups"]])
                self.assertNotIn("secrets", rule["resources"])

    def test_shards_have_their_leases(self) -> None:
        made = self.objects("sharded")
        arguments = made["Deployment", HOME]["spec"]["template"]["spec"]["containers"][0]["args"]
        shards = int(arguments[arguments.index("--shards") + 1])
        self.assertEqual(made["Deployment", HOME]["spec"]["replicas"], shards)
        names = [rule["resourceNames"] for rule in made["Role", "gputide-lease"]["rules"] if "resourceNames" in rule]
        self.assertEqual(names, [[HOME, *(f"{HOME}-{shard}" for shard in range(1, shards))]])

    def test_other_pods_reach_one_port_alone(self) -> None:
        made = self.objects("act")
        pod = made["Deployment", HOME]["spec"]["template"]
        policy = made["NetworkPolicy", HOME]["spec"]
        self.assertLessEqual(policy["podSelector"]["matchLabels"].items(), pod["metadata"]["labels"].items())
        self.assertEqual(policy["policyTypes"], ["Ingress"])
        ports = {port["name"] for container in pod["spec"]["containers"] for port in container["ports"]}
        self.assertEqual([port["port"] for rule in policy["ingress"] for port in rule["ports"]], list(ports))
        container = pod["spec"]["containers"][0]
        self.assertEqual(container["args"][:len(ARGUMENTS)], ARGUMENTS)
        self.assertEqual({container[probe]["httpGet"]["port"] for probe in ("readinessProbe", "livenessProbe")}, ports)

    def test_the_service_finds_the_pods(self) -> None:
        pod = self.objects("act")["Deployment", HOME]["spec"]["template"]
        made = self.objects("monitoring")
        service = made["Service", HOME]
        self.assertLessEqual(service["spec"]["selector"].items(), pod["metadata"]["labels"].items())
        ports = {port["name"] for container in pod["spec"]["containers"] for port in container["ports"]}
        self.assertIn(service["spec"]["ports"][0]["targetPort"], ports)
        monitor = made["ServiceMonitor", HOME]["spec"]
        self.assertLessEqual(monitor["selector"]["matchLabels"].items(), service["metadata"]["labels"].items())
        self.assertEqual([endpoint["port"] for endpoint in monitor["endpoints"]], [service["spec"]["ports"][0]["name"]])


class Chart(Case):
    """The same as a Helm chart: examples/kubernetes itself; its templates read the folders' files."""

    def helm(self, *arguments: str, status: int = 0) -> str:
        ran = subprocess.run([str(self.plane.programs / "helm"), *arguments], capture_output=True, text=True, timeout=harness.PATIENCE_S,
                             env=harness.surroundings({"KUBECONFIG": self.plane.admin_kubeconfig}), check=False)
        self.assertEqual(ran.returncode, status, ran.stdout + ran.stderr)
        return ran.stdout + ran.stderr

    def rendered(self, name: str, namespace: str, *values: str) -> dict[tuple[str, str], Any]:
        """As the server would have them, by kind and name."""
        text = self.helm("template", name, str(EXAMPLES), "--namespace", namespace, *values)
        answer = self.plane.kubectl("apply", "--dry-run=server", "--output", "json", "--filename", harness.write("chart.yaml", text))
        return {(item["kind"], item["metadata"]["name"]): item for item in json.loads(answer)["items"]}

    def test_it_is_linted_and_refuses_what_it_does_not_know(self) -> None:
        for values in ((), ("--set", "mode=act"), ("--set", "mode=act,shards=3")):
            self.assertIn("0 chart(s) failed", self.helm("lint", "--strict", str(EXAMPLES), *values))
        for values, words in (("mode=watch", "'shadow', 'act'"), ("shard=3", "'shard' not allowed"), ("shards=3", "needs mode: act"),
                              ("shards=0", "/shards"), ("rights.secrets[0].names[0]=a", "namespace")):
            self.assertIn(words, self.helm("template", "x", str(EXAMPLES), "--set", values, status=1))

    def test_it_installs_what_the_folders_do(self) -> None:
        for folder, values in (("shadow", ()), ("act", ("--set", "mode=act")), ("sharded", ("--set", "mode=act,shards=3"))):
            with self.subTest(folder):
                theirs = Install.objects(self, folder)  # type: ignore[arg-type]
                ours = self.rendered(HOME, self.namespace, *values)
                self.assertEqual({key for key in theirs if key[0] != "Namespace"} - set(ours), set())
                for (kind, name), their in theirs.items():
                    if kind in ("Role", "ClusterRole"):
                        self.assertEqual(ours[kind, name]["rules"], their["rules"], name)
                self.assertEqual(*(self.pod(made["Deployment", HOME]) for made in (ours, theirs)))
                self.assertEqual(*(made["Deployment", HOME]["spec"]["replicas"] for made in (ours, theirs)))

    def pod(self, deployment: Any) -> Any:
        spec = deployment["spec"]["template"]["spec"]
        spec.pop("topologySpreadConstraints", None)  # it says how its pods are selected, which differs
        return spec

    def test_every_value_is_taken(self) -> None:
        values = json.dumps({
            "mode": "act", "namespaces": [self.namespace], "selector": "team=a", "owner": "west", "shards": 2, "leaseSeconds": 30,
            "arguments": ["--allow-plain-http"], "azureWorkloadIdentity": {"clientId": "0000"}, "resources": {"limits": {"memory": "1Gi"}},
            "rights": {"secrets": [{"namespace": self.namespace, "names": ["token"]}],
                       "tokens": [{"audience": "prom.corp", "namespace": self.namespace, "serviceAccountName": "metrics"}],
                       "scales": [{"group": "serving.example.org", "resource": "modelservers"}]},
            "networkPolicy": {"from": [{"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "monitoring"}}}]},
            "monitoring": {"serviceMonitor": True, "rules": True, "dashboard": True, "labels": {"release": "prom"}}})
        made = self.rendered("west", self.namespace, "--values", harness.write("values.json", values))
        name = "west-gputide"
        container = made["Deployment", name]["spec"]["template"]["spec"]["containers"][0]
        self.assertEqual(container["args"][len(ARGUMENTS):], ["--lease", name, "--shards", "2", "--lease-s", "30", "--namespace", self.namespace,
                                                 "--selector", "team=a", "--owner", "west", "--allow-plain-http"])
        self.assertEqual(container["resources"], {"limits": {"memory": "1Gi"}})
        labels = made["Deployment", name]["spec"]["template"]["metadata"]["labels"]
        self.assertEqual(labels["azure.workload.identity/use"], "true")
        self.assertEqual(made["ServiceAccount", name]["metadata"]["annotations"]["azure.workload.identity/client-id"], "0000")
        self.assertNotIn(("ClusterRoleBinding", f"{name}-reading"), made)
        self.assertIn(("RoleBinding", f"{name}-reading"), made)
        self.assertIn(("ClusterRoleBinding", f"{name}-cluster"), made)
        self.assertEqual(made["Role", f"{name}-secrets"]["rules"][0]["resourceNames"], ["token"])
        self.assertEqual(made["Role", f"{name}-token-metrics"]["rules"], [
            {"apiGroups": [""], "resources": ["serviceaccounts/token"], "verbs": ["create"], "resourceNames": ["metrics"]}])
        self.assertEqual([(entry["name"], json.loads(entry["value"])) for entry in container["env"]],
                         [("KEDA_SERVICE_ACCOUNT_TOKEN_AUDIENCES", json.loads(values)["rights"]["tokens"])])
        self.assertIn(["modelservers/scale"], [rule["resources"] for rule in made["ClusterRole", f"{name}-writing"]["rules"]])
        self.assertEqual(made["Role", f"{name}-lease"]["rules"][1]["resourceNames"], [name, f"{name}-1"])
        self.assertEqual(made["NetworkPolicy", name]["spec"]["podSelector"]["matchLabels"],
                         made["Deployment", name]["spec"]["selector"]["matchLabels"])
        self.assertEqual(made["NetworkPolicy", name]["spec"]["ingress"][0]["from"][0]["namespaceSelector"]["matchLabels"],
                         {"kubernetes.io/metadata.name": "monitoring"})
        for kind in ("Service", "ServiceMonitor", "PrometheusRule"):
            self.assertEqual(made[kind, name]["metadata"]["labels"]["release"], "prom")
        board = made["ConfigMap", f"{name}-dashboard"]["data"]["dashboard.json"]
        self.assertEqual(json.loads(board), json.loads((EXAMPLES / "monitoring/dashboard.json").read_text()))

    def test_what_it_installs_scales_and_goes_away_again(self) -> None:
        """As its own ServiceAccount, with the flags of its Deployment, in this namespace alone."""
        release, where = f"gputide-{self.namespace}", ("--namespace", self.namespace)
        self.helm("install", release, str(EXAMPLES), *where, "--set", f"mode=act,namespaces={{{self.namespace}}},leaseSeconds=5")
        args = self.api.get(APPS, "deployments", self.namespace, release)["spec"]["template"]["spec"]["containers"][0]["args"]
        self.scale("llm")
        answer = self.api.ask("POST", path_of(CORE, "serviceaccounts", self.namespace, release, "token"), {
            "apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {"expirationSeconds": 3600}})
        token = harness.write(f"{release}.token", answer["status"]["token"])
        kubeconfig = self.plane.kubeconfig(release, {"tokenFile": token}, self.namespace)
        self.assertEqual(args[:len(ARGUMENTS)], ARGUMENTS)
        daemon = self.enterContext(Daemon("--kubernetes", *args[len(ARGUMENTS):], "--kubeconfig", kubeconfig))
        self.gauges["llm"] = 22
        daemon.wait_for(lambda: self.replicas("llm") == 5)
        daemon.wait_for(lambda: self.api.get(KEDA, "scaledobjects", self.namespace, "llm").get("status"))
        daemon.end()
        self.helm("uninstall", release, *where, "--wait")
        self.assertIsNone(self.api.find(RBAC, "clusterroles", "", f"{release}-reading"))
        self.assertIsNone(self.api.find(APPS, "deployments", self.namespace, release))


class Queries(Case):
    """Tests alerts and dashboard."""

    def setUp(self) -> None:
        super().setUp()
        rules = json.loads(self.plane.kubectl("apply", "--dry-run=server", "--output", "json", "-k",
                                              str(EXAMPLES / "monitoring")))
        self.groups = next(item for item in rules["items"] if item["kind"] == "PrometheusRule")["spec"]

    def test_promtool_takes_them(self) -> None:
        file = harness.write("alerts.json", json.dumps(self.groups))  # JSON is YAML
        ran = subprocess.run(["promtool", "check", "rules", file], capture_output=True, text=True)
        self.assertEqual(ran.returncode, 0, ran.stdout + ran.stderr)
        self.assertIn(f"{len(self.groups['groups'][0]['rules'])} rules found", ran.stdout)

    def test_each_asks_for_what_is_there(self) -> None:
        """Returns data while one instance scales and one compares; an alert's without its comparison."""
        self.scale("llm")
        unread = self.scaled_object("unread")
        unread["spec"]["triggers"][0]["metadata"]["serverAddress"] = f"http://127.0.0.1:{free_port()}"
        self.deployment("unread")
        self.api.create("scaledobjects", unread)
        instance = self.start("a")
        self.wants(22, "llm", 5, instance)
        broken = self.scaled_object("broken")
        broken["spec"]["triggers"][0]["metadata"]["threshold"] = "many"
        self.api.create("scaledobjects", broken)
        instance.daemon.wait_for(lambda: instance.held("broken"))
        seen = Scraper(self, HOME, [instance.daemon.url(), self.start("b", "--shadow").daemon.url()])
        queries = panels()
        for rule in self.groups["groups"][0]["rules"]:
            if rule["alert"] == "GputideNotice":
                continue  # nothing here is only worth a notice
            query = re.sub(r"\s(==|>|<)\s*[\d.]+$", "", rule["expr"])
            queries[rule["alert"]] = re.sub(r"^absent\((.*)\)$", r"\1", query)
        for name, query in queries.items():
            with self.subTest(name):
                self.within(lambda: seen.ask(query), 20)
        self.within(lambda: seen.ask(self.expression("GputideProblem")), 20)
        self.assertEqual(seen.ask(self.expression("GputideNobodyLeads")), [])
        self.assertEqual(seen.ask(self.expression("GputideGone")), [])

    def expression(self, alert: str) -> str:
        return next(str(rule["expr"]) for rule in self.groups["groups"][0]["rules"] if rule["alert"] == alert)

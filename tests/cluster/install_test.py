"""What examples/kubernetes installs: the API server takes each folder as it stands, and each query asks for what gputided says."""
from __future__ import annotations

import json
import re
import subprocess
import urllib.error
import urllib.parse
import urllib.request
from typing import Any

import harness
from case import EXAMPLES, HOME, Case
from prometheus_server import free_port

FOLDERS = ["shadow", "act", "sharded", "monitoring"]


class Install(Case):
    def objects(self, folder: str) -> dict[tuple[str, str], Any]:
        """As the server would have them, by kind and name."""
        answer = self.plane.kubectl("apply", "--dry-run=server", "--output", "json", "-k", str(EXAMPLES / folder))
        return {(one["kind"], one["metadata"]["name"]): one for one in json.loads(answer)["items"]}

    def test_the_server_takes_every_folder(self) -> None:
        for folder in FOLDERS:
            with self.subTest(folder):
                self.assertGreaterEqual(len(self.objects(folder)), 3)

    def rules(self, folder: str) -> list[Any]:
        return [rule for (kind, _), one in self.objects(folder).items() if kind in ("Role", "ClusterRole") for rule in one["rules"]]

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

    def test_the_service_finds_the_pods(self) -> None:
        pod = self.objects("act")["Deployment", HOME]["spec"]["template"]
        made = self.objects("monitoring")
        service = made["Service", HOME]
        self.assertLessEqual(service["spec"]["selector"].items(), pod["metadata"]["labels"].items())
        ports = {port["name"] for container in pod["spec"]["containers"] for port in container["ports"]}
        self.assertIn(service["spec"]["ports"][0]["targetPort"], ports)
        monitor = made["ServiceMonitor", HOME]["spec"]
        self.assertLessEqual(monitor["selector"]["matchLabels"].items(), service["metadata"]["labels"].items())
        self.assertEqual([one["port"] for one in monitor["endpoints"]], [service["spec"]["ports"][0]["name"]])


class Queries(Case):
    """Of alerts and dashboard."""

    def setUp(self) -> None:
        super().setUp()
        rules = json.loads(self.plane.kubectl("apply", "--dry-run=server", "--output", "json", "-k",
                                              str(EXAMPLES / "monitoring")))
        self.groups = next(one for one in rules["items"] if one["kind"] == "PrometheusRule")["spec"]

    def test_promtool_takes_them(self) -> None:
        file = harness.write("alerts.json", json.dumps(self.groups))  # JSON is YAML
        ran = subprocess.run(["promtool", "check", "rules", file], capture_output=True, text=True)
        self.assertEqual(ran.returncode, 0, ran.stdout + ran.stderr)
        self.assertIn(f"{len(self.groups['groups'][0]['rules'])} rules found", ran.stdout)

    def panels(self) -> dict[str, str]:
        """The dashboard's queries, with every namespace and name chosen."""
        board = json.loads((EXAMPLES / "monitoring/dashboard.json").read_text())
        for variable in ("$namespace", "$name"):
            self.assertIn(variable[1:], [one["name"] for one in board["templating"]["list"]])
        return {f"{panel['title']} {target['refId']}": re.sub(r"\$(namespace|name)\b", ".*", target["expr"])
                for panel in board["panels"] for target in panel["targets"]}

    def test_each_asks_for_what_is_there(self) -> None:
        """Returns data while one instance scales and one compares; an alert's without its comparison."""
        self.scale("llm")
        unread = self.scaled_object("unread")
        unread["spec"]["triggers"][0]["metadata"]["serverAddress"] = f"http://127.0.0.1:{free_port()}"
        self.deployment("unread")
        self.api.create("scaledobjects", unread)
        one = self.start("a")
        self.wants(22, "llm", 5, one)
        broken = self.scaled_object("broken")
        broken["spec"]["triggers"][0]["metadata"]["threshold"] = "many"
        self.api.create("scaledobjects", broken)
        one.daemon.wait_for(lambda: one.held("broken"))
        seen = Scraper(self, [one.daemon.url(), self.start("b", "--shadow").daemon.url()])
        queries = self.panels()
        for rule in self.groups["groups"][0]["rules"]:
            query = re.sub(r"\s(==|>|<)\s*[\d.]+$", "", rule["expr"])
            queries[rule["alert"]] = re.sub(r"^absent\((.*)\)$", r"\1", query)
        for name, query in queries.items():
            with self.subTest(name):
                self.within(lambda: seen.ask(query), 20)
        self.within(lambda: seen.ask(self.expression("GputideHolds")), 20)
        self.assertEqual(seen.ask(self.expression("GputideNobodyLeads")), [])
        self.assertEqual(seen.ask(self.expression("GputideGone")), [])

    def expression(self, alert: str) -> str:
        return next(str(rule["expr"]) for rule in self.groups["groups"][0]["rules"] if rule["alert"] == alert)


class Scraper:
    """A Prometheus that scrapes these as the ServiceMonitor has it, each second."""

    def __init__(self, case: Case, urls: list[str]) -> None:
        folder = harness.WORK / f"scraper-{case.namespace}"
        folder.mkdir()
        targets = [url.removeprefix("http://") for url in urls]
        config = folder / "prometheus.yml"
        config.write_text(json.dumps({"global": {"scrape_interval": "1s", "scrape_timeout": "1s"}, "scrape_configs": [
            {"job_name": HOME, "honor_labels": True, "static_configs": [{"targets": targets}]}]}))
        port = free_port()
        self.url = f"http://127.0.0.1:{port}"
        process = subprocess.Popen(["prometheus", f"--config.file={config}", f"--storage.tsdb.path={folder}/data",
                                    "--log.level=error", f"--web.listen-address=127.0.0.1:{port}"],
                                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        case.addCleanup(process.wait, harness.PATIENCE_S)
        case.addCleanup(process.terminate)

    def ask(self, query: str) -> list[Any]:
        """What it answers; nothing while it starts."""
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            with opener.open(f"{self.url}/api/v1/query?" + urllib.parse.urlencode({"query": query}), timeout=5) as answer:
                out: list[Any] = json.load(answer)["data"]["result"]
                return out
        except urllib.error.HTTPError as why:
            if why.code == 503:
                return []
            raise AssertionError(f"{query}: {why.read().decode()}") from why
        except OSError:
            return []

"""The list of problems on a cluster: blocks and failed writes begin and end in the log, /metrics and /problems.json."""
from __future__ import annotations

import json

import harness
from cluster.case import APPS, KEDA, OnACluster
from cluster.objects import deployment
from harness import Daemon


class Problems(OnACluster):
    def codes(self, daemon: Daemon) -> dict[str, str]:
        return {entry["object"]: entry["code"] for entry in json.loads(daemon.get("/problems.json")[2])["problems"]}

    def test_what_is_not_scaled_is_a_problem(self) -> None:
        self.api.put(KEDA, "scaledobjects", self.scaled_object("gone"))
        broken = self.scaled_object("broken")
        broken["spec"]["triggers"][0]["metadata"]["threshold"] = "many"
        self.api.put(KEDA, "scaledobjects", broken)
        self.api.put(APPS, "deployments", deployment("broken", 1))
        self.scale("foreign", annotations={"gputide.io/owner": "another"})
        audit = harness.WORK / "cluster.audit"
        daemon = self.start("a", "--audit-log", str(audit))
        expected = {"ml/gone": "no_target", "ml/broken": "manifest_refused", "ml/foreign": "not_owner"}
        daemon.wait_for(lambda: expected.items() <= self.codes(daemon).items())
        for name, code in expected.items():
            daemon.wait_for(lambda code=code: f"[{code}]" in daemon.err)
            space, _, alone = name.partition("/")
            self.assertIn(f'\ngputide_problem{{code="{code}",namespace="{space}",name="{alone}"}} 1\n', daemon.get("/metrics")[2])
        self.api.put(APPS, "deployments", deployment("gone", 1))
        daemon.wait_for(lambda: "ml/gone" not in self.codes(daemon))
        daemon.wait_for(lambda: "ml/gone: is scaled again [no_target]" in daemon.err)
        self.wants(22, "gone", 5, daemon)
        daemon.wait_for(lambda: '"event":"write"' in audit.read_text())
        kinds = {json.loads(line)["kind"] for line in audit.read_text().splitlines()}
        self.assertLessEqual({"start", "added", "held", "resumed", "write"}, kinds)

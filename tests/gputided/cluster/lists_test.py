"""Objects and servers that would stop a list or a watch: one object that cannot be read or is too large stops nothing of others."""
from __future__ import annotations

import time
from typing import Any

from cluster.case import APPS, HPA, KEDA, OnACluster
from cluster.objects import deployment
from harness import Daemon


class Lists(OnACluster):
    def put(self, name: str, number: Any) -> None:
        """A Deployment with a number that nothing else has: nan is not JSON, 2**64 is more than 64 bits hold."""
        entry = deployment(name, 1)
        entry["spec"]["number"] = number
        self.api.put(APPS, "deployments", entry)

    def is_logged_once(self, daemon: Daemon, line: str) -> None:
        """The log gathers equal lines for a second, so a line comes later than the page that shows the same."""
        daemon.wait_for(lambda: line in daemon.err)
        self.assertEqual(daemon.err.count(line), 1)

    def test_one_object_that_cannot_be_read_concerns_no_other(self) -> None:
        for name, number in (("a-broken", float("nan")), ("large", 2**64), ("llm", 1)):
            self.scale(name)
            self.put(name, number)
        daemon = self.start("a")
        for name in ("llm", "large"):
            self.wants(22, name, 5, daemon)
        left_out = "deployments ml/a-broken: it is not valid JSON"
        daemon.wait_for(lambda: daemon.get("/readyz")[2].startswith(f"ready\nleft out: {left_out}\n"))
        self.is_logged_once(daemon, "deployments ml/a-broken is left out: it is not valid JSON")
        daemon.wait_for(lambda: "no_target" in [entry["reason"] for entry in self.told(daemon, "held")])
        watched = [line for line in daemon.get("/metrics")[2].splitlines() if line.startswith("gputided_cluster_watch_unreadable")]
        self.assertEqual(sorted(line.rsplit(" ", 1)[1] for line in watched)[-2:], ["0", "1"])

        self.put("b-broken", float("nan"))  # by a watch: what comes behind it is seen
        self.scale("late")
        self.wants(22, "late", 5, daemon)
        daemon.wait_for(lambda: daemon.get("/readyz")[2].count("left out: ") == 2)
        self.put("a-broken", 1)
        self.wants(22, "a-broken", 5, daemon)
        daemon.wait_for(lambda: daemon.get("/readyz")[2].count("left out: ") == 1)
        self.is_logged_once(daemon, "deployments ml/a-broken is no longer left out")

    def test_objects_that_do_not_fit_into_a_page_stop_nothing_of_others(self) -> None:
        """Each kind has more than 16 MiB of one tenant's, and one Deployment has that by itself."""
        self.api.page_size = 500

        def put(group: str, plural: str, count: int, size: int) -> None:
            for number in range(count):
                name = f"a-{number:02}"
                self.api.put(group, plural, {"metadata": {"name": name, "namespace": "tenant", "uid": f"uid-{name}"},
                                             "spec": {"scaleTargetRef": {"name": name}, "text": "x" * size}})
        put(APPS, "deployments", 13, 1_400_000)
        put(KEDA, "scaledobjects", 13, 1_400_000)
        put(KEDA, "triggerauthentications", 13, 1_400_000)
        put(HPA, "horizontalpodautoscalers", 70, 250_000)
        put(APPS, "deployments", 1, 17_000_000)
        self.scale("llm")
        daemon = self.start("a")
        self.wants(22, "llm", 5, daemon)
        left_out = "left out: deployments tenant/a-00: it has more than 16777216 bytes of JSON"
        daemon.wait_for(lambda: daemon.get("/readyz")[2].startswith(f"ready\n{left_out}\n"))

        self.scale("late")
        self.api.compact()
        self.wants(1, "llm", 1, daemon)
        self.wants(22, "late", 5, daemon)
        self.assertTrue(daemon.get("/readyz")[2].startswith(f"ready\n{left_out}\nrules of Kubernetes 1.37"))

    def test_a_watch_that_is_answered_410_each_time_is_not_repeated_without_a_pause(self) -> None:
        """Lists go on telling what there is."""
        self.api.expired.add("deployments")
        self.scale("llm")
        daemon = self.start("a")
        self.wants(22, "llm", 5, daemon)

        def asked() -> int:
            return sum("/deployments?" in path for _, _, path in self.api.requests)
        daemon.wait_for(lambda: asked() >= 6)
        time.sleep(4)
        self.assertLess(asked(), 20)  # at once, then after 0.8 s at least, 1.6 s, ...

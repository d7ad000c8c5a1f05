"""Several instances: one writes, and another one goes on where it left off."""
from __future__ import annotations

import signal
import threading
import time

from cluster.case import APPS, KEDA, LEASE_S, OnACluster
from cluster.objects import deployment
from fault_server import FaultServer
from forecast_test import answer_hourly
from harness import Daemon


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
        self.assertEqual({write.caller for write in self.api.writes}, {"a"})
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
        self.assertEqual({write.caller for write in self.api.writes[before:]}, {"b"})

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
        self.assertEqual([(write.caller, write.old, write.new) for write in self.api.writes], [("b", 1, 5)])
        # The delayed write came after its Lease had expired, and the server recorded that: it is counted here.
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
        self.assertEqual({write.caller for write in self.api.writes[1:]}, {"b"})

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

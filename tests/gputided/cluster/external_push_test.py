"""Triggers of type external-push: the stream that an external scaler tells over is held open, and what it tells is looked at at once."""
from __future__ import annotations

import pathlib
import struct
import time
import unittest
from typing import Any

import certificates
from cluster.case import APPS, KEDA, OnACluster
from cluster.objects import deployment
from external_scaler_server import DATA, Answer, Connection, ExternalScaler, entry, failing, text
from external_scaler_test import manifest
from harness import Daemon

# Neither the polls nor the HPA's passes come by meanwhile.
PERIODS: dict[str, Any] = {"pollingInterval": 600, "minReplicaCount": 0, "annotations": {"gputide.io/sync-period": "600s"}}
SOON_S = 10.0  # on a busy machine


class Case(unittest.TestCase):
    def setUp(self) -> None:
        self.scaler = self.enterContext(ExternalScaler())
        self.scaler.is_active = False

    def run_with(self, scaler: ExternalScaler, **more: Any) -> Daemon:
        """Polled once, with its stream open, and idle."""
        file = manifest({"scalerAddress": scaler.address}, kind="external-push", **{**PERIODS, **more})
        daemon = self.enterContext(Daemon("--current", "0", "--dry-run", "-f", file))
        daemon.wait_for(lambda: daemon.decisions and ("IsActive", "") in scaler.calls)
        return daemon

    def polls(self) -> int:
        return self.scaler.calls.count(("IsActive", ""))

    def streams(self) -> int:
        return len(self.stream_times_s())

    def stream_times_s(self) -> list[float]:
        return [at for call, at in zip(list(self.scaler.calls), self.scaler.called_s) if call == ("StreamIsActive", "")]

    def becomes_active(self, daemon: Daemon, scaler: ExternalScaler) -> float:
        """Seconds from the scaler's word to the decision."""
        self.assertEqual(daemon.decisions[-1]["desired_replicas"], 0)
        daemon.wait_for(lambda: scaler.open_streams == 1)
        time.sleep(1.1)  # a second after the poll before it
        scaler.is_active = True
        said = time.monotonic()
        scaler.tell(True)
        daemon.wait_for(lambda: daemon.decisions[-1]["desired_replicas"] == 1, SOON_S)
        return time.monotonic() - said


class Words(Case):
    def test_from_zero_at_once(self) -> None:
        daemon = self.run_with(self.scaler)
        took_s = self.becomes_active(daemon, self.scaler)
        print(f"\n    from the word to the decision: {1_000 * took_s:.0f} ms, where the next poll was 600 s away")
        self.assertEqual((self.polls(), self.streams()), (2, 1))
        headers = next(header for header in self.scaler.headers if header[":path"].endswith("StreamIsActive"))
        self.assertNotIn("grpc-timeout", headers)
        self.assertEqual(daemon.decisions[-1]["event"], "KEDAScaleTargetActivated", daemon.decisions[-1])

    def test_over_tls_one_connection_serves_it_and_the_calls(self) -> None:
        pair = certificates.for_localhost()
        secure = self.enterContext(ExternalScaler(pair.certificate, pair.key))
        secure.is_active = False
        ca = pathlib.Path(certificates.trusted().certificate).read_text()
        self.becomes_active(self.run_with(secure, parameters={"caCert": ca}), secure)
        self.assertEqual(secure.connections, 1)

    def test_a_flood_is_a_poll_a_second_and_then_no_stream(self) -> None:
        def flood(connection: Connection, stream: int) -> None:
            words = (b"\0\0\0\0\2\x08\1" + b"\0\0\0\0\0") * 1_000
            connection.peer.settimeout(60)  # it is gputided that ends it
            for _ in range(1_000):  # 12 MB
                connection.send(DATA, 0, stream, words)
        self.scaler.always["StreamIsActive"] = Answer(body=b"", end=flood)
        daemon = self.run_with(self.scaler)
        daemon.wait_for(lambda: self.streams() == 2)  # the first was given up, and some 2 s are over
        self.assertRegex(daemon.err, "its stream ended.*more than [0-9]+ bytes in a minute")
        self.assertLessEqual(self.polls(), 6)
        self.assertLess(daemon.end(), 5)


    def test_other_targets_are_polled_at_once(self) -> None:
        def other_target(connection: Connection, stream: int) -> None:
            time.sleep(2)
            message = text(1, entry(next(iter(self.scaler.metrics)), 0, 3))
            connection.send(DATA, 0, stream, b"\0" + struct.pack(">I", len(message)) + message)
            time.sleep(60)
        self.scaler.always["StreamMetricSpec"] = Answer(body=b"", end=other_target)
        daemon = self.run_with(self.scaler)
        daemon.wait_for(lambda: self.polls() == 2, 8)
        self.assertEqual((self.streams(), self.scaler.calls.count(("StreamMetricSpec", ""))), (1, 1))


class Ends(Case):
    def test_it_is_opened_again_and_polls_go_on_meanwhile(self) -> None:
        self.scaler.always["StreamIsActive"] = failing(14, "not now")
        daemon = self.run_with(self.scaler, pollingInterval=1)
        daemon.wait_for(lambda: self.streams() >= 2)
        first_s, second_s, *_ = self.stream_times_s()
        self.assertGreater(second_s - first_s, 1.5)
        daemon.wait_for(lambda: self.polls() >= 5)
        self.assertLessEqual(self.streams(), 3, "2 s, then 4 s")
        del self.scaler.always["StreamIsActive"]
        daemon.wait_for(lambda: self.scaler.open_streams == 1)

    def test_a_scaler_without_one(self) -> None:
        self.scaler.always["StreamIsActive"] = failing(12, "no such method")
        daemon = self.run_with(self.scaler, pollingInterval=1)
        daemon.wait_for(lambda: self.polls() >= 6)
        self.assertEqual(self.streams(), 1, "a minute apart")

    def test_a_good_end_after_a_word_is_followed_by_another_stream(self) -> None:
        daemon = self.run_with(self.scaler)
        daemon.wait_for(lambda: self.scaler.open_streams == 1)
        self.scaler.tell(False)
        self.scaler.end_streams()
        daemon.wait_for(lambda: self.streams() == 2)
        self.becomes_active(daemon, self.scaler)

    def test_with_the_program(self) -> None:
        daemon = self.run_with(self.scaler)
        daemon.wait_for(lambda: self.scaler.open_streams == 1)
        self.assertLess(daemon.end(), 5)
        deadline = time.monotonic() + SOON_S
        while self.scaler.open_streams and time.monotonic() < deadline:
            time.sleep(0.02)
        self.assertEqual(self.scaler.open_streams, 0)

    def test_messages_that_are_none(self) -> None:
        self.scaler.always["StreamIsActive"] = Answer(body=b"\0" + struct.pack(">I", 1 << 30))
        daemon = self.run_with(self.scaler)
        daemon.wait_for(lambda: self.streams() == 2)
        self.assertEqual(self.polls(), 1)


class Cluster(OnACluster):
    def test_it_wakes_what_stands_at_zero_and_ends_with_its_scaled_object(self) -> None:
        scaler = self.enterContext(ExternalScaler())
        scaler.is_active = False
        scaled_object = self.scaled_object("llm", annotations={"gputide.io/sync-period": "600s"})
        scaled_object["spec"] |= {"pollingInterval": 600, "minReplicaCount": 0,
                        "triggers": [{"type": "external-push", "metadata": {"scalerAddress": scaler.address}}]}
        self.api.put(APPS, "deployments", deployment("llm", 0))
        self.api.put(KEDA, "scaledobjects", scaled_object)
        daemon = self.start("a")
        daemon.wait_for(lambda: scaler.open_streams == 1)
        time.sleep(1.1)
        scaler.is_active = True
        scaler.tell(True)
        daemon.wait_for(lambda: self.api.replicas("llm") == 1, SOON_S)
        self.api.delete(KEDA, "scaledobjects", "llm")
        daemon.wait_for(lambda: scaler.open_streams == 0)

"""Other people's external scalers for KEDA, through gputided eval, check and doctor: what is asked and what comes of it."""
from __future__ import annotations

import json
import pathlib
import struct
import unittest
from typing import Any

import certificates
import harness
import manifests
from doctor_case import DoctorCase
from external_scaler_server import (DATA, GOAWAY, RST_STREAM, Answer, Connection, ExternalScaler, entry, failing, text, varint)
from harness import Ran, gputided


def manifest(metadata: dict[str, str], *, kind: str = "external", auth: str = "", metric_type: str = "AverageValue",
             parameters: dict[str, str] | None = None, annotations: dict[str, str] | None = None, **spec: Any) -> str:
    so = manifests.scaled_object("", name="llm", spec=spec, annotations=annotations)
    so["metadata"]["namespace"] = "ml"
    trigger = {"type": kind, "metadata": metadata, "metricType": metric_type}
    if parameters:
        trigger["authenticationRef"] = {"name": "scaler"}
    so["spec"]["triggers"] = [trigger]
    more = manifests.authentication("scaler", **parameters) if parameters else []
    for item in more:
        item["metadata"]["namespace"] = "ml"
    return manifests.saved("external.yaml", so, *more)


def evaluated(file: str, *more: str, current: int = 3, env: dict[str, str] | None = None) -> Ran:
    return gputided("eval", "-f", file, "--current", str(current), "--output", "json", *more, env=env)


class Case(unittest.TestCase):
    def setUp(self) -> None:
        self.scaler = self.enterContext(ExternalScaler())
        self.file = manifest({"scalerAddress": self.scaler.address})

    def decided(self, ran: Ran, value: float, replicas: int) -> None:
        self.assertEqual(ran.status, 0, ran)
        self.assertEqual((ran.json["trace"][0]["value"], ran.json["proposed_replicas"]), (value, replicas), ran)

    def failed(self, ran: Ran, status: str, *expected: str) -> None:
        self.assertEqual(ran.status, 3, ran)
        for words in (f": {status}: trigger 0 (external): ", *expected):
            self.assertIn(words, ran.err)


class Values(Case):
    def test_value_and_target_are_the_scalers(self) -> None:
        ran = evaluated(self.file)
        self.decided(ran, 20, 4)
        self.assertEqual(ran.json["trace"][0]["target"], 5)
        self.assertEqual(self.scaler.calls, [("GetMetricSpec", ""), ("GetMetrics", "queue"), ("IsActive", "")])

    def test_it_is_told_what_keda_tells_it(self) -> None:
        file = manifest({"scalerAddress": self.scaler.address, "value": "high", "threshold": "9", "keyFromEnv": "KEY"})
        ran = evaluated(file, "--allow-env", "KEY", env={"KEY": harness.SECRET_DATA})
        self.decided(ran, 20, 4)
        told = {"scalerAddress": self.scaler.address, "value": "high", "threshold": "9", "keyFromEnv": harness.SECRET_DATA}
        self.assertEqual(self.scaler.asked, [("llm", "ml", told)] * 3)
        headers = self.scaler.headers[0]
        self.assertEqual((headers["content-type"], headers["te"]), ("application/grpc", "trailers"))
        self.assertEqual((headers[":scheme"], headers["grpc-timeout"]), ("http", "3000m"))

    def test_numbers_of_older_scalers(self) -> None:
        self.scaler.always["GetMetricSpec"] = Answer(text(1, entry("queue", 4)))
        self.scaler.always["GetMetrics"] = Answer(text(1, entry("queue", 22)))
        self.decided(evaluated(self.file), 22, 6)
        self.scaler.always["GetMetrics"] = Answer(text(1, entry("queue", 22, 2.5)))  # what is newer counts
        self.decided(evaluated(self.file), 2.5, 1)
        self.scaler.always["GetMetrics"] = Answer(text(1, entry("queue", 22, float("nan"))))
        self.decided(evaluated(self.file), 22, 6)
        self.scaler.always["GetMetrics"] = Answer(text(1, entry("queue", -22)))
        self.assertEqual(evaluated(self.file).json["proposed_replicas"], 0)

    def test_values_of_one_answer_are_added_up(self) -> None:
        self.scaler.always["GetMetrics"] = Answer(text(1, entry("a", 0, 10.25)) + text(1, entry("b", 0, 5.5)))
        self.decided(evaluated(self.file, current=1), 15.75, 4)

    def test_of_several_metrics_the_one_that_asks_for_most(self) -> None:
        self.scaler.metrics = {"queue": (20.0, 5.0), "age": (90.0, 10.0), "errors": (1.0, 1.0)}
        self.decided(evaluated(self.file), 90, 9)
        self.assertEqual([metric for _, metric in self.scaler.calls], ["", "queue", "age", "errors", ""])

    def test_a_value_target(self) -> None:
        file = manifest({"scalerAddress": self.scaler.address}, metric_type="Value")
        self.decided(evaluated(file, current=2), 20, 8)

    def test_activity_is_the_scalers_word(self) -> None:
        file = manifest({"scalerAddress": self.scaler.address}, minReplicaCount=0)
        self.scaler.metrics = {"queue": (0.0, 5.0)}
        ran = evaluated(file, current=0)
        self.assertEqual((ran.status, ran.json["desired_replicas"]), (0, 1), ran)
        self.scaler.metrics, self.scaler.is_active = {"queue": (50.0, 5.0)}, False
        ran = evaluated(file, current=0)
        self.assertEqual((ran.status, ran.json["desired_replicas"]), (0, 0), ran)
        self.assertIn("not active, as reported by its source", ran.out)

    def test_no_value_and_yet_active(self) -> None:
        file = manifest({"scalerAddress": self.scaler.address}, minReplicaCount=0)
        self.scaler.always["GetMetrics"] = Answer()
        ran = evaluated(file, current=0)
        self.assertEqual(ran.json["desired_replicas"], 1, ran)
        ran = evaluated(file, current=3)
        self.assertEqual((ran.json["desired_replicas"], ran.json["limited_by"]), (3, "no_data"), ran)
        self.assertIn("returned no value for its metric", ran.err)

    def test_external_push_is_asked_in_the_same_way(self) -> None:
        self.decided(evaluated(manifest({"scalerAddress": self.scaler.address}, kind="external-push")), 20, 4)


class Faults(Case):
    def test_a_status_is_named_with_its_words(self) -> None:
        for status, name, expected in ((14, "UNAVAILABLE", "E_UNAVAILABLE"), (16, "UNAUTHENTICATED", "E_AUTH"),
                                       (7, "PERMISSION_DENIED", "E_FORBIDDEN"), (5, "NOT_FOUND", "E_REJECTED"),
                                       (12, "UNIMPLEMENTED", "E_REJECTED"), (8, "RESOURCE_EXHAUSTED", "E_THROTTLED"),
                                       (4, "DEADLINE_EXCEEDED", "E_TIMEOUT"), (13, "INTERNAL", "E_PROTOCOL"),
                                       (9, "FAILED_PRECONDITION", "E_PROTOCOL")):
            with self.subTest(name):
                self.scaler.always["GetMetrics"] = failing(status, "no%20queue%3A%20%C3%A4")
                self.failed(evaluated(self.file), expected, f"{name} (grpc-status {status}): no queue: ä", "GetMetrics")
        self.scaler.always["GetMetrics"] = failing(99)
        self.failed(evaluated(self.file), "E_PROTOCOL", "grpc-status 99")

    def test_a_status_after_the_message_counts_as_well(self) -> None:
        self.scaler.always["IsActive"] = Answer(last=[("grpc-status", "2"), ("grpc-message", "late")])
        self.failed(evaluated(self.file), "E_PROTOCOL", "UNKNOWN (grpc-status 2): late", "IsActive")

    def test_what_passes_is_asked_once_more(self) -> None:
        self.scaler.instead["GetMetricSpec"] = [failing(14)]
        self.decided(evaluated(self.file), 20, 4)
        self.assertEqual([method for method, _ in self.scaler.calls],
                         ["GetMetricSpec", "GetMetricSpec", "GetMetrics", "IsActive"])
        self.scaler.instead["GetMetricSpec"] = [failing(5)]
        self.failed(evaluated(self.file), "E_REJECTED")

    def test_messages_that_are_none(self) -> None:
        spec = text(1, entry("queue", 5))
        whole = b"\0" + struct.pack(">I", len(spec)) + spec
        for name, body, expected in (
                ("cut", whole[:-3], "ends after"), ("cut prefix", whole[:3], "five-byte prefix"), ("none", b"", "no message"),
                ("two", whole + whole, "more than one message"), ("compressed", b"\1" + whole[1:], "compressed"),
                ("foreign", b"{}" + whole, "does not begin"), ("huge size", b"\0\xff\xff\xff\xff" + spec, "4294967295"),
                ("no message of its type", b"\0\0\0\0\2\xff\xff", "GetMetricSpecResponse"),
                ("a name that is not text", b"\0" + struct.pack(">I", 6) + text(1, b"\x0a\x02\xff\xff"), "GetMetricSpecResponse"),
                ("no metric", b"\0\0\0\0\0", "no metric"), ("no target", b"\0\0\0\0\3" + text(1, b"\x0a"[:1]), "")):
            with self.subTest(name):
                self.scaler.always["GetMetricSpec"] = Answer(body=body)
                ran = evaluated(self.file)
                self.assertEqual(ran.status, 3, ran)
                self.assertIn(expected, ran.err)
        self.scaler.always["GetMetricSpec"] = Answer(text(1, entry("queue")))
        self.failed(evaluated(self.file), "E_PROTOCOL", '"queue" has no target above 0')

    def test_unknown_fields_are_passed_over(self) -> None:
        more = varint(9 << 3) + varint(7) + text(10, "x") + varint(11 << 3 | 5) + b"\0\0\0\0"
        self.scaler.always["GetMetricSpec"] = Answer(more + text(1, entry("queue", 5) + more) + more)
        self.decided(evaluated(self.file), 20, 4)

    def test_an_answer_without_an_end(self) -> None:
        self.scaler.always["GetMetricSpec"] = Answer(self.scaler.usual("GetMetricSpec", ""), last=None)
        self.failed(evaluated(self.file), "E_PROTOCOL", "without a grpc-status")
        self.scaler.always["GetMetricSpec"] = Answer(last=[("grpc-status", "zero")])
        self.failed(evaluated(self.file), "E_PROTOCOL", "without a grpc-status")

    def test_more_than_a_megabyte(self) -> None:
        self.scaler.always["GetMetricSpec"] = Answer(text(1, text(1, "x" * (1 << 20))))
        self.failed(evaluated(self.file), "E_LIMIT", "larger than")

    def test_other_servers(self) -> None:
        self.scaler.always["GetMetricSpec"] = Answer(first=[(":status", "200"), ("content-type", "text/html")], last=None)
        self.failed(evaluated(self.file), "E_PROTOCOL", "text/html", "scalerAddress")
        for status, expected in (("503", "E_UNAVAILABLE"), ("401", "E_AUTH"), ("404", "E_REJECTED")):
            self.scaler.always["GetMetricSpec"] = Answer(first=[(":status", status)], last=None)
            self.failed(evaluated(self.file), expected, f"HTTP {status}")

    def test_a_slow_answer(self) -> None:
        self.scaler.always["GetMetrics"] = Answer(wait_s=30)
        ran = evaluated(self.file)
        self.failed(ran, "E_TIMEOUT", "GetMetrics")
        self.assertLess(ran.seconds, 15)

    def test_streams_and_connections_that_end(self) -> None:
        def reset(connection: Connection, stream: int) -> None:
            connection.send(RST_STREAM, 0, stream, struct.pack(">I", 2))

        def go_away(connection: Connection, stream: int) -> None:
            connection.send(GOAWAY, 0, 0, struct.pack(">II", max(0, stream - 2), 0))
            connection.peer.close()

        def close(connection: Connection, stream: int) -> None:
            connection.send(DATA, 0, stream, b"\0\0")
            connection.peer.shutdown(2)
        for end in (reset, go_away, close):
            with self.subTest(end.__name__):
                self.scaler.instead["GetMetrics"] = [Answer(body=b"\0", end=end)]
                self.decided(evaluated(self.file), 20, 4)  # asked once more
                self.scaler.instead["GetMetrics"] = [Answer(body=b"\0", end=end)] * 2
                self.failed(evaluated(self.file), "E_UNAVAILABLE", "GetMetrics")

    def test_a_known_target_serves_the_fallback(self) -> None:
        file = manifest({"scalerAddress": self.scaler.address}, pollingInterval=1, fallback={"failureThreshold": 1, "replicas": 7},
                        maxReplicaCount=20)
        with harness.Daemon("--dry-run", "-f", file) as daemon:
            daemon.wait_for(lambda: daemon.decisions)
            self.scaler.always["GetMetricSpec"] = failing(13, "down")
            daemon.wait_for(lambda: daemon.decisions[-1]["proposed_replicas"] == 7)


class Tls(Case):
    def setUp(self) -> None:
        super().setUp()
        pair = certificates.for_localhost()
        self.ca = pathlib.Path(certificates.trusted().certificate).read_text()
        self.secure = self.enterContext(ExternalScaler(pair.certificate, pair.key))
        self.strict = self.enterContext(ExternalScaler(pair.certificate, pair.key, certificates.trusted().certificate))

    def test_a_ca_switches_it_on(self) -> None:
        self.decided(evaluated(manifest({"scalerAddress": self.secure.address}, parameters={"caCert": self.ca})), 20, 4)
        self.assertEqual(self.secure.headers[0][":scheme"], "https")

    def test_one_connection_serves_all(self) -> None:
        file = manifest({"scalerAddress": self.secure.address}, parameters={"caCert": self.ca}, pollingInterval=1)
        with harness.Daemon("--dry-run", "-f", file) as daemon:
            daemon.wait_for(lambda: len(daemon.decisions) >= 3)
        self.assertEqual(self.secure.connections, 1)
        self.assertEqual({line["proposed_replicas"] for line in daemon.decisions}, {4})

    def test_with_the_machines_roots_or_unverified(self) -> None:
        file = manifest({"scalerAddress": self.secure.address, "enableTLS": "true"})
        self.failed(evaluated(file), "E_SECURITY", "certificate")
        self.decided(evaluated(file, "--ca-file", certificates.trusted().certificate), 20, 4)
        self.decided(evaluated(manifest({"scalerAddress": self.secure.address, "enableTLS": "true", "unsafeSsl": "true"})), 20, 4)

    def test_a_certificate_of_the_client(self) -> None:
        client = certificates.of_user("keda")
        own = {"caCert": self.ca, "tlsClientCert": pathlib.Path(client.certificate).read_text(),
               "tlsClientKey": pathlib.Path(client.key).read_text()}
        self.decided(evaluated(manifest({"scalerAddress": self.strict.address}, parameters=own)), 20, 4)
        ran = evaluated(manifest({"scalerAddress": self.strict.address}, parameters={"caCert": self.ca}))
        self.failed(ran, "E_UNAVAILABLE")
        del own["tlsClientKey"]
        ran = evaluated(manifest({"scalerAddress": self.strict.address}, parameters=own))
        self.assertIn("tlsClientCert and tlsClientKey must be set together", ran.err)

    def test_plain_text_to_a_port_of_tls_and_the_reverse(self) -> None:
        self.failed(evaluated(manifest({"scalerAddress": self.secure.address})), "E_UNAVAILABLE", "TLS", 'enableTLS: "true"')
        ran = evaluated(manifest({"scalerAddress": self.scaler.address, "enableTLS": "true"}))
        self.assertEqual(ran.status, 3, ran)


class Settings(unittest.TestCase):
    def warnings(self, metadata: dict[str, str]) -> list[str]:
        ran = gputided("check", "-f", manifest(metadata), "--output", "json")
        return [finding["code"] for finding in ran.json["report"]["findings"]]

    def test_check(self) -> None:
        self.assertEqual(self.warnings({"scalerAddress": "scaler:6000", "anything": "x"}), [])
        self.assertEqual(self.warnings({"scalerAddress": "s:1", "unsafeSsl": "true", "tlsCertFile": "/ca"}), ["no-effect"] * 2)
        self.assertEqual(self.warnings({"scalerAddress": "s:1", "unsafeSsl": "true", "enableTLS": "true"}), ["tls-not-verified"])
        for address in ("http://scaler:6000", "unix:///run/scaler", "scaler:port", "s:1/path", ""):
            ran = gputided("check", "-f", manifest({"scalerAddress": address}))
            self.assertEqual(ran.status, 2, ran)
            self.assertIn("scalerAddress", ran.out + ran.err)
        for address in ("dns:///scaler:6000", "passthrough:///scaler:6000", "scaler", "[::1]:6000", "10.0.0.1:6000"):
            self.assertEqual(self.warnings({"scalerAddress": address}), [], address)

    def test_a_secret_stays_at_home(self) -> None:
        """A value of the environment is sent to another machine over TLS alone."""
        file = manifest({"scalerAddress": "192.0.2.1:6000", "keyFromEnv": "KEY"})
        ran = evaluated(file, "--allow-env", "KEY", env={"KEY": harness.SECRET_DATA})
        self.assertEqual(ran.status, 3, ran)
        self.assertIn("plain http", ran.err)


class Doctor(DoctorCase):
    def setUp(self) -> None:
        self.scaler = self.enterContext(ExternalScaler())
        self.file = manifest({"scalerAddress": self.scaler.address}, minReplicaCount=0)

    def test_all_is_well(self) -> None:
        report = self.diagnose(self.file)
        self.assertEqual(report["verdict"], "ok", json.dumps(report, indent=1))
        self.step(report, "endpoint", "ok", self.scaler.address)
        self.step(report, "activation", "ok", "active, as reported by the source", "20", "target 5 per replica")
        self.scaler.is_active = False
        self.step(self.diagnose(self.file), "activation", "ok", "not active, as reported by the source", "cooldownPeriod")

    def test_the_first_that_fails(self) -> None:
        self.scaler.always["GetMetrics"] = failing(5, "no such queue")
        self.fails(self.diagnose(self.file), "query", "NOT_FOUND", "no such queue", "scaler")
        self.scaler.always["GetMetrics"] = Answer()
        self.fails(self.diagnose(self.file), "series", "no value")
        self.fails(self.diagnose(manifest({"scalerAddress": "localhost:1"})), "endpoint", "localhost:1")

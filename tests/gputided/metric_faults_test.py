"""A metric source that misbehaves, through gputided eval: the exit status, the status word, where, and the remedy.  Every
trigger carries a bearer token and a header with a secret, and the server repeats what it was sent."""
from __future__ import annotations

import socket
import unittest

import certificates
import harness
import manifests
from fault_server import FaultServer
from harness import Ran, gputided

# Path of the fault, status word, and what the text must name beside the trigger and the address.
FAULTS = [
    ("bad_query", "E_REJECTED", ["HTTP 400", "bad_data", "unclosed left parenthesis", "correct the trigger's query"]),
    ("401", "E_AUTH", ["HTTP 401", "Unauthorized", "authentication"]),
    ("bare_values", "E_AUTH", ["token *** and *** is not known here"]),
    ("403", "E_FORBIDDEN", ["HTTP 403", "grant"]),
    ("429", "E_THROTTLED", ["HTTP 429"]),
    ("503", "E_UNAVAILABLE", ["HTTP 503", "no healthy upstream"]),
    ("html", "E_PROTOCOL", ["not JSON", "text/html", "sign-in"]),
    ("cut", "E_UNAVAILABLE", ["closed before the answer was complete"]),
    ("bomb", "E_LIMIT", ["larger than 16777216 bytes", "Narrow the query"]),
    ("several", "E_AMBIGUOUS", ["2 series", "avg(...)", "gputide.io/reduce"]),
    ("elsewhere", "E_SECURITY", ["302", "redirect"]),
    ("silent", "E_TIMEOUT", ["the deadline passed", "allow more time"]),
    ("slow_loris", "E_TIMEOUT", ["the deadline passed", "allow more time"]),
]


def evaluate(file: str, *more: str, timeout_ms: int = 10_000) -> Ran:
    return gputided("eval", "-f", file, "--current", "3", "--timeout-ms", str(timeout_ms), *more)


class MetricFaults(unittest.TestCase):
    def failed(self, ran: Ran, status: str, *expected: str) -> None:
        self.assertEqual(ran.status, 3, ran)
        self.assertRegex(ran.err, rf"(?m)^gputided: default/gpu: s0-prometheus: {status}: trigger 0 \(prometheus\): ")
        for text in expected:
            self.assertIn(text, ran.err)
        self.assertIn("3 -> 3 replicas", ran.out)  # what KEDA and the HPA make of it: nothing changes

    def test_each_fault(self) -> None:
        with FaultServer() as server:
            for fault, status, expected in FAULTS:
                with self.subTest(fault):
                    hangs = status == "E_TIMEOUT"
                    ran = evaluate(manifests.with_bearer(server.url(fault)), timeout_ms=1500 if hangs else 10_000)
                    self.failed(ran, status, server.url(fault) + "/api/v1/query", *expected)
                    self.assertGreater(server.requests[fault], 0)

    def test_a_bomb_does_not_grow_in_memory(self) -> None:
        with FaultServer() as server:
            file = manifests.with_bearer(server.url("bomb"))
            script = f"ulimit -v {1 << 20}; exec {harness.PROGRAM} eval -f {file} --current 3 --timeout-ms 10000"
            if harness.is_sanitized():
                self.skipTest("a sanitizer reserves more address space than the limit")
            ran = harness.shell(script)
            self.failed(ran, "E_LIMIT", "16777216")

    def test_no_number(self) -> None:
        with FaultServer() as server:
            for fault, expected in (("nan", "NaN"), ("empty", "empty")):
                with self.subTest(fault):
                    strict = {"ignoreNullValues": "false"}
                    self.failed(evaluate(manifests.with_bearer(server.url(fault), metadata=strict)), "E_NO_DATA", expected)
                    as_zero = evaluate(manifests.with_bearer(server.url(fault)), "--output", "json")
                    self.assertEqual((as_zero.status, as_zero.json["trace"][0]["value"]), (0, 0))

    def test_a_page_is_told_by_its_title(self) -> None:
        page = "<!DOCTYPE html><html><head><title>Sign in to Proxy</title><style>p{color:red}</style></head><p>Hello</p></html>"
        with FaultServer() as server:
            for http, status in (("200 OK", "E_PROTOCOL"), ("400 Bad Request", "E_REJECTED"), ("502 Bad Gateway", "E_UNAVAILABLE")):
                with self.subTest(http):
                    server.faults["page"] = lambda to, _, http=http: to.answer(page, http, "Content-Type: text/html")
                    ran = evaluate(manifests.with_bearer(server.url("page")))
                    self.failed(ran, status, "an HTML page with the title", "Sign in to Proxy")
                    for markup in ("<", "color:red", "Hello"):
                        self.assertNotIn(markup, ran.err)

    def test_failures_before_any_answer(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as taken:
            port = taken.getsockname()[1]  # closed again: no process listens there
        for address, status, expected in (
                (f"http://127.0.0.1:{port}", "E_UNAVAILABLE", ["Connection refused", "Is something listening"]),
                ("https://no-such-host.invalid", "E_UNAVAILABLE", ["no-such-host.invalid", "Check the host name"]),
                ("http://no-such-host.invalid", "E_SECURITY", ["plain http", "use https"])):
            with self.subTest(address):
                self.failed(evaluate(manifests.with_bearer(address)), status, address + "/api/v1/query", *expected)

    def test_an_address_with_secrets_is_shown_without_them(self) -> None:
        ran = evaluate(manifests.with_bearer(f"http://me:{harness.URL_PASSWORD}@127.0.0.1:1/x?key={harness.BEARER}"))
        self.failed(ran, "E_UNAVAILABLE", "http://***@127.0.0.1:1/x/api/v1/query")

    def test_basic_authentication(self) -> None:
        with FaultServer() as server:
            for fault in ("401", "bare_values"):
                so = manifests.scaled_object(server.url(fault), auth="basic", metadata={"authModes": "basic"})
                identity = manifests.authentication("basic", username="me", password=harness.PASSWORD)
                file = manifests.saved("basic.yaml", so, *identity)
                self.failed(evaluate(file), "E_AUTH", server.url(fault))

    def test_a_fallback_decides_and_the_failure_is_told(self) -> None:
        with FaultServer() as server:
            fallback = {"fallback": {"failureThreshold": 1, "replicas": 5}}
            file = manifests.with_bearer(server.url("503"), spec=fallback)
            state = harness.WORK / "fallback.state"
            with harness.Daemon("-f", file, "--dry-run", "--current", "3", "--state", str(state)) as daemon:
                daemon.wait_for(lambda: daemon.decisions)
                daemon.end()
            ran = evaluate(file, "--state", str(state), "--at", "2099-01-01T00:00:00Z", "--output", "json")
            self.assertEqual((ran.status, ran.json["desired_replicas"], ran.json["limited_by"]), (3, 5, "fallback"), ran)


class Certificates(unittest.TestCase):
    def read_from(self, pair: certificates.Pair, *more: str, host: str = "localhost") -> Ran:
        with FaultServer(pair.certificate, pair.key) as server:
            return evaluate(manifests.with_bearer(server.url("good", host)), *more)

    def refused(self, ran: Ran, *expected: str) -> None:
        self.assertEqual(ran.status, 3, ran)
        for text in ("E_SECURITY", "https://localhost:", *expected):
            self.assertIn(text, ran.err)

    def test_the_right_one(self) -> None:
        roots = certificates.trusted().certificate
        self.assertEqual(self.read_from(certificates.for_localhost(), "--ca-file", roots).status, 0)

    def test_another_host_and_an_unknown_ca(self) -> None:
        roots = certificates.trusted().certificate
        self.refused(self.read_from(certificates.for_another_host(), "--ca-file", roots), "certificate", "host name")
        self.refused(self.read_from(certificates.by_a_stranger(), "--ca-file", roots), "certificate", "CA")

    def test_a_ca_file_that_is_none(self) -> None:
        for roots in ("/nowhere/ca.crt", harness.write("not-a-ca.crt", "nothing")):
            ran = self.read_from(certificates.for_localhost(), "--ca-file", roots)
            self.assertIn(ran.status, (2, 3), ran)
            self.assertIn(roots, ran.err)

"""Tokens that cannot be had, through gputided token and gputided eval.  The assertion and the issued token carry a planted
signature, and the token endpoint repeats what it was sent."""
from __future__ import annotations

import json
import subprocess
import time
import unittest
from urllib.parse import parse_qs

import certificates
import harness
import manifests
from fault_server import Connection, Fault, FaultServer
from harness import Ran, gputided

TENANT = "00000000-0000-0000-0000-00000000000a"
CLIENT = "00000000-0000-0000-0000-00000000000b"
ASSERTION = ".".join([harness.segment('{"alg":"RS256"}'), harness.segment('{"sub":"gpu"}'), harness.ASSERTION_SIGNATURE])
ACCESS_TOKEN = ".".join([harness.segment('{"alg":"RS256"}'), harness.segment('{"aud":"prometheus","oid":"me"}'),
                         harness.ACCESS_TOKEN_SIGNATURE])

# Number, OAuth word, status word, and what the text must say to do.
AADSTS = [
    (700016, "unauthorized_client", "E_AUTH", "client"),
    (700024, "invalid_client", "E_AUTH", "the clock is wrong"),
    (700213, "invalid_client", "E_UNAVAILABLE", "no federated credential has the subject"),  # a new one takes time to spread
    (700211, "invalid_client", "E_UNAVAILABLE", "no federated credential has the issuer"),
    (90002, "invalid_request", "E_AUTH", "tenant"),
    (70011, "invalid_scope", "E_AUTH", "scope"),
]


def issue(to: Connection, request: str) -> None:
    to.answer(json.dumps({"token_type": "Bearer", "expires_in": 3599, "access_token": ACCESS_TOKEN}))


def refusal(number: int, word: str) -> Fault:
    def fault(to: Connection, request: str) -> None:
        form = parse_qs(request.partition("\r\n\r\n")[2])
        text = f"AADSTS{number}: refused; you sent {form['client_assertion'][0]} Trace ID: 1 Timestamp: now"
        to.answer(json.dumps({"error": word, "error_description": text, "error_codes": [number], "trace_id": "1"}),
                  "401 Unauthorized" if word == "invalid_client" else "400 Bad Request")
    return fault


class Tokens(unittest.TestCase):
    server: FaultServer

    @classmethod
    def setUpClass(cls) -> None:
        pair = certificates.for_localhost()
        cls.server = FaultServer(pair.certificate, pair.key)
        cls.server.faults["issue"] = issue
        for number, word, _, _ in AADSTS:
            cls.server.faults[f"aadsts{number}"] = refusal(number, word)

    @classmethod
    def tearDownClass(cls) -> None:
        cls.server.__exit__()

    def environment(self, fault: str, token_file: str = "") -> dict[str, str]:
        return {"AZURE_AUTHORITY_HOST": self.server.url(fault, "localhost") + "/", "AZURE_TENANT_ID": TENANT,
                "AZURE_CLIENT_ID": CLIENT, "SSL_CERT_FILE": certificates.trusted().certificate,
                "AZURE_FEDERATED_TOKEN_FILE": token_file or harness.write("assertion", ASSERTION)}

    def token(self, fault: str, *more: str, token_file: str = "") -> Ran:
        until_deadline = fault in ("silent", "503", "cut")  # no answer, or one that is asked for again
        return gputided("token", "--timeout-ms", "3000" if until_deadline else "20000", *more, env=self.environment(fault, token_file))

    def failed(self, ran: Ran, *expected: str) -> None:
        self.assertEqual((ran.status, ran.out), (3, ""), ran)
        for text in expected:
            self.assertIn(text.lower(), ran.err.lower())

    def test_claims_and_expiry_but_never_the_token(self) -> None:
        text = self.token("issue")
        self.assertEqual((text.status, text.err), (0, ""), text)
        self.assertIn('aud: "prometheus"', text.out)
        self.assertRegex(text.out, r"(?m)^expires_in_s: 35\d\d$")
        told = self.token("issue", "--output", "json").json
        self.assertEqual((told["claims"]["oid"], "token" in told), ("me", False))
        self.assertGreater(told["expires_at_ms"], time.time() * 1000 + 3_000_000)

    def test_show_token(self) -> None:
        # Not through the harness: what it captures must not hold the token.
        shown = subprocess.run([harness.PROGRAM, "token", "--show-token", "--output", "json"], text=True, capture_output=True,
                               env=harness.surroundings(self.environment("issue")), timeout=harness.PATIENCE_S, check=True).stdout
        self.assertEqual(json.loads(shown)["token"], ACCESS_TOKEN)

    def test_token_files(self) -> None:
        for name, file, expected in (
                ("missing", "/nowhere/token", ["/nowhere/token", "No such file", "volume mounted"]),
                ("empty", harness.write("empty-token", ""), ["empty-token", "is empty"]),
                ("a folder", str(harness.WORK), [str(harness.WORK), "token file"]),
                ("1 MiB", harness.write("large-token", "x" * (1 << 20)), ["large-token", "too large", "65536"]),
                ("no token", harness.write("no-token", harness.SECRET_DATA), ["no-token", "three base64url parts"])):
            with self.subTest(name):
                self.failed(self.token("issue", token_file=file), *expected)

    def test_refusals_of_entra(self) -> None:
        for number, _, status, remedy in AADSTS:
            with self.subTest(number):
                self.failed(self.token(f"aadsts{number}"), status, f"AADSTS{number}", remedy)

    def test_answers_that_are_no_token(self) -> None:
        for fault, status in (("html", "E_PROTOCOL"), ("503", "E_UNAVAILABLE"), ("cut", "E_"), ("bomb", "E_"),
                              ("silent", "E_TIMEOUT"), ("elsewhere", "E_PROTOCOL")):
            with self.subTest(fault):
                self.failed(self.token(fault), status, "localhost")

    def test_authorities_that_get_no_assertion(self) -> None:
        for authority, expected in (("http://localhost:1/", "https"), ("https://login.evil.example/", "allow"),
                                    ("https://login.microsoftonline.com.evil.example/", "not a known login endpoint")):
            with self.subTest(authority):
                environment = {**self.environment("issue"), "AZURE_AUTHORITY_HOST": authority}
                ran = gputided("token", env=environment)
                self.assertEqual((ran.status, ran.out), (2, ""), ran)
                self.assertIn("AZURE_AUTHORITY_HOST", ran.err)
                self.assertIn(expected, ran.err)

    def test_a_variable_that_is_not_set(self) -> None:
        for name in ("AZURE_CLIENT_ID", "AZURE_TENANT_ID", "AZURE_FEDERATED_TOKEN_FILE"):
            environment = self.environment("issue")
            del environment[name]
            ran = gputided("token", "--credential", "provider: azure-workload", env=environment)
            self.assertEqual((ran.status, ran.out), (2, ""), ran)
            self.assertIn(f"{name} is not set", ran.err)

    def test_certificates(self) -> None:
        for pair, expected in ((certificates.for_another_host(), "host"), (certificates.by_a_stranger(), "certificate")):
            with FaultServer(pair.certificate, pair.key) as server:
                environment = {**self.environment("issue"), "AZURE_AUTHORITY_HOST": server.url("issue", "localhost") + "/"}
                self.failed(gputided("token", "--timeout-ms", "10000", env=environment), "E_SECURITY", expected)

    def test_credential_from_a_file(self) -> None:
        file = manifests.saved("credential.yaml", manifests.workload_identity())
        self.assertEqual(self.token("issue", "--credential", "@" + file).status, 0)

    def test_a_trigger_that_gets_no_token(self) -> None:
        so = manifests.scaled_object(self.server.url("good", "localhost"), auth="azure")
        file = manifests.saved("azure.yaml", so, manifests.workload_identity())
        asked = self.server.requests.get("good", 0)
        ran = gputided("eval", "-f", file, "--current", "3", env=self.environment("aadsts700016"))
        self.assertEqual(ran.status, 3, ran)
        for text in ("E_AUTH", "trigger 0 (prometheus)", "AADSTS700016"):
            self.assertIn(text, ran.err)
        self.assertEqual(self.server.requests.get("good", 0), asked, "without a token nothing is asked")
        self.assertEqual(gputided("eval", "-f", file, "--current", "3", env=self.environment("issue")).status, 0)

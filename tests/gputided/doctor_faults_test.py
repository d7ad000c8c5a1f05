"""Tests what gputided doctor reports for faulty credentials, certificates, clocks and servers; each fault is real."""
from __future__ import annotations

import email.utils
import json
import time
from typing import Any

import certificates
import harness
import manifests
from doctor_case import DoctorCase, claims_token
from fault_server import Connection, FaultServer, fixed
from identity_test import trigger_authentication
from prometheus_server import free_port
from token_faults_test import CLIENT, TENANT, refusal

SUBJECT = "system:serviceaccount:ml:gputide"
ISSUER = "https://oidc.example.invalid/0a/"
UNRESOLVABLE = "a" * 64 + ".invalid"  # a label of 64 letters: a resolver refuses it without a query


def projected(**claims: Any) -> str:
    now = int(time.time())
    return claims_token(**{"iss": ISSUER, "sub": SUBJECT, "aud": ["api://AzureADTokenExchange"], "nbf": now - 60,
                           "exp": now + 3600, **claims})


def issue(to: Connection, request: str) -> None:
    token = claims_token(aud="https://prometheus.monitor.azure.com", tid=TENANT, appid=CLIENT, oid="object-of-the-identity")
    to.answer(json.dumps({"token_type": "Bearer", "expires_in": 3599, "access_token": token}))


def dated(by_s: float) -> Any:
    """Starts a server with a wrong clock."""
    def fault(to: Connection, request: str) -> None:
        to.answer("{}", "200 OK", "Date: " + email.utils.formatdate(time.time() + by_s, usegmt=True))
    return fault


def wrong_secret(to: Connection, request: str) -> None:
    text = "AADSTS7000215: Invalid client secret provided; you sent " + request.rpartition("client_secret=")[2]
    to.answer(json.dumps({"error": "invalid_client", "error_description": text, "error_codes": [7000215]}),
              "401 Unauthorized")


class Identity(DoctorCase):
    """Workload identity against a token endpoint of the test's own."""

    @classmethod
    def setUpClass(cls) -> None:
        pair = certificates.for_localhost()
        cls.server = FaultServer(pair.certificate, pair.key)
        cls.server.faults["issue"] = issue
        for number, word in ((70021, "invalid_client"), (700211, "invalid_client"), (700213, "invalid_client"),
                             (700024, "invalid_client"), (700016, "unauthorized_client"), (90002, "invalid_request"),
                             (500011, "invalid_resource"), (99999999, "invalid_grant")):
            cls.server.faults[f"aadsts{number}"] = refusal(number, word)
        cls.server.faults["aadsts7000215"] = wrong_secret

    @classmethod
    def tearDownClass(cls) -> None:
        cls.server.__exit__()

    def environment(self, fault: str = "issue", token: str | None = None) -> dict[str, str]:
        return {"AZURE_AUTHORITY_HOST": self.server.url(fault, "localhost") + "/", "AZURE_TENANT_ID": TENANT,
                "SSL_CERT_FILE": certificates.trusted().certificate,
                "AZURE_FEDERATED_TOKEN_FILE": harness.write("projected", token if token is not None else projected())}

    def look(self, env: dict[str, str], fault: str = "good") -> dict[str, Any]:
        so = manifests.scaled_object(self.server.url(fault, "localhost"), auth="azure")
        return self.diagnose(manifests.saved("doctor-azure.yaml", so, manifests.workload_identity()), env=env)

    def test_all_is_well(self) -> None:
        report = self.look(self.environment())
        self.assertEqual(report["triggers"][0]["failed_step"], None, report)
        self.step(report, "environment", "ok", f"client {CLIENT} (identityId)", f"tenant {TENANT} (AZURE_TENANT_ID)")
        self.step(report, "token_file", "ok", SUBJECT, "valid for 59 min")
        self.step(report, "authority", "ok", "its certificate is localhost's, issued by ca")
        detail = self.step(report, "token", "ok", "aud https://prometheus.monitor.azure.com", TENANT, CLIENT)["detail"]
        self.assertEqual(detail["oid"], "object-of-the-identity")

    def test_variables_that_are_not_set(self) -> None:
        environment = self.environment()
        del environment["AZURE_TENANT_ID"], environment["AZURE_FEDERATED_TOKEN_FILE"]
        self.fails(self.look(environment), "environment", "AZURE_TENANT_ID, AZURE_FEDERATED_TOKEN_FILE are not set",
                   'azure.workload.identity/use: "true"', "identityTenantId")

    def test_an_authority_that_gets_no_assertion(self) -> None:
        environment = {**self.environment(), "AZURE_AUTHORITY_HOST": "https://login.evil.example/"}
        self.fails(self.look(environment), "authority", "login.evil.example", "--allow-custom-authority")

    def test_token_files(self) -> None:
        now = int(time.time())
        for name, token, expected in (
                ("empty", "", ["is empty"]),
                ("no token", "nothing of the kind", ["three base64url parts", "does not lead to a projected service-account token"]),
                ("expired", projected(exp=now - 665), ["11 min ago", "never a copy", "clock"]),
                ("a clock that is behind", projected(nbf=now + 900), ["is valid from", "behind", "chrony"]),
                ("another audience", projected(aud=["https://kubernetes.default.svc"]),
                 ["https://kubernetes.default.svc", "Kubernetes API", "api://AzureADTokenExchange"])):
            with self.subTest(name):
                self.fails(self.look(self.environment(token=token)), "token_file", "projected", *expected)
        missing = {**self.environment(), "AZURE_FEDERATED_TOKEN_FILE": "/nowhere/token"}
        self.fails(self.look(missing), "token_file", "/nowhere/token", "No such file", "ls -l /nowhere/token")

    def test_refusals_of_entra(self) -> None:
        for number, expected in (
                (70021, ["issuer, subject and audience", "--subject " + SUBJECT, "--issuer " + ISSUER]),
                (700211, ["issuer, " + ISSUER, "--issuer " + ISSUER]),
                (700213, ["subject, " + SUBJECT, "must contain exactly the subject " + SUBJECT, "federated-credential list",
                          "--audiences api://AzureADTokenExchange"]),
                (700024, ["is not valid now", "according to its claims it is valid until", "clock"]),
                (700016, ["client id is unknown in this tenant", CLIENT, TENANT, "not its principalId"]),
                (90002, ["the tenant is unknown", TENANT, "AZURE_TENANT_ID"]),
                (500011, ["resource of the scope is not in the tenant", "https://prometheus.monitor.azure.com/.default"]),
                (99999999, ["AADSTS99999999", "No token came from"])):
            with self.subTest(number):
                step = self.fails(self.look(self.environment(f"aadsts{number}")), "token", f"AADSTS{number}", *expected)
                self.assertEqual((step["detail"]["code"], step["detail"]["presented_subject"]), (f"AADSTS{number}", SUBJECT))

    def test_a_client_secret_that_is_wrong(self) -> None:
        so = manifests.scaled_object(self.server.url("good", "localhost"), auth="identity")
        file = manifests.saved("doctor-secret.yaml", so, *trigger_authentication(
            "azure-client-secret", tenantId=TENANT, clientId=CLIENT, clientSecret=harness.PASSWORD))
        environment = self.environment("aadsts7000215")
        del environment["AZURE_FEDERATED_TOKEN_FILE"], environment["AZURE_TENANT_ID"]
        report = self.diagnose(file, env=environment)
        self.step(report, "environment", "ok", f"client secret: client {CLIENT}, tenant {TENANT}")
        self.step(report, "authority", "ok", "issued by ca")
        self.fails(report, "token", "AADSTS7000215", "the client secret is wrong", "Use the secret's value, not its id")

    def test_a_role_that_is_missing(self) -> None:
        self.fails(self.look(self.environment(), "403"), "query", "HTTP 403", "a role is missing", "Monitoring Data Reader",
                   "the Azure Monitor workspace", "--assignee object-of-the-identity", "up to an hour")

    def test_a_token_that_the_endpoint_refuses(self) -> None:
        self.fails(self.look(self.environment(), "401"), "query", "HTTP 401",
                   "audience (https://prometheus.monitor.azure.com)", "serverAddress")

    def test_an_authority_that_is_stopped_or_strange(self) -> None:
        environment = {**self.environment(), "AZURE_AUTHORITY_HOST": f"https://localhost:{free_port()}/"}
        self.fails(self.look(environment), "authority", "Connection refused", "No server listens")
        pair = certificates.by_a_stranger()
        with FaultServer(pair.certificate, pair.key) as server:
            environment["AZURE_AUTHORITY_HOST"] = server.url("issue", "localhost") + "/"
            self.fails(self.look(environment), "authority", "issued by strange-ca", "not trusted by")


class Servers(DoctorCase):
    def look(self, address: str, timeout_ms: int = 20_000, **metadata: str) -> dict[str, Any]:
        so = manifests.scaled_object(address, metadata=metadata)
        return self.diagnose(manifests.saved("doctor-server.yaml", so), "--timeout-ms", str(timeout_ms))

    def test_one_that_is_stopped(self) -> None:
        self.fails(self.look(f"http://127.0.0.1:{free_port()}"), "endpoint", "Connection refused", "No server listens", "curl -v")

    def test_a_name_that_does_not_resolve(self) -> None:
        self.fails(self.look(f"http://{UNRESOLVABLE}:9090"), "endpoint", "does not resolve", "getent hosts", "*.svc")

    def test_one_that_is_silent(self) -> None:
        with FaultServer() as server:
            server.faults[""] = server.faults["silent"]
            self.fails(self.look(server.url("silent"), 1500), "endpoint", "dropped", "hangs")

    def test_answers_that_are_none(self) -> None:
        with FaultServer() as server:
            for fault, expected in (
                    ("401", ["The endpoint requires a credential", "authenticationRef"]),
                    ("nowhere", ["HTTP 404", "does not have this path", "/api/v1/query"]),
                    ("html", ["not JSON", "sign-in"]),
                    ("429", ["HTTP 429", "pollingInterval"]),
                    ("503", ["HTTP 503", "not ready"]),
                    ("elsewhere", ["302", "curl -i"]),
                    ("bomb", ["larger than", "Aggregate"])):
                with self.subTest(fault):
                    self.fails(self.look(server.url(fault)), "query", *expected)

    def test_a_tls_port_that_is_asked_without(self) -> None:
        with FaultServer() as server:
            for name, page in (
                    ("go", "Client sent an HTTP request to an HTTPS server.\n"),
                    ("nginx", "<html>\r\n<head><title>400 The plain HTTP request was sent to HTTPS port</title></head></html>"),
                    ("apache", "<!DOCTYPE HTML><html><head><title>400 Bad Request</title></head><body><p>Reason: You're speaking "
                               "plain HTTP to an SSL-enabled server port.<br /></p></body></html>")):
                with self.subTest(name):
                    server.faults[name] = fixed(page, "400 Bad Request", "Content-Type: text/html")
                    step = self.fails(self.look(server.url(name)), "query", "HTTP 400", "use https", "its port requires TLS")
                    self.assertNotIn("<", step["seen"])
        pair = certificates.for_localhost()
        with FaultServer(pair.certificate, pair.key) as server:  # as most, it only closes the connection
            self.fails(self.look(server.url("good").replace("https", "http")), "endpoint", "closed before the answer arrived",
                       "if the port requires TLS, write https in the address")

    def test_credentials_that_are_refused(self) -> None:
        with FaultServer() as server:
            for fault, expected in (("401", ["does not accept these credentials", "authModes"]),
                                    ("403", ["do not allow reading metrics", "127.0.0.1"])):
                with self.subTest(fault):
                    report = self.diagnose(manifests.with_bearer(server.url(fault)))
                    self.step(report, "environment", "ok", "authModes bearer")
                    self.fails(report, "query", *expected)

    def test_a_credential_over_plain_http(self) -> None:
        report = self.diagnose(manifests.with_bearer(f"http://{UNRESOLVABLE}"))
        self.fails(report, "endpoint", "does not resolve")

    def test_clocks_that_differ(self) -> None:
        with FaultServer() as server:
            server.faults[""] = dated(-600)
            self.fails(self.look(server.url("good")), "endpoint", "10 min ahead of", "date -u")
            server.faults[""] = dated(600)
            self.fails(self.look(server.url("good")), "endpoint", "behind that of 127.0.0.1", "chrony")
            server.faults[""] = dated(90)
            self.step(self.look(server.url("good")), "endpoint", "warning", "behind that of 127.0.0.1")

    def test_nothing_and_not_a_number(self) -> None:
        with FaultServer() as server:
            self.fails(self.look(server.url("empty"), ignoreNullValues="false"), "series", "no series")
            self.step(self.look(server.url("nan")), "value", "warning", "NaN")

    def test_a_manifest_that_cannot_be_read(self) -> None:
        so = manifests.scaled_object("http://127.0.0.1:1", threshold="abc")
        ran = harness.gputided("doctor", "-f", manifests.saved("doctor-bad.yaml", so))
        self.assertEqual((ran.status, ran.out), (2, ""), ran)
        self.assertIn("spec.triggers[0].metadata.threshold", ran.err)


class Certificates(DoctorCase):
    def look(self, pair: certificates.Pair, roots: str = "", **metadata: str) -> dict[str, Any]:
        with FaultServer(pair.certificate, pair.key) as server:
            so = manifests.scaled_object(server.url("good", "localhost"), metadata=metadata)
            return self.diagnose(manifests.saved("doctor-tls.yaml", so), "--ca-file", roots or certificates.trusted().certificate)

    def test_the_right_one(self) -> None:
        report = self.look(certificates.for_localhost())
        detail = self.step(report, "endpoint", "ok", "its certificate is localhost's, issued by ca, valid for")["detail"]
        self.assertEqual((detail["certificate"], detail["certificate_issuer"]), ("localhost", "ca"))
        self.assertRegex(detail["certificate_expires"], r"^\d{4}-")

    def test_a_wrong_ca(self) -> None:
        self.fails(self.look(certificates.by_a_stranger()), "endpoint", "localhost:", "issued by strange-ca", "not trusted by the CA "
                   "file " + certificates.trusted().certificate, "strange-ca is not among the trusted roots", "--ca-file")

    def test_one_that_signed_itself(self) -> None:
        self.fails(self.look(certificates.self_signed()), "endpoint", "self-signed", "not trusted")

    def test_one_for_another_host(self) -> None:
        self.fails(self.look(certificates.for_another_host()), "endpoint", "is for elsewhere.invalid, not for localhost")

    def test_one_that_has_expired(self) -> None:
        self.fails(self.look(certificates.expired()), "endpoint", "the certificate of expired expired on 20", "ago", "Renew")

    def test_one_that_nobody_verifies(self) -> None:
        report = self.look(certificates.by_a_stranger(), unsafeSsl="true")
        self.step(report, "endpoint", "warning", "not verified", "unsafeSsl", "remove unsafeSsl")

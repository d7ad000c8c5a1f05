"""Tests each identity that a manifest may name, against stand-ins on loopback, and what the host must allow."""
from __future__ import annotations

import json
import pathlib
import unittest
from typing import Any
from urllib.parse import parse_qs, unquote_plus

import certificates
import harness
import manifests
from fault_server import Connection, FaultServer, vector
from harness import Ran, gputided

TENANT, CLIENT = "00000000-0000-0000-0000-00000000000a", "00000000-0000-0000-0000-00000000000b"
ACCESS_TOKEN = ".".join([harness.segment('{"alg":"RS256"}'), harness.segment('{"aud":"prometheus","oid":"me"}'),
                         harness.ACCESS_TOKEN_SIGNATURE])
ANSWER = json.dumps({"token_type": "Bearer", "expires_in": "3599", "access_token": ACCESS_TOKEN})


def trigger_authentication(provider: str, **parameters: str) -> list[dict[str, Any]]:
    """With its parameters in a Secret beside it; names as keys of docs/credentials.md."""
    documents = manifests.authentication("identity", **parameters)
    documents[0]["spec"]["podIdentity"] = {"provider": provider}
    return documents


class Identities(unittest.TestCase):
    server: FaultServer   # plain: metadata services and metrics
    login: FaultServer    # over TLS: the authority
    asked: list[str]

    def setUp(self) -> None:
        pair = certificates.for_localhost()
        self.server, self.login, self.asked = FaultServer(), FaultServer(pair.certificate, pair.key), []
        for entry in (self.server, self.login):
            entry.faults["issue"] = self.issue
            entry.faults["guarded"] = self.guarded

    def tearDown(self) -> None:
        self.server.__exit__()
        self.login.__exit__()

    def issue(self, to: Connection, request: str) -> None:
        self.asked.append(request)
        to.answer(ANSWER)

    def guarded(self, to: Connection, request: str) -> None:
        self.asked.append(request)
        allowed = f"Authorization: Bearer {ACCESS_TOKEN}\r\n" in request
        to.answer(vector("10") if allowed else "{}", "200 OK" if allowed else "401 Unauthorized")

    def environment(self, **more: str) -> dict[str, str]:
        return {"AZURE_AUTHORITY_HOST": self.login.url("issue", "localhost"),
                "SSL_CERT_FILE": certificates.trusted().certificate, **more}

    def token(self, documents: list[dict[str, Any]], *more: str, timeout_ms: int = 20_000, **environment: str) -> Ran:
        file = manifests.saved("identity.yaml", *documents)
        return gputided("token", "--credential", "@" + file, "--timeout-ms", str(timeout_ms), "--output", "json", *more,
                        env=self.environment(**environment))

    def works(self, ran: Ran) -> None:
        self.assertEqual((ran.status, ran.err), (0, ""), ran)
        self.assertEqual(ran.json["claims"]["oid"], "me")

    def refused(self, ran: Ran, status: int, *expected: str) -> None:
        self.assertEqual(ran.status, status, ran)
        self.assertTrue(ran.out == "" or ran.json["error"]["exit_status"] == status, ran)
        for text in expected:
            self.assertIn(text, ran.err)

    def form(self) -> dict[str, str]:
        return {name: values[0] for name, values in parse_qs(self.asked[-1].partition("\r\n\r\n")[2]).items()}

    def test_client_secret(self) -> None:
        self.works(self.token(trigger_authentication("azure-client-secret", tenantId=TENANT, clientId=CLIENT,
                                                     clientSecret=harness.PASSWORD)))
        self.assertEqual((self.form()["client_id"], self.form()["client_secret"]), (CLIENT, harness.PASSWORD))
        self.assertIn(f"POST /issue/{TENANT}/oauth2/v2.0/token ", self.asked[-1])
        self.refused(self.token(trigger_authentication("azure-client-secret", tenantId=TENANT, clientId=CLIENT)), 2,
                     "E_INVALID", "clientSecret", "AZURE_CLIENT_SECRET")

    def test_client_certificate(self) -> None:
        key, certificate = str(harness.WORK / "app.key"), str(harness.WORK / "app.crt")
        certificates.openssl("req", "-x509", "-newkey", "rsa:2048", "-noenc", "-days", "2", "-subj", "/CN=app", "-keyout", key,
                             "-out", certificate)
        both = pathlib.Path(key).read_text() + pathlib.Path(certificate).read_text()
        self.works(self.token(trigger_authentication("azure-client-certificate", tenantId=TENANT, clientId=CLIENT,
                                                     clientCertificate=both)))
        self.assertEqual(self.form()["client_assertion"].count("."), 2)
        path = harness.write("app.pem", both)
        self.works(self.token([{"provider": "azure-client-certificate"}], AZURE_CLIENT_CERTIFICATE_PATH=path,
                              AZURE_TENANT_ID=TENANT, AZURE_CLIENT_ID=CLIENT))

    def test_managed_identity(self) -> None:
        app_service = {"IDENTITY_ENDPOINT": self.server.url("issue"), "IDENTITY_HEADER": harness.HEADER_VALUE}
        self.works(self.token(trigger_authentication("azure-managed-identity", clientId=CLIENT), **app_service))
        self.assertIn(f"&client_id={CLIENT} ", self.asked[-1])
        self.assertIn(f"x-identity-header: {harness.HEADER_VALUE}", self.asked[-1].lower())

    def test_the_chain_is_the_default_and_tells_each_reason(self) -> None:
        ran = gputided("token", env=self.environment(AZURE_TOKEN_CREDENTIALS="WorkloadIdentityCredential"))
        self.refused(ran, 3, "E_UNSUPPORTED", "azure-default", "workload identity: AZURE_CLIENT_ID, AZURE_TENANT_ID")
        app_service = {"IDENTITY_ENDPOINT": self.server.url("503"), "IDENTITY_HEADER": "h"}
        self.refused(gputided("token", "--timeout-ms", "300", env=self.environment(**app_service)), 3,
                     "azure-default: managed identity: ", "environment: neither AZURE_CLIENT_SECRET", "workload identity: ")
        app_service["IDENTITY_ENDPOINT"] = self.server.url("issue")
        self.works(gputided("token", "--output", "json", env=self.environment(**app_service)))

    def test_azure_cli(self) -> None:
        answer = json.dumps({"accessToken": ACCESS_TOKEN, "expires_on": 4102444800, "tokenType": "Bearer"})
        folder = self.program("az", f"echo '{answer}'; echo \"$@\" > {harness.WORK}/az-arguments")
        path = {"PATH": f"{folder}:{harness.surroundings()['PATH']}"}
        cli = [{"provider": "azure-cli"}]
        self.refused(self.token(cli, **path), 2, "E_INVALID", '"az"', "--allow-program")
        self.works(self.token(cli, "--allow-program", "az", "--scope", "https://r", **path))
        self.assertEqual((harness.WORK / "az-arguments").read_text().strip(),
                         "account get-access-token --output json --scope https://r/.default")
        self.program("az", "echo \"ERROR: Please run 'az login'\" >&2; exit 1")
        self.refused(self.token(cli, "--allow-program", "az", **path), 3, "E_AUTH", "no user is signed in")
        self.program("az", "sleep 60")
        self.refused(self.token(cli, "--allow-program", "az", timeout_ms=300, **path), 3, "timed out")

    @staticmethod
    def program(name: str, script: str) -> str:
        path = pathlib.Path(harness.write(f"bin/{name}", f"#!/bin/sh\n{script}\n"))
        path.chmod(0o755)
        return str(path.parent)

    def test_a_program_and_a_file_in_a_trigger(self) -> None:
        """Their token goes where the host says: loopback is free, another host is not, whatever the manifest says."""
        command = self.program("print-token", f"echo {ACCESS_TOKEN}") + "/print-token"
        harness.write("secrets/gateway/token", ACCESS_TOKEN + "\n")
        for provider, parameters, allow in (
                ("bearer-exec", {"command": command}, ["--allow-program", command]),
                ("bearer-file", {"tokenFile": "gateway/token"}, ["--secrets-dir", str(harness.WORK / "secrets")])):
            with self.subTest(provider):
                documents = trigger_authentication(provider, **parameters)
                so = manifests.scaled_object(self.server.url("guarded"), auth="identity")
                file = manifests.saved(f"{provider}.yaml", so, *documents)
                self.refused(gputided("eval", "-f", file, "--current", "1"), 2, allow[0])
                ran = gputided("eval", "-f", file, "--current", "1", "--output", "json", *allow)
                self.assertEqual((ran.status, ran.err), (0, ""), ran)
                so["spec"]["triggers"][0]["metadata"]["serverAddress"] = "https://elsewhere.invalid"
                file = manifests.saved(f"{provider}-elsewhere.yaml", so, *documents)
                ran = gputided("eval", "-f", file, "--current", "1", *allow)
                self.assertEqual(ran.status, 3, ran)
                self.assertIn("is not sent to host elsewhere.invalid", ran.err)
                self.assertIn("allowed_token_hosts", ran.err)
        self.assertEqual(len(self.asked), 2)

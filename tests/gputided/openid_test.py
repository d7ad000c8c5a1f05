"""Tests the client certificate's assertion: a certified OpenID provider checks it, not a stand-in.
Environment: OPENID_FOLDER, where tests/openid/install.sh has put the provider."""
from __future__ import annotations

import os
import pathlib
import subprocess
import unittest

import certificates
import harness
from harness import Ran, gputided

TENANT = "00000000-0000-0000-0000-00000000000a"
PS256, RS256 = "00000000-0000-0000-0000-00000000000b", "00000000-0000-0000-0000-00000000000c"
PROVIDER = pathlib.Path(__file__).resolve().parents[1] / "openid" / "provider.mjs"


def key_and_certificate(name: str) -> str:
    key, certificate = harness.WORK / f"{name}.key", harness.WORK / f"{name}.crt"
    certificates.openssl("req", "-x509", "-newkey", "rsa:2048", "-noenc", "-days", "2", "-subj", f"/CN={name}",
                         "-keyout", str(key), "-out", str(certificate))
    return harness.write(f"{name}.pem", key.read_text() + certificate.read_text())


class OpenId(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.mine, cls.other = key_and_certificate("app"), key_and_certificate("stranger")
        pair = certificates.for_localhost()
        for source, name in ((pair.certificate, "server.crt"), (pair.key, "server.key")):
            harness.write(name, pathlib.Path(source).read_text())
        cls.log = (harness.WORK / "provider.log").open("w+")
        cls.provider = subprocess.Popen(["node", str(PROVIDER), str(harness.WORK)], cwd=os.environ["OPENID_FOLDER"], text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=cls.log)
        assert cls.provider.stdout is not None
        cls.issuer = cls.provider.stdout.readline().strip()
        assert cls.issuer.startswith("https://localhost:"), "the provider did not start: " + cls.said()

    @classmethod
    def tearDownClass(cls) -> None:
        cls.provider.communicate(timeout=harness.PATIENCE_S)
        cls.log.close()

    @classmethod
    def said(cls) -> str:
        return (harness.WORK / "provider.log").read_text()

    def token(self, file: str, client: str) -> Ran:
        return gputided("token", "--output", "json", "--timeout-ms", "30000", "--credential", "provider: azure-client-certificate",
                        env={"AZURE_AUTHORITY_HOST": self.issuer, "AZURE_TENANT_ID": TENANT, "AZURE_CLIENT_ID": client,
                             "AZURE_CLIENT_CERTIFICATE_PATH": file, "SSL_CERT_FILE": certificates.trusted().certificate})

    def test_the_assertion_is_accepted_each_time(self) -> None:
        for attempt in range(8):  # one with the jti of an earlier one would be refused as a replay
            ran = self.token(self.mine, PS256)
            self.assertEqual((ran.status, ran.err), (0, ""), (attempt, ran, self.said()))
            self.assertAlmostEqual(ran.json["expires_in_s"], 3580, delta=20)

    def test_another_key_is_refused(self) -> None:
        ran = self.token(self.other, PS256)
        self.assertEqual((ran.status, ran.json["error"]["exit_status"]), (3, 3), ran)
        self.assertIn("E_AUTH", ran.err)
        self.assertIn("HTTP 401 (invalid_client)", ran.err)
        self.assertIn("signature verification failed", self.said())

    def test_the_algorithm_is_the_one_that_the_application_takes(self) -> None:
        ran = self.token(self.mine, RS256)
        self.assertEqual(ran.status, 3, ran)
        self.assertIn("invalid_client", ran.err)
        self.assertIn("alg mismatch", self.said())

    def test_an_unknown_client(self) -> None:
        self.assertIn("invalid_client", self.token(self.mine, "00000000-0000-0000-0000-0000000000ff").err)

"""One https fetch with a CA file of its own, inside this interpreter, and which OpenSSL it used."""

from __future__ import annotations

import http.server
import json
import re
import ssl
import subprocess
import tempfile
import threading
import unittest
from pathlib import Path

from .support import NOW_MS, run_python

FETCH = """
import gputide
trigger = 'type: prometheus\\nmetadata: {{serverAddress: "{address}", query: load, threshold: "5"}}'
with gputide.Source(trigger, gputide.Options(ca_file={ca_file!r})) as source:
    print(source.fetch(timeout=20).value)
"""
# libcurl or OpenSSL bound to something that the host program brings.
FOREIGN = re.compile(
    r"binding file \S*/lib(?:curl|ssl|crypto|gputide)\S* \[\d+\] to \S*python\S* \[\d+\]: "
    r"normal symbol `((?:SSL|EVP|X509|BIO|curl|nghttp2)_\w+)'"
)


class Answer(http.server.BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        data = {"resultType": "vector", "result": [{"metric": {}, "value": [NOW_MS / 1000, "42.5"]}]}
        body = json.dumps({"status": "success", "data": data}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


class Https(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.certificate = self.folder / "ca.pem"
        key = self.folder / "key.pem"
        subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"]
        command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", *subject]
        subprocess.run([*command, "-keyout", str(key), "-out", str(self.certificate)], check=True, capture_output=True)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.certificate, key)
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Answer)
        server.daemon_threads = True
        server.socket = context.wrap_socket(server.socket, server_side=True)
        thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
        thread.start()
        self.addCleanup(thread.join)
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        self.address = f"https://127.0.0.1:{server.server_address[1]}"

    def fetch(self, ca_file: str, **environment: str) -> subprocess.CompletedProcess[str]:
        return run_python(FETCH.format(address=self.address, ca_file=ca_file), **environment)

    def test_a_ca_file_is_trusted_and_nothing_else(self) -> None:
        self.assertEqual(self.fetch(str(self.certificate)).stdout, "42.5\n")
        system = self.fetch("/etc/ssl/certs/ca-certificates.crt")
        self.assertNotEqual(system.returncode, 0)
        self.assertIn("gputide.errors.", system.stderr)

    def test_no_symbol_of_libcurl_or_openssl_is_the_interpreters(self) -> None:
        log = self.folder / "bindings"
        done = self.fetch(str(self.certificate), LD_DEBUG="bindings", LD_DEBUG_OUTPUT=str(log))
        self.assertEqual(done.stdout, "42.5\n")
        text = "".join(path.read_text(errors="replace") for path in self.folder.glob("bindings.*"))
        self.assertIn("libgputide-full.so", text)
        self.assertEqual(FOREIGN.findall(text), [])

#!/usr/bin/env python3
"""A strict stand-in for Entra's token endpoint, over https on loopback, and the check of the tokens it hands out.

    POST /{tenant}/oauth2/v2.0/token   exchanges a service-account token for an access token (rules: entra.py)
    GET  /introspect                   for nginx's auth_request: 204, or 401 with the reason in X-Auth-Fault
    GET  /stats                        {"issued": 3, "refused": {"700213": 1}}
    GET  /healthz                      ok

Standard library and the openssl command only.  Writes one line per request to stderr, never a token or an assertion.
"""
from __future__ import annotations

import argparse
import json
import re
import signal
import ssl
import sys
import threading
import time
import uuid
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import entra
import jws

MOST_BODY_BYTES = 64 * 1024
FORM = "application/x-www-form-urlencoded"
TOKEN_PATH = re.compile(r"/([0-9A-Za-z.-]{1,64})/oauth2/v2\.0/token")


class Endpoint:
    """State of all requests: the registration, the signing key, counts."""

    def __init__(self, known: entra.Registration, key: Path, public_key: Path, lifetime_s: int) -> None:
        self.known, self._key, self.public_key, self._lifetime_s = known, key, public_key, lifetime_s
        self._lock, self._issued, self._refused = threading.Lock(), 0, Counter[str]()

    def exchange(self, tenant: str, form: dict[str, str]) -> dict[str, Any]:
        claims = entra.access_claims(tenant, form, self.known, self._lifetime_s, int(time.time()))
        token = jws.sign(self._key, claims, {"kid": "quickstart-1"})
        with self._lock:
            self._issued += 1
        life = {"expires_in": self._lifetime_s, "ext_expires_in": self._lifetime_s}
        return {"token_type": "Bearer", **life, "access_token": token}

    def count_refusal(self, number: int) -> None:
        with self._lock:
            self._refused[str(number)] += 1

    def stats(self) -> dict[str, Any]:
        with self._lock:
            return {"issued": self._issued, "refused": dict(self._refused)}


class Handler(BaseHTTPRequestHandler):
    """Paths, methods and headers; the rules are in entra.py."""

    protocol_version = "HTTP/1.1"
    server_version = "token-endpoint"
    timeout = 10
    endpoint: Endpoint

    def do_GET(self) -> None:
        if self.path == "/introspect":
            return self._introspect()
        if self.path == "/stats":
            return self._answer(200, self.endpoint.stats())
        if self.path == "/healthz":
            return self._answer(200, {"status": "ok"})
        if TOKEN_PATH.fullmatch(self.path):
            text = "The endpoint only accepts POST requests. Received a GET request."
            return self._refuse(entra.Refusal(900561, "invalid_request", 405, text), {"Allow": "POST"})
        return self._answer(404, {"error": "not_found"})

    def do_POST(self) -> None:
        body = self._body()
        if body is None:
            return None
        path = TOKEN_PATH.fullmatch(self.path)
        if path is None:
            return self._answer(404, {"error": "not_found"})
        try:
            return self._answer(200, self.endpoint.exchange(path[1], self._form(body)))
        except entra.Refusal as refusal:
            return self._refuse(refusal)

    def _form(self, body: bytes) -> dict[str, str]:
        """A body of another type holds no parameters, for the service as for us."""
        if self.headers.get_content_type() != FORM:
            raise entra.Refusal(900144, "invalid_request", 400,
                                "The request body must contain the following parameter: 'grant_type'.")
        try:
            pairs = parse_qsl(body.decode("ascii"), keep_blank_values=True, strict_parsing=True, max_num_fields=32)
        except ValueError:
            raise entra.Refusal(9000411, "invalid_request", 400, "The request is not properly formatted.") from None
        if len({name for name, _ in pairs}) != len(pairs):
            raise entra.Refusal(9000411, "invalid_request", 400,
                                "The request is not properly formatted. A parameter is duplicated.")
        return dict(pairs)

    def _introspect(self) -> None:
        scheme, _, token = self.headers.get("Authorization", "").partition(" ")
        if not scheme:
            return self._no_access("Request does not contain an Authorization Header")
        if scheme.lower() != "bearer":
            return self._no_access("The Authorization Header is not a bearer token")
        fault = entra.bearer_fault(token.strip(), self.endpoint.public_key, int(time.time()))
        return self._no_access(fault) if fault else self._answer(204, None)

    def _no_access(self, fault: str) -> None:
        self._answer(401, {"error": fault}, {"X-Auth-Fault": fault, "WWW-Authenticate": "Bearer"})

    def _body(self) -> bytes | None:
        given = self.headers.get("Content-Length", "")
        if re.fullmatch("[0-9]{1,9}", given) and int(given) <= MOST_BODY_BYTES:
            return self.rfile.read(int(given))
        self.close_connection = True  # what is left of the body would be read as the next request
        self._answer(413 if given else 411, {"error": f"expected a Content-Length up to {MOST_BODY_BYTES}"})
        return None

    def _refuse(self, refusal: entra.Refusal, headers: dict[str, str] | None = None) -> None:
        self.endpoint.count_refusal(refusal.number)
        given = self.headers.get("client-request-id", "")
        correlation_id = given if re.fullmatch("[0-9A-Fa-f-]{36}", given) else str(uuid.uuid4())
        self._answer(refusal.status, entra.error_answer(refusal, correlation_id, int(time.time())), headers)

    def _answer(self, status: int, value: Any, headers: dict[str, str] | None = None) -> None:
        body = b"" if value is None else json.dumps(value).encode()
        self.send_response(status)
        for name, text in ({"Cache-Control": "no-store", "Pragma": "no-cache"} | (headers or {})).items():
            self.send_header(name, text)
        if value is not None:
            self.send_header("Content-Type", "application/json; charset=utf-8")
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


class TlsServer(ThreadingHTTPServer):
    """Shakes hands in the connection's own thread, so that a silent client holds up no other."""

    daemon_threads = True

    def __init__(self, address: tuple[str, int], certificate: Path, key: Path) -> None:
        super().__init__(address, Handler)
        self._tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._tls.minimum_version = ssl.TLSVersion.TLSv1_2
        self._tls.load_cert_chain(certificate, key)

    def finish_request(self, request: Any, client_address: Any) -> None:
        request.settimeout(Handler.timeout)
        try:
            with self._tls.wrap_socket(request, server_side=True) as secured:
                super().finish_request(secured, client_address)
        except (ssl.SSLError, OSError) as why:
            print(f"token-endpoint: {client_address[0]}: {why}", file=sys.stderr, flush=True)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--certificate", type=Path, required=True, help="PEM, of this server")
    parser.add_argument("--certificate-key", type=Path, required=True)
    parser.add_argument("--signing-key", type=Path, required=True, help="PEM, RSA, signs access tokens")
    parser.add_argument("--signing-public-key", type=Path, required=True)
    parser.add_argument("--issuer-public-key", type=Path, required=True, help="PEM of the cluster's service-account issuer")
    parser.add_argument("--tenant", required=True)
    parser.add_argument("--client-id", required=True)
    parser.add_argument("--issuer", required=True)
    parser.add_argument("--subject", required=True)
    parser.add_argument("--lifetime", type=int, default=3599, help="of an access token, seconds (default %(default)s)")
    return parser.parse_args()


def main() -> int:
    given = arguments()
    known = entra.Registration(given.tenant, given.client_id, given.issuer, given.subject, given.issuer_public_key)
    Handler.endpoint = Endpoint(known, given.signing_key, given.signing_public_key, given.lifetime)
    server = TlsServer(("127.0.0.1", given.port), given.certificate, given.certificate_key)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: threading.Thread(target=server.shutdown).start())
    print(f"token-endpoint: listening on https://localhost:{given.port}", file=sys.stderr, flush=True)
    server.serve_forever(poll_interval=0.1)
    server.server_close()
    return 0


if __name__ == "__main__":
    sys.exit(main())

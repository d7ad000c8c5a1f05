"""A CA, a certificate of it for localhost, one for another host and ones for users, and one for localhost by a CA that
is not trusted; and a server that has one."""
from __future__ import annotations

import http.server
import pathlib
import ssl
import subprocess
import threading
from dataclasses import dataclass
from typing import Any, Callable

import harness

KEY = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-noenc", "-days", "2"]


@dataclass
class Pair:
    certificate: str
    key: str


def openssl(*arguments: str) -> None:
    subprocess.run(["openssl", *arguments], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def authority(name: str) -> Pair:
    pair = Pair(str(harness.WORK / f"{name}.crt"), str(harness.WORK / f"{name}.key"))
    if not pathlib.Path(pair.certificate).exists():
        openssl("req", "-x509", *KEY, "-subj", f"/CN={name}", "-addext", "keyUsage=critical,keyCertSign,cRLSign",
                "-keyout", pair.key, "-out", pair.certificate)
    return pair


def issued(by: Pair, name: str, *extensions: str) -> Pair:
    pair = Pair(str(harness.WORK / f"{name}.crt"), str(harness.WORK / f"{name}.key"))
    if not pathlib.Path(pair.certificate).exists():
        request = str(harness.WORK / f"{name}.csr")
        file = harness.write(f"{name}.ext", "\n".join(extensions) + "\n")
        openssl("req", *KEY, "-subj", f"/CN={name}", "-keyout", pair.key, "-out", request)
        openssl("x509", "-req", "-in", request, "-CA", by.certificate, "-CAkey", by.key, "-days", "2",
                "-extfile", file, "-out", pair.certificate)
    return pair


def server(by: Pair, name: str, alternative_names: str) -> Pair:
    return issued(by, name, f"subjectAltName={alternative_names}", "extendedKeyUsage=serverAuth")


def of_user(name: str, by: Pair | None = None) -> Pair:
    return issued(by or trusted(), name, "extendedKeyUsage=clientAuth")


def trusted() -> Pair:
    return authority("ca")


def for_localhost() -> Pair:
    return server(trusted(), "localhost", "DNS:localhost,IP:127.0.0.1")


def for_another_host() -> Pair:
    return server(trusted(), "elsewhere", "DNS:elsewhere.invalid")


def by_a_stranger() -> Pair:
    return server(authority("strange-ca"), "strange", "DNS:localhost,IP:127.0.0.1")


def self_signed() -> Pair:
    """Makes a self-signed certificate for localhost."""
    pair = Pair(str(harness.WORK / "self-signed.crt"), str(harness.WORK / "self-signed.key"))
    if not pathlib.Path(pair.certificate).exists():
        openssl("req", "-x509", *KEY, "-subj", "/CN=self-signed", "-addext", "subjectAltName=DNS:localhost",
                "-keyout", pair.key, "-out", pair.certificate)
    return pair


def expired() -> Pair:
    """By the trusted CA, for localhost, until yesterday."""
    by, name = trusted(), "expired"
    pair = Pair(str(harness.WORK / f"{name}.crt"), str(harness.WORK / f"{name}.key"))
    if not pathlib.Path(pair.certificate).exists():
        request, database = str(harness.WORK / f"{name}.csr"), harness.write("ca.index", "")
        settings = harness.write("ca.conf", f"[ca]\ndefault_ca=d\n[d]\ndatabase={database}\nnew_certs_dir={harness.WORK}\n"
                                 "rand_serial=yes\ndefault_md=sha256\npolicy=p\nx509_extensions=e\n[p]\ncommonName=supplied\n"
                                 "[e]\nsubjectAltName=DNS:localhost\n")
        openssl("req", *KEY, "-subj", f"/CN={name}", "-keyout", pair.key, "-out", request)
        openssl("ca", "-batch", "-config", settings, "-cert", by.certificate, "-keyfile", by.key, "-in", request,
                "-out", pair.certificate, "-notext", "-startdate", "20250101000000Z", "-enddate", "20250201000000Z")
    return pair


Answer = Callable[[http.server.BaseHTTPRequestHandler], None]


def start_server(answer: Answer, certificate: str, key: str, timeout_s: int, client_ca: str = "") -> http.server.ThreadingHTTPServer:
    """On a free port of 127.0.0.1: answer() gets every request, whatever its method, on a thread of its connection."""

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:  # noqa: N802
            answer(self)

        do_POST = do_PUT = do_PATCH = do_DELETE = do_GET

        def log_message(self, *_: object) -> None:
            pass

    class Server(http.server.ThreadingHTTPServer):
        daemon_threads = True
        request_queue_size = 128  # else a client that connects at the same time tries again after a second

        def handle_error(self, *_: object) -> None:
            pass  # a client that went away, or does not like the certificate

        def finish_request(self, request: Any, client_address: Any) -> None:
            request.settimeout(timeout_s)
            request.do_handshake()  # in the connection's own thread
            super().finish_request(request, client_address)

    server = Server(("127.0.0.1", 0), Handler)
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(certificate, key)
    if client_ca:
        tls.load_verify_locations(client_ca)
        tls.verify_mode = ssl.CERT_OPTIONAL
    server.socket = tls.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
    return server

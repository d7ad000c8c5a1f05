"""A server over TLS for what stands in for a real one."""
from __future__ import annotations

import http.server
import ssl
import threading
from typing import Any, Callable

Answer = Callable[[http.server.BaseHTTPRequestHandler], None]


def start(answer: Answer, certificate: str, key: str, timeout_s: int, client_ca: str = "") -> http.server.ThreadingHTTPServer:
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

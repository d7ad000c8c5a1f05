"""A server on loopback that misbehaves: each path is a fault.  What it was sent comes back in its error texts, so that a
client that repeats them gives its secrets away.

    with FaultServer() as server:       plain; FaultServer(certificate, key) speaks TLS
        server.url("html")              http://127.0.0.1:PORT/html
"""
from __future__ import annotations

import gzip
import json
import socket
import ssl
import threading
import time
from typing import Any, Callable


def vector(*values: str) -> str:
    """A Prometheus answer with one series per value, as of now."""
    result = [{"metric": {"gpu": str(number)}, "value": [time.time(), value]} for number, value in enumerate(values)]
    return json.dumps({"status": "success", "data": {"resultType": "vector", "result": result}})


def error_answer(word: str, text: str) -> str:
    return json.dumps({"status": "error", "errorType": word, "error": text})


class Connection:
    """One connection: reads requests, sends bytes."""

    def __init__(self, of: "FaultServer", peer: socket.socket) -> None:
        self.server, self.peer, self.unread = of, peer, b""

    def read_request(self) -> str:
        while b"\r\n\r\n" not in self.unread:
            piece = self.peer.recv(65536)
            if not piece:
                return ""
            self.unread += piece
        head, _, rest = self.unread.partition(b"\r\n\r\n")
        lengths = [int(line.split(b":")[1]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:")]
        length = lengths[0] if lengths else 0
        while len(rest) < length:
            rest += self.peer.recv(65536)
        self.unread = rest[length:]
        return (head + b"\r\n\r\n" + rest[:length]).decode()

    def answer(self, body: str | bytes, status: str = "200 OK", *headers: str, length: int | None = None) -> None:
        data = body if isinstance(body, bytes) else body.encode()
        lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(data) if length is None else length}", *headers]
        if not any(line.lower().startswith("content-type:") for line in headers):
            lines.append("Content-Type: application/json")
        self.peer.sendall("\r\n".join(lines).encode() + b"\r\n\r\n" + data)


SECRET_HEADERS = ("authorization", "x-api-key")
Fault = Callable[[Connection, str], None]


class FaultServer:
    """`value` and `token` may be set by the test; `requests` counts, by first part of the path."""

    def __init__(self, certificate: str = "", key: str = "") -> None:
        self.value, self.requests = "10", {}
        self.faults: dict[str, Fault] = {**FAULTS}
        self.tls: ssl.SSLContext | None = None
        if certificate:
            self.tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            self.tls.load_cert_chain(certificate, key)
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.port: int = self.listener.getsockname()[1]
        self.stopping = threading.Event()
        threading.Thread(target=self.accept, daemon=True).start()

    def __enter__(self) -> "FaultServer":
        return self

    def __exit__(self, *_: object) -> None:
        self.stopping.set()
        self.listener.close()

    def url(self, fault: str = "", host: str = "127.0.0.1") -> str:
        return f"{'https' if self.tls else 'http'}://{host}:{self.port}" + (f"/{fault}" if fault else "")

    def accept(self) -> None:
        while not self.stopping.is_set():
            try:
                peer, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=(peer,), daemon=True).start()

    def serve(self, peer: socket.socket) -> None:
        try:
            with (self.tls.wrap_socket(peer, server_side=True) if self.tls else peer) as stream:
                connection = Connection(self, stream)
                while request := connection.read_request():
                    fault = request.split(" ")[1].strip("/").split("/")[0].split("?")[0]
                    self.requests[fault] = self.requests.get(fault, 0) + 1
                    self.faults.get(fault, not_found)(connection, request)
        except (OSError, ssl.SSLError):
            pass  # the client went away, or did not like the certificate


def not_found(to: Connection, request: str) -> None:
    to.answer("{}", "404 Not Found")


def good(to: Connection, request: str) -> None:
    to.answer(vector(to.server.value))


def fixed(body: Any, status: str = "200 OK", *headers: str) -> Fault:
    return lambda to, request: to.answer(body() if callable(body) else body, status, *headers)


def echo_of(request: str) -> str:
    """Returns what a debugging proxy repeats; the lines with secrets first, so that an excerpt of it has them."""
    return " ".join(sorted(request.splitlines(), key=lambda line: not line.lower().startswith(SECRET_HEADERS)))


def reflecting(status: str, word: str, *headers: str) -> Fault:
    """As the query endpoint of Azure Managed Prometheus words its refusals."""
    def fault(to: Connection, request: str) -> None:
        to.answer(error_answer(word, "you sent " + echo_of(request)), status, *headers)
    return fault


def values_of(to: Connection, request: str) -> None:
    """The bare values, without the names of their headers, as in `token abc is not known here`."""
    values = [line.partition(": ")[2].removeprefix("Bearer ") for line in request.splitlines()
              if line.lower().startswith(SECRET_HEADERS)]
    to.answer(error_answer("Unauthorized", f"token {' and '.join(values)} is not known here"), "401 Unauthorized")


def html(to: Connection, request: str) -> None:
    to.answer(f"<html>{echo_of(request)}</html>", "200 OK", "Content-Type: text/html")


def unavailable(to: Connection, request: str) -> None:
    to.answer("no healthy upstream for " + echo_of(request), "503 Service Unavailable", "Content-Type: text/plain")


def cut(to: Connection, request: str) -> None:
    to.answer(vector("10")[:40], length=400)
    to.peer.shutdown(socket.SHUT_RDWR)


def bomb(to: Connection, request: str) -> None:
    to.answer(BOMB, "200 OK", "Content-Encoding: gzip")


def silent(to: Connection, request: str) -> None:
    to.server.stopping.wait(60)


def slow_loris(to: Connection, request: str) -> None:
    for byte in b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\nX: " + b"x" * 1000:
        to.peer.sendall(bytes([byte]))
        if to.server.stopping.wait(0.05):
            return


def elsewhere(to: Connection, request: str) -> None:
    to.answer("", "302 Found", "Location: http://127.0.0.2:1/api/v1/query")


BOMB = gzip.compress(bytes(64 << 20), 9)
BAD_QUERY = error_answer("bad_data", 'invalid parameter "query": 1:5: parse error: unclosed left parenthesis')
FAULTS: dict[str, Fault] = {
    "good": good,
    "bad_query": fixed(BAD_QUERY, "400 Bad Request"),
    "401": reflecting("401 Unauthorized", "Unauthorized", "WWW-Authenticate: Bearer"),
    "403": reflecting("403 Forbidden", "Forbidden"),
    "429": reflecting("429 Too Many Requests", "TooManyRequests", "Retry-After: 120"),
    "503": unavailable,
    "bare_values": values_of,
    "html": html,
    "cut": cut,
    "bomb": bomb,
    "nan": fixed(lambda: vector("NaN")),
    "several": fixed(lambda: vector("1", "2")),
    "empty": fixed(lambda: vector()),
    "silent": silent,
    "slow_loris": slow_loris,
    "elsewhere": elsewhere,
}

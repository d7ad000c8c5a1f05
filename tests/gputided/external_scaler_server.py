"""An external scaler of KEDA for tests: HTTP/2 and gRPC frame by frame, so that it can also break any rule of them.

Header fields are unpacked by libnghttp2, which libcurl brings along; all else is written here (RFC 9113, gRPC's
PROTOCOL-HTTP2.md, KEDA's externalscaler.proto).
"""
from __future__ import annotations

import contextlib
import ctypes
import queue
import socket
import ssl
import struct
import threading
import time
from dataclasses import dataclass, field
from typing import Any, Callable, Iterator

DATA, HEADERS, RST_STREAM, SETTINGS, PING, GOAWAY, WINDOW_UPDATE = 0, 1, 3, 4, 6, 7, 8
END_STREAM, END_HEADERS, ACK, PADDED, PRIORITY = 1, 4, 1, 8, 0x20
OK = [("grpc-status", "0")]
FIRST = [(":status", "200"), ("content-type", "application/grpc")]


# ---- protocol buffers, as much as these messages need

def varint(value: int) -> bytes:
    value &= (1 << 64) - 1
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes(out) + bytes([value])


def text(number: int, value: bytes | str) -> bytes:
    value = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(value)) + value


def entry(name: str, integer: int = 0, number: float = 0.0) -> bytes:
    """A MetricSpec or a MetricValue."""
    out = text(1, name)
    if integer:
        out += varint(2 << 3) + varint(integer)
    if number:
        out += varint(3 << 3 | 1) + struct.pack("<d", number)
    return out


def fields(message: bytes) -> Iterator[tuple[int, Any]]:
    at = 0

    def number() -> int:
        nonlocal at
        out = shift = 0
        while True:
            byte = message[at]
            at += 1
            out |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return out
    while at < len(message):
        tag = number()
        assert tag & 7 == 2, "the requests hold texts and messages alone"
        size = number()
        yield tag >> 3, message[at:at + size]
        at += size


def scaled_object(message: bytes) -> tuple[str, str, dict[str, str]]:
    found: dict[int, str] = {}
    metadata = {}
    for number, value in fields(message):
        if number == 3:
            pair = dict(fields(value))
            metadata[pair[1].decode()] = pair[2].decode()
        else:
            found[number] = value.decode()
    return found.get(1, ""), found.get(2, ""), metadata


# ---- header fields

class Field(ctypes.Structure):
    _fields_ = [("name", ctypes.POINTER(ctypes.c_uint8)), ("value", ctypes.POINTER(ctypes.c_uint8)),
                ("name_size", ctypes.c_size_t), ("value_size", ctypes.c_size_t), ("flags", ctypes.c_uint8)]


class Inflater:
    library = ctypes.CDLL("libnghttp2.so.14")

    def __init__(self) -> None:
        self.state = ctypes.c_void_p()
        assert self.library.nghttp2_hd_inflate_new(ctypes.byref(self.state)) == 0
        self.library.nghttp2_hd_inflate_hd2.restype = ctypes.c_ssize_t

    def fields(self, block: bytes) -> dict[str, str]:
        out = {}
        while True:
            item, flags = Field(), ctypes.c_int()
            used = self.library.nghttp2_hd_inflate_hd2(self.state, ctypes.byref(item), ctypes.byref(flags), block,
                                                       ctypes.c_size_t(len(block)), 1)
            assert used >= 0, used
            block = block[used:]
            if flags.value & 2:
                out[bytes(item.name[:item.name_size]).decode()] = bytes(item.value[:item.value_size]).decode()
            if flags.value & 1:
                self.library.nghttp2_hd_inflate_end_headers(self.state)
                return out


def packed(headers: list[tuple[str, str]]) -> bytes:
    """Literals without an index (RFC 7541, 6.2.2), short ones."""
    def piece(value: str) -> bytes:
        raw = value.encode()
        return bytes([len(raw)]) + raw if len(raw) < 127 else b"\x7f" + varint(len(raw) - 127) + raw
    return b"".join(b"\x00" + piece(name) + piece(value) for name, value in headers)


@dataclass
class Answer:
    """The answer to a method.  `end` replaces the trailers after the body."""
    message: bytes = b""
    body: bytes | None = None  # instead of the message in its frame
    first: list[tuple[str, str]] = field(default_factory=lambda: list(FIRST))
    last: list[tuple[str, str]] | None = field(default_factory=lambda: list(OK))  # None: no trailers
    only_trailers: bool = False
    wait_s: float = 0.0
    end: Callable[["Connection", int], None] | None = None

    def bytes_of_body(self) -> bytes:
        return b"\0" + struct.pack(">I", len(self.message)) + self.message if self.body is None else self.body


def failing(status: int, message: str = "") -> Answer:
    """Trailers alone, as servers answer a call that failed."""
    return Answer(only_trailers=True, first=[*FIRST, ("grpc-status", str(status)), ("grpc-message", message)])


HELD = Answer()  # a stream that stays open


class Connection:
    """One thread reads and writes: a TLS connection is not two threads' business.  `outbox` is what others want to be sent."""

    def __init__(self, server: "ExternalScaler", peer: socket.socket) -> None:
        self.server, self.peer = server, peer
        self.inflater = Inflater()
        self.headers: dict[int, dict[str, str]] = {}
        self.bodies: dict[int, bytes] = {}
        self.streams: set[int] = set()  # of StreamIsActive, that are open
        self.outbox: queue.SimpleQueue[tuple[int, int, int, bytes]] = queue.SimpleQueue()

    def take(self, size: int) -> bytes:
        out = b""
        quiet_since = time.monotonic()
        while len(out) < size:
            with contextlib.suppress(queue.Empty):
                while True:
                    self.send(*self.outbox.get_nowait())
            try:
                piece = self.peer.recv(size - len(out))
            except TimeoutError:
                if time.monotonic() - quiet_since > 60 and not self.streams:
                    raise
                continue
            if not piece:
                raise ConnectionError
            out += piece
        return out

    def send(self, kind: int, flags: int, stream: int, payload: bytes = b"") -> None:
        self.peer.sendall(struct.pack(">I", len(payload))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + payload)

    def run(self) -> None:
        if self.take(24) != b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n":
            self.peer.sendall(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
            return
        self.send(SETTINGS, 0, 0)
        while True:
            head = self.take(9)
            size, kind, flags, stream = int.from_bytes(head[:3], "big"), head[3], head[4], int.from_bytes(head[5:], "big")
            payload = self.take(size)
            if kind == SETTINGS and not flags & ACK:
                self.send(SETTINGS, ACK, 0)
            if kind == PING and not flags & ACK:
                self.send(PING, ACK, 0, payload)
            if kind == HEADERS:
                assert flags & END_HEADERS
                self.headers[stream] = self.inflater.fields(payload[5:] if flags & PRIORITY else payload)
                self.bodies[stream] = b""
            if kind == DATA:
                self.bodies[stream] += payload
            if kind in (HEADERS, DATA) and flags & END_STREAM:
                self.answer(stream)  # one after another
            if kind == RST_STREAM:
                self.streams.discard(stream)

    def answer(self, stream: int) -> None:
        headers, body = self.headers.pop(stream), self.bodies.pop(stream)
        answer = self.server.answer_to(headers, body)
        time.sleep(answer.wait_s)
        if answer is HELD:
            self.send(HEADERS, END_HEADERS, stream, packed(answer.first))
            self.streams.add(stream)
            return
        self.send(HEADERS, END_HEADERS | (END_STREAM if answer.only_trailers else 0), stream, packed(answer.first))
        if answer.only_trailers:
            return
        content = answer.bytes_of_body()
        for at in range(0, len(content), 16_384):
            self.send(DATA, 0, stream, content[at:at + 16_384])
        if answer.end is not None:
            answer.end(self, stream)
        elif answer.last is None:
            self.send(DATA, END_STREAM, stream)
        else:
            self.send(HEADERS, END_HEADERS | END_STREAM, stream, packed(answer.last))


class ExternalScaler:
    """Metrics by name: what they hold and their target.  `instead` answers a method otherwise, once for each in its list."""

    def __init__(self, certificate: str = "", key: str = "", client_ca: str = "") -> None:
        self.metrics: dict[str, tuple[float, float]] = {"queue": (20.0, 5.0)}
        self.is_active = True
        self.instead: dict[str, list[Answer]] = {}
        self.always: dict[str, Answer] = {}
        self.calls: list[tuple[str, str]] = []  # the method, and the metric where one is asked for
        self.called_s: list[float] = []  # when, by time.monotonic
        self.headers: list[dict[str, str]] = []
        self.asked: list[tuple[str, str, dict[str, str]]] = []
        self.connections = 0
        self.living: set[Connection] = set()
        self.tls: ssl.SSLContext | None = None
        if certificate:
            self.tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            self.tls.load_cert_chain(certificate, key)
            self.tls.set_alpn_protocols(["h2"])
            if client_ca:
                self.tls.load_verify_locations(client_ca)
                self.tls.verify_mode = ssl.CERT_REQUIRED
        self.socket = self.listening()
        threading.Thread(target=self.accept, daemon=True).start()

    def listening(self) -> socket.socket:
        out = socket.create_server(("127.0.0.1", 0))
        self.port = out.getsockname()[1]
        self.address = f"localhost:{self.port}"
        return out

    def __enter__(self) -> "ExternalScaler":
        return self

    def __exit__(self, *_: object) -> None:
        self.socket.close()

    def accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                peer, _ = self.socket.accept()
                threading.Thread(target=self.serve, args=(peer,), daemon=True).start()

    def serve(self, peer: socket.socket) -> None:
        self.connections += 1
        with contextlib.suppress(OSError), contextlib.closing(peer):
            peer.settimeout(60)
            if self.tls is not None:
                peer = self.tls.wrap_socket(peer, server_side=True)
            peer.settimeout(0.02)  # then the outbox is looked at
            connection = Connection(self, peer)
            self.living.add(connection)
            try:
                connection.run()
            finally:
                self.living.discard(connection)

    @property
    def open_streams(self) -> int:
        return sum(len(item.streams) for item in list(self.living))

    def tell(self, is_active: bool) -> None:
        """On every stream that is open."""
        message = varint(1 << 3) + varint(1) if is_active else b""
        for item in list(self.living):
            for stream in list(item.streams):
                item.outbox.put((DATA, 0, stream, b"\0" + struct.pack(">I", len(message)) + message))

    def end_streams(self, status: int = 0) -> None:
        for item in list(self.living):
            for stream in list(item.streams):
                item.streams.discard(stream)
                item.outbox.put((HEADERS, END_HEADERS | END_STREAM, stream, packed([("grpc-status", str(status))])))

    def answer_to(self, headers: dict[str, str], body: bytes) -> Answer:
        method = headers[":path"].rsplit("/", 1)[-1]
        if headers[":path"] != f"/externalscaler.ExternalScaler/{method}" or headers[":method"] != "POST":
            return failing(12, "no such method")
        self.headers.append(headers)
        compressed, size = body[0], int.from_bytes(body[1:5], "big")
        message = body[5:]
        assert compressed == 0 and size == len(message), body
        metric = ""
        if method == "GetMetrics":
            request = dict(fields(message))
            message, metric = request[1], request[2].decode()
        self.called_s.append(time.monotonic())
        self.calls.append((method, metric))
        self.asked.append(scaled_object(message))
        if self.instead.get(method):
            return self.instead[method].pop(0)
        if method in self.always:
            return self.always[method]
        if method == "StreamMetricSpec":
            return failing(12, "no such method")  # as a scaler made for KEDA before 2.21
        return HELD if method == "StreamIsActive" else Answer(self.usual(method, metric))

    def usual(self, method: str, metric: str) -> bytes:
        if method == "IsActive":
            return varint(1 << 3) + varint(1) if self.is_active else b""
        if method == "GetMetricSpec":
            return b"".join(text(1, entry(name, 0, target)) for name, (_, target) in self.metrics.items())
        return text(1, entry(metric, 0, self.metrics[metric][0]))

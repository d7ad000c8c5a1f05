"""A Prometheus of the tests' own."""
from __future__ import annotations

import http.server
import io
import json
import socket
import struct
import threading
import time
import urllib.parse
from typing import Any

class Metric:
    """A Prometheus that answers every query with one number."""

    def __init__(self) -> None:
        self.value = 1.0
        self.authorizations: list[str] = []
        self.first_asked: dict[str, float] = {}  # by query, Unix time: when the kernel had it
        self.wanted = ""  # an Authorization; every other one gets a 401
        self.refused = 0
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def setup(self) -> None:
                super().setup()
                self.arrivals = Reader(self.connection)
                self.rfile = io.BufferedReader(self.arrivals)

            def do_GET(self) -> None:  # noqa: N802
                query = urllib.parse.parse_qs(urllib.parse.urlsplit(self.path).query).get("query", [""])[0]
                outer.first_asked.setdefault(query, self.arrivals.arrived)
                outer.authorizations.append(self.headers.get("Authorization", ""))
                if outer.wanted not in ("", outer.authorizations[-1]):
                    outer.refused += 1
                    self.send_error(401)
                    return
                body = json.dumps({"status": "success", "data": {"resultType": "vector", "result": [
                    {"metric": {}, "value": [time.time(), str(outer.value)]}]}}).encode()
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            do_POST = do_GET

            def log_message(self, *_: object) -> None:
                pass

        class Server(http.server.ThreadingHTTPServer):
            request_queue_size = 128  # a crowd's connections come at once, and one that finds no place tries again after a second

        self.server = Server(("127.0.0.1", 0), Handler)
        ask_for_times(self.server.socket)
        self.server.daemon_threads = True
        self.server.handle_error = lambda *_: None  # type: ignore[method-assign]  # gputided ends in the middle of answers
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()

    def __enter__(self) -> "Metric":
        return self

    def __exit__(self, *_: object) -> None:
        self.server.shutdown()
        self.server.server_close()


SO_TIMESTAMPNS = 35  # asm-generic/socket.h; its message has the same number and a timespec


def ask_for_times(listening: socket.socket) -> None:
    """The connections that it accepts inherit this, so that their first bytes have a time too."""
    listening.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)


class Reader(io.RawIOBase):
    """A connection's bytes.  arrived: Unix time of the newest that were read."""

    def __init__(self, connection: socket.socket) -> None:
        super().__init__()
        self.connection = connection
        self.arrived = 0.0

    def readable(self) -> bool:
        return True

    def readinto(self, into: Any) -> int:
        count, told, _, _ = self.connection.recvmsg_into([into], socket.CMSG_SPACE(16))
        for level, kind, value in told:
            if (level, kind) == (socket.SOL_SOCKET, SO_TIMESTAMPNS):
                seconds, nanoseconds = struct.unpack("qq", value)
                self.arrived = seconds + nanoseconds / 1e9
        return count

"""When the kernel had what a server reads: its threads may come to it a good deal later, as one alone runs at a time."""
from __future__ import annotations

import io
import socket
import struct
from typing import Any

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

"""The error of a failed call: one class per status of gputide.h, all of them Error."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

from ._abi import gputide_error
from ._time import instant
from .numbers import Action, Status


class Error(Exception):
    """A call failed.  Its text is `where: message`.

    status, action    what went wrong, and what to do next
    retryable         the same call, unchanged, may work later; retry_at says when if it is known
    http_status       of the answer that failed; None: there was none
    service_code      the peer's own word (AADSTS700024, bad_data); "" without one
    where             so.yaml:17 spec.triggers[0].metadata.threshold
    detail_json       what else is known, as JSON; `detail` has it parsed
    """

    def __init__(
        self,
        message: str,
        *,
        status: Status = Status.BUG,
        action: Action = Action.NONE,
        retryable: bool = False,
        http_status: int | None = None,
        retry_at_ms: int = 0,
        service_code: str = "",
        where: str = "",
        detail_json: str = "",
    ) -> None:
        super().__init__(message)
        self.message = message
        self.status = status
        self.action = action
        self.retryable = retryable
        self.http_status = http_status
        self.retry_at_ms = retry_at_ms
        self.service_code = service_code
        self.where = where
        self.detail_json = detail_json

    @property
    def name(self) -> str:
        """ "E_THROTTLED"."""
        return str(self.status)

    @property
    def retry_at(self) -> datetime | None:
        return instant(self.retry_at_ms)

    @property
    def detail(self) -> dict[str, Any]:
        """Empty where there was nothing to add, or too much for the buffer that C gives it."""
        parsed = json.loads(self.detail_json) if self.detail_json else {}
        return parsed if isinstance(parsed, dict) else {}

    def __str__(self) -> str:
        return f"{self.where}: {self.message}" if self.where else self.message

    def __reduce__(self) -> tuple[Any, ...]:
        return _again, (type(self), {**self.__dict__})


def _again(kind: type[Error], members: dict[str, Any]) -> Error:
    plain = {name: value for name, value in members.items() if name not in ("message", "sample")}
    error = kind(members["message"], **plain)
    error.__dict__.update(members)
    return error


class Invalid(Error):
    """A manifest, setting or argument is wrong."""


class Auth(Error):
    """Credentials were refused."""


class Forbidden(Error):
    """Credentials are good, a role is missing."""


class Throttled(Error):
    """Too many requests: wait until retry_at."""


class Unavailable(Error):
    """Network or service, for now."""


class Unsupported(Error):
    """This credential source does not exist on this machine."""


class Timeout(Error, TimeoutError):
    """The caller's deadline, or the peer's own."""


class Cancelled(Error):
    """The call was canceled, or its handle closed."""


class Rejected(Error):
    """The peer refuses this query for good."""


class Protocol(Error):
    """An answer that cannot be used."""


class Security(Error):
    """Going on would have been unsafe."""


class NoData(Error):
    """The query works and there is no value."""


class Ambiguous(Error):
    """Several where one is needed."""


class Partial(Error):
    """The peer says that its answer is incomplete."""


class LimitExceeded(Error):
    """A size, depth or count limit of the library."""


class WrongState(Error):
    """A saved state that is damaged or foreign; a call that does not fit what was done before."""


class TooNew(Error):
    """The library does not know what was asked of it: it is older than this package."""


class NoMemory(Error, MemoryError):
    """Memory ran out."""


class Bug(Error):
    """Ours: please report it with the message."""


class NotFound(Error, LookupError):
    """An id or name that is not there."""


class Closed(ValueError):
    """The handle was closed, or belongs to the parent process.  A mistake in the program, no status of the library."""


class Busy(RuntimeError):
    """The call would stop the running event loop.  A mistake in the program, no status of the library."""


_KINDS: dict[int, type[Error]] = {
    Status.INVALID: Invalid,
    Status.AUTH: Auth,
    Status.FORBIDDEN: Forbidden,
    Status.THROTTLED: Throttled,
    Status.UNAVAILABLE: Unavailable,
    Status.UNSUPPORTED: Unsupported,
    Status.TIMEOUT: Timeout,
    Status.CANCELLED: Cancelled,
    Status.REJECTED: Rejected,
    Status.PROTOCOL: Protocol,
    Status.SECURITY: Security,
    Status.NO_DATA: NoData,
    Status.AMBIGUOUS: Ambiguous,
    Status.PARTIAL: Partial,
    Status.LIMIT: LimitExceeded,
    Status.STATE: WrongState,
    Status.TOO_NEW: TooNew,
    Status.NO_MEMORY: NoMemory,
    Status.BUG: Bug,
    Status.NOT_FOUND: NotFound,
}


def cancelled() -> Cancelled:
    """Returns the error of a call that was ended before it reached the library."""
    return Cancelled("canceled by the caller", status=Status.CANCELLED)


def timed_out(message: str) -> Timeout:
    """Returns the error of a call with a deadline that passed before it reached the library."""
    return Timeout(message, status=Status.TIMEOUT, action=Action.RETRY, retryable=True)


def error_of(raw: gputide_error) -> Error:
    """The exception for a filled struct; a status that has no class here is an Error."""
    return _KINDS.get(raw.status, Error)(
        _text(raw.message),
        status=Status(raw.status),
        action=Action(raw.action),
        retryable=bool(raw.retryable),
        http_status=raw.http_status or None,
        retry_at_ms=raw.retry_at_ms,
        service_code=_text(raw.service_code),
        where=_text(raw.where),
        detail_json=_text(raw.detail),
    )


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "replace")

"""Credentials and their tokens; one metric, its request and the rule that makes one number of the response."""

from __future__ import annotations

from collections.abc import Mapping
from ctypes import byref, c_int64, c_void_p
from dataclasses import dataclass, field
from datetime import datetime
from typing import Union

from ._abi import gputide_sample, gputide_token_info
from ._call import JsonText, Text, TextBuffer, check, encoded, err, json_of, sized, terminated
from ._handle import ExclusiveHandle, SharedHandle
from ._load import library
from ._time import Duration, Instant, duration_ms, instant, integer, optional_ms, unix_ms
from ._waiting import Cancel, Wait
from .errors import Error
from .values import Options, Sample, options_argument, sample_of


@dataclass(frozen=True)
class Token:
    """A bearer token: `value` is a secret, which repr and str do not show."""

    value: str = field(repr=False)
    expires: Instant | None
    refresh: Instant | None  # the library renews it from here on
    usable_until: Instant | None  # and does not hand it out beyond this

    @property
    def expires_ms(self) -> int:
        return optional_ms(self.expires)

    @property
    def refresh_ms(self) -> int:
        return optional_ms(self.refresh)

    @property
    def usable_until_ms(self) -> int:
        return optional_ms(self.usable_until)


class Credential(SharedHandle):
    """Something that gets tokens: a TriggerAuthentication document, or its podIdentity block alone.  Equal ones share a cache
    over the whole process."""

    __slots__ = ()
    _frees = "credential_free"

    def __init__(self, text: Text, options: Options | None = None) -> None:
        raw, out = encoded(text), c_void_p()
        check(library().credential_open(raw, len(raw), options_argument(options), byref(out), err()))
        self._adopt(out.value)

    def token(self, scope: str, *, timeout: Duration = 10, cancel: Cancel | None = None) -> Token:
        """A token for one scope ("https://prometheus.monitor.azure.com/.default"); from the cache where it can."""
        return self._waiting_token(scope, timeout, cancel).here()

    async def token_async(self, scope: str, *, timeout: Duration = 10, cancel: Cancel | None = None) -> Token:
        return await self._waiting_token(scope, timeout, cancel).awaited()

    def _waiting_token(self, scope: str, timeout: Duration, cancel: Cancel | None) -> Wait[Token]:
        raw_scope = terminated(scope, "scope")

        def call(native: int, left_ms: int, credential: int) -> Token:
            text, info = TextBuffer(), sized(gputide_token_info)
            arguments = (credential, raw_scope, left_ms, native, text.reference, byref(info), err())
            check(self._c.credential_token(*arguments))
            times = (info.expires_at_ms, info.refresh_at_ms, info.usable_until_ms)
            return Token(text.take() or "", *(_moment(ms) for ms in times))

        return Wait(call, duration_ms(timeout), cancel, self)

    def write_agent_pool(self, change: Text, *, timeout: Duration = 600, cancel: Cancel | None = None) -> JsonText:
        """Change a node pool of AKS, unless `change` (JSON) is dry, and follow the operation to its end: what was and what is to
        be (docs/json.md, agent_pool_write)."""
        return self._writing(change, timeout, cancel).here()

    async def write_agent_pool_async(self, change: Text, *, timeout: Duration = 600, cancel: Cancel | None = None) -> JsonText:
        return await self._writing(change, timeout, cancel).awaited()

    def _writing(self, change: Text, timeout: Duration, cancel: Cancel | None) -> Wait[JsonText]:
        raw = encoded(change)

        def call(native: int, left_ms: int, credential: int) -> JsonText:
            text = TextBuffer()
            arguments = (credential, raw, len(raw), left_ms, native, text.reference, err())
            check(self._c.agent_pool_write(*arguments))
            return JsonText(text.take() or "")

        return Wait(call, duration_ms(timeout), cancel, self)

    def invalidate(self, scope: str, token: Text) -> None:
        """A resource answered 401 to exactly this token: drop it."""
        raw = encoded(token)
        with self._inside() as credential:
            check(self._c.credential_invalidate(credential, terminated(scope, "scope"), raw, len(raw), err()))


def _moment(ms: int) -> Instant | None:
    moment: datetime | None = instant(ms)
    return moment if moment is not None else ms or None


def token_claims(token: Text) -> JsonText:
    """Returns the identifying claims of a JWT (aud, iss, tid, sub, exp, ...).  Nothing is verified."""
    raw = encoded(token)
    return json_of(library().token_claims, raw, len(raw))


Headers = Union[Text, Mapping[str, str], None]


class Source(ExclusiveHandle):
    """One entry of a ScaledObject's triggers, and beside it the TriggerAuthentication that it names."""

    __slots__ = ()
    _frees = "source_free"

    def __init__(self, text: Text, options: Options | None = None) -> None:
        raw, out = encoded(text), c_void_p()
        check(library().source_open(raw, len(raw), options_argument(options), byref(out), err()))
        self._adopt(out.value)

    def fetch(self, *, timeout: Duration = 10, cancel: Cancel | None = None, now: Instant | None = None) -> Sample:
        """One value, read over the network.  The error of a read that fails has its `sample`, which says so too."""
        return self._waiting_fetch(timeout, cancel, now).here()

    async def fetch_async(self, *, timeout: Duration = 10, cancel: Cancel | None = None, now: Instant | None = None) -> Sample:
        return await self._waiting_fetch(timeout, cancel, now).awaited()

    def _waiting_fetch(self, timeout: Duration, cancel: Cancel | None, now: Instant | None) -> Wait[Sample]:
        now_ms = unix_ms(now)

        def call(native: int, left_ms: int, source: int) -> Sample:
            raw = sized(gputide_sample)
            return _read(self._c.source_fetch(source, now_ms, left_ms, native, byref(raw), err()), raw)

        return Wait(call, duration_ms(timeout), cancel, self)

    def fetch_all(self, *, timeout: Duration = 10, cancel: Cancel | None = None, now: Instant | None = None) -> JsonText:
        """All series, not reduced to one number: result type, every point and histogram of every series with its labels,
        warnings, infos, partial.  Several series and an empty response are allowed."""
        return self._waiting_fetch_all(timeout, cancel, now).here()

    async def fetch_all_async(
        self, *, timeout: Duration = 10, cancel: Cancel | None = None, now: Instant | None = None
    ) -> JsonText:
        return await self._waiting_fetch_all(timeout, cancel, now).awaited()

    def _waiting_fetch_all(self, timeout: Duration, cancel: Cancel | None, now: Instant | None) -> Wait[JsonText]:
        now_ms = unix_ms(now)

        def call(native: int, left_ms: int, source: int) -> JsonText:
            return json_of(self._c.source_fetch_all, source, now_ms, left_ms, native)

        return Wait(call, duration_ms(timeout), cancel, self)

    def request(self, *, now: Instant | None = None) -> JsonText:
        """Returns what would be sent: method, url, headers, body.  A cloud token is not in it."""
        with self._inside() as source:
            return json_of(self._c.source_request, source, unix_ms(now))

    def parse(self, http_status: int, body: Text) -> Sample:
        """Parses a response by the trigger's rules."""
        raw, text = sized(gputide_sample), encoded(body)
        status = integer(http_status, 32, "http_status")
        with self._inside() as source:
            return _read(self._c.source_parse(source, status, text, len(text), byref(raw), err()), raw)

    def parse_all(self, http_status: int, body: Text, headers: Headers = None) -> JsonText:
        """Parse a response as fetch_all does.  headers: a mapping, or lines "Name: value"."""
        text, lines = encoded(body), _header_lines(headers)
        status = integer(http_status, 32, "http_status")
        with self._inside() as source:
            return json_of(self._c.source_parse_all, source, status, lines, len(lines), text, len(text))

    def describe(self) -> JsonText:
        """Describes the trigger: target, metric name, type, settings with every default.  Holds no secret."""
        with self._inside() as source:
            return json_of(self._c.source_describe, source)


def _read(status: int, raw: gputide_sample) -> Sample:
    """A failed read tells its reason twice: as the error, and as the sample that a decision takes."""
    try:
        check(status)
    except Error as error:
        error.sample = sample_of(raw) if raw.state else None  # type: ignore[attr-defined]
        raise
    return sample_of(raw)


def _header_lines(headers: Headers) -> bytes:
    if headers is None or isinstance(headers, Mapping):
        return "".join(f"{name}: {value}\r\n" for name, value in (headers or {}).items()).encode()
    return encoded(headers)


def quantity(text: Text) -> int:
    """A Kubernetes quantity ("1500m", "2Ki", "0.1") in thousandths, rounded away from zero as Kubernetes does."""
    raw, milli = encoded(text), c_int64()
    check(library().quantity(raw, len(raw), byref(milli), err()))
    return milli.value

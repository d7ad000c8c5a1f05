"""Tokens for Azure, AWS, Google and what a file or a program gives."""

from __future__ import annotations

from ctypes import byref, c_void_p
from dataclasses import dataclass, field
from datetime import datetime

from ._abi import gputide_token_info
from ._call import JsonText, Text, TextRoom, check, encoded, err, json_of, sized, terminated
from ._handle import SharedHandle
from ._load import library
from ._time import Duration, Instant, duration_ms, instant, optional_ms
from ._waiting import Cancel, Wait
from .values import Options, options_argument


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
            text, info = TextRoom(), sized(gputide_token_info)
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
            text = TextRoom()
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
    """Claims of a JWT that tell whose it is (aud, iss, tid, sub, exp, ...).  Nothing is verified."""
    raw = encoded(token)
    return json_of(library().token_claims, raw, len(raw))

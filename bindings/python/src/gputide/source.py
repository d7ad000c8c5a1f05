"""One metric: where it is, how it is asked for, how its answer becomes one number."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from ctypes import byref, c_int64, c_void_p
from typing import Union

from ._abi import gputide_sample
from ._call import JsonText, Text, check, encoded, err, json_of, sized
from ._handle import ExclusiveHandle, SharedHandle
from ._load import library
from ._time import Duration, Instant, duration_ms, integer, unix_ms, unsigned
from ._waiting import Cancel, Wait
from .errors import Error
from .values import Options, Sample, options_argument, sample_of

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

    def fetch_all(self, *, timeout: Duration = 10, cancel: Cancel | None = None, now: Instant | None = None) -> Samples:
        """The whole answer: several series and none are both fine."""
        return self._waiting_fetch_all(timeout, cancel, now).here()

    async def fetch_all_async(
        self, *, timeout: Duration = 10, cancel: Cancel | None = None, now: Instant | None = None
    ) -> Samples:
        return await self._waiting_fetch_all(timeout, cancel, now).awaited()

    def _waiting_fetch_all(self, timeout: Duration, cancel: Cancel | None, now: Instant | None) -> Wait[Samples]:
        now_ms = unix_ms(now)

        def call(native: int, left_ms: int, source: int) -> Samples:
            out = c_void_p()
            check(self._c.source_fetch_all(source, now_ms, left_ms, native, byref(out), err()))
            return Samples._made(out)

        return Wait(call, duration_ms(timeout), cancel, self)

    def request(self, *, now: Instant | None = None) -> JsonText:
        """What would be sent: method, url, headers, body.  A cloud token is not in it."""
        with self._inside() as source:
            return json_of(self._c.source_request, source, unix_ms(now))

    def parse(self, http_status: int, body: Text) -> Sample:
        """What an answer comes to, by the trigger's rules."""
        raw, text = sized(gputide_sample), encoded(body)
        status = integer(http_status, 32, "http_status")
        with self._inside() as source:
            return _read(self._c.source_parse(source, status, text, len(text), byref(raw), err()), raw)

    def parse_all(self, http_status: int, body: Text, headers: Headers = None) -> Samples:
        """The answer as it came.  headers: a mapping, or lines "Name: value"."""
        out, text, lines = c_void_p(), encoded(body), _header_lines(headers)
        status = integer(http_status, 32, "http_status")
        with self._inside() as source:
            arguments = (source, status, lines, len(lines), text, len(text), byref(out), err())
            check(self._c.source_parse_all(*arguments))
        return Samples._made(out)

    def describe(self) -> JsonText:
        """What the trigger came to: target, metric name, type, settings with every default.  Holds no secret."""
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


class Samples(SharedHandle):
    """An answer as it came: a sequence of the newest point of each series."""

    __slots__ = ()
    _frees = "samples_free"

    def __init__(self) -> None:
        raise TypeError("Source.fetch_all and Source.parse_all make one")

    @classmethod
    def _made(cls, out: c_void_p) -> Samples:
        samples = cls.__new__(cls)
        samples._adopt(out.value)
        return samples

    def __len__(self) -> int:
        with self._inside() as samples:
            return int(self._c.samples_count(samples))

    def __getitem__(self, index: int) -> Sample:
        count = len(self)
        place = index + count if index < 0 else index
        if not 0 <= place < count:
            raise IndexError(index)
        return self.sample(place)

    def __iter__(self) -> Iterator[Sample]:
        return (self.sample(index) for index in range(len(self)))

    def sample(self, index: int) -> Sample:
        """As [index], but an index beyond the count is NotFound."""
        raw, number = sized(gputide_sample), unsigned(index, 32, "index")
        with self._inside() as samples:
            check(self._c.samples_get(samples, number, byref(raw), err()))
        return sample_of(raw)

    def labels(self, index: int) -> JsonText | None:
        """{"__name__":"DCGM_FI_DEV_GPU_UTIL","gpu":"0"}; None beyond the count."""
        number = unsigned(index, 32, "index")
        with self._inside() as samples:
            labels = self._c.samples_labels(samples, number)
        return None if labels is None else JsonText(labels.decode("utf-8", "replace"))

    def describe(self) -> JsonText:
        """Type of result, every point and histogram of every series, warnings, infos, partial."""
        with self._inside() as samples:
            return json_of(self._c.samples_describe, samples)


def quantity(text: Text) -> int:
    """A Kubernetes quantity ("1500m", "2Ki", "0.1") in thousandths, rounded away from zero as Kubernetes does."""
    raw, milli = encoded(text), c_int64()
    check(library().quantity(raw, len(raw), byref(milli), err()))
    return milli.value

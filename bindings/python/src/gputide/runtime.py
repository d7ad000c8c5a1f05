"""Many scalers in one process: polled at their intervals, over shared connections and tokens; decisions come as events."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from ctypes import byref, c_int32, c_int64, c_uint64, c_void_p, pointer, sizeof
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from . import _abi
from ._abi import gputide_event, gputide_runtime_options, gputide_sample
from ._call import JsonText, Text, TextRoom, check, encoded, err, json_of, sized, terminated, text_of
from ._handle import Native, SharedHandle
from ._load import library
from ._time import LONGEST_MS, NEVER_MS, Duration, Instant, duration_ms, instant, now_ms, unix_ms, unsigned
from ._waiting import Cancel, Wait, at_exit, in_background
from .decision import Decision, recorded, room
from .errors import Cancelled, Closed, NoData, NotFound, WrongState
from .numbers import EventKind
from .values import Observation, Options, Value, observation, options_argument, samples_of

if TYPE_CHECKING:
    import asyncio

_SLICE_MS = 200  # how long Ctrl-C may have to wait for the main thread
_EXIT_MS = 2_000


@dataclass(frozen=True)
class RuntimeOptions:
    """0 or None: the library's default, docs/runtime.md."""

    every_decision: bool = False  # events also for decisions that change nothing
    reports: bool = False  # events carry the decision as JSON
    no_sharing: bool = False  # each scaler asks for itself
    observe_first: bool = False  # each poll begins with an observation that a due event asks for
    seed: int = 0  # of the start offsets
    poll_timeout: Duration | None = None
    start_spread: Duration | None = None
    share_window: Duration | None = None
    most_in_flight: int = 0
    most_per_endpoint: int = 0
    breaker_failures: int = 0
    breaker_base: Duration | None = None
    breaker_cap: Duration | None = None
    gather: Duration | None = None

    def _filled(self) -> gputide_runtime_options:
        raw = sized(gputide_runtime_options)
        raw.flags = (
            self.every_decision * _abi.RUNTIME_EVERY_DECISION
            | self.reports * _abi.RUNTIME_REPORTS
            | self.no_sharing * _abi.RUNTIME_NO_SHARING
            | self.observe_first * _abi.RUNTIME_OBSERVE_FIRST
        )
        raw.seed = unsigned(self.seed, 64, "seed")
        for name in ("poll_timeout", "start_spread", "share_window", "breaker_base", "breaker_cap", "gather"):
            duration = getattr(self, name)
            setattr(raw, f"{name}_ms", 0 if duration is None else duration_ms(duration))
        for name in ("most_in_flight", "most_per_endpoint", "breaker_failures"):
            setattr(raw, name, min(getattr(self, name), LONGEST_MS))
        return raw


class Event:
    """What a runtime has to say of one scaler: a decision, (kind DUE) that it wants an observation, or (kind CLUSTER) what an
    attached cluster did, in report alone."""

    __slots__ = ("_raw", "decision", "report")

    def __init__(self, raw: gputide_event, decision: Decision, report: str | None) -> None:
        self._raw = raw
        self.decision = decision
        self.report = None if report is None else JsonText(report)

    @property
    def kind(self) -> EventKind:
        return EventKind(self._raw.kind)

    @property
    def id(self) -> int:
        """The scaler's, as Runtime.add gave it."""
        return int(self._raw.id)

    @property
    def tag(self) -> int:
        return int(self._raw.tag)

    @property
    def name(self) -> str:
        """ "namespace/name"."""
        return bytes(self._raw.name).decode("utf-8", "replace")

    @property
    def sequence(self) -> int:
        return int(self._raw.sequence)

    @property
    def observed(self) -> datetime | None:
        """When the host saw what the decision stands on."""
        return instant(self._raw.observed_ms)

    @property
    def observed_ms(self) -> int:
        return int(self._raw.observed_ms)

    @property
    def replaced(self) -> int:
        """Earlier decisions of this scaler that nobody took in time."""
        return int(self._raw.replaced)

    @property
    def due(self) -> bool:
        """The runtime waits for Runtime.observe; there is no decision."""
        return self.kind == EventKind.DUE

    @property
    def current(self) -> int:
        return self.decision.current

    @property
    def desired(self) -> int:
        return self.decision.desired

    @property
    def wants_write(self) -> bool:
        return self.kind == EventKind.DECISION and self.decision.wants_write

    def __repr__(self) -> str:
        if self.kind == EventKind.CLUSTER:
            return f"<Event {self.name} {self.report}>"
        return f"<Event {self.name} due>" if self.due else f"<Event {self.name} {self.current} -> {self.desired}>"


class Runtime(SharedHandle):
    """Every method may be called from any thread.  Close it before the process ends; save states before that."""

    __slots__ = ("_readers", "_started")
    _frees = "runtime_free"

    def __init__(self, options: RuntimeOptions | None = None) -> None:
        out = c_void_p()
        raw = None if options is None else pointer(options._filled())
        check(library().runtime_new(raw, byref(out), err()))
        self._readers: set[_Reader] = set()
        self._adopt(out.value)
        at_exit(self)

    def add(self, manifest: Text, options: Options | None = None, *, tag: int = 0) -> int:
        """One more scaler; its id.  It is polled from the first observation on.  tag comes back in each of its events."""
        text, out, number = encoded(manifest), c_uint64(), unsigned(tag, 64, "tag")
        with self._inside() as runtime:
            arguments = (runtime, text, len(text), options_argument(options), number, byref(out), err())
            check(self._c.runtime_add(*arguments))
        return out.value

    def replace(self, scaler_id: int, manifest: Text, options: Options | None = None, *, tag: int | None = None) -> None:
        """Another manifest for the same name; observation, schedule and, where it fits, state stay."""
        text = encoded(manifest)
        number = None if tag is None else byref(c_uint64(unsigned(tag, 64, "tag")))
        with self._inside() as runtime:
            arguments = (runtime, scaler_id, text, len(text), options_argument(options), number, err())
            check(self._c.runtime_replace(*arguments))

    def remove(self, scaler_id: int) -> None:
        with self._inside() as runtime:
            check(self._c.runtime_remove(runtime, scaler_id, err()))

    def find(self, name: str) -> int:
        """The id of "namespace/name"."""
        raw, out = terminated(name, "name"), c_uint64()
        with self._inside() as runtime:
            check(self._c.runtime_find(runtime, raw, byref(out), err()))
        return out.value

    def next_scaler(self, after: int = 0) -> int:
        """The id behind that one, 0: the first.  NotFound behind the last."""
        out = c_uint64()
        with self._inside() as runtime:
            check(self._c.runtime_next_scaler(runtime, after, byref(out), err()))
        return out.value

    def scalers(self) -> Iterator[int]:
        """All ids; one that is there all the while comes exactly once, whatever is added and removed meanwhile."""
        scaler_id = 0
        while True:
            try:
                scaler_id = self.next_scaler(scaler_id)
            except NotFound:
                return
            yield scaler_id

    def observe(
        self,
        scaler_id: int,
        seen: Observation | None = None,
        *,
        current: int | None = None,
        samples: Sequence[Value] = (),
        now: Instant | None = None,
    ) -> None:
        """What is true of a scaler's target now; used until the next one.  The first starts the polling."""
        argument = observation(seen, current, samples, now)
        with self._inside() as runtime:
            check(self._c.runtime_observe(runtime, scaler_id, argument, err()))

    def push(self, scaler_id: int, samples: Sequence[Value]) -> None:
        """Numbers of metrics that the host brings, one per metric; None keeps what was."""
        raw = samples_of(samples)
        with self._inside() as runtime:
            check(self._c.runtime_push(runtime, scaler_id, raw, sizeof(gputide_sample), len(raw), err()))

    def next_event(self, *, timeout: Duration = 10, cancel: Cancel | None = None) -> Event | None:
        """The next event; None where none came in time.  A timeout of 0 looks and does not wait.  Drives the runtime
        meanwhile where no thread does."""
        timeout_ms = duration_ms(timeout)
        return self._taken(0, 0) if timeout_ms == 0 else self._waiting_event(timeout_ms, cancel).here()

    async def next_event_async(self, *, timeout: Duration = 10, cancel: Cancel | None = None) -> Event | None:
        return await self._waiting_event(duration_ms(timeout), cancel).awaited()

    def _waiting_event(self, timeout_ms: int, cancel: Cancel | None) -> Wait[Event | None]:
        return Wait(lambda native: self._taken(timeout_ms, native), cancel, self)

    def _taken(self, timeout_ms: int, native: int) -> Event | None:
        raw, decision, report = sized(gputide_event), room(), TextRoom()
        with self._inside() as runtime:
            arguments = (runtime, timeout_ms, native or None, byref(raw), byref(decision), report.reference, err())
            try:
                check(self._c.runtime_next_event(*arguments))
            except NoData:
                return None
        return Event(raw, Decision(decision), report.take())

    def events(self, *, cancel: Cancel | None = None) -> Events:
        """Every event until the runtime is closed or cancel is fired: for `for` and for `async for`."""
        return Events(self, cancel)

    def record(
        self,
        event: Event | int,
        decision: Decision | None = None,
        *,
        applied: bool,
        now: Instant | None = None,
    ) -> None:
        """How the write of an event's decision went, once; where it was applied, its size is the target's from now on.  For a
        decision without its event: the scaler's id, the decision."""
        scaler_id = event.id if isinstance(event, Event) else event
        chosen = event.decision if isinstance(event, Event) and decision is None else decision
        if chosen is None:
            raise TypeError("which decision: give an Event, or an id and a Decision")
        raw, reference = recorded(chosen)
        with self._inside() as runtime:
            check(self._c.runtime_record(runtime, scaler_id, reference, int(applied), unix_ms(now), err()))
        chosen._raw = raw

    def save(self, scaler_id: int) -> str:
        """A scaler's state as text that survives a restart."""
        with self._inside() as runtime:
            return text_of(self._c.runtime_save, runtime, scaler_id)

    def load(self, scaler_id: int, text: Text) -> None:
        raw = encoded(text)
        with self._inside() as runtime:
            check(self._c.runtime_load(runtime, scaler_id, raw, len(raw), err()))

    def describe(self, scaler_id: int) -> JsonText:
        """One scaler: its numbers, its observation, its last decision, its metrics."""
        with self._inside() as runtime:
            return json_of(self._c.runtime_describe, runtime, scaler_id)

    def stats(self) -> JsonText:
        """Counters of the whole: poll lag, errors by reason, queues, endpoints with their breakers."""
        with self._inside() as runtime:
            return json_of(self._c.runtime_stats, runtime)

    def attach_cluster(self, settings: Text = "", options: Options | None = None) -> None:
        """Works on a Kubernetes cluster by itself from now on, docs/kubernetes.md; options say which one and as whom.  Events of
        kind CLUSTER tell what it does."""
        text = encoded(settings)
        with self._inside() as runtime:
            check(self._c.runtime_attach_cluster(runtime, text, len(text), options_argument(options), err()))

    def detach_cluster(self, *, timeout: Duration = 10) -> None:
        """Writes nothing any more, gives the Leases back, forgets its scalers.  Timeout where that goes on: call again."""
        timeout_ms = duration_ms(timeout)
        with self._inside() as runtime:
            check(self._c.runtime_detach_cluster(runtime, timeout_ms, err()))

    def describe_cluster(self) -> JsonText:
        """Leases, watches, writes by result, who is held and why."""
        with self._inside() as runtime:
            return json_of(self._c.runtime_describe_cluster, runtime)

    def start(self) -> None:
        """Start the runtime's own thread."""
        with self._inside() as runtime:
            check(self._c.runtime_start(runtime, err()))

    def stop(self, *, timeout: Duration = 10) -> None:
        """End it.  Timeout where it is still stopping: call again."""
        timeout_ms = duration_ms(timeout)
        with self._inside() as runtime:
            check(self._c.runtime_stop(runtime, timeout_ms, err()))

    def step(self, now: Instant | None = None) -> int | None:
        """Does what is due, without waiting.  When to call again, in Unix milliseconds; None: when something was changed."""
        out = c_int64()
        with self._inside() as runtime:
            check(self._c.runtime_step(runtime, unix_ms(now), byref(out), err()))
        return None if out.value == NEVER_MS else out.value

    def wake_fd(self) -> int:
        """Readable while an event waits and while step should be called.  The runtime's: neither read nor close it."""
        out = c_int32()
        with self._inside() as runtime:
            check(self._c.runtime_wake_fd(runtime, byref(out), err()))
        return out.value

    def close(self, timeout: Duration | None = None) -> None:
        """Ends the runtime for good: calls inside end soon, a wait for events included, and its thread.  Timeout where that took
        longer: call again.  None: however long it takes."""
        self._begin_closing()
        for reader in list(self._readers):
            reader.fire()
        native = self._native.pointer
        if native:
            timeout_ms = _abi.FOREVER if timeout is None else duration_ms(timeout)
            check(self._c.runtime_close(native, timeout_ms, err()))
            self._drain()
            self._end_closing()

    def _exit(self) -> None:
        """When the interpreter ends: daemon threads may be inside still, so nothing is freed."""
        if self._native.pointer:
            self._closing = True
            self._c.runtime_close(self._native.pointer, _EXIT_MS, None)

    @staticmethod
    def _release(natives: tuple[Native, ...]) -> None:
        """Of a forgotten runtime, too: its thread has to end first, which a collector must not wait for."""

        def end() -> None:
            for native in natives:
                if native.pointer:
                    library().runtime_close(native.pointer, _abi.FOREVER, None)
                native.release()

        in_background(end)

    def _end_closing(self) -> None:
        if self._finalizer.detach() is not None:
            self._native.release()


class _Reader:
    """A coroutine's wait for the wake descriptor: a copy of it, as the runtime closes its own when it is freed."""

    def __init__(self, runtime: Runtime) -> None:
        import asyncio

        self._loop = asyncio.get_running_loop()
        self._ready: asyncio.Future[None] = self._loop.create_future()
        self._fd = os.dup(runtime.wake_fd())
        self._loop.add_reader(self._fd, self._set)

    def _set(self) -> None:
        if not self._ready.done():
            self._ready.set_result(None)

    def fire(self) -> None:
        try:
            self._loop.call_soon_threadsafe(self._set)
        except RuntimeError:
            pass  # the loop has ended

    async def wait(self, timeout_s: float | None) -> None:
        timer = None if timeout_s is None else self._loop.call_later(timeout_s, self._set)
        try:
            await self._ready
        finally:
            if timer is not None:
                timer.cancel()

    def close(self) -> None:
        self._loop.remove_reader(self._fd)
        os.close(self._fd)


class Events:
    """The events of a runtime; each is given to one consumer.  As `async for` it takes no thread: it steps the runtime in the
    loop's own, unless Runtime.start runs it."""

    def __init__(self, runtime: Runtime, cancel: Cancel | None) -> None:
        self._runtime = runtime
        self._cancel = cancel

    def __iter__(self) -> Events:
        return self

    def __next__(self) -> Event:
        runtime = self._runtime
        while not self._ended():
            try:
                # A short wait in C sees Ctrl-C soon enough; a helper thread would cost more than it gives.
                event = Wait(lambda native: runtime._taken(_SLICE_MS, native), self._cancel, runtime).run()
            except (Cancelled, Closed):
                break
            if event is not None:
                return event
        raise StopIteration

    def __aiter__(self) -> Events:
        return self

    async def __anext__(self) -> Event:
        while not self._ended():
            try:
                event, next_ms = self._step()
            except (Cancelled, Closed):
                break
            if event is not None:
                return event
            await self._until(next_ms)
        raise StopAsyncIteration

    def _ended(self) -> bool:
        return self._runtime.closed or (self._cancel is not None and self._cancel.fired)

    def _step(self) -> tuple[Event | None, int | None]:
        next_ms: int | None = None
        try:
            next_ms = self._runtime.step()
        except WrongState:
            pass  # its thread, or somebody else, drives it
        return self._runtime._taken(0, 0), next_ms

    async def _until(self, next_ms: int | None) -> None:
        runtime = self._runtime
        try:
            reader = _Reader(runtime)
        except Closed:
            return
        runtime._readers.add(reader)
        if self._cancel is not None:
            self._cancel._add(reader)
        try:
            if not self._ended():
                await reader.wait(None if next_ms is None else max(0.0, (next_ms - now_ms()) / 1000))
        finally:
            runtime._readers.discard(reader)
            if self._cancel is not None:
                self._cancel._remove(reader)
            reader.close()

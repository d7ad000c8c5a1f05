"""Many scalers in one process: they share connections, tokens and responses."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from ctypes import byref, c_int32, c_int64, c_uint64, c_void_p, pointer, sizeof
from dataclasses import dataclass

from . import _abi
from ._abi import gputide_runtime_options, gputide_sample
from ._call import JsonText, Text, check, encoded, err, json_of, sized, terminated, text_of
from ._handle import Fires, Native, SharedHandle
from ._load import library
from ._threads import in_background, in_event_loop
from ._time import LONGEST_MS, NEVER_MS, Duration, Instant, duration_ms, unix_ms, unsigned
from ._waiting import Cancel, Wait, at_exit
from .decision import Decision, recorded
from .errors import NotFound, Timeout, timed_out
from .event import Event, Events, take_event
from .values import Observation, Options, Value, observation_argument, options_argument, samples_of


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
    max_in_flight: int = 0
    max_per_endpoint: int = 0
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
        for name in ("max_in_flight", "max_per_endpoint", "breaker_failures"):
            setattr(raw, name, min(getattr(self, name), LONGEST_MS))
        return raw


_EXIT_MS = 2_000


class Runtime(SharedHandle):
    """Every method may be called from any thread.  Close it before the process ends; save states before that."""

    __slots__ = ("_closer", "_readers")
    _frees = "runtime_free"

    def __init__(self, options: RuntimeOptions | None = None) -> None:
        out = c_void_p()
        raw = None if options is None else pointer(options._filled())
        check(library().runtime_new(raw, byref(out), err()))
        self._readers: set[Fires] = set()
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
            arguments = (runtime, _id(scaler_id), text, len(text), options_argument(options), number, err())
            check(self._c.runtime_replace(*arguments))

    def remove(self, scaler_id: int) -> None:
        with self._inside() as runtime:
            check(self._c.runtime_remove(runtime, _id(scaler_id), err()))

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
            check(self._c.runtime_next_scaler(runtime, _id(after), byref(out), err()))
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
        observation: Observation | None = None,
        *,
        current: int | None = None,
        samples: Sequence[Value] = (),
        now: Instant | None = None,
    ) -> None:
        """Sets what is true of a scaler's target now; used until the next one.  The first starts the polling."""
        argument = observation_argument(observation, current, samples, now)
        with self._inside() as runtime:
            check(self._c.runtime_observe(runtime, _id(scaler_id), argument, err()))

    def push(self, scaler_id: int, samples: Sequence[Value]) -> None:
        """Numbers of metrics that the host brings, one per metric; None keeps what was."""
        raw = samples_of(samples)
        with self._inside() as runtime:
            check(self._c.runtime_push(runtime, _id(scaler_id), raw, sizeof(gputide_sample), len(raw), err()))

    def next_event(self, *, timeout: Duration = 10, cancel: Cancel | None = None) -> Event | None:
        """The next event; None where none came in time.  A timeout of 0 looks and does not wait.  Drives the runtime
        meanwhile where no thread does."""
        return self._waiting_event(timeout, cancel).here()

    async def next_event_async(self, *, timeout: Duration = 10, cancel: Cancel | None = None) -> Event | None:
        return await self._waiting_event(timeout, cancel).awaited()

    def _waiting_event(self, timeout: Duration, cancel: Cancel | None) -> Wait[Event | None]:
        return Wait(take_event, duration_ms(timeout), cancel, self)

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
        message: str | None = None,
    ) -> None:
        """Records how the write of an event's decision went, once; where it was applied, its size is the target's from now on.
         For a
        decision without its event: the scaler's id, the decision.  message: why the write failed, for conditions."""
        scaler_id = event.id if isinstance(event, Event) else event
        chosen = event.decision if isinstance(event, Event) and decision is None else decision
        if chosen is None:
            raise TypeError("which decision: give an Event, or an id and a Decision")
        raw, reference = recorded(chosen, message)
        with self._inside() as runtime:
            check(self._c.runtime_record(runtime, _id(scaler_id), reference, int(applied), unix_ms(now), err()))
        chosen._raw = raw

    def save(self, scaler_id: int) -> str:
        """A scaler's state as text that survives a restart."""
        with self._inside() as runtime:
            return text_of(self._c.runtime_save, runtime, _id(scaler_id))

    def load(self, scaler_id: int, text: Text) -> None:
        raw = encoded(text)
        with self._inside() as runtime:
            check(self._c.runtime_load(runtime, _id(scaler_id), raw, len(raw), err()))

    def describe(self, scaler_id: int) -> JsonText:
        """One scaler: its numbers, its observation, its last decision, its metrics."""
        with self._inside() as runtime:
            return json_of(self._c.runtime_describe, runtime, _id(scaler_id))

    def stats(self) -> JsonText:
        """Counters of the whole: poll lag, errors by reason, queues, endpoints with their breakers."""
        with self._inside() as runtime:
            return json_of(self._c.runtime_stats, runtime)

    def attach_cluster(self, settings: Text = "", options: Options | None = None) -> None:
        """Works on a Kubernetes cluster by itself from now on, docs/kubernetes.md; options say which one and with which
        identity.  Events of
        kind CLUSTER tell what it does."""
        text = encoded(settings)
        with self._inside() as runtime:
            check(self._c.cluster_attach(runtime, text, len(text), options_argument(options), err()))

    def detach_cluster(self, *, timeout: Duration = 10) -> None:
        """Writes nothing any more, gives the Leases back, forgets its scalers.  Timeout where that goes on: call again."""
        self._ending(self._c.cluster_detach, timeout).here()

    async def detach_cluster_async(self, *, timeout: Duration = 10) -> None:
        await self._ending(self._c.cluster_detach, timeout).awaited()

    def _ending(self, function: Callable[..., int], timeout: Duration) -> Wait[None]:
        """The call of a function that takes a timeout and no cancel."""

        def call(_native: int, left_ms: int, runtime: int) -> None:
            check(function(runtime, left_ms, err()))

        return Wait(call, duration_ms(timeout), None, self)

    def describe_cluster(self) -> JsonText:
        """Leases, watches, writes by result, blocked scalers and why."""
        with self._inside() as runtime:
            return json_of(self._c.cluster_describe, runtime)

    def start(self) -> None:
        """Start the runtime's own thread."""
        with self._inside() as runtime:
            check(self._c.runtime_start(runtime, err()))

    def stop(self, *, timeout: Duration = 10) -> None:
        """End it.  Timeout where it is still stopping: call again."""
        self._ending(self._c.runtime_stop, timeout).here()

    async def stop_async(self, *, timeout: Duration = 10) -> None:
        await self._ending(self._c.runtime_stop, timeout).awaited()

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
        """Shuts the runtime down permanently: calls inside end soon, a wait for events included, and its thread.  Timeout if that
        takes longer: call again.  None: however long it takes.  Inside a running event loop it does not wait, and a thread
        ends what goes on; close_async waits."""
        timeout_ms = _close_ms(timeout)
        self._begin_closing()
        if not in_event_loop():
            self._finish_within(timeout_ms)
            return
        try:
            self._finish_within(0)
        except Timeout:
            in_background(self._finish_closing)

    async def close_async(self, timeout: Duration | None = None) -> None:
        """As close, and waits inside a running event loop."""
        timeout_ms = _close_ms(timeout)
        self._begin_closing()
        await Wait(lambda _native, left_ms: self._finish_within(left_ms), timeout_ms, None).awaited()

    async def __aenter__(self) -> Runtime:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close_async()

    def _begin_closing(self) -> bool:
        first = super()._begin_closing()
        for reader in list(self._readers):
            reader.fire()
        return first

    def _finish_closing(self) -> None:
        self._finish_within(_abi.FOREVER)

    def _finish_within(self, timeout_ms: int) -> None:
        """Frees the runtime once it has ended.  Calls of this take turns: the last thing that it does is to free the pointer."""
        if not self._closer.acquire(timeout=-1 if timeout_ms == _abi.FOREVER else timeout_ms / 1000):
            raise timed_out("another call closes the Runtime")
        try:
            if self._native.pointer:
                check(self._c.runtime_close(self._native.pointer, timeout_ms, err()))
                self._drain()
                self._end_closing()
        finally:
            self._closer.release()

    def _renew(self) -> None:
        super()._renew()
        self._closer = threading.Lock()

    def _exit(self) -> None:
        """When the interpreter ends: daemon threads may be inside still, so nothing is freed."""
        self._closing = True
        if self._closer.acquire(timeout=_EXIT_MS / 1000) and self._native.pointer:
            self._c.runtime_close(self._native.pointer, _EXIT_MS, None)

    @staticmethod
    def _release(natives: tuple[Native, ...]) -> None:
        """Ends a forgotten runtime, too: its thread has to end first, which a collector must not wait for."""

        def end() -> None:
            for native in natives:
                if native.pointer:
                    library().runtime_close(native.pointer, _abi.FOREVER, None)
                native.release()

        in_background(end)

    def _end_closing(self) -> None:
        if self._finalizer.detach() is not None:
            self._native.release()


def _id(scaler_id: int) -> int:
    return unsigned(scaler_id, 64, "a scaler's id")


def _close_ms(timeout: Duration | None) -> int:
    return _abi.FOREVER if timeout is None else duration_ms(timeout)


__all__ = ["Event", "Events", "Runtime", "RuntimeOptions"]

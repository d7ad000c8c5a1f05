"""Calls that wait for their turn on a handle or for a thread; calls inside a running event loop."""

from __future__ import annotations

import asyncio
import inspect
import json
import threading
import time
from typing import Any, Callable
from unittest import mock

import gputide
from gputide import Cancel, Runtime, Scaler, Source, _threads
from gputide._abi import FOREVER
from gputide._waiting import Wait

from .support import Case, HeldPrometheus, prometheus_trigger, scaled_object
from .test_handles import OPENERS, asked


def held_trigger(address: str) -> dict[str, Any]:
    """A trigger whose own timeout is longer than any test."""
    trigger = prometheus_trigger(address)
    return {**trigger, "metadata": {**trigger["metadata"], "timeout": "60000"}}


def scaler_of(address: str) -> Scaler:
    return Scaler(scaled_object(triggers=[held_trigger(address)]))


def source_of(address: str) -> Source:
    return Source(json.dumps(held_trigger(address)))


async def until(condition: Callable[[], object]) -> None:
    while not condition():
        await asyncio.sleep(0.01)


class Waiting(Case):
    def test_a_thread_that_waits_for_its_turn_keeps_its_deadline_and_its_cancel(self) -> None:
        with HeldPrometheus(load=42.5) as peer, scaler_of(peer.address) as scaler:
            decisions: list[gputide.Decision] = []
            first = threading.Thread(target=lambda: decisions.append(scaler.tick(current=3, timeout=60)))
            first.start()
            peer.asked.acquire()
            for elsewhere in (False, True):  # the main thread's calls run in a thread of the pool
                with self.assertRaisesRegex(gputide.Timeout, "another call used the Scaler until the deadline") as timeout:
                    called(elsewhere, lambda: scaler.tick(current=3, timeout=0.2))
                self.assertTrue(timeout.exception.retryable)
                cancel = Cancel()
                threading.Timer(0.1, cancel.fire).start()
                with self.assertRaises(gputide.Cancelled):
                    called(elsewhere, lambda cancel=cancel: scaler.tick(current=3, timeout=60, cancel=cancel))
            self.assertTrue(first.is_alive())
            peer.release.set()
            first.join()
            self.assertEqual([one.desired for one in decisions], [6])
            self.assertEqual(scaler.tick(current=3, timeout=60).current, 3)

    def test_a_coroutine_that_waits_for_its_turn_keeps_its_deadline_and_its_cancel(self) -> None:
        async def main(peer: HeldPrometheus, scaler: Scaler) -> None:
            first = asyncio.ensure_future(scaler.tick_async(current=3, timeout=60))
            await until(lambda: peer.asked.acquire(blocking=False))
            with self.assertRaises(TimeoutError):
                await scaler.tick_async(current=3, timeout=0.2)
            cancelled = asyncio.ensure_future(scaler.tick_async(current=3, timeout=60))
            await asyncio.sleep(0.1)
            cancelled.cancel()
            with self.assertRaises(asyncio.CancelledError):
                await cancelled
            with self.assertRaisesRegex(gputide.Busy, "this Scaler is in use"):
                scaler.describe()
            self.assertFalse(first.done())
            peer.release.set()
            self.assertEqual((await first).desired, 6)
            self.assertEqual(scaler.describe().data["minReplicaCount"], 1)

        with HeldPrometheus(load=42.5) as peer, scaler_of(peer.address) as scaler:
            asyncio.run(asyncio.wait_for(main(peer, scaler), 50))

    def test_each_of_many_calls_has_a_thread(self) -> None:
        async def main(peer: HeldPrometheus, scalers: list[Scaler]) -> list[int]:
            ticks = [asyncio.ensure_future(one.tick_async(current=3, timeout=60)) for one in scalers]
            await until(lambda: peer.queries == len(scalers))  # all of them at the same time
            peer.release.set()
            return [one.desired for one in await asyncio.gather(*ticks)]

        with HeldPrometheus(load=42.5) as peer:
            scalers = [scaler_of(peer.address) for _ in range(80)]
            try:
                self.assertEqual(asyncio.run(asyncio.wait_for(main(peer, scalers), 50)), [6] * 80)
            finally:
                for one in scalers:
                    one.close()

    def test_a_call_that_waits_for_a_thread_keeps_its_deadline_and_its_cancel(self) -> None:
        async def main(source: Source) -> None:
            with self.assertRaises(gputide.Timeout):
                await source.fetch_async(timeout=0.2)
            cancelled = asyncio.ensure_future(source.fetch_async(timeout=60))
            await asyncio.sleep(0.1)
            cancelled.cancel()
            with self.assertRaises(asyncio.CancelledError):
                await cancelled

        gate, begun = threading.Event(), threading.Event()
        with mock.patch.object(_threads, "pool", _threads.Threads(max_threads=1)), HeldPrometheus(load=42.5) as peer:
            peer.release.set()
            with source_of(peer.address) as source:
                _threads.in_background(lambda: (begun.set(), gate.wait(60)))
                begun.wait()
                with self.assertRaisesRegex(gputide.Timeout, "calls waited until the deadline"):
                    source.fetch(timeout=0.2)
                cancel = Cancel()
                threading.Timer(0.1, cancel.fire).start()
                with self.assertRaises(gputide.Cancelled):
                    source.fetch(timeout=60, cancel=cancel)
                asyncio.run(main(source))
                self.assertEqual(peer.queries, 0)
                gate.set()
                self.assertEqual(source.fetch(timeout=60).value, 42.5)

    def test_idle_threads_end(self) -> None:
        pool = _threads.Threads(idle_s=0.05)
        tasks = [_threads.Task(lambda: 1) for _ in range(5)]
        for task in tasks:
            pool.submit(task)
        self.assertEqual([task.done.wait() and task.result() for task in tasks], [1] * 5)
        patience = time.monotonic() + 30
        while pool.count > 0 and time.monotonic() < patience:
            time.sleep(0.01)
        self.assertEqual(pool.count, 0)

    def test_a_line_that_another_reader_waits_for_is_none_in_time(self) -> None:
        with gputide.LogReader() as reader:
            wait = threading.Thread(target=lambda: self.assertRaises(gputide.Cancelled, reader.next, timeout=60))
            wait.start()
            while not reader._calls:
                time.sleep(0.01)
            self.assertIsNone(reader.next(timeout=0.05))
            self.assertIsNone(reader.next(timeout=0))
        wait.join()


class InALoop(Case):
    def test_every_call_that_waits_is_refused(self) -> None:
        functions = [gputide.doctor, gputide.doctor_cluster, gputide.list_cluster, gputide.hand_over]
        lists = {"manifest": scaled_object(), "path": "/api/v1/nodes", "change": "{}", "scope": "scope", "step": 1}

        async def refused(function: Callable[..., Any], *arguments: Any, **given: Any) -> None:
            with self.subTest(function.__qualname__), self.assertRaisesRegex(gputide.Busy, "would stop the running event loop"):
                function(*arguments, **given)

        for function in functions:
            asyncio.run(refused(function, **{name: lists.get(name) for name in required(function)}))
        for opener in OPENERS.values():
            with opener() as handle, gputide.Series() as series, Scaler(scaled_object()) as scaler:
                given = {**lists, "series": series, "scaler": scaler}
                for name, method in inspect.getmembers(type(handle), inspect.isfunction):
                    if name != "close" and hasattr(handle, f"{name}_async"):
                        arguments = {one: given.get(one, 1) for one in asked(method)}
                        asyncio.run(refused(method, handle, **arguments))

    def test_a_loop_over_events_or_lines_is_refused(self) -> None:
        async def main() -> None:
            with Runtime() as runtime, gputide.LogReader() as reader:
                for each in (runtime.events(), iter(reader)):
                    with self.assertRaises(gputide.Busy):
                        next(each)
                self.assertIsNone(runtime.next_event(timeout=0))  # these look and do not wait
                self.assertIsNone(reader.next(timeout=0))

        asyncio.run(main())

    def test_closing_does_not_wait(self) -> None:
        async def main(handle: Any) -> None:
            gate = threading.Event()
            inside = asyncio.ensure_future(Wait(lambda *_: gate.wait(60), FOREVER, None, handle).awaited())
            await until(lambda: handle._calls)
            handle.close()
            with self.assertRaises(gputide.Closed):
                handle.describe()
            gate.set()
            self.assertTrue(await inside)  # False if close had waited for it
            await until(lambda: gputide.alive() == self._before)

        for opener in (lambda: Scaler(scaled_object()), lambda: gputide.Policy(scaled_object())):
            asyncio.run(asyncio.wait_for(main(opener()), 70))

    def test_a_runtime_is_stopped_and_closed_by_coroutines(self) -> None:
        async def main() -> None:
            async with Runtime() as runtime:
                runtime.start()
                await runtime.stop_async(timeout=60)
                runtime.start()
                await runtime.detach_cluster_async(timeout=60)
            self.assertEqual(gputide.alive(), self._before)
            runtime.close()
            await runtime.close_async(timeout=60)
            other = Runtime()
            other.start()
            other.close()  # its thread may go on: that is ended elsewhere
            await until(lambda: gputide.alive() == self._before)

        asyncio.run(asyncio.wait_for(main(), 50))


def called(elsewhere: bool, call: Callable[[], object]) -> None:
    """Makes the call here or in a thread of its own; raises what it raised."""
    task = _threads.Task(call)
    if elsewhere:
        threading.Thread(target=task.run).start()
        task.done.wait()
        task.result()
    else:
        call()


def required(function: Callable[..., Any]) -> list[str]:
    return [name for name, one in inspect.signature(function).parameters.items() if one.default is one.empty]

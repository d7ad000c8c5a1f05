"""Calls that wait, are canceled, and take turns."""

from __future__ import annotations

import asyncio
import inspect
import json
import os
import signal
import subprocess
import sys
import threading
import time
from typing import Any, Callable
from unittest import mock

import gputide
from gputide import Cancel, Policy, Runtime, Scaler, Source, _threads
from gputide._abi import FOREVER
from gputide._waiting import Wait

from .support import NOW_MS, PACKAGE, Case, HeldPrometheus, Prometheus, prometheus_trigger, scaled_object, silent_peer
from .test_handles import OPENERS, asked


def source(address: str) -> Source:
    return Source(f'type: prometheus\nmetadata: {{serverAddress: "{address}", query: load, threshold: "5"}}')


class CancelledCalls(Case):
    def test_cancel_from_another_thread_ends_a_fetch_within_200_ms(self) -> None:
        with silent_peer() as address, source(address) as opened:
            cancel, fired = Cancel(), []

            def fire() -> None:
                time.sleep(0.2)
                fired.append(time.monotonic())
                cancel.fire()

            thread = threading.Thread(target=fire)
            thread.start()
            with self.assertRaises(gputide.Cancelled):
                opened.fetch(timeout=30, cancel=cancel)
            self.assertLess(time.monotonic() - fired[0], 0.2)
            thread.join()
            self.assertTrue(cancel.fired)
            with self.assertRaises(gputide.Cancelled):  # one that has been fired ends calls to come
                opened.fetch(timeout=30, cancel=cancel)

    def test_a_deadline_is_a_timeout_error(self) -> None:
        with silent_peer() as address, source(address) as opened:
            started = time.monotonic()
            with self.assertRaises(TimeoutError):
                opened.fetch(timeout=0.2)
            self.assertLess(time.monotonic() - started, 5)
            with self.assertRaises(ValueError):
                opened.fetch(timeout=-1)

    def test_a_cancelled_task_ends_its_call(self) -> None:
        async def main(entry: Source) -> float:
            task = asyncio.ensure_future(entry.fetch_async(timeout=30))
            await asyncio.sleep(0.2)
            started = time.monotonic()
            task.cancel()
            with self.assertRaises(asyncio.CancelledError):
                await task
            return time.monotonic() - started

        with silent_peer() as address, source(address) as opened:
            self.assertLess(asyncio.run(main(opened)), 2)

    def test_ctrl_c_ends_a_call_of_the_main_thread(self) -> None:
        code = (
            "import signal, sys; sys.path.insert(0, '.')\n"
            "signal.signal(signal.SIGINT, signal.default_int_handler)\n"  # a shell's background jobs begin with it ignored
            "from tests.test_waiting import silent_peer, source\n"
            "with silent_peer() as address, source(address) as one:\n"
            "    print('waiting', flush=True)\n"
            "    try: one.fetch(timeout=60)\n"
            "    except KeyboardInterrupt: print('interrupted', flush=True)\n"
        )
        env = {**os.environ, "PYTHONPATH": str(PACKAGE / "src")}
        program = subprocess.Popen([sys.executable, "-c", code], env=env, cwd=PACKAGE, stdout=subprocess.PIPE, text=True)
        with program:
            assert program.stdout is not None
            self.assertEqual(program.stdout.readline(), "waiting\n")
            time.sleep(0.3)
            started = time.monotonic()
            program.send_signal(signal.SIGINT)
            self.assertEqual(program.stdout.readline(), "interrupted\n")
            self.assertLess(time.monotonic() - started, 2)
        self.assertEqual(program.returncode, 0)

    def test_async_twins_give_what_the_others_give(self) -> None:
        async def main(address: str) -> None:
            manifest = scaled_object(triggers=[prometheus_trigger(address)])
            with Scaler(manifest) as scaler, source(address) as opened:
                samples, decision = await asyncio.gather(opened.fetch_async(), scaler.tick_async(current=3, now=NOW_MS))
                self.assertEqual((samples.value, decision.desired), (42.5, 6))
                self.assertIn("42.5", await opened.fetch_all_async())
            found = await gputide.doctor_async(manifest, timeout=10)
            self.assertIn("42.5", found.lines)

        with Prometheus(load=42.5) as prometheus:
            asyncio.run(main(prometheus.address))


def together(count: int, work: Callable[[int], Any]) -> list[Any]:
    results: list[Any] = [None] * count

    def run(index: int) -> None:
        try:
            results[index] = work(index)
        except BaseException as problem:
            results[index] = problem

    threads = [threading.Thread(target=run, args=(index,)) for index in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


class Concurrent(Case):
    def test_eight_threads_on_a_policy_agree_with_one(self) -> None:
        with Policy(scaled_object()) as policy:

            def work(_: int) -> list[int]:
                with policy.new_state() as state:
                    times = range(NOW_MS, NOW_MS + 60 * 15_000, 15_000)
                    return [state.decide(current=3, samples=[time_ms % 97], now=time_ms).desired for time_ms in times]

            alone = work(0)
            self.assertEqual(together(8, work), [alone] * 8)

    def test_eight_threads_on_a_scaler_take_turns(self) -> None:
        with Prometheus(load=42.5) as prometheus:
            with Scaler(scaled_object(triggers=[prometheus_trigger(prometheus.address)])) as scaler:

                def work(index: int) -> int:
                    return scaler.tick(current=3, now=NOW_MS + index * 15_000).current

                self.assertEqual(together(8, work), [3] * 8)

    def test_eight_threads_on_a_runtime(self) -> None:
        with Runtime() as runtime:
            runtime.start()
            ids = [runtime.add(scaled_object().replace('"demo"', f'"demo-{n}"')) for n in range(8)]
            until = time.monotonic() + 1

            def work(index: int) -> int:
                done = 0
                while time.monotonic() < until:
                    runtime.observe(ids[index], current=index + 1, samples=[float(done % 50)])
                    event = runtime.next_event(timeout=0.01)
                    if event is not None and event.wants_write:
                        try:
                            runtime.record(event, applied=True)
                        except gputide.WrongState:
                            pass  # a later one was recorded by another thread
                    done += len(runtime.describe(ids[index])) > 2
                return done

            self.assertTrue(all(isinstance(entry, int) and entry > 0 for entry in together(8, work)))
            self.assertEqual(sorted(runtime.scalers()), sorted(ids))


def held_trigger(address: str) -> dict[str, Any]:
    """A trigger with a timeout of its own longer than any test."""
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
            self.assertEqual([decision.desired for decision in decisions], [6])
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
            self.assertEqual(scaler.describe().data["policy"]["minReplicaCount"], 1)

        with HeldPrometheus(load=42.5) as peer, scaler_of(peer.address) as scaler:
            asyncio.run(asyncio.wait_for(main(peer, scaler), 50))

    def test_each_of_many_calls_has_a_thread(self) -> None:
        async def main(peer: HeldPrometheus, scalers: list[Scaler]) -> list[int]:
            ticks = [asyncio.ensure_future(scaler.tick_async(current=3, timeout=60)) for scaler in scalers]
            await until(lambda: peer.queries == len(scalers))  # all of them at the same time
            peer.release.set()
            return [entry.desired for entry in await asyncio.gather(*ticks)]

        with HeldPrometheus(load=42.5) as peer:
            scalers = [scaler_of(peer.address) for _ in range(80)]
            try:
                self.assertEqual(asyncio.run(asyncio.wait_for(main(peer, scalers), 50)), [6] * 80)
            finally:
                for scaler in scalers:
                    scaler.close()

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
        deadline = time.monotonic() + 30
        while pool.count > 0 and time.monotonic() < deadline:
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
                        arguments = {entry: given.get(entry, 1) for entry in asked(method)}
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
    return [name for name, parameter in inspect.signature(function).parameters.items() if parameter.default is parameter.empty]

"""cancel, concurrent: calls that wait, and calls side by side."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import threading
import time
from typing import Any, Callable

import gputide
from gputide import Cancel, Policy, Runtime, Scaler, Source

from .support import NOW_MS, PACKAGE, Case, Prometheus, prometheus_trigger, scaled_object, silent_peer


def source(address: str) -> Source:
    return Source(f'type: prometheus\nmetadata: {{serverAddress: "{address}", query: load, threshold: "5"}}')


class CancelledCalls(Case):
    def test_cancel_from_another_thread_ends_a_fetch_within_200_ms(self) -> None:
        with silent_peer() as address, source(address) as one:
            cancel, fired = Cancel(), []

            def fire() -> None:
                time.sleep(0.2)
                fired.append(time.monotonic())
                cancel.fire()

            thread = threading.Thread(target=fire)
            thread.start()
            with self.assertRaises(gputide.Cancelled):
                one.fetch(timeout=30, cancel=cancel)
            self.assertLess(time.monotonic() - fired[0], 0.2)
            thread.join()
            self.assertTrue(cancel.fired)
            with self.assertRaises(gputide.Cancelled):  # one that has been fired ends calls to come
                one.fetch(timeout=30, cancel=cancel)

    def test_a_deadline_is_a_timeout_error(self) -> None:
        with silent_peer() as address, source(address) as one:
            started = time.monotonic()
            with self.assertRaises(TimeoutError):
                one.fetch(timeout=0.2)
            self.assertLess(time.monotonic() - started, 5)
            with self.assertRaises(ValueError):
                one.fetch(timeout=-1)

    def test_a_cancelled_task_ends_its_call(self) -> None:
        async def main(one: Source) -> float:
            task = asyncio.ensure_future(one.fetch_async(timeout=30))
            await asyncio.sleep(0.2)
            started = time.monotonic()
            task.cancel()
            with self.assertRaises(asyncio.CancelledError):
                await task
            return time.monotonic() - started

        with silent_peer() as address, source(address) as one:
            self.assertLess(asyncio.run(main(one)), 2)

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
            with Scaler(manifest) as scaler, source(address) as one:
                samples, decision = await asyncio.gather(one.fetch_async(), scaler.tick_async(current=3, now=NOW_MS))
                self.assertEqual((samples.value, decision.desired), (42.5, 6))
                self.assertIn("42.5", await one.fetch_all_async())
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

            self.assertTrue(all(isinstance(one, int) and one > 0 for one in together(8, work)))
            self.assertEqual(sorted(runtime.scalers()), sorted(ids))

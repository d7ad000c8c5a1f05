"""Section 9: many scalers, their events for loops and for asyncio."""

from __future__ import annotations

import asyncio
import threading
import time
from datetime import timedelta

import gputide
from gputide import Cancel, EventKind, Runtime, RuntimeOptions

from .support import NOW_MS, Case, Prometheus, prometheus_trigger, scaled_object


def named(name: str, **spec: object) -> str:
    return scaled_object(**spec).replace('"demo"', f'"{name}"')


class Events(Case):
    def test_steps_by_a_clock_of_ones_own(self) -> None:
        with Runtime(RuntimeOptions(reports=True, start_spread=0.001, seed=7)) as runtime:
            scaler = runtime.add(scaled_object(), tag=2**64 - 1)
            self.assertEqual(runtime.find("default/demo"), scaler)
            runtime.observe(scaler, current=3, samples=[42.5], now=NOW_MS)
            event, now = None, NOW_MS
            while event is None:
                now = runtime.step(now) or now
                event = runtime.next_event(timeout=0)
            self.assertEqual(
                (event.id, event.tag, event.name, event.kind), (scaler, 2**64 - 1, "default/demo", EventKind.DECISION)
            )
            self.assertEqual((event.current, event.desired, event.sequence, event.replaced), (3, 6, 1, 0))
            self.assertEqual(event.observed_ms, NOW_MS)
            assert event.report is not None
            self.assertEqual(event.report.data["desired_replicas"], 6)
            runtime.record(event, applied=True, now=now)
            with self.assertRaises(gputide.WrongState):
                runtime.record(scaler, event.decision, applied=True, now=now)
            self.assertEqual(runtime.describe(scaler).data["current_replicas"], 6)
            saved = runtime.save(scaler)
            runtime.load(scaler, saved)
            self.assertIsNone(runtime.next_event(timeout=0))
            self.assertEqual(runtime.stats().data["decisions"], 1)

    def test_add_replace_remove_and_iterate(self) -> None:
        with Runtime() as runtime:
            ids = [runtime.add(named(f"s{index}")) for index in range(5)]
            self.assertEqual(sorted(runtime.scalers()), sorted(ids))
            runtime.replace(ids[0], named("s0", maxReplicaCount=7), tag=5)
            runtime.remove(ids[1])
            for gone in (
                lambda: runtime.remove(ids[1]),
                lambda: runtime.find("default/s1"),
                lambda: runtime.observe(ids[1], current=1),
            ):
                with self.assertRaises(gputide.NotFound):
                    gone()
            with self.assertRaises(gputide.Invalid):
                runtime.add(named("s2"))
            self.assertEqual(runtime.describe(ids[0]).data["tag"], 5)

    def test_a_due_event_asks_for_an_observation(self) -> None:
        with Runtime(RuntimeOptions(observe_first=True, start_spread=0.001)) as runtime:
            scaler = runtime.add(scaled_object())
            event = next(iter(runtime.events()))
            self.assertTrue(event.due and not event.wants_write)
            self.assertEqual(str(event.kind), "due")
            runtime.observe(scaler, current=3, samples=[42.5])
            self.assertEqual(next(iter(runtime.events())).desired, 6)

    def test_pushed_numbers_and_none_that_keeps_them(self) -> None:
        values = {"type": "values", "metadata": {"threshold": "5"}}
        with Runtime(RuntimeOptions(start_spread=0.001)) as runtime:
            scaler = runtime.add(scaled_object(triggers=[{**values, "name": "a"}, {**values, "name": "b"}]))
            runtime.push(scaler, [42.5, 1.0])
            runtime.push(scaler, [None, 2.0])
            runtime.observe(scaler, current=3)
            self.assertEqual(next(iter(runtime.events())).decision.proposed, 9)

    def test_a_loop_over_events_ends_when_the_runtime_is_closed(self) -> None:
        for started in (False, True):
            runtime, taken = Runtime(), []
            if started:
                runtime.start()
            runtime.observe(runtime.add(scaled_object()), current=3, samples=[42.5])
            thread = threading.Thread(target=lambda runtime=runtime, taken=taken: taken.extend(runtime.events()))
            thread.start()
            time.sleep(0.2)
            runtime.close(timeout=5)
            thread.join(5)
            self.assertFalse(thread.is_alive())
            with self.assertRaises(gputide.Closed):
                runtime.stats()

    def test_a_loop_over_events_ends_when_its_cancel_is_fired(self) -> None:
        cancel = Cancel()
        with Runtime() as runtime:
            threading.Timer(0.2, cancel.fire).start()
            self.assertEqual(list(runtime.events(cancel=cancel)), [])

    def test_a_thread_of_its_own_is_started_and_stopped(self) -> None:
        with Runtime() as runtime:
            runtime.start()
            with self.assertRaises(gputide.WrongState):
                runtime.start()
            runtime.stop(timeout=timedelta(seconds=5))
            runtime.stop()
            runtime.start()


class Asyncio(Case):
    def test_async_for_takes_no_thread(self) -> None:
        async def main(address: str) -> list[tuple[str, int]]:
            decided: list[tuple[str, int]] = []
            with Runtime(RuntimeOptions(start_spread=0.05)) as runtime:
                for name in ("a", "b", "c"):
                    scaler = runtime.add(named(name, triggers=[prometheus_trigger(address)]))
                    runtime.observe(scaler, current=3)
                before = threading.active_count()
                async for event in runtime.events():
                    if event.wants_write:
                        decided.append((event.name, event.desired))
                        runtime.record(event, applied=True)
                        self.assertLessEqual(threading.active_count(), before + prometheus.queries)
                    if len(decided) == 3:
                        break
            return sorted(decided)

        with Prometheus(load=42.5) as prometheus:
            decided = asyncio.run(asyncio.wait_for(main(prometheus.address), 20))
        self.assertEqual(decided, [("default/a", 6), ("default/b", 6), ("default/c", 6)])

    def test_events_of_a_started_runtime_reach_the_loop(self) -> None:
        async def main() -> int:
            with Runtime(RuntimeOptions(start_spread=0.05)) as runtime:
                runtime.start()
                runtime.observe(runtime.add(scaled_object()), current=3, samples=[42.5])
                async for event in runtime.events():
                    return event.desired
            return 0

        self.assertEqual(asyncio.run(asyncio.wait_for(main(), 20)), 6)

    def test_closing_and_cancelling_end_async_for(self) -> None:
        async def collect(runtime: Runtime, cancel: Cancel | None = None) -> int:
            return len([event async for event in runtime.events(cancel=cancel)])

        async def main() -> None:
            runtime, cancel = Runtime(), Cancel()
            closed = asyncio.ensure_future(collect(runtime))
            ended = asyncio.ensure_future(collect(runtime, cancel))
            dropped = asyncio.ensure_future(collect(runtime))
            await asyncio.sleep(0.1)
            dropped.cancel()
            threading.Thread(target=cancel.fire).start()
            self.assertEqual(await asyncio.wait_for(ended, 5), 0)
            closing = threading.Thread(target=runtime.close)
            closing.start()
            self.assertEqual(await asyncio.wait_for(closed, 5), 0)
            with self.assertRaises(asyncio.CancelledError):
                await dropped
            closing.join()  # the loops end when it begins, the handle when it is done

        asyncio.run(main())

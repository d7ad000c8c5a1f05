"""Forecasts and replays."""

from __future__ import annotations

import asyncio
import logging
import math

import gputide
from gputide import Cancel, FloorReason, Forecast, ForecastState, LogLevel, LogReader, Policy, Replay, Series, log_to

from .support import NOW_MS, Case, scaled_object


def drive(forecast: Forecast, minutes: range) -> None:
    for minute in minutes:
        forecast.add(NOW_MS + minute * 60_000, 100 if minute % 60 < 10 else 20)


class Forecasts(Case):
    def test_what_comes_every_hour_is_asked_for_before(self) -> None:
        with Forecast({"warmup_ms": 3_600_000}) as forecast:
            first = forecast.floor(5, reactive_replicas=4, current_replicas=4, max_replicas=40)
            self.assertEqual((first.state, first.reason), (ForecastState.WARMING, FloorReason.WARMING_UP))
            self.assertIsNone(first.need_replicas)
            self.assertIsNone(first.floor_load)
            drive(forecast, range(2 * 1440 + 56))
            floor = forecast.floor(5, reactive_replicas=4, current_replicas=4, max_replicas=40)
            self.assertEqual((floor.state, floor.replicas), (ForecastState.ON, 12))
            forecast.charge(floor.replicas, 4)
            self.assertGreater(forecast.describe().data["skill_percent"], 2)

    def test_a_text_goes_on(self) -> None:
        with Forecast() as forecast, Forecast() as other:
            drive(forecast, range(300))
            forecast.add(NOW_MS + 300 * 60_000, None)
            other.load(forecast.save())
            drive(forecast, range(301, 400))
            drive(other, range(301, 400))
            self.assertEqual(forecast.save(), other.save())
            with self.assertRaises(gputide.WrongState):
                other.load("{}")

    def test_a_wrong_setting_is_named(self) -> None:
        with self.assertRaises(gputide.Invalid) as caught:
            Forecast({"lead_ms": 5})
        self.assertEqual(caught.exception.where, "lead_ms")
        with Forecast() as forecast, self.assertRaises(OverflowError):
            forecast.charge(2**40, 1)


TIMES = list(range(NOW_MS, NOW_MS + 600_000, 15_000))
VALUES = [20.0 if index < 20 else 2.0 for index in range(len(TIMES))]


class Replays(Case):
    def test_a_series_through_a_policy(self) -> None:
        with Series() as series, Replay(scaled_object(), settings={"model": "open"}) as replay:
            series.add(0, TIMES, VALUES)
            series.add_replicas(TIMES, [3] * len(TIMES))
            self.assertEqual(series.describe().data["points"], len(TIMES))
            replay.run(series)
            summary = replay.report().data["summary"]
            self.assertGreater(summary["replica_hours"], 0)
            with self.assertRaises(gputide.WrongState):
                replay.run(series)

    def test_moment_by_moment_comes_to_the_same(self) -> None:
        def stepwise() -> str:
            with Replay(scaled_object()) as replay:
                first = replay.record(TIMES[0], [VALUES[0]], replicas=3)
                self.assertIsNone(first.source)
                for time_ms, value in zip(TIMES[1:], VALUES[1:]):
                    last = replay.record(time_ms, [value])
                self.assertIsNotNone(last.source)
                return replay.report()

        self.assertEqual(stepwise(), stepwise())

    def test_csv_goes_out_and_comes_back(self) -> None:
        with Series() as series, Series() as again:
            series.add(0, TIMES, [math.nan, *VALUES[1:]])
            again.read(series.write())
            self.assertEqual(again.write(), series.write())
            self.assertTrue(series.write().startswith("time,"))
            with self.assertRaises(ValueError):
                series.add(0, TIMES, VALUES[1:])

    def test_a_run_can_be_awaited_and_cancelled(self) -> None:
        async def main() -> None:
            with Series() as series, Replay(scaled_object()) as replay:
                series.add(0, TIMES, VALUES)
                await replay.run_async(series)
                self.assertIn("summary", replay.report().data)

        asyncio.run(main())
        fired = Cancel()
        fired.fire()
        with Series() as series, Replay(scaled_object()) as replay:
            times = range(NOW_MS, NOW_MS + 50_000 * 15_000, 15_000)  # a short run ends before it looks at its cancel
            series.add(0, times, [1.0] * len(times))
            with self.assertRaises(gputide.Cancelled):
                replay.run(series, cancel=fired)


class Log(Case):
    def test_a_wait_for_a_line_ends_in_time_or_when_the_reader_is_closed(self) -> None:
        with LogReader(LogLevel.DEBUG) as reader:
            self.assertIsNone(reader.next(timeout=0.05))
        with self.assertRaises(gputide.Closed):
            reader.next(timeout=1)
        self.assertEqual(list(reader), [])

    def test_lines_reach_a_logger_of_pythons(self) -> None:
        logger = logging.getLogger("gputide")
        with self.assertLogs(logger, logging.DEBUG) as logs, log_to(logger, LogLevel.DEBUG) as forwarding:
            logger.debug("begins")  # the library may have nothing to say about a policy
            with Policy(scaled_object()):
                pass
            forwarding.close()
            forwarding.close()
        self.assertIn("begins", logs.output[0])

"""Section 12."""

from __future__ import annotations

import gputide
from gputide import FloorReason, Forecast, ForecastState

from .support import NOW_MS, Case


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
        with Forecast() as one, Forecast() as other:
            drive(one, range(300))
            one.add(NOW_MS + 300 * 60_000, None)
            other.load(one.save())
            drive(one, range(301, 400))
            drive(other, range(301, 400))
            self.assertEqual(one.save(), other.save())
            with self.assertRaises(gputide.WrongState):
                other.load("{}")

    def test_a_wrong_setting_is_named(self) -> None:
        with self.assertRaises(gputide.Invalid) as caught:
            Forecast({"lead_ms": 5})
        self.assertEqual(caught.exception.where, "lead_ms")
        with Forecast() as forecast, self.assertRaises(OverflowError):
            forecast.charge(2**40, 1)

"""Offered load over time, for the simulated fleet.

In: a file of points, or the measures of a hill.  Out: the load at a moment.  The unit is percent of one GPU: a load of 250
keeps two and a half GPUs fully busy.  Pure: no clock, no I/O except reading the file it is given.
"""
from __future__ import annotations

import math
from bisect import bisect_right
from dataclasses import dataclass
from pathlib import Path

MOST_POINTS = 100_000
HILL_STEPS = 120


@dataclass(frozen=True)
class LoadCurve:
    """Points (seconds, load) in order of time; straight lines between them, flat before the first and after the last."""

    points: tuple[tuple[float, float], ...]

    @property
    def end_s(self) -> float:
        return self.points[-1][0]

    def at(self, seconds: float) -> float:
        after = bisect_right(self.points, (seconds, math.inf))
        if after == 0:
            return self.points[0][1]
        if after == len(self.points):
            return self.points[-1][1]
        (t0, v0), (t1, v1) = self.points[after - 1], self.points[after]
        return v0 + (v1 - v0) * (seconds - t0) / (t1 - t0)


def hill(base: float, peak: float, seconds: float) -> LoadCurve:
    """One smooth hill: base + (peak - base) * sin^2(pi * t / seconds); half way up after a quarter of the time."""
    steps = [seconds * i / HILL_STEPS for i in range(HILL_STEPS + 1)]
    return LoadCurve(tuple((t, base + (peak - base) * math.sin(math.pi * t / seconds) ** 2) for t in steps))


def from_file(path: Path) -> LoadCurve:
    """Reads lines `SECONDS LOAD`; blank lines and lines that open with # are skipped."""
    points: list[tuple[float, float]] = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        points.append(_point(line, f"{path}:{number}"))
        if len(points) > 1 and points[-1][0] <= points[-2][0]:
            raise ValueError(f"{path}:{number}: expected a time after {points[-2][0]:g} s, got {points[-1][0]:g}; sort the lines")
        if len(points) > MOST_POINTS:
            raise ValueError(f"{path}: more than {MOST_POINTS} points; thin the curve out")
    if not points:
        raise ValueError(f"{path}: no points; write lines such as `0 4` and `30 500` (seconds, percent of one GPU)")
    return LoadCurve(tuple(points))


def _point(line: str, where: str) -> tuple[float, float]:
    words = line.split()
    try:
        seconds, load = (float(word) for word in words)
    except ValueError:
        raise ValueError(f"{where}: expected two numbers, seconds and load, got {line.strip()[:60]!r}") from None
    if not (math.isfinite(seconds) and math.isfinite(load) and seconds >= 0 and load >= 0):
        raise ValueError(f"{where}: expected finite numbers of 0 or more, got {line.strip()[:60]!r}")
    return seconds, load

#!/usr/bin/env python3
"""Compares readings with the true load: `table.py LOADS READINGS` prints a table, with --picture FILE it draws one minute.

LOADS is what burst.py logged, READINGS what read.cpp printed.  The truth of a reading is the share of time in which a burst ran
between the poll before and this one (of a driver's sample buffer too: what it leaves out counts as its error).
"""
from __future__ import annotations

import argparse
import bisect
import csv
import statistics
from dataclasses import dataclass

WAYS = {"gpm": ("GPM", "#1f77b4"), "driver_samples": ("the driver's samples", "#2ca02c"), "single_sample": ("a single sample", "#d62728")}
MIN_BURSTS = 2


@dataclass
class Reading:
    end: int
    way: str
    poll: int
    metric: str
    value: float
    interval: int


class Load:
    def __init__(self, path: str) -> None:
        with open(path, encoding="utf-8") as file:
            self.bursts = sorted((int(begin), int(end)) for begin, end in csv.reader(file))
        self.begins = [begin for begin, _ in self.bursts]

    def share(self, begin: int, end: int) -> float:
        """Percent of the time."""
        first = max(0, bisect.bisect_left(self.begins, begin) - 1)
        busy = 0
        for burst_begin, burst_end in self.bursts[first:]:
            if burst_begin >= end:
                break
            busy += max(0, min(end, burst_end) - max(begin, burst_begin))
        return 100 * busy / (end - begin)


def readings_of(path: str) -> list[Reading]:
    with open(path, encoding="utf-8") as file:
        rows = csv.reader(line for line in file if not line.startswith("#"))
        return [Reading(int(row[0]), row[1], int(row[2]), row[3], float(row[4]), int(row[5])) for row in rows]


def errors(load: Load, readings: list[Reading], way: str, poll: int) -> list[float]:
    chosen = [reading for reading in readings if (reading.way, reading.poll, reading.metric) == (way, poll, "gpu_utilization")]
    inside = [entry for entry in chosen[1:] if load.bursts[0][0] <= entry.end - poll * 1_000_000 and entry.end <= load.bursts[-1][1]]
    return [entry.value - load.share(entry.end - poll * 1_000_000, entry.end) for entry in inside]


def print_table(load: Load, readings: list[Reading]) -> None:
    print("| read by | polled every | polls | mean error | 95 % of the errors within | worst |")
    print("|---|---|---|---|---|---|")
    for way, (name, _) in WAYS.items():
        for poll in (1_000, 5_000, 15_000):
            found = errors(load, readings, way, poll)
            if not found:
                continue
            sizes = sorted(abs(error) for error in found)
            within = sizes[min(len(sizes) - 1, int(len(sizes) * 0.95))]
            print(f"| {name} | {poll // 1000} s | {len(found)} | {statistics.fmean(found):+.1f} | {within:.1f} | {sizes[-1]:.1f} |")


def line(points: list[tuple[float, float]], color: str, width: float) -> str:
    return f'<polyline fill="none" stroke="{color}" stroke-width="{width}" points="{" ".join(f"{x:.1f},{y:.1f}" for x, y in points)}"/>'


def draw(load: Load, readings: list[Reading], begin: int, poll: int) -> str:
    """One minute from `begin`: the bursts as gray bars, each way's readings as steps."""
    left, top, width, height, minute = 48, 24, 720, 220, 60_000_000_000

    def x(time: int) -> float:
        return left + width * (time - begin) / minute

    def y(percent: float) -> float:
        return top + height * (1 - percent / 100)

    out = ['<svg xmlns="http://www.w3.org/2000/svg" width="800" height="310" font-family="sans-serif" font-size="12">',
           '<rect width="800" height="310" fill="white"/>']
    for burst_begin, burst_end in load.bursts:
        if begin <= burst_begin < begin + minute:
            out.append(f'<rect x="{x(burst_begin):.1f}" y="{top}" width="{max(0.3, x(burst_end) - x(burst_begin)):.1f}" height="{height}" fill="#e4e4e4"/>')
    for percent in (0, 50, 100):
        out.append(f'<text x="{left - 6}" y="{y(percent) + 4:.0f}" text-anchor="end">{percent} %</text>')
        out.append(line([(left, y(percent)), (left + width, y(percent))], "#999999", 0.5))
    for index, (way, (name, color)) in enumerate(WAYS.items()):
        points: list[tuple[float, float]] = []
        for reading in readings:
            if (reading.way, reading.poll, reading.metric) == (way, poll, "gpu_utilization") and begin <= reading.end <= begin + minute:
                points += [(x(max(begin, reading.end - poll * 1_000_000)), y(reading.value)), (x(reading.end), y(reading.value))]
        out.append(line(points, color, 2))
        out.append(f'<text x="{left + 240 * index}" y="{top + height + 44}" fill="{color}">{name}</text>')
    truth = load.share(begin, begin + minute)
    out.append(f'<text x="{left}" y="{top + height + 22}">one minute; gray: a kernel runs ({truth:.0f} % of the time); polled every {poll // 1000} s</text>')
    return "\n".join([*out, "</svg>"]) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("load")
    parser.add_argument("readings")
    parser.add_argument("--picture")
    parser.add_argument("--begin-s", type=float, default=20.0, help="of the picture's minute, behind the first burst")
    parser.add_argument("--poll-ms", type=int, default=5_000, choices=(1_000, 5_000, 15_000))
    options = parser.parse_args()
    load, readings = Load(options.load), readings_of(options.readings)
    if len(load.bursts) < MIN_BURSTS:
        raise SystemExit(f"{options.load}: too few bursts")
    print_table(load, readings)
    if options.picture:
        begin = load.bursts[0][0] + int(options.begin_s * 1e9)
        with open(options.picture, "w", encoding="utf-8") as file:
            file.write(draw(load, readings, begin, options.poll_ms))


if __name__ == "__main__":
    main()

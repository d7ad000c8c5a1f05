#!/usr/bin/env python3
"""The forecast on public series: a row each, as "under-minutes @ extra replica-hours (what the same money buys as headroom)".

    bench/forecast/public.py PROGRAM FOLDER [--budget PERCENT]

PROGRAM is gputide_forecast_loop.  FOLDER holds the downloads under their own names; what is missing is left out and said.  The data
are not this project's and stay out of it:
  numenta/NAB (MIT)          nyc_taxi.csv, cpu_utilization_asg_misconfiguration.csv, elb_request_count_8c0756.csv,
                             rds_cpu_utilization_e47b3b.csv, grok_asg_anomaly.csv, ec2_network_in_257a54.csv, ec2_network_in_5abac7.csv
  Azure/AzurePublicDataset (CC-BY)   AzureLLMInferenceTrace_code.csv, AzureLLMInferenceTrace_conv.csv
  any other *.minutes        a value a line, a line a minute, an empty one where there is none
"""
from __future__ import annotations

import argparse
import csv
import datetime
import math
import pathlib
import random
import subprocess
import sys
import tempfile

NAB = {
    "taxi": "nyc_taxi.csv",
    "asg-cpu": "cpu_utilization_asg_misconfiguration.csv",
    "elb": "elb_request_count_8c0756.csv",
    "rds": "rds_cpu_utilization_e47b3b.csv",
    "grok": "grok_asg_anomaly.csv",
    "ec2-net": "ec2_network_in_5abac7.csv",
    "ec2-net2": "ec2_network_in_257a54.csv",
}
COUNTED = {"taxi"}  # sums of a coarse step: a minute of them has Poisson's noise
AZURE = {"az-code": "AzureLLMInferenceTrace_code.csv", "az-conv": "AzureLLMInferenceTrace_conv.csv"}


def minute_of(text: str) -> float:
    moment = datetime.datetime.fromisoformat(text[:19])
    return moment.replace(tzinfo=datetime.timezone.utc).timestamp() / 60


def interpolated(path: pathlib.Path, counted: bool) -> list[float]:
    """time,value at a coarse step → a value a minute; counts are shared among the minutes of their step."""
    with path.open(newline="") as file:
        points = sorted((minute_of(row["timestamp"]), float(row["value"])) for row in csv.DictReader(file))
    step = min(b[0] - a[0] for a, b in zip(points, points[1:]) if b[0] > a[0])
    noise = random.Random(1)
    out: list[float] = []
    for (start, left), (end, right) in zip(points, points[1:]):
        for minute in range(int(start), int(end)):
            value = left + (right - left) * (minute - start) / (end - start)
            if counted:
                value = max(0.0, value / step + math.sqrt(max(value, 0.0) / step) * noise.gauss(0, 1))
            out.append(value)
    return out


def tokens(path: pathlib.Path) -> list[float]:
    """One request a row → tokens a minute."""
    sums: dict[int, float] = {}
    with path.open(newline="") as file:
        for row in csv.DictReader(file):
            minute = int(minute_of(row["TIMESTAMP"]))
            sums[minute] = sums.get(minute, 0.0) + float(row["ContextTokens"]) + float(row["GeneratedTokens"])
    return [sums.get(minute, 0.0) for minute in range(min(sums), max(sums) + 1)]


def series_in(folder: pathlib.Path) -> dict[str, str]:
    found: dict[str, str] = {}
    readers = [(name, file, lambda path, name=name: interpolated(path, name in COUNTED)) for name, file in NAB.items()]
    readers += [(name, file, tokens) for name, file in AZURE.items()]
    for name, file, read in readers:
        path = next(iter(folder.rglob(file)), None)
        if path is None:
            print(f"{name}: no {file} in {folder}", file=sys.stderr)
            continue
        found[name] = "".join(f"{value!r}\n" for value in read(path))
    for path in sorted(folder.rglob("*.minutes")):
        found[path.stem] = path.read_text()
    return found


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("program", type=pathlib.Path)
    options.add_argument("folder", type=pathlib.Path)
    options.add_argument("--budget", default="5")
    given = options.parse_args()
    with tempfile.TemporaryDirectory() as room:
        files = []
        for name, text in series_in(given.folder).items():
            files.append(name)
            (pathlib.Path(room) / name).write_text(text)
        if not files:
            sys.exit(f"{given.folder}: none of the series is there")
        print("series | lead 1 | lead 3 | lead 5 | lead 10 | lead 15")
        program = str(given.program.resolve())
        return subprocess.run([program, "--budget", given.budget, *files], cwd=room, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())

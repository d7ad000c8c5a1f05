#!/usr/bin/env python3
"""Makes series for `gputided replay` of Alibaba's trace of a GPU serving fleet (cluster-trace-v2026-GenAI).

    alibaba_genai.py FOLDER OUT     FOLDER: cluster-trace-v2026-GenAI of a clone of github.com/alibaba/clusterdata

Writes into OUT
    duty_cycle.csv   time,container,value: the GPU duty cycle of each container, in percent
    queue.csv        time,value: requests that wait at the gateway
    requests.csv     time,value: requests per second, of all containers
    startup.csv      startup: how long a pipeline took to load, in seconds

The files are taken as they are or out of their .tar.gz.  The trace itself is not part of this repository.
"""
from __future__ import annotations

import csv
import io
import pathlib
import sys
import tarfile
from collections import defaultdict
from typing import Iterator


def rows(folder: pathlib.Path, name: str) -> Iterator[dict[str, str]]:
    """The lines of NAME.csv, or of the file of that name in NAME.tar.gz."""
    plain = folder / f"{name}.csv"
    if plain.exists():
        with plain.open(newline="") as file:
            yield from csv.DictReader(file)
        return
    with tarfile.open(folder / f"{name}.tar.gz") as archive:
        member = next(entry for entry in archive.getmembers() if pathlib.Path(entry.name).name == f"{name}.csv")
        file = archive.extractfile(member)
        assert file is not None
        yield from csv.DictReader(io.TextIOWrapper(file, newline=""))


def duty_cycles(folder: pathlib.Path) -> Iterator[str]:
    yield "time,container,value"
    for row in sorted(rows(folder, "pod_gpu_duty_cycle_anon"), key=lambda row: float(row["timestamp_anon"])):
        yield f"{float(row['timestamp_anon']):.0f},{row['container_ip']},{float(row['value']):g}"


def sums(folder: pathlib.Path, name: str) -> Iterator[str]:
    """Samples of several containers at one time add up."""
    by_time: defaultdict[float, float] = defaultdict(float)
    for row in rows(folder, name):
        by_time[float(row["timestamp_anon"])] += float(row["value"])
    yield "time,value"
    for time, value in sorted(by_time.items()):
        yield f"{time:.0f},{value:g}"


def startups(folder: pathlib.Path) -> Iterator[str]:
    yield "startup"
    for row in rows(folder, "pipeline_update_latency_anon"):
        yield f"{float(row['value']) / 1000:g}"


def main() -> int:
    if len(sys.argv) != 3:
        print(__doc__, file=sys.stderr)
        return 2
    folder, out = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    out.mkdir(parents=True, exist_ok=True)
    for name, lines in (("duty_cycle", duty_cycles(folder)), ("queue", sums(folder, "queue_size_raw_anon")),
                        ("requests", sums(folder, "qps")), ("startup", startups(folder))):
        text = "\n".join(lines) + "\n"
        (out / f"{name}.csv").write_text(text)
        print(f"{out / name}.csv: {text.count(chr(10)) - 1} lines")
    return 0


if __name__ == "__main__":
    sys.exit(main())

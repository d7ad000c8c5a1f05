#!/usr/bin/env python3
"""A day of a public serving cluster as CSV for `gputided rightsize`: gentd.py FOLDER OUT

FOLDER holds pod_gpu_duty_cycle_anon.csv and pod_gpu_memory_used_bytes_anon.csv of alibaba/clusterdata cluster-trace-v2026-GenAI,
unpacked; OUT gets util.csv and memory.csv in long form (time,container,value), a container named by the first letters of its hash.
"""
import csv
import pathlib
import sys

folder, out = map(pathlib.Path, sys.argv[1:])
for name, source in ("util", "pod_gpu_duty_cycle_anon"), ("memory", "pod_gpu_memory_used_bytes_anon"):
    with open(folder / f"{source}.csv", newline="") as file:
        lines = [(float(entry["timestamp_anon"]), entry["container_ip"][:12], float(entry["value"])) for entry in csv.DictReader(file)]
    with open(out / f"{name}.csv", "w", newline="") as file:
        csv.writer(file).writerows([("time", "container", "value"), *((f"{time:.0f}", who, f"{value:.4g}" if name == "util" else f"{value:.0f}")
                                                                      for time, who, value in sorted(lines))])

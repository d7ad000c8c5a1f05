#!/usr/bin/env python3
"""A public GPU cluster as text for `gputided nodes plan`: openb.py FOLDER [--replicas N] [--phase Running] [--only POOL]

FOLDER is the csv folder of alibaba/clusterdata cluster-trace-gpu-v2023.  Its nodes become pools of empty size, one of each kind,
and all of its tasks pods that wait.  A task that asks for a part of a GPU gets a whole one; with --replicas N each GPU is shared in
N parts, and a task asks for as many of them as hold its part.  --phase takes the tasks of that phase alone, --only leaves one
pool, such as G2-8x-96c-384g, without a maximum.
"""
import argparse
import collections
import csv
import json
import pathlib
import sys


def rows(path: pathlib.Path) -> list[dict[str, str]]:
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def amounts(row: dict[str, str], gpus: int) -> dict[str, int]:
    out = {"cpu": int(row["cpu_milli"]), "memory": int(row["memory_mib"]) << 20}
    return {**out, "nvidia.com/gpu": gpus} if gpus else out


def pools(folder: pathlib.Path, replicas: int, only: str) -> list[dict[str, object]]:
    kinds = collections.Counter((row["model"], row["cpu_milli"], row["memory_mib"], row["gpu"])
                                for row in rows(folder / "openb_node_list_all_node.csv"))
    made = [{"id": f"{model or 'cpu'}-{gpus}x-{int(cpu) // 1000}c-{int(memory) // 1024}g", "max": 99_999 if only else count,
             "allocatable": amounts({"cpu_milli": cpu, "memory_mib": memory}, int(gpus) * replicas)}
            for (model, cpu, memory, gpus), count in kinds.items()]
    return [entry for entry in made if only in ("", entry["id"])]


def asked(task: dict[str, str], replicas: int) -> int:
    """Parts of GPUs: 460 thousandths of one in 10 parts are 5 of them."""
    whole, thousandths = int(task["num_gpu"]), int(task["gpu_milli"])
    return whole * replicas if whole != 1 else -(-thousandths * replicas // 1000)


def groups(folder: pathlib.Path, replicas: int, phase: str) -> list[dict[str, object]]:
    kinds: collections.Counter[str] = collections.Counter()
    for task in rows(folder / "openb_pod_list_default.csv"):
        if phase not in ("", task["pod_phase"]):
            continue
        kinds[json.dumps(amounts(task, asked(task, replicas)))] += 1
    return [{"name": f"tasks-{number}", "count": count, "pod": {"requests": json.loads(requests)}}
            for number, (requests, count) in enumerate(kinds.items())]


read = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
read.add_argument("folder", type=pathlib.Path)
read.add_argument("--replicas", type=int, default=1)
read.add_argument("--phase", default="")
read.add_argument("--only", default="")
given = read.parse_args()
json.dump({"pools": pools(given.folder, given.replicas, given.only), "groups": groups(given.folder, given.replicas, given.phase)},
          sys.stdout)

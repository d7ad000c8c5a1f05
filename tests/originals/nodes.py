"""The cluster-autoscaler: answers of RunOnce that were recorded, against gputide_nodes_plan.

recordings/cluster-autoscaler.jsonl.gz has a cluster a line: `settings` and `cluster` as gputide_nodes_plan reads them, the `times_ms`
of one or two loops, and of each loop what the cluster-autoscaler 1.36.1 with its default processors said (its options, the
one that it took, nodes that it does not need, why others stay, what it deleted).  Equal scores go by the order of the input."""

from __future__ import annotations

import collections
import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gputide

from original import Difference

Json = dict[str, Any]
RECORDINGS = Path(__file__).with_name("recordings")
# Reasons for which equal nodes stay: which of them meets the limit first is drawn from a map there.
LIMITS = {"NodeGroupMinSizeReached", "NoReason", "ParallelismLimit", "MinimalResourceLimitExceeded"}


def recorded() -> Iterator[Json]:
    with gzip.open(RECORDINGS / "cluster-autoscaler.jsonl.gz", "rt") as lines:
        for line in lines:
            yield json.loads(line)


def compare(cluster: Json) -> list[Difference]:
    out: list[Difference] = []
    text = json.dumps(cluster["settings"]) + "\n---\n" + json.dumps(cluster["cluster"])
    pool_of = {node["metadata"]["name"]: pool_name(node) for node in cluster["cluster"]["items"] if node["kind"] == "Node"}
    state = ""
    for index, (time_ms, theirs) in enumerate(zip(cluster["times_ms"], cluster["loops"])):
        plan = gputide.plan_nodes(text, state, now=time_ms)
        state, ours = plan.state, plan.json.data
        if "up" in theirs:
            out += [Difference(field, a, b, index) for field, a, b in compare_up(cluster, theirs["up"], ours)]
        if "down" in theirs:
            out += [Difference(field, a, b, index) for field, a, b in compare_down(theirs["down"], ours, pool_of)]
    return out


def pool_name(node: Json) -> str:
    name: str = node["metadata"]["labels"]["kubernetes.azure.com/agentpool"]
    return name


Row = tuple[str, Any, Any]


def compare_up(cluster: Json, theirs: Json, ours: Json) -> list[Row]:
    passes = ours["scale_up"]["passes"]
    first = passes[0] if passes else {"options": [], "increases": []}
    helped = sum(group["pods"] - group["on_existing"] for group in ours["groups"] if group.get("held") != "priority")
    out: list[Row] = [("pods that need a node", theirs["to_help"], helped)]
    out.append(("options", options_of(theirs["options"]), options_of(first["options"])))
    if out[-1][1] == out[-1][2]:
        if cluster["settings"]["options"].get("expander") != "random":
            out.append(("expander", *(sorted(each["pool"] for each in side["options"] if each["survived"]) for side in (theirs, first))))
        increases = sorted([increase["pool"], increase["from"], increase["to"]] for increase in first["increases"])
        if out[-1][1] == out[-1][2]:
            out.append(("increase", sorted(theirs["increases"]), increases))
            skipped = {pool["id"] for pool in ours["pools"] if pool.get("skipped")}
            out.append(("skipped", theirs["skipped"], [pool for pool in theirs["skipped"] if pool in skipped]))
    return [row for row in out if row[1] != row[2]]


def options_of(options: list[Json]) -> list[Any]:
    return sorted([option["pool"], option["nodes"], option["pods"]] for option in options)


def compare_down(theirs: Json, ours: Json, pool_of: dict[str, str]) -> list[Row]:
    reasons = {node["name"]: node["reason"] for node in ours["nodes"]}
    out: list[Row] = [("unneeded", theirs["unneeded"], sorted(node["name"] for node in ours["nodes"] if "unneeded_since_ms" in node))]
    for name, reason in sorted(theirs["unremovable"].items()):
        mine = reasons.get(name)
        if name not in theirs["deleted"] and not {mine, reason} <= LIMITS:
            out.append(("reason", reason, mine))
    going = sorted(name for name, reason in reasons.items() if reason == "NoReason")
    deleted: Any = theirs["deleted"]
    stay = [*theirs["unremovable"].values(), *reasons.values()]
    if {"ParallelismLimit", "MinimalResourceLimitExceeded"} & set(reasons.values()) or "NodeGroupMinSizeReached" in stay:
        out.append(("going", len(deleted), len(going)))  # which of equal ones go first is drawn from a map there
    else:
        out.append(("going", deleted, going))
    return [row for row in out if row[1] != row[2]]


def differing() -> tuple[int, dict[str, list[str]]]:
    """The number of clusters that there are, and the names of those that differ by what differs first."""
    total, found = 0, collections.defaultdict(list)
    for cluster in recorded():
        total += 1
        differences = compare(cluster)
        if differences:
            found[differences[0].field].append(cluster["name"])
    return total, dict(found)

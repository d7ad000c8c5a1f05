#!/usr/bin/env python3
"""Watches gputided scale the simulated fleet: a live table, then what drove each change.

In: decisions as JSON lines on stdin (`gputided run`), the fleet's control API.  Out: the table on stdout.
Exit status 0 when the fleet went up to --up replicas and, with its load curve over, came down to --down again; 1 when the
time ran out or the decisions ended before.  Acts on nothing.
"""
from __future__ import annotations

import argparse
import json
import os
import queue
import sys
import threading
import time
import urllib.request
from dataclasses import dataclass, field
from typing import Any, TextIO

HEADING = """\
                      GPU util   replicas                            asked
    time      load    average   spec  ready   decision                 for   limited by"""


@dataclass
class Story:
    """The events so far."""

    highest: int = 0
    changes: list[str] = field(default_factory=list)

    def over(self, scale: dict[str, int], load: dict[str, float], up: int, down: int) -> bool:
        self.highest = max(self.highest, scale["ready"])
        return (self.highest >= up and load["elapsed_s"] > load["curve_s"]
                and scale["spec"] == scale["status"] == scale["ready"] == down)


def fetched(url: str) -> Any:
    # Straight to loopback: a proxy from the environment has no business here.
    with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(url, timeout=5) as answer:
        return json.load(answer)


def metric_of(decision: dict[str, Any]) -> tuple[str, float] | None:
    """Trigger and value that the decision rests on, from its trace."""
    for step in decision.get("trace", []):
        if step.get("step") == "metric" and isinstance(step.get("value"), (int, float)):
            return str(step.get("metric", "metric")), float(step["value"])
    return None


def row(decision: dict[str, Any], scale: dict[str, int], load: dict[str, float]) -> str:
    metric = metric_of(decision)
    current, desired = decision["current_replicas"], decision["desired_replicas"]
    moved = f"{decision['source']}: {current} → {desired}" if current != desired else f"stay at {current}"
    util = f"{metric[1]:6.1f} %" if metric else "       -"
    limit = decision["limited_by"]
    return (f"{decision['time'][11:19]}  {load['load']:8.1f}   {util}   {scale['spec']:4}  {scale['ready']:5}   "
            f"{moved:20}  {decision['proposed_replicas']:6}   {'' if limit == 'none' else limit}").rstrip()


def reason(decision: dict[str, Any]) -> str:
    """One line of the summary: `10:00:05  1 → 4   s0-prometheus = 57, which asks for 12; limited by scale_up_limit`."""
    metric = metric_of(decision)
    cause = f"{metric[0]} = {metric[1]:g}, which asks for {decision['proposed_replicas']}" if metric else "no metric"
    limit = decision["limited_by"]
    bound = "" if limit == "none" else f"; limited by {limit}"
    return f"{decision['time'][11:19]}  {decision['current_replicas']:2} → {decision['desired_replicas']:2}   {cause}{bound}"


def follow(lines: TextIO) -> queue.Queue[str]:
    """Lines as they come; "" when there are no more.  A thread reads, so that the watcher can look at the time meanwhile."""
    arrived: queue.Queue[str] = queue.Queue()

    def read() -> None:
        for line in lines:
            arrived.put(line)
        arrived.put("")

    threading.Thread(target=read, daemon=True).start()
    return arrived


def watch(lines: TextIO, given: argparse.Namespace) -> bool:
    """Prints a row per decision until the story is over (True), the time is, or the decisions are (False)."""
    story, deadline, arrived, line, over = Story(), time.monotonic() + given.timeout, follow(lines), " ", False
    print(HEADING, flush=True)
    while line and (not over or not arrived.empty()) and time.monotonic() < deadline:
        try:
            line = arrived.get(timeout=1)
        except queue.Empty:
            line = " "
        time.sleep(0.2)  # a decision is printed before it is applied; the row shows the fleet after that
        scale, load = fetched(f"{given.fleet}/scale"), fetched(f"{given.fleet}/load")
        if line.strip():
            given.record.write(line)
            entry = json.loads(line)
            if "write" not in entry:  # the end of a write is not a row
                show(entry, scale, load, story)
        over = over or story.over(scale, load, given.up, given.down)
    if not line:
        print("quickstart: gputided ended before the fleet was down again", file=sys.stderr)
    summarize(story, over, given)
    return over


def show(decision: dict[str, Any], scale: dict[str, int], load: dict[str, float], story: Story) -> None:
    print(row(decision, scale, load), flush=True)
    if decision["current_replicas"] != decision["desired_replicas"]:
        story.changes.append(reason(decision))


def summarize(story: Story, ended: bool, given: argparse.Namespace) -> None:
    print("\nWhat drove each change")
    for line in story.changes or ["nothing changed"]:
        print(f"  {line}")
    verdict = f"back at {given.down}" if ended else f"not back at {given.down} within {given.timeout:g} s"
    print(f"\nMaximum: {story.highest} ready replicas (at least {given.up} expected); {verdict}.", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--fleet", required=True, help="URL of the fleet")
    parser.add_argument("--record", type=argparse.FileType("w"), default=os.devnull, help="keep the decisions in this file")
    parser.add_argument("--up", type=int, default=4, help="ready replicas that must have been reached (default %(default)s)")
    parser.add_argument("--down", type=int, default=1, help="replicas at the end (default %(default)s)")
    parser.add_argument("--timeout", type=float, default=240, help="seconds for the whole story (default %(default)s)")
    return 0 if watch(sys.stdin, parser.parse_args()) else 1


if __name__ == "__main__":
    sys.exit(main())

"""leak, order, closed, fork, exit: how long handles live."""

from __future__ import annotations

import asyncio
import gc
import inspect
import os
import random
import threading
import time
import unittest
import warnings
from typing import Any, Callable

import gputide
from gputide import Credential, Forecast, LogReader, Policy, Replay, Rightsize, Runtime, Scaler, Series, Source

from .support import NOW_MS, Case, prometheus_trigger, resident_kib, run_python, scaled_object, silent_peer

TRIGGER = 'type: prometheus\nmetadata: {serverAddress: "http://127.0.0.1:9", query: q, threshold: "5"}'
ROUNDS = int(os.environ.get("GPUTIDE_LEAK_ROUNDS", "1000"))


def state() -> gputide.State:
    with Policy(scaled_object()) as policy:
        return policy.new_state()


OPENERS: dict[str, Callable[[], Any]] = {
    "policy": lambda: Policy(scaled_object()),
    "state": state,
    "source": lambda: Source(TRIGGER),
    "scaler": lambda: Scaler(scaled_object()),
    "credential": lambda: Credential("provider: azure-workload", gputide.Options(allow_environment=True)),
    "runtime": Runtime,
    "series": Series,
    "replay": lambda: Replay(scaled_object()),
    "forecast": Forecast,
    "rightsize": Rightsize,
    "log": LogReader,
}
os.environ.setdefault("AZURE_CLIENT_ID", "00000000-0000-0000-0000-000000000001")
os.environ.setdefault("AZURE_TENANT_ID", "00000000-0000-0000-0000-000000000002")
os.environ.setdefault("AZURE_FEDERATED_TOKEN_FILE", "/nonexistent/token")


class Leak(Case):
    def test_opening_and_closing_takes_no_memory(self) -> None:
        for name, opener in OPENERS.items():
            with self.subTest(name):
                for _ in range(ROUNDS // 4):
                    opener().close()
                gc.collect()
                before = resident_kib()
                for _ in range(ROUNDS):
                    opener().close()
                gc.collect()
                self.assertLess(resident_kib() - before, 1024)

    def test_opening_in_vain_takes_no_memory(self) -> None:
        def fail() -> None:
            for opener in (Policy, Scaler, Source, Credential, Replay, Forecast, Rightsize):
                with self.assertRaises(gputide.Error):
                    opener("kind: nothing of this kind")

        for _ in range(ROUNDS // 8):
            fail()
        gc.collect()
        before = resident_kib()
        for _ in range(ROUNDS // 4):
            fail()
        gc.collect()
        self.assertLess(resident_kib() - before, 1024)


class Order(Case):
    def test_any_order_of_closing_is_right_also_the_collectors(self) -> None:
        warnings.simplefilter("ignore", ResourceWarning)
        for seed in range(ROUNDS // 20):
            chance = random.Random(seed)
            handles = [opener() for opener in chance.choices(list(OPENERS.values()), k=50)]
            chance.shuffle(handles)
            while handles:
                handle = handles.pop()  # a name less: the one before is collected where it was not closed
                if seed % 10 or len(handles) % 5:
                    handle.close()
            del handle
        deadline = time.monotonic() + 5
        while gputide.alive() > 0 and time.monotonic() < deadline:
            time.sleep(0.01)  # a forgotten runtime is ended in the background


class Forgotten(unittest.TestCase):
    def test_each_kind_is_freed_by_the_collector_with_a_warning(self) -> None:
        for name, opener in OPENERS.items():
            with self.subTest(name), warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always", ResourceWarning)
                before = gputide.alive()
                opened = [opener()]
                opened.append(opened)
                del opened
                gc.collect()
                deadline = time.monotonic() + 5
                while gputide.alive() > before and time.monotonic() < deadline:
                    time.sleep(0.01)
                self.assertEqual(gputide.alive(), before)
                self.assertRegex(str(caught[-1].message), "forgotten open")


def decided() -> gputide.Decision:
    with state() as opened:
        return opened.decide(current=3, samples=[42.5], now=NOW_MS)


def asked(method: Callable[..., Any]) -> list[str]:
    """Which arguments a method has to be called with: for an observation and an event, their parts."""
    own = list(inspect.signature(method).parameters.items())[1:]
    return [name for name, value in own if value.default is value.empty or name in ("current", "decision")]


class ClosedHandles(Case):
    def test_closing_twice_is_fine_and_use_is_refused(self) -> None:
        uses: dict[str, Callable[[Any], Any]] = {
            "policy": lambda entry: entry.describe(),
            "state": lambda entry: entry.decide(current=1, samples=[1.0], now=NOW_MS),
            "source": lambda entry: entry.fetch(),
            "scaler": lambda entry: entry.tick(current=1),
            "credential": lambda entry: entry.token("scope"),
            "runtime": lambda entry: entry.next_event(timeout=1),
            "series": lambda entry: entry.describe(),
            "replay": lambda entry: entry.report(),
            "forecast": lambda entry: entry.describe(),
            "rightsize": lambda entry: entry.describe(),
            "log": lambda entry: entry.next(timeout=1),
        }
        for name, opener in OPENERS.items():
            with self.subTest(name):
                handle = opener()
                handle.close()
                handle.close()
                self.assertTrue(handle.closed)
                with self.assertRaisesRegex(gputide.Closed, "is closed"):
                    uses[name](handle)
        self.assertTrue(issubclass(gputide.Closed, ValueError))

    def test_every_method_of_every_class_is_refused(self) -> None:
        decision = decided()
        texts = {
            "manifest": scaled_object(),
            "text": "",
            "body": "{}",
            "name": "default/demo",
            "scope": "scope",
            "token": "t",
            "change": "{}",
        }
        lists = {"samples": [1.0], "times": [NOW_MS], "values": [1.0], "replicas": [1]}
        times = dict.fromkeys(("time", "now", "start", "end"), NOW_MS)
        arguments = {**texts, **lists, **times, "decision": decision, "applied": True, "http_status": 200}
        for opener in OPENERS.values():
            handle = opener()
            handle.close()
            with Series() as series, Scaler(scaled_object()) as scaler:
                for name, method in inspect.getmembers(type(handle), inspect.isfunction):
                    if name.startswith("_") or name in ("close", "close_async", "events"):  # a loop over events ends
                        continue
                    given = {**arguments, "series": series, "scaler": scaler}
                    if type(handle) is Rightsize:
                        given["samples"] = [gputide.UsageSample(NOW_MS, busy=1.0)]
                    with self.subTest(method.__qualname__), self.assertRaises(gputide.Closed):
                        result = method(handle, **{entry: given.get(entry, 1) for entry in asked(method)})
                        if inspect.iscoroutine(result):
                            asyncio.run(result)
                        if inspect.isgenerator(result):
                            next(result)

    def test_closing_ends_a_call_that_waits(self) -> None:
        with silent_peer() as address:
            scaler = Scaler(scaled_object(triggers=[prometheus_trigger(address)]))
            outcome: list[BaseException] = []

            def tick() -> None:
                try:
                    scaler.tick(current=1, timeout=30)
                except BaseException as problem:
                    outcome.append(problem)

            thread = threading.Thread(target=tick)
            thread.start()
            time.sleep(0.2)
            started = time.monotonic()
            scaler.close()
            thread.join()
        self.assertLess(time.monotonic() - started, 2)
        self.assertIsInstance(outcome[0], gputide.Cancelled)


class Fork(unittest.TestCase):
    def test_fork_leaves_the_childs_handles_to_the_parent(self) -> None:
        code = """
import gc, os, sys, threading, time
import gputide
from tests.support import NOW_MS, scaled_object
policy = gputide.Policy(scaled_object()); state = policy.new_state(); runtime = gputide.Runtime(); runtime.start()
forecast = gputide.Forecast(); rightsize = gputide.Rightsize()
scaler = gputide.Scaler(scaled_object())
def decide(one): return one.decide(current=3, samples=[42.5], now=NOW_MS).desired
def wait():
    for _ in runtime.events(): pass
threading.Thread(target=wait, daemon=True).start()
time.sleep(0.1)
child = os.fork()
if child == 0:
    refused = 0
    uses = (lambda: decide(state), policy.describe, runtime.stats, lambda: scaler.tick(current=1), policy.new_state)
    for use in (*uses, forecast.describe, rightsize.describe):
        try: use()
        except gputide.Closed as problem: refused += "parent process" in str(problem)
    for one in (policy, state, runtime, scaler, forecast, rightsize): one.close()
    del policy, state, runtime, scaler, forecast, rightsize, one, uses, use
    gc.collect()
    with gputide.Policy(scaled_object()) as mine, mine.new_state() as fresh, gputide.Scaler(scaled_object()) as pipeline:
        right = decide(fresh) == 6 and pipeline.tick(current=3, samples=[42.5], now=NOW_MS).desired == 6
    os._exit(0 if refused == 7 and right and gputide.alive() == 0 else 1)
status = os.waitpid(child, 0)[1]
print(status, decide(state), len(policy.describe()) > 2, runtime.stats().data["scalers"])
for one in (scaler, runtime, state, policy, forecast, rightsize): one.close()
print(gputide.alive())
"""
        done = run_python(code)
        self.assertEqual((done.stdout, done.returncode), ("0 6 True 0\n0\n", 0), done.stderr)


class Exit(unittest.TestCase):
    def test_exit_is_quick_and_silent_whatever_is_open(self) -> None:
        code = """
import threading, time
import gputide
from tests.support import prometheus_trigger, scaled_object, silent_peer
peer = silent_peer()
address = peer.__enter__()
manifest = scaled_object(triggers=[prometheus_trigger(address)])
scaler, runtime, policy = gputide.Scaler(manifest), gputide.Runtime(), gputide.Policy(scaled_object())
other = gputide.Runtime()
runtime.observe(runtime.add(manifest), current=3)
runtime.start()
def quietly(call):
    try: call()
    except (gputide.Error, ValueError): pass
for call in (lambda: scaler.tick(current=1, timeout=60), lambda: list(runtime.events()), lambda: other.next_event(timeout=60)):
    threading.Thread(target=quietly, args=(call,), daemon=True).start()
time.sleep(0.3)
print(time.time())
"""
        done = run_python(code, PYTHONWARNINGS="ignore::ResourceWarning")
        took = time.time() - float(done.stdout)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertLess(took, 3)

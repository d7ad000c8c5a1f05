#!/usr/bin/env python3
"""A runtime of libgputide.so holds the stream of an external-push trigger open, whatever drives it, and lets go of it.

    GPUTIDE_LIBRARY=... PYTHONPATH=bindings/python/src:tests/gputided streams_test.py
"""
from __future__ import annotations

import json
import os
import select
import time
import unittest
from typing import Callable

from external_scaler_server import ExternalScaler

from gputide import Runtime, RuntimeOptions

PATIENCE_S = 60.0
SOON_S = 10.0  # on a busy machine; nothing else comes by within 600 s


def manifest(address: str) -> str:
    return json.dumps({
        "apiVersion": "keda.sh/v1alpha1", "kind": "ScaledObject",
        "metadata": {"name": "llm", "annotations": {"gputide.io/sync-period": "600s"}},
        "spec": {"scaleTargetRef": {"name": "llm"}, "minReplicaCount": 0, "pollingInterval": 600,
                 "triggers": [{"type": "external-push", "metadata": {"scalerAddress": address}}]}})


class Streams(unittest.TestCase):
    def setUp(self) -> None:
        self.scaler = self.enterContext(ExternalScaler())
        self.scaler.is_active = False
        self.runtime = Runtime(RuntimeOptions(every_decision=True, start_spread=0.001))
        self.addCleanup(self.runtime.close)
        self.id = self.runtime.add(manifest(self.scaler.address))
        self.runtime.observe(self.id, current=0)

    def wait_for(self, what: Callable[[], bool], drive: Callable[[], object] = lambda: None) -> None:
        deadline = time.monotonic() + PATIENCE_S
        while not what():
            self.assertLess(time.monotonic(), deadline, "waited in vain")
            drive()
            time.sleep(0.01)

    def by_next_event(self) -> int:
        event = self.runtime.next_event(timeout=SOON_S)
        assert event is not None, "no decision came"
        return event.desired

    def by_loop(self) -> int:
        deadline = time.monotonic() + SOON_S
        poller = select.poll()
        poller.register(self.runtime.wake_fd(), select.POLLIN)
        while time.monotonic() < deadline:
            self.runtime.step()
            event = self.runtime.next_event(timeout=0)
            if event is not None:
                return event.desired
            poller.poll(1_000 * SOON_S)
        raise AssertionError("no decision came")

    def woken(self, decided: Callable[[], int], drive: Callable[[], object] = lambda: None) -> float:
        """Milliseconds from the scaler's word to the decision."""
        self.assertEqual(decided(), 0)
        self.wait_for(lambda: self.scaler.open_streams == 1, drive)
        time.sleep(1.1)  # a second after the poll before it
        self.scaler.is_active = True
        said = time.monotonic()
        self.scaler.tell(True)
        self.assertEqual(decided(), 1)
        took_ms = 1_000 * (time.monotonic() - said)
        print(f"\n    {self.id}: {took_ms:.0f} ms from the word to the decision")
        self.assertEqual(self.runtime.stats().data["streams"], {"held": 1, "words": 1, "polls": 1})
        return took_ms

    def test_its_own_thread(self) -> None:
        self.runtime.start()
        self.woken(self.by_next_event)
        self.runtime.stop()
        self.assertEqual(self.runtime.stats().data["streams"]["held"], 0)
        self.wait_for(lambda: self.scaler.open_streams == 0)  # nothing drives any more, and yet the peer has heard

    def test_whoever_waits_for_an_event(self) -> None:
        self.woken(self.by_next_event, lambda: self.runtime.next_event(timeout=0.01))
        self.runtime.close()
        self.wait_for(lambda: self.scaler.open_streams == 0)

    def test_a_loop_of_the_hosts(self) -> None:
        self.woken(self.by_loop, self.runtime.step)
        self.runtime.remove(self.id)
        self.wait_for(lambda: self.scaler.open_streams == 0, self.runtime.step)

    def test_a_child_of_fork_leaves_it_to_the_parent(self) -> None:
        self.runtime.start()
        self.assertEqual(self.by_next_event(), 0)
        self.wait_for(lambda: self.scaler.open_streams == 1)
        child = os.fork()
        if child == 0:
            os._exit(0)
        self.assertEqual(os.waitpid(child, 0)[1], 0)
        time.sleep(1.1)
        self.scaler.is_active = True
        self.scaler.tell(True)
        self.assertEqual(self.by_next_event(), 1)


if __name__ == "__main__":
    unittest.main(verbosity=2)

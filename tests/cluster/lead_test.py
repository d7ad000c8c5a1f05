"""Several instances and their Leases: which one writes while one dies, ends or sleeps.  By the API server's audit log, never two."""
from __future__ import annotations

import random
import signal
import time
import unittest

import audit
import case
from case import HOME, LEASE_S, Case, Instance

CASTAGNOLI = 0x82F63B78


def shard_of(target: str, shards: int) -> int:
    """CRC-32C of namespace/name, modulo their number."""
    crc = 0xFFFFFFFF
    for byte in target.encode():
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (CASTAGNOLI if crc & 1 else 0)
    return (crc ^ 0xFFFFFFFF) % shards


class TheCheck(unittest.TestCase):
    """Tests that a write without the Lease is found."""

    @staticmethod
    def wrote(at: float, by: str, what: str, **spec: object) -> audit.Request:
        resource, target = ("leases", "gputide/l") if what == "lease" else ("deployments/scale", "ml/llm")
        answer = {"metadata": {"namespace": "gputide", "name": "l", "resourceVersion": str(int(at))}, "spec": spec}
        return audit.Request(at, at, by, "", "update", resource, target, 200, {}, answer)

    def test_it_sees_what_it_looks_for(self) -> None:
        taken = [self.wrote(1, "a", "lease", holderIdentity="a"), self.wrote(5, "b", "lease", holderIdentity="b")]
        released = self.wrote(7, "b", "lease", holderIdentity="")
        for at, by, count in ((2, "a", 0), (6, "b", 0), (6, "a", 1), (2, "b", 1), (8, "b", 1), (0, "a", 1)):
            with self.subTest(at=at, by=by):
                seen = [*taken, released, self.wrote(at, by, "scale")]
                self.assertEqual(len(audit.unled(seen, {"ml/llm": "gputide/l"})), count)


class Leading(Case):
    def setUp(self) -> None:
        super().setUp()
        self.scale("llm")
        self.instances = 0

    def another(self) -> Instance:
        self.instances += 1
        return self.start(f"i{self.instances}")

    def two(self) -> tuple[Instance, Instance]:
        first = self.another()
        self.leads(first)
        second = self.another()
        second.daemon.wait_for(lambda: len(second.daemon.decisions) > 2)
        return first, second

    def test_a_leader_that_dies(self) -> None:
        """At a random moment while the metric moves, again and again; the next one is there within the lease and 2 s."""
        leader, standby = self.two()
        took, loads = [], (22, 12, 47, 1)
        for turn in range(2 if case.IS_QUICK else 50):
            self.gauges["llm"] = loads[turn % 4]
            time.sleep(random.uniform(0, 3))
            died = time.monotonic()
            leader.daemon.end(signal.SIGKILL)
            self.leads(standby)
            took.append(time.monotonic() - died)
            self.reaches("llm", -(-loads[turn % 4] // 5), standby)
            leader, standby = standby, self.another()
            standby.daemon.wait_for(lambda: len(standby.daemon.decisions) > 2)  # noqa: B023
        self.assertLessEqual(max(took), LEASE_S + 2)
        self.one_writer("llm")
        self.figure(f"until the next one leads, lease {LEASE_S} s, {len(took)} deaths",
                    f"median {sorted(took)[len(took) // 2]:.1f} s, longest {max(took):.1f} s")

    def test_a_leader_that_is_told_to_end(self) -> None:
        leader, standby = self.two()
        self.wants(22, "llm", 5, standby)
        began = time.monotonic()
        leader.daemon.end()
        self.leads(standby)
        took = time.monotonic() - began
        self.assertLessEqual(took, 3)
        self.wants(1, "llm", 1, standby)
        self.one_writer("llm")
        self.figure("from SIGTERM until the next one leads", f"{took:.1f} s")

    def test_a_leader_that_sleeps(self) -> None:
        """Beyond its lease, from any moment of its work, and wakes."""
        leader, standby = self.two()
        loads = (22, 12, 47, 1)
        for turn in range(2 if case.IS_QUICK else 20):
            self.gauges["llm"] = loads[turn % 4]
            time.sleep(random.uniform(0.5, 2.5))
            leader.daemon.process.send_signal(signal.SIGSTOP)
            self.leads(standby)
            self.wants(loads[(turn + 1) % 4], "llm", -(-loads[(turn + 1) % 4] // 5), standby)
            leader.daemon.process.send_signal(signal.SIGCONT)
            self.gauges["llm"] = loads[turn % 4]
            self.reaches("llm", -(-loads[turn % 4] // 5), standby)
            time.sleep(1)
            leader, standby = standby, leader
        self.one_writer("llm")


class Shards(Case):
    SHARDS = 3

    def test_three_leases(self) -> None:
        names = [f"s{number}" for number in range(9)]
        for name in names:
            self.scale(name)
        owners = {f"{self.namespace}/{name}": shard_of(f"{self.namespace}/{name}", self.SHARDS) for name in names}
        self.assertEqual(len(set(owners.values())), self.SHARDS)
        all_of_them = [self.start(f"i{number}", "--shards", str(self.SHARDS)) for number in range(2)]
        all_of_them[0].daemon.wait_for(lambda: all(self.holder(shard) for shard in range(self.SHARDS)))
        holders = [self.holder(shard) for shard in range(self.SHARDS)]  # one has all where the other came late
        first, second = sorted(all_of_them, key=lambda entry: entry.name != holders[0])
        self.move(names, 22, 5, second)
        died = time.monotonic()
        first.daemon.end(signal.SIGKILL)
        second.daemon.wait_for(lambda: all(self.holder(shard) == second.name for shard in range(self.SHARDS)))
        took = time.monotonic() - died
        self.assertLessEqual(took, LEASE_S + 2)
        self.move(names, 1, 1, second)
        third = self.start("i2", "--shards", str(self.SHARDS))
        third.daemon.wait_for(lambda: third.describe().get("leases"))
        second.daemon.end()
        self.move(names, 12, 3, third)
        leases = {target: f"{HOME}/{self.lease}" + (f"-{shard}" if shard else "") for target, shard in owners.items()}
        self.assertEqual(audit.unled(self.seen(), leases), [])
        self.figure("Leases of two instances", " ".join(holders))
        self.figure("until the other one leads all", f"{took:.1f} s")

    def move(self, names: list[str], load: float, size: int, by: Instance) -> None:
        for name in names:
            self.gauges[name] = load
        for name in names:
            self.reaches(name, size, by)

    def test_another_number_of_shards_writes_nothing(self) -> None:
        self.scale("llm")
        first = self.start("a", "--shards", "2")
        first.daemon.wait_for(lambda: self.holder(0) == "a" and self.holder(1) == "a")
        other = self.start("b", "--shards", "3")
        self.wants(22, "llm", 5, first)
        other.daemon.wait_for(lambda: other.describe().get("leases"))
        self.assertEqual({lease["leads"] for lease in other.describe()["leases"]}, {False})
        self.assertEqual({size_write.by for size_write in audit.size_writes(self.seen())}, {first.credential})

"""One original: how its inputs are made, and how its answers are compared with the library's."""

from __future__ import annotations

import dataclasses
import json
import queue
import random
import subprocess
import threading
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any


@dataclasses.dataclass(frozen=True)
class Difference:
    """One thing that differs.

    field   what it is, without numbers of this input: "proposal External", "condition Ready"
    step    in which pass or poll, from 0
    facts   what a known difference is recognized by: the metric's type, the target's, what the input has
    """

    field: str
    theirs: Any
    ours: Any
    step: int = 0
    facts: dict[str, Any] = dataclasses.field(default_factory=dict)


@dataclasses.dataclass
class Outcome:
    """The result of one input: how many passes or polls were compared, and what differs in the first one that differs at all."""

    compared: int = 0
    differences: list[Difference] = dataclasses.field(default_factory=list)
    skipped: str = ""  # why the input, or the rest of it, cannot be said to the library


class Original:
    """The facts that the run needs of each.  name: of its row; program: what to start, below the folder of programs; version: what it is."""

    name = ""
    version = ""
    program: tuple[str, ...] = ()
    optional: frozenset[str] = frozenset()  # members that an input may lack
    fixed: frozenset[str] = frozenset()  # numbers that stay as they are
    lists: frozenset[str] = frozenset()  # lists with members that are their own keys

    def make(self, rng: random.Random) -> dict[str, Any]:
        raise NotImplementedError

    def compare(self, given: dict[str, Any], answer: dict[str, Any]) -> Outcome:
        raise NotImplementedError

    def smaller(self, given: dict[str, Any]) -> Iterator[dict[str, Any]]:
        """Inputs that are smaller in a way of their own, for a difference to be met with less."""
        return iter(())

    def as_case(self, given: dict[str, Any], answer: dict[str, Any]) -> dict[str, Any]:
        """The input and the original's answer, in the format of tests/cases where that can say it."""
        return {"kind": self.name, "input": given, "expect": answer}


class Program:
    """An original at work: JSON lines in, JSON lines out.  It is asked ahead of the answers, so that both sides work at once."""

    AHEAD = 4

    def __init__(self, command: list[str], *, may_fail: bool = False) -> None:
        heard = subprocess.DEVNULL if may_fail else None
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=heard)
        self._answers: queue.Queue[bytes] = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self._process.stdout
        for line in self._process.stdout:
            self._answers.put(line)
        self._answers.put(b"")

    def _send(self, given: dict[str, Any]) -> None:
        assert self._process.stdin
        self._process.stdin.write(json.dumps(given).encode() + b"\n")
        self._process.stdin.flush()

    def _receive(self, given: dict[str, Any]) -> dict[str, Any]:
        line = self._answers.get()
        if not line:
            raise RuntimeError(f"the original ended, exit status {self._process.wait()}, at {json.dumps(given)}")
        answer: dict[str, Any] = json.loads(line)
        return answer

    def ask(self, given: dict[str, Any]) -> dict[str, Any]:
        self._send(given)
        return self._receive(given)

    def ask_all(self, inputs: Iterable[dict[str, Any]]) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
        """Each input with its answer, in order.  To stop early, take the rest of the answers too: close() does not wait for them."""
        asked: list[dict[str, Any]] = []
        for given in inputs:
            self._send(given)
            asked.append(given)
            if len(asked) > self.AHEAD:
                first = asked.pop(0)
                yield first, self._receive(first)
        for given in asked:
            yield given, self._receive(given)

    def close(self) -> None:
        self._process.kill()
        self._process.wait()


def program_of(original: Original, folder: Path, *, may_fail: bool = False) -> Program:
    name, *arguments = original.program
    return Program([str(folder / name), *arguments], may_fail=may_fail)


class _Names:
    """The names of the library's numbers, from the library."""

    def __init__(self, function: str) -> None:
        self._function = function

    def __getitem__(self, number: int) -> str:
        import gputide  # found once run.py has put the binding into the path

        name: bytes = getattr(gputide._load.library(), self._function)(int(number))
        return name.decode()


CONDITION, REASON, EVENT = _Names("condition_name"), _Names("reason_name"), _Names("event_name")
TRUTH = ("", "True", "False", "Unknown")

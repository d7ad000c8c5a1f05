"""One line of the protocol: its calls one after another, and what they opened."""

from __future__ import annotations

import gc
import json
import time
from typing import Any, Callable, TypeVar

import gputide

from . import calls, values

T = TypeVar("T")


class Missing(Exception):
    """A call names what an earlier one failed to open."""


class Case:
    def __init__(self, line: dict[str, Any]) -> None:
        self._line = line
        self._things: dict[str, Any] = {}
        self.policies: dict[str, str] = {}  # of states, by name

    def answer(self) -> dict[str, Any]:
        out: dict[str, Any] = {"case": self._line["case"], "results": []}
        for arguments in self._line["calls"]:
            try:
                out["results"].append(self._result(arguments))
            except (KeyError, TypeError, AttributeError) as problem:
                out["fault"] = f"{json.dumps(arguments)[:200]}: {problem!r}"
                break
        self._close(self._line.get("close", "reverse"))
        out["alive"] = _alive()
        return out

    def _result(self, arguments: dict[str, Any]) -> dict[str, Any]:
        call = Call(arguments, self)
        try:
            calls.CALLS[arguments["call"]](call)
        except Missing as missing:
            return {"missing": str(missing)}
        except gputide.Error as error:
            call.result["error"] = values.error(error)
        except gputide.Closed as closed:
            call.result["error"] = values.error_of(gputide.Status.STATE, closed)
        except (ValueError, OverflowError) as problem:  # what this package refuses before C sees it
            call.result["error"] = values.error_of(gputide.Status.INVALID, problem)
        return call.result

    def keep(self, name: str, thing: Any) -> None:
        if name in self._things and not isinstance(thing, (gputide.Decision, gputide.Floor)):
            raise TypeError(f"as: the name {name!r} is taken")
        self._things[name] = thing

    def find(self, name: str, kind: type[T]) -> T:
        if name not in self._things:
            raise Missing(name)
        thing = self._things[name]
        if not isinstance(thing, kind):
            raise TypeError(f"{name} is a {type(thing).__name__}")
        return thing

    def _close(self, order: str) -> None:
        handles = [thing for thing in self._things.values() if hasattr(thing, "close")]
        self._things.clear()
        if order == "collect":
            del handles
            gc.collect()
            return
        for handle in reversed(handles) if order == "reverse" else handles:
            handle.close()


class Call:
    """A call's arguments by their names, and its result.  What is absent is "", 0, None."""

    def __init__(self, arguments: dict[str, Any], case: Case) -> None:
        self.arguments: dict[str, Any] = arguments
        self.case = case
        self.result: dict[str, Any] = {}

    def integer(self, name: str) -> int:
        return values.integer(self.arguments.get(name, 0))

    def text(self, name: str) -> values.Text:
        return values.text(self.arguments.get(name, ""))

    def word(self, name: str) -> str:
        """A text that is UTF-8."""
        text = self.text(name)
        return text if isinstance(text, str) else text.decode("utf-8")

    def seconds(self, name: str) -> float:
        return self.integer(name) / 1000

    def flag(self, name: str) -> bool:
        return self.arguments.get(name) is True

    def options(self) -> gputide.Options | None:
        return values.options(self.arguments["options"]) if "options" in self.arguments else None

    def seen(self) -> gputide.Observation:
        return values.observation(self.arguments.get("seen", {}))

    def handle(self, role: str, kind: type[T]) -> T:
        return self.case.find(self.arguments[role], kind)

    def decision(self) -> gputide.Decision:
        return self.handle("decision", gputide.Decision)

    def policy(self) -> gputide.Policy:
        """The one named, or the state's own."""
        name = self.arguments.get("policy") or self.case.policies[self.arguments["state"]]
        return self.case.find(name, gputide.Policy)

    def opens(self, make: Callable[[], Any]) -> None:
        self.case.keep(self.arguments["as"], make())

    def decided(self, decision: gputide.Decision) -> None:
        self.result["decision"] = values.decision(decision)
        if self.flag("report"):
            self.result["report"] = decision.report
        if "as" in self.arguments:
            self.case.keep(self.arguments["as"], decision)


def _alive() -> int:
    """A collected runtime ends in the background: a moment for that."""
    patience = time.monotonic() + 5
    while gputide.alive() and time.monotonic() < patience:
        time.sleep(0.01)
    return gputide.alive()

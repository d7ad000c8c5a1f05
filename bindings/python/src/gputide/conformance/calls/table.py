"""How the calls of protocol 1 are listed: each under its C function's name without gputide_, the first underscore a dot."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable

if TYPE_CHECKING:
    from ..case import Call

CALLS: dict[str, Callable[[Call], None]] = {}


def registered(name: str) -> Callable[[Callable[[Call], None]], Callable[[Call], None]]:
    """Lists the function below it."""

    def register(function: Callable[[Call], None]) -> Callable[[Call], None]:
        CALLS[name] = function
        return function

    return register


def gives(name: str, member: str, value: Callable[[Call], Any]) -> None:
    """A call whose result is one member."""

    def run(call: Call) -> None:
        call.result[member] = value(call)

    CALLS[name] = run


def opens(name: str, handle: Callable[[Call], Any]) -> None:
    """A call that opens a handle."""
    CALLS[name] = lambda call: call.opens(lambda: handle(call))


def does(name: str, run: Callable[[Call], None]) -> None:
    """A call of one expression, which puts what it gives into the result by itself."""
    CALLS[name] = run

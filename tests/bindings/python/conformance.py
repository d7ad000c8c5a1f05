"""Protocol 1 of docs/conformance.md over the public functions of bindings/python: the program that gputide_conformance --through
drives.  One line in, one line out, until the input ends.

    python3 tests/bindings/python/conformance.py CALLS     CALLS: the table and the lists that tests/bindings/conformance writes
"""

from __future__ import annotations

import base64
import gc
import json
import math
import runpy
import sys
import time
import warnings
from datetime import datetime, timedelta, timezone

import gputide
from gputide import numbers

EXACT = 2**53  # integers beyond it are texts
NEVER_MS = 2**63 - 1
EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
REALS = {"NaN": math.nan, "+Inf": math.inf, "-Inf": -math.inf}
TABLES = {}  # what the generated file defines


class Missing(Exception):
    """A call names what an earlier one failed to open."""


# ---- what is read


def integer(value):
    if isinstance(value, bool) or not isinstance(value, (int, str)):
        raise TypeError(f"expected an integer, got {value!r}")
    return int(value)


def real(value):
    return REALS[value] if isinstance(value, str) else float(value)


def text(value):
    return base64.b64decode(value["b64"]) if isinstance(value, dict) else value


def bits(flags, *names):
    if flags >> len(names):
        raise TypeError(f"flags: {flags} has bits without a name")
    return {name: bool(flags >> bit & 1) for bit, name in enumerate(names)}


def members(given, **named):
    """The members of a struct by this package's names: integers, or as the function reads them that is named for a member."""
    out = {}
    for name, value in given.items():
        if name in named:
            out[name.removesuffix("_ms")] = named[name](value)
        elif name != "flags":
            out[name.removesuffix("_ms")] = integer(value)
    return out


def options(given):
    out = bits(integer(given.get("flags", 0)), *TABLES["OPTION_FLAGS"])
    for name, value in given.items():
        if name == "files":
            out[name] = [gputide.File(text(file["text"]), file.get("name")) for file in value]
        elif name != "flags":
            out[name] = text(value).split(",") if name.startswith("allowed_") else text(value)
    return gputide.Options(**out)


def runtime_options(given):
    out = bits(integer(given.get("flags", 0)), *TABLES["RUNTIME_FLAGS"])
    for name, value in given.items():
        if name != "flags":
            out[name.removesuffix("_ms")] = integer(value) / 1000 if name.endswith("_ms") else integer(value)
    return gputide.RuntimeOptions(**out)


def sample_in(given):
    out = members(given, value=real, message=str, state=numbers.SampleState, status=numbers.Status)
    out.setdefault("state", numbers.SampleState.OK if "value" in given else numbers.SampleState.NOT_GIVEN)
    out.setdefault("value", None)
    return gputide.Sample(**out, null_as_zero=bool(given.get("flags")))


def usage_in(given):
    flags = integer(given.get("flags", 0))
    out = {"time": 0, "memory_bytes": 0, **members(given, busy=real)}
    memory = out.pop("memory_bytes")
    busy = out.pop("busy", 0.0) if flags & 1 else None
    return gputide.UsageSample(**{**out, "busy": busy}, memory=memory if flags & 6 else None, oom=bool(flags & 4))


def pod_in(given):
    named = {"phase": numbers.PodPhase, "ready": numbers.Readiness, "deleting": bool, "name": str}
    return gputide.Pod(**{"name": None, **members(given, **named)})


def pod_sample_in(given):
    out = {"value_milli": 0, **members(given, container=str)}
    return gputide.PodSample(**{**out, "value_milli": None if out["value_milli"] == -(2**63) else out["value_milli"]})


def observation(given):
    flags = integer(given.get("flags", 0))
    out = {"current": integer(given.get("current_replicas", 0)), "now": integer(given.get("now_ms", 0))}
    for bit, name in enumerate(("status_replicas", "ready_replicas")):
        count = integer(given.get(name, 0))
        out[name] = count if count or flags >> bit & 1 else None
    out["samples"] = [sample_in(sample) for sample in given.get("samples", [])]
    out["pod_samples"] = [pod_sample_in(pod_sample) for pod_sample in given.get("pod_samples", [])]
    pods = [pod_in(pod) for pod in given.get("pods", [])]
    return gputide.Observation(
        **out, unreadable=bool(flags & 4), pods=pods if flags & 8 or pods else None, message=given.get("message")
    )


# ---- what is written


def out(value):
    """A value of this package as JSON."""
    if isinstance(value, bool) or value is None or isinstance(value, str):
        return value
    if isinstance(value, int):
        return int(value) if -EXACT <= value <= EXACT else str(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else "NaN" if math.isnan(value) else "+Inf" if value > 0 else "-Inf"
    if isinstance(value, datetime):
        return out((value - EPOCH) // timedelta(milliseconds=1))
    return STRUCTS[type(value)](value)


def attributes(thing, *names, **named):
    return {name: out(getattr(thing, name)) for name in names} | {name: out(value) for name, value in named.items()}


def decision_out(given):
    conditions = [{"truth": 0, "reason": 0, "since_ms": 0} for _ in range(16)]
    for index, condition in given.conditions.items():
        conditions[index] = attributes(condition, "truth", "reason", since_ms=condition.since or 0)
    return attributes(
        given, "flags", "id", "now_ms", "next_due_ms", "limited_by", "winner", "failed_metric", "event",
        current_replicas=given.current, desired_replicas=given.desired, proposed_replicas=given.proposed,
        source=given.source or 0, forecast_state=given.forecast_state or 0,
        forecast_need=-1 if given.forecast_need is None else given.forecast_need,
    ) | {"conditions": conditions}  # fmt: skip


def floor_out(given):
    need = -1 if given.need_replicas is None else given.need_replicas
    load = math.nan if given.floor_load is None else given.floor_load
    return attributes(given, "state", "reason", "replicas", need_replicas=need, floor_load=load)


def error_out(problem, status=None):
    if status is not None:
        problem = gputide.Error(str(problem), status=status)
    named = {"retryable": int(problem.retryable), "http_status": problem.http_status or 0, "detail": problem.detail_json}
    return attributes(problem, "status", "action", "retry_at_ms", "service_code", "where", "message", **named)


def sample_out(entry):
    return attributes(entry, "status", "time_ms", state=entry.state or 0, flags=int(entry.null_as_zero), value=entry.value or 0.0)


STRUCTS = {gputide.Sample: sample_out, gputide.Decision: decision_out, gputide.Floor: floor_out}
SEVERAL = {  # what gives several members of a result
    gputide.Findings: lambda handle: attributes(handle, "report", "lines") if handle.report else {},
    gputide.Diagnosis: lambda handle: attributes(handle, "report", "lines"),
    gputide.NodesPlan: lambda handle: attributes(handle, "json", "state") | {"summary": attributes(handle, *TABLES["SUMMARY"])},
    gputide.Token: lambda handle: {
        "token": handle.value,
        "info": attributes(handle, "usable_until_ms", expires_at_ms=handle.expires_ms, refresh_at_ms=handle.refresh_ms),
    },
    gputide.Event: lambda handle: {
        "event": attributes(handle, "kind", "id", "tag", "sequence", "observed_ms", "replaced", "name"),
        "decision": out(handle.decision),
        **({} if handle.report is None else {"report": handle.report}),
    },
}


# ---- a call, a line


class Call:
    """A call's arguments by their names, and its result.  What is absent is "", 0, None."""

    def __init__(self, arguments, things):
        self.arguments, self.things, self.result = arguments, things, {}

    def __contains__(self, name):
        return name in self.arguments

    def integer(self, name):
        return integer(self.arguments.get(name, 0))

    def real(self, name):
        return real(self.arguments.get(name, 0))

    def truth(self, name):
        return self.integer(name) != 0

    def text(self, name):
        return text(self.arguments.get(name, ""))

    def word(self, name):
        given = self.text(name)
        return given if isinstance(given, str) else given.decode()

    def seconds(self, name):
        return self.integer(name) / 1000

    def options(self, name):
        return options(self.arguments[name]) if name in self else None

    def runtime_options(self, name):
        return runtime_options(self.arguments.get(name, {}))

    def observation(self, name):
        return observation(self.arguments.get(name, {}))

    def samples(self, name):
        return [sample_in(entry) for entry in self.arguments.get(name, [])]

    def usage_sample(self, name):
        return [usage_in(argument) for argument in self.arguments[name]]

    def reals(self, name):
        return [real(entry) for entry in self.arguments.get(name, [])]

    def times(self, name):
        return [integer(argument) for argument in self.arguments[name]]

    integers = times

    @property
    def reports(self):
        return self.arguments.get("report") is True

    def handle(self, role):
        name = self.arguments[role]
        if name not in self.things:
            raise Missing(name)
        return self.things[name]

    def keep(self, thing):
        name = self.arguments["as"]
        if name in self.things and not isinstance(thing, (gputide.Decision, gputide.Floor)):
            raise TypeError(f"as: the name {name!r} is taken")
        self.things[name] = thing

    def run(self, function, member):
        try:
            value = function(self)
        except gputide.Error as error:
            if getattr(error, "sample", None) is not None:  # a failed read gives its sample beside the error
                self.result["sample"] = out(error.sample)
            raise
        if member == "recorded":
            self.result["decision"] = out(self.handle("decision"))
        elif member == "as":
            self.keep(value)
        elif type(value) in SEVERAL:
            self.result.update(SEVERAL[type(value)](value))
            if isinstance(value, gputide.Findings) and value.error is not None:
                raise value.error
            self.named(getattr(value, "decision", None))
        elif member == "event":
            self.result["error"] = error_out("no event came in time", gputide.Status.NO_DATA)
        elif member:
            self.result[member] = out(NEVER_MS if member == "next_ms" and value is None else value)
            if isinstance(value, gputide.Decision) and self.reports:
                self.result["report"] = value.report
            self.named(value)

    def named(self, value):
        if isinstance(value, (gputide.Decision, gputide.Floor)) and "as" in self:
            self.keep(value)


def at(names, index):
    return names[index] if 0 <= index < len(names) else None


def no_metric(index):
    return None if index == -1 else index


def feature_bits():
    return sum(1 << bit for bit, name in enumerate(TABLES["FEATURES"]) if name in gputide.features())


def result_of(call, function, member):
    try:
        call.run(function, member)
    except Missing as missing:
        return {"missing": str(missing)}
    except gputide.Error as error:
        call.result["error"] = error_out(error)
    except gputide.Closed as closed:
        call.result["error"] = error_out(closed, gputide.Status.STATE)
    except (ValueError, OverflowError) as problem:  # what this package refuses before C sees it
        call.result["error"] = error_out(problem, gputide.Status.INVALID)
    return call.result


def answer(line):
    reply, things = {"case": line["case"], "results": []}, {}
    for arguments in line["calls"]:
        try:
            reply["results"].append(result_of(Call(arguments, things), *TABLES["CALLS"][arguments["call"]]))
        except (KeyError, TypeError, AttributeError) as problem:
            reply["fault"] = f"{json.dumps(arguments)[:200]}: {problem!r}"
            break
    close(things, line.get("close", "reverse"))
    return {**reply, "alive": alive()}


def close(things, order):
    handles = [thing for thing in things.values() if hasattr(thing, "close")]
    things.clear()
    if order == "collect":
        del handles
        gc.collect()
        return
    for handle in reversed(handles) if order == "reverse" else handles:
        handle.close()


def alive():
    """Counts the handles; a collected runtime ends in the background."""
    deadline = time.monotonic() + 5
    while gputide.alive() and time.monotonic() < deadline:
        time.sleep(0.01)
    return gputide.alive()


def say(reply):
    sys.stdout.buffer.write(json.dumps(reply, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode() + b"\n")
    sys.stdout.buffer.flush()


def main():
    warnings.simplefilter("ignore", ResourceWarning)  # "close":"collect" forgets handles on purpose
    TABLES.update(runpy.run_path(sys.argv[1], globals()))
    hello = {"protocol": 1, "binding": "python", "version": gputide.__version__, "abi": gputide.ABI_VERSION}
    say({**hello, "library": gputide.library_path(), "calls": sorted(TABLES["CALLS"])})
    for line in sys.stdin.buffer:
        say(answer(json.loads(line)))


if __name__ == "__main__":
    main()

"""Every difference that is known: the deliberate ones, which docs/semantics.md names, and the open ones, which are faults that
somebody is at.  Each is recognized by what differs and by facts of its input, never by a message's text."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable
from typing import Any

from original import Difference


@dataclasses.dataclass(frozen=True)
class Known:
    original: str
    name: str
    reason: str
    holds: Callable[[Difference], bool]
    deliberate: bool = True


MAX_REPLICAS = 2**31 - 1


def saturates(one: Difference) -> bool:
    """A proposal beyond 32 bits, which the HPA lets wrap around, and what follows from it in the same pass."""
    return any(proposal in (MAX_REPLICAS, -MAX_REPLICAS - 1) for proposal in one.facts.get("proposals", []))


def at_no_pods(one: Difference) -> bool:
    """An average over 0 replicas."""
    return one.field.startswith("usage ") and one.facts["status_replicas"] == 0 and one.ours == 0


def no_pods(one: Difference) -> bool:
    """No pod is listed where a metric needs pods: the HPA does not decide then."""
    return one.facts.get("pods") == 0 and any(metric["failed"] and not metric["unread"] for metric in one.facts["metrics"])


def scale_reason(one: Difference) -> bool:
    return one.field == "message AbleToScale" and one.facts["reason"] in ("FailedGetScale", "FailedUpdateScale")


def first_failed(one: Difference) -> dict[str, Any]:
    """The metric that the words are about."""
    return next((metric for metric in one.facts.get("metrics", []) if metric["failed"]), {})


def text_of(one: Difference) -> bool:
    return one.field in ("message ScalingActive", "error")


def no_request(one: Difference) -> bool:
    return text_of(one) and bool(first_failed(one).get("lacks_request"))


def empty_answer(one: Difference) -> bool:
    metric = first_failed(one)
    return text_of(one) and bool(metric.get("empty")) and metric["type"] in ("Pods", "Resource", "ContainerResource")


def object_average(one: Difference) -> bool:
    metric = first_failed(one)
    return one.field == "error" and metric.get("type") == "Object" and metric["target"] == "AverageValue"


def size_reason(one: Difference) -> bool:
    return one.field == "message Ready" and bool(one.facts["unreadable"])


def not_finite(one: Difference) -> bool:
    """A formula's value that 64 bits do not hold: KEDA converts it as Go on amd64 does."""
    return one.field == "value" and one.theirs == -(2**63) and one.ours is None


def int_of_none(one: Difference) -> bool:
    """int() of what is no 64-bit number, also in the trial run with every trigger at -1."""
    refused = one.field == "admitted" and one.theirs is True or one.field == "value" and one.ours is None
    return refused and "int(" in one.facts["formula"]


def power(one: Difference) -> bool:
    """The last bit of a power, cut off to thousandths."""
    both = one.field == "value" and None not in (one.theirs, one.ours)
    return both and "**" in one.facts["formula"] and abs(one.theirs - one.ours) <= 1 + abs(one.theirs) * 2.0**-50


def sum_from_the_right(one: Difference) -> bool:
    """expr's optimizer makes a + (b + c) of sum([a, b, c]) (expr-lang/expr:optimizer/sum_array.go @v1.17.8): another last bit."""
    both = one.field == "value" and None not in (one.theirs, one.ours)
    return both and "sum([" in one.facts["formula"] and abs(one.theirs - one.ours) <= 1 + abs(one.theirs) * 2.0**-50


def underscores(one: Difference) -> bool:
    return one.field == "failed" and not one.facts["theirs"] and re.search(r"[0-9]_[0-9]", one.facts["body"]) is not None


def beyond_milli(one: Difference) -> bool:
    return one.field == "value" and one.ours == 2**63 - 1


def last_bit(one: Difference) -> bool:
    """An estimate that differs by one unit or less than a millionth: the ends of buckets and the confidence's factor are powers."""
    return one.ours is not None and abs(one.theirs - one.ours) <= 1 + abs(one.theirs) * 1e-6


def at_an_edge(one: Difference) -> bool:
    return bool(one.facts["tie"])


KNOWN = (
    Known("hpa", "saturation", "a proposal beyond 32 bits stays at the largest number; the HPA's wraps around", saturates),
    Known("hpa", "average over no pods", "an average at 0 replicas is 0; the HPA divides by 0 and shows what that gives", at_no_pods),
    Known("hpa", "no pods listed", "the library takes status replicas as pods where none is listed", no_pods, False),
    Known("hpa", "why the scale failed", "a host cannot say why the scale was not to be had, or was not written", scale_reason, False),
    Known("hpa", "which pod lacks a request", "the text does not name the container and the pod that lack a request", no_request, False),
    Known("hpa", "text of an empty answer", "a sample that is empty says that a query matched nothing, not that no metrics were returned", empty_answer, False),
    Known("hpa", "text of an Object average", "the pass's error lacks `failed to get M object metric: `", object_average, False),
    Known("keda executor", "why the size is unknown", "a host cannot say why the size was not to be had", size_reason, False),
    Known("keda formula", "not finite", "a formula that gives no number which 64 bits hold is an error", not_finite),
    Known("keda formula", "int of no number", "int() of what 64 bits do not hold is an error, also in the trial run at admission", int_of_none),
    Known("keda formula", "last bit of a power", "Go's math.Pow is off by the last bit of some powers, and values are cut off to thousandths", power, False),
    Known("keda formula", "sum from the right", "expr adds the members of a list that is written out from the right, the library from the left", sum_from_the_right, False),
    Known("keda prometheus", "underscores", "Go's ParseFloat takes 1_000 for 1000, also in an answer of a Prometheus", underscores, False),
    Known("keda prometheus", "saturation", "a value beyond 64 bits of thousandths stays at the largest number", beyond_milli),
    Known("vpa", "last bit of a power", "Go's math.Pow is off by the last bit of some powers, and estimates are cut to whole numbers after it", last_bit, False),
    Known("vpa", "edge of a bucket", "the sum of weights meets the percentile exactly, and the last bit of a weight decides", at_an_edge, False),
)  # fmt: skip


def known_of(original: str, one: Difference) -> Known | None:
    return next((known for known in KNOWN if known.original == original and known.holds(one)), None)


def unexplained(original: str, differences: list[Difference]) -> list[Difference]:
    return [one for one in differences if known_of(original, one) is None]

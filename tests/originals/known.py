"""Every difference that is known: the deliberate ones, which docs/semantics.md names, and the open ones, which are faults
to be fixed.  Each is recognized by what differs and by facts of its input, never by a message's text."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

from original import Difference


@dataclasses.dataclass(frozen=True)
class Known:
    original: str
    name: str
    reason: str
    holds: Callable[[Difference], bool]
    deliberate: bool = True


MAX_REPLICAS = 2**31 - 1


def saturates(difference: Difference) -> bool:
    """A proposal beyond 32 bits, which the HPA lets wrap around, and what follows from it in the same pass."""
    return any(proposal in (MAX_REPLICAS, -MAX_REPLICAS - 1) for proposal in difference.facts.get("proposals", []))


def at_no_pods(difference: Difference) -> bool:
    """An average over 0 replicas."""
    return difference.field.startswith("usage ") and difference.facts["status_replicas"] == 0 and difference.ours == 0


def which_pod(difference: Difference) -> bool:
    """Several pods lack a request: the HPA names the first that its cache lists, in an order of Go's maps."""
    text = difference.field in ("error", "message ScalingActive")
    return text and any(metric["failed"] and metric["lacking"] > 1 for metric in difference.facts["metrics"])


def not_finite(difference: Difference) -> bool:
    """A formula's value that 64 bits do not hold: KEDA converts it as Go on amd64 does."""
    return difference.field == "value" and difference.theirs == -(2**63) and difference.ours is None


def int_of_none(difference: Difference) -> bool:
    """int() of what is not a 64-bit number, also in the trial run with every trigger at -1."""
    refused = difference.field == "admitted" and difference.theirs is True or difference.field == "value" and difference.ours is None
    return refused and "int(" in difference.facts["formula"]


def fractional_power(difference: Difference) -> bool:
    """The last bit of a power with a fractional exponent, cut off to thousandths."""
    both = difference.field == "value" and None not in (difference.theirs, difference.ours)
    if not both or "** 1.5" not in difference.facts["formula"]:
        return False
    return abs(difference.theirs - difference.ours) <= 1 + abs(difference.theirs) * 2.0**-50


def beyond_milli(difference: Difference) -> bool:
    return difference.field == "value" and difference.ours == 2**63 - 1


def implicit_name(difference: Difference) -> bool:
    """A name of a class: of two DeviceClasses for one extended resource, the one that the scheduler meets second and does not prefer gets no
    name of its own either.  Which one that is depends on the order in which it lists them."""
    refused = any("Insufficient deviceclass.resource.kubernetes.io/" in why for why in difference.facts["why"].values())
    return refused and difference.facts["classes_of_a_resource"] > 1


KNOWN = (
    Known("hpa", "saturation", "a proposal beyond 32 bits stays at the largest number; the HPA's wraps around", saturates),
    Known("hpa", "average over no pods", "an average at 0 replicas is 0; the HPA divides by 0 and shows what that gives", at_no_pods),
    Known("hpa", "one of several pods", "of several pods without a request the HPA names any, in the order of its cache; here the first", which_pod),
    Known("keda formula", "not finite", "a formula that gives no number which 64 bits hold is an error", not_finite),
    Known("keda formula", "int of no number", "int() of what 64 bits do not hold is an error, also in the trial run at admission", int_of_none),
    Known("keda formula", "power of a fraction", "Go takes such an exponent through an exp in assembly, which is off by a last bit", fractional_power),
    Known("kube-scheduler", "class without its own name", "a class always serves deviceclass.resource.kubernetes.io/NAME, also beside a newer class for its extended resource", implicit_name),
    Known("keda prometheus", "saturation", "a value beyond 64 bits of thousandths stays at the largest number", beyond_milli),
)  # fmt: skip


def known_of(original: str, difference: Difference) -> Known | None:
    return next((known for known in KNOWN if known.original == original and known.holds(difference)), None)


def unexplained(original: str, differences: list[Difference]) -> list[Difference]:
    return [difference for difference in differences if known_of(original, difference) is None]

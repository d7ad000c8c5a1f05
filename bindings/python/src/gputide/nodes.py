"""How many GPU nodes of which pool waiting pods need, and which nodes may go: from texts alone, without network or clock."""

from __future__ import annotations

from ctypes import byref, sizeof
from dataclasses import dataclass

from ._abi import gputide_nodes_summary
from ._call import JsonText, Text, TextRoom, check, encoded, err
from ._load import library
from ._time import Instant, unix_ms


@dataclass(frozen=True)
class NodesPlan:
    """What a plan came to.  json: all of it with its reasons; state: for the next plan.
    errors, warnings: findings about the text; what could not be read was left out."""

    json: JsonText
    state: str
    errors: int
    warnings: int
    nodes_to_add: int
    nodes_to_remove: int
    pods_pending: int
    pods_on_existing: int
    pods_on_new: int
    pods_left: int


def plan_nodes(text: Text, state: Text = "", *, now: Instant | None = None) -> NodesPlan:
    """text: pools, nodes, pods and settings, and Kubernetes' own objects as kubectl prints them, one behind the other.
    state: what the last plan gave; "": there was none."""
    raw, saved = encoded(text), encoded(state)
    summary = gputide_nodes_summary(struct_size=sizeof(gputide_nodes_summary))
    json, following = TextRoom(), TextRoom()
    arguments = (raw, len(raw), saved, len(saved), unix_ms(now), byref(summary), json.reference, following.reference)
    check(library().nodes_plan(*arguments, err()))
    return NodesPlan(
        JsonText(json.take() or ""),
        following.take() or "",
        summary.errors,
        summary.warnings,
        summary.nodes_to_add,
        summary.nodes_to_remove,
        summary.pods_pending,
        summary.pods_on_existing,
        summary.pods_on_new,
        summary.pods_left,
    )


__all__ = ["NodesPlan", "plan_nodes"]

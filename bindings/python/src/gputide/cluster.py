"""A Kubernetes cluster without a runtime: its lists, read once, which plan_nodes takes, its diagnosis, and a ScaledObject that is
handed over from KEDA to gputide, or back."""

from __future__ import annotations

from ._call import JsonText, Text, TextBuffer, check, encoded, err, terminated
from ._load import library
from ._time import Duration, duration_ms
from ._waiting import Cancel, Wait
from .scaler import Diagnosis, diagnosis
from .values import Options, options_argument


def list_cluster(path: Text, options: Options | None = None, *, timeout: Duration = 60, cancel: Cancel | None = None) -> str:
    """One collection of an API server, whole: "/api/v1/nodes", "/api/v1/namespaces/ml/pods?labelSelector=app%3Dllm".
    The lists as the server wrote them, a page of it each, one behind the other.  options: which API server, and with which
    identity."""
    return _listing(path, options, timeout, cancel).here()


async def list_cluster_async(
    path: Text, options: Options | None = None, *, timeout: Duration = 60, cancel: Cancel | None = None
) -> str:
    return await _listing(path, options, timeout, cancel).awaited()


def _listing(path: Text, options: Options | None, timeout: Duration, cancel: Cancel | None) -> Wait[str]:
    raw, chosen = terminated(path, "path"), options_argument(options)

    def call(native: int, left_ms: int) -> str:
        lists = TextBuffer()
        check(library().cluster_list(raw, chosen, left_ms, native, lists.reference, err()))
        return lists.take() or ""

    return Wait(call, duration_ms(timeout), cancel)


def doctor_cluster(
    settings: Text = "", options: Options | None = None, *, timeout: Duration = 60, cancel: Cancel | None = None
) -> Diagnosis:
    """Whether a runtime could work on a cluster: its API server, the token, the kinds that are served, each right that is
    needed, the Lease.  Changes nothing there; a step that fails does not raise.
    settings, options: as for Runtime.attach_cluster, docs/kubernetes.md; they say what is needed, where, and with which
    identity."""
    return _examination(settings, options, timeout, cancel).here()


async def doctor_cluster_async(
    settings: Text = "", options: Options | None = None, *, timeout: Duration = 60, cancel: Cancel | None = None
) -> Diagnosis:
    return await _examination(settings, options, timeout, cancel).awaited()


def _examination(settings: Text, options: Options | None, timeout: Duration, cancel: Cancel | None) -> Wait[Diagnosis]:
    text, chosen = encoded(settings), options_argument(options)

    def call(native: int, left_ms: int) -> Diagnosis:
        return diagnosis(library().cluster_doctor, text, len(text), chosen, left_ms, native)

    return Wait(call, duration_ms(timeout), cancel)


def hand_over(change: Text, options: Options | None = None, *, timeout: Duration = 60, cancel: Cancel | None = None) -> JsonText:
    """Hand one ScaledObject over from a living KEDA to gputide, or back, unless `change` (JSON) is dry: how far it came, step by
    step (docs/json.md, cluster_handover).  What is refused or still waited for does not raise; calling again goes on.
    options: which API server, and with which identity."""
    return _handover(change, options, timeout, cancel).here()


async def hand_over_async(
    change: Text, options: Options | None = None, *, timeout: Duration = 60, cancel: Cancel | None = None
) -> JsonText:
    return await _handover(change, options, timeout, cancel).awaited()


def _handover(change: Text, options: Options | None, timeout: Duration, cancel: Cancel | None) -> Wait[JsonText]:
    raw, chosen = encoded(change), options_argument(options)

    def call(native: int, left_ms: int) -> JsonText:
        outcome = TextBuffer()
        check(library().cluster_handover(raw, len(raw), chosen, left_ms, native, outcome.reference, err()))
        return JsonText(outcome.take() or "")

    return Wait(call, duration_ms(timeout), cancel)


__all__ = ["doctor_cluster", "doctor_cluster_async", "hand_over", "hand_over_async", "list_cluster", "list_cluster_async"]

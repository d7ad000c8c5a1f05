"""Lists of a Kubernetes cluster, read once: what plan_nodes takes."""

from __future__ import annotations

from ._call import Text, TextRoom, check, err, terminated
from ._load import library
from ._time import Duration, duration_ms
from ._waiting import Cancel, Wait
from .values import Options, options_argument


def list_cluster(path: Text, options: Options | None = None, *, timeout: Duration = 60, cancel: Cancel | None = None) -> str:
    """One collection of an API server, whole: "/api/v1/nodes", "/api/v1/namespaces/ml/pods?labelSelector=app%3Dllm".
    The lists as the server wrote them, a page of it each, one behind the other.  options: which API server, and as whom."""
    return _listing(path, options, timeout, cancel).here()


async def list_cluster_async(
    path: Text, options: Options | None = None, *, timeout: Duration = 60, cancel: Cancel | None = None
) -> str:
    return await _listing(path, options, timeout, cancel).awaited()


def _listing(path: Text, options: Options | None, timeout: Duration, cancel: Cancel | None) -> Wait[str]:
    raw, chosen, timeout_ms = terminated(path, "path"), options_argument(options), duration_ms(timeout)

    def call(native: int) -> str:
        lists = TextRoom()
        check(library().cluster_list(raw, chosen, timeout_ms, native, lists.reference, err()))
        return lists.take() or ""

    return Wait(call, cancel)


__all__ = ["list_cluster", "list_cluster_async"]

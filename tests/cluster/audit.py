"""Reads from the API server's audit log which account wrote what, and when.

Tokens of one ServiceAccount are told apart by their own numbers (credential-id), so that each write has its instance.
"""
from __future__ import annotations

import datetime
import json
import pathlib
from dataclasses import dataclass
from typing import Any, Iterator

CREDENTIAL = "authentication.kubernetes.io/credential-id"


def seconds(text: str) -> float:
    """Parses "2026-11-22T18:00:00.123456Z", or with fewer digits."""
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()


@dataclass
class Request:
    began: float  # when the server got it
    ended: float
    by: str       # credential-id, or the user's name where he has none
    agent: str
    verb: str
    resource: str  # deployments/scale
    target: str    # namespace/name
    code: int
    sent: dict[str, Any]
    answered: dict[str, Any]


def requests(log: pathlib.Path, offset: int = 0) -> list[Request]:
    """Those from a place in the log on; a line under way is left for the next time."""
    return list(_requests(log, offset))


def _requests(log: pathlib.Path, offset: int) -> Iterator[Request]:
    with log.open("rb") as file:
        file.seek(offset)
        for line in file:
            if not line.endswith(b"\n"):
                return
            loads = json.loads(line)
            what = loads.get("objectRef", {})
            user = loads["user"]
            resource = "/".join(part for part in (what.get("resource", ""), what.get("subresource", "")) if part)
            yield Request(
                began=seconds(loads["requestReceivedTimestamp"]), ended=seconds(loads["stageTimestamp"]),
                by=user.get("extra", {}).get(CREDENTIAL, [user.get("username", "")])[0], agent=loads.get("userAgent", ""),
                verb=loads["verb"], resource=resource, target=f"{what.get('namespace', '')}/{what.get('name', '')}",
                code=loads.get("responseStatus", {}).get("code", 0), sent=loads.get("requestObject") or {},
                answered=loads.get("responseObject") or {})


def size_writes(seen: list[Request]) -> list[Request]:
    """Sizes that were written through the scale subresource, in order."""
    done = [entry for entry in seen if entry.resource.endswith("/scale") and entry.verb in ("update", "patch") and entry.code == 200]
    return sorted(done, key=lambda entry: entry.ended)


def lease_writes(seen: list[Request], lease: str) -> list[Request]:
    done = [entry for entry in seen if entry.resource == "leases" and entry.verb in ("create", "update") and entry.code in (200, 201)
            and f"{entry.answered['metadata']['namespace']}/{entry.answered['metadata']['name']}" == lease]
    return sorted(done, key=lambda entry: int(entry.answered["metadata"]["resourceVersion"]))


def unled(seen: list[Request], leases: dict[str, str]) -> list[str]:
    """Sizes that a process wrote without holding the Lease of that size then.  leases: target to Lease."""
    out = []
    for write in size_writes(seen):
        lease = leases.get(write.target)
        if lease is None:
            continue
        before = [lease_write for lease_write in lease_writes(seen, lease) if lease_write.ended <= write.ended]
        holder = before[-1] if before else None
        if holder is None or holder.by != write.by or not holder.answered["spec"].get("holderIdentity"):
            out.append(f"{write.target} by {write.by} while {holder.by if holder else 'no process'} held {lease}")
    return out

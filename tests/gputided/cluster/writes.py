"""Takes writes to an API server of the tests: sizes, statuses, annotations, events, Jobs, Leases.  Each is done as
kube-apiserver does it, and what a careful client would not send becomes a violation."""
from __future__ import annotations

import base64
import copy
import http.server
import json
import re
import time
from dataclasses import dataclass
from typing import Any, Callable

from cluster.objects import KINDS, Key, Objects, Refused

MICRO_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z")
AWAITED_S = 30.0  # for as many statuses at once as a test waits for
STATUS_S = 0.1    # and then for one more that should not come


class Lost(Exception):
    """The write was done, and its answer is lost."""


@dataclass
class Caller:
    """The identity of a token."""
    name: str
    identity: str = ""  # that he uses in Leases
    is_cut_off: bool = False  # his requests get no answer


@dataclass
class ScaleWrite:
    at: float
    caller: str
    target: str
    old: int
    new: int


class Writes(Objects):
    def __init__(self) -> None:
        super().__init__()
        self.writes: list[ScaleWrite] = []
        self.led_until: dict[str, tuple[str, float]] = {}  # Lease → its holder, until when by the server's clock
        self.before_put: Callable[[str], None] = lambda _: None  # just before a scale is written, with its target
        self.answer_scale: tuple[int, str] | None = None  # instead of writing one: code, reason
        self.after_job: Callable[[str], str] = lambda _: ""  # once a Job is stored, with its name: "cut", "500" loses the answer
        self.answer_job: tuple[int, str, str] | None = None  # instead of creating one: code, reason, message
        self.jobs: list[tuple[float, str, str, str]] = []  # when, caller, POST or DELETE, name: those that were carried out
        self.token_requests: list[tuple[str, dict[str, Any]]] = []  # namespace/name of an account, spec of the request
        self.tokens: list[str] = []            # those that were made
        self.token_life_s = 3600               # whatever is asked for
        self.token_claims: dict[str, Any] = {}  # instead of the right ones
        self.denies_tokens = False
        self.fail_leases = False
        self.denies_status = False
        self.statuses: list[str] = []          # namespace/name of each one written
        self.awaited_statuses = 0              # a status is held until so many were under way at once
        self.statuses_at_once = self.max_statuses_at_once = 0

    def scale(self, method: str, caller: Caller, kind: tuple[str, str], key: Key, query: dict[str, str], body: bytes) -> Any:
        if query != ({"fieldManager": "gputide"} if method == "PUT" else {}):
            self.violate(f"{method} scale with {query}")
        if method == "PUT":
            self.before_put("/".join(key))
        with self.changed:
            target = self.collections[kind].objects.get(key)
            if target is None:
                raise Refused(404, "NotFound", f'{kind[1]} "{key[1]}" not found')
            if method == "PUT":
                target = self.write_scale(caller, kind, key, target, json.loads(body))
            spec = {"replicas": target["spec"]["replicas"]} if target["spec"]["replicas"] else {}
            metadata = {name: target["metadata"][name] for name in ("name", "namespace", "uid", "resourceVersion")}
            return {"kind": "Scale", "apiVersion": "autoscaling/v1", "metadata": metadata, "spec": spec,
                    "status": {"replicas": target["status"]["replicas"], "selector": f"app={key[1]}"}}

    def token(self, kind: tuple[str, str], key: Key, query: dict[str, str], given: dict[str, Any]) -> Any:
        """Answers a TokenRequest with a token without a signature."""
        if query or (given.pop("apiVersion"), given.pop("kind"), list(given)) != ("authentication.k8s.io/v1", "TokenRequest", ["spec"]):
            self.violate(f"a TokenRequest of {sorted(given)} with {query}")
        if not 600 <= given["spec"].get("expirationSeconds", 0) <= 1 << 32:
            self.violate(f"a token for {given['spec'].get('expirationSeconds')} s")
        with self.changed:
            self.token_requests.append(("/".join(key), given["spec"]))
            if key not in self.collections[kind].objects:
                raise Refused(404, "NotFound", f'serviceaccounts "{key[1]}" not found')
        if self.denies_tokens:
            raise Refused(403, "Forbidden", f'serviceaccounts "{key[1]}" is forbidden: cannot create resource "serviceaccounts/token"')
        until = time.time() + self.token_life_s
        claims = {"sub": f"system:serviceaccount:{':'.join(key)}", "aud": given["spec"].get("audiences", ["https://kubernetes.default.svc"]),
                  "exp": int(until), "jti": len(self.tokens), **self.token_claims}
        parts = ({"alg": "RS256"}, claims, "signature")
        self.tokens.append(".".join(base64.urlsafe_b64encode(json.dumps(part).encode()).decode().rstrip("=") for part in parts))
        return {"kind": "TokenRequest", "apiVersion": "authentication.k8s.io/v1", "metadata": {"name": key[1], "namespace": key[0]},
                "spec": given["spec"], "status": {"token": self.tokens[-1], "expirationTimestamp": time.strftime(
                    "%Y-%m-%dT%H:%M:%SZ", time.gmtime(until))}}

    def status(self, of: http.server.BaseHTTPRequestHandler, kind: tuple[str, str], key: Key, query: dict[str, str],
               patch: dict[str, Any]) -> Any:
        """A merge patch; its members are replaced whole, which is what it says of everything but objects."""
        if of.headers.get("Content-Type") != "application/merge-patch+json" or query != {"fieldManager": "gputide"}:
            self.violate(f"PATCH status with {of.headers.get('Content-Type')} and {query}")
        if set(patch) != {"status"}:
            self.violate(f"a status patch of {sorted(patch)}")
        if self.denies_status:
            raise Refused(403, "Forbidden", 'scaledobjects.keda.sh is forbidden: cannot patch resource "scaledobjects/status"')
        self.take_time_for_status()
        with self.changed:
            found = self.collections[kind].objects.get(key)
            if found is None:
                raise Refused(404, "NotFound", f'{kind[1]} "{key[1]}" not found')
            if "finalizer.keda.sh" in found["metadata"].get("finalizers", []):
                self.violate(f"the status of {key} is KEDA's")
            self.statuses.append("/".join(key))
            return self.store(*kind, {**copy.deepcopy(found), "status": {**found.get("status", {}), **patch["status"]}})

    def take_time_for_status(self) -> None:
        with self.changed:
            self.statuses_at_once += 1
            self.max_statuses_at_once = max(self.max_statuses_at_once, self.statuses_at_once)
            self.changed.notify_all()
            self.changed.wait_for(lambda: self.max_statuses_at_once >= self.awaited_statuses, AWAITED_S)
        if self.awaited_statuses:
            time.sleep(STATUS_S)
        with self.changed:
            self.statuses_at_once -= 1

    def annotate(self, of: http.server.BaseHTTPRequestHandler, kind: tuple[str, str], key: Key, query: dict[str, str],
                 patch: dict[str, Any]) -> Any:
        """A merge patch of annotations; null takes one away."""
        metadata = patch["metadata"]
        if of.headers.get("Content-Type") != "application/merge-patch+json" or query != {"fieldManager": "gputide"}:
            self.violate(f"PATCH with {of.headers.get('Content-Type')} and {query}")
        if set(patch) != {"metadata"} or set(metadata) != {"resourceVersion", "annotations"}:
            self.violate(f"a patch of {patch}")
        with self.changed:
            deepcopy = copy.deepcopy(self.collections[kind].objects[key])
            if metadata["resourceVersion"] != deepcopy["metadata"]["resourceVersion"]:
                raise Refused(409, "Conflict", "the object has been modified; please apply your changes to the latest version")
            every = {**deepcopy["metadata"].get("annotations", {}), **metadata["annotations"]}
            deepcopy["metadata"]["annotations"] = {name: value for name, value in every.items() if value is not None}
            return {"kind": KINDS[kind], "apiVersion": kind[0], **self.store(*kind, deepcopy)}

    def event(self, of: http.server.BaseHTTPRequestHandler, space: str, name: str | None, given: dict[str, Any]) -> Any:
        """Made with all that kubectl shows, then counted by merge patches."""
        with self.changed:
            events = self.collections[("v1", "events")].objects
            if of.command == "POST" and not name:
                about = given["involvedObject"]
                if not (about.get("uid") and about["namespace"] == space == given["metadata"]["namespace"]):
                    self.violate(f"an event about {about} in {space}")
                if given["type"] not in ("Normal", "Warning") or len(given["message"].encode()) > 1024:
                    self.violate(f"an event of type {given['type']} with {len(given['message'])} characters")
                return self.store("v1", "events", given)
            if of.command != "PATCH" or of.headers.get("Content-Type") != "application/merge-patch+json":
                self.violate(f"{of.command} {of.path} with {of.headers.get('Content-Type')}")
            if (space, name) not in events:
                raise Refused(404, "NotFound", f'events "{name}" not found')
            return self.store("v1", "events", {**events[(space, name or "")], **given})

    def write_scale(self, caller: Caller, kind: tuple[str, str], key: Key, target: dict[str, Any],
                    given: dict[str, Any]) -> dict[str, Any]:
        metadata = given["metadata"]
        if (given.get("kind"), given.get("apiVersion")) != ("Scale", "autoscaling/v1"):
            self.violate(f"a scale of kind {given.get('kind')}")
        if (metadata.get("namespace"), metadata.get("name")) != key or not metadata.get("uid"):
            self.violate(f"a scale of {metadata} at {key}")
        if not metadata.get("resourceVersion"):
            self.violate("a scale without resourceVersion: it would overwrite")
        if "replicas" not in given["spec"]:
            self.violate("a scale without replicas: it would mean 0")
        now = time.monotonic()
        if not any(holder == caller.identity and now < until for holder, until in self.led_until.values()):
            self.violate(f"{caller.name} writes {key} and holds no Lease")
        if self.answer_scale is not None:
            raise Refused(*self.answer_scale, "no")
        if metadata.get("resourceVersion") != target["metadata"]["resourceVersion"]:
            raise Refused(409, "Conflict", "the object has been modified; please apply your changes to the latest version")
        new = given["spec"].get("replicas", 0)
        self.writes.append(ScaleWrite(now, caller.name, "/".join(key), target["spec"]["replicas"], new))
        written = copy.deepcopy(target)
        written["spec"]["replicas"] = new
        written["status"] = {"replicas": new, "readyReplicas": new}
        return self.store(*kind, written)

    def job(self, method: str, caller: Caller, space: str, name: str | None, query: dict[str, str],
            given: dict[str, Any]) -> Any:
        kind = ("batch/v1", "jobs")
        now = time.monotonic()
        with self.changed:
            if not any(holder == caller.identity and now < until for holder, until in self.led_until.values()):
                self.violate(f"{caller.name} sends {method} of a Job and holds no Lease")
            there = self.collections[kind].objects
            if method == "DELETE":
                if given.get("propagationPolicy") not in ("Background", "Foreground") or not given["preconditions"]["uid"]:
                    self.violate(f"a Job deleted with {given}")
                found = there.get((space, name or ""))
                if found is None:
                    raise Refused(404, "NotFound", f'jobs.batch "{name}" not found')
                if found["metadata"]["uid"] != given["preconditions"]["uid"]:
                    raise Refused(409, "Conflict", "the UID in the precondition does not match")
                self.jobs.append((now, caller.name, method, name or ""))
                self.delete(*kind, name or "", space)
                return {"kind": "Status", "apiVersion": "v1", "status": "Success"}
            self.check_job(space, query, given)
            own = given["metadata"]["name"]
            if self.answer_job is not None:
                raise Refused(*self.answer_job)
            if (space, own) in there:
                raise Refused(409, "AlreadyExists", f'jobs.batch "{own}" already exists')
            self.jobs.append((now, caller.name, method, own))
            stored = {**given, "metadata": {**given["metadata"], "uid": f"uid-of-{own}", "creationTimestamp": "2026-01-01T00:00:00Z"}}
            stored = copy.deepcopy(self.store(*kind, stored))
        ending = self.after_job(own)
        if ending == "cut":
            raise Lost
        if ending:
            raise Refused(int(ending), "", "etcdserver: request timed out")
        return {"kind": "Job", "apiVersion": kind[0], **stored}

    def check_job(self, space: str, query: dict[str, str], given: dict[str, Any]) -> None:
        metadata = given["metadata"]
        if query != {"fieldManager": "gputide"} or (given.get("kind"), given.get("apiVersion")) != ("Job", "batch/v1"):
            self.violate(f"a Job of kind {given.get('kind')} with {query}")
        owner = metadata["ownerReferences"][0]
        scaled_job = self.collections[("keda.sh/v1alpha1", "scaledjobs")].objects.get((space, owner["name"]))
        if metadata["namespace"] != space or scaled_job is None or scaled_job["metadata"]["uid"] != owner["uid"]:
            self.violate(f"a Job of {owner} in {space}")
        if metadata["labels"]["scaledjob.keda.sh/name"] != owner["name"]:
            self.violate(f"a Job that is not counted: {metadata['labels']}")

    def lease(self, method: str, space: str, name: str | None, body: bytes) -> Any:
        if self.fail_leases:
            raise Refused(500, "", "etcdserver: request timed out")
        kind = ("coordination.k8s.io/v1", "leases")
        with self.changed:
            held = self.collections[kind].objects
            if method == "GET" and name:
                found = held.get((space, name))
                if found is None:
                    raise Refused(404, "NotFound", f'leases.coordination.k8s.io "{name}" not found')
                return {"kind": "Lease", "apiVersion": kind[0], **found}
            given = json.loads(body)
            self.check_lease(given)
            key = (space, given["metadata"]["name"])
            if method == "POST" and name is None:
                if key in held:
                    raise Refused(409, "AlreadyExists", f'leases.coordination.k8s.io "{key[1]}" already exists')
            elif method == "PUT" and name == key[1]:
                if key not in held:
                    raise Refused(404, "NotFound", "gone")
                if not given["metadata"].get("resourceVersion"):
                    self.violate("a Lease without resourceVersion")
                    raise Refused(422, "Invalid", "metadata.resourceVersion: Invalid value: 0x0: must be specified for an update")
                if given["metadata"]["resourceVersion"] != held[key]["metadata"]["resourceVersion"]:
                    raise Refused(409, "Conflict", "the object has been modified")
            else:
                self.violate(f"{method} on the Lease {name}")
                raise Refused(405, "MethodNotAllowed", "no")
            spec = given["spec"]
            self.led_until[key[1]] = (spec["holderIdentity"], time.monotonic() + spec["leaseDurationSeconds"])
            return {"kind": "Lease", "apiVersion": kind[0], **self.store(*kind, given)}

    def check_lease(self, given: dict[str, Any]) -> None:
        spec = given["spec"]
        for time_name in ("acquireTime", "renewTime"):
            if not MICRO_TIME.fullmatch(spec[time_name]):
                self.violate(f"{time_name} is {spec[time_name]}: exactly six digits")
        if not isinstance(spec["leaseDurationSeconds"], int) or spec["leaseDurationSeconds"] < 1:
            self.violate(f"leaseDurationSeconds is {spec['leaseDurationSeconds']}")

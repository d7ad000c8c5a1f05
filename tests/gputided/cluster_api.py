"""A Kubernetes API server that keeps objects, on loopback over TLS: lists, watches, scales, Leases, Secrets.

It answers as kube-apiserver does and is stricter: what a careful client would not send becomes a violation, which the test
looks at when it ends.  So a path that does not exist, a write without resourceVersion, a wrong content type, a time without six
digits, a watch that asks for compression, a scale that somebody writes who does not hold the Lease at that moment.

    with ClusterApi(certificate, key) as api:
        api.callers["token"] = Caller("a", identity="instance-a")
        api.put("apps/v1", "deployments", deployment("llm", replicas=1))
"""
from __future__ import annotations

import bisect
import copy
import http.server
import json
import re
import threading
import time
import urllib.parse
from dataclasses import dataclass, field
from typing import Any, Callable

import tls_server

MICRO_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z")
KINDS = {("keda.sh/v1alpha1", "scaledobjects"): "ScaledObject",
         ("keda.sh/v1alpha1", "scaledjobs"): "ScaledJob", ("batch/v1", "jobs"): "Job", ("v1", "pods"): "Pod",
         ("keda.sh/v1alpha1", "triggerauthentications"): "TriggerAuthentication",
         ("keda.sh/v1alpha1", "clustertriggerauthentications"): "ClusterTriggerAuthentication",
         ("autoscaling/v2", "horizontalpodautoscalers"): "HorizontalPodAutoscaler",
         ("autoscaling/v2beta2", "horizontalpodautoscalers"): "HorizontalPodAutoscaler",  # until Kubernetes 1.25
         ("apps/v1", "deployments"): "Deployment", ("apps/v1", "statefulsets"): "StatefulSet",
         ("coordination.k8s.io/v1", "leases"): "Lease", ("v1", "secrets"): "Secret", ("v1", "configmaps"): "ConfigMap",
         ("v1", "events"): "Event"}
PATH = re.compile(r"/(?:api/(?P<core>v1)|apis/(?P<group>[a-z0-9.]+/v[0-9a-z]+))(?:/namespaces/(?P<space>[a-z0-9-]+))?"
                  r"/(?P<plural>[a-z]+)(?:/(?P<name>[a-z0-9.-]+))?(?:/(?P<sub>scale|status))?")
AWAITED_S = 30.0  # for as many statuses at once as a test waits for
STATUS_S = 0.1    # and then for one more that should not come
WATCH = {"watch", "allowWatchBookmarks", "resourceVersion", "timeoutSeconds", "labelSelector"}
LIST = {"limit", "continue", "labelSelector"}

Key = tuple[str, str]


class Refused(Exception):
    def __init__(self, code: int, reason: str, message: str) -> None:
        super().__init__(message)
        self.code, self.reason = code, reason


class Lost(Exception):
    """It was done, and nobody hears of it."""


@dataclass
class Caller:
    """Who has a token."""
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


@dataclass
class Collection:
    objects: dict[Key, dict[str, Any]] = field(default_factory=dict)
    events: list[tuple[int, str, dict[str, Any]]] = field(default_factory=list)  # version, type, object


def deployment(name: str, replicas: int, namespace: str = "ml") -> dict[str, Any]:
    return {"metadata": {"name": name, "namespace": namespace, "uid": f"uid-of-{name}"}, "spec": {"replicas": replicas},
            "status": {"replicas": replicas, "readyReplicas": replicas}}


class ClusterApi:
    def __init__(self, certificate: str, key: str) -> None:
        self.callers: dict[str, Caller] = {}
        self.collections: dict[tuple[str, str], Collection] = {kind: Collection() for kind in KINDS}
        self.version = 100
        self.compacted = 0                     # versions up to it are too old to be watched from
        self.changed = threading.Condition()
        self.violations: list[str] = []
        self.requests: list[tuple[str, str, str]] = []  # caller, method, path
        self.writes: list[ScaleWrite] = []
        self.led_until: dict[str, tuple[str, float]] = {}  # Lease → its holder, until when by the server's clock
        self.before_put: Callable[[str], None] = lambda _: None  # just before a scale is written, with its target
        self.answer_scale: tuple[int, str] | None = None  # instead of writing one: code, reason
        self.after_job: Callable[[str], str] = lambda _: ""  # once a Job is stored, with its name: "cut", "500" loses the answer
        self.answer_job: tuple[int, str, str] | None = None  # instead of creating one: code, reason, message
        self.jobs: list[tuple[float, str, str, str]] = []  # when, caller, POST or DELETE, name: those that were carried out
        self.fail_leases = False
        self.page_size = 2                     # of a list, at most: small, so that there are pages
        self.shown: dict[str, float] = {}      # "scaledobjects/llm" to when the last byte of its first event went, Unix time
        self.slow_lists: dict[str, float] = {}  # plural to seconds
        self.silent: set[str] = set()          # plurals whose watches tell nothing at present
        self.denies_status = False
        self.statuses: list[str] = []          # namespace/name of each one written
        self.awaited_statuses = 0              # a status is held until so many were under way at once
        self.statuses_at_once = self.most_statuses_at_once = 0
        self.denied: set[tuple[str, str, str]] = set()  # group, resource and verb that a review of rights refuses
        self.reviews: list[dict[str, str]] = []  # what was asked of it
        self.tells_user = True                 # SelfSubjectReview is served
        self.unserved: set[str] = set()        # plurals that discovery leaves out
        self.hpa_version = "autoscaling/v2"    # the one that is served
        self.forbids = False                   # every list and watch: one that has just started knows no rights yet
        self.cuts = 0                          # raised: every watch ends now
        self.cut_in_object = False             # and in the middle of a line
        self.is_ending = False
        self.server = tls_server.start(self.answer, certificate, key, 60)
        self.port: int = self.server.server_address[1]

    def __enter__(self) -> "ClusterApi":
        return self

    def __exit__(self, *_: object) -> None:
        self.is_ending = True
        with self.changed:
            self.changed.notify_all()
        self.server.shutdown()
        self.server.server_close()

    # ---- what a test does to the cluster ----------------------------------------------------------------------------------
    def put(self, group: str, plural: str, given: dict[str, Any]) -> None:
        with self.changed:
            self.store(group, plural, copy.deepcopy(given))

    def delete(self, group: str, plural: str, name: str, namespace: str = "ml") -> None:
        with self.changed:
            collection = self.collections[(group, plural)]
            gone = collection.objects.pop((namespace, name))
            self.version += 1
            gone = {**gone, "metadata": {**gone["metadata"], "resourceVersion": str(self.version)}}
            collection.events.append((self.version, "DELETED", gone))
            self.changed.notify_all()

    def get(self, group: str, plural: str, name: str, namespace: str = "ml") -> dict[str, Any]:
        with self.changed:
            return copy.deepcopy(self.collections[(group, plural)].objects[(namespace, name)])

    def replicas(self, name: str) -> int:
        count: int = self.get("apps/v1", "deployments", name)["spec"]["replicas"]
        return count

    def touch(self, name: str) -> None:
        """A status that a rollout writes: the version moves on, the size stays."""
        one = self.get("apps/v1", "deployments", name)
        one["status"]["observedGeneration"] = one["status"].get("observedGeneration", 0) + 1
        self.put("apps/v1", "deployments", one)

    def compact(self) -> None:
        """Every watch ends, and none goes on from where it was."""
        with self.changed:
            self.version += 1
            self.compacted = self.version
            self.cuts += 1
            self.changed.notify_all()

    def cut(self, in_object: bool = False) -> None:
        with self.changed:
            self.cut_in_object = in_object
            self.cuts += 1
            self.changed.notify_all()

    def holder(self, lease: str = "gputide", namespace: str = "ml") -> str:
        with self.changed:
            found = self.collections[("coordination.k8s.io/v1", "leases")].objects.get((namespace, lease))
            return found["spec"]["holderIdentity"] if found else ""

    # ---- under the lock ---------------------------------------------------------------------------------------------------
    def store(self, group: str, plural: str, one: dict[str, Any]) -> dict[str, Any]:
        collection = self.collections[(group, plural)]
        self.version += 1
        one["metadata"]["resourceVersion"] = str(self.version)
        key = (one["metadata"].get("namespace", ""), one["metadata"]["name"])
        kind = "MODIFIED" if key in collection.objects else "ADDED"
        collection.objects[key] = one
        collection.events.append((self.version, kind, copy.deepcopy(one)))
        self.changed.notify_all()
        return one

    # ---- one request ------------------------------------------------------------------------------------------------------
    def violate(self, text: str) -> None:
        self.violations.append(text)

    def answer(self, to: http.server.BaseHTTPRequestHandler) -> None:
        length = int(to.headers.get("Content-Length", "0"))
        body = to.rfile.read(length)
        try:
            caller = self.caller_of(to)
            self.requests.append((caller.name, to.command, to.path))
            while caller.is_cut_off and not self.is_ending:
                time.sleep(0.05)
            answer = self.route(to, caller, body)
        except Lost:
            to.close_connection = True
            return
        except Refused as why:
            self.send(to, why.code, {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure",
                                     "message": str(why), "reason": why.reason, "code": why.code})
            return
        if answer is not None:
            self.send(to, 201 if to.command == "POST" else 200, answer)

    @staticmethod
    def send(to: http.server.BaseHTTPRequestHandler, code: int, body: Any) -> None:
        data = json.dumps(body).encode()
        to.send_response(code)
        to.send_header("Content-Type", "application/json")
        to.send_header("Content-Length", str(len(data)))
        to.end_headers()
        to.wfile.write(data)

    def caller_of(self, of: http.server.BaseHTTPRequestHandler) -> Caller:
        header = of.headers.get("Authorization", "")
        if header.startswith("Bearer ") and header[7:] in self.callers:
            return self.callers[header[7:]]
        raise Refused(401, "Unauthorized", "Unauthorized")

    def about_itself(self, method: str, path: str, caller: Caller, body: bytes) -> Any:
        """Its version, the kinds that it serves, and what the caller is and may; None: the path is another one."""
        if path == "/version" and method == "GET":
            return {"major": "1", "minor": "36", "gitVersion": "v1.36.3", "platform": "linux/amd64"}
        group = path.removeprefix("/apis/")
        if method == "GET" and group in ("autoscaling/v2", "autoscaling/v2beta2") and group != self.hpa_version:
            self.refuse_version(group)
        if method == "GET" and group in {kind[0] for kind in KINDS}:
            names = [plural for version, plural in KINDS if version == group and plural not in self.unserved]
            if group == "keda.sh/v1alpha1" and not names:
                raise Refused(404, "NotFound", "the server could not find the requested resource")
            return {"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": group,
                    "resources": [{"name": name, "namespaced": True, "kind": KINDS[(group, name)]} for name in names]}
        if method != "POST" or not path.startswith(("/apis/authorization.k8s.io/v1/", "/apis/authentication.k8s.io/v1/")):
            return None
        given = json.loads(body)
        if path.endswith("/selfsubjectreviews") and self.tells_user:
            return {**given, "status": {"userInfo": {"username": f"system:serviceaccount:ml:{caller.name}"}}}
        if not path.endswith("/selfsubjectaccessreviews"):
            raise Refused(404, "NotFound", "the server could not find the requested resource")
        if (given.get("kind"), given.get("apiVersion")) != ("SelfSubjectAccessReview", "authorization.k8s.io/v1"):
            self.violate(f"a review of kind {given.get('kind')}")
        asked = given["spec"]["resourceAttributes"]
        if "/" in asked["resource"]:
            self.violate(f"a review of {asked['resource']}: the subresource has a member of its own")
        self.reviews.append(asked)
        resource = "/".join(filter(None, [asked["resource"], asked.get("subresource")]))
        allowed = (asked["group"], resource, asked["verb"]) not in self.denied
        return {**given, "status": {"allowed": allowed, **({"reason": "RBAC: allowed"} if allowed else {})}}

    def route(self, of: http.server.BaseHTTPRequestHandler, caller: Caller, body: bytes) -> Any:
        url = urllib.parse.urlsplit(of.path)
        if (about := self.about_itself(of.command, url.path, caller, body)) is not None:
            return about
        query = dict(urllib.parse.parse_qsl(url.query, keep_blank_values=True, strict_parsing=bool(url.query)))
        where = PATH.fullmatch(url.path)
        kind = (where["core"] or where["group"], where["plural"]) if where else ("", "")
        if not where or kind not in KINDS:
            self.violate(f"{of.command} {of.path}: there is no such path")
            raise Refused(404, "NotFound", "the server could not find the requested resource")
        if kind[1] == "horizontalpodautoscalers" and kind[0] != self.hpa_version:
            self.refuse_version(kind[0])
        if of.headers.get("Accept") != "application/json":
            self.violate(f"{of.path}: Accept is {of.headers.get('Accept')}")
        if of.command in ("PUT", "POST") and of.headers.get("Content-Type") != "application/json":
            self.violate(f"{of.command} {of.path}: Content-Type is {of.headers.get('Content-Type')}")
        space, name = where["space"] or "", where["name"]
        if where["sub"] == "status" and of.command == "PATCH" and kind[1] in ("scaledobjects", "scaledjobs"):
            return self.status(of, kind, (space, name), query, json.loads(body))
        if kind[1] == "scaledobjects" and of.command == "PATCH" and not where["sub"]:
            return self.annotate(of, kind, (space, name), query, json.loads(body))
        if kind == ("v1", "events"):
            return self.event(of, space, name, json.loads(body))
        if where["sub"] == "scale" and of.command in ("GET", "PUT"):
            return self.scale(of.command, caller, kind, (space, name), query, body)
        if kind[1] == "jobs" and of.command in ("POST", "DELETE"):
            return self.job(of.command, caller, space, name, query, json.loads(body))
        if kind[1] == "leases":
            return self.lease(of.command, space, name, body)
        if of.command != "GET" or where["sub"]:
            self.violate(f"{of.command} {of.path}: nobody may do that")
            raise Refused(403, "Forbidden", "no")
        if name:
            return self.one(kind, (space, name), query)
        if self.forbids:
            raise Refused(403, "Forbidden", f'{kind[1]} is forbidden: User "{caller.name}" cannot list resource "{kind[1]}"')
        if kind[1] in ("secrets", "configmaps"):
            self.violate(f"GET {of.path}: Secrets are read by name")
        return self.watch(of, kind, space, query) if "watch" in query else self.list(kind, space, query)

    def refuse_version(self, group: str) -> None:
        """The newer one may be looked for; the older one only where the newer one is not."""
        if group == "autoscaling/v2beta2" and "horizontalpodautoscalers" not in self.unserved:
            self.violate(f"{group} is asked for where {self.hpa_version} is served")
        raise Refused(404, "NotFound", "the server could not find the requested resource")

    def one(self, kind: tuple[str, str], key: Key, query: dict[str, str]) -> Any:
        if query:
            self.violate(f"a get with {query}")
        with self.changed:
            found = self.collections[kind].objects.get(key)
            if found is None:
                raise Refused(404, "NotFound", f'{kind[1]} "{key[1]}" not found')
            return {"kind": KINDS[kind], "apiVersion": kind[0], **found}

    @staticmethod
    def chosen(one: dict[str, Any], space: str, query: dict[str, str]) -> bool:
        wanted = [part.partition("=") for part in query.get("labelSelector", "").split(",") if part]
        labels = one["metadata"].get("labels", {})
        fits = all(labels.get(name) == value if equals else name in labels for name, equals, value in wanted)
        return space in ("", one["metadata"].get("namespace", "")) and fits

    def list(self, kind: tuple[str, str], space: str, query: dict[str, str]) -> Any:
        if set(query) - LIST:
            self.violate(f"a list with {sorted(set(query) - LIST)}")
        time.sleep(self.slow_lists.get(kind[1], 0))
        with self.changed:
            items = [one for _, one in sorted(self.collections[kind].objects.items()) if self.chosen(one, space, query)]
            first = int(query.get("continue", "0"))
            size = min(int(query.get("limit", "1000000")), self.page_size)
            more = {"continue": str(first + size)} if first + size < len(items) else {}
            return {"kind": KINDS[kind] + "List", "apiVersion": kind[0],
                    "metadata": {"resourceVersion": str(self.version), **more},
                    "items": copy.deepcopy(items[first:first + size])}

    def watch(self, of: http.server.BaseHTTPRequestHandler, kind: tuple[str, str], space: str,
              query: dict[str, str]) -> None:
        if set(query) - WATCH or query.get("allowWatchBookmarks") != "true" or not query.get("resourceVersion", "").isdigit():
            self.violate(f"a watch with {query}")
        if not 300 <= int(query.get("timeoutSeconds", "0")) < 600:
            self.violate(f"a watch for {query.get('timeoutSeconds')} s")
        if of.headers.get("Accept-Encoding"):
            self.violate(f"a watch with Accept-Encoding: {of.headers['Accept-Encoding']}")
        of.send_response(200)
        of.send_header("Content-Type", "application/json")
        of.send_header("Transfer-Encoding", "chunked")
        of.end_headers()
        seen, cuts = int(query["resourceVersion"]), self.cuts
        if seen < self.compacted:
            self.chunks(of, json.dumps({"type": "ERROR", "object": {
                "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure", "reason": "Expired", "code": 410,
                "message": f"too old resource version: {seen} ({self.compacted})"}}) + "\n")
            of.wfile.write(b"0\r\n\r\n")
            return
        marked = time.monotonic()
        while not self.is_ending:
            with self.changed:
                events = self.collections[kind].events
                newer = events[bisect.bisect_right(events, seen, key=lambda event: event[0]):]
                fresh = [(at, what, one) for at, what, one in newer if kind[1] not in self.silent and self.chosen(one, space, query)]
                seen_now = self.version  # before the wait: what comes during it is not seen yet
                if not fresh and self.cuts == cuts:
                    self.changed.wait(0.2)
            for at, what, one in fresh:
                event = {"type": what, "object": {"kind": KINDS[kind], "apiVersion": kind[0], **one}}
                sent = self.chunks(of, json.dumps(event) + "\n")
                self.shown.setdefault(f"{kind[1]}/{one['metadata']['name']}", sent)
                seen = at
            if self.cuts != cuts:
                if self.cut_in_object:
                    self.chunks(of, '{"type":"MODIFIED","object":{"meta')
                    of.close_connection = True
                    return
                break
            if not fresh and time.monotonic() - marked > 0.5:
                marked, seen = time.monotonic(), max(seen, seen_now)
                self.chunks(of, json.dumps({"type": "BOOKMARK", "object": {
                    "kind": KINDS[kind], "apiVersion": kind[0], "metadata": {"resourceVersion": str(seen)}}}) + "\n")
        of.wfile.write(b"0\r\n\r\n")

    @staticmethod
    def chunks(of: http.server.BaseHTTPRequestHandler, text: str) -> float:
        """In pieces whose borders mean nothing.  When the last one went: before its write, as another thread may run after it."""
        data = text.encode()
        for at in range(0, len(data), 37):
            piece = data[at:at + 37]
            sent = time.time()
            of.wfile.write(f"{len(piece):x}\r\n".encode() + piece + b"\r\n")
        of.wfile.flush()
        return sent

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
            self.most_statuses_at_once = max(self.most_statuses_at_once, self.statuses_at_once)
            self.changed.notify_all()
            self.changed.wait_for(lambda: self.most_statuses_at_once >= self.awaited_statuses, AWAITED_S)
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
            one = copy.deepcopy(self.collections[kind].objects[key])
            if metadata["resourceVersion"] != one["metadata"]["resourceVersion"]:
                raise Refused(409, "Conflict", "the object has been modified; please apply your changes to the latest version")
            every = {**one["metadata"].get("annotations", {}), **metadata["annotations"]}
            one["metadata"]["annotations"] = {name: value for name, value in every.items() if value is not None}
            return {"kind": KINDS[kind], "apiVersion": kind[0], **self.store(*kind, one)}

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
            self.violate(f"a Job that nobody counts: {metadata['labels']}")

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

"""A Kubernetes API server that keeps objects, on loopback over TLS: lists, watches, scales, Leases, Secrets.

It answers as kube-apiserver does and is stricter: what a careful client would not send becomes a violation, which the test
looks at when it ends.  So a path that does not exist, a write without resourceVersion, a wrong content type, a time without six
digits, a watch that asks for compression, a scale that is written without the Lease at that moment.

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
import time
import urllib.parse
from typing import Any

import certificates
from cluster.objects import KINDS, Key, Refused
from cluster.writes import Caller, Lost, Writes
from kubernetes_api import METADATA_ONLY, metadata_only

PATH = re.compile(r"/(?:api/(?P<core>v1)|apis/(?P<group>[a-z0-9.]+/v[0-9a-z]+))(?:/namespaces/(?P<space>[a-z0-9-]+))?"
                  r"/(?P<plural>[a-z]+)(?:/(?P<name>[a-z0-9.-]+))?(?:/(?P<sub>scale|status|token))?")
WATCH = {"watch", "allowWatchBookmarks", "resourceVersion", "timeoutSeconds", "labelSelector"}
LIST = {"limit", "continue", "labelSelector", "fieldSelector"}


class ClusterApi(Writes):
    def __init__(self, certificate: str, key: str) -> None:
        super().__init__()
        self.callers: dict[str, Caller] = {}
        self.requests: list[tuple[str, str, str]] = []  # caller, method, path
        self.page_size = 2                     # of a list, at most: small, so that there are pages
        self.shown: dict[str, float] = {}      # "scaledobjects/llm" to when the last byte of its first event went, Unix time
        self.slow_lists: dict[str, float] = {}  # plural to seconds
        self.silent: set[str] = set()          # plurals with silent watches
        self.expired: set[str] = set()         # plurals with watches that are answered 410, each time
        self.denied: set[tuple[str, str, str]] = set()  # group, resource and verb that a review of rights refuses
        self.forbidden: set[str] = set()       # plurals of which every list and watch is answered 403
        self.hidden: set[str] = set()          # plurals of which a list with a selector is answered 403
        self.reviews: list[dict[str, str]] = []  # what was asked of it
        self.tells_user = True                 # SelfSubjectReview is served
        self.metrics: dict[str, str] = {}      # path of external.metrics.k8s.io to the one value there
        self.unserved: set[str] = set()        # plurals that discovery leaves out
        self.authentication_fields = ["podIdentity", "azureServicePrincipal"]  # as KEDA 2.21's definitions have them
        self.hpa_version = "autoscaling/v2"    # the one that is served
        self.forbids = False                   # every list and watch: one that has just started knows no rights yet
        self.cuts = 0                          # raised: every watch ends now
        self.cut_in_object = False             # and in the middle of a line
        self.is_ending = False
        self.server = certificates.start_server(self.answer, certificate, key, 60)
        self.port: int = self.server.server_address[1]

    def __enter__(self) -> "ClusterApi":
        return self

    def __exit__(self, *_: object) -> None:
        self.is_ending = True
        with self.changed:
            self.changed.notify_all()
        self.server.shutdown()
        self.server.server_close()

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
            return {"major": "1", "minor": "37", "gitVersion": "v1.37.2", "platform": "linux/amd64"}
        if path == "/openapi/v3/apis/keda.sh/v1alpha1" and method == "GET":  # of TriggerAuthentications their fields
            fields: dict[str, Any] = {"spec": {"properties": dict.fromkeys(self.authentication_fields, {})}}
            return {"components": {"schemas": {"sh.keda.v1alpha1.TriggerAuthentication": {"properties": fields}}}}
        group = path.removeprefix("/apis/")
        if method == "GET" and group in ("autoscaling/v2", "autoscaling/v2beta2") and group != self.hpa_version:
            self.refuse_version(group)
        if method == "GET" and group in {kind[0].split("/")[0] for kind in KINDS if "/" in kind[0]}:
            versions = sorted({kind[0] for kind in KINDS if kind[0].startswith(group + "/")})
            listed = [{"groupVersion": version, "version": version.split("/")[1]} for version in versions]
            return {"kind": "APIGroup", "apiVersion": "v1", "name": group, "versions": listed, "preferredVersion": listed[0]}
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
        if url.path in self.metrics and of.command == "GET":
            now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
            return {"kind": "ExternalMetricValueList", "apiVersion": "external.metrics.k8s.io/v1beta1", "metadata": {},
                    "items": [{"metricName": "m", "metricLabels": {}, "timestamp": now, "value": self.metrics[url.path]}]}
        query = dict(urllib.parse.parse_qsl(url.query, keep_blank_values=True, strict_parsing=bool(url.query)))
        where = PATH.fullmatch(url.path)
        kind = (where["core"] or where["group"], where["plural"]) if where else ("", "")
        if not where or kind not in KINDS:
            self.violate(f"{of.command} {of.path}: there is no such path")
            raise Refused(404, "NotFound", "the server could not find the requested resource")
        if kind[1] == "horizontalpodautoscalers" and kind[0] != self.hpa_version:
            self.refuse_version(kind[0])
        is_list = of.command == "GET" and not where["name"] and "watch" not in query
        is_metadata_only = is_list and of.headers.get("Accept") == METADATA_ONLY
        if of.headers.get("Accept") != "application/json" and not is_metadata_only:
            self.violate(f"{of.path}: Accept is {of.headers.get('Accept')}")
        if of.command in ("PUT", "POST") and of.headers.get("Content-Type") != "application/json":
            self.violate(f"{of.command} {of.path}: Content-Type is {of.headers.get('Content-Type')}")
        space, name = where["space"] or "", where["name"]
        if where["sub"] == "status" and of.command == "PATCH" and kind[1] in ("scaledobjects", "scaledjobs"):
            return self.status(of, kind, (space, name), query, json.loads(body))
        if kind[1] == "scaledobjects" and of.command == "PATCH" and not where["sub"]:
            return self.annotate(of, kind, (space, name), query, json.loads(body))
        if kind == ("v1", "events") and of.command != "GET":
            return self.event(of, space, name, json.loads(body))
        if where["sub"] == "scale" and of.command in ("GET", "PUT"):
            return self.scale(of.command, caller, kind, (space, name), query, body)
        if where["sub"] == "token" and of.command == "POST" and kind[1] == "serviceaccounts":
            return self.token(kind, (space, name), query, json.loads(body))
        if kind[1] == "jobs" and of.command in ("POST", "DELETE"):
            return self.job(of.command, caller, space, name, query, json.loads(body))
        if kind[1] == "leases":
            return self.lease(of.command, space, name, body)
        if of.command != "GET" or where["sub"]:
            self.violate(f"{of.command} {of.path}: forbidden to all clients")
            raise Refused(403, "Forbidden", "no")
        if name:
            return self.stored(kind, (space, name), query)
        if self.forbids or kind[1] in self.forbidden or (kind[1] in self.hidden and {"labelSelector", "fieldSelector"} & set(query)):
            raise Refused(403, "Forbidden", f'{kind[1]} is forbidden: User "{caller.name}" cannot list resource "{kind[1]}"')
        if kind[1] in ("secrets", "configmaps"):
            self.violate(f"GET {of.path}: Secrets are read by name")
        if not is_list:
            return self.watch(of, kind, space, query)
        return metadata_only(self.list(kind, space, query)) if is_metadata_only else self.list(kind, space, query)

    def refuse_version(self, group: str) -> None:
        """The newer one may be looked for; the older one only where the newer one is not."""
        if group == "autoscaling/v2beta2" and "horizontalpodautoscalers" not in self.unserved:
            self.violate(f"{group} is asked for where {self.hpa_version} is served")
        raise Refused(404, "NotFound", "the server could not find the requested resource")

    def stored(self, kind: tuple[str, str], key: Key, query: dict[str, str]) -> Any:
        if query:
            self.violate(f"a get with {query}")
        with self.changed:
            found = self.collections[kind].objects.get(key)
            if found is None:
                raise Refused(404, "NotFound", f'{kind[1]} "{key[1]}" not found')
            return {"kind": KINDS[kind], "apiVersion": kind[0], **found}

    @staticmethod
    def chosen(entry: dict[str, Any], space: str, query: dict[str, str]) -> bool:
        wanted = [part.partition("=") for part in query.get("labelSelector", "").split(",") if part]
        for path, _, value in (part.partition("=") for part in query.get("fieldSelector", "").split(",") if part):
            field: Any = entry
            for name in {"source": "source.component"}.get(path, path).split("."):
                field = field.get(name, "") if field else ""
            if field != value:
                return False
        labels = entry["metadata"].get("labels", {})
        fits = all(labels.get(name) == value if equals else name in labels for name, equals, value in wanted)
        return space in ("", entry["metadata"].get("namespace", "")) and fits

    def list(self, kind: tuple[str, str], space: str, query: dict[str, str]) -> Any:
        if set(query) - LIST:
            self.violate(f"a list with {sorted(set(query) - LIST)}")
        time.sleep(self.slow_lists.get(kind[1], 0))
        with self.changed:
            items = [value for _, value in sorted(self.collections[kind].objects.items()) if self.chosen(value, space, query)]
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
        if kind[1] in self.expired:
            raise Refused(410, "Expired", "too old resource version")
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
                fresh = [(at, what, value) for at, what, value in newer if kind[1] not in self.silent and self.chosen(value, space, query)]
                seen_now = self.version  # before the wait: what comes during it is not seen yet
                if not fresh and self.cuts == cuts:
                    self.changed.wait(0.2)
            for at, what, value in fresh:
                event = {"type": what, "object": {"kind": KINDS[kind], "apiVersion": kind[0], **value}}
                sent = self.chunks(of, json.dumps(event) + "\n")
                self.shown.setdefault(f"{kind[1]}/{value['metadata']['name']}", sent)
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
        """Sends in pieces of arbitrary size.  When the last one went: before its write, as another thread may run after it."""
        data = text.encode()
        for at in range(0, len(data), 37):
            piece = data[at:at + 37]
            sent = time.time()
            of.wfile.write(f"{len(piece):x}\r\n".encode() + piece + b"\r\n")
        of.wfile.flush()
        return sent

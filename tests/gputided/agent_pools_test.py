"""A plan carried out on AKS, against Azure Resource Manager as far as one cluster's node pools go, as strict as the real one: which identity asks, with which API version, under
which ETag, with which members; an operation that is polled, not sooner than it was said.

Facts: Azure/azure-rest-api-specs Microsoft.ContainerService/aks (agentPools, 2025-05-01), and its LRO guide.
"""
from __future__ import annotations

import http.server
import json
import threading
import time
import unittest
import urllib.parse
from typing import Any

import harness
from harness import gputided

CLUSTER = ("/subscriptions/00000000-0000-0000-0000-000000000000/resourceGroups/ml/providers/"
           "Microsoft.ContainerService/managedClusters/aks")
API_VERSION = "2025-05-01"
OPERATION = "/subscriptions/00000000-0000-0000-0000-000000000000/providers/Microsoft.ContainerService/locations/eastus/operations/7"


def pool(name: str, count: int, **members: Any) -> dict[str, Any]:
    properties = {"vmSize": "Standard_NC40ads_H100_v5", "count": count, "enableAutoScaling": False, "mode": "User", "osType": "Linux",
                  "nodeTaints": ["sku=gpu:NoSchedule"], "nodeLabels": {"team": "ml"}, "spotMaxPrice": -1.0, "eTag": "etag-1",
                  "provisioningState": "Succeeded", "nodeImageVersion": "AKSUbuntu-2204", "currentOrchestratorVersion": "1.32.5"}
    return {"id": f"{CLUSTER}/agentPools/{name}", "name": name, "type": "Microsoft.ContainerService/managedClusters/agentPools",
            "properties": {**properties, **members}}


class Manager:
    """pools: by name; busy: another operation is under way; raced: so many writes meet a pool that has just changed; ends: the state
    that an operation comes to; polls: how often it goes on before."""

    def __init__(self, token: str, *pools: dict[str, Any], busy: bool = False, raced: int = 0, ends: str = "Succeeded", polls: int = 2,
                 forbidden: bool = False) -> None:
        self.token, self.busy, self.raced, self.ends, self.polls, self.forbidden = token, busy, raced, ends, polls, forbidden
        self.pools = {entry["name"]: entry for entry in pools}
        self.wrong: list[str] = []  # what the real one would have minded
        self.writes: list[dict[str, Any]] = []
        self.asked: list[str] = []
        self.not_before = 0.0
        manager = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                self.reply(*manager.read(self.path, dict(self.headers)))

            def do_PUT(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                self.reply(*manager.write(self.path, dict(self.headers), body))

            def reply(self, status: int, headers: dict[str, str], body: Any) -> None:
                data = json.dumps(body).encode()
                self.send_response(status)
                for name, value in {**headers, "Content-Type": "application/json", "Content-Length": str(len(data))}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *_: object) -> None:
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()

    def refused(self, path: str, headers: dict[str, str]) -> tuple[int, dict[str, str], Any] | None:
        self.asked.append(path)
        if headers.get("Authorization") != f"Bearer {self.token}":
            return 401, {"WWW-Authenticate": 'Bearer error="invalid_token"'}, error("InvalidAuthenticationToken", "The access token is invalid.")
        if self.forbidden:
            return 403, {}, error("AuthorizationFailed", "The client does not have authorization to perform action 'agentPools/write'.")
        if urllib.parse.parse_qs(urllib.parse.urlsplit(path).query).get("api-version") != [API_VERSION]:
            return 400, {}, error("MissingApiVersionParameter", "The api-version query parameter (?api-version=) is required for all requests.")
        return None

    def named(self, path: str) -> dict[str, Any] | None:
        prefix = f"{CLUSTER}/agentPools/"
        asked = urllib.parse.urlsplit(path).path
        return self.pools.get(asked[len(prefix):]) if asked.startswith(prefix) else None

    def read(self, path: str, headers: dict[str, str]) -> tuple[int, dict[str, str], Any]:
        if (no := self.refused(path, headers)) is not None:
            return no
        if urllib.parse.urlsplit(path).path == OPERATION:
            return self.poll()
        found = self.named(path)
        return (200, {}, found) if found else (404, {}, error("NotFound", "The agent pool was not found."))

    def poll(self) -> tuple[int, dict[str, str], Any]:
        if time.monotonic() < self.not_before:
            self.wrong.append("polled before the time that Retry-After named")
        self.polls -= 1
        self.not_before = time.monotonic() + 0.9
        if self.polls >= 0:
            return 200, {"Retry-After": "1"}, {"name": "7", "status": "InProgress", "startTime": "2026-11-22T10:00:00Z"}
        body = {"name": "7", "status": self.ends, "startTime": "2026-11-22T10:00:00Z", "endTime": "2026-11-22T10:05:00Z"}
        if self.ends != "Succeeded":
            body.update(error("AllocationFailed", "There is not enough capacity for Standard_NC40ads_H100_v5 in this region."))
        return 200, {}, body

    def write(self, path: str, headers: dict[str, str], body: bytes) -> tuple[int, dict[str, str], Any]:
        if (no := self.refused(path, headers)) is not None:
            return no
        found = self.named(path)
        if found is None:
            return 404, {}, error("NotFound", "The agent pool was not found.")
        if self.busy:
            return 409, {"Retry-After": "17"}, error("OperationNotAllowed", "Operation is not allowed because there's an in progress scale operation.")
        if self.raced > 0:
            self.raced -= 1
            found["properties"]["eTag"] += "1"
        if headers.get("If-Match") != found["properties"]["eTag"]:
            return 412, {}, error("PreconditionFailed", "The ETag does not match.")
        properties = json.loads(body)["properties"]
        kept = {name for name in found["properties"] if name not in ("eTag", "provisioningState", "nodeImageVersion", "currentOrchestratorVersion")}
        for name in kept - {"count", "minCount", "maxCount"}:
            if properties.get(name) != found["properties"][name]:
                self.wrong.append(f"{name} was {found['properties'][name]}, and is to be {properties.get(name)}")
        for name in set(properties) - kept:
            self.wrong.append(f"{name} is only the service's to write")
        if not headers.get("Content-Type", "").startswith("application/json"):
            self.wrong.append("the Content-Type is not JSON")
        self.writes.append(properties)
        found["properties"].update(properties, provisioningState="Scaling", eTag=found["properties"]["eTag"] + "2")
        self.not_before = time.monotonic() + 0.9
        return 201, {"Azure-AsyncOperation": f"{self.url}{OPERATION}?api-version={API_VERSION}", "Retry-After": "1"}, found


def error(code: str, message: str) -> dict[str, Any]:
    return {"error": {"code": code, "message": message}}


NOW = 1_800_000_000_000
TOKEN = harness.BEARER


def identity() -> tuple[str, str]:
    folder = harness.WORK / "arm"
    harness.write("arm/token", TOKEN)
    text = harness.write("identity.yaml", """apiVersion: keda.sh/v1alpha1
kind: TriggerAuthentication
metadata: {name: arm}
spec:
  podIdentity: {provider: bearer-file}
  configMapTargetRef: [{parameter: tokenFile, name: arm, key: file}]
---
apiVersion: v1
kind: ConfigMap
metadata: {name: arm}
data: {file: token}
""")
    return "@" + text, str(folder)


class AgentPools(unittest.TestCase):
    def carried_out(self, manager: Manager, *flags: str, jobs: int = 3) -> harness.Ran:
        self.addCleanup(manager.close)
        size = manager.pools["gpunp"]["properties"]["count"] if "gpunp" in manager.pools else 1
        cluster = harness.write("aks-plan.json", json.dumps({
            "pools": [{"id": "gpunp", "sku": "Standard_NC40ads_H100_v5", "size": size, "max": 9}],
            "groups": [{"name": "jobs", "count": jobs, "pod": {"requests": {"nvidia.com/gpu": 1}}}]}))
        credential, folder = identity()
        ran = gputided("nodes", "plan", "-f", cluster, "--at", str(NOW), "--aks", CLUSTER, "--arm-endpoint", manager.url, "--credential", credential,
                       "--secrets-dir", folder, *flags)
        self.assertEqual(manager.wrong, [])
        return ran

    def written(self, manager: Manager, *flags: str, **more: Any) -> harness.Ran:
        return self.carried_out(manager, "--write", *flags, **more)

    def test_without_write_nothing_is_changed(self) -> None:
        manager = Manager(TOKEN, pool("gpunp", 1))
        ran = self.carried_out(manager)
        self.assertEqual((ran.status, manager.writes), (0, []), ran)
        self.assertIn("gpunp: count 1 -> 4 would be written; give --write to write it", ran.err)

    def test_a_count_is_written_under_its_etag_and_followed_to_its_end(self) -> None:
        manager = Manager(TOKEN, pool("gpunp", 1))
        ran = self.written(manager)
        self.assertEqual(ran.status, 0, ran)
        self.assertEqual([write["count"] for write in manager.writes], [4])
        self.assertIn("gpunp: count 1 -> 4 is written; the operation succeeded", ran.err)
        self.assertEqual(sum("/operations/" in path for path in manager.asked), 3)

    def test_a_pool_without_an_etag_is_not_written(self) -> None:
        manager = Manager(TOKEN, pool("gpunp", 1, eTag=""))
        ran = self.written(manager)
        self.assertEqual((ran.status, manager.writes), (3, []), ran)
        self.assertIn("no properties.eTag", ran.err)

    def test_where_the_autoscaler_is_on_its_minimum_is_raised(self) -> None:
        manager = Manager(TOKEN, pool("gpunp", 1, enableAutoScaling=True, minCount=0, maxCount=9))
        ran = self.written(manager)
        self.assertEqual(ran.status, 0, ran)
        self.assertEqual([(write["minCount"], write["maxCount"], write["count"]) for write in manager.writes], [(4, 9, 4)])
        self.assertIn("gpunp: min 0 -> 4 is written", ran.err)

    def test_a_minimum_above_the_maximum_is_no_write(self) -> None:
        manager = Manager(TOKEN, pool("gpunp", 1, enableAutoScaling=True, minCount=0, maxCount=2))
        ran = self.written(manager)
        self.assertEqual((ran.status, manager.writes), (2, []), ran)
        self.assertIn("min 4 is above max 2", ran.err)

    def test_a_pool_that_changed_in_between_is_read_again(self) -> None:
        manager = Manager(TOKEN, pool("gpunp", 1), raced=2)
        ran = self.written(manager)
        self.assertEqual(ran.status, 0, ran)
        self.assertEqual(len(manager.writes), 1)
        ran = self.written(Manager(TOKEN, pool("gpunp", 1), raced=99))
        self.assertEqual(ran.status, 3, ran)
        self.assertIn("412", ran.err)

    def test_another_operation_is_left_alone_and_the_time_to_wait_is_told(self) -> None:
        manager = Manager(TOKEN, pool("gpunp", 1), busy=True)
        ran = self.written(manager)
        self.assertEqual((ran.status, manager.writes), (3, []), ran)
        self.assertIn("another operation is in progress on this cluster; nothing was written", ran.err)
        self.assertIn("in progress scale operation", ran.err)

    def test_an_operation_that_fails_says_why(self) -> None:
        ran = self.written(Manager(TOKEN, pool("gpunp", 1), ends="Failed", polls=0))
        self.assertEqual(ran.status, 3, ran)
        self.assertIn("ended with status Failed: AllocationFailed: There is not enough capacity", ran.err)

    def test_an_operation_that_outlasts_the_time_goes_on(self) -> None:
        ran = self.written(Manager(TOKEN, pool("gpunp", 1), polls=999), "--timeout-ms", "2500")
        self.assertEqual(ran.status, 0, ran)
        self.assertIn("gpunp: count 1 -> 4 is accepted; the operation still runs", ran.err)

    def test_who_may_not_is_told_what_is_missing(self) -> None:
        ran = self.written(Manager(TOKEN, pool("gpunp", 1), forbidden=True))
        self.assertEqual(ran.status, 3, ran)
        self.assertIn("Azure Kubernetes Service Contributor Role on the cluster", ran.err)
        ran = self.written(Manager("another-token", pool("gpunp", 1)))
        self.assertEqual(ran.status, 3, ran)
        self.assertIn("E_AUTH", ran.err)

    def test_a_pool_that_is_not_there(self) -> None:
        ran = self.written(Manager(TOKEN, pool("other", 1)))
        self.assertEqual(ran.status, 3, ran)
        self.assertIn("404", ran.err)

    def test_write_asks_for_a_cluster(self) -> None:
        ran = gputided("nodes", "plan", "-f", "x.json", "--write")
        self.assertEqual(ran.status, 2, ran)
        self.assertIn("--aks", ran.err)

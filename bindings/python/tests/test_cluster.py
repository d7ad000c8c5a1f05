"""Access to a cluster without a runtime: its lists, its diagnosis, the size of a node pool."""

from __future__ import annotations

import asyncio
import http.server
import json
import tempfile
import unittest
from pathlib import Path
from typing import Any

import gputide

from .support import Loopback, silent_peer

NODE = {"metadata": {"name": "one"}, "status": {"allocatable": {"cpu": "4", "memory": "8Gi", "pods": "110"}}}


class ApiServer(Loopback):
    """Two pages of nodes."""

    def answer(self, asked: http.server.BaseHTTPRequestHandler) -> tuple[int, Any]:
        metadata = {} if "continue=2" in asked.path else {"continue": "2"}
        status = 200 if asked.headers["Authorization"] == "Bearer t" else 401
        return status, {"kind": "NodeList", "apiVersion": "v1", "metadata": metadata, "items": [NODE]}


class WithKubeconfig(unittest.TestCase):
    def options(self, address: str) -> gputide.Options:
        folder: Any = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        file = Path(folder.name, "kubeconfig")
        file.write_text(
            json.dumps(
                {
                    "apiVersion": "v1",
                    "kind": "Config",
                    "current-context": "c",
                    "contexts": [{"name": "c", "context": {"cluster": "c", "user": "u"}}],
                    "clusters": [{"name": "c", "cluster": {"server": address}}],
                    "users": [{"name": "u", "user": {"token": "t"}}],
                }
            )
        )
        return gputide.Options(kubeconfig=str(file))


class Lists(WithKubeconfig):
    def test_pages_become_a_plan(self) -> None:
        with ApiServer() as server:
            lists = gputide.list_cluster("/api/v1/nodes", self.options(server.address))
            self.assertEqual(asyncio.run(gputide.list_cluster_async("/api/v1/nodes", self.options(server.address))), lists)
        self.assertEqual([json.loads(entry)["items"] for entry in lists.splitlines()], [[NODE], [NODE]])
        self.assertEqual(gputide.plan_nodes(lists, now=1_795_255_200_000).errors, 1)  # the same name twice

    def test_what_is_refused(self) -> None:
        with self.assertRaisesRegex(gputide.Invalid, "expected a collection such as /api/v1/nodes"):
            gputide.list_cluster("/healthz")
        with silent_peer() as address, self.assertRaises(gputide.Timeout):
            gputide.list_cluster("/api/v1/nodes", self.options(address), timeout=0.2)


class Diagnoses(WithKubeconfig):
    def test_an_api_server_that_is_not_there(self) -> None:
        options = self.options("http://127.0.0.1:9")
        found = gputide.doctor_cluster("{namespaces: [ml], lease: {namespace: ml}}", options, timeout=10)
        self.assertEqual((found.report.data["verdict"], found.report.data["namespace"]), ("failed", "ml"))
        self.assertRegex(found.lines, r"^http://127\.0\.0\.1:9: fails at step endpoint")
        self.assertEqual(asyncio.run(gputide.doctor_cluster_async(options=options, timeout=10)).lines, found.lines)

    def test_settings_that_cannot_be_read(self) -> None:
        with self.assertRaisesRegex(gputide.Invalid, "nope"):
            gputide.doctor_cluster("nope: 1", self.options("http://127.0.0.1:9"))


class OneOfKedas(Loopback):
    """A ScaledObject that KEDA looks after, and no HPA."""

    def answer(self, asked: http.server.BaseHTTPRequestHandler) -> tuple[int, Any]:
        if "/horizontalpodautoscalers" in asked.path:
            return 200, {"kind": "HorizontalPodAutoscalerList", "apiVersion": "autoscaling/v2", "metadata": {}, "items": []}
        metadata = {"name": "llm", "namespace": "ml", "resourceVersion": "7", "finalizers": ["finalizer.keda.sh"]}
        return 200, {"kind": "ScaledObject", "apiVersion": "keda.sh/v1alpha1", "metadata": metadata}


class Handovers(WithKubeconfig):
    def test_what_would_be_done(self) -> None:
        change = json.dumps({"namespace": "ml", "name": "llm", "to": "gputide"})
        with OneOfKedas() as server:
            outcome = gputide.hand_over(change, self.options(server.address)).data
            self.assertEqual(asyncio.run(gputide.hand_over_async(change, self.options(server.address))).data, outcome)
        self.assertEqual((outcome["result"], outcome["steps"][0]["state"]), ("planned", "planned"))

    def test_a_change_of_nothing(self) -> None:
        with self.assertRaisesRegex(gputide.Invalid, "namespace"):
            gputide.hand_over("name: llm", self.options("http://127.0.0.1:9"))


class AgentPools(unittest.TestCase):
    def test_a_change_that_is_none(self) -> None:
        options = gputide.Options(allowed_programs=["az"])
        with gputide.Credential("provider: azure-cli", options) as credential, self.assertRaisesRegex(gputide.Invalid, "cluster"):
            credential.write_agent_pool(json.dumps({"cluster": "aks", "pool": "gpunp"}))

"""A proxy of the environment: named wherever it is used, with texts of its own when it fails."""
from __future__ import annotations

import json
from typing import Any

import manifests
from harness import Daemon, gputided
from prometheus_server import free_port
from run_test import FAST, WithServer


class Proxies(WithServer):
    def setUp(self) -> None:
        super().setUp()
        self.place = f"127.0.0.1:{self.server.port}"
        self.server.faults["http:"] = self.server.faults["good"]  # a request through a proxy begins "GET http://host/..."

    def manifest(self, address: str) -> str:
        return manifests.saved("proxied.yaml", manifests.scaled_object(address, annotations=FAST, spec={"pollingInterval": 1}))

    def doctor(self, address: str, env: dict[str, str]) -> dict[str, Any]:
        ran = gputided("doctor", "-f", self.manifest(address), "--current", "1", "--output", "json", env=env)
        steps: list[dict[str, Any]] = json.loads(ran.out)["triggers"][0]["steps"]
        return {step["step"]: step for step in steps}

    def test_a_proxy_that_works_is_named(self) -> None:
        env = {"http_proxy": f"http://user:planted-secret@{self.place}"}
        steps = self.doctor("http://prom.corp.example:9090", env)
        self.assertEqual(steps["proxy"]["verdict"], "ok")
        self.assertIn(f"requests to http://prom.corp.example:9090 go through the proxy {self.place} (http_proxy)", steps["proxy"]["seen"])
        self.assertNotIn("planted-secret", json.dumps(steps))
        with Daemon("-f", self.manifest("http://prom.corp.example:9090"), "--dry-run", "--current", "1", env=env) as daemon:
            daemon.wait_for(lambda: "[proxy_used]" in daemon.err)
            self.assertIn(f"http://prom.corp.example:9090: is reached through the proxy {self.place} (http_proxy)", daemon.err)
            self.assertIn('gputide_problem{code="proxy_used",namespace="",name="http://prom.corp.example:9090"} 1', daemon.get("/metrics")[2])

    def test_a_proxy_that_refuses_the_connection(self) -> None:
        place = f"127.0.0.1:{free_port()}"
        ran = gputided("eval", "-f", self.manifest("http://prom.corp.example:9090"), "--current", "1", env={"http_proxy": f"http://{place}"})
        self.assertIn(f"cannot connect to the proxy {place} (http_proxy) on the way to prom.corp.example:9090: Connection refused. "
                      "Start or correct the proxy, or put the host into no_proxy", ran.err)
        steps = self.doctor("http://prom.corp.example:9090", {"http_proxy": f"http://{place}"})
        self.assertEqual(steps["proxy"]["verdict"], "failed")
        self.assertIn("add prom.corp.example to no_proxy", steps["proxy"]["fix"])

    def test_a_proxy_that_wants_a_password(self) -> None:
        self.server.faults["http:"] = lambda to, request: to.answer("no", "407 Proxy Authentication Required", 'Proxy-Authenticate: Basic realm="x"')
        self.server.faults["prom.corp.example:443"] = self.server.faults["http:"]  # CONNECT
        for address, variable in (("http://prom.corp.example:9090", "http_proxy"), ("https://prom.corp.example", "https_proxy")):
            with self.subTest(address):
                env = {variable: f"http://{self.place}"}
                ran = gputided("eval", "-f", self.manifest(address), "--current", "1", env=env)
                self.assertIn(f"the proxy {self.place} ({variable}) requires a user name and password (HTTP 407)", ran.err)
                self.assertEqual(self.doctor(address, env)["proxy"]["verdict"], "failed")

    def test_a_proxy_that_refuses_connect(self) -> None:
        self.server.faults["prom.corp.example:443"] = lambda to, request: to.answer("no", "403 Forbidden")
        ran = gputided("eval", "-f", self.manifest("https://prom.corp.example"), "--current", "1", env={"https_proxy": f"http://{self.place}"})
        self.assertIn(f"the proxy {self.place} (https_proxy) rejects a connection to prom.corp.example:443 (CONNECT: HTTP 403)", ran.err)

    def test_no_proxy_is_followed(self) -> None:
        ran = gputided("eval", "-f", self.manifest("http://prom.invalid:9090"), "--current", "1",
                       env={"http_proxy": f"http://{self.place}", "no_proxy": "invalid"})
        self.assertIn("cannot be resolved", ran.err)
        self.assertNotIn("proxy", ran.err)

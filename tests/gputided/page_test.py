"""The status page in a headless Chromium: real values, no markup from outside, no request to elsewhere."""
from __future__ import annotations

import html
import http.server
import json
import re
import socket
import socketserver
import subprocess
import tempfile
import threading
import time
import unittest
import urllib.request
from typing import Any

import harness
import chromium
import manifests
from chromium import Browser
from harness import Daemon
from run_test import FAST, WithServer

# Chromium asks for its own updates and the time; the recorder lets none of that out.
BROWSERS_OWN = re.compile(r"(CONNECT |GET http://)([a-z0-9-]+\.)+(google|googleapis|gvt1)\.com[:/]")
HOSTILE = "<img src=x onerror=\"document.title='taken'\"><script>document.title='taken'</script>"


class Recorder(socketserver.ThreadingTCPServer):
    """A proxy that carries nothing but what goes to loopback, and keeps every request line."""

    allow_reuse_address = True
    daemon_threads = True

    def __init__(self) -> None:
        self.asked: list[str] = []
        super().__init__(("127.0.0.1", 0), Relay)
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.server_address[1]}"


class Relay(http.server.BaseHTTPRequestHandler):
    server: Recorder

    def do_CONNECT(self) -> None:
        self.server.asked.append(f"CONNECT {self.path}")
        self.send_error(403)

    def do_GET(self) -> None:
        self.server.asked.append(f"GET {self.path}")
        if not self.path.startswith("http://127.0.0.1:"):
            self.send_error(403)
            return
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(self.path, timeout=harness.PATIENCE_S) as answer:
            body = answer.read()
            self.send_response(answer.status)
            for name, value in answer.headers.items():
                if name.lower() not in ("connection", "transfer-encoding"):
                    self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        pass


def browse(url: str, *flags: str) -> str:
    with tempfile.TemporaryDirectory(prefix="gputided-chromium.") as profile:
        ran = subprocess.run(
            [chromium.PROGRAM, *chromium.FLAGS, f"--user-data-dir={profile}", "--virtual-time-budget=8000", *flags, url],
            env=harness.surroundings(), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, timeout=90, check=False)
    return ran.stdout


def text_of(dom: str) -> str:
    body = re.sub(r"(?s)<(script|style)\b.*?</\1>", "", dom)
    return html.unescape(re.sub(r"<[^>]*>", " ", body))


@unittest.skipUnless(chromium.PROGRAM, "chromium is not installed")
class InABrowser(WithServer):
    def test_it_shows_what_the_daemon_knows(self) -> None:
        self.server.value = "42.5"
        with Daemon("-f", self.fast(), "--exec", "true", "--current", "3") as daemon:
            daemon.wait_for(lambda: len(daemon.decisions) >= 4)
            dom = browse(daemon.url() + "/", "--dump-dom")
            seen = text_of(dom)
            for expected in ("all well", "1 scaler, ", "default/gpu", "replicas, of 1 to 20", "42.5", "target 5 per replica",
                             "active above 0", str(daemon.decisions[-1]["desired_replicas"])):
                self.assertIn(expected, seen)
            self.assertGreaterEqual(len(re.findall(r'<path class="value" d="M', dom)), 2, "replicas and one metric are drawn")
            self.assertIn('<path class="target" d="M', dom)

    def test_failures_come_first(self) -> None:
        folder = harness.WORK / "page.d"
        for name, fault in (("a-good", "good"), ("z-bad", "503")):
            price = {"gputide.io/cost-per-gpu-hour": "3.4"} if name == "z-bad" else {}
            manifests.saved(f"page.d/{name}.yaml", manifests.scaled_object(
                self.server.url(fault), name=name, annotations={**FAST, **price}, spec={"pollingInterval": 1}))
        with Daemon("-f", str(folder), "--dry-run", "--current", "1") as daemon:
            daemon.wait_for(lambda: {decision["name"] for decision in daemon.decisions} == {"a-good", "z-bad"})
            seen = text_of(browse(daemon.url() + "/", "--dump-dom"))
        self.assertIn("1 problem ", seen)
        self.assertIn("2 scalers, 2 replicas, 2 GPUs, 3.40 an hour for 1 of them", seen)
        self.assertIn("E_UNAVAILABLE", seen)
        self.assertIn("gputided doctor on its manifest names the first step that fails", seen)
        self.assertLess(seen.rindex("default/z-bad"), seen.rindex("default/a-good"), "the cards' order")

    def test_texts_are_texts_and_nobody_else_is_asked(self) -> None:
        self.server.faults["hostile"] = lambda to, request: to.answer(
            json.dumps({"status": "error", "errorType": "bad_data", "error": HOSTILE}), "400 Bad Request")
        so = manifests.scaled_object(self.server.url("hostile"), annotations=FAST, spec={"pollingInterval": 1})
        so["spec"]["triggers"][0]["name"] = HOSTILE
        recorder = Recorder()
        self.addCleanup(recorder.server_close)
        self.addCleanup(recorder.shutdown)
        name = "<b>so</b>\"'.yaml"
        with Daemon("-f", manifests.saved(name, so), "--dry-run", "--current", "1") as daemon:
            daemon.wait_for(lambda: len(daemon.decisions) >= 2)
            dom = browse(daemon.url() + "/", "--dump-dom", f"--proxy-server=http://{recorder.address}",
                         "--proxy-bypass-list=<-loopback>")
            self.assertIn("onerror", text_of(dom), "the text is there")
            self.assertNotIn("<img", dom)
            self.assertNotIn("<title>taken", dom)
            self.assertEqual(dom.count("<script"), 1)
            port = daemon.url().rsplit(":", 1)[1]
            self.assertTrue(any("/status.json" in entry for entry in recorder.asked), recorder.asked)
            elsewhere = [entry for entry in recorder.asked
                         if not entry.startswith(f"GET http://127.0.0.1:{port}/") and not BROWSERS_OWN.match(entry)]
            self.assertEqual(elsewhere, [])
            self.assertNotIn("google", dom)


class Fallback(WithServer):
    def test_page_and_decisions_say_one_thing_while_it_decides(self) -> None:
        """KEDA's half alone is due in between, and after a write neither: what held the size goes on holding it."""
        file = manifests.saved("fallback.yaml", manifests.scaled_object(
            self.server.url("503"), annotations={"gputide.io/sync-period": "2s"},
            spec={"pollingInterval": 1, "fallback": {"failureThreshold": 1, "replicas": 5}}))
        with Daemon("-f", file, "--exec", "true", "--current", "1") as daemon:
            def scaler() -> dict[str, Any]:
                return dict(json.loads(daemon.get("/status.json")[2])["scalers"][0])
            daemon.wait_for(lambda: scaler().get("limited_by") == "fallback")
            seen = set()
            since = scaler()["decisions"]
            while scaler()["decisions"] < since + 6:
                now = scaler()
                seen.add((now["limited_by"], re.sub(r"^\d+ (→|stays) 5", "", now["why"])))
            self.assertEqual({limit for limit, _ in seen}, {"fallback"})
            self.assertTrue(all("the fallback's size" in why for _, why in seen), seen)
            self.assertEqual({line["limited_by"] for line in daemon.decisions[-5:]} - {"not_due"}, {"fallback"})


@unittest.skipUnless(chromium.PROGRAM, "chromium is not installed")
class Looked(WithServer):
    def put(self, folder: str, name: str, *, file: str = "", space: str = "default", fault: str = "good", trigger: str = "", sync: str = "1s",
            **spec: Any) -> str:
        so = manifests.scaled_object(self.server.url(fault), name=name, query=f"avg(x{{model=\"{space}\"}})",
                                     annotations={"gputide.io/sync-period": sync},
                                     spec={"pollingInterval": 1, **spec})
        so["metadata"]["namespace"] = space
        if trigger:
            so["spec"]["triggers"][0]["name"] = trigger
        return manifests.saved(f"{folder}/{file or name + '.yaml'}", so)

    def test_a_card_shows_names_queries_a_scale_and_changes(self) -> None:
        self.server.value = "37"
        self.put("card.d", "llm", trigger="gpu_busy")
        with Daemon("-f", str(harness.WORK / "card.d"), "--exec", "true", "--current", "1") as daemon, Browser() as browser:
            daemon.wait_for(lambda: len(daemon.decisions) >= 4)
            browser.open(daemon.url() + "/")
            browser.wait_until("document.querySelectorAll('.plot path.value').length >= 2")
            self.assertTrue(browser.ask("document.querySelector('#metrics, .card').innerText.includes('gpu_busy')"))
            scales = browser.ask("[...document.querySelectorAll('.scale')].map(one => one.innerText.split(/\\s+/))")
            self.assertEqual(scales[1], ["40", "20", "0"], "37 in all, target 5 for each of 8")
            self.assertFalse(browser.ask("document.querySelector('.query code').checkVisibility()"), "on demand")
            browser.ask("document.querySelector('.query summary').click()")
            self.assertEqual(browser.ask("document.querySelector('.query code').innerText"), 'avg(x{model="default"})')
            browser.ask("document.querySelector('#changes summary').click()")
            changes = browser.wait_until("document.querySelector('#changes ol').innerText")
            self.assertRegex(changes, r"(?s)default/llm\s+1 → \d\s+the rate of scaling up limits it; .*above target; gpu_busy is 37, asks for 8")
            browser.photograph(str(harness.WORK / "card.png"))

    def test_what_is_not_as_it_should_be(self) -> None:
        self.server.faults["empty"] = lambda to, request: to.answer(json.dumps({"status": "success", "data": {"resultType": "vector", "result": []}}))
        self.put("odd.d", "empty", fault="empty", minReplicaCount=0)
        for i in range(3):
            harness.write(f"odd.d/broken{i}.yaml", "a: [")
        self.put("odd.d", "refused", fault="refused")
        long = "x" * 900
        self.server.faults["long"] = lambda to, request: to.answer(json.dumps({"status": "error", "errorType": "bad_data", "error": long}), "400 Bad Request")
        self.put("odd.d", "long", fault="long")
        with Daemon("-f", str(harness.WORK / "odd.d"), "--dry-run", "--current", "1") as daemon, Browser(390, 844) as browser:
            daemon.wait_for(lambda: {decision["name"] for decision in daemon.decisions} >= {"empty", "long"})
            browser.open(daemon.url() + "/")
            browser.wait_until("document.querySelectorAll('.card').length >= 2")
            self.assertEqual(browser.ask("document.querySelectorAll('#notices > details').length"), 1)
            self.assertEqual(browser.ask("document.querySelector('#notices summary').innerText"),
                             "3 files cannot be used: broken0.yaml, broken1.yaml, broken2.yaml")
            page = browser.ask("document.querySelector('main').innerText")
            for text in ("empty, read as 0", "empty answer read as 0", "no history: the time of its last activity is unknown"):
                self.assertIn(text, page)
            inner = "[...document.querySelectorAll('body *')].filter(one => /auto|scroll/.test(getComputedStyle(one).overflowY)).length"
            self.assertEqual(browser.ask(inner), 0, "nothing scrolls but the page")
            self.assertEqual(browser.ask("document.documentElement.scrollWidth"), 390, "nor sideways")

    def test_a_list_of_many(self) -> None:
        """A thousand scalers: sorted, filtered and grouped, and a refresh takes at most 50 ms of scripting."""
        for i in range(1000):
            self.put("many.d", f"m{i:03}", space=("blue", "green")[i % 2], fault="503" if i == 500 else "good", sync="15s",
                     pollingInterval=30, maxReplicaCount=2 if i == 7 else 20)
        self.server.value = "42.5"
        with Daemon("-f", str(harness.WORK / "many.d"), "--dry-run", "--current", "1", "--log", "changes") as daemon, Browser() as browser:
            daemon.wait_for(lambda: daemon.get("/readyz")[0] == 200)
            browser.open(daemon.url() + "/")
            browser.wait_until("document.querySelectorAll('article').length === 1000")
            names = "[...document.querySelectorAll('main.list article')].slice(0, 3).map(one => one.querySelector('.name')?.innerText ?? '')"

            def first_names() -> list[str]:
                browser.wait_until(f"{names}.every(name => name !== '')")  # a card is drawn once it has come into sight
                return browser.ask(names)

            self.assertEqual(first_names()[:2], ["blue/m500", "green/m007"], "the worst first")
            browser.ask("choose('order', 'name')")
            self.assertEqual(first_names(), ["blue/m000", "blue/m002", "blue/m004"])
            browser.ask("choose('state', 'at its maximum')")
            self.assertEqual(browser.ask("[...document.querySelectorAll('article')].map(one => one.item.name)"), ["green/m007"])
            browser.ask("choose('state', ''); choose('grouped', 'namespace')")
            self.assertEqual(browser.ask("[...document.querySelectorAll('h3')].map(one => one.innerText)"),
                             ["blue: 500 scalers, 500 replicas, 500 GPUs, 1 problem", "green: 500 scalers, 500 replicas, 500 GPUs"])
            self.assertEqual(first_names()[:2], ["m000", "m002"], "the namespace stands above")
            browser.ask("choose('grouped', '')")
            took_ms = sorted(browser.ask("""(async () => {
                const out = [];
                for (let i = 0; i < 9; ++i) {
                    const text = await (await fetch('status.json')).text();
                    await new Promise(done => setTimeout(done, 50));
                    const begin = performance.now();
                    take(JSON.parse(text));
                    render();
                    out.push(performance.now() - begin);
                }
                return out;
            })()"""))
            self.assertLessEqual(took_ms[len(took_ms) // 2], 50, took_ms)


    def test_the_list_says_why_without_hovering(self) -> None:
        """Headings, the cause before everything else, one line for a server that fails for several, and the emptied workload first."""
        self.server.faults["empty"] = lambda to, request: to.answer(json.dumps({"status": "success", "data": {"resultType": "vector", "result": []}}))
        for name in ("c-dead", "d-dead"):
            so = manifests.scaled_object("http://127.0.0.1:1", name=name, annotations=FAST, spec={"pollingInterval": 1})
            manifests.saved(f"why.d/{name}.yaml", so)
        self.put("why.d", "a-good")
        self.put("why.d", "e-empty", fault="empty", minReplicaCount=0, cooldownPeriod=0)
        with Daemon("-f", str(harness.WORK / "why.d"), "--dry-run", "--current", "1") as daemon, Browser() as browser:
            daemon.wait_for(lambda: len({decision["name"] for decision in daemon.decisions}) == 4)
            browser.open(daemon.url() + "/#listed=true")
            browser.wait_until("[...document.querySelectorAll('.row .why')].filter(each => each.innerText.includes('Connection refused')).length === 2")
            names = [name.split("/")[1] for name in browser.ask("[...document.querySelectorAll('article .name')].map(each => each.innerText)")]
            self.assertEqual(names, ["e-empty", "c-dead", "d-dead", "a-good"])
            self.assertEqual(browser.ask("[...document.querySelectorAll('#heads span')].map(each => each.innerText)"),
                             ["scaler", "state", "replicas", "min to max", "metric, of its target", "reason"])
            lefts = "[...document.querySelectorAll('{} > span')].map(each => Math.round(each.getBoundingClientRect().left))"
            self.assertEqual(browser.ask(lefts.format("#heads")), browser.ask(lefts.format("article:first-child .row")), "headings stand above their columns")
            whys = browser.ask("[...document.querySelectorAll('article .why')].slice(1, 3).map(each => each.innerText)")
            for why in whys:
                self.assertRegex(why, r"^(for [\d.]+ (s|min): )?cannot connect to 127\.0\.0\.1:1: Connection refused$")
            self.assertFalse(browser.ask("[...document.querySelectorAll('.why')].some(each => each.scrollHeight > each.clientHeight + 1)"), "none is cut")
            self.assertRegex(browser.ask("document.querySelector('#notices').innerText"),
                             r"^2 scalers: (for [\d.]+ (s|min): )?cannot connect to 127\.0\.0\.1:1: Connection refused$")
            self.assertTrue(browser.ask("document.querySelector('#summary').innerText").startswith("2 problems in 3 scalers"))
            browser.ask("choose('grouped', 'server')")
            heads = browser.ask("[...document.querySelectorAll('h3')].map(each => each.innerText.split(':').slice(0, -1).join(':'))")
            self.assertEqual(heads, ["other problems", "127.0.0.1:1", "no problem"])

    def test_one_scaler_has_the_whole_width_its_cost_and_its_formula(self) -> None:
        self.server.value = "12"
        so = manifests.scaled_object(self.server.url("good"), name="llm", spec={"pollingInterval": 1}, annotations={
            "gputide.io/sync-period": "1s", "gputide.io/gpus-per-replica": "2", "gputide.io/cost-per-gpu-hour": "3.4"})
        so["spec"]["triggers"][0]["name"] = "busy"
        so["spec"]["triggers"].append({**so["spec"]["triggers"][0], "name": "queue"})
        so["spec"]["advanced"] = {"scalingModifiers": {"formula": "busy + queue * 2", "target": "18", "metricType": "Value"}}
        manifests.saved("single.d/llm.yaml", so)
        observe = "echo '{\"spec\":3,\"status\":3,\"ready\":2}'"
        with Daemon("-f", str(harness.WORK / "single.d"), "--dry-run", "--observe", observe) as daemon, Browser() as browser:
            daemon.wait_for(lambda: len(daemon.decisions) >= 2)
            status = json.loads(daemon.get("/status.json")[2])["scalers"][0]
            self.assertEqual((status["ready"], status["gpus_per_replica"], status["cost_per_gpu_hour"]), (2, 2, 3.4))
            self.assertEqual({**status["formula"], "proposed": 0}, {"formula": "busy + queue * 2", "type": "Value", "target": 18, "activationTarget": 0, "value": 36, "proposed": 0})
            page = daemon.get("/metrics")[2]
            self.assertIn('gputided_metric_value{namespace="default",name="llm",metric="composite-metric"} 36\n', page)
            self.assertEqual(re.findall(r"gputided_metric_target{.*", page), ['gputided_metric_target{namespace="default",name="llm",metric="composite-metric",type="Value"} 18'])
            browser.open(daemon.url() + "/")
            browser.wait_until("document.querySelectorAll('.plot path.value').length >= 3")
            card = browser.ask("document.querySelector('.card').innerText")
            for text in ("replicas, of 1 to 20, 2 ready; 6 GPUs, 20.40 an hour", "formula busy + queue * 2: busy 12, queue 12 → 36 of 18, active above 0, asks for ",
                         "min 1, max 20", "Dry run: it would write ", "above its target for "):
                self.assertIn(text, card)
            self.assertEqual(browser.ask("document.querySelectorAll('.key.target, .key.activation').length"), 0, "only the formula has them")
            self.assertIn("1 scaler, 3 replicas, 6 GPUs, 20.40 an hour", browser.ask("document.querySelector('#summary').innerText"))
            self.assertGreater(browser.ask("document.querySelector('article').getBoundingClientRect().width"), 1200)
            self.assertGreaterEqual(browser.ask("document.querySelectorAll('.plot path.bound').length"), 1)


class Headers(WithServer):
    def test_the_page_is_fenced_in(self) -> None:
        with Daemon("-f", self.fast(), "--dry-run", "--current", "1") as daemon:
            pages = [urllib.request.urlopen(daemon.url() + "/", timeout=harness.PATIENCE_S) for _ in range(2)]
            policies = [page.headers["Content-Security-Policy"] for page in pages]
            bodies = [page.read().decode() for page in pages]
        nonces = [re.search(r"script-src 'nonce-([0-9a-f]{32})'", policy)[1] for policy in policies]
        self.assertNotEqual(*nonces)
        for policy, body, nonce in zip(policies, bodies, nonces):
            self.assertIn("default-src 'none'", policy)
            self.assertEqual(body.count(f'nonce="{nonce}"'), 2)
            self.assertNotIn("@NONCE@", body)
            self.assertIsNone(re.search(r"""(src|href)=["']?(https?:)?//""", body), "no asset from elsewhere")


class Strangers(WithServer):
    """Tests requests from other origins, and clients that occupy the server."""

    @staticmethod
    def ask(daemon: Daemon, path: str, host: str, port: int | None = None) -> bytes:
        at = port if port is not None else int(daemon.url().rsplit(":", 1)[1])
        with socket.create_connection(("127.0.0.1", at), timeout=harness.PATIENCE_S) as peer:
            peer.sendall(f"GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n".encode())
            return peer.recv(4096)

    def test_a_name_that_was_made_to_point_here_gets_nothing(self) -> None:
        with Daemon("-f", self.fast(), "--dry-run", "--current", "1", "--allow-host", "scaler.example") as daemon:
            for host in ("localhost", "127.0.0.1:9105", "[::1]:9105", socket.gethostname(), "Scaler.Example:9105"):
                self.assertIn(b" 200 ", self.ask(daemon, "/status.json", host), host)
            for host in ("rebound.example", "localhost.evil.example:80", "127.0.0.1.evil.example"):
                answer = self.ask(daemon, "/status.json", host)
                self.assertIn(b" 421 ", answer, host)
                self.assertIn(b"--allow-host", answer)
            self.assertIn(b" 200 ", self.ask(daemon, "/healthz", "rebound.example"), "a probe may come by any name")

    def test_500_slow_connections_keep_nobody_out(self) -> None:
        with Daemon("-f", self.fast(), "--dry-run", "--current", "1") as daemon:
            port = int(daemon.url().rsplit(":", 1)[1])
            slow = []
            try:
                for _ in range(500):
                    peer = socket.create_connection(("127.0.0.1", port), timeout=harness.PATIENCE_S)
                    peer.sendall(b"GET /metrics HTTP/1.1\r\nX: ")
                    slow.append(peer)
                for _ in range(20):
                    began = time.monotonic()
                    self.assertEqual(daemon.get("/healthz")[0], 200)
                    self.assertEqual(daemon.get("/metrics")[0], 200)
                    self.assertLess(time.monotonic() - began, 2)
                    slow.append(socket.create_connection(("127.0.0.1", port), timeout=harness.PATIENCE_S))
            finally:
                for peer in slow:
                    peer.close()

    def test_health_has_its_own_address(self) -> None:
        with Daemon("-f", self.fast(), "--dry-run", "--current", "1", "--health-listen", "127.0.0.1:0") as daemon:
            own = daemon.wait_for(lambda: re.findall(r"/readyz on port (\d+)", daemon.err))
            self.assertIn(b" 200 ", self.ask(daemon, "/healthz", "x", int(own[0])))
            self.assertIn(b" 404 ", self.ask(daemon, "/metrics", "x", int(own[0])))

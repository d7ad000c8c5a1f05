"""Tests what an unauthenticated client sees of gputided: open pages, pages behind a token or a Unix socket, excerpts, and what a page may run."""
from __future__ import annotations

import base64
import json
import os
import pathlib
import re
import socket
import stat
import unittest

import chromium
import harness
import manifests
from chromium import Browser
from harness import Daemon, gputided
from run_test import FAST, WithServer

TOKEN = "pages-0123456789abcdef0123456789"
OPEN = ("/metrics", "/healthz", "/readyz")
NAMED = ("/", "/status.json", "/history.json?scaler=default/gpu", "/cluster.json")


def request(at: int | str, path: str, *headers: str) -> tuple[int, str, str]:
    """Status, headers and body from a port of this machine, or from a Unix socket."""
    if isinstance(at, int):
        peer = socket.create_connection(("127.0.0.1", at), timeout=harness.PATIENCE_S)
    else:
        peer = socket.socket(socket.AF_UNIX)
        peer.settimeout(harness.PATIENCE_S)
        peer.connect(at)
    with peer:
        peer.sendall("\r\n".join([f"GET {path} HTTP/1.1", "Host: localhost", "Connection: close", *headers, "", ""]).encode())
        answer = b"".join(iter(lambda: peer.recv(65536), b"")).decode()
    head, body = answer.split("\r\n\r\n", 1)
    return int(head.split(" ", 2)[1]), head, body


def basic(password: str) -> str:
    return "Authorization: Basic " + base64.b64encode(f"anybody:{password}".encode()).decode()


class Doors(WithServer):
    def daemon(self, *arguments: str, fault: str = "good") -> Daemon:
        return Daemon("-f", self.fast(fault), "--dry-run", "--current", "1", *arguments)

    @staticmethod
    def ports(daemon: Daemon, count: int) -> list[int]:
        found = daemon.wait_for(lambda: re.findall(r"listening on port (\d+)", daemon.err)[count - 1:]
                                and re.findall(r"listening on port (\d+)", daemon.err))
        return [int(port) for port in found]

    def test_an_address_of_other_machines_serves_what_names_no_query(self) -> None:
        for address in ("0.0.0.0:0", ":0"):
            with self.subTest(address), self.daemon("--listen", address, fault="unavailable") as daemon:
                own, public = self.ports(daemon, 2)
                daemon.wait_for(lambda: daemon.decisions)
                for path in NAMED[:3]:
                    self.assertEqual(request(own, path)[0], 200, path)
                for path in (*NAMED, "/status.json/", "//status.json", "/elsewhere"):
                    status, _, body = request(public, path)
                    self.assertEqual(status, 403, path)
                    self.assertIn("--listen-token-file", body)
                    self.assertNotIn("gpu", body)
                for path in OPEN:
                    self.assertIn(request(public, path)[0], (200, 503), path)
                self.assertNotIn("avg(", request(public, "/metrics")[2])
                self.assertIn(f"--listen {address}: other machines reach this address", daemon.err)
                self.assertNotIn("--listen 127.0.0.1:0: other", daemon.err)

    def test_a_token_opens_every_page_and_no_other_does(self) -> None:
        file = harness.write("pages.token", TOKEN + "\n")
        with self.daemon("--listen", "0.0.0.0:0", "--listen-token-file", file) as daemon:
            daemon.wait_for(lambda: daemon.decisions)
            self.assertNotIn("other machines reach", daemon.err)
            for port in self.ports(daemon, 2):
                for right in (f"Authorization: Bearer {TOKEN}", f"authorization: bearer {TOKEN}", basic(TOKEN)):
                    self.assertEqual(request(port, "/status.json", right)[0], 200, right)
                for wrong in ("", "Authorization: Bearer", "Authorization: Bearer ", f"Authorization: Bearer {TOKEN[:-1]}",
                              f"Authorization: Bearer {TOKEN}0", f"Authorization: Bearer {TOKEN}{TOKEN}", f"Authorization: {TOKEN}",
                              f"Authorization: Bearer {TOKEN.upper()}", basic(""), basic(TOKEN[1:]), "Authorization: Basic %%%",
                              f"X-Authorization: Bearer {TOKEN}"):
                    for path in NAMED:
                        status, head, body = request(port, path, *([wrong] if wrong else []))
                        self.assertEqual(status, 401, (wrong, path))
                        self.assertIn("WWW-Authenticate: Basic", head)
                        self.assertNotIn(TOKEN, head + body)
                for path in OPEN:
                    self.assertEqual(request(port, path)[0], 200)
            harness.write("pages.token", TOKEN[::-1])  # a mounted Secret that was replaced
            self.assertEqual(request(port, "/status.json", f"Authorization: Bearer {TOKEN}")[0], 401)
            self.assertEqual(request(port, "/status.json", f"Authorization: Bearer {TOKEN[::-1]}")[0], 200)
            os.remove(file)
            self.assertEqual(request(port, "/status.json", f"Authorization: Bearer {TOKEN[::-1]}")[0], 401)
            self.assertNotIn(TOKEN, daemon.err + daemon.out)

    def test_a_token_that_can_be_guessed_is_refused(self) -> None:
        for content in ("", "\n", "short", " " * 40):
            ran = gputided("run", "-f", self.fast(), "--dry-run", "--listen", "127.0.0.1:0", "--listen-token-file",
                           harness.write("weak.token", content))
            self.assertEqual(ran.status, 2, ran)
            self.assertIn("fewer than 16 bytes", ran.err)
        ran = gputided("run", "-f", self.fast(), "--dry-run", "--listen", "127.0.0.1:0", "--listen-token-file", "/nowhere")
        self.assertEqual(ran.status, 2, ran)
        self.assertIn("/nowhere: cannot read", ran.err)

    def test_a_unix_socket_is_its_owners(self) -> None:
        path = str(harness.WORK / "pages.sock")
        with self.daemon("--listen", f"unix:{path}") as daemon:
            daemon.wait_for(lambda: f"listening on unix:{path}" in daemon.err and daemon.decisions)
            self.assertEqual(stat.S_IMODE(os.stat(path).st_mode), 0o600)
            for page in (*NAMED[:3], *OPEN):
                self.assertEqual(request(path, page)[0], 200, page)
            second = gputided("run", "-f", self.fast(), "--dry-run", "--listen", f"unix:{path}")
            self.assertEqual(second.status, 2, second)
            self.assertIn(f"--listen unix:{path}: Address already in use", second.err)
            daemon.process.kill()  # leaves the file behind
            daemon.process.wait()
        self.assertTrue(os.path.exists(path))
        with self.daemon("--listen", f"unix:{path}") as daemon:
            daemon.wait_for(lambda: f"listening on unix:{path}" in daemon.err)
            self.assertEqual(request(path, "/healthz")[0], 200)
            daemon.end()
        self.assertFalse(os.path.exists(path))
        kept = harness.write("pages.file", "precious")
        for wrong, why in ((kept, "Address already in use"), (f"{harness.WORK}/{'x' * 120}", "more than 107 bytes"),
                           (f"{harness.WORK}/no/folder.sock", "No such file")):
            ran = gputided("run", "-f", self.fast(), "--dry-run", "--listen", f"unix:{wrong}")
            self.assertEqual(ran.status, 2, ran)
            self.assertIn(why, ran.err)
        self.assertEqual(pathlib.Path(kept).read_text(), "precious")

    def test_readiness_says_no_reason_to_other_machines(self) -> None:
        silent = manifests.scaled_object(self.server.url("silent"), annotations=FAST, spec={"pollingInterval": 1})
        with Daemon("-f", manifests.saved("silent.yaml", silent), "--dry-run", "--current", "1", "--listen", "0.0.0.0:0", "--health-listen",
                    "0.0.0.0:0", "--timeout-ms", "60000") as daemon:
            own, public = self.ports(daemon, 2)
            health = int(daemon.wait_for(lambda: re.findall(r"/readyz on port (\d+)", daemon.err))[0])
            self.assertIn("not every scaler", request(own, "/readyz")[2])
            for port in (public, health):
                status, _, body = request(port, "/readyz")
                self.assertEqual((status, body), (503, "not ready; the log and /readyz on loopback say why\n"))


class Excerpts(WithServer):
    """The address is a manifest's, and the response may be that of a service that its author cannot reach."""

    INNER = "inner-page-93f1"

    def test_a_response_is_for_the_log_and_a_login(self) -> None:
        token = harness.write("excerpts.token", TOKEN)
        for kind, content_type in (("text", "text/plain"), ("page", "text/html"), ("json", "application/json"), ("bare", "")):
            inner = {"page": f"<html><head><title>{self.INNER}</title></head></html>",
                     "json": json.dumps({"note": self.INNER})}.get(kind, self.INNER)
            for status in ("200 OK", "500 Internal Server Error", "403 Forbidden", "404 Not Found"):
                fault = f"inner-{kind}-{status[:3]}"
                headers = [f"Content-Type: {content_type}"] if content_type else []
                self.server.faults[fault] = lambda to, _, status=status, headers=headers, inner=inner: to.answer(inner, status, *headers)
                manifests.saved(f"inner.d/{fault}.yaml", manifests.scaled_object(
                    self.server.url(fault), name=fault, annotations=FAST, spec={"pollingInterval": 1}))
        count = len(list((harness.WORK / "inner.d").iterdir()))
        for login in ((), ("--listen-token-file", token)):
            with Daemon("-f", str(harness.WORK / "inner.d"), "--dry-run", "--current", "1", *login) as daemon:
                daemon.wait_for(lambda: len({decision["name"] for decision in daemon.decisions}) == count)
                port = int(daemon.url().rsplit(":", 1)[1])
                pages = request(port, "/status.json", f"Authorization: Bearer {TOKEN}")[2]
                self.assertEqual({scaler["metrics"][0].get("error_status") for scaler in json.loads(pages)["scalers"]} & {None, ""}, set())
                self.assertEqual(self.INNER in pages, bool(login))
                self.assertNotIn(self.INNER, request(port, "/metrics")[2])
                self.assertNotIn(self.INNER, daemon.out, "decisions go where a tenant may read them")
                daemon.wait_for(lambda: daemon.err.count(self.INNER) >= count - 4)  # the log has it, within a second


class Fences(WithServer):
    """Response headers, and what a report may run wherever it is opened."""

    def test_every_response_is_fenced(self) -> None:
        with Daemon("-f", self.fast(), "--dry-run", "--current", "1") as daemon:
            port = int(daemon.url().rsplit(":", 1)[1])
            for path in ("/", "/status.json", "/metrics", "/healthz", "/readyz", "/nowhere", "/history.json?scaler=<script>"):
                head = request(port, path)[1]
                for line in ("X-Content-Type-Options: nosniff", "Referrer-Policy: no-referrer", "Content-Security-Policy: default-src 'none'"):
                    self.assertEqual(head.count(line), 1, (path, head))

    def reports(self) -> dict[str, pathlib.Path]:
        from nodes_test import NOW, POOL, jobs, text
        from replay_test import csv, manifest
        out = {name: harness.WORK / f"fenced-{name}.html" for name in ("replay", "compare", "nodes", "rightsize")}
        usage = "".join(f"{NOW // 1000 + 60 * i},chat,50\n" for i in range(100))
        for arguments in (
                ("replay", "-f", manifest(), "--series", csv("day.csv"), "--html", str(out["replay"])),
                ("replay", "compare", "-f", manifest(), "--series", csv("day.csv"), "--variant", "high: threshold=9", "--html",
                 str(out["compare"])),
                ("nodes", "plan", "-f", text("pool-fenced.json", pools=[POOL]), "-f", jobs(3), "--at", str(NOW), "--html", str(out["nodes"])),
                ("rightsize", "--util", harness.write("fenced.csv", usage), "--html", str(out["rightsize"]))):
            ran = gputided(*arguments)
            self.assertEqual(ran.status, 0, ran)
        return out

    def test_a_report_names_its_own_script_and_style_alone(self) -> None:
        for name, file in self.reports().items():
            with self.subTest(name):
                page = file.read_text()
                policy = re.search(r'<meta http-equiv="Content-Security-Policy" content="([^"]*)">', page)
                assert policy is not None
                self.assertLess(policy.start(), page.index("<style"))
                self.assertIn("default-src 'none'", policy[1])
                self.assertNotIn("unsafe-inline", policy[1])
                self.assertIn('<meta name="referrer" content="no-referrer">', page)
                nonce = re.search(r"script-src 'nonce-([0-9a-f]{32})'", policy[1])
                assert nonce is not None
                for tag in re.findall(r"<(?:script|style)\b[^>]*>", page):
                    self.assertTrue(f'nonce="{nonce[1]}"' in tag or 'type="application/json"' in tag, tag)
                self.assertNotIn("@NONCE@", page)

    @unittest.skipUnless(chromium.PROGRAM, "chromium is not installed")
    def test_a_report_works_under_its_policy_and_runs_nothing_else(self) -> None:
        strange = "(() => {{ const one = document.createElement('{}'); {} document.body.append(one); }})()"
        with Browser() as browser:
            for name, file in self.reports().items():
                with self.subTest(name):
                    browser.open(file.as_uri())
                    self.assertEqual(browser.ask("getComputedStyle(document.body).margin"), "0px", "its style counts")
                    self.assertGreater(browser.ask("document.querySelectorAll('main *').length"), 20, "its script has run")
                    browser.ask(strange.format("script", "one.textContent = 'window.taken = true';"))
                    browser.ask(strange.format("div", "one.innerHTML = '<img src=x onerror=\"window.taken = true\">';"))
                    browser.ask(strange.format("style", "one.textContent = 'body { margin: 77px }';"))
                    self.assertEqual(browser.ask("String(window.taken) + getComputedStyle(document.body).margin"), "undefined0px")
                    refused = browser.ask("fetch('data:,x').then(() => 'sent', () => 'refused')")
                    self.assertEqual(refused, "refused")

#!/usr/bin/env python3
"""gputide_external_scaler, asked as KEDA asks it, with a Prometheus that says what the test wants.

Also the other way round: gputided with a trigger of type external asks it.

    external_scaler_test.py PROGRAM GPUTIDED        with externalscaler_pb2 on the path (run.sh)
"""
from __future__ import annotations

import base64
import http.server
import json
import pathlib
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from typing import Any, Callable

import externalscaler_pb2 as messages
import grpc

PROGRAM = ""
GPUTIDED = ""
SERVICE = "externalscaler.ExternalScaler"
SERVING, NOT_SERVING = b"\x08\x01", b"\x08\x02"


class Prometheus:
    value = 1.0
    is_down = False

    def __init__(self) -> None:
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self) -> None:  # noqa: N802
                body = json.dumps({"status": "success", "data": {"resultType": "vector", "result": [
                    {"metric": {}, "value": [time.time(), str(outer.value)]}]}}).encode()
                self.send_response(500 if outer.is_down else 200)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_port}"


def manifest(url: str) -> str:
    return json.dumps({
        "apiVersion": "keda.sh/v1alpha1", "kind": "ScaledObject",
        "metadata": {"name": "llm.v2", "namespace": "ml", "annotations": {"gputide.io/sync-period": "1s"}},
        "spec": {"scaleTargetRef": {"name": "llm"}, "pollingInterval": 1, "minReplicaCount": 0, "maxReplicaCount": 8,
                 "cooldownPeriod": 1, "advanced": {"horizontalPodAutoscalerConfig": {"behavior": {
                     "scaleDown": {"stabilizationWindowSeconds": 0}}}},
                 "triggers": [{"type": "prometheus", "metadata": {"serverAddress": url, "query": "load", "threshold": "5",
                                                                  "activationThreshold": "2"}}]}})


def reference(policy: str | None = "llm.v2", namespace: str = "ml") -> Any:
    metadata = {"scalerAddress": "gputide:6000", **({"policy": policy} if policy else {})}
    return messages.ScaledObjectRef(name="llm", namespace=namespace, scalerMetadata=metadata)


class Scaler(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.prometheus = Prometheus()
        self.addCleanup(self.prometheus.server.server_close)
        self.addCleanup(self.prometheus.server.shutdown)

    def start(self, *arguments: str, credentials: grpc.ChannelCredentials | None = None) -> grpc.Channel:
        file = self.folder / "llm.json"
        file.write_text(manifest(self.prometheus.url))
        self.process = subprocess.Popen([PROGRAM, "-f", str(file), "--listen", "127.0.0.1:0", *arguments], stderr=subprocess.PIPE,
                                        text=True)
        self.addCleanup(self.end)
        assert self.process.stderr is not None
        port = self.process.stderr.readline().split()[-1]
        threading.Thread(target=self.process.stderr.read, daemon=True).start()
        address = f"localhost:{port}"
        self.channel = grpc.secure_channel(address, credentials) if credentials else grpc.insecure_channel(address)
        self.addCleanup(self.channel.close)
        return self.channel

    def end(self) -> int:
        self.process.send_signal(signal.SIGTERM)
        status = self.process.wait(15)
        if self.process.stderr:
            self.process.stderr.close()
        return status

    def ask(self, method: str, request: Any, answer: Any) -> Any:
        call = self.channel.unary_unary(f"/{SERVICE}/{method}", request_serializer=lambda message: message.SerializeToString(),
                                        response_deserializer=answer.FromString)
        return call(request, timeout=5)

    def value(self) -> int:
        got = self.ask("GetMetrics", messages.GetMetricsRequest(scaledObjectRef=reference(), metricName="s0-x"),
                       messages.GetMetricsResponse).metricValues
        self.assertEqual([(each.metricName, float(each.metricValue)) for each in got], [("s0-x", each.metricValueFloat) for each in got])
        self.assertEqual(len(got), 1)
        return int(got[0].metricValue)

    def is_active(self) -> bool:
        return bool(self.ask("IsActive", reference(), messages.IsActiveResponse).result)

    def health(self, service: str = "") -> bytes:
        call = self.channel.unary_unary("/grpc.health.v1.Health/Check", request_serializer=lambda message: message,
                                        response_deserializer=lambda message: message)
        name = service.encode()
        out: bytes = call(b"\x0a" + bytes([len(name)]) + name, timeout=5)
        return out

    def wait_for(self, what: Callable[[], bool]) -> None:
        deadline = time.monotonic() + 20
        while not what():
            self.assertLess(time.monotonic(), deadline, "waited in vain")
            time.sleep(0.1)

    def fails(self, code: grpc.StatusCode, ask: Callable[[], Any], *words: str) -> None:
        with self.assertRaises(grpc.RpcError) as seen:
            ask()
        self.assertEqual(seen.exception.code(), code, seen.exception)
        for word in words:
            self.assertIn(word, seen.exception.details())

    def test_the_size_that_is_wanted_is_the_metric(self) -> None:
        self.start()
        self.wait_for(lambda: self.health() == SERVING and self.health(SERVICE) == SERVING)
        spec = self.ask("GetMetricSpec", reference(), messages.GetMetricSpecResponse).metricSpecs
        self.assertEqual([(entry.metricName, entry.targetSize, entry.targetSizeFloat) for entry in spec], [("gputide-llm-v2", 1, 1.0)])
        self.prometheus.value = 22
        self.wait_for(lambda: self.value() == 5)
        self.assertTrue(self.is_active())
        self.prometheus.value = 1  # below its activation: to zero after the cooldown
        self.wait_for(lambda: not self.is_active())
        self.wait_for(lambda: self.value() == 0)

    def test_a_stream_tells_what_is_and_what_changes(self) -> None:
        self.start()
        self.wait_for(lambda: self.health() == SERVING)
        call = self.channel.unary_stream(f"/{SERVICE}/StreamIsActive", request_serializer=lambda message: message.SerializeToString(),
                                         response_deserializer=messages.IsActiveResponse.FromString)
        stream = call(reference(), timeout=60)
        self.assertFalse(next(stream).result)
        self.prometheus.value = 22
        self.assertEqual([next(stream).result for _ in range(2)], [True, True])  # and again with each decision
        self.prometheus.value = 1
        self.wait_for(lambda: not next(stream).result)
        abandoned = call(reference(), timeout=60)
        next(abandoned)
        abandoned.cancel()
        self.assertEqual(self.end(), 0)
        self.assertEqual(list(stream), [])
        self.assertEqual(stream.code(), grpc.StatusCode.OK)  # KEDA comes again soon

    def test_what_is_not_there_is_named(self) -> None:
        self.start()
        self.wait_for(lambda: self.health() == SERVING)
        ask = lambda asked: lambda: self.ask("GetMetricSpec", asked, messages.GetMetricSpecResponse)
        self.fails(grpc.StatusCode.NOT_FOUND, ask(reference("other")), "ml/other", "-f")
        self.fails(grpc.StatusCode.NOT_FOUND, ask(reference(namespace="web")), "web/llm.v2")  # the policy of another object
        self.fails(grpc.StatusCode.NOT_FOUND, ask(reference(None)), "ml/llm")  # its own name
        self.fails(grpc.StatusCode.INVALID_ARGUMENT, ask(reference("ml/llm.v2")), "policy")
        stream = self.channel.unary_stream(f"/{SERVICE}/StreamIsActive", request_serializer=lambda message: message.SerializeToString())
        self.fails(grpc.StatusCode.NOT_FOUND, lambda: list(stream(reference("other"), timeout=5)), "ml/other")
        large = messages.ScaledObjectRef(name="x" * 70_000, namespace="ml")
        self.fails(grpc.StatusCode.RESOURCE_EXHAUSTED, ask(large))

    def test_no_number_is_made_up(self) -> None:
        self.start("--max-age-s", "3")
        self.wait_for(lambda: self.health() == SERVING)
        self.prometheus.is_down = True

        def refused() -> bool:
            try:
                self.value()
            except grpc.RpcError as why:
                self.assertEqual(why.code(), grpc.StatusCode.UNAVAILABLE)
                return "cannot be read" in why.details()
            return False
        self.wait_for(refused)
        self.prometheus.is_down = False
        self.wait_for(lambda: not refused())

    def test_reflection_names_the_service(self) -> None:
        self.start()
        call = self.channel.stream_stream("/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo",
                                          request_serializer=lambda message: message, response_deserializer=lambda message: message)
        self.assertIn(SERVICE.encode(), next(call(iter([b"\x3a\x01*"]), timeout=5)))

    def certificate(self, name: str, issuer: str = "") -> tuple[str, str]:
        key, certificate = str(self.folder / f"{name}.key"), str(self.folder / f"{name}.pem")
        by = ["-CA", str(self.folder / f"{issuer}.pem"), "-CAkey", str(self.folder / f"{issuer}.key")] if issuer else []
        extension = [] if not issuer else ["-addext", "subjectAltName=DNS:localhost", "-addext", "basicConstraints=critical,CA:FALSE"]
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "1",
                        "-subj", f"/CN={name}", "-keyout", key, "-out", certificate, *by, *extension], check=True, capture_output=True)
        return certificate, key

    def test_tls_with_a_certificate_of_the_caller(self) -> None:
        ca, _ = self.certificate("ca")
        own, key = self.certificate("scaler", "ca")
        keda, keda_key = self.certificate("keda", "ca")
        read = lambda file: pathlib.Path(file).read_bytes()
        self.start("--tls-cert", own, "--tls-key", key, "--tls-client-ca", ca,
                   credentials=grpc.ssl_channel_credentials(read(ca), read(keda_key), read(keda)))
        self.wait_for(lambda: self.health() == SERVING)
        self.assertFalse(self.is_active())
        address = self.address()
        for credentials in (grpc.ssl_channel_credentials(read(ca)), None):
            with grpc.secure_channel(address, credentials) if credentials else grpc.insecure_channel(address) as stranger:
                self.channel = stranger
                self.fails(grpc.StatusCode.UNAVAILABLE, self.is_active)

    def address(self) -> str:
        return "localhost:" + self.channel._channel.target().decode().split(":")[-1]  # noqa: SLF001

    def asking_manifest(self, kind: str, policy: str = "llm.v2", files: dict[str, str] | None = None,
                        annotations: dict[str, str] | None = None, **spec: Any) -> str:
        """Writes a file with a ScaledObject; its trigger asks the running scaler."""
        read = lambda file: base64.b64encode(pathlib.Path(file).read_bytes()).decode()
        trigger: dict[str, Any] = {"type": kind, "metadata": {"scalerAddress": self.address(), "policy": policy}}
        documents: list[Any] = [{
            "apiVersion": "keda.sh/v1alpha1", "kind": "ScaledObject",
            "metadata": {"name": "web", "namespace": "ml", "annotations": annotations or {}},
            "spec": {"scaleTargetRef": {"name": "web"}, "minReplicaCount": 0, "maxReplicaCount": 20, **spec, "triggers": [trigger]}}]
        if files:
            trigger["authenticationRef"] = {"name": "tls"}
            documents += [
                {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "tls", "namespace": "ml"},
                 "data": {name: read(file) for name, file in files.items()}},
                {"apiVersion": "keda.sh/v1alpha1", "kind": "TriggerAuthentication", "metadata": {"name": "tls", "namespace": "ml"},
                 "spec": {"secretTargetRef": [{"parameter": name, "name": "tls", "key": name} for name in files]}}]
        file = self.folder / "web.yaml"
        file.write_text("\n---\n".join(json.dumps(document) for document in documents))
        return str(file)

    def asked_by_gputide(self, command: str, policy: str = "llm.v2",
                         files: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
        """`gputided eval` or `doctor`."""
        more = ["--current", "3"] if command == "eval" else []
        return subprocess.run([GPUTIDED, command, "-f", self.asking_manifest("external", policy, files), "--output", "json", *more],
                              capture_output=True, text=True, timeout=30, check=False)

    def woken_gputide(self, files: dict[str, str] | None = None) -> None:
        """`gputided run` with no poll for 600 s: only the stream can have it go 0 → 1."""
        self.wait_for(lambda: self.health() == SERVING)
        file = self.asking_manifest("external-push", files=files, pollingInterval=600,
                                    annotations={"gputide.io/sync-period": "600s"})
        daemon = subprocess.Popen([GPUTIDED, "run", "-f", file, "--dry-run", "--current", "0", "--log", "all"],
                                  stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        decided: list[tuple[float, int]] = []

        def read() -> None:
            assert daemon.stdout is not None
            for line in daemon.stdout:
                if "desired_replicas" in line:
                    decided.append((time.monotonic(), json.loads(line)["desired_replicas"]))
        reader = threading.Thread(target=read, daemon=True)
        reader.start()
        try:
            self.wait_for(lambda: bool(decided))
            self.assertEqual(decided[0][1], 0)
            own = self.channel.unary_stream(f"/{SERVICE}/StreamIsActive", request_serializer=lambda message: message.SerializeToString(),
                                            response_deserializer=messages.IsActiveResponse.FromString)(reference(), timeout=60)
            self.assertFalse(next(own).result)
            time.sleep(2)
            changed = time.monotonic()
            self.prometheus.value = 22
            while not next(own).result:
                pass
            told = time.monotonic()
            own.cancel()
            self.wait_for(lambda: decided[-1][1] > 0)
            at, replicas = decided[-1]
            self.assertEqual(replicas, 1)
            print(f"\n    0 -> 1 {at - changed:.2f} s after the load came, {1_000 * (at - told):+.0f} ms from when another listener "
                  "heard of it; the next poll was 600 s away")
        finally:
            daemon.send_signal(signal.SIGTERM)
            self.assertEqual(daemon.wait(15), 0)
            reader.join(15)
            assert daemon.stdout is not None
            daemon.stdout.close()

    def test_gputide_hears_its_stream(self) -> None:
        self.start()
        self.woken_gputide()

    def test_gputide_scales_by_it(self) -> None:
        self.start()
        self.wait_for(lambda: self.health() == SERVING)
        self.prometheus.value = 22
        self.wait_for(lambda: self.value() == 5)
        ran = self.asked_by_gputide("eval")
        self.assertEqual(ran.returncode, 0, ran)
        decided = json.loads(ran.stdout)
        self.assertEqual((decided["desired_replicas"], decided["active"], decided["trace"][0]["value"]), (5, True, 5), ran)
        self.assertEqual(decided["trace"][0]["target"], 1)
        ran = self.asked_by_gputide("doctor")
        self.assertEqual((ran.returncode, json.loads(ran.stdout)["verdict"]), (0, "ok"), ran)
        ran = self.asked_by_gputide("eval", policy="other")
        self.assertEqual(ran.returncode, 3, ran)
        self.assertIn("E_REJECTED", ran.stderr)
        self.assertIn("NOT_FOUND (grpc-status 5): there is no policy ml/other", ran.stderr)
        self.prometheus.value = 1
        self.wait_for(lambda: not self.is_active())
        self.assertFalse(json.loads(self.asked_by_gputide("eval").stdout)["active"])

    def test_gputide_scales_by_it_over_tls(self) -> None:
        ca, _ = self.certificate("ca")
        own, key = self.certificate("scaler", "ca")
        client, client_key = self.certificate("keda", "ca")
        read = lambda file: pathlib.Path(file).read_bytes()
        self.start("--tls-cert", own, "--tls-key", key, "--tls-client-ca", ca,
                   credentials=grpc.ssl_channel_credentials(read(ca), read(client_key), read(client)))
        self.wait_for(lambda: self.health() == SERVING)
        all_of_it = {"caCert": ca, "tlsClientCert": client, "tlsClientKey": client_key}
        for _ in range(5):
            ran = self.asked_by_gputide("eval", files=all_of_it)
            self.assertEqual(ran.returncode, 0, ran)
        self.assertEqual(self.asked_by_gputide("doctor", files=all_of_it).returncode, 0)
        self.assertEqual(self.asked_by_gputide("eval", files={"caCert": ca}).returncode, 3)  # it wants a certificate
        self.assertEqual(self.asked_by_gputide("eval").returncode, 3)  # and TLS
        self.woken_gputide(all_of_it)

    def test_a_manifest_with_an_error_ends_it(self) -> None:
        file = self.folder / "broken.json"
        file.write_text(manifest(self.prometheus.url).replace('"5"', '"many"'))
        ran = subprocess.run([PROGRAM, "-f", str(file)], capture_output=True, text=True, timeout=20, check=False)
        self.assertEqual(ran.returncode, 1, ran)
        self.assertIn("threshold", ran.stderr)
        ran = subprocess.run([PROGRAM, "-f", "/nowhere"], capture_output=True, text=True, timeout=20, check=False)
        self.assertEqual((ran.returncode, "/nowhere cannot be read" in ran.stderr), (1, True), ran)


if __name__ == "__main__":
    PROGRAM, GPUTIDED = sys.argv.pop(1), sys.argv.pop(1)
    unittest.main(verbosity=2)

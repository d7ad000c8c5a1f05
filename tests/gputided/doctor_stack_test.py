"""gputided doctor beside the quickstart's stack: Prometheus behind nginx with TLS, a token endpoint as strict as Entra's, and
the fleet's exporter page."""
from __future__ import annotations

import os
import pathlib
import subprocess
import sys
from typing import Any

import harness
import manifests
from doctor_case import DoctorCase
from stack_test import KEYS, MANIFEST, STACK

FLEET = os.environ.get("FLEET_URL", "")
SUBJECT = "system:serviceaccount:default:my-gpu-workload"


class Guide(DoctorCase):
    """The manifest of the AKS guide, and one thing after the other that is wrong with it."""

    def look(self, *replaced: str, **environment: str) -> dict[str, Any]:
        text = pathlib.Path(MANIFEST).read_text()
        for old, new in zip(replaced[::2], replaced[1::2]):
            self.assertIn(old, text)
            text = text.replace(old, new)
        return self.diagnose(harness.write("doctor-guide.yaml", text), env={**STACK, **environment})

    def test_all_is_well(self) -> None:
        with open(STACK["AZURE_FEDERATED_TOKEN_FILE"], encoding="ascii") as file:
            harness.PLANTED.append(file.read().strip().rsplit(".", 1)[1])  # must not be seen in any report
        report = self.look()
        # The guide's own query is an average under AverageValue.
        self.assertEqual([step["step"] for step in report["triggers"][0]["steps"] if step["verdict"] != "ok"], ["target"], report)
        self.step(report, "token_file", "ok", SUBJECT)
        self.step(report, "endpoint", "ok", "issued by gputide quickstart CA")
        self.step(report, "series", "ok", "DCGM_FI_DEV_GPU_UTIL", "deployment")
        self.step(report, "activation", "ok", "active", "> 2")
        self.assertIn("1 -> 4 replicas; the metrics ask for 10", report["outcome"][0]["seen"])

    def test_the_wrong_service_account(self) -> None:
        report = self.look(AZURE_FEDERATED_TOKEN_FILE=f"{KEYS}/foreign-token")
        self.fails(report, "token", "AADSTS700213", "system:serviceaccount:default:stranger", "federated-credential create")

    def test_an_expired_token_file(self) -> None:
        self.fails(self.look(AZURE_FEDERATED_TOKEN_FILE=f"{KEYS}/expired-token"), "token_file", "expired on", "kubelet")

    def test_the_wrong_tenant_and_client(self) -> None:
        other = "00000000-0000-0000-0000-0000000000ff"
        self.fails(self.look(AZURE_TENANT_ID=other), "token", "AADSTS90002", other)
        self.fails(self.look(USER_ASSIGNED_CLIENT_ID=other), "token", "AADSTS700016", other)

    def test_an_unknown_ca(self) -> None:
        self.fails(self.look(SSL_CERT_FILE="/etc/ssl/certs/ca-certificates.crt"), "authority", "gputide quickstart CA",
                   "not trusted by the CA file /etc/ssl/certs/ca-certificates.crt")

    def test_no_credential(self) -> None:
        report = self.look("      authenticationRef:\n        name: azure-managed-prometheus-trigger-auth\n", "")
        self.fails(report, "query", "HTTP 401", "The endpoint requires a credential", "podIdentity azure-workload")

    def test_a_label_and_a_metric_that_are_not_there(self) -> None:
        self.fails(self.look("{deployment=", "{statefulset="), "series", "label statefulset", "regex: '(.+)-[0-9]+'")
        self.fails(self.look("query: avg(DCGM_FI_DEV_GPU_UTIL", "query: avg(DCGM_FI_PROF_SM_ACTIVE"), "series", "counters file",
                   "DCGM_FI_PROF_SM_ACTIVE, gauge, ")

    def test_several_series(self) -> None:
        query = 'avg(DCGM_FI_DEV_GPU_UTIL{deployment="my-gpu-workload"})'
        self.fails(self.look(query, "DCGM_FI_DEV_GPU_UTIL"), "series", "24 series where one number is needed", "avg(")


class ExporterPage(DoctorCase):
    def look(self, url: str, **metadata: str) -> dict[str, Any]:
        asked = {} if "gputide.io/preset" in metadata else {"metric": "DCGM_FI_DEV_GPU_UTIL"}
        trigger = {"type": "dcgm", "metricType": "Value", "metadata": {"url": url, "threshold": "5", **asked, **metadata}}
        so = manifests.scaled_object(url)
        so["spec"]["triggers"] = [trigger]
        return self.diagnose(manifests.saved("doctor-page.yaml", so))

    def test_all_is_well(self) -> None:
        report = self.look(f"{FLEET}/metrics", selector='namespace="default"')
        self.assertEqual(report["verdict"], "ok", report)
        self.step(report, "series", "ok", "selects 1 series of DCGM_FI_DEV_GPU_UTIL with labels", "pod")

    def test_behind_a_preset(self) -> None:
        report = self.look(FLEET, **{"gputide.io/preset": "dcgm-memory", "threshold": "0.5"})
        self.assertEqual((report["verdict"], report["triggers"][0]["asks"]), ("ok", "memory_pressure"), report)
        self.step(report, "series", "ok", "the trigger selects 24 series of DCGM_FI_DEV_FB_USED")
        self.fails(self.look(FLEET, **{"gputide.io/preset": "tgi-queue"}), "series", "no series tgi_queue_size", "/metrics page")

    def test_a_field_that_is_not_served(self) -> None:
        self.fails(self.look(FLEET, metric="DCGM_FI_PROF_SM_ACTIVE"), "series", "no series DCGM_FI_PROF_SM_ACTIVE",
                   "counters file", "DCGM_FI_PROF_SM_ACTIVE, gauge, ")

    def test_a_label_that_is_not_there(self) -> None:
        self.fails(self.look(FLEET, selector='deployment="my-gpu-workload"'), "series", "label deployment", "none of the 24",
                   "Select by a label that the series have")
        self.fails(self.look(FLEET, selector='pod="another"'), "series", "pod is my-gpu-workload-")

    def test_the_wrong_page_and_a_stopped_exporter(self) -> None:
        self.fails(self.look(f"{FLEET}/nowhere"), "query", "HTTP 404")
        self.fails(self.look("http://127.0.0.1:1"), "endpoint", "Connection refused")

    def test_several_exporters_of_which_one_is_stopped(self) -> None:
        report = self.look(f"{FLEET}, http://127.0.0.1:1/metrics")
        self.fails(report, "endpoint", "http://127.0.0.1:1", "Connection refused", "No server listens")

    def test_an_exporter_that_hardly_collects(self) -> None:
        fleet = os.path.join(os.path.dirname(MANIFEST), "../fleet/fleet.py")
        curve = harness.write("flat.curve", "0 48\n")
        # Ten minutes instead of 30 s: no collection may come in the 2.5 s in which the page is watched.
        process = subprocess.Popen([sys.executable, fleet, "--port", "0", "--load", curve, "--collect-interval", "600"],
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        try:
            assert process.stdout is not None
            port = next(line for line in process.stdout if "127.0.0.1:" in line).split("127.0.0.1:")[1].split("/")[0].split()[0]
            self.step(self.look(f"http://127.0.0.1:{port}"), "age", "warning", "not even the energy counter", "-c 1000")
        finally:
            process.kill()
            process.wait()
            process.stdout.close()



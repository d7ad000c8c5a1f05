"""A control plane on loopback, of the real programs: etcd, kube-apiserver (RBAC, TLS, service accounts, an audit log) and
kube-controller-manager.  Pods stay Pending, which is all that sizes need; nodes.py is for tests that need more.

    with ControlPlane(programs) as plane:       programs: the folder that programs.sh has filled
        plane.admin.get("apps/v1", "deployments", "ml", "llm")
"""
from __future__ import annotations

import json
import os
import pathlib
import shutil
import subprocess
import time
import urllib.request
from typing import Any

import certificates
import harness
from api_client import ApiClient
from prometheus_server import free_port

ISSUER = "https://kubernetes.default.svc"
ADMIN_TOKEN, MANAGER_TOKEN = "token-of-the-tests-hand", "token-of-the-controller-manager"
SCHEDULER_TOKEN, KWOK_TOKEN = "token-of-the-scheduler", "token-of-kwok"
CONTROLLERS = ("deployment-controller", "replicaset-controller", "job-controller", "horizontal-pod-autoscaler-controller",
               "serviceaccount-controller", "root-ca-certificate-publisher-controller", "garbage-collector-controller",
               "namespace-controller", "node-lifecycle-controller", "pod-garbage-collector-controller")
HPA_SYNC_S = 2
FRONT_PROXY = "front-proxy"
READY_S = 120.0

# Records what gputided sends, and every write of a size or a Lease, with its body.
AUDIT_POLICY: dict[str, Any] = {
    "apiVersion": "audit.k8s.io/v1", "kind": "Policy", "omitStages": ["RequestReceived"], "rules": [
        {"level": "RequestResponse", "verbs": ["create", "update", "patch"], "resources": [
            {"group": "apps", "resources": ["deployments", "deployments/scale"]},
            {"group": "serving.example.org", "resources": ["modelservers", "modelservers/scale"]},
            {"group": "keda.sh", "resources": ["scaledobjects"]},
            {"group": "coordination.k8s.io", "resources": ["leases"]}]},
        {"level": "Metadata", "userGroups": ["system:serviceaccounts:gputide"]},
        {"level": "None"}]}


class Part:
    """One program of it, with its log."""

    def __init__(self, name: str, command: list[str], surroundings: dict[str, str] | None = None) -> None:
        self.name, self.command, self.surroundings = name, command, surroundings or {}
        self.log = harness.WORK / "cluster" / f"{name}.log"
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        with self.log.open("a") as log:
            self.process = subprocess.Popen(self.command, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                            env=harness.surroundings({"GOMAXPROCS": str(os.cpu_count() or 1), **self.surroundings}))

    def stop(self) -> None:
        if self.process is None:
            return
        self.process.terminate()
        try:
            self.process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process = None

    def check(self) -> None:
        if self.process is None or self.process.poll() is not None:
            raise AssertionError(f"{self.name} has ended:\n{self.log.read_text(errors='replace')[-3000:]}")


class ControlPlane:
    def __init__(self, programs: pathlib.Path, hpa_sync_s: int = HPA_SYNC_S) -> None:
        self.programs, self.hpa_sync_s = programs, hpa_sync_s
        self.folder = harness.WORK / "cluster"
        self.folder.mkdir()
        self.ca, self.pair = certificates.trusted().certificate, certificates.for_localhost()
        self.front_proxy = certificates.of_user(FRONT_PROXY)
        self.audit_log = self.folder / "audit.log"
        self.etcd_url = f"http://127.0.0.1:{free_port()}"
        self.port = free_port()
        self.server = f"https://127.0.0.1:{self.port}"
        self.admin = ApiClient(self.server, self.ca, ADMIN_TOKEN)
        self.make_files()
        self.etcd = Part("etcd", self.etcd_command())
        self.api = Part("kube-apiserver", self.api_command())
        self.manager = Part("kube-controller-manager", self.manager_command())

    @property
    def release(self) -> str:
        """As its programs call themselves: "v1.37.2"."""
        return self.programs.name.partition("-")[0]

    def make_files(self) -> None:
        self.account_key = str(self.folder / "account.key")
        self.account_public = str(self.folder / "account.pub")
        certificates.openssl("genrsa", "-out", self.account_key, "2048")
        certificates.openssl("rsa", "-in", self.account_key, "-pubout", "-out", self.account_public)
        (self.folder / "audit.json").write_text(json.dumps(AUDIT_POLICY))
        (self.folder / "tokens.csv").write_text(f'{ADMIN_TOKEN},admin,admin,"system:masters"\n'
                                                f"{MANAGER_TOKEN},system:kube-controller-manager,manager\n"
                                                f"{SCHEDULER_TOKEN},system:kube-scheduler,scheduler\n"
                                                f'{KWOK_TOKEN},kwok,kwok,"system:masters"\n')
        self.admin_kubeconfig = self.kubeconfig("admin", {"token": ADMIN_TOKEN})
        self.manager_kubeconfig = self.kubeconfig("manager", {"token": MANAGER_TOKEN})

    def kubeconfig(self, name: str, user: dict[str, str], namespace: str = "default") -> str:
        context = {"cluster": "test", "user": name, "namespace": namespace}
        return harness.write(f"{name}.kubeconfig", json.dumps({
            "apiVersion": "v1", "kind": "Config", "current-context": "test",
            "clusters": [{"name": "test", "cluster": {"server": self.server, "certificate-authority": self.ca}}],
            "users": [{"name": name, "user": user}], "contexts": [{"name": "test", "context": context}]}))

    def etcd_command(self) -> list[str]:
        return ["etcd", f"--data-dir={self.folder}/etcd", f"--listen-client-urls={self.etcd_url}",
                f"--advertise-client-urls={self.etcd_url}", f"--listen-peer-urls=http://127.0.0.1:{free_port()}"]

    # The aggregator signs on to other API servers with a certificate of its own.  Streamed lists take an etcd from 3.4.31 on, and
    # kwok's watches, which begin at version 0, are taken for such where the feature is on.
    def api_command(self) -> list[str]:
        return [str(self.programs / "kube-apiserver"), f"--etcd-servers={self.etcd_url}", "--bind-address=127.0.0.1",
                "--advertise-address=127.0.0.1", f"--secure-port={self.port}", f"--cert-dir={self.folder}",
                f"--tls-cert-file={self.pair.certificate}", f"--tls-private-key-file={self.pair.key}",
                f"--client-ca-file={self.ca}", f"--service-account-issuer={ISSUER}",
                f"--service-account-signing-key-file={self.account_key}", f"--service-account-key-file={self.account_public}",
                "--feature-gates=WatchList=false", "--service-cluster-ip-range=10.0.0.0/24", "--endpoint-reconciler-type=none", "--authorization-mode=RBAC",
                f"--token-auth-file={self.folder}/tokens.csv", f"--audit-policy-file={self.folder}/audit.json",
                f"--audit-log-path={self.audit_log}", "--audit-log-mode=blocking",
                f"--proxy-client-cert-file={self.front_proxy.certificate}", f"--proxy-client-key-file={self.front_proxy.key}",
                f"--requestheader-client-ca-file={self.ca}", f"--requestheader-allowed-names={FRONT_PROXY}",
                "--requestheader-username-headers=X-Remote-User",
                "--requestheader-group-headers=X-Remote-Group", "--requestheader-extra-headers-prefix=X-Remote-Extra-"]

    def manager_command(self) -> list[str]:
        return [str(self.programs / "kube-controller-manager"), f"--kubeconfig={self.manager_kubeconfig}",
                "--use-service-account-credentials=true", f"--service-account-private-key-file={self.account_key}",
                f"--root-ca-file={self.ca}", f"--controllers={','.join(CONTROLLERS)}", "--leader-elect=false",
                "--secure-port=0", "--kube-api-qps=500", "--kube-api-burst=500", f"--horizontal-pod-autoscaler-sync-period={self.hpa_sync_s}s"]

    def __enter__(self) -> "ControlPlane":
        try:
            self.etcd.start()
            self.start_api()
            self.manager.start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        for part in (self.manager, self.api, self.etcd):
            part.stop()
        shutil.rmtree(self.folder / "etcd", ignore_errors=True)

    def start_api(self) -> None:
        """Returns once it is ready."""
        self.api.start()
        deadline = time.monotonic() + READY_S
        while time.monotonic() < deadline:
            self.etcd.check()
            self.api.check()
            try:
                if self.admin.ask("GET", "/readyz") == "ok":
                    return
            except Exception:  # noqa: BLE001  refused, cut off, 403 until RBAC's rules are there, 500 until it is ready
                pass
            time.sleep(0.1)
        raise AssertionError(f"kube-apiserver is not ready after {READY_S} s:\n{self.api.log.read_text()[-3000:]}")

    def compact(self) -> None:
        """Nothing can be read any more as it was before now: neither pages of older lists, nor, after the next start of the API
        server, watches from older versions."""
        revision = self.etcd_ask("maintenance/status", {})["header"]["revision"]
        self.etcd_ask("kv/compaction", {"revision": revision, "physical": True})

    def etcd_ask(self, path: str, body: dict[str, Any]) -> Any:
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(f"{self.etcd_url}/v3/{path}", json.dumps(body).encode(), timeout=harness.PATIENCE_S) as answer:
            return json.load(answer)

    def kubectl(self, *arguments: str) -> str:
        done = subprocess.run([str(self.programs / "kubectl"), f"--kubeconfig={self.admin_kubeconfig}", *arguments],
                              env=harness.surroundings(), text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              timeout=harness.PATIENCE_S, check=False)
        if done.returncode != 0:
            raise AssertionError(f"kubectl {' '.join(arguments)}: {done.stdout}{done.stderr}")
        return done.stdout

#!/usr/bin/env python3
"""Tests that a binding's program answers every call of protocol 1 as gputide_protocol does, whatever the cases ask.

protocol_test.py GPUTIDE_PROTOCOL COMMAND
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

NOW_MS = 1_795_255_200_000
MANIFEST = {
    "apiVersion": "keda.sh/v1alpha1",
    "kind": "ScaledObject",
    "metadata": {"name": "up"},
    "spec": {"scaleTargetRef": {"name": "up"}, "triggers": [{"type": "values", "metadata": {"threshold": "5"}}]},
}
TEXT = json.dumps(MANIFEST)
JOBS = (
    '{"apiVersion":"keda.sh/v1alpha1","kind":"ScaledJob","metadata":{"name":"train"},"spec":{"jobTargetRef":{"template":{}},'
    '"triggers":[{"type":"prometheus","metadata":{"serverAddress":"http://x","query":"q","threshold":"2"}}]}}'
)
TRIGGER = 'type: prometheus\nmetadata: {serverAddress: "http://127.0.0.1:1", query: q, threshold: "5"}'
WATCHED = json.dumps(
    {
        **MANIFEST,
        "spec": {
            **MANIFEST["spec"],
            "triggers": [
                {"type": "prometheus", "metadata": {"serverAddress": "http://127.0.0.1:1", "query": "q", "threshold": "5"}}
            ],
        },
    }
)
AUTHENTICATION = """apiVersion: keda.sh/v1alpha1
kind: TriggerAuthentication
metadata: {name: a}
spec: {podIdentity: {provider: azure-workload, identityId: c, identityTenantId: t, identityAuthorityHost: "https://login.example.com/"}}
"""
PLAIN = """apiVersion: keda.sh/v1alpha1
kind: TriggerAuthentication
metadata: {name: a}
spec: {podIdentity: {provider: azure-cli}}
"""


def asking(address, authentication, query="up"):
    text = f'type: prometheus\nmetadata: {{serverAddress: "{address}", query: "{query}", threshold: "5", unsafeSsl: "true"}}\n'
    return text + "authenticationRef: {name: a}\n", [{"name": "a.yaml", "text": authentication}]


def flag_calls():
    """Each option flag alone. Those of environment, plain http, authority and strict profile change a result here."""
    asked = [
        asking("http://host.invalid:1", PLAIN),
        asking("https://host.invalid:1", PLAIN),
        asking("https://127.0.0.1:1", AUTHENTICATION),
        asking("https://127.0.0.1:1", PLAIN, "${HOME}"),
    ]
    chosen = {"allowed_programs": "az", "allowed_token_hosts": "host.invalid"}
    calls = []
    for flags in [0] + [1 << bit for bit in range(7)]:
        for index, (text, files) in enumerate(asked):
            name = f"o{flags}-{index}"
            calls.append({"call": "source.open", "as": name, "text": text, "options": {"flags": flags, "files": files, **chosen}})
            calls.append({"call": "source.describe", "source": name})
            calls.append({"call": "source.request", "source": name, "now_ms": NOW_MS})
            calls.append({"call": "source.fetch", "source": name, "now_ms": NOW_MS, "timeout_ms": 2000})
    return calls


ANSWER = '{"status":"success","data":{"resultType":"vector","result":[{"metric":{"a":"b"},"value":[1795255200,"42.5"]}]}}'
SEEN = {"now_ms": NOW_MS, "current_replicas": 3, "samples": [{"value": 42.5}]}
TIMES = [NOW_MS + index * 15_000 for index in range(20)]
CSV = "time,value\n1795255200.000,5\n1795255215.000,6\n"
CLUSTER = json.dumps(
    {
        "pools": [
            {"id": "gpu", "size": 0, "min": 0, "max": 4, "allocatable": {"cpu": 8000, "memory": "32Gi", "nvidia.com/gpu": 1}},
        ],
        "groups": [{"name": "train", "count": 2, "pod": {"requests": {"cpu": 1000, "nvidia.com/gpu": 1}}}],
    }
)
JWT = "eyJhbGciOiJub25lIn0.eyJzdWIiOiJtZSJ9.x"
AUTOSCALER = {
    "apiVersion": "autoscaling/v2",
    "kind": "HorizontalPodAutoscaler",
    "metadata": {"name": "demo"},
    "spec": {
        "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "demo"},
        "maxReplicas": 20,
        "metrics": [
            {"type": "Resource", "resource": {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 50}}},
            {
                "type": "External",
                "external": {"metric": {"name": "qps", "selector": {}}, "target": {"type": "Value", "value": "5"}},
            },
        ],
    },
}
# GPUTIDE_OBSERVED_READY and GPUTIDE_OBSERVED_PODS
LISTED = {"now_ms": NOW_MS, "current_replicas": 3, "flags": 10, "samples": [{}, {"value": 50}]}
POD = [{"name": "x-0", "phase": 1, "ready": 1}]
LACKING = [{"metric": 0, "pod": 1, "value_milli": 100, "container": "main"}]
POLICY = [{"call": "policy.open", "as": "p", "text": TEXT}, {"call": "state.new", "as": "s", "policy": "p"}]
SCALER = [{"call": "scaler.open", "as": "x", "manifest": TEXT}]
RUNTIME = [
    {"call": "runtime.new", "as": "r", "options": {"flags": 3, "seed": 7, "start_spread_ms": 1}},
    {"call": "runtime.add", "runtime": "r", "manifest": TEXT, "tag": "18446744073709551615"},
    {"call": "runtime.find", "runtime": "r", "name": "default/up"},
]


def names(call, member, numbers):
    return [{"call": call, member: number} for number in numbers]


def lines(identity):
    """Calls by a name for them.  identity: the runtime's number for its scaler, which differs between the programs."""
    entry = {"runtime": "r", "id": identity}
    return {
        "library": [
            {"call": "version"},
            {"call": "abi.version"},
            {"call": "features"},
            {"call": "build.info"},
        ],
        "names": names("status.name", "status", (0, 4, 20, 99))
        + names("action.name", "action", (0, 5, 99))
        + names("sample.state_name", "state", (0, 3, 99))
        + names("limit.name", "limit", (0, 12, 99))
        + names("condition.name", "condition", (0, 7, 99))
        + names("reason.name", "reason", (0, 34, 99))
        + names("event.name", "event", (0, 4, 99))
        + names("event.kind_name", "kind", (1, 2, 99)),
        "credential": [
            {
                "call": "credential.open",
                "as": "c",
                "text": "provider: azure-cli",
                "options": {"allowed_programs": "/nonexistent/az"},
            },
            {"call": "credential.token", "credential": "c", "scope": "https://example.com/.default", "timeout_ms": 2000},
            {"call": "credential.invalidate", "credential": "c", "scope": "https://example.com/.default", "token": "t"},
            {"call": "token.claims", "token": JWT},
            {"call": "token.claims", "token": {"b64": "//8="}},
        ],
        "source": [
            {"call": "source.open", "as": "o", "text": TRIGGER},
            {"call": "source.describe", "source": "o"},
            {"call": "source.request", "source": "o", "now_ms": NOW_MS},
            {"call": "source.parse", "source": "o", "http_status": 200, "body": ANSWER},
            {"call": "source.parse", "source": "o", "http_status": 429, "body": "slowly"},
            {
                "call": "source.parse_all",
                "source": "o",
                "http_status": 200,
                "headers": "Content-Type: text/plain",
                "body": ANSWER,
            },
            {"call": "source.fetch", "source": "o", "now_ms": NOW_MS, "timeout_ms": 2000},
            {"call": "source.fetch_all", "source": "o", "now_ms": NOW_MS, "timeout_ms": 2000},
            {"call": "quantity", "text": "1500m"},
            {"call": "quantity", "text": "9223372036854775807m"},
            {"call": "quantity", "text": "x"},
        ],
        "policy": [
            *POLICY,
            {"call": "policy.metric_count", "policy": "p"},
            {"call": "policy.metric_name", "policy": "p", "metric": 0},
            {"call": "policy.metric_name", "policy": "p", "metric": 1},
            {"call": "policy.describe", "policy": "p"},
            {"call": "decide", "as": "d", "state": "s", "seen": SEEN, "report": True},
            {"call": "state.record", "state": "s", "decision": "d", "applied": 1, "now_ms": NOW_MS},
            {"call": "state.record", "state": "s", "decision": "d", "applied": 1, "now_ms": NOW_MS},
            {"call": "decide.values", "state": "s", "now_ms": NOW_MS + 15_000, "current_replicas": 6, "values": [1]},
            {"call": "decide.values", "state": "s", "now_ms": NOW_MS + 30_000, "current_replicas": 6, "values": ["NaN"]},
            {"call": "state.describe", "state": "s"},
            {"call": "state.load", "as": "u", "policy": "p", "text": "{}", "flags": 1},
            {"call": "state.describe", "state": "u"},
            {"call": "state.load", "as": "w", "policy": "p", "text": "no state"},
            {"call": "state.save", "state": "w"},
            {"call": "state.save", "state": "u"},
            {"call": "decide", "state": "s", "seen": {"now_ms": 0, "current_replicas": 3}},
            {"call": "decide", "state": "s", "seen": {"now_ms": NOW_MS + 60_000, "flags": 4}},
            {"call": "report.render", "report": "{}"},
            {"call": "policy.open", "as": "q", "text": {"b64": "//8="}},
        ],
        "reasons": [
            {"call": "policy.open", "as": "p", "text": json.dumps(AUTOSCALER)},
            {"call": "state.new", "as": "s", "policy": "p"},
            {"call": "decide", "as": "d", "state": "s", "report": True, "seen": {**LISTED, "pods": POD, "pod_samples": LACKING}},
            {"call": "state.record", "state": "s", "decision": "d", "applied": 0, "now_ms": NOW_MS, "message": "denied"},
            {"call": "decide", "state": "s", "report": True, "seen": {**LISTED, "now_ms": NOW_MS + 5_000}},
            {"call": "decide", "state": "s", "report": True, "seen": {**LISTED, "now_ms": NOW_MS + 20_000}},
            {
                "call": "decide",
                "state": "s",
                "report": True,
                "seen": {"now_ms": NOW_MS + 40_000, "flags": 4, "message": "refused"},
            },
        ],
        "scaler": [
            *SCALER,
            {"call": "scaler.describe", "scaler": "x"},
            {"call": "scaler.tick", "scaler": "x", "as": "d", "seen": SEEN, "report": True, "timeout_ms": 1000},
            {"call": "scaler.record", "scaler": "x", "decision": "d", "applied": 0, "now_ms": NOW_MS, "message": "denied"},
            {"call": "scaler.tick", "scaler": "x", "seen": {**SEEN, "now_ms": NOW_MS + 15_000}, "timeout_ms": 1000},
            {"call": "scaler.save", "scaler": "x"},
            {"call": "scaler.load", "scaler": "x", "text": "no state"},
            {"call": "manifest.check", "manifest": TEXT},
            {"call": "manifest.check", "manifest": "kind: ScaledObject"},
        ],
        "watched": [
            {"call": "scaler.open", "as": "x", "manifest": WATCHED},
            {"call": "series.new", "as": "l"},
            {
                "call": "series.fetch",
                "series": "l",
                "scaler": "x",
                "metric": 0,
                "from_ms": NOW_MS,
                "to_ms": NOW_MS + 60_000,
                "step_ms": 15_000,
                "timeout_ms": 2000,
            },
            {"call": "doctor", "manifest": WATCHED, "timeout_ms": 2000, "seen": {**SEEN, "samples": []}},
        ],
        "runtime": [
            *RUNTIME,
            {"call": "runtime.next_scaler", "runtime": "r"},
            {"call": "runtime.next_scaler", "after_id": identity, "runtime": "r"},
            {"call": "runtime.replace", **entry, "manifest": TEXT},
            {"call": "runtime.push", **entry, "samples": [{"value": 42.5}]},
            {"call": "runtime.observe", **entry, "seen": SEEN},
            {"call": "runtime.step", "runtime": "r", "now_ms": NOW_MS},
            {"call": "runtime.step", "runtime": "r", "now_ms": NOW_MS + 20},
            {"call": "runtime.next_event", "runtime": "r", "as": "d", "timeout_ms": 0},
            {"call": "runtime.record", **entry, "decision": "d", "applied": 1, "now_ms": NOW_MS},
            {"call": "runtime.record", **entry, "decision": "d", "applied": 1, "now_ms": NOW_MS},
            {"call": "runtime.save", **entry},
            {"call": "runtime.load", **entry, "text": "no state"},
            {"call": "runtime.describe", **entry},
            {"call": "runtime.stats", "runtime": "r"},
            {"call": "runtime.wake_fd", "runtime": "r"},
            {"call": "cluster.attach", "runtime": "r", "settings": '{"shadow": true, "shard": 2}'},
            {"call": "cluster.describe", "runtime": "r"},
            {"call": "cluster.detach", "runtime": "r", "timeout_ms": 2000},
            {"call": "runtime.start", "runtime": "r"},
            {"call": "runtime.start", "runtime": "r"},
            {"call": "runtime.stop", "runtime": "r", "timeout_ms": 2000},
            {"call": "runtime.remove", **entry},
            {"call": "runtime.remove", **entry},
            {"call": "runtime.close", "runtime": "r", "timeout_ms": 2000},
            {"call": "runtime.stats", "runtime": "r"},
        ],
        "option flags": flag_calls(),
        "nodes": [
            {"call": "nodes.plan", "text": CLUSTER, "now_ms": NOW_MS},
            {"call": "nodes.plan", "text": CLUSTER, "state": "no state", "now_ms": NOW_MS},
        ],
        "jobs": [
            {"call": "scaled.job_decide", "text": JOBS, "seen": '{"values":[12.5],"running":3,"pending":1}'},
            {"call": "scaled.job_decide", "text": JOBS, "seen": '{"values":[]}'},
            {"call": "scaled.job_decide", "text": json.dumps(MANIFEST), "seen": '{"values":[1]}'},
        ],
        "forecast": [
            {"call": "forecast.open", "as": "f", "settings": '{"warmup_ms":3600000}'},
            {"call": "forecast.open", "as": "g", "settings": '{"lead_ms":5}'},
            {"call": "forecast.add", "forecast": "f", "now_ms": NOW_MS, "load": 42.5},
            {"call": "forecast.add", "forecast": "f", "now_ms": NOW_MS + 60_000, "load": "NaN"},
            {
                "call": "forecast.floor",
                "as": "floor",
                "forecast": "f",
                "target": 5,
                "reactive_replicas": 4,
                "current_replicas": 4,
                "max_replicas": 40,
            },
            {"call": "forecast.charge", "forecast": "f", "floor": "floor", "shadow_replicas": 4},
            {"call": "forecast.charge", "forecast": "f", "written_replicas": 4, "shadow_replicas": 4},
            {"call": "forecast.describe", "forecast": "f"},
            {"call": "forecast.save", "forecast": "f"},
            {"call": "forecast.load", "forecast": "f", "text": "no state"},
        ],
        "rightsize": [
            {"call": "rightsize.open", "as": "r", "settings": '{"gpu_model":"A100","gpu_memory_bytes":"80G"}'},
            {"call": "rightsize.open", "as": "w", "settings": '{"gpus":0}'},
            {"call": "rightsize.describe", "rightsize": "r"},
            {"call": "rightsize.container", "rightsize": "r", "name": "chat"},
            {"call": "rightsize.container", "rightsize": "r", "name": ""},
            {
                "call": "rightsize.add",
                "rightsize": "r",
                "samples": [
                    {"time_ms": NOW_MS, "container": 1, "flags": 3, "busy": 30.5, "memory_bytes": 5_000_000_000},
                    {"time_ms": NOW_MS, "container": 1, "flags": 1, "busy": 30.5},
                    {"time_ms": NOW_MS + 1000, "container": 1, "unit": 7, "flags": 4, "memory_bytes": 0},
                ],
            },
            {"call": "rightsize.add", "rightsize": "r", "samples": [{"time_ms": NOW_MS, "container": 2, "flags": 1}]},
            {"call": "rightsize.recommend", "rightsize": "r", "container": 1, "now_ms": NOW_MS},
            {"call": "rightsize.recommend", "rightsize": "r", "container": 9, "now_ms": NOW_MS},
            {"call": "rightsize.fit", "rightsize": "r", "memory_bytes": 5_000_000_000, "util_percent": 12.5},
            {"call": "rightsize.fit", "rightsize": "r", "memory_bytes": 1, "util_percent": "NaN"},
            {"call": "rightsize.save", "rightsize": "r", "container": 1, "now_ms": NOW_MS},
            {"call": "rightsize.load", "rightsize": "r", "container": 1, "text": "{}"},
        ],
        "replay": [
            {"call": "series.new", "as": "l"},
            {"call": "series.add", "series": "l", "metric": 0, "times_ms": TIMES, "values": [20.0] * 19 + ["NaN"]},
            {"call": "series.add_replicas", "series": "l", "times_ms": TIMES, "replicas": [3] * 20},
            {"call": "series.read", "series": "l", "metric": 0, "text": CSV},
            {"call": "series.read", "series": "l", "metric": 0, "text": "{"},
            {"call": "series.describe", "series": "l"},
            {"call": "series.write", "series": "l"},
            {"call": "replay.open", "as": "y", "manifest": TEXT, "settings": '{"model":"open"}'},
            {"call": "replay.open", "as": "z", "manifest": TEXT, "settings": '{"modle":1}'},
            {"call": "replay.run", "replay": "y", "series": "l"},
            {"call": "replay.report", "replay": "y"},
            {"call": "replay.open", "as": "v", "manifest": TEXT},
            {"call": "replay.record", "replay": "v", "time_ms": NOW_MS, "samples": [{"value": 9}], "replicas": 3},
            {"call": "replay.record", "replay": "v", "time_ms": NOW_MS + 60_000, "samples": [{"value": 9}]},
        ],
    }


class Program:
    def __init__(self, command):
        # An Azure CLI in which no account is signed in: the result is the same with and without a real one on this machine.
        self.programs = tempfile.TemporaryDirectory()
        az = Path(self.programs.name, "az")
        az.write_text("#!/bin/sh\necho 'Please run az login' >&2\nexit 1\n")
        az.chmod(0o755)
        path = os.pathsep.join([self.programs.name, os.environ["PATH"]])
        environment = {**os.environ, "AZURE_FEDERATED_TOKEN_FILE": "/nonexistent", "PATH": path}
        self.program = subprocess.Popen(
            command, shell=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
        )
        self.hello = json.loads(self.program.stdout.readline())

    def ask(self, case, calls, close="reverse"):
        print(json.dumps({"case": case, "calls": calls, "close": close}), file=self.program.stdin, flush=True)
        return json.loads(self.program.stdout.readline())

    def close(self):
        self.program.stdin.close()
        status = self.program.wait()
        self.programs.cleanup()
        return status


# Members that differ between two runs: random ids, descriptors, ports, how long something took.
VARYING = {"id", "fd", "text", "latency_ms", "poll_latency_ms", "poll_lag_ms", "took_ms", "elapsed_ms", "next_ms", "age_ms"}
VARYING |= {"began_ms", "decision_ms", "write_ms", "ready_ms"}  # of a rise, by the machine's clock


def comparable(value):
    if isinstance(value, dict):
        return {key: comparable(entry) for key, entry in value.items() if key not in VARYING and key != "lines"}
    if isinstance(value, list):
        return [comparable(entry) for entry in value]
    if isinstance(value, str) and value.startswith(("{", "[")):
        try:
            return comparable(json.loads(value))
        except ValueError:
            return value
    return value


def main():
    c, binding = map(Program, sys.argv[1:3])
    bad = 0

    def expect(what, fine, detail=""):
        nonlocal bad
        if not fine:
            bad += 1
            print(f"{what}: {detail}")

    expect("hello", set(c.hello["calls"]) == set(binding.hello["calls"]), set(c.hello["calls"]) ^ set(binding.hello["calls"]))
    identities = [program.ask("id", RUNTIME)["results"][-1]["id"] for program in (c, binding)]
    asked = set()
    for order in ("forward", "reverse", "collect"):
        cases = zip(lines(identities[0]).items(), lines(identities[1]).values())
        for (name, calls), its_calls in cases:
            answers = (c.ask(name, calls, order), binding.ask(name, its_calls, order))
            for answer in answers:
                expect(f"{name} {order}", "fault" not in answer and answer["alive"] == 0, answer.get("fault", answer["alive"]))
            asked.update(call["call"] for call in calls)
            for call, *results in zip(calls, *(answer["results"] for answer in answers)):
                closed = call["call"] == "runtime.stats" and "error" in results[0]  # a binding refuses it in words of its own
                mine, its = (result["error"]["status"] if closed else comparable(result) for result in results)
                expect(f"{name} {order}: {json.dumps(call)[:160]}", mine == its, f"\n  c       {mine}\n  binding {its}")
    expect("calls that nothing here asks", asked == set(c.hello["calls"]), set(c.hello["calls"]) - asked)
    for program in (c, binding):
        expect("exit status", program.close() == 0)
    print(f"{len(asked)} calls, {bad} differences")
    return bad != 0


if __name__ == "__main__":
    sys.exit(main())

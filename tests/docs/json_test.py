#!/usr/bin/env python3
"""docs/json.md lists every member of every JSON text that comes out of the C API, and none that does not come out.

    json_test.py PROGRAM docs/json.md
    json_test.py PROGRAM --seen          prints what comes out, as rows for the page

PROGRAM (tests/docs/json) prints each text with its name; this file is the server that its sources ask.
"""
import base64
import collections
import http.server
import json
import re
import ssl
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse

RESULTS = {
    "up": [{"metric": {"gpu": "0"}, "value": [0, "12"]}],
    "many": [{"metric": {"gpu": str(gpu)}, "value": [0, "12"]} for gpu in range(2)],
    "empty": [],
}
FAILURES = {
    "refused": (401, {}, "no"),
    "throttled": (429, {"Retry-After": "7"}, "slower"),
    "rejected": (400, {}, '{"status":"error","errorType":"bad_data","error":"parse error"}'),
}


def scaled_object(name: str, port: int, threshold: str) -> dict[str, object]:
    trigger = {"type": "prometheus",
               "metadata": {"serverAddress": f"http://127.0.0.1:{port}", "query": "up", "threshold": threshold}}
    return {"metadata": {"name": name, "namespace": "ml", "resourceVersion": "1",
                         "annotations": {"gputide.io/sync-period": "1s"}},
            "spec": {"scaleTargetRef": {"name": "llm"}, "pollingInterval": 1, "triggers": [trigger]}}


def scaled_job(name: str, port: int, threshold: str) -> dict[str, object]:
    return {"metadata": {"name": name, "namespace": "ml", "uid": f"u-{name}", "resourceVersion": "1", "generation": 1,
                         "annotations": {"gputide.io/cost-per-gpu-hour": "3"}},
            "spec": {"pollingInterval": 1, "successfulJobsHistoryLimit": 0, "triggers": [{"type": "prometheus", "metadata": {
                "serverAddress": f"http://127.0.0.1:{port}", "query": "up", "threshold": threshold}}],
                "jobTargetRef": {"template": {"spec": {"containers": []}}}}}


def cluster_lists(port: int) -> dict[str, list[dict[str, object]]]:
    target = {"metadata": {"name": "llm", "namespace": "ml", "uid": "u", "resourceVersion": "1"}, "spec": {"replicas": 1},
              "status": {"replicas": 1, "readyReplicas": 1}}
    rival = {"metadata": {"name": "other", "namespace": "ml", "resourceVersion": "1"},
             "spec": {"scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "elsewhere"}}}
    done = {"metadata": {"name": "train-old", "namespace": "ml", "uid": "j", "resourceVersion": "1",
                         "annotations": {"scaledjob.keda.sh/generation": "1"}, "labels": {"scaledjob.keda.sh/name": "train"}},
            "status": {"conditions": [{"type": "Complete", "status": "True"}]}}
    return {"scaledjobs": [scaled_job("train", port, "5"), scaled_job("faulty", port, "many")], "jobs": [done], "scaledobjects": [scaled_object("llm", port, "5"), scaled_object("broken", port, "many")],
            "deployments": [target], "horizontalpodautoscalers": [rival]}


SCALE = {"kind": "Scale", "apiVersion": "autoscaling/v1", "spec": {"replicas": 1}, "status": {"replicas": 1},
         "metadata": {"name": "llm", "namespace": "ml", "uid": "u", "resourceVersion": "1"}}

# An object that no parser of gputide reads, deeper than Python writes one.
TOO_DEEP = '{"metadata": {"name": "deep", "namespace": "ml"}, "spec": ' + "[" * 2_000 + "]" * 2_000 + "}"

POOL = {"name": "gpunp", "properties": {"vmSize": "Standard_NC40ads_H100_v5", "count": 1, "enableAutoScaling": True, "minCount": 0,
                                        "maxCount": 4, "eTag": "1", "provisioningState": "Succeeded"}}


class Server(http.server.BaseHTTPRequestHandler):
    """A Prometheus that answers by the query, and an API server with one workload."""
    metrics_port = 0

    def answer(self, status: int, headers: dict[str, str], body: str) -> None:
        self.send_response(status)
        for name, value in {**headers, "Content-Length": str(len(body.encode()))}.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body.encode())

    def do_cluster(self) -> None:
        url = urllib.parse.urlparse(self.path)
        body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
        name = url.path.rsplit("/", 1)[1]
        if "watch=1" in url.query:
            time.sleep(2)
            return self.answer(200, {"Content-Type": "application/json"}, "")
        if name == "selfsubjectreviews":
            return self.answer(201, {}, json.dumps({**json.loads(body), "status": {"userInfo": {"username": "one"}}}))
        if name == "selfsubjectaccessreviews":
            review = json.loads(body)
            allowed = review["spec"]["resourceAttributes"]["resource"] != "events"
            return self.answer(201, {}, json.dumps({**review, "status": {"allowed": allowed, "reason": ""}}))
        if name in ("v1alpha1", "v2"):
            return self.answer(200, {}, json.dumps({"kind": "APIResourceList", "resources": [
                {"name": entry} for entry in (*cluster_lists(0), "triggerauthentications", "clustertriggerauthentications")]}))
        if self.command in ("PUT", "POST"):
            written = json.loads(body)
            written["metadata"]["resourceVersion"] = "2"
            return self.answer(200, {"Content-Type": "application/json"}, json.dumps({**SCALE, **written}))
        if name == "scale":
            return self.answer(200, {"Content-Type": "application/json"}, json.dumps(SCALE))
        if "/leases/" in url.path:
            return self.answer(404, {}, "no")
        if "/scaledobjects/" in url.path:
            item = scaled_object(name, self.metrics_port, "5")
            return self.answer(200, {}, json.dumps({"kind": "ScaledObject", **item}))
        items = cluster_lists(self.metrics_port).get(name, [])
        kind = {"kind": "HorizontalPodAutoscalerList"} if name == "horizontalpodautoscalers" else {}
        body = json.dumps({**kind, "metadata": {"resourceVersion": "1"}, "items": items})
        if name == "scaledobjects":
            body = f"{body.removesuffix(']}')}, {TOO_DEEP}]}}"
        return self.answer(200, {"Content-Type": "application/json"}, body)

    do_PUT = do_DELETE = do_cluster

    def do_GET(self) -> None:
        if self.path.startswith("/apis/"):
            return self.do_cluster()
        if self.path == "/version":
            return self.answer(200, {}, json.dumps({"gitVersion": "v1.36.3"}))
        if "/agentPools/" in self.path:
            return self.answer(200, {"Content-Type": "application/json"}, json.dumps(POOL))
        parameters = urllib.parse.parse_qs(urllib.parse.urlparse(self.path).query)
        asked = parameters.get("query", ["up"])[0]
        if asked == "slow":
            time.sleep(1)
        if asked in FAILURES:
            return self.answer(*FAILURES[asked])
        if "start" in parameters:
            start, end, step = (float(parameters[name][0]) for name in ("start", "end", "step"))
            values = [[start + step * i, "12"] for i in range(int((end - start) / step) + 1)]
            data = {"resultType": "matrix", "result": [{"metric": {}, "values": values}]}
            return self.answer(200, {"Content-Type": "application/json"}, json.dumps({"status": "success", "data": data}))
        result = [{**entry, "value": [time.time(), entry["value"][1]]} for entry in RESULTS.get(asked, [])]
        data = {"resultType": "vector", "result": result}
        return self.answer(200, {"Content-Type": "application/json"}, json.dumps({"status": "success", "data": data}))

    do_HEAD = do_POST = do_GET

    def log_message(self, *_: object) -> None:
        pass


def token() -> str:
    def part(value: dict[str, object]) -> str:
        return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")

    claims = {"aud": "a", "iss": "i", "tid": "t", "appid": "c", "oid": "o", "sub": "s", "nbf": 1, "exp": 2}
    return part({"alg": "none"}) + "." + part(claims) + ".c2ln"


def with_tls(server: http.server.HTTPServer, folder: str) -> str:
    """Its certificate's file, which is also its root."""
    key, certificate = folder + "/key.pem", folder + "/certificate.pem"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "1",
                    "-subj", "/CN=api", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", certificate],
                   check=True, capture_output=True)
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(certificate, key)
    server.socket = tls.wrap_socket(server.socket, server_side=True)
    return certificate


def texts_of(program: str) -> list[tuple[str, object]]:
    servers = [http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server) for _ in range(2)]
    Server.metrics_port = servers[0].server_port
    with tempfile.TemporaryDirectory() as folder:
        roots = with_tls(servers[1], folder)
        for server in servers:
            threading.Thread(target=server.serve_forever, daemon=True).start()
        ran = subprocess.run([program, f"http://127.0.0.1:{servers[0].server_port}", token(),
                              f"https://127.0.0.1:{servers[1].server_port}", roots], capture_output=True, text=True,
                             check=False, timeout=120)
    for server in servers:
        server.shutdown()
    if ran.returncode != 0:
        sys.exit(f"{program}: {ran.stderr}")
    return [(name, json.loads(text)) for name, text in (line.split("\t", 1) for line in ran.stdout.splitlines())]


def kind_of(value: object) -> str:
    if value is None:
        return "null"
    for kind, name in ((bool, "boolean"), (int, "number"), (float, "number"), (str, "text"), (list, "array")):
        if isinstance(value, kind):
            return name
    return "object"


# Members that are texts of their own.
WHOLE = {("runtime_describe", "policy"): "policy_describe", ("runtime_describe", "decision"): "decision", ("runtime_describe", "metrics"): "scaler_metrics", ("scaler_describe", "metrics"): "scaler_metrics",
         ("scaler_describe", "policy"): "policy_describe", ("scaler_describe", "conditions"): "scaler_conditions",
         ("decision", "conditions"): "scaler_conditions", ("manifest_check", "report"): "findings",
         ("source_describe", "report"): "findings", ("nodes_plan", "findings"): "findings"}
# Objects with data as member names: a metric, a label, a setting, a reason.
OPEN = {"source_parse_all": {"series[].labels"}, "source_describe": {"settings", "settings.*"},
        "state_describe": {"health"}, "doctor": {"triggers[].steps[].detail", "outcome[].detail"}, "cluster_doctor": {"steps[].detail"},
        "runtime_stats": {"errors", "lateness.cause_ms"}, "cluster_describe": {"writes", "scaled_jobs.creations"}, "replay_report": {"summary.limited_minutes", "summary.lateness.cause_minutes"},
        "nodes_plan": {"scale_up.passes[].placed", "pools[].offers", "pools[].selector", "groups[].rejected", "groups[].on_nodes", "nodes[].moves"}}
# Members that need minutes, or an autoscaler that has no nodes; the named test has them.
ELSEWHERE = {**{f"cluster_describe.no_capacity[].{member}": "tests/gputided/cluster/capacity_test.py"
                for member in ("namespace", "name", "message", "startable_replicas")},
             "cluster_describe.no_capacity[].until_ms": "tests/unit/kubernetes/capacity_test.cpp",
             "decision.trace.result.no_capacity": "tests/unit/decide/report_test.cpp",
             "decision.trace.result.startable_replicas": "tests/unit/decide/report_test.cpp",
             "runtime_stats.lateness.cause_ms.*": "tests/unit/runtime/lateness_test.cpp"}


Members = dict[str, set[str]]


def member_name(text: str, path: str, name: str) -> str:
    """The name under which the page has it."""
    if text == "error":
        known = ("class", "deadline", "retry_after_ms", "file", "line", "column", "path", "code", "message", "remedy")
        return name if name in known else "*"
    return "*" if path in OPEN.get(text, set()) else name


def visit(text: str, value: object, path: str, seen: dict[str, Members]) -> None:
    """Each member below value with the kinds of its values: conditions[].type, health.*.failures."""
    if path:
        seen[text][path].add(kind_of(value))
    if (text, path) in WHOLE:
        visit(WHOLE[text, path], value, "", seen)
    elif isinstance(value, list):
        for entry in value:
            is_step = (text, path) == ("decision", "trace")
            visit(text, entry, f"trace.{entry['step']}" if is_step else path + "[]", seen)
    elif isinstance(value, dict):
        for name, member in value.items():
            below = member_name(text, path, name)
            visit(text, member, f"{path}.{below}" if path else below, seen)


def seen_in(texts: list[tuple[str, object]]) -> dict[str, Members]:
    out: dict[str, Members] = collections.defaultdict(lambda: collections.defaultdict(set))
    for name, value in texts:
        visit(name, value, "", out)
    for members in out.values():  # elements themselves are not members, and neither is a step of a trace
        for path in [member for member in members if member.endswith("[]") or re.fullmatch(r"trace\.\w+", member)]:
            kinds = members.pop(path)
            if path.endswith("[]") and kinds - {"object"}:
                members[path] = kinds
    return out


def documented_in(page: str) -> dict[str, Members]:
    """## `name` ... and below it rows | `member`, `member` | kind or kind | unit | meaning |"""
    out: dict[str, Members] = {}
    name, prefix = "", ""
    for line in page.splitlines():
        if heading := re.match(r"##+ `([\w.]+)`", line):
            name, _, step = heading[1].partition(".")
            prefix = f"trace.{step}." if step else ""
            out.setdefault(name, {})
        elif line.startswith("| `"):
            cells = [cell.strip() for cell in line.strip("|\n").split(" | ")]
            for member in re.findall(r"`([^`]+)`", cells[0]):
                out[name][prefix + member] = set(cells[1].split(" or "))
    return out


def main(program: str, page_path: str) -> int:
    seen = seen_in(texts_of(program))
    if page_path == "--seen":
        for name, members in seen.items():
            print(f"## `{name}`")
            for path, kinds in members.items():
                print(f"| `{path}` | {' or '.join(sorted(kinds))} | | |")
        return 0
    with open(page_path, encoding="utf-8") as file:
        documented = documented_in(file.read())
    wrong = [f"{name}: not on the page" for name in seen.keys() - documented.keys()]
    wrong += [f"{name}: on the page, and never came out" for name in documented.keys() - seen.keys()]
    for name in sorted(seen.keys() & documented.keys()):
        for path in sorted(seen[name].keys() | documented[name].keys()):
            came, said = seen[name].get(path), documented[name].get(path)
            if said is None:
                wrong.append(f"{name}: {path} ({' or '.join(sorted(came))}) is not on the page")
            elif came is None:
                if f"{name}.{path}" not in ELSEWHERE:
                    wrong.append(f"{name}: {path} is on the page, and never came out")
            elif came != said:
                wrong.append(f"{name}: {path} is {' or '.join(sorted(came))}, the page says {' or '.join(sorted(said))}")
    print("\n".join(wrong) or f"{sum(map(len, seen.values()))} members of {len(seen)} texts")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

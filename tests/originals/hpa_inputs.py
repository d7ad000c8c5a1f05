"""Random timelines of a HorizontalPodAutoscaler: manifest, flags of the controller, and what it sees pass by pass."""

from __future__ import annotations

import random
from typing import Any

Json = dict[str, Any]
KINDS = ("External", "External", "Object", "Pods", "Resource", "Resource", "ContainerResource")
RATIOS = (0, 0.3, 0.5, 0.89, 0.9, 0.91, 0.95, 1, 1.05, 1.09, 1.1, 1.1001, 1.11, 1.2, 1.5, 2, 4, 10, 60)
MAX_PODS = 12


def timeline(rng: random.Random) -> Json:
    flags = {
        "tolerance": rng.choice([0.1, 0.1, 0.1, 0, 0.01, 0.05, 0.2, 0.5]),
        "downscale_s": rng.choice([300, 300, 0, 30, 60, 600]),
        "cpu_init_s": rng.choice([300, 300, 0, 120]),
        "readiness_s": rng.choice([30, 30, 0, 10, 60]),
        "scale_to_zero": rng.random() < 0.7,
    }
    spec = _spec(rng, flags)
    manifest = _manifest(spec)
    steps: list[Json] = []
    for index in range(rng.randint(3, 20)):
        step = _step(rng, spec, first=index == 0)
        if index and rng.random() < 0.02:
            spec = _edited(rng, spec)
            step["hpa"] = _manifest(spec)
        steps.append(step)
    return {"hpa": manifest, "flags": flags, "steps": steps}


def _manifest(spec: Json) -> Json:
    return {
        "apiVersion": "autoscaling/v2",
        "kind": "HorizontalPodAutoscaler",
        "metadata": {"name": "x", "namespace": "n"},
        "spec": {"scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "x"}, **spec},
    }


def _spec(rng: random.Random, flags: Json) -> Json:
    metrics = [_metric(rng, index) for index in range(rng.choice([1, 1, 1, 2, 2, 3, 4]))]
    outside = any(metric["type"] in ("External", "Object") for metric in metrics)
    lowest = 0 if outside and flags["scale_to_zero"] and rng.random() < 0.5 else rng.choice([1, 1, 2, 3, 7])
    spec: Json = {"minReplicas": lowest, "maxReplicas": max(1, lowest) + rng.choice([0, 1, 4, 10, 50, 1000]), "metrics": metrics}
    if rng.random() < 0.6:
        spec["behavior"] = {side: _rules(rng) for side in ("scaleUp", "scaleDown") if rng.random() < 0.8}
    return spec


def _edited(rng: random.Random, spec: Json) -> Json:
    """The same metrics with other bounds or rules, as a person changes them."""
    lowest = spec["minReplicas"] and rng.choice([1, 2, 5])
    out = {**spec, "minReplicas": lowest, "maxReplicas": max(1, lowest) + rng.choice([0, 3, 30])}
    if rng.random() < 0.5:
        out["behavior"] = {"scaleUp": _rules(rng), "scaleDown": _rules(rng)}
    return out


def _rules(rng: random.Random) -> Json:
    rules: Json = {}
    if rng.random() < 0.6:
        rules["stabilizationWindowSeconds"] = rng.choice([0, 0, 15, 30, 60, 300, 600, 3600])
    if rng.random() < 0.4:
        rules["selectPolicy"] = rng.choice(["Max", "Min", "Disabled"])
    if rng.random() < 0.6:
        rules["policies"] = [
            {
                "type": rng.choice(["Pods", "Percent"]),
                "value": rng.choice([1, 2, 3, 10, 50, 90, 100, 1000]),
                "periodSeconds": rng.choice([1, 15, 30, 60, 300, 1800]),
            }
            for _ in range(rng.randint(1, 3))
        ]
    if rng.random() < 0.3:
        rules["tolerance"] = rng.choice(["0", "0.05", "50m", "100m", "0.118", "118m", "500m", "12500u", "0.0125", "1"])
    return rules


def _metric(rng: random.Random, index: int) -> Json:
    kind = rng.choice(KINDS)
    quantity = rng.choice(["1", "10", "33", "500m", "100", "1k", "7", "1500m", "0.3", "250"])
    average = {"type": "AverageValue", "averageValue": quantity}
    either = average if rng.random() < 0.6 else {"type": "Value", "value": quantity}
    identifier: Json = {"name": f"m{index}", **_selector(rng)}
    if kind == "External":
        return {"type": kind, "external": {"metric": identifier, "target": either}}
    if kind == "Object":
        service = {"apiVersion": "v1", "kind": "Service", "name": "s"}
        return {"type": kind, "object": {"describedObject": service, "metric": identifier, "target": either}}
    if kind == "Pods":
        return {"type": kind, "pods": {"metric": identifier, "target": average}}
    percent = {"type": "Utilization", "averageUtilization": rng.choice([1, 30, 50, 80, 100, 250])}
    source: Json = {"name": rng.choice(["cpu", "cpu", "memory"]), "target": percent if rng.random() < 0.75 else average}
    if kind == "Resource":
        return {"type": kind, "resource": source}
    return {"type": kind, "containerResource": {**source, "container": "main"}}


def _selector(rng: random.Random) -> Json:
    if rng.random() < 0.6:
        return {}
    out: Json = {}
    if rng.random() < 0.6:
        out["matchLabels"] = {key: rng.choice(["", "x", "y"]) for key in ("b", "a") if rng.random() < 0.7}
    if rng.random() < 0.5:
        out["matchExpressions"] = [
            {"key": "d", "operator": "In", "values": ["q", "p"][: rng.randint(1, 2)]},
            {"key": "c", "operator": rng.choice(["Exists", "DoesNotExist"])},
            {"key": "a", "operator": "NotIn", "values": ["z"]},
        ][: rng.randint(1, 3)]
    return {"selector": out}


def _step(rng: random.Random, spec: Json, *, first: bool) -> Json:
    step: Json = {"wait_ms": rng.choice([15000, 15000, 15000, 15000, 1, 565, 1000, 14999, 30000, 60000, 301000])}
    size = rng.choice([1, 2, 3, 5, 7, 10, 20, 100])
    if first or rng.random() < 0.2:
        step["replicas"] = size = rng.choice([0, size, size, size, spec["minReplicas"], spec["maxReplicas"]])
    if rng.random() < 0.15:
        step["status_replicas"] = rng.choice([0, 1, size, size + 1, 2 * size])
    step["pods"] = [_pod(rng) for _ in range(rng.choice([0, 3, MAX_PODS, MAX_PODS, MAX_PODS, MAX_PODS]))]
    step["metrics"] = [_seen(rng, metric, max(1, size), len(step["pods"])) for metric in spec["metrics"]]
    if rng.random() < 0.02:
        step["scale_error"] = "the scale is not to be had"
    if rng.random() < 0.03:
        step["write_error"] = "the size was refused"
    return step


def _pod(rng: random.Random) -> Json:
    start = rng.choice([0, 5, 29, 30, 31, 119, 120, 121, 299, 300, 301, 3600, 86400]) * 1000 + rng.choice([0, 0, 1, 500])
    pod: Json = {
        "phase": rng.choices(["Running", "Pending", "Failed", "Succeeded", "Unknown"], [90, 4, 3, 2, 1])[0],
        "ready": rng.choices(["True", "False", "Unknown", ""], [88, 8, 2, 2])[0],
        "deleting": rng.random() < 0.03,
        "change_ms": rng.choice([start, start, max(0, start - 1000), max(0, start - 29000), max(0, start - 30000), start // 2]),
        "requests": {
            name: {resource: rng.choice([100, 250, 1000, 4000, rng.randint(1, 9999)]) for resource in ("cpu", "memory")}
            for name in ("main", "side")
            if name == "main" or rng.random() < 0.2
        },
    }
    if rng.random() < 0.97:
        pod["start_ms"] = start
    if rng.random() < 0.01:
        del pod["requests"][rng.choice(list(pod["requests"]))][rng.choice(["cpu", "memory"])]
    return pod


API = {"External": "external", "Object": "custom", "Pods": "custom", "Resource": "resource", "ContainerResource": "resource"}


def _seen(rng: random.Random, metric: Json, size: int, pods: int) -> Json:
    kind = metric["type"]
    if rng.random() < 0.05:
        if kind != "Object" and rng.random() < 0.3:
            return {"error": f"no metrics returned from {API[kind]} metrics API"}
        why = "the server of metrics said no"
        return {"error": f"unable to fetch metrics from {API[kind]} metrics API: {why}", "why": why}
    target = metric[kind[0].lower() + kind[1:]]["target"]
    wanted = milli(target.get("averageValue") or target.get("value") or "0")
    ratio = rng.choice(RATIOS) if rng.random() < 0.8 else rng.lognormvariate(0, 1)
    if kind in ("External", "Object") and rng.random() < 0.003:
        return {"values": [rng.choice([2**40, 2**50])]}  # more replicas than 32 bits count
    if kind in ("External", "Object"):
        total = round(wanted * ratio * (size if "averageValue" in target else 1)) + rng.choice([0, 0, 0, 1, -1])
        return {"values": _parts(rng, max(0, total)) if kind == "External" else [max(0, total)]}
    found = []
    for pod in [*range(pods), -1]:
        if rng.random() < (0.93 if pod >= 0 else 0.03):
            base = wanted or rng.choice([100, 250, 1000]) * target["averageUtilization"] // 100
            value = max(0, round(base * ratio * rng.choice([1, 1, 1, 0.5, 1.2])))
            found.append({"pod": pod, "milli": value, "age_ms": rng.choice([0, 0, 1000, 15000, 60000]), "window_s": rng.choice([1, 15, 30, 60])})
    return {"pods": found}


def _parts(rng: random.Random, total: int) -> list[int]:
    cut = rng.randint(0, total)
    return [total] if rng.random() < 0.7 else [cut, total - cut]


def milli(quantity: str) -> int:
    """Parses the few forms that this file writes."""
    if quantity.endswith("m"):
        return int(quantity[:-1])
    return round(float(quantity.rstrip("k")) * (1_000_000 if quantity.endswith("k") else 1000))


def request_of(pod: Json, source: Json) -> int:
    """Thousandths; 0 where a container that counts has no request."""
    container = source.get("container")
    counted = [requests.get(source["name"], 0) for name, requests in pod["requests"].items() if container in (None, name)]
    return sum(counted) if all(counted) else 0


def lacking_container(pod: Json, source: Json) -> str | None:
    """The first that counts and has no request."""
    container = source.get("container")
    return next((name for name, requests in pod["requests"].items() if container in (None, name) and source["name"] not in requests), None)

"""A pass of a timeline as a case of kind reconcile (tests/cases/hpa-multimetric.json)."""

from __future__ import annotations

from typing import Any

from hpa_inputs import milli, request_of

Json = dict[str, Any]
WORDS = {"": None, "True": True, "False": False, "Unknown": True}


def last_pass(given: Json, answer: Json) -> Json:
    """The last pass, with what was remembered before it.  A case has no ages of metrics, so pods with an age that counts are lost."""
    manifest = given["hpa"]
    for step in given["steps"]:
        manifest = step.get("hpa", manifest)
    step, theirs, spec, flags = given["steps"][-1], answer["steps"][-1], manifest["spec"], given["flags"]
    before = answer["steps"][-2] if len(answer["steps"]) > 1 else None
    pods = (step.get("pods") or [])[: theirs["status_replicas"]]
    case: Json = {
        "name": "found by tests/originals", "kind": "reconcile", "source": "hpa-code", "kubernetes": "1.37",
        "hpa_scale_to_zero": flags["scale_to_zero"], "min": spec.get("minReplicas", 1), "max": spec["maxReplicas"],
        "spec_replicas": theirs["replicas"], "status_replicas": theirs["status_replicas"], "pods": [pod_of(pod) for pod in pods],
        "metrics": [metric_of(metric, seen, pods) for metric, seen in zip(spec["metrics"], step["metrics"])],
        "behavior": with_tolerance(spec.get("behavior"), flags), "history": None,
        "cpu_init_period_s": flags["cpu_init_s"], "initial_readiness_delay_s": flags["readiness_s"], "downscale_window_s": flags["downscale_s"],
    }  # fmt: skip
    for member, key in (("scale_get_error", "scale_error"), ("scale_update_error", "write_error")):
        if step.get(key):
            case[member] = step[key]
    if before is not None:
        add_memory(case, before, theirs["now_ms"])
    wrote = theirs["written"] is not None and not step.get("write_error")
    case["expect"] = {"desired_replicas": theirs["written"] if wrote else theirs["replicas"], "rescaled": wrote,
                      "conditions": {each["type"]: [each["status"], each["reason"]] for each in theirs["conditions"] if said(each["type"], step, theirs)}}  # fmt: skip
    if case["behavior"] is None and flags["tolerance"] != 0.1:
        case["note"] = f"the controller's tolerance is {flags['tolerance']}, which a case without behavior cannot say"
    return case


def said(kind: str, step: Json, theirs: Json) -> bool:
    """Whether the pass sets a condition; the others are as an earlier one left them, which a case does not say."""
    active = any(condition["type"] == "ScalingActive" and condition["status"] == "True" for condition in theirs["conditions"])
    if kind == "ScalingLimited":
        return bool(theirs["read"]) and active
    if kind == "ScalingActive":
        return bool(theirs["read"]) or theirs["replicas"] == 0 and not step.get("scale_error")
    return True


def with_tolerance(behavior: Json | None, flags: Json) -> Json | None:
    """The controller's own tolerance can only be said as behavior's."""
    if behavior is None:
        return None
    own = {"tolerance": repr(flags["tolerance"])}
    return {side: {**own, **(behavior.get(side) or {})} for side in ("scaleUp", "scaleDown")}


def pod_of(pod: Json) -> Json:
    out: Json = {"phase": pod["phase"], "ready": WORDS[pod["ready"]]}
    if pod.get("deleting"):
        out["deleting"] = True
    out["start_age_s"] = None if pod.get("start_ms") is None else pod["start_ms"] / 1000
    return {**out, "ready_age_s": pod["change_ms"] / 1000}


def metric_of(spec: Json, seen: Json, pods: list[Json]) -> Json:
    kind = spec["type"]
    source = spec[kind[0].lower() + kind[1:]]
    name = source.get("name") or source["metric"]["name"]
    target: Json = {"type": source["target"]["type"]}
    for key in ("value", "averageValue"):
        if key in source["target"]:
            target[f"{key}_milli"] = milli(source["target"][key])
    if "averageUtilization" in source["target"]:
        target["averageUtilization"] = source["target"]["averageUtilization"]
    out: Json = {"type": kind, "name": name, "target": target}
    if "name" in source:
        out["resource"] = name
    if "container" in source:
        out["container"] = source["container"]
    if "error" in seen:
        return {**out, "error": seen["error"]}
    if kind == "Object":
        return {**out, "value_milli": seen["values"][0]}
    if kind == "External":
        return {**out, "series_milli": seen["values"]}
    values: list[int | None] = [None] * len(pods)
    for entry in seen["pods"]:
        if 0 <= entry["pod"] < len(pods):
            values[entry["pod"]] = entry["milli"]
    out["pod_metrics_milli"] = values + [entry["milli"] for entry in seen["pods"] if entry["pod"] < 0]
    if "averageUtilization" in target:
        out["pod_requests_milli"] = [request_of(pod, source) or None for pod in pods]
    return out


def add_memory(case: Json, before: Json, now_ms: int) -> None:
    memory = before["memory"]
    case["history"] = [{"replicas": replicas, "age_s": (now_ms - at) / 1000} for at, replicas in memory["recommendations"]]
    for name, key in (("up_events", "up"), ("down_events", "down")):
        if memory[key]:
            case[name] = [{"change": change, "age_s": (now_ms - at) / 1000} for at, change in memory[key]]
    for condition in before["conditions"]:
        if condition["type"] == "ScaledToZero":
            case["scaled_to_zero"] = condition["status"] == "True"

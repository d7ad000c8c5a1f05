"""Makes cases of tests/cases out of recordings of what upstream's own table tests call.

    recorded_cases.py hpa RECORDING.jsonl.gz FOLDER      hpa-multimetric, hpa-replicas and hpa-behavior, .table-tests.json
    recorded_cases.py keda RECORDING.jsonl.gz FOLDER     keda-executor.table-tests.json

A recording has a call a line: its inputs, what the controller remembered before and after, and its results.  Calls that come to the
same case are one case; what the format cannot say is counted with the reason."""

from __future__ import annotations

import collections
import gzip
import json
import re
import sys
from pathlib import Path
from typing import Any

Json = dict[str, Any]


class Inexpressible(Exception):
    """The case format has no words for this call."""


class Cases:
    """The cases of several files; each once."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.files: dict[str, list[Json]] = collections.defaultdict(list)
        self.seen: set[str] = set()
        self.names: collections.Counter[str] = collections.Counter()
        self.left: collections.Counter[str] = collections.Counter()
        self.repeated = 0

    def add(self, file: str, record: Json, case: Json) -> None:
        shape = json.dumps([file, shape_of(case)], sort_keys=True)
        if shape in self.seen:
            self.repeated += 1
            return
        self.seen.add(shape)
        test = record["test"].replace("_", " ")
        self.names[test] += 1
        number = f", call {self.names[test]}" if self.names[test] > 1 else ""
        self.files[file].append({"name": f"{test}{number}", "source": "table-test", **case})

    def write(self, folder: Path, notes: Json) -> None:
        for file, cases in self.files.items():
            text = {"source": self.source, "format": notes[file], "cases": cases}
            lines = json.dumps(text, ensure_ascii=False).replace('{"name": ', '\n{"name": ')
            (folder / f"{file}.table-tests.json").write_text(lines + "\n")
            print(f"{file}: {len(cases)} cases, {len(lines):,} bytes")
        print(f"{self.repeated} calls repeat a case; not expressible: {sum(self.left.values())}")
        for why, count in self.left.most_common():
            print(f"  {count} {why}")


def shape_of(value: Any) -> Any:
    """A case less what differs from moment to moment: ages count in tens of seconds."""
    if isinstance(value, dict):
        kept = {key: shape_of(member) for key, member in value.items() if key != "metric_age_s"}
        return {key: round(age, -1) if key.endswith("age_s") and age else age for key, age in kept.items()}
    return [shape_of(member) for member in value] if isinstance(value, list) else value


# ---------------------------------------------------------------------------------------------------------------------- the HPA


def age_s(now_ns: int, then_ns: int) -> float:
    """Seconds; whole ones where the test meant these, and never beyond an hour, which no rule asks for."""
    exact = (now_ns - then_ns) / 1e9
    near = round(exact)
    return min(3600 * 24, near if abs(exact - near) < 0.05 else round(exact, 3))


def pod_of(pod: Json, now_ms: int) -> Json:
    out: Json = {"phase": pod["phase"] or "Unknown"}
    out["ready"] = {"True": True, "False": False, "none": None, "Unknown": True}[pod["ready"]]
    if pod.get("deleting"):
        out["deleting"] = True
    for name, key in (("start_age_s", "start_ms"), ("ready_age_s", "change_ms")):
        out[name] = None if pod.get(key) is None else min(3600, age_s(now_ms * 10**6, pod[key] * 10**6))
    if out["ready_age_s"] is None:
        del out["ready_age_s"]
    return out


def target_of(source: Json) -> Json:
    target = source["target"]
    out: Json = {"type": target["type"]}
    for key in ("value", "averageValue"):
        if target.get(key) is not None:
            out[f"{key}_milli"] = milli(target[key])
    if "averageValue_milli" not in out and target.get("averageUtilization") is not None:
        out["averageUtilization"] = target["averageUtilization"]
    if len(out) == 1:
        raise Inexpressible("a target without a value, which no API server admits")
    return out


def milli(quantity: str) -> int:
    for suffix, factor in (("m", 1), ("k", 10**6), ("M", 10**9), ("G", 10**12), ("Mi", 1000 * 2**20), ("Gi", 1000 * 2**30)):
        if quantity.endswith(suffix):
            return round(float(quantity[: -len(suffix)]) * factor)
    return round(float(quantity) * 1000)


def metric_of(spec: Json, seen: Json | None, pods: list[Json]) -> Json:
    kind = spec["type"]
    source = spec.get(kind[0].lower() + kind[1:])
    if source is None:
        raise Inexpressible("a metric without a source of its type")
    name = source.get("name") or source["metric"]["name"]
    out: Json = {"type": kind, "name": name, "target": target_of(source)}
    if kind in ("Resource", "ContainerResource"):
        out["resource"] = name
    if kind == "ContainerResource":
        out["container"] = source["container"]
    if not seen or not seen.get("calls"):
        return out
    call = seen["calls"][0]
    if call.get("err"):
        return {**out, "error": call["err"]}
    values = call["values"] or []
    if kind == "External":
        out["series_milli"] = [value["milli"] for value in values]
    elif kind == "Object":
        out["value_milli"] = values[0]["milli"]
    else:
        add_pod_values(out, values, seen, pods)
    return out


def add_pod_values(out: Json, values: list[Json], seen: Json, pods: list[Json]) -> None:
    if any(value.get("window_ms") != 60000 for value in values):
        raise Inexpressible("a metric's window that is not 60 s, in a pass")
    by_pod = {value["pod"]: value["milli"] for value in values}
    out["pod_metrics_milli"] = [by_pod.pop(pod["name"], None) for pod in pods] + list(by_pod.values())
    if "averageUtilization" in out["target"]:
        requests = seen.get("requests") or {}
        out["pod_requests_milli"] = [requests.get(pod["name"], {}).get("milli") or None for pod in pods]


def reconcile(cases: Cases, record: Json) -> None:
    spec, config, now_ms = record["hpa"]["spec"], record["config"], record["now_ns"] // 10**6
    if any(condition["reason"] in ("InvalidSelector", "AmbiguousSelector") for condition in record["conditions"] or []):
        raise Inexpressible("selectors and overlapping HPAs, which are the host's: the library is given pods")
    if "invalid API version" in record.get("err", "") or "unable to determine resource" in record.get("err", ""):
        raise Inexpressible("a target that the cluster does not know, which is the host's")
    if spec.get("minReplicas") == 0 and not config["scale_to_zero"]:
        raise Inexpressible("minReplicas 0 with the gate HPAScaleToZero off, which no API server admits")
    if "tolerance is ignored when feature gate is disabled" in record["test"].replace("_", " "):
        raise Inexpressible("the gate HPAConfigurableTolerance off, which 1.37 has locked on")
    if config["tolerance"] != 0.1 or config["up_factor"] != 2:
        raise Inexpressible("a tolerance or growth of the controller that is not its default")
    if "was deleted during" in record.get("err", "") or not record.get("scale_err") and not computes(record):
        raise Inexpressible("an HPA that is deleted during its pass")
    pods = record["pods"] or []
    seen = (record.get("metrics") or []) + [None] * len(spec.get("metrics") or [])
    case: Json = {
        "kind": "reconcile", "kubernetes": "1.37", "hpa_scale_to_zero": config["scale_to_zero"],
        "min": spec.get("minReplicas", 1), "max": spec["maxReplicas"],
        "spec_replicas": record["scale_spec"], "status_replicas": record["scale_status"],
        "pods": [pod_of(pod, now_ms) for pod in pods],
        "metrics": [metric_of(metric, seen[i], pods) for i, metric in enumerate(spec.get("metrics") or [])],
        "behavior": spec.get("behavior"), "history": history_of(record) if record["before"]["known"] else None,
        "cpu_init_period_s": config["cpu_init_s"], "initial_readiness_delay_s": config["readiness_s"], "downscale_window_s": config["downscale_s"],
    }  # fmt: skip
    for name, key in (("up_events", "ups"), ("down_events", "downs")):
        if spec.get("behavior") and events_of(record, key):
            case[name] = events_of(record, key)
    for before_condition in record["before_conditions"] or []:
        if before_condition["type"] == "ScaledToZero":
            case["scaled_to_zero"] = before_condition["status"] == "True"
    for member, key in (("scale_get_error", "scale_err"), ("scale_update_error", "write_err")):
        if record.get(key):
            case[member] = record[key]
    case["expect"] = expected_of(record)
    cases.add("hpa-multimetric", record, case)


def computes(record: Json) -> bool:
    """Whether the pass came to a verdict: ScalingActive, or a size outside of the bounds."""
    spec, size = record["hpa"]["spec"], record["scale_spec"]
    active = any(condition["type"] == "ScalingActive" for condition in record["conditions"] or [])
    return active or size > spec["maxReplicas"] or size < spec.get("minReplicas", 1)


def expected_of(record: Json) -> Json:
    wrote = record.get("written") is not None and not record.get("write_err")
    conditions = {condition["type"]: [condition["status"], condition["reason"]] for condition in record["conditions"] or []}
    absent = [name for name in ("AbleToScale", "ScalingActive", "ScalingLimited", "ScaledToZero") if name not in conditions]
    # A pass that fails leaves the status' desired size as it was.
    size = record["written"] if wrote else record["scale_spec"]
    # The text of the decision, before its write is carried out, and without selectors, names of objects and what an API server said.
    decided = ["ScalingActive", "ScalingLimited", *([] if record.get("written") is not None or record.get("scale_err") else ["AbleToScale"])]
    messages = {each["type"]: each["message"] for each in record["conditions"] or [] if each["type"] in decided and not NAMES.search(each["message"])}
    return {"desired_replicas": size, "rescaled": wrote, "conditions": conditions, "conditions_absent": absent, "messages": messages}


NAMES = re.compile(r"\(nil|LabelSelector|test-|some-|Deployment metric")


def history_of(record: Json) -> list[Json]:
    return [{"replicas": each["replicas"], "age_s": age_s(record["now_ns"], each["ns"])} for each in record["before"]["recommendations"] or []]


def calc(cases: Cases, record: Json) -> None:
    function, now_ms, pods = record["fn"], record["now_ns"] // 10**6, record["pods"] or []
    call = (record["metrics"] or [{}])[0].get("calls", [{}])[0]
    if call.get("err"):
        raise Inexpressible("a metric that cannot be read, for the calculator alone; passes have it")
    case: Json = {"kind": function, "kubernetes": "1.37", "cpu_init_period_s": record["config"]["cpu_init_s"],
                  "initial_readiness_delay_s": record["config"]["readiness_s"]}  # fmt: skip
    for side in ("up", "down"):
        if record[f"tol_{side}"] != 0.1:
            case[f"tolerance_{side}"] = record[f"tol_{side}"]
    values = call.get("values") or []
    replicas = "status_replicas" if function.endswith("_average") else "spec_replicas"
    case[replicas] = record.get("current", 0)
    error = record.get("err", "").split(" in container ")[0]  # the names of container and pod are not in a case
    expect: Json = {"error": error} if error else {"replicas": record["replicas"], "usage_milli": record["usage"]}
    if function.startswith(("external", "object")):
        case["target_milli"] = record["target"]
        if function.startswith("external"):
            case["series_milli"] = [value["milli"] for value in values]
        else:
            case["value_milli"] = values[0]["milli"]
        if function.endswith("_value"):
            case["pods"] = [pod_of(pod, now_ms) for pod in pods]
    else:
        if not values:
            raise Inexpressible("an answer without values, of which the real client makes an error")
        add_pods(case, record, values, now_ms)
        if "utilization" in function and "error" not in expect:
            expect = {"replicas": record["replicas"], "utilization_pct": record["utilization"], "average_milli": record["usage"]}
    case["expect"] = expect
    cases.add("hpa-replicas", record, case)


def add_pods(case: Json, record: Json, values: list[Json], now_ms: int) -> None:
    by_pod = {value["pod"]: value for value in values}
    requests = (record["metrics"] or [{}])[0].get("requests") or {}
    case["kind"] = "resource_utilization" if record["fn"] == "resource_utilization" else "pods_average"
    case["target_pct" if case["kind"] == "resource_utilization" else "target_milli"] = record["target"]
    if record.get("resource"):
        case["resource"] = record["resource"]
    case["pods"] = []
    for pod in record["pods"] or []:
        value, entry = by_pod.pop(pod["name"], None), pod_of(pod, now_ms)
        if value:
            entry["metric_milli"] = value["milli"]
            entry["metric_window_s"] = window_s(value, pod)
            entry["metric_age_s"] = min(3600, age_s(now_ms * 10**6, value.get("ms", 0) * 10**6))
        if requests.get(pod["name"], {}).get("milli"):
            entry["request_milli"] = requests[pod["name"]]["milli"]
        case["pods"].append(entry)
    if by_pod:
        case["extra_metrics_milli"] = [value["milli"] for value in by_pod.values()]


def window_s(value: Json, pod: Json) -> int:
    """Whole seconds from 1 on.  A window of 0 is as one of 1 s, unless the value came in that second after the pod's change."""
    window_ms = value.get("window_ms", 0)
    since_change = value.get("ms", 0) - (pod.get("change_ms") or 0)
    if window_ms % 1000 or window_ms == 0 and 0 <= since_change < 1000:
        raise Inexpressible("a metric's window of 0 or of no whole seconds, which counts")
    return max(1, window_ms // 1000)


def events_of(record: Json, key: str) -> list[Json]:
    return [{"change": entry["replicas"], "age_s": age_s(record["now_ns"], entry["ns"])} for entry in record["before"][key] or []]


def rules(cases: Cases, record: Json) -> None:
    hpa = record["hpa"]
    case = {"kind": "legacy_convert", "current": hpa["current"], "desired": hpa["desired"], "min": hpa["min"], "max": hpa["max"]}
    cases.add("hpa-behavior", record, {**case, "expect": {"replicas": record["replicas"], "reason": record["reason"]}})


def stabilise_legacy(cases: Cases, record: Json) -> None:
    case = {"kind": "stabilize_legacy", "window_s": record["config"]["downscale_s"], "history": history_of(record), "desired": record["target"]}
    after = [recommendation["replicas"] for recommendation in record["after"]["recommendations"]]
    cases.add("hpa-behavior", record, {**case, "expect": {"replicas": record["replicas"], "history": after}})


def stabilise(cases: Cases, record: Json) -> None:
    hpa = record["hpa"]
    case = {"kind": "stabilize", "up_window_s": hpa["up"]["stabilizationWindowSeconds"], "down_window_s": hpa["down"]["stabilizationWindowSeconds"],
            "history": history_of(record), "current": hpa["current"], "desired": hpa["desired"]}  # fmt: skip
    after = [recommendation["replicas"] for recommendation in record["after"]["recommendations"]]
    expect = {"replicas": record["replicas"], "history": after}
    if record["replicas"] != hpa["desired"]:  # only then is the reason looked at
        expect["reason"] = record["reason"]
    cases.add("hpa-behavior", record, {**case, "expect": expect})


def rate(cases: Cases, record: Json) -> None:
    hpa = record["hpa"]
    case: Json = {"kind": "rate", "current": hpa["current"], "desired": hpa["desired"], "min": hpa["min"], "max": hpa["max"],
                  "behavior": {"scaleUp": hpa["up"], "scaleDown": hpa["down"]}}  # fmt: skip
    for name, key in (("up_events", "ups"), ("down_events", "downs")):
        if events_of(record, key):
            case[name] = events_of(record, key)
    cases.add("hpa-behavior", record, {**case, "expect": {"replicas": record["replicas"], "reason": record["reason"]}})


def store_event(cases: Cases, record: Json) -> None:
    hpa = record["hpa"]
    up = hpa["desired"] > hpa["current"]
    key = "ups" if up else "downs"
    case = {"kind": "store_event", "events": events_of(record, key), "change": abs(hpa["desired"] - hpa["current"]), "rules": hpa["up" if up else "down"]}
    after = [[entry["replicas"], bool(entry.get("outdated"))] for entry in record["after"][key] or []]
    cases.add("hpa-behavior", record, {**case, "expect": {"events": after}})


# ------------------------------------------------------------------------------------------------------------------------- KEDA


def request_scale(cases: Cases, record: Json) -> None:
    spec = {key: value for key, value in record["object"]["spec"].items() if key not in ("scaleTargetRef", "triggers")}
    if record.get("current_err"):
        raise Inexpressible("a size that cannot be read")
    last, created = record["last_ns"], record["created_ns"]
    writes = record["writes"] or []
    case = {
        "kind": "executor", "spec": spec,
        "state": {"currentReplicas": record["current"], "lastActiveAgeSeconds": None if last is None else age_s(record["now_ns"], last),
                  "createdAgeSeconds": 100000 if created < 0 else age_s(record["now_ns"], created),
                  "writeFails": any(write.get("err") for write in writes)},
        "input": {"isActive": record["active"], "isError": record["error"]},
        "annotations": record["object"]["metadata"].get("annotations") or {},
        "expect": {"write_replicas": writes[-1]["to"] if writes else None,
                   "conditions": {each["type"]: {"status": each["status"], "reason": each["reason"]} for each in record["conditions"] or []
                                  if each["type"] in ("Ready", "Active", "Paused", "Fallback")},
                   "last_active_updated": record["after_ns"] is not None,
                   "event": ((record["events"] or [""])[-1].split(" ") + [""])[1] or None},
    }  # fmt: skip
    cases.add("keda-executor", record, case)


CALLS = {name: globals()[name] for name in ("reconcile", "calc", "rules", "stabilise_legacy", "stabilise", "rate", "store_event", "request_scale")}
SOURCES = {
    "hpa": "kubernetes/kubernetes@v1.37.2:pkg/controller/podautoscaler, what horizontal_test.go and replica_calculator_test.go call",
    "keda": "kedacore/keda@v2.21.0:pkg/scaling/executor, what scale_scaledobjects_test.go calls",
}


def main() -> None:
    side, recording, folder = sys.argv[1:]
    cases = Cases(SOURCES[side])
    with gzip.open(recording, "rt") as lines:
        for line in lines:
            record = json.loads(line)
            try:
                CALLS[record["kind"]](cases, record)
            except Inexpressible as why:
                cases.left[str(why)] += 1
    common = "As in {0}.json.  name: the test and its row; source table-test: what that test calls, and its result.  tests/originals/recorded_cases.py makes this file."
    notes = {file: {"common": common.format(file)} for file in cases.files}
    if "hpa-multimetric" in notes:
        notes["hpa-multimetric"]["reconcile"] = "as in hpa-multimetric.releases.json, and: up_events, down_events: what is remembered, as in hpa-behavior.json."
    cases.write(Path(folder), notes)


if __name__ == "__main__":
    main()

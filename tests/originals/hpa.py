"""The HPA: Kubernetes' HorizontalController and ReplicaCalculator against gputide_decide."""

from __future__ import annotations

import dataclasses
import json
import random
from collections.abc import Iterator
from typing import Any

import gputide
from gputide.numbers import PodPhase, Readiness, SampleState, Status

import hpa_case
import hpa_inputs
from original import CONDITION, REASON, TRUTH, Difference, Original, Outcome

Json = dict[str, Any]
PHASES = {"Running": PodPhase.RUNNING, "Pending": PodPhase.PENDING, "Succeeded": PodPhase.SUCCEEDED, "Failed": PodPhase.FAILED}
# The HPA asks whether the condition is False; Unknown is not.
READY = {"True": Readiness.YES, "False": Readiness.NO, "Unknown": Readiness.YES, "": Readiness.NO_CONDITION}
CONDITIONS = ("AbleToScale", "ScalingActive", "ScalingLimited", "ScaledToZero")
# A pass that looks at no metric leaves these as they were; a report has the words of its own pass alone.
TEXTS = ("message ", "error")
KEPT = ("ScalingActive", "ScalingLimited", "ScaledToZero")


class Hpa(Original):
    name = "hpa"
    version = "k8s.io/kubernetes"
    program = ("hpa",)
    optional = frozenset({"behavior", "scaleUp", "scaleDown", "stabilizationWindowSeconds", "selectPolicy", "policies", "tolerance",
                          "replicas", "status_replicas", "scale_error", "write_error", "side"})  # fmt: skip
    lists = frozenset({"steps", "pods", "policies", "values"})

    def make(self, rng: random.Random) -> Json:
        return hpa_inputs.timeline(rng)

    def smaller(self, given: Json) -> Iterator[Json]:
        """Without one of the metrics, in the manifests and in all passes."""
        count = len(given["hpa"]["spec"]["metrics"])
        for index in range(count) if count > 1 else ():
            out: Json = json.loads(json.dumps(given))
            manifests = [out["hpa"], *(step["hpa"] for step in out["steps"] if "hpa" in step)]
            for metrics in [*(manifest["spec"]["metrics"] for manifest in manifests), *(step["metrics"] for step in out["steps"])]:
                del metrics[index]
            yield out

    def compare(self, given: Json, answer: Json) -> Outcome:
        out = Outcome()
        if "refused" in answer:
            out.skipped = f"the original: {answer['refused']}"
            return out
        manifest = given["hpa"]
        try:
            policy = gputide.Policy(json.dumps(annotated(manifest, given["flags"])))
        except gputide.Error as error:
            out.skipped = f"refused: {error}"
            return out
        state = policy.new_state()
        for index, (step, theirs) in enumerate(zip(given["steps"], answer["steps"])):
            if "hpa" in step:
                manifest = step["hpa"]
                policy = gputide.Policy(json.dumps(annotated(manifest, given["flags"])))
                state = policy.load_state(state.save())
            ours = decide(state, manifest, step, theirs)
            out.compared += 1
            found = compare_pass(manifest, step, theirs, ours)
            found += compare_memory(manifest, given["flags"], theirs, state.describe().data)
            facts = {**facts_of(manifest, step, theirs), "proposals": proposals_of(ours)} if found else {}
            out.differences += [dataclasses.replace(entry, step=index, facts={**facts, **entry.facts}) for entry in found]
            if not all(entry.field.startswith(TEXTS) for entry in found):
                break  # from here on both sides see something else
        return out

    def as_case(self, given: Json, answer: Json) -> Json:
        return hpa_case.last_pass(given, answer)


def annotated(manifest: Json, flags: Json) -> Json:
    """The manifest with the controller's flags as annotations."""
    out: Json = json.loads(json.dumps(manifest))
    out["metadata"]["annotations"] = {
        "gputide.io/sync-period": "0s",
        "gputide.io/tolerance": repr(float(flags["tolerance"])),
        "gputide.io/downscale-stabilization": f"{flags['downscale_s']}s",
        "gputide.io/cpu-initialization-period": f"{flags['cpu_init_s']}s",
        "gputide.io/initial-readiness-delay": f"{flags['readiness_s']}s",
        "gputide.io/hpa-scale-to-zero": "true" if flags["scale_to_zero"] else "false",
    }
    return out


def decide(state: Any, manifest: Json, step: Json, theirs: Json) -> Json:
    """A pass of the library on what the controller saw, its write and the conditions after it."""
    decision = state.decide(observation(manifest["spec"]["metrics"], step, theirs), report=True)
    report = decision.report.data
    messages = {condition["type"]: condition for condition in report["conditions"]}
    if decision.wants_write:
        state.record(decision, applied="write_error" not in step, now=theirs["now_ms"], message=step.get("write_error"))
    conditions = {}
    for kind, condition in decision.conditions.items():
        name, reason = CONDITION[kind], REASON[condition.reason]
        same = name in messages and messages[name]["reason"] == reason
        conditions[name] = (TRUTH[condition.truth], reason, messages[name]["message"] if same else None)
    return {"written": decision.desired if decision.wants_write else None, "conditions": conditions, "report": report}


def observation(specs: list[Json], step: Json, theirs: Json) -> gputide.Observation:
    now = theirs["now_ms"]
    pods = existing(step, theirs)
    samples: list[Any] = [None] * len(specs)
    of_pods: list[Any] = []
    for index, (spec, metric) in enumerate(zip(specs, step["metrics"])):
        if "error" in metric:
            samples[index] = failed_sample(metric)
        elif spec["type"] in ("External", "Object"):
            samples[index] = sum(metric["values"]) / 1000
        else:
            of_pods += pod_samples(index, spec, metric, pods, now)
    return gputide.Observation(
        current=theirs["replicas"],
        samples=samples,
        now=now,
        status_replicas=theirs["status_replicas"],
        ready_replicas=sum(1 for pod in pods if pod["phase"] == "Running" and pod["ready"] == "True"),
        unreadable="scale_error" in step,
        message=step.get("scale_error"),
        pods=[pod_of(index, pod, now) for index, pod in enumerate(pods)],
        pod_samples=of_pods,
    )


def existing(step: Json, theirs: Json) -> list[Json]:
    pods: list[Json] = step.get("pods") or []
    return pods[: theirs["status_replicas"]]


def failed_sample(metric: Json) -> gputide.Sample:
    if "why" not in metric:
        return gputide.Sample(state=SampleState.EMPTY, status=Status.NO_DATA)
    return gputide.Sample(state=SampleState.FAILED, status=Status.UNAVAILABLE, message=metric["why"])


def pod_of(index: int, pod: Json, now: int) -> gputide.Pod:
    start = None if pod.get("start_ms") is None else now - pod["start_ms"]
    changed = now - pod["change_ms"] if pod["ready"] else None
    phase = PHASES.get(pod["phase"], PodPhase.UNKNOWN)
    return gputide.Pod(f"x-{index}", phase, READY[pod["ready"]], bool(pod.get("deleting")), start, changed)


def pod_samples(index: int, spec: Json, metric: Json, pods: list[Json], now: int) -> list[gputide.PodSample]:
    """Each pod's value, and for a utilization what it requests, also of pods without a value."""
    source = spec.get("resource") or spec.get("containerResource") or {}
    utilization = "averageUtilization" in source.get("target", {})
    requests = [hpa_inputs.request_of(pod, source) if utilization else 0 for pod in pods]
    named = {entry["pod"] for entry in metric["pods"]}
    lacking = [hpa_inputs.lacking_container(pod, source) if utilization else None for pod in pods]
    out = [
        gputide.PodSample(index, max(0, entry["pod"] + 1), entry["milli"], requests[entry["pod"]] if entry["pod"] >= 0 else 0,
                          now - entry["age_ms"], entry["window_s"], lacking[entry["pod"]] if entry["pod"] >= 0 else None)
        for entry in metric["pods"]
        if entry["pod"] < len(pods)
    ]
    if utilization:
        out += [gputide.PodSample(index, pod + 1, None, requests[pod], container=lacking[pod])
                for pod in range(len(pods)) if pod not in named]  # fmt: skip
    return out


def compare_pass(manifest: Json, step: Json, theirs: Json, ours: Json) -> list[Difference]:
    out: list[Difference] = []
    if theirs["written"] != ours["written"]:
        out.append(Difference("written", theirs["written"], ours["written"]))
    trace = [entry for entry in ours["report"].get("trace", []) if entry["step"] == "metric"]
    for spec, wanted, got in zip(manifest["spec"]["metrics"], theirs["metrics"], trace):
        out += compare_metric(spec, wanted, got)
    out += compare_conditions(theirs, ours)
    if not step.get("scale_error") and not step.get("write_error"):
        error, ours_error = (theirs["errors"] or [None])[0], ours["report"].get("error")
        if error != ours_error:
            out.append(Difference("error", error, ours_error))
    return out


def facts_of(manifest: Json, step: Json, theirs: Json) -> Json:
    """The facts by which known differences are recognized: each metric with its target and what was seen of it, and the pods."""
    pods = existing(step, theirs)
    metrics = []
    for spec, seen, proposal in zip(manifest["spec"]["metrics"], step["metrics"], theirs["metrics"]):
        source = spec[spec["type"][0].lower() + spec["type"][1:]]
        given = sum(1 for entry in seen.get("pods", []) if entry["pod"] < len(pods))
        needs = source["target"]["type"] == "Utilization"
        lacking = sum(1 for pod in pods if needs and not hpa_inputs.request_of(pod, source))
        metrics.append({"type": spec["type"], "target": source["target"]["type"], "failed": bool(proposal.get("error")),
                        "unread": "error" in seen, "values": given, "empty": "error" in seen and "why" not in seen, "lacking": lacking})  # fmt: skip
    return {"metrics": metrics, "pods": len(pods), "phases": sorted({pod["phase"] for pod in pods}), "status_replicas": theirs["status_replicas"]}


def proposals_of(ours: Json) -> list[int | None]:
    return [entry.get("proposed_replicas") for entry in ours["report"].get("trace", []) if entry["step"] == "metric"]


def compare_metric(spec: Json, theirs: Json, ours: Json) -> list[Difference]:
    kind = spec["type"]
    proposal = ours.get("proposed_replicas")
    if theirs.get("error"):
        return [] if proposal is None else [Difference(f"failure {kind}", theirs["error"], proposal)]
    members = [("proposal", theirs["replicas"], proposal), ("usage", theirs["usage_milli"], ours.get("usage_milli"))]
    if "utilization" in theirs:
        members.append(("utilization", theirs["utilization"], ours.get("utilization_percent")))
    return [Difference(f"{name} {kind}", wanted, got) for name, wanted, got in members if wanted != got]


def compare_conditions(theirs: Json, ours: Json) -> list[Difference]:
    out = []
    wanted = {condition["type"]: (condition["status"], condition["reason"], condition["message"]) for condition in theirs["conditions"]}
    for name in CONDITIONS:
        a, b = wanted.get(name), ours["conditions"].get(name)
        facts = {"reason": a[1] if a else None}
        if (a and a[:2]) != (b and b[:2]):
            out.append(Difference(f"condition {name}", a, b, facts=facts))
        elif a and b and b[2] is not None and (theirs["read"] or name not in KEPT) and a[2] != b[2]:
            out.append(Difference(f"message {name}", a[2], b[2], facts=facts))
    return out


def compare_memory(manifest: Json, flags: Json, theirs: Json, ours: Json) -> list[Difference]:
    """Returns the part of the memory that can still count: recommendations inside the longer window, scale events inside the longest period.  The
    controller overwrites old entries in place, so that lists of both sides are compared as sets, or by what they allow."""
    out = []
    behavior, now = manifest["spec"].get("behavior"), theirs["now_ms"]
    windows = [flags["downscale_s"]]
    if behavior is not None:
        rules = {side: behavior.get(side) or {} for side in ("scaleUp", "scaleDown")}
        windows = [rules["scaleUp"].get("stabilizationWindowSeconds") or 0,
                   rules["scaleDown"].get("stabilizationWindowSeconds", flags["downscale_s"])]
        for side, there, here in (("scaleUp", "up", "up_events"), ("scaleDown", "down", "down_events")):
            policies = rules[side].get("policies") or [{"periodSeconds": 15}]
            after = now - 1000 * max(policy["periodSeconds"] for policy in policies)
            a = sorted((at, change) for at, change in theirs["memory"][there] if at > after)
            b = sorted((event["time_ms"], event["change"]) for event in ours[here] if event["time_ms"] > after)
            if a != b:
                out.append(Difference(f"memory {here}", a, b))
    after = now - 1000 * max(windows)
    a = [(at, replicas) for at, replicas in theirs["memory"]["recommendations"] if at > after]
    b = [(entry["time_ms"], entry["replicas"]) for entry in ours["history"] if entry["time_ms"] > after]
    if envelope(a) != envelope(b):
        out.append(Difference("memory recommendations", a, b))
    return out


def envelope(entries: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The smallest and the largest recommendation since each moment, where one of them changes: all that a window can read."""
    out: list[tuple[int, int]] = []
    low: int | None = None
    high: int | None = None
    for at in sorted({at for at, _ in entries}, reverse=True):
        sizes = [replicas for moment, replicas in entries if moment == at]
        low, high, before = min(sizes + ([low] if low is not None else [])), max(sizes + ([high] if high is not None else [])), (low, high)
        if (low, high) != before:
            out.append((low, high))
    return out

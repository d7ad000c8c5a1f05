"""The kube-scheduler: its filters, pod after pod, against the places of gputide_nodes_plan on existing nodes.

Both take the pods by priority, then in the order of the list, and the first node of the list that takes a pod, so that each place
also says that no node before it takes the pod.  A pod without a place has none on any node."""

from __future__ import annotations

import json
import random
from typing import Any

import gputide

import scheduler_inputs
from original import Difference, Original, Outcome

Json = dict[str, Any]
OPTIONS = {"options": {"order": "ca", "scale-down-enabled": False, "wait-for-new-pods": False}}
NOW_MS = 1_796_000_000_000


class Scheduler(Original):
    name = "kube-scheduler"
    version = "k8s.io/kubernetes"
    program = ("scheduler",)
    optional = frozenset(
        "affinity nodeSelector tolerations initContainers overhead resources labels taints unschedulable priority ports volumes annotations"
        " podAffinity podAntiAffinity nodeAffinity topologySpreadConstraints resourceClaims constraints selectors count namespaces minDomains"
        " namespaceSelector labelSelector matchLabels matchExpressions matchFields matchLabelKeys mismatchLabelKeys value hostIP"
        " protocol containerStatuses conditions attributes consumesCounters ownerReferences deletionTimestamp extendedResourceName limits"
        " nodeAffinityPolicy nodeTaintsPolicy restartPolicy adminAccess".split()
    )
    fixed = frozenset({"generation", "resourceSliceCount", "hostPort", "containerPort"})
    lists = frozenset(
        "items containers initContainers tolerations taints ports nodeSelectorTerms matchExpressions matchFields values namespaces"
        " requiredDuringSchedulingIgnoredDuringExecution topologySpreadConstraints resourceClaims requests firstAvailable selectors"
        " constraints devices sharedCounters results".split()
    )

    def make(self, rng: random.Random) -> Json:
        return scheduler_inputs.cluster(rng)

    def compare(self, given: Json, answer: Json) -> Outcome:
        if "refused" in answer:
            return Outcome(skipped=f"the original: {answer['refused']}")
        text = json.dumps(OPTIONS) + "\n---\n" + json.dumps({"apiVersion": "v1", "kind": "List", "items": given["items"]})
        plan = gputide.plan_nodes(text, now=NOW_MS).json.data
        groups = {group["name"]: group for group in plan["groups"]}
        marked = [item["metadata"] for item in given["items"] if scheduler_inputs.LEFT_OUT in item["metadata"].get("annotations", {})]
        beyond = {f"{metadata['namespace']}/{metadata['name']}" for metadata in marked}
        out = Outcome(compared=1)
        for step, run in enumerate(answer["runs"]):
            group = groups.get(run["pods"][0], {})
            facts = {"why": run.get("why", {}), "classes_of_a_resource": classes_of_one_resource(given["items"])}
            whole = run.get("why", {}).get("", "")
            ends = "device_error" if "filter plugin" in whole and "claim limit" not in whole else None
            if group.get("pods") != len(run["pods"]):
                out.differences.append(Difference("pods", len(run["pods"]), group.get("pods"), step, facts))
            elif group["on_nodes"] != run["on"]:
                out.differences.append(Difference(kind_of(run, group["on_nodes"]), run["on"], group["on_nodes"], step, facts))
            elif ends != (held := group.get("held")) and held != "priority" and "claim limit" not in whole:
                out.differences.append(Difference(f"held {held}", ends, held, step, facts))
            if out.differences:  # what follows differs for that reason
                return out
        modeled = [name for name in sorted(beyond) if name in groups and groups[name].get("held") != "unmodeled"]
        if modeled:
            out.differences.append(Difference("not left out", [], modeled, facts={"why": {}, "classes_of_a_resource": 0}))
        return out


def classes_of_one_resource(items: list[Json]) -> int:
    """The number of DeviceClasses that name the same extended resource."""
    names = [item["spec"].get("extendedResourceName") for item in items if item["kind"] == "DeviceClass"]
    return max((names.count(name) for name in names if name), default=0)


def kind_of(run: Json, ours: Json) -> str:
    """Names what differs: the plugin that refuses a place, or that there is a place."""
    why = run.get("why", {})
    for node, count in ours.items():
        if count > run["on"].get(node, 0):
            said = why.get("") or why.get(node) or ""
            return f"a place that {said.partition(':')[0] or 'no plugin'} refuses"
    return "no place where the scheduler has one"

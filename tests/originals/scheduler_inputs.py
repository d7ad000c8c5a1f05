"""Random clusters for the kube-scheduler: nodes, pods on them, pods that wait, volumes, and the devices of scheduler_devices.py."""

from __future__ import annotations

import random
from typing import Any

import scheduler_devices as devices
from scheduler_devices import chance

Json = dict[str, Any]
LEFT_OUT = "gputide.io/left-out"  # an annotation: the library must say that it does not model this pod
THEMES = ("amounts", "nodes", "taints", "ports", "affinity", "spread", "volumes", "devices", "devices", "extended")
HOSTNAME, ZONE, RACK = "kubernetes.io/hostname", "topology.kubernetes.io/zone", "example.com/rack"
KEYS = (HOSTNAME, ZONE, ZONE, RACK)
TAINTS: tuple[Json, ...] = (
    {"key": "nvidia.com/gpu", "value": "present", "effect": "NoSchedule"},
    {"key": "spot", "value": "true", "effect": "NoExecute"},
    {"key": "dedicated", "value": "ml", "effect": "PreferNoSchedule"},
    {"key": "dedicated", "effect": "NoSchedule"},
)


def cluster(rng: random.Random) -> Json:
    themes = {rng.choice(THEMES) for _ in range(rng.choice([1, 2, 2, 3]))}
    nodes = [node(rng, f"n{index}", themes) for index in range(rng.randint(1, 6))]
    items = list(nodes)
    extra: list[Json] = devices.classes(rng) if themes & {"devices", "extended"} else []
    for each in nodes:
        if themes & {"devices", "extended"}:
            extra += devices.slices_of(rng, each["metadata"]["name"])
        running = [pod(rng, f"{each['metadata']['name']}-r{index}", themes, extra, placed=True) for index in range(rng.choice([0, 0, 1, 2, 3]))]
        for at in running:
            at["spec"]["nodeName"] = each["metadata"]["name"]
            if themes & {"devices", "extended"}:
                devices.hold(rng, at, extra)
        items += running
    for index in range(rng.choice([1, 2, 3, 4, 6])):
        items += group(rng, f"p{index}", themes, extra)
    return {"items": items + extra}


def node(rng: random.Random, name: str, themes: set[str]) -> Json:
    labels = {HOSTNAME: name}
    if chance(rng, 0.9):
        labels[ZONE] = rng.choice("abc")
    if chance(rng, 0.7):
        labels[RACK] = rng.choice("xy")
    if chance(rng, 0.6):
        labels["tier"] = rng.choice(["1", "2", "10", "gold"])
    allocatable = {"cpu": "16", "memory": "64Gi", "pods": str(rng.choice([4, 10, 110]))}
    if "amounts" in themes:
        allocatable = {"cpu": rng.choice(["2", "4", "7500m"]), "memory": rng.choice(["4Gi", "16Gi", "9000M"]), "pods": str(rng.choice([2, 4, 10, 110]))}
    if chance(rng, 0.7):
        allocatable["nvidia.com/gpu"] = str(rng.choice([0, 1, 2, 4, 8, 8]))
    if "extended" in themes and chance(rng, 0.3):
        allocatable[devices.EXTENDED] = str(rng.choice([0, 1, 3]))
    if chance(rng, 0.2):
        allocatable |= {"ephemeral-storage": "20Gi", "hugepages-2Mi": "256Mi"}
    spec: Json = {}
    taints = [taint for taint in TAINTS if chance(rng, 0.25 if "taints" in themes else 0.02)]
    if taints:
        spec["taints"] = taints
    if chance(rng, 0.15 if "taints" in themes else 0.01):
        # As on a cluster, where the node controller adds the taint within seconds; a spread's nodeTaintsPolicy knows the taint alone.
        spec["unschedulable"] = True
        spec["taints"] = [*taints, {"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule"}]
    status = {"allocatable": allocatable, "capacity": allocatable, "conditions": [{"type": "Ready", "status": "True"}]}
    return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "labels": labels}, "spec": spec, "status": status}


def group(rng: random.Random, name: str, themes: set[str], extra: list[Json]) -> list[Json]:
    """One pod, or some equal ones of a ReplicaSet."""
    count = rng.choice([1, 1, 2, 3, 4])
    first = pod(rng, f"{name}-0", themes, extra, single=count == 1)
    if count == 1 and chance(rng, 0.5):
        return [first]
    owner = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": name, "uid": name, "controller": True}
    first["metadata"]["ownerReferences"] = [owner]
    return [{**first, "metadata": {**first["metadata"], "name": f"{name}-{index}"}} for index in range(count)]


def pod(rng: random.Random, name: str, themes: set[str], extra: list[Json], *, placed: bool = False, single: bool = False) -> Json:
    metadata: Json = {"name": name, "namespace": rng.choice(["default", "default", "ml"]), "labels": labels_of(rng)}
    spec: Json = {"containers": containers(rng, themes)}
    out: Json = {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec, "status": {"phase": "Pending"}}
    if "amounts" in themes:
        more_amounts(rng, spec)
    if "affinity" in themes and chance(rng, 0.6):
        spec["affinity"] = pod_affinity(rng, metadata)
    if "ports" in themes and chance(rng, 0.7):
        add_ports(rng, spec)
    if placed:
        return running(rng, out, themes)
    if chance(rng, 0.2):
        spec["priority"] = rng.choice([100, 5, -5, -20])
    if "nodes" in themes and chance(rng, 0.7):
        node_rules(rng, spec)
    if chance(rng, 0.7 if "taints" in themes else 0.1):
        spec["tolerations"] = [toleration(rng) for _ in range(rng.randint(1, 2))]
    if "spread" in themes and chance(rng, 0.8):
        spec["topologySpreadConstraints"] = [spread(rng) for _ in range(rng.choice([1, 1, 2]))]
    if "volumes" in themes and chance(rng, 0.6):
        add_volume(rng, out, extra, single=single)
    if "devices" in themes and chance(rng, 0.8):
        devices.add_claims(rng, out, extra, single=single)
    if "extended" in themes and chance(rng, 0.8):
        devices.add_extended(rng, spec)
    if chance(rng, 0.05):
        go_beyond(rng, out, themes)
    return out


def go_beyond(rng: random.Random, pod: Json, themes: set[str]) -> None:
    """Adds what the library does not model: it must say so, and give the pod no place."""
    pod["metadata"]["annotations"] = {LEFT_OUT: ""}
    if "affinity" in themes:
        term = {"topologyKey": ZONE, "labelSelector": {}, "namespaceSelector": {"matchLabels": {"team": "a"}}}
        pod["spec"].setdefault("affinity", {})["podAntiAffinity"] = {"requiredDuringSchedulingIgnoredDuringExecution": [term]}
    elif "volumes" in themes:
        pod["spec"]["volumes"] = [{"name": "v", "persistentVolumeClaim": {"claimName": "not-listed"}}]
    else:
        name = {"resourceClaimName": "not-listed"} if chance(rng, 0.5) else {"resourceClaimTemplateName": "not-listed"}
        pod["spec"].setdefault("resourceClaims", []).append({"name": "beyond", **name})


def labels_of(rng: random.Random) -> Json:
    return {key: rng.choice(values) for key, values in {"app": ["web", "db"], "track": ["a", "b"]}.items() if chance(rng, 0.7)}


def running(rng: random.Random, out: Json, themes: set[str]) -> Json:
    out["status"]["phase"] = rng.choice(["Running", "Running", "Running", "Pending", "Succeeded", "Failed"])
    if chance(rng, 0.1):
        out["metadata"] |= {"deletionTimestamp": "2026-11-01T00:00:00Z", "deletionGracePeriodSeconds": 30}
    if "amounts" in themes and chance(rng, 0.5):
        resize(rng, out)
    return out


def resize(rng: random.Random, pod: Json) -> None:
    """Resizes the pod in place: what the node has set aside for its containers, and what they have."""
    spec, status = pod["spec"], pod["status"]
    for member, holders in (("containerStatuses", spec["containers"]), ("initContainerStatuses", spec.get("initContainers", []))):
        status[member] = [{"name": holder["name"], **sizes(rng)} for holder in holders if chance(rng, 0.7)]
    if chance(rng, 0.3):
        status["conditions"] = [{"type": "PodResizePending", "status": "True", "reason": rng.choice(["Infeasible", "Deferred"])}]
    if "resources" in spec and chance(rng, 0.6):
        status |= sizes(rng)


def sizes(rng: random.Random) -> Json:
    amounts = {"cpu": rng.choice(["100m", "1", "2"]), "memory": rng.choice(["100Mi", "3Gi"])}
    out: Json = {"allocatedResources": amounts} if chance(rng, 0.7) else {}
    if chance(rng, 0.7):
        out["resources"] = {"requests": {**amounts, "cpu": rng.choice(["200m", "1500m"])}}
    return out


# ---- Amounts and ports.


def containers(rng: random.Random, themes: set[str]) -> list[Json]:
    out: list[Json] = []
    for index in range(rng.choice([1, 1, 2])):
        requests = {"cpu": rng.choice(["100m", "500m", "1", "1.5", "1500500u"]), "memory": rng.choice(["64Mi", "1Gi", "3G", "1.5Gi", "2e9", "100000500m"])}
        if chance(rng, 0.2):
            requests[rng.choice(["cpu", "memory"])] = "0"
        if chance(rng, 0.2):
            del requests[rng.choice(["cpu", "memory"])]
        limits: Json = {}
        if index == 0 and not themes & {"devices", "extended"} and chance(rng, 0.5 if "amounts" in themes else 0.15):
            limits["nvidia.com/gpu"] = str(rng.choice([1, 1, 2, 4]))
        out.append({"name": f"c{index}", "resources": {"requests": {**requests, **limits}, "limits": limits} if limits else {"requests": requests}})
    return out


def more_amounts(rng: random.Random, spec: Json) -> None:
    if chance(rng, 0.3):  # the API server takes a limit as the request
        spec["containers"][0]["resources"] = {"limits": {"cpu": "1", "memory": "1Gi"}}
    if chance(rng, 0.4):
        spec["initContainers"] = [init_container(rng, index) for index in range(rng.randint(1, 3))]
    if chance(rng, 0.2):
        spec["overhead"] = {"cpu": "250m", "memory": "128Mi"}
    if chance(rng, 0.2):
        spec["resources"] = {"requests": {"cpu": rng.choice(["6", "7"]), "memory": "8Gi"}}
    if chance(rng, 0.1):
        spec["containers"][0]["resources"].setdefault("requests", {})["ephemeral-storage"] = rng.choice(["1Gi", "30Gi"])


def init_container(rng: random.Random, index: int) -> Json:
    out: Json = {"name": f"i{index}", "resources": {"requests": {"cpu": rng.choice(["100m", "1", "2"]), "memory": rng.choice(["64Mi", "2Gi"])}}}
    if chance(rng, 0.4):
        out["restartPolicy"] = "Always"
    if chance(rng, 0.2):
        out["resources"] |= {"limits": {"nvidia.com/gpu": "2"}}
    return out


def add_ports(rng: random.Random, spec: Json) -> None:
    holders = spec["containers"] + spec.get("initContainers", [])
    for _ in range(rng.choice([1, 1, 2])):
        port = rng.choice([80, 80, 443])
        entry: Json = {"containerPort": port, "hostPort": port}
        if chance(rng, 0.4):
            entry["protocol"] = rng.choice(["TCP", "UDP"])
        if chance(rng, 0.4):
            entry["hostIP"] = rng.choice(["0.0.0.0", "127.0.0.1", "10.0.0.1"])
        rng.choice(holders).setdefault("ports", []).append(entry)


# ---- Rules about nodes.


def node_rules(rng: random.Random, spec: Json) -> None:
    if chance(rng, 0.4):
        spec["nodeSelector"] = {rng.choice([ZONE, RACK, "tier"]): rng.choice(["a", "b", "x", "1"])}
    if chance(rng, 0.7):
        terms = [node_term(rng) for _ in range(rng.choice([1, 1, 2]))]
        spec["affinity"] = {**spec.get("affinity", {}), "nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}}


def node_term(rng: random.Random) -> Json:
    out: Json = {}
    if chance(rng, 0.85):
        out["matchExpressions"] = [node_expression(rng) for _ in range(rng.choice([1, 1, 2]))]
    if chance(rng, 0.2):
        out["matchFields"] = [{"key": "metadata.name", "operator": rng.choice(["In", "NotIn"]), "values": [rng.choice(["n0", "n1", "n9"])]}]
    return out


def node_expression(rng: random.Random) -> Json:
    op = rng.choice(["In", "In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"])
    if op in ("Gt", "Lt"):
        return {"key": "tier", "operator": op, "values": [rng.choice(["0", "1", "2", "5"])]}
    key = rng.choice([ZONE, RACK, "tier", "absent"])
    return {"key": key, "operator": op, **({"values": rng.sample(["a", "b", "x", "y", "1", "2"], 2)} if op in ("In", "NotIn") else {})}


def toleration(rng: random.Random) -> Json:
    taint = rng.choice([*TAINTS, {"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule"}])
    out: Json = {"key": taint["key"], "operator": "Exists"}
    if chance(rng, 0.5):
        out = {"key": taint["key"], "value": rng.choice([taint.get("value", ""), "other"])}
        if chance(rng, 0.5):
            out["operator"] = "Equal"
    if chance(rng, 0.1):
        out = {"operator": "Exists"}
    if chance(rng, 0.5):
        out["effect"] = rng.choice([taint["effect"], "NoSchedule"])
    return out


# ---- Rules about other pods.


def selector(rng: random.Random) -> Json:
    out: Json = {}
    if chance(rng, 0.7):
        out["matchLabels"] = {"app": rng.choice(["web", "db"])}
    if chance(rng, 0.4):
        op = rng.choice(["In", "NotIn", "Exists", "DoesNotExist"])
        out["matchExpressions"] = [{"key": "track", "operator": op, **({"values": ["a"]} if op in ("In", "NotIn") else {})}]
    return out


def pod_affinity(rng: random.Random, metadata: Json) -> Json:
    out: Json = {}
    for kind in ("podAffinity", "podAntiAffinity"):
        if chance(rng, 0.6):
            terms = [pod_term(rng, metadata) for _ in range(rng.choice([1, 1, 2]))]
            out[kind] = {"requiredDuringSchedulingIgnoredDuringExecution": terms}
    return out


def pod_term(rng: random.Random, metadata: Json) -> Json:
    out: Json = {"topologyKey": rng.choice(KEYS)}
    if chance(rng, 0.95):
        out["labelSelector"] = selector(rng)
    if chance(rng, 0.2):
        out["namespaces"] = rng.choice([["default"], ["ml"], ["default", "ml"]])
    if chance(rng, 0.1):
        out["namespaceSelector"] = {}
    if "labelSelector" in out and chance(rng, 0.15):
        member, op = rng.choice([("matchLabelKeys", "In"), ("mismatchLabelKeys", "NotIn")])
        out[member] = ["track"]
        if "track" in metadata["labels"]:  # the API server adds it to the selector
            added = {"key": "track", "operator": op, "values": [metadata["labels"]["track"]]}
            out["labelSelector"].setdefault("matchExpressions", []).append(added)
    return out


def spread(rng: random.Random) -> Json:
    out: Json = {"topologyKey": rng.choice(KEYS), "maxSkew": rng.choice([1, 1, 2]), "whenUnsatisfiable": "DoNotSchedule"}
    if chance(rng, 0.1):
        return {**out, "whenUnsatisfiable": "ScheduleAnyway", "labelSelector": selector(rng)}
    if chance(rng, 0.95):
        out["labelSelector"] = selector(rng)
        if chance(rng, 0.15):
            out["matchLabelKeys"] = ["track"]
    if chance(rng, 0.2):
        out["minDomains"] = rng.choice([1, 2, 3])
    for policy in ("nodeAffinityPolicy", "nodeTaintsPolicy"):
        if chance(rng, 0.2):
            out[policy] = rng.choice(["Honor", "Ignore"])
    return out


# ---- Volumes.


def add_volume(rng: random.Random, pod: Json, extra: list[Json], *, single: bool) -> None:
    """A claim that is bound to a volume, or one that will be bound where the pod runs."""
    name, namespace = f"v-{pod['metadata']['name']}", pod["metadata"]["namespace"]
    if not any(item["kind"] == "StorageClass" for item in extra):
        extra.append({"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": {"name": "late"},
                      "provisioner": "disk.example.com", "volumeBindingMode": "WaitForFirstConsumer"})  # fmt: skip
    claim: Json = {"accessModes": ["ReadWriteOnce"], "storageClassName": "late", "resources": {"requests": {"storage": "1Gi"}}}
    item: Json = {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": name, "namespace": namespace}, "spec": claim}
    extra.append(item)
    pod["spec"]["volumes"] = [{"name": "v", "persistentVolumeClaim": {"claimName": name}}]
    if single and chance(rng, 0.2):
        return
    claim["volumeName"] = name
    item["metadata"]["annotations"] = {"pv.kubernetes.io/bind-completed": "yes"}
    item["status"] = {"phase": "Bound"}
    metadata: Json = {"name": name}
    reference = {"namespace": namespace, "name": name, "uid": "", "apiVersion": "v1", "kind": "PersistentVolumeClaim"}
    spec: Json = {"capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"], "claimRef": reference, "storageClassName": "late",
                  "persistentVolumeReclaimPolicy": "Delete", "csi": {"driver": "disk.example.com", "volumeHandle": name}}  # fmt: skip
    if chance(rng, 0.6):
        expressions = [{"key": ZONE, "operator": "In", "values": rng.choice([["a"], ["b"], ["a", "b"]])}]
        spec["nodeAffinity"] = {"required": {"nodeSelectorTerms": [{"matchExpressions": expressions}]}}
    elif chance(rng, 0.5):
        metadata["labels"] = {ZONE: rng.choice(["a", "b", "a__b"])}
    extra.append({"apiVersion": "v1", "kind": "PersistentVolume", "metadata": metadata, "spec": spec, "status": {"phase": "Bound"}})
